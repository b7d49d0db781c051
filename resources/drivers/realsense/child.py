"""A RealSense camera's process: frames in, our RGB-D stream out, and what is done when there are none.

What is streamed from is in `sources.py` and those it names, what follows from silence in `recovery.py`, pure;
here its effects are carried out. pyrealsense2 is imported in this process only.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import msgspec
import numpy as np

from framework.errors import PilothouseError, StreamError
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.children.turning import Turns
from resources.drivers.realsense.arguments import RealSenseArguments
from resources.drivers.realsense.live_camera import LiveCamera
from resources.drivers.realsense.pictures import Picture, Pictures, bent_px
from resources.drivers.realsense.recorded_camera import Recording, checked_recording
from resources.drivers.realsense.recorder import Recorder, new_recording
from resources.drivers.realsense.recovery import (
    Broken,
    Do,
    Effect,
    Ended,
    Event,
    GiveUp,
    Phase,
    Recovery,
    Say,
    Seen,
)
from resources.drivers.realsense.simulated_camera import SimulatedSource
from resources.drivers.realsense.sources import Source, Taken
from resources.drivers.realsense.start_turn import StartTurn
from resources.types.sensors import CameraFeed
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

_TURNS_HZ = 200.0  # a turn waits for frames by itself, shortly
_FRAMES_WITHIN_S = 0.02
_LOOK_S = 0.2  # between two looks for a camera that was reset
_BLOCKS_S = 10.0  # starting, stopping and resetting hardware may
_MOST_BENT_PX = 1.0


def main(child: Child, arguments: RealSenseArguments) -> None:
    """Be a camera. Raises PilothouseError if the camera cannot be had."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    source = source_of(child, arguments)
    with ExitStack() as stack:
        stack.callback(directory.leave)
        turn = None
        if isinstance(source, LiveCamera):
            turn = stack.enter_context(StartTurn(child, source.rank()))
        camera = Camera(child, arguments, source)
        stack.callback(camera.close)
        camera.run(directory.path, turn)


def source_of(child: Child, arguments: RealSenseArguments) -> Source:
    """What the arguments name. Raises DescriptionError."""
    if arguments.drawn is not None:
        return SimulatedSource(child, arguments.drawn)
    if arguments.recording:
        return Recording(
            checked_recording(arguments.recording),
            serial=arguments.serial,
            repeat=arguments.repeat,
            real_time=arguments.real_time,
        )
    return LiveCamera(arguments.serial, arguments.width, arguments.height, arguments.rate_hz)


