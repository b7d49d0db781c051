"""Words as people type or speak them, written as phrases have them: "fwd", "doon", "sloooow", "comma". Pure.

Only for texts that make no sense as they stand. The words are data (`shorthand` and `respelling` in
`english.yaml`). They are written out in steps, each on top of those before it: what is typed in a hurry, then
dialects and what learners bring along, then marks that were dictated; the first that makes sense counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Final

import msgspec

from grammars.core import Core
from grammars.units import UNITS

#: Of a word so many rows of one letter are made shorter.
_MOST_ROWS: Final = 3
#: Longer texts are not written out [characters].
_LONGEST: Final = 2000
#: So many letters a word has before an ending.
_LEAST_STEM: Final = 3
_APOSTROPHE: Final = "['’]"
_TIMES = re.compile(r"(?<!\w)(?:x ?(\d{1,3})|(\d{1,3}) ?x)(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"(?<![\w'’])[^\W\d_]{2,}(?![\w'’])")
_ROW = re.compile(r"([^\W\d_])\1{2,}", re.IGNORECASE)
_NEXT = re.compile(r"\s+([^\W\d_]+)")
_AT_VOWEL = re.compile(r"\s+[aeiouh]", re.IGNORECASE)

Spans = tuple[tuple[int, int], ...]
"""Characters, from and to."""
Named = Callable[[str], Spans]
"""Where known names stand in a text."""


class _Table(msgspec.Struct, frozen=True):
    """Words, and what they are written as. One that ends with an apostrophe may be glued to the next."""

    pattern: re.Pattern[str]
    written: Mapping[str, str]

    def apply(self, text: str, named: Named) -> str:
        """The text with all of them written out, but for what touches known names."""
        if not self.written or not self.pattern.search(text):
            return text
        kept = named(text)

        def out(found: re.Match[str]) -> str:
            said = " ".join(found[0].lower().replace("’", "'").split())
            if _touches(found, kept):
                return found[0]
            if (said,) in UNITS and text[: found.start()].rstrip()[-1:].isdigit():
                return found[0]  # "10 n" are newtons
            if said[-1].isdigit() and not _goes_on(text[found.end() :]):
                return found[0]  # "go 2 metres", but "go 2 the door"
            is_glued = said.endswith("'") and text[found.end() : found.end() + 1].isalnum()
            return self.written[said] + (" " if is_glued else "")

        return self.pattern.sub(out, text)


class Respelling:
    """Writes texts with the words that phrases have. One that was made never changes.

    is_known: whether a word is one of ours.
    """

    def __init__(self, core: Core, is_known: Callable[[str], bool]) -> None:
        words = core.respelling
        self._is_known = is_known
        self._hurried = _table(core.shorthand)
        self._spoken = _table({**words.dialects, **words.learners})
        self._dictated = _table(words.dictated)
        self._before_consonants = words.before_consonants
        self._endings = words.endings
        self._keys = frozenset((*self._hurried.written, *self._spoken.written))
        #: What words are written as: it may stand in texts that are handed on.
        self.written = frozenset((*self._hurried.written.values(), *self._spoken.written.values()))

    def ways(self, text: str, named: Named) -> Iterator[str]:
        """The text written out further and further; nothing if there is nothing to be written otherwise.

        named: where known names stand in a text; they stay as they are. A text that is too long to be
        understood stays as it is, too.
        """
        if len(text) > _LONGEST:
            return
        for step in (self._hurriedly, self._as_spoken, self._as_dictated):
            written = step(text, named)
            if written != text:
                yield written
                text = written

    def out(self, text: str) -> str:
        """The text written out as far as it goes, whatever has names."""
        *_, last = (text, *self.ways(text, lambda _: ()))
        return last

    def writes(self, word: str) -> bool:
        """Whether a word would be written otherwise."""
        return word in self._keys or self.out(word) != word

    def _hurriedly(self, text: str, named: Named) -> str:
        if _ROW.search(text):
            text = self._each_word(text, named(text), self._shortened)
        written = self._hurried.apply(text, named)
        return _TIMES.sub(lambda found: f"{found[1] or found[2]} times", written)

    def _as_spoken(self, text: str, named: Named) -> str:
        written = self._spoken.apply(text, named)
        return self._each_word(written, named(written), self._spoken_word)

    def _as_dictated(self, text: str, named: Named) -> str:
        return self._dictated.apply(text, named)

    @staticmethod
    def _each_word(text: str, kept: Spans, change: Callable[[str, str], str]) -> str:
        def out(found: re.Match[str]) -> str:
            if _touches(found, kept):
                return found[0]
            return change(found[0], text[found.end() :])

        return _WORD.sub(out, text)

    def _spoken_word(self, word: str, behind: str) -> str:
        said = word.lower()
        if said in self._before_consonants and behind and not _AT_VOWEL.match(behind):
            return self._before_consonants[said]
        if self._is_known(said):
            return word
        for ending, in_full in self._endings.items():
            stem = said.removesuffix(ending)
            if stem != said and len(stem) >= _LEAST_STEM and self._is_known(stem + in_full):
                return stem + in_full
        return word

    def _shortened(self, word: str, _: str) -> str:
        """ "slow" for "sloooow": each row of one letter as one or two of them, as it is a word."""
        said = word.lower()
        rows = _ROW.findall(said)
        if not rows or len(rows) > _MOST_ROWS or self._is_known(said):
            return word
        ways = ["".join(each) for each in product(*(_pieces(said)))]
        known = [each for each in ways if self._is_known(each) or each in self._keys]
        return known[0] if known else word


def _pieces(word: str) -> Iterator[tuple[str, ...]]:
    """The word in pieces; of a row of one letter what it may be."""
    at = 0
    for row in _ROW.finditer(word):
        yield (word[at : row.start()],)
        yield row[1] * 2, row[1]
        at = row.end()
    yield (word[at:],)


def _goes_on(behind: str) -> bool:
    """Whether a word comes that is no unit."""
    word = _NEXT.match(behind)
    return word is not None and (word[1].lower(),) not in UNITS


def _touches(found: re.Match[str], kept: Spans) -> bool:
    return any(begin < found.end() and found.start() < end for begin, end in kept)


def _table(words: Mapping[str, str]) -> _Table:
    by_letter: dict[str, list[str]] = {}  # the engine tries every way at every place: 30 are few, 300 many
    for each in sorted(words, key=len, reverse=True):
        way = re.escape(each).replace("\\ ", r"\s+").replace("'", _APOSTROPHE)
        by_letter.setdefault(each[0], []).append(way if each.endswith("'") else rf"{way}(?![\w'’])")
    ways = "|".join(f"(?={_first(letter)})(?:{'|'.join(each)})" for letter, each in by_letter.items())
    pattern = re.compile(rf"(?<![\w'’])(?:{ways})", re.IGNORECASE)
    return _Table(pattern, {each.lower(): written for each, written in words.items()})


def _first(letter: str) -> str:
    return re.escape(letter).replace("'", _APOSTROPHE)
