"""A text as a free recogniser writes it, in the words as they are spoken: "5 cm" is "five centimetres". Pure.

How figures and short forms are spoken is the language's matter: it comes as a table, written by whoever knows
the language (`SpokenModel.spoken`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import SoundError
from framework.unreadable import UNREADABLE

POINT: Final = "point"
_PIECE: Final = re.compile(r"\d+(?:[.,]\d+)?(?:st|nd|rd|th)?|[a-z]+(?:'[a-z]+)*'?|[^\sa-z\d]", re.IGNORECASE)


class InWords:
    """Puts texts into words.

    spoken: the words of each whole number, short form and sign, written in small letters: "5", "cm", "%".
    """

    def __init__(self, spoken: Mapping[str, str] = {}) -> None:
        self._spoken = spoken

    def __call__(self, text: str) -> tuple[str, ...]:
        """Small letters, no marks."""
        plain = text.casefold().replace("’", "'").replace("-", " ")
        return tuple(
            word for piece in _PIECE.findall(plain) for said in self._said(piece) for word in said.split()
        )

    def _said(self, piece: str) -> Iterator[str]:
        found = self._spoken.get(piece)
        if found is not None:
            yield found
        elif piece[0].isdigit():
            yield from self._number(piece)
        elif piece[0].isalpha():
            yield piece

    def _number(self, piece: str) -> Iterator[str]:
        whole, point, decimals = piece.rstrip("stndrh").replace(",", ".").partition(".")
        known = self._spoken.get(whole)
        yield from (known,) if known is not None else self._digits(whole)
        if point:
            yield POINT
            yield from self._digits(decimals)

    def _digits(self, digits: str) -> Iterator[str]:
        """One after the other: what is said of a long number."""
        return (self._spoken.get(digit, digit) for digit in digits)


def read_in_words(file: Path) -> InWords:
    """Raises SoundError if that is no such table."""
    try:
        return InWords(msgspec.json.decode(file.read_bytes(), type=dict[str, str]))
    except (OSError, *UNREADABLE) as error:
        raise SoundError(f"how numbers are spoken cannot be read from {file}: {error}") from error
