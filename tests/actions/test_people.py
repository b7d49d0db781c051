"""How people ask who drives, and have it changed; and how that is said."""

from __future__ import annotations

import pytest

from actions.who_drives import words
from framework.plan import Do, Understood
from framework.plan.ast import Value
from grammars.domain import NamesOfFile, read_domain
from pilothouse.experiments.language.sets import FOLDER
from resources.types.masters import HandSide
from resources.types.operator import DeviceKind, SessionLine
from resources.types.operator_client import Driven
from resources.types.people import PeopleHandle, may_not_send_away, may_not_take, what_is_driven
from tests.actions.test_phrases import language

#: Phones 1 and 2, headset 1 and desk 1 are known there.
WORLD = read_domain(FOLDER / "lab.yaml").world


def meant(text: str) -> Do:
    """The best reading; there must be no other as good."""
    result = language().parse(text, WORLD)
    assert isinstance(result, Understood), str(result)
    sure = result.readings[0].confidence
    best = [reading.plan for reading in result.readings if reading.confidence == sure]
    assert len(best) == 1 and isinstance(best[0], Do)
    return best[0]


def asks(about: str = "", session: str = "", part: str = "") -> Do:
    return Do("who_drives", _given(about=about, session=session, part=part))


def hands(session: str, **more: Value) -> Do:
    return Do("hand_over", {"session": session, **more})


def _given(**values: str) -> dict[str, Value]:
    return {name: value for name, value in values.items() if value}


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("who drives?", asks()),
        ("Who is driving?", asks()),
        ("who has the arm?", asks()),
        ("which arm is driven?", asks()),
        ("who's in control right now", asks()),
        ("is anybody driving the robot?", asks()),
        ("tell me who has the arm", asks()),
        ("who drives the base?", asks(part="base")),
        ("who has the right gripper?", asks(part="right_gripper")),
        ("is the left arm being driven?", asks(part="left_arm")),
        ("am I driving?", asks("asker")),
        ("do I have the left arm?", asks("asker")),
        ("is phone 2 driving?", asks(session="phone 2")),
        ("who is connected?", asks("connected")),
        ("which phones are there?", asks("connected")),
        ("is headset one still connected?", asks("connected", "headset 1")),
        ("hand over to phone 2", hands("phone 2")),
        ("hand the arm over to phone 2", hands("phone 2", drives="arm")),
        ("give the left arm to headset 1", hands("headset 1", side="left")),
        ("give phone two both arms, please", hands("phone 2", side="both")),
        ("let phone 2 drive", hands("phone 2")),
        ("let phone 2 drive the base", hands("phone 2", drives="base")),
        ("phone 2 drives now", hands("phone 2")),
        ("it's phone 2's turn", hands("phone 2")),
        ("can desk 1 take over?", hands("desk 1")),
        ("take the arm from phone 1", Do("take_back", {"session": "phone 1"})),
        ("take the arm back", Do("take_back")),
        ("end phone 2's session", Do("send_away", {"session": "phone 2"})),
        ("kick phone 2", Do("send_away", {"session": "phone 2"})),
        ("log me out", Do("send_away")),
        ("let me drive with phone 2", Do("teleoperate_phone", {"session": "phone 2"})),
        ("give me the left arm back", Do("teleoperate_phone", {"side": "left"})),
        ("take over", Do("teleoperate_phone")),
        ("forget the pose berth", Do("forget", {"name": "berth"})),
        ("move the arm back", Do("move", {"direction": "back"})),
        ("who are you?", Do("describe", {"thing": "robot"})),
    ],
)
def test_what_is_asked_for(text: str, plan: Do) -> None:
    assert meant(text) == plan


@pytest.mark.parametrize("text", ["let it drive", "kick it", "hand it over to him", "take it from there"])
def test_a_thing_is_nobody_who_drives(text: str) -> None:
    assert not isinstance(language().parse(text, WORLD), Understood)


@pytest.mark.parametrize(
    "text",
    [
        "send phone 9 away",
        "kick phone 9",
        "end phone 9's session",
        "let phone 9 drive",
        "phone 9 drives the base",
        "take the arm from phone 9",
        "is phone 9 driving?",
    ],
)
def test_who_is_not_there_is_said_not_to_be_whatever_else_begins_like_that(text: str) -> None:
    there = 'Nobody called "phone 9" is connected; connected: phone 1, phone 2, headset 1, desk 1.'
    assert str(language().parse(text, WORLD)).startswith(there)
    known = {kind: WORLD.known(kind) for kind in WORLD.kinds if not kind.startswith("sessions")}
    now = there.replace("connected", "connected just now")
    assert str(language().parse("let me drive with phone 9", WORLD)).startswith(now)
    nobody = 'Nobody called "phone 9" is connected; nobody is.'
    assert str(language().parse(text, NamesOfFile(known))).startswith(nobody)


