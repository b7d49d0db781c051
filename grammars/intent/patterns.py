"""Intents, and how their slots are filled from what a text mentions.

An intent is an action with those of its values that words alone decide ("up"). A pattern is an intent with
slots for the rest: things, quantities, sides. Whatever a text mentions has to take part, or it is not filled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec

from framework.plan.ast import Do, Parallel, Plan, Value, actions_of
from framework.plugins.parameters import ParameterSpec
from framework.plugins.signature import ActionSpec
from grammars.intent.intents import Intent, Kind
from grammars.intent.mentions import BOTH, Mention, Noticed, Sides
from grammars.intent.spans import Span, Spans, Text
from grammars.reading.accepting import accepts
from grammars.reading.manners import in_manner
from grammars.reading.phrasebook import Phrasebook
from grammars.reading.quantities import converted
from grammars.reading.utterance import Quantity


class Takes(StrEnum):
    """What a slot is filled with."""

    THING = "thing"
    QUANTITY = "quantity"
    SIDE = "side"
    WORDS = "words"
    """Words of whoever says it: a new name, a message."""


class Slot(msgspec.Struct, frozen=True):
    """A parameter that is filled from a mention. value: one with a side in it, such as "turn_{}"."""

    parameter: str
    takes: Takes
    value: str = "{}"


def place_of(action: str, parameter: str) -> str:
    """A parameter of an action, as spans are learnt for it (`Spans`)."""
    return f"{action}.{parameter}"


class Pattern(msgspec.Struct, frozen=True):
    """An action, the values that its words decide, and its slots."""

    action: str
    values: Mapping[str, Value] = {}
    slots: tuple[Slot, ...] = ()

    @property
    def hands_on(self) -> bool:
        """Whether it is told words of whoever says it: a message, a new name."""
        return any(slot.takes is Takes.WORDS for slot in self.slots)

    @property
    def intent(self) -> Intent:
        """What tells it from other intents: the action, what it counts, values of one word, yes or no."""
        values = {
            name: value
            for name, value in self.values.items()
            if isinstance(value, bool) or (isinstance(value, str) and " " not in value)
        }
        values |= {slot.parameter: slot.value for slot in self.slots if slot.value != "{}"}
        said = tuple((name, str(value)) for name, value in sorted(values.items()))
        counted = sorted(slot.parameter for slot in self.slots if slot.takes is Takes.QUANTITY)
        return Intent(Kind.ACTION, self.action, said, tuple(counted))


class Filled(msgspec.Struct, frozen=True):
    """The plan of a pattern. left_out: what was mentioned and takes no part."""

    plan: Plan
    left_out: tuple[Mention, ...] = ()


class _Filling:
    """A pattern while it is filled. left: what is mentioned and takes no part so far."""

    def __init__(self, values: dict[str, Value], left: list[Mention]) -> None:
        self.values = values
        self.left = left

    def take(self, mention: Mention, parameter: str, value: Value) -> None:
        """Let a mention be a parameter's value; a thing that is named again is it as well."""
        self.left.remove(mention)
        if mention.known:
            self.left = [each for each in self.left if each.known != mention.known]
        self.values[parameter] = value


