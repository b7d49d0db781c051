"""Stitches the scans of a swept 2-D lidar into a 3-D cloud, as the paper's arm-mounted lidar did.

Each scan is placed with the pose the lidar had when it was taken, in the world (odometry) frame, so
the base may drive during a sweep. Reference: paper 004, section 4.1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from resources.simulation.lidar import Scan
from resources.simulation.point_cloud import transformed


def stitch(scans: Iterable[Scan], frame_T_world: NDArray[np.float64]) -> NDArray[np.float32]:
    """All end points of the scans in one frame, (n, 3) [m]; `frame_T_world` is (4, 4)."""
    parts = [transformed(scan.points(), frame_T_world @ scan.world_T_lidar) for scan in scans]
    return np.concatenate(parts) if parts else np.empty((0, 3), np.float32)


class SweepCloud:
    """The last N scans, stitched on demand. N is best the number of scans in one half swing."""

    def __init__(self, scans: int) -> None:
        """`scans` ≥ 1: how many are kept; older ones are forgotten."""
        if scans < 1:
            raise ValueError(f"a sweep keeps at least one scan, not {scans}")
        # Points are placed in the world once, when they come in: each request then costs one transform.
        self._parts: deque[NDArray[np.float32]] = deque(maxlen=scans)

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, scan: Scan) -> None:
        """Take one scan in."""
        self._parts.append(transformed(scan.points(), scan.world_T_lidar))

    def clear(self) -> None:
        """Forget everything, as after a jump of the odometry."""
        self._parts.clear()

    def cloud(self, frame_T_world: NDArray[np.float64]) -> NDArray[np.float32]:
        """The stitched cloud, (n, 3) [m]; for the base frame pass the inverse of `world_T_base`."""
        if not self._parts:
            return np.empty((0, 3), np.float32)
        return transformed(np.concatenate(self._parts), frame_T_world)
