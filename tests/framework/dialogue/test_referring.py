"""What a text says of what was done last, by its signs."""

from __future__ import annotations

import pytest

from framework.dialogue.referring import Mode, ReferringReader
from grammars.core_file import english

META = english().meta
READER = ReferringReader(META.referring, META.spelt, META.of_things, META.asking)


@pytest.mark.parametrize(
    "text",
    [
        "is the other one open too?",
        "and has the other one moved as well?",
        "do you want to do that again?",
        "who was there again?",
        "not again!",
        "not the same again",
        "show the camera",
        "move up",
        "back up one metre",
    ],
)
def test_it_says_nothing_of_it_for_certain(text: str) -> None:
    found = READER.read(text)
    assert found is None or found.contents


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("undo that", Mode.UNDO),
        ("ok undo the last one", Mode.UNDO),
        ("put it back how it was", Mode.UNDO),
        ("Back where it was, please!", Mode.UNDO),
        ("no, go back", Mode.UNDO),
        ("wrong way", Mode.INSTEAD),
        ("the other direction", Mode.INSTEAD),
        ("not so far", Mode.TOO_FAR),
        ("that's too much", Mode.TOO_FAR),
        ("half that", Mode.INSTEAD),
        ("twice as far", Mode.INSTEAD),
        ("a bit more", Mode.FURTHER),
        ("little more", Mode.FURTHER),
        ("again a little", Mode.FURTHER),
        ("a little less", Mode.LESS),
        ("thirty more", Mode.FURTHER),
        ("3 cm further, please", Mode.FURTHER),
        ("that's 2 cm too high", Mode.LESS),
        ("too high by three", Mode.LESS),
        ("five less", Mode.LESS),
        ("other way, but only ten centimetres", Mode.INSTEAD),
        ("the same to the right", Mode.AGAIN),
        ("The other one too, please.", Mode.AGAIN),
        ("how about the left arm", Mode.AGAIN),
        ("use the other arm", Mode.AGAIN),
    ],
)
def test_what_is_to_be_done(text: str, mode: Mode) -> None:
    found = READER.read(text)
    assert found is not None
    assert found.mode is mode


def test_what_it_is_done_with_instead_replaces_what_goes_on() -> None:
    found = READER.read("use the right arm")
    assert found is not None
    assert found.replaces and [each.text for each in found.contents] == ["the right arm"]


@pytest.mark.parametrize(
    ("text", "so"),
    [("too fast", "slower"), ("slow down", "slower"), ("that's too slow", "faster"), ("speed up", "faster")],
)
def test_what_is_too_fast_is_to_be_slower(text: str, so: str) -> None:
    found = READER.read(text)
    assert found is not None and so in found.contents[0].text
