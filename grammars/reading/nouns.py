"""Known names by their last words: with a thousand known things nobody wants to look at each of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from framework.plan.parser import Known


class _Kind(msgspec.Struct, frozen=True):
    """What is known of a kind. ending: names by their last word. nouns: the same as written, in order."""

    known: tuple[Known, ...]
    ending: Mapping[str, tuple[str, ...]]
    nouns: Mapping[str, int]


class Nouns:
    """Finds names by their last words; made anew for a kind when what is known of it has changed."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}

    def ending_in(self, word: str, kind: str, known: tuple[Known, ...]) -> tuple[str, ...]:
        """The names of what is known that end in a word, whatever its case."""
        return self._of(kind, known).ending.get(word, ())

    def first_of(self, words: Collection[str], kind: str, known: tuple[Known, ...]) -> str:
        """That of some words which the first one of all known things is called by; empty if none is."""
        nouns = self._of(kind, known).nouns
        return min((word for word in words if word in nouns), key=nouns.__getitem__, default="")

    def _of(self, kind: str, known: tuple[Known, ...]) -> _Kind:
        found = self._kinds.get(kind)
        if found is None or (found.known is not known and found.known != known):
            ending: dict[str, list[str]] = {}
            nouns: dict[str, int] = {}
            for at, each in enumerate(known):
                nouns.setdefault(each.name.rpartition(" ")[2], at)
                for word in each.name.casefold().split()[-1:]:
                    ending.setdefault(word, []).append(each.name)
            names = {word: tuple(several) for word, several in ending.items()}
            found = self._kinds[kind] = _Kind(known, names, nouns)
        return found
