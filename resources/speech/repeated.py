"""What a free recogniser writes down again and again, though it was said once: told by its speed. Pure.

A decoder that has come to the end of a short utterance may begin anew. Nobody speaks that fast, so the first
of several equal parts is what was said; what was truly said twice stays.
"""

from __future__ import annotations

from typing import Final

_WORDS_A_S: Final = 5.0
"""Faster than people speak to a robot: conversation has about 3, the fastest of our synthetic voices 3.9."""

_LEAST: Final = 2  # words that are repeated: "stop stop stop" stays as it is


def said_once(words: tuple[str, ...], seconds: float) -> tuple[str, ...]:
    """The words without their repetition, if they are too many for the time in which somebody spoke."""
    if len(words) <= _WORDS_A_S * seconds:
        return words
    for length in range(_LEAST, len(words) // 2 + 1):
        if all(words[at] == words[at - length] for at in range(length, len(words))):
            return words[:length]
    return words