class Patterns:
    """Makes patterns of plans, and fills them. words: by action, those of its phrases."""

    def __init__(self, phrasebook: Phrasebook, sides: Sides) -> None:
        self._actions = phrasebook.actions
        self.sides = sides
        self._listed = {
            place: frozenset(value for slot in several for of in slot.values.values() for _, value, _ in of)
            for place, several in phrasebook.slots.items()
            if not any(slot.is_speech for slot in several)
        }
        self._words: dict[str, set[str]] = {}
        for entry in phrasebook.entries:
            self._words.setdefault(entry.phrase.action, set()).update(entry.words or ())
        self._kinds = {
            place: frozenset(slot.kind for slot in several if slot.kind)
            for place, several in phrasebook.slots.items()
        }

    def of(self, plan: Plan, mentions: Sequence[Mention], text: str) -> Pattern | None:
        """The pattern of a plain instruction, by what it mentions; None if it could never be filled."""
        if not isinstance(plan, Do) or plan.action not in self._actions:
            return None
        spec = self._actions[plan.action]
        by_manner = {name for name, _ in spec.phrases.manner}
        parameters = {each.name: each for each in spec.parameters}
        values: dict[str, Value] = {}
        slots: list[Slot] = []
        for name, value in plan.parameters.items():
            slot = self._slot(spec, parameters[name], value, mentions)
            if slot is not None:
                slots.append(slot)
            elif name in by_manner and any(each.manner for each in mentions):
                continue
            elif value == text or self._is_listed(spec, parameters[name], value):
                values[name] = value
            elif isinstance(value, str):
                slots.append(Slot(name, Takes.WORDS))
            else:
                return None
        return Pattern(plan.action, values, tuple(slots))

    def only_answers(self, plan: Plan) -> bool:
        """Whether it is nothing but questions that only read."""
        return all(self._actions[each.action].only_answers for each in actions_of(plan))

    def hands_on(self, plan: Plan, noticed: Noticed) -> bool:
        """Whether a text's plan is one action that is told words of who says it: a message, a new name."""
        pattern = self.of(plan, noticed.mentions, noticed.text)
        return pattern is not None and pattern.hands_on

    def filled(
        self, pattern: Pattern, noticed: Noticed, spans: Spans, *, is_sure: bool = False
    ) -> Filled | None:
        """The plan of a pattern with what a text mentions; None if something is missing, or left over.

        is_sure: numbers that it has no use for may be left over.
        """
        spec = self._actions.get(pattern.action)
        if spec is None:
            return None
        filling = _Filling(dict(pattern.values), [*noticed.mentions])
        if not self._hand_on(pattern, noticed, spans, filling):
            return None
        if not self._fill_slots(spec, pattern, filling):
            return None
        self._fill_others(spec, pattern, filling)
        left_out: tuple[Mention, ...] = ()
        if is_sure:
            left_out = tuple(each for each in filling.left if _is_of_no_use(each, spec))
            filling.left = [each for each in filling.left if each not in left_out]
        plan = self._in_manner(spec, filling)
        return None if plan is None else Filled(self._of_both(plan, spec), left_out)

    def _hand_on(self, pattern: Pattern, noticed: Noticed, spans: Spans, filling: _Filling) -> bool:
        """Fill what takes words of whoever says it. False if it cannot be told which."""
        tokens = noticed.utterance.tokens
        for slot in pattern.slots:
            if slot.takes is not Takes.WORDS:
                continue
            span = spans.best(Text.of(noticed.text, tokens), place_of(pattern.action, slot.parameter))
            if span is None or any(_is_cut(each, span) for each in filling.left):
                return False
            filling.values[slot.parameter] = noticed.text[tokens[span.begin].start : tokens[span.end - 1].end]
            filling.left = [each for each in filling.left if not span.begin <= each.begin < span.end]
        return True

    def _fill_slots(self, spec: ActionSpec, pattern: Pattern, filling: _Filling) -> bool:
        """Fill what takes something mentioned. False if nothing fits, or several things are called so."""
        if any(each.is_unclear for each in filling.left):
            return False
        for slot in pattern.slots:
            if slot.takes is Takes.WORDS:
                continue
            found = self._fits(spec, slot, filling.left)
            if found is None:
                return False
            filling.take(found[0], slot.parameter, found[1])
        return True

    def _fill_others(self, spec: ActionSpec, pattern: Pattern, filling: _Filling) -> None:
        """Fill with quantities and sides that no slot is for, where it is plain what they are for."""
        for mention in [each for each in filling.left if each.quantity is not None]:
            place = None if mention.is_idle else self._place_for(spec, mention, pattern, filling)
            if place is not None:
                filling.take(mention, *place)
        sides = set(self.sides.pair)
        which = next((each for each in spec.parameters if each.which or set(each.one_of) == sides), None)
        for mention in [each for each in filling.left if each.side]:
            if which is not None and which.name not in filling.values:
                filling.take(mention, which.name, mention.side)

    def _in_manner(self, spec: ActionSpec, filling: _Filling) -> Plan | None:
        """The plan, slowly if that was said; None if a mention is left over that has to take part."""
        words = self._words.get(spec.name, set())
        counts = any(accepts(each).is_number for each in spec.parameters)
        if any(not _may_be_left(each, words, counts) for each in filling.left):
            return None
        plan: Plan = Do(spec.name, filling.values)
        for manner in (each.manner for each in filling.left if each.manner is not None):
            before, plan = plan, in_manner(plan, manner, self._actions)
            if plan == before and manner.quantity is not None:
                return None  # "at 20 newtons", of what knows no force
        return plan

    def _of_both(self, plan: Plan, spec: ActionSpec) -> Plan:
        """One action of both sides as two at once, where it has no word for both."""
        assert isinstance(plan, Do)
        sides = [
            each.name
            for each in spec.parameters
            if plan.parameters.get(each.name) == BOTH and BOTH not in accepts(each).choices
        ]
        if not sides:
            return plan
        return Parallel(
            tuple(
                Do(plan.action, {**plan.parameters, **dict.fromkeys(sides, side)}) for side in self.sides.pair
            )
        )

    def _slot(
        self, spec: ActionSpec, parameter: ParameterSpec, value: object, mentions: Iterable[Mention]
    ) -> Slot | None:
        """The slot that a value of a plan came from, if it was mentioned."""
        for mention in mentions:
            if (
                mention.quantity is not None
                and isinstance(value, int | float)
                and not isinstance(value, bool)
            ):
                said = _converted(mention.quantity, parameter)
                if said is not None and abs(said - value) <= 1e-9 * max(1.0, abs(value)):
                    return Slot(parameter.name, Takes.QUANTITY)
            if mention.known and self._value(spec, parameter.name, mention) == value:
                return Slot(parameter.name, Takes.THING)
            if mention.side and isinstance(value, str):
                parts = value.split("_")
                if mention.side in parts:
                    place = parts.index(mention.side)
                    return Slot(
                        parameter.name, Takes.SIDE, "_".join((*parts[:place], "{}", *parts[place + 1 :]))
                    )
        return None

    def _fits(
        self, spec: ActionSpec, slot: Slot, mentions: Sequence[Mention]
    ) -> tuple[Mention, Value] | None:
        parameter = next((each for each in spec.parameters if each.name == slot.parameter), None)
        if parameter is None:
            return None
        for mention in mentions:
            match slot.takes:
                case Takes.THING if mention.known:
                    value: Value | None = self._value(spec, slot.parameter, mention)
                case Takes.QUANTITY if mention.quantity is not None:
                    value = _converted(mention.quantity, parameter)
                case Takes.SIDE if mention.side:
                    value = slot.value.format(mention.side)
                case _:
                    value = None
            if value is not None:
                return mention, value
        return None

    def _value(self, spec: ActionSpec, parameter: str, mention: Mention) -> Value | None:
        kinds = self._kinds.get((spec.name, parameter), frozenset())
        return next((known.value for kind, known in mention.known.items() if kind in kinds), None)

    def _place_for(
        self, spec: ActionSpec, mention: Mention, pattern: Pattern, filling: _Filling
    ) -> tuple[str, Value] | None:
        """The only parameter that a quantity fits which no slot is for, and its value there."""
        assert mention.quantity is not None
        taken = {*filling.values, *(slot.parameter for slot in pattern.slots)}
        found = [
            (each.name, value)
            for each in spec.parameters
            if (each.name not in taken or isinstance(pattern.values.get(each.name), float))
            and (value := _converted(mention.quantity, each)) is not None
        ]
        return found[0] if len(found) == 1 else None

    def _is_listed(self, spec: ActionSpec, parameter: ParameterSpec, value: object) -> bool:
        """Whether a value is one that words of ours stand for; else it is what somebody said or named."""
        if not isinstance(value, str) or not accepts(parameter).is_text:
            return isinstance(value, str | bool | int | float)
        return value in self._listed.get((spec.name, parameter.name), frozenset())


