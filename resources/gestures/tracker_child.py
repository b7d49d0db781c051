"""The process that looks for hands in a camera's pictures: the camera's ring → a ring of `encode_hands`.

It runs in MediaPipe's environment (`tracker_library.py`), so it imports nothing but that, numpy and msgspec.
A sample has the picture's stamp and what is known of its place: of a camera that is placed, `world_T_frame`
is its pose when the picture was taken.
"""

from __future__ import annotations

import statistics
import time
from collections import deque
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import DescriptionError, MalformedMessage
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.ring import RingWriter, Sample
from framework.transport.run_directory import RunDirectory
from resources.children.newest_sample import Follower, meta_of
from resources.children.turning import Turns
from resources.gestures.arguments import TrackerArguments
from resources.gestures.holding import RULES
from resources.gestures.placing import Depth
from resources.gestures.tracker import Tracker
from resources.types.gestures import MOST_BYTES, HandsFeed, encode_hands
from resources.types.streams import CameraIntrinsics, SampleMeta, StreamFormat, StreamHandle, encode_meta

MOST_HZ: Final = 15.0
"""More pictures a second than a gesture needs would only take the processor from others."""

SLOW_S: Final = 0.25
"""If pictures take longer, the four that a gesture needs take longer than it is to be held [s]."""

SLOTS: Final = 32

_JUDGED: Final = 11
_FASTER: Final = 0.8
"""By so much less than what was too slow a picture takes that is fast enough again."""

_BYTES_A_PIXEL: Final = {StreamFormat.RGBD: 5, StreamFormat.IMAGE: 3}


def main(child: Child, arguments: TrackerArguments) -> None:
    """Look at the newest picture, again and again.

    Raises PluginUnavailable without MediaPipe, SharedMemoryFull, StreamError, DescriptionError.
    """
    camera = arguments.camera
    if camera.stream.format not in _BYTES_A_PIXEL:
        raise DescriptionError(
            f"hands are looked for in rgbd or image streams; {camera.stream.name!r} is {camera.stream.format}"
        )
    directory = RunDirectory.join(Path(arguments.run_directory))
    pictures = Follower(child, camera.stream)
    tracker = Tracker(camera.intrinsics, camera.stream.frame)
    pace = _Pace()
    name = arguments.stream
    rate_hz = min(camera.stream.rate_hz, MOST_HZ)
    first: Sample | None = pictures.first()
    with RingWriter(directory.path, name, slot_bytes=MOST_BYTES, slots=SLOTS, replace=True) as writer:
        stream = StreamHandle(name, str(writer.path), StreamFormat.REPORT, camera.stream.frame, rate_hz)
        # Of a slow camera each picture is looked at soon after it came.
        turns_hz = MOST_HZ if camera.stream.rate_hz >= MOST_HZ else 3 * camera.stream.rate_hz
        for now_s in Turns(child, turns_hz, writer):
            sample, first = first or pictures.newest(now_s), None
            if sample is None:
                continue
            try:
                meta = meta_of(sample)
                rgb, depth = _picture(sample, meta, camera.intrinsics, camera.stream.format)
            except MalformedMessage as error:
                pictures.complaints.add(str(error), now_s)
                continue
            hands = tracker.hands(rgb, depth, sample.stamp_s)
            place = SampleMeta(meta.time_s, meta.world_T_frame)
            writer.write(encode_hands(hands), stamp_s=sample.stamp_s, meta=encode_meta(place))
            child.sampled(name)
            if words := pace.took(time.monotonic() - now_s):
                child.status(Severity.WARNING if pace.is_slow else Severity.OK, words)
            if not child.is_ready:
                child.ready(msgspec.json.encode(_feed(arguments, stream)))
    tracker.close()
    pictures.close()
    directory.leave()


def _feed(arguments: TrackerArguments, stream: StreamHandle) -> HandsFeed:
    """Where hands point is known if it is known where their camera is."""
    return HandsFeed(arguments.source, stream, is_placed=arguments.camera.is_placed)


class _Pace:
    """Says once each that pictures take long, that none counts therefore, and that they do not any more."""

    def __init__(self) -> None:
        self._slower_than_s = 0.0
        self._took_s: deque[float] = deque(maxlen=_JUDGED)

    @property
    def is_slow(self) -> bool:
        return self._slower_than_s > 0.0

    def took(self, picture_s: float) -> str:
        """What is to be said now, "" for nothing."""
        self._took_s.append(picture_s)
        if len(self._took_s) < _JUDGED:
            return ""
        middle_s, before_s = statistics.median(self._took_s), self._slower_than_s
        exceeded = [
            limit_s
            for limit_s in (SLOW_S, RULES.silent_s)
            if middle_s > (limit_s if limit_s > before_s else _FASTER * limit_s)
        ]
        self._slower_than_s = max(exceeded, default=0.0)
        if self._slower_than_s == before_s:
            return ""
        if not self.is_slow:
            return "hands are looked for fast enough again"
        if self._slower_than_s < RULES.silent_s:
            return f"a picture takes {1e3 * middle_s:.0f} ms: gestures have to be held for longer"
        return (
            f"a picture takes {1e3 * middle_s:.0f} ms, {1e3 * RULES.silent_s:.0f} are most: no gesture "
            "counts; close other programs, or have the camera give smaller pictures"
        )


def _picture(
    sample: Sample, meta: SampleMeta, camera: CameraIntrinsics, form: StreamFormat
) -> tuple[NDArray[np.uint8], Depth | None]:
    """The colours (height, width, 3) and, if there is any, the depth [mm]. Raises MalformedMessage."""
    shape = (camera.height, camera.width)
    pixels = camera.height * camera.width
    size = _BYTES_A_PIXEL[form] * pixels
    if (meta.height, meta.width) != shape or sample.payload.nbytes != size:
        raise MalformedMessage(
            f"picture {sample.sequence} is {meta.width}×{meta.height} in {sample.payload.nbytes} bytes; "
            f"this camera's are {camera.width}×{camera.height} in {size}"
        )
    rgb = np.frombuffer(sample.payload, np.uint8, count=3 * pixels).reshape(*shape, 3)
    if form is not StreamFormat.RGBD:
        return rgb, None
    return rgb, np.frombuffer(sample.payload, np.uint16, offset=3 * pixels).reshape(shape)
