"""A reference that follows a moving target: untouched where it can, under limits where it cannot.

All streams and goals of the tool go through `VectorPursuit` (once for its position, once for its rotation),
all streams of joints through `JointPursuit`, so that there is one place where speed, acceleration and jerk
are bounded. No target is made here. In step with a feasible target (position, velocity and acceleration
agree) the error is zero and the target passes through; any difference decays like a critically damped filter,
with bounded means.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Vector3
from resources.controllers.settings import Bounds

Array = NDArray[np.float64]

# Which share of acceleration and jerk braking counts on: the rest is for the time that building it up takes.
_BRAKING, _EASING = 0.5, 0.4

ZERO3: Vector3 = (0.0, 0.0, 0.0)


class VectorPursuit:
    """Velocity and acceleration of a vector (3,) whose lengths are bounded, jerk too."""

    def __init__(self, bounds: Bounds, bandwidth: float) -> None:
        """`bandwidth` [rad/s]: with which it closes on its target."""
        self.bounds = bounds
        self.velocity: Vector3 = ZERO3
        self.acceleration: Vector3 = ZERO3
        self._proportional = 0.5 * bandwidth
        self._derivative = 2.0 * bandwidth

    def start(self, velocity: Vector3, acceleration: Vector3 = ZERO3) -> None:
        """From here on, whatever was."""
        self.velocity = velocity
        self.acceleration = _shortened(acceleration, self.bounds.acceleration)

    def wish(self, error: Vector3, target_velocity: Vector3, speed: float, dt_s: float) -> Vector3:
        """The velocity to have at the end of this period, of at most `speed`.

        Args:
            error: from here and now to the target at the end of the period.
        """
        (ex, ey, ez), (vx, vy, vz) = error, self.velocity
        ex, ey, ez = ex - vx * dt_s, ey - vy * dt_s, ez - vz * dt_s
        distance = math.sqrt(ex * ex + ey * ey + ez * ez)
        if distance == 0.0:
            return _shortened(target_velocity, speed)
        closing = min(self._proportional, math.sqrt(2.0 * _BRAKING * self.bounds.acceleration / distance))
        tx, ty, tz = target_velocity
        return _shortened((tx + closing * ex, ty + closing * ey, tz + closing * ez), speed)

    def plan(self, wish: Vector3, target_acceleration: Vector3, speed: float, dt_s: float) -> None:
        """Choose the acceleration of the period that begins, towards the velocity `wish` at its end."""
        bounds, gain = self.bounds, self._derivative
        vx, vy, vz = self.velocity
        tx, ty, tz = target_acceleration
        ahead = 1.0 - gain * dt_s
        wx, wy, wz = _shortened(
            (
                ahead * tx + gain * (wish[0] - vx),
                ahead * ty + gain * (wish[1] - vy),
                ahead * tz + gain * (wish[2] - vz),
            ),
            bounds.acceleration,
        )
        pace = math.sqrt(vx * vx + vy * vy + vz * vz)
        if pace > 0.5 * speed:
            # Not to overshoot the speed, acceleration has to be gone when it is reached: a²/2j ≤ v_max − v.
            along = (wx * vx + wy * vy + wz * vz) / pace
            left = speed - pace
            allowed = math.sqrt(2.0 * _EASING * bounds.jerk * left) if left > 0.0 else gain * left
            allowed = max(allowed, -bounds.acceleration)
            if along > allowed:
                excess = (along - allowed) / pace
                wx, wy, wz = _shortened(
                    (wx - excess * vx, wy - excess * vy, wz - excess * vz), bounds.acceleration
                )
        ax, ay, az = self.acceleration
        jx, jy, jz = _shortened((wx - ax, wy - ay, wz - az), bounds.jerk * dt_s)
        self.acceleration = (ax + jx, ay + jy, az + jz)

    def step(self, dt_s: float) -> Vector3:
        """To the end of the period. Returns how far it went (3,)."""
        (vx, vy, vz), (ax, ay, az) = self.velocity, self.acceleration
        self.velocity = (vx + ax * dt_s, vy + ay * dt_s, vz + az * dt_s)
        half = 0.5 * dt_s * dt_s
        return (vx * dt_s + ax * half, vy * dt_s + ay * half, vz * dt_s + az * half)


class JointPursuit:
    """Positions, velocities and accelerations of seven joints, each bounded by itself; (7,) in place."""

    def __init__(
        self, velocity: Array, acceleration: Array, jerk: Array, lower: Array, upper: Array, bandwidth: float
    ) -> None:
        """Bounds [rad, s], (7,) each; `lower`, `upper`: where the reference stays."""
        self.position, self.velocity, self.acceleration = np.zeros(7), np.zeros(7), np.zeros(7)
        self._speed, self._most, self._jerk = velocity, acceleration, jerk
        self._lower, self._upper = lower, upper
        self._proportional, self._derivative = 0.5 * bandwidth, 2.0 * bandwidth

    def start(self, position: Array, velocity: Array, acceleration: Array) -> None:
        """From here on, whatever was."""
        self.position[:] = position
        self.velocity[:] = velocity
        np.clip(acceleration, -self._most, self._most, out=self.acceleration)

    def wish(self, target: Array, target_velocity: Array) -> Array:
        """The velocities (7,) that close on the target and stop before the ends of the joints."""
        braking = 2.0 * _BRAKING * self._most
        error = np.clip(target, self._lower, self._upper) - self.position
        away = np.sqrt(braking * np.abs(error))
        closing = np.clip(self._proportional * error, -away, away)
        wish = np.clip(target_velocity + closing, -self._speed, self._speed)
        lower, upper = self._lower - self.position, self._upper - self.position
        np.minimum(wish, _stopping(upper, braking, self._proportional), out=wish)
        return np.maximum(wish, -_stopping(-lower, braking, self._proportional), out=wish)

    def advance(self, wish: Array, target_acceleration: Array, dt_s: float) -> None:
        """One period on, towards the velocities `wish` (7,)."""
        speed, velocity = self._speed, self.velocity
        wanted = np.clip(target_acceleration + self._derivative * (wish - velocity), -self._most, self._most)
        most = self._most
        np.minimum(wanted, self._left(speed - velocity, most), out=wanted)
        np.maximum(wanted, -self._left(speed + velocity, most), out=wanted)
        step = self._jerk * dt_s
        self.acceleration += np.clip(wanted - self.acceleration, -step, step)
        self.position += velocity * dt_s + self.acceleration * (0.5 * dt_s * dt_s)
        velocity += self.acceleration * dt_s

    def _left(self, room: Array, most: Array) -> Array:
        """The acceleration towards a speed limit that is `room` away; back from beyond it."""
        easing = np.sqrt(2.0 * _EASING * self._jerk * np.abs(room))
        return np.where(room > 0.0, easing, np.maximum(self._derivative * room, -most))


def _stopping(distance: Array, braking: Array, gain: float) -> Array:
    """How fast each may go towards an end that is `distance` [rad] away; back from beyond it."""
    return np.where(
        distance > 0.0, np.minimum(np.sqrt(braking * np.abs(distance)), gain * distance), gain * distance
    )


def _shortened(vector: Vector3, length: float) -> Vector3:
    """The vector, no longer than `length`."""
    x, y, z = vector
    square = x * x + y * y + z * z
    if square <= length * length:
        return vector
    scale = length / math.sqrt(square)
    return (x * scale, y * scale, z * scale)
