"""A text as words that can be compared: case, punctuation, articles and politeness do not count."""

from __future__ import annotations

import re
import unicodedata

import msgspec

_WORD = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?!\w)|[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_ARTICLES = frozenset(("the", "a", "an", "my", "your"))
_POLITE_BEFORE = (
    ("can", "you"),
    ("could", "you"),
    ("would", "you"),
    ("will", "you"),
    ("i", "want", "you", "to"),
    ("i", "would", "like", "you", "to"),
    ("i'd", "like", "you", "to"),
    ("please",),
    ("kindly",),
    ("just",),
    ("now",),
    ("ok",),
    ("okay",),
    ("hey",),
)
_POLITE_AFTER = (("please",), ("now",), ("thanks",), ("thank", "you"), ("for", "me"), ("if", "you", "please"))


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word as it is compared, and where it stands in the text (characters, end excluded)."""

    text: str
    start: int
    end: int


def tokens_of(text: str) -> tuple[Token, ...]:
    """The words of an instruction that count."""
    words = [
        Token(_compared(match.group()), match.start(), match.end())
        for match in _WORD.finditer(text)
        if _compared(match.group()) not in _ARTICLES
    ]
    _drop(words, _POLITE_BEFORE, at_end=False)
    _drop(words, _POLITE_AFTER, at_end=True)
    return tuple(words)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a template's word or of a name, compared in the same way; politeness counts here."""
    found = (_compared(match.group()) for match in _WORD.finditer(text))
    return tuple(word for word in found if word not in _ARTICLES)


def is_article(text: str) -> bool:
    """Whether a template's word does not count."""
    return not words_of(text)


def _compared(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'")


def _drop(words: list[Token], phrases: tuple[tuple[str, ...], ...], *, at_end: bool) -> None:
    """Take politeness off one end, again and again; what would leave nothing stays."""
    while True:
        for phrase in phrases:
            size = len(phrase)
            part = words[-size:] if at_end else words[:size]
            if len(words) > size and tuple(word.text for word in part) == phrase:
                del words[len(words) - size if at_end else 0 : len(words) if at_end else size]
                break
        else:
            return
