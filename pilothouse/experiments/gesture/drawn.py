"""Drawn hands, for a real tracker to find: capsules along the bones, nearer ones over farther ones.

MediaPipe takes them for hands (its own figure for that is .95 and more), so they show that everything from
the camera to the gesture fits together. They say nothing about how well people's hands are seen.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.gesture.hands import Bones, mean_bones, points_of, thumb_along
from pilothouse.experiments.gesture.poses import SPREAD, STRAIGHT, USUAL, Fingers
from resources.types.gestures import GestureKind, Landmark
from resources.types.masters import HandSide

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

WIDTH_PX, HEIGHT_PX = 640, 480
RATE_HZ: Final = 30

_ROOM: Final = (60, 60, 60)
_SKIN: Final = np.array((130.0, 160.0, 215.0))  # blue, green, red
_EDGE: Final = 0.85
"""How dark the edges of fingers are against their skin."""

_PALM: Final = [
    Landmark.WRIST,
    Landmark.THUMB_CMC,
    Landmark.INDEX_MCP,
    Landmark.MIDDLE_MCP,
    Landmark.RING_MCP,
    Landmark.PINKY_MCP,
]
_PALM_RADIUS_M: Final = 0.012
_ARM_RADII_M: Final = (0.026, 0.04)
#: Of thumb, index to little finger, at its four points [m].
_RADII_M: Final = (
    (0.016, 0.0125, 0.0105, 0.009),
    (0.0105, 0.0095, 0.0085, 0.0075),
    (0.011, 0.0095, 0.009, 0.0078),
    (0.0105, 0.009, 0.0085, 0.0073),
    (0.0092, 0.008, 0.0074, 0.0065),
)


class Pose(msgspec.Struct, frozen=True):
    """How the right hand is drawn. thumb: out, before the palm, its two bends [°], see `thumb_along`.

    turn: about the camera's axis, across it, and upright, one after the other [°]. scale: pixels a metre.
    """

    fingers: Fingers
    sideways: tuple[float, ...]
    thumb: tuple[float, float, float, float]
    is_upright: bool
    turn: tuple[float, float, float]
    scale: float


#: Found by trying: of these the tracker and `resources.gestures.shapes` are sure.
POSES: Final = {
    GestureKind.OPEN_PALM: Pose(STRAIGHT, SPREAD, (50, 12, 4, 2), True, (0, 0, 0), 900.0),
    GestureKind.THUMB_UP: Pose(
        (82.7, 103.3, 52.3), USUAL, (73.3, 7.0, 6.8, -0.9), False, (3.3, -5.9, -14.3), 1100.0
    ),
}

#: The palm before the camera (x right, y down, z ahead): fingers up; or to the left with the thumb up.
_FINGERS_UP: Final = np.array([(0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
_THUMB_UP: Final = np.array([(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)])


def posed(pose: Pose) -> Array:
    """The points (21, 3) of a mean right hand, in the camera's axes [m]."""
    bones: Bones = mean_bones(HandSide.RIGHT)
    fingers = np.radians([(*pose.fingers, side) for side in pose.sideways])
    out, before, *bends = np.radians(pose.thumb)
    points = points_of(bones, fingers[None], thumb_along(out, before, (bends[0], bends[1]))[None])[0]
    roll, pitch, yaw = np.radians(pose.turn)
    turn = _about(2, roll) @ _about(0, pitch) @ _about(1, yaw)
    return np.asarray(points @ (turn @ (_FINGERS_UP if pose.is_upright else _THUMB_UP)).T)


def drawn(points: Array, scale: float, at: tuple[float, float]) -> Picture:
    """A picture (480, 640, 3), blue green red, of a hand (21, 3) with its middle `at` these pixels."""
    image = np.full((HEIGHT_PX, WIDTH_PX, 3), _ROOM, np.uint8)
    flat = points[:, :2] * scale
    flat = flat - flat.mean(axis=0) + np.array(at)
    depth = points[:, 2]
    along = flat[Landmark.WRIST] - flat[Landmark.MIDDLE_MCP]
    along /= np.linalg.norm(along)
    radii = [radius * scale for radius in _ARM_RADII_M]
    _capsule(image, flat[Landmark.WRIST] - 10 * along, flat[Landmark.WRIST] + 600 * along, radii, 0.93)
    parts = [(float(depth[_PALM].mean()), -1, -1)]
    for finger in range(5):
        first = 1 + 4 * finger
        parts += [(float(depth[first + n : first + n + 2].mean()), finger, n) for n in range(3)]
    for far, finger, bone in sorted(parts, reverse=True):
        light = float(np.clip(1.0 - 3.0 * (far - depth.mean()), 0.75, 1.15))
        if finger < 0:
            outline = cv2.convexHull(flat[_PALM].astype(np.float32)).astype(np.int32)[:, 0]  # (n, 2)
            cv2.fillConvexPoly(image, outline, _colour(light), cv2.LINE_AA)
            for one, other in zip(outline, np.roll(outline, -1, axis=0), strict=True):
                _capsule(image, one.astype(float), other.astype(float), 2 * [_PALM_RADIUS_M * scale], light)
            continue
        one, other = flat[1 + 4 * finger + bone], flat[2 + 4 * finger + bone]
        radii = [radius * scale for radius in _RADII_M[finger][bone : bone + 2]]
        _capsule(image, one, other, [1.15 * radius for radius in radii], light * _EDGE)
        _capsule(image, one, other, radii, light)
    return np.asarray(cv2.GaussianBlur(image, (5, 5), 0), np.uint8)


def film(path: Path, kind: GestureKind, *, empty_s: float = 1.5, shown_s: float = 6.0) -> None:
    """A film of an empty room and then of a hand that shows this and hardly moves, as motion JPEG.

    Chromium takes it for a camera (`--use-file-for-fake-video-capture`), and begins anew at its end.
    """
    pose = POSES[kind]
    points = posed(pose)
    with path.open("wb") as file:
        for number in range(round(RATE_HZ * (empty_s + shown_s))):
            angle = 2.0 * number / RATE_HZ
            if number < RATE_HZ * empty_s:
                image = np.full((HEIGHT_PX, WIDTH_PX, 3), _ROOM, np.uint8)
            else:
                at = (320 + 8 * math.sin(angle), 250 + 6 * math.cos(1.3 * angle))
                image = drawn(points, pose.scale * (1 + 0.02 * math.sin(1.7 * angle)), at)
            file.write(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())


def _capsule(image: Picture, one: Array, other: Array, radii: list[float], light: float) -> None:
    for share in np.linspace(0.0, 1.0, 24):
        x, y = one + share * (other - one)
        radius = radii[0] + share * (radii[1] - radii[0])
        centre = (round(16 * x), round(16 * y))  # in sixteenths of a pixel
        cv2.circle(image, centre, round(16 * radius), _colour(light), -1, cv2.LINE_AA, 4)


def _colour(light: float) -> tuple[float, float, float]:
    blue, green, red = np.clip(_SKIN * light, 0.0, 255.0).tolist()
    return blue, green, red


def _about(axis: int, angle: float) -> Array:
    turned = cv2.Rodrigues(angle * np.eye(3)[axis])[0]
    return np.asarray(turned, np.float64)
