"""A robot description file: YAML that is read strictly, with errors that name file and line.

    robot: inspector
    world: inspection            # what to simulate; leave out on hardware
    scene: flat.yaml             # the file that describes that world, from here; leave out of one of ours
    grammars: [home]             # whose words it hears, too: packs of ours by name, or ./folders, from here
    devices:
      - name: front_camera
        driver: simulated_camera # a driver's name; `pilothouse doctor` lists them
        kind: rgbd               # rgbd, rgb, scan, cloud, audio; loudspeaker; arm, gripper, base
        mount: front             # of arms and grippers their side: left, right, or nothing
        priority: 20             # the highest that works is chosen
        says: [mast camera]      # what else people call it
        retry_after_s: 30        # after a crash it is left alone for so long
        parameters: {rate_hz: 10}
    markers:                     # things that carry a fiducial marker and can be tracked
      - {name: hand, id: 7, size_m: 0.075}
    speech:
      recogniser: both           # pocketsphinx, whisper, vosk, both; best: both if Whisper is installed
      wake: hey pilot house      # who is near an open microphone says this first
    gestures:
      cameras: [front_camera]    # whose pictures are looked at for hands; without it none are
    ros:                         # of a robot that speaks ROS 2; without it the shell's domain, and loopback
      domain: 7
      range: localhost           # subnet: everybody in the network, by multicast
      peers: [10.0.0.2]          # other machines, by their addresses, without multicast
      offers: state              # instructions: whoever speaks in that domain may instruct the robot

All mistakes of a file are reported together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec import Meta

from framework.yaml_reader import Misplaced, Mistakes, Place, Text, compose, convert, text_of
from resources.types.motion import ControllerKind

Kind = Literal["rgbd", "rgb", "scan", "cloud", "audio", "loudspeaker", "arm", "gripper", "base"]

CONTROLLERS = tuple(kind.value for kind in ControllerKind)
"""Kinds of devices that move, which the controller manager opens."""

SENSORS = tuple(kind for kind in get_args(Kind) if kind not in CONTROLLERS)
"""Kinds of devices that the sensor manager opens."""

KINDS = (*SENSORS, *CONTROLLERS)

CAMERAS: Final = ("rgbd", "rgb")

#: Of a camera with fewer pictures a second no gesture can be told [Hz].
LEAST_HANDS_HZ: Final = 3.0
"""Kinds of devices that give pictures."""

Name = Annotated[
    Text, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}\Z", description="small letters, digits and _, a letter first")
]


class DeviceDescription(msgspec.Struct, frozen=True):
    """One device of a robot. `parameters` are its driver's."""

    name: Name
    driver: Text
    kind: Kind
    mount: Text = ""
    priority: int = 0
    retry_after_s: Annotated[float, Meta(ge=0.0)] = 30.0
    parameters: dict[str, Any] = {}
    says: tuple[Text, ...] = ()
    place: Place = Place()

    @property
    def where(self) -> str:
        """Where its parameters stand: "file:line", or ""."""
        return self.place.at("parameters")

    def at(self, name: str) -> str:
        """Where this parameter or field stands: "file:line"; its parameters' place if it is nowhere."""
        return self.place.at(f"parameters.{name}", name, "parameters")


class MarkerDescription(msgspec.Struct, frozen=True):
    """A thing that carries a marker (4×4, dictionary of 50); `size_m` is the edge of its black square."""

    name: Text
    id: Annotated[int, Meta(ge=0, le=49)]
    size_m: Annotated[float, Meta(ge=0.005, le=2.0)]
    place: Place = Place()


WakeWords = Annotated[
    Text,
    Meta(
        pattern=r"^[A-Za-z']{1,30}( [A-Za-z']{1,30}){0,4}\Z",
        description="one to five words of letters, such as: hey pilot house",
    ),
]


class SpeechDescription(msgspec.Struct, frozen=True):
    """Who makes words of what is said. A model is a folder, else the one that is installed.

    wake: by this an open microphone of the robot is addressed; what is said without it is not for the robot.
    """

    recogniser: Literal["best", "pocketsphinx", "whisper", "vosk", "both"] = "best"
    wake: WakeWords = "hey pilot house"
    whisper_model: Text | None = None
    vosk_model: Text | None = None
    place: Place = Place()


class GesturesDescription(msgspec.Struct, frozen=True):
    """Before which of its cameras hands are looked for, as long as it runs; before none unless it says so."""

    cameras: tuple[Name, ...] = ()
    place: Place = Place()


MOST_DOMAIN: Final = 101
"""Above it the ports of ROS 2 domains run into those that Linux hands out."""


