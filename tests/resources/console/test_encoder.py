"""What the page draws: points in the world frame, pictures, and the child that makes them."""

from __future__ import annotations

import asyncio
import math
import time
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import StreamError
from framework.processes.child_events import ChildEvent, Said
from framework.processes.launcher import ProcessLauncher
from framework.status import Severity
from framework.transport.ring import RingReader, RingWriter, Sample
from resources.console.encoder_spec import EncoderArguments, encoder_process
from resources.types.samples import decode_arrays
from resources.types.streams import (
    CameraIntrinsics,
    Pose7,
    SampleMeta,
    StreamFormat,
    StreamHandle,
    encode_meta,
)
from resources.web.encoding import (
    cloud_points,
    encode_picture,
    encode_points,
    encode_poses,
    height_colours,
    rgbd_points,
    scan_points,
)
from resources.web.samples import POINT_BYTES, EncodedMeta

SMALL = CameraIntrinsics(8, 6, 10.0, 10.0, 3.5, 2.5)
# At 1 m height, looking along world x: the optical frame's z is world x, its x world −y, its y world −z.
AHEAD: Pose7 = (0.0, 0.0, 1.0, -0.5, 0.5, -0.5, 0.5)


def test_a_pixel_lands_where_the_camera_saw_it() -> None:
    rgb = np.zeros((6, 8, 3), np.uint8)
    depth = np.zeros((6, 8), np.uint16)
    rgb[1, 6], depth[1, 6] = (250, 20, 30), 2000
    points = rgbd_points(rgb, depth, SMALL, AHEAD, 100)
    assert points.shape == (1, 4)
    # right of the middle → world −y; above the middle → higher
    np.testing.assert_allclose(points[0, :3], (2.0, -0.5, 1.3), atol=1e-6)
    assert list(points.view(np.uint8).reshape(1, POINT_BYTES)[0, 12:]) == [250, 20, 30, 255]


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 300))
def test_never_more_points_than_allowed(height: int, width: int, most: int) -> None:
    intrinsics = CameraIntrinsics(width, height, 10.0, 10.0, 0.0, 0.0)
    depth = np.full((height, width), 1000, np.uint16)
    rgb = np.zeros((height, width, 3), np.uint8)
    points = rgbd_points(rgb, depth, intrinsics, AHEAD, most)
    assert 1 <= len(points) <= most
    assert len(cloud_points(np.ones((height * width, 3), np.float32), AHEAD, most)) <= most


def test_a_scan_keeps_its_order_and_leaves_out_what_was_not_hit() -> None:
    at: Pose7 = (1.0, 0.0, 0.2, 0.0, 0.0, 0.0, 1.0)
    meta = SampleMeta(angle_increment=math.pi / 2, range_max=30.0)
    points = scan_points(np.array([2.0, np.inf, 3.0, 30.0, 0.0, np.nan], np.float32), meta, at, 100)
    np.testing.assert_allclose(points[:, :3], [(3.0, 0.0, 0.2), (-2.0, 0.0, 0.2)], atol=1e-6)


@pytest.mark.parametrize("kind", [StreamFormat.RGBD, StreamFormat.SCAN, StreamFormat.CLOUD])
def test_what_nobody_knows_the_place_of_is_drawn_nowhere_but_its_picture_is_shown(kind: StreamFormat) -> None:
    payload = bytes([90]) * 8 * 6 * 5 if kind is StreamFormat.RGBD else np.ones(9, np.float32).tobytes()
    for place, is_drawn in ((AHEAD, True), (None, False)):
        meta = encode_meta(SampleMeta(1.0, place, 8, 6, 0.0, 0.1, 30.0))
        measured = decode_arrays(Sample(1, 0.0, meta, memoryview(payload)), kind)
        assert bool(len(encode_points(measured, SMALL, 100))) is is_drawn
        assert bool(encode_picture(measured, 10_000)) is (kind is StreamFormat.RGBD)


def test_heights_get_lighter_upwards() -> None:
    light = height_colours(np.array([-1.0, 0.5, 1.1, 1.7, 9.0], np.float32)).astype(int) @ (30, 59, 11)
    assert list(light) == sorted(light)


def test_points_that_are_none_are_left_out() -> None:
    points = cloud_points(np.array([(1, 2, np.nan), (np.inf, 0, 0), (1, 2, 3)], np.float32), AHEAD, 10)
    assert len(points) == 1


