"""Binary messages to the page, and the rings they come from.

A message is a head of 512 bytes (u32 little-endian: length of the header; the header as JSON;
zeros), then the payload as it lies in the ring: nothing is encoded here, only put together.
The payload begins on a multiple of 16 so that a page can look at it as float32 without a copy.

Two formats of ring are relayed: VIEW (written by `resources.console.encoder`, its meta an `EncodedMeta`) and
POSES (written by worlds and detectors, its meta a `SampleMeta`).
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import StreamError
from framework.unreadable import UNREADABLE
from resources.types.streams import IDENTITY, Pose7, SampleMeta, StreamFormat, decode_meta
from resources.web.protocol import SampleHeader

HEAD_BYTES: Final = 512
POINT_BYTES: Final = 16
POSE_BYTES: Final = 28
_LENGTH: Final = struct.Struct("<I")


class EncodedMeta(msgspec.Struct, frozen=True, array_like=True):
    """The meta of a VIEW sample: `points` × 16 bytes, `picture` bytes of JPEG, `poses` × 28 bytes."""

    points: int
    picture: int
    time_s: float = 0.0
    world_T_frame: Pose7 | None = IDENTITY
    poses: int = 0


_decode_encoded = msgspec.msgpack.Decoder(EncodedMeta).decode


def points_in(payload: memoryview, meta: bytes) -> NDArray[np.float32]:
    """The points (n, 4) of a VIEW sample: x y z [m] in the world's frame, and four bytes of colour.

    Raises StreamError if meta and payload do not belong together.
    """
    try:
        count = _decode_encoded(meta).points
    except UNREADABLE as error:
        raise StreamError(f"an encoded sample has an unreadable meta: {error}") from error
    if count * POINT_BYTES > payload.nbytes:
        raise StreamError(f"an encoded sample has {payload.nbytes} bytes, but says it has {count} points")
    return np.frombuffer(payload, np.float32, 4 * count).reshape(count, 4)


def header_of(
    view: str, stored: StreamFormat, sequence: int, age_s: float, meta: bytes, size: int
) -> SampleHeader:
    """The header for a sample of a ring that holds `stored`; `size`: payload in bytes.

    Raises StreamError if meta and payload do not belong together.
    """
    try:
        if stored is StreamFormat.VIEW:
            encoded = _decode_encoded(meta)
            promised = encoded.points * POINT_BYTES + encoded.picture + encoded.poses * POSE_BYTES
            header = SampleHeader(
                view,
                sequence,
                age_s,
                encoded.time_s,
                encoded.points,
                encoded.picture,
                encoded.poses,
                world_T_frame=encoded.world_T_frame,
            )
        elif stored is StreamFormat.POSES:
            plain = decode_meta(meta) if meta else SampleMeta()
            promised = size // POSE_BYTES * POSE_BYTES
            header = SampleHeader(
                view,
                sequence,
                age_s,
                plain.time_s,
                poses=size // POSE_BYTES,
                world_T_frame=plain.world_T_frame,
            )
        else:
            raise StreamError(
                f"view {view!r} has format {stored.value!r}; a page draws 'view' and 'poses' only: "
                "put the view encoder in between"
            )
    except UNREADABLE as error:
        raise StreamError(f"a sample of view {view!r} has an unreadable meta: {error}") from error
    if promised != size:
        raise StreamError(
            f"a sample of view {view!r} has {size} bytes where its meta promises {promised}; "
            "restart the process that writes it"
        )
    return header


def write_head(message: bytearray, header: SampleHeader) -> None:
    """Put `header` into the first 512 bytes of `message`.

    Raises StreamError if it does not fit, which only an absurdly long name of a view can cause.
    """
    text = msgspec.json.encode(header)
    if len(text) > HEAD_BYTES - _LENGTH.size:
        raise StreamError(f"the header of a view's sample has {len(text)} bytes; 508 fit: shorten its name")
    _LENGTH.pack_into(message, 0, len(text))
    message[_LENGTH.size : HEAD_BYTES] = text.ljust(HEAD_BYTES - _LENGTH.size, b"\0")
