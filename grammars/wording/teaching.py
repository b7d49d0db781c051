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
from grammars.lexicon import is_being_done, is_noun, is_verb
from grammars.reading.frames import is_free
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching, Rank, a_name
from grammars.reading.reader import MOST_WORDS, Read, Reader
from grammars.reading.slots import SlotNode
from grammars.reading.supposing import Unknown
from grammars.reading.utterance import Named
from grammars.wording.refusing import wanted

_MOST_PHRASE: Final = 9
_MOST_CLAUSES: Final = 8
_MOST_CANNOT: Final = 3
_MOST_TRIED: Final = 6
_SAMPLES: Final = 2
_MOST_NAMES: Final = 3
_MOST_PART: Final = 10
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
_ITS: Final = frozenset(("it", "them"))
_ARTICLE: Final = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)
_YOUR: Final = re.compile(r"\byour\b", re.IGNORECASE)
_MAYBE_MY: Final = re.compile(r"\b(my|our)\b", re.IGNORECASE)


class _Clause(NamedTuple):
    """Tokens from `at` to `end`; the verb, if one was found, stands at `verb`, and what is said of it behind.

    like: verbs that say about the same, and that phrases begin with; itself, if they do with that.
    is_condition: it says when something is to be done, and not what. without: a verb that was left out.
    """

    at: int
    end: int
    verb: int = -1
    behind: int = -1
    like: tuple[str, ...] = ()
    is_condition: bool = False
    without: str = ""


