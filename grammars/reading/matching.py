"""What is kept while one utterance is matched: where names and numbers stand, and how far anything got.

One `Matching` lives for one parse. Nodes of the network read it and remember in it what they have found
already, so that no node is matched twice at one place: that keeps the work bounded for any text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import IntEnum
from typing import Protocol

import msgspec

from framework.plan.ast import Value
from framework.plan.parser import Known, World
from grammars.core import Marker
from grammars.reading.accepting import Accepts
from grammars.reading.inflection import base_forms
from grammars.reading.nouns import Nouns
from grammars.reading.utterance import Gap, Named, Quantity, Utterance
from grammars.units import COUNT

#: More ways to read one piece of text than these are not kept.
MOST_WAYS = 48
#: More steps than these, and what was found by then has to do. A sentence of ten words takes some hundred.
MOST_STEPS = 150_000


#: What a text can have besides words, for `Node.needs` and `Node.first`.
A_NUMBER, A_REFERENCE, A_SUPPOSED_NAME = "\0number", "\0reference", "\0supposed"


def a_name(kind: str) -> str:
    """The same for names of a kind."""
    return f"\0{kind}"


class Head(IntEnum):
    """In which form the first word of a clause is expected."""

    PLAIN = 0  # show
    GERUND = 1  # showing
    DONE = 2  # shown, shows


class Rank(IntEnum):
    """How much an offer says about what can be done; the lower, the more."""

    ACTION = 0  # a word of an action, a name, a number
    JOIN = 1  # "then"
    SYNONYM = 2  # "after which", "display"
    POLITE = 3  # "please"


class Part(msgspec.Struct, frozen=True, gc=False):
    """One way through a part of the network.

    end: the token after it; known, free: words that are known names and numbers, and words that nothing
    vouches for (the rest are words of the grammar). doubt: how much less sure a person can be of it.
    tail: the slot that was said last of all; None if words came after it. others: further things that a slot
    names ("the camera and the scan"): the same would be done with each of them; at_once: with "both" at once.
    manners: how many manners ("slowly") it has taken. left_out: words in it that nobody knows (from, to).
    """

    end: int
    values: tuple[tuple[str, Value], ...] = ()
    known: int = 0
    free: int = 0
    doubt: float = 0.0
    tail: Slot | None = None
    others: tuple[tuple[str, Value], ...] = ()
    at_once: bool = False
    manners: int = 0
    left_out: tuple[tuple[int, int], ...] = ()


class Offer(msgspec.Struct, frozen=True):
    """What could be said at a place.

    text: words that can really be said; empty if only a description can be given.
    shown: the same for a person: "two seconds", "<text>". rank: how much it says about what can be done.
    is_name: the text is the name of a known thing.
    """

    text: str
    shown: str
    rank: Rank = Rank.ACTION
    is_name: bool = False


class Slot(Protocol):
    """A slot where something was said for it (`slots.SlotNode`)."""

    @property
    def slot(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def accepts(self) -> Accepts: ...
    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]: ...
    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]: ...
    @property
    def noun(self) -> str: ...

    def unknown_person(self, said: str, known: Sequence[str]) -> str: ...


class Supposes(Protocol):
    """Takes words for names that nobody knows (`supposing.Supposing`)."""

    def names(self, slot: Slot, at: int) -> Iterator[tuple[int, str]]: ...
    def may_name(self, at: int) -> bool: ...


class Offers(Protocol):
    """Whatever can say what it wants."""

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]: ...


class Matching:
    """One utterance in one world, while it is matched.

    size: how many tokens count. furthest: the last place that anything reached; wanted: what would have been
    possible there. problems: sentences about what was nearly right, and where (from, to). supposing: words
    that are taken for names which nobody knows. level: how many clauses in clauses are being read.
    gaps: where it was said in which manner something is to be done.
    is_thorough: also what cannot be understood is walked, as far as it goes, so that `furthest`, `wanted` and
    `problems` are known; else what needs words that are not there is passed over.
    is_loose: clauses may follow one another without a join, commas stand anywhere, and what is said again be
    left out. by_roles: clauses need be none of the templates, if all that takes part is there
    (`roles`); passes_strange: with words between that nobody knows.
    origins: by the identity of an action, the action itself and the phrase that it was found with.
    """

    def __init__(
        self,
        utterance: Utterance,
        world: World,
        text: str = "",
        *,
        references: Mapping[str, Sequence[tuple[tuple[str, ...], Value]]],
        boundaries: frozenset[str] = frozenset(),
        kinds: Sequence[str] = (),
        supposing: Supposes | None = None,
        gaps: Sequence[Gap] = (),
        is_thorough: bool = True,
        is_loose: bool = False,
        by_roles: bool = False,
        passes_strange: bool = False,
        nouns: Nouns | None = None,
    ) -> None:
        self.supposing = supposing
        self._nouns = Nouns() if nouns is None else nouns
        self.gaps = gaps
        self.is_loose = is_loose
        self.by_roles = by_roles
        self.passes_strange = passes_strange
        self.origins: dict[int, tuple[object, object]] = {}
        self.utterance = utterance
        self.world = world
        self.text = text or utterance.text
        self.tokens = tuple(token.text for token in utterance.tokens)
        self.size = len(self.tokens)
        self.references = references
        self.memory: dict[tuple[object, ...], object] = {}
        #: What of it depends on the words alone: other walks of the same text may take it over (`Joins`).
        self.of_words: dict[tuple[object, ...], object] = {}
        #: By place, the markers that may begin there (`Markers.ends`).
        self.markers: dict[int, frozenset[Marker]] = {}
        self.furthest = 0 if is_thorough else self.size + 1
        self.wanted: dict[tuple[int, Head], tuple[Offers, Head]] = {}
        self.problems: list[tuple[int, int, str, object]] = []
        self.steps = 0
        self.silent_at = -1
        self.level = 0
        self._boundaries = boundaries
        self._numbers = utterance.quantities.keys()
        supposed = (A_SUPPOSED_NAME,) if supposing is not None else ()
        self._marks = (supposed, (A_NUMBER, *supposed))
        self._kinds = kinds
        self._ends: dict[int, tuple[int, ...]] = {}
        self._within_names: frozenset[int] | None = None
        self._within_known: frozenset[int] | None = None
        self.there = self.all_there()
        self.is_thorough = is_thorough

    @property
    def is_exhausted(self) -> bool:
        """Whether so much has been tried that the rest is left out."""
        return self.steps > MOST_STEPS

    def may_have(self, needs: Iterable[frozenset[str]]) -> bool:
        """Whether something that needs one word of each of these may be said here."""
        if not self.is_thorough:
            there = self.there
            for need in needs:
                if need.isdisjoint(there):
                    return False
        return True

    def all_there(self, at: int = 0, end: int | None = None) -> frozenset[str]:
        """Every word, those that it is a form of, and what other than words there is (in the whole text)."""
        there = {form for token in set(self.tokens[at:end]) for form in base_forms(token)}
        if self.utterance.quantities:
            there.add(A_NUMBER)
        if not self.references.keys().isdisjoint(there):
            there.add(A_REFERENCE)
        if self.supposing is not None:
            there.add(A_SUPPOSED_NAME)
        names, knows_nothing = self.utterance.names, not self.knows_anything
        there.update(a_name(kind) for kind in self._kinds if knows_nothing or names.get(kind))
        return frozenset(there)

    def stuck(self, at: int, wants: Offers, head: Head = Head.PLAIN) -> None:
        """At this place something else was wanted."""
        if at == self.silent_at:
            return  # somebody speaks for all that could begin here
        if at > self.furthest:
            self.furthest = at
            self.wanted = {}
        if at == self.furthest:
            self.wanted[id(wants), head] = (wants, head)

    def problem(self, at: int, end: int, sentence: str, slot: object) -> None:
        """Something from here to there was understood, and would not do for a slot (None: for no phrase)."""
        self.problems.append((at, end, sentence, slot))

    def forms(self, at: int, head: Head) -> tuple[str, ...]:
        """The words that the token counts as: itself, or, at the head of a clause, what it is a form of."""
        token = self.tokens[at]
        if head is Head.PLAIN:
            return (token,)
        is_gerund = token.endswith(("ing", "in'"))
        return base_forms(token) if is_gerund is (head is Head.GERUND) else ()

    def quantities(self, at: int) -> tuple[Quantity, ...]:
        """Numbers that begin here, the longest first."""
        return self.utterance.quantities.get(at, ())

    def marks(self, at: int) -> tuple[str, ...]:
        """What the token counts as besides its word: A_NUMBER, A_SUPPOSED_NAME."""
        return self._marks[at in self._numbers]

    def is_marked(self, first: frozenset[str], at: int) -> bool:
        """Whether one of these is what the token counts as besides its word."""
        marks = self._marks[at in self._numbers]
        return bool(marks) and not first.isdisjoint(marks)

    def can_begin(self, first: frozenset[str], at: int) -> bool:
        """Whether what begins with one of these words or marks can begin here."""
        return at < self.size and (self.tokens[at] in first or self.is_marked(first, at))

    def last_scale(self, dimension: str, at: int) -> float:
        """One of the unit [SI] of the last quantity of this dimension before a place; 0 if there is none."""
        before = [
            (begin, quantity)
            for begin, several in self.utterance.quantities.items()
            for quantity in several
            if quantity.unit == dimension and quantity.end <= at
        ]
        return max(before, key=lambda each: each[0])[1].scale if before else 0.0

    def named(self, kind: str, at: int) -> tuple[Named, ...]:
        """Known names of a kind that begin here, the longest first."""
        return self.utterance.names.get(kind, {}).get(at, ())

    def is_within_name(self, at: int) -> bool:
        """Whether a known name stands on both sides of this place."""
        if self._within_names is None:
            names = (
                (begin, named)
                for places in self.utterance.names.values()
                for begin, found in places.items()
                for named in found
            )
            self._within_names = frozenset(
                place for begin, named in names for place in range(begin + 1, named.end)
            )
        return at in self._within_names

    def reach(self, words: Set[str] | None, at: int, head: Head) -> int:
        """How far something that begins here may get that has only these words, names and numbers.

        words: None if it takes any.
        """
        if words is None or not self.knows_anything:
            return self.size
        known = self.within_known
        if head is not Head.PLAIN and words.isdisjoint(self.forms(at, head)):
            return at
        place = at if head is Head.PLAIN else at + 1
        while place < self.size and (self.tokens[place] in words or place in known):
            place += 1
        return place

    @property
    def within_known(self) -> frozenset[int]:
        """The places of all words of known names and of numbers."""
        if self._within_known is None:
            numbers, names = self.utterance.quantities, self.utterance.names.values()
            spans = [(begin, each.end) for begin, found in numbers.items() for each in found]
            spans += [
                (begin, each.end) for places in names for begin, found in places.items() for each in found
            ]
            self._within_known = frozenset(place for begin, end in spans for place in range(begin, end))
        return self._within_known

    def known(self, kind: str) -> tuple[Known, ...]:
        """All that is known of a kind."""
        key = ("known", kind)
        found = self.memory.get(key)
        if found is None:
            found = self.memory[key] = self.world.known(kind)
        return found  # type: ignore[return-value]  # it was made two lines above

    def ending_in(self, word: str) -> tuple[str, ...]:
        """The names of any kind that end in a word: "left arm" and "right arm" for "arm"."""
        key = ("ending", word)
        found = self.memory.get(key)
        if found is None:
            names = (self._nouns.ending_in(word, kind, self.known(kind)) for kind in self._kinds)
            found = self.memory[key] = tuple(dict.fromkeys(name for several in names for name in several))
        return found  # type: ignore[return-value]  # it was made two lines above

    @property
    def knows_anything(self) -> bool:
        """Whether the world knows a single name of any kind that the language asks for."""
        return any(map(self.known, self._kinds))

    def is_boundary(self, at: int) -> bool:
        """Whether a clause could end in front of this token."""
        if at >= self.size or self.tokens[at] in self._boundaries:
            return True
        return any(each.unit == COUNT for each in self.quantities(at))  # "… three times"

    def boundaries_after(self, at: int) -> tuple[int, ...]:
        """All places after `at` where a clause could end."""
        found = self._ends.get(at)
        if found is None:
            later = (end for end in range(at + 1, self.size + 1) if self.is_boundary(end))
            found = self._ends[at] = tuple(later)
        return found

    def said(self, start: int, end: int) -> str:
        """The original characters of some tokens."""
        if start >= end:
            return ""
        tokens = self.utterance.tokens
        return self.text[tokens[start].start : tokens[end - 1].end]

    def between(self, at: int) -> str:
        """The original characters between the token before `at` and the token at `at`."""
        tokens = self.utterance.tokens
        start = tokens[at - 1].end if at else 0
        end = tokens[at].start if at < self.size else len(self.text)
        return self.text[start:end]


def distinct(parts: list[Part]) -> list[Part]:
    """Equal ways once, each at its best; no more than are worth keeping."""
    if len(parts) < 2:
        return parts
    best: dict[tuple[object, ...], Part] = {}
    for part in parts:
        key = (part.end, part.values, part.others)
        other = best.get(key)
        if other is None or (part.free, part.doubt, part.known) < (other.free, other.doubt, other.known):
            best[key] = part
    if len(best) > MOST_WAYS:
        kept = sorted(best.values(), key=lambda part: (part.free, -part.end))[:MOST_WAYS]
        return kept
    return list(best.values())
