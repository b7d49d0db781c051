"""Why a text is refused, in one sentence, and what could be said instead, chosen for what was said.

The verb decides whom a failure is blamed on, not the phrase that came nearest:

| kind | said | when |
|---|---|---|
| no action | "I cannot pour." | the verb is none of ours, or has no place for such a thing behind it |
| no thing | "I know no "cat"; I know door." | the verb is ours, and would do with a thing of that name |
| not understood | "I did not understand "…"." | else, with the part that was not |

What is a verb at all is known from phrases and from the core's senses: of a word that is in neither, nothing
is said but that it was not understood. An action that there is is never "I cannot". That both are known and
it is not possible now is said later, by whoever lets plans in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from framework.events import Subject
from framework.plan.parser import NotUnderstood, World
from grammars.reading.beyond import Beyond, has_article_inside
from grammars.reading.matching import Matching, Rank
from grammars.reading.predicates import Clause, Predicates
from grammars.reading.reader import MOST_WORDS, Read, Reader
from grammars.reading.supposing import Unknown
from grammars.wording.offering import Offering
from grammars.wording.quoting import Quoting
from grammars.wording.refusing import wanted

_MOST_CANNOT: Final = 3
_MOST_NAMES: Final = 3
#: So few things are wanted, that those are told.
_FEW: Final = 3


def refusal(read: Read, reader: Reader, world: World, text: str) -> NotUnderstood:
    """What there is to say about a text that is no instruction. It may have been read written out."""
    if read.matching is None:
        return NotUnderstood("", reason=f"{read.size} words are too many; {MOST_WORDS} are the most at once.")
    refused = _Teaching(read, read.matching, reader, world).refusal()
    if refused.understood in text:
        return refused
    return msgspec.structs.replace(refused, understood="")


class _Teaching:
    def __init__(self, read: Read, matching: Matching, reader: Reader, world: World) -> None:
        self._read = read
        self._matching = matching
        self._reader = reader
        self._world = world
        self._words = reader.core.refusing
        #: Looking for more may come farther.
        self._furthest = matching.furthest
        self._predicates = Predicates(matching, reader, world)
        self._beyond = Beyond(matching, reader, world, self._predicates, read.unknown)
        self._offering = Offering(matching, reader, world, self._predicates)
        self._quoting = Quoting(matching, reader, world, self._predicates)

    def refusal(self) -> NotUnderstood:
        matching = self._matching
        if matching.is_exhausted:
            understood = matching.said(0, matching.furthest)
            return NotUnderstood(understood, (), "That is too much at once; say it in several instructions.")
        if not matching.size:
            samples = self._offering.samples((), None)
            return self._refused(Subject.NOT_UNDERSTOOD, "I did not understand that.", samples)
        clauses = self._beyond.clauses()
        refused = self._blamed(clauses)
        return msgspec.structs.replace(refused, is_request=any(map(self._may_be_ours, clauses)))

    def _may_be_ours(self, clause: Clause) -> bool:
        """Whether a clause asks something, or has a verb with which instructions begin; or none, and a value:
        "both up 10 cm"."""
        tokens = self._matching.tokens[clause.at : clause.end]
        if self._predicates.is_asked(clause):
            return True
        if clause.verb < 0 and not self._reader.phrasebook.value_words.isdisjoint(tokens):
            return True
        return clause.verb >= 0 and self._reader.grammar.is_verb(self._matching.tokens[clause.verb])

    def _blamed(self, clauses: Sequence[Clause]) -> NotUnderstood:
        matching = self._matching
        cannot = [
            each for each in clauses if self._beyond.is_beyond(each) and not self._is_unknown_name(each)
        ]
        if cannot:
            return self._cannot(cannot, clauses)
        others = next(
            (
                each
                for each in clauses
                if self._predicates.is_asked(each) and self._beyond.wanted_of_others(each)
            ),
            None,
        )
        if others is not None:
            words = f'I have no answer to "{matching.said(others.at, others.end)}".'
            return self._refused(
                Subject.NO_ACTION, words, self._offering.samples(("describe", "list"), others)
            )
        for at, end, sentence, slot in matching.problems:
            if at == 0 and end == matching.size and slot is None:  # of all of it, together
                return self._refused(
                    Subject.NOT_UNDERSTOOD, sentence, self._offering.samples((), None, clauses)
                )
        first = self._quoting.wrong(clauses, self._furthest)
        if first is None:
            return self._refused(
                Subject.NOT_UNDERSTOOD,
                "I understand each part of that, but not how they belong together.",
                self._offering.samples((), None, clauses),
            )
        others_said = [each for each in clauses if each is not first]
        actions = self._offering.actions(first)
        for at, end, sentence, slot in matching.problems:
            if (
                first.at <= at < first.end
                and at <= self._furthest <= end
                and (slot is None or self._has_slot(actions, slot))
            ):
                return self._refused(Subject.NOT_UNDERSTOOD, sentence, self._offering.samples(actions, first))
        if (unknown := self._unknown(first)) is not None:
            if names := self._predicates.several(unknown.said):
                sentence = f"Which of the {unknown.said} do you mean: {_listed_or(names[:_MOST_NAMES])}?"
                samples = self._offering.samples((unknown.action, *actions), first)
                return self._refused(Subject.NOT_UNDERSTOOD, sentence, samples)
            return self._no_thing(unknown, first, actions)
        return self._part(first, actions, others_said)

    # -- the four kinds

    def _cannot(self, beyond: Sequence[Clause], clauses: Sequence[Clause]) -> NotUnderstood:
        following = dict(pairwise(clauses))
        wants = (self._quoting.wanted(each, following.get(each)) for each in beyond)
        phrases = list(dict.fromkeys(wants))[:_MOST_CANNOT]
        what = phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"
        others = [each for each in clauses if each not in beyond]
        samples = self._offering.samples(self._offering.actions(beyond[0]), beyond[0], others)
        return self._refused(Subject.NO_ACTION, f"I cannot {what}.", samples)

    def _no_thing(self, unknown: Unknown, clause: Clause, actions: Sequence[str]) -> NotUnderstood:
        known = _nearest(unknown.said, unknown.known)
        what = f'"{unknown.said}"' if unknown.what == "thing" else f'{unknown.what} called "{unknown.said}"'
        called = f"I know no {what}"
        sentence = unknown.sentence or (f"{called}; I know {_listed(known)}." if known else f"{called}.")
        actions = (unknown.action, *actions)
        return self._refused(
            Subject.NO_THING, sentence, self._offering.samples(actions, clause), unknown.said
        )

    def _part(self, clause: Clause, actions: Sequence[str], others: Sequence[Clause]) -> NotUnderstood:
        """What was not understood of a clause."""
        at, part = self._quoting.part(clause, self._furthest)
        sentence = f'I did not understand "{part}"{self._only_names()}.'
        samples = self._offering.samples(actions, clause, others, at)
        return self._refused(Subject.NOT_UNDERSTOOD, sentence, samples)

    def _only_names(self) -> str:
        """The names that are wanted at the furthest place, if nothing else is."""
        if len(self._matching.wanted) > _FEW:
            return ""
        offers = [offer for offer in wanted(self._matching) if offer.rank <= Rank.JOIN]
        names = list(dict.fromkeys(offer.shown for offer in offers if offer.is_name))
        return f"; I know {_listed(names[:_MOST_NAMES])}" if names and len(names) == len(offers) else ""

    def _refused(
        self, kind: Subject, sentence: str, samples: Sequence[str], unknown: str = ""
    ) -> NotUnderstood:
        offer = " or ".join(f'"{each}"' for each in samples)
        reason = f"{sentence} You could say {offer}." if offer else sentence
        return NotUnderstood(self._matching.said(0, self._matching.furthest), (), reason, kind, unknown)

    # -- things

    def _is_unknown_name(self, clause: Clause) -> bool:
        """Whether its verb begins a name that nobody knows ("phone 9"), or which of several is not known."""
        unknown = self._read.unknown
        if unknown is None or clause.verb < 0:
            return False
        words = self._reader.recogniser.words(unknown.said)
        if has_article_inside(unknown.said):
            return False
        if unknown.what == words[-1]:  # "middle arm"
            return True
        end = clause.verb + len(words)
        return len(words) > 1 and self._matching.tokens[clause.verb : end] == words

    def _unknown(self, clause: Clause) -> Unknown | None:
        """A name that would have to be known, if it can be one and is none of any kind."""
        unknown = self._read.unknown
        if unknown is None:
            return None
        if unknown.sentence:  # somebody is called it, whatever it is
            return unknown
        words = self._reader.recogniser.words(unknown.said)
        if (
            not words
            or has_article_inside(unknown.said)
            or any(word in self._words.no_verbs for word in words)
        ):
            return None
        if not any(letter.isalpha() for letter in unknown.said):
            return None  # a number is no name
        reader = self._reader
        if unknown.what != words[-1] and reader.recogniser.has_name_within(
            unknown.said, self._world, reader.kinds
        ):
            return None
        return unknown

    def _has_slot(self, actions: Sequence[str], slot: object) -> bool:
        slots = self._reader.phrasebook.slots
        return any(slot in slots.get((action, getattr(slot, "slot", "")), ()) for action in actions)


def _nearest(said: str, known: Iterable[str]) -> list[str]:
    """Names that share a word with what was said, else the first few."""
    words = set(said.casefold().split())
    names = list(known)
    near = [name for name in names if words.intersection(name.casefold().split())]
    return (near or names)[:_MOST_NAMES]


def _listed_or(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
