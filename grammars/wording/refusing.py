"""What could have followed where a text makes no sense any more: for completion."""

from __future__ import annotations

from grammars.reading.matching import Matching, Offer


def wanted(matching: Matching) -> list[Offer]:
    """What would have been possible at the furthest place, what says most first."""
    found: dict[Offer, None] = {}
    for wants, head in matching.wanted.values():
        for offer in wants.offers(matching, head):
            found[offer] = None
    return sorted(found, key=lambda offer: (offer.rank, not offer.is_name))
