"""What is written for eyes becomes words for ears, and nothing that would stop the robot is among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.dialogue.stopping import STOPS
from resources.voice.speakable import GOES_ON, LONGEST, UNSAID, number_in_words, speakable


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Shall I move the arm up by 5 cm? (yes or no)", "Shall I move the arm up by five centimetres?"),
        ("It is 1 m away, at 0.35 m/s.", "It is one metre away, at zero point three five metres a second."),
        ("Turn by −90° in 12.5 s", "Turn by minus ninety degrees in twelve point five seconds"),
        ("80% of 2 kg, 150 N", "eighty percent of two kilograms, one hundred fifty newtons"),
        ("Which one? 1: the red cup, 2: the blue cup", "Which one? one, the red cup, two, the blue cup"),
        ("There are [a, b]:\n- the cup\n- the table", "There are a, b: the cup. the table"),
        ('I do not know “zorblatt” or "left_arm".', "I do not know zorblatt or left arm."),
        ("I wait (say \"carry on\" (or \"done\")).", "I wait."),
        ("Open https://127.0.0.1:8080/#token=x1 now", "Open the address on the screen now"),
        ("in /home/ann/my/actions/say.py:12", "in the address on the screen"),
        ("A 3D view of v1.2.3", "A 3D view of v1.2.3"),
        ("\x1b[31mred\x07", "31mred"),
        ("…", ""),
        ("   ", ""),
    ],
)  # fmt: skip
def test_it_is_said_as_people_say_it(text: str, said: str) -> None:
    assert speakable(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I stop: look at the cup.", "I end: look at the cup."),
        ("EMERGENCY STOP: pressed by ann.", "Safety latch: pressed by ann."),
        ('"emergency (or not) stop" was said', "safety latch was said"),
        ("The e-stop and the emergency-stop", "The safety latch and the safety latch"),
        ("Stopped by the operator", "Ended by the operator"),
    ],
)  # fmt: skip
def test_what_would_stop_the_robot_is_said_in_other_words(text: str, said: str) -> None:
    assert speakable(text) == said


def test_there_are_other_words_for_all_that_stops_and_none_of_them_stops() -> None:
    assert set(STOPS) <= set(UNSAID)
    assert not set(" ".join(UNSAID.values()).split()) & set(STOPS)


PARTS = (*STOPS, "the", "(", ")", "-", "_", "*", '"', "e", ",", "1", "5 cm")


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.sampled_from(("", " ")))
def test_however_a_text_is_put_together_no_word_that_stops_is_said(parts: list[str], between: str) -> None:
    said = speakable(between.join(parts)).lower()
    words = "".join(each if each.isalpha() else " " for each in said).split()
    assert not set(words) & set(STOPS)


@given(st.text(max_size=400))
def test_any_text_is_survived_and_bounded_and_has_nothing_for_a_program_in_it(text: str) -> None:
    said = speakable(text)
    assert len(said) <= LONGEST + len(GOES_ON) + 2
    assert said.isprintable() or not said
    assert not set(said) & set("[]<>|{}\\")


def test_a_long_text_ends_with_a_sentence_and_with_where_the_rest_is() -> None:
    said = speakable("This is one of many sentences. " * 20)
    assert said.endswith(f"sentences. {GOES_ON}") and len(said) <= LONGEST + len(GOES_ON) + 1


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("0", "zero"),
        ("19", "nineteen"),
        ("42", "forty-two"),
        ("305", "three hundred five"),
        ("999999", "nine hundred ninety-nine thousand nine hundred ninety-nine"),
        ("1234567", "one two three four five six seven"),
        ("007.50", "seven point five zero"),
    ],
)
def test_numbers_in_words(digits: str, words: str) -> None:
    assert number_in_words(digits) == words