class RosDescription(msgspec.Struct, frozen=True):
    """The ROS 2 graph that the robot is in. domain: None is the environment's, or 0.

    range: who hears us: "localhost" or "subnet". peers: addresses of machines that we speak with, too,
    without multicast. python: the interpreter with rclpy, or its environment's folder, where it is not to be
    looked for. offers: what nodes there see of us: nothing; how the robot is, and a stop; or, with
    "instructions", whoever speaks in that domain may instruct the robot, too. sim_time: ROS's time is that of
    /clock.
    """

    domain: Annotated[int, Meta(ge=0, le=MOST_DOMAIN)] | None = None
    range: Literal["localhost", "subnet"] = "localhost"
    peers: tuple[Annotated[Text, Meta(pattern=r"^[A-Za-z0-9.:-]{1,255}\Z")], ...] = ()
    python: Text = ""
    offers: Literal["nothing", "state", "instructions"] = "nothing"
    sim_time: bool = False
    place: Place = Place()

    @property
    def is_loopback(self) -> bool:
        """Whether nothing leaves this machine."""
        return self.range == "localhost" and not self.peers


class RobotDescription(msgspec.Struct, frozen=True):
    """A robot and its devices, in the order of the file. `world` is "" on hardware.

    scene: the file of a world that is described. grammars: names or folders of grammar packs. Files and
    folders are as they were written, until `read_description` resolves them.
    """

    robot: Text
    devices: Annotated[tuple[DeviceDescription, ...], Meta(min_length=1)]
    world: Text = ""
    markers: tuple[MarkerDescription, ...] = ()
    speech: SpeechDescription = SpeechDescription()
    gestures: GesturesDescription = GesturesDescription()
    ros: RosDescription = RosDescription()
    scene: Text = ""
    grammars: tuple[Text, ...] = ()

    def __post_init__(self) -> None:
        if self.scene and not self.world:
            raise Misplaced("scene", "a scene describes a simulated world: give that a name, under `world`")
        self._check_gestures()

    def _check_gestures(self) -> None:
        cameras = {device.name: device for device in self.devices if device.kind in CAMERAS}
        named = self.gestures.cameras
        for number, name in enumerate(named):
            if name not in cameras:
                listed = ", ".join(sorted(cameras)) or "none"
                words = (
                    f"hands are looked for before cameras of the robot; {name!r} is none of them: {listed}"
                )
                raise Misplaced("gestures", words)
            if name in named[:number]:
                raise Misplaced("gestures", f"{name!r} is named twice; each camera is named once")
            rate_hz = cameras[name].parameters.get("rate_hz")
            if isinstance(rate_hz, int | float) and rate_hz < LEAST_HANDS_HZ:
                words = (
                    f"{name!r} gives {rate_hz:g} pictures a second; to tell gestures it takes "
                    f"{LEAST_HANDS_HZ:g} at least: raise its rate_hz, or name another camera"
                )
                raise Misplaced("gestures", words)

    @property
    def sensors(self) -> tuple[DeviceDescription, ...]:
        """The devices that look."""
        return tuple(device for device in self.devices if device.kind in SENSORS)

    @property
    def controllers(self) -> tuple[DeviceDescription, ...]:
        """The devices that move."""
        return tuple(device for device in self.devices if device.kind in CONTROLLERS)

    def device(self, name: str) -> DeviceDescription | None:
        """The device of that name."""
        return next((device for device in self.devices if device.name == name), None)


def read_description(path: Path) -> RobotDescription:
    """Read a robot description. Raises DescriptionError that lists every mistake with its line.

    A file that it names stands where it says from its own folder.
    """
    robot = parse_description(text_of(path, "this robot description"), str(path))
    scene = str((path.parent / robot.scene).resolve()) if robot.scene else ""
    grammars = tuple(
        str((path.parent / grammar).resolve()) if "/" in grammar else grammar for grammar in robot.grammars
    )
    return msgspec.structs.replace(robot, scene=scene, grammars=grammars)


def parse_description(text: str, file: str) -> RobotDescription:
    """The description in `text`; `file` names it in errors. Raises DescriptionError."""
    mistakes = Mistakes(file)
    robot = convert(compose(text, file), RobotDescription, mistakes, what="the robot description")
    if robot is not None:
        for what, things in (("device", robot.devices), ("marker", robot.markers)):
            lines: dict[str, int] = {}
            for thing in things:
                if thing.name in lines:
                    words = f"there is a {what} {thing.name!r} already, in line {lines[thing.name]}"
                    mistakes.add(thing.place.line, words)
                lines.setdefault(thing.name, thing.place.line)
    mistakes.raise_all()
    assert isinstance(robot, RobotDescription)
    return robot
