"""Whether what a clause wants is beyond what can be done: no verb of ours, or not one for such a thing.

"Open" has a place for a gripper behind it, and none for a door; "inspect" none for anything. An action that
there is, with something that it takes, is never beyond.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from framework.plan.parser import World
from grammars.lexicon import is_noun
from grammars.reading.frames import is_free
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching, a_name
from grammars.reading.predicates import THINGS, Clause, Predicates, Theme
from grammars.reading.reader import Reader
from grammars.reading.slots import SlotNode
from grammars.reading.supposing import Unknown
from grammars.reading.tokens import is_article

_ITS: Final = frozenset(("it", "them"))
_QUANTIFIED: Final = frozenset(("some", "my", "our"))
_SOME: Final = re.compile(r"\b(a|an)\b", re.IGNORECASE)
_QUOTED: Final = re.compile("[\"'\u2018\u201c]")
_MAYBE_MY: Final = re.compile(r"\b(my|our)\b", re.IGNORECASE)


class Beyond:
    """Tells it of the clauses of one text. unknown: a name that would have to be known for it (`Read`)."""

    def __init__(
        self,
        matching: Matching,
        reader: Reader,
        world: World,
        predicates: Predicates,
        unknown: Unknown | None,
    ) -> None:
        self._matching = matching
        self._reader = reader
        self._world = world
        self._predicates = predicates
        self._unknown = unknown
        self._words = reader.core.refusing
        self._frames = reader.grammar.frames

    def clauses(self) -> list[Clause]:
        """The clauses of the text, with their verbs; at least one."""
        found = [
            self._done_to_it(each) or self._predicates.with_verb(each) for each in self._predicates.clauses()
        ]
        return found or [Clause(0, self._matching.size)]

    def is_beyond(self, clause: Clause) -> bool:
        """Whether its verb is none of ours, or wants something that ours is not for."""
        matching = self._matching
        if clause.verb < 0:
            return False
        if clause.without:
            return True
        if self._is_only_put_so(clause):
            return False
        if not clause.like:
            joins = self._words.joining | self._words.between
            is_joined = clause.at == 0 or matching.tokens[clause.at - 1] in joins
            return is_joined or clause.end - clause.verb > 1  # "…, phone" may call somebody
        if self._is_of_another_kind(clause):
            return True
        if self._is_ours(clause):
            return False
        if self._is_together(clause):
            return True
        if self.wanted_of_others(clause) or self._is_only_a_noun(clause):
            return True
        theme = self._predicates.theme(clause)
        if self._is_theme_beyond(clause, theme):
            return True
        if theme.first >= clause.end:
            return self._is_only_called_so(clause) and clause.end - clause.verb == 1
        if theme.at == theme.end and self._is_only_called_so(clause):
            is_of_things = not self._predicates.verbs(clause).isdisjoint(self._words.of_things)
            return is_of_things and self._is_somewhere(clause, theme)  # "the rest please tip into the barrel"
        # "play some lofi", "kick my ball": it is something, whatever it is
        return theme.at < clause.end and (
            self._predicates.is_strange(theme.at)
            and (
                matching.tokens[theme.at - 1] in _QUANTIFIED
                or bool(_MAYBE_MY.search(matching.between(theme.at)))
            )
        )

    def _is_only_put_so(self, clause: Clause) -> bool:
        """Whether what stands behind the verb is an instruction: "pop | the right hand open"."""
        rest = self._matching.said(clause.verb + 1, clause.end)
        return clause.verb + 1 < clause.end and self._reader.means_something(rest, self._world)

    def _is_ours(self, clause: Clause) -> bool:
        """Whether it is an instruction as it stands, or up to its thing: "close both hands first"."""
        theme = self._predicates.theme(clause)
        ends = {clause.end, theme.end} if theme.at < theme.end else {clause.end}
        return any(
            self._reader.means_something(self._matching.said(clause.verb, end), self._world) for end in ends
        )

    def _is_of_another_kind(self, clause: Clause) -> bool:
        """Whether "it" was named before, and is nothing that the verb is for: "open it", a door."""
        theme = self._predicates.theme(clause)
        if theme.first != clause.end - 1 or self._matching.tokens[theme.first] not in _ITS:
            return False
        return (
            not self._predicates.verbs(clause).isdisjoint(self._words.of_things)
            and bool(self._kinds_before(clause))
            and self._is_put_somewhere(clause, theme)
        )

    def _is_together(self, clause: Clause) -> bool:
        """Whether it is to be done with somebody: "play minecraft with me", "go to the door with us"."""
        tokens, persons = self._matching.tokens, self._reader.core.persons
        theme = self._predicates.theme(clause)
        is_new = theme.at < theme.end and self._predicates.is_strange(theme.at)
        return (is_new or not self._predicates.verbs(clause).isdisjoint(self._words.together)) and any(
            tokens[place] in self._words.along and persons.get(tokens[place + 1]) == "you"
            for place in range(clause.behind, clause.end - 1)
        )

    def _done_to_it(self, clause: Clause) -> Clause | None:
        """What is to be done, behind a condition that no mark ends: "if it is there bring it here"."""
        matching = self._matching
        for place in range(clause.at + 1, clause.end - 1):
            if matching.tokens[place] in self._words.of_things and matching.tokens[place + 1] in _ITS:
                found = self._predicates.verb_at(clause._replace(at=place, is_condition=False), place)
                if found.verb >= 0 and self._is_theme_beyond(found, self._predicates.theme(found)):
                    return found
        return None

    def _is_theme_beyond(self, clause: Clause, theme: Theme) -> bool:
        """Whether the verb is about something that no phrase of it is for."""
        matching, frame = self._matching, self._frames.of(*clause.like)
        there = matching.all_there(clause.verb, clause.end)
        if theme.first >= clause.end:
            return self._is_about_somebody(clause, theme)
        if self._is_part_of_a_thing(clause, theme):
            return True
        if any(self._predicates.is_own(place) for place in range(theme.first, theme.end)):
            return False
        if self._is_somebody(clause, theme):
            return True
        if kinds := self._predicates.head_kinds(theme):
            return not self._predicates.is_yours(theme) and not (
                frame.takes(kinds, there) or self._takes_in_other_words(clause, theme, kinds)
            )
        if kinds := self._predicates.kinds_of_several(theme):
            there = there.union(map(a_name, kinds))
            return not self._predicates.is_yours(theme) and not (
                frame.takes(kinds, there) or self._takes_in_other_words(clause, theme, kinds)
            )
        if theme.at == theme.end:
            if matching.tokens[theme.first] in self._words.pronouns:
                return self._is_put_somewhere(clause, theme) or self._is_unlike_ours(clause, theme.first + 1)
            return self._is_about_somebody(clause, theme) or self._is_done_somewhere(clause, theme)
        return self._is_a_new_thing(clause, theme)

    def _takes_in_other_words(self, clause: Clause, theme: Theme, kinds: Iterable[str]) -> bool:
        """Whether a phrase of the verb has a place for such a thing anywhere: "look red cup" is "at" it.

        Not of verbs about things, nor where an article tells that nothing is left out: "hold the door".
        """
        if theme.first < theme.at or self._predicates.is_determined(theme.at):
            return False
        if not self._predicates.verbs(clause).isdisjoint(self._words.of_things):
            return False
        heads, names = self._reader.phrasebook.heads, {*map(a_name, kinds)}
        forms = {form for word in clause.like for form in base_forms(word)}
        entries = (entry for form in forms for entry in heads.get(form, ()))
        return any(not need.isdisjoint(names) for entry in entries for need in entry.node.needs)

    def _is_done_somewhere(self, clause: Clause, theme: Theme) -> bool:
        """Whether something is to be done where no phrase has it: "check under the pipe"."""
        word = self._matching.tokens[theme.first]
        return (
            not self._predicates.verbs(clause).isdisjoint(self._words.of_things)
            and self._is_somewhere(clause, theme)
            and not self._frames.of(*clause.like).has(word)
        )

    def _is_somewhere(self, clause: Clause, theme: Theme) -> bool:
        """Whether what stands behind a verb is where some thing is."""
        if self._matching.tokens[theme.first] not in self._words.prepositions:
            return False
        place = self._predicates.noun(theme.first + 1, clause.end)
        return self._predicates.is_a_thing(place) or bool(self._predicates.head_kinds(place))

    def _is_about_somebody(self, clause: Clause, theme: Theme) -> bool:
        """Whether it is somebody that something is done to, and no phrase has that: "escort me"."""
        matching = self._matching
        if theme.first == clause.behind or matching.tokens[theme.first - 1] not in self._reader.core.persons:
            return False
        person = matching.tokens[theme.first - 1]
        if self._reader.core.persons[person] in ("me", "my", "myself"):
            return False  # "turn you": itself
        return not any(self._frames.of(each).has(person) for each in clause.like)

    def _is_put_somewhere(self, clause: Clause, theme: Theme) -> bool:
        """Whether a thing of which only a pronoun is said is to be handled: "drop it on the table"."""
        matching, at = self._matching, max(theme.end, theme.first + 1)
        if self._predicates.verbs(clause).isdisjoint(self._words.of_things):
            return False
        if (kinds := self._kinds_before(clause)) is not None:
            there = matching.all_there(clause.verb, clause.end)
            return bool(kinds) and not self._frames.of(*clause.like).takes(kinds, there)
        if at >= clause.end:  # "grab it" may be said by us
            return not self._reader.means_something(matching.said(clause.verb, clause.end), self._world)
        follows = matching.tokens[at]
        if at + 1 == clause.end and follows in self._words.particles:  # "pick that up"
            return not self._reader.means_something(matching.said(clause.verb, clause.end), self._world)
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
        return self._predicates.is_a_thing(self._predicates.noun(at + 1, clause.end))

    def _kinds_before(self, clause: Clause) -> list[str] | None:
        """Under which kinds that is known which was named last before a clause: what its "it" stands for.

        None if nothing was named before it; none if it was something of the robot's own.
        """
        for place in range(clause.at - 1, -1, -1):
            if self._predicates.is_own(place):
                return []
            if kinds := self._predicates.kinds(place) or self._predicates.kinds_of_several(
                Theme(place, place, place + 1)
            ):
                return kinds
        return None

    def _is_a_new_thing(self, clause: Clause, theme: Theme) -> bool:
        """Whether some thing of English that nobody knows here stands behind a verb: "draw a dinosaur"."""
        matching, head = self._matching, self._matching.tokens[theme.end - 1]
        there = matching.all_there(clause.verb, clause.end)
        verbs = self._predicates.verbs(clause)
        if not verbs.isdisjoint(self._words.of_things):
            frame = self._frames.of(*verbs)
            said = matching.tokens[theme.at : theme.end]
            is_new = head in self._words.any_thing or (
                self._predicates.is_strange(theme.end - 1) and is_noun(head)
            )
            is_ours = not is_new and (any(frame.has(each) for each in said) or self._may_be_own(theme, verbs))
            return not is_ours and not any(_takes_a_thing(slot, needs, there) for slot, needs in frame.places)
        if self._predicates.is_a_thing(theme) and self._is_made(theme, verbs):
            return True
        is_a_thing = self._predicates.is_a_thing(theme) or self._is_no_noun_of_ours(theme)
        if not is_a_thing or self._may_be_own(theme, {*clause.like}):
            return False
        unknown = self._unknown
        if (
            unknown is not None
            and not has_article_inside(unknown.said)
            and head in self._reader.recogniser.words(unknown.said)
        ):
            return False  # something of another name would do
        return not any(  # "teach a dance", "send the mug"
            is_free(slot) or (slot.kind and _would_do(slot, needs, there))
            for slot, needs in self._frames.of(*clause.like).places
        )

    def _is_no_noun_of_ours(self, theme: Theme) -> bool:
        """Whether an English noun that we have, but behind no verb, stands here: "the screw"."""
        said = self._matching.tokens[theme.at : theme.end]
        return (
            bool(said)
            and self._predicates.is_determined(theme.at)
            and not self._predicates.is_yours(theme)
            and is_noun(said[-1])
            and self._frames.nouns.isdisjoint(said)
        )

    def _is_part_of_a_thing(self, clause: Clause, theme: Theme) -> bool:
        """Whether it is about what is of some thing that is not the robot's: "the bolt on the flange"."""
        tokens, at = self._matching.tokens, theme.end
        if theme.at == theme.end or at + 1 >= clause.end or tokens[at] not in self._words.parting:
            return False
        if self._predicates.head_kinds(theme) or self._predicates.is_yours(theme):
            return False  # "the cup on the table" is a cup
        whole = self._predicates.noun(at + 1, clause.end)
        if whole.at == whole.end or self._predicates.is_yours(whole):
            return False
        if any(
            map(self._predicates.is_own, (*range(theme.first, theme.end), *range(whole.first, whole.end)))
        ):
            return False
        return self._predicates.is_a_thing(theme) and (
            self._predicates.is_a_thing(whole) or self._predicates.is_determined(whole.at)
        )

    def _is_somebody(self, clause: Clause, theme: Theme) -> bool:
        """Whether somebody is to be followed or led, whom nobody knows by name: "follow that guy"."""
        verbs, head = self._predicates.verbs(clause), self._matching.tokens[theme.end - 1]
        is_person = theme.at < theme.end and head in self._reader.core.asides.obstacles
        is_new = not (self._predicates.head_kinds(theme) or self._predicates.kinds_of_several(theme))
        return is_person and is_new and not verbs.isdisjoint(self._words.of_persons)

    def _may_be_own(self, theme: Theme, verbs: Iterable[str]) -> bool:
        """Whether what nobody knows may be a part of the robot: verbs that are about those may mean one."""
        place, before = theme.end - 1, self._matching.tokens[theme.first - 1]
        is_for_somebody = before in self._reader.core.persons and is_noun(self._matching.tokens[place])
        if is_for_somebody or not self._predicates.is_strange(place):
            return False
        frame = self._frames.of(*verbs)
        kinds = {slot.kind for slot, _ in frame.places}
        return not self._predicates.own_nouns.isdisjoint(frame.words) or any(
            kind and not kind.startswith(THINGS) for kind in kinds
        )

    def _is_made(self, theme: Theme, verbs: Iterable[str]) -> bool:
        """Whether it is some thing that is to be made: "make a tower"."""
        is_some = bool(_SOME.search(self._matching.between(theme.first)))
        is_light = not self._words.light.isdisjoint(verbs)
        return is_some and is_light and is_noun(self._matching.tokens[theme.end - 1])

    def _is_only_a_noun(self, clause: Clause) -> bool:
        """Whether all that the verb says is its noun, which is no verb of ours: "do a little dance"."""
        theme = self._predicates.theme(clause)
        if theme.end == theme.at or self._predicates.verbs(clause).isdisjoint(self._words.light):
            return False
        if _QUOTED.search(self._matching.between(theme.at)):
            return False  # a name
        noun = self._matching.tokens[theme.end - 1]
        sense = self._words.senses.get((noun,))
        return sense is not None and not self._frames.is_verb(noun) and not self._predicates.said_by_us(sense)

    def _is_unlike_ours(self, clause: Clause, at: int) -> bool:
        """Whether a known thing is named from here on, and no phrase of the verb could be meant with it."""
        if not any(self._predicates.kinds(place) for place in range(at, clause.end)):
            return False
        there = self._matching.all_there(clause.at, clause.end)
        heads = self._reader.phrasebook.heads
        forms = {form for word in clause.like for form in base_forms(word)}
        entries = (entry for form in forms for entry in heads.get(form, ()))
        return all(any(need.isdisjoint(there) for need in entry.node.needs) for entry in entries)

    def _is_only_called_so(self, clause: Clause) -> bool:
        """Whether a phrase begins with the verb, and with none of those that say the same: "jump to"."""
        word = self._matching.tokens[clause.verb]
        senses = [
            sense for form in base_forms(word) if (sense := self._words.senses.get((form,))) is not None
        ]
        others = {each for sense in senses for each in sense} - {*base_forms(word)}
        return bool(senses) and not any(self._frames.is_verb(each) for each in others)

    def wanted_of_others(self, clause: Clause) -> bool:
        """Whether it names what people want of other machines, and what nobody knows here."""
        matching = self._matching
        return any(
            token in self._words.things and not self._predicates.is_name(at)
            for at, token in enumerate(matching.tokens[clause.at : clause.end], start=clause.at)
        )


def _takes_a_thing(slot: SlotNode, needs: Sequence[frozenset[str]], there: frozenset[str]) -> bool:
    """Whether some known thing would do for a slot, with these words."""
    return slot.kind.startswith(THINGS) and _would_do(slot, needs, there)


def _would_do(slot: SlotNode, needs: Sequence[frozenset[str]], there: frozenset[str]) -> bool:
    """Whether the phrases of a slot need no more than a name for it and these words."""
    own = a_name(slot.kind)
    return all(own in need or not need.isdisjoint(there) for need in needs)


def has_article_inside(said: str) -> bool:
    """Whether an article stands within what would be a name: "pop the kettle" is none."""
    return any(map(is_article, said.split()[1:]))
