"""While the robot speaks nothing is an instruction, and all that ends something still counts."""

from __future__ import annotations

import pytest

from framework.dialogue.stopping import STOPS, sounds_like_stop
from resources.speech.own_words import WhileSpeaking, heard_while_speaking

QUESTION = "Shall I move the left arm up by five centimetres?"


def heard(text: str, own: str = QUESTION, *others: str) -> WhileSpeaking:
    return heard_while_speaking((text, *others), own, sounds_like_stop)[0]


@pytest.mark.parametrize(
    "text",
    [
        "shall i move the left arm up by five centimetres",
        "move the left arm up five centimetres",
        "the left arm by five",
        "shall i move the left bomb up five",
        "",
    ],
)
def test_its_own_words_are_nothing(text: str) -> None:
    assert heard(text) is WhileSpeaking.OWN


@pytest.mark.parametrize(
    "text", ["yes", "yes please", "yes yes yes", "carry on", "go home", "open the gripper", "number one"]
)
def test_nothing_that_begins_or_confirms_counts(text: str) -> None:
    assert heard(text) is WhileSpeaking.UNCLEAR


def test_a_yes_that_the_robot_itself_says_is_its_own_word_alone_and_in_a_sentence() -> None:
    own = "Say yes if the way is clear"
    assert heard("yes", own) is heard("say yes if the way is clear", own) is WhileSpeaking.OWN


@pytest.mark.parametrize("word", STOPS)
def test_every_word_that_stops_counts_wherever_it_stands(word: str) -> None:
    for text in (word, f"move the left arm {word} up by five", f"shall i move the left arm up {word}"):
        assert heard(text) is WhileSpeaking.STOP
    assert heard("move the left arm up", QUESTION, f"{word} the arm") is WhileSpeaking.STOP


def test_what_sounds_like_a_stop_counts_unless_the_robot_says_it() -> None:
    assert heard("hold it") is WhileSpeaking.STOP
    assert heard("hold still", "I hold still until you say so") is WhileSpeaking.OWN


@pytest.mark.parametrize("text", ["no", "cancel", "shall i move the left arm no", "No!"])
def test_a_no_calls_off(text: str) -> None:
    assert heard(text) is WhileSpeaking.NO


def test_a_no_that_the_robot_says_is_not_a_persons() -> None:
    own = "There is no cup. Shall I look for it?"
    assert heard("there is no cup", own) is WhileSpeaking.OWN
    assert heard("there is no cup no", own) is WhileSpeaking.NO
