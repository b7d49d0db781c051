"""Hands before the robot's cameras: what stands on what, what they may do, and who is told of their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from framework.errors import PluginUnavailable, ResourceFailed, ResourceUnavailable
from framework.events import EventKind
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar, Supply
from managers.gesture_manager import cameras_by_name
from managers.gesturing import LOOK_S, UNREAD_S, Gesturing
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.gestures import (
    GestureKind,
    Gestures,
    GesturesFeed,
    HandRead,
    Hands,
    HandsTrouble,
    Reading,
)
from resources.types.sensors import Camera, CameraFeed, CameraIntrinsics, Device
from resources.types.streams import Pose7, SampleMeta, StreamFormat, StreamHandle, encode_meta
from tests.faults.stage import Stage
from tests.managers.test_gesturing import RIGHT, Hall, held
from tests.managers.test_sensor_manager import having

Play = Callable[[Any], None]

HERE: Pose7 = (1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0)
RAY = (0.0, 0.0, 0.5, 0.0, 0.0, 1.0)


def feed(name: str) -> CameraFeed:
    intrinsics = CameraIntrinsics(640, 480, 500.0, 500.0, 319.5, 239.5)
    stream = StreamHandle(
        name, f"/nowhere/{name}.ring", StreamFormat.IMAGE, f"{name}_optical", 15.0, intrinsics
    )
    return CameraFeed(name, "rgb", stream, intrinsics)


class Cameras:
    """Provides cameras, and can take one away or exchange it."""

    def __init__(self, stage: Stage) -> None:
        self.registrar = ResourceRegistrar("sensor_manager", stage.transport)
        self.registrar.provides(Device)(self._device)
        self.registrar.provides(Camera)(self._camera)
        self.supplies: dict[str, Supply] = {}

    @asynccontextmanager
    async def _device(self, request: Device, supply: Supply) -> AsyncIterator[CameraFeed]:
        self.supplies[request.name] = supply
        yield feed(request.name)

    @asynccontextmanager
    async def _camera(self, request: Camera, supply: Supply) -> AsyncIterator[CameraFeed]:
        self.supplies[request.mount] = supply
        yield feed(f"first_of_{request.mount}")


async def opened(stage: Stage) -> tuple[Hall, Cameras]:
    hall = Hall(stage, {"mast": Device("mast"), "front": Camera("front")})
    await hall.open()
    cameras = Cameras(stage)
    await stage.enter(cameras.registrar)
    return hall, cameras


class Before:
    """Somebody has the hands before the mast watched, and notes what points."""

    def __init__(self, hall: Hall, it: Gesturing) -> None:
        self.placed: list[tuple[Reading, Pose7, float]] = []
        self.fails_with: Exception | None = None
        self.task = asyncio.create_task(self._watch(hall, it))

    async def _watch(self, hall: Hall, it: Gesturing) -> None:
        async with hall.registrar.request(Gestures("mast"), on_failure="tell") as lease:
            await it.before_camera(lease, "mast", self._place)

    def _place(self, *each: Any) -> None:
        self.placed.append(each)
        if self.fails_with is not None:
            raise self.fails_with


def before_camera(play: Play, scene: Callable[[Hall, Before, Cameras], Coroutine[Any, Any, None]]) -> None:
    async def main(stage: Stage) -> None:
        hall, cameras = await opened(stage)
        async with hall.gesturing() as it:
            before = Before(hall, it)
            await asyncio.sleep(2.0)
            assert hall.readers and not before.task.done()
            await scene(hall, before, cameras)
            before.task.cancel()
            await asyncio.gather(before.task, return_exceptions=True)
        await stage.everybody_leaves()

    play(main)


def told(hall: Hall) -> list[str]:
    return [each.text for each in hall.supervisor.events.history() if each.kind is EventKind.DEVICE]


# -- the resources


def test_hands_stand_on_a_camera_by_its_name_or_its_mount(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        hall, _ = await opened(stage)
        by_name, by_mount = await having(stage, Gestures("mast")), await having(stage, Hands("front"))
        assert isinstance(by_name.value, GesturesFeed) and by_name.value.hands.is_placed
        # Nobody answers by a thumb before a camera: what is up there is not told, so no thumb is read.
        assert by_name.value.hands.up is None
        assert by_mount.value.stream.frame == "first_of_front_optical"
        (one, other) = hall.tracked
        assert (one[0], one[2].device) == ("mast", "mast")
        assert (other[0], other[2].device) == ("front", "first_of_front")
        assert one[1] != other[1]
        await stage.everybody_leaves()

    play(scene)


def test_of_a_robot_all_cameras_are_known_by_name_and_by_mount() -> None:
    def device(name: str, kind: Any, mount: str) -> DeviceDescription:
        return DeviceDescription(name, "some", kind, mount)

    robot = RobotDescription(
        "two", (device("arm", "arm", "left"), device("one", "rgbd", "front"), device("two", "rgb", "front"))
    )
    assert cameras_by_name(robot) == {"front": Camera("front"), "one": Device("one"), "two": Device("two")}


def test_no_camera_and_no_page_is_refused_with_what_there_is(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        hall, _ = await opened(stage)
        client = await having(stage, Hands("back"))
        assert isinstance(client.error, ResourceUnavailable)
        assert "name a camera of the robot: front, mast" in str(client.error)
        with (
            pytest.raises(ResourceUnavailable, match="watched already"),
            hall.manager.source("mast", None),
        ):
            raise AssertionError("a page that is called as a camera is no camera")
        await stage.everybody_leaves()

    play(scene)


def test_without_mediapipe_it_is_refused_with_what_installs_it(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(stage: Stage) -> None:
        hall = Hall(stage, {"mast": Device("mast")})

        def none(source: str, stream: str, camera: CameraFeed) -> ProcessSpec:
            raise PluginUnavailable("the hand tracker", "no environment: make hands")

        monkeypatch.setattr(hall, "_tracker", none)
        await hall.open()
        await stage.enter(Cameras(stage).registrar)
        client = await having(stage, Gestures("mast"))
        assert isinstance(client.error, ResourceUnavailable) and "make hands" in str(client.error)
        await stage.everybody_leaves()

    play(scene)


def test_a_tracker_that_dies_is_started_again_and_one_that_dies_on_is_told(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await opened(stage)
        client = await having(stage, Hands("mast"))
        stage.launcher.life("hands mast").die()
        await asyncio.sleep(3.0)
        assert client.error is None and client.severities[-1] == "OK"
        for _ in range(40):
            if client.error is not None:
                break
            stage.launcher.life("hands mast").die()
            await asyncio.sleep(2.0)
        assert isinstance(client.error, ResourceFailed)
        assert "nobody looks for hands before mast any more" in str(client.error)
        await stage.everybody_leaves()

    play(scene)


@pytest.mark.parametrize("how", ["fails", "is another"])
def test_the_hands_of_a_camera_that_fails_or_is_exchanged_are_over(play: Play, how: str) -> None:
    async def scene(stage: Stage) -> None:
        _, cameras = await opened(stage)
        client = await having(stage, Gestures("front"))
        if how == "fails":
            cameras.supplies["front"].fail("its cable is out")
        else:
            cameras.supplies["front"].update(feed("second_of_front"))
        await asyncio.sleep(1.0)
        assert isinstance(client.error, ResourceFailed)
        assert ("its cable is out" if how == "fails" else "another camera") in str(client.error)
        await stage.everybody_leaves()

    play(scene)


# -- what is done


def test_before_a_camera_palms_and_fists_let_things_rest_and_thumbs_answer_nothing(play: Play) -> None:
    async def scene(hall: Hall, before: Before, cameras: Cameras) -> None:
        for kind in GestureKind:
            if kind is not GestureKind.NONE:
                hall.read(held(kind))
                await asyncio.sleep(2 * LOOK_S)
        assert [(said.text, everything) for said, everything in hall.supervisor.paused] == [
            ("open palm", False),
            ("fist", True),
        ]
        assert hall.supervisor.paused[0][0].who == "somebody before mast"
        assert hall.supervisor.answered == []

    before_camera(play, scene)


def test_what_points_is_told_with_where_the_camera_was_unless_it_is_frozen(play: Play) -> None:
    async def scene(hall: Hall, before: Before, cameras: Cameras) -> None:
        pointing = HandRead(RIGHT, GestureKind.POINT, 0.9, 0.4, RAY)
        hall.read(hands=(pointing,), meta=encode_meta(SampleMeta(world_T_frame=HERE)), taken_s=1.25)
        hall.read(held(GestureKind.OPEN_PALM), hands=(pointing,), meta=b"garbage")
        there = encode_meta(SampleMeta(world_T_frame=HERE))
        hall.read(hands=(pointing,), meta=there, trouble=HandsTrouble.FROZEN)
        await asyncio.sleep(2 * LOOK_S)
        assert before.placed == [(Reading((pointing,), taken_s=1.25), HERE, 1.25)]
        assert len(hall.supervisor.paused) == 1, "a palm counts, whatever is wrong with its place"

    before_camera(play, scene)


def test_pointing_that_fails_is_told_once_and_palms_count(play: Play) -> None:
    async def scene(hall: Hall, before: Before, cameras: Cameras) -> None:
        before.fails_with = ZeroDivisionError("planted")
        pointing = HandRead(RIGHT, GestureKind.POINT, 0.9, 0.4, RAY)
        there = encode_meta(SampleMeta(world_T_frame=HERE))
        for _ in range(3):
            hall.read(hands=(pointing,), meta=there)
            await asyncio.sleep(2 * LOOK_S)
        hall.read(held(GestureKind.OPEN_PALM), hands=(pointing,), meta=there)
        await asyncio.sleep(2 * LOOK_S)
        assert len(before.placed) == 4 and len(hall.supervisor.paused) == 1
        assert not before.task.done()
        errors = [e.text for e in hall.supervisor.events.history() if e.kind is EventKind.ERROR]
        assert len(errors) == 1 and "ZeroDivisionError" in errors[0]

    before_camera(play, scene)


def test_pictures_that_come_too_slowly_are_told_with_what_helps(play: Play) -> None:
    async def scene(hall: Hall, before: Before, cameras: Cameras) -> None:
        hall.read(trouble=HandsTrouble.TOO_SLOW)
        await asyncio.sleep(2 * LOOK_S)
        (words,) = told(hall)
        assert "more than 0.5 s apart" in words and "more pictures a second" in words

    before_camera(play, scene)


def test_trouble_is_told_once_and_that_it_is_over(play: Play) -> None:
    async def scene(hall: Hall, before: Before, cameras: Cameras) -> None:
        for trouble in 3 * (HandsTrouble.FROZEN,) + 2 * (HandsTrouble.NONE,):
            hall.read(trouble=trouble)
            await asyncio.sleep(2 * LOOK_S)
        await asyncio.sleep(UNREAD_S + 2 * LOOK_S)
        assert [text.partition(":")[0] for text in told(hall)] == [
            "Hands before mast count no longer",
            "Hands before mast count again.",
            "Hands before mast count no longer",
        ]

    before_camera(play, scene)


def test_watching_is_over_with_the_camera(play: Play) -> None:
    async def scene(hall: Hall, before: Before, cameras: Cameras) -> None:
        cameras.supplies["mast"].fail("its cable is out")
        await asyncio.sleep(1.0)
        assert before.task.done() and before.task.exception() is None

    before_camera(play, scene)
