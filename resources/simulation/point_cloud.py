"""Point clouds in another frame. Pure numpy; pictures become points in `resources.console.encoding`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def transformed(points: NDArray[np.float32], frame_T_points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Points (n, 3) in another frame; `frame_T_points` is (4, 4)."""
    rotation = frame_T_points[:3, :3].astype(np.float32)
    return np.asarray(points @ rotation.T + frame_T_points[:3, 3].astype(np.float32), dtype=np.float32)
