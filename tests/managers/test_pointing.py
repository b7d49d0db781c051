"""What somebody points at, with a phone in their hand."""

from __future__ import annotations

import math

import pytest

from framework.dialogue.pointing import CLEARLY
from managers.pointing import HAND, PHONE, pointed_at, pointed_at_along, undecided
from resources.types.context import KnownThing, ThingKind
from resources.types.streams import IDENTITY, Pose7


def at(x: float, y: float, z: float = 0.0, yaw: float = 0.0) -> Pose7:
    return (x, y, z, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))


CUP = KnownThing("cup", ThingKind.OBJECT, at(2.0, 0.0, 1.0), (0.1, 0.1, 0.1))
DRUM = KnownThing("drum", ThingKind.OBJECT, at(2.0, 1.0, 1.0), (0.1, 0.1, 0.1))
NOWHERE = KnownThing("hand", ThingKind.OBJECT, marker=3)
EYE = (0.0, 0.0, 1.0)


def names(direction: tuple[float, float, float], *things: KnownThing) -> list[str]:
    return [each.thing for each in pointed_at((*EYE, *direction), things, 3.0)]


def test_nothing_is_pointed_at_where_nothing_is_and_by_no_direction() -> None:
    assert names((-1.0, 0.0, 0.0), CUP, DRUM, NOWHERE) == []
    assert names((0.0, 0.0, 0.0), CUP) == []
    on_the_eye = KnownThing("lamp", ThingKind.OBJECT, at(0.0, 0.0, 1.0))
    assert names((1.0, 0.0, 0.0), on_the_eye) == []


@pytest.mark.parametrize("share", [0.0, 0.9, 1.2])
def test_near_the_ray_is_enough_and_too_far_is_not(share: float) -> None:
    off = share * PHONE.furthest_rad + math.atan2(0.05, 2.0)
    found = names((math.cos(off), -math.sin(off), 0.0), CUP)
    assert found == (["cup"] if share < 1.0 else [])


def test_the_nearest_to_the_ray_is_the_likeliest() -> None:
    close = KnownThing("bowl", ThingKind.OBJECT, at(2.0, 0.25, 1.0), (0.1, 0.1, 0.1))
    assert names((1.0, 0.02, 0.0), close, CUP, DRUM) == ["cup", "bowl"]


def test_the_ray_is_in_the_robots_frame_and_the_robot_is_not_meant() -> None:
    robot = KnownThing("robot", ThingKind.ROBOT, at(2.0, -2.0, 0.25, yaw=math.pi / 2), (0.5, 0.5, 0.5))
    # From two metres to the right of the cup, forward is towards it.
    assert names((1.0, 0.0, 0.0), robot, CUP, DRUM) == ["cup", "drum"]
    assert robot.world_T_thing != IDENTITY


def test_what_the_ray_meets_is_clearly_meant_and_not_what_it_passes_by() -> None:
    pipe = KnownThing("pipe", ThingKind.FIXTURE, at(2.05, 0.0, 1.15), (0.1, 0.1, 2.8))
    cup, other = pointed_at((*EYE, 1.0, 0.0, 0.0), (pipe, CUP), 3.0)
    assert (cup.thing, other.thing) == ("cup", "pipe")
    assert cup.likelihood > CLEARLY * other.likelihood


def test_of_two_that_it_passes_by_none_is_clearly_meant() -> None:
    one, two = (
        KnownThing(name, ThingKind.OBJECT, at(2.0, y, 1.0), (0.1, 0.1, 0.1))
        for name, y in (("left", 0.2), ("right", -0.2))
    )
    first, second = pointed_at((*EYE, 1.0, 0.0, 0.0), (one, two), 3.0)
    assert first.likelihood == pytest.approx(second.likelihood)


# -- with a hand, which is coarse


def by_hand(off_deg: float, *things: KnownThing) -> tuple[str, ...]:
    """What nobody could tell apart, pointing so far beside the cup."""
    off = math.radians(off_deg) + math.atan2(0.05, 2.0)
    way = (math.cos(off), -math.sin(off), 0.0)
    return tuple(each.thing for each in undecided(pointed_at_along(EYE, way, things, 3.0, HAND)))


TABLE = KnownThing("table", ThingKind.FIXTURE, at(2.1, -0.2, 1.0), (1.0, 1.0, 0.9))


@pytest.mark.parametrize(("off_deg", "meant"), [(-1.0, ["cup"]), (3.0, ["cup"]), (7.5, ["cup", "table"])])
def test_who_just_misses_a_cup_with_a_hand_means_it_and_not_the_table(
    off_deg: float, meant: list[str]
) -> None:
    assert sorted(by_hand(off_deg, TABLE, CUP)) == meant


def test_who_points_at_the_empty_end_of_a_table_means_the_table() -> None:
    assert by_hand(12.0, TABLE, CUP) == ("table",)


def test_between_two_cups_nobody_can_tell_with_a_hand() -> None:
    other = KnownThing("bowl", ThingKind.OBJECT, at(2.0, -0.4, 1.0), (0.1, 0.1, 0.1))
    assert sorted(by_hand(4.3, TABLE, CUP, other)) == ["bowl", "cup"]
