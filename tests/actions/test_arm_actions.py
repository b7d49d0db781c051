"""Arms that go home, move a little, look at things, hold still: as asked, interrupted, and gone wrong."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

import pilothouse as ph
from resources.types.arms import Arm, Motion
from resources.types.context import Known, KnownThing, Surroundings, ThingKind
from resources.types.motion import Hold, MoveJoints, MovePose
from resources.types.poses import about, chained, conjugate, product, rotation_of, turned, unit
from tests.actions.fake_robot import RED_CUP, ROBOT
from tests.actions.fake_robot import at as place
from tests.actions.moving_robot import LEFT, MovingRobot, at, on_moving_robot, until
from tests.actions.scene import hand_at

READY = (0.4, 0.0, 0.4)


def position(robot: MovingRobot, side: str = "left") -> tuple[float, ...]:
    arm = robot.left if side == "left" else robot.right
    return tuple(round(value, 6) for value in arm.base_T_tool[:3])


def test_home_is_where_the_arm_s_description_says(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.right.q = at(0.5)
        await robot.do("home", side="right")
        assert robot.right.q == robot.right.home
        assert "moving the right arm to its home posture" in robot.said
        assert robot.said[-2] == "the right arm is at home"

    on_moving_robot(tmp_path, play)


def test_of_two_arms_one_goes_home_and_the_other_is_named(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.q = robot.right.q = at(0.5)
        await robot.do("home")
        assert (robot.left.q, robot.right.q) == (robot.left.home, at(0.5)), "what nobody named does not move"
        assert "moving the left arm to its home posture" in robot.said
        words = 'the right arm stays where it is: say "move the right arm home" if it is to go there, too'
        assert robot.said[-3:-1] == ["the left arm is at home", words]
        for parameters in ({"side": "left"}, {"side": "right"}, {}):
            await robot.do("home", **parameters)
            assert robot.said.count(words) == 1, "an arm that is at home, or was chosen, needs no word"

    on_moving_robot(tmp_path, play)


def test_an_only_arm_goes_home_without_a_word_of_another(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        del robot.movers._loops["right_arm"]
        await robot.do("home")
        assert not any("right arm" in each for each in robot.said)

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("side", "direction", "moved"),
    [
        ("left", "up", (0.0, 0.0, 0.05)),
        ("left", "down", (0.0, 0.0, -0.05)),
        ("left", "forward", (0.05, 0.0, 0.0)),
        ("left", "back", (-0.05, 0.0, 0.0)),
        ("left", "left", (0.0, 0.05, 0.0)),
        ("left", "right", (0.0, -0.05, 0.0)),
        # the tool points down
        ("left", "out", (0.0, 0.0, -0.05)),
        ("left", "in", (0.0, 0.0, 0.05)),
        # this arm looks to the robot's right: what is forward for the robot is to its own left
        ("right", "up", (0.0, 0.0, 0.05)),
        ("right", "forward", (0.0, 0.05, 0.0)),
        ("right", "right", (0.05, 0.0, 0.0)),
    ],
)
def test_directions_are_the_robot_s(
    tmp_path: Path, side: str, direction: str, moved: tuple[float, float, float]
) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("move", direction=direction, distance_m=0.05, side=side)
        wanted = tuple(round(a + b, 6) for a, b in zip(READY, moved, strict=True))
        assert position(robot, side) == pytest.approx(wanted, abs=1e-6)

    on_moving_robot(tmp_path, play)


def test_it_says_what_it_does_and_how_far_it_is(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        runner = robot.runner("move", direction="left", distance_m=0.125, side="left")
        await runner.run()
        assert robot.said.count("moving the left arm 12.5 cm to the left") == 5  # at every quarter
        assert robot.said[-2] == "the left arm has moved 12.5 cm to the left"
        assert runner.fraction == 1.0

    on_moving_robot(tmp_path, play)


def test_without_a_side_an_arm_that_is_free_moves(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("hold_still", side="left"):
            await asyncio.sleep(0.5)
            await robot.do("move", direction="up")
        assert (position(robot, "left"), position(robot, "right")) == (READY, (0.4, 0.0, 0.45))

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("direction", "angle_rad", "last"),
    [("clockwise", math.pi / 2, 0.8 + math.pi / 2), ("counterclockwise", 0.5, 0.3)],
)
def test_the_wrist_turns(tmp_path: Path, direction: str, angle_rad: float, last: float) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("move", direction=direction, angle_rad=angle_rad, side="left")
        assert robot.left.q[:6] == robot.left.home[:6]
        assert robot.left.q[6] == pytest.approx(last)
        assert f"turning the wrist of the left arm {math.degrees(angle_rad):.3g}° {direction}" in robot.said

    on_moving_robot(tmp_path, play)


def test_a_wrist_that_is_at_its_limit_says_how_far_it_could_turn(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        outcome = await robot.runner("move", direction="clockwise", angle_rad=math.pi, side="left").run()
        assert "cannot turn 180° that way: 120° are left clockwise, 211° counterclockwise" in outcome.words
        assert not robot.left.commands

    on_moving_robot(tmp_path, play)


def test_what_leaves_the_workspace_is_refused_in_words(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        outcome = await robot.runner("move", direction="up", distance_m=0.8, side="left").run()
        assert outcome.state is ph.RunState.FAILED
        assert "the left arm: z of the workspace is 1.2; allowed is 0 to 1" in outcome.words
        assert position(robot) == READY

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"direction": "up", "distance_m": 5000.0}, "distance_m = 5000.0 will not do, it is too large"),
        ({"direction": "up", "distance_m": -0.05}, "distance_m = -0.05 will not do, it is too small"),
        ({"direction": "up", "distance_m": 0.0}, "too small"),
        ({"direction": "up", "distance_m": float("nan")}, "it is not finite"),
        ({"direction": "sideways"}, "allowed is one of 'up', 'down'"),
        ({"direction": "up", "side": "third"}, "allowed is one of '', 'left', 'right'"),
        ({}, "move needs direction"),
        ({"direction": "clockwise", "angle_rad": 7.0}, "angle_rad = 7.0 will not do"),
    ],
)
def test_what_is_no_motion_is_refused_before_anything_moves(
    tmp_path: Path, parameters: dict[str, Any], words: str
) -> None:
    async def play(robot: MovingRobot) -> None:
        with pytest.raises(ph.PlanError, match=words):
            robot.runner("move", **parameters)

    on_moving_robot(tmp_path, play)


MOVING: list[tuple[str, dict[str, Any]]] = [
    ("home", {"side": "left"}),
    ("move", {"direction": "up", "distance_m": 0.3, "side": "left"}),
    ("move", {"direction": "clockwise", "side": "left"}),
    ("look_at", {"thing": "red cup", "side": "left"}),
    ("hold_still", {"side": "left"}),
    ("hand_guide", {"side": "left"}),
]


@pytest.mark.parametrize(("action", "parameters"), MOVING)
def test_stopped_in_the_middle_it_rests_at_once_and_gives_everything_back(
    tmp_path: Path, action: str, parameters: dict[str, Any]
) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.q = at(1.0)
        robot.left.speed = 0.1
        async with robot.running(action, **parameters) as runner:
            await until(lambda: not robot.left.is_at_rest or action == "hold_still")
            await asyncio.sleep(0.5)
            here = (*robot.left.q, *robot.left.base_T_tool)
            runner.cancel("enough")
            await until(lambda: runner.state.is_over)
        assert runner.state is ph.RunState.CANCELLED
        await robot.has_come_to_rest()
        assert (*robot.left.q, *robot.left.base_T_tool) == pytest.approx(here, abs=0.02)
        await robot.has_come_to_rest()

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(("action", "parameters"), MOVING)
def test_a_reflex_in_the_middle_fails_it_with_words_that_say_what_to_say(
    tmp_path: Path, action: str, parameters: dict[str, Any]
) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.q = at(1.0)
        robot.left.speed = 0.1
        async with robot.running(action, **parameters) as runner:
            await until(lambda: bool(robot.left.commands))
            await asyncio.sleep(0.3)
            robot.left.reflex("the torque rate was exceeded at joint 4")
            await until(lambda: runner.state.is_over)
        assert runner.state is ph.RunState.FAILED
        assert "the torque rate was exceeded at joint 4" in runner.detail
        assert 'say "recover the left arm"' in runner.detail
        await robot.has_come_to_rest()

    on_moving_robot(tmp_path, play)


def test_after_a_reflex_no_other_arm_goes_on_with_it(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.reflex("a collision", at=0.5)
        outcome = await robot.runner("move", direction="up").run()
        assert outcome.state is ph.RunState.FAILED
        assert "this was begun with the left arm" in outcome.words
        assert position(robot, "right") == READY

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize("taken", [Arm("left"), Motion("left_arm")])
def test_who_was_interrupted_goes_on_from_where_the_arm_is_to_where_it_was_to_end(
    tmp_path: Path, taken: Any
) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.speed = 0.2
        async with robot.running("move", direction="up", distance_m=0.2, side="left") as runner:
            await until(lambda: robot.left.base_T_tool[2] > 0.45)
            async with robot.taken_by_operator(taken):
                # The operator moves it elsewhere.
                robot.left.base_T_tool = (0.5, 0.1, *robot.left.base_T_tool[2:])
                await asyncio.sleep(3.0)
                assert position(robot)[:2] == (0.5, 0.1)
                assert runner.detail.endswith("in the queue for the left arm")
            await until(lambda: runner.state.is_over)
        assert runner.state is ph.RunState.SUCCEEDED
        first, second = robot.left.commands
        assert isinstance(first, MovePose) and isinstance(second, MovePose)
        assert first.base_T_tool == second.base_T_tool
        assert position(robot) == pytest.approx((0.4, 0.0, 0.6))

    on_moving_robot(tmp_path, play)


def test_a_pause_gives_the_arm_back_and_counts_from_the_first_posture(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.speed = 0.1
        async with robot.running("move", direction="clockwise", side="left") as runner:
            await until(lambda: robot.left.q[6] > 1.2)
            runner.pause()
            await until(lambda: runner.state is ph.RunState.PAUSED)
            await until(lambda: robot.is_idle)
            runner.resume()
            await until(lambda: runner.state.is_over)
        assert robot.left.q[6] == pytest.approx(0.8 + math.pi / 2)

    on_moving_robot(tmp_path, play)


def test_an_emergency_stop_ends_it_in_words(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        robot.left.speed = 0.1
        async with robot.running("home", side="left") as runner:
            robot.left.q = at(1.0)
            await asyncio.sleep(0.5)
            robot.movers.emergency_stop("somebody stepped in")
            await until(lambda: runner.state.is_over)
            assert "emergency stop: somebody stepped in" in runner.detail
            robot.movers.lift_emergency_stop()

    on_moving_robot(tmp_path, play)


def test_hold_still_holds_and_keeps_others_from_it(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        async with robot.running("hold_still", side="left") as runner:
            await until(lambda: runner.state is ph.RunState.READY)
            assert runner.detail == "holding the left arm still"
            other = robot.runner("home", side="left")
            waiting = asyncio.create_task(other.run())
            await asyncio.sleep(1.0)
            assert other.state is ph.RunState.WAITING
            other.cancel()
            await waiting
            assert isinstance(robot.left.commands[0], Hold)

    on_moving_robot(tmp_path, play)


def test_look_at_turns_the_tool_towards_the_thing_and_keeps_its_place(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        outcome = await robot.do("look_at", thing="the red cup", side="left")
        assert outcome.value == "red cup"
        assert position(robot) == READY
        world_T_tool = chained(LEFT, robot.left.base_T_tool)
        axis = turned(rotation_of(world_T_tool), (0.0, 0.0, 1.0))
        cup = RED_CUP.world_T_thing
        assert cup is not None
        away = tuple(a - b for a, b in zip(cup[:3], world_T_tool[:3], strict=True))
        assert axis == pytest.approx(tuple(value / math.hypot(*away) for value in away), abs=1e-6)
        assert (
            robot.said[-2]
            == f"the wrist of the left arm looks at the red cup, {math.hypot(*away):.3g} m away"
        )

    on_moving_robot(tmp_path, play)


def test_look_at_counts_from_where_the_robot_stands(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        # The robot is 1 m high, and stands turned to the left at x = 2 m: its middle is half a metre high.
        turn = math.sqrt(0.5)
        stands = KnownThing(
            "inspector", ThingKind.ROBOT, (2.0, 0.0, 0.5, 0.0, 0.0, turn, turn), size_m=(0.5, 0.5, 1.0)
        )
        thing = KnownThing("ball", ThingKind.OBJECT, place(2.0, 3.0, 0.9))
        robot.known.update(Known, Surroundings((stands, thing)))
        await robot.do("look_at", thing="ball", side="left")
        # In the robot's frame the ball is 3 m ahead, 0.9 m high; the tool is at (0.6, 0.3, 0.9).
        axis = turned(rotation_of(robot.left.base_T_tool), (0.0, 0.0, 1.0))
        assert axis == pytest.approx((2.4 / math.hypot(2.4, 0.3), -0.3 / math.hypot(2.4, 0.3), 0.0), abs=1e-6)

    on_moving_robot(tmp_path, play)


def test_look_at_looks_for_what_moves(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        async with hand_at(tmp_path, place(3.0, 0.0, 1.0)):
            await robot.do("look_at", thing="hand", side="left")
        assert "looking for the hand" in robot.said
        async with hand_at(tmp_path, None):
            outcome = await robot.runner("look_at", thing="hand", side="left").run()
        assert "I do not see the hand now" in outcome.words

    on_moving_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ("teapot", "I know no 'teapot'"),
        ("carton", "2 things are called 'carton'; say which of them"),
        ("front camera", "I do not know where the front camera is"),
        ("point", "that is where the tool is"),
    ],
)
def test_what_cannot_be_looked_at_is_said(tmp_path: Path, thing: str, words: str) -> None:
    async def play(robot: MovingRobot) -> None:
        point = KnownThing("point", ThingKind.OBJECT, place(0.6, 0.3, 0.9))
        things = (ROBOT, point)
        if thing == "point":
            robot.known.update(Known, Surroundings(things))
        outcome = await robot.runner("look_at", thing=thing, side="left").run()
        assert words in outcome.words
        assert not robot.left.commands

    on_moving_robot(tmp_path, play)


def test_an_arm_that_is_not_there_is_named(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        del robot.movers._loops["right_arm"]
        outcome = await robot.runner("home", side="right").run()
        assert "there is no right arm; there is left arm" in outcome.words
        assert [type(each) for each in robot.left.commands] in ([], [MoveJoints])

    on_moving_robot(tmp_path, play)


def test_clockwise_is_as_seen_along_the_tool(tmp_path: Path) -> None:
    async def play(robot: MovingRobot) -> None:
        await robot.do("home", side="left")
        robot.left._stand(at(0.1))  # so that the tool is where its joints say
        before = robot.left.base_T_tool
        await robot.do("move", direction="clockwise", angle_rad=0.5, side="left")
        turn = product(conjugate(rotation_of(before)), rotation_of(robot.left.base_T_tool))
        # About the tool's own axis, right-handed: who looks along the axis sees it turn clockwise.
        assert unit(turn) == pytest.approx(about((0.0, 0.0, 1.0), 0.5), abs=1e-9)
        assert robot.left.base_T_tool[:3] == pytest.approx(before[:3], abs=1e-9)

    on_moving_robot(tmp_path, play)
