"""What the robot says about what it sees and knows."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

import pilothouse as ph
from actions.describe import words
from resources.types.context import Known, KnownThing, Surroundings, ThingKind
from tests.actions.fake_robot import THINGS, FakeRobot, at
from tests.actions.scene import hand_at, on_robot

EYE: ph.Pose7 = (0.4, 0.0, 1.4, -0.5, 0.5, -0.5, 0.5)  # a camera's frame that looks along x: z is ahead


@pytest.mark.parametrize(
    ("thing", "answer"),
    [
        ("red cup", "The red cup is on the table, 2.1 m away, slightly left."),
        ("The Red Cup", "The red cup is on the table, 2.1 m away, slightly left."),
        ("door", "The door is closed. It is 4.2 m away, slightly left."),
        ("table", "The table is 2.0 m in front of me. On it I know the red cup."),
        ("front_camera", "The front camera is one of my sensors. It is in use."),
        ("robot", "I am inspector. I stand at x 0.00 m, y 0.00 m. My sensors are the front camera."),
    ],
)
def test_where_a_known_thing_is_and_how(tmp_path: Path, thing: str, answer: str) -> None:
    async def play(robot: FakeRobot) -> None:
        await robot.runner("describe", thing=thing).run()
        assert robot.answers == [answer]

    on_robot(tmp_path, play)


def test_what_is_described_is_what_it_means_next(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        assert (await robot.runner("describe", thing="the red cup").run()).value == "red cup"
        assert (await robot.runner("describe", thing="carton").run()).value is None

    on_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("said", "words_"),
    [
        ("teapot", "I know no 'teapot'; what I know is inspector, front camera, table, door"),
        ("red cub", "do you mean red cup?"),
        ("tabel", "do you mean table?"),
        ("cup", "do you mean red cup?"),
    ],
)
def test_an_unknown_thing_is_refused_with_what_could_be_meant(tmp_path: Path, said: str, words_: str) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("describe", thing=said).run()
        assert outcome.state is ph.RunState.FAILED
        assert words_ in outcome.words

    on_robot(tmp_path, play)


def test_things_that_are_called_the_same_are_all_described(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        await robot.runner("describe", thing="carton").run()
        assert robot.answers == [
            "There are 2 things called carton:\n"
            "- 2.2 m away, behind me on the left\n- 2.8 m away, behind me on the left"
        ]

    on_robot(tmp_path, play)


def test_what_can_be_followed_is_looked_for(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        async with hand_at(tmp_path, at(1.4, 0.0, 1.4), EYE):
            await robot.runner("describe", thing="hand").run()
            await robot.runner("describe").run()
        assert robot.answers[0] == "I see the hand, 1.0 m in front of me."
        assert robot.answers[1] == (
            "I see the hand, 1.0 m in front of me. I know the table, the door, which is closed, the red cup "
            "and 2 things called carton."
        )

    on_robot(tmp_path, play)


def test_what_is_not_there_is_not_seen(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        async with hand_at(tmp_path, None):
            await robot.runner("describe", thing="hand").run()
            await robot.runner("describe").run()
        assert robot.answers[0] == "I do not see the hand now."
        assert robot.answers[1].startswith("I see nothing now that I could follow. I know the table")

    on_robot(tmp_path, play)


def test_without_a_camera_it_says_why_and_what_it_knows(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        robot.unplug("front_camera")
        await robot.runner("describe", thing="hand").run()
        await robot.runner("describe").run()
        assert "I cannot look for the hand now: front_camera is unplugged" in robot.answers[0]
        assert robot.answers[1].startswith("I cannot look now: front_camera is unplugged. I know the table")

    on_robot(tmp_path, play)


def test_a_camera_that_gives_nothing_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        with ph.RingWriter(tmp_path, "hand", slot_bytes=1024):
            began_s = asyncio.get_running_loop().time()
            await robot.runner("describe", thing="hand").run()
            assert asyncio.get_running_loop().time() - began_s < 15.0
        assert robot.answers == ["I cannot look for the hand now: no picture came in time."]

    on_robot(tmp_path, play)


def test_a_robot_that_does_not_know_where_it_is_still_says_what_it_knows(tmp_path: Path) -> None:
    lost = KnownThing("inspector", ThingKind.ROBOT)

    async def play(robot: FakeRobot) -> None:
        robot.known.update(Known, Surroundings((lost, *THINGS[1:])))
        await robot.runner("describe", thing="red cup").run()
        await robot.runner("describe", thing="carton 1").run()
        async with hand_at(tmp_path, at(1.4, 0.0, 1.4), EYE):
            await robot.runner("describe", thing="hand").run()
        async with hand_at(tmp_path, at(1.4, 0.0, 1.4)):
            await robot.runner("describe", thing="hand").run()
        assert robot.answers == [
            "The red cup is on the table.",
            "I know the carton, but not where it is.",
            "I see the hand, 1.0 m in front of me.",
            "I see the hand.",
        ]

    on_robot(tmp_path, play)


def test_nothing_known_is_said_as_well() -> None:
    assert words.everything((), (), ()) == (
        "I see nothing now that I could follow. I know of nothing around me."
    )


@pytest.mark.parametrize(
    ("degrees", "direction"),
    [
        (0, "2.0 m in front of me"),
        (20, "2.0 m away, slightly left"),
        (-45, "2.0 m away, ahead on the right"),
        (90, "2.0 m away, on my left"),
        (-130, "2.0 m away, behind me on the right"),
        (180, "2.0 m behind me"),
    ],
)
def test_directions_are_those_of_the_robot_whichever_way_it_stands(degrees: float, direction: str) -> None:
    heading = math.radians(70.0)
    robot = KnownThing(
        "r", ThingKind.ROBOT, (1.0, 2.0, 0.0, 0.0, 0.0, math.sin(heading / 2), math.cos(heading / 2))
    )
    angle = heading + math.radians(degrees)
    drum = KnownThing(
        "drum", ThingKind.FIXTURE, at(1.0 + 2 * math.cos(angle), 2.0 + 2 * math.sin(angle), 0.4)
    )
    assert words.one(drum, (robot, drum)) == f"The drum is {direction}."


@pytest.mark.parametrize(
    ("part", "answer"),
    [
        (
            KnownThing("left arm", ThingKind.ROBOT, part_of="r", robot_T_thing=at(0.5, 0.2, 0.9)),
            "The tool of the left arm is 54 cm away, slightly left, at a height of 90 cm.",
        ),
        (
            KnownThing(
                "gripper",
                ThingKind.ROBOT,
                at(9.0, 9.0, 9.0),
                part_of="r",
                states=("open", "closed"),
                state="holding something",
                robot_T_thing=at(0.5, 0.0, 1.25),
            ),
            "The gripper is holding something. It is 50 cm in front of me, at a height of 1.2 m.",
        ),
        (KnownThing("arm", ThingKind.ROBOT, part_of="r"), "I know the arm, but not where it is."),
    ],
)
def test_where_its_own_arm_is_and_whether_its_gripper_is_open(part: KnownThing, answer: str) -> None:
    assert words.one(part, (*THINGS, part)) == answer


@pytest.mark.parametrize("asked", ["how_many", "colour", "size", "on", "beside", "state", "else"])
@pytest.mark.parametrize("thing", ["", "unicorn"])
def test_no_answer_leaves_out_what_it_is_about(tmp_path: Path, asked: str, thing: str) -> None:
    async def play(robot: FakeRobot) -> None:
        await robot.runner("describe", thing=thing, asked=asked, question="how so").run()
        (answer,) = robot.answers
        assert "I know no ." not in answer and thing in answer

    on_robot(tmp_path, play)
