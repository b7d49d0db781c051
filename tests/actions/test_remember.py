"""Names for places and views: given, kept, refused, forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import pilothouse as ph
from resources.types.context import Known, KnownThing, Surroundings, ThingKind
from tests.actions.fake_robot import DOOR, RED_CUP, THINGS, FakeRobot, at
from tests.actions.scene import hand_at, on_robot, until


def test_this_place_is_where_the_robot_is(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("remember", name="Dock").run()
        assert (outcome.value, robot.answers) == ("dock", ["I remember the place 'dock'."])
        (place,) = robot.memory.places
        assert (place.name, place.world_T_place) == ("dock", at(0.0, 0.0))

    on_robot(tmp_path, play)


def test_a_thing_s_place_is_where_it_is_known_or_seen(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        await robot.runner("remember", name="cup place", thing="the red cup").run()
        async with hand_at(tmp_path, at(1.0, 0.5, 1.0)):
            await robot.runner("remember", name="grip", thing="hand").run()
        places = {place.name: place.world_T_place for place in robot.memory.places}
        assert places == {"cup place": RED_CUP.world_T_thing, "grip": at(1.0, 0.5, 1.0)}

    on_robot(tmp_path, play)


def test_who_uses_a_name_again_is_told_what_becomes_of_the_old_one(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        await robot.runner("remember", name="dock").run()
        await robot.runner("remember", name="dock", thing="door").run()
        assert robot.answers[-1] == (
            "I remember the place 'dock'; the place that was called so before is forgotten."
        )
        (place,) = robot.memory.places
        assert place.world_T_place == DOOR.world_T_thing

    on_robot(tmp_path, play)


def test_a_view_is_what_is_on_the_screen(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("remember", name="overview", kind="view").run()
        assert "nothing is shown now that could be remembered" in outcome.words
        showing = robot.runner("show", what="camera")
        life = asyncio.create_task(showing.run())
        await until(lambda: bool(robot.shown))
        await robot.runner("remember", name="overview", kind="view").run()
        (view,) = robot.memory.views
        assert [(shown.device, shown.title) for shown in view.shown] == [("front_camera", "front_camera")]
        outcome = await robot.runner("remember", name="overview").run()
        assert "a view is called 'overview' already" in outcome.words
        showing.cancel()
        await life

    on_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"name": "table"}, "something else is called 'table' already"),
        ({"name": "Front Camera"}, "something else is called 'front camera' already"),
        ({"name": "camera"}, "'camera' means something already"),
        ({"name": "it"}, "'it' means something already"),
        ({"name": "  "}, "is no name to remember"),
        ({"name": "1234"}, "is no name to remember"),
        ({"name": "x" * 61}, "is no name to remember"),
        ({"name": "dock", "thing": "teapot"}, "I know no 'teapot'; what I know is"),
        ({"name": "dock", "thing": "carton"}, "2 things are called 'carton'; say which of them"),
        ({"name": "dock", "thing": "front camera"}, "I do not know where the front camera is"),
    ],
)
def test_what_cannot_be_remembered_is_refused_in_words(
    tmp_path: Path, parameters: dict[str, Any], words: str
) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("remember", **parameters).run()
        assert outcome.state is ph.RunState.FAILED
        assert words in outcome.words
        assert not robot.memory.places

    on_robot(tmp_path, play)


def test_where_the_robot_does_not_know_where_it_is_there_is_no_place_to_remember(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        lost = KnownThing("inspector", ThingKind.ROBOT)
        robot.known.update(Known, Surroundings((lost, *THINGS[1:])))
        outcome = await robot.runner("remember", name="dock").run()
        assert "I do not know where I am" in outcome.words
        async with hand_at(tmp_path, None):
            outcome = await robot.runner("remember", name="dock", thing="hand").run()
        assert "I do not see the hand now" in outcome.words

    on_robot(tmp_path, play)


def test_what_was_remembered_can_be_forgotten(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("forget", name="dock").run()
        assert "I know no 'dock'; what I remember is nothing just now" in outcome.words
        await robot.runner("remember", name="dock").run()
        await robot.runner("forget", name="the Dock").run()
        assert robot.answers[-1] == "I have forgotten 'dock'."
        assert not robot.memory.places

    on_robot(tmp_path, play)
