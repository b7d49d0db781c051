"""Rendered hands: round bones with flesh on them, lit, one before the other, before a wall, as a camera sees
them.

Rounded cones between the points, drawn into a depth buffer with the colour of their normals (Lambert). Skin,
light, size, place and wall are drawn at random. A tracker that has learnt on people takes them for hands
mostly; they have no nails and no folds.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.gesture.hands import Bones, Shape, points_of
from pilothouse.experiments.gesture.motion import VIEW
from resources.types.gestures import GestureKind, Landmark
from resources.types.masters import HandSide
from resources.types.streams import CameraIntrinsics

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Depth = NDArray[np.uint16]

CAMERA: Final = CameraIntrinsics(640, 480, 600.0, 600.0, 319.5, 239.5)
NEAREST_M, FARTHEST_M = 0.45, 0.75
"""So far away hands are [m]."""

WALL_M: Final = 2.5

ROLL: Final = math.radians(20.0)
"""Hands are so upright, or level with their thumbs up or down, within."""

#: Of thumb, index to little finger, at its four points [m].
_RADII_M: Final = (
    (0.017, 0.0135, 0.0115, 0.0095),
    (0.0115, 0.0100, 0.0088, 0.0076),
    (0.0120, 0.0102, 0.0090, 0.0078),
    (0.0115, 0.0097, 0.0086, 0.0074),
    (0.0102, 0.0086, 0.0076, 0.0066),
)
_WRIST_M, _ARM_M = 0.0215, 0.033
_ARM_LONG_M: Final = 0.35
_DARKEST: Final = 0.6
"""So light is what no lamp shines on: rooms are not dark. With .35 the tracker found fewer hands."""

#: Red, green, blue of skins, from light to dark.
_SKINS: Final = np.array(
    [(236, 188, 160), (214, 160, 125), (180, 125, 92), (132, 86, 60), (92, 58, 42)], float
)


class Look:
    """How one person's hand is lit and coloured, and what is behind it."""

    def __init__(self, random: np.random.Generator) -> None:
        share = random.uniform(0.0, len(_SKINS) - 1.001)
        first = int(share)
        self.skin = _SKINS[first] + (share - first) * (_SKINS[first + 1] - _SKINS[first])
        light = np.array((random.uniform(-0.6, 0.6), random.uniform(-0.9, -0.2), -1.0))
        self.light = light / np.linalg.norm(light)
        coarse = random.uniform(0.0, 1.0, (4, 5, 3)) * 60.0 + random.uniform(60.0, 150.0)
        self.wall = cv2.resize(coarse, (CAMERA.width, CAMERA.height), interpolation=cv2.INTER_CUBIC)
        self.sleeve = random.uniform(30.0, 220.0, 3)
        noise = random.normal(0.0, random.uniform(1.0, 4.0), (CAMERA.height, CAMERA.width, 3))
        self.noise = np.asarray(noise, np.float32)


def turn_before(kind: GestureKind | str, bones: Bones, random: np.random.Generator) -> Array:
    """How a hand is turned before the camera (3, 3): it shows its palm, fingers up, within VIEW of the front.

    Thumbs: the palm to the camera, too, and the thumb up or down.
    """
    mirror = np.diag((1.0, -1.0 if bones.side is HandSide.LEFT else 1.0, 1.0))
    front = _LEVEL if kind in (GestureKind.THUMB_UP, GestureKind.THUMB_DOWN) else UPRIGHT
    facing = np.diag((mirror[1, 1], 1.0, 1.0)) @ front @ mirror
    if kind is GestureKind.THUMB_DOWN:
        facing = np.diag((-1.0, -1.0, 1.0)) @ facing
    around = random.uniform(-math.pi, math.pi)
    tilt = about((math.cos(around), math.sin(around), 0.0), random.uniform(0.0, VIEW))
    return np.asarray(tilt @ about((0.0, 0.0, 1.0), random.uniform(-ROLL, ROLL)) @ facing)


def before_camera(bones: Bones, shape: Shape, turn: Array, middle: Array) -> Array:
    """The points (21, 3) [m] in the camera's frame, with their mean in the `middle` (3,)."""
    own = points_of(bones, shape.fingers[None], shape.thumb[None])[0]
    points = own @ turn.T
    return np.asarray(points - points.mean(axis=0) + middle)


def some_middle(random: np.random.Generator) -> Array:
    """Somewhere before the camera, well within its picture."""
    far = random.uniform(NEAREST_M, FARTHEST_M)
    return np.array((random.uniform(-0.12, 0.12) * far, random.uniform(-0.08, 0.08) * far, far))


