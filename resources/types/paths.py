"""Replaying a motion that was taught: smooth between its points, and never faster than the arm may. Pure.

How a motion is recorded is said in `recording.py`; who streams it to the arm is an action.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from framework.errors import PilothouseError
from resources.types.memory import RememberedPath
from resources.types.motion import TARGET_LAPSES_S, Joints7

LONGEST_STEP_S = TARGET_LAPSES_S
"""A sender that was held up for longer [s] finds the arm at rest: it goes on gently, from where it was."""

#: Joints are brought no nearer to their limits than this [rad].
_MARGIN = 0.01

#: How the rate along a course changes, where 1 is its own speed [1/s]; and the least that gets to the end.
_GETTING_GOING = 2.0
_SLOWEST = 0.02


class Course:
    """A taught motion as a smooth function of time: the cubic spline through its points.

    The whole is slowed down evenly until every joint keeps its limits. `Pace` says how it is begun and ended.

    Args:
        speed, acceleration: what joints may do [rad/s, rad/s²].
        share: of the speed at which it was taught, in (0, 1].

    Raises PilothouseError if the motion has fewer than two points.
    """

    def __init__(
        self, path: RememberedPath, speed: Sequence[float], acceleration: float, share: float = 1.0
    ) -> None:
        if len(path.waypoints) < 2:
            raise PilothouseError(f"the motion {path.name!r} has no points that could be followed")
        self._times = [point.time_s for point in path.waypoints]
        self._joints = list(zip(*(point.joints for point in path.waypoints), strict=True))  # 7 of (n,)
        self._slopes = [_slopes(self._times, values) for values in self._joints]
        peaks = [self._peaks(joint) for joint in range(7)]
        fastest = max(peak / limit for (peak, _), limit in zip(peaks, speed, strict=True))
        sharpest = max(peak for _, peak in peaks) / acceleration
        self.slowness = max(1.0 / share, fastest, math.sqrt(sharpest))
        """How many times longer than when it was taught it takes."""

    @classmethod
    def of(cls, path: RememberedPath) -> Course:
        """Just as it was taught, without limits."""
        return cls(path, (math.inf,) * 7, math.inf)

    @property
    def duration_s(self) -> float:
        """How long it takes."""
        return self._times[-1] * self.slowness

    @property
    def first(self) -> Joints7:
        """Where it begins."""
        return self.at(0.0)[0]

    @property
    def last(self) -> Joints7:
        """Where it ends."""
        return self.at(self.duration_s)[0]

    def at(self, time_s: float) -> tuple[Joints7, Joints7]:
        """Joints [rad] and their velocities [rad/s] at a time; before and after it, at rest at its ends."""
        time_s /= self.slowness
        is_inside = self._times[0] <= time_s < self._times[-1]
        at = min(max(bisect_right(self._times, time_s) - 1, 0), len(self._times) - 2)
        h = self._times[at + 1] - self._times[at]
        s = min(max((time_s - self._times[at]) / h, 0.0), 1.0)
        joints, velocities = [], []
        for values, slopes in zip(self._joints, self._slopes, strict=True):
            y0, y1, d0, d1 = values[at], values[at + 1], slopes[at] * h, slopes[at + 1] * h
            a, b = 2.0 * (y0 - y1) + d0 + d1, 3.0 * (y1 - y0) - 2.0 * d0 - d1
            joints.append(((a * s + b) * s + d0) * s + y0)
            velocity = ((3.0 * a * s + 2.0 * b) * s + d0) / (h * self.slowness)
            velocities.append(velocity if is_inside else 0.0)
        return _seven(joints), _seven(velocities)

    def outside(self, lower: Sequence[float], upper: Sequence[float]) -> str:
        """Which joint would leave its limits and when, in words; "" if none does."""
        for joint, values in enumerate(self._joints):
            low, high = lower[joint], upper[joint]
            for time_s, value in zip(self._times, values, strict=True):
                if not low + _MARGIN <= value <= high - _MARGIN:
                    at, least, most = (round(math.degrees(angle)) for angle in (value, low, high))
                    return (
                        f"joint {joint + 1} would be at {at}° after {time_s:.1f} s; "
                        f"it goes from {least}° to {most}°"
                    )
        return ""

    def _peaks(self, joint: int) -> tuple[float, float]:
        """The greatest velocity and acceleration, exactly: a cubic's are at its ends or at its vertex."""
        values, slopes = self._joints[joint], self._slopes[joint]
        speed = acceleration = 0.0
        for at in range(len(self._times) - 1):
            h = self._times[at + 1] - self._times[at]
            d0, d1 = slopes[at], slopes[at + 1]
            mean = (values[at + 1] - values[at]) / h
            # v(s) = 3 a s² + 2 b s + d0
            a, b = d0 + d1 - 2.0 * mean, 3.0 * mean - 2.0 * d0 - d1
            speed = max(speed, abs(d0), abs(d1))
            if a and 0.0 < (vertex := -b / (3.0 * a)) < 1.0:
                speed = max(speed, abs((3.0 * a * vertex + 2.0 * b) * vertex + d0))
            acceleration = max(acceleration, abs(2.0 * b) / h, abs(6.0 * a + 2.0 * b) / h)
        return speed, acceleration


