"""A stream on a screen: it stands on the stream, the page and an encoder, and falls with each of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.testing.children import Script
from framework.transport.ring import RingWriter
from managers.output_manager import OutputManager
from managers.stream_manager import StreamManager
from resources.types.sensors import Camera, CameraFeed
from resources.types.streams import CameraIntrinsics, StreamFormat, StreamHandle
from resources.types.views import (
    DrawnCamera,
    Look,
    Page,
    PageHandle,
    Screen,
    ScreenContent,
    ShownView,
    View,
    ViewPut,
)
from tests.faults.stage import Client, Stage, now_s

Play = Callable[[Any], None]

ENCODED = StreamHandle("view-1", "/nowhere/view-1.ring", StreamFormat.VIEW)


class Console:
    """The only screen; counts how often it was told to look again."""

    def __init__(self) -> None:
        self.changes = 0
        self.looks: list[Look] = []

    def pages(self) -> dict[str, PageHandle]:
        return {"console": PageHandle("console", "http://127.0.0.1:8000/")}

    def views_changed(self) -> None:
        self.changes += 1

    def put_view(self, page: str, look: Look) -> bool:
        if page == "phone 1":
            self.looks.append(look)
        return page == "phone 1"


class Outputs:
    """An output manager, a stream manager, and a stream that flows."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.console = Console()
        self.asked: list[tuple[StreamHandle, str]] = []
        self.ring = RingWriter(stage.folder, "scan", slot_bytes=64)
        self.view = View(StreamHandle("scan", str(self.ring.path), StreamFormat.SCAN), title="in front")
        self._flowing = asyncio.create_task(self._flow())

    async def open(self) -> OutputManager:
        def encoder_for(source: StreamHandle, view_id: str) -> ProcessSpec:
            self.asked.append((source, view_id))
            return ProcessSpec(("encoder",), "encoder", restart=None)

        stage = self.stage
        stage.launcher.set_script("encoder", Script(0.3, msgspec.json.encode(ENCODED)))
        self.streams: StreamManager = await stage.enter(
            StreamManager(stage.transport, clock=stage.clock, monotonic_s=now_s)
        )
        outputs: OutputManager = await stage.enter(
            OutputManager(stage.transport, self.console, encoder_for, clock=stage.clock)
        )
        return outputs

    def end(self) -> None:
        self._flowing.cancel()
        self.ring.close()

    async def _flow(self) -> None:
        while True:
            self.ring.write(b"ranges", stamp_s=now_s())
            await asyncio.sleep(0.1)


async def having(stage: Stage, request: Any) -> Client:
    (client,) = await stage.come(1)
    client.ask(request)
    await client.answer()
    return client


