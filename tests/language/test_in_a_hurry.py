"""What is typed in a hurry is written out; what looks like filling and is none is not swallowed."""

from __future__ import annotations

import pytest

from framework.plan.ast import Plan
from framework.plan.parser import Understood
from pilothouse.experiments.language.lab import Lab, our_lab


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


def certain(here: Lab, text: str) -> Plan | None:
    """What is carried out unasked."""
    result = here.language.parse(text, here.world)
    if not isinstance(result, Understood) or result.readings[0].confidence < 0.9:
        return None
    return result.readings[0].plan


@pytest.mark.parametrize(
    ("hurried", "written"),
    [
        ("R arm up 12 cm", "right arm up 12 cm"),
        ("L arm down 80mm", "left arm down 80 mm"),
        ("close R gripper", "close the right gripper"),
        ("drive fwd 50 cm then rot 90 deg cw", "drive forward 50 cm then rotate 90 degrees clockwise"),
        ("can u pls open the L gripper", "can you please open the left gripper"),
        ("back off 25 cm", "go back 25 cm"),
        ("lemme see the camera pls", "let me see the camera please"),
    ],
)
def test_it_is_written_out(here: Lab, hurried: str, written: str) -> None:
    wanted = certain(here, written)
    assert wanted is not None and certain(here, hurried) == wanted


def test_words_that_are_passed_on_stay_as_they_were_typed(here: Lab) -> None:
    plan = certain(here, "say u r late")
    assert plan is not None and "u r late" in repr(plan)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("turn left, then right", "turn left"),
        ("look at the valve, right", "look at the valve"),
        ("right arm up 12 cm", "arm up 12 cm"),
        ("move up 10 cm again", "move up 10 cm"),
        ("open both the grippers", "open the gripper"),
    ],
)
def test_nothing_is_swallowed(here: Lab, more: str, less: str) -> None:
    found = certain(here, more)
    assert found is None or found != certain(here, less)
