"""What a scripted process gives instead of a real one: a handle, and streams whose samples have stamps only.

Samples follow their source, as with the real children: when the world stands still, no camera has news.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import ProcessError, StreamError
from framework.processes.spec import ProcessSpec
from framework.transport.ring import RingReader, RingWriter
from pilothouse.testbed.virtual_controls import VirtualControls
from pilothouse.testbed.virtual_operators import VirtualOperators
from resources.children.arguments import (
    CameraArguments,
    DetectorArguments,
    LidarArguments,
    StitcherArguments,
    WorldArguments,
)
from resources.console.encoder_spec import EncoderArguments
from resources.drivers.realsense.arguments import RealSenseArguments
from resources.operator.arguments import OperatorArguments
from resources.types.context import KnownThing, ThingKind, TrackedFeed
from resources.types.control import SimulationHandle, SimulationReport, ThingReport
from resources.types.sensors import CameraFeed, CloudFeed, ScanFeed
from resources.types.streams import (
    IDENTITY,
    CameraIntrinsics,
    SampleMeta,
    StreamFormat,
    StreamHandle,
    encode_meta,
)

_SLOT_BYTES: Final = 16 * 1024
_INTRINSICS: Final = CameraIntrinsics(848, 480, 424.0, 424.0, 423.5, 239.5)


class VirtualStream:
    """One ring, written at its rate; with a source, when that has a newer sample, under its stamp."""

    def __init__(
        self, directory: Path, handle: StreamHandle, source: StreamHandle | None, content: bytes = b""
    ) -> None:
        self._writer = RingWriter(directory, handle.name, slot_bytes=_SLOT_BYTES, replace=True)
        self._period_s = 1.0 / handle.rate_hz
        self._due_s = 0.0
        self._content = content
        self._source = Path(source.ring) if source is not None else None
        self._reader: RingReader | None = None
        self._seen = 0

    def write(self, now_s: float) -> None:
        """Write a sample if one is due and there is news."""
        if now_s < self._due_s:
            return
        stamp_s = self._news(now_s)
        if stamp_s is not None:
            self._due_s = now_s + self._period_s - 1e-6
            self._writer.write(self._content, stamp_s=stamp_s, meta=encode_meta(SampleMeta(stamp_s)))

    def close(self) -> None:
        """End it."""
        self._writer.close()
        if self._reader is not None:
            self._reader.close()

    def _news(self, now_s: float) -> float | None:
        if self._source is None:
            return now_s
        with suppress(StreamError):  # it has just ended, or is not there yet
            if self._reader is None:
                self._reader = RingReader(self._source)
            elif self._reader.replaced():
                self._reader.reopen()
                self._seen = 0
            sample = self._reader.latest(self._seen)
            if sample is not None:
                self._seen = sample.sequence
                return sample.stamp_s
        return None


class ScriptedProcess:
    """A scripted process: its handle, and its streams while it is entered."""

    def __init__(
        self,
        handle: Any,
        streams: list[VirtualStream],
        files: dict[Path, bytes],
        controls: VirtualControls | None = None,
        operators: VirtualOperators | None = None,
    ) -> None:
        self.handle = msgspec.json.encode(handle)
        self.is_writing = True
        self.controls = controls
        self.operators = operators
        self._streams = streams
        self._files = files

    def write(self, now_s: float) -> None:
        """Write what is due."""
        if self.is_writing:
            for stream in self._streams:
                stream.write(now_s)
            if self.controls is not None:
                self.controls.tick(now_s)
            if self.operators is not None:
                self.operators.tick(now_s)

    def __enter__(self) -> ScriptedProcess:
        for file, content in self._files.items():
            file.write_bytes(content)
        return self

    def __exit__(self, *error: object) -> None:
        for stream in self._streams:
            stream.close()
        if self.controls is not None:
            self.controls.close()
        if self.operators is not None:
            self.operators.close()
        for file in self._files:
            file.unlink(missing_ok=True)


def scripted_process(spec: ProcessSpec) -> ScriptedProcess:
    """What stands in for one of our own children. Raises ProcessError for any other program."""
    target, arguments = (*spec.argv, "", "")[4:6]
    make = _PROCESSES.get(target)
    if make is None:
        known = ", ".join(_PROCESSES)
        raise ProcessError(
            f"{spec.name} ({target!r}) cannot be scripted on the virtual clock; what can is {known}"
        )
    return make(arguments)


#: What stands in every virtual world.
DOOR: Final = KnownThing("door", ThingKind.FIXTURE, IDENTITY, states=("open", "closed"), state="open")


def _world(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=WorldArguments)
    directory = Path(arguments.run_directory)
    controls = VirtualControls(arguments.controls, directory)
    said_of_things = (ThingReport(DOOR.name, IDENTITY, DOOR.state),)
    report = msgspec.msgpack.encode(SimulationReport(0.0, 1.0, 0.0, 0.0, False, "", 0, "", said_of_things))
    state = _stream(directory, "world_state", StreamFormat.STATE, 100.0)
    poses = _stream(directory, "world_poses", StreamFormat.POSES, 30.0)
    said = _stream(directory, "world_report", StreamFormat.REPORT, 20.0)
    files = {directory / name: b"[]" for name in ("scene.json", "things.json", "model.mjb")}
    files[directory / "things.json"] = msgspec.json.encode((DOOR,))
    scene, things, model = map(str, files)
    handle = SimulationHandle(arguments.world, state, poses, said, scene, things, model, 0, controls.handles)
    streams = [
        VirtualStream(directory, state, None),
        VirtualStream(directory, poses, None),
        VirtualStream(directory, said, None, report),
    ]
    return ScriptedProcess(handle, streams, files, controls)


def _camera(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=CameraArguments)
    directory = Path(arguments.run_directory)
    kind = StreamFormat.RGBD if arguments.kind == "rgbd" else StreamFormat.IMAGE
    stream = _stream(directory, arguments.device, kind, arguments.rate_hz)
    handle = CameraFeed(arguments.device, arguments.kind, stream, _INTRINSICS)
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
    scanned = VirtualStream(directory, stream, arguments.simulation.state)
    return ScriptedProcess(ScanFeed(arguments.device, stream), [scanned], {})


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
    return ScriptedProcess(handle, [VirtualStream(directory, stream, arguments.source)], {})


def _encoder(text: str) -> ScriptedProcess:
    arguments = msgspec.json.decode(text, type=EncoderArguments)
    directory = Path(arguments.directory)
    rate_hz = min(arguments.most_hz, arguments.source.rate_hz)
    stream = _stream(directory, arguments.name, StreamFormat.VIEW, rate_hz)
    return ScriptedProcess(stream, [VirtualStream(directory, stream, arguments.source)], {})


def _operators(text: str) -> ScriptedProcess:
    people = VirtualOperators(msgspec.json.decode(text, type=OperatorArguments))
    return ScriptedProcess(people.handle, [], {}, operators=people)


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
    "resources.operator.main:main": _operators,
}
