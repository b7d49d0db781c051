"""How people ask for motions, and that nothing else is taken for one."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from framework.dialogue.meta_reading import MetaReader
from framework.plan.ast import (
    Alongside,
    Cancel,
    Do,
    Elapsed,
    Parallel,
    Plan,
    Sequence,
    State,
    Until,
    Value,
    Wait,
    actions_of,
)
from framework.plan.parser import Understood
from pilothouse.experiments.language.judged import Verdict
from pilothouse.experiments.language.lab import Lab, judged, our_lab
from pilothouse.experiments.language.sets import Paraphrase, read
from tests.language.test_accuracy import Unseen

SET = Path(__file__).parent / "motions.jsonl"

MOTIONS = frozenset(
    ("move", "home", "open_gripper", "close_gripper", "look_at", "hold_still", "drive", "hand_guide")
) | {"teach", "repeat_motion", "recover"}


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


def best(here: Lab, text: str) -> Plan | None:
    result = here.language.parse(text, here.world)
    return result.readings[0].plan if isinstance(result, Understood) else None


def test_the_set_covers_every_motion() -> None:
    lines = read(SET, Paraphrase)
    assert len({line.text for line in lines}) == len(lines) >= 110
    said = [do.action for line in lines for do in actions_of(line.plan)]
    assert all(said.count(action) >= 5 for action in MOTIONS), {each: said.count(each) for each in MOTIONS}


def test_motions_are_understood(here: Lab) -> None:
    lines = read(SET, Paraphrase)
    found = judged(here, lines, "", Unseen())
    missed = [f"{each.verdict.value}: {each.text}" for each in found if each.verdict is not Verdict.EXACT]
    assert not missed


@pytest.mark.parametrize(
    "text",
    [
        "turn the camera to the left",
        "turn on the lights",
        "turn up the volume",
        "turn it off",
        "go back",
        "go away",
        "come here",
        "roll back the changes",
        "open the door",
        "close the window",
        "lower the blinds",
        "raise the alarm",
        "lift my mood",
        "grab a coffee",
        "grasp the red cup",
        "look at me",
        "teach me French",
        "teach us something new",
        "learn about this city",
        "record a message",
        "play jazz",
        "do the dishes",
        "recover my password",
        "unlock the door",
        "release the kraken",
        "the left arm is up",
        "walk the dog",
        "head home for dinner",
        "back up my files",
        "move to another city",
    ],
)
def test_what_is_no_motion_moves_nothing(here: Lab, text: str) -> None:
    plan = best(here, text)
    assert plan is None or not MOTIONS & {do.action for do in actions_of(plan)}


@pytest.mark.parametrize(
    "text", ["stop", "stop moving", "don't move", "stand still", "stay where you are", "freeze"]
)
def test_a_stop_stays_a_stop(here: Lab, text: str) -> None:
    (found,) = judged(here, [Paraphrase(text, Do("wait", {}))], "", Unseen())
    assert "the command stop" in str(found.said)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("hold on for five seconds", Do("wait", {"duration_s": 5.0})),
        ("stay where you are for about ten seconds", Do("wait", {"duration_s": 10.0})),
        ("hang on for ten seconds", Do("wait", {"duration_s": 10.0})),
        ("repeat it", Do("repeat", {})),
        ("repeat twice", Do("repeat", {"times": 2})),
        ("repeat the last instruction", Do("repeat", {})),
        ("go back to the camera", Do("show", {"what": "camera"})),
        ("pull up the camera", Do("show", {"what": "camera"})),
        ("turn the camera towards the hand", Do("track", {"thing": "hand"})),
        ("point your camera at the hand", Do("track", {"thing": "hand"})),
        ("keep looking at the hand", Do("track", {"thing": "hand"})),
        ("look around", Do("describe", {})),
        ("have a look at the camera", Do("show", {"what": "camera"})),
        (
            "move up 5 cm, then stop hand guiding",
            Sequence((Do("move", {"direction": "up", "distance_m": 0.05}), Cancel("hand guiding"))),
        ),
    ],
)
def test_what_was_said_before_there_were_arms_means_what_it_meant(here: Lab, text: str, plan: Plan) -> None:
    assert best(here, text) == plan


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("move up five kilometres", "distance_m = 5000.0 will not do, it is too large"),
        ("move up minus five centimetres", "too small"),
        ("turn left five thousand degrees", "angle_rad"),
        ("open the gripper two metres", "width_m"),
        ("close the gripper with ten thousand newtons", "force_n"),
        ("repeat wave a thousand times", "times"),
        ("move up ten seconds", ""),
        ("turn left five metres", ""),
        ("drive forward ninety degrees", ""),
        ("close the gripper with five metres", ""),
    ],
)
def test_amounts_that_are_none_are_refused_in_words(here: Lab, text: str, words: str) -> None:
    (found,) = judged(here, [Paraphrase(text, Do("wait", {}))], "", Unseen())
    assert found.verdict is Verdict.REFUSED
    assert words in str(found.said)


def test_a_bare_amount_of_an_arm_is_asked_in_a_unit_in_which_it_fits(here: Lab) -> None:
    (found,) = judged(here, [Paraphrase("move up 5", Do("wait", {}))], "", Unseen())
    assert found.verdict is Verdict.ASKED
    assert found.plans[0] == Do("move", {"direction": "up", "distance_m": 0.05})


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Do("move", {"direction": "up", "distance_m": 0.05}), "move the arm up 5 centimetres"),
        (Do("move", {"direction": "left", "side": "left"}), "move the left arm to the left"),
        (Do("home", {"side": "right"}), "go home with the right arm"),
        (Do("close_gripper", {"grasp": True}), "grasp"),
        (Do("look_at", {"thing": "door"}), "look at the door"),
        (Do("drive", {"direction": "turn_right"}), "turn right"),
        (Do("drive", {"direction": "back", "distance_m": 0.5}), "drive back 50 centimetres"),
        (Do("teach", {"name": "wave"}), "teach wave"),
        (Do("repeat_motion", {"name": "wave", "times": 2}), "repeat the wave 2 times"),
        (Do("recover", {"device": "left_arm"}), "recover the left arm"),
    ],
)
def test_what_is_read_back_is_what_a_person_would_say(here: Lab, plan: Do, words: str) -> None:
    here.language.parse("go home", here.world)  # names are said as they were known then
    assert here.language.wording(plan) == words
    assert best(here, words) == plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("relax the arm", Do("hand_guide", {})),
        ("guide the left arm", Do("hand_guide", {"side": "left"})),
        ("go limp", Do("hand_guide", {})),
        ("teach mode", Do("hand_guide", {})),
        ("park the arm", Do("home", {})),
        ("tuck the left arm in", Do("home", {"side": "left"})),
        ("drive forward until I say stop", Do("drive", {"direction": "forward", "distance_m": 20.0})),
        ("reach for the block", None),
    ],
)
def test_what_an_operator_said_who_had_read_nothing(here: Lab, text: str, plan: Plan | None) -> None:
    assert best(here, text) == plan


def test_no_odd_activity_and_no_odd_number_is_read_back(here: Lab) -> None:
    assert here.language.in_words(Do("hand_guide", {})) == "make the arm compliant"
    bit = best(here, "turn right a bit")
    assert bit is not None and here.language.in_words(bit) == "turn right 15 degrees"


@pytest.mark.parametrize(
    "text",
    ["hold still", "keep still", "stay still", "remain still", "hold your position", "keep the arm still"],
)
def test_who_holds_still_does_so_for_a_time_too(here: Lab, text: str) -> None:
    still = Do("hold_still", {})
    assert best(here, text) == still
    assert best(here, f"{text} for five seconds") == Until(still, Elapsed(5.0))


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        # what is called like a part of the robot is moved, and only on a screen shown
        ("bring the hand back", Do("move", {"direction": "back"})),
        ("get the hand back", Do("move", {"direction": "back"})),
        ("bring the hand up", Do("move", {"direction": "up"})),
        ("bring the hand up on the screen", Do("show", {"what": "hand"})),
        ("bring the picture of the hand back up", Do("show", {"what": "hand"})),
        ("bring the camera back", Do("show", {"what": "camera"})),
        ("call the overview up", Do("show", {"what": "overview"})),
        ("bring the red cup back", None),
        # a wrist, and a wrist cloud
        (
            "while turning the wrist cloud on, look around",
            Alongside(Do("describe", {}), Do("show", {"what": "wrist_cloud"})),
        ),
        (
            "while turning the wrist look around",
            Alongside(Do("describe", {}), Do("move", {"direction": "clockwise"})),
        ),
    ],
)
def test_names_like_parts_of_the_robot(here: Lab, text: str, plan: Plan | None) -> None:
    (found,) = judged(here, [Paraphrase(text, plan or Do("wait", {}))], "", Unseen())
    assert found.verdict is (Verdict.REFUSED if plan is None else Verdict.EXACT)


def test_a_side_is_never_guessed_where_it_matters(here: Lab) -> None:
    turn = Do("drive", {"angle_rad": math.pi / 2, "direction": "turn_right"})
    seen = Wait(State("seen", {"thing": "target"}))
    assert best(here, "make a quarter turn right when you see the target") == Sequence((seen, turn))
    asked = here.language.parse("make a quarter turn", here.world)
    assert isinstance(asked, Understood)
    assert len({each.confidence for each in asked.readings[:2]}) == 1, "which way round is asked"
    assert best(here, "make a half turn") is not None


def of_each(action: str, **values: Value) -> Parallel:
    return Parallel(tuple(Do(action, {"side": side, **values}) for side in ("left", "right")))


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("open both grippers", of_each("open_gripper")),
        ("close both of your hands", of_each("close_gripper")),
        ("move both arms up 5 cm", of_each("move", direction="up", distance_m=0.05)),
        ("send both arms home", of_each("home")),
        ("hold both arms still for five seconds", Until(of_each("hold_still"), Elapsed(5.0))),
        ("make both arms compliant", of_each("hand_guide")),
        ("open the left and the right gripper", Sequence(of_each("open_gripper").branches)),
        (
            "raise both arms, then open both grippers",
            Sequence((of_each("move", direction="up"), of_each("open_gripper"))),
        ),
        ("recover both arms", Do("recover", {})),
    ],
)
def test_both_is_the_same_with_each_at_once(here: Lab, text: str, plan: Plan) -> None:
    assert best(here, text) == plan
    assert here.language.sayable(plan, here.world)


@pytest.mark.parametrize(
    "text",
    [
        "move the left arm up and the right arm down",
        "move the left arm up, then the right arm down",
        "left arm up, right arm down",
    ],
)
def test_the_verb_of_a_motion_is_not_said_twice(here: Lab, text: str) -> None:
    up, down = (
        Do("move", {"side": "left", "direction": "up"}),
        Do("move", {"side": "right", "direction": "down"}),
    )
    assert best(here, text) == Sequence((up, down))


@pytest.mark.parametrize("text", ["stay", "stay there", "stay put", "stay where you are"])
def test_staying_is_a_stop(here: Lab, text: str) -> None:
    assert MetaReader(here.language.meta).stops(text)
