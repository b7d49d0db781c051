"""Going to a pose that was remembered: unknown, stopped, taken, a reflex in the middle, and there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import pilothouse as ph
from tests.actions.moving_robot import MovingRobot, at, on_moving_robot, until


def remember_dock(robot: MovingRobot, side: str = "left") -> None:
    robot.memory.keep(ph.RememberedPose("dock", side, at(0.6)))


def test_a_pose_that_nobody_knows_is_said_with_those_that_are_known(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        remember_dock(robot)
        outcome = await robot.runner("go_to_pose", name="garage").run()
        assert outcome.state is ph.RunState.FAILED
        assert "dock" in outcome.words

    on_moving_robot(tmp_path, play)


def test_a_reflex_in_the_middle_says_what_to_do(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        remember_dock(robot)
        robot.left.reflex("joint 4 is overloaded", at=0.5)
        outcome = await robot.runner("go_to_pose", name="dock").run()
        assert outcome.state is ph.RunState.FAILED
        assert 'say "recover the left arm"' in outcome.words
        robot.left.fault = ""

    on_moving_robot(tmp_path, play)


def test_stopped_in_the_middle_it_gives_everything_back(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        remember_dock(robot)
        async with robot.running("go_to_pose", name="dock"):
            await until(lambda: robot.left.progress > 0.3)
        await robot.has_come_to_rest()
        assert robot.left.q[0] < 0.6

    on_moving_robot(tmp_path, play)


def test_taken_in_the_middle_it_goes_on_with_the_same_arm(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        remember_dock(robot)
        runner = robot.runner("go_to_pose", name="Dock")
        life = asyncio.create_task(runner.run())
        await until(lambda: robot.left.progress > 0.3)
        async with robot.taken_by_operator(ph.Motion("left_arm")):
            await asyncio.sleep(1.0)
        outcome = await life
        assert outcome.state is ph.RunState.SUCCEEDED, outcome.words
        assert robot.left.q == pytest.approx(at(0.6))
        assert robot.right.is_at_rest

    on_moving_robot(tmp_path, play)
