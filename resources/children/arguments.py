"""What each child is told when it is started: data that stands readable in its command line.

What a robot description may choose is a `…Parameters`, which the driver takes as its own, too; the rest says
where the child runs and what it works with.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from framework.errors import DescriptionError
from framework.plugins.parameters import Parameters
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.types.control import SimulationHandle
from resources.types.motion import ControllerKind, StopCategory, Workspace
from resources.types.sensors import CameraIntrinsics
from resources.types.streams import StreamHandle
from resources.voice.engines import VoiceParameters

_PIXELS = {"unit": "px"}

Width = Annotated[int, Meta(ge=16, le=4096, extra=_PIXELS)]
Height = Annotated[int, Meta(ge=16, le=4096, extra=_PIXELS)]


class MechanismParameters(Parameters, frozen=True):
    """Of everything that moves in a simulated world."""

    stop: Annotated[StopCategory, Meta(description="what an emergency stop does to it")] = StopCategory.HOLD


class SimulatedArmParameters(MechanismParameters, frozen=True):
    """Of an arm in a simulated world; its joints have a reflex at their greatest torques, too."""

    workspace: Annotated[
        Workspace | None,
        Meta(description="box in the arm's base frame that the tool point may not leave [m]"),
    ] = None
    walls: Annotated[
        tuple[Wall, ...], Meta(description="planes in the arm's base frame that no part of it may go behind")
    ] = ()
    no_go: Annotated[
        tuple[NoGoBox, ...], Meta(description="boxes in the arm's base frame that no part of it may enter")
    ] = ()
    body: Annotated[
        tuple[NoGoBox, ...],
        Meta(description="boxes of the robot itself, in its own frame, that no part of the arm may enter"),
    ] = ()
    keeps_from: Annotated[
        tuple[str, ...],
        Meta(description="other arms of the robot, by device, that it keeps away from, and they from it"),
    ] = ()
    margin_m: Annotated[
        float, Meta(ge=0.0, le=0.3, description="how far it keeps away from all of those")
    ] = 0.02
    friction: Annotated[bool, Meta(description="friction in its joints, unknown to the control law")] = False
    reflex_force_n: Annotated[float, Meta(ge=5.0, le=1000.0, description="at the tool: more is a reflex")] = (
        150.0
    )
    reflex_torque_nm: Annotated[
        float, Meta(ge=1.0, le=500.0, description="about the tool: more is a reflex")
    ] = 40.0

    @property
    def surroundings(self) -> Surroundings:
        """What no part of the arm may enter, in its base frame."""
        return Surroundings(self.walls, self.no_go, self.body, Margin(self.margin_m), self.keeps_from)


class ControlArguments(SimulatedArmParameters, frozen=True, kw_only=True):
    """One control loop's in a simulated world.

    device: its name, which its stream has too: `motion_<device>`. part: prefix of the names of what it
    moves in the world's model ("left_", ""). orders: path of its mailbox, which need not exist yet.
    What only arms have is left alone by the others.
    """

    device: str
    kind: ControllerKind
    part: str = ""
    orders: str = ""


class WorldArguments(Parameters, frozen=True):
    """The world child's. `seed`, `loose_cups`: see `World.inspection`; `scene`: see `World.named`.

    heartbeat_timeout_s: nothing moves once the supervisor has been silent for so long.
    controls: what moves in it, each by a loop of its own; the rest holds still.
    """

    run_directory: str
    world: str = "inspection"
    seed: int = 0
    loose_cups: bool = False
    scene: str = ""
    heartbeat_timeout_s: Annotated[float, Meta(ge=0.02, le=10.0)] = 0.2
    controls: tuple[ControlArguments, ...] = ()


class CameraParameters(Parameters, frozen=True):
    """Of a simulated camera."""

    rate_hz: Annotated[float, Meta(ge=0.1, le=60.0)] = 10.0
    width: Width = 848
    height: Height = 480
    noise: Annotated[bool, Meta(description="errors of depth like a D435's")] = False
    seed: Annotated[int, Meta(description="of the noise")] = 0


class CameraArguments(CameraParameters, frozen=True, kw_only=True):
    """A camera child's.

    device: its name, which its stream has too. mount: name of the camera in the world's model, whose
    field of view counts; kind: "rgbd" or "rgb".
    """

    run_directory: str
    simulation: SimulationHandle
    device: str
    mount: str
    kind: str = "rgbd"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in ("rgbd", "rgb"):
            raise DescriptionError(f"kind is {self.kind!r}; a simulated camera is 'rgbd' or 'rgb'")


Place3 = tuple[float, float, float]


class FilmParameters(Parameters, frozen=True):
    """Of a film that stands in for a colour camera."""

    path: Annotated[str, Meta(min_length=1, description="a file of moving pictures: MP4, AVI, motion JPEG …")]
    rate_hz: Annotated[
        float, Meta(ge=0.1, le=60.0, description="pictures a second, whatever the file says")
    ] = 10.0
    field_of_view_deg: Annotated[float, Meta(ge=10.0, le=160.0, description="across the picture")] = 70.0
    at: Annotated[Place3, Meta(description="where the camera stood, in the world [m]")] = (0.0, 0.0, 1.2)
    looks_at: Annotated[Place3, Meta(description="what is in its middle, in the world [m]")] = (1.0, 0.0, 1.2)
    again: Annotated[bool, Meta(description="from the first picture again, after the last")] = True


class FilmArguments(FilmParameters, frozen=True, kw_only=True):
    """The process's that plays a film."""

    run_directory: str
    device: str


