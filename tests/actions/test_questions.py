"""Questions, whatever their words: who answers them, what is said, and that nothing is done by asking."""

from __future__ import annotations

from pathlib import Path

import pytest

import pilothouse as ph
from framework.plan import Do, NotUnderstood, Understood
from framework.plan.ast import actions_of
from framework.plugins.service import Whether
from grammars.domain import read_domain
from pilothouse.experiments.language.sets import FOLDER
from tests.actions.fake_robot import FakeRobot
from tests.actions.scene import on_robot
from tests.actions.test_phrases import language

WORLD = read_domain(FOLDER / "lab.yaml").world


def answered_by(text: str) -> Do:
    result = language().parse(text, WORLD)
    assert isinstance(result, Understood), str(result)
    plan = result.readings[0].plan
    assert isinstance(plan, Do)
    return plan


@pytest.mark.parametrize(
    ("text", "action", "given"),
    [
        ("why'd you stop?", "status", {"about": "why"}),
        ("how come u just stood still??", "status", {"about": "why"}),
        ("why didnt u grab it", "status", {"about": "why"}),
        ("what made you halt", "status", {"about": "why"}),
        ("wat r u doing rn", "status", {}),
        ("what are you making at the moment?", "status", {}),
        ("who was it that stopped you", "status", {"about": "stopped"}),
        ("did you get there yet?", "status", {"about": "done"}),
        ("did you close the gripper?", "status", {"about": "done", "of": "close gripper"}),
        ("have you moved the left arm?", "status", {"about": "done"}),
        ("how long til ur done", "status", {"about": "until"}),
        ("in which step are you now?", "status", {"about": "steps"}),
        ("any faults", "status", {"about": "faults"}),
        ("which of your devices are functioning and which not?", "status", {"about": "devices"}),
        ("what was it that I just told you to do?", "status", {"about": "heard"}),
        ("how is your battery?", "status", {"about": "unmeasured", "of": "battery"}),
        ("who is the boss now", "who_drives", {}),
        ("which movements have I taught you until now?", "list", {"kind": "motions"}),
        ("can you drive?", "list", {"topic": "drive"}),
        ("can you move?", "list", {"topic": "move"}),
        ("list saved places", "list", {"kind": "places"}),
        ("how far is it until the shelf, in metres?", "describe", {"thing": "shelf"}),
        ("how far to the door", "describe", {"thing": "door"}),
        ("how many cups are standing on the table?", "describe", {"asked": "how_many", "place": "table"}),
        ("is there a cup thats blue", "describe", {"asked": "how_many", "colour": "blue"}),
        ("what color cups are left on the table", "describe", {"asked": "colour", "place": "table"}),
        ("u holding anything in R", "describe", {"asked": "held"}),
        ("how heavy is the hand?", "describe", {"thing": "hand", "asked": "else"}),
        ("could you reach the shelf from here?", "describe", {"thing": "shelf", "asked": "else"}),
        ("is wrist lidar alive", "describe", {"asked": "whether", "clause": "wrist lidar is alive"}),
        ("are you tracking the hand?", "describe", {"asked": "whether", "clause": "you are tracking hand"}),
        ("is the door closer than two metres?", "describe", {"asked": "whether"}),
        ("my dear, could you tell me whether the table is broken?", "describe", {"thing": "table"}),
    ],
)
def test_who_answers(text: str, action: str, given: dict[str, str]) -> None:
    plan = answered_by(text)
    assert plan.action == action
    assert {name: plan.parameters.get(name) for name in given} == given


@pytest.mark.parametrize(
    "text",
    [
        "did you open the left gripper?",
        "are you moving the left arm up 10 cm?",
        "have you gone home?",
        "why did you turn left 90 degrees?",
        "when will you go home?",
        "who opened the gripper?",
        "is the left gripper open?",
        "does the left arm move up?",
    ],
)
def test_a_question_is_never_carried_out(text: str) -> None:
    result = language().parse(text, WORLD)
    plans = [reading.plan for reading in result.readings] if isinstance(result, Understood) else []
    assert {do.action for plan in plans for do in actions_of(plan)} <= {"status", "describe", "who_drives"}
    assert plans or (isinstance(result, NotUnderstood) and result.answer)


