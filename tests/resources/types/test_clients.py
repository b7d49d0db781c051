"""What actions hold for sensors: samples as arrays, from a real ring, whatever becomes of its writer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from framework.errors import LeaseError, StreamError
from framework.plugins.client import client_for
from framework.registrar import Lease
from framework.testing import run
from framework.transport.ring import RingWriter
from resources.types.clients import CameraClient, CloudClient, LidarClient, StreamClient, TrackedClient
from resources.types.context import Tracked, TrackedFeed
from resources.types.sensors import (
    Camera,
    CameraFeed,
    CloudFeed,
    Device,
    Lidar,
    ScanFeed,
    SweptLidar,
)
from resources.types.streams import CameraIntrinsics, SampleMeta, StreamFormat, StreamHandle, encode_meta

META = encode_meta(SampleMeta(time_s=1.5, width=4, height=3))


class FakeLease:
    """As much of a lease as a client touches."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.sent: list[bytes] = []

    def send(self, payload: bytes, *, sent_s: float | None = None) -> None:
        self.sent.append(payload)


def stream(directory: Path, form: StreamFormat, name: str = "s") -> StreamHandle:
    return StreamHandle(name, str(directory / f"{name}.ring"), form)


def camera(directory: Path, form: StreamFormat = StreamFormat.RGBD) -> tuple[CameraClient, FakeLease]:
    feed = CameraFeed("cam", form.value, stream(directory, form), CameraIntrinsics(4, 3, 1.0, 1.0, 2.0, 1.5))
    lease = FakeLease(feed)
    return CameraClient("camera", cast(Lease, lease)), lease


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (Camera(), CameraClient),
        (Lidar(), LidarClient),
        (SweptLidar(), CloudClient),
        (Device("x"), StreamClient),
        (Tracked("hand"), TrackedClient),
    ],
)
def test_the_request_names_the_client(request_: Any, kind: type) -> None:
    assert type(client_for("it", request_, None)) is kind


def test_a_stream_that_is_not_there(tmp_path: Path) -> None:
    client, _ = camera(tmp_path)
    with pytest.raises(StreamError, match="is its writer running"):
        client.latest()


@pytest.mark.parametrize(
    ("payload", "meta", "words"),
    [
        (b"x" * 59, META, "has 59 bytes, but a rgbd sample like this has 60"),
        (b"", META, "has 0 bytes"),
        (b"x" * 60, b"\xff\xff", "meta that is none of ours"),
        (b"x" * 60, b"", "meta that is none of ours"),
    ],
)
def test_garbage_in_the_stream_is_an_error_in_words(
    tmp_path: Path, payload: bytes, meta: bytes, words: str
) -> None:
    client, _ = camera(tmp_path)
    with RingWriter(tmp_path, "s", slot_bytes=128) as ring:
        ring.write(payload, stamp_s=0.0, meta=meta)
        with pytest.raises(StreamError, match=words):
            client.latest()
    client.end()


def test_frames(tmp_path: Path) -> None:
    client, _ = camera(tmp_path)
    rgb = np.arange(36, dtype=np.uint8).reshape(3, 4, 3)
    depth = np.arange(12, dtype=np.uint16).reshape(3, 4) * 100
    with RingWriter(tmp_path, "s", slot_bytes=128) as ring:
        assert client.latest() is None
        ring.write(rgb.tobytes() + depth.tobytes(), stamp_s=2.5, meta=META)
        frame = client.latest()
        assert frame is not None and frame.depth_mm is not None
        np.testing.assert_array_equal(frame.rgb, rgb)
        np.testing.assert_array_equal(frame.depth_mm, depth)
        assert (frame.stamp_s, frame.sequence, frame.meta.time_s) == (2.5, 1, 1.5)
        assert client.latest(after=frame.sequence) is None
        assert client.device == "cam"
    client.end()
    with pytest.raises(LeaseError, match="given back"):
        client.latest()


@pytest.mark.parametrize(
    ("form", "feed", "client_type", "payload", "field", "shape"),
    [
        (StreamFormat.SCAN, ScanFeed, LidarClient, np.ones(7, np.float32), "ranges_m", (7,)),
        (StreamFormat.CLOUD, CloudFeed, CloudClient, np.ones((5, 3), np.float32), "points_m", (5, 3)),
        (StreamFormat.CLOUD, CloudFeed, CloudClient, np.ones((0, 3), np.float32), "points_m", (0, 3)),
        (StreamFormat.POSES, None, TrackedClient, np.ones((1, 7), np.float32), "poses", (1, 7)),
    ],
)
def test_other_samples(
    tmp_path: Path, form: StreamFormat, feed: Any, client_type: Any, payload: Any, field: str, shape: Any
) -> None:
    source = stream(tmp_path, form)
    handle = feed("it", source) if feed else TrackedFeed("hand", "cam", source)
    client = client_type("it", FakeLease(handle))
    with RingWriter(tmp_path, "s", slot_bytes=256) as ring:
        ring.write(payload, stamp_s=0.0, meta=encode_meta(SampleMeta()))
        assert getattr(client.latest(), field).shape == shape
        ring.write(b"x" * 5, stamp_s=0.0, meta=encode_meta(SampleMeta()))
        with pytest.raises(StreamError, match="has 5 bytes"):
            client.latest()
    client.end()


def test_frames_go_on_when_the_writer_is_replaced_and_when_the_handle_is(tmp_path: Path) -> None:
    client, lease = camera(tmp_path, StreamFormat.IMAGE)
    image = np.zeros((3, 4, 3), np.uint8)
    seen: list[float] = []

    async def watch() -> None:
        async for frame in client.frames():
            seen.append(frame.stamp_s)

    async def scene() -> None:
        with RingWriter(tmp_path, "s", slot_bytes=64) as ring:
            watching = asyncio.create_task(watch())
            for stamp_s in (1.0, 2.0):
                ring.write(image, stamp_s=stamp_s, meta=META)
                await asyncio.sleep(0.5)
        with RingWriter(tmp_path, "s", slot_bytes=64, replace=True) as ring:
            ring.write(image, stamp_s=3.0, meta=META)
            await asyncio.sleep(0.5)
        with RingWriter(tmp_path, "t", slot_bytes=64) as ring:
            ring.write(image, stamp_s=4.0, meta=META)
            lease.value = CameraFeed(
                "other", "rgb", stream(tmp_path, StreamFormat.IMAGE, "t"), lease.value.intrinsics
            )
            await asyncio.sleep(0.5)
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    run(scene)
    client.end()
    assert seen == [1.0, 2.0, 3.0, 4.0]


def test_a_stream_of_the_wrong_kind_is_an_error(tmp_path: Path) -> None:
    client = CameraClient(
        "camera", cast(Lease, FakeLease(ScanFeed("it", stream(tmp_path, StreamFormat.SCAN))))
    )
    with RingWriter(tmp_path, "s", slot_bytes=64) as ring:
        ring.write(b"x" * 8, stamp_s=0.0, meta=encode_meta(SampleMeta()))
        with pytest.raises(StreamError, match="gives a Scan, where a Frame belongs"):
            client.latest()
    client.end()


def test_commands_go_through_the_lease_until_the_run_is_over(tmp_path: Path) -> None:
    client, lease = camera(tmp_path)
    client.send(b"look left")
    assert lease.sent == [b"look left"]
    client.end()
    with pytest.raises(LeaseError):
        client.send(b"look right")
    assert lease.sent == [b"look left"]
