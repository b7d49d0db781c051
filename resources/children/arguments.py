"""What each child is told when it is started: data that stands readable in its command line."""

from __future__ import annotations

import math
from enum import StrEnum

import msgspec

from framework.errors import DescriptionError
from resources.types.control import SimulationHandle
from resources.types.sensors import CameraIntrinsics
from resources.types.streams import StreamHandle


class WorldArguments(msgspec.Struct, frozen=True):
    """The world child's. `seed`, `loose_cups`: see `World.inspection`.

    heartbeat_timeout_s: nothing moves once the supervisor has been silent for so long.
    """

    run_directory: str
    world: str = "inspection"
    seed: int = 0
    loose_cups: bool = False
    heartbeat_timeout_s: float = 0.2

    def __post_init__(self) -> None:
        _within("heartbeat_timeout_s", self.heartbeat_timeout_s, 0.02, 10.0)


class CameraArguments(msgspec.Struct, frozen=True):
    """A camera child's.

    device: its name, which its stream has too. mount: name of the camera in the world's model, whose
    field of view counts; kind: "rgbd" or "rgb". noise: D435-like errors of depth, from `seed`.
    """

    run_directory: str
    simulation: SimulationHandle
    device: str
    mount: str
    kind: str = "rgbd"
    rate_hz: float = 10.0
    width: int = 848
    height: int = 480
    noise: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        _within("rate_hz", self.rate_hz, 0.1, 60.0)
        _within("width", self.width, 16, 4096)
        _within("height", self.height, 16, 4096)
        if self.kind not in ("rgbd", "rgb"):
            raise DescriptionError(f"kind is {self.kind!r}; a simulated camera is 'rgbd' or 'rgb'")


class LidarKind(StrEnum):
    """Which scanner is simulated (see `resources.simulation.lidar`)."""

    LMS511 = "LMS511"
    UTM30LX = "UTM30LX"


class LidarArguments(msgspec.Struct, frozen=True):
    """A laser scanner child's.

    mount: name of its body in the world's model. noise: of the ranges, from `seed`.
    """

    run_directory: str
    simulation: SimulationHandle
    device: str
    mount: str
    model: LidarKind = LidarKind.LMS511
    rate_hz: float = 20.0
    noise: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        _within("rate_hz", self.rate_hz, 0.1, 40.0)


class StitcherArguments(msgspec.Struct, frozen=True):
    """A stitcher child's: the last `scans` scans of `source` become a cloud, `rate_hz` times a second.

    A cloud larger than `max_points` is thinned evenly.
    """

    run_directory: str
    device: str
    source: StreamHandle
    scans: int = 60
    rate_hz: float = 5.0
    max_points: int = 60_000

    def __post_init__(self) -> None:
        _within("scans", self.scans, 1, 1000)
        _within("rate_hz", self.rate_hz, 0.1, 40.0)
        _within("max_points", self.max_points, 100, 1_000_000)


class DetectorArguments(msgspec.Struct, frozen=True):
    """A detector child's: marker `marker_id`, whose black square has edges of `marker_m` [m], in `source`."""

    run_directory: str
    thing: str
    camera: str
    source: StreamHandle
    intrinsics: CameraIntrinsics
    marker_id: int
    marker_m: float

    def __post_init__(self) -> None:
        _within("marker_id", self.marker_id, 0, 49)
        _within("marker_m", self.marker_m, 0.005, 2.0)


def _within(name: str, value: float, least: float, most: float) -> None:
    if not math.isfinite(value) or not least <= value <= most:
        raise DescriptionError(f"{name} is {value}; {least:g} to {most:g} is allowed")