@pytest.mark.parametrize(
    ("stored", "size", "meta"),
    [
        (StreamFormat.RGBD, 8 * 6 * 5 - 1, SampleMeta(width=8, height=6)),
        (StreamFormat.RGBD, 6 * 8 * 5, SampleMeta(width=6, height=8)),
        (StreamFormat.RGBD, 0, SampleMeta()),
        (StreamFormat.SCAN, 7, SampleMeta()),
        (StreamFormat.CLOUD, 16, SampleMeta()),
        (StreamFormat.STATE, 28, SampleMeta()),
    ],
)
def test_a_payload_that_is_not_what_it_says_is_refused(
    stored: StreamFormat, size: int, meta: SampleMeta
) -> None:
    with pytest.raises(StreamError):
        encode_points(decode_arrays(_sample(bytes(size), meta), stored), SMALL, 100)


def test_poses_go_through_as_they_are() -> None:
    poses = decode_arrays(_sample(bytes(range(56)), SampleMeta()), StreamFormat.POSES)
    assert encode_poses(poses) == bytes(range(56))
    assert encode_poses(decode_arrays(_sample(b"", SampleMeta()), StreamFormat.POSES)) == b""
    assert encode_poses(decode_arrays(_sample(bytes(28), SampleMeta()), StreamFormat.SCAN)) == b""
    with pytest.raises(StreamError):
        decode_arrays(_sample(bytes(27), SampleMeta()), StreamFormat.POSES)


def test_a_picture_is_a_jpeg_of_what_was_seen_and_fits() -> None:
    rgb = np.zeros((48, 64, 3), np.uint8)
    rgb[:, :32] = (255, 0, 0)
    seen = decode_arrays(_sample(rgb.tobytes(), SampleMeta(width=64, height=48)), StreamFormat.IMAGE)
    jpeg = encode_picture(seen, 100_000)
    bgr = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    assert bgr.shape == (48, 64, 3)
    assert bgr[20, 5, 2] > 200 > 50 > bgr[20, 5, 0]
    assert encode_picture(seen, 100) == b""
    assert encode_picture(decode_arrays(_sample(bytes(8), SampleMeta()), StreamFormat.SCAN), 100_000) == b""
    assert encode_picture(decode_arrays(_sample(b"", SampleMeta()), StreamFormat.IMAGE), 100_000) == b""


def _sample(payload: bytes, meta: SampleMeta) -> Sample:
    return Sample(1, 0.0, encode_meta(meta), memoryview(payload))


def test_the_child_encodes_and_follows_its_source(tmp_path: Path) -> None:
    """A real process: encodes, skips nonsense and says so, goes over to the ring of a restarted sensor."""

    async def whole() -> None:
        source = StreamHandle("cam", str(tmp_path / "cam.ring"), StreamFormat.RGBD, "front", 10.0, SMALL)
        told: list[ChildEvent] = []
        arguments = EncoderArguments(source, str(tmp_path), "view-cam", most_hz=1000.0)
        with RingWriter(tmp_path, "cam", slot_bytes=8 * 6 * 5) as ring:
            _write(ring, 1000)
            async with (
                asyncio.timeout(120),
                ProcessLauncher().launch(encoder_process(arguments), on_event=told.append) as child,
            ):
                handle = msgspec.json.decode(child.handle, type=StreamHandle)
                assert handle.format is StreamFormat.VIEW
                with RingReader(Path(handle.ring)) as view:
                    assert _depth(await _next(view, 0)) == 1.0
                    ring.write(b"nonsense", stamp_s=time.monotonic(), meta=b"")
                    while Severity.WARNING not in [each.severity for each in told if isinstance(each, Said)]:
                        await asyncio.sleep(0.01)
                    _write(ring, 2000)
                    assert _depth(await _next(view, 1)) == 2.0
                    with RingWriter(tmp_path, "cam", slot_bytes=8 * 6 * 5, replace=True) as again:
                        _write(again, 3000)
                        assert _depth(await _next(view, 2)) == 3.0

    asyncio.run(whole())
    assert not list(tmp_path.glob("view-cam*"))


def _write(ring: RingWriter, millimetres: int) -> None:
    depth = np.full((6, 8), millimetres, np.uint16)
    payload = np.concatenate([np.zeros(8 * 6 * 3, np.uint8), depth.view(np.uint8).ravel()])
    meta = SampleMeta(1.0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), 8, 6)
    ring.write(payload, stamp_s=time.monotonic(), meta=encode_meta(meta))


async def _next(view: RingReader, after: int) -> Sample:
    while (sample := view.latest(after)) is None:
        await asyncio.sleep(0.005)
    return sample


def _depth(sample: Sample) -> float:
    meta = msgspec.msgpack.decode(sample.meta, type=EncodedMeta)
    assert meta.points == 48
    assert bytes(sample.payload[48 * POINT_BYTES :][:2]) == b"\xff\xd8"
    return round(float(np.frombuffer(sample.payload, np.float32, count=4)[2]), 3)
