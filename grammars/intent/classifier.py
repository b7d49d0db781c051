"""Which intent a text has, by what people said before and meant by it.

Regularised least squares on a Gaussian kernel of n-grams, one intent against all the others (Rifkin and
Klautau 2004, "In defense of one-vs-all classification"): one linear system, solved once. A text that is like
nothing that was ever said is near no intent. One takes less than a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from grammars.intent.features import Floats, Weights

Places = npt.NDArray[np.int32]

#: How narrow the kernel is, and how much less each text counts than all together.
_NARROW: Final = np.float32(1.0)
_RIDGE: Final = np.float32(0.1)
_MOST: Final = 6


class Scored(msgspec.Struct, frozen=True):
    """An intent, and how near a text is to it: about 0 … 1."""

    intent: str
    score: float


class Texts(msgspec.Struct, frozen=True):
    """The n-grams of the texts that were learnt from, by n-gram.

    begins: from which entry on; rows: of each entry, the text that has it; values: how much it counts there.
    """

    count: int
    begins: Places
    rows: Places
    values: Floats

    @classmethod
    def of(cls, matrix: Floats) -> Texts:
        """Of a matrix with a row for each text and a column for each n-gram."""
        columns, rows = np.nonzero(matrix.T)
        begins = np.searchsorted(columns, np.arange(matrix.shape[1] + 1)).astype(np.int32)
        return cls(matrix.shape[0], begins, rows.astype(np.int32), matrix[rows, columns])

    def similar(self, places: Places, weights: Floats) -> Floats:
        """How similar each is to a text with these n-grams: 0 … 1."""
        found = np.zeros(self.count, dtype=np.float32)
        for place, weight in zip(places, weights, strict=True):
            entries = slice(self.begins[place], self.begins[place + 1])
            found[self.rows[entries]] += self.values[entries] * weight
        return found


class Classifier:
    """What was learnt. intents: by column of the factors, which have a row for each text."""

    def __init__(self, weights: Weights, texts: Texts, intents: Sequence[str], factors: Floats) -> None:
        self.weights = weights
        self.texts = texts
        self.intents = tuple(intents)
        self.factors = factors

    @classmethod
    def learn(cls, texts: Sequence[frozenset[str]], intents: Sequence[str]) -> tuple[Classifier, float]:
        """From the n-grams of texts, and the intent of each.

        Returns also which share of them would be nearest to their intent had they themselves not been known.
        That is exact for least squares (Rifkin and Lippert 2007): y − α / diag((K + λ 1)⁻¹).
        """
        weights = Weights.learn(texts)
        matrix = weights.matrix(texts)
        names = sorted(set(intents))
        of_text = np.array([names.index(each) for each in intents])
        wanted = np.eye(len(names), dtype=np.float32)[of_text]
        ridge = _kernel(matrix @ matrix.T) + _RIDGE * np.eye(len(texts), dtype=np.float32)
        inverse = np.linalg.inv(ridge)
        factors = (inverse @ wanted).astype(np.float32)
        left_out = wanted - factors / np.diag(inverse)[:, None]
        share = float(np.mean(np.argmax(left_out, axis=1) == of_text))
        return cls(weights, Texts.of(matrix), names, factors), share

    def scored(self, text: frozenset[str]) -> list[Scored]:
        """The nearest intents, the nearest first."""
        scores = _kernel(self.texts.similar(*self.weights.places(text))) @ self.factors
        order = np.argsort(-scores)[:_MOST]
        return [Scored(self.intents[each], float(scores[each])) for each in order]


def _kernel(similar: Floats) -> Floats:
    """Of points of length one: exp(−γ d²/2)."""
    kernel: Floats = np.exp(_NARROW * (similar - np.float32(1.0)))
    return kernel
