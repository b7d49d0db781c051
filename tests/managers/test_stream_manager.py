"""Who watches which stream, how fast and how old it is: real rings, a scripted clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from framework.errors import ResourceUnavailable
from framework.transport.ring import RingWriter
from managers.stream_manager import StreamManager, StreamPolicy
from resources.types.streams import Stream, StreamFormat, StreamHandle
from tests.faults.stage import Client, Stage, now_s

Play = Callable[[Any], None]


class Source:
    """Samples of a small ring, while somebody says so."""

    def __init__(self, stage: Stage, name: str = "scan") -> None:
        self._stage = stage
        self._name = name
        self.ring = RingWriter(stage.folder, name, slot_bytes=64)
        self.handle = StreamHandle(name, str(self.ring.path), StreamFormat.SCAN, rate_hz=10.0)

    def anew(self) -> None:
        """Its writer was killed and restarted: another ring in the same place."""
        self.ring = RingWriter(self._stage.folder, self._name, slot_bytes=64, replace=True)

    async def flow(self, for_s: float) -> None:
        """Ten samples a second."""
        until_s = now_s() + for_s - 1e-6
        while now_s() < until_s:
            self.ring.write(b"ranges", stamp_s=now_s())
            await asyncio.sleep(0.1)


async def streams(stage: Stage, policy: StreamPolicy | None = None) -> StreamManager:
    manager: StreamManager = await stage.enter(
        StreamManager(stage.transport, clock=stage.clock, policy=policy, monotonic_s=now_s)
    )
    return manager


async def watching(stage: Stage, handle: StreamHandle) -> Client:
    (client,) = await stage.come(1)
    client.ask(Stream(handle))
    await client.answer()
    return client


def test_rate_age_and_watchers_are_measured(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager, source = await streams(stage), Source(stage)
        one, _ = await watching(stage, source.handle), await watching(stage, source.handle)
        assert one.value == source.handle
        await source.flow(3.0)
        (view,) = manager.streams()
        assert (view.name, view.format, view.watchers) == ("scan", "scan", 2)
        assert view.rate_hz == pytest.approx(10.0, rel=0.2)
        assert 0.0 <= view.age_s <= 0.3
        assert not one.told
        for client in stage.clients:
            await client.leave()
        await asyncio.sleep(0.1)
        assert manager.streams() == ()
        source.ring.close()

    play(scene)


def test_a_stale_stream_warns_then_fails(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await streams(stage)
        source = Source(stage)
        client = await watching(stage, source.handle)
        await source.flow(1.0)
        stopped_s = now_s() - 0.1
        await asyncio.sleep(5)
        assert client.severities == ("WARNING", "FATAL")
        warned_s, failed_s = (told.at_s - stopped_s for told in client.told)
        assert 1.0 < warned_s <= 1.25 and 3.0 < failed_s <= 3.25
        assert "scan is 1." in client.told[0].status.message
        assert "is stale: its last sample is 3." in str(client.error)
        source.ring.close()

    play(scene)


def test_it_flows_again(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager, source = await streams(stage), Source(stage)
        client = await watching(stage, source.handle)
        await source.flow(1.0)
        await asyncio.sleep(1.5)
        assert manager.registrar.snapshot().resources[0].state == "degraded"
        await source.flow(1.0)
        assert client.severities == ("WARNING", "OK")
        assert "flows again" in client.told[1].status.message
        assert manager.registrar.snapshot().resources[0].state == "ready"
        source.ring.close()
        await asyncio.sleep(0.3)

    play(scene)


def test_the_policy_scales_with_the_period(play: Play) -> None:
    """A stream of one sample in ten seconds is not stale after three."""

    async def scene(stage: Stage) -> None:
        await streams(stage)
        source = Source(stage)
        slow = StreamHandle("slow", source.handle.ring, StreamFormat.SCAN, rate_hz=0.1)
        client = await watching(stage, slow)
        source.ring.write(b"ranges", stamp_s=now_s())
        await asyncio.sleep(49)
        assert not client.told
        await asyncio.sleep(102)
        assert client.severities == ("WARNING", "FATAL")
        source.ring.close()

    play(scene)


def test_a_stream_is_given_as_long_to_begin_as_it_may_later_take(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await streams(stage, StreamPolicy(warn_s=0.5, fail_s=1.0, fail_periods=1.0))
        source = Source(stage)
        client = await watching(stage, source.handle)
        await asyncio.sleep(0.3)
        await source.flow(0.5)
        assert not client.told
        await asyncio.sleep(2)
        assert client.severities == ("WARNING", "FATAL")
        source.ring.close()

    play(scene)


def test_a_closed_ring_fails_at_the_next_look(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await streams(stage)
        source = Source(stage)
        client = await watching(stage, source.handle)
        await source.flow(1.0)
        source.ring.close()
        await asyncio.sleep(0.25)
        assert client.severities == ("FATAL",) and "scan was closed" in str(client.error)

    play(scene)


def test_a_ring_made_anew_is_followed(play: Play) -> None:
    """Its writer was killed and is back before anybody could call the stream stale."""

    async def scene(stage: Stage) -> None:
        manager, source = await streams(stage), Source(stage)
        client = await watching(stage, source.handle)
        await source.flow(1.0)
        source.anew()
        await asyncio.sleep(0.8)
        await source.flow(5.0)
        assert not client.told and client.lease is not None
        assert manager.streams()[0].rate_hz == pytest.approx(10.0, rel=0.3)
        source.ring.close()
        await asyncio.sleep(0.3)

    play(scene)


def test_a_missing_ring_a_foreign_file_and_an_impossible_rate_are_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await streams(stage)
        path = stage.folder / "none.ring"
        handle = StreamHandle("none", str(path), StreamFormat.SCAN)
        missing = await watching(stage, handle)
        words = str(missing.error)
        assert "'none'" in words and "is its writer running?" in words
        assert str(stage.folder) not in words and "StreamError" not in words
        path.write_bytes(b"\0" * 8192)
        foreign = await watching(stage, handle)
        assert "is no stream of ours" in str(foreign.error)
        source = Source(stage)
        for rate_hz in (0.0, -1.0):
            never = StreamHandle("scan", source.handle.ring, StreamFormat.SCAN, rate_hz=rate_hz)
            refused = await watching(stage, never)
            assert isinstance(refused.error, ResourceUnavailable) and "above 0" in str(refused.error)
        assert manager.streams() == () and manager.registrar.snapshot().is_empty
        source.ring.close()

    play(scene)