def test_what_is_wanted_beside_an_answer_is_not_swallowed() -> None:
    result = language().parse("where is the door? go home", WORLD)
    plans = [reading.plan for reading in result.readings] if isinstance(result, Understood) else []
    assert all("home" in {do.action for do in actions_of(plan)} for plan in plans)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("is it gonna rain later", "rain"),
        ("whats the top headline today", "headline"),
        ("where is the second gas bottle, seen from you?", "gas bottle"),
        ("who wrote hamlet?", "hamlet"),
    ],
)
def test_what_nobody_can_know_is_said_to_be_so(text: str, unknown: str) -> None:
    result = language().parse(text, WORLD)
    assert isinstance(result, NotUnderstood)
    assert result.answer.startswith("I cannot know that") and unknown in result.answer.split("): ")[1]


@pytest.mark.parametrize(
    "text",
    [
        "could you bring me the red cup?",
        "would you open the door for me?",
        "have a look at the gauges",
        "when the cow comes home, dance",
        "how about a dance?",
        "what I want is a dance",
        "valve cw 45 deg, check gauges, tell me what u see",
    ],
)
def test_what_is_no_question_gets_no_answer(text: str) -> None:
    result = language().parse(text, WORLD)
    assert isinstance(result, NotUnderstood) and not result.answer


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"asked": "how_many", "thing": "cup"}, "I know 1 cup: the red cup."),
        ({"asked": "how_many", "thing": "cup", "place": "table"}, "I know 1 cup on the table: the red cup."),
        ({"asked": "how_many", "thing": "carton"}, "I know 2 cartons: "),
        (
            {"asked": "how_many", "thing": "cup", "colour": "blue"},
            "I know no blue cup. What I know is the red",
        ),
        ({"asked": "on", "thing": "table"}, "On the table I know the red cup."),
        ({"asked": "on", "thing": "door"}, "I know of nothing on the door."),
        ({"asked": "held"}, "I cannot know what I hold"),
        ({"asked": "state", "thing": "door"}, "The door is closed."),
        ({"asked": "state", "thing": "table", "question": "is it open"}, 'I cannot know that ("is it open")'),
        (
            {"asked": "else", "thing": "table", "question": "how heavy is it"},
            'I cannot know that ("how heavy',
        ),
        (
            {"asked": "whether", "thing": "door", "clause": "door is open"},
            "No, it is not so that door is open.",
        ),
        ({"asked": "whether", "clause": "you are glad"}, "I cannot know whether I am glad: nobody can tell"),
    ],
)
def test_what_is_answered(tmp_path: Path, given: dict[str, str], answer: str) -> None:
    async def play(robot: FakeRobot) -> None:
        robot.holding["door is open"] = Whether(False)
        await robot.runner("describe", **given).run()
        assert robot.answers[0].startswith(answer)

    on_robot(tmp_path, play)


def test_which_devices_work_and_which_nobody_can_tell_of(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        robot.holding["front camera is working"] = Whether(False)
        await robot.runner("status", about="devices", of="cams").run()
        await robot.runner("status", about="faults").run()
        await robot.runner("status", about="unmeasured", of="battery").run()
        assert robot.answers[0] == "This does not: the front camera."
        assert robot.answers[1].startswith("Out of order: the front camera.")
        assert robot.answers[2].startswith("I cannot know that (battery): none of my devices measures it.")

    on_robot(tmp_path, play)


def test_what_is_remembered_is_listed(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("list", kind="places").run()
        assert outcome.state is ph.RunState.SUCCEEDED
        assert robot.answers[0].startswith("No places are remembered yet")

    on_robot(tmp_path, play)