class Camera:
    """One source with its filters, its recording and its recovery."""

    def __init__(self, child: Child, arguments: RealSenseArguments, source: Source) -> None:
        self._child = child
        self._arguments = arguments
        self._source = source
        self._recovery = Recovery(source.what, arguments.patience, can_reset=source.can_reset)
        self._pictures: Pictures | None = None
        self._recorder: Recorder | None = None
        self._wants_recording = bool(arguments.record)
        self._gave_up = ""

    def run(self, directory: Path, turn: StartTurn | None = None) -> None:
        """Until it is told to stop, or gives up. Raises StreamError if it gives up before it was ready."""
        child, device = self._child, self._arguments.device
        self._carry_out(self._recovery.begin(time.monotonic()))
        if self._pictures is None:
            raise StreamError(self._gave_up)
        lens = self._pictures.intrinsics
        size = 5 * lens.width * lens.height
        with RingWriter(directory, device, slot_bytes=size, replace=True) as writer:
            for _ in Turns(child, _TURNS_HZ, writer):
                taken = self._turn()
                if taken is not None:
                    self._publish(taken, writer, size)
                if writer.sequence and not child.is_ready:
                    child.ready(msgspec.json.encode(self._feed(writer)))
                    if turn is not None:
                        turn.pass_on()
                if self._gave_up:
                    if not child.is_ready:
                        raise StreamError(self._gave_up)
                    child.status(Severity.FATAL, self._gave_up)
                    return

    def close(self) -> None:
        """Stop, and finish the recording; idempotent."""
        self._child.busy(_BLOCKS_S)
        self._source.stop()
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    # ------------------------------------------------------------ a turn

    def _turn(self) -> Taken | None:
        """Look once, and do what follows."""
        if self._recovery.phase is Phase.AWAITING:
            self._child.wait(_LOOK_S)
            self._on(Seen.PRESENT if self._is_present() else Seen.GONE)
            return None
        source = self._source
        if isinstance(source, LiveCamera) and source.was_changed() and not self._is_present():
            self._on(Seen.GONE)
            return None
        try:
            taken = source.next(_FRAMES_WITHIN_S)
        except PilothouseError as error:
            self._on(Broken(str(error)))
            return None
        if source.ended:
            self._on(Ended(source.ended))
        else:
            self._on(Seen.SILENCE if taken is None else Seen.PICTURE)
        return taken

    def _on(self, event: Event) -> None:
        self._carry_out(self._recovery.on(event, time.monotonic()))

    def _is_present(self) -> bool:
        try:
            return self._source.is_present()
        except RuntimeError as error:  # the library stumbles over a device that leaves while it is looked at
            print(f"looking for {self._source.what}: {error}")
            return False

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case Say(severity=severity, words=words):
                    self._child.status(severity, words)
                case GiveUp(words=words):
                    self._gave_up = words
                case Do.STOP:
                    self._child.busy(_BLOCKS_S)
                    self._source.stop()
                case Do.START | Do.RESET:
                    self._child.busy(_BLOCKS_S)
                    try:
                        self._start() if effect is Do.START else self._source.reset()
                    except PilothouseError as error:
                        self._on(Broken(str(error)))
                        return

    def _start(self) -> None:
        arguments = self._arguments
        profiles = self._source.start()
        # New filters: what the temporal one remembers is from before.
        pictures = Pictures(
            profiles, decimate=arguments.decimate, spatial=arguments.spatial, temporal=arguments.temporal
        )
        bent = bent_px(profiles.colour.get_intrinsics())
        if bent > _MOST_BENT_PX:
            print(f"{self._source.what} is taken for a pinhole; its corners are {bent:.1f} px from one's")
        if self._pictures is not None and pictures.intrinsics != self._pictures.intrinsics:
            raise StreamError(f"{self._source.what} came back with another lens; start it anew")
        self._pictures = pictures

    # ------------------------------------------------------------ what comes out

    def _publish(self, taken: Taken, writer: RingWriter, size: int) -> None:
        assert self._pictures is not None
        self._record(taken)
        try:
            picture = self._pictures.of(taken.frames)
        except StreamError as error:
            self._on(Broken(str(error)))
            return
        with writer.slot(size, stamp_s=taken.stamp_s, meta=_meta(taken.meta, picture)) as view:
            _fill(view, picture)
        self._child.sampled(self._arguments.device)

    def _record(self, taken: Taken) -> None:
        if not self._wants_recording:
            return
        try:
            if self._recorder is None:
                file = new_recording(Path(self._arguments.record), self._arguments.device)
                self._recorder = Recorder(file, taken.frames, self._source.serial)
                print(f"recording {self._source.what} into {file}")
            self._recorder.add(taken.frames)
        except StreamError as error:
            # The camera is needed for more than its recording.
            self._wants_recording = False
            self._child.status(Severity.WARNING, str(error))

    def _feed(self, writer: RingWriter) -> CameraFeed:
        assert self._pictures is not None
        device, lens = self._arguments.device, self._pictures.intrinsics
        stream = StreamHandle(
            name=device,
            ring=str(writer.path),
            format=StreamFormat.RGBD,
            frame=f"{device}_optical",
            rate_hz=self._pictures.rate_hz,
            intrinsics=lens,
        )
        # A simulated one's pictures say where they were drawn from; where a real one is nobody knows.
        drawn = self._arguments.drawn
        is_placed = drawn is not None and drawn.is_placed
        return CameraFeed(device, "rgbd", stream, lens, self._pictures.colour_T_depth, is_placed=is_placed)


def _meta(meta: SampleMeta, picture: Picture) -> bytes:
    height, width = picture.depth.shape
    return encode_meta(msgspec.structs.replace(meta, width=width, height=height))


def _fill(view: memoryview, picture: Picture) -> None:
    """Colour, then depth; both are copied once, straight to where readers find them."""
    colour_bytes = picture.colour.size
    np.copyto(np.frombuffer(view, np.uint8, colour_bytes).reshape(picture.colour.shape), picture.colour)
    np.copyto(np.frombuffer(view, np.uint16, offset=colour_bytes).reshape(picture.depth.shape), picture.depth)
