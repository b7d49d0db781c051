"""The language as the supervisor uses it: the parser with the world of the moment, and things by name.

A grammar's mistake must not take the supervisor down: whatever a parser raises
becomes a refusal.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from framework.dialogue.choices import best_of, options_for, read_back
from framework.dialogue.meta import MetaKind
from framework.dialogue.pointing import owner
from framework.dialogue.spelling import clean
from framework.dialogue.values import Place, at, different, with_value
from framework.dialogue.wish import Wish
from framework.events import Subject
from framework.plan.ast import Cancel, Condition, Do, Plan
from framework.plan.parser import (
    Completions,
    Guesses,
    Known,
    NotUnderstood,
    Parser,
    Reading,
    ReadsPlainly,
    Spells,
    Understood,
    Wording,
    World,
)
from framework.plan.value import Reference, Value
from framework.plan.words import in_words
from framework.plugins.service import Help

log = logging.getLogger("pilothouse.supervisor")

#: A guess is never surer than this, whatever the parser says: less than what is done unasked.
_MOST_GUESSED = 0.85


class SpokenLanguage:
    """A parser and the world. kinds: of the things that are known by name, for their hints."""

    def __init__(self, parser: Parser, world: World, wording: Wording, kinds: Collection[str]) -> None:
        self._parser = parser
        self._world = world
        self._wording = wording
        self._kinds = kinds

    def parse(self, text: str) -> Understood | NotUnderstood:
        """What a text means now. Never raises."""
        try:
            result = self._parser.parse(text, self._world)
        except Exception as error:
            log.exception("the parser failed at %r", text)
            return NotUnderstood("", reason=f"The parser failed: {type(error).__name__}: {error}")
        if isinstance(result, Understood) and not result.readings:
            return NotUnderstood("", reason="The parser gave no reading.")
        return result

    def spelt(self, text: str) -> str:
        """A text with the misspellings put right that are certain. Never raises."""
        if not isinstance(self._parser, Spells):
            return text
        try:
            return self._parser.spelt(text, self._world)
        except Exception:
            log.exception("the parser failed at the spelling of %r", text)
            return text

    def plainly(self, text: str) -> tuple[Plan, ...]:
        """What a text means as it stands: one plan, or none if that is not certain. Never raises."""
        if not isinstance(self._parser, ReadsPlainly):
            return self.surely(text)
        try:
            return _only(self._parser.plainly(text, self._world))
        except Exception:
            log.exception("the parser failed at %r as it stands", text)
            return ()

    def surely(self, text: str) -> tuple[Plan, ...]:
        """The same with all that the parser puts right without assuming anything."""
        result = self.parse(text)
        return _only(result.readings) if isinstance(result, Understood) else ()

    def guess(self, text: str) -> tuple[Reading, ...]:
        """What a text that is not understood probably means, so unsure that it is asked. Never raises."""
        if not isinstance(self._parser, Guesses):
            return ()
        try:
            found = self._parser.guess(text, self._world)
        except Exception:
            log.exception("the parser failed at guessing %r", text)
            return ()
        return tuple(
            msgspec.structs.replace(each, confidence=min(each.confidence, _MOST_GUESSED)) for each in found
        )

    def like(self, text: str) -> MetaKind | None:
        """Which command of the dialogue a text is like that says none in words of ours. Never raises."""
        if not isinstance(self._parser, Guesses):
            return None
        try:
            name = self._parser.like(text, self._world)
            return MetaKind(name) if name else None
        except Exception:
            log.exception("the parser failed at %r", text)
            return None

    def complete(self, text: str) -> Completions:
        """What could follow. Never raises."""
        try:
            return self._parser.complete(text, self._world)
        except Exception:
            log.exception("the parser failed at completing %r", text)
            return Completions(())

    def help(self, topic: str) -> Iterator[Help | None]:
        """What can be asked for now; None after a step that has found nothing. Much work in small steps."""
        yield from self._parser.help(topic, self._world)

    def condition(self, text: str) -> Condition | None:
        """What a clause says is so; None if it says nothing of that kind. Never raises."""
        try:
            return self._parser.condition(text, self._world)
        except Exception:
            log.exception("the parser failed at the condition %r", text)
            return None

    def understands(self, text: str) -> bool:
        """Whether it is an instruction, and not merely to end something: that is the supervisor's."""
        result = self.parse(clean(text))
        return isinstance(result, Understood) and not isinstance(result.readings[0].plan, Cancel)

    def asks(self, text: str) -> bool:
        """Whether it is a question, though one that nobody can answer."""
        result = self.parse(text)
        return isinstance(result, NotUnderstood) and bool(result.answer)

    def is_beyond(self, text: str) -> bool:
        """Whether it asks for something for which there is no action."""
        result = self.parse(clean(text))
        return isinstance(result, NotUnderstood) and result.kind is Subject.NO_ACTION

    def understands_several(self, text: str) -> bool:
        """Whether it is an instruction of several parts."""
        result = self.parse(clean(text))
        return isinstance(result, Understood) and not isinstance(result.readings[0].plan, Do | Cancel)

    def in_words(self, plan: Plan) -> str:
        """A plan as an operator would ask for it."""
        return read_back(plan, self.plain_words, self.known())

    def plain_words(self, plan: Plan) -> str:
        """The same without hints: what a text is, not what tells things apart."""
        return in_words(plan, self._wording)

    def options(self, plans: Iterable[Plan]) -> tuple[str, ...]:
        """Words that tell each of several plans from the others."""
        return options_for(tuple(plans), self.plain_words, self.known())

    def known(self) -> dict[Any, Known]:
        """All things that are known by name, by their values."""
        try:
            return {thing.value: thing for kind in self._kinds for thing in self._world.known(kind)}
        except Exception:
            log.exception("the world does not say what is known")
            return {}

    def fits(self, plan: Plan, place: Place, thing: str) -> tuple[str, ...]:
        """What a thing's name stands for in a place of a plan (`framework.dialogue.pointing.Fits`).

        The action is said with the thing in that place; what the language makes of that counts.
        In a condition, any thing fits: what it looks at is not known here.
        """
        do = owner(plan, place)
        if do is None:
            return (thing,)
        inside = place[-2:]
        known = self.known().get(thing)
        values: dict[str, None] = {}
        for name in dict.fromkeys((thing, known.name if known is not None else thing)):
            asked = with_value(do, inside, name)
            result = self.parse(self._wording(asked))
            for reading in best_of(result.readings) if isinstance(result, Understood) else ():
                said = _said_as(asked, reading.plan, inside)
                if said is None or isinstance(said[1], Reference):
                    continue  # "that" names nothing
                if not reading.is_assumed:
                    values[str(said[1])] = None
        return (thing,) if thing in values else tuple(values)

    def as_named(self, plan: Plan, place: Place, value: str) -> Plan:
        """A plan in which a pointed thing stands where it would if it had been named.

        "Drive there" is a thing's parameter, "drive to the parking bay" a place's.
        """
        do = owner(plan, place)
        if do is None:
            return plan
        inside = place[-2:]
        result = self.parse(self._wording(do))
        readings = best_of(result.readings) if isinstance(result, Understood) else ()
        found = [said for each in readings if (said := _said_as(do, each.plan, inside)) and said[1] == value]
        names = {name for name, _ in found}
        if len(names) != 1 or place[-1] in names:
            return plan
        rest = {name: each for name, each in do.parameters.items() if name != place[-1]}
        return with_value(plan, place[:-2], Do(do.action, {**rest, names.pop(): value}))

    def what_has_changed(self, wish: Wish) -> str:
        """Why a wish does not mean any more what it did, in words; empty if it still does."""
        if not wish.text or wish.said is None:
            return ""
        result = self.parse(wish.text)
        if isinstance(result, NotUnderstood):
            return f'something has changed since I asked: "{wish.text}" is not understood now. {result}'
        if all(reading.plan != wish.said for reading in result.readings):
            now = self.in_words(result.readings[0].plan)
            return f'something has changed since I asked: "{wish.text}" would be "{now}" now. Say it again.'
        for pointed in wish.pointed:
            if pointed.value not in self.fits(wish.said, pointed.place, pointed.thing):
                return f'something has changed since I asked: "{pointed.thing}" is not there any more.'
        return ""


def _said_as(asked: Do, plan: Plan, inside: Place) -> tuple[str, Value] | None:
    """What stands at a place of an action, as it was understood, and in which parameter.

    None if it was understood as something else altogether.
    """
    if different(asked, plan) in ((), (inside,)):
        return str(inside[-1]), at(plan, inside)
    if not isinstance(plan, Do) or plan.action != asked.action:
        return None
    rest = {name: value for name, value in asked.parameters.items() if name != inside[-1]}
    added = {name: value for name, value in plan.parameters.items() if name not in rest}
    if len(added) != 1 or inside[-1] in added or {**rest, **added} != plan.parameters:
        return None
    return next(iter(added.items()))


def _only(readings: Sequence[Reading]) -> tuple[Plan, ...]:
    best = best_of(tuple(readings)) if readings else ()
    is_clear = len(best) == 1 and not (best[0].is_assumed or best[0].left_out)
    return (best[0].plan,) if is_clear else ()
