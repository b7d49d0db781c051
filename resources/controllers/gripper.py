"""`GripperController`: the mechanism of a parallel gripper whose fingers are driven by forces. Pure ticks.

A grasp is kept whatever happens: coming to rest, a stop, a lock and a change of holder drop nothing. But
fingers without a goal go nowhere: if what they hold gives way or is taken out, they stop where they are.
"""

from __future__ import annotations

import math

from framework.errors import CommandRefused
from resources.arms.parameters import PANDA_HAND, GripperParameters
from resources.controllers.loop import Ended
from resources.types.motion import MotionCommand, MoveGripper

_STIFFNESS = 2000.0  # [N/m] of each finger, saturated by the commanded force
_DAMPING = 8.0  # [N s/m]; a finger weighs 15 g, so d·dt/m stays below 1
_STILL = 0.002  # [m/s] of the width
_STANDS_AFTER_S = 0.1  # fingers that are pushed and do not move for so long stand against something
_PUSHED_M = 0.003  # how far behind its reference a width is that is kept from getting there
_REACHED_M = 0.001
_NOTHING_M = 0.002  # fingers that have closed as far as this hold nothing
_SLIPPED_M = 0.004  # a thing held does not let the fingers come closer than this
_LEANS_M = 0.003  # so far fingers from which a thing has slipped still lean inwards, lest it falls


