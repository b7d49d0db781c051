"""Commands, limits and stops of the simulated world, all in simulated time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from framework.errors import CommandRefused
from resources.arms.parameters import PANDA
from resources.worlds.commands import (
    BASE_LIMITS,
    COMMAND_TIMEOUT_S,
    ArmPosture,
    BaseVelocity,
    Command,
    GripperWidth,
    Part,
    WristSweep,
)
from resources.worlds.robot import HOME_POSTURE
from resources.worlds.world import World

VELOCITY_LIMITS = np.array([link.limits.velocity for link in PANDA.links])
POSTURE = (0.4, -0.4, 0.3, -1.9, -0.2, 2.2, 0.1)
BASE_PERIOD_S = 0.02


@pytest.fixture
def world() -> World:
    return World.inspection(seed=1)


def drive(
    world: World, seconds: float, *, forward: float = 0.0, left: float = 0.0, turn: float = 0.0
) -> None:
    for _ in range(round(seconds / BASE_PERIOD_S)):
        world.command(BaseVelocity(world.time_s, forward, left, turn))
        world.step(20)


def sweep(world: World, seconds: float) -> None:
    for _ in range(round(seconds / BASE_PERIOD_S)):
        world.command(WristSweep(world.time_s, Part.RIGHT_ARM))
        world.step(20)


@pytest.mark.parametrize(
    "command",
    [
        BaseVelocity(0.0, forward=math.nan),
        BaseVelocity(0.0, forward=math.inf),
        BaseVelocity(0.0, forward=1.01 * BASE_LIMITS.speed),
        BaseVelocity(0.0, turn=-1.01 * BASE_LIMITS.turn),
        BaseVelocity(math.nan, forward=0.1),
        ArmPosture(0.0, Part.LEFT_ARM, (0.0,) * 7),  # joint 4 cannot be straight
        ArmPosture(0.0, Part.LEFT_ARM, POSTURE[:6]),
        ArmPosture(0.0, Part.LEFT_ARM, (math.nan, *POSTURE[1:])),
        ArmPosture(0.0, Part.LEFT_ARM, POSTURE, speed=1.5),
        ArmPosture(0.0, Part.BASE, POSTURE),
        WristSweep(0.0, Part.RIGHT_ARM, lower=-4.0),
        WristSweep(0.0, Part.RIGHT_ARM, lower=1.0, upper=0.5),
        WristSweep(0.0, Part.RIGHT_ARM, velocity=9.0),
        GripperWidth(0.0, Part.LEFT_ARM, width_m=0.2),
        GripperWidth(0.0, Part.BASE, width_m=0.02),
    ],
    ids=repr,
)
def test_a_bad_command_is_refused_and_changes_nothing(world: World, command: Command) -> None:
    untouched = World.inspection(seed=1)
    with pytest.raises(CommandRefused):
        world.command(command)
    assert not world.moving_parts
    world.step(50)
    untouched.step(50)
    assert world.digest() == untouched.digest()


def test_a_base_command_that_is_not_repeated_stops_the_base_within_its_deceleration(world: World) -> None:
    drive(world, 1.5, forward=0.6, turn=0.3)
    assert world.base_velocity()[0] == pytest.approx(0.6, abs=0.01)
    world.step(round(COMMAND_TIMEOUT_S / world.timestep_s) - 30)
    assert world.base_velocity()[0] == pytest.approx(0.6, abs=0.01)
    world.step(50 + round(0.6 / BASE_LIMITS.deceleration / world.timestep_s) + 200)
    assert not world.moving_parts
    assert np.abs(world.base_velocity()).max() < 0.005
    position = world.base_pose().position
    world.step(500)
    np.testing.assert_allclose(world.base_pose().position, position, atol=1e-3)


def test_the_base_keeps_its_acceleration_limits(world: World) -> None:
    speeds = []
    for _ in range(700):
        world.command(BaseVelocity(world.time_s, forward=0.5))
        world.step()
        speeds.append(world.base_velocity()[0])
    world.safe_stop(Part.BASE)
    for _ in range(400):
        world.step()
        speeds.append(world.base_velocity()[0])
    changes = np.diff(speeds) / world.timestep_s
    assert changes.max() < 1.1 * BASE_LIMITS.acceleration
    assert changes.min() > -1.1 * BASE_LIMITS.deceleration
    assert max(speeds) < 1.01 * 0.5
    assert abs(speeds[-1]) < 0.005


def test_velocities_are_in_the_base_frame_whichever_way_it_looks(world: World) -> None:
    drive(world, 2.0, turn=0.8)
    drive(world, 0.5)
    yaw = 2 * math.atan2(world.base_pose().quaternion[2], world.base_pose().quaternion[3])
    assert 1.0 < yaw < 2.0
    before = np.array(world.base_pose().position)
    drive(world, 1.0, forward=0.2, left=0.1)
    way = np.array(world.base_pose().position) - before
    assert math.atan2(way[1], way[0]) == pytest.approx(yaw + math.atan2(0.1, 0.2), abs=0.05)
    np.testing.assert_allclose(world.base_velocity(), (0.2, 0.1, 0.0), atol=0.01)


def test_late_commands_never_start_a_motion_again(world: World) -> None:
    drive(world, 0.5, forward=0.3)
    given_s = world.time_s
    world.step(10)
    world.safe_stop()
    with pytest.raises(CommandRefused, match="fresh"):
        world.command(BaseVelocity(given_s, forward=0.3))
    with pytest.raises(CommandRefused, match="fresh"):
        world.command(ArmPosture(world.time_s - 1.0, Part.LEFT_ARM, POSTURE))
    assert not world.moving_parts


def test_a_stamp_from_the_future_does_not_outlive_its_sender(world: World) -> None:
    world.command(BaseVelocity(1e6, forward=0.3))
    world.step(round(COMMAND_TIMEOUT_S / world.timestep_s) + 10)
    assert not world.moving_parts


def test_age_is_counted_on_the_callers_clock(world: World) -> None:
    world.command(BaseVelocity(500.0, forward=0.3), now_s=500.0)
    world.step(5, now_s=500.1)
    assert world.moving_parts == {Part.BASE}
    world.step(5, now_s=500.3)
    assert not world.moving_parts


def test_the_emergency_stop_is_latched_and_its_reset_moves_nothing(world: World) -> None:
    drive(world, 0.6, forward=0.3)
    sweep(world, 0.6)
    world.emergency_stop()
    world.emergency_stop()
    for command in (BaseVelocity(world.time_s, 0.1), WristSweep(world.time_s, Part.RIGHT_ARM)):
        with pytest.raises(CommandRefused, match="emergency stop"):
            world.command(command)
    world.step(800)
    at_rest, _ = world.measured_joints(Part.RIGHT_ARM)
    place = world.base_pose().position
    world.reset_emergency_stop()
    world.step(500)
    joints, velocities = world.measured_joints(Part.RIGHT_ARM)
    np.testing.assert_allclose(joints, at_rest, atol=1e-3)
    assert np.abs(velocities).max() < 1e-3
    np.testing.assert_allclose(world.base_pose().position, place, atol=1e-3)
    world.command(BaseVelocity(world.time_s, 0.1))


def test_an_arm_reaches_a_posture_within_its_limits(world: World) -> None:
    fastest = np.zeros(7)
    for _ in range(300):
        world.command(ArmPosture(world.time_s, Part.LEFT_ARM, POSTURE, speed=1.0))
        world.step(10)
        fastest = np.maximum(fastest, np.abs(world.measured_joints(Part.LEFT_ARM)[1]))
    joints, velocities = world.measured_joints(Part.LEFT_ARM)
    np.testing.assert_allclose(joints, POSTURE, atol=2e-3)
    assert np.abs(velocities).max() < 1e-3
    assert (fastest <= 1.01 * VELOCITY_LIMITS).all()
    np.testing.assert_allclose(world.measured_joints(Part.RIGHT_ARM)[0], HOME_POSTURE, atol=5e-3)


def test_the_wrist_sweeps_between_its_bounds_at_its_speed_and_stops_where_it_is(world: World) -> None:
    angles = []
    for _ in range(350):
        sweep(world, BASE_PERIOD_S)
        angles.append(world.measured_joints(Part.RIGHT_ARM)[0])
    wrist = np.array(angles)[:, 6]
    assert wrist.min() == pytest.approx(-math.pi / 4, abs=0.02)
    assert wrist.max() == pytest.approx(3 * math.pi / 4, abs=0.02)
    assert np.abs(np.diff(wrist)).max() / BASE_PERIOD_S < 1.02 * 1.2
    np.testing.assert_allclose(np.array(angles)[:, :6], np.tile(HOME_POSTURE[:6], (350, 1)), atol=0.01)
    sweep(world, 0.1)
    world.safe_stop(Part.RIGHT_ARM)
    stopped = world.measured_joints(Part.RIGHT_ARM)[0][6]
    world.step(600)
    joints, velocities = world.measured_joints(Part.RIGHT_ARM)
    assert abs(velocities[6]) < 1e-3
    assert abs(joints[6] - stopped) < 0.25


def test_arms_hold_their_posture_while_the_base_drives(world: World) -> None:
    for _ in range(60):
        drive(world, BASE_PERIOD_S, forward=0.5, turn=0.2)
        for arm in (Part.LEFT_ARM, Part.RIGHT_ARM):
            np.testing.assert_allclose(world.measured_joints(arm)[0], HOME_POSTURE, atol=0.03)


def test_a_stop_keeps_the_grasp(world: World) -> None:
    world.command(GripperWidth(0.0, Part.LEFT_ARM, width_m=0.02))
    world.step(600)
    closed = world.data.joint("left_finger_joint1").qpos[0]
    world.emergency_stop()
    world.step(600)
    assert world.data.joint("left_finger_joint1").qpos[0] == pytest.approx(closed, abs=1e-3)
    assert closed == pytest.approx(0.01, abs=1e-3)


class GoLimp:
    """A law that lets the arm hang; it counts what the world tells it."""

    def __init__(self) -> None:
        self.ticks = 0
        self.holds = 0

    def torque(self, q: NDArray[np.float64], dq: NDArray[np.float64], dt_s: float) -> NDArray[np.float64]:
        assert q.shape == dq.shape == (7,)
        self.ticks += 1
        return np.zeros(7)

    def hold(self, q: NDArray[np.float64], dq: NDArray[np.float64]) -> None:
        self.holds += 1


def test_another_law_is_called_in_every_step_and_loses_the_arm_at_an_emergency_stop(world: World) -> None:
    law = GoLimp()
    world.use_law(Part.LEFT_ARM, law)
    world.step(30)
    assert (law.ticks, law.holds) == (30, 1)
    world.safe_stop(Part.LEFT_ARM)
    assert law.holds == 2
    world.emergency_stop()
    world.step(10)
    assert law.ticks == 30
    with pytest.raises(CommandRefused, match="emergency stop"):
        world.use_law(Part.LEFT_ARM, law)
