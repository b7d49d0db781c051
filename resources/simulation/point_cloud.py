"""Point clouds from depth pictures, and their change of frame. Pure numpy."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from resources.simulation.intrinsics import Intrinsics


class ColouredCloud(NamedTuple):
    """Points with the colour of their pixels, row by row the same point."""

    points: NDArray[np.float32]  # (n, 3) [m]
    colours: NDArray[np.uint8]  # (n, 3) red green blue


def point_cloud(
    depth: NDArray[np.float32], rgb: NDArray[np.uint8], intrinsics: Intrinsics, max_points: int = 60_000
) -> ColouredCloud:
    """Measured pixels as points in the optical frame (x right, y down, z forward).

    Args:
        depth: (height, width) [m], 0 where not measured.
        rgb: (height, width, 3), registered to depth.
        max_points: upper bound; beyond it a regular grid of pixels is taken, so that no region is favoured.
    """
    step = 1
    while (-(-depth.shape[0] // step)) * (-(-depth.shape[1] // step)) > max_points:
        step += 1
    return _cloud_on_grid(depth, rgb, intrinsics, step)


def transformed(points: NDArray[np.float32], frame_T_points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Points (n, 3) in another frame; `frame_T_points` is (4, 4)."""
    rotation = frame_T_points[:3, :3].astype(np.float32)
    return np.asarray(points @ rotation.T + frame_T_points[:3, 3].astype(np.float32), dtype=np.float32)


def _cloud_on_grid(
    depth: NDArray[np.float32], rgb: NDArray[np.uint8], intrinsics: Intrinsics, step: int
) -> ColouredCloud:
    rays_x, rays_y = _rays(intrinsics)
    z = depth[::step, ::step]
    measured = z > 0
    z_measured = z[measured]
    grid_x, grid_y = np.broadcast_arrays(rays_x[None, ::step], rays_y[::step, None])
    points = np.column_stack([grid_x[measured] * z_measured, grid_y[measured] * z_measured, z_measured])
    return ColouredCloud(points.astype(np.float32, copy=False), rgb[::step, ::step][measured])


@lru_cache(maxsize=8)
def _rays(intrinsics: Intrinsics) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """x/z of each column (width,) and y/z of each row (height,)."""
    columns = (np.arange(intrinsics.width) - intrinsics.cx) / intrinsics.fx
    rows = (np.arange(intrinsics.height) - intrinsics.cy) / intrinsics.fy
    return columns.astype(np.float32), rows.astype(np.float32)
