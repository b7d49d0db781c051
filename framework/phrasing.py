"""Articles and places in a queue, for sentences that people read."""

from __future__ import annotations

import re

_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
#: What takes no article: it has one or is a clause ("who is connected"), or it is written as in a program.
_WITHOUT = re.compile(r"(?:the|a|an|my|your|this|that|who|what)\b|\w+\(", re.IGNORECASE)


def the(thing: str) -> str:
    """ "arm" → "the arm"; "the driver's seat" and "Camera(kind='rgb')" stay as they are."""
    return thing if not thing or _WITHOUT.match(thing) else f"the {thing}"


def in_the_queue(place: int) -> str:
    """1 → "first in the queue", 12 → "number 12 in the queue"."""
    return f"{_FIRST[place - 1] if place <= len(_FIRST) else f'number {place}'} in the queue"
