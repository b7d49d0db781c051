"""The base's velocity ramp as a pure tick: commanded → allowed velocity, under acceleration limits."""

from __future__ import annotations

import math

from resources.arms.pose import Vector3
from resources.worlds.commands import BaseLimits


class BaseDrive:
    """Follows a commanded velocity in the base frame; a stop brakes with the deceleration limits."""

    def __init__(self, limits: BaseLimits) -> None:
        self._limits = limits
        self._wanted: Vector3 = (0.0, 0.0, 0.0)
        self._braking = True
        self.velocity: Vector3 = (0.0, 0.0, 0.0)  # forward, left [m/s], turn [rad/s]

    def go(self, forward: float, left: float, turn: float) -> None:
        """New command, within limits already."""
        self._wanted = (forward, left, turn)
        self._braking = False

    def stop(self) -> None:
        """Come to rest and forget the command."""
        self._wanted = (0.0, 0.0, 0.0)
        self._braking = True

    @property
    def at_rest(self) -> bool:
        """No velocity is set any more."""
        return self.velocity == (0.0, 0.0, 0.0)

    def advance(self, dt_s: float) -> Vector3:
        """The velocity for the next period, in the base frame."""
        if self.velocity == self._wanted:
            return self.velocity
        limits = self._limits
        forward, left, turn = self.velocity
        # The translation changes along a straight line in the plane, so that the path does not bend.
        change_forward, change_left = self._wanted[0] - forward, self._wanted[1] - left
        distance = math.hypot(change_forward, change_left)
        step = (limits.deceleration if self._braking else limits.acceleration) * dt_s
        share = 1.0 if distance <= step else step / distance
        turn_step = (limits.turn_deceleration if self._braking else limits.turn_acceleration) * dt_s
        change_turn = self._wanted[2] - turn
        next_turn = (
            self._wanted[2] if abs(change_turn) <= turn_step else turn + math.copysign(turn_step, change_turn)
        )
        if share == 1.0:
            self.velocity = (self._wanted[0], self._wanted[1], next_turn)
        else:
            self.velocity = (forward + share * change_forward, left + share * change_left, next_turn)
        return self.velocity
