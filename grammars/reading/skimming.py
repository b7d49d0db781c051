"""What a text asks for if parts of it are left out that nobody knows: always asked, never done unasked. Pure.

Strangers dress up what they want: "lower the left arm ten centimetres, softly, as if it rested in water". A
part may be left out if it can take nothing away from the rest; the question says what is left out:

part        between marks, with words that nobody knows, or that begins as remarks do
clause      between marks, of known words that make no sense together: no value, no verb of ours
denial      between marks, what is not to be done: with a verb, as "not all the way" says how far
tail        "as if …", "so that …": a likeness or a reason, to the end of its part
opening     what stands before the first verb of ours, as "I was hoping that you"
word        one that nobody knows, in front of one that is known
island      all but some parts beside each other, where none of the rest asks for anything

No number, no name, known or new, and no join ("if", "until") is ever left out, and a text that corrects
itself ("turn left, I mean right") is not skimmed. What nobody here can do is not left out either: whoever
wants something fetched, too, is told that it is not (`grammars.wording.teaching`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from grammars.core import Skimming
from grammars.lexicon import is_verb
from grammars.reading.asides import THINGS, About
from grammars.reading.tokens import MARKS
from grammars.reading.tokens import parts as parts_of
from grammars.reading.utterance import Utterance

#: Longer texts are not skimmed.
MOST_WORDS = 50
#: In so many ways a text is tried.
MOST_TRIES = 7
#: An opening, and where something is, have so many words at most.
_MOST_OPENING, _MOST_OF_A_PLACE = 9, 4

#: So many islands are tried.
_MOST_ISLANDS = 4

Span = tuple[int, int]
"""Tokens, from and to."""


class Spans(msgspec.Struct, frozen=True):
    """What may be left out of a text, by kind."""

    parts: tuple[Span, ...] = ()
    denials: tuple[Span, ...] = ()
    tails: tuple[Span, ...] = ()
    openings: tuple[Span, ...] = ()
    words: tuple[Span, ...] = ()
    clauses: tuple[Span, ...] = ()


def ways(
    utterance: Utterance,
    strange: Collection[int],
    words: Skimming,
    is_ours: Callable[[str], bool],
    values: Collection[str],
) -> Iterator[tuple[Span, ...]]:
    """What to leave out, the least first; each way in the order of the text.

    strange: the places of words that nobody knows. is_ours: whether a word may be the verb of an instruction.
    values: words that a parameter's value begins with; an opening has none, unless a mark follows it.
    """
    tokens = [token.text for token in utterance.tokens]
    if not 1 < len(tokens) <= MOST_WORDS or corrects(tokens, words):
        return
    names = _names(utterance, tokens, words)
    joins = _joins(utterance, tokens, words)
    firm = joins | names | _known(utterance)
    said = {
        at
        for at, word in enumerate(tokens)
        if word in values and not (at + 1 < len(tokens) and tokens[at + 1] in MARKS)
    }
    found = _spans(tokens, firm, joins, frozenset(strange), names, words, is_ours, frozenset(said))
    tried: set[tuple[Span, ...]] = {()}
    for kinds in (
        (found.parts,),
        (found.parts, found.tails),
        (found.parts, found.tails, found.denials),
        (found.parts, found.tails, found.denials, found.openings),
        (found.parts, found.tails, found.denials, found.words),
        (found.parts, found.tails, found.denials, found.openings, found.words),
        (found.parts, found.clauses),
        (found.parts, found.clauses, found.tails, found.denials, found.openings),
    ):
        way = _merged([span for kind in kinds for span in kind])
        if way not in tried and len(tried) <= MOST_TRIES and sum(end - at for at, end in way) < len(tokens):
            tried.add(way)
            yield way
    islands = _islands(utterance, tokens, joins | names, words, is_ours)
    yield from [way for way in islands if way not in tried][:_MOST_ISLANDS]


def _islands(
    utterance: Utterance,
    tokens: Sequence[str],
    firm: frozenset[int],
    words: Skimming,
    is_ours: Callable[[str], bool],
) -> list[tuple[Span, ...]]:
    """Ways to keep but some parts beside each other, those that keep most first."""
    parts = [*parts_of(tokens, words.parting | words.because)]
    idle = [_asks_for_nothing(tokens, part, firm, words, is_ours) for part in parts]
    names = {
        tuple(tokens[at : named.end])
        for places in utterance.names.values()
        for at, several in places.items()
        for named in several[:1]
    }
    named_at = _known(utterance)
    found: list[tuple[int, tuple[Span, ...]]] = []
    for first in range(len(parts)):
        if not all(idle[:first]):
            break
        for last in range(len(parts) - 1, first - 1, -1):
            if not all(idle[last + 1 :]):
                break
            begin, end = parts[first][0], parts[last][1]
            while first and begin < end and (tokens[begin] in MARKS or tokens[begin] in words.because):
                begin += 1
            way = _merged([*parts[:first], (parts[first][0], begin), *parts[last + 1 :]])
            kept = f" {' '.join(tokens[begin:end])} "
            rest = " ".join(" ".join(tokens[at:to]) for at, to in way)
            loses = any(
                f" {' '.join(name)} " in f" {rest} " and f" {' '.join(name)} " not in kept for name in names
            )
            # "That laser thing, can I see it": what "it" stands for is left out.
            named = min((at for at in named_at if begin <= at < end), default=end)
            loses = loses or bool(first and words.standing_in.intersection(tokens[begin:named]))
            if way and not loses and end - begin > 1:
                found.append((sum(to - at for at, to in way), way))
    return [way for _, way in sorted(found, key=lambda each: each[0])]


def _asks_for_nothing(
    tokens: Sequence[str],
    part: Span,
    firm: frozenset[int],
    words: Skimming,
    is_ours: Callable[[str], bool],
) -> bool:
    """Whether a part holds no number, no new name, no join, and no verb that it asks for or denies."""
    begin, end = part
    while begin < end and (tokens[begin] in MARKS or tokens[begin] in words.joining):
        if tokens[begin] in words.asking:
            return False  # "then …"
        begin += 1
    if not firm.isdisjoint(range(begin, end)):
        return False
    return not any(
        is_ours(tokens[at]) and is_verb(tokens[at]) and (at == begin or tokens[at - 1] in words.asking)
        for at in range(begin, end)
    )


def places_of_things(
    utterance: Utterance, words: Skimming, about: About, values: Collection[str]
) -> tuple[Span, ...]:
    """Where known things are: "in the cabinet" of "the gauges in the cabinet", "on the floor".

    Words behind a name that nobody knows, or names of things; none of the robot's own, no number, no value.
    """
    tokens = [token.text for token in utterance.tokens]
    ends = {
        named.end
        for kind, by_place in utterance.names.items()
        for several in by_place.values()
        for named in several[:1]
        if kind.startswith(THINGS)
    }
    found: list[Span] = []
    for begin in sorted(ends):
        size = _begins(tokens, begin, words.modifying) if begin < len(tokens) else 0
        end = begin + size
        while (
            size
            and end < min(len(tokens), begin + size + _MOST_OF_A_PLACE)
            and (
                (end in about.names or end in about.strange)
                and end not in about.own
                and tokens[end] not in values
                and end not in utterance.quantities
            )
        ):
            end += 1
        follows = tokens[end] if end < len(tokens) else ""
        is_whole = not follows or any(
            follows in each for each in (MARKS, words.joining, words.never, words.with_it)
        )
        if size and end > begin + size and is_whole:
            found.append((begin, end))
    return tuple(found)


def _names(utterance: Utterance, tokens: Sequence[str], words: Skimming) -> frozenset[int]:
    """Places of what may be a new name: with a capital, or behind "called", "as"."""
    text = utterance.text
    found = {
        at
        for at, token in enumerate(utterance.tokens)
        if at and tokens[at - 1] not in MARKS and text[token.start : token.start + 1].isupper()
    }
    for at in range(1, len(tokens)):  # "as quagga", "call it quagga"
        before = tokens[at - 2] if at > 1 and tokens[at - 1] in words.remarking else tokens[at - 1]
        if before in words.naming:
            found.add(at)
    return frozenset(at for at in found if tokens[at] != "i")


def _joins(utterance: Utterance, tokens: Sequence[str], words: Skimming) -> frozenset[int]:
    """Places of numbers and joins. A likeness or a reason may name things: "so that I reach the table"."""
    firm = {at for at, token in enumerate(tokens) if token in words.never}
    for begin, several in utterance.quantities.items():
        firm.update(range(begin, several[0].end))
    return frozenset(firm)


def _known(utterance: Utterance) -> frozenset[int]:
    """Places of known names."""
    return frozenset(
        place
        for places in utterance.names.values()
        for begin, named in places.items()
        for place in range(begin, named[0].end)
    )


def _spans(
    tokens: Sequence[str],
    firm: frozenset[int],
    joins: frozenset[int],
    strange: frozenset[int],
    names: frozenset[int],
    words: Skimming,
    is_ours: Callable[[str], bool],
    said: frozenset[int],
) -> Spans:
    parts: list[Span] = []
    denials: list[Span] = []
    tails: list[Span] = []
    openings: list[Span] = []
    single: list[Span] = []
    clauses: list[Span] = []
    for begin, end in parts_of(tokens, words.parting):
        at = begin
        while at < end and (
            tokens[at] in MARKS or (tokens[at] in words.joining and not _begins(tokens, at, words.tails))
        ):
            at += 1
        if at >= end:
            continue
        size = _begins(tokens, at, words.tails)
        is_free = (joins if size else firm).isdisjoint(range(at + size, end))
        is_denied = tokens[at] in words.denying
        is_strange = not strange.isdisjoint(range(at, end))
        if (
            is_free
            and not (is_denied or size or is_strange or is_ours(tokens[at]))
            and not any(is_ours(token) and is_verb(token) for token in tokens[at:end])
            and said.isdisjoint(range(at, end))
            and words.parting.isdisjoint(tokens[begin:at])
            and end - at > 1
        ):
            clauses.append((begin, end))
        if is_free and (is_denied or size or is_strange or tokens[at] in words.remarking):
            if is_denied:
                if any(place in strange or is_verb(tokens[place]) for place in range(at + 1, end)):
                    denials.append((begin, end))
                continue
            # "…, but only halfway" says how, and is no remark.
            is_wanted = is_ours(tokens[at]) or (at in strange and is_verb(tokens[at]))
            if words.parting.isdisjoint(tokens[begin:at]) and (size or not is_wanted):
                parts.append((begin, end))
                continue
        tail = next((place for place in range(at + 1, end) if _begins(tokens, place, words.tails)), end)
        if tail < end and joins.isdisjoint(range(tail + _begins(tokens, tail, words.tails), end)):
            tails.append((tail, end))
        else:
            tail = end
        verb = next(
            (place for place in range(at, min(tail, at + _MOST_OPENING)) if is_ours(tokens[place])), at
        )
        is_denied = not words.denying.isdisjoint(tokens[at:verb])  # "I do not say …"
        is_denied = is_denied or not said.isdisjoint(range(at, verb))  # "right wrist"
        is_denied = is_denied or not words.telling.isdisjoint(tokens[at:verb])  # "you could have closed it"
        if verb > at and tokens[at] in words.opening and not is_denied and firm.isdisjoint(range(at, verb)):
            openings.append((at, verb))
        # In front of something that is known, and not of a verb: "the copper kettle", but not "halfway".
        single += [
            (place, place + 1)
            for place in range(max(verb, at) + 2, tail - 1)
            if place in strange and place not in names | joins and place + 1 not in strange
        ]
    return Spans(tuple(parts), tuple(denials), tuple(tails), tuple(openings), tuple(single), tuple(clauses))


def corrects(tokens: Sequence[str], words: Skimming) -> int:
    """Where a later part begins or ends as corrections do: what was said before is not what is meant; else 0.

    "No rush" is a denial, and no correction.
    """
    if MARKS.isdisjoint(tokens):
        return 0
    for begin, end in [*parts_of(tokens, ())][1:]:
        at = next(place for place in range(begin, end) if tokens[place] not in MARKS)
        for size in range(min(4, end - at), 0, -1):
            if " ".join(tokens[at : at + size]) in words.correcting and at + size < len(tokens):
                is_denial = tokens[at] in words.denying and at + size < end
                if not is_denial:
                    return at
        for size in (2, 3, 4):  # "forward I mean"
            if begin < end - size and " ".join(tokens[end - size : end]) in words.correcting:
                return at
    return 0


def _begins(tokens: Sequence[str], at: int, several: Collection[str]) -> int:
    """How many words of one of several ways begin here: three at most; 0 if none does."""
    return next((size for size in (3, 2, 1) if " ".join(tokens[at : at + size]) in several), 0)


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """In the order of the text, those that touch as one."""
    merged: list[Span] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return tuple(merged)
