"""The noun that a word stands for: "look at the red cup, then at the yellow one". Pure.

Only where the word before it makes a known name with a noun that was named: "the left one" is an arm, or
whatever else there are two of, and is left to the actions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from grammars.reading.utterance import Utterance

Reads = Callable[[str], Utterance]


def with_nouns(
    text: str, utterance: Utterance, pronouns: Collection[str], reads: Reads
) -> tuple[str, frozenset[str]]:
    """The text with the nouns in the place of such words, and the names that are in it by that.

    pronouns: words that stand for a thing. reads: finds the names in a text.
    """
    names: set[str] = set()
    tokens = utterance.tokens
    places = [at for at, token in enumerate(tokens) if at and token.text in pronouns]
    nouns = _nouns(utterance) if places else []
    for at in reversed(places):
        for noun in (noun for end, noun in reversed(nouns) if end < at and noun not in pronouns):
            changed = f"{text[: tokens[at].start]}{noun}{text[tokens[at].end :]}"
            if found := _names_at(reads(changed), at):
                text = changed
                names |= found
                break
    return text, frozenset(names)


def _nouns(utterance: Utterance) -> list[tuple[int, str]]:
    """The last words of names of several words, each with the place behind it, in order."""
    found = {
        named.end: utterance.tokens[named.end - 1].text
        for places in utterance.names.values()
        for at, several in places.items()
        for named in several
        if named.end > at + 1
    }
    return sorted(found.items())


def _names_at(utterance: Utterance, at: int) -> set[str]:
    """The known names that end with this word, and begin before it."""
    return {
        each
        for places in utterance.names.values()
        for begin, several in places.items()
        for named in several
        if begin < at and named.end == at + 1
        for each in (named.known.name, str(named.known.value))
    }
