"""What a scripted process gives instead of a real one: a handle, and streams whose samples have stamps only.

Samples follow their source, as with the real children: when the world stands still, no camera has news. Scans
have content, too: a base reads them before it drives. They are those of an empty floor.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from math import cos, pi, sin
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from framework.errors import ProcessError, StreamError
from framework.processes.spec import ProcessSpec
from framework.transport.ring import RingReader, RingWriter, Sample
from pilothouse.testbed import virtual_room
from pilothouse.testbed.virtual_ailments import HEALTHY, Ailment
from pilothouse.testbed.virtual_controls import VirtualControls
from pilothouse.testbed.virtual_operators import VirtualOperators
from pilothouse.testbed.virtual_room import Hearing
from resources.children.arguments import (
    CameraArguments,
    DetectorArguments,
    LidarArguments,
    LidarKind,
    StitcherArguments,
    WorldArguments,
)
from resources.children.world_files import known_things
from resources.console.encoder_spec import EncoderArguments
from resources.controllers.base_guard import Odometry
from resources.drivers.realsense.arguments import RealSenseArguments
from resources.operator.arguments import OperatorArguments
from resources.simulation.lidar import LMS511, UTM30LX
from resources.types.context import TrackedFeed
from resources.types.control import SimulationHandle, SimulationReport, ThingReport
from resources.types.sensors import CameraFeed, CloudFeed, ScanFeed
from resources.types.streams import (
    IDENTITY,
    CameraIntrinsics,
    Pose7,
    SampleMeta,
    StreamFormat,
    StreamHandle,
    encode_meta,
)
from resources.worlds.robot import BASE_LIDAR, BASE_LIDAR_POSITION
from resources.worlds.things import Thing, ThingKind
from resources.worlds.world import World

_SLOT_BYTES: Final = 16 * 1024
_SEEN_AT: Final = (1.5, 0.0, 1.2, 0.0, 0.0, 0.0, 1.0)
_INTRINSICS: Final = CameraIntrinsics(848, 480, 424.0, 424.0, 423.5, 239.5)


Content = Callable[[float, Sample | None], tuple[bytes, SampleMeta]]
"""What is measured now [s], and what goes with it; from a sample of the source, if there is one."""


def nothing(now_s: float, source: Sample | None) -> tuple[bytes, SampleMeta]:
    """A sample that nobody here looks into."""
    return b"", SampleMeta(now_s)


class VirtualStream:
    """One ring, written at its rate; with a source, when that has a newer sample, under its stamp."""

    def __init__(
        self,
        directory: Path,
        handle: StreamHandle,
        source: StreamHandle | None,
        content: Content = nothing,
    ) -> None:
        self._writer = RingWriter(directory, handle.name, slot_bytes=_SLOT_BYTES, replace=True)
        self._period_s = 1.0 / handle.rate_hz
        self._due_s = 0.0
        self._content = content
        self._source = Path(source.ring) if source is not None else None
        self._reader: RingReader | None = None
        self._seen = 0
        self.ailment = HEALTHY

    def shift(self, now_s: float, share: float) -> None:
        """Its first sample comes so much of a period later."""
        self._due_s = now_s + share * self._period_s

    def write(self, now_s: float) -> None:
        """Write a sample if one is due and there is news."""
        ailment = self.ailment
        if now_s < self._due_s or ailment.is_away(now_s):
            return
        sample = self._news()
        if sample is not None or self._source is None:
            stamp_s = now_s if sample is None else sample.stamp_s
            stamp_s += ailment.stamps_off_s
            self._due_s = now_s + ailment.slower * self._period_s - 1e-6
            payload, meta = self._content(stamp_s, sample)
            self._writer.write(payload, stamp_s=stamp_s, meta=encode_meta(meta))

    def close(self) -> None:
        """End it."""
        self._writer.close()
        if self._reader is not None:
            self._reader.close()

    def _news(self) -> Sample | None:
        if self._source is None:
            return None
        with suppress(StreamError):  # it has just ended, or is not there yet
            if self._reader is None:
                self._reader = RingReader(self._source)
            elif self._reader.replaced():
                self._reader.reopen()
                self._seen = 0
            sample = self._reader.latest(self._seen)
            if sample is not None:
                self._seen = sample.sequence
                return sample
        return None


class ScriptedProcess:
    """One life of a scripted process, from its being ready on: its handle, its files and its streams.

    Begun anew, its rings are others, as those of a real process; whoever kept the old ones sees nothing new.
    """

    def __init__(
        self,
        handle: Any,
        streams: list[VirtualStream],
        files: dict[Path, bytes],
        controls: VirtualControls | None = None,
        operators: VirtualOperators | None = None,
        hearing: Hearing | None = None,
    ) -> None:
        self.handle = msgspec.json.encode(handle)
        self.is_writing = True
        self.controls = controls
        self.operators = operators
        self._hearing = hearing
        self._streams = streams
        self._files = files
        for file, content in files.items():
            file.write_bytes(content)

    def write(self, now_s: float) -> None:
        """Write what is due."""
        if self.is_writing:
            for stream in self._streams:
                stream.write(now_s)
            if self.controls is not None:
                self.controls.tick(now_s)
            if self.operators is not None:
                self.operators.tick(now_s)
            if self._hearing is not None:
                self._hearing.write(now_s)

    def ails(self, ailment: Ailment) -> None:
        """From now on, in all that it writes."""
        for stream in self._streams:
            stream.ailment = ailment

    def shift(self, now_s: float, lots: random.Random) -> None:
        """Its streams begin at other moments of their periods."""
        for stream in self._streams:
            stream.shift(now_s, lots.random())

    def close(self) -> None:
        """End it orderly; idempotent. The people stay: they are nobody's part."""
        for stream in self._streams:
            stream.close()
        if self.controls is not None:
            self.controls.close()
        if self._hearing is not None:
            self._hearing.close()
        for file in self._files:
            file.unlink(missing_ok=True)


