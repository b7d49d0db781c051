"""Ideal mechanisms: they go exactly where they are told, refuse what real ones refuse, and stop at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.errors import CommandRefused
from resources.arms.dynamics import ArmDynamics
from resources.controllers.ideal import IdealArm, IdealBase, IdealGripper, ideal_mechanism, tool_pose
from resources.controllers.loop import Ended
from resources.types.motion import (
    TARGET_LAPSES_S,
    ControllerKind,
    Drive,
    Hold,
    Joints7,
    LoopState,
    MotionCommand,
    MoveBase,
    MoveGripper,
    MoveJoints,
    MovePose,
    Sweep,
    TrackPose,
    TrackTwist,
)

HOME: Joints7 = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
NAN = float("nan")


def test_its_tool_is_where_that_of_the_arm_model_is() -> None:
    dynamics = ArmDynamics()
    for q in (HOME, (0.3, 0.4, -0.5, -1.2, 0.8, 2.0, -1.0)):
        expected = dynamics.forward(np.array(q))
        *position, x, y, z, w = tool_pose(q)
        assert position == pytest.approx(expected[:3, 3], abs=1e-9)
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        assert rotation == pytest.approx(expected[:3, :3], abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        (ControllerKind.ARM, MoveJoints((NAN, *HOME[1:]))),
        (ControllerKind.ARM, MoveJoints(HOME, speed=0.0)),
        (ControllerKind.ARM, MoveJoints((4.0, *HOME[1:]))),
        (ControllerKind.ARM, MovePose((2.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0))),
        (ControllerKind.ARM, MovePose((0.3, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0))),
        (ControllerKind.ARM, TrackPose((0.3, 0.0, math.inf, 0.0, 0.0, 0.0, 1.0))),
        (ControllerKind.ARM, TrackTwist((NAN, 0.0, 0.0, 0.0, 0.0, 0.0))),
        (ControllerKind.ARM, MoveGripper(0.05)),
        (ControllerKind.GRIPPER, MoveGripper(0.5)),
        (ControllerKind.GRIPPER, MoveGripper(0.05, force_n=NAN)),
        (ControllerKind.GRIPPER, Hold()),
        (ControllerKind.BASE, Drive(forward=9.0)),
        (ControllerKind.BASE, MoveBase(NAN, 0.0, 0.0)),
        (ControllerKind.BASE, Hold()),
    ],
)
def test_what_a_real_one_refuses_it_refuses(kind: ControllerKind, command: MotionCommand) -> None:
    mechanism = ideal_mechanism(kind, HOME)
    with pytest.raises(CommandRefused):
        mechanism.begin(command, 0.0, 0.0)
    assert mechanism.is_at_rest and mechanism.ended() is None


def test_a_goal_takes_the_time_that_its_speed_says() -> None:
    arm = IdealArm(HOME)
    arm.begin(MoveJoints((0.5, *HOME[1:]), 0.1), 0.0, 0.0)
    elapsed_s = 0.0
    while (ended := arm.ended()) is None:
        elapsed_s += 0.01
        arm.tick(0.01, elapsed_s)
        assert arm.mode == "move" or arm.is_at_rest
    assert ended == Ended() and elapsed_s == pytest.approx(0.5 / (0.1 * 2.175), abs=0.02)
    assert arm.q == (0.5, *HOME[1:]) and arm.base_T_tool == tool_pose(arm.q)


def test_it_goes_to_a_posture_from_wherever_its_tool_is() -> None:
    """Also if its joints stand there already."""
    arm = IdealArm(HOME)
    x, y, z, *turned = tool_pose(HOME)
    qx, qy, qz, qw = turned
    arm.begin(MovePose((x, y + 0.3, z, qx, qy, qz, qw), speed=1.0), 0.0, 0.0)
    arm.tick(1.0, 1.0)
    assert arm.base_T_tool[1] == pytest.approx(y + 0.3) and arm.q == HOME
    arm.begin(MoveJoints(HOME, speed=0.5), 1.0, 1.0)
    ways = []
    for step in range(6):
        arm.tick(0.1, 1.0 + 0.1 * step)
        ways.append(arm.base_T_tool[1] - y)
    assert ways == pytest.approx([0.25, 0.2, 0.15, 0.1, 0.05, 0.0], abs=1e-6)
    assert arm.ended() == Ended() and arm.base_T_tool == pytest.approx(tool_pose(HOME))


def test_coming_to_rest_forgets_the_goal_and_a_lock_keeps_it_there() -> None:
    arm = IdealArm(HOME)
    arm.begin(Sweep(-0.5, 0.5, 1.0), 0.0, 0.0)
    arm.tick(0.3, 0.3)
    arm.lock()
    angle = arm.q[6]
    arm.tick(1.0, 1.3)
    assert (arm.mode, arm.q[6], arm.is_at_rest) == ("locked", angle, True)
    arm.unlock()
    arm.tick(1.0, 2.3)
    assert (arm.mode, arm.q[6]) == ("hold", angle)


def test_targets_that_cease_end_it() -> None:
    base = IdealBase()
    base.begin(Drive(forward=0.5), 1.0, 1.0)
    base.tick(0.05, 1.05)
    assert not base.is_at_rest and base.target_age_s == pytest.approx(0.05)
    base.tick(0.1, 1.0 + TARGET_LAPSES_S + 0.05)
    assert base.is_at_rest and base.velocity == (0.0, 0.0, 0.0)
    assert base.ended() == Ended("its targets ceased") and base.ended() is None
    assert base.odometry[0] == pytest.approx(0.025)


def test_a_grasp_on_nothing_fails() -> None:
    gripper = IdealGripper()
    gripper.begin(MoveGripper(0.0, grasp=True), 0.0, 0.0)
    for _ in range(200):
        gripper.tick(0.01, 0.0)
    assert gripper.ended() == Ended("there is nothing between the fingers")
    assert gripper.sample(0.0, LoopState()).holds is False
