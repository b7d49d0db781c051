"""What moves in a world, under its controllers: reaching, stopping, holding; all in simulated time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.errors import DescriptionError
from resources.arms.parameters import PANDA
from resources.controllers.base_ramp import BASE_LIMITS
from resources.controllers.loop import MotionStop
from resources.types.motion import (
    ORDER_LAPSES_S,
    TARGET_LAPSES_S,
    ControllerKind,
    Drive,
    MoveBase,
    MoveGripper,
    MoveJoints,
    StopCategory,
    Sweep,
)
from resources.worlds.robot import HOME_POSTURE, LEFT, RIGHT
from resources.worlds.world import World
from tests.resources.worlds.commanding import ARM, BASE, GRIPPER, Commanding

VELOCITY_LIMITS = np.array([link.limits.velocity for link in PANDA.links])
POSTURE = (0.4, -0.4, 0.3, -1.9, -0.2, 2.2, 0.1)
SWEEP = Sweep(-math.pi / 4, 3 * math.pi / 4, 1.2)
EMERGENCY = MotionStop(emergency=True, reason="somebody shouted", token=1)


@pytest.fixture
def world() -> World:
    return World.inspection(seed=1)


@pytest.fixture
def commanding(world: World) -> Commanding:
    return Commanding(world)


def drive(commanding: Commanding, seconds: float, *, forward: float = 0.0, turn: float = 0.0) -> None:
    """Stream a velocity."""
    hand = commanding.hand(BASE)
    for _ in range(round(seconds / 0.02)):
        hand.wish(Drive(forward, 0.0, turn))
        commanding.run(0.02)


def velocity(world: World) -> np.ndarray:
    assert world.base is not None
    return np.array(world.base.velocity())


def place(world: World) -> np.ndarray:
    assert world.base is not None
    return np.array(world.base.odometry())


# ---------------------------------------------------------------- worlds by name


def test_each_world_has_its_mechanisms_and_says_which_there_are() -> None:
    inspection, bench = World.named("inspection", 2), World.named("bench", 2)
    assert sorted((part.kind.value, part.prefix) for part in inspection.parts) == [
        ("arm", "left_"),
        ("arm", "right_"),
        ("base", ""),
        ("gripper", "left_"),
        ("gripper", "right_"),
    ]
    assert [(part.kind.value, part.prefix) for part in bench.parts] == [("arm", ""), ("gripper", "")]
    with pytest.raises(DescriptionError, match="no world 'moon'; there are: inspection, bench"):
        World.named("moon")
    with pytest.raises(
        DescriptionError, match=r"no base whose names begin with ''; it has: arm '', gripper ''"
    ):
        bench.part(ControllerKind.BASE, "")
    assert inspection.part(ControllerKind.ARM, LEFT).home == HOME_POSTURE


# ---------------------------------------------------------------- the base


def test_velocities_that_are_not_renewed_stop_the_base_within_its_deceleration(
    world: World, commanding: Commanding
) -> None:
    drive(commanding, 0.7, forward=0.6, turn=0.3)
    assert velocity(world) == pytest.approx([0.6, 0.0, 0.3], abs=0.01)
    commanding.hand(BASE).wish(None)
    commanding.run(TARGET_LAPSES_S - 0.03)
    assert velocity(world)[0] == pytest.approx(0.6, abs=0.01)
    commanding.run(0.05 + 0.6 / BASE_LIMITS.deceleration + 0.2)
    assert commanding.hand(BASE).state.is_at_rest
    stood = place(world)
    commanding.run(0.2)
    assert place(world) == pytest.approx(stood, abs=1e-3)


def test_the_base_keeps_its_acceleration_limits(world: World, commanding: Commanding) -> None:
    speeds = []
    for _ in range(25):
        drive(commanding, 0.02, forward=0.5)
        speeds.append(velocity(world)[0])
    commanding.hand(BASE).rest()
    for _ in range(40):
        commanding.run(0.01)
        speeds.append(velocity(world)[0])
    assert np.diff(speeds[:25]).max() / 0.02 < 1.1 * BASE_LIMITS.acceleration
    assert np.diff(speeds[25:]).min() / 0.01 > -1.1 * BASE_LIMITS.deceleration
    assert max(speeds) < 1.01 * 0.5
    assert abs(speeds[-1]) < 0.005


def test_velocities_are_in_the_base_frame_whichever_way_it_looks(
    world: World, commanding: Commanding
) -> None:
    drive(commanding, 1.0, turn=1.2)
    drive(commanding, 0.3)
    yaw = place(world)[2]
    assert 0.7 < yaw < 1.6
    before = place(world)
    drive(commanding, 0.5, forward=0.2)
    way = place(world) - before
    assert math.atan2(way[1], way[0]) == pytest.approx(yaw, abs=0.05)
    assert velocity(world) == pytest.approx([0.2, 0.0, 0.0], abs=0.01)


def test_a_goal_is_reached_in_the_world_and_reported(world: World, commanding: Commanding) -> None:
    hand = commanding.hand(BASE)
    hand.wish(MoveBase(0.2, 0.1, 0.2, speed=0.6, turn=1.0))
    commanding.run(2.2)
    assert (hand.state.done, hand.state.outcome) == (hand.number, "")
    assert place(world) == pytest.approx([0.2, 0.1, 0.2], abs=0.004)
    sample = hand.part.sample(hand.state, world.time_s)
    assert sample.odometry == pytest.approx(place(world).tolist(), abs=1e-6)  # type: ignore[union-attr]


def test_without_a_scan_the_base_stays(world: World) -> None:
    commanding = Commanding(world, guarded=False)
    drive(commanding, 0.3, forward=0.5)
    sample = commanding.hand(BASE).part.sample(commanding.hand(BASE).state, world.time_s)
    assert sample.blocked == "no scanner guards the base"  # type: ignore[union-attr]
    assert place(world) == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_an_arm_that_juts_out_has_to_fit_as_well(world: World, commanding: Commanding) -> None:
    assert world.base is not None
    drive(commanding, 0.02, turn=0.0)
    narrow = world.base.mechanism.guard.outline
    assert (narrow.length_m, narrow.width_m, narrow.x_m) == (0.99, 0.67, 0.0), "at home nothing does"
    arm = world.arms[LEFT]
    arm.q[:] = (0.0, 0.6, 0.0, -1.4, 0.0, 2.0, 0.8)
    arm.restart()
    world.step(1)
    drive(commanding, 0.1, turn=0.1)
    outline = world.base.mechanism.guard.outline
    reach = arm.robot_T_base[0] + arm.mechanism.base_T_tool[0]
    assert reach < outline.x_m + outline.length_m / 2 < reach + 0.12
    assert outline.x_m - outline.length_m / 2 == pytest.approx(-0.99 / 2)


# ---------------------------------------------------------------- arms and grippers


def test_an_arm_reaches_a_posture_within_its_limits_and_the_other_stays(
    world: World, commanding: Commanding
) -> None:
    hand = commanding.hand(ARM, LEFT)
    hand.wish(MoveJoints(POSTURE, speed=1.0))
    fastest = np.zeros(7)
    for _ in range(200):
        commanding.run(0.01)
        fastest = np.maximum(fastest, np.abs(world.arms[LEFT].dq))
    assert (hand.state.done, hand.state.outcome) == (hand.number, "")
    assert world.arms[LEFT].q == pytest.approx(POSTURE, abs=4e-3)
    assert np.abs(world.arms[LEFT].dq).max() < 1e-3
    assert (fastest <= 1.01 * VELOCITY_LIMITS).all()
    assert world.arms[RIGHT].q == pytest.approx(HOME_POSTURE, abs=5e-3)


def test_the_wrist_sweeps_between_its_bounds_at_its_speed_and_stops_where_it_is(
    world: World, commanding: Commanding
) -> None:
    hand, arm = commanding.hand(ARM, RIGHT), world.arms[RIGHT]
    hand.wish(SWEEP)
    postures = []
    for _ in range(250):
        commanding.run(0.02)
        postures.append(arm.q.copy())
    wrist = np.array(postures)[:, 6]
    assert wrist.min() == pytest.approx(-math.pi / 4, abs=0.02)
    assert wrist.max() == pytest.approx(3 * math.pi / 4, abs=0.02)
    assert np.abs(np.diff(wrist)).max() / 0.02 < 1.02 * 1.2
    np.testing.assert_allclose(np.array(postures)[:, :6], np.tile(HOME_POSTURE[:6], (250, 1)), atol=0.01)
    hand.rest()
    stopped = float(arm.q[6])
    commanding.run(0.6)
    assert abs(float(arm.dq[6])) < 1e-3
    assert abs(float(arm.q[6]) - stopped) < 0.25


def test_a_sweep_that_nobody_repeats_ends(world: World, commanding: Commanding) -> None:
    hand = commanding.hand(ARM, RIGHT)
    hand.wish(SWEEP)
    commanding.run(0.5)
    hand.wish(None)
    commanding.run(ORDER_LAPSES_S + 0.5)
    assert hand.state.is_at_rest
    assert hand.state.outcome == "its orders ceased"


def test_arms_hold_their_posture_while_the_base_drives(world: World, commanding: Commanding) -> None:
    for _ in range(60):
        drive(commanding, 0.02, forward=0.5, turn=0.2)
        for arm in world.arms.values():
            assert arm.q == pytest.approx(HOME_POSTURE, abs=0.03)


def test_a_gripper_reaches_its_width(world: World, commanding: Commanding) -> None:
    hand = commanding.hand(GRIPPER, LEFT)
    hand.wish(MoveGripper(0.02, speed=0.1))
    commanding.run(0.8)
    assert (hand.state.done, hand.state.outcome) == (1, "")
    assert world.data.joint("left_finger_joint1").qpos[0] == pytest.approx(0.01, abs=1e-3)


# ---------------------------------------------------------------- stopping


@pytest.mark.parametrize("category", list(StopCategory))
def test_the_emergency_stop_stops_everything_and_its_end_moves_nothing(category: StopCategory) -> None:
    world = World.inspection(seed=1)
    commanding = Commanding(world, stop=category)
    commanding.hand(ARM, RIGHT).wish(SWEEP)
    commanding.hand(ARM, LEFT).wish(MoveJoints(POSTURE, speed=1.0))
    commanding.hand(GRIPPER, LEFT).wish(MoveGripper(0.0))
    drive(commanding, 0.6, forward=0.5)
    commanding.stop = EMERGENCY
    drive(commanding, 0.8, forward=0.5)
    for hand in commanding.hands.values():
        assert hand.state.is_at_rest, hand.core.name
        assert hand.state.stopped == "emergency stop: somebody shouted"
        locked = category is StopCategory.BRAKES
        assert (hand.state.mode == "locked") == locked, hand.core.name
    before = world.data.qpos.copy()
    commanding.stop = MotionStop(token=1)
    for hand in commanding.hands.values():
        hand.wish(hand.command)  # under a new number
    drive(commanding, 0.5, forward=0.5)
    moved = np.abs(world.data.qpos - before)
    assert moved.max() < 1e-3, "resetting moves nothing, whoever goes on commanding"
    for hand in commanding.hands.values():
        assert "nobody holds this" in hand.state.refusal or hand.command is None
        hand.take()
    drive(commanding, 0.5, forward=0.5)
    assert velocity(world)[0] == pytest.approx(0.5, abs=0.02)


def test_a_stop_keeps_the_grasp(world: World, commanding: Commanding) -> None:
    hand = commanding.hand(GRIPPER, LEFT)
    hand.wish(MoveGripper(0.02, speed=0.1))
    commanding.run(0.8)
    commanding.stop = EMERGENCY
    commanding.run(0.6)
    assert world.data.joint("left_finger_joint1").qpos[0] == pytest.approx(0.01, abs=1e-3)


def test_a_loop_that_stood_still_rests_and_does_not_go_on(world: World, commanding: Commanding) -> None:
    """As after SIGSTOP and SIGCONT of the world's process: simulated time stood still, all other did not."""
    hand, arm = commanding.hand(ARM, LEFT), world.arms[LEFT]
    hand.wish(MoveJoints(POSTURE, speed=0.5))
    commanding.run(0.5)
    late_s = world.time_s + 5.0
    before = arm.q.copy()
    hand.core.obey(hand.orders(late_s - 4.9), late_s)
    hand.core.look(commanding.stop, late_s)
    assert hand.state.outcome == "its control loop stood still for 5.0 s"
    hand.wish(None)
    fastest = float(np.abs(arm.dq).max())
    for _ in range(40):
        world.step(10, now_s=late_s)
        assert float(np.abs(arm.dq).max()) <= 1.05 * fastest
    assert hand.state.is_at_rest
    assert np.abs(arm.q - before).max() < 0.15
