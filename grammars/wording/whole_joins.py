"""Whether the joining words of a made sentence stand whole: of all that could join there, the longest counts.

"Show the scan and" before "now the cloud" is "… and now …", and "what are you for" before "as long as" is
"… for as long as …"; "if it is two metres away" before "a second time" is a speed. To a listener such a
sentence says something else than the parts it was made of.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from framework.plan.parser import World
from grammars.core import Marker
from grammars.language import Language
from grammars.reading.matching import Matching
from grammars.wording.samples import Pieces, sentence

#: Longer joining words may begin so many words before those that were put there.
_MOST_WORDS_BEFORE = 4
_JOINS = (
    Marker.THEN, Marker.AND, Marker.AND_DOING, Marker.WHILE_DOING, Marker.MEANWHILE, Marker.UNTIL,
    Marker.AS_LONG_AS, Marker.FOR_TIME, Marker.DELAY_AFTER, Marker.IF, Marker.OTHERWISE, Marker.UNLESS,
    Marker.WHEN, Marker.BEFORE, Marker.AFTER, Marker.ONCE, Marker.BUT_FIRST,
)  # fmt: skip


def joins_are_whole(language: Language, world: World, pieces: Pieces) -> bool:
    """Whether no longer joining words, and no quantity, stand where clauses were put together."""
    grammar = language.grammar
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
                each > least for marker in _JOINS for each in grammar.markers.ends(matching, marker, begin)
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
