"""The newest sample of a stream, and never an old one as if it were new."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage, StreamError
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.ring import RingReader, Sample
from framework.unreadable import UNREADABLE
from resources.arms.pose import Pose
from resources.children.complaints import Complaints
from resources.types.streams import IDENTITY, SampleMeta, StreamHandle, decode_meta

MAX_AGE_S = 0.5
"""What is older than this is not passed on [s]; of slow streams, what is older than three periods."""

_FIRST_WITHIN_S = 3.0
_AHEAD_S = 0.05  # the clock is the machine's own; a stamp from the future is nonsense


class Follower:
    """One reader of one stream. Says once that the stream stands still, and once that it goes on.

    Raises StreamError if there is no such stream.
    """

    def __init__(self, child: Child, source: StreamHandle) -> None:
        self.source = source
        self.complaints = Complaints(child.status)
        self._child = child
        self._max_age_s = max(MAX_AGE_S, 3 / source.rate_hz)
        self._reader = RingReader(Path(source.ring))
        self._sequence = 0
        self._is_stale = False

    def first(self, within_s: float = _FIRST_WITHIN_S) -> Sample:
        """Wait for a sample that is fresh. Raises StreamError, with the reason, if none comes in time."""
        until_s = time.monotonic() + within_s
        while (now_s := time.monotonic()) < until_s and not self._child.stopping:
            if (sample := self.newest(now_s)) is not None:
                return sample
            self._child.wait(0.005)
        raise StreamError(
            f"Stream {self.source.name!r} {self._how_old(time.monotonic())}; "
            f"a fresh sample was waited for {within_s:g} s. Is what writes it running?"
        )

    def newest(self, now_s: float) -> Sample | None:
        """A sample that is new to us and fresh; else None."""
        self.complaints.settle(now_s)
        try:
            sample = self._reader.latest(self._sequence)
            if sample is None and self._reader.replaced():  # its writer was started again
                self._reader.reopen()
                self._sequence = 0
                sample = self._reader.latest(0)
        except StreamError as error:
            self.complaints.add(str(error), now_s)
            sample = None
        if sample is not None:
            self._sequence = sample.sequence
            if -_AHEAD_S <= now_s - sample.stamp_s <= self._max_age_s:
                self._tell(stale=False, now_s=now_s)
                return sample
        if not -_AHEAD_S <= self._age_s(now_s) <= self._max_age_s:
            self._tell(stale=True, now_s=now_s)
        return None

    def close(self) -> None:
        """Let go of the stream."""
        self._reader.close()

    def _tell(self, *, stale: bool, now_s: float) -> None:
        if stale == self._is_stale:
            return
        self._is_stale = stale
        if stale:
            text = f"stream {self.source.name!r} {self._how_old(now_s)}; nothing is published meanwhile"
            self._child.status(Severity.WARNING, text)
        else:
            self._child.status(Severity.OK, f"stream {self.source.name!r} goes on")

    def _age_s(self, now_s: float) -> float:
        try:
            return self._reader.age_s(now_s)
        except StreamError as error:
            self.complaints.add(str(error), now_s)
            return math.inf

    def _how_old(self, now_s: float) -> str:
        age_s = self._age_s(now_s)
        return "has no sample" if math.isinf(age_s) else f"is {age_s:.2f} s old"


def meta_of(sample: Sample) -> SampleMeta:
    """What goes with a sample. Raises MalformedMessage if that is not readable, or its place no pose."""
    try:
        meta = decode_meta(sample.meta)
    except UNREADABLE as error:
        raise MalformedMessage(f"sample {sample.sequence}: its meta cannot be read: {error}") from None
    place = meta.world_T_frame or IDENTITY
    length = math.hypot(*place[3:])
    if not all(map(math.isfinite, (*place, meta.time_s))) or abs(length - 1) > 1e-3:
        raise MalformedMessage(
            f"sample {sample.sequence}: world_T_frame {meta.world_T_frame} at {meta.time_s} s; "
            "finite numbers and a unit quaternion are allowed"
        )
    return meta


def world_T_frame(meta: SampleMeta) -> NDArray[np.float64]:
    """The pose in a sample's meta as a matrix (4, 4). Raises MalformedMessage if its place is not known."""
    if meta.world_T_frame is None:
        raise MalformedMessage("nobody knows where its sensor was when it was taken")
    x, y, z, qx, qy, qz, qw = meta.world_T_frame
    return Pose((x, y, z), (qx, qy, qz, qw)).matrix()
