"""From an arm's samples, taken while a person guided it, to a motion that can be kept. Pure.

Samples come about a hundred times a second, with a person's tremor and with stillness before and after.
What is kept is smooth, begins and ends with the motion, and has no more points than it needs. Replaying it is
`paths.py`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from framework.errors import PilothouseError
from resources.types.memory import MOST_WAYPOINTS, RememberedPath, Waypoint
from resources.types.motion import Joints7
from resources.types.paths import Course

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LEAST_RATE_HZ = 25.0
"""Slower than this, samples do not say how the arm was moved."""

LONGEST_S = 60.0
"""A longer motion cannot be kept [s]."""

#: It takes a moment to end a recording [s].
_SPARE_S = 2.0

#: Samples are put on a grid of this period [s].
_PERIOD_S = 0.01

#: Tremor of hands is above 8 Hz (physiological tremor, Elble 1996): a window as long as one period of it [s].
_WINDOW_S = 0.12

#: Slower than this, no joint moves [rad/s]; so much stillness is left at both ends [s].
_STILL = 0.01
_REST_S = 0.1

#: So far from the recorded joints a kept motion may be [rad]: a tenth of a degree.
_TOLERANCE = 0.0017

#: Periods in which the points of a kept motion may come, the longest first [in periods of the grid].
_THINNER = (20, 10, 5, 2, 1)


def recorded(name: str, side: str, samples: Sequence[tuple[float, Joints7]]) -> RememberedPath:
    """The motion in samples of time [s] and joints [rad], of an arm on this side.

    Raises PilothouseError if there are too few samples or too many, or the arm was hardly moved.
    """
    import numpy as np

    fresh = [sample for index, sample in enumerate(samples) if not index or sample[0] > samples[index - 1][0]]
    taken_s = fresh[-1][0] - fresh[0][0] if fresh else 0.0
    if len(fresh) < 2 or taken_s < 2 * _REST_S:
        raise PilothouseError(f"that was no motion: it lasted {taken_s:.1f} s")
    if taken_s > LONGEST_S + _SPARE_S:
        raise PilothouseError(
            f"a motion of {taken_s:.0f} s is too long to remember; {LONGEST_S:g} s is the most"
        )
    rate_hz = (len(fresh) - 1) / taken_s
    if rate_hz < LEAST_RATE_HZ:
        raise PilothouseError(
            f"the arm reported {rate_hz:.0f} times a second, that is too seldom to record a motion; "
            f"{LEAST_RATE_HZ:g} are needed"
        )
    taken = np.array([time_s for time_s, _ in fresh])  # (k,)
    joints = np.array([values for _, values in fresh])  # (k, 7)
    times = np.arange(0.0, taken_s + 1e-9, _PERIOD_S) + taken[0]  # (n,)
    grid = np.stack([np.interp(times, taken, joints[:, joint]) for joint in range(7)], axis=1)  # (n, 7)
    smooth = _smoothed(grid)
    first, last = _moving(smooth)
    return _thinned(name, side, smooth[first:last])


def _smoothed(grid: Array) -> Array:
    """Without tremor: a Hann window, which delays nothing; both ends stay where they are."""
    import numpy as np

    half = round(_WINDOW_S / _PERIOD_S)
    window = np.hanning(2 * half + 1)
    window /= window.sum()
    # Mirrored about the end points, so that a motion that is cut off in its middle keeps its ends.
    before = 2.0 * grid[0] - grid[1 : half + 1][::-1]
    after = 2.0 * grid[-1] - grid[-half - 1 : -1][::-1]
    longer = np.concatenate((_filled(before, half, grid[0]), grid, _filled(after, half, grid[-1])))
    return np.stack([np.convolve(longer[:, joint], window, "valid") for joint in range(7)], axis=1)


def _filled(rows: Array, count: int, row: Array) -> Array:
    """As many rows as wanted, where a short motion has too few to mirror."""
    import numpy as np

    missing = count - len(rows)
    return np.concatenate((np.repeat(row[None], missing, axis=0), rows)) if missing > 0 else rows


def _moving(grid: Array) -> tuple[int, int]:
    """Where the motion begins, and the index after its end. Raises PilothouseError if there is none."""
    import numpy as np

    speeds = np.abs(np.diff(grid, axis=0)).max(axis=1) / _PERIOD_S  # (n - 1,)
    fast = np.flatnonzero(speeds > _STILL)
    if not len(fast):
        raise PilothouseError("the arm was not moved, so there is no motion to remember")
    rest = round(_REST_S / _PERIOD_S)
    return max(int(fast[0]) - rest, 0), min(int(fast[-1]) + 2 + rest, len(grid))


def _thinned(name: str, side: str, grid: Array) -> RememberedPath:
    """The fewest points, evenly in time, that replay as the motion that was taught."""
    path = RememberedPath(name, side, ())
    for every in _THINNER:
        at = [*range(0, len(grid) - 1, every), len(grid) - 1]
        if len(at) > 2 and at[-1] - at[-2] < every / 2:
            del at[-2]  # the last two would be too near to each other
        if len(at) > MOST_WAYPOINTS:
            break
        points = tuple(Waypoint(round(index * _PERIOD_S, 3), _joints(grid[index])) for index in at)
        path = RememberedPath(name, side, points)
        if _misses(path, grid) <= _TOLERANCE:
            break
    return path


def _misses(path: RememberedPath, grid: Array) -> float:
    """How far the replayed motion is from the taught one at most [rad]."""
    course = Course.of(path)
    return max(
        abs(replayed - float(taught))
        for index, row in enumerate(grid)
        for replayed, taught in zip(course.at(index * _PERIOD_S)[0], row, strict=True)
    )


def _joints(row: Array) -> Joints7:
    q1, q2, q3, q4, q5, q6, q7 = (round(float(value), 4) for value in row)
    return q1, q2, q3, q4, q5, q6, q7
