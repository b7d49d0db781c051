"""One plan on a stage, on the virtual clock, and what a test asks of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from framework.events import Event
from framework.plan import Do, Plan, State
from framework.testing import VirtualLoop, run_on
from framework.tree import PlanOutcome, PlanState, TreeRun
from tests.framework.tree.scripted import Facts, Kind, Scripted, Stage

OPEN = State("open", {"thing": "door"})
A, B, C, STAYS = Do("a"), Do("b"), Do("c"), Do("stays")


class Play:
    """One plan on a stage, with its events."""

    def __init__(
        self,
        plan: Plan,
        *kinds: Kind,
        facts: Facts | None = None,
        stage: Stage | None = None,
        **wishes: Any,
    ) -> None:
        known = [Kind("a"), Kind("b"), Kind("c"), Kind("stays", continuous=True)]
        self.stage = stage or Stage(*known, *kinds)
        self.facts = facts or Facts()
        self.events: list[Event] = []
        self.states: list[PlanState] = []
        self.tree = TreeRun(
            plan,
            plan_id="1",
            runners=self.stage,
            told=self.events.append,
            changed=self.states.append,
            conditions=self.facts,
            **wishes,
        )
        self.task: asyncio.Task[PlanOutcome] = asyncio.create_task(self.tree.run())

    async def settle(self) -> None:
        """Let everything happen that happens without further events."""
        await asyncio.sleep(0.1)

    async def after(self, act: Callable[[], object]) -> None:
        act()
        await self.settle()

    def of(self, name: str) -> Scripted:
        return self.stage.of(name)

    @property
    def running(self) -> list[str]:
        return self.stage.running

    async def outcome(self) -> PlanOutcome:
        outcome = await self.task
        assert self.running == []
        assert self.facts.watchers == []
        assert self.tree.left_behind == ()
        return outcome


def scene(function: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """A test on the virtual clock that leaves no task behind."""

    def test() -> None:
        loop = VirtualLoop()
        run_on(loop, function)
        assert loop.leftovers == ()

    test.__name__ = function.__name__
    return test
