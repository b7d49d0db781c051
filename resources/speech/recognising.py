"""What every recogniser is: an utterance goes in, words and other readings of it come out."""

from __future__ import annotations

from typing import Protocol

import msgspec

from resources.audio.blocks import Samples


class TimedWord(msgspec.Struct, frozen=True):
    """A word of an utterance. began_s, until_s: in the utterance [s]. of_name: it belongs to a known name."""

    word: str
    began_s: float
    until_s: float
    of_name: bool = False


class Recognised(msgspec.Struct, frozen=True):
    """What an utterance may be: its words, and other ways in which it may be read, the likeliest first."""

    words: tuple[TimedWord, ...]
    others: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The words alone."""
        return " ".join(each.word for each in self.words)


class Recogniser(Protocol):
    """Recognises one utterance at a time."""

    def recognised(self, sound: Samples) -> Recognised | None:
        """What was said in a whole utterance, (n,) int16; None if that was nothing."""
        ...
