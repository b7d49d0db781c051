"""What a text would mean if some of its words were the name of something: for saying what there is none of.

Only for texts that nothing understands. "Send phone 9 away" is a phrase of an action but for the name: of all
that begins with "send", that one has the most of its own words in the text, and it is what is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import msgspec

from framework.plan.ast import Plan, Value, actions_of, leaves_of
from framework.plan.parser import Reading
from grammars.reading.matching import Head, Matching, Slot

#: Of a name that nobody knows.
MOST_NAME_WORDS = 4
#: In longer texts there is too much to suppose.
MOST_WORDS = 24
#: Steps of the matching that are left for it: it is only about a better answer.
MOST_STEPS = 30_000


class Supposed(msgspec.Struct, frozen=True):
    """These words as the name of something that may be said for a slot: the tokens from `at` to `end`."""

    slot: Slot
    at: int
    end: int


class Supposing:
    """Takes any few words for names, and remembers which for what. ends: see `Matching.is_boundary`.

    strange: the places of words that nobody knows (`Grammar.strange`), and of numbers: a name has one.
    """

    def __init__(self, size: int, is_boundary: Callable[[int], bool], strange: AbstractSet[int]) -> None:
        self._strange = strange
        self._size = size
        self._is_boundary = is_boundary
        self._by_value: dict[str, Supposed] = {}

    def names(self, slot: Slot, at: int) -> Iterator[tuple[int, str]]:
        """(end, value) of all names that could begin here."""
        for end in range(at + 1, min(at + MOST_NAME_WORDS, self._size) + 1):
            if self._is_boundary(end - 1):
                return
            if end > at + 1 and end - 1 not in self._strange:
                return  # "red valve" and "pump handle", but not "pump and take"
            if self._strange.isdisjoint(range(at, end)):
                continue
            value = f"\0{len(self._by_value)}"
            self._by_value[value] = Supposed(slot, at, end)
            yield end, value

    def may_name(self, at: int) -> bool:
        """Whether a word may be one of a name."""
        return at in self._strange or at + 1 in self._strange

    def of(self, plan: Plan) -> tuple[Supposed, ...]:
        """What was supposed for a plan, in the order of its words."""
        found = [each for value in _values(plan) if (each := self._by_value.get(str(value))) is not None]
        return tuple(sorted(found, key=lambda each: each.at))


class Unknown(msgspec.Struct, frozen=True):
    """A name that would have to be known.

    what: it would be the name of that. action: what would be done with it, if anything.
    known: those that are. sentence: if the list says it in its own way.
    """

    said: str
    what: str
    action: str = ""
    known: tuple[str, ...] = ()
    sentence: str = ""


def unknown_name(matching: Matching, supposing: Supposing, readings: tuple[Reading, ...]) -> Unknown | None:
    """The first name that would have to be known; None if no name would help.

    readings: what the text means with what is supposed, the best first. Equally good ones are told together.
    """
    best = [supposing.of(each.plan) for each in readings if each.confidence == readings[0].confidence]
    if not best or not best[0]:
        return None
    first = best[0][0]
    same = [each.slot for row in best for each in row if (each.at, each.end) == (first.at, first.end)]
    said = matching.said(first.at, first.end)
    action = next((do.action for do in actions_of(readings[0].plan)), "")
    if matching.tokens[first.end - 1].endswith("'s"):  # what somebody has: "phone 9's session"
        said = said[:-2]
    if not first.slot.kind:  # which one of several: "middle" before "arm"
        noun = matching.said(first.end, first.end + 1)
        return Unknown(f"{said} {noun}", noun, action, tuple(matching.ending_in(matching.tokens[first.end])))
    known = known_for(matching, same)
    return Unknown(said, first.slot.noun, action, known, first.slot.unknown_person(said, known))


def known_for(matching: Matching, slots: Sequence[Slot]) -> tuple[str, ...]:
    """The names that may be said for any of some slots."""
    offers = (offer for slot in slots for offer in slot.offers(matching, Head.PLAIN))
    return tuple(dict.fromkeys(offer.shown for offer in offers if offer.is_name))


def _values(plan: Plan) -> Iterator[Value]:
    for do in actions_of(plan):
        yield from do.parameters.values()
    for condition in leaves_of(plan):
        yield from condition.arguments.values()
