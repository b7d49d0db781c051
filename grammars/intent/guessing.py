"""From a text that the grammar does not read to what it probably means: a plan that is offered.

A plan is guessed only if the text is much nearer to its intent than to any other, everything that it mentions
takes part, and the plan's own words are read as this very plan. Of several clauses, those that are not read
are put into the words of what they probably mean, and the grammar reads the whole.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Several
from itertools import pairwise
from typing import Final

from framework.errors import PilothouseError
from framework.plan.ast import Do, Plan, Reference, Sequence
from framework.plan.parser import Reading, World
from grammars.core import Core
from grammars.intent.classifier import Scored
from grammars.intent.features import n_grams
from grammars.intent.mentions import Mention, Sides, mentions_in, words_between
from grammars.intent.model import NOTHING_OF_OURS, SEVERAL, STOP, UNCLEAR, Model, house_model
from grammars.intent.patterns import Patterns
from grammars.reading.skimming import corrects
from grammars.reading.utterance import Manner, Utterance

log = logging.getLogger("pilothouse.language")

#: How sure a guess can be at most: it is always asked about.
_MOST_SURE: Final = 0.85
#: By how much an intent has to be the nearest, and how near it has to be; where a text mentions nothing
#: that would have to take part, too; and how near to "stop".
_LEAST_MARGIN: Final = 0.15
_LEAST_SCORE: Final = 0.35
_LEAST_BARE: Final = 0.5
_LEAST_STOP: Final = 0.35
#: What is farther than this from all that anybody wanted is a remark.
_LEAST_WANTED: Final = 0.2
#: The same with another value ("down" for "up") is asked about, too, if it is as near as this share of it.
_LIKE_IT: Final = 0.35
#: More than these are no offer.
_MOST_MEANT: Final = 2
#: Longer texts tell stories.
_MOST_WORDS: Final = 60
_MOST_CLAUSES: Final = 8


class Guessing:
    """Guesses. What was learnt is loaded when it is first needed, and never if it cannot be.

    utterance: a text's words, numbers and names. manners: of an utterance, with where they stand.
    plainly: the readings of a text as it stands. in_words: a plan as an instruction that is read as it again;
    empty if there is none. joins: all words that join clauses.
    """

    def __init__(
        self,
        utterance: Callable[[str, World], Utterance],
        manners: Callable[[Utterance, World, str], Several[tuple[int, int, Manner]]],
        plainly: Callable[[str, World], tuple[Reading, ...]],
        in_words: Callable[[Plan, World], str],
        patterns: Patterns,
        sides: Sides,
        kinds: Several[str],
        core: Core,
        *,
        joins: frozenset[str] = frozenset(),
        model: Callable[[], Model] = house_model,
    ) -> None:
        self._utterance = utterance
        self._manners = manners
        self._plainly = plainly
        self._in_words = in_words
        self.patterns = patterns
        self.sides = sides
        self._kinds = kinds
        self._core = core
        self._other = frozenset(word for each in core.other for word in each.split())
        self._joins = joins
        self._model = model
        self._is_off = False

    def load(self) -> bool:
        """Load what was learnt. False if it cannot be: nothing is guessed then."""
        if self._is_off:
            return False
        try:
            self._model()
        except PilothouseError:
            self._is_off = True
            log.exception("what was learnt cannot be used: nothing is guessed")
        return not self._is_off

    def mentions(self, text: str, world: World) -> tuple[tuple[Mention, ...], tuple[str, ...]]:
        """What a text mentions, and its words with marks for that."""
        utterance = self._utterance(text, world)
        manners = self._manners(utterance, world, text)
        mentions = mentions_in(utterance, manners, self.sides, self._kinds, self._joins)
        return mentions, words_between(utterance, mentions)

    def intents(self, text: str, world: World) -> list[Scored]:
        """What a text may be for, the nearest first; nothing if nothing was learnt."""
        if not self.load():
            return []
        _, words = self.mentions(text, world)
        return self._model().classifier.scored(n_grams(words)) if words else []

    def wants_a_stop(self, text: str, world: World) -> bool:
        """Whether a text is nearest to what people say who want everything to stop."""
        scored = self.intents(text, world)
        return bool(scored) and scored[0].intent == STOP and scored[0].score >= _LEAST_STOP

    def guess(self, text: str, world: World) -> tuple[Reading, ...]:
        """What it probably means, the likeliest first, at most two; nothing if that cannot be said."""
        words = [token.text for token in self._utterance(text, world).tokens]
        if len(words) > _MOST_WORDS or corrects(words, self._core.skimming):
            return ()  # a story; what takes back a part of itself
        if not self._other.isdisjoint(words):
            return ()  # "the other side" of what
        scored = self.intents(text, world)
        if not scored:
            return ()
        is_one = scored[0].intent != SEVERAL and not self._keeps(text, world)
        if is_one and (found := self._probable(text, world)):
            return tuple(Reading(plan, confidence=_confidence(score)) for plan, score in found)
        whole = self._clause_by_clause(text, world)
        return (
            () if whole is None or (isinstance(whole.plan, Do) and scored[0].intent == SEVERAL) else (whole,)
        )

    def _probable(self, text: str, world: World) -> list[tuple[Plan, float]]:
        """The plans of the nearest intents that can be filled, and how near they are.

        Two, if neither is much nearer than the other, or both are of one action ("up" and "down") and the
        second is near enough; none, if what is no plan is as near, or another action that cannot be filled.
        """
        mentions, _ = self.mentions(text, world)
        says_something = any(not (each.may_say_nothing or each.manner is not None) for each in mentions)
        least = _LEAST_SCORE if says_something else _LEAST_BARE
        found: list[tuple[Plan, float]] = []
        scored = [each for each in self.intents(text, world) if each.intent != SEVERAL]
        first, *_ = scored[0].intent.split() if scored else ("",)
        for each in scored:
            is_like_the_first = each.intent.split()[0] == first
            if found and is_like_the_first and each.score < _LIKE_IT * scored[0].score:
                continue
            if not is_like_the_first and scored[0].score - each.score >= _LEAST_MARGIN:
                continue
            if each.intent in (NOTHING_OF_OURS, UNCLEAR) or each.intent.partition(".")[0] == STOP:
                return []
            if not found and each.score < least:
                return []
            plan = self._plan(each.intent, text, world)
            if plan is not None and all(plan != other for other, _ in found):
                found.append((plan, each.score))
        return found if len(found) <= _MOST_MEANT else []

    def _plan(self, intent: str, text: str, world: World) -> Plan | None:
        """The plan of an intent with what a text mentions, that can be said and is read back."""
        mentions, _ = self.mentions(text, world)
        for pattern in self._model().patterns.get(intent, ()):
            plan = self.patterns.filled(pattern, mentions)
            if plan is not None and self._in_words(plan, world):
                return plan
        return None

    def _clause_by_clause(self, text: str, world: World) -> Reading | None:
        """What several clauses mean, those that are not read in other words."""
        pieces = [*self._pieces(text, world)]
        if not 1 < len(pieces) <= _MOST_CLAUSES:
            return None
        scores: list[float] = []
        said: list[str] = []
        for between, clause in pieces:
            words, score = self._in_other_words(clause, world)
            if words is None:
                return None
            if words:
                scores.append(score)
                said += [between, words] if said else [words]
        if not scores or min(scores) >= 1.0:
            return None
        readings = self._plainly(" ".join(said), world)
        best = [each for each in readings if each.confidence == readings[0].confidence]
        if len(best) != 1 or best[0].is_assumed or _says_twice(best[0].plan):
            return None
        return Reading(best[0].plan, confidence=min(_confidence(min(scores)), best[0].confidence))

    def _in_other_words(self, clause: str, world: World) -> tuple[str | None, float]:
        """A clause in words that are read, and how sure that is; "" for a remark, None if nobody knows."""
        if self._plainly(clause, world):
            return clause, 1.0
        mentions, _ = self.mentions(clause, world)
        says_nothing = all(each.may_say_nothing for each in mentions)
        if says_nothing and " " not in clause:
            return "", 1.0  # "Robot", "please"
        if found := self._probable(clause, world):
            plan, score = found[0]
            return (self._in_words(plan, world), score) if len(found) == 1 else (None, 0.0)
        if self._keeps(clause, world):
            return clause, 1.0  # "when …", "every …": the grammar says whether it reads that
        return ("", 1.0) if says_nothing and self._is_like_nothing(clause, world) else (None, 0.0)

    def _is_like_nothing(self, clause: str, world: World) -> bool:
        """Whether a clause is near nothing that anybody wanted, not even of what no action is for."""
        scored = self.intents(clause, world)
        return bool(scored) and scored[0].score < _LEAST_WANTED

    def _keeps(self, text: str, world: World) -> bool:
        """Whether a text has a word that says when, how often or under what condition something is done."""
        words = [token.text for token in self._utterance(text, world).tokens]
        pairs = (" ".join(pair) for pair in pairwise(words))
        return not self._core.cutting.keeping.isdisjoint((*words, *pairs))

    def _pieces(self, text: str, world: World) -> Iterator[tuple[str, str]]:
        """(what joins it to the one before, clause) of the clauses of a text."""
        utterance = self._utterance(text, world)
        begin, between = 0, ""
        for at, token in enumerate(utterance.tokens):
            if token.text in self._core.cutting.at:
                if at > begin:
                    yield between, text[utterance.tokens[begin].start : utterance.tokens[at - 1].end]
                    between = ","
                if token.text.isalpha():
                    between = ", and" if token.text == "and" and between == "," else ", then"
                begin = at + 1
        if begin < len(utterance.tokens):
            yield between, text[utterance.tokens[begin].start : utterance.tokens[-1].end]


def _says_twice(plan: Plan) -> bool:
    """Whether one step is the same as the one before, also with "it" in it: somebody said it in two ways."""
    return isinstance(plan, Sequence) and any(_is_the_same(one, other) for one, other in pairwise(plan.steps))


def _is_the_same(one: Plan, other: Plan) -> bool:
    if not (isinstance(one, Do) and isinstance(other, Do)) or one.action != other.action:
        return one == other
    return one.parameters.keys() == other.parameters.keys() and all(
        isinstance(value, Reference) or value == one.parameters[name]
        for name, value in other.parameters.items()
    )


def _confidence(score: float) -> float:
    return round(min(_MOST_SURE, max(score, 0.0)), 6)
