"""Steps that somebody has put as a list: "1. … 2. …", "a) … b) …", "step 1: …", "first …, second …", arrows.

What stands between them becomes a semicolon, in a text of the same length, so that places stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

import msgspec

_ARROWS = re.compile(
    r"[-=]+>|[\u2192\u21d2\u2794\u279c]|(?<=\s)(?:/|>>?)(?=\s)|(?<=[^\s,;.:!?])[ \t]*[\r\n]+\s*(?=\S)"
)
_PLUS = re.compile(r"(?<=\s)\+(?=\s)")
_NUMBERS = re.compile(
    r"(?:^|(?<=[\s;,.!?]))(?:step\s+)?\(?(\d{1,2}|[a-h])(?:[.)]|:(?!\d))(?=\s+\S)", re.IGNORECASE
)
#: Lists begin with one of these; fewer steps are none.
_FIRST, _LEAST = ("1", "a"), 2


class Steps(msgspec.Struct, frozen=True):
    """Words that the steps of a list begin with, where a part of a text begins: "first", "one:".

    pattern: finds such words; order: which step each begins.
    """

    pattern: re.Pattern[str] | None = None
    order: dict[str, int] = {}

    @classmethod
    def of(cls, ordinals: Iterable[str], cardinals: Iterable[str]) -> Steps:
        """ordinals: for each step its words, parted by commas; behind cardinals stands a colon or a stop."""
        order: dict[str, int] = {}
        patterns: list[str] = []
        for several, behind in ((ordinals, r"(?:\s*[:,])?(?=\s+\w)"), (cardinals, r"\s*[:.](?=\s+\w)")):
            steps = [[word.strip() for word in each.split(",")] for each in several]
            order |= {word: place for place, words in enumerate(steps) for word in words}
            if words := "|".join(re.escape(word) for step in steps for word in step):
                patterns.append(f"({words}){behind}")
        if not patterns:
            return NO_STEPS
        begins = r"(?:^\s*|[,;.:!?]\s*(?:and\s+)?)"
        return cls(re.compile(rf"{begins}(?:{'|'.join(patterns)})", re.IGNORECASE), order)


NO_STEPS: Final = Steps()


def separated(text: str, words: Steps = NO_STEPS) -> str:
    """The text with semicolons between the steps of a list; the same text where there is none."""
    text = _ARROWS.sub(_semicolon, text)
    text = _PLUS.sub("&", text)
    text = _in_words(text, words)
    steps = [*_NUMBERS.finditer(text)]
    if len(steps) < _LEAST or text[: steps[0].start()].strip() or steps[0][1].lower() not in _FIRST:
        return text
    expected = steps[0][1].lower()
    for step in steps:
        if step[1].lower() != expected:
            return text
        expected = str(int(expected) + 1) if expected.isdigit() else chr(ord(expected) + 1)
    for step in steps:
        blank = " " * (step.end() - step.start() - 1)
        text = f"{text[: step.start()]}{blank}{';' if step.start() else ' '}{text[step.end() :]}"
    return text


def _in_words(text: str, words: Steps) -> str:
    """The same for steps that begin with words; none where one word follows all of them, which may be the
    thing that is counted: "first arm up, second arm down".
    """
    steps = [*words.pattern.finditer(text)] if words.pattern is not None else []
    said = [next(group for group in step.groups() if group) for step in steps]
    order = [words.order[word.lower()] for word in said]
    if len(steps) < _LEAST or order[0] != 0 or any(b <= a for a, b in pairwise(order)):
        return text
    follow = [text[step.end() :].split(maxsplit=1)[0].lower() for step in steps]
    if len(set(follow)) == 1 and not any(step[0].endswith((":", ",", ".")) for step in steps):
        return text
    for step in steps:
        blank = " " * (step.end() - step.start() - 1)
        text = f"{text[: step.start()]}{';' if step.start() else ' '}{blank}{text[step.end() :]}"
    return text


def _semicolon(found: re.Match[str]) -> str:
    return f";{' ' * (len(found[0]) - 1)}"
