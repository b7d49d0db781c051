"""A scanning 2-D lidar by ray casting.

Beams that end on the robot itself are removed, as the self-filter of a driver does.
"""

from __future__ import annotations

import math

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from framework.errors import DescriptionError


class LidarModel(msgspec.Struct, frozen=True):
    """What a lidar can do. Angles about z of its frame, 0 along x, counter-clockwise positive [rad]."""

    beams: int
    angle_min: float
    angle_max: float
    range_min_m: float
    range_max_m: float
    noise_m: float  # standard deviation of one range
    scan_rate_hz: float

    @property
    def angle_increment(self) -> float:
        """Angle between neighbouring beams [rad]."""
        return (self.angle_max - self.angle_min) / (self.beams - 1)

    def angles(self) -> NDArray[np.float64]:
        """Direction of each beam, (beams,)."""
        return np.linspace(self.angle_min, self.angle_max, self.beams)


# SICK LMS511: 190° at 0.25°, statistical error 6 mm up to 10 m; it sees 10 % reflectivity to 40 m.
LMS511 = LidarModel(761, math.radians(-95.0), math.radians(95.0), 0.1, 40.0, 0.006, 25.0)
# Hokuyo UTM-30LX: 270° at 0.25°, repeatability below 10 mm up to 10 m.
UTM30LX = LidarModel(1081, math.radians(-135.0), math.radians(135.0), 0.1, 30.0, 0.008, 40.0)


class Scan(msgspec.Struct, frozen=True):
    """One turn of the mirror, and where the lidar was. A range of infinity means: nothing seen."""

    ranges: NDArray[np.float32]  # (beams,) [m]
    angle_min: float
    angle_increment: float
    range_max_m: float
    world_T_lidar: NDArray[np.float64]  # (4, 4)

    def points(self) -> NDArray[np.float32]:
        """End points of the beams that saw something, in the lidar's frame, (n, 3) [m]."""
        seen = np.isfinite(self.ranges)
        angles = self.angle_min + self.angle_increment * np.flatnonzero(seen)
        ranges = self.ranges[seen]
        return np.column_stack(
            [ranges * np.cos(angles), ranges * np.sin(angles), np.zeros_like(ranges)]
        ).astype(np.float32)


class Lidar2D:
    """Casts a fan of rays from a body of the model, in that body's x-y plane."""

    def __init__(self, model: mujoco.MjModel, body: str, lidar: LidarModel) -> None:
        """
        Args:
            body: the lidar's own body; its housing is transparent to its beams.

        Raises:
            DescriptionError: no such body.
        """
        self._body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
        if self._body < 0:
            raise DescriptionError(f"the world has no body {body!r} to mount a lidar on")
        self.lidar = lidar
        self._model = model
        angles = lidar.angles()
        self._fan = np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])  # (beams, 3)
        self._geoms = np.empty(lidar.beams, np.int32)
        self._ranges = np.empty(lidar.beams)
        # Everything that hangs on the same root body is the robot itself. Index −1 (no hit) reads the
        # appended entry. Its rays still end there: the robot's shadow stays dark.
        root = model.body_rootid[self._body]
        own = model.body_rootid[model.geom_bodyid] == root
        self._own = np.append(own, False)  # (geoms + 1,)

    def scan(self, data: mujoco.MjData, random: np.random.Generator | None = None) -> Scan:
        """Scan `data` as it stands; with a generator, ranges carry the lidar's noise."""
        lidar = self.lidar
        rotation = data.xmat[self._body].reshape(3, 3)
        directions = self._fan @ rotation.T
        mujoco.mj_multiRay(
            self._model,
            data,
            data.xpos[self._body],
            directions.reshape(-1),
            None,
            1,
            self._body,
            self._geoms,
            self._ranges,
            None,
            lidar.beams,
            lidar.range_max_m,
        )
        ranges = self._ranges.copy()
        if random is not None:
            ranges[ranges >= 0] += lidar.noise_m * random.standard_normal(int((ranges >= 0).sum()))
        lost = (self._geoms < 0) | self._own[self._geoms]
        ranges[lost | (ranges < lidar.range_min_m) | (ranges > lidar.range_max_m)] = np.inf
        world_T_lidar = np.eye(4)
        world_T_lidar[:3, :3] = rotation
        world_T_lidar[:3, 3] = data.xpos[self._body]
        return Scan(
            ranges.astype(np.float32),
            lidar.angle_min,
            lidar.angle_increment,
            lidar.range_max_m,
            world_T_lidar,
        )
