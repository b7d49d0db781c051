"""Generated hands before a generated tracker: pictures of one pose, and of poses one after the other.

The tracker sees a hand from within VIEW of the front, knows what is up to 3°, misses each point by
JOINT_NOISE_M in each axis (half of the variance new with each picture, half of it wandering, as trackers
do), and loses LOST of them. What it has not: fingers that hide each other, depth worse than width, a model
of hands of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.gesture.hands import Bones, Shape, points_of
from pilothouse.experiments.gesture.poses import THUMB_ASIDE
from resources.types.gestures import GestureKind
from resources.types.masters import HandSide

Array = NDArray[np.float64]

RATE_HZ: Final = 30.0
JOINT_NOISE_M: Final = 0.005
LOST: Final = 0.1
VIEW: Final = math.radians(60.0)

_UP_NOISE: Final = math.radians(3.0)
_WANDER_S: Final = 0.3

#: How upright people hold their thumb: standard deviation, and no further than [rad].
_TILT: Final = math.radians(12.0)
_MOST_TILT: Final = math.radians(30.0)
#: A thumb to a side is within so much of level.
_LEVEL: Final = math.radians(25.0)


class Key(msgspec.Struct, frozen=True, eq=False):
    """A pose in a stream: how it stands and is turned, how long, and how long it goes on to the next [s]."""

    shape: Shape
    turn: Array  # (3, 3), world_R_hand
    stays_s: float
    goes_s: float


class Pictures(msgspec.Struct, frozen=True, eq=False):
    """What the tracker gives. times (n,) [s], points (n, 21, 3) [m] in its frame, NaN where lost; up (3,)."""

    side: HandSide
    times: Array
    points: Array
    up: Array


def turn_for(name: GestureKind | str, bones: Bones, shape: Shape, random: np.random.Generator) -> Array:
    """How a hand is turned in the world (z up) when it shows this, as (3, 3): anyhow, but for thumbs."""
    elevation = {
        GestureKind.THUMB_UP: math.pi / 2,
        GestureKind.THUMB_DOWN: -math.pi / 2,
        THUMB_ASIDE: random.uniform(-_LEVEL, _LEVEL),
    }.get(name)
    turn = _about(_way(random), random.uniform(0.0, math.pi))
    if elevation is None:
        return turn
    own = points_of(bones, shape.fingers[None], shape.thumb[None])[0]
    thumb = own[4] - own[1]
    wanted = np.array([math.cos(elevation), 0.0, math.sin(elevation)])
    if name != THUMB_ASIDE:
        tilt = min(abs(random.normal(0.0, _TILT)) + abs(random.normal(0.0, _TILT)) / 2, _MOST_TILT)
        wanted = _about(_across(wanted, random), tilt) @ wanted
    # Turned so that the thumb is as wanted; around the thumb and around what is up, anyhow.
    now = turn @ thumb / np.linalg.norm(thumb)
    axis = np.cross(now, wanted)
    sine, cosine = float(np.linalg.norm(axis)), float(now @ wanted)
    turn = _about(axis / max(sine, 1e-9), math.atan2(sine, cosine)) @ turn
    return np.asarray(_about(np.array([0.0, 0.0, 1.0]), random.uniform(-math.pi, math.pi)) @ turn)


def moving(bones: Bones, keys: Sequence[Key], random: np.random.Generator) -> Pictures:
    """Pictures of a hand that goes from pose to pose and ends in the last one."""
    times, points = moved(bones, keys)
    return seen(bones.side, times, points, random)


def moved(bones: Bones, keys: Sequence[Key]) -> tuple[Array, Array]:
    """The same without a tracker: times (n,) [s] at RATE_HZ, and points (n, 21, 3) [m] as they are turned."""
    begins = np.cumsum([0.0, *(key.stays_s + key.goes_s for key in keys[:-1])])
    end_s = float(begins[-1]) + keys[-1].stays_s
    times = np.arange(round(end_s * RATE_HZ)) / RATE_HZ
    here = np.searchsorted(begins, times, side="right") - 1
    following = np.minimum(here + 1, len(keys) - 1)
    stays = np.array([key.stays_s for key in keys])[here]
    goes = np.array([max(key.goes_s, 1e-6) for key in keys])[here]
    share = np.clip((times - begins[here] - stays) / goes, 0.0, 1.0)
    share = share**2 * (3.0 - 2.0 * share)  # (n,)
    fingers = np.stack([key.shape.fingers for key in keys])
    thumbs = np.stack([key.shape.thumb for key in keys])
    thumb = _between(thumbs[here], thumbs[following], share[:, None, None])
    thumb /= np.linalg.norm(thumb, axis=-1, keepdims=True)
    own = points_of(bones, _between(fingers[here], fingers[following], share[:, None, None]), thumb)
    turns = np.stack([key.turn for key in keys])
    turn = _orthonormal(_between(turns[here], turns[following], share[:, None, None]))
    return times, own @ np.swapaxes(turn, -1, -2)


def seen(side: HandSide, times: Array, world: Array, random: np.random.Generator) -> Pictures:
    """What the tracker makes of points (n, 21, 3) in the world's axes."""
    camera = _about(_way(random), random.uniform(0.0, VIEW))
    up = camera @ np.array([0.0, 0.0, 1.0])
    up = _about(_across(up, random), abs(random.normal(0.0, _UP_NOISE))) @ up
    drift = 0.05 * np.sin(times[:, None] * random.uniform(0.3, 1.5, 3) + random.uniform(0.0, 6.0, 3))
    points = world @ camera.T + random.uniform(-0.3, 0.3, 3) + (drift + np.array([0.0, 0.0, 0.8]))[:, None, :]
    noise = random.normal(0.0, JOINT_NOISE_M / math.sqrt(2.0), (2, *points.shape))
    keep = math.exp(-1.0 / (RATE_HZ * _WANDER_S))
    wander = noise[1]
    for number in range(1, len(wander)):
        wander[number] = keep * wander[number - 1] + math.sqrt(1.0 - keep**2) * wander[number]
    points = points + noise[0] + wander
    points[random.random(points.shape[:2]) < LOST] = np.nan
    return Pictures(side, times, points, up)


def _between(one: Array, other: Array, share: Array) -> Array:
    return np.asarray(one + share * (other - one))


def _orthonormal(matrices: Array) -> Array:
    """The nearest rotations to (n, 3, 3)."""
    left, _, right = np.linalg.svd(matrices)
    sign = np.linalg.det(left @ right)
    left[..., 2] *= sign[:, None]
    return np.asarray(left @ right)


def _way(random: np.random.Generator) -> Array:
    way = random.normal(0.0, 1.0, 3)
    return np.asarray(way / np.linalg.norm(way))


def _across(way: Array, random: np.random.Generator) -> Array:
    across = np.cross(way, _way(random))
    return np.asarray(across / np.linalg.norm(across))


def _about(axis: Array, angle: float) -> Array:
    """The rotation (3, 3) about a unit axis (Rodrigues)."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * skew + (1.0 - math.cos(angle)) * skew @ skew)
