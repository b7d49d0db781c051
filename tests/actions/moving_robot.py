"""The robot that is not there, with two arms, their grippers and a base that are scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pilothouse as ph
from resources.testing import ScriptedArm, ScriptedBase, ScriptedGripper, ScriptedMovers
from resources.types.memory import RememberedPath, Waypoint
from resources.types.motion import Joints7
from tests.actions.fake_robot import FakeRobot
from tests.actions.scene import on, until

#: How the arms are mounted: the left one looks forward, the right one is turned to the right.
LEFT: ph.Pose7 = (0.2, 0.3, 0.5, 0.0, 0.0, 0.0, 1.0)
READY: ph.Pose7 = (0.4, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0)
RIGHT: ph.Pose7 = (0.2, -0.3, 0.5, 0.0, 0.0, -(0.5**0.5), 0.5**0.5)


class MovingRobot(FakeRobot):
    """`FakeRobot` with `left_arm`, `right_arm`, `left_gripper`, `right_gripper` and `base`."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.left = ScriptedArm("left", robot_T_base=LEFT)
        self.right = ScriptedArm("right", robot_T_base=RIGHT)
        self.left.base_T_tool = self.right.base_T_tool = READY  # both tools point down
        self.left_gripper = ScriptedGripper("left")
        self.right_gripper = ScriptedGripper("right", between_m=0.04)
        self.base = ScriptedBase()
        self.movers = ScriptedMovers(
            self.transport,
            directory,
            self.left,
            self.right,
            self.left_gripper,
            self.right_gripper,
            self.base,
        )

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        await self.movers.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.movers.__aexit__(kind, error, trace)
        await super().__aexit__(kind, error, trace)

    @property
    def is_idle(self) -> bool:
        return super().is_idle and self.movers.registrar.snapshot().is_empty

    async def do(self, action: str, **parameters: Any) -> ph.Outcome:
        """Run it to its end; it has to succeed."""
        outcome = await self.runner(action, **parameters).run()
        assert outcome.state is ph.RunState.SUCCEEDED, outcome.words
        return outcome

    async def has_come_to_rest(self) -> None:
        """Everything was given back and stands still, a moment after its user has ended."""
        async with asyncio.timeout(0.2):
            await until(lambda: self.is_idle)
        movers = (self.left, self.right, self.left_gripper, self.right_gripper, self.base)
        assert all(mover.is_at_rest for mover in movers)

    @asynccontextmanager
    async def taken_by_operator(self, request: Any) -> AsyncIterator[ph.Lease]:
        """An operator holds it meanwhile, whoever had it."""
        wish = self.managers.request(request, exclusive=True, priority=ph.Priority.OPERATOR, who="operator")
        async with wish as lease:
            yield lease

    def remember_wave(self, **changes: Any) -> RememberedPath:
        """A motion of 2 s, from 0.3 rad to 0.5 rad at the first joint and back."""
        path = RememberedPath(
            changes.get("name", "wave"),
            changes.get("side", "left"),
            tuple(
                Waypoint(time_s, at(value))
                for time_s, value in ((0.0, 0.3), (0.5, 0.4), (1.0, 0.5), (2.0, 0.3))
            ),
        )
        self.memory.keep(path)
        return path


def at(first: float) -> Joints7:
    """A posture that differs in its first joint only."""
    return (first, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8)


def on_moving_robot(directory: Path, play: Callable[[MovingRobot], Awaitable[None]]) -> None:
    on(MovingRobot(directory), play)


__all__ = ["LEFT", "RIGHT", "MovingRobot", "at", "on_moving_robot", "until"]
