"""Which words of a text a refusal quotes: what is wanted, said back, and the part that was not understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from framework.plan.parser import World
from grammars.lexicon import is_noun, is_verb
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching
from grammars.reading.predicates import Clause, Predicates
from grammars.reading.reader import Reader

_MOST_PHRASE: Final = 12
_MOST_PART: Final = 10
#: A clause of so few words is quoted as a whole.
_SHORT: Final = 6
#: So far in front of what nobody knows its phrase begins.
_MOST_BEFORE: Final = 3
#: Longer clauses are not read on their own.
_MOST_LOOKED_AT: Final = 24
_ARTICLE: Final = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)
_QUOTE: Final = '"'
#: Unknown last words of so few letters add nothing: "lol"; nor do drawn out ones.
_CHATTER: Final = 3
_DRAWN_OUT: Final = re.compile(r"(\w)\1\1")


class Quoting:
    """Quotes one text."""

    def __init__(self, matching: Matching, reader: Reader, world: World, predicates: Predicates) -> None:
        self._matching = matching
        self._reader = reader
        self._world = world
        self._predicates = predicates
        self._words = reader.core.refusing

    # -- what is wanted

    def wanted(self, clause: Clause, following: Clause | None = None) -> str:
        """What a clause wants, said by us: "bring you the red cup". following: the clause behind it."""
        matching, verb = self._matching, clause.verb
        end = self._end_of_wanted(clause, following)
        words = self._said_back(verb, end)
        if not words:
            return matching.said(verb, clause.end)
        words[0] = clause.meant or words[0].casefold()
        if clause.without:
            articles = _ARTICLE.findall(matching.between(verb).casefold())
            words[:0] = [clause.without, *articles[-1:]]
        elif words[1:2] == ["of"]:  # "an inspection of the tank"
            words[:2] = self._words.senses.get((words[0],), words[:1])[:1]
        elif not is_verb(words[0]):  # "the right one pushes", "would you mind threading", "have inspected"
            behind_have = words[0] in self._words.perfect and len(words) > 1
            plain = words[1].casefold() if behind_have else words[0]
            forms = [form for form in base_forms(plain) if form != plain and is_verb(form)]
            if forms:
                words[: 2 if behind_have else 1] = forms[:1]
        if clause.is_permission:
            words[:0] = ["let", "you"]
        return re.sub(r"[\s,;:.!?]+$", "", " ".join(words))

    def _end_of_wanted(self, clause: Clause, following: Clause | None) -> int:
        """Where what is wanted ends: not within a phrase, and not where something else is told."""
        matching, end = self._matching, clause.end
        if (
            following is not None
            and following.verb < 0
            and following.at == end + 1
            and matching.tokens[end] in self._words.joining
            and self._predicates.is_determined(following.at)
            and following.end - clause.verb <= _MOST_PHRASE
        ):
            end = following.end  # "grab the green and the white cup"
        verbs = self._reader.core.statements.verbs
        for place in range(clause.behind + 1, end - 1):
            is_told = matching.tokens[place] in self._words.telling and matching.tokens[place + 1] in verbs
            if is_told and matching.tokens[place - 1] not in self._words.asking:
                end = place  # "come with me | i am going to show you"
                break
        least = clause.behind if clause.behind > clause.verb else clause.verb + 1
        if end > clause.verb + _MOST_PHRASE:
            end = clause.verb + _MOST_PHRASE
            while end > least and self._cannot_end(end - 1):
                end -= 1
        while end > least and self._says_nothing_last(end - 1):
            end -= 1
        return end

    def _cannot_end(self, at: int) -> bool:
        word = self._matching.tokens[at]
        return (
            word in self._words.prepositions
            or word in self._words.before_nouns
            or word in self._words.no_verbs
            or not word.isalpha()
        )

    def _says_nothing_last(self, at: int) -> bool:
        """Whether a last word adds nothing: "please", or one that is no word of English ("pleeease")."""
        word = self._matching.tokens[at]
        if word in self._words.polite:
            return True
        if not self._predicates.is_strange(at) or is_noun(word) or is_verb(word):
            return False
        return len(word) <= _CHATTER or bool(_DRAWN_OUT.search(word))

    def _said_back(self, at: int, end: int) -> list[str]:
        """The words with persons exchanged, and without what is only polite."""
        said = self._matching.said(at, end).split()
        persons, echoes = self._reader.core.persons, self._words.echoes
        back = []
        for word in said:
            plain = word.casefold().strip(".,;:!?").replace("\u2019", "'")
            if plain in self._words.polite:
                continue
            back.append(echoes.get(plain, persons.get(plain, word)))
        return back

    # -- what was not understood

    def part(self, clause: Clause, furthest: int) -> tuple[int, str]:
        """The place, and the words, that were not understood of a clause: a whole phrase."""
        at = self._predicates.behind_manners(clause.at, clause.end)
        at, end = (at, clause.end) if at < clause.end else (clause.at, clause.end)
        strange = [place for place in range(at, end) if self._predicates.is_strange(place)]
        wrong = strange[0] if strange else max(furthest, at)
        if end - at <= _SHORT:
            return wrong, self._quoted(at, end)
        begin = min(wrong, end - 1)
        stop = strange[-1] + 1 if strange else end
        if stop - begin > _MOST_PART:
            stop = begin + _MOST_PART
        begin = self._begin_of_phrase(begin, at)
        while stop < end and stop - begin < _MOST_PART and not self._begins_phrase(stop):
            stop += 1
        if all(word in self._words.no_verbs for word in self._matching.tokens[begin:stop]):
            begin, stop = at, min(end, at + _MOST_PART)
        return wrong, self._quoted(begin, stop)

    def _begin_of_phrase(self, at: int, least: int) -> int:
        """Where the phrase that a word is in begins: at its preposition, or at its verb."""
        first = max(at - _MOST_BEFORE, least)
        for place in range(at, first - 1, -1):
            if place == least or (self._begins_phrase(place) and self._matching.tokens[place] != "of"):
                return place
        return first if self._matching.tokens[at - 1 : at] == ("of",) else at

    def _begins_phrase(self, at: int) -> bool:
        return self._matching.tokens[at] in self._words.prepositions or self._predicates.is_determined(at)

    def _quoted(self, at: int, end: int) -> str:
        """The words, with the article in front of them."""
        article = _ARTICLE.findall(self._matching.between(at))[-1:]
        words = " ".join((*article, self._matching.said(at, end)))
        return words.replace(_QUOTE, "'")

    # -- which clause it is

    def wrong(self, clauses: Sequence[Clause], furthest: int) -> Clause | None:
        """The clause that a refusal is about; None if each of them is understood by itself."""
        if len(clauses) == 1:
            return clauses[0]
        here = [each for each in clauses if each.at <= furthest < each.end]
        named = {each.end + 1: each for each in clauses if self._is_only_named(each)}
        wrong = [
            each
            for each in dict.fromkeys((*here, *clauses))
            if not self.is_understood(each)
            and not (each.at in named and self._means(named[each.at].at, each.end))  # "left hand, open"
        ]
        asking = [each for each in wrong if self._asks_for_something(each)]
        strange = [each for each in wrong if self._has_strange(each)]
        strange.sort(key=self._is_told)
        return next(iter((*asking, *strange, *wrong)), None)

    def is_understood(self, clause: Clause) -> bool:
        """Whether it is an instruction, or says when, how or nothing: "after that", "gently", "please"."""
        matching = self._matching
        if clause.end - clause.at > _MOST_LOOKED_AT:
            return False
        words = matching.tokens[clause.at : clause.end]
        if all(word in self._words.no_verbs for word in words) or " ".join(words) in self._words.idioms:
            return True
        markers = self._reader.markers
        if any(clause.end in markers.ends(matching, marker, clause.at) for marker in markers.nodes):
            return True
        if self._predicates.is_strange(clause.at):
            return False
        if self._is_only_named(clause) or self._means(clause.at, clause.end):
            return True
        text = matching.said(clause.at, clause.end)
        return clause.is_condition and self._reader.condition_of(text, self._world) is not None

    def _is_only_named(self, clause: Clause) -> bool:
        """Whether it names something that is known, and says no more."""
        noun = self._predicates.noun(clause.at, clause.end)
        if not noun.at < noun.end == clause.end:
            return False
        return self._predicates.is_own(noun.at) or bool(self._predicates.head_kinds(noun))

    def _means(self, at: int, end: int) -> bool:
        return self._reader.means_something(self._matching.said(at, end), self._world)

    def _asks_for_something(self, clause: Clause) -> bool:
        """Whether it has a verb, or names something: what is only remarked is not what a refusal is about."""
        if clause.verb >= 0:
            return True
        if self._is_told(clause):
            return False
        names = self._matching.utterance.names.values()
        return any(clause.at <= at < clause.end for places in names for at in places)

    def _is_told(self, clause: Clause) -> bool:
        return self._matching.tokens[clause.at] in self._words.telling

    def _has_strange(self, clause: Clause) -> bool:
        return any(self._predicates.is_strange(place) for place in range(clause.at, clause.end))