@pytest.mark.parametrize(
    "text",
    [
        "give me the middle arm",
        "the middle arm to me",
        "let me drive the middle arm with phone 9",
        "give me the middle arm, then go home",
        "hand the middle arm over to phone 2",
        "give phone 2 the middle arm",
        "move the middle arm up",
        "go home with the middle arm",
        "let me guide the middle arm",
    ],
)
def test_an_arm_that_nobody_knows_is_answered_with_those_there_are(text: str) -> None:
    assert str(language().parse(text, WORLD)).startswith(
        'I know no arm called "middle arm"; I know left arm and right arm.'
    )


def test_a_gripper_that_nobody_knows_is_answered_with_those_there_are() -> None:
    assert str(language().parse("open the middle gripper", WORLD)).startswith(
        'I know no gripper called "middle gripper"; I know left gripper and right gripper.'
    )


@pytest.mark.parametrize("text", ["who drives the teapot?", "who has the teapot", "is the teapot driven?"])
def test_what_nobody_could_drive_is_said_to_be_unknown(text: str) -> None:
    assert str(language().parse(text, WORLD)).startswith(
        'I know no part called "teapot"; I know left arm, right arm and left gripper.'
    )


def line(name: str, *, alive: bool = True) -> SessionLine:
    return SessionLine(name, name, DeviceKind.PHONE, alive)


LEFT = Driven(HandSide.LEFT, "left_arm", "left_gripper")
RIGHT = Driven(HandSide.RIGHT, "right_arm", base="base")
TWO = PeopleHandle(True, (line("phone 1"), line("phone 2", alive=False)), "phone 1", (RIGHT, LEFT))


def test_what_is_driven_in_words() -> None:
    assert what_is_driven((RIGHT, LEFT)) == "the right arm, the left arm and the base"
    assert what_is_driven(()) == "nothing"


def test_who_is_there_in_words() -> None:
    assert words.connected(TWO) == (
        "Connected: phone 1 (drives the right arm, the left arm and the base) and phone 2 (silent just now)."
    )
    assert words.connected(TWO, "phone 2") == "Not just now: phone 2 (silent just now)."
    assert words.connected(PeopleHandle()).startswith("Nobody is connected. To drive: press")
    assert words.whether(TWO, "phone 2").startswith("No. phone 1 drives")
    assert words.whether(TWO, "").startswith("No. ")
    assert words.driver_of(TWO, "left_arm").startswith("phone 1 drives the right arm")
    assert words.driver_of(TWO, "torso").startswith("Nobody drives the torso. phone 1 drives the right arm")
    assert words.driver_of(PeopleHandle(), "torso").startswith("Nobody drives. To drive: press")
    alone = PeopleHandle(True, (line("phone 1"),))
    assert (
        words.driver(alone) == 'Nobody drives. phone 1 is there: "let me drive" is said on what is to drive.'
    )


def test_only_the_driver_and_the_console_take_from_the_driver() -> None:
    assert may_not_take(TWO, "phone 1") == may_not_take(TWO, "console") == may_not_take(TWO, "") == ""
    assert '"hand over to phone 2"' in may_not_take(TWO, "phone 2")
    assert may_not_take(PeopleHandle(True, TWO.sessions), "phone 2") == ""


@pytest.mark.parametrize("gone", ["phone 7", "headset 2", "desk 1", "phone 3 (ann)"])
def test_who_was_at_a_phone_is_not_at_the_console_once_its_session_is_over(gone: str) -> None:
    """What they have asked for may only be done afterwards ("wait a minute, then take the arm")."""
    assert "on the console" in may_not_take(TWO, gone)
    assert "on the console" in may_not_send_away(TWO, "phone 1", gone)


def test_only_the_console_sends_others_away() -> None:
    assert may_not_send_away(TWO, "phone 1", "console") == may_not_send_away(TWO, "phone 2", "phone 2") == ""
    assert "on the console" in may_not_send_away(TWO, "phone 1", "phone 2")
    assert may_not_send_away(TWO, "phone 3", "console") == (
        "there is no session 'phone 3'; connected: phone 1 and phone 2"
    )
