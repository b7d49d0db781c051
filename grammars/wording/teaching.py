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

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from framework.events import Subject
from framework.plan.parser import NotUnderstood, World
from grammars.core import Marker
from grammars.lexicon import is_noun, is_verb
from grammars.reading.frames import Frame, is_free
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching, Rank, a_name
from grammars.reading.reader import MOST_WORDS, Read, Reader
from grammars.reading.slots import SlotNode
from grammars.reading.supposing import Unknown
from grammars.wording.refusing import wanted

_MOST_PHRASE: Final = 9
_MOST_CLAUSES: Final = 8
_MOST_CANNOT: Final = 3
_MOST_TRIED: Final = 6
_SAMPLES: Final = 2
_MOST_NAMES: Final = 3
_MOST_PART: Final = 10
#: Words between a verb and the name of the thing that it is about: "open the dang old door".
_MOST_BEFORE_THING: Final = 3
#: Longer clauses are not read on their own.
_MOST_LOOKED_AT: Final = 24
#: In a sense of so few verbs, one of ours is enough for it to be ours.
_FEW: Final = 3
#: Words of a verb: "get up on".
_MOST_VERB: Final = 3
_GENERAL: Final = ("show the camera", "what can you do?", "drive half a metre forward", "what do you see?")
#: What can be asked of any known thing.
_OF_THINGS: Final = ("look at the {}", "where is the {}?", "track the {}")
#: Under which kinds the world knows what is around; others are the robot's own.
_THINGS: Final = "world."
_GO: Final = frozenset(("go", "come"))
_QUANTIFIED: Final = frozenset(("some", "my", "our"))
_MAYBE_MY: Final = re.compile(r"\b(my|our)\b", re.IGNORECASE)


