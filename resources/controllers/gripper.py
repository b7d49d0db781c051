"""`GripperController`: the mechanism of a parallel gripper whose fingers are driven by forces. Pure ticks.

A grasp is kept whatever happens: coming to rest, a stop, a lock and a change of holder drop nothing. But
fingers without a goal go nowhere: if what they hold gives way or is taken out, they stop where they are.
"""

from __future__ import annotations

from resources.arms.parameters import PANDA_HAND, GripperParameters
from resources.controllers.goals import GripperMechanism
from resources.controllers.loop import Ended
from resources.types.motion import MotionCommand

_STIFFNESS = 2000.0  # [N/m] of each finger, saturated by the commanded force
_DAMPING = 8.0  # [N s/m]; a finger weighs 15 g, so d·dt/m stays below 1
_STILL = 0.002  # [m/s] of the width
_STANDS_AFTER_S = 0.1  # fingers that are pushed and do not move for so long stand against something
_PUSHED_M = 0.003  # how far behind its reference a width is that is kept from getting there
_REACHED_M = 0.001
_NOTHING_M = 0.002  # fingers that have closed as far as this hold nothing
_SLIPPED_M = 0.004  # a thing held does not let the fingers come closer than this
_LEANS_M = 0.003  # so far fingers from which a thing has slipped still lean inwards, lest it falls


class GripperController(GripperMechanism):
    """See `resources.controllers.loop.Mechanism`; `tick` besides. A width is twice a finger's way."""

    def __init__(self, width_m: float, gripper: GripperParameters = PANDA_HAND) -> None:
        """Starts by holding the fingers at an opening."""
        limits = gripper.finger_limits
        super().__init__(width_m, 2 * limits.upper)
        self.max_speed = 2 * limits.velocity  # [m/s] of the width
        self.max_force_n = limits.effort
        self.force_n = 0.0  # with which the fingers press on what is between them
        self._velocity = 0.0
        self._reference_m = self._wanted_m = width_m
        self._speed = self.max_speed
        self._push_n = 20.0
        self._stands_s = 0.0
        self._held_m: float | None = None  # the width at which something is held

    @property
    def holds(self) -> bool:
        """Whether something is between the fingers, and pressed."""
        return self._held_m is not None

    @property
    def is_at_rest(self) -> bool:
        """See `Mechanism.is_at_rest`."""
        return self._goal is None and abs(self._velocity) < _STILL

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """See `Mechanism.begin`."""
        goal = self._set_goal(command, self.max_speed, self.max_force_n, closes_from_m=_REACHED_M)
        self._wanted_m, self._speed, self._push_n = goal.width_m, goal.speed, goal.force_n
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
            self._finish(self._why_missed(goal, _PUSHED_M))

    def _finish(self, why: str) -> None:
        self._goal = None
        self._ended = Ended(why)
        if why:
            self._stay()

    def _stay(self) -> None:
        """No further than now; a thing that is held is pressed by its force, wherever that is."""
        self._reference_m = self._wanted_m = self.width_m
