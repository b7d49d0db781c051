"""Which samples of actions have the most in common with what was said; rare words count for more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from framework.plugins.signature import ActionSpec
from grammars.core import Refusing
from grammars.reading.inflection import base_forms
from grammars.reading.recogniser import Recogniser

#: What words weigh that say little by themselves ("left", "to").
_LITTLE: Final = 0.1
#: Where the verb was not said, so much has to be shared.
_LEAST: Final = 0.3
#: What it is worth that an action has the verb that was said.
_SAME_VERB: Final = 0.4
#: Of more actions than these, none is meant by its verb alone.
_MOST_BY_VERB: Final = 3


class _Sample(msgspec.Struct, frozen=True):
    action: str
    text: str
    words: frozenset[str]


class SampleWords:
    """The samples of all actions by their words. is_plain: whether a sample is no request ("I'd like …")."""

    def __init__(
        self,
        actions: Mapping[str, ActionSpec],
        recogniser: Recogniser,
        words: Refusing,
        references: Iterable[str],
        is_plain: Callable[[Sequence[str]], bool],
    ) -> None:
        self._recogniser = recogniser
        self._little = words.no_verbs | words.prepositions | words.asking | words.before_nouns
        self._samples = [
            _Sample(name, text, self._forms(recogniser.words(text)))
            for name, spec in actions.items()
            for text in spec.phrases.samples
            if '"' not in text and " " in text and is_plain(recogniser.words(text))
        ]
        self._weights = Counter(word for each in self._samples for word in each.words)
        self._by_word: dict[str, list[int]] = {}
        for place, each in enumerate(self._samples):
            for word in each.words - self._little:
                self._by_word.setdefault(word, []).append(place)
        self._by_action: dict[str, list[int]] = {}
        for place, each in enumerate(self._samples):
            self._by_action.setdefault(each.action, []).append(place)
        #: A sample with one of these is about what was said before it.
        self._references = frozenset(word for each in references for word in recogniser.words(each))

    def like(self, said: Iterable[str], actions: Collection[str], *, only_these: bool = False) -> list[str]:
        """Samples that share words with what was said, the nearest first, one of each action.

        actions: those that have its verb; if they are few, they count though no other word is shared.
        only_these: of no others.
        """
        words = self._forms(said)
        places = {place for word in words for place in self._by_word.get(word, ())}
        if len(actions) <= _MOST_BY_VERB:
            places |= {place for action in actions for place in self._by_action.get(action, ())}
        scored = sorted(
            (-self._score(self._samples[place], words, actions), place)
            for place in places
            if self._references.isdisjoint(self._samples[place].words - words)
            and (not only_these or self._samples[place].action in actions)
        )
        found: dict[str, str] = {}
        for score, place in scored:
            if -score < _LEAST and self._samples[place].action not in actions:
                break
            found.setdefault(self._samples[place].action, self._samples[place].text)
        return list(found.values())

    def _score(self, sample: _Sample, words: frozenset[str], actions: Collection[str]) -> float:
        shared: float = sum(
            (_LITTLE if word in self._little else 1.0) / self._weights[word] ** 0.5
            for word in sorted(sample.words & words)
        )
        return round(shared + (_SAME_VERB if sample.action in actions else 0.0), 6)

    def _forms(self, said: Iterable[str]) -> frozenset[str]:
        little = self._little
        return frozenset(
            form
            for word in said
            if word.isalpha()
            for form in ((word,) if word in little else (word, *base_forms(word)))
        )
