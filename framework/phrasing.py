"""Articles, places in a queue and names in the words of sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
#: What takes no article: it has one or is a clause ("who is connected"), or it is written as in a program.
_WITHOUT = re.compile(r"(?:the|a|an|my|your|this|that|who|what)\b|\w+\(", re.IGNORECASE)


def the(thing: str) -> str:
    """ "arm" → "the arm"; "the driver's seat" and "Camera(kind='rgb')" stay as they are."""
    return thing if not thing or _WITHOUT.match(thing) else f"the {thing}"


def in_the_queue(place: int) -> str:
    """1 → "first in the queue", 12 → "number 12 in the queue"."""
    return f"{_FIRST[place - 1] if place <= len(_FIRST) else f'number {place}'} in the queue"


def with_classes(words: Sequence[str], classes: Mapping[tuple[str, ...], str]) -> tuple[str, ...]:
    """The words, with the longest names in them as what they are in `classes`: "the name_things is there"."""
    longest = max(map(len, classes), default=0)
    found: list[str] = []
    at = 0
    while at < len(words):
        lengths = range(min(longest, len(words) - at), 0, -1)
        here = next((n for n in lengths if tuple(words[at : at + n]) in classes), 0)
        found.append(classes[tuple(words[at : at + here])] if here else words[at])
        at += max(here, 1)
    return tuple(found)
