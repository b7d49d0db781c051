"""How near words are: the words of the grammar and of known names that may be meant by one that nobody knows.

An edit is one letter more, less or other, or two neighbours exchanged. A word of four letters may have one of
them, a word of eight two; a letter is taken for another one where a finger slips to it, or in a longer word.
Which of them is meant, and how certain that is, `spelling` decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from grammars.reading.inflection import gerund
from grammars.reading.network import Node, Words, below

LEAST_LETTERS: Final = 4
#: So many letters make it certain enough which word was meant, whatever letter is wrong.
_LONG: Final = 6
#: Words of so many letters may have two mistakes.
_TWO_MISTAKES: Final = 8
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS: Final = frozenset("aeiouy")
#: Those that are left out in a hurry.
VOWELS: Final = frozenset("aeiou")


class Spellings:
    """Words, found by their misspellings."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_rest: dict[str, list[str]] = {}
        for word in sorted(words):
            if len(word) >= LEAST_LETTERS and word.isalpha():
                for rest in _shortened(word):
                    self._by_rest.setdefault(rest, []).append(word)

    def near(self, said: str) -> tuple[str, ...]:
        """Those that are meant most likely by a word that is none of them: all with as few mistakes."""
        mistakes = self.all_near(said)
        least = min(mistakes.values(), default=0)
        return tuple(sorted(word for word, count in mistakes.items() if count == least))

    def all_near(self, said: str) -> dict[str, int]:
        """All that may be meant, and how many mistakes that are."""
        if len(said) < LEAST_LETTERS - 1 or not said.isalpha():
            return {}
        found = {word for rest in _shortened(said) for word in self._by_rest.get(rest, ())}
        return {word: count for word in found if 0 < (count := mistakes_in(said, word)) <= _most(said, word)}


class Vocabulary:
    """The words of a grammar, found by their misspellings.

    heads: words that clauses begin with; their -ing forms count too. never: words that nobody is taken to
    have meant: what stands for a thing stands for anything at all ("find game" is not "find the same").
    english: words that are spelt as they are meant, though no phrase has them. others: that are ours, too.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        heads: Iterable[str],
        never: frozenset[str] = frozenset(),
        english: frozenset[str] = frozenset(),
        others: frozenset[str] = frozenset(),
    ) -> None:
        words = {word for node in below(*nodes) if isinstance(node, Words) for word in node.words}
        words |= {gerund(head) for head in heads}
        self.words = frozenset(words)
        self._english = english
        #: Words that may be meant.
        self.meant = (self.words - never) | others

    def is_spelt(self, said: str) -> bool:
        """Whether a word is one as it stands."""
        return said in self.words or said in self._english

    def near(self, said: str) -> tuple[str, ...]:
        """Words that may be meant by a word that is none of the grammar's own."""
        return () if self.is_spelt(said) else self._spellings.near(said)

    def all_near(self, said: str) -> dict[str, int]:
        """The same, all of them, and with how many mistakes."""
        return {} if self.is_spelt(said) else self._spellings.all_near(said)

    @cached_property
    def without_vowels(self) -> Mapping[str, Sequence[str]]:
        """Words that may be meant, by how they are written without vowels: "bck"."""
        found: dict[str, list[str]] = {}
        for word in sorted(self.meant):
            found.setdefault(without_vowels(word), []).append(word)
        return found

    @cached_property
    def by_letters(self) -> Mapping[str, Sequence[str]]:
        """The same, by their letters in alphabetical order."""
        found: dict[str, list[str]] = {}
        for word in sorted(self.meant):
            found.setdefault("".join(sorted(word)), []).append(word)
        return found

    @cached_property
    def _spellings(self) -> Spellings:
        return Spellings(self.meant)


def without_vowels(word: str) -> str:
    """The word with none but the first letter's."""
    return word[:1] + "".join(letter for letter in word[1:] if letter not in VOWELS)


def mistakes_in(said: str, meant: str) -> int:
    """How many letters are wrong, missing, too many or exchanged with their neighbours; 3 if more than two.

    Also 3 where no finger makes such a mistake: "mast" is not "cast".
    """
    if said == meant:
        return 0
    start = 0
    while start < min(len(said), len(meant)) and said[start] == meant[start]:
        start += 1
    a, b = said[start:], meant[start:]
    while a and b and a[-1] == b[-1] and len(a) + len(b) > 2:
        a, b = a[:-1], b[:-1]
    if max(len(a), len(b)) <= 1:
        return 1 if not (a and b) or _slips(a, b, meant, start) else 3
    if len(a) == len(b) == 2 and a == b[::-1]:
        return 1
    count = _distance(a, b)
    is_likely = start > 0 or a[:2] == b[1::-1] or bool(a and b and _slips(a[0], b[0], "", 0))
    return count if is_likely else 3


def _distance(a: str, b: str) -> int:
    """Letters that are wrong, missing, too many or exchanged; no more than three are counted."""
    if abs(len(a) - len(b)) > 2:
        return 3
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return min(last[-1], 3)


def _most(said: str, meant: str) -> int:
    return 2 if max(len(said), len(meant)) >= _TWO_MISTAKES else 1


def _slips(said: str, meant: str, word: str, at: int) -> bool:
    """Whether one letter may stand for another one."""
    if at > 0 and len(word) >= _LONG:
        return True
    return meant in _BESIDE.get(said, ()) or {said, meant} <= _VOWELS


def _beside() -> dict[str, frozenset[str]]:
    """The letters around each one on a keyboard."""
    at = {
        letter: (row, 2 * column + row)
        for row, line in enumerate(_ROWS)
        for column, letter in enumerate(line)
    }
    return {
        one: frozenset(
            other
            for other, (row, column) in at.items()
            if other not in (one, " ") and abs(row - at[one][0]) <= 1 and abs(column - at[one][1]) <= 2
        )
        for one in at
    }


def _shortened(word: str) -> Iterator[str]:
    """The word, and the word without each of its letters, or pair of them: near words share one of these."""
    yield word
    if len(word) > 40:
        return
    for at in range(len(word)):
        rest = word[:at] + word[at + 1 :]
        yield rest
        if len(word) >= _TWO_MISTAKES - 1:
            for other in range(at, len(rest)):
                yield rest[:other] + rest[other + 1 :]


_BESIDE: Final = _beside()
