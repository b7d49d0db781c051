"""Whether the words of a text can all be taken by something at all: asked before it is walked.

A text is an instruction only if each of its words stands in a phrase that may be said in it, in a name, a
number or a join, or where any words will do. Most texts that nobody understands have a word that does not,
and no walk gets past it. To see that takes some millionths of a second, and a text is tried in many ways
(`reader`). This never rules out a text that has a reading; it only says sooner that there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import cast

from grammars.core import Core, Marker
from grammars.reading.asking import Conditions
from grammars.reading.inflection import base_forms
from grammars.reading.manners import MANNERS
from grammars.reading.markers import Markers
from grammars.reading.matching import A_NUMBER, A_REFERENCE, A_SUPPOSED_NAME, Head, Matching, a_name
from grammars.reading.network import AnyOrder, Row
from grammars.reading.phrasebook import Entry, Phrasebook
from grammars.reading.roles import RoleFrame
from grammars.reading.tokens import MARKS

_MEETING = ("meeting",)
#: What a condition stands behind.
_BEFORE_CONDITIONS = (
    Marker.IF, Marker.UNLESS, Marker.WHEN, Marker.UNTIL, Marker.AS_LONG_AS, Marker.WAIT_UNTIL,
)  # fmt: skip
#: Their words are taken out before a text is walked, or are looked for by others.
_NOT_WALKED = frozenset((*MANNERS, Marker.CALLING, Marker.NO_JOIN))


class Coverage:
    """The words of a language, by what has them."""

    def __init__(self, phrasebook: Phrasebook, markers: Markers, conditions: Conditions, core: Core) -> None:
        self._phrasebook = phrasebook
        contents = phrasebook.contents
        walked = [node for marker, node in markers.nodes.items() if marker not in _NOT_WALKED]
        referring = [
            word for several in markers.references.values() for words, _ in several for word in words
        ]
        self._joining = frozenset(("and", *MARKS, *core.between, *contents.words_of(*walked), *referring))
        self._and = markers.first_of((Marker.AND,))
        of_slots: dict[str, set[str]] = {}  # what is said again may be a slot of any phrase of its action
        for (action, _), slots in phrasebook.slots.items():
            of_slots.setdefault(action, set()).update(*(slot.words for slot in slots))
        verbs: set[str] = set()
        #: By word, the phrases (bits) that have it, and those that take any words behind it. Then those that
        #: begin with any words, and those that take any behind a name or a number.
        self._having: dict[str, int] = {}
        self._begun_by: dict[str, int] = {}
        self._open = self._behind_known = 0
        #: By word, the phrases that begin with it; then those that may begin with others, and those in which
        #: any words may be said.
        self._beginning: dict[str, int] = {}
        self._beginning_openly = self._any = 0
        for entry in phrasebook.entries:
            bit = 1 << entry.index
            for word in {*contents.words(entry.node), *of_slots.get(entry.phrase.action, ())}:
                self._having[word] = self._having.get(word, 0) | bit
            for word in entry.node.first:
                self._beginning[word] = self._beginning.get(word, 0) | bit
            if entry.node.is_open:
                self._beginning_openly |= bit
            if entry.words is None:
                self._any |= bit
            found = contents.before_any(entry.node)
            for word in found.words:
                self._begun_by[word] = self._begun_by.get(word, 0) | bit
            if found.is_first:
                self._open |= bit
            if found.is_known:
                self._behind_known |= bit
            if isinstance(entry.node, Row | AnyOrder):
                verbs.update(contents.words_of(*entry.node.parts[:1]))
        self._verbs = frozenset(verbs)
        self._before_conditions = markers.first_of(_BEFORE_CONDITIONS)
        self._of_conditions = contents.words_of(*conditions.nodes)
        self._taking_any = [node for node in conditions.nodes if contents.takes_any(node)]
        #: What is said in any order: its words, and what it needs.
        self._frames = [
            (
                contents.words(entry.node) | of_slots.get(entry.phrase.action, set()),
                tuple(
                    need
                    for index, part in enumerate(frame.parts)
                    if frame.required >> index & 1
                    for need in part.needs
                ),
            )
            for entry, frame in phrasebook.role_frames
        ]

    def rules_out(self, matching: Matching) -> bool:
        """Whether a text cannot be an instruction, for a word that nothing takes."""
        if matching.is_thorough or matching.passes_strange or not matching.knows_anything:
            return False
        possible = self._phrasebook.possible(matching.there).bits
        begun, known, having = self._open, matching.within_known, self._having
        others: frozenset[str] | None = None
        for at, token in enumerate(matching.tokens):
            forms = base_forms(token)
            if at not in known and token not in self._joining:
                if others is None:
                    others = self._other_words(matching)
                if not any(having.get(form, 0) & possible or form in others for form in forms):
                    if begun & possible or self._may_condition_take(matching, at):
                        return False
                    if not self._may_share(matching, at, forms) and not (
                        matching.supposing is not None and matching.supposing.may_name(at)
                    ):
                        return True
            if at in known:
                begun |= self._behind_known
            for word in forms:
                begun |= self._begun_by.get(word, 0)
        return False

    def sayable(self, matching: Matching, at: int, head: Head) -> Collection[int]:
        """The phrases that may be said from here on: with all that they need before a word that they lack."""
        book = self._phrasebook
        possible = book.possible(matching.there)
        if not matching.knows_anything:
            return possible.indices
        candidates = self._beginning_openly
        for word in (*matching.forms(at, head), *matching.marks(at)):
            candidates |= self._beginning.get(word, 0)
        left = candidates & possible.bits
        meeting, known, having = self._meeting(matching), matching.within_known, self._having
        found: list[int] = []
        met = meeting[at]
        for place in range(at + 1, matching.size):
            if not left:
                return found
            token = matching.tokens[place]
            if not (
                place in known
                or token in self._joining
                or (matching.supposing is not None and matching.supposing.may_name(place))
            ):
                kept = left & (having.get(token, 0) | self._any)
                if kept != left:
                    found += self._having_met(left & ~kept, met)
                    left = kept
            met |= meeting[place]
        return found + self._having_met(left, met)

    def frames(self, matching: Matching) -> list[tuple[Entry, RoleFrame]]:
        """What may be said in any order somewhere in a text."""
        return [
            each
            for each, (_, needs) in zip(self._phrasebook.role_frames, self._frames, strict=True)
            if matching.may_have(needs)
        ]

    def _having_met(self, phrases: int, met: int) -> list[int]:
        """Those of some phrases of which all needs are met."""
        needs, found = self._phrasebook.needs, []
        while phrases:
            lowest = phrases & -phrases
            phrases ^= lowest
            index = lowest.bit_length() - 1
            if not needs[index] & ~met:
                found.append(index)
        return found

    def _meeting(self, matching: Matching) -> list[int]:
        """By place, which needs the word meets that stands there, or the name or number that begins there."""
        found = matching.of_words.get(_MEETING)
        if found is None:
            meeting, names = self._phrasebook.meeting, matching.utterance.names
            everywhere = meeting.get(A_SUPPOSED_NAME, 0) if matching.supposing is not None else 0
            by_place: list[int] = []
            for at, token in enumerate(matching.tokens):
                met = everywhere
                for form in base_forms(token):
                    met |= meeting.get(form, 0)
                    if form in matching.references:
                        met |= meeting.get(A_REFERENCE, 0)
                if at in matching.utterance.quantities:
                    met |= meeting.get(A_NUMBER, 0)
                for kind, places in names.items():
                    if at in places:
                        met |= meeting.get(a_name(kind), 0)
                by_place.append(met)
            found = matching.of_words[_MEETING] = by_place
        return cast("list[int]", found)

    def _other_words(self, matching: Matching) -> frozenset[str]:
        """The words of what is no phrase: joins, conditions, and what may be said in any order."""
        found = self._joining
        if not self._before_conditions.isdisjoint(matching.there):
            found |= self._of_conditions
        if matching.by_roles:
            found = found.union(*(words for words, needs in self._frames if matching.may_have(needs)))
        return found

    def _may_condition_take(self, matching: Matching, at: int) -> bool:
        """Whether a word may be one of "until I say …", or of anything that is being done."""
        before = (form for token in matching.tokens[:at] for form in base_forms(token))
        return not self._before_conditions.isdisjoint(before) and any(
            matching.may_have(node.needs) for node in self._taking_any
        )

    def _may_share(self, matching: Matching, at: int, forms: Iterable[str]) -> bool:
        """Whether it may be the first of two verbs about one thing: "open | and close the gripper"."""
        return (
            matching.is_loose
            and not self._verbs.isdisjoint(forms)
            and not self._and.isdisjoint(matching.tokens[at + 1 :])
        )
