"""Texts as they are spoken: digits in words, no marks. For whatever works with a speech recogniser."""

from __future__ import annotations

from grammars.reading.numerals import ONES, TENS
from grammars.reading.reader import Reader
from grammars.reading.tokens import MARKS, is_article

_SYMBOLS = {"/": "per", "-": "minus", "+": "plus"}


def spoken(reader: Reader, text: str) -> tuple[str, ...]:
    """The words of a text as a person says them; articles are said too. Marks are not."""
    words: list[str] = []
    for chunk in text.split():
        bare = chunk.casefold().strip(".,;:?!")
        for word in (bare,) if is_article(bare) else reader.recogniser.words(chunk):
            words += _said(word)
    return tuple(words)


def in_letters(number: int) -> str:
    """A whole number up to 999 in words: 102 is "one hundred and two"."""
    if number < 20:
        return next(word for word, value in ONES.items() if value == number)
    if number < 100:
        tens = next(word for word, value in TENS.items() if value == number // 10 * 10)
        return f"{tens} {in_letters(number % 10)}" if number % 10 else tens
    rest = f" and {in_letters(number % 100)}" if number % 100 else ""
    return f"{in_letters(number // 100)} hundred{rest}"


def _said(word: str) -> list[str]:
    if not word or word in MARKS:
        return []
    if word.isdecimal():
        number = int(word) if len(word) < 4 else 1000
        return in_letters(number).split() if number < 1000 else [in_letters(int(digit)) for digit in word]
    whole, point, decimals = word.replace(",", ".").partition(".")
    if point and decimals.isdecimal() and (whole.isdecimal() or not whole):
        digits = [in_letters(int(digit)) for digit in decimals]
        return [*_said(whole or "0"), "point", *digits]
    return [_SYMBOLS.get(word, word)]
