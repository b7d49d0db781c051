"""Where a hand is before a camera, from what a tracker of single pictures gives: metres in its frame.

Such a tracker (MediaPipe) gives each point twice: in the picture, and as a hand of mean size about its own
middle, whose axes are the camera's (x right, y down, z ahead). The one place before the camera at which that
hand is seen so is where it is; with another size of the hand it is nearer or farther by as much. A depth
camera tells how far the palm is, and so how large the hand.

How far a finger points away from a camera, or towards it, such a tracker hardly sees: of rendered hands its
rays were off by some twenty degrees (`pilothouse experiment gesture`), enough to show a gesture and not to
point. So a hand has a ray only where depth was measured at its wrist and its fingertip. Pure.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from resources.types.gestures import Landmark
from resources.types.streams import CameraIntrinsics
from resources.types.whereabouts import Ray

Array = NDArray[np.float64]
Depth = NDArray[np.uint16]

PALM: Final = (
    Landmark.WRIST,
    Landmark.INDEX_MCP,
    Landmark.MIDDLE_MCP,
    Landmark.RING_MCP,
    Landmark.PINKY_MCP,
)
"""Where depth is looked at: these points lie on a surface that is large enough, whatever fingers do."""

LEAST_DEPTHS: Final = 3
"""Of so many of them at least depth has to be known."""

SIZES: Final = (0.6, 1.7)
"""No hand is so much smaller or larger than the mean one: then something else was measured there."""

_SKIN_M: Final = 0.01
"""A tracker's points lie within the hand, what depth is measured of upon it [m]."""

#: So far beneath the skin the wrist and the tip of the index finger lie [m].
_WRIST_M, _TIP_M = 0.018, 0.007

#: What is further from where the tracker takes a point to be was not measured on that hand [m].
_FARTHEST_OFF_M: Final = 0.15

_AROUND_PX: Final = 2
_NEAREST_M, _FARTHEST_M = 0.05, 20.0

#: No index finger is so near to its wrist, not even a child's that is bent [m].
_SHORTEST_M: Final = 0.05


def placed(pixels: Array, shape: Array, camera: CameraIntrinsics, depth: Depth | None = None) -> Array | None:
    """The points (21, 3) [m] in the camera's frame; None if they are nowhere before it.

    pixels: (21, 2), where they are seen [px]. shape: (21, 3), of a hand of mean size, in those axes [m].
    depth: (height, width) [mm], 0 where nothing was measured; None, and where it says nothing: of mean size.
    """
    if not (np.isfinite(pixels).all() and np.isfinite(shape).all()):
        return None
    ways = (pixels - (camera.cx, camera.cy)) / (camera.fx, camera.fy)  # (21, 2): x and y at a distance of 1
    # x + tx = way_x (z + tz), and y likewise: linear in where the hand is, t.
    made = np.zeros((len(pixels), 2, 3))
    made[:, 0, 0] = made[:, 1, 1] = 1.0
    made[:, :, 2] = -ways
    off = ways * shape[:, 2:] - shape[:, :2]
    place = np.linalg.lstsq(made.reshape(-1, 3), off.reshape(-1), rcond=None)[0]
    points = shape + place
    if not points[:, 2].min() >= _NEAREST_M:
        return None
    points = points * _size(points, pixels, depth)
    return np.asarray(points) if np.abs(points).max() <= _FARTHEST_M else None


def measured_ray(points: Array, pixels: Array, camera: CameraIntrinsics, depth: Depth) -> Ray | None:
    """From the wrist through the tip of the index finger, both as depth was measured, in the camera's frame.

    points: (21, 3) [m], as `placed`; pixels: (21, 2) [px]; depth: (height, width) [mm]. None if it was not.
    """
    ends = []
    for landmark, beneath_m in ((Landmark.WRIST, _WRIST_M), (Landmark.INDEX_TIP, _TIP_M)):
        skin_m = _depth_m(depth, pixels[landmark])
        if not skin_m or abs(skin_m - points[landmark, 2]) > _FARTHEST_OFF_M:
            return None
        way = (pixels[landmark] - (camera.cx, camera.cy)) / (camera.fx, camera.fy)
        ends.append((skin_m + beneath_m) * np.array((way[0], way[1], 1.0)))
    (x, y, z), way = ends[0].tolist(), ends[1] - ends[0]
    length = float(np.linalg.norm(way))
    if not length >= _SHORTEST_M:
        return None
    ahead, left, up = (way / length).tolist()
    return (x, y, z, ahead, left, up)


def _size(points: Array, pixels: Array, depth: Depth | None) -> float:
    """How large the hand is as a share of the mean one; 1 if depth does not say."""
    if depth is None:
        return 1.0
    known = [
        (near, far) for each in PALM if (near := _depth_m(depth, pixels[each])) and (far := points[each, 2])
    ]
    if len(known) < LEAST_DEPTHS:
        return 1.0
    size = float(np.median([(near + _SKIN_M) / far for near, far in known]))
    return size if SIZES[0] <= size <= SIZES[1] else 1.0


def _depth_m(depth: Depth, pixel: Array) -> float:
    """About a pixel [m]; 0 if it was not measured there."""
    column, row = (round(float(value)) for value in pixel)
    height, width = depth.shape
    if not (0 <= row < height and 0 <= column < width):
        return 0.0
    rows = slice(max(row - _AROUND_PX, 0), row + _AROUND_PX + 1)
    around = depth[rows, max(column - _AROUND_PX, 0) : column + _AROUND_PX + 1]
    measured = around[around > 0]
    return float(np.median(measured)) / 1e3 if len(measured) else 0.0
