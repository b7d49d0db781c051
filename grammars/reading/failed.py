"""What a text that is not understood tells of others that begin like it. Pure.

Whoever is not understood is tried again: without fillers, with other words, with parts left out. Of the text
as it stood it is known how far anything got (`Matching.furthest`). What differs only behind that place is
read up to there in just the same way, and gets stuck in just the same place: it need not be tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from grammars.reading.utterance import Utterance

_What = TypeVar("_What")


class Failed:
    """A text that was not understood, read as it stands.

    furthest: the last place that anything reached in it. loosely: the same if it is read loosely; only asked
    for when it matters.
    """

    def __init__(self, utterance: Utterance, furthest: int, loosely: Callable[[], int]) -> None:
        self._utterance = utterance
        self._furthest = furthest
        self._loosely = loosely
        self._loosely_furthest: int | None = None

    def rules_out(self, other: Utterance) -> bool:
        """Whether another text, read as it stands, cannot be understood either."""
        place = first_difference(self._utterance, other)
        if place <= self._furthest:
            return False
        if self._loosely_furthest is None:
            self._loosely_furthest = self._loosely()
        return place > self._loosely_furthest


def first_difference(one: Utterance, other: Utterance) -> int:
    """The first token at which two texts differ: in its word, or in a name or a number that begins there."""
    place = min(len(one.tokens), len(other.tokens))
    for at, (token, another) in enumerate(zip(one.tokens, other.tokens, strict=False)):
        if token.text != another.text:
            place = at
            break
    place = _different_before(one.quantities, other.quantities, place)
    for kind in one.names.keys() | other.names.keys():
        place = _different_before(one.names.get(kind, {}), other.names.get(kind, {}), place)
    return place


def _different_before(one: Mapping[int, _What], other: Mapping[int, _What], place: int) -> int:
    places = (at for at in one.keys() | other.keys() if at < place and one.get(at) != other.get(at))
    return min(places, default=place)
