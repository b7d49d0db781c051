"""What is heard while the robot itself speaks: its own words are never an instruction. Pure.

Sound that overlaps with what can be heard of the robot may be the robot's own voice, or a person's with it,
and no recogniser tells them apart for certain. So nothing of it starts, changes or confirms anything,
whatever it sounds like. What ends something is taken all the same, because that is the safe side:

* A word that stops always counts. The robot never says one (`resources.voice.speakable.UNSAID`), so a person
  did, or its voice was misheard, which costs a word.
* "No" and "cancel" call off what was asked, if they are heard more often than the robot has said them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

import msgspec

from framework.dialogue.stopping import STOPS

ROOM_S: Final = 0.6
"""The robot's voice may still be heard so long after its end: a room's echo, an utterance's margin [s]."""

OWN: Final = 0.5
"""Where so much of what was heard are the robot's own words, in their order, it has heard itself."""

NOES: Final = frozenset(("no", "nope", "cancel"))


SAME_S: Final = 0.8
"""An utterance that begins and ends this close to the robot's words is the robot's [s]."""


class OwnWords(msgspec.Struct, frozen=True):
    """What can be heard of the robot. from_s, until_s: from when to when, CLOCK_MONOTONIC [s]."""

    words: str
    from_s: float
    until_s: float

    def is_all_of(self, began_s: float, until_s: float) -> bool:
        """Whether nobody else can have spoken for long in an utterance between these moments."""
        return abs(began_s - self.from_s) < SAME_S and abs(until_s - self.until_s) < SAME_S


class WhileSpeaking(StrEnum):
    """What something is that was heard while the robot spoke."""

    STOP = "stop"
    NO = "no"
    OWN = "own"
    """The robot has heard itself, or nobody."""

    UNCLEAR = "unclear"
    """Somebody may have said something: it is to be said again."""


def heard_while_speaking(
    texts: Iterable[str], own: str, is_stop: Callable[[str], bool], *, is_all_own: bool = False
) -> tuple[WhileSpeaking, str]:
    """What it is, and in which words.

    texts: all ways in which it was heard, the likeliest first. own: what the robot was saying meanwhile.
    is_stop: whether a text is a stop, or begins or ends like one. is_all_own: it has the length of the
    robot's words: whatever else it sounds like, it is the robot, misheard.
    """
    ways = [text for text in texts if text]
    said = _words(own)
    for text in ways:
        stops = [word for word in _words(text) if word in STOPS]
        if stops:
            return WhileSpeaking.STOP, stops[0]
        if is_stop(text) and not _is_own(_words(text), said):
            return WhileSpeaking.STOP, text
    for text in ways:
        words = _words(text)
        for word in words:
            if word in NOES and words.count(word) > said.count(word):
                return WhileSpeaking.NO, "no"
    if not ways or is_all_own or any(_is_own(_words(text), said) for text in ways):
        return WhileSpeaking.OWN, ""
    return WhileSpeaking.UNCLEAR, ways[0]


def _is_own(words: Sequence[str], said: Sequence[str]) -> bool:
    matched = sum(
        block.size for block in SequenceMatcher(None, words, said, autojunk=False).get_matching_blocks()
    )
    return bool(words) and matched >= OWN * len(words)


def _words(text: str) -> list[str]:
    marks = str.maketrans("", "", ".,;:!?\"'")
    return text.lower().replace("-", " ").translate(marks).split()
