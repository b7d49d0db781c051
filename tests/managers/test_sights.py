"""The picture that belongs to a name: a device's, that of whoever sees a thing, a remembered view's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from resources.types.context import Known
from resources.types.memory import RememberedView, ShownThen
from resources.types.sights import Sight
from tests.faults.stage import Stage
from tests.managers.surroundings import Surroundings

Play = Callable[[Any], None]


@pytest.mark.parametrize(
    ("of", "why"),
    [
        ("teapot", "I know no 'teapot'; what I can show is camera, scan, cloud, tester, front camera"),
        ("front camra", "I know no 'front camra'; do you mean front camera"),
        ("carton", "2 things are called 'carton'; say carton 1 or carton 2"),
        ("door", "no camera sees the door now: front_camera does not look there; back_camera does not look"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_what_can(play: Play, of: str, why: str) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        around.eyes["front_camera"] = around.eyes["back_camera"]
        await around.open()
        known = await around.client(Known())
        client = await around.client(Sight(of))
        assert why in str(client.error)
        await known.leave()
        await around.end()

    play(scene)


@pytest.mark.parametrize(
    ("of", "device", "title"),
    [
        ("front_camera", "front_camera", ""),
        ("The Front Camera", "front_camera", ""),
        ("front_lidar", "front_lidar", ""),
        ("red cup", "front_camera", "red cup, seen with front_camera"),
        ("table", "front_camera", "table, seen with front_camera"),
        ("shelf", "back_camera", "shelf, seen with back_camera"),
        ("hand", "front_camera", "hand, seen with front_camera"),
    ],
)
def test_a_name_gives_the_picture_in_which_it_is(play: Play, of: str, device: str, title: str) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        await around.open()
        known = await around.client(Known())
        await asyncio.sleep(0.2)
        client = await around.client(Sight(of))
        assert client.error is None, client.error
        (picture,) = client.value.pictures
        assert (picture.device, picture.title) == (device, title)
        assert ("detector hand" in around.starts) is (of == "hand")
        await client.leave()
        await known.leave()
        await around.end()

    play(scene)


def test_a_camera_that_is_unplugged_is_passed_over_and_named(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        await around.open()
        known = await around.client(Known())
        around.sensors.unplug("front_camera")
        client = await around.client(Sight("red cup"))
        assert "front_camera is unplugged; back_camera does not look there" in str(client.error)
        await known.leave()
        await around.end()

    play(scene)


def test_a_picture_fails_with_its_camera(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        await around.open()
        known = await around.client(Known())
        await asyncio.sleep(0.2)
        client = await around.client(Sight("red cup"))
        around.sensors.unplug("front_camera")
        await asyncio.sleep(0.1)
        assert client.severities == ("FATAL",) and "unplugged" in str(client.error)
        await known.leave()
        await around.end()

    play(scene)


def test_a_remembered_view_is_everything_that_was_shown_then(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        context = await around.open()
        context.memory.keep(
            RememberedView("overview", (ShownThen("front_lidar", "scan"), ShownThen("front_camera")))
        )
        client = await around.client(Sight("the Overview"))
        pictures = [(picture.device, picture.title) for picture in client.value.pictures]
        assert pictures == [("front_lidar", "scan"), ("front_camera", "overview")]
        await client.leave()
        around.sensors.unplug("front_lidar")
        client = await around.client(Sight("overview"))
        assert "front_lidar is unplugged" in str(client.error)
        await around.end()

    play(scene)
