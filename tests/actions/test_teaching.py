"""Guiding by hand, teaching, repeating, listing, forgetting."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

import pilothouse as ph
from resources.types.memory import RememberedPath, RememberedPlace, Waypoint
from resources.types.motion import Guide, Joints7, MoveJoints, TrackJoints
from tests.actions.fake_robot import at as place
from tests.actions.moving_robot import MovingRobot, at, on_moving_robot, until


def wave(passed_s: float) -> Joints7:
    """Still for a second, then to and fro for four, then still."""
    moved_s = min(max(passed_s - 1.0, 0.0), 4.0)
    return at(0.4 * math.sin(math.pi * moved_s / 2.0) ** 2)


async def taught(robot: MovingRobot, answer: str = "done", **parameters: Any) -> ph.Outcome:
    robot.left.q = at(0.0)
    robot.left.guided = wave
    runner = robot.runner("teach", **{"name": "wave", "side": "left", **parameters})
    life = asyncio.create_task(runner.run())
    await until(lambda: runner.state is ph.RunState.ASKING)
    await asyncio.sleep(6.0)
    runner.answer(answer)
    return await life


def test_hand_guiding_goes_on_until_it_is_stopped(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.guided = wave
        async with robot.running("hand_guide", side="left") as runner:
            await until(lambda: runner.state is ph.RunState.READY)
            assert runner.detail == 'the left arm can be guided by hand; say "stop" when you are done'
            await until(lambda: robot.left.q[0] > 0.3)
            async with robot.taken_by_operator(ph.Arm("left")):
                await asyncio.sleep(0.5)
                assert runner.state is not ph.RunState.READY
            await until(lambda: runner.state is ph.RunState.READY)
            assert [type(each) for each in robot.left.commands] == [Guide, Guide]
        await robot.has_come_to_rest()

    on_moving_robot(tmp_path, play)


def test_what_was_guided_is_kept_and_repeated(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        outcome = await taught(robot)
        assert outcome.value == "wave"
        (path,) = robot.memory.paths
        assert (path.name, path.side) == ("wave", "left")
        assert path.duration_s == pytest.approx(4.0, abs=0.3)  # without the stillness at both ends
        assert robot.answers[-1] == f"I remember the motion 'wave', {path.duration_s:.1f} s long."
        assert len(path.waypoints) < 60

        robot.left.q = at(1.2)
        robot.left.fastest = 0.0
        outcome = await robot.do("repeat_motion", name="wave")
        assert outcome.value == "wave"
        assert robot.left.q == pytest.approx(path.waypoints[-1].joints, abs=0.005)
        assert robot.left.fastest <= 1.01 * max(robot.left.max_speed)
        tracked = [each.joints[0] for each in robot.left.commands if isinstance(each, TrackJoints)]
        assert max(tracked) == pytest.approx(0.4, abs=0.005)
        assert "the left arm goes to where 'wave' begins" in robot.said
        assert "repeating 'wave'" in robot.said
        assert robot.said[-2].startswith("the left arm has repeated 'wave': 0.0° from where it ended")

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize("answer", ["done", "that's it", "carry on"])
def test_any_answer_but_no_ends_the_lesson(tmp_path: Path, answer: str) -> None:
    async def play(robot: MovingRobot) -> None:
        await taught(robot, answer)
        assert [path.name for path in robot.memory.paths] == ["wave"]

    on_moving_robot(tmp_path, play)


def test_no_keeps_nothing(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        outcome = await taught(robot, "no")
        assert "the motion 'wave' is not kept" in outcome.words
        assert not robot.memory.paths

    on_moving_robot(tmp_path, play)


def test_stop_keeps_what_was_recorded(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.guided = wave
        async with robot.running("teach", name="wave", side="left") as runner:
            await asyncio.sleep(3.0)
            runner.cancel("stopped by the operator")
        await robot.has_come_to_rest()
        (path,) = robot.memory.paths
        assert path.duration_s == pytest.approx(2.0, abs=0.3)
        assert robot.answers[-1].startswith("I remember the motion 'wave'")

    on_moving_robot(tmp_path, play)


def test_an_arm_that_is_taken_or_fails_leaves_no_half_motion(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.guided = wave
        async with robot.running("teach", name="wave", side="left") as runner:
            await asyncio.sleep(3.0)
            async with robot.taken_by_operator(ph.Arm("left")):
                await until(lambda: runner.state.is_over)
            assert "teach gives up" in runner.detail
        async with robot.running("teach", name="wave", side="left") as runner:
            await asyncio.sleep(3.0)
            robot.left.reflex("the arm was pushed too fast")
            await until(lambda: runner.state.is_over)
            assert "the arm was pushed too fast" in runner.detail
            assert 'say "recover the left arm"' in runner.detail
        assert not robot.memory.paths
        await robot.has_come_to_rest()

    on_moving_robot(tmp_path, play)


def test_an_arm_that_nobody_moved_was_taught_nothing(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        runner = robot.runner("teach", name="wave", side="left")
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is ph.RunState.ASKING)
        await asyncio.sleep(3.0)
        runner.answer("done")
        assert "the arm was not moved" in (await life).words

    on_moving_robot(tmp_path, play)


def test_stop_before_anything_was_moved_is_no_mistake(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("teach", name="bow", side="left") as runner:
            await asyncio.sleep(3.0)
            runner.cancel("stopped by the operator")
            await until(lambda: runner.state.is_over)
            assert runner.state is ph.RunState.CANCELLED
        assert robot.answers[-1] == (
            "The motion 'bow' is not kept: the arm was not moved, so there is no motion to remember."
        )
        assert not any("clean-up" in said for said in robot.said)
        assert not caplog.records
        await robot.has_come_to_rest()

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("table", "something else is called 'table' already"),
        ("dock", "a place is called 'dock' already"),
        ("it", "'it' means something already"),
        ("motion", "'motion' means something already"),
        ("42", "is no name to remember"),
    ],
)
def test_a_name_that_will_not_do_is_refused_before_the_lesson(tmp_path: Path, name: str, words: str) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.memory.keep(RememberedPlace("dock", place(0.0, 0.0)))
        outcome = await robot.runner("teach", name=name, side="left").run()
        assert words in outcome.words
        assert not robot.left.commands

    on_moving_robot(tmp_path, play)


def test_a_lesson_has_an_end(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.guided = lambda passed_s: at(0.3 * math.sin(passed_s))
        await robot.do("teach", name="wave", side="left")
        assert "a motion can be 60 s long: that is all I record" in robot.said
        assert "30 s of 'wave' recorded" in robot.said
        assert robot.memory.paths[0].duration_s == pytest.approx(60.0, abs=0.2)

    on_moving_robot(tmp_path, play)


def test_who_teaches_a_name_again_replaces_the_motion(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.remember_wave()
        await taught(robot)
        assert "the motion that was called so before is forgotten" in robot.answers[-1]
        assert len(robot.memory.paths) == 1

    on_moving_robot(tmp_path, play)


def test_repeating_goes_to_the_beginning_slowly_and_only_if_it_is_not_there(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        path = robot.remember_wave()
        robot.left.q = path.waypoints[0].joints
        await robot.do("repeat_motion", name="the wave", times=2)
        assert all(isinstance(each, TrackJoints) for each in robot.left.commands)
        assert "repeating 'wave', 2 of 2" in robot.said
        robot.left.q = at(-0.5)
        robot.left.commands.clear()
        await robot.do("repeat_motion", name="wave")
        there = robot.left.commands[0]
        assert isinstance(there, MoveJoints) and there.speed <= 0.2

    on_moving_robot(tmp_path, play)


def test_a_fast_motion_is_slowed_down_to_what_the_arm_may(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.memory.keep(
            RememberedPath(
                "throw",
                "left",
                tuple(
                    Waypoint(time_s, at(value))
                    for time_s, value in ((0.0, 0.0), (0.1, 0.5), (0.3, 1.5), (0.4, 1.6))
                ),
            )
        )
        began_s = asyncio.get_running_loop().time()
        await robot.do("repeat_motion", name="throw")
        assert asyncio.get_running_loop().time() - began_s > 1.5
        assert robot.left.fastest <= 1.01 * max(robot.left.max_speed)
        assert any("times longer than asked: the left arm may be no faster" in text for text in robot.said)

    on_moving_robot(tmp_path, play)


def test_half_speed_takes_twice_as_long(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        path = robot.remember_wave()
        took = []
        for fraction in (1.0, 0.5):
            robot.left.q = path.waypoints[0].joints
            began_s = asyncio.get_running_loop().time()
            await robot.do("repeat_motion", name="wave", speed_fraction=fraction)
            took.append(asyncio.get_running_loop().time() - began_s)
        assert took[1] - took[0] == pytest.approx(2.0, abs=0.15)

    on_moving_robot(tmp_path, play)


def test_another_arm_repeats_it_if_it_is_told_to(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        path = robot.remember_wave()
        await robot.do("repeat_motion", name="wave", side="right")
        assert robot.right.q == pytest.approx(path.waypoints[-1].joints, abs=0.005)
        assert not robot.left.commands

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize("taken", [ph.Arm("left"), ph.Motion("left_arm")])
def test_an_interrupted_repetition_goes_on_where_it_was_left(tmp_path: Path, taken: Any) -> None:
    async def play(robot: MovingRobot) -> None:
        path = robot.remember_wave()
        async with robot.running("repeat_motion", name="wave", times=2) as runner:
            await until(lambda: "repeating 'wave', 2 of 2" in robot.said)
            await until(lambda: robot.left.q[0] > 0.45)
            async with robot.taken_by_operator(taken):
                before = len(robot.left.commands)
                robot.left.q = at(-1.0)  # the operator moves it away
                await asyncio.sleep(2.0)
                assert robot.left.q == at(-1.0)
            await until(lambda: runner.state.is_over)
            assert runner.state is ph.RunState.SUCCEEDED
        back, *rest = robot.left.commands[before:]
        # It goes on from the measured state to the place on the way where it was, not by time.
        assert isinstance(back, MoveJoints) and back.joints[0] > 0.44
        tracked = [each.joints[0] for each in rest if isinstance(each, TrackJoints)]
        assert abs(tracked[0] - back.joints[0]) < 0.01 and max(tracked) <= 0.51
        assert robot.left.q == pytest.approx(path.waypoints[-1].joints, abs=0.005)
        assert robot.said.count("repeating 'wave', 1 of 2") == 5

    on_moving_robot(tmp_path, play)


def test_repeating_stopped_or_broken_in_the_middle(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.remember_wave()
        async with robot.running("repeat_motion", name="wave") as runner:
            await until(lambda: robot.left.q[0] > 0.4)
            runner.cancel("enough")
        await robot.has_come_to_rest()
        here = robot.left.q
        await asyncio.sleep(1.0)
        assert robot.left.q == here
        async with robot.running("repeat_motion", name="wave") as runner:
            await until(lambda: robot.left.q[0] > 0.45)
            robot.left.reflex("a collision at joint 2")
            await until(lambda: runner.state.is_over)
        assert "a collision at joint 2" in runner.detail and 'say "recover the left arm"' in runner.detail
        await robot.has_come_to_rest()

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize("what", ["refused", "stuck", "late"])
def test_targets_that_are_not_followed_end_it_in_words(tmp_path: Path, what: str) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.remember_wave()
        async with robot.running("repeat_motion", name="wave") as runner:
            await until(lambda: robot.left.q[0] > 0.4)
            if what == "refused":
                robot.left.refusal = "left_arm: the target jumped by 0.4 m"
            else:
                robot.left.q = at(0.1) if what == "stuck" else robot.left.q
                robot.left._stand = lambda q: None  # type: ignore[method-assign]
            await until(lambda: runner.state.is_over)
        words = {
            "refused": "the target jumped by 0.4 m",
            "stuck": "something holds it back",
            "late": "ended 6° away from where 'wave' ended when it was taught",
        }
        assert words[what] in runner.detail

    on_moving_robot(tmp_path, play)


def test_what_cannot_be_repeated_is_said(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        outcome = await robot.runner("repeat_motion", name="wave").run()
        assert "I know no 'wave'; what I was taught is nothing just now" in outcome.words
        robot.remember_wave()
        outcome = await robot.runner("repeat_motion", name="wafe").run()
        assert "I know no 'wafe'; do you mean wave?" in outcome.words
        robot.left.upper = (0.45, *robot.left.upper[1:])
        outcome = await robot.runner("repeat_motion", name="wave").run()
        assert "joint 1 would be at 29° after 1.0 s; it goes from -166° to 26°" in outcome.words
        for parameters in ({"times": 0}, {"speed_fraction": 2.0}, {"speed_fraction": 0.0}):
            with pytest.raises(ph.PlanError):
                robot.runner("repeat_motion", name="wave", **parameters)

    on_moving_robot(tmp_path, play)


def test_motions_are_listed_and_forgotten(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("list", kind="motions")
        assert robot.answers[-1].startswith("I was taught no motion yet")
        robot.remember_wave()
        robot.remember_wave(name="pour", side="")
        await robot.do("list", kind="motions")
        assert robot.answers[-1] == "I was taught 'pour' (the arm, 2.0 s) and 'wave' (the left arm, 2.0 s)."
        await robot.do("forget", name="wave")
        assert [path.name for path in robot.memory.paths] == ["pour"]

    on_moving_robot(tmp_path, play)
