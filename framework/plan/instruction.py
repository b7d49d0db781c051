"""What a person (or a program) wants, before anybody has understood it.

Nothing here interprets the text. Source, time, confidence, what else it may have been, the times of words and
what was pointed at travel along.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Source(StrEnum):
    """Where an instruction came from. Dangerous actions ask back unless a person typed or clicked."""

    TYPED = "typed"
    SPEECH = "speech"
    GESTURE = "gesture"
    PHONE = "phone"
    PHONE_SPEECH = "phone_speech"
    PROPOSER = "proposer"
    PROGRAM = "program"


class Pointing(msgspec.Struct, frozen=True):
    """One thing that may have been pointed at.

    thing: as it is known, or as people call it. t_s: on the clock of the installation; likelihood: 0 … 1.
    """

    thing: str
    t_s: float
    likelihood: float = 1.0


class SpokenWord(msgspec.Struct, frozen=True):
    """When a word of an utterance was said. t_s: its middle, on the clock of the installation."""

    word: str
    t_s: float


class Instruction(msgspec.Struct, frozen=True):
    """One utterance.

    text: as it came, not cleaned.
    who: the operator or the connection it came from; whoever asked is the one who is asked back.
    t_s: when it was said, on the clock of the installation; None: now.
    confidence: of the recogniser, 0 … 1; 1 for what was typed.
    pointing: what may have been pointed at meanwhile, the likeliest first.
    words: when its words were said, in their order, if the recogniser knows.
    alternatives: what else may have been said, the likeliest first; it is asked which of them was.
    """

    text: str
    source: Source = Source.TYPED
    who: str = ""
    t_s: float | None = None
    confidence: float = 1.0
    pointing: tuple[Pointing, ...] = ()
    words: tuple[SpokenWord, ...] = ()
    alternatives: tuple[str, ...] = ()
