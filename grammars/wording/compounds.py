"""Sample sentences of several parts, with their plans: what is said and what it means are made side by side.

The meaning follows the conventions of docs/language.md; the joining words are any that the language core has.
Clauses with free text, and clauses that contain joining words themselves, are left to `samples.py`. The
longest joining words count: where others would come about at a seam, no sentence is made (`joins_are_whole`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, cycle
from random import Random

import msgspec

from framework.plan.ast import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Condition,
    Elapsed,
    If,
    Parallel,
    Plan,
    Until,
    Wait,
    While,
)
from framework.plan.ast import Sequence as InSequence
from framework.plan.parser import World
from framework.plan.signature import is_continuous
from framework.plugins import template as syntax
from framework.plugins.template import Template, can_be_empty, slots_within
from grammars.core import Marker
from grammars.reading.asking import denied
from grammars.reading.inflection import base_forms, can_be_verb, gerund
from grammars.reading.matching import Matching
from grammars.reading.phrasebook import Phrase
from grammars.reading.reader import Reader
from grammars.reading.tokens import MARKS, is_article
from grammars.wording.samples import Piece, Pieces, Sample, Sampler, sentence

Part = tuple[Pieces, Plan]
_TRIES = 60
_DURATIONS = (2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 90.0)
_POLITE = 0.15
#: A clause that contains one of these words could be two.
_JOINS = (
    Marker.THEN, Marker.AND, Marker.WHILE_DOING, Marker.UNTIL, Marker.AS_LONG_AS, Marker.IF, Marker.OTHERWISE,
    Marker.UNLESS, Marker.WHEN, Marker.BEFORE, Marker.AFTER, Marker.CANCEL, Marker.ONCE,
)  # fmt: skip


def compound_samples(reader: Reader, world: World, count: int, seed: int = 0) -> Iterator[Sample]:
    """So many different sentences of several parts; fewer if no more were found in many tries."""
    maker = Compounds(reader, world, Random(seed))
    seen: set[str] = set()
    failures = 0
    for shape in cycle(maker.shapes):
        if len(seen) >= count or failures > _TRIES * len(maker.shapes):
            return
        made = shape()
        if made is not None and not joins_are_whole(reader, world, made[0]):
            made = None
        text, spans = sentence(made[0]) if made is not None else ("", ())
        if made is None or text.casefold() in seen:
            failures += 1
            continue
        failures = 0
        seen.add(text.casefold())
        yield Sample(text, made[1], spans)


class Compounds:
    """Makes sentences of several parts. shapes: each makes one, or None if it could not this time."""

    def __init__(self, reader: Reader, world: World, random: Random) -> None:
        self._reader = reader
        self._random = random
        self._sampler = Sampler(reader, world, random)
        templates = chain.from_iterable(reader.core.markers.get(marker, ()) for marker in _JOINS)
        self._joins = frozenset(chain.from_iterable(map(_single_words, templates)))
        self._with_verbs = tuple(each for each in reader.phrases if _begins_with_words(each))
        self.shapes: tuple[Callable[[], Part | None], ...] = (
            self._sequence, self._listing, self._conjunction, self._alongside, self._alongside_first,
            self._meanwhile, self._until, self._as_long_as, self._for_time, self._delayed, self._if_then,
            self._if_otherwise, self._then_if, self._unless, self._when, self._when_last, self._wait_until,
            self._then_stop, self._sequence_until, self._sequence_alongside, self._two_sentences,
            self._and_until, self._before, self._after, self._several_conditions, self._then_stop_all,
        )  # fmt: skip

    # -- shapes

    def _sequence(self) -> Part | None:
        made = self._opening()
        for _ in range(self._random.choice((1, 1, 2))):
            word, other = self._marker(Marker.THEN), self._clause()
            if made is None or word is None or other is None:
                return None
            made = (*made[0], *word, *other[0]), self._in_sequence(made[1], other[1])
        return made

    def _listing(self) -> Part | None:
        a, b, c = self._opening(), self._clause(), self._clause()
        if a is None or b is None or c is None:
            return None
        last = self._random.choice(((_joining("and"),), (_joining(","), _joining("and"))))
        plan = self._in_sequence(a[1], self._by_and(b[1], c[1]))
        return (*a[0], _joining(","), *b[0], *last, *c[0]), plan

    def _conjunction(self) -> Part | None:
        parts = [self._opening(), *(self._clause() for _ in range(self._random.choice((1, 1, 2))))]
        return self._with_and(parts)

    def _alongside(self) -> Part | None:
        a, b = self._opening(), self._doing()
        word = self._marker(Marker.WHILE_DOING)
        return ((*a[0], *word, *b[0]), Alongside(a[1], b[1])) if a and b and word else None

    def _alongside_first(self) -> Part | None:
        a, b = self._clause(), self._doing()
        return ((_joining("while"), *b[0], _joining(","), *a[0]), Alongside(a[1], b[1])) if a and b else None

    def _meanwhile(self) -> Part | None:
        a, b = self._opening(), self._clause()
        word = self._marker(Marker.MEANWHILE)
        return ((*a[0], *word, *b[0]), Alongside(a[1], b[1])) if a and b and word else None

    def _until(self) -> Part | None:
        a, word, c = self._opening(), self._marker(Marker.UNTIL), self._condition()
        return ((*a[0], *word, *c[0]), Until(a[1], c[1])) if a and word and c else None

    def _as_long_as(self) -> Part | None:
        a, word, c = self._opening(), self._marker(Marker.AS_LONG_AS), self._condition()
        return ((*a[0], *word, *c[0]), While(a[1], c[1])) if a and word and c else None

    def _for_time(self) -> Part | None:
        a = self._opening(only_continuous=True)
        duration = self._random.choice(_DURATIONS)
        word = self._marker(Marker.FOR_TIME, duration)
        return ((*a[0], *word), Until(a[1], Elapsed(duration))) if a and word else None

    def _delayed(self) -> Part | None:
        a = self._clause()
        duration = self._random.choice(_DURATIONS)
        is_first = self._random.random() < 0.6
        word = self._marker(Marker.DELAY_BEFORE if is_first else Marker.DELAY_AFTER, duration)
        if a is None or word is None:
            return None
        plan = self._in_sequence(self._reader.pause(duration), a[1])
        return ((*word, *a[0]) if is_first else (*a[0], *word)), plan

    def _if_then(self) -> Part | None:
        word, c, a = self._marker(Marker.IF), self._condition(only_states=True), self._clause()
        return ((*word, *c[0], *self._after_condition(), *a[0]), If(c[1], a[1])) if word and c and a else None

    def _if_otherwise(self) -> Part | None:
        made, word, b = self._if_then(), self._marker(Marker.OTHERWISE), self._clause()
        if made is None or word is None or b is None or not isinstance(made[1], If):
            return None
        return (*made[0], *word, *b[0]), If(made[1].condition, made[1].then, b[1])

    def _then_if(self) -> Part | None:
        a, word, c = self._opening(), self._marker(Marker.IF), self._condition(only_states=True)
        return ((*a[0], *word, *c[0]), If(c[1], a[1])) if a and word and c else None

    def _unless(self) -> Part | None:
        word, c, a = self._marker(Marker.UNLESS), self._condition(only_states=True), self._clause()
        if word is None or c is None or a is None:
            return None
        if self._random.random() < 0.5:
            return (*word, *c[0], _joining(","), *a[0]), If(denied(c[1]), a[1])
        return (*a[0], *word, *c[0]), If(denied(c[1]), a[1])

    def _when(self) -> Part | None:
        word, c, a = self._marker(Marker.WHEN), self._condition(), self._clause()
        if word is None or c is None or a is None:
            return None
        return (*word, *c[0], *self._after_condition(), *a[0]), self._in_sequence(Wait(c[1]), a[1])

    def _when_last(self) -> Part | None:
        a, word, c = self._opening(), self._marker(Marker.WHEN), self._condition()
        return ((*a[0], *word, *c[0]), self._in_sequence(Wait(c[1]), a[1])) if a and word and c else None

    def _wait_until(self) -> Part | None:
        c, a = self._condition(), self._clause()
        if c is None or a is None:
            return None
        return (_joining("wait"), _joining("until"), *c[0], _joining("then"), *a[0]), self._in_sequence(
            Wait(c[1]), a[1]
        )

    def _then_stop(self) -> Part | None:
        a, b = self._opening(), self._doing()
        if a is None or b is None:
            return None
        said = sentence(b[0])[0].removeprefix(b[0][0].text)
        what = f"{base_of(b[0][0].text)}{said}"
        return (*a[0], _joining("then"), Piece("stop"), *b[0]), self._in_sequence(
            a[1], Cancel(what.casefold())
        )

    def _sequence_until(self) -> Part | None:
        a, until = self._opening(), self._until()
        return (
            ((*a[0], _joining("then"), *until[0]), self._in_sequence(a[1], until[1])) if a and until else None
        )

    def _sequence_alongside(self) -> Part | None:
        a, both = self._opening(), self._alongside()
        return ((*a[0], _joining("then"), *both[0]), self._in_sequence(a[1], both[1])) if a and both else None

    def _two_sentences(self) -> Part | None:
        a, b = self._opening(), self._opening()
        return ((*a[0], _joining("."), *b[0], Piece(".")), self._in_sequence(a[1], b[1])) if a and b else None

    def _before(self) -> Part | None:
        """ "before B-ing, A", "A before B-ing": first A."""
        a, b = self._clause(), self._doing()
        word = self._marker(Marker.BEFORE)
        if a is None or b is None or word is None:
            return None
        plan = self._in_sequence(a[1], b[1])
        is_first = self._random.random() < 0.5 and not _is_mark(word[0])
        return ((*word, *b[0], _joining(","), *a[0]) if is_first else (*a[0], *word, *b[0])), plan

    def _after(self) -> Part | None:
        """ "after A-ing, B", "B after A-ing": first A."""
        a, b = self._doing(), self._clause()
        word = self._marker(Marker.AFTER)
        if a is None or b is None or word is None:
            return None
        plan = self._in_sequence(a[1], b[1])
        is_first = self._random.random() < 0.5 and not _is_mark(word[0])
        return ((*word, *a[0], _joining(","), *b[0]) if is_first else (*b[0], *word, *a[0])), plan

    def _several_conditions(self) -> Part | None:
        c, d = self._condition(only_states=True), self._condition(only_states=True)
        a = self._clause()
        is_both = self._random.random() < 0.5
        if c is None or d is None or a is None:
            return None
        both = AllOf((c[1], d[1])) if is_both else AnyOf((c[1], d[1]))
        word = _joining("and" if is_both else "or")
        return (_joining("if"), *c[0], word, *d[0], *self._after_condition(), *a[0]), If(both, a[1])

    def _then_stop_all(self) -> Part | None:
        a, word = self._opening(), self._marker(Marker.EVERYTHING)
        if a is None or word is None:
            return None
        return (*a[0], _joining("then"), Piece("stop"), *word), self._in_sequence(a[1], Cancel())

    def _and_until(self) -> Part | None:
        both = self._with_and([self._opening(only_continuous=True), self._clause(only_continuous=True)])
        word, c = self._marker(Marker.UNTIL), self._condition()
        return ((*both[0], *word, *c[0]), Until(both[1], c[1])) if both and word and c else None

    # -- parts

    def _opening(self, *, only_continuous: bool = False) -> Part | None:
        """A clause at the beginning, sometimes a polite one."""
        made = self._clause(only_continuous=only_continuous)
        if made is None or self._random.random() >= _POLITE:
            return made
        return (Piece("please"), *made[0]), made[1]

    def _clause(
        self, phrases: Sequence[Phrase] | None = None, *, only_continuous: bool = False
    ) -> Part | None:
        phrases = self._reader.phrases if phrases is None else phrases
        for _ in range(_TRIES if phrases else 0):
            phrase = self._random.choice(phrases)
            pieces = self._sampler.clause(phrase)
            if pieces is None or any(piece.is_free for piece in pieces):
                continue
            do = self._sampler.do(phrase, pieces)
            if do.action == self._reader.core.again[0]:
                continue  # within a longer instruction it is about the steps before it
            if only_continuous and not self._reader.stays(do):
                continue
            if not self._joins & {word for piece in pieces for word in piece.text.casefold().split()}:
                return pieces, do
        return None

    def _doing(self) -> Part | None:
        """A clause with its verb in the -ing form."""
        for _ in range(_TRIES):
            made = self._clause(self._with_verbs)
            if made is None:
                return None
            verb = made[0][0].text
            if can_be_verb(verb) and not is_article(verb) and base_of(gerund(verb)) == verb:
                return (Piece(gerund(verb)), *made[0][1:]), made[1]
        return None

    def _condition(self, *, only_states: bool = False) -> tuple[Pieces, Condition] | None:
        for _ in range(_TRIES):
            made = self._sampler.condition(only_states=only_states)
            if made is not None and not self._joins & {
                word for piece in made[0] for word in piece.text.casefold().split()
            }:
                return made
        return None

    def _marker(self, marker: Marker, duration_s: float | None = None) -> Pieces | None:
        templates = self._reader.core.markers.get(marker, ())
        words = self._sampler.words(self._random.choice(templates), duration_s) if templates else None
        return words and tuple(msgspec.structs.replace(piece, is_join=True) for piece in words)

    def _after_condition(self) -> Pieces:
        words = self._random.choice(((",",), ("then",), (",", "then"), ("",)))
        return tuple(_joining(word) for word in words)

    # -- plans

    def _with_and(self, parts: list[Part | None]) -> Part | None:
        pieces: list[Piece] = []
        plans: list[Plan] = []
        for part in parts:
            if part is None:
                return None
            pieces += [_joining("and"), *part[0]] if pieces else part[0]
            plans.append(part[1])
        return tuple(pieces), self._by_and(*plans)

    def _in_sequence(self, *plans: Plan) -> Plan:
        """One after the other, flat."""
        steps: list[Plan] = []
        for plan in plans:
            steps += plan.steps if isinstance(plan, InSequence) else (plan,)
        return InSequence(tuple(steps)) if len(steps) > 1 else steps[0]

    def _by_and(self, *plans: Plan) -> Plan:
        """At once while all are continuous; a finite one closes its group."""
        groups: list[list[Plan]] = [[]]
        for plan in plans:
            if all(is_continuous(each, self._reader.stays) for each in groups[-1]):
                groups[-1].append(plan)
            else:
                groups.append([plan])
        return self._in_sequence(
            *(Parallel(tuple(group)) if len(group) > 1 else group[0] for group in groups)
        )


def base_of(doing: str) -> str:
    """The verb of an -ing form, as `grammars.reading.inflection` takes it apart; itself if it is none."""
    return next((form for form in base_forms(doing)[1:] if gerund(form) == doing), doing)


def _joining(word: str) -> Piece:
    return Piece(word, is_join=True)


def _is_mark(piece: Piece) -> bool:
    return piece.text in MARKS


def _begins_with_words(phrase: Phrase) -> bool:
    """Whether it begins with words of its own, of which the first may be a verb; not with a name."""
    first = phrase.template
    while isinstance(first, syntax.Sequence) and first.parts:
        first = first.parts[0]
    return not any(slots_within(first, phrase.rules)) and not can_be_empty(first, phrase.rules)


def _single_words(template: Template) -> Iterator[str]:
    match template:
        case syntax.Word(text=text):
            yield text
        case syntax.Choice(options=options):
            for option in options:
                yield from _single_words(option)


#: Longer joining words may begin so many words before those that were put there.
_MOST_WORDS_BEFORE = 4
_SEAMS = (
    Marker.THEN, Marker.AND, Marker.AND_DOING, Marker.WHILE_DOING, Marker.MEANWHILE, Marker.UNTIL,
    Marker.AS_LONG_AS, Marker.FOR_TIME, Marker.DELAY_AFTER, Marker.IF, Marker.OTHERWISE, Marker.UNLESS,
    Marker.WHEN, Marker.BEFORE, Marker.AFTER, Marker.ONCE, Marker.BUT_FIRST,
)  # fmt: skip


def joins_are_whole(reader: Reader, world: World, pieces: Pieces) -> bool:
    """Whether no longer joining words, and no quantity, stand where clauses were put together.

    "Show the scan and" before "now the cloud" is "… and now …", and "what are you for" before "as long as" is
    "… for as long as …"; "if it is two metres away" before "a second time" is a speed. To a listener such a
    sentence says something else than the parts it was made of.
    """
    grammar = reader.grammar
    text, _ = sentence(pieces)
    utterance = grammar.recogniser.read(text, world, ())
    matching = Matching(utterance, world, references=grammar.markers.references)
    starts = [token.start for token in utterance.tokens]
    for start, end in _places(pieces):
        first = sum(each < start for each in starts)
        last = sum(each < end for each in starts)
        if any(
            quantity.end > first
            for begin, quantities in utterance.quantities.items()
            for quantity in quantities
            if begin < first
        ):
            return False
        for begin in range(max(first - _MOST_WORDS_BEFORE, 0), first + 1):
            least = last if begin == first else first
            if any(
                each > least for marker in _SEAMS for each in grammar.markers.ends(matching, marker, begin)
            ):
                return False
    return True


def _places(pieces: Pieces) -> Iterator[tuple[int, int]]:
    """(start, end) of joining words in the sentence [characters]; those that touch are one place."""
    marked = [msgspec.structs.replace(each, slot=_JOIN if each.is_join else "") for each in pieces]
    text, spans = sentence(marked)
    place: tuple[int, int] | None = None
    for span in spans:
        if place is not None and not text[place[1] : span.start].strip():
            place = place[0], span.end
            continue
        if place is not None:
            yield place
        place = span.start, span.end
    if place is not None:
        yield place


_JOIN = "join"