class LidarKind(StrEnum):
    """Which scanner is simulated (see `resources.simulation.lidar`)."""

    LMS511 = "LMS511"
    UTM30LX = "UTM30LX"


class LidarParameters(Parameters, frozen=True):
    """Of a simulated laser scanner."""

    model: LidarKind = LidarKind.LMS511
    rate_hz: Annotated[float, Meta(ge=0.1, le=40.0)] = 20.0
    noise: Annotated[bool, Meta(description="errors of range as its data sheet says")] = True
    seed: Annotated[int, Meta(description="of the noise")] = 0


class LidarArguments(LidarParameters, frozen=True, kw_only=True):
    """A laser scanner child's. mount: name of its body in the world's model."""

    run_directory: str
    simulation: SimulationHandle
    device: str
    mount: str


class StitcherParameters(Parameters, frozen=True):
    """Of a cloud that is stitched from scans, `rate_hz` times a second."""

    scans: Annotated[
        int, Meta(ge=1, le=1000, description="how many make a cloud: best those of one half swing")
    ] = 60
    rate_hz: Annotated[float, Meta(ge=0.1, le=40.0)] = 5.0


class StitcherArguments(StitcherParameters, frozen=True, kw_only=True):
    """A stitcher child's: scans of `source` become a cloud. A larger one than `max_points` is thinned."""

    run_directory: str
    device: str
    source: StreamHandle
    max_points: Annotated[int, Meta(ge=100, le=1_000_000)] = 60_000


class DetectorArguments(Parameters, frozen=True):
    """A detector child's: marker `marker_id`, whose black square has edges of `marker_m` [m], in `source`."""

    run_directory: str
    thing: str
    camera: str
    source: StreamHandle
    intrinsics: CameraIntrinsics
    marker_id: Annotated[int, Meta(ge=0, le=49)]
    marker_m: Annotated[float, Meta(ge=0.005, le=2.0)]


class SoundFilesParameters(Parameters, frozen=True):
    """Of recordings that stand in for a microphone."""

    path: Annotated[str, Meta(min_length=1, description="a file of sound, or a folder of such")]
    before_s: Annotated[float, Meta(ge=0.0, le=60.0, description="silence before the first one")] = 1.0
    between_s: Annotated[float, Meta(ge=0.0, le=600.0, description="silence after each")] = 2.0
    again: Annotated[bool, Meta(description="from the first one again, after the last")] = False


class SoundFilesArguments(SoundFilesParameters, frozen=True, kw_only=True):
    """The process's that plays recordings."""

    run_directory: str
    device: str


class MicrophoneParameters(Parameters, frozen=True):
    """Of a microphone of this machine."""

    hardware: Annotated[
        str, Meta(description="part of its name, as `pilothouse doctor` lists it; else the machine's default")
    ] = ""


class MicrophoneArguments(MicrophoneParameters, frozen=True, kw_only=True):
    """The process's that listens to a microphone."""

    run_directory: str
    device: str


class LoudspeakerParameters(VoiceParameters, frozen=True):
    """Of a loudspeaker of this machine, and of the voice that speaks by it."""

    hardware: Annotated[
        str, Meta(description="part of its name, as `pilothouse doctor` lists it; else the machine's default")
    ] = ""
    delay_s: Annotated[
        float, Meta(ge=0.0, le=2.0, description="heard so much later than PortAudio knows: Bluetooth")
    ] = 0.05


class SoundFolderParameters(VoiceParameters, frozen=True, kw_only=True):
    """Of a folder that stands in for a loudspeaker."""

    path: Annotated[str, Meta(min_length=1, description="the folder; it is made if there is none")]
    keeps: Annotated[int, Meta(ge=1, le=10_000, description="so many files; the oldest go")] = 200


class LoudspeakerArguments(Parameters, frozen=True, kw_only=True):
    """The process's that speaks. One of the two: by a loudspeaker of this machine, or into a folder."""

    run_directory: str
    device: str
    loudspeaker: LoudspeakerParameters | None = None
    folder: SoundFolderParameters | None = None


def as_told(parameters: Parameters) -> dict[str, Any]:
    """A driver's parameters, as fields of what its child is told."""
    return msgspec.structs.asdict(parameters)
