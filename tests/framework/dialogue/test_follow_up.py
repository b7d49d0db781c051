"""What refers to what was done last, and what becomes of its plan."""

from __future__ import annotations

import pytest

from framework.dialogue.correction import read_correction
from framework.dialogue.follow_up import (
    FollowUpKind,
    FollowUpReader,
    other_way,
    scaled,
    turned_round,
    with_another,
)
from framework.dialogue.meta_reading import MetaReader
from framework.plan import Do, Sequence
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec
from grammars.core import english
from tests.framework.dialogue.test_discourse import BOTH, SIDE
from tests.framework.tree.scripted import Kind, Stage

META = english().meta
READER = FollowUpReader(META.follow_up_words, MetaReader(META).normal)
WAY = ParameterSpec("way", str, opposites={"up": "down", "down": "up"})
FAR = ParameterSpec("distance_m", float, default=0.05, unit="m")
STAGE = Stage(Kind("move", (WAY, FAR, SIDE), risk=Risk.MOVES), Kind("say", ()))
UP = Do("move", {"way": "up", "distance_m": 0.2, "side": "left"})
DOWN = Do("move", {"way": "down", "distance_m": 0.2, "side": "left"})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("undo that", FollowUpKind.UNDO),
        ("ok undo the last one", FollowUpKind.UNDO),
        ("put it back how it was", FollowUpKind.UNDO),
        ("Back where it was, please!", FollowUpKind.UNDO),
        ("wrong way", FollowUpKind.OTHER_WAY),
        ("the other direction", FollowUpKind.OTHER_WAY),
        ("not so far", FollowUpKind.TOO_FAR),
        ("that's too much", FollowUpKind.TOO_FAR),
        ("half that", FollowUpKind.HALF),
        ("twice as far", FollowUpKind.DOUBLE),
        ("a bit more", FollowUpKind.FURTHER),
        ("little more", FollowUpKind.FURTHER),
        ("a little less", FollowUpKind.LESS),
        ("thirty more", FollowUpKind.FURTHER),
        ("3 cm further, please", FollowUpKind.FURTHER),
        ("that's 2 cm too high", FollowUpKind.LESS),
        ("too high by three", FollowUpKind.LESS),
        ("five less", FollowUpKind.LESS),
        ("other way, but only ten centimetres", FollowUpKind.OTHER_WAY),
        ("the same to the right", FollowUpKind.SAME),
    ],
)
def test_it_is_recognised(text: str, kind: FollowUpKind) -> None:
    found = READER.read(text)
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize(
    ("text", "rest", "is_instead"),
    [
        ("The other one too, please.", "the other one", False),
        ("Once again, but with the left arm.", "the left arm", False),
        ("do the same with the left arm", "the left arm", False),
        ("use the other arm", "the other arm", True),
    ],
)
def test_the_same_is_done_with_something_else(text: str, rest: str, is_instead: bool) -> None:
    found = READER.read(text)
    assert found is not None
    assert (found.kind, found.rest, found.is_instead) == (FollowUpKind.SAME, rest, is_instead)


@pytest.mark.parametrize(
    "text", ["move up", "more and more of it", "back up one metre", "show the other camera"]
)
def test_other_words_are_none(text: str) -> None:
    assert READER.read(text) is None


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
    half = scaled(UP, FollowUpKind.HALF, STAGE, lambda do: True)
    assert half == Do("move", {**UP.parameters, "distance_m": 0.1})
    default = scaled(Do("move", {"way": "up"}), FollowUpKind.DOUBLE, STAGE, lambda do: True)
    assert default == Do("move", {"way": "up", "distance_m": 0.1})
    assert scaled(Do("move", {"way": "up"}), FollowUpKind.HALF, STAGE, lambda do: False) is None
    assert scaled(Do("say"), FollowUpKind.HALF, STAGE, lambda do: True) is None


@pytest.mark.parametrize(
    "text", ["the right one", "the other one", "right arm", "with the right arm", "other"]
)
def test_another_arm_is_named_or_is_the_other_one(text: str) -> None:
    words = READER.naming(text, {"arm"})
    right = Do("move", {**UP.parameters, "side": "right"})
    assert with_another(UP, words, STAGE, BOTH) == (right,)
    assert with_another(Sequence((UP, DOWN)), words, STAGE, BOTH) == (
        Sequence((right, Do("move", {**DOWN.parameters, "side": "right"}))),
    )


def test_a_way_alone_names_no_arm() -> None:
    assert READER.naming("right", {"arm"}) == []
    assert with_another(Do("say"), ["right"], STAGE, BOTH) == ()