def rendered(points: Array, look: Look, random: np.random.Generator) -> tuple[Picture, Depth]:
    """A hand (21, 3) [m] in the camera's frame as CAMERA sees it: red green blue, and depth [mm]."""
    canvas = _Canvas()
    wrist, middle = points[Landmark.WRIST], points[Landmark.MIDDLE_MCP]
    along = (wrist - middle) / np.linalg.norm(wrist - middle)
    flesh = float(np.linalg.norm(middle - wrist)) / _MEAN_PALM_M
    elbow = wrist + _ARM_LONG_M * along
    canvas.cone(wrist + 0.06 * along, elbow, flesh * _ARM_M, flesh * 1.2 * _ARM_M, is_skin=False)
    canvas.cone(wrist, wrist + 0.08 * along, flesh * _WRIST_M, flesh * 0.027)
    for finger, radii in enumerate(_RADII_M):
        first = 1 + 4 * finger
        for bone in range(3):
            ends = points[first + bone], points[first + bone + 1]
            canvas.cone(*ends, flesh * radii[bone], flesh * radii[bone + 1])
        if finger:
            canvas.cone(wrist, points[first], flesh * 0.017, flesh * 0.0125)
    knuckles = [Landmark.INDEX_MCP, Landmark.MIDDLE_MCP, Landmark.RING_MCP, Landmark.PINKY_MCP]
    for one, other in pairwise(knuckles):
        canvas.cone(points[one], points[other], flesh * 0.0115, flesh * 0.0115)
        canvas.cone((wrist + points[one]) / 2, (wrist + points[other]) / 2, flesh * 0.0155, flesh * 0.0155)
    thumb, index = points[Landmark.THUMB_MCP], points[Landmark.INDEX_MCP]
    canvas.cone(
        points[Landmark.THUMB_CMC], (points[Landmark.THUMB_CMC] + index) / 2, flesh * 0.019, flesh * 0.012
    )
    canvas.cone(thumb, (wrist + 2 * index) / 3, flesh * 0.011, flesh * 0.010)
    canvas.cone(points[Landmark.THUMB_CMC], wrist, flesh * 0.018, flesh * 0.019)
    return canvas.picture(look, random), canvas.depth()


class _Canvas:
    """A depth buffer, with normals."""

    def __init__(self) -> None:
        self._depth = np.full((CAMERA.height, CAMERA.width), np.inf)
        self._normals = np.zeros((CAMERA.height, CAMERA.width, 3))
        self._is_skin = np.zeros((CAMERA.height, CAMERA.width), bool)

    def cone(self, one: Array, other: Array, one_m: float, other_m: float, *, is_skin: bool = True) -> None:
        """Between two points of the camera's frame, rounded, with these radii [m]."""
        ends = np.stack((one, other))
        pixels = ends[:, :2] / ends[:, 2:] * (CAMERA.fx, CAMERA.fy) + (CAMERA.cx, CAMERA.cy)
        radii = np.array((one_m, other_m)) * CAMERA.fx / ends[:, 2]
        low = np.floor((pixels - radii[:, None]).min(axis=0)).astype(int)
        high = np.ceil((pixels + radii[:, None]).max(axis=0)).astype(int) + 1
        left, top = np.maximum(low, 0)
        right, bottom = np.minimum(high, (CAMERA.width, CAMERA.height))
        if left >= right or top >= bottom:
            return
        x, y = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
        way = pixels[1] - pixels[0]
        square = max(float(way @ way), 1e-9)
        share = np.clip(((x - pixels[0, 0]) * way[0] + (y - pixels[0, 1]) * way[1]) / square, 0.0, 1.0)
        off_x, off_y = x - pixels[0, 0] - share * way[0], y - pixels[0, 1] - share * way[1]
        radius = radii[0] + share * (radii[1] - radii[0])
        height = radius**2 - off_x**2 - off_y**2
        far = ends[0, 2] + share * (ends[1, 2] - ends[0, 2])
        height = np.sqrt(np.maximum(height, 0.0))
        depth = np.where(height > 0.0, far * (1.0 - height / CAMERA.fx), np.inf)
        area = (slice(top, bottom), slice(left, right))
        nearer = depth < self._depth[area]
        self._depth[area][nearer] = depth[nearer]
        self._normals[area][nearer] = (np.stack((off_x, off_y, -height), axis=-1) / radius[..., None])[nearer]
        self._is_skin[area][nearer] = is_skin

    def depth(self) -> Depth:
        """As a depth camera measures it [mm], without errors; the wall behind is WALL_M away."""
        return np.asarray(np.minimum(self._depth, WALL_M) * 1e3, np.uint16)

    def picture(self, look: Look, random: np.random.Generator) -> Picture:
        """It, lit, before its wall; nothing but the wall if nothing was drawn."""
        is_hand = np.isfinite(self._depth)
        behind = self._depth[is_hand].max(initial=0.0)
        lit = np.clip(self._normals @ look.light, 0.0, 1.0)[..., None]
        # Behind another finger there is shade: darker by how much nearer the surroundings are.
        near = cv2.GaussianBlur(np.where(is_hand, self._depth, behind), (0, 0), 5.0)
        shade = np.clip(
            1.0 - 18.0 * np.maximum(np.where(is_hand, self._depth, behind) - near, 0.0), 0.55, 1.0
        )[..., None]
        colour = np.where(self._is_skin[..., None], look.skin, look.sleeve)
        hand = colour * (_DARKEST + (1.0 - _DARKEST) * lit) * shade
        image = np.where(is_hand[..., None], hand, look.wall)
        blurred = cv2.GaussianBlur(image.astype(np.float32), (0, 0), 0.8)
        image = blurred + np.roll(look.noise, tuple(random.integers(0, 400, 2)), axis=(0, 1))
        return np.asarray(np.clip(image, 0.0, 255.0), np.uint8)


#: From the wrist to the middle knuckle of the mean hand [m].
_MEAN_PALM_M: Final = 0.093

#: The palm before the camera (x right, y down, z ahead): fingers up; or to the left with the thumb up.
UPRIGHT: Final = np.array([(0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
_LEVEL: Final = np.array([(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)])


def about(axis: tuple[float, float, float], angle: float) -> Array:
    """The rotation (3, 3) about a unit axis."""
    return np.asarray(cv2.Rodrigues(angle * np.array(axis))[0], np.float64)
