"""What stands behind what is to be done: how long, when, after or before what, and beside what.

"… until the door is open", "… for ten seconds", "… if you see it", "… while tracking it": what these
are said of, and what stands in front of it ("until …, show it"), is in `joins.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from framework.plan.again import MOST_TIMES, only_times, repeated
from framework.plan.ast import (
    Alongside,
    AnyOf,
    Condition,
    Do,
    Elapsed,
    If,
    Parallel,
    Plan,
    Sequence,
    State,
    Until,
    Wait,
    While,
    actions_of,
)
from grammars.core import COUNTED, Marker
from grammars.reading.activities import Activities
from grammars.reading.asking import RUNNING, Conditions, denied
from grammars.reading.clauses import Clauses
from grammars.reading.combining import Combining, Steps, in_sequence
from grammars.reading.markers import Markers, counted, duration_s
from grammars.reading.matching import Head, Matching
from grammars.reading.outcome import Outcome, Row, Whole, best, with_more
from grammars.reading.slots import Amounts
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Quantity
from grammars.units import TIME

#: More of them around one another are not looked for.
_MOST_SCOPES = 12
_TIMES = Amounts((TIME,))


class Scopes:
    """Finds what stands behind a body, and makes one plan of both.

    pause: makes a plan that waits for so many seconds. units: finds what "and" joins, for "but first …".
    otherwise: finds the "otherwise …" that belongs to a condition.
    """

    def __init__(
        self,
        markers: Markers,
        clauses: Clauses,
        conditions: Conditions,
        combining: Combining,
        activities: Activities,
        *,
        pause: Callable[[float], Plan],
        units: Callable[[Matching, int], list[Row]],
        otherwise: Callable[[Matching, Row, Condition, bool], Iterator[Row]],
    ) -> None:
        self._markers = markers
        self._clauses = clauses
        self._conditions = conditions
        self._combining = combining
        self._activities = activities
        self._pause = pause
        self._units = units
        self._otherwise = otherwise
        self._words = markers.first_of(_SCOPES)

    def may_come(self, matching: Matching, at: int) -> bool:
        """Whether "until …" or the like may come here."""
        if at < matching.size and matching.tokens[at] == ",":
            scopes = self._markers.may_begin(matching, _SCOPES, at)
            if any(self._markers.ends(matching, marker, at) for marker in scopes):
                return True  # ", stop when …"
            at += 1
        if at >= matching.size or at >= matching.furthest:
            return True  # or be missed, which is to be told
        return matching.tokens[at] in self._words or bool(matching.quantities(at))

    def around(self, matching: Matching, units: Row) -> Iterator[Row]:
        """The group as one element that lasts until, as long as, for; or happens if, when, after, before."""
        if not self.may_come(matching, units.end):
            return
        to_see = [with_more(units, Outcome(None, units.end), self._combining.by_and(units.what))]
        elements = units.what
        for body in to_see:
            is_bare = body is to_see[0]
            found = list(self._scopes(matching, body, elements if is_bare else (), is_bare=is_bare))
            for each in found:
                yield with_more(Outcome(None, 0), each, (each.what,))
            if len(to_see) < _MOST_SCOPES:
                to_see += [each for each in best(found) if not each.is_open]

    def for_a_time(self, matching: Matching, row: Row) -> Iterator[Row]:
        """ "After tracking it for a minute, …": the time is about what stands before it."""
        plan = self._combining.by_and(row.what)
        for part in self._markers.parts(matching, Marker.FOR_TIME, row.end):
            if self._combining.lasts(plan):
                time = Outcome(None, part.end, part.known, doubt=part.doubt)
                yield with_more(row, time, (Until(plan, Elapsed(duration_s(part))),))

    def beside(self, matching: Matching, body: Whole, at: int) -> Iterator[Whole]:
        """… while doing B; …, meanwhile B."""
        companions = [
            companion
            for begin in self._markers.ends(matching, Marker.WHILE_DOING, at)
            for companion in self._activities.companions(matching, begin)
        ]
        for begin in self._markers.ends(matching, Marker.WHILE_THAT, at):
            companions += self._activities.others(matching, begin)
        for begin in self._markers.ends(matching, Marker.MEANWHILE, at):
            if not _has_its_own(matching, body, at, begin):
                companions += self._clauses.clauses(matching, begin, Head.PLAIN)
            if isinstance(body.what, Do):  # "the left arm up, at the same time the right one"
                companions += self._clauses.once_more(matching, begin, body.what)
        for companion in companions:
            yield with_more(body, companion, Alongside(body.what, self._combining.by_and(companion.what)))

    def maybe_comma(self, matching: Matching, at: int) -> list[tuple[int, int]]:
        """Here, and behind a comma, which makes it less usual."""
        if at < matching.size and matching.tokens[at] == ",":
            return [(at, 0), (at + 1, 1)]
        return [(at, 0)]

    def repeating(
        self, matching: Matching, at: int, *, counts: bool = True
    ) -> Iterator[Outcome[Callable[[Steps], Plan]]]:
        """How often: every ten seconds, again and again; counts: three times with two seconds in between."""
        for part in self._markers.parts(matching, Marker.EVERY, at):
            pause = self._pause(duration_s(part))
            yield Outcome(partial(self._combining.again, pause=pause), part.end, part.known, doubt=part.doubt)
        for end in self._markers.ends(matching, Marker.AGAIN, at):
            yield Outcome(self._combining.again, end)
        if counts:
            yield from self.counting(matching, at)

    def counting(self, matching: Matching, at: int) -> Iterator[Outcome[Callable[[Steps], Plan]]]:
        """So many times."""
        for part in self._markers.parts(matching, Marker.TIMES, at):
            count = counted(part)
            if not 0 < count <= MOST_TIMES:
                continue
            times = Outcome(None, part.end, part.known, doubt=part.doubt)
            yield with_more(Outcome(None, at), times, partial(self._combining.times, count=count))
            for between in self._markers.parts(matching, Marker.BETWEEN, part.end):
                pause = self._pause(duration_s(between))
                more = Outcome(None, between.end, between.known, doubt=between.doubt)
                yield with_more(times, more, partial(self._combining.times, count=count, pause=pause))

    def with_pauses(self, matching: Matching, clause: Row) -> Iterator[Row]:
        """What an action does so many times itself, with pauses: "wave twice, 3 s in between"."""
        do = clause.what[-1]
        if not isinstance(do, Do) or len(clause.what) > 1:
            return
        count = do.parameters.get(COUNTED)
        if not isinstance(count, int) or not 1 < count <= MOST_TIMES:
            return
        once = Do(do.action, {name: value for name, value in do.parameters.items() if name != COUNTED})
        for between in self._markers.parts(matching, Marker.BETWEEN, clause.end):
            plan = self._combining.times((once,), count, self._pause(duration_s(between)))
            yield with_more(clause, Outcome(None, between.end, between.known, doubt=between.doubt), (plan,))

    # -- inside

    def _scopes(self, matching: Matching, body: Whole, elements: Steps, *, is_bare: bool) -> Iterator[Whole]:
        for at, comma in self.maybe_comma(matching, body.end):
            style = comma + self._cuts_words(matching, at)
            yield from self._lasting(matching, body, at, style)
            yield from self._conditional(matching, body, at, style)
            yield from self._moved(matching, body, at, style)
            if not is_bare:
                yield from self.beside(matching, body, at)

    def _cuts_words(self, matching: Matching, at: int) -> bool:
        """Whether longer joining words begin before this place: "right when", "for as long as"."""
        key = ("cuts", at)
        found = matching.memory.get(key)
        if found is None:
            begins = range(max(at - _MOST_WORDS_BEFORE, 0), at)
            found = matching.memory[key] = any(
                end > at
                for begin in begins
                if matching.tokens[begin] in self._words
                for marker in self._markers.may_begin(matching, _SCOPES, begin)
                for end in self._markers.ends(matching, marker, begin)
            )
        return bool(found)

    def _lasting(self, matching: Matching, body: Whole, at: int, style: int) -> Iterator[Whole]:
        for begin in self._markers.ends(matching, Marker.UNTIL, at):
            for asked in self._conditions.find(matching, begin):
                until = Until(body.what, asked.what)
                whole: Whole = with_more(body, asked, until, style=style)
                yield whole
                for end, known, amount in self._limits(matching, asked.end):
                    if (plan := self._limited(until, amount)) is not None:
                        yield with_more(whole, Outcome(None, end, known, said=1), plan)
        # "Open it and ring twice" rings twice; "…, twice" is about both.
        for found in self.repeating(matching, at, counts=at > body.end):
            if not self._combining.lasts(body.what):
                yield with_more(body, found, found.what((body.what,)), style=style)
        for marker in (Marker.TIMES, Marker.ALL_TIMES):
            for part in self._markers.parts(matching, marker, at):
                if not 0 < counted(part) <= MOST_TIMES:
                    continue
                times = Outcome(None, part.end, part.known, doubt=part.doubt)
                if repeated(body.what) is not None:
                    yield with_more(body, times, only_times(body.what, counted(part)), style=style)
                elif marker is Marker.ALL_TIMES and at == body.end and not self._combining.lasts(body.what):
                    plan = self._combining.times((body.what,), counted(part))
                    yield with_more(body, times, plan, style=style)
        for begin in self._markers.ends(matching, Marker.AS_LONG_AS, at):
            for asked in self._conditions.find(matching, begin):
                if not self._is_about_itself(body.what, asked.what):
                    yield with_more(body, asked, While(body.what, asked.what), style=style)
        for part in self._markers.parts(matching, Marker.FOR_TIME, at):
            if self._combining.lasts(body.what):
                time = Outcome(None, part.end, part.known, doubt=part.doubt)
                yield with_more(body, time, Until(body.what, Elapsed(duration_s(part))), style=style)
            else:
                matching.problem(at, part.end, _ends_by_itself(matching.said(at, part.end)), None)

    def _limits(self, matching: Matching, at: int) -> Iterator[tuple[int, int, Quantity]]:
        """(end, words of a number, amount) of how far or long at most: "but no more than 2 m", "2 m max"."""
        for place, _ in self.maybe_comma(matching, at):
            begins = self._markers.ends(matching, Marker.LIMIT, place)
            for begin in begins:
                matching.stuck(begin, _TIMES)
            for begin in (place, *begins):
                for amount in matching.quantities(begin):
                    ends = self._markers.ends(matching, Marker.LIMIT_BEHIND, amount.end)
                    for end in ends if begin == place else (amount.end, *ends):
                        yield end, amount.end - begin, amount

    def _limited(self, until: Until, amount: Quantity) -> Plan | None:
        """What is done until something is so, only so far or so long; None if that was said already."""
        if amount.is_vague:
            return None
        if amount.unit == TIME:
            return Until(until.body, AnyOf((until.condition, Elapsed(amount.value))))
        name = self._clauses.unsaid_amount(until.body, amount.unit) if isinstance(until.body, Do) else ""
        if not isinstance(until.body, Do) or not name:
            return None
        return Until(Do(until.body.action, {**until.body.parameters, name: amount.value}), until.condition)

    def _is_about_itself(self, body: Plan, condition: Condition) -> bool:
        """Whether several things would be done as long as one of them is: "drive and lift it while you drive"
        says that they are done at once.
        """
        if not isinstance(body, Sequence | Parallel) or not isinstance(condition, State):
            return False
        verb = str(condition.arguments.get("what", "")).partition(" ")[0] if condition.name == RUNNING else ""
        named = self._clauses.actions_of(verb)
        return any(do.action in named for do in actions_of(body))

    def _conditional(self, matching: Matching, body: Whole, at: int, style: int) -> Iterator[Whole]:
        for marker, is_denied in ((Marker.IF, False), (Marker.UNLESS, True)):
            for begin in self._markers.ends(matching, marker, at):
                for asked in self._conditions.find(matching, begin):
                    condition = denied(asked.what) if is_denied else asked.what
                    whole: Row = with_more(body, asked, (body.what,), style=style)
                    is_awaited = asked.is_event and not is_denied
                    plan = (
                        in_sequence((Wait(condition), body.what)) if is_awaited else If(condition, body.what)
                    )
                    yield with_more(Outcome(None, 0), whole, plan)
                    for each in self._otherwise(matching, whole, condition, is_denied):
                        yield with_more(Outcome(None, 0), each, each.what[0])
        for begin in self._markers.ends(matching, Marker.WHEN, at):
            for asked in self._conditions.find(matching, begin):
                plan = in_sequence((Wait(asked.what), body.what))
                yield with_more(body, asked, plan, style=style)

    def _moved(self, matching: Matching, body: Whole, at: int, style: int) -> Iterator[Whole]:
        """A after B, A before B, A in ten seconds."""
        for part in self._markers.parts(matching, Marker.DELAY_AFTER, at):
            time = Outcome(None, part.end, part.known, doubt=part.doubt)
            plan = in_sequence((self._pause(duration_s(part)), body.what))
            yield with_more(body, time, plan, style=style)
        for begin, finished in self._activities.afters(matching, at):
            for first in self._activities.done(matching, begin, finished):
                yield with_more(body, first, in_sequence((*first.what, body.what)), style=style)
        for begin in self._markers.ends(matching, Marker.BEFORE, at):
            for later in self._activities.done(matching, begin):
                yield with_more(body, later, in_sequence((body.what, *later.what)), style=style)
        for begin in self._markers.ends(matching, Marker.BUT_FIRST, at):
            for first in self._units(matching, begin):
                plan = in_sequence((self._combining.by_and(first.what), body.what))
                yield with_more(body, first, plan, style=style)


def _ends_by_itself(said: str) -> str:
    return f'"{said}" can be said of something that goes on until it is stopped; this ends by itself.'


#: Of longer joining words, so many may stand before the shorter ones: "at the moment | when".
_MOST_WORDS_BEFORE = 3
#: What a group may end with.
_SCOPES = (
    Marker.AT_ONCE, Marker.IN_ORDER, Marker.UNTIL, Marker.AS_LONG_AS, Marker.FOR_TIME, Marker.IF,
    Marker.UNLESS, Marker.WHEN,
    Marker.DELAY_AFTER, Marker.AFTER, Marker.ONCE, Marker.BEFORE, Marker.BUT_FIRST, Marker.WHILE_DOING,
    Marker.WHILE_THAT, Marker.MEANWHILE, Marker.EVERY, Marker.AGAIN, Marker.TIMES, Marker.ALL_TIMES,
)  # fmt: skip


def _has_its_own(matching: Matching, body: Whole, at: int, end: int) -> bool:
    """Whether "at the same time" with a mark behind it is about what is done at once already: "both arms"."""
    is_behind = matching.tokens[at] not in MARKS and matching.tokens[end - 1] in MARKS
    return is_behind and isinstance(body.what, Parallel)
