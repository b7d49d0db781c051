"""Where a hand or a device points, as a ray. What lies along it is `managers.pointing`'s business.

A ray of a tracked hand is in the hand's frame; `moved` brings it into the robot's, where `Ray`s are
compared. The wrist's is the stiller one, as its lever is longer: of generated hands whose points have 5 mm of
noise in each axis, a still finger's ray is off by 7.2° (rms), its mean over a third of a second by 4.7°, and
the wrist's by 3.2° and 2.1° (`pilothouse experiment gesture`). Where people think that they point is another
matter: `offset.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from resources.types.gestures import Landmark, TrackedHand
from resources.types.poses import Vector3, position_of, rotation_of, turned
from resources.types.streams import Pose7
from resources.types.whereabouts import Ray

AHEAD_OF_DEVICE: Final[Vector3] = (0.0, 0.0, -1.0)
"""Where a WebXR target ray, a controller and a phone's back look, in their own axes."""

#: Points that are nearer than this give no direction [m].
_NEAREST_M: Final = 0.02

#: Rays that differ so much that their mean is shorter than this mean nothing together: about 25° from it.
_LEAST_AGREEMENT: Final = 0.9


def finger_ray(hand: TrackedHand) -> Ray | None:
    """From the index finger's knuckle through its tip, in the hand's frame; None if one was not seen."""
    return _through(hand, Landmark.INDEX_MCP)


def wrist_ray(hand: TrackedHand) -> Ray | None:
    """From the wrist through the index finger's tip, in the hand's frame; None if one was not seen."""
    return _through(hand, Landmark.WRIST)


def pose_ray(robot_T_device: Pose7, ahead: Vector3 = AHEAD_OF_DEVICE) -> Ray:
    """Of a phone or a controller, in the robot's frame. ahead: where it points in its own axes, unit."""
    return (*position_of(robot_T_device), *turned(rotation_of(robot_T_device), ahead))


def moved(ray: Ray, robot_T_frame: Pose7) -> Ray:
    """A ray of some frame in the robot's."""
    turn = rotation_of(robot_T_frame)
    x, y, z = turned(turn, (ray[0], ray[1], ray[2]))
    at = robot_T_frame
    return (at[0] + x, at[1] + y, at[2] + z, *turned(turn, (ray[3], ray[4], ray[5])))


def mean_ray(rays: Sequence[Ray]) -> Ray | None:
    """The mean of rays in one frame; None of none, and of rays that do not agree."""
    if not rays:
        return None
    ways = [way for ray in rays if (way := _unit((ray[3], ray[4], ray[5]))) is not None]
    if not ways:
        return None
    ahead, left, up = (sum(way[axis] for way in ways) / len(ways) for axis in range(3))
    length = math.hypot(ahead, left, up)
    if not length >= _LEAST_AGREEMENT:
        return None
    x, y, z = (sum(ray[axis] for ray in rays) / len(rays) for axis in range(3))
    return (x, y, z, ahead / length, left / length, up / length)


def _through(hand: TrackedHand, start: Landmark) -> Ray | None:
    here, there = hand.points[start], hand.points[Landmark.INDEX_TIP]
    if here is None or there is None or not math.dist(here, there) >= _NEAREST_M:
        return None
    way = _unit((there[0] - here[0], there[1] - here[1], there[2] - here[2]))
    return None if way is None else (*here, *way)


def _unit(vector: Vector3) -> Vector3 | None:
    length = math.hypot(*vector)
    if not 0.0 < length < math.inf:
        return None
    return vector[0] / length, vector[1] / length, vector[2] / length
