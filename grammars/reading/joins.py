"""What joins clauses: then, and, while, until, if, when, before, after. Clauses go in, plans come out.

The levels, each in terms of the one below: an instruction is sentences; a sentence is steps with "then"
between them; a step is groups that may end with "until …"; a group is units with "and" between them; a unit
is a clause, with what is done beside it. "If …" and "when …" take everything up to the end of their sentence.
What may stand behind any of these ("… until", "… if") is in `scopes.py`; docs/language.md has the table of
what becomes what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import cast

import msgspec

from framework.plan.again import MOST_TIMES, repeated
from framework.plan.ast import (
    Alongside,
    Condition,
    Do,
    Elapsed,
    If,
    Plan,
    State,
    Until,
    Wait,
    While,
    actions_of,
)
from framework.plan.ast import Sequence as SequencePlan
from grammars.core import Marker
from grammars.reading.activities import Activities
from grammars.reading.anaphora import (
    Anaphora,
    arrived,
    is_about_one,
    same_amount,
    says_more,
    turns_back,
)
from grammars.reading.arranging import Arranging
from grammars.reading.asking import Conditions, denied
from grammars.reading.clauses import DOUBT_IF_LOOSE, Clauses
from grammars.reading.combining import Combining, Steps, in_sequence
from grammars.reading.deciding import decided_once, excluded, with_opposite
from grammars.reading.markers import ENDS_OF_SENTENCES, MOST_OPENINGS, Markers, counted, duration_s
from grammars.reading.matching import Head, Matching
from grammars.reading.outcome import Outcome, Row, Whole, best, with_more
from grammars.reading.relating import Relating
from grammars.reading.scopes import Scopes
from grammars.reading.staying import Staying
from grammars.reading.utterance import Gap, Utterance

#: Deeper "if … if … if …" is not followed.
MOST_LEVELS = 24
#: Where the first instruction begins: what stands there relates to nothing before it.
_START = ("start",)
#: How unsure it is that a known name is cut: "turning the wrist | cloud on", of a wrist cloud.
DOUBT_WITHIN_NAME = 0.2
#: How unsure it is that a condition is to be said, and not looked at.
DOUBT_IF_HANDED_ON = 0.2
#: A comma comes later, and none where one would be.
_DOUBT_WITHOUT_A_COMMA = 0.04
_QUOTING = frozenset((":", '"', "'", "\u201c", "\u201e", "\u2018", "\u00ab"))
#: What one way of joining costs, beside looking up a word (`matching.MOST_STEPS`).
_STEPS_A_ROW = 24


_Walked = tuple[
    tuple[Utterance, Sequence[Gap], bool], dict[tuple[object, ...], object], dict[int, frozenset[Marker]]
]


class Joins:
    """Finds whole instructions. pause: makes a plan that waits for so many seconds."""

    def __init__(
        self,
        markers: Markers,
        clauses: Clauses,
        conditions: Conditions,
        combining: Combining,
        pause: Callable[[float], Plan],
        anaphora: Anaphora,
    ) -> None:
        self._markers = markers
        self._anaphora = anaphora
        self._clauses = clauses
        self._conditions = conditions
        self._combining = combining
        self._activities = Activities(markers, clauses, combining)
        self._pause = pause
        self._last: _Walked | None = None
        self._arranging = Arranging(markers, self._units, self._elided)
        self._staying = Staying(markers, clauses.phrasebook, combining)
        self._relating = Relating(markers, clauses, pause)
        self._scopes = Scopes(
            markers,
            clauses,
            conditions,
            combining,
            self._activities,
            pause=pause,
            units=self._units,
            otherwise=self._otherwise,
        )

    # -- instruction and sentences

    def instructions(self, matching: Matching) -> list[Whole]:
        """Every way in which the whole utterance is an instruction."""
        if self._clauses.coverage.rules_out(matching):
            return []
        self._take_over(matching)
        start = 0
        while start < matching.size and matching.tokens[start] in _MARKS:
            start += 1
        matching.memory[_START] = start
        # "Then show it": what it follows was said before, and may still be going on.
        later = dict.fromkeys(self._markers.ends(matching, Marker.AFTERWARDS, start), True)
        starts = {start: False, **dict.fromkeys(self._thens(matching, start), False)}
        starts |= dict.fromkeys(self._markers.ends(matching, Marker.AND, start), False)
        later |= dict.fromkeys(self._in_order(matching, later), True)
        wholes: list[Whole] = []
        related: list[Plan] = []
        back_some_way: list[Plan] = []
        for begin, follows in (starts | later).items():
            for each in self._sentences(matching, begin):
                if each.end == matching.size:
                    said = in_sequence(decided_once(each.what))
                    meant = self._anaphora.resolved(said)
                    if meant is None:
                        continue
                    if meant.is_related:
                        related.append(meant.plan)
                    if meant.says_way:
                        back_some_way.append(meant.plan)
                    plan = self._staying.kept(meant.plan)
                    if plan is None:
                        continue
                    doubt = max(meant.doubt, DOUBT_IF_HANDED_ON if self._hands_on(matching, each) else 0.0)
                    unsure = Outcome(None, begin, doubt=doubt)
                    whole = self._in_the_end(matching, with_more(unsure, each, plan), said)
                    wholes.append(msgspec.structs.replace(whole, follows=follows))
        # "Drive 1 m, then drive back" says how far, so it is not by the usual distance.
        wholes = [
            each
            for each in wholes
            if not any(says_more(other, each.what) for other in related)
            and not any(turns_back(other, each.what) for other in back_some_way)
        ]
        return self._possible(matching, _without_what_is_over(wholes))

    def _in_the_end(self, matching: Matching, whole: Whole, said: Plan) -> Whole:
        """In the manner that is said at the end, if no clause has taken it: "A and B, both at once, slowly".

        It is about all of it, or about a last step that is said by those before: "…, then back, slowly".
        """
        if len(matching.gaps) != 1 or whole.manners:
            return whole
        if any(token not in _MARKS for token in matching.tokens[matching.gaps[0].at :]):
            return whole
        steps = whole.what.steps if isinstance(whole.what, SequencePlan) else (whole.what,)
        last = said.steps[-1] if isinstance(said, SequencePlan) else said
        before = steps[: -1 if is_about_one(last) else 0]
        meant = self._clauses.in_manner(in_sequence(steps[len(before) :]), matching.gaps[0].manner)
        plan = in_sequence((*before, meant))
        return whole if plan == whole.what else msgspec.structs.replace(whole, what=plan, manners=1)

    def _hands_on(self, matching: Matching, whole: Row) -> bool:
        """Whether a condition behind a comma would be words to be said: "say hello, if it's open go in".

        Not in what is quoted, or stands behind a colon.
        """
        if not whole.free or _MARKS.isdisjoint(matching.tokens[1:-1]):
            return False
        texts = [
            value.casefold()
            for do in actions_of(in_sequence(whole.what))
            for value in do.parameters.values()
            if isinstance(value, str) and _is_loosely_said(value, matching.utterance.text)
        ]
        for at in range(1, matching.size) if texts else ():
            if matching.tokens[at - 1] in _MARKS:
                for marker in (Marker.IF, Marker.UNLESS, Marker.WHEN, Marker.OTHERWISE):
                    for end in self._markers.ends(matching, marker, at):
                        words = matching.said(at, min(end + 1, matching.size)).casefold()
                        if any(words in text for text in texts):
                            return True
        return False

    def _possible(self, matching: Matching, wholes: list[Whole]) -> list[Whole]:
        """Without what does two things at once that need the same; none, if that is what was said."""
        clashes = [(whole, self._combining.clash(whole.what)) for whole in wholes]
        possible = [whole for whole, clash in clashes if not clash]
        least = min((whole.cost for whole in possible), default=None)
        for whole, clash in clashes:
            if clash and (least is None or whole.cost < least):
                matching.problem(0, matching.size, _both_need(clash), None)
                return []
        return possible

    # -- what comes after what

    def _thens(self, matching: Matching, at: int) -> list[int]:
        """Places behind "then" and whatever says the same once more: "and thirdly, only after that, …"."""
        found = dict.fromkeys(self._markers.ends(matching, Marker.THEN, at))
        # "…, and, once that is done, …": after "and" it takes words of order.
        joins = (*found, *self._markers.ends(matching, Marker.AND, at))
        return list(found | dict.fromkeys(self._in_order(matching, joins)))

    def _in_order(self, matching: Matching, places: Iterable[int]) -> list[int]:
        """Places behind words of order, as many as there are, that stand behind some places."""
        to_see = list(places)
        found: dict[int, None] = {}
        for place in to_see:
            begins = (place, place + 1) if matching.tokens[place : place + 1] == (",",) else (place,)
            for begin in begins:
                for end in self._markers.ends(matching, Marker.ORDER, begin):
                    if end not in found and len(found) < MOST_OPENINGS:
                        found[end] = None
                        to_see.append(end)
        return list(found)

    def _sentences(self, matching: Matching, at: int) -> list[Row]:
        return self._remembered("sentences", self._find_sentences, matching, at)

    def _find_sentences(self, matching: Matching, at: int) -> Iterator[Row]:
        for sentence in self._sequences(matching, at):
            end = sentence.end
            while end < matching.size and matching.tokens[end] in _MARKS:
                end += 1
            if end == matching.size:
                yield with_more(sentence, Outcome(None, end), sentence.what, closes=True)
            elif end > sentence.end and matching.tokens[end - 1] in ENDS_OF_SENTENCES:
                begins = dict.fromkeys((end, *self._thens(matching, end), *self._in_order(matching, (end,))))
                for begin in begins:
                    for rest in self._sentences(matching, begin):
                        yield with_more(sentence, rest, sentence.what + rest.what)

    # -- steps with "then" between them

    def _sequences(self, matching: Matching, at: int) -> list[Row]:
        return self._remembered("sequence", self._find_sequences, matching, at)

    def _find_sequences(self, matching: Matching, at: int) -> Iterator[Row]:
        yield from self._fronted(matching, at)
        firsts = self._markers.ends(matching, Marker.FIRST, at)
        for begin in dict.fromkeys((*firsts, *self._in_order(matching, firsts))):
            yield from self._sequences(matching, begin)
        for step in self._steps(matching, at):
            yield step
            if step.is_open or repeated(step.what[-1]) is not None:
                continue  # what has no end is the last
            for begin in self._thens(matching, step.end):
                for rest in self._next(matching, begin, step.what[-1]):
                    yield with_more(step, rest, step.what + rest.what, style=_JOINED)
            if matching.is_loose and self._may_run_on(matching, step.end):
                unsaid = Outcome(None, step.end, doubt=DOUBT_IF_LOOSE)
                for rest in self._sequences(matching, step.end):
                    both = with_more(step, rest, step.what + rest.what, style=_JOINED)
                    yield with_more(unsaid, both, both.what)

    def _may_run_on(self, matching: Matching, at: int) -> bool:
        """Whether another clause may begin here without any join: "go home | open the gripper".

        One word alone is none: "open it again" does not do again what was done before.
        """
        is_one_word = at + 1 >= matching.size or matching.is_boundary(at + 1)
        return not is_one_word and matching.tokens[at] in self._clauses.heads

    def _next(self, matching: Matching, at: int, before: Plan) -> Iterator[Row]:
        """Steps; or only a name, for the last action before it once more: "… for a minute, then the scan"."""
        yield from self._sequences(matching, at)
        do = next(reversed([*actions_of(before)]), None)
        if do is None or at >= matching.size:
            return
        for elided in self._clauses.elided(matching, at, do) if matching.is_loose else ():
            for closed in (elided, *self._scopes.around(matching, elided)):
                yield closed
                for more in self._thens(matching, closed.end):
                    for rest in self._next(matching, more, closed.what[-1]):
                        yield with_more(closed, rest, closed.what + rest.what, style=_JOINED)
        for part in (None, *self._markers.parts(matching, Marker.FOR_TIME, at)):
            begin = at if part is None else part.end
            for named in self._clauses.once_more(matching, begin, do):
                step = named
                if part is not None:
                    if not self._combining.lasts(named.what[0]):
                        continue
                    time = Outcome(None, part.end, part.known, doubt=part.doubt)
                    step = with_more(time, named, (Until(named.what[0], Elapsed(duration_s(part))),))
                for closed in (step, *self._scopes.around(matching, step)):
                    yield closed
                    for more in self._thens(matching, closed.end):
                        for rest in self._next(matching, more, closed.what[-1]):
                            yield with_more(closed, rest, closed.what + rest.what, style=_JOINED)

    # -- what takes all the rest of its sentence

    def _fronted(self, matching: Matching, at: int) -> list[Row]:
        if matching.level >= MOST_LEVELS:
            return []
        matching.level += 1
        try:
            return self._remembered("fronted", self._find_fronted, matching, at)
        finally:
            matching.level -= 1

    def _find_fronted(self, matching: Matching, at: int) -> Iterator[Row]:
        for at_marker in self._markers.after_openings(matching, at):
            for marker, is_denied in ((Marker.IF, False), (Marker.UNLESS, True)):
                for begin in self._markers.ends(matching, marker, at_marker):
                    for asked in self._conditions.find(matching, begin):
                        condition = denied(asked.what) if is_denied else asked.what
                        yield from self._if(matching, asked, condition, is_unless=is_denied)
            for begin in self._markers.ends(matching, Marker.WHEN, at_marker):
                for asked in self._conditions.find(matching, begin):
                    for then in self._consequence(matching, asked.end):
                        yield with_more(asked, _opened(then), (Wait(asked.what), *then.what))
                    if at > cast("int", matching.memory.get(_START, 0)):
                        yield from self._nothing_more(matching, asked)
            for begin in self._markers.ends(matching, Marker.ARRIVED, at_marker):
                for then in self._consequence(matching, begin):
                    yield _opened(with_more(Outcome(None, begin), then, (arrived(), *then.what)))
            yield from self._so_often(matching, at_marker)
            for begin in self._markers.ends(matching, Marker.BEFORE, at_marker):
                for later in self._activities.done(matching, begin):
                    for then in self._consequence(matching, later.end):
                        yield with_more(later, _opened(then), then.what + later.what)

    def _so_often(self, matching: Matching, at: int) -> Iterator[Row]:
        """Three times: A, then B. A colon says that all that follows is meant."""
        for each in (*self._scopes.repeating(matching, at), *self._in_all(matching, at)):
            if matching.tokens[each.end : each.end + 1] != (":",):
                continue
            for rest in self._sequences(matching, each.end + 1):
                plan = in_sequence(rest.what)
                if not self._combining.lasts(plan):
                    yield _opened(with_more(each, rest, (each.what((plan,)),)))

    def _in_all(self, matching: Matching, at: int) -> Iterator[Outcome[Callable[[Steps], Plan]]]:
        """Repeat three times: A. Without a colon it is about what stands before it."""
        for part in self._markers.parts(matching, Marker.ALL_TIMES, at):
            make = partial(self._combining.times, count=counted(part))
            if 0 < counted(part) <= MOST_TIMES:
                yield Outcome(make, part.end, part.known, doubt=part.doubt)

    def _if(
        self, matching: Matching, asked: Outcome[Condition], condition: Condition, *, is_unless: bool
    ) -> Iterator[Row]:
        for then in self._consequence(matching, asked.end):
            plan = in_sequence(decided_once(then.what))
            if (whole := with_opposite(condition, plan)) is not None:
                yield _opened(with_more(asked, then, (whole,)))
                continue
            if asked.is_event and not is_unless:  # "if the camera dies, A" is armed, and waits for that
                yield _opened(with_more(asked, then, (Wait(condition), *then.what)))
            else:
                yield _opened(with_more(asked, then, (If(condition, plan),)), takes_otherwise=True)
            yield from self._otherwise(matching, with_more(asked, then, (plan,)), condition, is_unless)
        for nothing in self._nothing(matching, asked.end):
            # "If C, stay where you are; otherwise A" is about what is done if not.
            for begin in self._elses(matching, nothing.end, is_unless=is_unless):
                for other in self._sequences(matching, begin):
                    both = with_more(asked, nothing, None)
                    yield with_more(both, _opened(other), (If(denied(condition), in_sequence(other.what)),))
            yield from self._or_if(matching, with_more(asked, nothing, condition))

    def _or_if(self, matching: Matching, nothing: Outcome[Condition]) -> Iterator[Row]:
        """ "If C, stay where you are; if it is not so, A" is about what is done then."""
        begins = dict.fromkeys(self._thens(matching, nothing.end))
        for begin in begins | dict.fromkeys(self._markers.ends(matching, Marker.AND, nothing.end)):
            for other in self._fronted(matching, begin):
                if (plan := excluded(nothing.what, in_sequence(other.what))) is not None:
                    yield with_more(nothing, _opened(other), (plan,))

    def _otherwise(
        self, matching: Matching, then: Row, condition: Condition, is_unless: bool = False
    ) -> Iterator[Row]:
        if then.takes_otherwise:
            return  # it belongs to the nearer "if"
        for begin in self._elses(matching, then.end, is_unless=is_unless):
            for other in self._next(matching, begin, then.what[-1]):
                plan = If(condition, in_sequence(then.what), in_sequence(other.what))
                yield with_more(then, _opened(other), (plan,))
            for nothing in self._nothing(matching, begin):
                plan = If(condition, in_sequence(then.what))
                yield _opened(with_more(then, nothing, (plan,)))

    def _elses(self, matching: Matching, at: int, *, is_unless: bool) -> list[int]:
        """Places behind "otherwise", or behind what says so of an "unless": "if it is, …"."""
        marker = Marker.IF_SO if is_unless else Marker.OTHERWISE
        found = dict.fromkeys(self._markers.ends(matching, Marker.OTHERWISE, at))
        return list(found | dict.fromkeys(self._markers.ends(matching, marker, at)))

    def _nothing(self, matching: Matching, at: int) -> Iterator[Outcome[None]]:
        """That nothing is to be done, with a comma or "then" in front and politeness behind."""
        begins = (at, *self._markers.ends(matching, Marker.CONDITION_THEN, at))
        for begin in dict.fromkeys(
            place for start in begins for place in self._markers.after_openings(matching, start)
        ):
            for end in self._markers.ends(matching, Marker.NOTHING, begin):
                yield Outcome(None, end)
                for closed in self._markers.ends(matching, Marker.CLOSING, end):
                    yield Outcome(None, closed)

    def _nothing_more(self, matching: Matching, asked: Outcome[Condition]) -> Iterator[Row]:
        """ "A. When C, do nothing", at the end: there is nothing to wait for."""
        for nothing in self._nothing(matching, asked.end):
            if all(token in _MARKS for token in matching.tokens[nothing.end :]):
                yield _opened(with_more(asked, nothing, ()))

    def _consequence(self, matching: Matching, at: int) -> Iterator[Row]:
        """What follows a condition, with or without "then" or a comma."""
        for each in self._sequences(matching, at):
            yield _unsaid(matching, at, each)
        thens = self._markers.ends(matching, Marker.CONDITION_THEN, at)
        for begin in dict.fromkeys((*thens, *self._in_order(matching, (at, *thens)))):
            yield from self._sequences(matching, begin)

    # -- groups with "until …" and the like

    def _steps(self, matching: Matching, at: int) -> list[Row]:
        return self._remembered("step", self._find_steps, matching, at)

    def _find_steps(self, matching: Matching, at: int) -> Iterator[Row]:
        yield from self._scoped_in_front(matching, at)
        for group in self._groups(matching, at):
            if not self._may_end(matching, group.end):
                continue  # "… and …": only the longest group is one
            plan = self._combining.by_and(group.what)
            yield with_more(Outcome(None, at), group, (plan,))

    def _groups(self, matching: Matching, at: int) -> list[Row]:
        """Units that "and" joins; those before an "until …" are one element."""
        return self._remembered("group", self._find_groups, matching, at)

    def _find_groups(self, matching: Matching, at: int) -> Iterator[Row]:
        for units in (*self._units(matching, at), *self._arranging.rows(matching, at)):
            yield units
            if units.is_open or units.is_scoped:
                continue
            for closed in self._scopes.around(matching, units):
                yield closed
                if closed.is_open:
                    continue
                for begin, style in self._ands(matching, closed.end):
                    for rest in self._groups(matching, begin):
                        yield with_more(closed, rest, closed.what + rest.what, style=style)

    def _may_end(self, matching: Matching, at: int) -> bool:
        """Whether a step may end here, given what comes next."""
        if at >= matching.size or matching.tokens[at] in _MARKS:
            return True
        if matching.is_loose and self._may_run_on(matching, at):
            return True
        return any(self._markers.ends(matching, marker, at) for marker in _AFTER_STEP)

    def _scoped_in_front(self, matching: Matching, at: int) -> Iterator[Row]:
        """Until C, A; as long as C, A; for D, A; in D, A; while or after doing B, A: of the next group."""
        for at_marker in self._markers.after_openings(matching, at):
            for marker, make in ((Marker.UNTIL, Until), (Marker.AS_LONG_AS, While)):
                for begin in self._markers.ends(matching, marker, at_marker):
                    for asked in self._conditions.find(matching, begin):
                        for body in self._scoped(matching, asked.end):
                            yield with_more(asked, body, (make(body.what[0], asked.what),))
                        for nothing in self._waiting(matching, asked.end) if make is Until else ():
                            yield with_more(asked, nothing, (Wait(asked.what),))
            for part in self._markers.parts(matching, Marker.FOR_TIME, at_marker):
                time = Outcome(None, part.end, part.known, doubt=part.doubt)
                for body in self._scoped(matching, part.end):
                    if self._combining.lasts(body.what[0]):
                        body_for = (Until(body.what[0], Elapsed(duration_s(part))),)
                        yield with_more(time, body, body_for, style=_JOINED)
            for part in self._markers.parts(matching, Marker.DELAY_BEFORE, at_marker):
                time = Outcome(None, part.end, part.known, doubt=part.doubt)
                for body in self._scoped(matching, part.end):
                    yield with_more(time, body, (self._pause(duration_s(part)), *body.what))
            companions = [
                companion
                for begin in self._markers.ends(matching, Marker.WHILE_DOING, at_marker)
                for companion in self._activities.companions(matching, begin)
            ]
            for begin in self._markers.ends(matching, Marker.WHILE_THAT, at_marker):
                companions += self._activities.others(matching, begin)
            for companion in companions:
                for body in self._scoped(matching, companion.end):
                    plan = Alongside(body.what[0], self._combining.by_and(companion.what))
                    yield with_more(companion, body, (plan,))
            for begin, finished in self._activities.afters(matching, at_marker):
                for first in self._activities.done(matching, begin, finished):
                    for done in (first, *self._scopes.for_a_time(matching, first)):
                        for body in self._scoped(matching, done.end):
                            yield with_more(done, body, done.what + body.what)

    def _waiting(self, matching: Matching, at: int) -> Iterator[Outcome[None]]:
        """That it waits, or does nothing: "until the door is open, wait"."""
        yield from self._nothing(matching, at)
        begins = (at, *self._markers.ends(matching, Marker.CONDITION_THEN, at))
        for begin in dict.fromkeys(
            place for start in begins for place in self._markers.after_openings(matching, start)
        ):
            for end in self._markers.ends(matching, Marker.WAITING, begin):
                yield Outcome(None, end)

    def _scoped(self, matching: Matching, at: int) -> Iterator[Row]:
        """The group that something in front of it is about: one plan."""
        for each in self._steps(matching, at):
            yield _unsaid(matching, at, each)
        for begin in sorted(self._markers.ends(matching, Marker.CONDITION_THEN, at)):
            yield from self._steps(matching, begin)

    # -- units with "and" between them

    def _units(self, matching: Matching, at: int) -> list[Row]:
        return self._remembered("units", self._find_units, matching, at)

    def _find_units(self, matching: Matching, at: int) -> Iterator[Row]:
        for row in self._rows_of_units(matching, at):
            # Of "a and b and c" only the whole is of use, unless something else follows a part of it.
            if self._may_end(matching, row.end) or self._scopes.may_come(matching, row.end):
                yield row

    def _rows_of_units(self, matching: Matching, at: int) -> Iterator[Row]:
        for unit in self._unit(matching, at):
            yield unit
            for begin, style in self._ands(matching, unit.end):
                for rest in (*self._units(matching, begin), *self._elided(matching, begin, unit)):
                    yield with_more(unit, rest, unit.what + rest.what, style=style)
                for rest in self._fronted(matching, begin):
                    yield with_more(unit, rest, (*unit.what, in_sequence(rest.what)), style=style)
                for rest in self._scoped_in_front(matching, begin):
                    both = with_more(unit, rest, (*unit.what, in_sequence(rest.what)), style=style)
                    yield msgspec.structs.replace(both, is_scoped=True)
            for begin in self._markers.ends(matching, Marker.AND_DOING, unit.end):
                for rest in self._activities.beside(matching, begin):
                    yield with_more(unit, rest, unit.what + rest.what, style=_JOINED)

    def _elided(self, matching: Matching, at: int, unit: Row) -> Iterator[Row]:
        """What "and" joins of which the beginning was said before: "the left arm up and | down again"."""
        do = next(reversed([*actions_of(unit.what[-1])]), None)
        for elided in self._clauses.elided(matching, at, do) if matching.is_loose and do is not None else ():
            yield elided
            for begin, style in self._ands(matching, elided.end):
                for rest in self._elided(matching, begin, elided):
                    yield with_more(elided, rest, elided.what + rest.what, style=style)

    def _unit(self, matching: Matching, at: int) -> list[Row]:
        return self._remembered("unit", self._find_unit, matching, at)

    def _find_unit(self, matching: Matching, at: int) -> Iterator[Row]:
        """A clause, with what is done beside it; or several that are done again and again."""
        yield from self._repeated_in_front(matching, at)
        yield from self._staying.rows(matching, at)
        if at > cast("int", matching.memory.get(_START, 0)):
            yield from self._relating.rows(matching, at)
        for clause in self._clauses.clauses(matching, at, Head.PLAIN):
            yield clause
            if len(clause.what) == 1 and isinstance(clause.what[0], Do):
                for end in self._markers.ends(matching, Marker.SAME_AMOUNT, clause.end):
                    yield with_more(clause, Outcome(None, end), (same_amount(clause.what[0]),))
            yield from self._scopes.with_pauses(matching, clause)
            for stays in self._staying.rows(matching, clause.end):
                yield with_more(clause, stays, clause.what + stays.what)
            plan = self._combining.by_and(clause.what)
            for often in self._scopes.counting(matching, clause.end):
                if not self._combining.lasts(plan):
                    yield with_more(clause, often, (often.what(clause.what),))
            for place, _ in self._scopes.maybe_comma(matching, clause.end):
                body = with_more(clause, Outcome(None, clause.end), plan)
                for each in self._scopes.beside(matching, body, place):
                    yield with_more(Outcome(None, 0), each, (each.what,))

    def _repeated_in_front(self, matching: Matching, at: int) -> Iterator[Row]:
        """Every ten seconds A and B; three times A; keep doing A."""
        for at_marker in self._markers.after_openings(matching, at):
            for often in self._scopes.repeating(matching, at_marker):
                for begin in (often.end, *self._markers.ends(matching, Marker.CONDITION_THEN, often.end)):
                    for rest in self._units(matching, begin):
                        if not rest.is_open and not any(map(self._combining.lasts, rest.what)):
                            yield with_more(often, rest, (often.what(rest.what),))
                    for rest in self._scoped_in_front(matching, begin):
                        # "Every ten seconds, until I say stop, A": the end is one of all the times.
                        scope = rest.what[0]
                        if isinstance(scope, Until | While) and not self._combining.lasts(scope.body):
                            again = msgspec.structs.replace(scope, body=often.what((scope.body,)))
                            yield with_more(often, rest, (again,))
        for begin in self._markers.ends(matching, Marker.KEEPING, at):
            for done in self._activities.beside(matching, begin):
                lasts = any(map(self._combining.lasts, done.what))
                plan = self._combining.by_and(done.what) if lasts else self._combining.again(done.what)
                # What an action says itself goes before it: "keep looking at it" is to follow it.
                yield with_more(Outcome(None, at), done, (plan,), style=2)

    # -- odds and ends

    def _take_over(self, matching: Matching) -> None:
        """What the last walk found that depends on the words alone, if it was of the same text.

        Commas may stand anywhere in a loose one, so that only texts without any are read alike in both.
        """
        if matching.is_thorough or matching.supposing is not None:
            return
        walked = (matching.utterance, matching.gaps, matching.is_loose and "," in matching.tokens)
        last = self._last
        if last is not None and last[0][0] is walked[0] and last[0][1:] == walked[1:]:
            matching.of_words, matching.markers = last[1], last[2]
        else:
            self._last = (walked, matching.of_words, matching.markers)

    def _ands(self, matching: Matching, at: int) -> Iterator[tuple[int, int]]:
        """(place, style) behind "and": it is less usual where more words join, as in "and now"."""
        longest = max(self._markers.ends(matching, Marker.THEN, at), default=at)
        for begin in self._markers.ends(matching, Marker.AND, at):
            yield begin, _JOINED + (_SHORTER if longest > begin else 0)

    def _remembered(
        self, name: str, find: Callable[[Matching, int], Iterator[Row]], matching: Matching, at: int
    ) -> list[Row]:
        key = (name, at)
        found = matching.memory.get(key)
        if found is None:
            matching.memory[key] = []  # what is inside of itself is nothing
            if at >= matching.size or matching.is_exhausted:
                if at >= matching.furthest and at >= matching.size:
                    list(find(matching, at))  # only to say what could follow
                found = []
            else:
                found = best(_counted(matching, find(matching, at)))
            matching.memory[key] = found
        return cast("list[Row]", found)


def _counted(matching: Matching, rows: Iterator[Row]) -> Iterator[Row]:
    """Until all that may be tried has been: "until I say until I say …" could be read in no end of ways."""
    for row in rows:
        matching.steps += _STEPS_A_ROW
        if matching.is_exhausted:
            return
        yield row


def _without_what_is_over(wholes: list[Whole]) -> list[Whole]:
    """Without "drive to the door, and, as long as that goes on, say hello" as two steps, if it may mean both
    at once: when a step's turn has come, the one before it is over.
    """
    at_once = {tuple(map(repr, actions_of(each.what))) for each in wholes if not _waits_for_a_step(each.what)}
    return [
        each
        for each in wholes
        if not _waits_for_a_step(each.what) or tuple(map(repr, actions_of(each.what))) not in at_once
    ]


def _waits_for_a_step(plan: Plan) -> bool:
    return isinstance(plan, SequencePlan) and any(
        isinstance(step, While) and isinstance(step.condition, State) and step.condition.name == "running"
        for step in plan.steps[1:]
    )


def _is_loosely_said(value: str, text: str) -> bool:
    """Whether words stand in a text neither in quotes nor behind a colon."""
    begin = text.find(value)
    return begin > 0 and text[:begin].rstrip()[-1:] not in _QUOTING


def _both_need(what: str) -> str:
    return f'That cannot be done at the same time: both need the same ({what}). Say "then" between them.'


def _opened(outcome: Row, *, takes_otherwise: bool = False) -> Row:
    """The same, as something that has taken all of its sentence."""
    is_taking = takes_otherwise or outcome.takes_otherwise
    return msgspec.structs.replace(outcome, is_open=True, takes_otherwise=is_taking)


def _unsaid(matching: Matching, at: int, outcome: Row) -> Row:
    """The same behind a join of no words, as between what is fronted and what it is about. Nobody is taken to
    have cut a known name in two with it; and whoever sets commas would have set one here: "before lifting the
    right-hand flange up, show the camera" lifts nothing before.
    """
    doubt = DOUBT_WITHIN_NAME if matching.is_within_name(at) else 0.0
    if "," in matching.tokens[at + 1 :]:
        doubt = max(doubt, _DOUBT_WITHOUT_A_COMMA)
    return with_more(Outcome(None, at, doubt=doubt), outcome, outcome.what) if doubt else outcome


_MARKS = frozenset((",", ";", ":")) | ENDS_OF_SENTENCES
#: What can be one action is not taken for two: "look around and tell me what you see".
_JOINED = 1
#: Joining words of which more would have joined. It outweighs an elision: "… and now | the scan until …".
_SHORTER = 2
#: What may follow a step directly.
_AFTER_STEP = (Marker.THEN, Marker.OTHERWISE, Marker.CONDITION_THEN)
