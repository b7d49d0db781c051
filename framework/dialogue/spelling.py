"""A text as people see it, and as it is compared. Which words are politeness is said elsewhere."""

from __future__ import annotations

import re
import unicodedata

_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[@-~]")
_NO_WORD = re.compile(r"[^\w']+")


def clean(text: str) -> str:
    """One line of the text, for people: without control characters, spaces collapsed."""
    text = _TERMINAL.sub(" ", text)  # a colour, say: its letters are no words
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text)
    return " ".join(visible.split())


def words_of(text: str) -> list[str]:
    """Its words, case folded, without punctuation and control characters."""
    plain = unicodedata.normalize("NFKC", clean(text)).casefold().replace("’", "'")
    return _NO_WORD.sub(" ", plain).replace("_", " ").split()
