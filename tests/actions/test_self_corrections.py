"""Instructions that correct themselves, and what must not be left out of one: with all phrases."""

from __future__ import annotations

import pytest

from framework.dialogue.choices import best_of
from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.dialogue.correction import corrected_inside
from framework.plan import Do, NotUnderstood, Parallel, Plan, Sequence, Understood
from framework.plan.ast import actions_of
from grammars.domain import read_domain
from pilothouse.experiments.language.sets import FOLDER
from tests.actions.test_phrases import language

WORLD = read_domain(FOLDER / "lab.yaml").world


def meant_inside(text: str) -> list[tuple[Do, bool]]:
    """Each plan, and whether it is carried out unasked."""
    found = corrected_inside(
        text,
        lambda each: language().parse(each, WORLD),
        lambda plan: language().in_words(plan, WORLD),
        language().meta.correction_words,
    )
    return [(each.reading.plan, each.reading.confidence >= LEAST_CONFIDENCE) for each in found]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("turn left, I mean right", Do("drive", {"direction": "turn_right"})),
        ("drive to the table, or rather the shelf", Do("drive_to", {"thing": "shelf"})),
        ("drive to the door. Sorry, the shelf.", Do("drive_to", {"thing": "shelf"})),
        ("open the right gripper, wait, no, the left", Do("open_gripper", {"side": "left"})),
        (
            "raise the right, sorry, left arm ten centimetres",
            Do("move", {"direction": "up", "side": "left", "distance_m": 0.1}),
        ),
        ("turn left. Right I mean.", Do("drive", {"direction": "turn_right"})),
        ("open the left gripper, the right one I meant", Do("open_gripper", {"side": "right"})),
        (
            "raise the left arm ten, no, five centimetres",
            Do("move", {"direction": "up", "side": "left", "distance_m": 0.05}),
        ),
    ],
)
def test_what_is_put_right_in_the_same_sentence(text: str, plan: Do) -> None:
    assert meant_inside(text) == [(plan, True)]


def test_a_whole_instruction_in_the_place_of_another_is_asked() -> None:
    assert meant_inside("drive to the table, no, go home") == [(Do("home", {}), False)]


@pytest.mark.parametrize(
    "text",
    [
        "turn left, no right turns",
        "look at the red cup, never mind the blue one",
        "raise the left arm 10 cm, I mean it",
        "drive to the shelf, no, stop",
        "drive to the table and open the left gripper, sorry, the door",
        "lower the right arm, no, the left, no, the right one",
    ],
)
def test_what_may_be_something_else_is_no_correction(text: str) -> None:
    assert meant_inside(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "turn left, I mean right",
        "turn left. Right I mean",
        "turn left, no right",
        "drive to the door but not all the way",
        "go home, actually drive to the door",
        "drive to the table, never mind, drive to the door",
        "I do not say again raise the right arm",
        "open it again",
        "as soon as legal signs off, drive to the cabinet",
    ],
)
def test_corrections_and_how_far_are_not_left_out(text: str) -> None:
    assert isinstance(language().parse(text, WORLD), NotUnderstood)


@pytest.mark.parametrize("text", ["5 to the left", "raise the left arm, oh, lower the right arm"])
def test_what_may_be_meant_otherwise_is_asked(text: str) -> None:
    result = language().parse(text, WORLD)
    assert isinstance(result, Understood)
    assert best_of(result.readings)[0].confidence < LEAST_CONFIDENCE


@pytest.mark.parametrize("text", ["90 degrees to the left", "turn 90 to the left", "turn left, no rush"])
def test_what_is_clear_is_not_asked(text: str) -> None:
    result = language().parse(text, WORLD)
    assert isinstance(result, Understood)
    assert result.readings[0].confidence >= LEAST_CONFIDENCE


def test_both_at_the_same_time_says_nothing_of_what_follows() -> None:
    result = language().parse("home both arms at the same time, wait 6 seconds", WORLD)
    assert isinstance(result, Understood)
    both = Parallel((Do("home", {"side": "left"}), Do("home", {"side": "right"})))
    assert result.readings[0].plan == Sequence((both, Do("wait", {"duration_s": 6.0})))


def test_a_measure_behind_then_is_not_to_be_said() -> None:
    result = language().parse("say ready steady go and THEN zoom forwards 2 metres super fast", WORLD)
    said = [do.parameters["text"] for each in _plans(result) for do in actions_of(each) if do.action == "say"]
    assert all(text == "ready steady go" for text in said)


def _plans(result: Understood | NotUnderstood) -> list[Plan]:
    return [each.plan for each in best_of(result.readings)] if isinstance(result, Understood) else []