class _Clause(NamedTuple):
    """Tokens from `at` to `end`; the verb, if one was found, stands at `verb`, and what is said of it behind.

    like: verbs that say about the same, and that phrases begin with; itself, if they do with that.
    is_condition: it says when something is to be done, and not what.
    """

    at: int
    end: int
    verb: int = -1
    behind: int = -1
    like: tuple[str, ...] = ()
    is_condition: bool = False


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
        self._frames = reader.grammar.frames
        self._strange = reader.grammar.strange(matching.utterance)

    def refusal(self) -> NotUnderstood:
        matching = self._matching
        if matching.is_exhausted:
            understood = matching.said(0, matching.furthest)
            return NotUnderstood(understood, (), "That is too much at once; say it in several instructions.")
        if not matching.size:
            return self._part(0, 0, ())
        clauses = [self._with_verb(each) for each in self._clauses()] or [_Clause(0, matching.size)]
        cannot = [each for each in clauses if self._is_beyond(each) and not self._is_unknown_name(each)]
        if cannot:
            return self._cannot(cannot)
        others = next(
            (each for each in clauses if self._is_asked(each) and self._wanted_of_others(each)), None
        )
        if others is not None:
            words = f'I have no answer to "{matching.said(others.at, others.end)}".'
            return self._refused(Subject.NO_ACTION, words, self._samples(("describe", "list"), others))
        first = self._first_wrong(clauses)
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
        return self._part(max(matching.furthest, first.at), first.end, actions, first)

    # -- the four kinds

    def _cannot(self, clauses: Sequence[_Clause]) -> NotUnderstood:
        phrases = list(dict.fromkeys(self._phrase(each) for each in clauses))[:_MOST_CANNOT]
        what = phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"
        samples = self._samples(self._actions(clauses[0]), clauses[0])
        return self._refused(Subject.NO_ACTION, f"I cannot {what}.", samples)

    def _no_thing(self, unknown: Unknown, clause: _Clause, actions: Sequence[str]) -> NotUnderstood:
        known = _nearest(unknown.said, unknown.known)
        what = f'"{unknown.said}"' if unknown.what == "thing" else f'{unknown.what} called "{unknown.said}"'
        called = f"I know no {what}"
        sentence = unknown.sentence or (f"{called}; I know {_listed(known)}." if known else f"{called}.")
        actions = (unknown.action, *actions)
        return self._refused(Subject.NO_THING, sentence, self._samples(actions, clause), unknown.said)

    def _part(
        self, at: int, end: int, actions: Sequence[str], clause: _Clause | None = None
    ) -> NotUnderstood:
        """What was not understood: words that nobody knows, if there are any, else all from `at` on."""
        matching = self._matching
        if clause is not None:
            strange = [place for place in range(clause.at, clause.end) if self._is_strange(place)]
            if strange:
                at, end = strange[0], strange[-1] + 1
            elif at >= end:
                at = clause.at
        part = matching.said(at, min(end, at + _MOST_PART)) or matching.text.strip()
        whole = (
            f'I did not understand "{part}"{self._only_names()}.' if part else "I did not understand that."
        )
        return self._refused(Subject.NOT_UNDERSTOOD, whole, self._samples(actions, clause))

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

    # -- clauses and verbs

    def _clauses(self) -> Iterator[_Clause]:
        matching, at, count = self._matching, 0, 0
        for end in range(matching.size + 1):
            if end == matching.size or (self._joins_at(end) and count < _MOST_CLAUSES):
                if end > at:
                    is_condition = at > 0 and matching.tokens[at - 1] in self._words.conditions
                    yield _Clause(at, end, is_condition=is_condition)
                    count += 1
                at = end + 1

    def _joins_at(self, at: int) -> bool:
        token = self._matching.tokens[at]
        return token in self._words.between or not token[:1].isalnum()

    def _first_wrong(self, clauses: Sequence[_Clause]) -> _Clause:
        """The clause that the refusal is about."""
        if len(clauses) == 1:
            return clauses[0]
        furthest = self._matching.furthest
        here = next((each for each in clauses if each.at <= furthest < each.end), None)
        if here is not None and not self._is_understood(here):
            return here
        return next((each for each in clauses if not self._is_understood(each)), clauses[0])

    def _with_verb(self, clause: _Clause) -> _Clause:
        """The clause with its verb: its first word behind politeness, or one behind a "please" within it."""
        matching = self._matching
        if clause.is_condition or self._is_asked(clause):
            return clause
        at = self._behind_politeness(clause.at, clause.end)
        found = self._verb_at(clause, at)
        if found.verb < 0:
            for place in range(at, clause.end - 1):
                if matching.tokens[place] == "please" and not self._is_strange(place + 1):
                    later = self._verb_at(clause, place + 1)
                    found = (
                        later if later.verb >= 0 and not self._frames.is_verb(matching.tokens[at]) else found
                    )
        return found

    def _behind_politeness(self, at: int, end: int) -> int:
        matching = self._matching
        while ends := [
            place for place in self._reader.markers.ends(matching, Marker.COMMANDING, at) if at < place < end
        ]:
            at = max(ends)
        while at < end and matching.tokens[at] in ("you", "please"):
            at += 1
        if (
            at + 1 < end
            and matching.tokens[at] in _GO
            and tuple(matching.tokens[at + 1 : at + 2]) in self._words.senses
        ):
            at += 1  # "go swap the battery"
        return at

    def _verb_at(self, clause: _Clause, at: int) -> _Clause:
        matching = self._matching
        if at >= clause.end or not self._may_be_verb(at):
            return clause
        word = matching.tokens[at]
        for size in range(min(_MOST_VERB, clause.end - at), 0, -1):
            for form in base_forms(word):
                sense = self._words.senses.get((form, *matching.tokens[at + 1 : at + size]))
                if sense is not None and (size > 1 or not self._frames.is_verb(word)):
                    like = () if size > 1 else self._said_by_us(sense)
                    return clause._replace(verb=at, behind=at + size, like=like)
        if self._frames.is_verb(word):
            return clause._replace(verb=at, behind=at + 1, like=(word,))
        if at in self._strange and is_verb(word) and self._is_done_to_something(at + 1, clause.end):
            return clause._replace(verb=at, behind=at + 1)
        return clause

    def _is_done_to_something(self, at: int, end: int) -> bool:
        """Whether a thing stands here that is none of the robot's own: what an unknown verb is about.

        Of "wander back" and "float the left arm up" nobody says that they cannot be done: the word is new.
        """
        matching = self._matching
        if at < end and matching.tokens[at] in self._reader.core.persons:
            at += 1  # "tickle my mum", "sing us a song"
            if at >= end:
                return True
        if at >= end:
            return False
        if any(at in places for places in matching.utterance.names.values()):
            return bool(self._kinds(at))
        word = matching.tokens[at]
        if word in self._words.no_verbs or word in self._words.prepositions or matching.quantities(at):
            return False
        return self._is_strange(at) and is_noun(word)

    def _said_by_us(self, sense: Sequence[str]) -> tuple[str, ...]:
        """Those of a sense that phrases begin with; none if it is but one of many ("jump to the camera")."""
        heads = self._reader.phrasebook.heads
        ours = tuple(dict.fromkeys(each for each in sense if each in heads))
        return ours if len(ours) > 1 or len(sense) <= _FEW else ()

    def _may_be_verb(self, at: int) -> bool:
        matching = self._matching
        word = matching.tokens[at]
        if (
            (word in self._words.no_verbs and word not in _ALSO_VERBS)
            or not word[0].isalpha()
            or matching.quantities(at)
        ):
            return False
        if any(at in places for places in matching.utterance.names.values()):
            return False
        follows = matching.tokens[at + 1] if at + 1 < matching.size else ""
        return follows not in self._reader.core.statements.verbs  # it is what something is said of

    def _is_beyond(self, clause: _Clause) -> bool:
        """Whether its verb is none of ours, or wants something that ours is not for."""
        matching, behind = self._matching, clause.behind
        if clause.verb < 0:
            return False
        if not clause.like:
            return clause.at == 0 or clause.end - clause.verb > 1  # "…, phone" may call somebody
        if self._wanted_of_others(clause) or self._is_done_with_things(clause):
            return True
        frame = self._frames.of(*clause.like)
        if behind < clause.end and matching.tokens[behind] in self._reader.core.persons:
            behind += 1  # "hand me the cup"
        if behind >= clause.end:
            return self._is_only_called_so(clause) and clause.end - clause.verb == 1
        if self._thing_beyond(frame, behind, clause):
            return True
        return (
            self._is_strange(behind)
            and (
                matching.tokens[behind - 1] in _QUANTIFIED or bool(_MAYBE_MY.search(matching.between(behind)))
            )
        ) or (matching.tokens[behind] == "some" and behind + 1 < clause.end and self._is_strange(behind + 1))

    def _is_done_with_things(self, clause: _Clause) -> bool:
        """Whether its verb is about things, and what stands behind it is nothing that phrases have there."""
        matching = self._matching
        verbs = {
            form for place in range(clause.verb, clause.behind) for form in base_forms(matching.tokens[place])
        }
        thing = self._behind_verb(clause)
        if not thing:
            return False
        if verbs.isdisjoint(self._words.of_things) and not self._is_a_new_thing(clause):
            return False
        if any(clause.behind in places for places in matching.utterance.names.values()):
            return False  # somebody, or what is the robot's own
        frame = self._frames.of(*clause.like)
        there = matching.all_there(clause.verb, clause.end)
        if any(_takes_a_thing(slot, needs, there) for slot, needs in self._frames.of(*verbs).places):
            return False  # some thing would do
        is_reference = thing[0] in matching.references
        if is_reference and not any(self._frames.is_verb(each) for each in verbs):
            return True
        return not any(frame.has(each) for each in thing)

    def _is_a_new_thing(self, clause: _Clause) -> bool:
        """Whether some thing of English that nobody knows here stands behind a verb: "draw a dinosaur"."""
        thing = self._behind_verb(clause)
        end = clause.behind + len(thing) + (self._matching.tokens[clause.behind] in self._reader.core.persons)
        if not thing or not self._is_strange(end - 1) or not is_noun(thing[-1]):
            return False
        unknown = self._read.unknown
        if unknown is not None and thing[-1] in self._reader.recogniser.words(unknown.said):
            return False  # something of another name would do
        there = self._matching.all_there(clause.verb, clause.end)
        return not any(  # "teach a dance", "send the mug"
            is_free(slot) or (slot.kind and _would_do(slot, needs, there))
            for slot, needs in self._frames.of(*clause.like).places
        )

    def _behind_verb(self, clause: _Clause) -> tuple[str, ...]:
        """The words of the thing behind a verb: up to where or how it is done."""
        matching, at = self._matching, clause.behind
        if at < clause.end and matching.tokens[at] in self._reader.core.persons:
            at += 1  # "hand me the cup"
        end = at
        while (
            end < clause.end
            and matching.tokens[end] not in self._words.prepositions
            and not matching.quantities(end)
        ):
            end += 1
        return matching.tokens[at:end]

    def _thing_beyond(self, frame: Frame, at: int, clause: _Clause) -> bool:
        """Whether a known thing stands directly behind the verb that no phrase has a place for there."""
        matching = self._matching
        for place in range(at, min(clause.end, at + _MOST_BEFORE_THING + 1)):
            word = matching.tokens[place]
            kinds = self._kinds(place)
            if kinds:
                return not frame.takes(kinds, matching.all_there(clause.at, clause.end))
            if word in matching.references:
                return self._is_unlike_ours(clause, place + 1)
            if frame.has(word):
                return False
            if word in self._words.prepositions or word in self._words.no_verbs or matching.quantities(place):
                return False
        return False

    def _is_unlike_ours(self, clause: _Clause, at: int) -> bool:
        """Whether a known thing is named from here on, and no phrase of the verb could be meant with it."""
        if not any(self._kinds(place) for place in range(at, clause.end)):
            return False
        there = self._matching.all_there(clause.at, clause.end)
        heads = self._reader.phrasebook.heads
        forms = {form for word in clause.like for form in base_forms(word)}
        entries = (entry for form in forms for entry in heads.get(form, ()))
        return all(any(need.isdisjoint(there) for need in entry.node.needs) for entry in entries)

    def _kinds(self, at: int) -> list[str]:
        """Under which kinds a thing is known whose name begins here: not what is the robot's own."""
        names = self._matching.utterance.names
        kinds = [kind for kind, places in names.items() if at in places]
        return kinds if all(kind.startswith(_THINGS) for kind in kinds) else []

    def _is_only_called_so(self, clause: _Clause) -> bool:
        """Whether a phrase begins with the verb, and with none of those that say the same: "jump to"."""
        word = self._matching.tokens[clause.verb]
        senses = [
            sense for form in base_forms(word) if (sense := self._words.senses.get((form,))) is not None
        ]
        others = {each for sense in senses for each in sense} - {*base_forms(word)}
        return bool(senses) and not any(self._frames.is_verb(each) for each in others)

    def _wanted_of_others(self, clause: _Clause) -> bool:
        """Whether it names what people want of other machines, and what nobody knows here."""
        matching = self._matching
        return any(
            token in self._words.things and not self._is_name(at)
            for at, token in enumerate(matching.tokens[clause.at : clause.end], start=clause.at)
        )

    def _is_name(self, at: int) -> bool:
        """Whether a word is part of a known name."""
        return any(
            begin <= at < named.end
            for places in self._matching.utterance.names.values()
            for begin, found in places.items()
            for named in found
        )

    def _is_strange(self, at: int) -> bool:
        """Whether nobody knows a word (`Grammar.strange`), and it is one that says something."""
        return at in self._strange and self._matching.tokens[at] not in self._words.no_verbs

    def _is_asked(self, clause: _Clause) -> bool:
        """Whether it is a question: "have a look" is none."""
        tokens = self._matching.tokens
        if tokens[clause.at] not in self._words.asking:
            return False
        follows = tokens[clause.at + 1] if clause.at + 1 < clause.end else ""
        is_command = self._frames.is_verb(tokens[clause.at]) and follows not in _SUBJECTS
        return not (is_command and tokens[clause.at] in _ALSO_VERBS)

    def _actions(self, clause: _Clause | None) -> tuple[str, ...]:
        """The actions that begin with its verb or one like it, or else with its first word."""
        if clause is None:
            return ()
        heads = self._reader.phrasebook.heads
        words = clause.like or (self._matching.tokens[max(clause.verb, clause.at)],)
        forms = dict.fromkeys(form for word in words for form in base_forms(word))
        return tuple(dict.fromkeys(entry.phrase.action for form in forms for entry in heads.get(form, ())))

    def _is_understood(self, clause: _Clause) -> bool:
        if clause.end - clause.at > _MOST_LOOKED_AT:
            return False
        text = self._matching.said(clause.at, clause.end)
        return bool(self._reader.as_it_stands(text, self._world, is_thorough=False).readings)

    # -- things

    def _is_unknown_name(self, clause: _Clause) -> bool:
        """Whether its verb begins a name that nobody knows ("phone 9"), or which of several is not known."""
        unknown = self._read.unknown
        if unknown is None or clause.verb < 0:
            return False
        words = self._reader.recogniser.words(unknown.said)
        if unknown.what == words[-1]:  # "middle arm"
            return True
        end = clause.verb + len(words)
        return len(words) > 1 and self._matching.tokens[clause.verb : end] == words

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


def _takes_a_thing(slot: SlotNode, needs: Sequence[frozenset[str]], there: frozenset[str]) -> bool:
    """Whether some known thing would do for a slot, with these words."""
    return slot.kind.startswith(_THINGS) and _would_do(slot, needs, there)


def _would_do(slot: SlotNode, needs: Sequence[frozenset[str]], there: frozenset[str]) -> bool:
    """Whether the phrases of a slot need no more than a name for it and these words."""
    own = a_name(slot.kind)
    return all(own in need or not need.isdisjoint(there) for need in needs)


def _nearest(said: str, known: Iterable[str]) -> list[str]:
    """Names that share a word with what was said, else the first few."""
    words = set(said.casefold().split())
    names = list(known)
    near = [name for name in names if words.intersection(name.casefold().split())]
    return (near or names)[:_MOST_NAMES]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_SUBJECTS: Final = frozenset(("you", "i", "we", "they", "he", "she", "it", "there", "this", "that"))
#: What begins questions and commands alike: "have you seen it", "have a look".
_ALSO_VERBS: Final = frozenset(("do", "have"))