def scripted_people(spec: ProcessSpec, lots: random.Random | None) -> VirtualOperators | None:
    """Who comes with phones if this process serves them, whichever of its lives does."""
    target, arguments = (*spec.argv, "", "")[4:6]
    if target != _OPERATORS:
        return None
    return VirtualOperators(msgspec.json.decode(arguments, type=OperatorArguments), lots)


def check_scripted(spec: ProcessSpec) -> None:
    """Raise ProcessError for a program that is none of our own children."""
    target = (*spec.argv, "")[4]
    if target not in (*_PROCESSES, *virtual_room.PROCESSES, _OPERATORS):
        known = ", ".join((*_PROCESSES, *virtual_room.PROCESSES, _OPERATORS))
        raise ProcessError(
            f"{spec.name} ({target!r}) cannot be scripted on the virtual clock; what can is {known}"
        )


def scripted_process(spec: ProcessSpec, people: VirtualOperators | None = None) -> ScriptedProcess:
    """One life of what stands in for one of our own children (`check_scripted`)."""
    if people is not None:
        return ScriptedProcess(people.handle, [], {}, operators=people)
    target, arguments = spec.argv[4:6]
    if target in virtual_room.PROCESSES:
        hearing = virtual_room.PROCESSES[target](arguments)
        return ScriptedProcess(hearing.handle, [], {}, hearing=hearing)
    return _PROCESSES[target](arguments)


def _world(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=WorldArguments)
    directory = Path(arguments.run_directory)
    timeout_s = arguments.heartbeat_timeout_s
    controls = VirtualControls(arguments.controls, directory, heartbeat_timeout_s=timeout_s)
    world = _standing(arguments.world, arguments.seed, arguments.loose_cups, arguments.scene)

    def stand(now_s: float, _: Sample | None) -> tuple[bytes, SampleMeta]:
        return np.array(controls.odometry).tobytes(), SampleMeta(now_s)

    def say(now_s: float, _: Sample | None) -> tuple[bytes, SampleMeta]:
        things = tuple(_report(world, thing, controls.odometry) for thing in world.sensed())
        loops = tuple(control.loop.report for control in controls)
        report = SimulationReport(now_s, 1.0, 0.0, 0.0, False, "", 0, "", things, loops)
        return msgspec.msgpack.encode(report), SampleMeta(now_s)

    state = _stream(directory, "world_state", StreamFormat.STATE, 100.0)
    poses = _stream(directory, "world_poses", StreamFormat.POSES, 30.0)
    report = _stream(directory, "world_report", StreamFormat.REPORT, 20.0)
    files = {directory / name: b"[]" for name in ("scene.json", "things.json", "model.mjb")}
    files[directory / "things.json"] = msgspec.json.encode(known_things(world))
    scene, things, model = map(str, files)
    handle = SimulationHandle(
        arguments.world, state, poses, report, scene, things, model, 0, controls.handles
    )
    streams = [
        VirtualStream(directory, state, None, stand),
        VirtualStream(directory, poses, None),
        VirtualStream(directory, report, None, say),
    ]
    return ScriptedProcess(handle, streams, files, controls)


@lru_cache(maxsize=4)
def _standing(name: str, seed: int, loose_cups: bool, scene: str) -> World:
    """A world that is never stepped: where things are at first."""
    return World.named(name, seed, loose_cups=loose_cups, scene=scene)


def _report(world: World, thing: Thing, odometry: Odometry) -> ThingReport:
    """The robot goes where its base does; all else stands."""
    pose: Pose7 = (*thing.position, *thing.quaternion)
    if thing.kind is ThingKind.ROBOT:
        x, y, yaw = odometry
        pose = (x, y, thing.position[2], 0.0, 0.0, sin(yaw / 2), cos(yaw / 2))
    return ThingReport(thing.name, pose, world.state_of(thing.name))


