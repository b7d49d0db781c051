"""How strangers put it: in every construction, dressed up, with words that nobody knows."""

from __future__ import annotations

import pytest

from framework.events import Subject
from framework.plan.ast import Do, If, Plan, Sequence, State, Until, Wait
from framework.plan.parser import NotUnderstood, Understood
from pilothouse.experiments.language.lab import Lab, our_lab
from tests.language.test_in_a_hurry import certain


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("I'd like the left arm to go up about ten centimetres", "move the left arm up 10 cm"),
        ("the left arm should come up by 10 cm", "move the left arm up 10 cm"),
        ("have the right arm drop five centimetres", "lower the right arm 5 cm"),
        ("left arm: 5 cm up", "move the left arm up 5 cm"),
        ("right arm go down seven centimetres, dead slow", "lower the right arm 7 cm slowly"),
        ("could the left gripper be opened", "open the left gripper"),
        ("the right gripper needs to be closed", "close the right gripper"),
        ("get the left claw open", "open the left gripper"),
        ("I want the right gripper opened all the way", "open the right gripper all the way"),
        ("put your arms back where they belong", "bring both arms home"),
        ("I need you half a metre further back", "drive back half a metre"),
        ("I was wondering if you might drive back half a metre", "drive back half a metre"),
        ("zoom forwards 2 metres super fast", "drive forward 2 m fast"),
        ("move up one five zero millimetres", "move up 150 mm"),
        ("go to the big red cup, no hurry at all", "go to the red cup slowly"),
        ("left arm lift on ten centimetres, but not fast", "raise the left arm 10 cm slowly"),
        ("please, drive back on forty centimetres", "drive back 40 cm"),
        ("drive on 2 metres", "drive forward 2 m"),
        ("spin round", "turn left 360 degrees"),
        ("swing right around", "turn right"),
        ("left arm to berth, low velocity", "move the left arm to berth slowly"),
        ("open and close the left gripper", "open the left gripper, close the left gripper"),
        ("go to the door, then to the table", "go to the door, then go to the table"),
        ("to the cabinet drive, but stop 1 m before it", "park 1 m in front of the cabinet"),
        ("to the shelf, 80 cm off", "park 80 cm in front of the shelf"),
        ("take yourself over to the table", "go to the table"),
        ("have the robot go to the shelf", "go to the shelf"),
        (
            "proceed to the cabinet and halt at a stand-off of 80 cm from it",
            "park 80 cm in front of the cabinet",
        ),
        ("dump the cloud to the console", "show the cloud"),
        ("I'd like that the camera is on the screen", "show the camera"),
        ("could the camera picture be shown", "show the camera"),
        ("on the screen show me the scan", "show the scan"),
        ("bring the scan up on the monitor", "show the scan"),
        ("how the right arm stands now, write in memory as 'weld'", "save the pose of the right arm as weld"),
        ("save where you stand, its name is alpha", "save this place as alpha"),
        ("where you are now, call it alpha", "save this place as alpha"),
        ("this view I want saved as alpha", "save this view as alpha"),
        ("hold yourself still, then show the camera", "hold still, then show the camera"),
        ("before lifting the right flange up, show the scan", "show the scan, then raise the right arm"),
        ("before lifting the right-hand flange up, show the scan", "show the scan, then raise the right arm"),
        (
            "after loosening the left-hand arm up, show the scan",
            "hand guide the left arm, then show the scan",
        ),
        ("ahead of recovering the left arm, track the hand", "track the hand, then recover the left arm"),
        ("lower the left-hand one sixty centimetres", "lower the left arm 60 cm"),
        ("bring the left hand leftwards a little way", "move the left hand left a little way"),
        ("back on up 5 metres", "drive back 5 metres"),
    ],
)
def test_it_is_done_as_what_says_the_same_plainly(here: Lab, said: str, plain: str) -> None:
    wanted = certain(here, plain)
    assert wanted is not None and certain(here, said) == wanted


def test_a_number_whose_first_word_may_be_an_arm_is_asked_about(here: Lab) -> None:
    """ "The left hand one | sixty", or "the left hand | one sixty"."""
    result = here.language.parse("lower the left hand one sixty millimetres", here.world)
    assert isinstance(result, Understood)
    sure = [each.plan for each in result.readings if each.confidence == result.readings[0].confidence]
    assert [plan.parameters["distance_m"] for plan in sure if isinstance(plan, Do)] == [0.06, 0.16]


BLOCKED = State("blocked", {})
AT_TABLE = State("at", {"thing": "table"})
FORWARD = Do("drive", {"direction": "forward"})
HELLO = Do("say", {"text": "hello"})


