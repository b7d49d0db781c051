"""Why a text is not understood, in a way that helps: how far it was, what could follow, what is unknown."""

from __future__ import annotations

from collections.abc import Iterable

from framework.plan.parser import NotUnderstood
from grammars.reading.matching import Matching, Offer, Rank
from grammars.reading.reader import MOST_WORDS, Read
from grammars.reading.slots import SlotNode
from grammars.reading.supposing import known_for

_MOST_EXPECTED = 60
_MOST_UNKNOWN_WORDS = 4


def refusal(read: Read) -> NotUnderstood:
    """What there is to say about a text that is no instruction."""
    matching = read.matching
    if matching is None:
        return NotUnderstood("", reason=f"{read.size} words are too many; {MOST_WORDS} are the most at once.")
    understood = matching.said(0, matching.furthest)
    expected = tuple(dict.fromkeys(offer.shown for offer in worth_saying(wanted(matching))))[:_MOST_EXPECTED]
    return NotUnderstood(understood, expected, _reason(matching, read.unknown))


def wanted(matching: Matching) -> list[Offer]:
    """What would have been possible at the furthest place, what says most first."""
    found: dict[Offer, None] = {}
    for wants, head in matching.wanted.values():
        for offer in wants.offers(matching, head):
            found[offer] = None
    return sorted(found, key=lambda offer: (offer.rank, not offer.is_name))


def worth_saying(offers: Iterable[Offer]) -> list[Offer]:
    """What helps a person: not every word that could join or adorn an instruction."""
    found = [offer for offer in offers if offer.rank <= Rank.JOIN]
    return sorted(
        found, key=lambda offer: (offer.rank, offer.shown.casefold() if offer.rank is Rank.ACTION else "")
    )


def _reason(matching: Matching, unknown: str) -> str:
    if matching.is_exhausted:
        return "That is too much at once; say it in several instructions."
    for at, end, sentence in matching.problems:
        if at <= matching.furthest <= end:
            return sentence
    if unknown:
        return unknown
    at = matching.furthest
    slots = [wants for wants, _ in matching.wanted.values() if isinstance(wants, SlotNode)]
    named = [slot for slot in slots if slot.has_list and not slot.takes_any_words(matching)]
    if at >= matching.size or not named or matching.is_boundary(at):
        return ""
    if len(named) < len(slots):
        # A number would have done as well; but a name that cannot be, as none is known, is worth saying.
        named = [slot for slot in named if slot.kind and not slot.values and not matching.known(slot.kind)]
        if not named or any(each.takes_any_words(matching) for each in slots if not each.has_list):
            return ""
    end = at + 1
    while end < matching.size and end - at < _MOST_UNKNOWN_WORDS and not matching.is_boundary(end):
        end += 1
    said = matching.said(at, end)
    return named[0].unknown(said, known_for(matching, named))
