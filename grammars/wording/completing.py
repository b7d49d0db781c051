"""What could follow a text that has been begun: the next words, and names that are known now."""

from __future__ import annotations

from collections.abc import Callable

from framework.plan.parser import Completions
from grammars.reading.matching import Matching, Offer, Rank
from grammars.reading.reader import Read
from grammars.reading.tokens import MARKS
from grammars.wording.refusing import wanted

#: Words at the end of a text that may be the beginning of one name.
_MOST_BEGUN_WORDS = 3
MOST_OPTIONS = 60
#: Reads a text as it stands.
ReadText = Callable[[str], Read]


def completions(text: str, read: ReadText) -> Completions:
    """What could be added to a text, or replace the beginning of its last word."""
    whole = read(text)
    matching, is_whole = whole.matching, bool(whole.readings)
    if matching is None:
        return Completions(())
    tokens = matching.utterance.tokens
    following = _offers(matching)
    most = [offer for offer in following if offer.rank <= Rank.JOIN]
    following = most or following  # what says less is offered once it is begun, or where nothing else is
    is_behind = not tokens or bool(text[tokens[-1].end :])  # a space, or an article, which is no token
    if is_behind or not tokens[-1].text[-1:].isalnum():
        return Completions(_texts(following), 0, is_whole)
    for count in range(1, min(_MOST_BEGUN_WORDS, len(tokens)) + 1):
        start = tokens[-count].start
        begun = " ".join(token.text for token in tokens[-count:])
        earlier = read(text[:start]).matching
        offers = [
            offer
            for offer in (_offers(earlier) if earlier is not None else ())
            if _plain(offer.text).startswith(begun) and _plain(offer.text) != begun
        ]
        if offers:
            # The last word may be whole as well: then its own continuations come after.
            longer = [text[start:] + _gap(option) + option for option in _texts(following)]
            options = tuple(dict.fromkeys((*_texts(offers), *longer)))[:MOST_OPTIONS]
            return Completions(options, len(text) - start, is_whole)
    return Completions(_texts(following), 0, is_whole)


def _offers(matching: Matching) -> list[Offer]:
    """What could come at the end; nothing if the end was never reached."""
    if matching.furthest < matching.size:
        return []
    is_after_mark = matching.size > 0 and matching.tokens[-1] in MARKS
    return [offer for offer in wanted(matching) if offer.text and not (is_after_mark and offer.text in MARKS)]


def _texts(offers: list[Offer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(offer.text for offer in offers))[:MOST_OPTIONS]


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def _gap(option: str) -> str:
    return "" if option[:1] in ",;.:" else " "
