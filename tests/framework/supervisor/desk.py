"""A supervisor with imaginary actions, a scripted latch and a language of one word an action."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from framework.plan import (
    Completions,
    Do,
    NotUnderstood,
    Parallel,
    Plan,
    Reading,
    Sequence,
    Understood,
    World,
)
from framework.plugins.service import Help
from framework.supervisor import Event, EventBus, EventKind, Reply, Supervisor
from framework.testing import VirtualLoop, run_on
from tests.framework.tree.scripted import Facts, Kind, Scripted, Stage


class FakeLatch:
    """An emergency stop in this process."""

    def __init__(self) -> None:
        self.stopped = 0
        self.token = 0
        self.reason = ""
        self.breaks = False

    @property
    def is_latched(self) -> bool:
        return self.token != 0

    def latch(self, reason: str) -> None:
        if self.breaks:
            raise OSError("no shared memory")
        self.stopped += 1
        self.token, self.reason = self.stopped, reason

    def reset(self, token: int) -> bool:
        if token != self.token:
            return False
        self.token = 0
        return True


class Words:
    """ "a", "a then b", "a and b" are plans of actions; "either" is ambiguous; "crash" is a bug."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.asked = 0

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        self.asked += 1
        if text == "crash":
            raise ZeroDivisionError("scripted")
        if text == "either":
            return Understood((Reading(Do("a")), Reading(Do("b")), Reading(Do("c"), 0.5)))
        plan = self._plan(text.lower().split())
        if plan is None:
            return NotUnderstood("", tuple(self._stage.names()))
        return Understood((Reading(plan),))

    def complete(self, text: str, world: World) -> Completions:
        return Completions(tuple(name for name in self._stage.names() if name.startswith(text)), len(text))

    def condition(self, text: str, world: World) -> None:
        return None

    def help(self, topic: str, world: World) -> tuple[Help, ...]:
        return tuple(Help(name, "", (name,)) for name in self._stage.names())

    def _plan(self, words: list[str]) -> Plan | None:
        for join, kind in (("then", Sequence), ("and", Parallel)):
            if join in words:
                at = words.index(join)
                left, right = self._plan(words[:at]), self._plan(words[at + 1 :])
                return kind((left, right)) if left is not None and right is not None else None
        name = "_".join(words)
        return Do(name) if name in self._stage.kinds else None


class Desk:
    """Everything a test of the supervisor needs."""

    def __init__(self, *kinds: Kind, **wishes: Any) -> None:
        known = [Kind("a"), Kind("b"), Kind("c"), Kind("stays", continuous=True)]
        self.stage = Stage(*known, *kinds)
        self.latch = FakeLatch()
        self.bus = EventBus()
        self.facts = Facts()
        self.words = Words(self.stage)
        self.said: list[Event] = []
        self.bus.listen(self.said.append)
        self.supervisor = Supervisor(
            signatures=self.stage,
            runners=self.stage,
            events=self.bus,
            emergency=self.latch,
            conditions=self.facts,
            **{"parser": self.words, **wishes},
        )

    def say(self, text: str, **wishes: Any) -> Reply:
        return self.supervisor.say(text, **wishes)

    async def settle(self) -> None:
        await asyncio.sleep(0.15)

    async def say_and_settle(self, text: str, **wishes: Any) -> Reply:
        reply = self.say(text, **wishes)
        await self.settle()
        return reply

    def now_s(self) -> float:
        return asyncio.get_running_loop().time()

    def of(self, name: str) -> Scripted:
        return self.stage.of(name)

    @property
    def running(self) -> list[str]:
        return self.stage.running

    def texts(self, kind: EventKind) -> list[str]:
        return [event.text for event in self.said if event.kind is kind]


def scene(
    *kinds: Kind, **wishes: Any
) -> Callable[[Callable[[Desk], Coroutine[Any, Any, None]]], Callable[[], None]]:
    """A test on the virtual clock; at its end the supervisor is left, and nothing may run or wait."""

    def decorate(function: Callable[[Desk], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        async def main() -> None:
            desk = Desk(*kinds, **wishes)
            async with desk.supervisor:
                await function(desk)
            assert desk.running == []
            assert desk.supervisor.plans() == ()
            assert desk.facts.watchers == []

        def test() -> None:
            loop = VirtualLoop()
            run_on(loop, main)
            assert loop.leftovers == ()

        test.__name__ = function.__name__
        return test

    return decorate
