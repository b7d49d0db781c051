"""Which words of a text are to be handed on as they stand: a new name, a message.

A linear model of spans by what stands before, behind and in them, learnt as a structured perceptron with
averaged weights (Collins 2002, "Discriminative training methods for hidden Markov models").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Token

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_ROUNDS: Final = 8
_QUOTES: Final = frozenset("\"'“”„‟«»‹›‘’`")
#: Words that more of the texts have than this share are common: they belong to the request.
_COMMON: Final = 0.004
_LONGEST: Final = 16
_ENDINGS: Final = ("ing", "ed", "es", "s")
_LEAST_STEM: Final = 3
#: By how much a span has to be the best; less than this is no more than a wild guess.
_LEAST_MARGIN: Final = 0.5


class Span(msgspec.Struct, frozen=True):
    """Tokens, the end excluded."""

    begin: int
    end: int


class Text(msgspec.Struct, frozen=True):
    """A text as spans are looked for in it. words: of its tokens; quoted: spans between quotes."""

    words: tuple[str, ...]
    quoted: frozenset[tuple[int, int]] = frozenset()

    @classmethod
    def of(cls, text: str, tokens: Sequence[Token]) -> Text:
        """Of a text and its tokens."""
        opening = [at for at, each in enumerate(tokens) if text[each.start - 1 : each.start] in _QUOTES]
        closing = [at for at, each in enumerate(tokens) if text[each.end : each.end + 1] in _QUOTES]
        quoted = frozenset((begin, end + 1) for begin in opening for end in closing if end >= begin)
        return cls(tuple(each.text for each in tokens), quoted)

    def find(self, words: Sequence[str]) -> Span | None:
        """Where these words stand, the last time; None if they do not."""
        size = len(words)
        places = range(len(self.words) - size, -1, -1)
        found = (Span(at, at + size) for at in places if self.words[at : at + size] == tuple(words))
        return next(found, None) if size else None


class Example(msgspec.Struct, frozen=True):
    """A text, what its span is for (an action's parameter), and where it stands."""

    text: Text
    place: str
    span: Span


class Spans(msgspec.Struct, frozen=True):
    """What was learnt. weights: of features; common: words of requests; longest: span by place [words]."""

    weights: Mapping[str, float] = {}
    common: frozenset[str] = frozenset()
    longest: Mapping[str, int] = {}

    @classmethod
    def learn(cls, examples: Sequence[Example], texts: Sequence[Collection[str]]) -> Spans:
        """From examples, in their order, and the words of all texts."""
        counts = Counter(word for text in texts for word in set(text))
        common = frozenset(word for word, count in counts.items() if count > _COMMON * len(texts))
        longest: dict[str, int] = {}
        for each in examples:
            longest[each.place] = max(longest.get(each.place, 0), each.span.end - each.span.begin)
        names: dict[str, int] = {}
        every = [_Candidates.of(each, common, longest[each.place], names) for each in examples]
        weights = np.zeros(len(names))
        sums = np.zeros(len(names))
        for left in range(_ROUNDS * len(every), 0, -1):
            candidates = every[-left % len(every)]
            guess = candidates.best(weights)
            if guess != candidates.right:
                for span, sign in ((candidates.right, 1.0), (guess, -1.0)):
                    np.add.at(weights, candidates.features_of(span), sign)
                    np.add.at(sums, candidates.features_of(span), sign * left / (_ROUNDS * len(every)))
        found = {name: round(float(sums[place]), 3) for name, place in sorted(names.items())}
        return cls({name: weight for name, weight in found.items() if weight}, common, longest)

    def best(self, text: Text, place: str) -> Span | None:
        """The words that are for a place; None if no span is much better than the others."""
        best: Span | None = None
        first = second = float("-inf")
        for span in _spans(text, self.longest.get(place, 0)):
            score = sum(self.weights.get(each, 0.0) for each in _features(text, place, span, self.common))
            if score > first:
                best, first, second = span, score, first
            elif score > second:
                second = score
        return best if first - second >= _LEAST_MARGIN else None


class _Candidates(msgspec.Struct, frozen=True):
    """The spans of an example. begins: from which entry of features on; right: the one that is meant."""

    features: Places
    begins: Places
    right: int

    @classmethod
    def of(cls, example: Example, common: Collection[str], most: int, names: dict[str, int]) -> _Candidates:
        features: list[int] = []
        begins: list[int] = []
        spans = [*_spans(example.text, most)]
        for span in spans:
            begins.append(len(features))
            found = _features(example.text, example.place, span, common)
            features += [names.setdefault(each, len(names)) for each in found]
        return cls(np.array(features), np.array([*begins, len(features)]), spans.index(example.span))

    def best(self, weights: Floats) -> int:
        """The best by these weights."""
        return int(np.argmax(np.add.reduceat(weights[self.features], self.begins[:-1])))

    def features_of(self, span: int) -> Places:
        """Of one of the spans."""
        return self.features[self.begins[span] : self.begins[span + 1]]


def _spans(text: Text, most: int) -> Iterator[Span]:
    """Those of at most so many words, but for what begins or ends with a mark."""
    for begin in range(len(text.words)):
        for end in range(begin + 1, min(begin + min(most, _LONGEST), len(text.words)) + 1):
            if text.words[begin] not in MARKS and text.words[end - 1] not in MARKS:
                yield Span(begin, end)


def _features(text: Text, place: str, span: Span, common: Collection[str]) -> Iterator[str]:
    for feature in _plain_features(text, span, common):
        yield feature
        yield f"{place} {feature}"


def _plain_features(text: Text, span: Span, common: Collection[str]) -> Iterator[str]:
    words, begin, end = text.words, span.begin, span.end
    before = ("^", "^", *words[max(begin - 2, 0) : begin])[-2:]
    behind = (*words[end : end + 2], "$", "$")[:2]
    yield f"before {before[1]}"
    yield f"before {before[0]} {before[1]}"
    yield f"behind {behind[0]}"
    yield f"behind {behind[0]} {behind[1]}"
    yield f"around {before[1]} … {behind[0]}"
    yield f"first {words[begin]}"
    yield f"last {words[end - 1]}"
    yield f"long {min(end - begin, 7)}"
    if (begin, end) in text.quoted:
        yield "quoted"
    inside = words[begin:end]
    rare = sum(each not in common and each not in MARKS for each in inside)
    yield f"rare {min(rare, 3)} of {min(end - begin, 4)}"
    left_out = sum(each not in common and each not in MARKS for each in words) - rare
    yield f"rare outside {min(left_out, 3)}"
    if not MARKS.isdisjoint(inside):
        yield "mark"
    for each in inside:
        if each in common:
            yield f"in {_stem(each)}"


def _stem(word: str) -> str:
    """A word without a common ending."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word
