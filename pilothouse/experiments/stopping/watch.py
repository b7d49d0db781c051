"""What a control loop's reports say about a stop: when it stood, how far it went. Stops nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import StreamError
from framework.transport.ring import Sample
from pilothouse.testbed.ring_log import RingLog
from resources.types.motion import ArmSample, BaseSample, MotionSample
from resources.types.samples import decode
from resources.types.streams import StreamHandle

Array = NDArray[np.float64]

#: Slower than this is zero speed: [rad/s] of each joint, [m/s] and [rad/s] of the base.
STANDS: Final = 0.01


class Track(msgspec.Struct, frozen=True, eq=False):
    """What a device did: n reports in a row.

    stamps_s: when they were made, CLOCK_MONOTONIC (n,); times_s: the world's own time then (n,).
    places: joints [rad], or x, y [m] and yaw [rad] (n, k); speeds: theirs (n, k).
    """

    stamps_s: Array  # (n,)
    times_s: Array  # (n,)
    places: Array  # (n, k)
    speeds: Array  # (n, k)

    @classmethod
    def of(cls, samples: list[tuple[float, MotionSample]]) -> Self:
        """Of reports with their stamps. Raises StreamError if there are less than two."""
        if len(samples) < 2:
            raise StreamError(f"a device has reported {len(samples)} times; two reports are the least")
        moved = [_moved(sample) for _, sample in samples]
        return cls(
            np.array([stamp_s for stamp_s, _ in samples]),
            np.array([sample.time_s for _, sample in samples]),
            np.array([places for places, _ in moved]),
            np.array([speeds for _, speeds in moved]),
        )

    def between(self, from_s: float, to_s: float = float("inf")) -> Track:
        """The reports made in that time."""
        chosen = (self.stamps_s >= from_s) & (self.stamps_s <= to_s)
        return Track(self.stamps_s[chosen], self.times_s[chosen], self.places[chosen], self.speeds[chosen])

    def simulated_s(self, at_s: float) -> float:
        """The world's own time at a moment of CLOCK_MONOTONIC, between two reports in proportion."""
        return float(np.interp(at_s, self.stamps_s, self.times_s))

    def stood_ms(self, stopped_s: float, *, share: float = 0.0) -> float | None:
        """From a moment until it stood for good, in the world's own time; None if it never did.

        The first report of zero speed after the last that shows any counts: at most a period too late.
        share: of its speed at that moment, that counts as zero already.
        """
        moving = np.abs(self.speeds).max(axis=1) > max(STANDS, share * self.speed_at(stopped_s))
        moving &= self.stamps_s >= stopped_s
        last = int(np.flatnonzero(moving)[-1]) if moving.any() else int(np.sum(self.stamps_s < stopped_s)) - 1
        if last + 1 >= len(self.times_s):
            return None
        return max(0.0, 1e3 * (float(self.times_s[last + 1]) - self.simulated_s(stopped_s)))

    def speed_at(self, at_s: float) -> float:
        """Of the fastest joint or direction, in the last report before that moment."""
        before = np.flatnonzero(self.stamps_s <= at_s)
        return float(np.abs(self.speeds[before[-1]]).max()) if len(before) else 0.0

    def way(self, from_s: float) -> float:
        """The farthest that any joint or direction got from where it was then."""
        after = self.between(from_s)
        return float(np.abs(after.places - self._place(from_s)).max()) if len(after.stamps_s) else 0.0

    def overshoot(self, stopped_s: float) -> float:
        """The farthest that any joint went beyond where it came to stand."""
        after = self.between(stopped_s)
        start, end = self._place(stopped_s), self.places[-1]
        beyond = (after.places - end) * np.sign(end - start)
        return max(0.0, float(beyond.max())) if len(after.stamps_s) else 0.0

    def _place(self, at_s: float) -> Array:
        return np.array([np.interp(at_s, self.stamps_s, column) for column in self.places.T])


class Recorder(RingLog):
    """Entered, it keeps every report of several devices."""

    def __init__(self, streams: Mapping[str, StreamHandle]) -> None:
        super().__init__({device: Path(stream.ring) for device, stream in streams.items()})
        self._formats = {device: stream.format for device, stream in streams.items()}

    def track(self, device: str) -> Track:
        """What was kept of one device."""
        return Track.of([(each.stamp_s, self._decoded(device, each)) for each in self.samples(device)])

    def latest(self, device: str) -> MotionSample | None:
        """Its newest report."""
        sample = self.newest(device)
        return None if sample is None else self._decoded(device, sample)

    def _decoded(self, device: str, sample: Sample) -> MotionSample:
        decoded = decode(sample, self._formats[device])
        if not isinstance(decoded, MotionSample):
            raise StreamError(f"the stream of {device} holds no reports of a control loop")
        return decoded


def _moved(sample: MotionSample) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Places and speeds of what moves."""
    match sample:
        case ArmSample():
            return sample.q, sample.dq
        case BaseSample():
            return sample.odometry, sample.velocity
    raise StreamError(f"{type(sample).__name__} is no report of an arm or a base")
