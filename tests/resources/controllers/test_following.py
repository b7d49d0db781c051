"""A person's hand moves an arm: what may go wrong with the hand, its link and its clutch, in lock-step."""

from __future__ import annotations

import math
import random
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.testbed.arm_stage import ArmStage
from pilothouse.testbed.hand_stage import HandStage
from resources.arms.pose import Pose, Quaternion, axis_angle, product, rotation_matrix
from resources.controllers.loop import MotionStop
from resources.types.masters import SILENCE_S
from resources.types.motion import REST6, Vector6
from resources.types.streams import IDENTITY, Pose7
from tests.effort import random_inputs
from tests.resources.controllers.watching import Watch

PERIOD_S = 0.016
NAN = math.nan

unit = st.tuples(*[st.floats(-1, 1) for _ in range(3)]).filter(lambda v: math.hypot(*v) > 0.1)


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: Quaternion = (0.0, 0.0, 0.0, 1.0)) -> Pose7:
    return (x, y, z, *turn)


def hold(stage: HandStage, pose: Pose7, engagement: int, seconds: float) -> None:
    """The hand stays there for a while."""
    for _ in range(round(seconds / PERIOD_S)):
        stage.hand(pose, engagement)
        stage.run(PERIOD_S)


def lead(
    stage: HandStage, start: Pose7, way: tuple[float, float, float], seconds: float, number: int
) -> Pose7:
    """The hand goes along a way, smoothly, and stays; returns where."""
    steps = round(seconds / PERIOD_S)
    x, y, z = start[:3]
    for step in range(1, steps + 1):
        t = step / steps
        share = t * t * (3 - 2 * t)
        speed = 6 * t * (1 - t) / seconds
        twist: Vector6 = (way[0] * speed, way[1] * speed, way[2] * speed, 0.0, 0.0, 0.0)
        pose = (x + share * way[0], y + share * way[1], z + share * way[2], *start[3:])
        stage.hand(pose, number, twist=twist)
        stage.run(PERIOD_S)
    return (x + way[0], y + way[1], z + way[2], *start[3:])


@pytest.fixture
def ready() -> HandStage:
    """An arm that follows a hand whose clutch is open."""
    stage = HandStage()
    hold(stage, IDENTITY, 0, 0.05)
    return stage


# ---------------------------------------------------------------- what goes wrong


def test_a_silent_link_lets_go_within_101_ms_of_the_last_valid_pose(ready: HandStage) -> None:
    hold(ready, IDENTITY, 1, 0.2)
    last = ready.hand(at(0.01), 1, twist=(0.3, 0.0, 0.0, 0.0, 0.0, 0.0))
    ready.run(0.001)
    assert ready.state.engaged == 1
    while ready.state.engaged:
        ready.run(0.001)
    # The tick at `now_s` has not been yet: the one before it let go.
    assert SILENCE_S < ready.now_s - last.received_s <= 0.101 + 1e-9
    assert "no pose for 100 ms" in ready.state.disengaged
    ready.run(0.5)
    assert ready.state.mode == "hold"
    assert ready.state.is_at_rest


@pytest.mark.parametrize("gap_s", [0.11, 0.4, 1.5])
def test_a_hand_that_moved_during_a_gap_moves_nothing_until_it_is_pressed_anew(
    ready: HandStage, gap_s: float
) -> None:
    hold(ready, IDENTITY, 1, 0.2)
    ready.run(gap_s)
    before = ready.tool
    hold(ready, at(0.2, 0.1), 1, 0.5)
    assert np.linalg.norm(ready.tool - before) < 1e-3
    assert ready.state.engaged == 0
    hold(ready, at(0.2, 0.1), 0, 0.05)
    hold(ready, at(0.2, 0.1), 2, 0.3)
    assert ready.state.engaged == 2
    assert np.linalg.norm(ready.tool - before) < 1e-3


