"""Known names by their last words."""

from __future__ import annotations

from framework.plan import Known
from grammars.reading.nouns import Nouns

ARMS = (Known("left_arm", "left arm"), Known("right_arm", "right Arm"), Known("dock", "dock"))


def test_the_names_that_end_in_a_word_whatever_its_case() -> None:
    nouns = Nouns()
    assert nouns.ending_in("arm", "parts", ARMS) == ("left arm", "right Arm")
    assert nouns.ending_in("left", "parts", ARMS) == ()


def test_what_is_known_now_counts() -> None:
    nouns = Nouns()
    assert nouns.ending_in("dock", "parts", ARMS) == ("dock",)
    assert nouns.ending_in("dock", "parts", ARMS[:2]) == ()
    assert nouns.ending_in("dock", "others", ARMS) == ("dock",)


def test_of_several_words_that_of_the_first_known_thing() -> None:
    assert Nouns().first_of({"dock", "arm", "docks"}, "parts", ARMS) == "arm"
    assert Nouns().first_of({"docks"}, "parts", ARMS) == ""
