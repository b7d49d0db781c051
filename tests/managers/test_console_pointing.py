"""What is pointed at with the mouse in the console's scene: what is under it, whose, how long it counts."""

from __future__ import annotations

import asyncio
import math

import pytest

from framework.clock import LoopClock
from framework.dialogue.pointing import CLEARLY
from framework.errors import PilothouseError
from framework.testing import run
from managers.console_pointing import ConsolePointing
from managers.pointing import MOUSE_FURTHEST_RAD, pointed_at_in_scene, undecided
from resources.types.context import KnownThing, ThingKind
from resources.types.streams import Pose7
from resources.types.whereabouts import POINTS_FOR_S, Point
from resources.web.page_messages import PagePoint


def at(x: float, y: float, z: float, yaw: float = 0.0) -> Pose7:
    return (x, y, z, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))


#: A table with two cups on it, in a room; seen from six metres away, from above.
TABLE = KnownThing("table", ThingKind.FIXTURE, at(0.0, 0.0, 0.35, 0.4), (1.2, 0.8, 0.7))
RED = KnownThing("red_cup", ThingKind.OBJECT, at(0.0, 0.1, 0.75), (0.08, 0.08, 0.1), called="red cup")
BLUE = KnownThing("blue_cup", ThingKind.OBJECT, at(0.0, -0.1, 0.75), (0.08, 0.08, 0.1), called="blue cup")
ROOM = KnownThing("kitchen", ThingKind.PLACE, at(0.0, 0.0, 0.0), (4.0, 3.0, 0.0))
ROBOT = KnownThing("robot", ThingKind.ROBOT, at(-1.5, 0.0, 0.5), (0.5, 0.5, 1.0))
NOWHERE = KnownThing("hand", ThingKind.OBJECT, marker=3)
ALL = (ROBOT, ROOM, TABLE, RED, BLUE, NOWHERE)
EYE: Point = (-5.0, 0.0, 3.0)


def towards(x: float, y: float, z: float, *, drawn: bool = True) -> PagePoint:
    """A ray from the eye through this place, which is drawn there."""
    way = [there - here for there, here in zip((x, y, z), EYE, strict=True)]
    far = math.hypot(*way)
    return PagePoint(EYE, (way[0] / far, way[1] / far, way[2] / far), far if drawn else None)


def seen(at_: PagePoint, *things: KnownThing) -> dict[str, float]:
    found = pointed_at_in_scene(at_.origin, at_.direction, at_.meets_m, things or ALL, 3.0)
    assert list(found) == sorted(found, key=lambda each: -each.likelihood)
    assert all(each.t_s == 3.0 for each in found)
    return {each.thing: each.likelihood for each in found}


def clear(at_: PagePoint, *things: KnownThing) -> list[str]:
    found = pointed_at_in_scene(at_.origin, at_.direction, at_.meets_m, things or ALL, 3.0)
    return [each.thing for each in undecided(found)]


def test_what_is_under_the_mouse_is_meant_and_not_what_it_stands_on_or_in() -> None:
    assert clear(towards(-0.04, 0.1, 0.76)) == ["red_cup"]
    assert clear(towards(0.3, 0.0, 0.7)) == ["table"]
    assert clear(towards(1.8, 0.4, 0.0)) == ["kitchen"]


def test_a_turned_box_is_as_wide_as_it_is() -> None:
    # A table turned by 0.4 rad has its corner where an unturned one has none.
    corner = (0.6 * math.cos(0.4) - 0.4 * math.sin(0.4), 0.6 * math.sin(0.4) + 0.4 * math.cos(0.4), 0.7)
    assert clear(towards(*corner), TABLE, ROOM) == ["table"]
    assert clear(towards(0.6, -0.4, 0.0), ROOM) == ["kitchen"]


def test_a_neighbour_is_clearly_less_likely_and_there_if_the_first_does_not_fit() -> None:
    found = seen(towards(-0.04, 0.1, 0.76))
    assert found["red_cup"] == 1.0
    assert 0.0 < found["table"] * CLEARLY <= found["red_cup"]
    assert "robot" not in found and "hand" not in found