BAD: dict[str, dict[str, Any]] = {
    "nan": {"pose": (NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)},
    "huge": {"pose": (1e9, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)},
    "not a rotation": {"pose": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4)},
    "jump": {"pose": at(0.5)},
    "turned round": {"pose": at(turn=(1.0, 0.0, 0.0, 0.0))},
    "no twist": {"twist": (0.0, 0.0, NAN, 0.0, 0.0, 0.0)},
    "too fast": {"twist": (9.0, 0.0, 0.0, 0.0, 0.0, 0.0)},
    "no acceleration": {"acceleration": (math.inf, 0.0, 0.0, 0.0, 0.0, 0.0)},
    "tracking lost": {"tracked": False},
    "no scale": {"scale": 0.0},
    "vast scale": {"scale": 50.0},
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_pose_lets_go_at_once_and_for_good(ready: HandStage, what: str) -> None:
    watch = Watch(ready.stage)
    ready.each = lambda: watch(ready.stage)
    hold(ready, IDENTITY, 1, 0.2)
    before = ready.tool
    fields = dict(BAD[what])
    ready.hand(fields.pop("pose", IDENTITY), 1, **fields)
    ready.run(0.002)
    assert ready.state.engaged == 0
    assert ready.state.disengaged
    hold(ready, IDENTITY, 1, 0.3)
    assert ready.state.engaged == 0
    assert np.linalg.norm(ready.tool - before) < 1e-3
    assert not watch.exceeded()


def test_a_clutch_that_was_held_before_the_arm_was_given_moves_nothing() -> None:
    stage = HandStage()
    before = stage.tool
    hold(stage, IDENTITY, 4, 0.1)
    lead(stage, IDENTITY, (0.1, 0.0, 0.0), 0.3, 4)
    assert stage.state.engaged == 0
    assert "open the clutch first" in stage.state.disengaged
    assert np.linalg.norm(stage.tool - before) < 1e-4


@pytest.mark.parametrize("how", ["replayed", "reordered", "late", "future", "somebody else's"])
def test_samples_that_do_not_count_do_not_keep_it_alive(ready: HandStage, how: str) -> None:
    hold(ready, IDENTITY, 1, 0.2)
    good = ready.hand(IDENTITY, 1)
    ready.run(0.002)
    replace = msgspec.structs.replace
    for _ in range(20):
        now_s = ready.now_s
        sample = {
            "replayed": good,
            "reordered": replace(good, number=good.number - 1, taken_s=now_s, received_s=now_s),
            "late": replace(good, number=good.number + 1000, received_s=now_s, taken_s=now_s - 0.15),
            "future": replace(good, number=good.number + 1000, received_s=now_s + 9, taken_s=now_s + 9),
            "somebody else's": replace(good, session="other", number=good.number + 1000, taken_s=now_s),
        }[how]
        ready.core.hear(sample, now_s)
        ready.run(PERIOD_S)
    assert ready.state.engaged == 0


@pytest.mark.parametrize("what", ["emergency", "alone", "orders cease"])
def test_every_stop_lets_go_and_lifting_it_moves_nothing(ready: HandStage, what: str) -> None:
    hold(ready, IDENTITY, 1, 0.2)
    pose = lead(ready, IDENTITY, (0.05, 0.0, 0.0), 0.2, 1)
    if what == "orders cease":
        ready.beats = False
        hold(ready, pose, 1, 0.4)
        ready.beats = True
    else:
        ready.stop = MotionStop(emergency=what == "emergency", alone=what == "alone", token=1)
        hold(ready, pose, 1, 0.1)
        ready.stop = MotionStop(token=1)
    assert ready.state.engaged == 0
    hold(ready, pose, 1, 0.6)  # it comes to rest
    ready.follow()
    before = ready.tool
    end = lead(ready, pose, (0.0, 0.1, 0.0), 0.4, 1)
    assert ready.state.engaged == 0
    assert np.linalg.norm(ready.tool - before) < 1e-3
    hold(ready, end, 0, 0.05)


