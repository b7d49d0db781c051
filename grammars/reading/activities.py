"""What is done beside something else or was done before it: "while showing it", "after you have shown it"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from grammars.core import Marker
from grammars.lexicon import is_verb
from grammars.reading.clauses import Clauses
from grammars.reading.combining import Combining
from grammars.reading.markers import Markers
from grammars.reading.matching import Head, Matching
from grammars.reading.outcome import Outcome, Row, best, with_more


class Activities:
    """Finds activities: clauses whose first word is an -ing form, or a finished one."""

    def __init__(self, markers: Markers, clauses: Clauses, combining: Combining) -> None:
        self._markers = markers
        self._clauses = clauses
        self._combining = combining

    def beside(self, matching: Matching, at: int) -> list[Row]:
        """Activities that "and" joins: showing it and tracking the hand."""
        key = ("beside", at)
        found = matching.memory.get(key)
        if found is None:
            matching.memory[key] = []
            found = matching.memory[key] = best(self._find_beside(matching, at))
        return cast("list[Row]", found)

    def companions(self, matching: Matching, at: int) -> list[Row]:
        """The same, and "you show it", "you are showing it": what is done while something else is."""
        found = list(self.beside(matching, at))
        for begin in self._markers.ends(matching, Marker.DOING, at):
            for head in (Head.PLAIN, Head.GERUND):
                for each in self._clauses.clauses(matching, begin, head):
                    found.append(with_more(Outcome(None, 0), each, each.what, style=1))
        return best(found)

    def others(self, matching: Matching, at: int) -> list[Row]:
        """What something else does meanwhile: "the arms go home"; no order, "go home"."""
        if at >= matching.size or not (_has_article(matching, at) or not is_verb(matching.tokens[at])):
            return []
        found = (each for each in self._clauses.clauses(matching, at, Head.PLAIN) if not each.free)
        return best(with_more(Outcome(None, 0), each, each.what, style=1) for each in found)

    def _find_beside(self, matching: Matching, at: int) -> Iterator[Row]:
        for clause in self._clauses.clauses(matching, at, Head.GERUND):
            yield clause
            for begin in self._markers.ends(matching, Marker.AND, clause.end):
                for rest in self.beside(matching, begin):
                    yield with_more(clause, rest, clause.what + rest.what)

    def afters(self, matching: Matching, at: int) -> Iterator[tuple[int, bool]]:
        """Places behind "after", and behind "once", which is about something that is finished."""
        for end in self._markers.ends(matching, Marker.AFTER, at):
            yield end, False
        for end in self._markers.ends(matching, Marker.ONCE, at):
            yield end, True

    def done(self, matching: Matching, at: int, is_finished: bool = False) -> list[Row]:
        """After or before what: "tracking the hand", "you have tracked the hand", "you track the hand"."""
        found: list[Row] = []
        for begin in self._markers.ends(matching, Marker.DONE, at):
            found += self._clauses.clauses(matching, begin, Head.DONE)
            found += self._clauses.clauses(matching, begin, Head.GERUND)
        if not is_finished:
            for begin in self._markers.ends(matching, Marker.DOING, at):
                found += self._clauses.clauses(matching, begin, Head.PLAIN)
        # "Once you have seen it" may be a condition as well, and is one then.
        found = [with_more(Outcome(None, 0), each, each.what, style=1) for each in found]
        if not is_finished:
            found += self.beside(matching, at)
        return best(with_more(Outcome(None, 0), each, (self._combining.by_and(each.what),)) for each in found)


def _has_article(matching: Matching, at: int) -> bool:
    """Whether an article, which is no token, stands in front of a word: it is a noun then."""
    tokens = matching.utterance.tokens
    begin = tokens[at - 1].end if at else 0
    return any(each.isalpha() for each in matching.utterance.text[begin : tokens[at].start])
