"""Steps that somebody has written as a list: "1. … 2. …", "a) … b) …", "step 1: …", arrows, slashes, lines.

What stands between them becomes a semicolon, in a text of the same length, so that places stay what they are.
"""

from __future__ import annotations

import re

_ARROWS = re.compile(
    r"[-=]+>|[\u2192\u21d2\u2794\u279c]|(?<=\s)(?:/|>>?)(?=\s)|(?<=[^\s,;.:!?])[ \t]*[\r\n]+\s*(?=\S)"
)
_PLUS = re.compile(r"(?<=\s)\+(?=\s)")
_NUMBERS = re.compile(
    r"(?:^|(?<=[\s;,.!?]))(?:step\s+)?\(?(\d{1,2}|[a-h])(?:[.)]|:(?!\d))(?=\s+\S)", re.IGNORECASE
)
#: Lists begin with one of these; fewer steps are none.
_FIRST, _LEAST = ("1", "a"), 2


def separated(text: str) -> str:
    """The text with semicolons between the steps of a list; the same text where there is none."""
    text = _ARROWS.sub(_semicolon, text)
    text = _PLUS.sub("&", text)
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


def _semicolon(found: re.Match[str]) -> str:
    return f";{' ' * (len(found[0]) - 1)}"
