"""Driving to things and places: legs, one after the other, and what is said where there are none."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import pilothouse as ph
from actions.drive_to.goals import at_place
from resources.types.routes import Back, Beside, Departure, Leg, Nearer, Onto, Route, Side, Way, WayKind
from tests.actions.moving_robot import MovingRobot, on_moving_robot, until
from tests.actions.scene import on

AHEAD = Way(WayKind.FREE, (Leg(1.0, 0.0, 0.0),), (1.0, 0.0, 0.0), number=1)
CORNER = Way(WayKind.FREE, (Leg(1.0, 0.0, 0.0), Leg(1.0, 1.0, math.pi / 2)), (1.0, 1.0, 0.0), number=1)
CRATE = Way(WayKind.BLOCKED, obstacle="crate", ahead_m=1.23)


class Roads(MovingRobot):
    """A robot whose ways are said by the test: `ways[0]` at first, the others by `now`."""

    def __init__(self, directory: Path, *ways: Way) -> None:
        super().__init__(directory)
        self.asked: list[Route] = []
        self._ways = list(ways)
        self._supplies: list[ph.Supply] = []
        self.managers.provides(Route)(self._route)

    def now(self, way: Way) -> None:
        self._ways = [way]
        for supply in self._supplies:
            supply.update(way)

    @asynccontextmanager
    async def _route(self, request: Route, supply: ph.Supply) -> AsyncIterator[Way]:
        self.asked.append(request)
        self._supplies.append(supply)
        try:
            yield self._ways[0]
        finally:
            self._supplies.remove(supply)

    @property
    def here(self) -> tuple[float, float, float]:
        return self.base.odometry


def on_roads(directory: Path, play: Any, *ways: Way) -> None:
    async def scene(robot: MovingRobot) -> None:
        assert isinstance(robot, Roads)
        await play(robot)

    on(Roads(directory, *ways), scene)


def test_it_drives_all_legs_and_says_where_it_is(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        await robot.do("drive_to", thing="table")
        assert robot.here == pytest.approx((1.0, 1.0, math.pi / 2))
        assert "driving to the table" in robot.said
        assert robot.said[-2] == "the base is at the table"
        assert robot.asked == [Route("base", (), Beside((2.0, 0.0, 0.0), 0.75, 1.4, 0.3), "table")]
        await robot.has_come_to_rest()

    on_roads(tmp_path, play, CORNER)


@pytest.mark.parametrize(
    ("parameters", "goal"),
    [
        ({"thing": "door", "distance_m": 1.0}, Beside((3.8, 1.9, 0.0), 0.05, 0.9, 1.0)),
        ({"thing": "table", "side": "left"}, Beside((2.0, 0.0, 0.0), 0.75, 1.4, 0.3, Side.LEFT)),
        ({"thing": "red cup"}, Beside((2.0, 0.0, 0.0), 0.75, 1.4, 0.3, near=(2.0, 0.5))),
        ({"thing": "door", "closer_m": 0.5}, Nearer((3.8, 1.9, 0.0), 0.05, 0.9, 0.5, 0.2)),
        ({"place": "start"}, Back(Departure.START)),
        ({"place": "before"}, Back(Departure.BEFORE)),
    ],
)
def test_what_is_meant(tmp_path: Path, parameters: dict[str, Any], goal: object) -> None:
    async def play(robot: Roads) -> None:
        await robot.do("drive_to", **parameters)
        assert [each.goal for each in robot.asked] == [goal]

    on_roads(tmp_path, play, AHEAD)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (CRATE, "the way to the door is blocked by the crate, 1.2 m away"),
        (Way(WayKind.BLOCKED, ahead_m=0.4), "the way to the door is blocked by something, 40 cm away"),
        (Way(WayKind.UNSEEN), "I see no way to the door: what I see to be free does not lead there"),
        (
            Way(WayKind.FULL, obstacle="drum"),
            "there is no free place for me at the door: the drum is in the way there",
        ),
        (Way(WayKind.FULL, obstacle="door"), "there is no free place for me at the door"),
        (
            Way(WayKind.STUCK, obstacle="table", ahead_m=0.08),
            "I have no room to turn here: the table is 8 cm",
        ),
        (Way(WayKind.BLIND, scanner="front_lidar"), "the front lidar tells nothing now"),
        (Way(WayKind.UNKNOWN), "I do not know where I am"),
    ],
)
def test_why_it_does_not_drive_is_said_and_nothing_moves(tmp_path: Path, way: Way, words: str) -> None:
    async def play(robot: Roads) -> None:
        outcome = await robot.runner("drive_to", thing="door").run()
        assert outcome.state is ph.RunState.FAILED
        assert words in outcome.words
        assert not robot.base.commands

    on_roads(tmp_path, play, way)


def test_without_a_drive_there_is_no_way_back(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        outcome = await robot.runner("drive_to", place="start").run()
        assert "I have not driven anywhere yet, so there is no way back" in outcome.words

    on_roads(tmp_path, play, Way(WayKind.UNKNOWN))


def test_another_way_is_taken_at_once_when_there_is_one(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        async with robot.running("drive_to", thing="table") as runner:
            await until(lambda: robot.here[0] > 0.4)
            robot.now(Way(WayKind.FREE, (Leg(0.6, -1.0, -math.pi / 2),), (0.6, -1.0, 0.0), number=2))
            await until(lambda: runner.state.is_over)
            assert runner.state is ph.RunState.SUCCEEDED
            assert robot.here == pytest.approx((0.6, -1.0, -math.pi / 2))

    on_roads(tmp_path, play, AHEAD)


def test_what_comes_into_the_way_is_waited_for_and_in_the_end_given_way_to(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        async with robot.running("drive_to", thing="table") as runner:
            await until(lambda: robot.here[0] > 0.4)
            robot.now(CRATE)
            await asyncio.sleep(1.0)
            here = robot.here
            assert here[0] < 0.7
            await asyncio.sleep(2.0)
            assert robot.here == here
            assert "waiting: the way to the table is blocked by the crate, 1.2 m away" in robot.said
            robot.now(AHEAD)
            await until(lambda: robot.here[0] > 0.9)
            assert "there is a way again" in robot.said
            robot.now(CRATE)
            await until(lambda: runner.state.is_over)
            assert "blocked by the crate" in runner.detail

    on_roads(tmp_path, play, AHEAD)


def test_where_nobody_has_looked_it_looks_first(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        async with robot.running("drive_to", thing="table") as runner:
            await until(lambda: robot.here[2] == pytest.approx(1.0))
            await asyncio.sleep(0.5)
            assert "driving to the table, looking for a way" in robot.said
            assert not runner.state.is_over
            robot.now(Way(WayKind.FREE, (Leg(0.5, 0.5, 0.7),), (0.5, 0.5, 0.7), number=2))
            await until(lambda: runner.state.is_over)
            assert runner.state is ph.RunState.SUCCEEDED
        async with robot.running("drive_to", thing="table") as runner:
            robot.now(Way(WayKind.LOOK, (Leg(*robot.here),), number=3))
            await until(lambda: runner.state.is_over)
            assert "I see no way to the table" in runner.detail

    on_roads(tmp_path, play, Way(WayKind.LOOK, (Leg(0.0, 0.0, 1.0),), number=1))


def test_it_is_there_already(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        await robot.do("drive_to", thing="table")
        assert robot.said[-2] == "the base is at the table already"
        assert not robot.base.commands

    on_roads(tmp_path, play, Way(WayKind.HERE))


def test_taken_stopped_or_broken_in_the_middle(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        async with robot.running("drive_to", place="start") as runner:
            await until(lambda: robot.here[0] > 0.4)
            async with robot.taken_by_operator(ph.Base()):
                robot.base.odometry = (0.4, 0.3, 0.5)  # the operator has driven it elsewhere
                await asyncio.sleep(1.0)
                assert robot.here == (0.4, 0.3, 0.5)
            await until(lambda: runner.state.is_over)
            assert robot.here == pytest.approx((1.0, 0.0, 0.0))
            # Where it started is of when that was said.
            assert [each.goal for each in robot.asked] == [
                Back(Departure.START),
                Onto((1.0, 0.0, 0.0), turned=True),
            ]
        robot.base.odometry = (0.0, 0.0, 0.0)
        await asyncio.sleep(0.1)
        async with robot.running("drive_to", thing="table") as runner:
            await until(lambda: robot.here[0] > 0.1)
            runner.cancel("enough")
        await robot.has_come_to_rest()
        here = robot.here
        await asyncio.sleep(1.0)
        assert robot.here == here
        robot.base.reflex("its bumper was hit", at=0.5)
        outcome = await robot.runner("drive_to", thing="table").run()
        assert "its bumper was hit" in outcome.words and 'say "recover the base"' in outcome.words

    on_roads(tmp_path, play, AHEAD)


def test_an_emergency_stop_ends_it(tmp_path: Path) -> None:
    async def play(robot: Roads) -> None:
        async with robot.running("drive_to", thing="table"):
            await until(lambda: robot.here[0] > 0.2)
            robot.movers.emergency_stop("somebody pressed it")
            await asyncio.sleep(0.5)
            here = robot.here
            await asyncio.sleep(1.0)
            assert robot.here == here

    on_roads(tmp_path, play, AHEAD)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "where to?"),
        ({"thing": "table", "place": "start"}, "where to?"),
        ({"thing": "unicorn"}, "I know no 'unicorn'"),
        ({"place": "unicorn"}, "I know no 'unicorn'"),
        ({"thing": "carton"}, "2 things are called 'carton'"),
    ],
)
def test_what_is_nowhere_is_refused(tmp_path: Path, parameters: dict[str, Any], words: str) -> None:
    async def play(robot: Roads) -> None:
        outcome = await robot.runner("drive_to", **parameters).run()
        assert words in outcome.words
        assert not robot.asked

    on_roads(tmp_path, play, AHEAD)


def test_it_turns_on_the_spot_to_face_a_thing(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.base.odometry = (3.8, 0.0, 7.0)
        await robot.do("face", thing="door")
        x, y, yaw = robot.base.odometry
        assert (x, y) == pytest.approx((3.8, 0.0))
        assert yaw == pytest.approx(math.pi / 2 + 2 * math.pi)  # the shorter way
        assert robot.said[-2] == "the base faces the door"
        outcome = await robot.runner("face", thing="unicorn").run()
        assert "I know no 'unicorn'" in outcome.words

    on_moving_robot(tmp_path, play)


def test_a_named_place_is_stood_at_as_it_was_named() -> None:
    where = (1.0, 2.0, 0.0, 0.0, 0.0, math.sin(0.25), math.cos(0.25))
    meant = at_place(ph.KnownThing("dock", ph.ThingKind.PLACE, where), 0.3)
    assert isinstance(meant.goal, Onto)
    assert meant.goal.turned and meant.goal.spot == pytest.approx((1.0, 2.0, 0.5))
    flat, turn = ph.ThingKind.PLACE, (0.0, 0.0, 0.0, 1.0)
    bay = ph.KnownThing("parking bay", flat, (0.0, 0.0, 0.0, *turn), (1.4, 1.29, 0.0))
    assert at_place(bay, 0.3).goal == Onto((0.0, 0.0, 0.0))
    top = ph.KnownThing("table top", flat, (2.0, 0.0, 0.75, *turn), (0.7, 1.4, 0.0))
    assert isinstance(at_place(top, 0.3).goal, Beside)
