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
from grammars.intent.intents import Intent

Places = npt.NDArray[np.int32]

#: How narrow the kernel is, and how much less each text counts than all together.
_NARROW: Final = np.float32(1.0)
_RIDGE: Final = np.float32(0.1)
_MOST: Final = 6
#: So many n-grams are compared at once: all of them would not fit into memory.
_AT_ONCE: Final = 2000


class Scored(msgspec.Struct, frozen=True):
    """An intent, and how near a text is to it: about 0 … 1."""

    intent: Intent
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
    def of(cls, texts: Sequence[frozenset[str]], weights: Weights) -> Texts:
        """Of texts by their n-grams."""
        places = [weights.places(text)[0] for text in texts]
        columns = np.concatenate(places) if places else np.zeros(0, dtype=np.int32)
        rows = np.repeat(np.arange(len(places)), [len(each) for each in places])
        order = np.argsort(columns, kind="stable")
        begins = np.searchsorted(columns[order], np.arange(len(weights.names) + 1)).astype(np.int32)
        return cls.having(len(places), begins, rows[order].astype(np.int32), weights.weights)

    @classmethod
    def having(cls, count: int, begins: Places, rows: Places, weights: Floats) -> Texts:
        """Of texts of length one whose n-grams have these weights. Raises ValueError if they do not match."""
        values = np.repeat(weights, np.diff(begins))
        lengths = np.sqrt(np.bincount(rows, weights=values * values, minlength=count))
        return cls(count, begins, rows, (values / lengths[rows]).astype(np.float32))

    def similarities(self) -> Floats:
        """How similar each is to each."""
        found = np.zeros((self.count, self.count), dtype=np.float32)
        n_grams = len(self.begins) - 1
        for first in range(0, n_grams, _AT_ONCE):
            begins = self.begins[first : first + _AT_ONCE + 1]
            columns = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
            entries = slice(begins[0], begins[-1])
            some = np.zeros((self.count, len(begins) - 1), dtype=np.float32)
            some[self.rows[entries], columns] = self.values[entries]
            found += some @ some.T
        return found

    def similar(self, places: Places, weights: Floats) -> Floats:
        """How similar each is to a text with these n-grams: 0 … 1."""
        found = np.zeros(self.count, dtype=np.float32)
        for place, weight in zip(places, weights, strict=True):
            entries = slice(self.begins[place], self.begins[place + 1])
            found[self.rows[entries]] += self.values[entries] * weight
        return found


class Classifier:
    """What was learnt. intents: by column of the factors, which have a row for each text."""

    def __init__(self, weights: Weights, texts: Texts, intents: Sequence[Intent], factors: Floats) -> None:
        self.weights = weights
        self.texts = texts
        self.intents = tuple(intents)
        self.factors = factors

    @classmethod
    def learn(cls, texts: Sequence[frozenset[str]], intents: Sequence[Intent]) -> tuple[Classifier, float]:
        """From the n-grams of texts, and the intent of each.

        Returns also which share of them would be nearest to their intent had they themselves not been known.
        That is exact for least squares (Rifkin and Lippert 2007): y − α / diag((K + λ 1)⁻¹).
        """
        weights = Weights.learn(texts)
        known = Texts.of(texts, weights)
        names = sorted(set(intents))
        of_text = np.array([names.index(each) for each in intents])
        wanted = np.eye(len(names), dtype=np.float32)[of_text]
        ridge = _kernel(known.similarities()) + _RIDGE * np.eye(len(texts), dtype=np.float32)
        inverse = np.linalg.inv(ridge)
        factors = (inverse @ wanted).astype(np.float32)
        left_out = wanted - factors / np.diag(inverse)[:, None]
        share = float(np.mean(np.argmax(left_out, axis=1) == of_text))
        return cls(weights, known, names, factors), share

    def scored(self, text: frozenset[str]) -> list[Scored]:
        """The nearest intents, the nearest first."""
        kernel = _kernel(self.texts.similar(*self.weights.places(text)))
        # No product of matrices: BLAS would wait for threads of its own, on a machine that is busy for long.
        scores = np.einsum("i,ij->j", kernel, self.factors)
        order = np.argsort(-scores)[:_MOST]
        return [Scored(self.intents[each], float(scores[each])) for each in order]


def _kernel(similar: Floats) -> Floats:
    """Of points of length one: exp(−γ d²/2)."""
    kernel: Floats = np.exp(_NARROW * (similar - np.float32(1.0)))
    return kernel
