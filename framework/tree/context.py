"""What the nodes of one running plan share: the way out to runners and listeners, and the plan's own time.

It belongs to one plan: another plan's "it" cannot be read from here. (The
Blackboard of py_trees belongs to the process, and is not used.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from framework.clock import Clock
from framework.events import Event
from framework.plan.parser import Wording
from framework.tree.results import Result
from framework.tree.runner import Conditions, RunnerFactory
from framework.tree.stopwatch import Stopwatch

__all__ = ["STOP_TIMEOUT_S", "Result", "RunContext"]

#: A runner bounds its own end (2 s); this is the second line, for one that does not [s].
STOP_TIMEOUT_S = 2.5


class RunContext:
    """Shared by the nodes of one plan.

    Args:
        told: hears every event, on the loop.
        cancel_others: carries out a Cancel node; returns what was ended, in words, empty if nothing was.
        earlier: results that "it" may mean when this plan has none, the latest last.
    """

    def __init__(
        self,
        *,
        plan_id: str,
        runners: RunnerFactory,
        conditions: Conditions,
        wording: Wording,
        clock: Clock,
        told: Callable[[Event], None],
        wake: Callable[[], None],
        cancel_others: Callable[[str], Awaitable[str]],
        earlier: tuple[Result, ...] = (),
        stop_timeout_s: float = STOP_TIMEOUT_S,
    ) -> None:
        self.plan_id = plan_id
        self.runners = runners
        self.conditions = conditions
        self.wording = wording
        self.clock = clock
        self.told = told
        self.wake = wake
        self.cancel_others = cancel_others
        self.earlier = earlier
        self.stop_timeout_s = stop_timeout_s
        self.is_paused = False
        self.stopwatch = Stopwatch(clock, wake)
        self.tasks: set[asyncio.Task[Any]] = set()
        self.last_number = 0

    def pause(self) -> None:
        """Nothing new begins, and the plan's time stands still."""
        self.is_paused = True
        self.stopwatch.hold()

    def resume(self) -> None:
        """Go on."""
        self.is_paused = False
        self.stopwatch.go_on()

    def next_id(self) -> str:
        """The id of the next node, in the order in which they are built."""
        self.last_number += 1
        return f"{self.plan_id}.{self.last_number}"

    def start(self, work: Any, name: str) -> asyncio.Task[Any]:
        """A task of this plan; the tree looks again when it has ended."""
        task: asyncio.Task[Any] = asyncio.create_task(work, name=name)
        self.tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        self.wake()
