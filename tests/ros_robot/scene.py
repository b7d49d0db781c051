"""A room with boxes, and what is seen in it along rays. Pure numpy; the robot's sensors share it.

The robot starts at (0, 0), looking along x. Before it the floor is free for four metres.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]


class Box(NamedTuple):
    """From its lower to its upper corner [m]; of one colour."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    colour: tuple[int, int, int]


ROOM: Final = Box((-2.0, -3.0, 0.0), (5.0, 3.0, 2.5), (200, 198, 190))
BOXES: Final = (
    Box((2.6, 0.7, 0.0), (3.2, 1.3, 0.6), (196, 52, 44)),
    Box((3.4, -1.6, 0.0), (3.8, -1.2, 1.4), (46, 92, 190)),
    Box((1.6, -1.5, 0.0), (2.2, -0.8, 0.4), (52, 150, 74)),
    Box((1.75, -1.3, 0.4), (1.95, -1.1, 0.6), (232, 190, 40)),
    Box((4.2, -0.5, 0.0), (4.6, 0.4, 0.9), (140, 86, 160)),
)
BASE_T_CAMERA: Final = (0.30, 0.0, 1.0)
"""Where the camera sits [m]; it looks down by `CAMERA_DOWN`."""

CAMERA_DOWN: Final = 0.2
"""[rad]"""

BASE_T_SCANNER: Final = (0.25, 0.0, 0.35)
BASE_T_SPINNER: Final = (0.0, 0.0, 1.3)


def seen(origin: Numbers, rays: Numbers) -> tuple[Numbers, NDArray[np.uint8]]:
    """How far away the room or a box is along each ray, (n,) [lengths of the ray], and its colour, (n, 3).

    origin: (3,), within the room. rays: (n, 3).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.float32(1.0) / rays
        near, far, axis = _crossings(ROOM, origin, shares)
        distances = far
        shade = np.array([1.0, 0.92, 0.8], np.float32)[axis]
        points = origin + rays * far[:, None]
        is_floor = (axis == 2) & (points[:, 2] < 1.0)
        dark = is_floor & ((np.floor(points[:, 0] * 2) + np.floor(points[:, 1] * 2)) % 2 == 0)
        colours = np.array(ROOM.colour, np.float32) * np.where(dark, 0.55, shade)[:, None]
        for box in BOXES:
            near, far, axis = _crossings(box, origin, shares)
            hit = (near > 0) & (near < far) & (near < distances)
            distances = np.where(hit, near, distances)
            shade = np.array([1.0, 0.85, 1.15], np.float32)[axis[hit]]
            colours[hit] = np.array(box.colour, np.float32) * shade[:, None]
    return distances, np.clip(colours, 0, 255).astype(np.uint8)


def _crossings(box: Box, origin: Numbers, shares: Numbers) -> tuple[Numbers, Numbers, NDArray[np.intp]]:
    """Where rays enter a box and leave it, and across which axis: of what begins outside, where it enters."""
    lower = (np.array(box.lower, np.float32) - origin) * shares  # (n, 3)
    upper = (np.array(box.upper, np.float32) - origin) * shares
    first, second = np.minimum(lower, upper), np.maximum(lower, upper)
    near, far = first.max(axis=1), second.min(axis=1)
    outside = near > 0
    axis = np.where(outside, first.argmax(axis=1), second.argmin(axis=1))
    return near, far, axis


def turn_of(x: float, y: float, z: float, w: float) -> Numbers:
    """The rotation matrix of a quaternion."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ],
        np.float32,
    )


def base_turn_optical() -> Numbers:
    """From a camera's optical frame (x right, y down, z ahead) to the robot's (x ahead, y left, z up)."""
    sin, cos = np.sin(CAMERA_DOWN), np.cos(CAMERA_DOWN)
    return np.array([[0, -sin, cos], [-1, 0, 0], [0, -cos, -sin]], np.float32)
