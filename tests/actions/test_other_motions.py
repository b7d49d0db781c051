"""Grippers, the base, and coming back from a fault."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

import pilothouse as ph
from resources.types.motion import MoveBase, MoveGripper
from tests.actions.moving_robot import MovingRobot, on_moving_robot, until


def test_a_gripper_opens_all_the_way_or_as_told(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left_gripper.width_m = 0.0
        await robot.do("open_gripper", side="left", width_m=0.04)
        assert robot.left_gripper.width_m == pytest.approx(0.04)
        await robot.do("open_gripper", side="left")
        assert robot.left_gripper.width_m == pytest.approx(0.08)
        assert robot.said[-2] == "the left gripper is open, 8 cm wide"

    on_moving_robot(tmp_path, play)


def test_closing_says_whether_something_is_between_the_fingers(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("close_gripper", side="left")
        assert robot.said[-2] == "the left gripper is closed; there was nothing between its fingers"
        await robot.do("close_gripper", side="right", force_n=35.0)
        assert robot.said[-2] == "the right gripper holds something 4 cm wide"
        assert robot.right_gripper.commands == [MoveGripper(0.0, force_n=35.0)]

    on_moving_robot(tmp_path, play)


def test_grasping_nothing_is_a_failure(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("close_gripper", side="right", grasp=True)
        assert robot.said[-2] == "the right gripper holds something 4 cm wide"
        outcome = await robot.runner("close_gripper", side="left", grasp=True).run()
        assert outcome.state is ph.RunState.FAILED
        assert "there is nothing between the fingers" in outcome.words

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("action", "parameters", "words"),
    [
        ("open_gripper", {"width_m": 0.2}, "the left gripper opens to 8 cm at most, not to 20 cm"),
        ("close_gripper", {"force_n": 100.0}, "the left gripper presses with 70 N at most, not with 100 N"),
    ],
)
def test_what_a_gripper_cannot_do_is_said(
    tmp_path: Path, action: str, parameters: dict[str, Any], words: str
) -> None:
    async def play(robot: MovingRobot) -> None:
        outcome = await robot.runner(action, side="left", **parameters).run()
        assert words in outcome.words
        assert not robot.left_gripper.commands

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize("action", ["open_gripper", "close_gripper"])
def test_a_gripper_stopped_taken_or_broken_in_the_middle(tmp_path: Path, action: str) -> None:
    async def play(robot: MovingRobot) -> None:
        gripper = robot.left_gripper
        gripper.speed = 0.1
        gripper.width_m = 0.04
        async with robot.running(action, side="left") as runner:
            await until(lambda: runner.fraction > 0.25)
            async with robot.taken_by_operator(ph.Gripper("left")):
                here = gripper.width_m
                await asyncio.sleep(1.0)
                assert gripper.width_m == here
            await until(lambda: len(gripper.commands) == 2)
            runner.cancel("enough")
        await robot.has_come_to_rest()
        gripper.reflex("its motor is too hot", at=0.3)
        outcome = await robot.runner(action, side="left").run()
        assert "its motor is too hot" in outcome.words
        assert 'say "recover the left gripper"' in outcome.words

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("parameters", "there"),
    [
        ({"direction": "forward", "distance_m": 2.0}, (1.0, 4.0, math.pi / 2)),
        ({"direction": "back", "distance_m": 0.5}, (1.0, 1.5, math.pi / 2)),
        ({"direction": "left", "distance_m": 0.2}, (0.8, 2.0, math.pi / 2)),
        ({"direction": "right", "distance_m": 0.2}, (1.2, 2.0, math.pi / 2)),
        ({"direction": "turn_left"}, (1.0, 2.0, math.pi)),
        ({"direction": "turn_right", "angle_rad": math.pi}, (1.0, 2.0, -math.pi / 2)),
        ({"direction": "turn_left", "angle_rad": 2 * math.pi}, (1.0, 2.0, 2.5 * math.pi)),
    ],
)
def test_the_base_drives_as_it_stands(
    tmp_path: Path, parameters: dict[str, Any], there: tuple[float, float, float]
) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.base.odometry = (1.0, 2.0, math.pi / 2)
        await robot.do("drive", **parameters)
        assert robot.base.odometry == pytest.approx(there)

    on_moving_robot(tmp_path, play)


def test_driving_says_what_it_does(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("drive", direction="forward", distance_m=2.0)
        assert robot.said.count("driving 2 m forward") == 5
        assert robot.said[-2] == "the base has arrived after driving 2 m forward"
        await robot.do("drive", direction="turn_right")
        assert "turning 90° to the right" in robot.said
        (first, _) = robot.base.commands
        assert isinstance(first, MoveBase) and first.speed == 0.4

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("parameters", "bound"),
    [
        ({"direction": "forward", "distance_m": 20.0}, "I drive 20 m at most"),
        ({"direction": "turn_left", "angle_rad": 4 * math.pi}, "I turn 720° at most"),
        ({"direction": "turn_left", "distance_m": 20.0}, ""),
        ({"direction": "forward", "distance_m": 19.0, "angle_rad": 4 * math.pi}, ""),
    ],
)
def test_how_far_it_goes_at_most_is_said_when_it_starts(
    tmp_path: Path, parameters: dict[str, Any], bound: str
) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("drive", **parameters):
            await until(lambda: bool(robot.base.commands))
            said = [each for each in robot.said if "at most" in each]
            assert said == ([f'{bound}: say "stop" to end it before'] if bound else [])

    on_moving_robot(tmp_path, play)


def test_who_stands_in_the_way_is_named_and_waited_for(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("drive", direction="forward", distance_m=2.0) as runner:
            await until(lambda: robot.base.odometry[0] > 0.5)
            robot.base.obstacle = "the front lidar sees something 0.3 m ahead"
            await asyncio.sleep(3.0)
            assert "waiting for the way to be free: the front lidar sees something 0.3 m ahead" in robot.said
            robot.base.obstacle = ""
            await until(lambda: runner.state.is_over)
            assert "the way is free again" in robot.said
            assert runner.state is ph.RunState.SUCCEEDED
            assert robot.base.odometry[0] == pytest.approx(2.0)

    on_moving_robot(tmp_path, play)


def test_who_stays_in_the_way_ends_it_in_words(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("drive", direction="back") as runner:
            await until(lambda: robot.base.odometry[0] < -0.2)
            robot.base.obstacle = "the rear lidar sees something 0.2 m behind"
            await until(lambda: runner.state.is_over)
            assert "the way is blocked: the rear lidar sees something 0.2 m behind" in runner.detail
        await robot.has_come_to_rest()
        robot.base.obstacle = ""
        robot.base.block("the front lidar sees a wall", at=0.3)
        outcome = await robot.runner("drive", direction="forward").run()
        assert "the front lidar sees a wall" in outcome.words

    on_moving_robot(tmp_path, play)


def test_driving_stopped_taken_or_broken_in_the_middle(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("drive", direction="forward", distance_m=2.0) as runner:
            await until(lambda: robot.base.odometry[0] > 0.5)
            async with robot.taken_by_operator(ph.Base()):
                robot.base.odometry = (0.4, 0.3, 0.5)  # the operator has driven it elsewhere
                await asyncio.sleep(1.0)
                assert robot.base.odometry == (0.4, 0.3, 0.5)
            await until(lambda: runner.state.is_over)
            assert robot.base.odometry == pytest.approx((2.0, 0.0, 0.0))
        async with robot.running("drive", direction="forward") as runner:
            await until(lambda: robot.base.odometry[0] > 2.1)
            runner.cancel("enough")
        here = robot.base.odometry
        await asyncio.sleep(1.0)
        assert robot.base.odometry == here
        robot.base.reflex("its bumper was hit", at=0.5)
        outcome = await robot.runner("drive", direction="forward").run()
        assert "its bumper was hit" in outcome.words and 'say "recover the base"' in outcome.words

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    "parameters",
    [
        {"direction": "forward", "distance_m": 21.0},
        {"direction": "forward", "distance_m": -1.0},
        {"direction": "turn_left", "angle_rad": 20.0},
        {"direction": "up"},
        {},
    ],
)
def test_what_is_no_drive_is_refused(tmp_path: Path, parameters: dict[str, Any]) -> None:
    async def play(robot: MovingRobot) -> None:
        with pytest.raises(ph.PlanError, match="drive"):
            robot.runner("drive", **parameters)

    on_moving_robot(tmp_path, play)


async def answered(robot: MovingRobot, runner: ph.ActionRunner, answer: str) -> ph.Outcome:
    life = asyncio.create_task(runner.run())
    await until(lambda: runner.state is ph.RunState.ASKING)
    runner.answer(answer)
    return await life


def test_recovering_asks_first_and_moves_nothing(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.reflex("a collision at joint 2", at=0.5)
        await robot.runner("move", direction="up", side="left").run()
        here = robot.left.base_T_tool
        runner = robot.runner("recover")
        outcome = await answered(robot, runner, "carry on")
        assert outcome.state is ph.RunState.SUCCEEDED
        assert (
            "After the fault (a collision at joint 2), the left arm may be commanded again. Is the way clear?"
            in robot.said
        )
        assert robot.said[-2] == "the left arm has recovered; it moves when it is told to"
        await asyncio.sleep(1.0)
        assert robot.left.base_T_tool == here
        await robot.do("move", direction="up", side="left")

    on_moving_robot(tmp_path, play)


def test_without_a_yes_nothing_is_recovered(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.base.reflex("its bumper was hit", at=0.5)
        await robot.runner("drive", direction="forward").run()
        outcome = await answered(robot, robot.runner("recover", device="base"), "no")
        assert "the base stays as it is: that was not confirmed" in outcome.words
        assert robot.base.fault
        async with robot.running("recover", device="base") as runner:
            await until(lambda: runner.state is ph.RunState.ASKING)
            runner.cancel("stopped")
        assert robot.base.fault
        await answered(robot, robot.runner("recover", device="the Base"), "yes")
        assert not robot.base.fault

    on_moving_robot(tmp_path, play)


def test_what_is_neither_yes_nor_no_is_asked_again(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.base.reflex("its bumper was hit", at=0.5)
        await robot.runner("drive", direction="forward").run()
        runner = robot.runner("recover", device="base")
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is ph.RunState.ASKING)
        runner.answer("mvoe the arm up")
        await until(lambda: runner.state is ph.RunState.ASKING and "neither" in runner.detail)
        assert robot.base.fault
        runner.answer("it is clear")
        assert (await life).state is ph.RunState.SUCCEEDED
        assert not robot.base.fault

    on_moving_robot(tmp_path, play)


def test_what_is_well_needs_no_recovery(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("recover")
        assert robot.answers[-1] == "No arm has stopped with a fault; there is nothing to recover."
        await robot.do("recover", device="left arm")
        assert robot.answers[-1] == "The left arm has no fault; there is nothing to recover."
        outcome = await answered(robot, robot.runner("recover", device="third arm"), "yes")
        assert "nothing is called 'third_arm'; there is left_arm, right_arm" in outcome.words

    on_moving_robot(tmp_path, play)


def test_recovering_is_dangerous() -> None:
    from tests.actions.fake_robot import our_actions

    risks = {spec.name: spec.risk for spec in our_actions().available}
    assert risks["recover"] is ph.Risk.DANGEROUS
    for name in ("home", "move", "open_gripper", "close_gripper", "look_at", "hold_still", "drive"):
        assert risks[name] is ph.Risk.MOVES
    for name in ("hand_guide", "teach", "repeat_motion"):
        assert risks[name] is ph.Risk.MOVES


def test_a_late_scan_is_no_obstacle(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("drive", direction="forward", distance_m=2.0) as runner:
            await until(lambda: robot.base.odometry[0] > 0.2)
            robot.base.obstacle, robot.base.is_blind = "the scan of the front lidar is 0.4 s old", True
            await asyncio.sleep(2.0)
            assert "waiting to see where I drive: the scan of the front lidar is 0.4 s old" in robot.said
            robot.base.obstacle, robot.base.is_blind = "the front lidar sees something 0.3 m ahead", False
            await asyncio.sleep(2.0)
            assert "waiting for the way to be free: the front lidar sees something 0.3 m ahead" in robot.said
            robot.base.obstacle = ""
            await until(lambda: robot.base.odometry[0] > 1.0)
            assert "the way is free again" in robot.said
            robot.base.obstacle, robot.base.is_blind = "the scan of the front lidar is 0.4 s old", True
            await asyncio.sleep(1.0)
            robot.base.obstacle, robot.base.is_blind = "", False
            await asyncio.sleep(0.3)
            assert robot.said.count("the way is free again") == 1
            assert "I see again where I drive" in robot.said
            robot.base.obstacle, robot.base.is_blind = "the scan of the front lidar is 0.4 s old", True
            await until(lambda: runner.state.is_over)
            words = "I cannot see where I drive, though nothing is known to be in the way: the scan of"
            assert words in runner.detail

    on_moving_robot(tmp_path, play)
