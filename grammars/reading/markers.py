"""The words of the core that belong to no action ("then", "until", "could you"), found in an utterance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from framework.plan.ast import Reference, Value
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from grammars.core import COUNTED, DURATION, VALUE, Core, Marker
from grammars.reading.accepting import accepts
from grammars.reading.manners import MANNERS, RATES, UNITS_OF, RateNode, spans
from grammars.reading.matching import Head, Matching, Part, Rank
from grammars.reading.network import Choice, Compiler, Node, Split, connect
from grammars.reading.slots import SlotNode, constant
from grammars.reading.utterance import Manner, Utterance

_DURATION = ParameterSpec(DURATION, float, unit="s")
_COUNTED = ParameterSpec(COUNTED, int)
#: These are whole conditions, and found with the others (`asking.py`).
_CONDITIONS = (Marker.SAID, Marker.RUNNING, Marker.NOT_RUNNING)
#: What may follow a whole clause: free text may end in front of these.
AFTER_CLAUSE = (
    Marker.CLOSING, Marker.THEN, Marker.AND, Marker.AND_DOING, Marker.WHILE_DOING, Marker.MEANWHILE,
    Marker.WHILE_THAT, Marker.AT_ONCE, Marker.IN_ORDER, Marker.UNTIL, Marker.AS_LONG_AS, Marker.FOR_TIME,
    Marker.DELAY_AFTER, Marker.IF,
    Marker.OTHERWISE, Marker.UNLESS, Marker.WHEN, Marker.BEFORE, Marker.AFTER, Marker.ONCE, Marker.BUT_FIRST,
    Marker.CONDITION_THEN, Marker.CONDITION_AND, Marker.CONDITION_OR, Marker.EVERY, Marker.AGAIN,
    Marker.IF_SO,
)  # fmt: skip
_POLITE = (
    Marker.COMMANDING, Marker.STARTING, Marker.DONE, Marker.DOING, Marker.CLOSING, Marker.CLOSING_SPEECH,
    Marker.FIRST, Marker.CANCEL_OF, Marker.CONDITION_OPENING, Marker.CONDITION_DENYING,
    Marker.CONDITION_CLOSING, Marker.CONDITION_THEN,
)  # fmt: skip
#: What `joins.no_join` may be mistaken for.
_MISTAKABLE = (Marker.THEN, Marker.CLOSING)
_NONE: frozenset[Marker] = frozenset()
#: After so many politenesses no more are looked for.
MOST_OPENINGS = 12
ENDS_OF_SENTENCES = frozenset((".", "!", "?"))


class Markers:
    """The markers of a core, compiled."""

    def __init__(self, core: Core, split: Split) -> None:
        self._core = core
        self._split = split
        self._marker = Marker.THEN
        self._compilers = self._new_compilers()
        self.nodes: dict[Marker, Node] = {
            marker: self._node(marker) for marker in Marker if marker not in _CONDITIONS
        }
        connect(self.nodes.values())
        #: Which of them may begin with a word or a mark, and which with anything.
        self._beginning: dict[str, frozenset[Marker]] = {}
        for marker, node in self.nodes.items():
            for word in node.first:
                self._beginning[word] = self._beginning.get(word, frozenset()) | {marker}
        self._open = frozenset(marker for marker, node in self.nodes.items() if node.is_open)
        words = frozenset[str]().union(*(self.nodes[marker].first for marker in AFTER_CLAUSE))
        self._no_joins = self.first_of((Marker.NO_JOIN,))
        self._manner_words = self.first_of(MANNERS)
        self.prepositions = core.refusing.prepositions
        #: Verbs that say nothing without what is behind them: "do" that again.
        self.light = core.refusing.light
        #: What begins a part that says less than the one before: "but" only halfway.
        self.parting = core.skimming.parting
        self.boundaries = words | ENDS_OF_SENTENCES
        self.references: dict[str, list[tuple[tuple[str, ...], Value]]] = {}
        for texts, is_pointing in ((core.references, False), (core.pointing, True)):
            for text in texts:
                said = split(text)
                self.references.setdefault(said[0], []).append((said, Reference(text, "", is_pointing)))

    def ends(self, matching: Matching, marker: Marker, at: int, head: Head = Head.PLAIN) -> tuple[int, ...]:
        """The places after such words, if any begin here; the longest first."""
        if head is Head.PLAIN and at < matching.furthest:
            begin = matching.markers.get(at)
            if marker not in (self._may_begin(matching, at) if begin is None else begin):
                return ()
        key = (marker, at, head)
        found = matching.of_words.get(key)
        if found is None:
            is_none = marker in _MISTAKABLE and self._is_no_join(matching, at)
            parts = () if is_none else self.parts(matching, marker, at, head)
            found = matching.of_words[key] = tuple(sorted({part.end for part in parts}, reverse=True))
        return cast("tuple[int, ...]", found)

    def parts(self, matching: Matching, marker: Marker, at: int, head: Head = Head.PLAIN) -> Sequence[Part]:
        """The same with the values of slots."""
        node = self.nodes[marker]
        if head is Head.PLAIN:
            if at >= matching.furthest and not node.is_open:
                matching.stuck(at, node, head)
            if marker not in self._may_begin(matching, at):
                return ()
        return node.match(matching, at, head)

    def may_begin(self, matching: Matching, markers: Sequence[Marker], at: int) -> Sequence[Marker]:
        """Those of some that may begin here, by the first word; all, if what is missed is to be told."""
        if at >= matching.furthest:
            return markers
        begin = self._may_begin(matching, at)
        return [marker for marker in markers if marker in begin]

    def after_openings(self, matching: Matching, at: int) -> list[int]:
        """Here, and behind "please," and the like."""
        found = [at]
        for begin in found:
            for end in self.ends(matching, Marker.COMMANDING, begin):
                if end < matching.size and matching.tokens[end] == ",":
                    end += 1
                if end not in found and len(found) < MOST_OPENINGS:
                    found.append(end)
        return found

    def comes_after(self, matching: Matching, marker: Marker, at: int) -> bool:
        """Whether such words may begin anywhere behind a place, or that is to be told."""
        if matching.is_thorough:
            return True
        return any(marker in self._may_begin(matching, place) for place in range(at + 1, matching.size))

    def _may_begin(self, matching: Matching, at: int) -> frozenset[Marker]:
        """Those that may begin here, by the first word; asked for at each place for most of them."""
        found = matching.markers.get(at)
        if found is None:
            found = self._open
            if at < matching.size:
                for word in (matching.tokens[at], *matching.marks(at)):
                    found = found | self._beginning.get(word, _NONE)
            matching.markers[at] = found
        return found

    def _is_no_join(self, matching: Matching, at: int) -> bool:
        """Whether words here only begin like a join: the table "next to" the door."""
        if at >= matching.size or matching.tokens[at] not in self._no_joins:
            return False
        return bool(self.nodes[Marker.NO_JOIN].match(matching, at, Head.PLAIN))

    def has_no_manners(self, utterance: Utterance) -> bool:
        """Whether an utterance names no way to do something, by its words."""
        has_words = not self._manner_words.isdisjoint(token.text for token in utterance.tokens)
        return not has_words and not _rates(utterance)

    def manners(self, matching: Matching) -> list[tuple[int, int, Manner]]:
        """(begin, end, manner) of all the ways to do something that an utterance names."""
        rates = _rates(matching.utterance)
        if self._manner_words.isdisjoint(matching.tokens) and not rates:
            return []
        furthest, wanted = matching.furthest, dict(matching.wanted)  # how far it got is about clauses
        found = [
            (at, marker, self.nodes[marker].match(matching, at, Head.PLAIN))
            for at, token in enumerate(matching.tokens)
            if token in self._manner_words or at in rates
            for marker in MANNERS
            if token in self.nodes[marker].first or (at in rates and self.nodes[marker].is_open)
        ]
        matching.furthest, matching.wanted = furthest, wanted
        return spans(matching, found)

    def first_of(self, markers: Iterable[Marker]) -> frozenset[str]:
        """The words that these can begin with."""
        return frozenset[str]().union(*(self.nodes[marker].first for marker in markers))

    def _node(self, marker: Marker) -> Node:
        self._marker = marker
        # What is equal is one node, but `{value}` is in other units for a rate than for a share.
        compilers = self._new_compilers() if marker in UNITS_OF else self._compilers
        templates = self._core.markers.get(marker, ())
        first, others = Rank.JOIN, Rank.SYNONYM
        if marker in _POLITE or marker in MANNERS:
            first = others = Rank.POLITE
        nodes = [
            compilers[others if index else first].node(template) for index, template in enumerate(templates)
        ]
        return Choice(tuple(nodes))

    def _new_compilers(self) -> dict[Rank, Compiler]:
        return {rank: Compiler(self._core.rules, self._split, self._slot, rank) for rank in Rank}

    def _slot(self, slot: syntax.Slot, after_article: bool, rank: Rank) -> Node:
        if slot.name == VALUE:
            return RateNode(self._marker)
        parameter = _COUNTED if slot.name == COUNTED else _DURATION
        if slot.constant:
            return constant(slot.name, slot.constant, parameter, {})
        return SlotNode(slot, accepts(parameter), None, {}, self._split, rank=rank)


def _rates(utterance: Utterance) -> frozenset[int]:
    """The places of speeds, forces and shares."""
    return frozenset(
        at for at, several in utterance.quantities.items() if any(each.unit in RATES for each in several)
    )


def duration_s(part: Part) -> float:
    """The time that a marker's slot has."""
    return float(cast("float", dict(part.values)[DURATION]))


def counted(part: Part) -> int:
    """The number that a marker's slot has."""
    return int(cast("int", dict(part.values)[COUNTED]))
