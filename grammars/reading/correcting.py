"""One misspelling put right: a word of the grammar that is one edit away from what was said.

Only for texts that cannot be understood as they stand. An edit is one letter more, less or other, or two
neighbours exchanged, in one word of at least four letters. What is found this way is offered, not assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from framework.plan.parser import Correction
from grammars.reading.inflection import gerund
from grammars.reading.network import Node, Words, below
from grammars.reading.utterance import Utterance

LEAST_LETTERS = 4
#: Ways to correct one text that are tried.
MOST_TRIES = 40


class Vocabulary:
    """The words of a grammar, found by their misspellings.

    heads: words that clauses begin with; their -ing forms count too. never: words that nobody is taken to
    have meant: what stands for a thing stands for anything at all ("find game" is not "find the same").
    """

    def __init__(
        self, nodes: Iterable[Node], heads: Iterable[str], never: frozenset[str] = frozenset()
    ) -> None:
        words = {word for node in below(*nodes) if isinstance(node, Words) for word in node.words}
        words |= {gerund(head) for head in heads}
        self.words = frozenset(words)
        self._never = never
        self._by_rest: dict[str, list[str]] = {}
        for word in sorted(words):
            if len(word) >= LEAST_LETTERS and word.isalpha():
                for rest in _shortened(word):
                    self._by_rest.setdefault(rest, []).append(word)

    def near(self, said: str) -> tuple[str, ...]:
        """Words that are one edit away from a word that is none of the grammar's own."""
        if len(said) < LEAST_LETTERS or not said.isalpha() or said in self.words:
            return ()
        found = {word for rest in _shortened(said) for word in self._by_rest.get(rest, ())} - self._never
        return tuple(sorted(word for word in found if is_one_edit(said, word)))


def with_word(utterance: Utterance, at: int, word: str) -> tuple[Utterance, Correction]:
    """The utterance with another word at a place."""
    token = utterance.tokens[at]
    tokens = (*utterance.tokens[:at], msgspec.structs.replace(token, text=word), *utterance.tokens[at + 1 :])
    said = utterance.text[token.start : token.end]
    return msgspec.structs.replace(utterance, tokens=tokens), Correction(said, word)


def is_one_edit(said: str, meant: str) -> bool:
    """Whether one letter more, less or other, or two neighbours exchanged, makes the one of the other."""
    if said == meant or abs(len(said) - len(meant)) > 1:
        return False
    start = 0
    while start < min(len(said), len(meant)) and said[start] == meant[start]:
        start += 1
    a, b = said[start:], meant[start:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else a == b[1:]


def _shortened(word: str) -> Iterator[str]:
    """The word, and the word without each of its letters: two words that share one of these are near."""
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
