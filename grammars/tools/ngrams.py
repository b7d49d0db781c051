"""A trigram language model out of sentences, in the ARPA format that every recogniser reads.

Interpolated Kneser–Ney smoothing with one discount an order, written as back-off weights.
Sources: R. Kneser, H. Ney, "Improved backing-off for m-gram language modeling" (ICASSP 1995); S. F. Chen,
J. Goodman, "An empirical study of smoothing techniques for language modeling" (1998), equation 21.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

ORDER: Final = 3
BEGIN, END = "<s>", "</s>"

_LEAST: Final = -99.0  # what the format writes for "never"

Gram = tuple[str, ...]


def arpa(sentences: Iterable[tuple[Sequence[str], float]], vocabulary: Iterable[str] = ()) -> str:
    """The model as a text.

    sentences: their words, and how much each counts, 1 at least. vocabulary: words that may be said besides.
    Raises ValueError if there is no word at all, or something counts less.
    """
    raw = _counted(sentences)
    words = sorted({gram[0] for gram in raw[0]} | {*vocabulary, END} - {BEGIN})
    if words == [END]:
        raise ValueError("a language model of no words; give at least one sentence with a word")
    orders = _continuations(raw)
    probabilities: list[dict[Gram, float]] = []
    weights: list[dict[Gram, float]] = []
    for order, counts in enumerate(orders, start=1):
        lower = probabilities[-1] if probabilities else None
        found, weight = _smoothed(counts, order, lower, words)
        probabilities.append(found)
        weights.append(weight)
    probabilities[0][(BEGIN,)] = 0.0
    return _text(probabilities, weights)


def _counted(sentences: Iterable[tuple[Sequence[str], float]]) -> list[Counter[Gram]]:
    """How often each gram of 1 … ORDER words is said."""
    raw: list[Counter[Gram]] = [Counter() for _ in range(ORDER)]
    for sentence, weight in sentences:
        if not weight >= 1.0:
            raise ValueError(f"{' '.join(sentence)!r} counts {weight}; at least 1 is allowed")
        words = (BEGIN, *sentence, END)
        for order in range(1, ORDER + 1):
            for at in range(len(words) - order + 1):
                raw[order - 1][words[at : at + order]] += weight  # type: ignore[assignment]
    del raw[0][(BEGIN,)]
    return raw


def _continuations(raw: Sequence[Counter[Gram]]) -> list[Mapping[Gram, float]]:
    """The highest order counts what is said; the lower ones, after how many different words it is said.

    What begins a sentence has no words before it and counts as it is.
    """
    orders: list[Mapping[Gram, float]] = []
    for order in range(1, ORDER):
        after: Counter[Gram] = Counter(gram[1:] for gram in raw[order])
        for gram, count in raw[order - 1].items():
            if gram[0] == BEGIN:
                after[gram] = count
        orders.append(after)
    orders.append(raw[ORDER - 1])
    return orders


def _smoothed(
    counts: Mapping[Gram, float], order: int, lower: Mapping[Gram, float] | None, words: Sequence[str]
) -> tuple[dict[Gram, float], dict[Gram, float]]:
    """Probabilities of an order's grams, and the weights with which their contexts back off."""
    discount = _discount(counts)
    totals: dict[Gram, float] = defaultdict(float)
    kinds: Counter[Gram] = Counter()
    for gram, count in counts.items():
        totals[gram[:-1]] += count
        kinds[gram[:-1]] += 1
    if lower is None:
        total = totals.get((), 0.0)
        left = discount * kinds[()] / total / len(words) if total else 1.0 / len(words)
        return {
            (word,): max(counts.get((word,), 0.0) - discount, 0.0) / max(total, 1.0) + left for word in words
        }, {}
    weights = {context: discount * kinds[context] / total for context, total in totals.items()}
    found = {
        gram: max(count - discount, 0.0) / totals[gram[:-1]] + weights[gram[:-1]] * lower[gram[1:]]
        for gram, count in counts.items()
    }
    return found, weights


def _discount(counts: Mapping[Gram, float]) -> float:
    """Ney's estimate from how many grams there are once and twice."""
    once = sum(1 for count in counts.values() if count <= 1)
    twice = sum(1 for count in counts.values() if 1 < count <= 2)
    return min(max(once / (once + 2 * twice), 0.1), 0.9) if once else 0.5


def _text(probabilities: Sequence[Mapping[Gram, float]], weights: Sequence[Mapping[Gram, float]]) -> str:
    lines = [
        "\\data\\",
        *(f"ngram {order}={len(found)}" for order, found in enumerate(probabilities, start=1)),
    ]
    for order, found in enumerate(probabilities, start=1):
        lines += ["", f"\\{order}-grams:"]
        following = weights[order] if order < ORDER else {}
        for gram, probability in sorted(found.items()):
            line = f"{_log(probability):.4f}\t{' '.join(gram)}"
            lines.append(f"{line}\t{_log(following.get(gram, 1.0)):.4f}" if order < ORDER else line)
    return "\n".join([*lines, "", "\\end\\", ""])


def _log(share: float) -> float:
    return math.log10(share) if share > 0.0 else _LEAST
