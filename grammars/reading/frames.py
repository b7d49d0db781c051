"""What can stand directly behind a verb: "open" the gripper, "look" at, "track" {thing}. From phrases alone.

It tells whether an instruction that nothing understands wants something else of a verb of ours: "open" has a
place for a gripper behind it, and none for a door.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import msgspec

from grammars.lexicon import may_be_verb
from grammars.reading.inflection import base_forms
from grammars.reading.network import AnyOrder, Choice, Node, Row, Shared, Words
from grammars.reading.phrasebook import Phrasebook
from grammars.reading.slots import SlotNode

Place = tuple[SlotNode, tuple[frozenset[str], ...]]
"""A slot, and what a text needs besides for the phrase of that slot (`Node.needs`)."""


class Frame(msgspec.Struct, frozen=True):
    """What phrases have behind a word that they begin with: these words, or something for these slots."""

    words: frozenset[str] = frozenset()
    places: tuple[Place, ...] = ()

    def has(self, word: str) -> bool:
        """Whether a word that phrases, or their lists, have there."""
        return word in self.words or any(word in slot.values for slot, _ in self.places)

    def takes(self, kinds: Iterable[str], there: frozenset[str]) -> bool:
        """Whether something that is known under one of these kinds can stand there, with what that needs."""
        kinds = set(kinds)
        return any(
            (slot.kind in kinds or is_free(slot)) and not any(need.isdisjoint(there) for need in needs)
            for slot, needs in self.places
        )


class Frames:
    """The frames of all verbs of a phrasebook; each is looked for once."""

    def __init__(self, phrasebook: Phrasebook) -> None:
        self._phrasebook = phrasebook
        self._by_word: dict[str, Frame] = {}

    def is_verb(self, word: str) -> bool:
        """Whether any phrase begins with it, in any of its forms."""
        return any(form in self._phrasebook.heads for form in base_forms(word))

    def of(self, *words: str) -> Frame:
        """What can stand behind any of some verbs."""
        frames = [self._of(form) for word in words for form in base_forms(word)]
        return Frame(
            frozenset().union(*(each.words for each in frames)),
            tuple(dict.fromkeys(place for each in frames for place in each.places)),
        )

    @cached_property
    def nouns(self) -> frozenset[str]:
        """What stands behind any verb of English that phrases begin with: what can be done something to."""
        verbs = (word for word in self._phrasebook.heads if may_be_verb(word))
        return frozenset[str]().union(*(self._of(word).words for word in verbs))

    def _of(self, word: str) -> Frame:
        entries = self._phrasebook.heads.get(word, ())
        if not entries:
            return Frame()
        found = self._by_word.get(word)
        if found is None:
            behind = [(node, entry) for entry in entries for node in _behind(entry.node, word)[0]]
            places = ((slot, entry.node.needs) for node, entry in behind for slot in _beginning(node))
            words = frozenset[str]().union(*(node.first for node, _ in behind))
            found = self._by_word[word] = Frame(words, tuple(dict.fromkeys(places)))
        return found


def _behind(node: Node, word: str) -> tuple[list[Node], bool]:
    """What can come right behind a word inside of a node that begins with it, and whether nothing need."""
    match node:
        case Words():
            if node.words[:1] != (word,):
                return [], False
            rest = node.words[1:]
            return ([Words(" ".join(rest), rest)] if rest else []), not rest
        case Shared():
            return _behind(node.node, word)
        case Choice():
            found = [_behind(each, word) for each in node.options if word in each.first]
            return [each for behind, _ in found for each in behind], any(ends for _, ends in found)
        case AnyOrder():
            found = [_behind(each, word) for each in node.parts if word in each.first]
            behind = [each for nodes, _ in found for each in nodes]
            ends = any(ends for _, ends in found)
            return [*behind, *(node.parts if ends else ())], ends  # "pull" of "pull up" wants its "up" first
        case Row():
            return _behind_in_row(node.parts, word)
    return [], False


def _behind_in_row(parts: Sequence[Node], word: str) -> tuple[list[Node], bool]:
    found: list[Node] = []
    for at, part in enumerate(parts):
        behind, ends = _behind(part, word) if word in part.first else ([], False)
        found += behind
        if ends:
            for later in parts[at + 1 :]:
                found.append(later)
                if not later.can_be_empty:
                    ends = False
                    break
        if ends or not part.can_be_empty:
            return found, ends
    return found, False


def _beginning(node: Node) -> Iterator[SlotNode]:
    """The slots that a node can begin with."""
    if isinstance(node, SlotNode):
        yield node
        return
    for part, _, _ in node.inside() if node.is_open else ():
        yield from _beginning(part)
        if isinstance(node, Row) and not part.can_be_empty:
            return


def is_free(slot: SlotNode) -> bool:
    """Whether any words at all will do."""
    return slot.accepts.is_text and not slot.has_list and not slot.values