def test_scripted_hostility_never_exceeds_a_limit() -> None:
    chosen = random.Random(3)
    stage = HandStage()
    watch = Watch(stage.stage)
    stage.each = lambda: watch(stage.stage)
    engagement, pose = 0, [0.0, 0.0, 0.0]
    for _ in range(300):
        engagement += chosen.random() < 0.1
        pose = [value + chosen.gauss(0.0, 0.02) for value in pose]
        axis = (chosen.gauss(0, 1), chosen.gauss(0, 1), chosen.gauss(0, 1))
        turn = axis_angle(axis, chosen.gauss(0, 0.2))
        twist = tuple(chosen.gauss(0, 0.7) for _ in range(6)) if chosen.random() < 0.5 else REST6
        strange = chosen.choice([(pose[0], pose[1], pose[2], *turn)] * 20 + [at(NAN), at(5.0)])
        stage.hand(
            strange,
            engagement if chosen.random() < 0.9 else 0,
            delay_s=max(0.0, chosen.gauss(0.01, 0.02)),
            twist=twist,
            acceleration=tuple(chosen.gauss(0, 20) for _ in range(6)),
            scale=chosen.choice([1.0, 1.0, 1.0, 0.2]),
        )
        stage.run(chosen.choice([0.005, 0.016, 0.016, 0.016, 0.05]))
    assert not watch.exceeded()


# ---------------------------------------------------------------- what goes right


@random_inputs(16)
@given(where=st.tuples(*[st.floats(-2, 2)] * 3), axis=unit, angle=st.floats(-3, 3))
def test_clutch_on_and_off_at_any_pose_of_the_hand_moves_nothing(
    where: tuple[float, float, float], axis: tuple[float, float, float], angle: float
) -> None:
    stage = HandStage()
    before = stage.tool
    hand = at(*where, turn=axis_angle(axis, angle))
    hold(stage, hand, 0, 0.05)
    for engagement in (1, 2):
        hold(stage, hand, engagement, 0.2)
        assert stage.state.engaged == engagement
        hold(stage, hand, 0, 0.1)
    assert np.linalg.norm(stage.tool - before) < 2e-4


@random_inputs(12)
@given(axis=unit, angle=st.floats(-3, 3), way=unit, turn_axis=unit)
def test_the_tool_does_in_the_base_frame_what_the_hand_does_whatever_either_is_turned_like(
    axis: tuple[float, float, float],
    angle: float,
    way: tuple[float, float, float],
    turn_axis: tuple[float, float, float],
) -> None:
    stage = HandStage()
    start = Pose((0.3, -0.2, 1.0), axis_angle(axis, angle))
    hold(stage, (*start.position, *start.quaternion), 0, 0.05)
    hold(stage, (*start.position, *start.quaternion), 1, 0.2)
    before, rotation = stage.tool, stage.stage.controller.state.rotation
    length = math.hypot(*way)
    dx, dy, dz = (0.06 * value / length for value in way)
    x, y, z = start.position
    for step in range(1, 41):
        share = step / 40
        turn = _unit(product(axis_angle(turn_axis, 0.4 * share), start.quaternion))
        pose = (x + share * dx, y + share * dy, z + share * dz, *turn)
        stage.hand(pose, 1)
        stage.run(PERIOD_S)
    hold(stage, pose, 1, 0.8)
    assert np.allclose(stage.tool - before, (dx, dy, dz), atol=2e-3)
    wanted = rotation_matrix(_unit(product(axis_angle(turn_axis, 0.4), rotation)))
    found = rotation_matrix(stage.stage.controller.state.rotation)
    assert np.allclose(wanted, found, atol=0.02)


