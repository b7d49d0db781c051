"""A text as people see it, and as it is compared. Which words are politeness is said elsewhere."""

from __future__ import annotations

import re
import unicodedata

_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[@-~]")
_NO_WORD = re.compile(r"[^\w']+")


def clean(text: str) -> str:
    """One line of the text, for people: without control characters, spaces collapsed."""
    if _is_plain(text):
        return " ".join(text.split())
    text = _TERMINAL.sub(" ", text)  # a colour, say: its letters are no words
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text)
    return " ".join(visible.split())


def words_of(text: str) -> list[str]:
    """Its words, case folded, without punctuation and control characters."""
    if _is_plain(text):
        plain = text.lower()
    else:
        plain = unicodedata.normalize("NFKC", clean(text)).casefold().replace("’", "'")
    return _NO_WORD.sub(" ", plain).replace("_", " ").split()


def _is_plain(text: str) -> bool:
    """Whether nothing in it is a control character or written in several ways: nearly always."""
    return text.isascii() and text.isprintable()