def _is_cut(mention: Mention, span: Span) -> bool:
    """Whether a mention is partly in a span, and partly not."""
    return (
        mention.begin < span.end
        and span.begin < mention.end
        and not (span.begin <= mention.begin and mention.end <= span.end)
    )


def _is_of_no_use(mention: Mention, spec: ActionSpec) -> bool:
    """Whether it is a number that an action has no parameter for."""
    quantity = mention.quantity
    return (
        quantity is not None
        and not mention.is_idle
        and not any(_counts(quantity, each) for each in spec.parameters)
    )


def _may_be_left(mention: Mention, words: Collection[str], counts: bool) -> bool:
    """Whether a mention may take no part.

    words: of the action, such as "hand" (a gripper), or the 3 of "3-D". counts: whether it uses any number.
    """
    is_a_word = all(each in words for each in mention.words)
    if mention.quantity is not None:
        return mention.is_idle or (mention.quantity.unit == "" and is_a_word and not counts)
    if mention.known:
        return is_a_word
    return mention.manner is not None


def _counts(quantity: Quantity, parameter: ParameterSpec) -> bool:
    """Whether it is a number of what a parameter takes, within its limits or not."""
    accepted = accepts(parameter)
    if not accepted.is_number or (quantity.unit == "" and accepted.dimension):
        return False
    return converted(quantity, parameter.unit) is not None


def _converted(quantity: Quantity, parameter: ParameterSpec) -> float | int | None:
    """What a quantity is for a parameter; None if it is none for it. A number without a unit is a count."""
    accepted = accepts(parameter)
    value = converted(quantity, parameter.unit) if _counts(quantity, parameter) else None
    if value is None or not accepted.fits(value):
        return None
    if accepted.is_whole:
        return int(value) if float(value).is_integer() else None
    return value
