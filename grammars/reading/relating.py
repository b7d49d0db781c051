"""Steps that are said by how they relate to those before them: "and back again", "another 40 cm", "2 s".

What each of them then is, is found when the whole instruction is known (`anaphora.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from framework.plan.ast import Plan
from grammars.core import Marker
from grammars.reading.anaphora import DOUBT_WHICH, all_times, back, further, same_verb
from grammars.reading.clauses import Clauses
from grammars.reading.markers import Markers, counted, duration_s
from grammars.reading.matching import Matching
from grammars.reading.outcome import Outcome, Row, with_more
from grammars.reading.slots import Amounts
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Quantity
from grammars.units import TIME

_ANGLE = "rad"
_OF_WAYS = ("m", _ANGLE)
#: "Bring it back" behind a motion is that motion undone, or a motion to the back: as likely.
_SAID = 1
#: A number that is said again is at most so many times greater or smaller.
_MOST_RATIO = 10.0


class Relating:
    """Finds them behind other steps. pause: makes a plan that waits for so many seconds."""

    def __init__(self, markers: Markers, clauses: Clauses, pause: Callable[[float], Plan]) -> None:
        self._markers = markers
        self._clauses = clauses
        self._pause = pause
        moving = (
            each
            for each in clauses.phrasebook.actions.values()
            if any(parameter.opposites for parameter in each.parameters)
        )
        self._amounts = Amounts(parameter.unit for each in moving for parameter in each.parameters)

    def rows(self, matching: Matching, at: int) -> Iterator[Row]:
        """Every such step that begins here, with politeness behind it."""
        for each in self._find(matching, at):
            yield each
            for end in self._markers.ends(matching, Marker.CLOSING, each.end):
                yield with_more(each, Outcome(None, end), each.what)

    def _find(self, matching: Matching, at: int) -> Iterator[Row]:
        for place in self._markers.after_openings(matching, at):
            for each in self._clauses.with_its_theme(matching, place):
                yield each
                for end in self._markers.ends(matching, Marker.ONCE_MORE, each.end):
                    yield with_more(each, Outcome(None, end), each.what)
            for each in self._back(matching, place):
                yield each
                for end in self._markers.ends(matching, Marker.SAME_AMOUNT, each.end):
                    yield with_more(each, Outcome(None, end), each.what)  # "down again just as much"
            yield from self._further(matching, place)
            yield from self._pauses(matching, place)
            for part in self._markers.parts(matching, Marker.ALL_TIMES, place):
                count = counted(part)
                yield Outcome((all_times(count),), part.end, part.known, doubt=part.doubt)
                for between in self._markers.parts(matching, Marker.BETWEEN, part.end):
                    known = part.known + between.known
                    yield Outcome((all_times(count, duration_s(between)),), between.end, known)
            if place < matching.size and matching.tokens[place] in self._markers.light:
                continue
            for end in self._clauses.pronoun_ends(matching, place + 1):
                for more in self._markers.ends(matching, Marker.ONCE_MORE, end):
                    if ways := self._clauses.ways_with(matching, place):
                        yield Outcome((same_verb(ways),), more)
                        # "Raise it, then lower it again" undoes that.
                        if len(ways := tuple(each for each in ways if each[1])) == 1:
                            yield Outcome((back(ways, says_way=True),), more)

    def _further(self, matching: Matching, at: int) -> Iterator[Row]:
        """The last motion that has such an amount, by so much more: "another 40 cm", "3 cm more"."""
        if not self._amounts.examples:
            return  # nothing moves by an amount
        begins = dict.fromkeys(self._markers.ends(matching, Marker.FURTHER, at), True)
        for begin in begins:
            matching.stuck(begin, self._amounts)
        for begin, is_said in {at: False, **begins}.items():
            for quantity in matching.quantities(begin):
                ends = self._markers.ends(matching, Marker.FURTHER_BEHIND, quantity.end)
                amount = _amount(matching, quantity, at)
                for end in (quantity.end, *ends) if is_said else ends:
                    if amount is not None and not quantity.is_vague:
                        value, unit = amount
                        yield Outcome((further(value, unit),), end, quantity.end - begin, said=_SAID)

    def _pauses(self, matching: Matching, at: int) -> Iterator[Row]:
        """A time alone between two steps is how long it waits: "open it, 2 s, close it"."""
        if at < 1 or matching.tokens[at - 1] not in MARKS:
            return
        for quantity in matching.quantities(at):
            begins = self._markers.ends(matching, Marker.THEN, quantity.end)
            is_between = any(begin < matching.size for begin in begins)
            if quantity.unit == TIME and is_between and not quantity.is_vague:
                known = quantity.end - at
                yield Outcome((self._pause(quantity.value),), quantity.end, known, said=_SAID)

    def _back(self, matching: Matching, at: int) -> Iterator[Row]:
        """ "Turn back", "back again", "back down", "both back", "45 back"."""
        ones = self._clauses.ones_named(matching, at)
        for begin, named in ({at: ()} | ones).items():
            yield from self._way_back(matching, begin, named)
        begins: dict[int, tuple[tuple[str, str], ...]] = {at: ()}
        if at + 1 not in ones and (names := self._clauses.ways_with(matching, at)):
            for end in (at + 1, *self._clauses.pronoun_ends(matching, at + 1)):
                begins[end] = names
        for begin, names in begins.items():
            for end in self._markers.ends(matching, Marker.BACK, begin) if begin > at else ():
                yield Outcome((back(names),), end, said=_SAID)
            for end in self._markers.ends(matching, Marker.BACK, begin):
                for quantity in matching.quantities(end):
                    if quantity.unit in ("", _ANGLE):
                        yield _turned(names, quantity, quantity.end, quantity.end - end)
            for quantity in matching.quantities(begin):
                if quantity.unit in ("", _ANGLE) and quantity.end < matching.size:
                    for end in self._markers.ends(matching, Marker.BACK, quantity.end):
                        yield _turned(names, quantity, end, quantity.end - begin)

    def _way_back(self, matching: Matching, at: int, ones: tuple[str, ...]) -> Iterator[Row]:
        """ "Back", "back down", "down again", "down": with the way there it is told which motion is meant."""
        backs = self._markers.ends(matching, Marker.BACK, at)
        for end in backs:
            yield Outcome((back(ones=ones),), end, said=_SAID)
        for begin in dict.fromkeys((at, *backs)):
            for end, ways in self._clauses.ways_named(matching, begin).items():
                step = back(ways, ones=ones, says_way=True)
                again = (
                    *self._markers.ends(matching, Marker.ONCE_MORE, end),
                    *self._markers.ends(matching, Marker.BACK, end),
                )
                for last in again:
                    yield Outcome((step,), last, said=_SAID)
                for quantity in matching.quantities(end) if begin > at else ():  # "back up 10 cm"
                    step = back(ways, (quantity.unit, quantity.value), ones=ones, says_way=True)
                    if quantity.unit in _OF_WAYS:
                        yield Outcome((step,), quantity.end, quantity.end - end, said=_SAID)
                is_bare = begin == at and not ones
                if not is_bare or matching.is_loose:  # a way alone is said again: "…, then right"
                    yield Outcome((step,), end, said=_SAID, doubt=DOUBT_WHICH if is_bare else 0.0)


def _amount(matching: Matching, quantity: Quantity, at: int) -> tuple[float, str] | None:
    """(value, unit) of what is said once more. A bare number is in the unit of the last amount that it could
    be compared with: after "1.5 m" and "45 degrees", another ".5" are metres. None if that is not clear.
    """
    if quantity.unit:
        return quantity.value, quantity.unit
    last: dict[str, Quantity] = {}
    for begin in sorted(place for place in matching.utterance.quantities if place < at):
        longest = matching.quantities(begin)[0]
        if longest.scale and longest.unit != TIME:  # a pause is no motion
            last[longest.unit] = longest
    near = [
        each
        for each in last.values()
        if each.value and 1 / _MOST_RATIO <= quantity.value * each.scale / each.value <= _MOST_RATIO
    ]
    return (quantity.value * near[0].scale, near[0].unit) if len(near) == 1 else None


def _turned(ways: Sequence[tuple[str, str]], quantity: Quantity, end: int, known: int) -> Row:
    return Outcome((back(ways, (_ANGLE, _angle_rad(quantity))),), end, known, said=_SAID)


def _angle_rad(quantity: Quantity) -> float:
    """A bare number of a turn is in degrees."""
    return quantity.value if quantity.unit else math.radians(quantity.value)
