"""The last word on a torque: joints stop before their ends, none is too fast, torque and rate stay in bounds.

Whatever law or mode asked for it. Knows no reference, so it holds for hand guiding as well as for goals.
"""

from __future__ import annotations

import math
from operator import gt, lt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from resources.arms.dynamics import ArmDynamics
from resources.controllers.settings import ArmSettings

Array = NDArray[np.float64]

# How soon a joint gets to the speed it may have [s], how it eases into a wall [1/s], and comes back [rad/s].
_RESPONSE_S, _EASING, _BACK = 0.03, 8.0, 0.2

# Slower than this share of its bound, and further from its ends than braking takes, a joint is left alone.
_CALM = 0.4

# Of the permitted torque change: rounding must not exceed it.
_RATE_SHARE = 0.999


class Permitted(NamedTuple):
    """The least and the greatest of each joint: accelerations [rad/s²], torques without weight (7,) [N m]."""

    accelerations: list[tuple[float, float]]
    least: Array
    most: Array


class TorqueLimits:
    """Bounds one arm's torques, tick by tick.

    A joint near its speed limit or its end has its acceleration bounded, and the torque follows through the
    mass matrix: the others accelerate as they were meant to (a control barrier, joint by joint).
    """

    def __init__(self, dynamics: ArmDynamics, settings: ArmSettings) -> None:
        limits = settings.limits
        self._dynamics = dynamics
        self._effort: Array = settings.effort_share * np.array(limits.effort)
        self._most = limits.effort
        self._rate = _RATE_SHARE * limits.effort_rate
        self._least_effort = float(self._effort.min())
        margin = settings.wall_distance
        self._joints: list[tuple[float, float, float, float, float, float, float]] = []
        for low, high, speed, acceleration in zip(
            limits.lower, limits.upper, limits.velocity, limits.acceleration, strict=True
        ):
            top = settings.speed_share * speed
            braking = settings.wall_share * acceleration
            calm = _CALM * top
            # Braking from a calm speed, with the time it takes to respond and the ease at the end.
            needed = margin + calm * calm / (2.0 * braking) + calm * (_RESPONSE_S + 1.0 / _EASING)
            self._joints.append(
                (low + margin, high - margin, low + needed, high - needed, top, braking, acceleration)
            )
        self.torque: Array = np.zeros(7)  # (7,) [N m] the last one
        self.walled = False  # whether a joint had to be held back in the last tick
        self.falls_short = False  # whether the last torque is not what the law wanted, for any reason

    def restart(self) -> None:
        """The drives give nothing now."""
        self.torque = np.zeros(7)

    def bounded(
        self,
        torque: Array,
        q: list[float],
        dq: list[float],
        inverse_mass: Array,
        external: Array,
        speed_share: float,
        dt_s: float,
    ) -> Array:
        """The torque that may be given (7,) [N m].

        Args:
            torque: what the law wants, without weight.
            external: what the surroundings do to the joints; a person may push against a wall.
            speed_share: of the speed that joints may have at all.
        """
        dynamics = self._dynamics
        self.walled = False
        self.falls_short = False
        for position, speed, joint in zip(q, dq, self._joints, strict=True):
            if not (
                joint[2] < position < joint[3]
                and -_CALM * speed_share * joint[4] < speed < _CALM * speed_share * joint[4]
            ):
                torque = self._braked(torque, q, dq, inverse_mass, external, speed_share)
                break
        # The weight is carried by the same motors.
        weight = dynamics.gravity
        highest, lowest = self._effort - weight, -self._effort - weight
        wanted = torque
        # Seven numbers are compared faster without numpy.
        if any(map(gt, given := torque.tolist(), highest.tolist())) or any(map(lt, given, lowest.tolist())):
            wanted = self._weakened(torque, lowest, highest)
            self.falls_short = True
        # All change in step, so that accelerations go straight to what was meant: were each bounded by
        # itself, coupled joints would be thrown about on the way.
        step = self._rate * dt_s
        wanted = wanted - self.torque
        most = max(map(abs, wanted.tolist()))
        if most > step:
            wanted *= step / most
            self.falls_short = True
        wanted += self.torque
        self.torque = wanted
        return wanted

    def permitted(self, q: list[float], dq: list[float], speed_share: float) -> Permitted:
        """What `bounded` will leave as it is, but for the rate."""
        weight = self._dynamics.gravity
        return Permitted(
            self.accelerations(q, dq, speed_share), -self._effort - weight, self._effort - weight
        )

    def accelerations(self, q: list[float], dq: list[float], speed_share: float) -> list[tuple[float, float]]:
        """The least and the greatest acceleration of each joint under which it brakes in time [rad/s²]."""
        permitted = []
        for position, speed, joint in zip(q, dq, self._joints, strict=True):
            low, high, _, _, top, braking, most = joint
            top *= speed_share
            up = min(top, _may_go(high - position, braking))
            down = min(top, _may_go(position - low, braking))
            highest = max((up - speed) / _RESPONSE_S, -most)
            permitted.append((min((-down - speed) / _RESPONSE_S, most), highest))
        return permitted

    def _weakened(self, torque: Array, lowest: Array, highest: Array) -> Array:
        """As much of an acceleration as there is torque for, in all joints alike; see `bounded`."""
        calm = np.minimum(np.maximum(self._dynamics.coriolis, lowest), highest)
        change = torque - calm
        room = np.where(change > 0.0, highest - calm, lowest - calm)
        share = np.divide(room, change, out=np.ones(7), where=np.abs(change) > 1e-9)
        return calm + min(1.0, float(share.min())) * change

    def _braked(
        self,
        torque: Array,
        q: list[float],
        dq: list[float],
        inverse_mass: Array,
        external: Array,
        speed_share: float,
    ) -> Array:
        """The torque under which no joint comes to exceed its speed or its range."""
        dynamics = self._dynamics
        free = external - dynamics.coriolis
        accelerations = inverse_mass.dot(torque + free)
        wanted: list[float] = accelerations.tolist()
        held = False
        for number, (lowest, highest) in enumerate(self.accelerations(q, dq, speed_share)):
            value = wanted[number]
            if value > highest or value < lowest:
                wanted[number] = min(max(value, lowest), highest) if lowest <= highest else 0.0
                held = True
        if not held:
            return torque
        self.walled = True
        self.falls_short = True
        bounded: Array = dynamics.mass.dot(np.array(wanted))
        bounded -= free
        return bounded


def _may_go(distance: float, braking: float) -> float:
    """How fast a joint may approach an end so far away [rad/s]; negative: it has to come back."""
    if distance <= 0.0:
        return max(_EASING * distance, -_BACK)
    return min(math.sqrt(2.0 * braking * distance), _EASING * distance)
