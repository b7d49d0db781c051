"""Answers about where the robot stands, how it is turned, and whether anything is in its way."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import pytest

from framework.plan.ast import State
from managers.answers import Answers
from managers.controller_manager import ControllerManager
from resources.robots.description import DeviceDescription
from resources.types.context import KnownThing, ThingKind
from resources.types.motion import BaseSample, LoopState
from resources.types.streams import Pose7

TABLE = KnownThing("table", ThingKind.FIXTURE, (3.0, 0.0, 0.4, 0.0, 0.0, 0.0, 1.0), (0.8, 2.0, 0.8))


def stands(x: float, y: float, yaw: float = 0.0) -> Pose7:
    return (x, y, 0.7, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))


def answer(name: str, pose: Pose7 | None, thing: KnownThing = TABLE, *, is_so: bool = True) -> bool | None:
    robot = KnownThing("tester", ThingKind.ROBOT, pose)
    context = SimpleNamespace(
        things=lambda: (robot, thing), called=lambda said: (thing,) if said == thing.name else ()
    )
    answers = Answers(cast(Any, context), cast(Any, None), {}, lambda: 0.0)
    return answers.answer(State(name, {"thing": "table"}, is_so=is_so))


@pytest.mark.parametrize(
    ("pose", "is_there"),
    [
        (stands(1.8, 0.0), True),  # 0.8 m before its side
        (stands(1.5, 0.0), False),
        (stands(1.8, 0.9), True),  # before its corner, 1.5 m from its middle
        (stands(3.0, -1.9), True),
        (stands(3.0, -2.1), False),
        (None, None),
    ],
)
def test_it_stands_at_a_thing_that_is_beside_it_however_large_it_is(
    pose: Pose7 | None, is_there: bool | None
) -> None:
    assert answer("at", pose) is is_there
    assert answer("at", pose, is_so=False) is (None if is_there is None else not is_there)


def test_how_a_thing_is_turned_counts_for_where_its_sides_are() -> None:
    half = math.sqrt(0.5)
    turned = KnownThing("table", ThingKind.FIXTURE, (3.0, 0.0, 0.4, 0.0, 0.0, half, half), (0.8, 2.0, 0.8))
    assert answer("at", stands(1.2, 0.0), turned) is True and answer("at", stands(1.2, 0.0)) is False


def test_where_a_thing_is_that_nobody_has_seen_cannot_be_told() -> None:
    nowhere = KnownThing("table", ThingKind.FIXTURE)
    assert answer("at", stands(0.0, 0.0), nowhere) is None
    assert answer("facing", stands(0.0, 0.0), nowhere) is None


@pytest.mark.parametrize(
    ("yaw", "faces"), [(0.0, True), (0.15, True), (-0.15, True), (0.3, False), (3.1, False)]
)
def test_it_faces_what_is_straight_ahead(yaw: float, faces: bool) -> None:
    assert answer("facing", stands(0.0, 0.0, yaw)) is faces


@pytest.mark.parametrize("is_blocked", [True, False, None])
def test_what_keeps_the_base_from_going_on_is_told_by_whoever_drives_it(is_blocked: bool | None) -> None:
    answers = Answers(cast(Any, None), cast(Any, None), {}, lambda: 0.0, lambda: is_blocked)
    assert answers.answer(State("blocked", {})) is is_blocked
    assert answers.answer(State("blocked", {}, is_so=False)) is (
        None if is_blocked is None else not is_blocked
    )


@pytest.mark.parametrize(
    ("mode", "blocked", "is_blind", "is_blocked"),
    [
        ("wait", "front_lidar sees something 0.3 m ahead", False, True),
        ("move", "", False, False),
        ("drive", "", False, False),
        ("hold", "", False, None),
        ("wait", "no scanner guards the base", True, None),
    ],
)
def test_a_base_is_blocked_by_what_its_scanners_see_while_it_drives(
    mode: str, blocked: str, is_blind: bool, is_blocked: bool | None
) -> None:
    report = BaseSample(0.0, LoopState(mode=mode), blocked=blocked, is_blind=is_blind)
    described = (DeviceDescription("left_arm", "x", "arm", "left"), DeviceDescription("base", "x", "base"))
    loops = SimpleNamespace(of=lambda name: SimpleNamespace(report=report if name == "base" else None))
    manager = SimpleNamespace(_devices=SimpleNamespace(described=described), _loops=loops, _is_open=True)
    assert ControllerManager.is_blocked(cast(Any, manager)) is is_blocked
    manager._is_open = False
    assert ControllerManager.is_blocked(cast(Any, manager)) is None
