"""The pinhole model of a camera, as data."""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import NDArray


class Intrinsics(msgspec.Struct, frozen=True):
    """Pinhole intrinsics [px] without distortion; pixel (0, 0) has its centre at (0.0, 0.0)."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    @staticmethod
    def symmetric(width: int, height: int, focal_px: float) -> Intrinsics:
        """Square pixels and a principal point in the middle, as a renderer has them."""
        return Intrinsics(width, height, focal_px, focal_px, (width - 1) / 2, (height - 1) / 2)

    @property
    def vertical_fov(self) -> float:
        """Vertical field of view [rad]."""
        return 2 * math.atan(self.height / (2 * self.fy))

    @property
    def horizontal_fov(self) -> float:
        """Horizontal field of view [rad]."""
        return 2 * math.atan(self.width / (2 * self.fx))

    def matrix(self) -> NDArray[np.float64]:
        """The camera matrix (3, 3)."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])


# The D435's depth imager with colour registered to it. Its data sheet says 87° ± 3° × 58° ± 1°;
# calibrations that users publish for 848×480 lie at 421 to 425 px. 424 px is 90.0° × 59.0°.
D435_848X480 = Intrinsics.symmetric(848, 480, 424.0)
D435_NEAREST_M = 0.28  # below it the two imagers share too little picture to match
D435_FARTHEST_M = 10.0
