"""Whether a remark warns: somebody is in the way, something is broken. Pure.

    there is a person behind you         where something is, seen from the robot: PRESENCE
    here is glass, the floor is wet      what calls for care: PRESENCE
    my sleeve is stuck, it is locked     what calls for not doing it: HAZARD

That nobody is there warns of nothing ("there is nobody behind you"), nor does what is denied ("it isn't
broken"), unless it should be so ("it doesn't work"). What speakers have may be broken ("my phone is dead"),
but neither stuck nor in the way. Words alone tell: whether it is true is for the sensors.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Sequence

from grammars.core import Asides
from grammars.reading.inflection import base_forms

#: So many words say where something is, and so many begin a remark about what speakers have.
_MOST_WORDS, _MOST_FIRST = 3, 2
_BEING = ("'s", "'re", "'m", "'ve")


class Danger(enum.IntEnum):
    """How much a remark warns: PRESENCE is heeded by whoever takes care, HAZARD is not."""

    NONE = 0
    PRESENCE = 1
    HAZARD = 2


def danger_of(tokens: Sequence[str], text: str, words: Asides) -> Danger:
    """Of what a remark warns. tokens: its words; text: the same as it was said, with "your" and "my"."""
    said = re.findall(r"[\w']+", text.casefold())
    if any(each in words.denied or each.endswith("n't") for each in tokens):
        if _has(tokens, words.hazards_if_denied):
            return Danger.HAZARD
        is_there = not _has(tokens[:_MOST_FIRST], words.nobody)  # "they can't hear, they are behind you"
        return Danger.PRESENCE if is_there and _is_near(tokens, said, words) else Danger.NONE
    if _has(tokens, words.hazards):
        return Danger.HAZARD
    is_of_speaker = tokens[0] in words.persons or _has(said[:_MOST_FIRST], words.possessing)
    if not is_of_speaker and _has(tokens, words.defects):
        return Danger.HAZARD
    if _is_near(tokens, said, words) or _is_about(tokens, words):
        return Danger.PRESENCE
    is_weather = tokens[0] in words.weather and _places(tokens, words.ambient) >= 0
    is_dangerous = not is_of_speaker and not is_weather and _has(tokens, words.dangers)
    return Danger.PRESENCE if is_dangerous else Danger.NONE


def foretold(tokens: Sequence[str], words: Asides) -> int:
    """Where it is said what the robot would do amiss, or who is to come along; 0 if that is not said.

    "Open it, you'll drop it"; "come with me to the door" is no way that the robot could go alone.
    """
    for at in range(1, len(tokens)):
        if " ".join(tokens[at : at + 2]) in words.company:
            return at
        size = next((size for size in (2, 1) if " ".join(tokens[at : at + size]) in words.foretelling), 0)
        after = tokens[at + size : at + size + 1]
        if size and (_has(after, words.hazards) or _has(after, words.defects)):
            return at
    return 0


def _is_near(tokens: Sequence[str], said: Sequence[str], words: Asides) -> bool:
    """Whether something is said to be where the robot is, or works: "behind you", "in your way", "in it"."""
    is_located = any(each in words.locating or each.endswith(_BEING) for each in tokens) or (
        tokens[0] in words.existing
    )
    if not is_located:
        return False
    if _places(tokens, words.in_the_way) >= 0:
        return True
    end = _places(tokens, words.near)
    is_of_robot = _has(said, words.of_robot)
    while 0 <= end < len(tokens):
        if is_of_robot or tokens[end] in words.addressing:
            return True
        more = _places(tokens[end:], words.near)
        end = end + more if more >= 0 else -1
    return False


def _is_about(tokens: Sequence[str], words: Asides) -> bool:
    """Whether something is just there: "there is a child", "somebody is lying there"."""
    at = next((at for at, word in enumerate(tokens) if word in words.obstacles), -1)
    if at < 0 or not (tokens[0] in words.existing or _has(tokens, words.locating)):
        return False
    return tokens[-1] in words.about or (tokens[0] in words.existing and at == len(tokens) - 1)


def _places(tokens: Sequence[str], several: Collection[str]) -> int:
    """Where the first of several ways ends; -1 if none is there."""
    for at in range(len(tokens)):
        for size in range(_MOST_WORDS, 0, -1):
            if at + size <= len(tokens) and " ".join(tokens[at : at + size]) in several:
                return at + size
    return -1


def _has(said: Sequence[str], several: frozenset[str]) -> bool:
    """Whether a word of several is said, in any of its forms: "forbids"."""
    return any(form in several for word in said for form in (word, *base_forms(word)))
