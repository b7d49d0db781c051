"""Waiting, saying, repeating, listing: what makes a language out of instructions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import pilothouse as ph
from tests.actions.fake_robot import FakeRobot
from tests.actions.scene import on_robot


def now_s() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("duration_s", [-1.0, 86401.0, float("nan"), float("inf")])
def test_nobody_waits_for_a_time_that_is_none(tmp_path: Path, duration_s: float) -> None:
    async def play(robot: FakeRobot) -> None:
        with pytest.raises(ph.PlanError, match="duration_s"):
            robot.runner("wait", duration_s=duration_s)

    on_robot(tmp_path, play)


@pytest.mark.parametrize("duration_s", [0.0, 0.3, 10.0, 86400.0])
def test_it_waits_so_long_and_no_longer(tmp_path: Path, duration_s: float) -> None:
    async def play(robot: FakeRobot) -> None:
        began_s = now_s()
        outcome = await robot.runner("wait", duration_s=duration_s).run()
        assert outcome.state is ph.RunState.SUCCEEDED
        assert now_s() - began_s == pytest.approx(duration_s, abs=1e-3)
        assert len(robot.said) < 30  # a day's wait is no flood

    on_robot(tmp_path, play)


def test_time_does_not_count_while_a_wait_is_paused(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        runner = robot.runner("wait", duration_s=10.0)
        life = asyncio.create_task(runner.run())
        await asyncio.sleep(3.9)
        assert runner.fraction == pytest.approx(0.3)
        assert runner.detail == "waiting, 7 s left"
        runner.pause()
        await asyncio.sleep(100.0)
        assert runner.state is ph.RunState.PAUSED
        runner.resume()
        resumed_s = now_s()
        await life
        assert now_s() - resumed_s == pytest.approx(6.1, abs=1e-3)

    on_robot(tmp_path, play)


def test_a_wait_can_be_ended(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        runner = robot.runner("wait", duration_s=1000.0)
        life = asyncio.create_task(runner.run())
        await asyncio.sleep(1.0)
        runner.cancel("enough")
        assert (await life).state is ph.RunState.CANCELLED

    on_robot(tmp_path, play)


def test_what_is_to_be_said_is_an_answer_and_not_just_news(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        await robot.runner("say", text="  the work is done ").run()
        assert robot.answers == ["the work is done"]
        outcome = await robot.runner("say", text=" ").run()
        assert outcome.state is ph.RunState.FAILED and "no words" in outcome.words

    on_robot(tmp_path, play)


def test_repeat_asks_the_supervisor(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        assert (await robot.runner("repeat").run()).state is ph.RunState.SUCCEEDED
        assert (await robot.runner("repeat", times=3).run()).state is ph.RunState.SUCCEEDED
        assert robot.repeated == [(1, "repeat"), (3, "repeat")]
        assert "done again 3 times: show the camera" in robot.said
        outcome = await robot.runner("repeat", times=99).run()
        assert "there is nothing to repeat" in outcome.words
        for times in (0, 101):
            with pytest.raises(ph.PlanError, match="from 1 to 100"):
                robot.runner("repeat", times=times)

    on_robot(tmp_path, play)


def test_list_says_a_line_an_action_with_an_example(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        await robot.runner("list").run()
        await robot.runner("list", topic="hand").run()
        everything, about_the_hand = robot.answers
        assert everything.splitlines()[1:] == [
            '- Show what a sensor gives, for instance "show the camera"',
            '- Follow a thing, for instance "track the hand"',
        ]
        assert about_the_hand.splitlines() == [
            "This is what I can do with 'hand':",
            '- Follow a thing, for instance "track the hand"',
        ]
        outcome = await robot.runner("list", topic="dragons").run()
        assert "nothing I can do that has to do with 'dragons'" in outcome.words

    on_robot(tmp_path, play)
