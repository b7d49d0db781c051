"""What operators have the robot remember: over restarts, with a file that is broken, for clients that ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from framework.errors import PilothouseError
from framework.plugins.client import client_for
from framework.state import StateFolder
from managers.memory import MemoryBook
from resources.types.memory import (
    MOST_WAYPOINTS,
    Memory,
    MemoryOrder,
    RememberedPath,
    RememberedPlace,
    RememberedPose,
    RememberedView,
    ShownThen,
    Waypoint,
    encode_memory_order,
)
from tests.faults.stage import Stage
from tests.managers.surroundings import Surroundings, at

Play = Callable[[Any], None]

DOCK = RememberedPlace("dock", at(1.0, 2.0))
HOME = (0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8)
WAVE = RememberedPath("wave", "left", (Waypoint(0.0, HOME), Waypoint(1.5, (0.5, *HOME[1:]))))
READY = RememberedPose("ready", "left", HOME, (0.4, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0))
OVERVIEW = RememberedView("overview", (ShownThen("front_camera", "front"), ShownThen("front_lidar")))


def book(folder: Path) -> MemoryBook:
    return MemoryBook(StateFolder(folder), lambda: ["table", "front camera"])


def test_it_survives_a_restart(tmp_path: Path) -> None:
    first = book(tmp_path)
    first.keep(DOCK)
    first.keep(OVERVIEW)
    again = book(tmp_path)
    assert (again.places, again.views) == ((DOCK,), (OVERVIEW,))
    again.forget("dock")
    assert book(tmp_path).places == ()


@pytest.mark.parametrize(
    "content", ["", "{", '{"places": 1}', '{"places": [{"type": "place"}]}', "[1]", "\x00\xff"]
)
def test_a_file_that_is_not_understood_is_set_aside_and_work_goes_on(tmp_path: Path, content: str) -> None:
    book(tmp_path)
    file = tmp_path / "memory.json"
    file.write_text(content)
    memory = book(tmp_path)
    assert memory.places == ()
    memory.keep(DOCK)
    assert book(tmp_path).places == (DOCK,)
    (aside,) = tmp_path.glob("memory.json.set-aside-*")
    assert aside.read_text() == content


def test_what_is_good_of_a_file_is_used(tmp_path: Path) -> None:
    first = book(tmp_path)
    for each in (DOCK, WAVE, READY, RememberedPlace("shelf", at(3.0, 2.0))):
        first.keep(each)
    file = tmp_path / "memory.json"
    content = file.read_text()
    for damaged in (content.replace('"shelf"', "7"), content.replace('"shelf"', '"Shelf\\u0007"')):
        file.write_text(damaged)
        again = book(tmp_path)
        assert (again.places, again.paths, again.poses) == ((DOCK,), (WAVE,), (READY,))
    file.write_text(content.replace("1.5", "0.0"))
    again = book(tmp_path)
    assert again.paths == () and len(again.places) == 2, "no motion is replayed whose times do not rise"
    assert len(list(tmp_path.glob("memory.json.set-aside-*"))) == 3


def test_a_folder_that_cannot_be_written_is_said_and_nothing_pretended(tmp_path: Path) -> None:
    memory = book(tmp_path)
    for file in tmp_path.iterdir():
        file.unlink()
    tmp_path.rmdir()
    with pytest.raises(PilothouseError, match="that cannot be kept"):
        memory.keep(DOCK)
    assert memory.places == ()


def test_without_a_state_folder_it_remembers_for_this_run() -> None:
    memory = MemoryBook(None, tuple)
    assert memory.keep(DOCK) == "I remember the place 'dock'"
    assert memory.places == (DOCK,)


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    memory = book(tmp_path)
    memory.keep(DOCK)
    memory.keep(OVERVIEW)
    for name, why in (
        ("The Table", "something else is called 'table'"),
        ("front_camera", "something else is called 'front camera'"),
        ("overview", "a view is called 'overview' already"),
        ("cloud", "means something already"),
    ):
        with pytest.raises(PilothouseError, match=why):
            memory.keep(RememberedPlace(name, at(0.0, 0.0)))
    with pytest.raises(PilothouseError, match="a place is called 'dock' already"):
        memory.keep(RememberedView("dock", ()))
    with pytest.raises(PilothouseError, match="do you mean dock"):
        memory.forget("dok")


def test_motions_and_poses_are_kept_beside_places_and_views(tmp_path: Path) -> None:
    memory = book(tmp_path)
    memory.keep(DOCK)
    assert memory.keep(WAVE) == "I remember the motion 'wave'"
    assert memory.keep(READY) == "I remember the pose 'ready'"
    again = book(tmp_path)
    assert (again.paths, again.poses, again.places) == ((WAVE,), (READY,), (DOCK,))
    assert again.keep(WAVE).endswith("the motion that was called so before is forgotten")
    assert again.forget("wave") == "I have forgotten 'wave'"
    assert book(tmp_path).paths == () and book(tmp_path).poses == (READY,)


def test_what_was_remembered_before_there_were_motions_is_read(tmp_path: Path) -> None:
    book(tmp_path)
    (tmp_path / "memory.json").write_text(
        '{"places": [{"type": "place", "name": "dock", "world_T_place": [1, 2, 0, 0, 0, 0, 1]}]}'
    )
    assert book(tmp_path).places == (DOCK,)


@pytest.mark.parametrize("what", [WAVE, READY])
def test_a_name_stands_for_one_thing_of_all_kinds(what: RememberedPath | RememberedPose) -> None:
    memory = MemoryBook(None, lambda: ["table"])
    memory.keep(DOCK)
    memory.keep(what)
    noun = "motion" if what is WAVE else "pose"
    with pytest.raises(PilothouseError, match=f"a {noun} is called '{what.name}' already"):
        memory.keep(RememberedPlace(what.name, at(0.0, 0.0)))
    for name, why in (("dock", "a place is called 'dock'"), ("table", "something else"), ("motion", "means")):
        with pytest.raises(PilothouseError, match=why):
            memory.check(RememberedPath(name, "left", ()))
    assert memory.check(RememberedPath("bow", "left", ())) == "'bow' can be remembered"
    assert not any(path.name == "bow" for path in memory.paths)


@pytest.mark.parametrize(
    ("points", "why"),
    [
        ((), "a motion of 0 points is none"),
        ((Waypoint(0.0, HOME),), "a motion of 1 points is none"),
        ((Waypoint(0.0, HOME), Waypoint(0.0, HOME)), "have to rise"),
        ((Waypoint(0.5, HOME), Waypoint(1.0, HOME)), "from 0 s"),
        ((Waypoint(0.0, HOME), Waypoint(1.0, (float("nan"), *HOME[1:]))), "not finite"),
        (tuple(Waypoint(float(step), HOME) for step in range(MOST_WAYPOINTS + 1)), "from 2 to 800 will do"),
    ],
)
def test_what_is_no_motion_is_not_kept(points: tuple[Waypoint, ...], why: str) -> None:
    with pytest.raises(PilothouseError, match=why):
        MemoryBook(None, tuple).keep(RememberedPath("wave", "left", points))


def test_the_longest_motion_fits_into_one_order() -> None:
    from framework.registrar.lease import MAX_COMMAND_BYTES

    points = tuple(Waypoint(0.075 * step, (0.12345,) * 7) for step in range(MOST_WAYPOINTS))
    order = MemoryOrder("lease-1234567890#1", RememberedPath("w" * 60, "left", points))
    assert len(encode_memory_order(order)) < MAX_COMMAND_BYTES


def test_there_is_an_end_to_what_can_be_remembered() -> None:
    memory = MemoryBook(None, tuple)
    for number in range(500):
        memory.keep(RememberedPlace(f"place {number}", at(0.0, 0.0)))
    with pytest.raises(PilothouseError, match="I remember 500 names already; forget one first"):
        memory.keep(DOCK)


def test_a_name_can_be_used_at_once_and_after_a_restart(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        context = await around.open()
        client = await around.client(Memory())
        memory = client_for("memory", Memory(), client.lease)
        keeping = asyncio.create_task(memory.keep(DOCK))
        await asyncio.sleep(0.05)
        memory.tell_change()  # as its lease's owner does at an UPDATE
        assert await keeping == "I remember the place 'dock'"
        assert context.called("dock")[0].world_T_thing == DOCK.world_T_place
        assert client.value.places == (DOCK,)
        refused = asyncio.create_task(memory.keep(RememberedPlace("hand", at(0.0, 0.0))))
        await asyncio.sleep(0.05)
        memory.tell_change()
        with pytest.raises(PilothouseError, match="something else is called 'hand' already"):
            await refused
        client.lease.send(b"\xc1 nonsense")
        await asyncio.sleep(0.05)
        await client.leave()
        stage.forget(context.registrar)
        await context.__aexit__(None, None, None)
        again = await around.another()
        assert again.memory.places == (DOCK,) and again.called("dock")
        await around.end()

    play(scene)


def test_nobody_waits_for_ever_for_a_memory_that_does_not_answer(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        await around.open()
        client = await around.client(Memory())
        memory = client_for("memory", Memory(), client.lease)

        def into_the_void(payload: bytes, *, given_s: float | None = None) -> None:
            pass

        memory.send = into_the_void  # type: ignore[method-assign]
        with pytest.raises(PilothouseError, match="did not answer within 5 s"):
            await memory.forget("dock")
        await around.end()

    play(scene)
