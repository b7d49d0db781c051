"""What is said to become of what strangers say."""

from __future__ import annotations

import pytest

from framework.errors import DescriptionError
from grammars.intent.heard import Heard
from pilothouse.experiments.language.lab import Lab, our_lab
from pilothouse.experiments.language.strangers import Fate, fate_of, measure_strangers


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    ("say", "means", "fate"),
    [
        ("show me the camera", "show the camera", Fate.RIGHT),
        ("show me the camera", "show the laser scan", Fate.WRONG),
        ("show me the camera", "", Fate.WRONG),
        ("whoa stop", "stop", Fate.RIGHT),
        ("halt", "carry on", Fate.WRONG),
        ("move half a metre backwards", "go back half a metre", Fate.ASKED),
        ("move half a metre backwards", "drive two metres forward", Fate.OFFERED),
        ("move half a metre backwards", "?", Fate.ASKED),
        ("make your fingers go together", "close the gripper", Fate.GUESSED),
        ("make your fingers go together", "open the gripper", Fate.OFFERED),
        ("make your fingers go together", "?", Fate.OFFERED),
        ("fry me an egg", "", Fate.REFUSED),
        ("fry me an egg", "go home", Fate.REFUSED),
    ],
)
def test_what_becomes_of_it(here: Lab, say: str, means: str, fate: Fate) -> None:
    assert fate_of(here, Heard(say, means)) is fate


def test_what_is_meant_has_to_be_understood(here: Lab) -> None:
    with pytest.raises(DescriptionError, match="flap your wings"):
        fate_of(here, Heard("flap", "flap your wings"))


class Silent:
    def begin(self, what: str, steps: int) -> None:
        pass

    def step(self) -> None:
        pass


def test_what_can_be_done_counts_by_itself(here: Lab) -> None:
    lines = [
        Heard("show me the camera", "show the camera"),
        Heard("make your fingers go together", "close the gripper"),
        Heard("fry me an egg", ""),
    ]
    figures = measure_strangers(here, lines, Silent())
    assert figures["strangers"] == 3
    assert figures["strangers_right_pct"] == figures["strangers_guessed_pct"] == 50.0
    assert figures["strangers_impossible_refused_pct"] == 100.0
    assert figures["strangers_unclear_refused_pct"] is None