class GripperController:
    """See `resources.controllers.loop.Mechanism`; `tick` besides. A width is twice a finger's way."""

    def __init__(self, width_m: float, gripper: GripperParameters = PANDA_HAND) -> None:
        """Starts by holding the fingers at an opening."""
        limits = gripper.finger_limits
        self.max_width_m = 2 * limits.upper
        self.max_speed = 2 * limits.velocity  # [m/s] of the width
        self.max_force_n = limits.effort
        self.width_m = width_m  # as last measured
        self.force_n = 0.0  # with which the fingers press on what is between them
        self._velocity = 0.0
        self._reference_m = self._wanted_m = width_m
        self._speed = self.max_speed
        self._push_n = 20.0
        self._goal: MoveGripper | None = None
        self._from_m = width_m
        self._stands_s = 0.0
        self._held_m: float | None = None  # the width at which something is held
        self._is_locked = False
        self._ended: Ended | None = None

    @property
    def holds(self) -> bool:
        """Whether something is between the fingers, and pressed."""
        return self._held_m is not None

    @property
    def mode(self) -> str:
        """See `Mechanism.mode`."""
        if self._is_locked:
            return "locked"
        if self._goal is not None:
            return "close" if self._wanted_m < self._from_m else "open"
        return "grasp" if self.holds else "hold"

    @property
    def is_at_rest(self) -> bool:
        """See `Mechanism.is_at_rest`."""
        return self._goal is None and abs(self._velocity) < _STILL

    @property
    def progress(self) -> float:
        """See `Mechanism.progress`."""
        way = abs(self._wanted_m - self._from_m)
        if self._goal is None or way == 0.0:
            return 0.0
        return min(max(1.0 - abs(self._wanted_m - self.width_m) / way, 0.0), 1.0)

    @property
    def target_age_s(self) -> float:
        """See `Mechanism.target_age_s`: nothing is streamed to a gripper."""
        return 0.0

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """See `Mechanism.begin`."""
        if not isinstance(command, MoveGripper):
            raise CommandRefused(f"{type(command).__name__} was sent to a gripper; it takes MoveGripper")
        _bounded("width_m", command.width_m, 0.0, self.max_width_m)
        _bounded("speed", command.speed, 0.001, self.max_speed)
        _bounded("force_n", command.force_n, 1.0, self.max_force_n)
        if command.grasp and command.width_m >= self.width_m + _REACHED_M:
            raise CommandRefused(
                f"a grasp closes, but {command.width_m} m is wider than the {self.width_m:.3f} m of now"
            )
        self._goal, self._ended = command, None
        self._wanted_m, self._speed, self._push_n = command.width_m, command.speed, command.force_n
        self._from_m = self.width_m
        if self._wanted_m > self.width_m:
            self._held_m = None
        if self._held_m is None:
            self._reference_m = self.width_m
        self._stands_s = 0.0

    def rest(self) -> None:
        """See `Mechanism.rest`; what is held stays held, with the same force."""
        closing = self._goal is not None and self._wanted_m < self._from_m
        self._goal = self._ended = None
        if self._held_m is None and closing and self._is_pushing() and self.width_m > _NOTHING_M:
            # Stopping fingers a moment before they count as holding what they press on must not drop it.
            self._held_m = self.width_m
        self._stay()

    def lock(self) -> None:
        """See `Mechanism.lock`: the spindle holds where it is."""
        self.rest()
        self._is_locked = True

    def unlock(self) -> None:
        """See `Mechanism.unlock`."""
        self._is_locked = False

    def ended(self) -> Ended | None:
        """See `Mechanism.ended`."""
        ended, self._ended = self._ended, None
        return ended

    def tick(
        self, fingers: tuple[float, float], velocities: tuple[float, float], dt_s: float
    ) -> tuple[float, float]:
        """Force on each finger [N], opening positive, from the fingers' ways [m] and velocities [m/s]."""
        self.width_m, self._velocity = sum(fingers), sum(velocities)
        step = self._speed * dt_s
        self._reference_m += min(max(self._wanted_m - self._reference_m, -step), step)
        self._watch(dt_s)
        half, push = self._reference_m / 2, self._push_n
        if self.holds:  # with the whole force, however thin it is
            self.force_n = push
            forces = [-push - _DAMPING * velocity for velocity in velocities]
        else:
            self.force_n = 0.0
            forces = [
                min(max(_STIFFNESS * (half - way) - _DAMPING * velocity, -push), push)
                for way, velocity in zip(fingers, velocities, strict=True)
            ]
        return forces[0], forces[1]

    def _is_pushing(self) -> bool:
        behind_m = self.width_m - self._reference_m
        return behind_m > _PUSHED_M or (self._reference_m == self._wanted_m and behind_m > _REACHED_M)

    def _watch(self, dt_s: float) -> None:
        """What has become of the goal, and whether something is held."""
        still = abs(self._velocity) < _STILL
        behind = abs(self._reference_m - self.width_m) > _PUSHED_M
        arrived = self._reference_m == self._wanted_m or self.holds
        self._stands_s = self._stands_s + dt_s if still and (behind or arrived) else 0.0
        if self._held_m is not None and self.width_m < self._held_m - _SLIPPED_M:
            if self._goal is None:
                self._wanted_m = self._reference_m = max(self._held_m - _SLIPPED_M - _LEANS_M, 0.0)
            else:
                self._reference_m = self.width_m
            self._held_m = None
        stands = self._stands_s >= _STANDS_AFTER_S
        closes = self._wanted_m < self._from_m
        goal = self._goal
        presses = self._is_pushing() and self.width_m > _NOTHING_M
        if goal is not None and stands and closes and presses and not self.holds:
            self._held_m = self.width_m
        if goal is not None and stands:
            self._finish(self._outcome(goal))

    def _outcome(self, goal: MoveGripper) -> str:
        """Why the goal was missed, now that the fingers stand, or ""."""
        closes = self._wanted_m < self._from_m
        if goal.grasp and not self.holds:
            return f"the gripper closed on nothing: its fingers stand {self.width_m * 1000:.0f} mm apart"
        if closes or abs(self.width_m - goal.width_m) < _PUSHED_M:
            return ""
        return (
            f"the gripper opened to {self.width_m * 1000:.0f} mm only, not to {goal.width_m * 1000:.0f}: "
            "something is in its way"
        )

    def _finish(self, why: str) -> None:
        self._goal = None
        self._ended = Ended(why)
        if why:
            self._stay()

    def _stay(self) -> None:
        """No further than now; a thing that is held is pressed by its force, wherever that is."""
        self._reference_m = self._wanted_m = self.width_m


def _bounded(name: str, value: float, lower: float, upper: float) -> None:
    if not math.isfinite(value) or not lower <= value <= upper:
        raise CommandRefused(f"{name} is {value}; allowed is {lower:g} to {upper:g}")
