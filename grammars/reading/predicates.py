"""The predicate of a clause: its verb, and what stands behind it that it is about. Of texts that are refused.

It finds where a verb is ("please wipe that table", "the right one pushes the box"), which verbs of ours say
about the same, and the noun behind it. Whether such a thing can be done here is decided in `beyond`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from framework.plan.parser import World
from grammars.core import Marker
from grammars.lexicon import is_being_done, is_known, is_noun, is_verb
from grammars.reading.correcting import Spellings
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching
from grammars.reading.reader import Reader
from grammars.reading.utterance import Named

_MOST_CLAUSES: Final = 8
#: In a sense of so few verbs, one of ours is enough for it to be ours.
_FEW: Final = 3
#: Words of a verb: "get up on".
_MOST_VERB: Final = 3
#: Under which kinds the world knows what is around; others are the robot's own.
THINGS: Final = "world."
_GO: Final = frozenset(("go", "come"))
_SUBJECTS: Final = frozenset(("you", "i", "we", "they", "he", "she", "it", "there", "this", "that"))
#: What begins questions and commands alike: "have you seen it", "have a look".
_ALSO_VERBS: Final = frozenset(("do", "have"))
_ARTICLE: Final = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)
_YOUR: Final = re.compile(r"\byour\b", re.IGNORECASE)


class Clause(NamedTuple):
    """Tokens from `at` to `end`; the verb, if one was found, stands at `verb`, and what is said of it behind.

    like: verbs that say about the same, and that phrases begin with; itself, if they do with that.
    is_condition: it says when something is to be done, and not what. without: a verb that was left out.
    is_permission: who speaks wants to do it: "can I ride on you", "let me lean on your arm".
    meant: the verb, where it is misspelt.
    """

    at: int
    end: int
    verb: int = -1
    behind: int = -1
    like: tuple[str, ...] = ()
    is_condition: bool = False
    without: str = ""
    is_permission: bool = False
    meant: str = ""


class Theme(NamedTuple):
    """What a verb is about: from `first` on what stands before its noun, which is from `at` to `end`."""

    first: int
    at: int
    end: int


class Predicates:
    """Finds the clauses of one text, their verbs and their nouns."""

    def __init__(self, matching: Matching, reader: Reader, world: World) -> None:
        self._matching = matching
        self._reader = reader
        self._world = world
        self._words = reader.core.refusing
        self._frames = reader.grammar.frames
        self._strange = reader.grammar.strange(matching.utterance)
        #: What the robot's own things are called: "arm" of "left arm".
        self.own_nouns = frozenset(
            reader.recogniser.words(known.name)[-1]
            for kind in reader.kinds
            if not kind.startswith(THINGS)
            for known in world.known(kind)
            if known.name.strip()
        )

    def clauses(self) -> Iterator[Clause]:
        matching, at, count = self._matching, 0, 0
        asking = max(self._reader.markers.ends(matching, Marker.COMMANDING, 0), default=0)
        for end in range(matching.size + 1):
            # "I'd be glad if you could": it is all politeness
            if end == matching.size or (end >= asking and self._joins_at(end) and count < _MOST_CLAUSES):
                if end > at:
                    begins = matching.tokens[at - 1 : at] or matching.tokens[at : at + (end < matching.size)]
                    is_condition = begins[0] in self._words.conditions if begins else False
                    yield Clause(at, end, is_condition=is_condition)
                    count += 1
                at = end + 1

    def _joins_at(self, at: int) -> bool:
        token = self._matching.tokens[at]
        if any(
            at < each.end for place in range(max(at - 2, 0), at) for each in self._matching.quantities(place)
        ):
            return False  # "one and a half metres"
        return token in self._words.between or not token[:1].isalnum()

    def with_verb(self, clause: Clause) -> Clause:
        """The clause with its verb: its first word behind politeness, or one behind a "please" within it."""
        matching = self._matching
        if clause.is_condition or self.is_asked(clause):
            return clause
        at = self.behind_politeness(clause.at, clause.end)
        found = self.verb_at(clause, at)
        if found.verb < 0:
            for place in range(at, clause.end - 1):
                if matching.tokens[place] == "please" and not self.is_strange(place + 1):
                    found = self.verb_at(clause, place + 1)
                    break
        for place in dict.fromkeys(
            (clause.at, at - 1)
        ):  # "chuck" and "do" may be politeness, and are none here
            if found.verb < 0 and clause.at <= place < at and self._is_any_verb(place, clause.end):
                found = self.verb_at(clause, place)
        if found.verb < 0:
            found = self._behind_a_place(clause, at)
        return found if found.verb >= 0 else self._without_verb(clause, at)

    def _is_any_verb(self, at: int, end: int) -> bool:
        return self._frames.is_verb(self._matching.tokens[at]) or self._sense(at, end) is not None

    def _behind_a_place(self, clause: Clause, at: int) -> Clause:
        """With the verb behind where, from where or of what: "of the two cups hand me the white one"."""
        tokens = self._matching.tokens
        if at >= clause.end or tokens[at] not in self._words.prepositions:
            return clause
        for place in range(at + 2, clause.end - 1):
            if tokens[place] not in self._words.of_things and (tokens[place],) not in self._words.senses:
                continue
            follows = place + 1
            is_somebody = (
                tokens[follows] in self._reader.core.persons or tokens[follows] in self._words.pronouns
            )
            if is_somebody or self.is_determined(follows):
                return self.verb_at(clause, place)
        return clause

    def _without_verb(self, clause: Clause, at: int) -> Clause:
        """With the verb that was left out, if what happens to a thing is said all the same."""
        firsts = (*self._reader.markers.ends(self._matching, Marker.FIRST, at), at)
        at = max(place for place in firsts if place < clause.end or place == at)
        theme = self.noun(at, clause.end)
        if not self.is_a_thing(theme):
            return clause
        for words, verb in self._words.without.items():
            if self._matching.tokens[theme.end : min(theme.end + len(words), clause.end)] == words:
                return clause._replace(verb=at, behind=at, without=verb)
        for words, verb in self._words.ending.items():
            end = clause.end - len(words)
            if end >= theme.end and self._matching.tokens[end : clause.end] == words:
                is_place = end == theme.end or self._matching.tokens[theme.end] in self._words.prepositions
                if is_place:
                    return clause._replace(verb=at, behind=at, end=end, without=verb)
        return clause

    def behind_politeness(self, at: int, end: int) -> int:
        """Where what is wanted begins."""
        return self._behind_own_part(self.behind_manners(at, end), end)

    def behind_manners(self, at: int, end: int) -> int:
        """Where what is said begins, behind what is only polite."""
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
        doing = at
        while doing + 1 < end and matching.tokens[doing] in self._words.before_doing:
            doing += 1
        if at < doing < end and is_being_done(matching.tokens[doing]):
            at = doing  # "would you mind threading this needle"
        if self._is_let(at, end):
            at += 2  # "let me lean on your arm"
        return at

    def _is_let(self, at: int, end: int) -> bool:
        """Whether it is asked for what who speaks would do, and no phrase has that."""
        matching = self._matching
        if at + 2 >= end or matching.tokens[at] != "let" or not self._is_speaker(at + 1):
            return False
        sense = self._sense(at + 2, end)
        return (sense is not None and not sense[1]) or self._is_strange_verb(at + 2)

    def _is_speaker(self, at: int) -> bool:
        return self._reader.core.persons.get(self._matching.tokens[at]) == "you"

    def _is_strange_verb(self, at: int) -> bool:
        return self.is_strange(at) and is_verb(self._matching.tokens[at])

    def is_of_robot(self, at: int) -> bool:
        """Whether what is called like something around is the robot's: "your left hand"."""
        word = self._matching.tokens[at]
        if _YOUR.search(self._matching.between(at)) or word in self._reader.core.persons:
            return True
        if word in self.own_nouns:
            return True
        is_told_apart = at > 0 and self._matching.tokens[at - 1] in self._words.before_nouns
        return is_told_apart and self._matching.tokens[at] in self._reader.grammar.vocabulary.words

    def _behind_own_part(self, at: int, end: int) -> int:
        """Behind what of the robot's does something, if it does: "the right one pushes"."""
        matching, place = self._matching, at
        while place < end and (
            matching.tokens[place] in self._words.before_nouns
            or (place > at and matching.tokens[place] in self._words.pronouns)
            or self.is_own(place)
        ):
            place += 1
        if at < place < end and matching.tokens[place].endswith("s"):
            forms = (form for form in base_forms(matching.tokens[place]) if form != matching.tokens[place])
            if any((form,) in self._words.senses or self._frames.is_verb(form) for form in forms):
                return place
        return at

    def verb_at(self, clause: Clause, at: int) -> Clause:
        matching = self._matching
        if at >= clause.end or not self._may_be_verb(at):
            return clause
        word = matching.tokens[at]
        if at == clause.at and is_being_done(word):
            return clause  # "taking the stick": that is what somebody does, and not what is to be done
        found = clause._replace(verb=at, is_permission=at > 0 and self._is_speaker(at - 1))
        if (sense := self._sense(at, clause.end)) is not None:
            return found._replace(behind=sense[0], like=sense[1], meant=self._meant(at))
        if self._frames.is_verb(word):
            return found._replace(behind=at + 1, like=(word,))
        if self._reader.markers.ends(matching, Marker.CANCEL, at):
            return clause  # an end to something that is not being done
        forms = base_forms(word) if at > clause.at else (word,)  # "would you mind threading the needle"
        if any(is_verb(form) for form in forms) and self._is_done_to_something(at + 1, clause.end):
            return found._replace(behind=at + 1)
        return clause

    def _sense(self, at: int, end: int) -> tuple[int, tuple[str, ...]] | None:
        """Where what a sense has ends, and what we say for it; a person may be in it ("keep me company")."""
        tokens = self._matching.tokens
        for size in range(min(_MOST_VERB, end - at), 0, -1):
            for form in (*base_forms(tokens[at]), *filter(None, (self._meant(at),))):
                for skip in (0, 1) if at + 1 < end and self._is_speaker(at + 1) else (0,):
                    behind = at + size + (skip if size > 1 else 0)
                    words = (form, *tokens[at + 1 + skip : behind])
                    sense = self._words.senses.get(words) if behind <= end and len(words) == size else None
                    if sense is not None and (size > 1 or not self._frames.is_verb(tokens[at])):
                        return behind, () if size > 1 else self.said_by_us(sense)
        return None

    def _meant(self, at: int) -> str:
        """The verb that is misspelt here, if it is no word of English and may be but one: "folow"."""
        word = self._matching.tokens[at]
        if not self.is_strange(at) or is_known(word):
            return ""
        near = _spellings(frozenset(words[0] for words in self._words.senses)).near(word)
        return near[0] if len(near) == 1 else ""

    def _is_done_to_something(self, at: int, end: int) -> bool:
        """Whether a thing stands here that is none of the robot's own: what an unknown verb is about.

        Of "wander back" and "float the left arm up" nobody says that they cannot be done: the word is new.
        """
        matching = self._matching
        if at + 1 < end and matching.tokens[at] in self._words.particles and self._begins_noun(at + 1):
            at += 1  # "tie up the boat"
        if at < end and matching.tokens[at] in self._reader.core.persons:
            at += 1  # "tickle my mum", "sing us a song"
            if at >= end:
                return True
        return at < end and self.is_a_thing(self.noun(at, end))

    def said_by_us(self, sense: Sequence[str]) -> tuple[str, ...]:
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
        if follows == word:
            return False  # "clap clap clap" is a noise
        if any(at in places for places in matching.utterance.names.values()):
            # "hand me the cup", "hand the cup over"
            is_done = follows in self._reader.core.persons or self.is_determined(at + 1)
            return is_done and (word,) in self._words.senses
        if self.is_determined(at) and follows != "of":
            return False  # "the rest", but "an inspection of"
        if f"{word} {follows}" in self._words.idioms or self._is_compound(at):
            return False
        return follows not in self._reader.core.statements.verbs  # it is what something is said of

    def _is_compound(self, at: int) -> bool:
        """Whether phrases have this word and the next, but do not begin with this: "phone control"."""
        if at + 1 >= self._matching.size or self._begins_noun(at + 1) or self._is_speaker(at + 1):
            return False
        if self._matching.quantities(at + 1):
            return False  # "tip half of it"
        ours = self._reader.grammar.vocabulary.words
        word, follows = self._matching.tokens[at : at + 2]
        is_ours = word in ours and follows in ours and follows not in self._words.prepositions
        return is_ours and not self._frames.is_verb(word) and follows not in self._words.no_verbs

    def is_asked(self, clause: Clause) -> bool:
        """Whether it is a question: "have a look" is none."""
        tokens = self._matching.tokens
        if tokens[clause.at] not in self._words.asking:
            return False
        follows = tokens[clause.at + 1] if clause.at + 1 < clause.end else ""
        is_command = self._frames.is_verb(tokens[clause.at]) and follows not in _SUBJECTS
        return not (is_command and tokens[clause.at] in _ALSO_VERBS)

    def verbs(self, clause: Clause) -> set[str]:
        tokens = self._matching.tokens
        return {form for place in range(clause.verb, clause.behind) for form in base_forms(tokens[place])}

    def theme(self, clause: Clause) -> Theme:
        """What stands behind a verb and behind whom it is done for: "hand me the cup", "put on a song"."""
        matching, at = self._matching, self._behind_polite(clause.behind, clause.end)
        if at + 1 < clause.end and (
            matching.tokens[at] == "of"
            or (matching.tokens[at] in self._words.particles and self._begins_noun(at + 1))
        ):
            at += 1
        if at < clause.end and matching.tokens[at] in self._reader.core.persons:
            at = self._behind_polite(at + 1, clause.end)
        noun = self._behind_of(self.noun(at, clause.end), clause.end)
        if noun.at == noun.end and at < clause.end and matching.tokens[at] in self._words.prepositions:
            place = self.noun(at + 1, clause.end)
            behind = self.noun(place.end, clause.end)
            if place.at < place.end and behind.at < behind.end:
                noun = behind  # "take from the table the cup"
        while noun.at < noun.end < clause.end and matching.tokens[noun.end] == "of":
            within = self.noun(noun.end + 1, clause.end)
            if self.is_strange(noun.end - 1) or within.at == within.end:
                break  # "a selfie of us"
            noun = within  # "hold of the left arm"
        return noun

    def _behind_polite(self, at: int, end: int) -> int:
        while at < end and self._matching.tokens[at] in self._words.polite:
            at += 1
        return at

    def _behind_of(self, noun: Theme, end: int) -> Theme:
        """What there are some of: "one of the boxes", "two of them"."""
        if noun.at < noun.end or noun.end >= end or noun.first == noun.end:
            if noun.at < noun.end or noun.end + 1 >= end:
                return noun
            word = self._matching.tokens[noun.end]
            if word not in self._words.pronouns or self._matching.tokens[noun.end + 1] != "of":
                return noun
            return self.noun(noun.end + 2, end)
        return self.noun(noun.end + 1, end) if self._matching.tokens[noun.end] == "of" else noun

    def _begins_noun(self, at: int) -> bool:
        return self.is_determined(at) or self._matching.tokens[at] in self._words.before_nouns

    def noun(self, first: int, end: int) -> Theme:
        """The noun that begins here, up to where or how something is done with it."""
        matching, at = self._matching, first
        while at < end and (matching.tokens[at] in self._words.before_nouns or self._is_count(at)):
            at += 1
        stop = at
        while stop < end and not self._ends_noun(stop):
            named = max((named.end for named in self._named(stop)), default=stop)
            if named == stop:
                stop += 1
                continue
            stop = named
            if stop < end and (not is_noun(matching.tokens[stop]) or self._begins_another(stop)):
                break  # "the drum somewhat" and "the table the cup", but "the drum lid"
        return Theme(first, at, min(stop, end))

    def _begins_another(self, at: int) -> bool:
        """Whether another thing is named from here on: by an article, or by a known name."""
        return self.is_determined(at) or bool(self._named(at))

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

    def is_determined(self, at: int) -> bool:
        """Whether an article stands before it."""
        return at < self._matching.size and bool(_ARTICLE.search(self._matching.between(at)))

    def is_a_thing(self, theme: Theme) -> bool:
        """Whether some thing is named that is none of the robot's own."""
        if theme.at == theme.end:
            return False
        if self.is_yours(theme) or any(self.is_own(place) for place in range(theme.first, theme.end)):
            return False
        head = self._matching.tokens[theme.end - 1]
        return (
            head in self._words.any_thing
            or any(self.kinds(place) for place in range(theme.at, theme.end))
            or (self.is_strange(theme.end - 1) and (is_noun(head) or self.is_determined(theme.at)))
            or (
                is_noun(head)
                and self.is_determined(theme.at)
                and any(map(self.is_strange, range(theme.at, theme.end)))
            )
        )

    def is_yours(self, theme: Theme) -> bool:
        """Whether it is called the robot's: "your chest"."""
        before = self._matching.said(theme.first, theme.at) + self._matching.between(theme.first)
        return bool(_YOUR.search(before))

    def head_kinds(self, theme: Theme) -> list[str]:
        """Under which kinds a thing is known that the whole noun names: a "hand rail" is no hand."""
        for place in range(theme.at, theme.end):
            if any(named.end == theme.end for named in self._named(place)) and (kinds := self.kinds(place)):
                return kinds
        return []

    def kinds_of_several(self, theme: Theme) -> list[str]:
        """Under which kinds things are known of which the noun names several: "all the cups"."""
        if theme.at == theme.end:
            return []
        head = self._matching.tokens[theme.end - 1]
        kinds = tuple(kind for kind in self._reader.kinds if kind.startswith(THINGS))
        for form in base_forms(head):
            names = self._reader.recogniser.read(form, self._world, kinds).names
            if form != head and (found := [kind for kind in kinds if names.get(kind)]):
                return found
        return []

    def several(self, said: str) -> list[str]:
        """The known things of which a noun names several: those that are cups, for "cups"."""
        forms = [form for form in base_forms(said.casefold()) if form != said.casefold()]
        kinds = (kind for kind in self._reader.kinds if kind.startswith(THINGS))
        found = (
            name
            for kind in kinds
            for form in forms
            for name in self._reader.nouns.ending_in(form, kind, self._world.known(kind))
        )
        return list(dict.fromkeys(found))

    def _named(self, at: int) -> list[Named]:
        """Known names that begin here."""
        return [each for places in self._matching.utterance.names.values() for each in places.get(at, ())]

    def is_own(self, at: int) -> bool:
        """Whether something of the robot's is named from here on, or somebody: not by "left" alone."""
        least = at + 2 if self._matching.tokens[at] in self._words.before_nouns else at + 1
        if self._matching.tokens[at] in self.own_nouns:
            return True
        return any(named.end >= least for named in self._named(at)) and not self.kinds(at)

    def kinds(self, at: int) -> list[str]:
        """Under which kinds a thing is known whose name begins here: not what is the robot's own."""
        names = self._matching.utterance.names
        kinds = [kind for kind, places in names.items() if at in places]
        return kinds if all(kind.startswith(THINGS) for kind in kinds) else []

    def is_name(self, at: int) -> bool:
        """Whether a word is part of a known name."""
        return any(
            begin <= at < named.end
            for places in self._matching.utterance.names.values()
            for begin, found in places.items()
            for named in found
        )

    def is_strange(self, at: int) -> bool:
        """Whether nobody knows a word (`Grammar.strange`), and it is one that says something."""
        return at in self._strange and self._matching.tokens[at] not in self._words.no_verbs


@lru_cache(maxsize=4)
def _spellings(verbs: frozenset[str]) -> Spellings:
    return Spellings(verbs)
