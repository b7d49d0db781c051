"""Cuts words into pieces that an encoder knows: WordPiece (Schuster and Nakajima 2012), as in BERT."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

BEGIN: Final = "[CLS]"
END: Final = "[SEP]"
UNKNOWN: Final = "[UNK]"
GOES_ON: Final = "##"
"""What stands before a piece that does not begin a word."""

_PARTS: Final = re.compile(r"[^\W_]+|[^\w\s]|_")


def is_mark(word: str) -> bool:
    """Whether it stands for something that is mentioned; "<3" does not."""
    return len(word) > 2 and word[0] == "<" and word[-1] == ">"


class Pieces:
    """All pieces that are known, by place; among them marks ("<world>"), BEGIN, END and UNKNOWN.

    Raises ValueError if one of these three is missing.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._places = {name: place for place, name in enumerate(self.names)}
        missing = {BEGIN, END, UNKNOWN} - self._places.keys()
        if missing:
            raise ValueError(f"without {', '.join(sorted(missing))} these are no pieces")

    def of(self, words: Sequence[str], most: int) -> list[int]:
        """The places of a text's pieces, of so many at most, between those of BEGIN and END."""
        found = [place for word in words for place in self._of_word(word)]
        return [self._places[BEGIN], *found[: most - 2], self._places[END]]

    def _of_word(self, word: str) -> Iterator[int]:
        if is_mark(word) and word in self._places:
            yield self._places[word]
            return
        plain = unicodedata.normalize("NFKD", word.casefold())
        plain = "".join(each for each in plain if not unicodedata.combining(each))
        for part in _PARTS.findall(plain):
            yield from self._of_part(part)

    def _of_part(self, part: str) -> list[int]:
        """The longest piece that is known, then the longest of the rest; UNKNOWN if there is none."""
        found: list[int] = []
        begin = 0
        while begin < len(part):
            before = GOES_ON if begin else ""
            ends = range(len(part), begin, -1)
            end = next((each for each in ends if before + part[begin:each] in self._places), 0)
            if not end:
                return [self._places[UNKNOWN]]
            found.append(self._places[before + part[begin:end]])
            begin = end
        return found
