"""A camera's cloud as it goes to a page: chunks of a packet's size, each drawn by itself. Pure.

The page's half is `resources/web/page/src/operator/link/cloud.ts`; both are checked against
`tests/resources/operator/data/cloud.json`.

CloudChunk, down, channel "cloud" of the media link, little-endian, at most 1152 bytes:

    offset type   what
    0      u8     0x52                     4      u32    cloud: number, rises by one with each
    1      u8     version 1                8      u16    chunk: which of them, from 0
    2      u8     camera's index in Shown  10     u16    chunks: how many this cloud has
    3      u8     0                        12     f32    age of the camera's sample when sent [ms]
    16     8 bytes a point, at most 142: i16×3 x y z, robot's frame [mm]; u16 colour, 5 bits red,
           6 green, 5 blue, red in the highest

Every chunk has points from all over the picture, so one that is lost makes the cloud thinner and no hole.
When the camera is silent, a chunk without points comes twice a second, of the last cloud, with its growing
age: grey it. A page draws the newest cloud it has a chunk of, keeps the one before until the newer one is
half there, and throws away what is older.
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage

POINT_BYTES: Final = 8
CHUNK_POINTS: Final = 142
"""Header and points fit into one packet of the connection (1160 bytes): a chunk is lost alone."""

FARTHEST_M: Final = 32.0

CLOUD_MAGIC: Final = 0x52
CLOUD_VERSION: Final = 1
_HEAD: Final = struct.Struct("<BBBBIHHf")
HEAD_BYTES: Final = _HEAD.size
_LONGEST_MS: Final = 60_000.0

#: As in `web.encoding`: (n, 4), x y z and four bytes of colour.
Points = NDArray[np.float32]


class CloudChunk(msgspec.Struct, frozen=True):
    """A chunk as pages read it. points: as in the module's docstring."""

    cloud: int
    chunk: int
    chunks: int
    camera: int
    age_ms: float
    points: bytes


def packed_points(points: Points) -> NDArray[np.uint8]:
    """Coloured points in the robot's frame [m] as (n, 8) bytes; those too far away are left out."""
    near = np.abs(points[:, :3]).max(axis=1, initial=0.0) < FARTHEST_M  # False for what is not finite
    chosen = np.ascontiguousarray(points[near])
    packed = np.empty((len(chosen), 4), np.uint16)
    packed[:, :3] = np.rint(chosen[:, :3] * 1e3).astype(np.int16).view(np.uint16)
    if len(chosen):
        colour = chosen.view(np.uint8).reshape(len(chosen), 16)[:, 12:15].astype(np.uint16)
        packed[:, 3] = (colour[:, 0] >> 3 << 11) | (colour[:, 1] >> 2 << 5) | colour[:, 2] >> 3
    return packed.view(np.uint8).reshape(len(chosen), POINT_BYTES)


def chunk_points(packed: NDArray[np.uint8]) -> list[bytes]:
    """The points of each chunk, taken from all over; at least one chunk, which may be empty."""
    count = max(1, -(-len(packed) // CHUNK_POINTS))
    return [packed[first::count].tobytes() for first in range(count)]


def encode_chunk(*, cloud: int, chunk: int, chunks: int, camera: int, age_ms: float, points: bytes) -> bytes:
    """As it goes over the channel."""
    head = _HEAD.pack(
        CLOUD_MAGIC, CLOUD_VERSION, camera, 0, cloud & 0xFFFF_FFFF, chunk, chunks, min(age_ms, _LONGEST_MS)
    )
    return head + points


def decode_chunk(payload: bytes) -> CloudChunk:
    """What a page reads: for scripted pages and tests. Raises MalformedMessage for what is none."""
    size = len(payload) - _HEAD.size
    if size < 0 or size % POINT_BYTES or payload[0] != CLOUD_MAGIC or payload[1] != CLOUD_VERSION:
        raise MalformedMessage(
            f"{len(payload)} bytes that begin with {payload[:2].hex()} are no chunk of a cloud"
        )
    _, _, camera, _, cloud, chunk, chunks, age_ms = _HEAD.unpack_from(payload)
    return CloudChunk(cloud, chunk, chunks, camera, age_ms, payload[_HEAD.size :])
