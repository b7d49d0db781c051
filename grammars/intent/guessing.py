"""From a text that the grammar does not read to what it probably means: a plan that is offered.

A plan is guessed only if its intent is much more probable than any other, everything that it mentions
takes part, and the plan's own words are read as this very plan. Of several clauses, those that are not read
are put into the words of what they probably mean, and the grammar reads the whole.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Several
from itertools import pairwise
from typing import Final

import msgspec

from framework.errors import PilothouseError
from framework.plan.ast import Do, Plan, Reference, Sequence, actions_of
from framework.plan.parser import Reading, World
from grammars.core import Core
from grammars.intent.encoder import Scored
from grammars.intent.intents import REMARK, SEVERAL, Intent, Kind
from grammars.intent.mentions import Noticed, mentions_in
from grammars.intent.model import Model, house_model
from grammars.intent.patterns import Patterns
from grammars.intent.pieces import is_mark
from grammars.reading.skimming import corrects
from grammars.reading.tokens import ARTICLES
from grammars.reading.utterance import Manner, Utterance

log = logging.getLogger("pilothouse.language")

#: How sure a guess can be at most: it is always asked about.
_MOST_SURE: Final = 0.85
#: How probable an intent has to be, and by how much more than any other.
_LEAST: Final = 0.3
_LEAST_MARGIN: Final = 0.2
#: The same where a text mentions nothing that would have to take part.
_LEAST_BARE: Final = 0.4
#: The same of a clause: a remark may be one.
_LEAST_OF_A_CLAUSE: Final = 0.5
#: The same of what is told words of whoever says it.
_LEAST_HANDED_ON: Final = 0.6
#: How probable "stop" has to be, a missed one being worse than a false one; and "carry on" and the like.
_LEAST_STOP: Final = 0.35
_LEAST_DIALOGUE: Final = 0.7
#: From here on numbers of no use may be left out, and a text that seems to say more may ask for an answer.
_SURE: Final = 0.8
#: How probable another intent has to be, and how much more than what was read, for that to be doubted.
_LEAST_DOUBT: Final = 0.7
#: What is so probably a remark asks for nothing; what is surely one need not be mentioned.
_LEAST_REMARK: Final = 0.5
_SURE_REMARK: Final = 0.8
#: What is less probable than this for all that anybody wanted is a remark.
_LEAST_WANTED: Final = 0.2
#: What is so probably several things is not taken for one.
_LEAST_SEVERAL: Final = 0.35
#: A clause that is so probably for an action of ours is no remark, even if nobody knows what it wants.
_LEAST_OURS: Final = 0.3
#: The same with another value ("down" for "up") is asked about, too, from this share of the likeliest on.
_LIKE_IT: Final = 0.35
#: More than these are no offer.
_MOST_MEANT: Final = 2
#: Longer texts tell stories.
_MOST_WORDS: Final = 60
_MOST_CLAUSES: Final = 8
#: "At the same time as" has so many words.
_LONGEST_LEAD: Final = 5


class _Clause(msgspec.Struct, frozen=True):
    """A clause in words that are read, and how sure that is; without words, if it is a remark.

    left_out: what nobody knows of, and what asks for nothing of ours.
    """

    words: str = ""
    sure: float = 1.0
    left_out: tuple[str, ...] = ()


class Guessing:
    """Guesses. What was learnt is loaded when it is first needed, and never if it cannot be.

    is_off: nothing is guessed, as nothing is to be, or can be.
    written_out: a text with what is typed in a hurry as words. utterance: its words, numbers and names.
    manners: of an utterance, with where they stand. plainly: the readings of a text as it stands.
    in_words: a plan as an instruction that is read as it again; empty if there is none. instructs: whether a
    clause of these words begins as instructions do. joins: all words that join clauses.
    """

    def __init__(
        self,
        written_out: Callable[[str], str],
        utterance: Callable[[str, World], Utterance],
        manners: Callable[[Utterance, World, str], Several[tuple[int, int, Manner]]],
        plainly: Callable[[str, World], tuple[Reading, ...]],
        in_words: Callable[[Plan, World], str],
        instructs: Callable[[Several[str]], bool],
        patterns: Patterns,
        kinds: Several[str],
        core: Core,
        *,
        joins: frozenset[str] = frozenset(),
        model: Callable[[], Model] = house_model,
    ) -> None:
        self._written_out = written_out
        self._utterance = utterance
        self._manners = manners
        self._plainly = plainly
        self._in_words = in_words
        self._instructs = instructs
        self.patterns = patterns
        self._kinds = kinds
        self._core = core
        self._other = frozenset(word for each in core.other for word in each.split())
        self._joins = joins
        self._model = model
        self.is_off = False

    def load(self) -> bool:
        """Load what was learnt. False if it cannot be: nothing is guessed then."""
        if self.is_off:
            return False
        try:
            self._model()
        except PilothouseError:
            self.is_off = True
            log.exception("what was learnt cannot be used: nothing is guessed")
        return not self.is_off

    def noticed(self, text: str, world: World) -> Noticed:
        """A text with what it mentions."""
        text = self._written_out(text)
        utterance = self._utterance(text, world)
        manners = self._manners(utterance, world, text)
        no_sides = self._core.cutting.no_sides
        mentions = mentions_in(utterance, manners, self.patterns.sides, self._kinds, self._joins, no_sides)
        return Noticed(text, utterance, mentions)

    def intents(self, noticed: Noticed) -> list[Scored]:
        """What a text may be for, the likeliest first; nothing if nothing was learnt."""
        if not noticed.utterance.tokens or not self.load():
            return []
        return self._model().scorer.scored(noticed.words)

    def like(self, text: str, world: World) -> str:
        """What of the dialogue itself a text is likest: "stop", "resume"; empty if it is likest to none."""
        scored = self.intents(self.noticed(text, world))
        if not scored:
            return ""
        least = {Kind.STOP: _LEAST_STOP, Kind.DIALOGUE: _LEAST_DIALOGUE}.get(scored[0].intent.kind)
        return scored[0].intent.name if least is not None and scored[0].score >= least else ""

    def doubts(self, text: str, plan: Plan, world: World) -> tuple[Reading, ...] | None:
        """What a text rather means than a plan that it was read as; None if there is no doubt.

        There is if people who say the like want another action; never of an action that nothing was
        learnt of. Empty if it cannot be said what it means instead.
        """
        noticed = self.noticed(text, world)
        scored = self.intents(noticed)
        if not scored or scored[0].score < _LEAST_DOUBT or self._keeps(noticed):
            return None
        nearest, actions = scored[0].intent, {each.action for each in actions_of(plan)}
        if nearest == SEVERAL and scored[0].score >= _SURE and self.patterns.hands_on(plan, noticed):
            return ()  # "say hello, go to the dock": nobody means all of that to be said
        read_as = SEVERAL if len(actions) > 1 else Intent(Kind.ACTION, "".join(actions))
        if nearest.kind not in (Kind.ACTION, Kind.STOP) or actions == {nearest.name}:
            return None
        if nearest.name == self._core.pause[0]:
            return None  # "show where you are for ten seconds" is as near to what waits so long
        own = max((each.score for each in scored if each.intent.is_like(read_as)), default=0.0)
        if not actions <= {each.name for each in self._model().scorer.intents}:
            return None
        if scored[0].score - own < _LEAST_DOUBT:
            return None
        return tuple(each for each in self._probable(noticed, scored, world) if each.plan != plan)

    def guess(self, text: str, world: World) -> tuple[Reading, ...]:
        """What it probably means, the likeliest first, at most two; nothing if that cannot be said."""
        noticed = self.noticed(text, world)
        words = [token.text for token in noticed.utterance.tokens]
        if len(words) > _MOST_WORDS:
            return ()  # a story
        scored = self.intents(noticed)
        if not scored:
            return ()
        takes_back = corrects(words, self._core.skimming) or not self._other.isdisjoint(words)
        if takes_back or self._keeps(noticed):  # "the other side"; "before lunch, who else is here?"
            found = self._probable(noticed, scored, world) if scored[0].score >= _SURE else ()
            if found and all(self.patterns.only_answers(each.plan) for each in found):
                return found
        if takes_back:
            return ()
        are_several = any(each.intent == SEVERAL and each.score >= _LEAST_SEVERAL for each in scored)
        is_one = not (are_several or self._keeps(noticed))
        if is_one and (found := self._probable(noticed, scored, world)):
            return found
        whole = self._clause_by_clause(noticed, world)
        is_less = whole is not None and isinstance(whole.plan, Do) and not whole.left_out
        return () if whole is None or (are_several and is_less) else (whole,)

    def _probable(
        self, noticed: Noticed, scored: Several[Scored], world: World, *, of_a_clause: bool = False
    ) -> tuple[Reading, ...]:
        """The plans of the nearest intents that can be filled.

        Two, if neither is much nearer than the other, or both are of one action ("up" and "down") and the
        second is near enough; none, if what is no plan is as near, or only a number or a name was said. What
        cannot be filled is passed over.
        """
        if all(map(is_mark, noticed.words)):
            return ()  # "40 degrees" of what
        is_bare = all(each.is_idle or each.manner is not None for each in noticed.mentions)
        least = _LEAST_OF_A_CLAUSE if of_a_clause else _LEAST_BARE if is_bare else _LEAST
        found: list[Reading] = []
        scored = [each for each in scored if each.intent != SEVERAL]
        for each in scored:
            is_like_the_first = each.intent.is_like(scored[0].intent)
            if found and is_like_the_first and each.score < _LIKE_IT * scored[0].score:
                continue
            if not is_like_the_first and scored[0].score - each.score >= _LEAST_MARGIN:
                continue
            if each.intent.kind is not Kind.ACTION or (not found and each.score < least):
                return ()
            reading = self._reading(each, noticed, world)
            if reading is not None and all(reading.plan != other.plan for other in found):
                found.append(reading)
        return tuple(found) if len(found) <= _MOST_MEANT else ()

    def _reading(self, scored: Scored, noticed: Noticed, world: World) -> Reading | None:
        """The plan of an intent with what a text mentions, that can be said and is read back."""
        model = self._model()
        for pattern in model.patterns.get(scored.intent, ()):
            if pattern.hands_on and scored.score < _LEAST_HANDED_ON:
                continue  # any words would do, also those of another language
            filled = self.patterns.filled(pattern, noticed, model.spans, is_sure=scored.score >= _SURE)
            if filled is not None and (words := self._in_words(filled.plan, world)):
                return Reading(
                    filled.plan,
                    confidence=_confidence(scored.score),
                    reworded=words,
                    left_out=tuple(" ".join(each.words) for each in filled.left_out),
                )
        return None

    def _clause_by_clause(self, noticed: Noticed, world: World) -> Reading | None:
        """What several clauses mean, those that are not read in other words."""
        pieces = [*self._pieces(noticed)]
        if not 1 < len(pieces) <= _MOST_CLAUSES:
            return None
        clauses = [(between, self._in_other_words(clause, world)) for between, clause in pieces]
        told = [(between, clause) for between, clause in clauses if clause is not None and clause.words]
        left_out = tuple(each for _, clause in clauses if clause is not None for each in clause.left_out)
        least = min((clause.sure for _, clause in told), default=1.0)
        if any(clause is None for _, clause in clauses) or not told or (least >= 1.0 and not left_out):
            return None
        said = [word for between, clause in told for word in (between, clause.words)]
        text = " ".join(said[1:])
        readings = self._plainly(text, world)
        best = [each for each in readings if each.confidence == readings[0].confidence]
        if len(best) != 1 or best[0].is_assumed or _says_twice(best[0].plan):
            return None
        sure = min(least, best[0].confidence)
        return Reading(best[0].plan, confidence=sure, left_out=left_out, reworded=text)

    def _in_other_words(self, clause: str, world: World) -> _Clause | None:
        """A clause in words that are read; None if that cannot be said of what may be a request."""
        if self._plainly(clause, world):
            return _Clause(clause)
        noticed = self.noticed(clause, world)
        says_nothing = all(each.is_idle for each in noticed.mentions)
        if says_nothing and len(noticed.utterance.tokens) < 2:
            return _Clause()  # "Robot", "please"
        if (led := self._led(noticed, world)) is not None:
            return led
        if self._keeps(noticed):
            return _Clause(clause)  # "when …", "every …": the grammar says whether it reads that
        scored = self.intents(noticed)
        if found := self._probable(noticed, scored, world, of_a_clause=True):
            if len(found) > 1:
                return None
            return _Clause(found[0].reworded, found[0].confidence, found[0].left_out)
        if scored and scored[0].intent == REMARK and scored[0].score >= _LEAST_REMARK:
            is_surely_one = says_nothing and scored[0].score >= _SURE_REMARK
            return _Clause() if is_surely_one else _Clause(left_out=(clause,))
        ours = max((each.score for each in scored if each.intent.kind is Kind.ACTION), default=0.0)
        words = clause.casefold().split()
        is_asked_for = words[0] not in ARTICLES and self._instructs(words)
        if not says_nothing or ours >= _LEAST_OURS or is_asked_for:
            return None
        is_like_nothing = bool(scored) and scored[0].score < _LEAST_WANTED
        return _Clause() if is_like_nothing else _Clause(left_out=(clause,))

    def _led(self, noticed: Noticed, world: World) -> _Clause | None:
        """A clause such as "before you pop over to the shelf", with what follows "before" in other words."""
        tokens, cutting = noticed.utterance.tokens, self._core.cutting
        words = [token.text for token in tokens]
        begin = next(
            (size for size in range(_LONGEST_LEAD, 0, -1) if " ".join(words[:size]) in cutting.leading), 0
        )
        if not 0 < begin < len(tokens):
            return None
        plain = cutting.leading[" ".join(words[:begin])]
        if plain.rpartition(" ")[2] in cutting.doers:
            if words[begin] not in cutting.doers or begin + 1 == len(tokens):
                return None  # "after my pal has had a look at the cup": he does it
            begin += 1
        rest = self._in_other_words(noticed.text[tokens[begin].start :], world)
        if rest is None or not rest.words or rest.sure >= 1.0:
            return None
        return msgspec.structs.replace(rest, words=f"{plain} {rest.words}")

    def _keeps(self, noticed: Noticed) -> bool:
        """Whether a text has a word that says when, how often or under what condition something is done."""
        words = [token.text for token in noticed.utterance.tokens]
        pairs = (" ".join(pair) for pair in pairwise(words))
        return not self._core.cutting.keeping.isdisjoint((*words, *pairs))

    def _pieces(self, noticed: Noticed) -> Iterator[tuple[str, str]]:
        """(what joins it to the one before, clause) of the clauses of a text."""
        tokens, text = noticed.utterance.tokens, noticed.text
        begin, starts, between = 0, 0, ""
        for at, token in enumerate(tokens):
            if token.text in self._core.cutting.at:
                if at > begin:
                    yield between, text[starts : tokens[at - 1].end].strip()
                    between = ","
                if token.text.isalpha():
                    between = ", and" if token.text == "and" and between == "," else ", then"
                begin, starts = at + 1, token.end
        if begin < len(tokens):
            yield between, text[starts : tokens[-1].end].strip()


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
