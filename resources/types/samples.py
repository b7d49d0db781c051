"""Samples of streams as arrays, decoded from a ring's bytes by the format that `streams.py` describes.

Arrays are views of the copy that the ring handed out: nobody else has it, so they may be kept and changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from framework.errors import StreamError
from framework.unreadable import UNREADABLE
from resources.types.motion import SAMPLES, ControllerKind, MotionSample
from resources.types.streams import Pose7, SampleMeta, StreamFormat, decode_meta

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from framework.transport.ring import Sample


class Frame(msgspec.Struct, frozen=True, eq=False):
    """A picture. `stamp_s` is CLOCK_MONOTONIC [s]; `sequence` counts from 1 in each ring."""

    rgb: NDArray[np.uint8]  # (h, w, 3)
    depth_mm: NDArray[np.uint16] | None  # (h, w), 0 where nothing was measured; None of a colour camera
    meta: SampleMeta
    stamp_s: float
    sequence: int


class Scan(msgspec.Struct, frozen=True, eq=False):
    """One turn of a planar scanner; angles are in `meta`."""

    ranges_m: NDArray[np.float32]  # (n,), infinite where nothing was hit
    meta: SampleMeta
    stamp_s: float
    sequence: int


class Cloud(msgspec.Struct, frozen=True, eq=False):
    """A point cloud in its stream's frame."""

    points_m: NDArray[np.float32]  # (n, 3)
    meta: SampleMeta
    stamp_s: float
    sequence: int


class Sighting(msgspec.Struct, frozen=True):
    """A thing was seen: where (world frame), and from where, if whoever saw it says that.

    stamp_s: CLOCK_MONOTONIC [s].
    """

    stamp_s: float
    world_T_thing: Pose7
    world_T_sensor: Pose7 | None = None


class Poses(msgspec.Struct, frozen=True, eq=False):
    """Poses in the stream's frame; of a tracked thing none while it is not seen."""

    poses: NDArray[np.float32]  # (n, 7), position x y z [m], quaternion x y z w
    meta: SampleMeta
    stamp_s: float
    sequence: int

    @property
    def sighting(self) -> Sighting | None:
        """The first of them; None while the thing is not seen."""
        if not len(self.poses):
            return None
        x, y, z, qx, qy, qz, qw = (float(value) for value in self.poses[0])
        return Sighting(self.stamp_s, (x, y, z, qx, qy, qz, qw), self.meta.world_T_sensor)


def decode(sample: Sample, stream_format: StreamFormat) -> Frame | Scan | Cloud | Poses | MotionSample:
    """A sample as arrays, or as the struct that a control loop reports.

    Raises StreamError if its size is not what its format and meta say, or nobody else is to read the format.
    """
    report = _REPORTS.get(stream_format)
    if report is not None:
        try:
            return report.decode(sample.payload)
        except UNREADABLE as error:
            raise StreamError(f"sample {sample.sequence} is no report of a control loop: {error}") from error
    return decode_arrays(sample, stream_format)


def decode_arrays(sample: Sample, stream_format: StreamFormat) -> Frame | Scan | Cloud | Poses:
    """A measured sample as arrays. Raises StreamError as `decode` does."""
    import numpy as np  # here: whoever only exchanges requests and handles does without it

    try:
        meta = decode_meta(sample.meta)
    except UNREADABLE as error:
        raise StreamError(f"sample {sample.sequence} carries a meta that is none of ours: {error}") from error
    payload, stamp_s, sequence = sample.payload, sample.stamp_s, sample.sequence
    if stream_format in (StreamFormat.RGBD, StreamFormat.IMAGE):
        pixels = meta.width * meta.height
        has_depth = stream_format is StreamFormat.RGBD
        _expect(sample, stream_format, pixels * (5 if has_depth else 3))
        shape = meta.height, meta.width
        rgb = np.frombuffer(payload, np.uint8, 3 * pixels).reshape(*shape, 3)
        depth_mm = np.frombuffer(payload, np.uint16, pixels, 3 * pixels).reshape(shape) if has_depth else None
        return Frame(rgb, depth_mm, meta, stamp_s, sequence)
    columns = _COLUMNS.get(stream_format)
    if columns is None:
        raise StreamError(
            f"a stream of format {stream_format.value!r} is not made of arrays for others to read"
        )
    _expect(sample, stream_format, payload.nbytes - payload.nbytes % (4 * columns))
    numbers = np.frombuffer(payload, np.float32)
    if stream_format is StreamFormat.SCAN:
        return Scan(numbers, meta, stamp_s, sequence)
    rows = numbers.reshape(-1, columns)
    made: Any = Cloud if stream_format is StreamFormat.CLOUD else Poses
    decoded: Cloud | Poses = made(rows, meta, stamp_s, sequence)
    return decoded


_REPORTS: dict[StreamFormat, msgspec.msgpack.Decoder[MotionSample]] = {
    StreamFormat(kind.value): msgspec.msgpack.Decoder(SAMPLES[kind]) for kind in ControllerKind
}
_COLUMNS = {StreamFormat.SCAN: 1, StreamFormat.CLOUD: 3, StreamFormat.POSES: 7}


def _expect(sample: Sample, stream_format: StreamFormat, size: int) -> None:
    if sample.payload.nbytes != size:
        raise StreamError(
            f"sample {sample.sequence} has {sample.payload.nbytes} bytes, but a {stream_format.value} sample "
            f"like this has {size}: writer and reader are of different releases"
        )
