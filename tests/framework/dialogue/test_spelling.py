"""A text as people see it: one line, without what only a terminal understands."""

from __future__ import annotations

import pytest

from framework.dialogue.spelling import clean, words_of


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("  show\tthe \n camera ", "show the camera"),
        ("show\x07 the\x1b[31m camera\x1b[0m\x00", "show the camera"),
        ("\x1b[2J\x1b[1;1Hstop", "stop"),
        ("show [the] camera", "show [the] camera"),
        ("\x1b[", "["),
    ],
)
def test_control_characters_are_no_words(text: str, seen: str) -> None:
    assert clean(text) == seen
    assert " ".join(words_of(text)) == " ".join(words_of(seen))
