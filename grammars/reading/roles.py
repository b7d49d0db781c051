"""What a clause asks for, by what takes part in it and in whatever order: "right arm, up it goes 5 cm". Pure.

Templates say how something is usually put; strangers put it otherwise. Where no template fits, the parts of a
frame (its verb, its theme, its roles; `framework.plugins.phrases.VerbFrame`) are looked for anywhere in the
clause. Between them may stand what says nothing by itself ("you", "of", "exactly": `clause.between` of the
core), and a few words that nobody knows, which are then named and asked about. A word that is known and takes
no part, a number, a name, a denial or a join is never passed over: such a clause is not understood this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from framework.errors import DescriptionError
from framework.plan.ast import Value
from framework.plugins import template as syntax
from framework.plugins.phrases import VerbFrame
from framework.plugins.template import Template, parse_template
from grammars.reading.inflection import in_third_person
from grammars.reading.matching import Head, Matching, Part
from grammars.reading.network import AnyOrder, Compiler, Constant, Node, below
from grammars.reading.slots import SlotNode

#: How unsure it is what is said in an unusual order; with words in it that nobody knows it is asked about.
DOUBT_ABOUT_ORDER, DOUBT_ABOUT_WORDS = 0.05, 0.4
#: So many words that nobody knows a clause may have.
_MOST_STRANGE: Final = 3
_THEME: Final = 1
#: So many ways of one frame are followed at one place; so many words a clause has.
_MOST_WAYS, _MOST_WORDS = 8, 40

Span = tuple[int, int]
"""Tokens, from and to."""


class RoleFrame(msgspec.Struct, frozen=True):
    """A frame, compiled.

    parts: what is done (or the state), what it is about, the rest. required: the indices (bits) of what
    has to be said. verb: the index of what is done; -1 if there is none. sets: what is said by all of it.
    has_theme: whether it is about something, which is the second of the parts then. whole: all parts as one
    node, in any order. which: the parameter in which its theme says which one of several.
    """

    parts: tuple[Node, ...]
    required: int
    verb: int
    has_theme: bool
    sets: tuple[tuple[str, Value], ...]
    whole: AnyOrder
    which: str = ""


class _Way(msgspec.Struct, frozen=True, gc=False):
    """One way to have come to a place: the parts that were said (bits), and what they say.

    is_open: what was passed over last wants something behind it.
    """

    said: int = 0
    values: tuple[tuple[str, Value], ...] = ()
    others: tuple[tuple[str, Value], ...] = ()
    at_once: bool = False
    known: int = 0
    doubt: float = 0.0
    between: int = 0
    left_out: tuple[Span, ...] = ()
    is_open: bool = False

    @property
    def cost(self) -> tuple[int, float, int]:
        return sum(end - at for at, end in self.left_out), self.doubt, self.between


def frames_of(frame: VerbFrame, compiler: Compiler, between: frozenset[str]) -> Iterator[RoleFrame]:
    """A frame with its verbs, and one with the state of its theme. What is no template is left out."""
    try:
        theme = compiler.node(parse_template(frame.theme)) if frame.theme else None
        roles = tuple(compiler.node(parse_template(each)) for each in frame.roles)
        sets = compiler.node(parse_template(frame.sets)) if frame.sets else None
        verbs = _verbs(frame)
        done = compiler.node(syntax.Choice(verbs)) if verbs else None
        state = compiler.node(parse_template(frame.state)) if frame.state else None
    except DescriptionError:
        return
    for verb in (done, state):
        if verb is None or (verb is state and theme is None):
            continue
        parts = (verb, *((theme,) if theme is not None else ()), *roles)
        required = sum(1 << at for at, part in enumerate(parts) if not part.can_be_empty)
        values = _constants(sets) if sets is not None else ()
        which = _which(theme) if theme is not None else ""
        is_done = 0 if verb is done else -1
        whole = AnyOrder(parts, between)
        yield RoleFrame(parts, required | 1, is_done, theme is not None, values, whole, which)


def _verbs(frame: VerbFrame) -> tuple[Template, ...]:
    ways = (*frame.acts, *frame.verbs, *frame.goes, *frame.nouns)
    return tuple(map(parse_template, dict.fromkeys(ways)))


def _which(theme: Node) -> str:
    slots = (each for each in below(theme) if isinstance(each, SlotNode))
    return next((each.slot for each in slots if each.accepts.is_which), "")


def _constants(node: Node) -> tuple[tuple[str, Value], ...]:
    """What a template without words says."""
    return tuple((each.slot, each.value) for each in below(node) if isinstance(each, Constant))


class Passing(msgspec.Struct, frozen=True):
    """What may be passed over. free: by place, where words that say nothing end; strange: places of words
    that nobody knows; pronouns: of those that stand for a thing; values: of those that values of parameters
    begin with; prepositions: of these, with which no clause ends.
    """

    free: Mapping[int, tuple[int, ...]]
    strange: frozenset[int]
    pronouns: frozenset[int] = frozenset()
    values: frozenset[int] = frozenset()
    prepositions: frozenset[int] = frozenset()


def ways(
    frame: RoleFrame,
    matching: Matching,
    at: int,
    passing: Passing,
    ends_at: Callable[[int], bool],
) -> Iterable[Part]:
    """Every way in which a clause that begins here says a frame.

    ends_at: whether a clause may end in front of a place.
    """
    if matching.size - at > _MOST_WORDS or not _may_be(frame, matching):
        return ()
    there: dict[int, list[_Way]] = {at: [_Way()]}
    found: list[Part] = []
    for place in range(at, matching.size + 1):
        here = _best(there.pop(place, ()))
        for way in here:
            is_whole = way.said & frame.required == frame.required and not way.is_open
            if is_whole and place > at and ends_at(place):
                found.append(_part(frame, way, place))
        if place == matching.size:
            break
        for way in here:
            matching.steps += 1
            for end, other in _next(frame, matching, place, way, passing):
                there.setdefault(end, []).append(other)
    return found


def _may_be(frame: RoleFrame, matching: Matching) -> bool:
    return all(
        matching.may_have(part.needs) for index, part in enumerate(frame.parts) if frame.required >> index & 1
    )


def _next(
    frame: RoleFrame, matching: Matching, at: int, way: _Way, passing: Passing
) -> Iterator[tuple[int, _Way]]:
    """What may come next: a part that was not said yet, the same once more, or what is passed over."""
    is_taken = False
    for index, node in enumerate(frame.parts):
        # "The arm goes up" may be an order, "you raised it" tells what was done; and "left" is a way.
        is_verb = index == frame.verb and at < matching.size and at not in passing.values
        head = Head.DONE if is_verb and in_third_person(matching.tokens[at]) else Head.PLAIN
        if head is Head.PLAIN and not (
            node.is_open or node.can_be_empty or matching.can_begin(node.first, at)
        ):
            continue
        for part in node.match(matching, at, head):
            if part.end <= at or part.free:
                continue
            is_taken = True
            if not way.said >> index & 1:
                yield part.end, _said(way, index, part)
            elif all(value in way.values for value in part.values):  # "up, up, up", "and only the right arm"
                known = way.known + part.known
                yield (
                    part.end,
                    msgspec.structs.replace(way, known=known, between=way.between + 1, is_open=False),
                )
    if frame.has_theme and frame.required >> _THEME & 1 and at in passing.pronouns:
        yield (
            at + 1,
            msgspec.structs.replace(way, between=way.between + 1, is_open=False),
        )  # "the right wrist, turn it"
    for end in passing.free.get(at, ()):
        is_open = end - 1 in passing.prepositions
        yield end, msgspec.structs.replace(way, between=way.between + end - at, is_open=is_open)
    if at in passing.strange and not is_taken:
        left_out = _with(way.left_out, at)
        if sum(end - begin for begin, end in left_out) <= _MOST_STRANGE:
            yield at + 1, msgspec.structs.replace(way, left_out=left_out, is_open=False)


def _said(way: _Way, index: int, part: Part) -> _Way:
    return msgspec.structs.replace(
        way,
        said=way.said | 1 << index,
        values=way.values + part.values,
        others=way.others + part.others,
        at_once=way.at_once or part.at_once,
        known=way.known + part.known,
        doubt=max(way.doubt, part.doubt),
        is_open=False,
    )


def _with(spans: tuple[Span, ...], at: int) -> tuple[Span, ...]:
    if spans and spans[-1][1] == at:
        return (*spans[:-1], (spans[-1][0], at + 1))
    return (*spans, (at, at + 1))


def _best(several: Sequence[_Way]) -> Sequence[_Way]:
    """The best of those that say the same, and not too many."""
    if len(several) < 2:
        return several
    kept: dict[tuple[object, ...], _Way] = {}
    for way in several:
        key = (way.said, way.values, way.others, way.is_open)
        other = kept.get(key)
        if other is None or way.cost < other.cost:
            kept[key] = way
    return sorted(kept.values(), key=lambda each: (-each.said.bit_count(), each.cost))[:_MOST_WAYS]


def _part(frame: RoleFrame, way: _Way, end: int) -> Part:
    doubt = DOUBT_ABOUT_WORDS if way.left_out else DOUBT_ABOUT_ORDER
    return Part(
        end,
        way.values + frame.sets,
        known=way.known,
        free=way.cost[0],
        doubt=max(way.doubt, doubt),
        others=way.others,
        at_once=way.at_once,
        left_out=way.left_out,
    )