class Pace:
    """How far along a course an arm is to be: it begins gently, wherever that is, and ends so.

    Time that nobody counted (the sender was held up) is not caught up with: the arm is never to jump.
    """

    def __init__(self, course: Course, at_s: float = 0.0) -> None:
        self.course = course
        self.at_s = min(max(at_s, 0.0), course.duration_s)
        self._rate = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the end is reached."""
        return self.at_s >= self.course.duration_s

    @property
    def done(self) -> float:
        """How much of it is done, 0 to 1."""
        return self.at_s / self.course.duration_s

    def step(self, passed_s: float) -> tuple[Joints7, Joints7]:
        """Joints and velocities after this time."""
        if passed_s > LONGEST_STEP_S:
            passed_s, self._rate = LONGEST_STEP_S, 0.0
        left_s = self.course.duration_s - self.at_s
        # In a unit of rate a second it gets going, and can be brought to rest in what is left.
        braked = max(math.sqrt(2.0 * _GETTING_GOING * left_s), _SLOWEST)
        self._rate = min(self._rate + _GETTING_GOING * passed_s, 1.0, braked)
        self.at_s = min(self.at_s + self._rate * passed_s, self.course.duration_s)
        joints, velocities = self.course.at(self.at_s)
        rate = 0.0 if self.is_over else self._rate
        return joints, _seven([rate * velocity for velocity in velocities])


def _slopes(times: Sequence[float], values: Sequence[float]) -> list[float]:
    """Of the cubic spline at each point (de Boor, "A Practical Guide to Splines", chapter IV)."""
    steps = [later - before for before, later in pairwise(times)]
    rises = [(later - before) / step for (before, later), step in zip(pairwise(values), steps, strict=True)]
    if len(rises) == 1:
        return [rises[0], rises[0]]
    first = _end_slope(steps[0], steps[1], rises[0], rises[1])
    last = _end_slope(steps[-1], steps[-2], rises[-1], rises[-2])
    # The tridiagonal system of the inner points, solved from both sides (Thomas).
    over, right = [0.0], [first]
    for at in range(1, len(values) - 1):
        left, after = steps[at - 1], steps[at]
        side = 3.0 * (after * rises[at - 1] + left * rises[at])
        pivot = 2.0 * (left + after) - after * over[-1]
        over.append(left / pivot)
        right.append((side - after * right[-1]) / pivot)
    slopes = [last]
    for above, value in zip(reversed(over), reversed(right), strict=True):
        slopes.append(value - above * slopes[-1])
    slopes.reverse()
    return [first, *slopes[1:]]


def _end_slope(near: float, next_one: float, rise: float, next_rise: float) -> float:
    """At an end: of the parabola through the three points there."""
    return rise + near * (rise - next_rise) / (near + next_one)


def _seven(values: list[float]) -> Joints7:
    q1, q2, q3, q4, q5, q6, q7 = values
    return q1, q2, q3, q4, q5, q6, q7