def _camera(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=CameraArguments)
    directory = Path(arguments.run_directory)
    kind = StreamFormat.RGBD if arguments.kind == "rgbd" else StreamFormat.IMAGE
    stream = _stream(directory, arguments.device, kind, arguments.rate_hz)
    handle = CameraFeed(arguments.device, arguments.kind, stream, _INTRINSICS, is_placed=True)
    return ScriptedProcess(handle, [VirtualStream(directory, stream, arguments.simulation.state)], {})


def _realsense(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=RealSenseArguments)
    if arguments.drawn is None:
        raise ProcessError(f"{arguments.device}: of RealSense cameras only software ones can be scripted")
    directory, source = Path(arguments.run_directory), arguments.drawn.stream
    stream = _stream(directory, arguments.device, StreamFormat.RGBD, source.rate_hz)
    handle = CameraFeed(arguments.device, "rgbd", stream, _INTRINSICS)
    return ScriptedProcess(handle, [VirtualStream(directory, stream, source)], {})


def _lidar(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=LidarArguments)
    directory = Path(arguments.run_directory)
    stream = _stream(directory, arguments.device, StreamFormat.SCAN, arguments.rate_hz)
    scanned = VirtualStream(directory, stream, arguments.simulation.state, _empty_floor(arguments))
    return ScriptedProcess(ScanFeed(arguments.device, stream), [scanned], {})


def _empty_floor(arguments: LidarArguments) -> Content:
    """Scans of a place without anything. On the base it looks level, and anywhere else across."""
    model = {LidarKind.LMS511: LMS511, LidarKind.UTM30LX: UTM30LX}[arguments.model]
    ranges = np.full(model.beams, np.inf, np.float32).tobytes()
    is_level = arguments.mount == BASE_LIDAR
    ahead_m, _, height_m = BASE_LIDAR_POSITION

    def scan(now_s: float, state: Sample | None) -> tuple[bytes, SampleMeta]:
        x, y, yaw = (0.0, 0.0, 0.0) if state is None else np.frombuffer(state.payload, np.float64).tolist()
        turned = (0.0, 0.0, sin(yaw / 2), cos(yaw / 2)) if is_level else (sin(pi / 4), 0.0, 0.0, cos(pi / 4))
        pose = (x + ahead_m * cos(yaw), y + ahead_m * sin(yaw), height_m, *turned)
        return ranges, SampleMeta(
            now_s,
            pose,
            angle_min=model.angle_min,
            angle_increment=model.angle_increment,
            range_max=model.range_max_m,
        )

    return scan


def _stitcher(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=StitcherArguments)
    directory = Path(arguments.run_directory)
    stream = _stream(directory, arguments.device, StreamFormat.CLOUD, arguments.rate_hz)
    return ScriptedProcess(
        CloudFeed(arguments.device, stream), [VirtualStream(directory, stream, arguments.source)], {}
    )


def _detector(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=DetectorArguments)
    directory = Path(arguments.run_directory)
    name = f"track.{arguments.thing}.{arguments.camera}".replace(" ", "_")
    stream = _stream(directory, name, StreamFormat.POSES, arguments.source.rate_hz)
    handle = TrackedFeed(arguments.thing, arguments.camera, stream)
    return ScriptedProcess(handle, [VirtualStream(directory, stream, arguments.source, _in_sight)], {})


def _in_sight(now_s: float, _: Sample | None) -> tuple[bytes, SampleMeta]:
    """It stands in front of the camera."""
    return np.array([_SEEN_AT], np.float32).tobytes(), SampleMeta(now_s, world_T_sensor=IDENTITY)


def _encoder(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=EncoderArguments)
    directory = Path(arguments.directory)
    rate_hz = min(arguments.most_hz, arguments.source.rate_hz)
    stream = _stream(directory, arguments.name, StreamFormat.VIEW, rate_hz)
    return ScriptedProcess(stream, [VirtualStream(directory, stream, arguments.source)], {})


def _stream(directory: Path, name: str, kind: StreamFormat, rate_hz: float) -> StreamHandle:
    return StreamHandle(name, str(directory / f"{name}.ring"), kind, "world", rate_hz)


_PROCESSES: Final[dict[str, Callable[[str], ScriptedProcess]]] = {
    "resources.children.world:main": _world,
    "resources.children.camera:main": _camera,
    "resources.drivers.realsense.child:main": _realsense,
    "resources.children.lidar:main": _lidar,
    "resources.children.stitcher:main": _stitcher,
    "resources.children.detector:main": _detector,
    "resources.console.encoder:encode": _encoder,
}
_OPERATORS: Final = "resources.operator.main:main"
