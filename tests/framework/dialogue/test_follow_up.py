"""What refers to what was done last, and what becomes of its plan."""

from __future__ import annotations

import pytest

from framework.dialogue.correction import read_correction
from framework.dialogue.follow_up import (
    DOUBLE,
    HALF,
    Naming,
    other_way,
    scaled,
    turned_round,
    with_another,
)
from framework.plan import Do, Sequence
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec
from grammars.core_file import english
from tests.framework.dialogue.test_discourse import BOTH, SIDE
from tests.framework.tree.scripted import Kind, Stage

META = english().meta
NAMING = Naming(META.naming, META.naming_beside)
WAY = ParameterSpec("way", str, opposites={"up": "down", "down": "up"})
FAR = ParameterSpec("distance_m", float, default=0.05, unit="m")
STAGE = Stage(Kind("move", (WAY, FAR, SIDE), risk=Risk.MOVES), Kind("say", ()))
UP = Do("move", {"way": "up", "distance_m": 0.2, "side": "left"})
DOWN = Do("move", {"way": "down", "distance_m": 0.2, "side": "left"})


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Not so far, 10 are enough.", "10"),
        ("20 cm I meant, not 2 m!", "20 cm"),
        ("Sorry, to the right I wanted to say.", "to the right"),
        ("too far, half that", "half that"),
        ("make it 45", "45"),
        ("no, 10", "10"),
    ],
)
def test_a_correction_may_end_like_one(text: str, right: str) -> None:
    found = read_correction(text, META.correction_words)
    assert found is not None
    assert found.right.rstrip(".!") == right


def test_the_other_way_is_one_way_at_a_time() -> None:
    assert turned_round(UP, STAGE) == DOWN
    assert other_way(UP, STAGE) == (DOWN,)
    assert other_way(Do("say"), STAGE) == ()
    assert other_way(Sequence((UP, DOWN)), STAGE) == (Sequence((UP, UP)), Sequence((DOWN, DOWN)))


def test_half_of_it_is_half_of_what_was_said_or_of_the_default() -> None:
    half = scaled(UP, HALF, STAGE, lambda do: True)
    assert half == Do("move", {**UP.parameters, "distance_m": 0.1})
    default = scaled(Do("move", {"way": "up"}), DOUBLE, STAGE, lambda do: True)
    assert default == Do("move", {"way": "up", "distance_m": 0.1})
    assert scaled(Do("move", {"way": "up"}), HALF, STAGE, lambda do: False) is None
    assert scaled(Do("say"), HALF, STAGE, lambda do: True) is None


@pytest.mark.parametrize(
    "text", ["the right one", "the other one", "right arm", "with the right arm", "other"]
)
def test_another_arm_is_named_or_is_the_other_one(text: str) -> None:
    words = NAMING.telling(text, {"arm"})
    right = Do("move", {**UP.parameters, "side": "right"})
    assert with_another(UP, words, STAGE, BOTH) == (right,)
    assert with_another(Sequence((UP, DOWN)), words, STAGE, BOTH) == (
        Sequence((right, Do("move", {**DOWN.parameters, "side": "right"}))),
    )


def test_a_way_alone_names_no_arm() -> None:
    assert NAMING.telling("right", {"arm"}) == []
    assert with_another(Do("say"), ["right"], STAGE, BOTH) == ()
