"""A cloud's chunks: layout, colours, what is left out, and what a lost one costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.errors import MalformedMessage
from resources.operator.cloud import (
    CHUNK_POINTS,
    POINT_BYTES,
    Points,
    chunk_points,
    decode_chunk,
    encode_chunk,
    packed_points,
)

GOLDEN = json.loads((Path(__file__).parent / "data" / "cloud.json").read_text())


def points_of(coordinates: list[list[float]], colour: tuple[int, int, int] = (255, 255, 255)) -> Points:
    points = np.zeros((len(coordinates), 4), np.float32)
    points[:, :3] = np.reshape(coordinates, (-1, 3))
    points.view(np.uint8).reshape(-1, 16)[:, 12:15] = colour
    return points


@pytest.mark.parametrize("case", GOLDEN["chunks"], ids=lambda case: case["what"])
def test_chunks_are_packed_as_the_page_reads_them(case: dict[str, Any]) -> None:
    chunk = decode_chunk(bytes.fromhex(case["bytes"]))
    read = np.frombuffer(chunk.points, np.uint16).reshape(-1, 4)
    for row, expected in zip(read, case["points"], strict=True):
        colour = int(row[3])
        assert [*row[:3].view(np.int16).tolist(), colour >> 11, colour >> 5 & 63, colour & 31] == expected
    assert (chunk.cloud, chunk.chunk, chunk.chunks) == (case["cloud"], case["chunk"], case["chunks"])
    assert (chunk.camera, chunk.age_ms) == (case["camera"], case["age_ms"])
    assert (
        encode_chunk(
            cloud=chunk.cloud,
            chunk=chunk.chunk,
            chunks=chunk.chunks,
            camera=chunk.camera,
            age_ms=chunk.age_ms,
            points=chunk.points,
        ).hex()
        == case["bytes"]
    )


def test_points_are_kept_to_a_millimetre_and_the_impossible_is_left_out() -> None:
    nan, inf = float("nan"), float("inf")
    packed = packed_points(points_of([[0.5, -0.25, 1.0], [nan, 0, 0], [0, inf, 0], [0, 0, -40.0]]))
    assert packed.shape == (1, POINT_BYTES)
    assert packed.view(np.int16)[0, :3].tolist() == [500, -250, 1000]


def test_a_chunk_fits_into_one_packet() -> None:
    packed = packed_points(points_of([[0.001 * index, 0, 0] for index in range(5 * CHUNK_POINTS + 1)]))
    chunks = chunk_points(packed)
    assert len(chunks) == 6
    assert sum(map(len, chunks)) == packed.nbytes
    for points in chunks:
        size = len(encode_chunk(cloud=1, chunk=0, chunks=6, camera=0, age_ms=0.0, points=points))
        assert size <= 1152


def test_a_lost_chunk_leaves_no_hole() -> None:
    packed = packed_points(points_of([[0.001 * index, 0, 0] for index in range(1000)]))
    left = np.frombuffer(b"".join(chunk_points(packed)[1:]), np.int16).reshape(-1, 4)[:, 0]
    assert np.diff(np.sort(left)).max() <= 2


def test_no_points_are_one_empty_chunk() -> None:
    assert chunk_points(packed_points(points_of([]))) == [b""]


@pytest.mark.parametrize("payload", [b"", b"\x52\x01", b"\x52\x02" + bytes(14), b"\x52\x01" + bytes(15)])
def test_what_is_no_chunk_is_refused(payload: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode_chunk(payload)
