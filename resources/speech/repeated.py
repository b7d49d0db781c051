"""What a free recogniser writes down again and again, though it was said once: told by its speed. Pure.

A decoder that has come to the end of a short utterance may begin anew. Nobody speaks that fast, so the first
of several equal parts is what was said; what was truly said twice stays.
"""

from __future__ import annotations

from typing import Final

_WORDS_A_S: Final = 5.0
"""Faster than people speak to a robot: conversation has about 3, the fastest of our synthetic voices 3.9."""

_LEAST: Final = 2  # words by which the beginning is known again: "stop stop stop" stays as it is


def said_once(words: tuple[str, ...], seconds: float) -> tuple[str, ...]:
    """The words without their repetition, if they are too many for the time in which somebody spoke.

    It begins anew where its first words come again, or ends where one word comes again and again.
    """
    if len(words) <= _WORDS_A_S * seconds:
        return words
    for at in range(1, len(words) - _LEAST):
        if len(set(words[at:])) == 1:
            return said_once(words[: at + 1], seconds)
    for at in range(_LEAST, len(words)):
        if words[at : at + _LEAST] == words[:_LEAST][: len(words) - at]:
            return words[:at]
    return words