def test_scale_shrinks_the_way_and_changing_it_moves_nothing(ready: HandStage) -> None:
    before = ready.tool
    hold(ready, IDENTITY, 1, 0.1)
    pose = lead(ready, IDENTITY, (0.0, 0.1, 0.0), 0.5, 1)
    hold(ready, pose, 1, 0.4)
    assert np.allclose(ready.tool - before, (0.0, 0.1, 0.0), atol=2e-3)
    for _ in range(30):
        ready.hand(pose, 1, scale=0.2)
        ready.run(PERIOD_S)
    assert np.allclose(ready.tool - before, (0.0, 0.1, 0.0), atol=2e-3)
    for step in range(40):
        ready.hand((*pose[:2], 0.1 * (step + 1) / 40, *pose[3:]), 1, scale=0.2)
        ready.run(PERIOD_S)
    ready.run(0.05)
    assert np.allclose(ready.tool - before, (0.0, 0.1, 0.02), atol=3e-3)


def test_indexing_goes_further_than_the_hand_can_reach(ready: HandStage) -> None:
    before = ready.tool
    for number in (1, 2, 3):
        hold(ready, IDENTITY, 0, 0.2)
        hold(ready, IDENTITY, number, 0.2)
        pose = lead(ready, IDENTITY, (0.0, 0.08, 0.0), 0.4, number)
        hold(ready, pose, number, 0.3)
        hold(ready, pose, 0, 0.2)
    assert ready.tool[1] - before[1] == pytest.approx(0.24, abs=5e-3)


def test_a_jittering_link_makes_no_motion_of_its_own(ready: HandStage) -> None:
    """What some samples are late by is no motion: each counts as if it had come like the quickest."""
    chosen = random.Random(1)
    hold(ready, IDENTITY, 1, 0.2)
    before = ready.tool
    worst = 0.0
    for step in range(120):
        t = step * PERIOD_S
        y = 0.05 * (1 - math.cos(2 * t))
        ready.hand(
            at(0.0, y),
            1,
            delay_s=chosen.choice([0.02, 0.02, 0.03]),
            twist=(0, 0.1 * math.sin(2 * t), 0, 0, 0, 0),
        )
        ready.run(PERIOD_S)
        past = 0.05 * (1 - math.cos(2 * max(ready.now_s - 0.02 - 0.26, 0.0)))
        worst = max(worst, abs(ready.tool[1] - before[1] - past))
    assert worst < 0.01


def test_in_contact_the_clutch_keeps_within_the_greatest_force() -> None:
    stage = HandStage(ArmStage(table_m=0.35))
    hold(stage, IDENTITY, 0, 0.05)
    pose, number = IDENTITY, 1
    for number in (1, 2):
        hold(stage, pose, 0, 0.1)
        hold(stage, pose, number, 0.1)
        pose = lead(stage, pose, (0.0, 0.0, -0.12), 1.0, number)
        hold(stage, pose, number, 0.5)
    assert 5.0 < stage.stage.table_force() < 31.0


def _unit(rotation: Quaternion) -> Quaternion:
    length = math.hypot(*rotation)
    x, y, z, w = rotation
    return (x / length, y / length, z / length, w / length)


def test_when_the_hand_is_lost_in_a_fast_motion_the_arm_goes_on_for_a_few_centimetres_only() -> None:
    """A target that was carried on at full speed until it lapsed went 64 mm too far, and into a table."""
    stage = HandStage()
    hold(stage, IDENTITY, 0, 0.05)
    hold(stage, IDENTITY, 1, 0.25)
    before, y, speed = stage.tool, 0.0, 0.0
    while y < 0.22:
        speed = min(0.5, speed + 4.0 * PERIOD_S)
        y += speed * PERIOD_S
        stage.hand(at(0.0, y), 1, twist=(0.0, speed, 0.0, 0.0, 0.0, 0.0))
        stage.run(PERIOD_S)
    furthest = 0.0
    for _ in range(80):
        stage.run(0.01)
        furthest = max(furthest, float((stage.tool - before)[1]))
    assert furthest - y < 0.045
