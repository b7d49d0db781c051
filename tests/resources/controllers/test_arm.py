"""`ArmController` on a stage: what becomes of each command, what goes wrong, and how it comes to rest."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from framework.errors import CommandRefused, MotionFailed
from pilothouse.testbed.arm_stage import HOME, PERIOD_S, ArmStage
from resources.arms.dynamics import ArmDynamics
from resources.controllers.arm import ArmController
from resources.controllers.rotation import between
from resources.controllers.settings import ArmSettings
from resources.controllers.trajectory import to_goal
from resources.types.motion import (
    Drive,
    Guide,
    Hold,
    LoopState,
    MotionCommand,
    MoveJoints,
    MovePose,
    Sweep,
    TrackJoints,
    TrackPose,
    TrackTwist,
)
from resources.types.streams import Pose7
from tests.resources.controllers.watching import Watch, run_until_at_rest, run_until_ended

NAN = float("nan")
AWAY = (0.5, -0.3, 0.2, -1.9, 0.1, 1.7, 0.3)


def tell(stage: ArmStage, command: MotionCommand, *, age_s: float = 0.0) -> None:
    stage.controller.begin(command, stage.now_s - age_s, stage.now_s)


def moved(pose: Pose7, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Pose7:
    return (pose[0] + x, pose[1] + y, pose[2] + z, *pose[3:])


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (MovePose((0.4, NAN, 0.4, 0, 0, 0, 1)), "not all finite"),
        (MovePose((0.4, 0.0, 0.4, 0, 0, 0, 0.5)), "has length 0.5"),
        (MovePose((9.0, 0.0, 0.4, 0, 0, 0, 1)), "the goal is 8.15 m outside the arm's workspace, ahead"),
        (MovePose((0.4, 0.0, 0.4, 0, 0, 0, 1), speed=0.0), "at least 0.001"),
        (MovePose((0.4, 0.0, 0.4, 0, 0, 0, 1), speed=1e-9), "at least 0.001"),
        (MovePose((0.4, 0.0, 0.4, 0, 0, 0, 1), turn=1e-9), "at least 0.001"),
        (MovePose((0.4, 0.0, 0.4, 0, 0, 0, 1), turn=math.inf), "a turn of inf rad/s"),
        (MoveJoints((9.0, 0, 0, -1, 0, 1, 0)), "joint 1 = 9.000 rad is not in -2.877"),
        (MoveJoints((0, 0, 0, NAN, 0, 1, 0)), "not all finite"),
        (MoveJoints(AWAY, speed=1.5), "0.001 to 1"),
        (MoveJoints(AWAY, speed=1e-6), "0.001 to 1"),
        (TrackPose((0.4, 0.0, 0.4, 0, 0, 0, 0)), "has length 0"),
        (TrackPose((0.4, 0.0, 0.4, 0, 0, 0, 1), twist=(NAN, 0, 0, 0, 0, 0)), "twist"),
        (TrackPose((0.4, 0.0, 0.4, 0, 0, 0, 1), acceleration=(0, 0, math.inf, 0, 0, 0)), "acceleration"),
        (TrackTwist((0, 0, 0, 0, 0, NAN)), "twist"),
        (TrackJoints((NAN, 0, 0, 0, 0, 0, 0)), "joints"),
        (Sweep(1.0, -1.0, 0.5), "upwards"),
        (Sweep(-3.0, 3.0, 0.5), "upwards by 0.01 rad or more, within -2.877"),
        (Sweep(0.0, 1e-9, 0.5), "upwards by 0.01 rad"),
        (Sweep(0.0, 1.5, 1e-6), "at least 0.01"),
        (Drive(forward=1.0), "an arm cannot follow a Drive"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_words_and_changes_nothing(
    command: MotionCommand, words: str
) -> None:
    stage = ArmStage()
    with pytest.raises(CommandRefused, match=words):
        tell(stage, command)
    assert stage.controller.mode == "hold"
    assert stage.controller.is_at_rest


@pytest.mark.parametrize(
    "command",
    [MoveJoints(AWAY, 0.001), MovePose(moved(ArmStage().controller.base_T_tool, x=0.1), 0.001, 0.001)],
)
def test_the_slowest_that_is_allowed_is_followed(command: MotionCommand) -> None:
    stage = ArmStage()
    tell(stage, command)
    stage.run(0.05)
    assert stage.controller.mode.startswith("move")


def test_a_trajectory_that_cannot_be_computed_is_refused_in_words() -> None:
    start = ([0.0] * 7, [0.0] * 7, [0.0] * 7)
    with pytest.raises(CommandRefused, match="no trajectory leads there"):
        to_goal(start, [0.3] * 7, [1e-6] * 7, [7.5] * 7, [3750.0] * 7)


def test_a_refused_command_leaves_a_motion_going() -> None:
    box = msgspec.structs.replace(ArmSettings().workspace, upper=(0.85, 0.2, 1.2))
    stage = ArmStage(settings=ArmSettings(workspace=box))
    goal = moved(stage.controller.base_T_tool, y=0.15)
    tell(stage, MovePose(goal))
    stage.run(0.3)
    for command in (
        MoveJoints((1.0, *HOME[1:])),
        Sweep(2.0, 1.0, 1.0),
        MovePose((9, 0, 0, 0, 0, 0, 1)),
    ):
        with pytest.raises(CommandRefused):
            tell(stage, command)
    assert run_until_ended(stage).why == ""
    assert math.dist(stage.tool, goal[:3]) < 0.002


@pytest.mark.parametrize("huge", [9e3, 1e12, 1e308])
def test_numbers_beyond_all_measure_are_survived(huge: float) -> None:
    stage = ArmStage()
    watch = Watch(stage)
    twist = (huge, -huge, huge, huge, -huge, huge)
    pose = (huge, -huge, huge, 0.0, 0.0, 0.0, 1.0)
    for command in (
        TrackPose(stage.controller.base_T_tool, twist, twist),
        TrackPose(pose, twist, twist),
        TrackTwist(twist),
        TrackJoints((huge, *HOME[1:]), (huge, -huge, *HOME[2:])),
        MovePose(stage.controller.base_T_tool, speed=huge, turn=huge),
        Sweep(-1.0, 1.0, huge),
    ):
        try:
            tell(stage, command)
        except CommandRefused:
            assert huge > 1e4
        stage.run(0.08, watch)
        stage.controller.rest()
    run_until_at_rest(stage, watch)
    assert not watch.exceeded(), watch.worst


def test_encoder_noise_and_friction_keep_no_arm_from_its_goal_or_from_rest() -> None:
    stage = ArmStage(friction=True, encoder_bits=20)
    tell(stage, MovePose(moved(stage.controller.base_T_tool, z=-0.05)))
    assert run_until_ended(stage).why == ""
    run_until_at_rest(stage)


def test_an_arm_that_was_never_measured_takes_no_command() -> None:
    controller = ArmController(ArmDynamics())
    with pytest.raises(CommandRefused, match="not been measured"):
        controller.begin(Hold(), 0.0, 0.0)


def test_a_measured_state_that_is_not_finite_is_a_failure_and_spoils_nothing() -> None:
    stage = ArmStage()
    q = stage.q
    q[3] = NAN
    with pytest.raises(MotionFailed, match="not finite"):
        stage.controller.tick(q, stage.dq, 0.0, PERIOD_S)
    assert np.isfinite(stage.step()).all()


def test_something_in_the_way_is_said_and_no_longer_pressed_on() -> None:
    stage = ArmStage(table_m=0.45)
    tell(stage, MovePose(moved(stage.controller.base_T_tool, z=-0.2)))
    ended = run_until_ended(stage)
    assert "something is in the way" in ended.why
    assert "mm" in ended.why
    run_until_at_rest(stage)
    stage.run(0.5)
    assert stage.table_force() < 5.0


def test_a_joint_goal_that_is_held_up_is_given_up_too() -> None:
    stage = ArmStage(table_m=0.45)
    tell(stage, MoveJoints((0.0, 0.3, 0.0, -2.356, 0.0, 1.571, 0.785)))
    assert "something is in the way: joint" in run_until_ended(stage).why


def test_a_target_older_than_the_one_followed_is_refused() -> None:
    stage = ArmStage()
    tell(stage, TrackPose(stage.controller.base_T_tool))
    with pytest.raises(CommandRefused, match=r"given 0.030 s before"):
        tell(stage, TrackPose(stage.controller.base_T_tool), age_s=0.03)


@pytest.mark.parametrize("command", [TrackPose, TrackTwist, TrackJoints])
def test_a_stream_that_ceases_holds_then_damps_then_is_over(command: type) -> None:
    stage = ArmStage()
    if command is TrackPose:
        tell(stage, TrackPose(stage.controller.base_T_tool, (0.2, 0, 0, 0, 0, 0)))
    elif command is TrackTwist:
        tell(stage, TrackTwist((0.2, 0, 0, 0, 0, 0)))
    else:
        tell(stage, TrackJoints(HOME, (0.5, 0, 0, 0, 0, 0, 0)))
    stage.run(0.1)
    assert np.abs(stage.dq).max() > 0.05
    stage.run(0.25)
    held = stage.tool
    assert np.abs(stage.dq).max() < 0.05
    stage.push((10.0, 0.0, 0.0))
    stage.run(0.05)
    assert math.dist(held, stage.tool) < 0.03  # the spring still holds
    stage.run(0.35)
    assert math.dist(held, stage.tool) > 0.03  # it has let go
    stage.push((0.0, 0.0, 0.0))
    ended = run_until_ended(stage, at_most_s=0.6)
    assert ended.why == "no target has come for 1.0 s"
    run_until_at_rest(stage)
    assert stage.controller.target_age_s == 0.0


def test_a_stream_that_comes_back_while_it_is_damped_goes_on_from_where_the_arm_is() -> None:
    stage = ArmStage()
    watch = Watch(stage)
    tell(stage, TrackPose(stage.controller.base_T_tool))
    stage.run(0.4)
    stage.push((10.0, 0.0, 0.0))
    stage.run(0.4, watch)
    stage.push((0.0, 0.0, 0.0))
    pushed = stage.controller.base_T_tool
    tell(stage, TrackPose(pushed))
    stage.run(0.09, watch)
    assert math.dist(stage.tool, pushed[:3]) < 0.05
    assert not watch.exceeded()


def test_targets_at_five_a_second_are_followed_between_their_lapses() -> None:
    stage = ArmStage()
    start = stage.controller.base_T_tool
    for number in range(10):
        tell(stage, TrackPose(moved(start, y=0.01 * number)))
        stage.run(0.2)
        assert stage.controller.ended() is None
    assert abs(stage.tool[1] - 0.09) < 0.01


def test_locked_brakes_take_no_command_and_unlocking_moves_nothing() -> None:
    stage = ArmStage()
    tell(stage, MoveJoints(AWAY))
    stage.run(0.4)
    stage.controller.lock()
    run_until_at_rest(stage)
    stage.run(0.1)
    assert stage.controller.is_locked
    with pytest.raises(CommandRefused, match="brakes are locked"):
        tell(stage, Hold())
    locked = stage.q
    stage.push((40.0, 0.0, 0.0))
    stage.run(0.5)
    assert np.abs(stage.q - locked).max() < 0.2
    stage.push((0.0, 0.0, 0.0))
    stage.run(0.5)
    stage.controller.unlock()
    stage.run(0.3)
    assert stage.controller.mode == "hold"
    assert np.abs(stage.q - locked).max() < 0.01


# ---------------------------------------------------------------- what goes right


def test_a_pose_is_reached_on_a_straight_line_and_the_rotation_turns_in_step() -> None:
    stage = ArmStage()
    start = stage.controller.base_T_tool
    goal = (start[0] + 0.1, start[1] + 0.2, start[2] - 0.1, 0.9238795, 0.3826834, 0.0, 0.0)
    tell(stage, MovePose(goal))
    way = np.array(goal[:3]) - start[:3]
    angle = math.hypot(*between(start[3:], goal[3:]))
    speeds = []

    def look(stage: ArmStage) -> None:
        gone = np.array(stage.controller.base_T_target[:3]) - start[:3]
        share = float(gone @ way / (way @ way))
        assert np.linalg.norm(gone - share * way) < 1e-4
        turned = math.hypot(*between(start[3:], stage.controller.base_T_target[3:]))
        assert abs(turned / angle - share) < 1e-3
        speeds.append(float(np.linalg.norm(stage.controller.tool_twist[:3])))

    progress = []
    while (ended := stage.controller.ended()) is None:
        stage.run(PERIOD_S, look)
        progress.append(stage.controller.progress)
    assert ended.why == ""
    assert max(speeds) < 0.255
    assert math.dist(stage.tool, goal[:3]) < 0.002
    assert progress[:-1] == sorted(progress[:-1])
    assert progress[-2] > 0.99
    run_until_at_rest(stage)


def test_a_posture_is_reached_and_the_tool_keeps_its_speed_limit_on_the_way() -> None:
    stage = ArmStage(q=(1.2, 1.2, 0.0, -0.6, 0.0, 1.8, 0.785))
    watch = Watch(stage)
    tell(stage, MoveJoints((-1.2, 1.2, 0.0, -0.6, 0.0, 1.8, 0.785), speed=1.0))
    assert run_until_ended(stage, watch).why == ""
    assert not watch.exceeded()
    assert watch.worst["tool speed"] * 1.7 < 1.01 * stage.controller.settings.tool.speed
    assert np.abs(stage.q - (-1.2, 1.2, 0.0, -0.6, 0.0, 1.8, 0.785)).max() < 0.005
    run_until_at_rest(stage)


def test_friction_keeps_no_goal_from_being_reached() -> None:
    stage = ArmStage(friction=True)
    tell(stage, MovePose(moved(stage.controller.base_T_tool, y=0.1)))
    assert run_until_ended(stage).why == ""
    tell(stage, MoveJoints(AWAY))
    assert run_until_ended(stage).why == ""


def test_a_new_goal_in_motion_is_taken_up_smoothly() -> None:
    stage = ArmStage()
    start = stage.controller.base_T_tool
    watch = Watch(stage)
    tell(stage, MovePose(moved(start, y=0.2), speed=0.5))
    stage.run(0.4, watch)
    before = stage.controller.target_twist
    tell(stage, MovePose(moved(start, x=0.15), speed=0.5))
    stage.run(PERIOD_S, watch)
    assert np.abs(stage.controller.target_twist - before).max() < 0.02
    assert run_until_ended(stage, watch).why == ""
    tell(stage, MoveJoints(AWAY))
    stage.run(0.3, watch)
    before = stage.controller.target_twist
    tell(stage, MoveJoints((-0.5, *AWAY[1:])))
    stage.run(PERIOD_S, watch)
    assert np.abs(stage.controller.target_twist - before).max() < 0.02
    assert run_until_ended(stage, watch).why == ""
    assert not watch.exceeded()


def test_rest_brakes_from_the_measured_state_and_forgets_the_goal() -> None:
    stage = ArmStage()
    tell(stage, MoveJoints(AWAY))
    stage.run(0.5)
    assert np.abs(stage.dq).max() > 0.3
    stage.controller.rest()
    assert stage.controller.mode == "brake"
    stage.controller.rest()
    assert run_until_at_rest(stage) < 0.4
    assert stage.controller.ended() is None
    rested = stage.q
    stage.run(0.5)
    assert np.abs(stage.q - rested).max() < 0.005


def test_a_twist_moves_the_target_with_it_and_stops_at_the_workspace() -> None:
    box = msgspec.structs.replace(ArmSettings().workspace, upper=(0.85, 0.1, 1.2))
    stage = ArmStage(settings=ArmSettings(workspace=box))
    for _ in range(20):
        tell(stage, TrackTwist((0.0, 0.3, 0.0, 0.0, 0.0, 0.0)))
        stage.run(0.05)
    assert stage.controller.base_T_target[1] <= 0.1
    assert 0.09 < stage.tool[1] < 0.102


def test_joints_do_not_take_the_tool_out_of_the_workspace_either() -> None:
    box = msgspec.structs.replace(ArmSettings().workspace, upper=(0.85, 0.2, 1.2))
    stage = ArmStage(settings=ArmSettings(workspace=box))
    with pytest.raises(
        CommandRefused, match=r"the tool would be .* cm outside the arm's workspace, to its left"
    ):
        tell(stage, MoveJoints((1.0, *HOME[1:])))
    stage = ArmStage(settings=ArmSettings(workspace=box), q=(2.5, *HOME[1:]))
    with pytest.raises(
        CommandRefused, match=r"the way there leads the tool .* outside the arm's workspace, to its left"
    ):
        tell(stage, MoveJoints(HOME))
    stage = ArmStage(settings=ArmSettings(workspace=box))
    for number in range(60):
        tell(stage, TrackJoints((0.02 * number, *HOME[1:]), (1.25, 0, 0, 0, 0, 0, 0)))
        stage.run(0.016)
    stage.run(0.08)
    assert 0.15 < stage.tool[1] < 0.202


def test_a_stream_beyond_the_workspace_is_held_at_its_nearest_point() -> None:
    box = msgspec.structs.replace(ArmSettings().workspace, upper=(0.85, 0.1, 1.2))
    stage = ArmStage(settings=ArmSettings(workspace=box))
    start = stage.controller.base_T_tool
    for number in range(60):
        tell(stage, TrackPose(moved(start, x=0.1, y=0.005 * number)))
        stage.run(0.016)
    stage.run(0.08)
    assert abs(stage.tool[0] - start[0] - 0.1) < 0.005
    assert 0.09 < stage.tool[1] < 0.102


def test_a_pose_that_jumps_is_not_followed_and_counted_unless_it_stays() -> None:
    stage = ArmStage()
    start = stage.controller.base_T_tool
    for number in range(20):
        tell(stage, TrackPose(moved(start, x=0.2 if 5 <= number < 11 else 0.0)))
        stage.run(0.016)
    assert math.dist(stage.tool, start[:3]) < 0.001
    assert stage.controller.outliers == 1
    assert "0.20 m" in stage.controller.remark
    fastest = 0.0
    for _ in range(60):
        tell(stage, TrackPose(moved(start, x=0.1)))
        stage.run(0.016)
        fastest = max(fastest, float(np.linalg.norm(stage.controller.tool_twist[:3])))
    assert abs(stage.tool[0] - start[0] - 0.1) < 0.005
    assert fastest < 0.27


def test_a_guided_arm_gives_way_and_stays_where_it_is_left() -> None:
    stage = ArmStage()
    watch = Watch(stage)
    tell(stage, Guide())
    stage.run(0.2, watch)
    assert np.abs(stage.q - HOME).max() < 1e-4  # its weight is carried
    stage.push((0.0, 10.0, 0.0))
    stage.run(0.4, watch)
    assert stage.tool[1] > 0.05
    for force in range(10, 40, 2):  # a person who tries to be faster than the arm may be
        stage.push((0.0, float(force), 0.0))
        stage.run(0.05, watch)
    stage.push((0.0, 0.0, 0.0))
    stage.controller.rest()
    run_until_at_rest(stage, watch)
    assert not watch.exceeded()


def test_the_last_joint_sweeps_to_and_fro_while_the_others_stay() -> None:
    stage = ArmStage()
    tell(stage, Sweep(0.4, 1.1, 1.2))
    seen = []
    stage.run(2.2, lambda stage: seen.append(stage.q))
    last = np.array(seen)[:, 6]
    assert abs(last.min() - 0.4) < 0.02
    assert abs(last.max() - 1.1) < 0.02
    assert np.abs(np.array(seen)[:, :6] - HOME[:6]).max() < 0.005
    assert stage.controller.ended() is None


def test_a_sample_says_what_was_measured_and_estimated() -> None:
    stage = ArmStage()
    stage.push((0.0, 0.0, -15.0))
    stage.run(0.3)
    sample = stage.controller.sample(0.3, LoopState(), (0.0, 0.0, -15.0, 0.0, 0.0, 0.0))
    assert abs(sample.wrench_estimated[2] + 15.0) < 0.1
    assert sample.wrench_measured is not None
    assert math.dist(sample.base_T_tool[:3], stage.tool) < 1e-4
    assert len(sample.tau) == len(sample.tau_external) == 7
