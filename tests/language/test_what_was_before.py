"""Steps that are said only by how they relate to those before them: what they are, and what they are not."""

from __future__ import annotations

import pytest

from framework.dialogue.continuing import continued
from framework.dialogue.language import SpokenLanguage
from framework.plan.ast import Sequence as InSequence
from framework.plan.ast import Wait
from framework.plan.parser import Understood
from pilothouse.experiments.language.judged import is_unasked
from pilothouse.experiments.language.lab import Lab, our_lab
from tests.language.test_in_a_hurry import certain


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    "said",
    [
        "move the left arm forward 8 cm, then both back",  # only one has moved
        "raise the left arm 5 cm, raise the right arm 6 cm, wait 2 seconds, then back down",  # which one?
        "drive forward 1 m, wait 3 seconds, then left",
        "move the left arm up 10 cm, wait 2 seconds, forward again",
        "raise the left arm 10 cm and when it is broken open the left gripper",
        "drive back 40 cm, turn left, wait 5 seconds and then again",  # all of it, or the turn
        "look at the valve, then the blue one",  # a blue valve is not known
    ],
)
def test_what_relates_to_nothing_is_not_done_unasked(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert not (isinstance(result, Understood) and is_unasked(result.readings))


@pytest.mark.parametrize("said", ["turn left, then right", "turn left then right", "left arm up, then down"])
def test_a_way_alone_is_what_is_said_again(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) and is_unasked(result.readings)


@pytest.mark.parametrize(
    "said",
    [
        "look at the door with the left arm and once it is open say hello",
        "show the camera and when it is down show the scan",
        "close the left gripper and once the door is closed drive back 1 m",
    ],
)
def test_what_the_step_before_does_not_make_true_is_waited_for(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood)
    plan = result.readings[0].plan
    steps = plan.steps if isinstance(plan, InSequence) else ()
    assert any("Wait(" in repr(step) for step in steps) or isinstance(plan, Wait) or "Wait(" in repr(plan)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        # so is it when the step before is done
        (
            "raise the left arm by 8 cm and, once it is up there, open the left gripper",
            "raise the left arm by 8 cm, then open the left gripper",
        ),
        (
            "lower the left arm 5 cm and when it's down, open the left gripper",
            "lower the left arm 5 cm, then open the left gripper",
        ),
        (
            "close the left gripper and as soon as it is closed raise the left arm 5 cm",
            "close the left gripper, then raise the left arm 5 cm",
        ),
        # back the way that is said
        (
            "15 cm up with the right, hold 3 secs, back down",
            "move the right arm up 15 cm, wait 3 seconds, move the right arm down 15 cm",
        ),
        (
            "lift the left arm by 12 cm, stay there five seconds, and back down",
            "lift the left arm by 12 cm, wait 5 seconds, move the left arm down 12 cm",
        ),
        (
            "turn left 90 degrees, wait 3 seconds, then right again",
            "turn left 90 degrees, wait 3 seconds, turn right 90 degrees",
        ),
        (
            "raise the left arm 10 cm, wait 3 seconds, then lower it again",
            "raise the left arm 10 cm, wait 3 seconds, then lower the left arm 10 cm",
        ),
        (
            "both arms up 10 cm, wait 2 seconds, and back down",
            "both arms up 10 cm, wait 2 seconds, both arms down 10 cm",
        ),
        (
            "left arm up 6 cm, right arm up 6 cm, then both down again",
            "left arm up 6 cm, right arm up 6 cm, then both arms down 6 cm",
        ),
        ("arms down 5 cm, then back up", "both arms down 5 cm, then both arms up 5 cm"),
        (
            "lower the right arm 5 cm, then back up 10 cm",
            "lower the right arm 5 cm, move the right arm up 10 cm",
        ),
        ("open the left gripper, then back up", "open the left gripper, drive back"),
        # once more, and nobody sees whether it waits behind that
        (
            "drive back 40 cm, wait five seconds and then again same",
            "drive back 40 cm, wait five seconds, drive back 40 cm",
        ),
        # what stands for a name
        (
            "close the left gripper, then open it again, but just three centimetres",
            "close the left gripper, then open the left gripper 3 cm",
        ),
        (
            "open the left gripper, then close it again gently",
            "open the left gripper, then close the left gripper gently",
        ),
        (
            "look at the red cup with the right arm, and then at the blue one",
            "look at the red cup with the right arm, look at the blue cup with the right arm",
        ),
        ("drive to the table, and from there on to the door", "drive to the table, drive to the door"),
        ("lower both by five centimetres", "lower both arms by five centimetres"),
        # names, with little around them
        ("Off to dock again, slowly please", "drive to dock slowly"),
        ("wave, three times please", "repeat wave three times"),
        ("make wave two times, but with half speed", "repeat wave twice at half speed"),
        ("we shan't need dock any more, so you may forget it again", "forget dock"),
        ("this place has the name 'paint shop', keep that in mind", "remember this place as paint shop"),
        ("what places do you have in memory", "list the places"),
        (
            "you learn now from me: I move your right arm, this motion is 'plug in'",
            "teach the motion plug in with the right arm",
        ),
        (
            "let me take your right arm and show you how one waves; we'll call it 'big wave'",
            "teach the motion big wave with the right arm",
        ),
    ],
)
def test_it_means_the_same(here: Lab, said: str, plain: str) -> None:
    assert certain(here, said) == certain(here, plain)


@pytest.mark.parametrize(
    "said",
    ["I'll guide your left arm to the table", "I'll move your left arm to the left", "say the blue one"],
)
def test_it_is_no_name(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert not isinstance(result, Understood) or result.readings[0].plan == certain(
        here, 'say "the blue one"'
    )


@pytest.mark.parametrize(
    ("done", "said", "plain"),
    [
        (("close the left gripper",), "now open it again, but only 4 cm", "open the left gripper 4 cm"),
        (("left arm up 8 cm", "right arm up 8 cm"), "both down again", "both arms down 8 cm"),
        (
            ("look at the red cup with your left arm",),
            "then the blue one",
            "look at the blue cup with the left arm",
        ),
        (("turn left 30 degrees",), "and back again", "turn right 30 degrees"),
        (("close the left gripper",), "fish it again", ""),
        (("say hello",), "to the visitor", ""),
        (("close the left gripper",), "don't open it", ""),
        (("drive forward 1 m",), "both down again", ""),
    ],
)
def test_it_is_read_behind_what_was_done(here: Lab, done: tuple[str, ...], said: str, plain: str) -> None:
    language = SpokenLanguage(here.language, here.world, here.language.wording, ())
    plans = [plan for each in done for plan in language.surely(each)]
    assert len(plans) == len(done)
    found = continued(said, plans, language.parse, language.plain_words)
    wanted = language.surely(plain) if plain else ()
    assert tuple(each.plan for each in found) == wanted
