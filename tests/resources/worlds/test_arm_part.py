"""An arm in a world: what touches it is felt, too much is a reflex, brakes lock it; friction, lost loops."""

from __future__ import annotations

import math
import re

import mujoco
import numpy as np
import pytest

from resources.arms.friction import JointFriction
from resources.arms.parameters import PANDA
from resources.arms.pose import axis_angle, product
from resources.types.motion import ArmSample, MoveGripper, MoveJoints, MovePose, Orders, Sweep, Workspace
from resources.types.streams import Pose7
from resources.worlds import bench
from resources.worlds.arm_part import ArmOptions, ArmPart
from resources.worlds.reflexes import ReflexLimits
from resources.worlds.world import World
from tests.effort import seeds
from tests.resources.worlds.commanding import ARM, GRIPPER, Commanding, Hand

REACH = 0.02
DOWN = (1.0, 0.0, 0.0, 0.0)


def over_the_table(x: float, y: float, z: float, yaw: float = 0.0) -> Pose7:
    """A pose of the tool, fingers down, z above the table."""
    turned = product(axis_angle((0.0, 0.0, 1.0), yaw), DOWN)
    return (x, y, z + bench.TABLE_HEIGHT_M - bench.ARM_MOUNT[2], *turned)


def bench_world(options: ArmOptions | None = None) -> tuple[World, ArmPart, Commanding]:
    world = World.bench(1, options={"": options or ArmOptions()})
    return world, world.arms[""], Commanding(world)


def carried_out(commanding: Commanding, hand: Hand, command: object, within_s: float = 6.0) -> str:
    """What became of a goal; "" if it was reached."""
    hand.wish(command)  # type: ignore[arg-type]
    for _ in range(round(within_s / 0.05)):
        commanding.run(0.05)
        if hand.state.done == hand.number:
            return hand.state.outcome
        if hand.state.refused_number == hand.number:
            return hand.state.refusal
    raise AssertionError(f"{command} did not end within {within_s} s")


def sample(world: World, hand: Hand) -> ArmSample:
    report = hand.part.sample(hand.state, world.time_s)
    assert isinstance(report, ArmSample)
    return report


# ---------------------------------------------------------------- what is felt


def test_a_push_is_measured_as_it_is_and_estimated_alike() -> None:
    world, _, commanding = bench_world()
    hand = commanding.hand(ARM)
    commanding.run(0.1)
    body = world.model.body("hand").id
    force, torque = np.array([4.0, -3.0, 5.0]), np.array([0.1, 0.2, -0.3])
    world.data.xfrc_applied[body] = [*force, *torque]
    commanding.run(1.0)
    arm = np.array(world.data.xipos[body]) - world.data.site("tool").xpos
    expected = np.concatenate([force, torque + np.cross(arm, force)])
    report = sample(world, hand)
    assert report.wrench_measured == pytest.approx(expected, abs=1e-6)
    assert report.wrench_estimated == pytest.approx(expected, abs=0.1)
    world.data.xfrc_applied[body] = 0.0
    commanding.run(0.5)
    assert sample(world, hand).wrench_measured == (0.0,) * 6


def test_the_frame_is_the_arms_base_wherever_that_stands() -> None:
    world = World.inspection(0)
    assert world.base is not None
    world.data.joint("base_yaw").qpos[0] = math.pi / 2
    mujoco.mj_forward(world.model, world.data)
    body = world.model.body("left_hand").id
    world.data.xfrc_applied[body, :3] = [5.0, 0.0, 0.0]
    world.step(2)
    commanding = Commanding(world)
    report = sample(world, commanding.hand(ARM, "left_"))
    assert report.wrench_measured is not None
    assert report.wrench_measured[:3] == pytest.approx((0.0, -5.0, 0.0), abs=1e-2)
    other = sample(world, commanding.hand(ARM, "right_"))
    assert other.wrench_measured == (0.0,) * 6


