"""The words of a text as n-grams, weighted by how rare they are (tf-idf; Salton and Buckley 1988).

Single words, pairs and triples with their endings cut off, pairs with a word between, and the triples and
quadruples of letters in each word, so that "grippr" is near "gripper".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_ENDINGS: Final = ("ing", "ed", "es", "s")
_LEAST_STEM: Final = 3
_LETTERS: Final = (3, 4)
#: What fewer texts have than these tells nothing of others.
_LEAST_TEXTS: Final = 3


def n_grams(words: Sequence[str]) -> frozenset[str]:
    """All of a text. words: with marks such as "<world>" for what it mentions."""
    stems = ["^", *map(stem, words), "$"]
    found = {f"word {word}" for word in words} | set(stems)
    for at in range(1, len(stems)):
        found.add(" ".join(stems[at - 1 : at + 1]))
        if at > 1:
            found.add(" ".join(stems[at - 2 : at + 1]))
            found.add(f"{stems[at - 2]} … {stems[at]}")
    for word in words:
        if word[0] != "<":
            whole = f"^{word}$"
            found |= {
                f"in {whole[at : at + size]}" for size in _LETTERS for at in range(len(whole) - size + 1)
            }
    return frozenset(found)


class Weights:
    """How much each n-gram counts. names: in order; weights: their inverse document frequencies."""

    def __init__(self, names: Sequence[str], weights: Floats) -> None:
        self.names = tuple(names)
        self.weights = weights
        self._places = {name: place for place, name in enumerate(self.names)}

    @classmethod
    def learn(cls, texts: Sequence[frozenset[str]]) -> Weights:
        """From the n-grams of many texts."""
        counts = Counter(each for text in texts for each in text)
        names = sorted(each for each, count in counts.items() if count >= _LEAST_TEXTS)
        weights = [np.log(len(texts) / counts[each]) for each in names]
        return cls(names, np.array(weights, dtype=np.float32))

    def places(self, text: frozenset[str]) -> tuple[npt.NDArray[np.int32], Floats]:
        """Where a text's n-grams stand among the names, and their weights, together of length one."""
        places = np.array(sorted(self._places[each] for each in text if each in self._places), dtype=np.int32)
        weights = self.weights[places]
        length = float(np.linalg.norm(weights))
        return places, weights / length if length else weights


def stem(word: str) -> str:
    """A word without a common ending; a mark as it is."""
    if word[0] == "<":
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word
