"""A camera's cloud, from its ring to a page: where it stands, which camera, how fast, and its silence."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from framework.transport.ring import RingWriter
from resources.operator.cloud import POINT_BYTES as POINT_BYTES_SENT
from resources.operator.cloud import CloudChunk, decode_chunk
from resources.operator.cloud_source import MOST_POINTS, WORKS_S, CloudRings, CloudSource, SourcedCloud
from resources.operator.cloud_stream import RATE_BITS, CloudStream
from resources.operator.orders import Shown
from resources.operator.scripted_page import ScriptedPage
from resources.types.motion import BaseSample, LoopState, encode_motion
from resources.types.sensors import CameraFeed
from resources.types.streams import (
    IDENTITY,
    CameraIntrinsics,
    Pose7,
    StreamFormat,
    StreamHandle,
)
from resources.web.encoding import rgbd_points
from resources.web.samples import POINT_BYTES, EncodedMeta
from tests.resources.operator.link_rig import PATIENCE_S, SESSION, Rig, until

pytestmark = pytest.mark.real


class Camera:
    """A camera that looks at a wall: everything is as far away as it is told."""

    def __init__(self, directory: Path, name: str, *, width: int = 32, height: int = 24) -> None:
        self.width, self.height = width, height
        self.writer = RingWriter(directory, name, slot_bytes=width * height * POINT_BYTES, replace=True)
        lens = CameraIntrinsics(width, height, 20.0, 20.0, width / 2, height / 2)
        stream = StreamHandle(name, str(self.writer.path), StreamFormat.VIEW, "world", 10.0)
        self.feed = CameraFeed(name, "rgbd", stream, lens)

    def see(self, depth_mm: int, *, age_s: float = 0.0, world_T_camera: Pose7 = IDENTITY) -> None:
        """As the encoder says it."""
        rgb = np.full((self.height, self.width, 3), (255, 0, 0), np.uint8)
        depth = np.full((self.height, self.width), depth_mm, np.uint16)
        points = rgbd_points(rgb, depth, self.feed.intrinsics, world_T_camera, 60_000)
        meta = msgspec.msgpack.encode(EncodedMeta(len(points), 0, 0.0, world_T_camera))
        self.writer.write(points.tobytes(), stamp_s=time.monotonic() - age_s, meta=meta)


def newest(rings: CloudRings, now_s: float | None = None) -> SourcedCloud | None:
    return rings.newest(time.monotonic() if now_s is None else now_s, 1)


def in_order(cloud: SourcedCloud) -> NDArray[np.int16]:
    """Its points as they were before they were dealt out to chunks, (n, 3) [mm]."""
    whole = np.zeros((sum(map(len, cloud.chunks)) // POINT_BYTES_SENT, 3), np.int16)
    for first, chunk in enumerate(cloud.chunks):
        whole[first :: len(cloud.chunks)] = read(chunk)
    return whole


def read(points: bytes) -> NDArray[np.int16]:
    """(n, 3) [mm]."""
    return np.frombuffer(points, np.int16).reshape(-1, 4)[:, :3]


def test_points_stand_where_the_camera_says(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front")
    rings = CloudRings((camera.feed,), None, IDENTITY)
    camera.see(1500, world_T_camera=(0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    cloud = newest(rings)
    assert cloud is not None
    points = in_order(cloud)
    assert len(points) == camera.width * camera.height
    assert set(points[:, 2].tolist()) == {2500}
    assert points[:, 0].min() == -1200
    rings.close()


def test_a_cloud_is_handed_out_once(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front")
    rings = CloudRings((camera.feed,), None, IDENTITY)
    camera.see(1000)
    assert newest(rings) is not None
    assert newest(rings) is None
    camera.see(1000)
    assert newest(rings) is not None
    rings.close()


def test_a_robot_that_has_driven_sees_the_cloud_in_its_own_frame(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front")
    base = RingWriter(tmp_path, "base", slot_bytes=4096)
    sample = BaseSample(0.0, LoopState(), odometry=(2.0, 0.0, np.pi / 2))
    base.write(encode_motion(sample), stamp_s=time.monotonic())
    handle = StreamHandle("base", str(base.path), StreamFormat.BASE)
    rings = CloudRings((camera.feed,), handle, IDENTITY)
    camera.see(1000, world_T_camera=(2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    cloud = newest(rings)
    assert cloud is not None
    middle = in_order(cloud)[camera.width * camera.height // 2 + camera.width // 2]
    assert middle.tolist() == [
        3000,
        0,
        1000,
    ]  # ahead of it, where the camera was 3 m to its left in the world
    rings.close()
    base.close()


def test_a_silent_camera_gives_way_to_the_next(tmp_path: Path) -> None:
    first, second = Camera(tmp_path, "first"), Camera(tmp_path, "second")
    rings = CloudRings((first.feed, second.feed), None, IDENTITY)
    first.see(1000)
    second.see(2000)
    now_s = time.monotonic()
    found = [newest(rings, now_s), newest(rings, now_s)]
    assert [cloud.camera if cloud else None for cloud in found] == [0, None]
    second.see(2000, age_s=-2 * WORKS_S)
    later = newest(rings, now_s + 2 * WORKS_S)
    assert later is not None
    assert later.camera == 1
    rings.close()


def test_what_makes_no_sense_is_no_cloud(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front")
    absent = Camera(tmp_path, "absent")
    absent.writer.close()
    rings = CloudRings((absent.feed, camera.feed), None, IDENTITY)
    for payload, meta in (
        (b"short", msgspec.msgpack.encode(EncodedMeta(2, 0))),
        (bytes(16), b"no meta"),
        (b"", b""),
    ):
        camera.writer.write(payload, stamp_s=time.monotonic(), meta=meta)
        assert newest(rings) is None
    camera.see(1000)
    assert newest(rings) is not None
    rings.close()


def test_a_camera_that_is_started_again_is_found(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front")
    rings = CloudRings((camera.feed,), None, IDENTITY)
    camera.see(1000)
    assert newest(rings) is not None
    again = Camera(tmp_path, "front")
    again.see(1500)
    cloud = newest(rings)
    assert cloud is not None
    assert in_order(cloud)[0, 2] == 1500
    rings.close()


def test_more_points_than_a_page_takes_are_thinned(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front", width=160, height=120)
    camera.see(1000)
    rings = CloudRings((camera.feed,), None, IDENTITY)
    cloud = newest(rings)
    assert cloud is not None
    assert MOST_POINTS / 2 < len(in_order(cloud)) <= MOST_POINTS
    rings.close()


class Channel:
    """A page's end that takes everything."""

    readyState = "open"  # as aiortc calls them
    bufferedAmount = 0

    def __init__(self) -> None:
        self.sent: list[CloudChunk] = []

    def send(self, payload: bytes) -> None:
        self.sent.append(decode_chunk(payload))