@pytest.mark.parametrize(
    ("said", "plan"),
    [
        ("drive forward until something is in the way", Until(FORWARD, BLOCKED)),
        ("until something's in the way drive forward", Until(FORWARD, BLOCKED)),
        ("if the way is blocked, say hello", If(BLOCKED, HELLO, None)),
        ("when you reach the table, say hello", Sequence((Wait(AT_TABLE), HELLO))),
        ("as soon as you're at the table, say hello", Sequence((Wait(AT_TABLE), HELLO))),
        ("unless you are at the table, say hello", If(State("at", {"thing": "table"}, False), HELLO, None)),
    ],
)
def test_where_the_robot_is_and_what_is_in_its_way_are_conditions(here: Lab, said: str, plan: Plan) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) and result.readings[0].plan == plan


@pytest.mark.parametrize(
    ("said", "plain", "left_out"),
    [
        ("drive back half a metre, zut quaggle", "drive back half a metre", "zut quaggle"),
        ("move the left arm 10 cm up, like last time", "move the left arm 10 cm up", "like last time"),
        ("10 cm the right arm quaggle you lift", "lift the right arm 10 cm", "quaggle"),
        (
            "Mornings nobody helps me, only you, caro, so go to the valve and look at it with the right arm",
            "go to the valve and look at it with the right arm",
            "Mornings nobody helps me, only you",
        ),
        (
            "my wife says I talk too much, anyway go to the shelf",
            "go to the shelf",
            "wife says I talk too much, anyway",
        ),
    ],
)
def test_what_nobody_knows_is_left_out_and_asked_about(
    here: Lab, said: str, plain: str, left_out: str
) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood)
    best = result.readings[0]
    assert best.plan == certain(here, plain) and best.confidence < 0.9
    assert best.left_out == (left_out,) and not best.corrections


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        (
            "lower the left arm ten centimetres, softly, as if it were resting in water.",
            "lower the left arm ten centimetres softly",
        ),
        ("drive back half a metre, vamos", "drive back half a metre"),
        ("turn left 30 degrees like a ballerina", "turn left 30 degrees"),
        ("snap snap! close the right gripper", "close the right gripper"),
        ("my knees are killing me, drive back half a metre", "drive back half a metre"),
        ("drive back half a metre, I have to get by with this cart", "drive back half a metre"),
        ("drive back half a metre so I can see the screen better", "drive back half a metre"),
        ("go to the table but don't bump it", "go to the table carefully"),
        ("go to the table, and mind the cable", "go to the table carefully"),
        ("drive to the table by the window", "drive to the table"),
        ("look at the valve under the chandelier with the right arm", "look at the valve with the right arm"),
    ],
)
def test_what_is_said_beside_it_is_no_question(here: Lab, said: str, plain: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood)
    best = result.readings[0]
    assert best.plan == certain(here, plain) and best.confidence >= 0.9 and not best.is_assumed


@pytest.mark.parametrize(
    "said",
    [
        "drive back half a metre unless it quaggles",
        "drive back half a metre, I want the red cup",
        "drive back half a metre, the left arm must be higher",
        "drive back half a metre, so that the door is two metres away",
        "raise the left arm not 5 cm",
        "drive to the table with the valve",
        "drive to the table on the left",
        "go to the door behind you",
        "the left arm is moving up 5 cm",
        "call this dock, then dance",
        "loosen the right gripper halfwise",
        "do floss 2 times",
        "that laser thing down the front, can I get it on my screen",
        "quaggle the valve, so go to the shelf",
        "go to the shelf, so please quaggle the door",
    ],
)
def test_what_changes_something_is_not_left_out(here: Lab, said: str) -> None:
    assert isinstance(here.language.parse(said, here.world), NotUnderstood)


@pytest.mark.parametrize(
    ("said", "cannot"),
    [
        ("can you tickle my mum", "I cannot tickle your mum"),
        ("draw me a dinosaur with big teeth", "I cannot draw you a dinosaur"),
        ("pull the lever", "I cannot pull the lever"),
        ("would you knead the shoulders of the lady at the table", "I cannot knead the shoulders"),
        ("fetch me the cup and go home", "I cannot fetch you the cup"),
        ("get me the blue cup", "I cannot get you the blue cup"),
    ],
)
def test_a_verb_of_english_that_nobody_has_is_beyond(here: Lab, said: str, cannot: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, NotUnderstood)
    assert result.kind is Subject.NO_ACTION and str(result).startswith(cannot)


@pytest.mark.parametrize("said", ["wander to the lavatory", "proceed to blue", "play the last thing"])
def test_of_a_new_word_for_what_can_be_done_nobody_says_that_it_cannot(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) or result.kind is not Subject.NO_ACTION


@pytest.mark.parametrize("said", ["drive 50 cm and then turn .5", "turn another .5"])
def test_a_bare_number_is_of_no_other_kind_than_the_last(here: Lab, said: str) -> None:
    assert certain(here, said) is None


def test_how_far_once_more_is_no_second_step(here: Lab) -> None:
    assert certain(here, "drive back a bit, 20 cm") == certain(here, "drive back 20 cm")
    assert certain(here, "drive back a bit, say 20 cm") == certain(here, "drive back 20 cm")