def test_who_misses_a_small_thing_is_asked_and_who_misses_it_by_more_is_not() -> None:
    assert set(clear(towards(0.0, 0.03, 0.7), TABLE, RED, BLUE)) == {"table", "red_cup"}
    found = seen(towards(-0.3, 0.1, 0.7), TABLE, RED, BLUE)
    assert max(found.get("red_cup", 0.0), found.get("blue_cup", 0.0)) < 0.1 and found["table"] == 1.0


def test_of_a_table_and_its_top_the_table_is_meant_and_the_top_where_only_a_place_fits() -> None:
    top = KnownThing("table_top", ThingKind.PLACE, at(0.0, 0.0, 0.7, 0.4), (1.2, 0.8, 0.0))
    for height in (0.699, 0.7, 0.701):
        found = seen(towards(-0.3, 0.1, height), top, TABLE)
        assert clear(towards(-0.3, 0.1, height), top, TABLE) == ["table"] and found["table_top"] > 0.0


def test_between_two_on_what_nobody_knows_it_is_asked() -> None:
    assert set(clear(towards(0.0, 0.0, 0.75), RED, BLUE)) == {"red_cup", "blue_cup"}
    assert clear(towards(0.0, 0.05, 0.75), RED, BLUE) == ["red_cup"]


def test_what_is_too_far_beside_or_behind_the_eye_is_not_pointed_at() -> None:
    far = math.dist(EYE, (0.0, 0.1, 0.75))
    for share, is_seen in ((0.8, True), (1.3, False)):
        beside = 0.1 + 0.04 + share * far * math.tan(MOUSE_FURTHEST_RAD)
        assert ("red_cup" in seen(towards(0.0, beside, 0.75), RED)) is is_seen
    back = towards(0.0, 0.1, 0.75)
    away = PagePoint(EYE, (-back.direction[0], -back.direction[1], -back.direction[2]), 2.0)
    assert seen(away) == {}
    assert seen(towards(0.0, 0.1, 0.75, drawn=False), RED) == {"red_cup": 1.0}


def test_what_is_seen_through_is_not_meant() -> None:
    wall = KnownThing("wall", ThingKind.FIXTURE, at(-2.0, 0.0, 1.25), (0.1, 3.0, 2.5))
    assert clear(towards(-0.04, 0.1, 0.76), wall, RED) == ["red_cup"]


def test_it_counts_for_a_second_and_for_that_page_only() -> None:
    async def scenario() -> None:
        pointing = ConsolePointing(lambda: ALL, LoopClock())
        assert pointing.now("console page 1") == ()
        told = pointing.point("console page 1", towards(-0.04, 0.1, 0.76))
        assert told.names == ("red cup",)
        pointing.point("console page 2", towards(-0.04, -0.1, 0.76))
        assert pointing.now("console page 1")[0].thing == "red_cup"
        assert pointing.now("console page 2")[0].thing == "blue_cup"
        assert pointing.now("command line") == pointing.now("") == ()
        await asyncio.sleep(0.9 * POINTS_FOR_S)
        assert pointing.now("console page 1")
        assert pointing.point("console page 2", None).names == ()
        assert pointing.now("console page 2") == ()
        await asyncio.sleep(0.2 * POINTS_FOR_S)
        assert pointing.now("console page 1") == ()

    run(scenario)


def test_several_are_told_where_nobody_could_tell() -> None:
    async def scenario() -> None:
        pointing = ConsolePointing(lambda: (RED, BLUE), LoopClock())
        told = pointing.point("console page 1", towards(0.0, 0.0, 0.75))
        assert set(told.names) == {"red cup", "blue cup"}

    run(scenario)


@pytest.mark.parametrize("direction", [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.5, 0.0, 0.0)])
def test_what_is_no_direction_is_refused_and_points_nowhere(direction: Point) -> None:
    async def scenario() -> None:
        pointing = ConsolePointing(lambda: ALL, LoopClock())
        pointing.point("console page 1", towards(-0.04, 0.1, 0.76))
        with pytest.raises(PilothouseError, match="no direction"):
            pointing.point("console page 1", PagePoint(EYE, direction))
        assert pointing.now("console page 1") == ()

    run(scenario)
