"""What each child is told when it is started: data that stands readable in its command line."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from framework.errors import DescriptionError
from resources.cameras.realsense_recovery import Patience
from resources.fci.arguments import within
from resources.twin.obstacles import Surroundings
from resources.types.arms import Workspace
from resources.types.control import SimulationHandle
from resources.types.motion import ControllerKind, StopCategory
from resources.types.sensors import CameraFeed, CameraIntrinsics
from resources.types.streams import StreamHandle


class ControlArguments(msgspec.Struct, frozen=True):
    """One control loop's in a simulated world.

    device: its name, which its stream has too: `motion_<device>`. part: prefix of the names of what it
    moves in the world's model ("left_", ""). stop: what an emergency stop does to it. orders: path of its
    mailbox, which need not exist yet.
    reflex_force_n, reflex_torque_nm: what the surroundings may do to an arm's tool before it stops with a
    fault [N, N m]; an arm's joints, by shares of their greatest torques: `reflex_joint_share`.
    friction: joints of an arm have the real one's friction, which its controller does not know of.
    workspace: the box that an arm's tool point may not leave; None: the controller's own.
    surroundings: what no part of the arm may enter, in its base frame.
    """

    device: str
    kind: ControllerKind
    part: str = ""
    stop: StopCategory = StopCategory.HOLD
    orders: str = ""
    reflex_force_n: float = 150.0
    reflex_torque_nm: float = 40.0
    reflex_joint_share: float = 1.0
    friction: bool = False
    workspace: Workspace | None = None
    surroundings: Surroundings = Surroundings()

    def __post_init__(self) -> None:
        within("reflex_force_n", self.reflex_force_n, 5.0, 1000.0)
        within("reflex_torque_nm", self.reflex_torque_nm, 1.0, 500.0)
        within("reflex_joint_share", self.reflex_joint_share, 0.05, 10.0)


class WorldArguments(msgspec.Struct, frozen=True):
    """The world child's. `seed`, `loose_cups`: see `World.inspection`.

    heartbeat_timeout_s: nothing moves once the supervisor has been silent for so long.
    controls: what moves in it, each by a loop of its own; the rest holds still.
    """

    run_directory: str
    world: str = "inspection"
    seed: int = 0
    loose_cups: bool = False
    heartbeat_timeout_s: float = 0.2
    controls: tuple[ControlArguments, ...] = ()

    def __post_init__(self) -> None:
        within("heartbeat_timeout_s", self.heartbeat_timeout_s, 0.02, 10.0)


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
        within("rate_hz", self.rate_hz, 0.1, 60.0)
        within("width", self.width, 16, 4096)
        within("height", self.height, 16, 4096)
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
        within("rate_hz", self.rate_hz, 0.1, 40.0)


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
        within("scans", self.scans, 1, 1000)
        within("rate_hz", self.rate_hz, 0.1, 40.0)
        within("max_points", self.max_points, 100, 1_000_000)


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
        within("marker_id", self.marker_id, 0, 49)
        within("marker_m", self.marker_m, 0.005, 2.0)


class RealSenseArguments(msgspec.Struct, frozen=True):
    """A RealSense camera child's. What it streams from: `drawn`, else `recording`, else what is plugged in.

    serial: which camera is meant, or whose recording it must be; "" is the only one there is, or anybody's.
    drawn: a simulated camera that feeds a software device. rate_hz, width, height: asked of a real camera.
    decimate, spatial, temporal: the filters. repeat, real_time: how a recording is played.
    record: a folder; what comes is recorded there too. patience: with a camera that gives no pictures.
    """

    run_directory: str
    device: str
    serial: str = ""
    recording: str = ""
    drawn: CameraFeed | None = None
    rate_hz: float = 15.0
    width: int = 848
    height: int = 480
    decimate: int = 2
    spatial: bool = False
    temporal: bool = False
    repeat: bool = True
    real_time: bool = True
    record: str = ""
    patience: Patience = Patience()

    def __post_init__(self) -> None:
        within("rate_hz", self.rate_hz, 0.1, 90.0)
        within("width", self.width, 16, 4096)
        within("height", self.height, 16, 4096)
        within("decimate", self.decimate, 1, 8)

    @property
    def is_live(self) -> bool:
        """Whether it streams from hardware."""
        return self.drawn is None and not self.recording