class _Theme(NamedTuple):
    """What a verb is about: from `first` on what stands before its noun, which is from `at` to `end`."""

    first: int
    at: int
    end: int


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
        #: What the robot's own things are called: "arm" of "left arm".
        self._own_nouns = frozenset(
            reader.recogniser.words(known.name)[-1]
            for kind in reader.kinds
            if not kind.startswith(_THINGS)
            for known in world.known(kind)
            if known.name.strip()
        )

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
        asking = max(self._reader.markers.ends(matching, Marker.COMMANDING, 0), default=0)
        for end in range(matching.size + 1):
            # "I'd be glad if you could": it is all politeness
            if end == matching.size or (end >= asking and self._joins_at(end) and count < _MOST_CLAUSES):
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
        if (done := self._done_to_it(clause)) is not None:
            return done
        if clause.is_condition or self._is_asked(clause):
            return clause
        at = self._behind_politeness(clause.at, clause.end)
        found = self._verb_at(clause, at)
        if found.verb < 0:
            for place in range(at, clause.end - 1):
                if matching.tokens[place] == "please" and not self._is_strange(place + 1):
                    found = self._verb_at(clause, place + 1)
                    break
        return found if found.verb >= 0 else self._without_verb(clause, at)

    def _done_to_it(self, clause: _Clause) -> _Clause | None:
        """What is to be done, behind a condition that no mark ends: "if it is there bring it here"."""
        matching = self._matching
        for place in range(clause.at + 1, clause.end - 1):
            if matching.tokens[place] in self._words.of_things and matching.tokens[place + 1] in _ITS:
                found = self._verb_at(clause._replace(at=place, is_condition=False), place)
                if found.verb >= 0 and self._is_theme_beyond(found, self._theme(found)):
                    return found
        return None

    def _without_verb(self, clause: _Clause, at: int) -> _Clause:
        """With the verb that was left out, if what happens to a thing is said all the same."""
        theme = self._noun(at, clause.end)
        if not self._is_a_thing(theme):
            return clause
        for words, verb in self._words.without.items():
            if self._matching.tokens[theme.end : min(theme.end + len(words), clause.end)] == words:
                return clause._replace(verb=at, behind=at, without=verb)
        return clause

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
        return self._behind_own_part(at, end)

    def _behind_own_part(self, at: int, end: int) -> int:
        """Behind what of the robot's does something, if it does: "the right one pushes"."""
        matching, place = self._matching, at
        while place < end and (
            matching.tokens[place] in self._words.before_nouns
            or (place > at and matching.tokens[place] in self._words.pronouns)
            or self._is_own(place)
        ):
            place += 1
        if at < place < end and matching.tokens[place].endswith("s"):
            forms = (form for form in base_forms(matching.tokens[place]) if form != matching.tokens[place])
            if any((form,) in self._words.senses or self._frames.is_verb(form) for form in forms):
                return place
        return at

    def _verb_at(self, clause: _Clause, at: int) -> _Clause:
        matching = self._matching
        if at >= clause.end or not self._may_be_verb(at):
            return clause
        word = matching.tokens[at]
        if at == clause.at and is_being_done(word):
            return clause  # "taking the stick": that is what somebody does, and not what is to be done
        for size in range(min(_MOST_VERB, clause.end - at), 0, -1):
            for form in base_forms(word):
                sense = self._words.senses.get((form, *matching.tokens[at + 1 : at + size]))
                if sense is not None and (size > 1 or not self._frames.is_verb(word)):
                    like = () if size > 1 else self._said_by_us(sense)
                    return clause._replace(verb=at, behind=at + size, like=like)
        if self._frames.is_verb(word):
            return clause._replace(verb=at, behind=at + 1, like=(word,))
        if is_verb(word) and self._is_done_to_something(at + 1, clause.end):
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
        return at < end and self._is_a_thing(self._noun(at, end))

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
            or not word.replace("-", "").isalpha()  # a number, or "don't"
            or matching.quantities(at)
        ):
            return False
        follows = matching.tokens[at + 1] if at + 1 < matching.size else ""
        if any(at in places for places in matching.utterance.names.values()):
            # "hand me the cup", "hand the cup over"
            is_done = follows in self._reader.core.persons or self._is_determined(at + 1)
            return is_done and (word,) in self._words.senses
        if self._is_determined(at) and follows != "of":
            return False  # "the rest", but "an inspection of"
        return follows not in self._reader.core.statements.verbs  # it is what something is said of

    def _is_beyond(self, clause: _Clause) -> bool:
        """Whether its verb is none of ours, or wants something that ours is not for."""
        matching = self._matching
        if clause.verb < 0:
            return False
        if clause.without:
            return True
        if not clause.like:
            return clause.at == 0 or clause.end - clause.verb > 1  # "…, phone" may call somebody
        if self._wanted_of_others(clause) or self._is_only_a_noun(clause):
            return True
        theme = self._theme(clause)
        if self._is_theme_beyond(clause, theme):
            return True
        if theme.first >= clause.end:
            return self._is_only_called_so(clause) and clause.end - clause.verb == 1
        # "play some lofi", "kick my ball": it is something, whatever it is
        return theme.at < clause.end and (
            self._is_strange(theme.at)
            and (
                matching.tokens[theme.at - 1] in _QUANTIFIED
                or bool(_MAYBE_MY.search(matching.between(theme.at)))
            )
        )

    def _is_theme_beyond(self, clause: _Clause, theme: _Theme) -> bool:
        """Whether the verb is about something that no phrase of it is for."""
        matching, frame = self._matching, self._frames.of(*clause.like)
        there = matching.all_there(clause.verb, clause.end)
        if theme.first >= clause.end:
            return self._is_about_somebody(clause, theme)
        if any(self._is_own(place) for place in range(theme.first, theme.end)):
            return False
        if kinds := self._head_kinds(theme):
            return not self._is_yours(theme) and not frame.takes(kinds, there)
        if theme.at == theme.end:
            if matching.tokens[theme.first] in self._words.pronouns:
                return self._is_put_somewhere(clause, theme) or self._is_unlike_ours(clause, theme.first + 1)
            return self._is_about_somebody(clause, theme)
        return self._is_a_new_thing(clause, theme)

    def _is_about_somebody(self, clause: _Clause, theme: _Theme) -> bool:
        """Whether it is somebody that something is done to, and no phrase has that: "escort me"."""
        matching = self._matching
        if theme.first == clause.behind or matching.tokens[theme.first - 1] not in self._reader.core.persons:
            return False
        person = matching.tokens[theme.first - 1]
        if self._reader.core.persons[person] in ("me", "my", "myself"):
            return False  # "turn you": itself
        return not any(self._frames.of(each).has(person) for each in clause.like)

    def _is_put_somewhere(self, clause: _Clause, theme: _Theme) -> bool:
        """Whether a thing of which only a pronoun is said is to be handled: "drop it on the table"."""
        matching, at = self._matching, max(theme.end, theme.first + 1)
        if self._verbs(clause).isdisjoint(self._words.of_things):
            return False
        if at >= clause.end:  # "grab it" may be said by us
            return not self._reader.means_something(matching.said(clause.verb, clause.end), self._world)
        follows = matching.tokens[at]
        if follows in self._words.places:
            return (
                at + 1 == clause.end
                or matching.tokens[at + 1] in self._words.asking
                or follows in self._words.asking
            )
        if follows not in self._words.prepositions or at + 1 >= clause.end:
            return False
        if matching.tokens[at + 1] in self._reader.core.persons:
            return True
        return self._is_a_thing(self._noun(at + 1, clause.end))

    def _is_a_new_thing(self, clause: _Clause, theme: _Theme) -> bool:
        """Whether some thing of English that nobody knows here stands behind a verb: "draw a dinosaur"."""
        matching, head = self._matching, self._matching.tokens[theme.end - 1]
        there = matching.all_there(clause.verb, clause.end)
        verbs = self._verbs(clause)
        if not verbs.isdisjoint(self._words.of_things):
            frame = self._frames.of(*verbs)
            said = matching.tokens[theme.at : theme.end]
            is_new = head in self._words.any_thing or (self._is_strange(theme.end - 1) and is_noun(head))
            is_ours = not is_new and (any(frame.has(each) for each in said) or self._may_be_own(theme, verbs))
            return not is_ours and not any(_takes_a_thing(slot, needs, there) for slot, needs in frame.places)
        if not self._is_a_thing(theme) or self._may_be_own(theme, {*clause.like}):
            return False
        unknown = self._read.unknown
        if unknown is not None and head in self._reader.recogniser.words(unknown.said):
            return False  # something of another name would do
        return not any(  # "teach a dance", "send the mug"
            is_free(slot) or (slot.kind and _would_do(slot, needs, there))
            for slot, needs in self._frames.of(*clause.like).places
        )

    def _may_be_own(self, theme: _Theme, verbs: Iterable[str]) -> bool:
        """Whether what nobody knows may be a part of the robot: verbs that are about those may mean one."""
        place, before = theme.end - 1, self._matching.tokens[theme.first - 1]
        is_for_somebody = before in self._reader.core.persons and is_noun(self._matching.tokens[place])
        if is_for_somebody or not self._is_strange(place):
            return False
        frame = self._frames.of(*verbs)
        kinds = {slot.kind for slot, _ in frame.places}
        return not self._own_nouns.isdisjoint(frame.words) or any(
            kind and not kind.startswith(_THINGS) for kind in kinds
        )

    def _is_only_a_noun(self, clause: _Clause) -> bool:
        """Whether all that the verb says is its noun, which is no verb of ours: "do a little dance"."""
        theme = self._theme(clause)
        if theme.end == theme.at or self._verbs(clause).isdisjoint(self._words.light):
            return False
        noun = self._matching.tokens[theme.end - 1]
        sense = self._words.senses.get((noun,))
        return sense is not None and not self._frames.is_verb(noun) and not self._said_by_us(sense)

    # -- what a verb is about

    def _verbs(self, clause: _Clause) -> set[str]:
        tokens = self._matching.tokens
        return {form for place in range(clause.verb, clause.behind) for form in base_forms(tokens[place])}

    def _theme(self, clause: _Clause) -> _Theme:
        """What stands behind a verb and behind whom it is done for: "hand me the cup", "put on a song"."""
        matching, at = self._matching, clause.behind
        if at + 1 < clause.end and (
            matching.tokens[at] == "of"
            or (matching.tokens[at] in self._words.particles and self._begins_noun(at + 1))
        ):
            at += 1
        if at < clause.end and matching.tokens[at] in self._reader.core.persons:
            at += 1
        noun = self._noun(at, clause.end)
        while noun.at < noun.end < clause.end and matching.tokens[noun.end] == "of":
            noun = self._noun(noun.end + 1, clause.end)  # "hold of the left arm"
        return noun

    def _begins_noun(self, at: int) -> bool:
        return self._is_determined(at) or self._matching.tokens[at] in self._words.before_nouns

    def _noun(self, first: int, end: int) -> _Theme:
        """The noun that begins here, up to where or how something is done with it."""
        matching, at = self._matching, first
        while at < end and (matching.tokens[at] in self._words.before_nouns or self._is_count(at)):
            at += 1
        stop = at
        while stop < end and not self._ends_noun(stop):
            stop = max((named.end for named in self._named(stop)), default=stop + 1)
        return _Theme(first, at, min(stop, end))

    def _ends_noun(self, at: int) -> bool:
        word = self._matching.tokens[at]
        return (
            word in self._words.prepositions
            or word in self._words.no_verbs
            or word in self._words.asking
            or (word,) in self._words.without
            or bool(self._matching.quantities(at))
        )

    def _is_count(self, at: int) -> bool:
        """Whether a number without a unit, in a word: behind figures an unknown word may be a unit."""
        found = self._matching.quantities(at)
        is_word = self._matching.tokens[at].isalpha()
        return is_word and bool(found) and all(each.end == at + 1 for each in found)

    def _is_determined(self, at: int) -> bool:
        """Whether an article stands before it."""
        return at < self._matching.size and bool(_ARTICLE.search(self._matching.between(at)))

    def _is_a_thing(self, theme: _Theme) -> bool:
        """Whether some thing is named that is none of the robot's own."""
        if theme.at == theme.end:
            return False
        if self._is_yours(theme) or any(self._is_own(place) for place in range(theme.first, theme.end)):
            return False
        head = self._matching.tokens[theme.end - 1]
        return (
            head in self._words.any_thing
            or any(self._kinds(place) for place in range(theme.at, theme.end))
            or (self._is_strange(theme.end - 1) and (is_noun(head) or self._is_determined(theme.at)))
        )

    def _is_yours(self, theme: _Theme) -> bool:
        """Whether it is called the robot's: "your chest"."""
        before = self._matching.said(theme.first, theme.at) + self._matching.between(theme.first)
        return bool(_YOUR.search(before))

    def _head_kinds(self, theme: _Theme) -> list[str]:
        """Under which kinds a thing is known that the whole noun names: a "hand rail" is no hand."""
        for place in range(theme.at, theme.end):
            if any(named.end == theme.end for named in self._named(place)) and (kinds := self._kinds(place)):
                return kinds
        return []

    def _named(self, at: int) -> list[Named]:
        """Known names that begin here."""
        return [each for places in self._matching.utterance.names.values() for each in places.get(at, ())]

    def _is_own(self, at: int) -> bool:
        """Whether something of the robot's is named from here on, or somebody: not by "left" alone."""
        least = at + 2 if self._matching.tokens[at] in self._words.before_nouns else at + 1
        if self._matching.tokens[at] in self._own_nouns:
            return True
        return any(named.end >= least for named in self._named(at)) and not self._kinds(at)

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
        reader = self._reader
        if unknown.what != words[-1] and reader.recogniser.has_name_within(
            unknown.said, self._world, reader.kinds
        ):
            return None
        return unknown

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
        if clause.without:
            words[:0] = [clause.without, *_ARTICLE.findall(matching.between(clause.verb))[-1:]]
        elif words[1:2] == ["of"]:  # "an inspection of the tank"
            words[:2] = self._words.senses.get((words[0],), words[:1])[:1]
        elif words[0].endswith("s"):  # of what something else does: "the right one pushes"
            words[0] = next((form for form in base_forms(words[0]) if is_verb(form)), words[0])
        return re.sub(r"(\s+please)?[\s,;:.]+$", "", " ".join(words) + " ")

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