def test_a_grasped_block_is_lifted_and_its_weight_is_felt() -> None:
    world, _, commanding = bench_world()
    arm, gripper = commanding.hand(ARM), commanding.hand(GRIPPER)
    block = bench.block_pose(1)
    x, y, _ = block.position
    yaw = 2 * math.atan2(block.quaternion[2], block.quaternion[3])
    assert carried_out(commanding, gripper, MoveGripper(0.08, speed=0.1)) == ""
    assert carried_out(commanding, arm, MovePose(over_the_table(x, y, 0.12, yaw), 0.5)) == ""
    assert carried_out(commanding, arm, MovePose(over_the_table(x, y, 0.02, yaw))) == ""
    assert carried_out(commanding, gripper, MoveGripper(0.0, speed=0.1, grasp=True)) == ""
    assert gripper.part.sample(gripper.state, 0.0).holds  # type: ignore[union-attr]
    assert carried_out(commanding, arm, MovePose(over_the_table(x, y, 0.15, yaw))) == ""
    commanding.run(0.3)
    height = next(thing for thing in world.things() if thing.name == "block").position[2]
    assert height > bench.TABLE_HEIGHT_M + 0.1
    report = sample(world, arm)
    weight_n = bench.BLOCK_MASS_KG * 9.81
    assert report.wrench_measured is not None
    assert report.wrench_measured[2] == pytest.approx(-weight_n, abs=0.05)
    assert report.wrench_estimated[2] == pytest.approx(-weight_n, abs=0.2)
    # Whatever happens to the gripper's loop, the block stays where it is.
    gripper.part.cut()
    commanding.run(0.3)
    assert next(thing for thing in world.things() if thing.name == "block").position[2] == pytest.approx(
        height, abs=2e-3
    )


