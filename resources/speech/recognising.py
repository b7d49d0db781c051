"""What every recogniser is: an utterance goes in, words and other readings of it come out."""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from resources.audio.blocks import Samples
from resources.types.speech import Reading, TimedWord

ALONE: Final = 0.8
"""The confidence in what nobody else has heard: one recogniser alone hears instructions in all that people
say, so whatever comes of it is asked first."""


class Recognised(msgspec.Struct, frozen=True):
    """What an utterance may be: its words, and other ways in which it may be read, the likeliest first.

    confidence: that these are the words, 0 … 1, as far as the recogniser knows. readings, heard: see
    `Transcript`.
    """

    words: tuple[TimedWord, ...]
    others: tuple[str, ...] = ()
    confidence: float = 0.0
    readings: tuple[Reading, ...] = ()
    heard: str = ""

    @property
    def text(self) -> str:
        """The words alone."""
        return " ".join(each.word for each in self.words)


class Recogniser(Protocol):
    """Recognises one utterance at a time."""

    def recognised(self, sound: Samples) -> Recognised | None:
        """What was said in a whole utterance, (n,) int16; None if that was nothing."""
        ...

    def begins(self) -> None:
        """Another utterance begins, of which no more than its beginning is known for now."""
        ...

    def goes_on(self, sound: Samples) -> str:
        """What was said so far, with more of it, (n,) int16; "" if this one can tell only at the end."""
        ...

    def forgets(self) -> None:
        """What has begun is not shown any further; idempotent."""
        ...