def test_a_view_is_listed_while_somebody_wants_it(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        outputs = await managers.open()
        one, two = await having(stage, managers.view), await having(stage, managers.view)
        assert (one.value.screen, one.value.source, one.value.encoded) == (
            "console",
            managers.view.source,
            ENCODED,
        )
        assert outputs.views() == {"view-1": (managers.view, one.value)}
        assert managers.asked == [(managers.view.source, "drawn-1")]
        assert managers.console.changes == 1
        await one.leave()
        await asyncio.sleep(0.5)
        assert outputs.views() and two.lease is not None
        await two.leave()
        await asyncio.sleep(0.5)
        assert outputs.views() == {} and managers.console.changes == 2
        again = await having(stage, managers.view)
        assert list(outputs.views()) == ["view-2"] and again.lease is not None
        managers.end()
        await asyncio.sleep(0.5)

    play(scene)


@pytest.mark.parametrize("what", ["stream", "page", "encoder"])
def test_a_view_fails_with_its_stream_its_page_and_its_encoder(play: Play, what: str) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        outputs = await managers.open()
        client = await having(stage, managers.view)
        match what:
            case "stream":
                managers.end()
            case "page":
                (page,) = [r for r in outputs.registrar.snapshot().resources if isinstance(r.request, Page)]
                outputs.registrar.fail(page.id, "the page is served no more")
            case _:
                stage.launcher.life("encoder").die()
        await asyncio.sleep(0.25)
        words = {"stream": "was closed", "page": "served no more", "encoder": "SIGKILL"}[what]
        assert client.severities == ("FATAL",) and words in str(client.error)
        await asyncio.sleep(1)
        assert outputs.views() == {} and managers.console.changes == 2
        assert not stage.launcher.running
        managers.end()

    play(scene)


def test_a_page_s_own_view_is_put_and_no_other_page_s_in_its_place(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        await managers.open()
        look = Look((1.0, 2.0, 0.5), is_above=True)
        for number in range(2):  # the same once more is put once more
            client = await having(stage, ViewPut("phone 1", look))
            assert client.error is None and managers.console.looks == [look] * (number + 1)
            await client.leave()
        client = await having(stage, ViewPut("command line", look))
        assert "command line has no view to put anywhere" in str(client.error)
        assert len(managers.console.looks) == 2
        managers.end()

    play(scene)


def test_an_unknown_screen_is_refused_with_those_there_are(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        outputs = await managers.open()
        client = await having(stage, View(managers.view.source, screen="phone"))
        assert "there is no screen 'phone'; served are console" in str(client.error)
        await asyncio.sleep(0.1)
        assert outputs.views() == {} and not managers.asked
        managers.end()

    play(scene)


def test_an_encoder_that_cannot_start_leaves_nothing(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        outputs = await managers.open()
        stage.launcher.set_script("encoder", Script(0.1, dies_before_ready=True, last_words=("no memory",)))
        client = await having(stage, managers.view)
        assert "no memory" in str(client.error)
        await asyncio.sleep(0.5)
        assert outputs.registrar.snapshot().is_empty and managers.streams.registrar.snapshot().is_empty
        assert managers.console.changes == 0
        managers.end()

    play(scene)


def test_who_asks_what_is_on_a_screen_hears_of_every_change(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        await managers.open()
        asked = await having(stage, Screen())
        assert asked.value == ScreenContent("console")
        view = await having(stage, managers.view)
        await asyncio.sleep(0.1)
        assert asked.value == ScreenContent("console", (ShownView("in front", managers.view.source),))
        await view.leave()
        await asyncio.sleep(0.5)
        assert asked.value == ScreenContent("console")
        assert asked.severities == ("UPDATE", "UPDATE")
        elsewhere = await having(stage, Screen("phone"))
        assert "there is no screen 'phone'; served are console" in str(elsewhere.error)
        managers.end()
        await asyncio.sleep(0.5)

    play(scene)


LENS = CameraIntrinsics(8, 6, 10.0, 10.0, 3.5, 2.5)


class Eyes:
    """Where cameras are, played: one that can change."""

    def __init__(self, source: StreamHandle) -> None:
        self.feed = CameraFeed("front", "rgbd", source, LENS)
        self.supplies: list[Supply] = []

    @asynccontextmanager
    async def camera(self, _: Camera, supply: Supply) -> AsyncIterator[CameraFeed]:
        self.supplies.append(supply)
        yield self.feed


def test_operators_and_the_console_share_a_camera_s_encoder_and_another_camera_gets_its_own(
    play: Play,
) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        await managers.open()
        eyes = Eyes(managers.view.source)
        sensors = await stage.enter(ResourceRegistrar("sensor_manager", stage.transport, clock=stage.clock))
        sensors.provides(Camera)(eyes.camera)
        operators, console = await having(stage, DrawnCamera()), await having(stage, managers.view)
        assert operators.value == msgspec.structs.replace(eyes.feed, stream=ENCODED)
        assert console.value.encoded == ENCODED
        assert len(managers.asked) == 1
        rear = StreamHandle("rear", "/nowhere/rear.ring", StreamFormat.RGBD)
        eyes.supplies[0].update(CameraFeed("rear", "rgbd", rear, LENS))
        await asyncio.sleep(1.0)
        assert operators.value.device == "rear"
        assert [source for source, _ in managers.asked] == [managers.view.source, rear]
        assert operators.lease is not None
        managers.end()

    play(scene)


def test_without_a_camera_nothing_is_drawn(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        managers = Outputs(stage)
        await managers.open()
        (client,) = await stage.come(1)
        client.ask(DrawnCamera())
        await client.answer()
        assert client.lease is None and client.error is not None
        managers.end()

    play(scene)
