"""The child process that encodes one view: reads a sensor's ring, writes the ring the console relays.

It outlives the sensor's process: when that is started again, its new ring is found by itself. A
sample that makes no sense is said and skipped. What is done with a sample is in `resources.web.encoding`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import msgspec

from framework.clock import LoopClock
from framework.errors import StreamError
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.ring import RingReader, RingWriter, Sample
from framework.unreadable import UNREADABLE
from resources.console.encoder_spec import EncoderArguments
from resources.types.samples import decode_arrays
from resources.types.streams import StreamFormat, StreamHandle
from resources.web.encoding import encode_picture, encode_points, encode_poses
from resources.web.samples import POINT_BYTES, POSE_BYTES, EncodedMeta

LOOK_EVERY_S: Final = 0.01
LOOK_FOR_NEW_RING_S: Final = 0.25
_SLACK: Final = 0.8  # a source at just the highest rate is not to lose samples to its jitter

_encode_meta = msgspec.msgpack.Encoder().encode


def encode(child: Child, arguments: EncoderArguments) -> None:
    """Encode until told to stop."""
    cv2.setNumThreads(1)  # a picture takes 2 ms; a pool of threads would cost more than it gives
    source = arguments.source
    with RingReader(Path(source.ring)) as reader:
        points_bytes, picture_bytes = _room(source, reader.slot_bytes, arguments.most_points)
        with RingWriter(
            Path(arguments.directory), arguments.name, slot_bytes=points_bytes + picture_bytes, replace=True
        ) as writer:
            child.ready(msgspec.json.encode(_handle(arguments, writer)))
            _Encoding(child, arguments, reader, writer, picture_bytes).run()


class _Encoding:
    """The main loop, with what it remembers."""

    def __init__(
        self,
        child: Child,
        arguments: EncoderArguments,
        reader: RingReader,
        writer: RingWriter,
        picture_bytes: int,
    ) -> None:
        self._child = child
        self._arguments = arguments
        self._reader = reader
        self._writer = writer
        self._picture_bytes = picture_bytes
        self._complained = False

    def run(self) -> None:
        clock, sequence, due_s, look_s = LoopClock(), 0, 0.0, 0.0
        while not self._child.wait(LOOK_EVERY_S):
            now_s = clock.now_s()
            if now_s >= look_s:
                look_s = now_s + LOOK_FOR_NEW_RING_S
                if self._goes_over_to_a_new_ring():
                    sequence = 0
            if now_s < due_s:
                continue
            sample = self._reader.latest(sequence)
            if sample is not None:
                sequence = sample.sequence
                due_s = now_s + _SLACK / self._arguments.most_hz
                self._encode(sample)

    def _goes_over_to_a_new_ring(self) -> bool:
        try:
            if self._reader.replaced():
                self._reader.reopen()
                return True
        except StreamError as error:  # its writer is just ending; the old one is kept, and shows its age
            self._complain(str(error))
        return False

    def _encode(self, sample: Sample) -> None:
        source = self._arguments.source
        try:
            measured = decode_arrays(sample, source.format)
            points = encode_points(measured, source.intrinsics, self._arguments.most_points)
            picture = encode_picture(measured, self._picture_bytes)
            poses = encode_poses(measured)
        except (StreamError, *UNREADABLE) as error:
            self._complain(str(error))
            return
        if self._complained:
            self._complained = False
            self._child.status(Severity.OK, "samples make sense again")
        number = len(poses) // POSE_BYTES
        meta = measured.meta
        encoded = EncodedMeta(len(points), len(picture), meta.time_s, meta.world_T_frame, number)
        whole = b"".join((points.tobytes(), picture, poses))
        self._writer.write(whole, stamp_s=sample.stamp_s, meta=_encode_meta(encoded))

    def _complain(self, text: str) -> None:
        if not self._complained:
            self._complained = True
            self._child.status(Severity.WARNING, text)


def _handle(arguments: EncoderArguments, writer: RingWriter) -> StreamHandle:
    rate_hz = min(arguments.most_hz, arguments.source.rate_hz)
    return StreamHandle(arguments.name, str(writer.path), StreamFormat.VIEW, "world", rate_hz)


def _room(source: StreamHandle, slot_bytes: int, most_points: int) -> tuple[int, int]:
    """Bytes for points and for the picture that a sample of `source` may need."""
    match source.format:
        case StreamFormat.RGBD:
            pixels = slot_bytes // 5
            return min(most_points, pixels) * POINT_BYTES, max(64 * 1024, pixels)
        case StreamFormat.IMAGE:
            return 0, max(64 * 1024, slot_bytes // 3)
        case StreamFormat.SCAN:
            return min(most_points, slot_bytes // 4 + 1) * POINT_BYTES, 0
        case StreamFormat.CLOUD:
            return min(most_points, slot_bytes // 12 + 1) * POINT_BYTES, 0
        case StreamFormat.POSES:
            return slot_bytes, 0
    raise StreamError(
        f"stream {source.name!r} has format {source.format.value!r}; a view can show rgbd, image, scan, "
        "cloud and poses"
    )
