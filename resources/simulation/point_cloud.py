"""Point clouds in another frame. Pure numpy; pictures become points in `resources.web.encoding`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Pose
from resources.types.streams import Pose7


def transformed(points: NDArray[np.float32], frame_T_points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Points (n, 3) in another frame; `frame_T_points` is (4, 4)."""
    rotation = frame_T_points[:3, :3].astype(np.float32)
    return np.asarray(points @ rotation.T + frame_T_points[:3, 3].astype(np.float32), dtype=np.float32)


def moved(points: NDArray[np.float32], frame_T_points: Pose7) -> NDArray[np.float32]:
    """Points (n, 3) in another frame; the pose's quaternion need not be quite of unit length."""
    length = math.hypot(*frame_T_points[3:]) or 1.0
    x, y, z, w = (value / length for value in frame_T_points[3:])
    return transformed(points, Pose(frame_T_points[:3], (x, y, z, w)).matrix())
