"""Plans in the words of the language itself, so that what is read back is what a person could have said.

An action's words are the first of its phrases, and the plainest way through it, that is understood as that
action again. Names are said as the world calls them when it was last asked (`Language.parse`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from framework.plan.ast import (
    AllOf,
    AnyOf,
    Compare,
    Condition,
    Do,
    Elapsed,
    Parallel,
    Plan,
    Reference,
    State,
    Value,
    Wait,
)
from framework.plan.parser import Known, Reading, World
from framework.plan.words import condition_in_words, doing, plain_wording, value_in_words
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import ACTIVITIES, SlotList
from framework.plugins.signature import ActionSpec
from framework.plugins.template import Template
from grammars.conditions import VALUE, Sayable
from grammars.reading.accepting import accepts
from grammars.reading.asking import Form, denied, variants
from grammars.reading.manners import ways_to_say
from grammars.reading.phrasebook import Phrase, Phrasebook
from grammars.reading.quantities import in_words as quantity_in_words
from grammars.reading.reader import Reader
from grammars.wording.filling import Effort, Piece, ways

#: The parameter of actions that answer: the question as it was asked.
QUESTION = "question"
#: Of the ways to say a plan so many are read back, to see whether they are understood as that plan.
MOST_TRIES = 6
#: Plans whose words are remembered.
_MOST_KEPT = 500


T = TypeVar("T")


class _Found(NamedTuple):
    """Words, and the names that were known when they were found."""

    names: tuple[tuple[Known, ...], ...]
    words: str


class PlanWords:
    """The words of one language for plans (`framework.plan.words.Speech`).

    world: whose names are said; asked each time.
    """

    def __init__(self, reader: Reader, world: Callable[[], World]) -> None:
        self._reader = reader
        self._world = world
        self._flags = {flag: word for word, flag in reversed(tuple(reader.core.flags.items()))}
        self._sampled: dict[str, tuple[tuple[str, Do], ...]] = {}
        self._said_with_article = _lists_with_article(reader.phrasebook)
        self._kinds: dict[str, tuple[str, ...]] = {}
        for (action, _), slots in reader.phrasebook.slots.items():
            self._kinds[action] = (*self._kinds.get(action, ()), *(slot.kind for slot in slots if slot.kind))
        self._found: dict[str, _Found] = {}

    def __call__(self, do: Do) -> str:
        """An action as an operator would ask for it."""
        if isinstance(asked := do.parameters.get(QUESTION), str):
            return asked  # a question is read back as it was asked
        return self._remembered(do, self._kinds.get(do.action, ()), self._for_action)

    def condition(self, condition: Condition) -> str:
        """A condition as a clause: "the door is not open"."""
        return self._remembered(condition, self._reader.conditions.kinds, self._for_condition)

    def duration(self, duration_s: float) -> str:
        """A time: "10 seconds"."""
        return quantity_in_words(duration_s, "s")

    def stays(self, plan: Plan) -> bool:
        """Whether it goes on until something ends it."""
        return self._reader.combining.lasts(plan)

    def is_joined_by_and(self, parallel: Parallel) -> bool:
        """Whether "and" between the branches already means that they go on at once."""
        return self._reader.combining.by_and(parallel.branches) == parallel

    # -- inside

    def _remembered(self, what: T, kinds: Sequence[str], find: Callable[[T], str]) -> str:
        """What was found for the same with the same names known: reading words back takes milliseconds."""
        world = self._world()
        names = tuple(world.known(kind) for kind in dict.fromkeys(kinds))
        key = repr(what)  # True, 1 and 1.0 are said in different words
        found = self._found.get(key)
        if found is None or found.names != names:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            found = self._found[key] = _Found(names, find(what))
        return found.words

    def _for_action(self, do: Do) -> str:
        spec = self._reader.phrasebook.actions.get(do.action)
        for parameter, manner in self._manners(spec, do) if spec is not None else ():
            rest = Do(do.action, {name: value for name, value in do.parameters.items() if name != parameter})
            words = f"{self._for_action(rest)} {manner}"
            if self._means(words, do):
                return words
        for sample, plan in self._samples(do.action) if not do.parameters else ():
            if plan == do:
                return sample
        tries = 0
        first = ""
        effort = Effort()
        for phrase in self._reader.phrasebook.phrases:
            if phrase.action != do.action:
                continue
            for words in ways(phrase.template, phrase.rules, do.parameters, self._sayer(phrase), effort):
                first = first or words
                if self._means(words, do):
                    return words
                tries += 1
                if tries == MOST_TRIES:
                    return first
        return first or plain_wording(do)

    def _manners(self, spec: ActionSpec, do: Do) -> Iterator[tuple[str, str]]:
        """Parameters that are said as a manner, with the words: "slowly", "at 20 centimetres per second"."""
        for parameter, marker, quantity in ways_to_say(spec, do.parameters):
            values: dict[str, Value] = {VALUE: quantity} if quantity else {}
            for template in self._reader.core.markers.get(marker, ())[:1]:
                found = ways(
                    template, self._reader.core.rules, values, lambda _, said: iter((Piece(str(said)),))
                )
                yield from ((parameter, words) for words in islice(found, 1))

    def _for_condition(self, condition: Condition) -> str:
        match condition:
            case AllOf(conditions=several):
                return " and ".join(map(self.condition, several))
            case AnyOf(conditions=several):
                return " or ".join(map(self.condition, several))
            case Elapsed(duration_s=duration_s):
                words = self.duration(duration_s)
                return f"{words} {'has' if words.startswith('1 ') else 'have'} passed"
        first = ""
        for tries, words in enumerate(self._condition_words(condition)):
            first = first or words
            if self._means(f"wait until {words}", Wait(condition)):
                return words
            if tries == MOST_TRIES:
                break
        return first or condition_in_words(condition)

    def _samples(self, action: str) -> tuple[tuple[str, Do], ...]:
        """What an action's own samples ask for."""
        if action not in self._sampled:
            spec = self._reader.phrasebook.actions.get(action)
            plans = []
            for sample in spec.phrases.samples if spec is not None else ():
                readings = self._readings(sample)
                if readings and isinstance(plan := readings[0].plan, Do):
                    plans.append((sample, plan))
            self._sampled[action] = tuple(plans)
        return self._sampled[action]

    def _readings(self, text: str) -> tuple[Reading, ...]:
        return self._reader.as_it_stands(text, self._world()).readings

    def _means(self, words: str, plan: Plan) -> bool:
        readings = self._readings(words)
        best = [each for each in readings if each.confidence == readings[0].confidence]
        return len(best) == 1 and best[0].plan == plan and not best[0].is_assumed

    def _condition_words(self, condition: Condition) -> Iterator[str]:
        if not isinstance(condition, State | Compare):
            return
        effort = Effort()
        for turned, is_turned in ((condition, False), (denied(condition), True)):
            for sayable in self._reader.conditions.sayables:
                if not _fits(sayable, turned):
                    continue
                values = dict(condition.arguments)
                if isinstance(turned, Compare):
                    values[VALUE] = turned.value
                rules = {**self._reader.core.rules, **sayable.rules}
                if not is_turned:
                    templates: list[Template] = [sayable.template]
                else:
                    templates = [
                        each
                        for each, is_so, form in variants(sayable, self._reader.core)
                        if is_so != sayable.is_so and form is Form.PLAIN
                    ]
                for template in templates:
                    yield from ways(template, rules, values, self._sayer(sayable), effort)

    def _sayer(self, owner: Phrase | Sayable) -> Callable[[syntax.Slot, Value], Iterator[Piece]]:
        lists = owner.lists
        parameters: Mapping[str, ParameterSpec] = owner.parameters if isinstance(owner, Phrase) else {}
        action = owner.action if isinstance(owner, Phrase) else ""
        unit = owner.unit if isinstance(owner, Sayable) else ""

        def say(slot: syntax.Slot, value: Value) -> Iterator[Piece]:
            said = lists.get(slot.list or slot.name)
            if isinstance(value, Reference):
                yield Piece(value.word)
            elif isinstance(value, bool):
                yield Piece(self._flags.get(value, value_in_words(value)))
            elif isinstance(value, int | float):
                parameter = parameters.get(slot.name)
                yield Piece(quantity_in_words(value, parameter.unit if parameter is not None else unit))
            elif ACTIVITIES in (slot.list, slot.name, said.provider if said is not None else ""):
                # A plan by its number is no activity.
                said_so = str(value)
                yield Piece(said_so if said_so.partition(" ")[2].isdigit() else doing(said_so))
            else:
                yield from self._text(action, slot, str(value), said, parameters.get(slot.name))

        return say

    def _text(
        self,
        action: str,
        slot: syntax.Slot,
        value: str,
        said: SlotList | None,
        parameter: ParameterSpec | None,
    ) -> Iterator[Piece]:
        kind = said.provider if said is not None else slot.list or slot.name
        known = self._world().known(kind) if kind else ()
        for each in known:
            if each.value == value:
                # "Show the cup", but "let phone 1 drive": what is numbered takes no article.
                yield Piece(each.name.replace("_", " "), is_name=not each.name[-1:].isdigit())
        for listed, texts in said.values if said is not None else ():
            if listed == value:
                is_name = (action, said.name if said is not None else "") in self._said_with_article
                yield from (Piece(text, is_name=is_name) for text in texts)
        if parameter is not None and value in (chosen := accepts(parameter).choices):
            yield Piece(chosen[chosen.index(value)].replace("_", " "))
        if said is None or (not known and not said.values):
            quoted = Piece(f'"{value}"')
            yield from (Piece(value), quoted) if self._reader.is_plain(value) else (quoted, Piece(value))


def _as_it_is(slot: syntax.Slot, value: Value) -> Iterator[Piece]:
    yield Piece(str(value))


def _fits(sayable: Sayable, condition: Condition) -> bool:
    if isinstance(condition, State):
        return sayable.comparison is None and (sayable.name, sayable.is_so) == (
            condition.name,
            condition.is_so,
        )
    return isinstance(condition, Compare) and (sayable.name, sayable.comparison, sayable.unit) == (
        condition.quantity,
        condition.comparison,
        condition.unit,
    )


def _lists_with_article(phrasebook: Phrasebook) -> frozenset[tuple[str, str]]:
    """Lists whose values are said with an article in their author's own samples: show "the" camera."""
    found: set[tuple[str, str]] = set()
    for spec in phrasebook.actions.values():
        samples = [f" {sample.casefold()} " for sample in spec.phrases.samples]
        for each in spec.phrases.lists:
            texts = [text.casefold() for _, ways_to_say in each.values for text in ways_to_say]
            if any(f" the {text} " in sample for text in texts for sample in samples):
                found.add((spec.name, each.name))
    return frozenset(found)
