"""What sensors measured → what the page draws: coloured points in the world frame, and a JPEG picture.

Pure functions over arrays; the console's encoder runs them in a child process. A point is 16 bytes: float32
x y z [m], world frame, then uint8 red green blue alpha.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from framework.errors import StreamError
from resources.simulation.point_cloud import moved
from resources.types.samples import Cloud, Frame, Poses, Scan
from resources.types.streams import CameraIntrinsics, Pose7, SampleMeta
from resources.web.samples import POINT_BYTES

JPEG_QUALITY: Final = 80
SCAN_COLOUR: Final = (255, 176, 46)
HIGHEST_M: Final = 2.2
"""Points from the floor to this height get the whole range of colours."""

# Dark blue over teal and green to warm yellow: rises in lightness, so it can be read without hue.
_RAMP: Final = np.array(
    [(58, 76, 160), (42, 124, 176), (54, 168, 150), (128, 200, 104), (245, 222, 96)], float
)

Points = NDArray[np.float32]  # (n, 4): x y z and four bytes of colour
Bytes = NDArray[np.uint8]


Measured = Frame | Scan | Cloud | Poses


def encode_points(measured: Measured, intrinsics: CameraIntrinsics | None, most_points: int) -> Points:
    """The points of a sample; none for pictures, poses, and what nobody knows the place or the lens of.

    Raises:
        StreamError: the picture is not of the size that the intrinsics are for.
    """
    pose = measured.meta.world_T_frame
    if pose is None:
        return np.empty((0, 4), np.float32)
    match measured:
        case Frame(rgb=rgb, depth_mm=depth) if depth is not None and intrinsics is not None:
            return rgbd_points(rgb, depth, intrinsics, pose, most_points)
        case Scan(ranges_m=ranges):
            return scan_points(ranges, measured.meta, pose, most_points)
        case Cloud(points_m=points):
            return cloud_points(points, pose, most_points)
        case _:
            return np.empty((0, 4), np.float32)


def encode_picture(measured: Measured, most_bytes: int) -> bytes:
    """The colour picture of a frame as JPEG; empty for others, and if it will not fit."""
    if not isinstance(measured, Frame) or not measured.rgb.size:
        return b""
    bgr = cv2.cvtColor(measured.rgb, cv2.COLOR_RGB2BGR)
    for quality in (JPEG_QUALITY, JPEG_QUALITY // 2, JPEG_QUALITY // 4):
        jpeg: Bytes = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        if jpeg.nbytes <= most_bytes:
            return jpeg.tobytes()
    return b""


def encode_poses(measured: Measured) -> bytes:
    """The poses of a sample as they are, which may be none; of others none."""
    return measured.poses.tobytes() if isinstance(measured, Poses) else b""


def rgbd_points(
    rgb: Bytes,
    depth: NDArray[np.uint16],
    intrinsics: CameraIntrinsics,
    world_T_optical: Pose7,
    most_points: int,
) -> Points:
    """Measured pixels as points of their colour.

    Args:
        rgb: (height, width, 3), registered to depth.
        depth: (height, width) [mm], 0 where nothing was measured.
        world_T_optical: pose of the optical frame (x right, y down, z ahead).
        most_points: beyond it a regular grid of pixels is taken, so that no region is favoured.
    """
    if depth.shape != (intrinsics.height, intrinsics.width):
        raise StreamError(
            f"a picture of {depth.shape[1]}×{depth.shape[0]} pixels came from a camera whose intrinsics "
            f"are for {intrinsics.width}×{intrinsics.height}; restart the camera"
        )
    step = _grid_step(depth.shape[0], depth.shape[1], most_points)
    millimetres = depth[::step, ::step]
    measured = millimetres > 0
    z = millimetres[measured].astype(np.float32) * np.float32(0.001)  # (n,)
    rays = _rays(intrinsics, step)[measured]  # (n, 3)
    return _coloured(moved(rays * z[:, None], world_T_optical), rgb[::step, ::step][measured])


def scan_points(
    ranges: NDArray[np.float32], meta: SampleMeta, world_T_frame: Pose7, most_points: int
) -> Points:
    """The hits of a planar scan, in its own order; ranges (n,) [m], infinite where nothing was hit."""
    angles = meta.angle_min + meta.angle_increment * np.arange(len(ranges))  # [rad]
    hit = np.isfinite(ranges) & (ranges > 0)
    if meta.range_max > 0:
        hit &= ranges < meta.range_max
    r, a = ranges[hit], angles[hit].astype(np.float32)
    local = np.column_stack([r * np.cos(a), r * np.sin(a), np.zeros_like(r)])
    local = _thinned(local, most_points)
    colour = np.broadcast_to(np.array(SCAN_COLOUR, np.uint8), (len(local), 3))
    return _coloured(moved(local, world_T_frame), colour)


def cloud_points(points: NDArray[np.float32], world_T_frame: Pose7, most_points: int) -> Points:
    """Points (n, 3) [m] coloured by their height above the floor."""
    finite = points[np.isfinite(points).all(axis=1)]
    world = moved(_thinned(finite, most_points), world_T_frame)
    return _coloured(world, height_colours(world[:, 2]))


def height_colours(heights: NDArray[np.float32]) -> Bytes:
    """Colours (n, 3) for heights (n,) [m]."""
    table = _height_table()
    at = np.clip(heights / HIGHEST_M, 0.0, 1.0) * (len(table) - 1)
    return np.asarray(table[at.astype(np.intp)], np.uint8)


@lru_cache(maxsize=1)
def _height_table() -> Bytes:
    at = np.linspace(0, len(_RAMP) - 1, 256)
    columns = [np.interp(at, np.arange(len(_RAMP)), _RAMP[:, channel]) for channel in range(3)]
    return np.column_stack(columns).astype(np.uint8)


@lru_cache(maxsize=8)
def _rays(intrinsics: CameraIntrinsics, step: int) -> NDArray[np.float32]:
    """Directions with z = 1 through the pixels of the grid, (rows, columns, 3)."""
    x = (np.arange(0, intrinsics.width, step) - intrinsics.cx) / intrinsics.fx
    y = (np.arange(0, intrinsics.height, step) - intrinsics.cy) / intrinsics.fy
    rays = np.ones((len(y), len(x), 3), np.float32)
    rays[..., 0] = x[None, :]
    rays[..., 1] = y[:, None]
    return rays


def _grid_step(height: int, width: int, most_points: int) -> int:
    step = 1
    while (-(-height // step)) * (-(-width // step)) > most_points:
        step += 1
    return step


def _thinned(points: NDArray[np.float32], most_points: int) -> NDArray[np.float32]:
    return points[:: max(1, -(-len(points) // most_points))]


def _coloured(points: NDArray[np.float32], colours: NDArray[np.uint8]) -> Points:
    packed = np.empty((len(points), 4), np.float32)
    packed[:, :3] = points
    if len(points):
        octets = packed.view(np.uint8).reshape(len(points), POINT_BYTES)
        octets[:, 12:15] = colours
        octets[:, 15] = 255
    return packed
