"""What a text mentions: known things, quantities, sides and manners; and its words with marks for these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from framework.plan.parser import Known
from grammars.reading.utterance import Manner, Named, Quantity, Utterance
from grammars.units import COUNT

#: People say "one" of a thing, and "once" of the past.
_ONE: Final = 1.0


class Mention(msgspec.Struct, frozen=True):
    """Something in a text that a slot may be filled with. begin, end: tokens, the end excluded; words: these.

    Exactly one of the others is there: known: a thing, by kind; quantity; side: "left", "right" or "both";
    manner. is_unclear: several things are called so.
    """

    begin: int
    end: int
    words: tuple[str, ...] = ()
    known: Mapping[str, Known] = {}
    quantity: Quantity | None = None
    side: str = ""
    manner: Manner | None = None
    is_unclear: bool = False

    @property
    def mark(self) -> str:
        """What stands for it among the words that a scorer sees."""
        if self.known:
            return f"<{next(iter(self.known)).partition('.')[0]}>"
        if self.quantity is not None:
            return f"<number {self.quantity.unit}>"
        return "<side>" if self.side else f"<{self.manner.marker.value}>" if self.manner is not None else ""

    @property
    def is_idle(self) -> bool:
        """Whether it may be no more than a turn of phrase: "the one over there", "at once"."""
        return self.quantity is not None and self.quantity.unit in ("", COUNT) and self.quantity.value == _ONE


BOTH: Final = "both"


class Sides(msgspec.Struct, frozen=True):
    """Words that say which of two things, or which way.

    pair: the two, as values of parameters ("left", "right"). words: by word, one of these or "both".
    """

    pair: tuple[str, str]
    words: Mapping[str, str]

    @classmethod
    def of(cls, one_and_other: Iterable[str], both: Iterable[str]) -> Sides:
        """Of the values of parameters that say one of two, and the words for both."""
        one, other, *_ = (*dict.fromkeys(one_and_other), "", "")
        words = {each: each for each in (one, other) if each}
        return cls((one, other), {**words, **dict.fromkeys(both, BOTH)})


def mentions_in(
    utterance: Utterance,
    manners: Iterable[tuple[int, int, Manner]],
    sides: Sides,
    kinds: Sequence[str],
    joins: Collection[str] = (),
    no_sides: Collection[str] = (),
) -> tuple[Mention, ...]:
    """All of them, in order, none within another: the longest counts, and what is named before a number.

    kinds: of names that count, in order. A name with a side in it ("left arm") is none: its side counts.
    joins: words that join clauses; a name that is one of these ("before") is none. no_sides: pairs of words
    in which a side is none ("right there").
    """
    words = [token.text for token in utterance.tokens]
    idle = {
        place
        for at, pair in enumerate(pairwise(words))
        if " ".join(pair) in no_sides
        for place in (at, at + 1)
    }
    found = [*_named(utterance, words, sides, kinds, joins)]
    for begin, several in utterance.quantities.items():
        found.append(Mention(begin, several[0].end, quantity=several[0]))
    found += [Mention(begin, end, manner=manner) for begin, end, manner in manners]
    found += [
        Mention(at, at + 1, side=sides.words[word])
        for at, word in enumerate(words)
        if word in sides.words and at not in idle
    ]
    found.sort(key=lambda each: (each.begin - each.end, not each.known))
    taken: set[int] = set()
    chosen: list[Mention] = []
    for each in found:
        places = range(each.begin, each.end)
        if taken.isdisjoint(places):
            taken.update(places)
            chosen.append(msgspec.structs.replace(each, words=tuple(words[each.begin : each.end])))
    return tuple(sorted(chosen, key=lambda each: each.begin))


class Noticed(msgspec.Struct, frozen=True):
    """A text with what it mentions."""

    text: str
    utterance: Utterance
    mentions: tuple[Mention, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """Its words, with marks for what it mentions."""
        marks = {each.begin: each for each in self.mentions}
        words: list[str] = []
        at = 0
        while at < len(self.utterance.tokens):
            if (each := marks.get(at)) is not None:
                words.append(each.mark)
                at = each.end
            else:
                words.append(self.utterance.tokens[at].text)
                at += 1
        return tuple(words)


def _named(
    utterance: Utterance, words: Sequence[str], sides: Sides, kinds: Sequence[str], joins: Collection[str]
) -> Iterator[Mention]:
    places: dict[tuple[int, int], dict[str, Known]] = {}
    unclear: set[tuple[int, int]] = set()
    for kind in kinds:
        for begin, several in utterance.names.get(kind, {}).items():
            named: Named = several[0]
            if sum(each.end == named.end for each in several) > 1:
                unclear.add((begin, named.end))
            said = words[begin : named.end]
            if sides.words.keys().isdisjoint(said) and not all(each in joins for each in said):
                places.setdefault((begin, named.end), {})[kind] = named.known
    for (begin, end), known in places.items():
        yield Mention(begin, end, known=known, is_unclear=(begin, end) in unclear)
