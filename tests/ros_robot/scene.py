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
        shares = np.ascontiguousarray(np.float32(1.0) / rays.T)  # (3, n): each axis by itself is quick
        _, distances, faces = _crossings(ROOM, origin, shares)
        x, y, z = (origin[axis] + rays[:, axis] * distances for axis in range(3))
        is_floor = (faces == 2) & (z < 1.0)
        is_dark = is_floor & ((np.floor(2 * x) + np.floor(2 * y)) % 2 == 0)
        colours = _shaded(ROOM)[np.where(is_dark, 3, faces)]
        for box in BOXES:
            near, far, faces = _crossings(box, origin, shares)
            hit = np.flatnonzero((near > 0) & (near < far) & (near < distances))
            distances[hit] = near[hit]
            colours[hit] = _shaded(box)[faces[hit]]
    return distances, colours


def _crossings(box: Box, origin: Numbers, shares: Numbers) -> tuple[Numbers, Numbers, NDArray[np.uint8]]:
    """Where rays enter a box and leave it, (n,), and across which axis: the nearest ahead.

    shares: (3, n), what of a ray is a metre along each axis.
    """
    near = far = np.empty(0, np.float32)
    enters = leaves = np.empty(0, np.uint8)
    for axis in range(3):
        lower = (np.float32(box.lower[axis]) - origin[axis]) * shares[axis]
        upper = (np.float32(box.upper[axis]) - origin[axis]) * shares[axis]
        first, second = np.minimum(lower, upper), np.maximum(lower, upper)
        if axis == 0:
            near, far = first, second
            enters = leaves = np.zeros(len(first), np.uint8)
            continue
        enters = np.where(first > near, np.uint8(axis), enters)
        leaves = np.where(second < far, np.uint8(axis), leaves)
        near, far = np.maximum(near, first), np.minimum(far, second)
    return near, far, np.where(near > 0, enters, leaves)


def _shaded(box: Box) -> NDArray[np.uint8]:
    """Its colour on faces across x, y and z, and where it is dark, (4, 3)."""
    shades = np.array([[1.0], [0.88], [1.12], [0.55]])
    return np.clip(shades * box.colour, 0, 255).astype(np.uint8)


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
