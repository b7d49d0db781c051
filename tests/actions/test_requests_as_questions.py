"""Requests in the shape of questions are instructions, and questions with remarks are answered."""

from __future__ import annotations

import pytest

from framework.plan import NotUnderstood, Understood
from framework.plan.ast import actions_of
from grammars.domain import read_domain
from pilothouse.experiments.language.sets import FOLDER
from tests.actions.test_phrases import language

WORLD = read_domain(FOLDER / "lab.yaml").world
_ANSWERING = {"status", "describe", "who_drives", "list"}


def acts(text: str) -> list[str]:
    """What is begun by the best reading; nothing if it is refused."""
    result = language().parse(text, WORLD)
    if isinstance(result, NotUnderstood):
        return []
    return [do.action for do in actions_of(result.readings[0].plan)]


@pytest.mark.parametrize(
    "text",
    [
        "did you open the left gripper?",
        "I wonder whether you opened the left gripper",
        "I would like to know if you moved the arm",
        "could you tell me whether you closed the gripper",
        "are you going to open the gripper?",
        "when will you go home?",
        "are you sure you opened the gripper?",
        "why don't you move?",
        "why do you not move the left arm?",
        "can you reach the shelf?",
        "how many cups are there, and did you move the arm?",
        "is the door open, I wonder?",
    ],
)
def test_a_question_begins_nothing(text: str) -> None:
    assert set(acts(text)) <= _ANSWERING


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather you didn't open the gripper",
        "could you not open the left gripper",
        "don't you open the gripper",
        "I'd be glad if you did not open the gripper",
        "if you opened the gripper, say hello",
    ],
)
def test_what_is_denied_or_only_supposed_is_not_carried_out(text: str) -> None:
    assert "open_gripper" not in acts(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I'd appreciate it if you moved the right arm up five centimetres", ["move"]),
        ("I'd be ever so grateful if you opened the left gripper", ["open_gripper"]),
        ("would it be OK if you opened the left gripper?", ["open_gripper"]),
        ("do you mind turning left 90 degrees and driving forward one metre?", ["drive", "drive"]),
        ("do you fancy moving forward half a metre?", ["drive"]),
        ("why don't you move the left arm up 5 cm?", ["move"]),
        ("I don't suppose you could open the left gripper?", ["open_gripper"]),
        ("I wonder whether you might open the left gripper", ["open_gripper"]),
    ],
)
def test_a_request_is_read_as_the_instruction_that_it_is(text: str, wanted: list[str]) -> None:
    assert acts(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "why don't you tuck them away where they belong?",
        "Is too much. Back down three.",
        "Could you knead the shoulders of the lady at the table a little?",
        "bring me the red cup, where is it?",
        "weld it, what do you see",
        "give the control to Herr Yilmaz, he takes over",
    ],
)
def test_a_request_that_nobody_understands_is_refused_and_not_answered(text: str) -> None:
    result = language().parse(text, WORLD)
    assert isinstance(result, NotUnderstood) and not result.answer


@pytest.mark.parametrize(
    ("text", "action", "given"),
    [
        (
            "I do hope you don't mind me asking, but how many cups are standing on that table?",
            "describe",
            {"asked": "how_many", "place": "table"},
        ),
        ("wehre is the green cup lol", "describe", {"thing": "green cup"}),
        ("please, how much cups stand on the table?", "describe", {"asked": "how_many", "place": "table"}),
        ("is the door shut or did somebody leave it wide open", "describe", {"asked": "whether"}),
        ("whaur's the green cup, pal?", "describe", {"thing": "green cup"}),
        ("range and bearing to the door, over.", "describe", {"thing": "door"}),
        ("state position of the base.", "describe", {"thing": "robot"}),
        ("so what is the thing next to the table", "describe", {"asked": "beside", "thing": "table"}),
        ("how far is it between the table and the door", "describe", {"asked": "between", "place": "door"}),
        ("which of the cups is closest to you?", "describe", {"asked": "nearest"}),
        ("is the red cup still on the table, or somebody took it?", "describe", {"asked": "standing"}),
        ("sitrep.", "status", {}),
        ("you done yet", "status", {"about": "done"}),
        ("are you broken or you only sleep?", "status", {"about": "faults"}),
        ("what ye up tae the noo?", "status", {}),
        ("what's the hold-up? Talk to me.", "status", {"about": "why"}),
        ("on whose instructions are you acting at present?", "who_drives", {}),
        ("what can u do tho", "list", {}),
    ],
)
def test_a_question_is_answered_whatever_stands_beside_it(
    text: str, action: str, given: dict[str, str]
) -> None:
    result = language().parse(text, WORLD)
    assert isinstance(result, Understood), str(result)
    (do,) = actions_of(result.readings[0].plan)
    assert do.action == action
    assert {name: do.parameters.get(name) for name in given} == given


def test_what_nobody_can_know_is_said_in_one_sentence() -> None:
    result = language().parse("how many giraffes live in the zoo of Basel?", WORLD)
    assert isinstance(result, NotUnderstood)
    assert result.answer.startswith('I cannot know that ("how many giraffes live in the zoo of Basel"): ')
    assert "I know nothing of" not in result.answer


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("How many cup do you see?", [{"asked": "how_many", "thing": "cup"}]),
        (
            "How many cup do you see, and is blue one also there?",
            [{"asked": "how_many", "thing": "cup"}, {"asked": "how_many", "thing": "cup", "colour": "blue"}],
        ),
        (
            "how many cups and how many doors do you know",
            [{"asked": "how_many", "thing": "cup"}, {"asked": "how_many", "thing": "door"}],
        ),
        (
            "is the table far, and what is on it?",
            [{"thing": "table", "asked": "else"}, {"thing": "table", "asked": "on"}],
        ),
        ("what places you have in memory?", [{"kind": "places"}]),
        ("which views have you kept?", [{"kind": "views"}]),
        ("what do you remember?", [{"kind": "remembered"}]),
        ("One of the boys would like to know what you are able to do.", [{}]),
        ("the kids are dying to hear how far the door is", [{"thing": "door"}]),
        ("mum asked where the red cup is", [{"thing": "red cup"}]),
        ("hw far is the door", [{"thing": "door"}]),
        ("Have you arrived there yet, my dear?", [{"about": "done"}]),
        ("did you get to the door?", [{"about": "done"}]),
        ("what did you do before?", [{"about": "done"}]),
        ("what do you intend to do after this?", [{"about": "steps"}]),
    ],
)
def test_answers_name_what_was_asked_about(text: str, wanted: list[dict[str, str]]) -> None:
    result = language().parse(text, WORLD)
    assert isinstance(result, Understood)
    done = tuple(actions_of(result.readings[0].plan))
    assert {do.action for do in done} <= _ANSWERING
    given = [{name: value for name, value in do.parameters.items() if name != "question"} for do in done]
    assert given == wanted


def test_what_somebody_else_asks_is_said_where_it_is_to_be_said() -> None:
    assert acts("say that mum asks what you see") == ["say"]
