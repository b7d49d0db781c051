"""What a free recogniser writes becomes words as they are spoken."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import SoundError
from resources.speech.in_words import InWords, read_in_words

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TABLE = {
    **{str(n): word for n, word in enumerate(DIGITS)},
    "15": "fifteen", "90": "ninety", "102": "one hundred and two", "cm": "centimetres", "1st": "first",
    "%": "percent", "°": "degrees",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" Move up 5 cm.", "move up five centimetres"),
        ("Move up 5cm!", "move up five centimetres"),
        ("turn 90° left", "turn ninety degrees left"),
        ("2.5 m", "two point five m"),
        ("2,25", "two point two five"),
        ("102", "one hundred and two"),
        ("2048", "two zero four eight"),
        ("the 1st one", "the first one"),
        ("Don’t move, okay?", "don't move okay"),
        ("half-open", "half open"),
        ("50 %", "five zero percent"),
        ("[BLANK_AUDIO]", "blank audio"),
        ("… — \u200b", ""),
        ("١٢", "١ ٢"),
        ("", ""),
    ],
)
def test_a_text_in_words(text: str, words: str) -> None:
    assert " ".join(InWords(TABLE)(text)) == words


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "spoken.json"
    with pytest.raises(SoundError, match="how numbers are spoken"):
        read_in_words(file)
    file.write_text('{"5": 5}')
    with pytest.raises(SoundError, match="how numbers are spoken"):
        read_in_words(file)
    file.write_text('{"5": "five"}')
    assert read_in_words(file)("5") == ("five",)
