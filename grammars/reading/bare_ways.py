"""What is said only by a way and how far: "left arm up 10 cm, then forward 5 cm". Pure.

Alone, "forward 5 cm" is the base; behind an arm it may be the arm as well. Where a step that takes another
action along under `shared_with` stands right behind one about one of several things (an arm), and no more was
said of it than words of its lists and a quantity, the text is read once more with what the step before is
about said again ("left arm forward 5 cm"), or else with the other action in its place. Both are equally
sure: it is asked. The same of a whole text is only kept, as somebody may have moved an arm before
(`framework.dialogue.discourse.as_moved_last`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec

from framework.dialogue.values import Place, actions_in, with_value
from framework.plan.ast import Do, Plan
from framework.plan.parser import Reading
from framework.plugins.signature import ActionSpec
from grammars.reading.ranking import LESS_LIKELY
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Utterance

Parse = Callable[[str], Sequence[Reading]]


class _Part(msgspec.Struct, frozen=True):
    """A part of a text: its tokens, and those before its quantity. bare: nothing but a way and how far."""

    begin: int
    measured: int = -1
    is_bare: bool = False


class BareWays:
    """Finds them.

    actions: by name. boundaries: words that parts of a text begin with; idle: those that say nothing.
    """

    def __init__(
        self, actions: Mapping[str, ActionSpec], boundaries: Collection[str], idle: Collection[str]
    ) -> None:
        self._actions = actions
        self._idle = frozenset(idle)
        self._shared = {name for name, spec in actions.items() if spec.phrases.shared_with}
        others = {other for name in self._shared for other in actions[name].phrases.shared_with}
        listed = (
            way
            for name in self._shared | (others & actions.keys())
            for each in actions[name].phrases.lists
            for _, ways in each.values
            for way in ways
        )
        self._ways = frozenset(word for way in listed for word in way.split())
        self._boundaries = frozenset(boundaries) - self._ways

    def also(self, readings: tuple[Reading, ...], utterance: Utterance, parse: Parse) -> tuple[Reading, ...]:
        """The readings, and what the best one may mean as well. utterance: the text; parse: reads another."""
        if not readings or not utterance.quantities:
            return readings
        best = readings[0]
        dos = actions_in(best.plan)
        if not any(do.action in self._shared for _, do in dos):
            return readings
        parts = [*self._parts(utterance)]
        if not any(part.is_bare for part in parts):
            return readings
        found: list[Reading] = []
        if any(self._is_behind_one(dos, at) for at in range(1, len(dos))):
            said_again = self._said_again(parts, utterance)
            plans = [each.plan for each in parse(said_again)[:1]] if said_again else []
            plans = [each for each in plans if self._may_be(each, best.plan)] or [
                *self._others(dos, best.plan)
            ]
            found = [msgspec.structs.replace(best, plan=each) for each in plans]
        elif len(dos) == 1 and len(parts) == 1:
            less = round(best.confidence * LESS_LIKELY, 6)
            plans = [*self._in_place(best.plan, *dos[0])] if not self._is_of_one(dos[0][1]) else []
            found = [msgspec.structs.replace(best, plan=each, confidence=less) for each in plans]
        known = [each.plan for each in readings]
        also = [each for each in found if each.plan not in known]
        return tuple(sorted((*readings, *also), key=lambda each: -each.confidence)) if also else readings

    def _is_behind_one(self, dos: Sequence[tuple[Place, Do]], at: int) -> bool:
        """Whether it may be about what the action before it is about, one of several things, and is not."""
        before, do = dos[at - 1][1], dos[at][1]
        others = (self._actions.get(name) for name in self._shared_with(do))
        names = {
            each.name for other in others if other is not None for each in other.parameters if each.which
        }
        is_of_one = self._is_of_one(before) or not names.isdisjoint(before.parameters)
        return is_of_one and bool(names) and not self._is_of_one(do)

    def _shared_with(self, do: Do) -> Sequence[str]:
        return self._actions[do.action].phrases.shared_with if do.action in self._shared else ()

    def _is_of_one(self, do: Do) -> bool:
        spec = self._actions.get(do.action)
        return spec is not None and any(each.which for each in spec.parameters)

    def _may_be(self, plan: Plan, best: Plan) -> bool:
        """Whether a plan has the steps of another one, but for other actions in the place of shared ones."""
        these, those = ([do for _, do in actions_in(each)] for each in (plan, best))
        is_another = [each.action for each in these] != [each.action for each in those]
        return (
            is_another
            and len(these) == len(those)
            and all(
                this.action == that.action or this.action in self._shared_with(that)
                for this, that in zip(these, those, strict=True)
            )
        )

    def _others(self, dos: Sequence[tuple[Place, Do]], plan: Plan) -> Iterator[Plan]:
        for at in range(1, len(dos)):
            if self._is_behind_one(dos, at):
                yield from self._in_place(plan, *dos[at])

    def _in_place(self, plan: Plan, place: Place, do: Do) -> Iterator[Plan]:
        """The plan with an action that a step is shared with, if that takes the same values."""
        for name in self._actions[do.action].phrases.shared_with:
            spec = self._actions.get(name)
            known = {each.name: each for each in spec.parameters} if spec is not None else {}
            if all(
                key in known and not known[key].problem_with(value) for key, value in do.parameters.items()
            ):
                yield with_value(plan, place, Do(name, dict(do.parameters)))

    def _parts(self, utterance: Utterance) -> Iterator[_Part]:
        tokens, at, begin, measured, is_bare, has_way = utterance.tokens, 0, 0, -1, True, False
        while at < len(tokens):
            word = tokens[at].text
            if (quantity := next(iter(utterance.quantities.get(at, ())), None)) is not None:
                measured, at = (at if measured < 0 else measured), quantity.end
                continue
            if word in MARKS or word in self._boundaries:
                if at > begin:
                    yield _Part(begin, measured, is_bare and has_way and measured >= 0)
                begin, measured, is_bare, has_way = at + 1, -1, True, False
            elif word in self._ways:
                has_way = True
            elif word not in self._idle:
                is_bare = False
            at += 1
        if at > begin:
            yield _Part(begin, measured, is_bare and has_way and measured >= 0)

    def _said_again(self, parts: Sequence[_Part], utterance: Utterance) -> str:
        """The text with what a part is about said again in each bare part behind it; empty if none is."""
        text, theme, places, is_told = utterance.text, "", [], False
        for part in parts:
            if part.is_bare and theme and not is_told:  # of "left arm: up 3" it is said already
                places.append((utterance.tokens[part.begin].start, theme))
            elif not part.is_bare:
                theme = self._theme(part, utterance)
            is_told = not part.is_bare and part.measured < 0
        for place, said in reversed(places):
            text = f"{text[:place]}{said} {text[place:]}"
        return text if places else ""

    def _theme(self, part: _Part, utterance: Utterance) -> str:
        """What a part says before how far, without the way: "left arm" of "left arm up 5 cm"."""
        tokens = utterance.tokens
        end = part.measured if part.measured >= 0 else part.begin
        if part.measured < 0:  # "left arm: up 3"
            while end < len(tokens) and tokens[end].text not in MARKS:
                end += 1
        while end > part.begin + 1 and tokens[end - 1].text in self._ways | self._idle:
            end -= 1
        return utterance.text[tokens[part.begin].start : tokens[end - 1].end] if end > part.begin else ""