@pytest.mark.parametrize(
    ("said", "read_back"),
    [
        ("let me see the scan", "show the scan"),
        ("approach the table", "go to the table"),
        ("park 1 m in front of the table", "go 1 metre in front of the table"),
        ("keep this place in mind as dock", "remember this place as dock"),
        ("call this view front", "remember this view as front"),
        ("store the pose of the left arm under the name berth", "remember the pose of the left arm as berth"),
        ("the left arm should rise 5 cm", "move the left arm up 5 centimetres"),
        ("could the left gripper be opened", "open the left gripper"),
    ],
)
def test_it_is_read_back_in_plain_words(here: Lab, said: str, read_back: str) -> None:
    found = here.language.parse(said, here.world)
    assert isinstance(found, Understood)
    assert here.language.in_words(found.readings[0].plan, here.world) == read_back


@pytest.mark.parametrize(
    ("said", "ways"),
    [
        ("move your arm out of the way", 4),
        ("get the left arm out of my way please", 4),
        ("could you swing the right arm over there", 4),
        ("the left arm aside", 4),
        ("move both arms away", 4),
        ("get out of the way", 4),
        ("move out of my way", 4),
        ("if you are at the table, move the left arm out of the way", 4),
    ],
)
def test_where_no_way_is_said_none_is_taken_unasked(here: Lab, said: str, ways: int) -> None:
    found = here.language.parse(said, here.world)
    assert isinstance(found, Understood)
    best = [each for each in found.readings if each.confidence == found.readings[0].confidence]
    assert len(best) == ways


@pytest.mark.parametrize(
    "said",
    [
        "put the arm on the table",
        "bring the gripper to the red cup",
        "move the left arm to the door",
        "set your hand on the shelf",
        "the right arm on the table please",
    ],
)
def test_an_arm_that_is_to_go_somewhere_is_not_turned_there(here: Lab, said: str) -> None:
    assert certain(here, said) is None


@pytest.mark.parametrize(
    ("said", "cannot"),
    [
        ("Take from table red cup, it stands on my drawing", "take from table red cup"),
        ("take from the shelf the red cup", "take from the shelf the red cup"),
        ("From the shelf bring me please the red cup, my colleague needs it", "bring you the red cup"),
        ("of the two cups on the table hand me the red one", "hand you the red one"),
        ("Check behind the cabinet if is there water", "check behind the cabinet"),
        ("please pass me one of the cups from the shelf, I am thirsty", "pass you one of the cups"),
        ("Would you stand all the cups in a row for me, the white one first?", "stand all the cups in a row"),
        ("chuck the red cup in the bin", "chuck the red cup in the bin"),
        ("folow me to the door", "follow you to the door"),
        ("Weld please this seam, I am tired", "weld this seam"),
        ("walk behind us as far as the table", "walk behind you"),
        ("do a lil dance", "do a little dance"),
        ("if the door is closed, open it, and otherwise look quuxly", "open it"),
        ("drive to the valve, inspect it and say me what you found", "inspect it"),
        ("unscrew the lid of the drum", "unscrew the lid of the drum"),
    ],
)
def test_what_cannot_be_done_is_refused_however_the_rest_is_said(here: Lab, said: str, cannot: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, NotUnderstood) and result.kind is Subject.NO_ACTION
    assert str(result).startswith(f"I cannot {cannot}")


@pytest.mark.parametrize(
    "said",
    [
        "look red cup",
        "face the cups",
        "go to the cups",
        "show the cups",
        "move the gripper under the table",
        "set the left arm down",
        "hold the arm still with care quux",
        "close the left gripper and open it frobly",
        "check on the left arm",
        "walk quuxly to the table",
    ],
)
def test_nobody_says_that_it_cannot_what_it_can(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) or result.kind is Subject.NOT_UNDERSTOOD


def test_of_several_things_it_is_asked_which(here: Lab) -> None:
    result = here.language.parse("go to the cups", here.world)
    assert isinstance(result, NotUnderstood) and str(result).startswith("Which of the cups do you mean: ")


@pytest.mark.parametrize(
    "said",
    ["drive to the door and open it", "go to the valve, then turn it on", "if the door is closed, open it"],
)
def test_what_is_opened_or_turned_on_there_is_nothing_on_the_screen(here: Lab, said: str) -> None:
    assert certain(here, said) is None


def test_what_is_done_otherwise_is_never_left_out(here: Lab) -> None:
    assert certain(here, "go home, otherwise look quuxly") is None


@pytest.mark.parametrize(
    "said", ["No drive phone one. Is headset one who drive.", "?", "phone one, headset one, one"]
)
def test_whatever_is_said_is_answered(here: Lab, said: str) -> None:
    """ "One" of "headset one" was taken for the noun of "phone one", again and again."""
    assert isinstance(here.language.parse(said, here.world), Understood | NotUnderstood)
