"""Words that say of several steps how they go together: "A, B, at the same time", "one by one: A, B".

They stand in front of the steps or behind, and the steps are joined by commas, "and" or full stops; what
"then" joins is in order already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from framework.plan.ast import Parallel
from grammars.core import Marker
from grammars.reading.combining import Steps, at_once, in_sequence
from grammars.reading.markers import ENDS_OF_SENTENCES, Markers
from grammars.reading.matching import Matching
from grammars.reading.outcome import Outcome, Row, best, with_more

MARKS_BETWEEN = frozenset((",", ";")) | ENDS_OF_SENTENCES
_WAYS = (Marker.AT_ONCE, Marker.IN_ORDER)
_PLACES = ("arranging",)
#: What is said of how they go together is no more usual than a comma that joins them.
_STYLE = 1


class Arranging:
    """Finds steps with such words.

    units: finds what "and" joins; elided: finds what a comma joins of which the beginning was said before.
    """

    def __init__(
        self,
        markers: Markers,
        units: Callable[[Matching, int], list[Row]],
        elided: Callable[[Matching, int, Row], Iterator[Row]],
    ) -> None:
        self._markers = markers
        self._units = units
        self._elided = elided

    def rows(self, matching: Matching, at: int) -> Iterator[Row]:
        """The steps that begin here, with words about all of them, as one step."""
        places = self._places(matching)
        for way, end in places.get(at, ()):
            begin = end + (matching.tokens[end : end + 1] in ((",",), (":",)))
            for row in self._listed(matching, begin):
                yield from self._arranged(row, way, row.end)
        if not any(place > at for place in places):
            return
        for row in self._listed(matching, at):
            is_parted = row.end < matching.size and matching.tokens[row.end] in MARKS_BETWEEN
            for place in (row.end, row.end + 1) if is_parted else (row.end,):
                for way, end in places.get(place, ()):
                    yield from self._arranged(row, way, end)
                    for further in (end, end + 1):  # "while you're at it, in one go"
                        for again, last in places.get(further, ()):
                            if again is way and matching.tokens[end:further] in ((), (",",)):
                                yield from self._arranged(row, way, last)

    # -- inside

    def _arranged(self, row: Row, way: Marker, end: int) -> Iterator[Row]:
        """row: the steps; all of it ends at end."""
        steps: Steps = row.what
        if len(steps) == 1 and isinstance(steps[0], Parallel):  # "both arms", that are done at once already
            steps = steps[0].branches
        if len(steps) > 1:
            plan = at_once(steps) if way is Marker.AT_ONCE else in_sequence(steps)
            yield with_more(row, Outcome(None, end), (plan,), style=_STYLE)

    def _listed(self, matching: Matching, at: int) -> list[Row]:
        """Steps that only marks and "and" join, each for itself."""
        key = ("listed", at)
        found = matching.memory.get(key)
        if found is None:
            matching.memory[key] = []
            found = matching.memory[key] = best(self._find_listed(matching, at))
        return cast("list[Row]", found)

    def _find_listed(self, matching: Matching, at: int) -> Iterator[Row]:
        for row in self._units(matching, at):
            yield row
            begin = row.end
            while begin < matching.size and matching.tokens[begin] in MARKS_BETWEEN:
                begin += 1
            if begin == row.end or row.is_open or row.is_scoped:
                continue
            for rest in (*self._listed(matching, begin), *self._elided(matching, begin, row)):
                yield with_more(row, rest, row.what + rest.what, style=_STYLE)

    def _places(self, matching: Matching) -> dict[int, list[tuple[Marker, int]]]:
        """Where such words begin; which of both they are, and where they end."""
        found = matching.memory.get(_PLACES)
        if found is None:
            furthest, wanted = matching.furthest, dict(matching.wanted)  # how far it got is about clauses
            matching.furthest = matching.size + 1
            places: dict[int, list[tuple[Marker, int]]] = {}
            for at in range(matching.size):
                for way in _WAYS:
                    for end in self._markers.ends(matching, way, at):
                        places.setdefault(at, []).append((way, end))
            matching.furthest, matching.wanted = furthest, wanted
            found = matching.memory[_PLACES] = places
        return cast("dict[int, list[tuple[Marker, int]]]", found)