def test_all_pages_are_sent_what_was_prepared_once(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front")

    async def scenario() -> None:
        source = CloudSource()
        source.show((camera.feed,))
        channels = [Channel() for _ in range(3)]
        streams = [CloudStream(channel, source) for channel in channels]  # type: ignore[arg-type]
        for depth_mm in (1000, 2000):
            camera.see(depth_mm)

            def everywhere(depth_mm: int = depth_mm) -> bool:
                for stream in streams:
                    stream.look(time.monotonic())
                return all(
                    any(each.points and read(each.points)[0, 2] == depth_mm for each in channel.sent)
                    for channel in channels
                )

            await until(everywhere)
        assert source.newest is not None
        assert source.newest.number == 2, "two clouds, whoever watches"
        source.show(())
        assert source.newest is None
        await source.close()

    asyncio.run(scenario())


def test_a_page_gets_whole_clouds_and_then_their_age(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front", width=64, height=48)
    chunks: list[CloudChunk] = []

    def with_points(cloud: int) -> list[CloudChunk]:
        return [chunk for chunk in chunks if chunk.cloud == cloud and chunk.points]

    async def scenario() -> None:
        async with asyncio.timeout(2 * PATIENCE_S), Rig(tmp_path) as rig:
            page = ScriptedPage(
                SESSION, time.monotonic, on_cloud=lambda payload: chunks.append(decode_chunk(payload))
            )
            rig.begin(page)
            rig.link.show(Shown(cameras=(camera.feed,)))
            await rig.connect(media=True)
            camera.see(1000)
            # Behind them may come how old they are, without points: on a busy machine before we look again.
            await until(lambda: (first := with_points(1)) and len(first) == first[0].chunks)
            assert {chunk.cloud for chunk in chunks} == {1}
            assert sum(len(read(chunk.points)) for chunk in with_points(1)) == 64 * 48
            assert {chunk.camera for chunk in chunks} == {0}
            camera.see(2000)
            await until(lambda: with_points(2))
            assert read(with_points(2)[-1].points)[0, 2] == 2000
            await until(lambda: chunks[-1].cloud == 2 and not chunks[-1].points)
            assert chunks[-1].age_ms > 400.0
            rig.link.show(Shown())
            camera.see(1000)
            await rig.moved()
            assert chunks[-1].cloud == 2

    asyncio.run(scenario())


def test_a_page_s_rate_is_kept(tmp_path: Path) -> None:
    camera = Camera(tmp_path, "front", width=128, height=96)
    received = 0

    def take(payload: bytes) -> None:
        nonlocal received
        received += len(payload)

    async def scenario() -> None:
        async with asyncio.timeout(2 * PATIENCE_S), Rig(tmp_path) as rig:
            rig.begin(ScriptedPage(SESSION, time.monotonic, on_cloud=take))
            rig.link.show(Shown(cameras=(camera.feed,)))
            await rig.connect(media=True)
            begun_s, before = time.monotonic(), received

            def seen() -> bool:
                camera.see(1000)
                return time.monotonic() - begun_s > 1.0

            took_s = await until(seen)
            rate = 8 * (received - before) / took_s
            assert 0 < rate < 1.2 * RATE_BITS

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", ["rgb", ""])
def test_a_camera_without_depth_has_no_cloud(tmp_path: Path, kind: str) -> None:
    camera = Camera(tmp_path, "front")
    camera.see(1000)
    feed = CameraFeed("front", kind, camera.feed.stream, camera.feed.intrinsics)
    rings = CloudRings((feed,), None, IDENTITY)
    assert newest(rings) is None
    rings.close()
