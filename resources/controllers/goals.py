"""What mechanisms with one goal at a time share: its end, their lock, the bounds of what they are told."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from framework.errors import CommandRefused
from resources.controllers.loop import Ended
from resources.types.motion import MotionCommand, MoveGripper


class GoalMechanism(ABC):
    """The part of `resources.controllers.loop.Mechanism` that does not depend on what moves."""

    def __init__(self) -> None:
        self._is_locked = False
        self._ended: Ended | None = None

    @property
    def target_age_s(self) -> float:
        """See `Mechanism.target_age_s`: of what follows no stream."""
        return 0.0

    @abstractmethod
    def rest(self) -> None:
        """See `Mechanism.rest`."""

    def lock(self) -> None:
        """See `Mechanism.lock`."""
        self.rest()
        self._is_locked = True

    def unlock(self) -> None:
        """See `Mechanism.unlock`."""
        self._is_locked = False

    def ended(self) -> Ended | None:
        """See `Mechanism.ended`."""
        ended, self._ended = self._ended, None
        return ended


class GripperMechanism(GoalMechanism):
    """Fingers on their way to a width.

    Attributes:
        width_m: as last measured. max_width_m: the greatest there is.
    """

    def __init__(self, width_m: float, max_width_m: float) -> None:
        super().__init__()
        self.width_m = width_m
        self.max_width_m = max_width_m
        self._goal: MoveGripper | None = None
        self._from_m = width_m

    @property
    @abstractmethod
    def holds(self) -> bool:
        """Whether something is between the fingers, and pressed."""

    @property
    def mode(self) -> str:
        """See `Mechanism.mode`."""
        if self._is_locked:
            return "locked"
        if self._goal is not None:
            return "close" if self._goal.width_m < self._from_m else "open"
        return "grasp" if self.holds else "hold"

    @property
    def progress(self) -> float:
        """See `Mechanism.progress`."""
        goal = self._goal
        way = 0.0 if goal is None else abs(goal.width_m - self._from_m)
        if goal is None or way == 0.0:
            return 0.0
        return min(max(1.0 - abs(goal.width_m - self.width_m) / way, 0.0), 1.0)

    def _set_goal(
        self, command: MotionCommand, max_speed: float, max_force_n: float, *, closes_from_m: float
    ) -> MoveGripper:
        """Take over a command that is within bounds. Raises CommandRefused; nothing has changed then.

        Args:
            closes_from_m: a grasp for a width this much beyond the present one closes nothing.
        """
        if not isinstance(command, MoveGripper):
            raise CommandRefused(f"{type(command).__name__} was sent to a gripper; it takes MoveGripper")
        bounded("width_m", command.width_m, 0.0, self.max_width_m)
        bounded("speed", command.speed, 0.001, max_speed)
        bounded("force_n", command.force_n, 1.0, max_force_n)
        if command.grasp and command.width_m >= self.width_m + closes_from_m:
            raise CommandRefused(
                f"a grasp closes, but {command.width_m} m is wider than the {self.width_m:.3f} m of now"
            )
        self._goal, self._ended = command, None
        self._from_m = self.width_m
        return command

    def _why_missed(self, goal: MoveGripper, near_m: float) -> str:
        """Why the goal was missed, now that the fingers stand, or ""."""
        millimetres = max(self.width_m, 0.0) * 1000
        if goal.grasp and not self.holds:
            return f"the gripper closed on nothing: its fingers stand {millimetres:.0f} mm apart"
        if goal.width_m < self._from_m or abs(self.width_m - goal.width_m) < near_m:
            return ""
        return (
            f"the gripper opened to {millimetres:.0f} mm only, not to {goal.width_m * 1000:.0f}: "
            "something is in its way"
        )


def bounded(name: str, value: float, lower: float, upper: float) -> None:
    """CommandRefused for what is not finite, or out of bounds."""
    if not math.isfinite(value) or not lower <= value <= upper:
        raise CommandRefused(f"{name} is {round(value, 6)}; allowed is {lower:g} to {upper:g}")
