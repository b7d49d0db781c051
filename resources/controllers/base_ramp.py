"""From a wanted to an allowed velocity of the base, under acceleration limits: a pure tick."""

from __future__ import annotations

import math

import msgspec

from resources.controllers.protective_field import Twist


class BaseLimits(msgspec.Struct, frozen=True):
    """Bounds of the base's motion: m/s, rad/s, m/s², rad/s²."""

    speed: float = 1.0
    turn: float = 1.5
    acceleration: float = 1.2
    turn_acceleration: float = 3.0
    # Stopping may be harder than driving.
    deceleration: float = 2.5
    turn_deceleration: float = 6.0


BASE_LIMITS = BaseLimits()
REST: Twist = (0.0, 0.0, 0.0)


class BaseRamp:
    """Follows a wanted twist. All three components arrive together: braking goes on along the same arc."""

    def __init__(self, limits: BaseLimits = BASE_LIMITS) -> None:
        self._limits = limits
        self.velocity: Twist = REST

    def advance(self, wanted: Twist, dt_s: float) -> Twist:
        """The velocity for the next period."""
        if self.velocity == wanted:
            return wanted
        limits = self._limits
        now_forward, now_left, now_turn = self.velocity
        forward, left, turn = wanted[0] - now_forward, wanted[1] - now_left, wanted[2] - now_turn
        slower = math.hypot(wanted[0], wanted[1]) <= math.hypot(now_forward, now_left)
        turns_slower = abs(wanted[2]) <= abs(now_turn)
        needed_s = max(
            math.hypot(forward, left) / (limits.deceleration if slower else limits.acceleration),
            abs(turn) / (limits.turn_deceleration if turns_slower else limits.turn_acceleration),
        )
        if needed_s <= dt_s:
            self.velocity = wanted
        else:
            share = dt_s / needed_s
            self.velocity = (now_forward + share * forward, now_left + share * left, now_turn + share * turn)
        return self.velocity
