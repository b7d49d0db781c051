"""The phrases of all actions, compiled: which of them can begin with a word, and what they are made of.

Everything else that is made from phrases (samples, word lists, speech grammars, lint) starts here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from framework.errors import DescriptionError
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import ACTIVITIES, STATEMENTS, TEXTS, SlotList
from framework.plugins.signature import ActionSpec
from framework.plugins.template import Template, parse_template
from grammars.core import Core, Statements, Texts
from grammars.reading.accepting import Accepts, accepts
from grammars.reading.activity import ActivityNode, FindActivities
from grammars.reading.constructions import templates_of
from grammars.reading.contents import Contents
from grammars.reading.matching import Rank
from grammars.reading.network import Choice, Compiler, Node, Split, below, connect
from grammars.reading.roles import frames_of
from grammars.reading.slots import SlotNode, UnusedNode, constant


class Phrase(msgspec.Struct, frozen=True):
    """One template of an action, and where it stands. rules: all it may use, the core's among them.

    is_asked: it leaves something open, so that who says it is asked.
    """

    action: str
    text: str
    template: Template
    rules: Mapping[str, Template] = {}
    lists: Mapping[str, SlotList] = {}
    parameters: Mapping[str, ParameterSpec] = {}
    file: str = ""
    line: int = 0
    is_asked: bool = False


class Entry(msgspec.Struct, frozen=True):
    """A phrase, compiled.

    words: all that it may have; what takes any words at all, or what others say, has None.
    """

    phrase: Phrase
    node: Node
    index: int = 0
    words: frozenset[str] | None = None


class Possible(msgspec.Struct, frozen=True):
    """The phrases that may be said in a text, by its words: their indices, and the same as bits."""

    indices: frozenset[int]
    bits: int


#: Of so many of the last texts it is known which phrases may be said in them.
_MOST_KEPT = 8


class Phrasebook:
    """All phrases of an installation. Actions that are unavailable or have no phrases cannot be asked for.

    phrases: those that say what they mean. asked: those that leave something open.
    """

    def __init__(
        self, specs: Iterable[ActionSpec], core: Core, split: Split, activities: FindActivities
    ) -> None:
        self.actions = {
            spec.name: spec for spec in specs if spec.phrases.can_be_said and not spec.unavailable
        }
        every = [phrase for spec in self.actions.values() for phrase in phrases_of(spec, core)]
        self.phrases = tuple(phrase for phrase in every if not phrase.is_asked)
        self.asked = tuple(phrase for phrase in every if phrase.is_asked)
        self.entries: list[Entry] = []
        self.contents = Contents()
        also = core.between | {"and", ","}
        things = frozenset(word for text in (*core.references, *core.pointing) for word in split(text))
        compilers: dict[str, Compiler] = {}
        for phrase in every:
            if phrase.action not in compilers:
                slots = SlotMakerOf(phrase.parameters, phrase.lists, core, split, activities)
                compilers[phrase.action] = Compiler(phrase.rules, split, slots, between=core.between)
            node = compilers[phrase.action].node(phrase.template)
            words = _words_of(node, self.contents, also, things)
            self.entries.append(Entry(phrase, node, len(self.entries), words))
        self.role_frames = [
            (Entry(first[action], frame.whole, -1), frame)
            for first in ({each.action: each for each in reversed(every)},)
            for action, compiler in compilers.items()
            for written in self.actions[action].phrases.frames
            for frame in frames_of(written, compiler, core.between)
        ]
        connect(entry.node for entry in self.entries)
        self.heads: dict[str, list[Entry]] = {}
        self.open: list[Entry] = [entry for entry in self.entries if entry.node.is_open]
        for entry in self.entries:
            for word in entry.node.first:
                self.heads.setdefault(word, []).append(entry)
        self._by_word: dict[str, tuple[Entry, ...]] = {}
        self._last_possible: dict[frozenset[str], Possible] = {}
        self._by_need: dict[str, list[tuple[int, int]]] = {}
        self._needing_nothing: list[int] = []
        #: By word, which of all needs it meets (bits).
        self.meeting: dict[str, int] = {}
        needs: dict[frozenset[str], int] = {}
        #: By the index of a phrase, all that it needs.
        self.needs: list[int] = []
        for entry in self.entries:
            bits = sum(1 << needs.setdefault(need, len(needs)) for need in set(entry.node.needs))
            self.needs.append(bits)
            if not entry.node.needs:
                self._needing_nothing.append(entry.index)
            else:
                for word in min(entry.node.needs, key=len):
                    self._by_need.setdefault(word, []).append((entry.index, bits))
        for need, number in needs.items():
            for word in need:
                self.meeting[word] = self.meeting.get(word, 0) | 1 << number
        self.slots: dict[tuple[str, str], list[SlotNode]] = {}
        by_action: dict[str, list[Node]] = {}
        for entry in self.entries:
            by_action.setdefault(entry.phrase.action, []).append(entry.node)
        for action, nodes in by_action.items():
            for slot in slots_in(*nodes):
                self.slots.setdefault((action, slot.slot), []).append(slot)
        self.kinds = kinds_in(*(entry.node for entry in self.entries))
        #: Words that values of parameters begin with: "left", "up".
        self.value_words = frozenset(
            word for slots in self.slots.values() for slot in slots for word in slot.values
        )

    def beginning_with(self, word: str, marks: Iterable[str] = ()) -> Iterator[Entry]:
        """The phrases that could begin with a word, or with what it counts as."""
        if word not in self.heads:
            yield from self.open
        else:
            found = self._by_word.get(word)
            if found is None:
                others = (entry for entry in self.open if word not in entry.node.first)
                found = self._by_word[word] = (*self.heads[word], *others)
            yield from found
        for mark in marks:
            for entry in self.heads.get(mark, ()):
                if word not in entry.node.first and not entry.node.is_open:
                    yield entry

    def possible(self, there: frozenset[str]) -> Possible:
        """The phrases that may be said where these words are (`Matching.all_there`)."""
        found = self._last_possible.get(there)  # the same text, read more thoroughly or more loosely
        if found is not None:
            return found
        met = 0
        for word in there:
            met |= self.meeting.get(word, 0)
        unmet = ~met
        indices = {
            index for word in there for index, needs in self._by_need.get(word, ()) if not needs & unmet
        }
        indices.update(self._needing_nothing)
        bits = 0
        for index in indices:
            bits |= 1 << index
        if len(self._last_possible) >= _MOST_KEPT:
            self._last_possible = {}
        found = self._last_possible[there] = Possible(frozenset(indices), bits)
        return found


def phrases_of(spec: ActionSpec, core: Core) -> Iterator[Phrase]:
    """The phrases of one action. A template that is none (nobody checked it) is left out."""
    file = spec.phrases
    rules = dict(core.rules)
    for name, text in file.rules:
        try:
            rules[name] = parse_template(text)
        except DescriptionError:
            continue
    lists = {each.name: each for each in file.lists}
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    lines = file.lines if len(file.lines) == len(file.say) else (0,) * len(file.say)
    asked_lines = file.asked_lines if len(file.asked_lines) == len(file.asked) else (0,) * len(file.asked)
    every = [(text, line, False) for text, line in zip(file.say, lines, strict=True)]
    every += [(text, line, True) for text, line in zip(file.asked, asked_lines, strict=True)]
    for text, line, is_asked in every:
        try:
            template = parse_template(text)
        except DescriptionError:
            continue
        yield Phrase(spec.name, text, template, rules, lists, parameters, file.file, line, is_asked)
    for frame in file.frames:
        for template in templates_of(frame, core.constructions):
            text = ", ".join((*frame.acts, *frame.verbs, *frame.goes)) or frame.state
            yield Phrase(spec.name, text, template, rules, lists, parameters, file.file, frame.line)


class SlotMakerOf:
    """Makes the nodes of slots, given what parameters there are. Others can never be said."""

    def __init__(
        self,
        parameters: Mapping[str, ParameterSpec],
        lists: Mapping[str, SlotList],
        core: Core,
        split: Split,
        activities: FindActivities,
        *,
        is_any_text: bool = False,
    ) -> None:
        self._parameters = parameters
        self._lists = lists
        self._core = core
        self._split = split
        self._activities = activities
        self._is_any_text = is_any_text
        self._same: dict[tuple[str, str, Rank], object] = {}

    def __call__(self, slot: syntax.Slot, after_article: bool, rank: Rank) -> Node:
        """The node of one slot."""
        parameter = self._parameters.get(slot.name)
        if slot.constant:
            return constant(slot.name, slot.constant, parameter, self._core.flags)
        if parameter is None and not self._is_any_text and slot.name != syntax.UNUSED:
            return Choice(())
        accepted = Accepts() if parameter is None else accepts(parameter)
        kind = slot.list or slot.name
        said = self._lists.get(kind)
        if ACTIVITIES in (kind, said.provider if said is not None else ""):
            return ActivityNode(slot.name, self._activities)
        limits: dict[str, Statements | Texts] = {STATEMENTS: self._core.statements, TEXTS: self._core.texts}
        only = limits.get(kind)
        make = UnusedNode if slot.name == syntax.UNUSED else SlotNode
        return make(
            slot,
            accepted,
            said,
            self._core.flags,
            self._split,
            drops_article=after_article,
            rank=rank,
            only=only,
            takes_several=parameter is not None and only is None,
            same=self._same.setdefault((slot.name, kind, rank), object()),
            both=self._core.both,
            other=self._core.other if accepted.is_which else (),
            never=self._never_said_of(said),
            joining=self._core.texts.joining,
            no_names=self._core.texts.no_names,
        )

    def _never_said_of(self, said: SlotList | None) -> Sequence[str]:
        """Which of the words that stand for a thing ("him") cannot stand for what is in a list.

        Where nobody is called by name, a language need not tell people from things.
        """
        core = self._core
        if said is not None and said.called:
            return [each for each in core.references if each not in (*core.of_people, *core.of_either)]
        return core.of_people if any(each.called for each in self._lists.values()) else ()


def _words_of(
    node: Node, contents: Contents, also: frozenset[str], things: frozenset[str]
) -> frozenset[str] | None:
    """All words that may be said for a node besides names and numbers; None if any may.

    also: what may always stand between; things: words that stand for a thing.
    """
    if contents.takes_any(node):
        return None
    found = contents.words(node) | also
    return found | things if contents.takes_text(node) else found


def slots_in(*nodes: Node) -> Iterator[SlotNode]:
    """The slots below some nodes, each once."""
    return (each for each in below(*nodes) if isinstance(each, SlotNode))


def kinds_in(*nodes: Node) -> tuple[str, ...]:
    """The kinds of names that the slots below some nodes ask the world for, each once."""
    return tuple(dict.fromkeys(slot.kind for slot in slots_in(*nodes) if slot.kind))
