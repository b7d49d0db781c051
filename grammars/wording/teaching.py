"""Why a text is refused, in one sentence, and what could be said instead, chosen for what was said.

The verb decides whom a failure is blamed on, not the phrase that came nearest:

| kind | said | when |
|---|---|---|
| no action | "I cannot pour." | the verb is none of ours, or ours with a thing that it is not for |
| no thing | "I know no barrel." | the verb is ours, and would do with a thing of that name |
| not understood | "I did not understand: “…”." | else, with the part that was not |

That both are known and it is not possible now is said later, by whoever lets plans in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from framework.events import Subject
from framework.plan.parser import NotUnderstood, World
from grammars.core import Marker
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching
from grammars.reading.reader import MOST_WORDS, Read, Reader
from grammars.reading.supposing import Unknown
from grammars.wording.refusing import wanted, worth_saying

_MOST_EXPECTED: Final = 60
_MOST_PHRASE: Final = 7
_MOST_CLAUSES: Final = 8
_MOST_CANNOT: Final = 3
_MOST_TRIED: Final = 6
_SAMPLES: Final = 2
#: Words behind a verb of ours; who is not understood after so few wants something else of it.
_STUCK_WITHIN: Final = 2
_MOST_NAMES: Final = 6
_MOST_PART: Final = 10
_GENERAL: Final = ("show the camera", "what can you do?", "drive half a metre forward", "what do you see?")
#: What can be asked of any known thing.
_OF_THINGS: Final = ("look at the {}", "where is the {}?", "track the {}")


class _Clause(NamedTuple):
    """Tokens from `at` to `end`; the verb, if one was found, stands at `verb`."""

    at: int
    end: int
    verb: int = -1


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

    def refusal(self) -> NotUnderstood:
        matching = self._matching
        understood = matching.said(0, matching.furthest)
        if matching.is_exhausted:
            return NotUnderstood(understood, (), "That is too much at once; say it in several instructions.")
        if not matching.size:
            return self._part(0, 0, ())
        clauses = [self._with_verb(each) for each in self._clauses()] or [_Clause(0, matching.size)]
        cannot = [each for each in clauses if each.verb >= 0 and not self._is_ours(each)]
        if cannot:
            return self._cannot(cannot)
        first = next((each for each in clauses if not self._is_understood(each)), clauses[0])
        actions = self._actions(first)
        for at, end, sentence, slot in matching.problems:
            if (
                first.at <= at < first.end
                and at <= matching.furthest <= end
                and (slot is None or self._has_slot(actions, slot))
            ):
                return self._refused(Subject.NOT_UNDERSTOOD, sentence, self._samples(actions, first))
        if (unknown := self._unknown(first)) is not None:
            return self._no_thing(unknown, first, actions)
        things = self._things(first)
        if first.verb >= 0 and not self._is_asked(first) and (things or self._is_stuck(first)):
            return self._cannot([first])
        if self._is_asked(first):
            words = f'I have no answer to "{matching.said(first.at, first.end)}".'
            return self._refused(Subject.NO_ACTION, words, self._samples(("describe", "list"), first))
        return self._part(max(matching.furthest, first.at), first.end, actions, first)

    # -- the four kinds

    def _cannot(self, clauses: Sequence[_Clause]) -> NotUnderstood:
        phrases = list(dict.fromkeys(self._phrase(each) for each in clauses))[:_MOST_CANNOT]
        what = phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"
        samples = self._samples(self._actions(clauses[0]), clauses[0])
        return self._refused(Subject.NO_ACTION, f"I cannot {what}.", samples)

    def _no_thing(self, unknown: Unknown, clause: _Clause, actions: Sequence[str]) -> NotUnderstood:
        known = ", ".join(_nearest(unknown.said, unknown.known))
        called = f'I know no {unknown.what} called "{unknown.said}"'
        sentence = unknown.sentence or (f"{called}; I know {known}." if known else f"{called}.")
        actions = (unknown.action, *actions)
        return self._refused(Subject.NO_THING, sentence, self._samples(actions, clause), unknown.said)

    def _part(
        self, at: int, end: int, actions: Sequence[str], clause: _Clause | None = None
    ) -> NotUnderstood:
        matching = self._matching
        if clause is not None and at >= end:
            at = clause.at
        part = matching.said(at, min(end, at + _MOST_PART)) or matching.text.strip()
        whole = f'I did not understand "{part}"' if part else "I did not understand that"
        if part and matching.furthest >= matching.size:
            whole = f'Something is missing after "{part}"'
        names = [offer.shown for offer in wanted(matching) if offer.is_name][:_MOST_NAMES]
        known = f"; I know {', '.join(names)}." if names and part else "."
        return self._refused(Subject.NOT_UNDERSTOOD, whole + known, self._samples(actions, clause))

    def _refused(
        self, kind: Subject, sentence: str, samples: Sequence[str], unknown: str = ""
    ) -> NotUnderstood:
        matching = self._matching
        offer = " or ".join(f'"{each}"' for each in samples)
        reason = f"{sentence} You could say {offer}." if offer else sentence
        expected = tuple(dict.fromkeys(offer.shown for offer in worth_saying(wanted(matching))))[
            :_MOST_EXPECTED
        ]
        return NotUnderstood(matching.said(0, matching.furthest), expected, reason, kind, unknown)

    # -- clauses and verbs

    def _clauses(self) -> Iterator[_Clause]:
        matching, at, count = self._matching, 0, 0
        for end in range(matching.size + 1):
            if end == matching.size or (self._joins_at(end) and count < _MOST_CLAUSES):
                if end > at:
                    yield _Clause(at, end)
                    count += 1
                at = end + 1

    def _joins_at(self, at: int) -> bool:
        token = self._matching.tokens[at]
        return token in self._words.between or not token[:1].isalnum()

    def _with_verb(self, clause: _Clause) -> _Clause:
        """The clause with its verb: its first word behind politeness, if that can be one."""
        matching = self._matching
        if self._is_asked(clause):
            return clause
        at = clause.at
        while ends := [
            end for end in self._reader.markers.ends(matching, Marker.COMMANDING, at) if at < end < clause.end
        ]:
            at = max(ends)
        while at < clause.end and matching.tokens[at] in ("you", "please"):
            at += 1
        if at >= clause.end or not self._may_be_verb(at):
            return clause
        return clause._replace(verb=at)

    def _may_be_verb(self, at: int) -> bool:
        matching = self._matching
        word = matching.tokens[at]
        if word in self._words.no_verbs or not word.isalpha() or matching.quantities(at) or len(word) < 2:
            return False
        if any(at in places for places in matching.utterance.names.values()):
            return False
        if self._heads(word):
            return True
        follows = matching.tokens[at + 1] if at + 1 < matching.size else ""
        if follows in self._reader.core.statements.verbs:  # it is what something is said of
            return False
        is_ours = word in self._reader.grammar.vocabulary.words
        return not is_ours or follows in self._words.no_verbs

    def _heads(self, word: str) -> bool:
        return any(form in self._reader.phrasebook.heads for form in (word, *base_forms(word)))

    def _is_ours(self, clause: _Clause) -> bool:
        return self._heads(self._matching.tokens[clause.verb])

    def _is_asked(self, clause: _Clause) -> bool:
        return self._matching.tokens[clause.at] in self._words.asking

    def _actions(self, clause: _Clause | None) -> tuple[str, ...]:
        """The actions that begin with its verb, or else with its first word."""
        if clause is None:
            return ()
        word = self._matching.tokens[clause.verb if clause.verb >= 0 else clause.at]
        heads = self._reader.phrasebook.heads
        entries = [entry for form in (word, *base_forms(word)) for entry in heads.get(form, ())]
        return tuple(dict.fromkeys(entry.phrase.action for entry in entries))

    def _is_stuck(self, clause: _Clause) -> bool:
        """It was not understood right behind the verb, and not for want of a name."""
        matching = self._matching
        at = matching.furthest
        if at - clause.verb > _STUCK_WITHIN or at >= clause.end:
            return False
        is_person = matching.tokens[at] in self._reader.core.persons
        return is_person or not any(offer.is_name for offer in wanted(matching))

    def _is_understood(self, clause: _Clause) -> bool:
        text = self._matching.said(clause.at, clause.end)
        return bool(self._reader.as_it_stands(text, self._world).readings)

    # -- things

    def _unknown(self, clause: _Clause) -> Unknown | None:
        """A name that would have to be known, if it can be one and is none of any kind."""
        unknown = self._read.unknown
        if unknown is None:
            return None
        if unknown.sentence:  # somebody is called it, whatever it is
            return unknown
        words = self._reader.recogniser.words(unknown.said)
        if not words or any(word in self._words.no_verbs for word in words):
            return None
        if unknown.what != words[-1] and self._all_names(unknown.said):
            return None
        return unknown

    def _all_names(self, said: str) -> list[str]:
        """The names of any kind that are these words, or a part of them."""
        words = set(self._reader.recogniser.words(said))
        found = (known.name for kind in self._reader.kinds for known in self._world.known(kind))
        return [name for name in dict.fromkeys(found) if set(self._reader.recogniser.words(name)) <= words]

    def _things(self, clause: _Clause) -> list[str]:
        """What a clause names that is known, of whatever kind."""
        names = self._matching.utterance.names
        return [
            self._matching.said(at, named[0].end)
            for places in names.values()
            for at, named in places.items()
            if clause.at <= at < clause.end
        ]

    def _has_slot(self, actions: Sequence[str], slot: object) -> bool:
        slots = self._reader.phrasebook.slots
        return any(slot in slots.get((action, getattr(slot, "slot", "")), ()) for action in actions)

    # -- what to say instead

    def _phrase(self, clause: _Clause) -> str:
        """ "bring you the red cup": the verb and what follows, as said by us."""
        matching = self._matching
        end = min(clause.end, clause.verb + _MOST_PHRASE)
        said = matching.said(clause.verb, end)
        words = [self._reader.core.persons.get(word.casefold(), word) for word in said.split()]
        words[0] = words[0].casefold()
        return re.sub(r"[\s,;:.]+$", "", " ".join(words))

    def _samples(self, actions: Sequence[str], clause: _Clause | None) -> list[str]:
        """Two instructions that are understood just now: of these actions, or about what was named."""
        found: list[str] = []
        for tried, text in enumerate(self._candidates(actions, clause)):
            if text not in found and self._does_something(text):
                found.append(text)
            if len(found) == _SAMPLES or tried == _MOST_TRIED:
                break
        return found

    def _candidates(self, actions: Sequence[str], clause: _Clause | None) -> Iterator[str]:
        things = self._things(clause) if clause is not None else []
        for thing, template in zip(things[:1], _OF_THINGS, strict=False):
            yield template.format(thing)
        said = set(self._matching.tokens)
        ours = [
            max(spec.phrases.samples, key=lambda text: self._shares(text, said), default="")
            for action in actions
            if (spec := self._reader.phrasebook.actions.get(action)) is not None
        ]
        yield from sorted(filter(None, ours), key=lambda text: -self._shares(text, said))
        yield from (template.format(thing) for thing in things[:1] for template in _OF_THINGS[1:])
        yield from _GENERAL

    def _shares(self, text: str, said: Collection[str]) -> int:
        """How many words a sample has in common with what was said."""
        return len(set(text.casefold().split()).intersection(said))

    def _does_something(self, text: str) -> bool:
        return self._reader.means_something(text, self._world)


def _nearest(said: str, known: Iterable[str]) -> list[str]:
    """Names that share a word with what was said, else the first few."""
    words = set(said.casefold().split())
    names = list(known)
    near = [name for name in names if words.intersection(name.casefold().split())]
    return (near or names)[:_MOST_NAMES]
