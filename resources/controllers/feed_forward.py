"""How far a hand's own velocity and acceleration are believed: as far as its poses bear them out. Pure.

Feed-forward moves the tool between two poses, and on for `SILENCE_S` after the last one. A device that says
a velocity its poses do not have (other axes, other units, a filter that rings, a glitch just before the link
breaks) would move an arm by itself: with 3 m/s said of a hand at rest, 30 cm. So what is said may differ from
what the last poses did by what honest differences between the two amount to, and no more.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

from resources.arms.pose import Vector3
from resources.controllers.rotation import between
from resources.types.masters import SILENCE_S, HandSample
from resources.types.motion import REST6, Vector6

COMPARED_S: Final = 0.025
"""Poses that are to say a velocity lie at least so far apart [s]."""

DIFFERS, DIFFERS_TURN = 0.3, 2.0
"""By no more does an honest velocity differ from that of the last poses: it is newer [m/s], [rad/s]."""

GAINS, GAINS_TURN = 0.3, 2.0
"""By no more than this, and once what is seen of it, it grows until it is missed [m/s], [rad/s]."""

_MOST_POSES: Final = 32


class FeedForward:
    """Of one pressing of the clutch. twist, acceleration: what is believed of the newest sample's."""

    def __init__(self) -> None:
        self.twist: Vector6 = REST6
        self.acceleration: Vector6 = REST6
        self._past: deque[HandSample] = deque(maxlen=_MOST_POSES)

    def see(self, sample: HandSample) -> None:
        """A good sample, no older than the one before."""
        past = self._past
        while len(past) > 1 and sample.taken_s - past[1].taken_s >= COMPARED_S:
            past.popleft()
        going, turning = _motion(past[0], sample) if past else (_REST3, _REST3)
        past.append(sample)
        vx, vy, vz, wx, wy, wz = sample.twist
        velocity = _near((vx, vy, vz), going, DIFFERS)
        turn = _near((wx, wy, wz), turning, DIFFERS_TURN)
        ax, ay, az, bx, by, bz = sample.acceleration
        acceleration = _near((ax, ay, az), _REST3, (GAINS + _length(going)) / SILENCE_S)
        rate = _near((bx, by, bz), _REST3, (GAINS_TURN + _length(turning)) / SILENCE_S)
        self.twist, self.acceleration = (*velocity, *turn), (*acceleration, *rate)


_REST3: Final[Vector3] = (0.0, 0.0, 0.0)


def _motion(before: HandSample, now: HandSample) -> tuple[Vector3, Vector3]:
    """Mean velocity [m/s] and turn [rad/s] from one pose to another; nothing if they are too near in time."""
    passed_s = now.taken_s - before.taken_s
    if passed_s < COMPARED_S:
        return _REST3, _REST3
    (ax, ay, az, *start), (bx, by, bz, *end) = before.base_T_hand, now.base_T_hand
    sx, sy, sz, sw = start
    ex, ey, ez, ew = end
    tx, ty, tz = between((sx, sy, sz, sw), (ex, ey, ez, ew))
    return (
        ((bx - ax) / passed_s, (by - ay) / passed_s, (bz - az) / passed_s),
        (tx / passed_s, ty / passed_s, tz / passed_s),
    )


def _near(said: Vector3, seen: Vector3, most: float) -> Vector3:
    """What is said, moved towards what was seen until it is no further away than `most`."""
    dx, dy, dz = said[0] - seen[0], said[1] - seen[1], said[2] - seen[2]
    far = _length((dx, dy, dz))
    if far <= most:
        return said
    share = most / far
    return (seen[0] + share * dx, seen[1] + share * dy, seen[2] + share * dz)


def _length(vector: Vector3) -> float:
    return math.hypot(*vector)  # which knows no vector that is too long