# ---------------------------------------------------------------- reflexes


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (ReflexLimits(force_n=15.0), r"reflex: the tool is pushed with 1\d N; 15 N are allowed"),
        (ReflexLimits(joint_share=0.05), r"reflex: joint \d is loaded with \d+ N m; "),
        (ReflexLimits(torque_nm=1.0), r"reflex: the tool is twisted with 1 N m; 1 N m are allowed"),
    ],
    ids=["force", "joint", "torque"],
)
def test_too_much_is_a_reflex_that_locks_the_arm_until_it_is_recovered(
    limits: ReflexLimits, words: str
) -> None:
    world, arm, commanding = bench_world(ArmOptions(reflexes=limits))
    hand = commanding.hand(ARM)
    commanding.run(0.05)
    body = world.model.body("hand").id
    world.data.xfrc_applied[body] = [25.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    commanding.run(0.5)
    assert hand.state.fault, "it was pushed too hard"
    assert re.match(words, hand.state.fault), hand.state.fault
    assert hand.state.mode == "locked" and hand.state.is_at_rest
    locked = arm.q.copy()
    world.data.xfrc_applied[body, 1] = 30.0
    commanding.run(0.5)
    assert arm.q == pytest.approx(locked, abs=0.06), "brakes hold against what pushes"
    world.data.xfrc_applied[body] = 0.0
    commanding.run(0.2)
    hand.take()
    hand.wish(MoveJoints(bench.HOME_POSTURE))
    commanding.run(0.1)
    assert hand.state.fault in hand.state.refusal
    before = arm.q.copy()
    orders = Orders("tester", hand.generation, recoveries=1)
    assert hand.core.obey(orders, world.time_s)
    hand.part.recover()
    hand.core.recovered()
    commanding.run(0.5)
    assert (hand.state.fault, hand.state.mode) == ("", "hold")
    assert arm.q == pytest.approx(before, abs=0.01), "to recover moves nothing"
    hand.take()
    assert carried_out(commanding, hand, MoveJoints(bench.HOME_POSTURE)) == ""


def test_pressing_on_a_table_is_no_reflex() -> None:
    _, arm, commanding = bench_world()
    hand = commanding.hand(ARM)
    why = carried_out(commanding, hand, MovePose(over_the_table(0.4, 0.1, -0.1)))
    assert why.startswith("something is in the way")
    assert arm.fault() == ""
    assert hand.state.fault == ""


# ---------------------------------------------------------------- friction, workspace


def test_friction_takes_from_the_motors_what_the_controller_does_not_know_of() -> None:
    lags = []
    for friction in (False, True):
        world, arm, commanding = bench_world(ArmOptions(friction=friction))
        commanding.hand(ARM).wish(Sweep(-0.5, 1.5, 1.0))
        commanding.run(0.6)
        applied = world.data.qfrc_applied[world.model.joint("joint1").dofadr[0] :][:7]
        dq = arm.dq.copy()
        world.step(1)
        assert applied == pytest.approx(-JointFriction.of_arm().torque(dq) * friction, abs=1e-9)
        lags.append(float(np.abs(arm.mechanism.tau_external).max()))
    assert lags[0] < 0.02 < lags[1]


def test_the_workspace_is_the_controllers() -> None:
    box = Workspace((0.2, -0.2, 0.2), (0.5, 0.2, 0.6))
    _, _, commanding = bench_world(ArmOptions(workspace=box))
    hand = commanding.hand(ARM)
    why = carried_out(commanding, hand, MovePose((0.6, 0.0, 0.3, *DOWN)))
    assert why, "it lies outside"


# ---------------------------------------------------------------- loops that end


@pytest.mark.parametrize("after_s", [0.0, 0.02])
def test_an_arm_whose_loop_ends_brakes_and_locks_and_a_new_loop_holds(after_s: float) -> None:
    world, arm, commanding = bench_world()
    hand = commanding.hand(ARM)
    hand.wish(MoveJoints((0.8, -0.4, 0.3, -1.9, -0.2, 2.0, 0.1), speed=1.0))
    commanding.run(0.4)
    fastest = float(np.abs(arm.dq).max())
    assert fastest > 0.3
    before = arm.q.copy()
    arm.cut(after_s=after_s)
    for _ in range(80):
        world.step(10)
        assert float(np.abs(arm.dq).max()) < 1.3 * fastest
    assert np.abs(arm.dq).max() < 1e-3
    assert np.abs(arm.q - before).max() < 0.2
    world.data.xfrc_applied[world.model.body("hand").id, 0] = 40.0
    locked = arm.q.copy()
    world.step(300)
    assert arm.q == pytest.approx(locked, abs=0.06)
    world.data.xfrc_applied[:] = 0.0
    arm.restart()
    stood = arm.q.copy()
    world.step(500)
    assert arm.q == pytest.approx(stood, abs=0.01)
    assert arm.mechanism.mode == "hold"


def test_a_torque_that_is_no_number_never_reaches_the_motors() -> None:
    world, arm, commanding = bench_world()
    commanding.run(0.05)
    arm.mechanism.tick = lambda *_: np.full(7, np.nan)  # type: ignore[method-assign]
    commanding.hand(ARM).wish(Sweep(-0.5, 1.5, 1.0))
    commanding.run(0.2)
    assert "no number" in commanding.hand(ARM).state.fault
    assert np.isfinite(world.data.ctrl).all()
    assert np.abs(arm.dq).max() < 1e-3


# ---------------------------------------------------------------- resting


def test_an_arm_at_rest_is_looked_after_less_often_and_at_once_when_something_happens() -> None:
    world, arm, commanding = bench_world()
    commanding.run(0.1)
    ticks = 0
    real = arm.mechanism.tick

    def counting(*state: object) -> np.ndarray:
        nonlocal ticks
        ticks += 1
        return real(*state)  # type: ignore[arg-type]

    arm.mechanism.tick = counting  # type: ignore[method-assign, assignment]
    world.step(100)
    assert ticks == 20
    assert arm.q == pytest.approx(bench.HOME_POSTURE, abs=1e-6)
    ticks = 0
    world.data.xfrc_applied[world.model.body("hand").id, 2] = -5.0
    world.step(1)
    assert ticks == 1
    world.step(99)
    assert ticks == 100
    world.data.xfrc_applied[:] = 0.0
    commanding.run(2.0)
    ticks = 0
    commanding.hand(ARM).wish(Sweep(-0.5, 1.5, 1.0))
    commanding.run(0.05)
    assert ticks == 50


@seeds("seed", 6)
def test_locked_brakes_stand_in_every_posture(seed: int) -> None:
    """Also where joints 1, 3 and 5 turn about nearly the same axis, and little inertia is between them."""
    world = World.inspection(seed)
    arm = world.arms["left_"]
    lots = np.random.default_rng(seed)
    limits = [link.limits for link in PANDA.links]
    for _ in range(10):
        near_line = lots.uniform(-0.5, 0.5, 7) + np.array([0.0, 0.3, 0.0, -0.7, 0.0, 2.4, 0.0])
        anywhere = np.array([lots.uniform(each.lower, each.upper) for each in limits])
        posture = anywhere if lots.random() < 0.5 else near_line
        arm.q[:] = np.clip(posture, [each.lower for each in limits], [each.upper for each in limits])
        arm.dq[:] = lots.uniform(-0.01, 0.01, 7)
        mujoco.mj_forward(world.model, world.data)
        arm.restart()
        arm.cut()
        world.step(800)
        if not world.data.ncon:  # what stands in something is pushed out of it
            assert np.abs(arm.dq).max() < 0.05, (posture, arm.dq)
