"""A supervisor with a small language: things with names, numbers, pointing words, conditions, misspellings.

track THING | grab THING | put THING PLACE | show THING | wait NUMBER | go | drive | danger | again
… then …, … and …, … until i say WORDS, … while running WORDS
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from framework.plan import (
    Completions,
    Correction,
    Do,
    Known,
    NotUnderstood,
    Parallel,
    Plan,
    Reading,
    Reference,
    Sequence,
    State,
    Understood,
    Until,
    Wait,
    World,
    in_words,
)
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec
from framework.plugins.service import Help
from framework.supervisor import Supervisor
from framework.supervisor.thinking import Thinking
from framework.testing import VirtualLoop, run_on
from tests.framework.supervisor.desk import Desk
from tests.framework.tree.scripted import Kind

RED_ON_TABLE = Known("red_1", "red cup", hint="on the table")
RED_ON_SHELF = Known("red_2", "red cup", hint="on the shelf")
BLUE = Known("blue", "blue cup")
HAND = Known("hand", "hand")
TABLE = Known("table", "table")
DOCK = Known("dock", "dock")

VERBS: dict[str, tuple[tuple[str, str], ...]] = {
    "track": (("thing", "things"),),
    "grab": (("thing", "things"),),
    "show": (("what", "things"),),
    "put": (("thing", "things"), ("place", "places")),
    "wait": (("duration_s", "number"),),
    "go": (),
    "drive": (),
    "danger": (),
    "again": (),
}
NUMBERS = {"two": 2.0, "three": 3.0, "five": 5.0, "ten": 10.0, "twenty": 20.0}
_TYPES = {"number": float}


def kind(name: str, **wishes: Any) -> Kind:
    """The imaginary action of a verb."""
    parameters = tuple(ParameterSpec(slot, _TYPES.get(of, str)) for slot, of in VERBS[name])
    return Kind(name, parameters, **wishes)


KINDS = (
    kind("track", continuous=True, ready_after_s=0.05),
    kind("show", continuous=True, ready_after_s=0.05),
    kind("grab", risk=Risk.DANGEROUS),
    kind("put"),
    kind("wait"),
    kind("go"),
    kind("drive", risk=Risk.MOVES),
    kind("danger", risk=Risk.DANGEROUS),
    kind("again"),
)


class Lab:
    """The known world."""

    def __init__(self) -> None:
        self.things: dict[str, list[Known]] = {
            "things": [RED_ON_TABLE, RED_ON_SHELF, BLUE, HAND],
            "places": [TABLE, DOCK],
        }

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(thing.name for thing in self.known(kind))

    def known(self, kind: str) -> tuple[Known, ...]:
        return tuple(self.things.get(kind, ()))


class SmallLanguage:
    """A parser, and its wording."""

    def __init__(self) -> None:
        self.parsed: list[str] = []
        self.confidence = 1.0

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        self.parsed.append(text)
        words = [word for word in re.findall(r"[\w'.]+", text.lower()) if word not in ("the", "a")]
        words = [word.strip(".") for word in words]
        readings = [
            Reading(plan, self.confidence, corrections) for plan, corrections in self._plans(words, world)
        ]
        exact = [reading for reading in readings if not reading.is_assumed]
        if not readings:
            answer = "Nobody knows." if words and words[0] in ("is", "why") else ""
            is_request = bool(VERBS.keys() & set(words))
            return NotUnderstood("", tuple(VERBS), answer=answer, is_request=is_request)
        return Understood(tuple(exact or readings))

    def complete(self, text: str, world: World) -> Completions:
        if text == "crash":
            raise ZeroDivisionError("scripted")
        return Completions(tuple(verb for verb in VERBS if verb.startswith(text)), len(text))

    def condition(self, text: str, world: World) -> None:
        return None

    def help(self, topic: str, world: World) -> tuple[Help, ...]:
        return tuple(Help(verb, "", (verb,)) for verb in VERBS)

    def wording(self, do: Do) -> str:
        things = {each.value: each.name for each in (RED_ON_TABLE, RED_ON_SHELF, BLUE, HAND, TABLE, DOCK)}
        said = [do.action]
        for value in do.parameters.values():
            if isinstance(value, Reference):
                said.append(value.word)
            elif isinstance(value, float):
                said.append(next((word for word, number in NUMBERS.items() if number == value), f"{value:g}"))
            else:
                name = things.get(str(value), str(value))
                said.append(f"the {name}")
        return " ".join(said)

    def _plans(self, words: list[str], world: World) -> Iterator[tuple[Plan, tuple[Correction, ...]]]:
        for join, make in (("then", Sequence), ("and", Parallel)):
            if join in words:
                at = words.index(join)
                for left, one in self._plans(words[:at], world):
                    for right, other in self._plans(words[at + 1 :], world):
                        yield make((left, right)), one + other
                return
        at = _find(words, ["until", "i", "say"])
        if at > 0 and words[0] != "wait":
            said = State("said", {"words": " ".join(words[at + 3 :])})
            for body, corrections in self._plans(words[:at], world):
                yield Until(body, said), corrections
        elif words[:4] == ["wait", "until", "i", "say"]:
            yield Wait(State("said", {"words": " ".join(words[4:])})), ()
        elif words[:3] == ["wait", "until", "running"]:
            yield Wait(State("running", {"what": " ".join(words[3:])})), ()
        elif words and words[0] in VERBS:
            yield from self._slots(Do(words[0]), VERBS[words[0]], words[1:], world)

    def _slots(
        self, do: Do, slots: tuple[tuple[str, str], ...], words: list[str], world: World
    ) -> Iterator[tuple[Plan, tuple[Correction, ...]]]:
        if not slots:
            if not words:
                yield do, ()
            return
        (name, of), rest = slots[0], slots[1:]
        for length in range(1, len(words) - len(rest) + 1):
            said = " ".join(words[:length])
            for value, corrections in self._values(said, of, world):
                more = Do(do.action, {**do.parameters, name: value})
                for plan, others in self._slots(more, rest, words[length:], world):
                    yield plan, corrections + others

    def _values(self, said: str, of: str, world: World) -> Iterator[tuple[Any, tuple[Correction, ...]]]:
        if of == "number":
            if said in NUMBERS:
                yield NUMBERS[said], ()
            return
        if said in ("that", "this", "there", "that one"):
            yield Reference(said, is_pointing=True), ()
        elif said == "it":
            yield Reference("it"), ()
        for thing in world.known(of):
            if said in (thing.name, thing.value, f"{thing.name} {thing.hint.replace('the ', '')}"):
                yield thing.value, ()
            elif difflib.SequenceMatcher(None, said, thing.name).ratio() > 0.85:
                yield thing.value, (Correction(said, thing.name),)


def _find(words: list[str], start: list[str]) -> int:
    for at in range(len(words)):
        if words[at : at + len(start)] == start:
            return at
    return -1


class LabDesk(Desk):
    """A desk with the small language. thinks: in a thread, as an installation does."""

    def __init__(
        self, *kinds: Kind, language: SmallLanguage | None = None, thinks: bool = False, **wishes: Any
    ) -> None:
        self.language = language or SmallLanguage()
        self.lab = Lab()
        if thinks:
            wishes["thinking"] = Thinking(self.lab, ("things", "places"))
        super().__init__(
            *KINDS,
            *kinds,
            parser=self.language,
            wording=self.language.wording,
            world=self.lab,
            kinds=("things", "places"),
            **wishes,
        )

    def in_words(self, plan: Plan) -> str:
        return in_words(plan, self.language.wording)

    @property
    def last(self) -> str:
        """What was said last."""
        return self.said[-1].text

    def parameters(self, name: str) -> dict[str, Any]:
        """What the latest run of an action was given."""
        return self.of(name).parameters


def lab_scene(
    *kinds: Kind, **wishes: Any
) -> Callable[[Callable[[LabDesk], Coroutine[Any, Any, None]]], Callable[[], None]]:
    """A test on the virtual clock; at its end the supervisor is left, and nothing may run or wait."""

    def decorate(function: Callable[[LabDesk], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        async def main() -> None:
            desk = LabDesk(*kinds, **wishes)
            async with desk.supervisor:
                await function(desk)
            assert desk.running == []
            assert desk.supervisor.plans() == ()
            assert desk.supervisor.questions == ()
            assert desk.facts.watchers == []

        def test() -> None:
            loop = VirtualLoop()
            run_on(loop, main)
            assert loop.leftovers == ()

        test.__name__ = function.__name__
        return test

    return decorate


__all__ = ["KINDS", "Lab", "LabDesk", "SmallLanguage", "Supervisor", "kind", "lab_scene"]
