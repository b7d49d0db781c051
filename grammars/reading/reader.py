"""From a text to its readings: every plan that it may mean, the likeliest first.

The recogniser reads the words, the network finds clauses, the joins make plans of them, the ranking says
which reading is meant. What is not understood as it stands is tried once more without fillers, then without
what is remarked beside it. Misspellings are put right before (`righting`). Answers for people are made
elsewhere: `grammars.Language`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise

import msgspec

from framework.dialogue.meta import MetaPhrases
from framework.plan.ast import Condition, Do, Elapsed, Plan, Wait, actions_of
from framework.plan.parser import Known, Reading, World
from framework.plugins.action import Risk
from framework.plugins.signature import ActionSpec
from grammars.conditions import Sayable
from grammars.core import Core, Marker
from grammars.reading.agreeing import agreeing
from grammars.reading.anaphora import Anaphora
from grammars.reading.asides import asides
from grammars.reading.calling import Called, called
from grammars.reading.combining import Combining
from grammars.reading.elided_nouns import with_nouns
from grammars.reading.failed import Failed
from grammars.reading.grammar import Grammar
from grammars.reading.inflection import base_forms
from grammars.reading.joins import Joins
from grammars.reading.manners import without as without_manners
from grammars.reading.matching import MOST_STEPS, Matching
from grammars.reading.nouns import Nouns
from grammars.reading.numerals import begins_number
from grammars.reading.outcome import Whole
from grammars.reading.phrasebook import Phrase
from grammars.reading.ranking import CORRECTED, readings
from grammars.reading.respelling import Respelling
from grammars.reading.skimming import MOST_WORDS as MOST_SKIMMED_WORDS
from grammars.reading.skimming import corrects
from grammars.reading.spelling import Speller
from grammars.reading.supposing import MOST_STEPS as SUPPOSING_STEPS
from grammars.reading.supposing import MOST_WORDS as SUPPOSING_WORDS
from grammars.reading.supposing import Supposing, Unknown, unknown_name
from grammars.reading.utterance import Gap, Utterance, from_on
from grammars.reading.variants import SKIMMED, Variant, Variants, changes_texts, without
from grammars.reading.warning import foretold

MOST_WORDS = 200
_MOST_MEANT = 5000
#: Of texts that nobody understands as they stand, longer ones are not tried with joins and commas left out.
_MOST_LOOSE_WORDS = 40
#: A longer text is walked but once.
_MOST_TWICE = 40
#: Of several ways to write a text, one that makes so much sense is taken.
_SURE = 0.95


def nothing_collides(one: Do, other: Do) -> str:
    """Of no two actions it is known that they need the same thing for themselves alone."""
    return ""


class Read(msgspec.Struct, frozen=True):
    """What came of a text.

    readings: the best first. matching: of the text as it stands; None if it has too many words for that. Only
    if there is no reading, it is a thorough one.
    unknown: the name that would have to be known, if there is no reading for that alone.
    failed: what is known of texts that begin like it, if there is no reading.
    """

    size: int
    readings: tuple[Reading, ...] = ()
    matching: Matching | None = None
    unknown: Unknown | None = None
    failed: tuple[Failed, ...] = ()


class Reader:
    """Reads instructions. One that was made never changes, whatever it reads.

    Args:
        actions: their phrases are what can be asked for; those without phrases, or unavailable, cannot.
            Or a `Grammar`, that other languages may be made from too; it has conditions and core already.
        conditions: what "if", "while" and "until" can be about.
        core: the language itself; English if none is given.
        collide: what two actions both need for themselves alone, in words; empty if nothing.
    """

    def __init__(
        self,
        actions: Iterable[ActionSpec] | Grammar,
        *,
        conditions: Iterable[Sayable] = (),
        core: Core | None = None,
        collide: Callable[[Do, Do], str] = nothing_collides,
    ) -> None:
        if not isinstance(actions, Grammar):
            actions = Grammar(actions, conditions=conditions, core=core)
        self.grammar = grammar = actions
        self._meant: tuple[tuple[tuple[Known, ...], ...], dict[str, bool]] = ((), {})
        self.nouns = Nouns()
        self.core = grammar.core
        self.recogniser = grammar.recogniser
        self.phrasebook = grammar.phrasebook
        self.conditions = grammar.conditions
        self.kinds = grammar.kinds
        self.combining = Combining(self.stays, collide, self._waits)
        self.markers = self._markers = grammar.markers
        anaphora = Anaphora(self.phrasebook.actions, self.core.again, self.pause)
        self._joins = Joins(
            self._markers, grammar.clauses, self.conditions, self.combining, self.pause, anaphora
        )
        self._variants = Variants(
            grammar,
            self._markers.boundaries,
            lambda text, world: self.recogniser.read(text, world, self.kinds),
        )
        self.respelling = Respelling(self.core, self._is_word)
        self.speller = Speller(
            grammar.vocabulary, self.recogniser, grammar.strange, self._is_ours, grammar.deciding
        )
        self._callings = self._markers.first_of((Marker.CALLING,))
        self._commanding = self._markers.first_of((Marker.COMMANDING,))
        slots = (slot for several in self.phrasebook.slots.values() for slot in several)
        self._people = frozenset(slot.kind for slot in slots if slot.called)
        self._heads = self.phrasebook.heads.keys() | self._commanding

    @property
    def meta(self) -> MetaPhrases:
        """The words for commands about the supervisor itself."""
        return self.core.meta

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """All templates of all actions, with their rules, lists and parameters."""
        return self.phrasebook.phrases

    # -- reading

    def read(self, text: str, world: World) -> Read:
        """Every reading, or how far it was understood. Never raises because of the text."""
        ways = (text, *self.respelling.ways(text, lambda each: self._names_in(each, world)))
        if len(ways) > 1:
            first = self._first_that_is_understood(ways, world)
            read = self._read(first, world)
            if first == text:
                return read
            spelt = self.respelling.written
            kept = [each for each in read.readings if not changes_texts(each.plan, first, text, spelt)]
            if kept or not read.readings:
                return msgspec.structs.replace(read, readings=tuple(kept))
        return self._read(text, world)

    def _first_that_is_understood(self, ways: Sequence[str], world: World) -> str:
        """The first of several ways to write a text that makes sense as it stands; else the last.

        What calls somebody by a name that nobody knows ("andiamo, …") makes less sense than what does not.
        """
        best, sureness = ways[-1], 0.0
        for each in ways:
            found = self.as_it_stands(each, world, is_thorough=False).readings
            if found and found[0].confidence > sureness:
                best, sureness = each, found[0].confidence
            if sureness >= _SURE or (each is ways[-2] and not sureness):
                break
        return best

    def _names_in(self, text: str, world: World) -> tuple[tuple[int, int], ...]:
        """Where known names stand in a text."""
        utterance = self.recogniser.read(text, world, self.kinds)
        tokens = utterance.tokens
        return tuple(
            (tokens[at].start, tokens[named[0].end - 1].end)
            for places in utterance.names.values()
            for at, named in places.items()
        )

    def _is_word(self, word: str) -> bool:
        """Whether phrases have a word, in any of its forms, or numbers do."""
        vocabulary = self.grammar.vocabulary
        return (
            vocabulary.is_spelt(word)
            or begins_number(word)
            or any(form in vocabulary.words for form in base_forms(word))
        )

    def _is_ours(self, word: str) -> bool:
        """Whether a word is known as it stands, also as people write or speak it in a hurry."""
        vocabulary = self.grammar.vocabulary
        return vocabulary.is_spelt(word) or word in vocabulary.meant or self.respelling.writes(word)

    def _read(self, text: str, world: World) -> Read:
        utterance = self.recogniser.read(text, world, self.kinds)
        named, names = with_nouns(
            text,
            utterance,
            self.core.refusing.pronouns,
            lambda each: self.recogniser.read(each, world, self.kinds),
        )
        if names:
            read = self._read(named, world)
            if not any(changes_texts(each.plan, named, text, names) for each in read.readings):
                return read
        size = len(utterance.tokens)
        if size > MOST_WORDS:
            return Read(size)
        if rest := self._variants.without_idioms(utterance):
            read = self._read(rest, world)
            if read.readings and not changes_texts(read.readings[0].plan, rest, text):
                return read
        is_long = size > _MOST_TWICE
        matching, found = self._matched(utterance, world, text, is_thorough=is_long)
        if not found and not is_long and not matching.is_exhausted:
            matching, found = self._matched_plainly(utterance, world, text, is_thorough=True)
        if matching.is_exhausted:  # what was found may not be what is meant, and all else takes as long
            return Read(size, matching=matching)
        failed = () if found else self._failed(matching, world, text)
        if not found:
            found = self._first_of(self._variants.of(utterance, text, world), world, text, failed)
        tokens = [token.text for token in utterance.tokens] if found else []
        if found and (at := corrects(tokens, self.core.skimming) or foretold(tokens, self.core.asides)):
            found = _doubtful(found, utterance.tokens[at].text)
        elif found and rest:  # what is said as an idiom may not be one: "a bit, say 5 cm"
            found = _as_unsure(found)
        unknown = None if found else self._unknown_name(matching, world)
        return Read(size, found, matching, unknown, () if found else failed)

    def as_it_stands(self, text: str, world: World, *, is_thorough: bool = True) -> Read:
        """The same without putting anything right, and without looking for what is unknown.

        is_thorough: also how far it was understood (`Matching`).
        """
        utterance = self.recogniser.read(text, world, self.kinds)
        size = len(utterance.tokens)
        if size > MOST_WORDS:
            return Read(size)
        matching, found = self._matched(utterance, world, text, is_thorough=is_thorough)
        return Read(size, found, matching)

    def skimmed(self, text: str, world: World, failed: Sequence[Failed] = ()) -> tuple[Reading, ...]:
        """What a text that nobody understands means without the parts that nobody knows.

        So unsure that it is asked about. failed: what is known of it (`Read`).
        """
        text = self.written_out(text)
        utterance = self.recogniser.read(text, world, self.kinds)
        found = self._first_of(self._variants.skimmed(utterance, text, world), world, text, failed)
        if found:
            return found
        return self._by_roles(utterance, world, text)

    def _by_roles(self, utterance: Utterance, world: World, text: str) -> tuple[Reading, ...]:
        """What takes part in the clauses of a text, with words between that nobody knows (`roles`)."""
        if len(utterance.tokens) > MOST_SKIMMED_WORDS:
            return ()
        for several in ((), *asides(utterance, self.core, self._variants.about(utterance))):
            rest = without(utterance, several)
            read = self.recogniser.read(rest, world, self.kinds) if several else utterance
            if corrects([token.text for token in read.tokens], self.core.skimming):
                return ()
            gaps: tuple[Gap, ...] = ()
            if manners := self._markers.manners(self._matching(read, world, rest)):
                read, gaps = without_manners(read, manners, self._markers.boundaries)
            if not read.tokens:
                continue
            _, found = self._matched_plainly(
                read, world, rest, gaps=gaps, is_loose=True, by_roles=True, passes_strange=True
            )
            if found and found[0].left_out and not changes_texts(found[0].plan, rest, text):
                return found
        return ()

    def _failed(self, matching: Matching, world: World, text: str) -> tuple[Failed, ...]:
        """What a text that is not understood tells of others, as it stands and without manners."""

        def loosely(utterance: Utterance, gaps: tuple[Gap, ...]) -> int:
            loose, _ = self._matched_plainly(
                utterance, world, text, gaps=gaps, is_loose=True, is_thorough=True
            )
            return loose.size if loose.is_exhausted else loose.furthest

        utterance = matching.utterance
        found = [Failed(utterance, matching.furthest, partial(loosely, utterance, ()))]
        if manners := self._markers.manners(matching):
            bare, gaps = without_manners(utterance, manners, self._markers.boundaries)
            found.append(Failed(bare, 0, partial(loosely, bare, gaps)))
        return tuple(found)

    def _is_in_vain(self, utterance: Utterance, world: World, text: str, failed: Sequence[Failed]) -> bool:
        """Whether a text that was changed cannot be understood either."""
        if not failed or self._called(utterance) is not None:
            return False
        if not any(each.rules_out(utterance) for each in failed):
            return False
        if self._markers.has_no_manners(utterance):
            return True
        manners = self._markers.manners(self._matching(utterance, world, text))
        bare, _ = without_manners(utterance, manners, self._markers.boundaries)
        return not manners or any(each.rules_out(bare) for each in failed)

    def _again(
        self,
        utterance: Utterance,
        world: World,
        text: str,
        failed: Sequence[Failed],
    ) -> tuple[Reading, ...]:
        """The readings of a text that was changed, if it may have any."""
        if self._is_in_vain(utterance, world, text, failed):
            return ()
        return self._matched(utterance, world, text)[1]

    def _first_of(
        self, variants: Iterable[Variant], world: World, text: str, failed: Sequence[Failed]
    ) -> tuple[Reading, ...]:
        """The readings of the first variant of a text that is understood well enough."""
        for variant in variants:
            utterance = self.recogniser.read(variant.text, world, self.kinds)
            found = self._again(utterance, world, variant.said, failed) if utterance.tokens else ()
            if found and (accepted := variant.accepted(found, text)):
                return tuple(self._as_asked_about(each, variant.warned) for each in accepted)
        return ()

    def condition_of(self, text: str, world: World) -> Condition | None:
        """The condition that a whole clause says ("the door is open"), as it stands; None if it says none."""
        utterance = self.recogniser.read(text, world, self.kinds)
        matching = self._matching(utterance, world, text)
        found = self.conditions.find(matching, 0) if 0 < matching.size <= MOST_WORDS else []
        whole = [each for each in found if each.end == matching.size and not each.free]
        return min(whole, key=lambda each: each.cost).what if whole else None

    def means_something(self, text: str, world: World) -> bool:
        """Whether a text is an instruction as it stands; remembered until other names are known."""
        known = tuple(world.known(kind) for kind in self.kinds)
        names, meant = self._meant
        if names != known:
            meant = {}
            self._meant = (known, meant)
        if text not in meant and len(meant) < _MOST_MEANT:
            meant[text] = bool(self.as_it_stands(text, world, is_thorough=False).readings)
        return meant.get(text, False)

    def is_plain(self, text: str) -> bool:
        """Whether nothing in a text could be taken for what comes after it."""
        return self._markers.boundaries.isdisjoint(self.recogniser.words(text))

    # -- what the plans are made of

    def stays(self, do: Do) -> bool:
        """Whether an action is continuous."""
        spec = self.phrasebook.actions.get(do.action)
        return spec is not None and spec.continuous

    def _waits(self, one: Do, other: Do) -> bool:
        """Whether one of them has more right to what both need, so that the other waits for it."""
        specs = [self.phrasebook.actions.get(each.action) for each in (one, other)]
        return len({each.priority for each in specs if each is not None}) > 1

    def pause(self, duration_s: float) -> Plan:
        """A plan that waits so long: the core's action for it, if there is one."""
        action, parameter = self.core.pause
        spec = self.phrasebook.actions.get(action)
        if spec is not None and any(each.name == parameter for each in spec.parameters):
            return Do(action, {parameter: duration_s})
        return Wait(Elapsed(duration_s))

    # -- inside

    def _matching(
        self,
        utterance: Utterance,
        world: World,
        text: str,
        supposing: Supposing | None = None,
        gaps: tuple[Gap, ...] = (),
        *,
        is_thorough: bool = False,
        is_loose: bool = False,
        by_roles: bool = False,
        passes_strange: bool = False,
    ) -> Matching:
        return Matching(
            utterance,
            world,
            text,
            references=self._markers.references,
            boundaries=self._markers.boundaries,
            kinds=self.kinds,
            supposing=supposing,
            gaps=gaps,
            is_thorough=is_thorough,
            is_loose=is_loose,
            by_roles=by_roles,
            passes_strange=passes_strange,
            nouns=self.nouns,
        )

    def _matched(
        self,
        utterance: Utterance,
        world: World,
        text: str,
        is_thorough: bool = False,
    ) -> tuple[Matching, tuple[Reading, ...]]:
        matching, found = self._matched_plainly(utterance, world, text, is_thorough=is_thorough)
        if found or matching.is_exhausted:
            return matching, found
        other = matching
        gaps: tuple[Gap, ...] = ()
        if manners := self._markers.manners(matching):
            utterance, gaps = without_manners(utterance, manners, self._markers.boundaries)
            if not utterance.tokens:
                return matching, ()
            other, found = self._matched_plainly(utterance, world, text, gaps=gaps)
        if not found and not other.is_exhausted:
            # Whatever is read loosely is read by roles, too: where there is nothing, nothing else is tried.
            other, found = self._matched_plainly(
                utterance, world, text, gaps=gaps, is_loose=True, by_roles=True
            )
            if found and self._may_be_loose(matching):
                loose, plainer = self._matched_plainly(utterance, world, text, gaps=gaps, is_loose=True)
                if plainer:
                    other, found = loose, plainer
        if not found and (meant := self._behind_a_name(utterance, world, text)):
            return meant
        return (other, found) if found else (matching, ())

    def _behind_a_name(
        self, utterance: Utterance, world: World, text: str
    ) -> tuple[Matching, tuple[Reading, ...]] | None:
        """What is said to somebody whom an utterance begins with: "hey Alice, …"; None if it calls nobody."""
        who = self._called(utterance)
        if who is None:
            return None
        matching, found = self._matched(from_on(utterance, who.begin), world, text)
        return matching, tuple(
            msgspec.structs.replace(each, confidence=round(each.confidence * who.sureness, 6))
            for each in found
        )

    def _called(self, utterance: Utterance) -> Called | None:
        return called(utterance, self._callings, self.grammar.vocabulary.words, self._people, self._heads)

    def _may_be_loose(self, matching: Matching) -> bool:
        """Whether it has commas, joins or beginnings of clauses in its middle."""
        heads = self.phrasebook.heads
        return matching.size <= _MOST_LOOSE_WORDS and any(
            token in self._markers.boundaries or token in heads for token in matching.tokens[1:]
        )

    def _matched_plainly(
        self,
        utterance: Utterance,
        world: World,
        text: str,
        supposing: Supposing | None = None,
        gaps: tuple[Gap, ...] = (),
        is_thorough: bool = False,
        is_loose: bool = False,
        by_roles: bool = False,
        passes_strange: bool = False,
    ) -> tuple[Matching, tuple[Reading, ...]]:
        matching = self._matching(
            utterance,
            world,
            text,
            supposing,
            gaps,
            is_thorough=is_thorough,
            is_loose=is_loose,
            by_roles=by_roles,
            passes_strange=passes_strange,
        )
        matching.steps = MOST_STEPS - SUPPOSING_STEPS if supposing is not None or is_loose else 0
        wholes: list[Whole] = []
        try:
            wholes = self._joins.instructions(matching)
        except RecursionError:
            matching.steps = _EXHAUSTED
        wholes = [whole for whole in wholes if whole.manners == len(gaps)]
        matching.furthest = min(matching.furthest, matching.size)
        found = readings(wholes, matching.size, matching.said)
        return matching, agreeing(found, self.phrasebook.slots, world)

    def _unknown_name(self, matching: Matching, world: World) -> Unknown | None:
        """The name in a text that would be an instruction if it were known."""
        if matching.size > SUPPOSING_WORDS:
            return None
        utterance = matching.utterance
        gaps: tuple[Gap, ...] = ()
        if manners := self._markers.manners(matching):
            utterance, gaps = without_manners(utterance, manners, self._markers.boundaries)
        words = [token.text for token in utterance.tokens]
        strange = self.grammar.strange(utterance) | {at for at, word in enumerate(words) if word[0].isdigit()}
        strange |= self._attributes(utterance, matching)
        if not strange:
            return None
        supposing = Supposing(
            len(words), lambda at: at >= len(words) or words[at] in self._markers.boundaries, strange
        )
        other, found = self._matched_plainly(utterance, world, matching.text, supposing=supposing, gaps=gaps)
        return unknown_name(other, supposing, found)

    def _attributes(self, utterance: Utterance, matching: Matching) -> set[int]:
        """The places of words that may say which one of several, and say none: "middle" before "arm"."""
        words = [token.text for token in utterance.tokens]
        named = {
            place
            for places in utterance.names.values()
            for begin, found in places.items()
            for each in found
            for place in range(begin, each.end)
        }
        refusing = self.core.refusing
        never = self.phrasebook.heads.keys() | refusing.no_verbs | refusing.prepositions | refusing.between
        return {
            at
            for at, (word, behind) in enumerate(pairwise(words))
            if at not in named and word not in never and word[0].isalpha() and matching.ending_in(behind)
        }

    def written_out(self, text: str) -> str:
        """The text with "forward" for "fwd", "down" for "doon", and "three times" for "x3"."""
        return self.respelling.out(text)

    def _as_asked_about(self, reading: Reading, warned: tuple[str, ...]) -> Reading:
        """What may move something, beside remarks that warn, is so unsure that it is asked about."""
        if not warned or not self._moves(reading.plan):
            return reading
        return msgspec.structs.replace(
            reading, confidence=round(reading.confidence * SKIMMED, 6), warned=warned
        )

    def _moves(self, plan: Plan) -> bool:
        """Whether anything may move by a plan."""
        specs = (self.phrasebook.actions.get(do.action) for do in actions_of(plan))
        return any(spec is None or spec.risk is not Risk.NONE for spec in specs)

    def own_places(self, utterance: Utterance) -> frozenset[int]:
        """Where names of the robot's own things stand."""
        return frozenset(self._variants.about(utterance).own)


def _doubtful(found: tuple[Reading, ...], word: str) -> tuple[Reading, ...]:
    """So unsure that it is asked, but where the word is only handed on: "say: no, thank you"."""
    if word in " ".join(str(value) for do in actions_of(found[0].plan) for value in do.parameters.values()):
        return found
    return _as_unsure(found)


def _as_unsure(found: tuple[Reading, ...]) -> tuple[Reading, ...]:
    return tuple(
        msgspec.structs.replace(each, confidence=round(each.confidence * CORRECTED, 6)) for each in found
    )


_EXHAUSTED = 1 << 30
