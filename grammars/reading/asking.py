"""Conditions: what "if", "while", "until" and "when" can be about, in words, and joined by "and" and "or".

A domain says how each of its conditions is put (`grammars.conditions`); the core adds what is the same in
all of them: what somebody says, time that passes, what is being done, and the denial of any of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, cast

import msgspec

from framework.plan.ast import AllOf, AnyOf, Compare, Comparison, Condition, Elapsed, State
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from framework.plugins.template import Template, parse_template
from grammars.conditions import VALUE, Sayable
from grammars.core import Core, Marker
from grammars.reading.activity import FindActivities
from grammars.reading.markers import Markers, duration_s
from grammars.reading.matching import Head, Matching, Part
from grammars.reading.network import Compiler, Node, Row, Split, connect
from grammars.reading.outcome import Asked, Outcome, best, with_more
from grammars.reading.phrasebook import SlotMakerOf, kinds_in
from grammars.reading.slots import SlotNode

SAID, RUNNING = "said", "running"
#: "While you are driving back one metre, A" says how far, so it is to be done, and is not going on by itself.
DOUBT_IF_WANTED: Final = 0.05


class Form(StrEnum):
    """In which form a way to put a condition says its verb."""

    PLAIN = "is"
    INFINITIVE = "to be"  # after "wait for"
    PLURAL = "are"  # of several things


class _Way(msgspec.Struct, frozen=True):
    sayable: Sayable
    node: Node
    is_so: bool
    form: Form


class Conditions:
    """Finds conditions in an utterance. follow: words that may come directly after one ("then", "show")."""

    def __init__(
        self,
        sayables: Iterable[Sayable],
        core: Core,
        split: Split,
        activities: FindActivities,
        follow: frozenset[str],
    ) -> None:
        self.markers: Markers
        self.sayables = (*sayables, *_of_core(core))
        self._core = core
        self._ways: list[_Way] = []
        compilers: dict[tuple[int, int, str], Compiler] = {}
        for each in self.sayables:
            key = (id(each.rules), id(each.lists), each.unit if each.comparison is not None else "no number")
            if key not in compilers:
                rules = {**core.rules, **each.rules}
                slots = _slots(each, core, split, activities)
                compilers[key] = Compiler(rules, split, slots)
            for template, is_so, form in variants(each, core):
                node = compilers[key].node(template)
                self._ways.append(_Way(each, node, is_so, form))
        connect((way.node for way in self._ways), follow)
        self._subjects = _by_subject(self._ways)
        self.nodes = [way.node for way in self._ways]
        self.kinds = kinds_in(*self.nodes)

    def find(self, matching: Matching, at: int, is_infinitive: bool = False) -> list[Asked]:
        """Every condition that begins here. is_infinitive: "to be" is said for "is", as after "wait for"."""
        found: list[Asked] = list(self._alternatives(matching, at, is_infinitive))
        return best(found)

    # -- and, or

    def _alternatives(self, matching: Matching, at: int, is_infinitive: bool) -> list[Asked]:
        return self._joined("or", Marker.CONDITION_OR, self._together, AnyOf, matching, at, is_infinitive)

    def _together(self, matching: Matching, at: int, is_infinitive: bool) -> list[Asked]:
        return self._joined("and", Marker.CONDITION_AND, self._single, AllOf, matching, at, is_infinitive)

    def _joined(
        self,
        name: str,
        marker: Marker,
        inner: Callable[[Matching, int, bool], list[Asked]],
        make: type[AllOf] | type[AnyOf],
        matching: Matching,
        at: int,
        is_infinitive: bool,
    ) -> list[Asked]:
        key = (name, at, is_infinitive)
        known = matching.memory.get(key)
        if known is not None:
            return cast("list[Asked]", known)
        found: list[Asked] = []
        for first in inner(matching, at, is_infinitive):
            found.append(first)
            for begin in self.markers.ends(matching, marker, first.end):
                for rest in self._joined(name, marker, inner, make, matching, begin, is_infinitive):
                    more = rest.what.conditions if isinstance(rest.what, make) else (rest.what,)
                    found.append(with_more(first, rest, make((first.what, *more))))
        matching.memory[key] = found = best(found)
        return found

    # -- one condition

    def _single(self, matching: Matching, at: int, is_infinitive: bool) -> list[Asked]:
        key = ("condition", at, is_infinitive)
        known = matching.memory.get(key)
        if known is not None:
            return cast("list[Asked]", known)
        matching.memory[key] = []
        found = best(self._find_single(matching, at, is_infinitive))
        matching.memory[key] = found
        return found

    def _of_several(self, matching: Matching, at: int) -> Iterator[Asked]:
        """ "the door and the window are open", "the door or the window is open"."""
        for subject, ways in self._subjects:
            if not matching.may_have(subject.needs):
                continue
            for first in subject.match(matching, at, Head.PLAIN):
                for marker, make, form in _SEVERAL if not first.free else ():
                    for begin in self.markers.ends(matching, marker, first.end):
                        for way in ways:
                            if way.form is form:
                                for part in way.node.match(matching, begin, Head.PLAIN):
                                    yield _with_other_subject(way, subject.slot, first, part, make)

    def _find_single(self, matching: Matching, at: int, is_infinitive: bool) -> Iterator[Asked]:
        begins = [at]
        for begin in begins:
            for end in self.markers.ends(matching, Marker.CONDITION_OPENING, begin):
                if end not in begins:
                    begins.append(end)
        for begin in begins:
            for bare in self._bare(matching, begin, is_infinitive):
                yield from self._closed(matching, bare)
            for several in self._of_several(matching, begin):
                yield from self._closed(matching, several)
            for end in self.markers.ends(matching, Marker.CONDITION_DENYING, begin):
                for bare in self._bare(matching, end, is_infinitive):
                    opposite = with_more(Outcome(None, end), bare, denied(bare.what))
                    yield from self._closed(matching, opposite)

    def _closed(self, matching: Matching, asked: Asked) -> Iterator[Asked]:
        ends = [asked.end]
        for begin in ends:
            yield with_more(asked, Outcome(None, begin, begin - asked.end), asked.what)
            ends += [
                end for end in self.markers.ends(matching, Marker.CONDITION_CLOSING, begin) if end not in ends
            ]

    def _bare(self, matching: Matching, at: int, is_infinitive: bool) -> Iterator[Asked]:
        for part in self.markers.parts(matching, Marker.ELAPSED, at):
            yield _asked(part, Elapsed(duration_s(part)))
        token = matching.tokens[at] if at < matching.size else ""
        for way in self._ways:
            if way.form is Form.PLURAL or (way.form is Form.INFINITIVE and not is_infinitive):
                continue
            if not matching.may_have(way.node.needs):
                continue
            if at < matching.furthest and not way.node.is_open and token not in way.node.first:
                continue
            for part in way.node.match(matching, at, Head.PLAIN):
                if part.end > at:
                    if way.sayable.name == RUNNING and way.is_so and _has_quantity(matching, at, part.end):
                        part = msgspec.structs.replace(part, doubt=max(part.doubt, DOUBT_IF_WANTED))
                    is_event = way.sayable.is_event and way.is_so is way.sayable.is_so
                    asked = _asked(part, _condition(way, part))
                    if way.sayable.name == RUNNING:  # "you are facing it" is a state; not what is being done
                        asked = msgspec.structs.replace(asked, style=asked.style + 1)
                    yield msgspec.structs.replace(asked, is_event=True) if is_event else asked
                    yield from self._of_several_more(matching, way, part)

    def _of_several_more(self, matching: Matching, way: _Way, part: Part) -> Iterator[Asked]:
        """ "You see the hand or the target": the last slot once more."""
        if part.tail is None or part.free or not part.known or part.tail.accepts.is_number:
            return
        for marker, make, _ in _SEVERAL:
            for begin in self.markers.ends(matching, marker, part.end):
                for other in part.tail.match(matching, begin, Head.PLAIN):
                    if other.free or part.tail.slot not in dict(other.values):
                        continue
                    values = tuple({**dict(part.values), **dict(other.values)}.items())
                    more = msgspec.structs.replace(
                        part, end=other.end, values=values, known=part.known + other.end - part.end
                    )
                    both = (_condition(way, part), _condition(way, more))
                    # Who does not see the one or the other sees neither.
                    yield _asked(more, AllOf(both) if _is_denial(both[0]) else make(both))


def _has_quantity(matching: Matching, begin: int, end: int) -> bool:
    """Whether a length, an angle or the like stands in what is being done, or goes on behind it."""
    return any(each.unit for at in range(begin, end + 1) for each in matching.quantities(at))


def denied(condition: Condition) -> Condition:
    """The opposite: not (C and D) is not C or not D. Of time that has passed there is none; it stays."""
    match condition:
        case State(name=name, arguments=arguments, is_so=is_so):
            return State(name, arguments, not is_so)
        case Compare(comparison=Comparison.EQUAL):
            less, more = (
                msgspec.structs.replace(condition, comparison=each)
                for each in (Comparison.LESS, Comparison.MORE)
            )
            return AnyOf((less, more))
        case Compare(comparison=comparison):
            return msgspec.structs.replace(condition, comparison=_OPPOSITE[comparison])
        case AllOf(conditions=conditions):
            return AnyOf(tuple(map(denied, conditions)))
        case AnyOf(conditions=conditions):
            return AllOf(tuple(map(denied, conditions)))
    return condition


def _is_denial(condition: Condition) -> bool:
    return isinstance(condition, State) and not condition.is_so


_OPPOSITE = {
    Comparison.LESS: Comparison.AT_LEAST,
    Comparison.AT_LEAST: Comparison.LESS,
    Comparison.MORE: Comparison.AT_MOST,
    Comparison.AT_MOST: Comparison.MORE,
}


def _condition(way: _Way, part: Part) -> Condition:
    values = dict(part.values)
    said = way.sayable
    if said.comparison is None:
        return State(said.name, values, way.is_so)
    value = values.pop(VALUE, 0.0)
    condition = Compare(said.name, values, said.comparison, float(cast("float", value)), said.unit)
    return condition if way.is_so else denied(condition)


_SEVERAL: tuple[tuple[Marker, type[AllOf] | type[AnyOf], Form], ...] = (
    (Marker.CONDITION_AND, AllOf, Form.PLURAL),
    (Marker.CONDITION_OR, AnyOf, Form.PLAIN),
)


def _by_subject(ways: Iterable[_Way]) -> list[tuple[SlotNode, list[_Way]]]:
    """The ways that begin with a name, by what it may be."""
    found: dict[tuple[str, str], tuple[SlotNode, list[_Way]]] = {}
    for way in ways:
        for slot in dict.fromkeys(_beginning(way.node) if way.node.is_open else ()):
            found.setdefault((slot.slot, slot.kind or str(id(slot))), (slot, []))[1].append(way)
    return list(found.values())


def _beginning(node: Node) -> Iterator[SlotNode]:
    """The slots that a node can begin with."""
    if isinstance(node, SlotNode):
        yield node
    for part, _, _ in node.inside():
        yield from _beginning(part)
        if isinstance(node, Row) and not part.can_be_empty:
            return


def _with_other_subject(
    way: _Way, slot: str, first: Part, part: Part, make: type[AllOf] | type[AnyOf]
) -> Asked:
    of_first = tuple(
        (name, dict(first.values)[slot] if name == slot else value) for name, value in part.values
    )
    conditions = (_condition(way, msgspec.structs.replace(part, values=of_first)), _condition(way, part))
    asked = _asked(part, make(conditions))
    return msgspec.structs.replace(asked, known=asked.known + first.known)


def _asked(part: Part, condition: Condition) -> Asked:
    return Outcome(condition, part.end, part.known, part.free, len(part.values), doubt=part.doubt)


def _of_core(core: Core) -> Iterator[Sayable]:
    """What every domain can ask: what somebody says, what is being done."""
    for name, marker, is_so in _OF_CORE:
        for template in core.markers.get(marker, ()):
            yield Sayable(name, template, is_so)


_OF_CORE = ((SAID, Marker.SAID, True), (RUNNING, Marker.RUNNING, True), (RUNNING, Marker.NOT_RUNNING, False))


def _slots(sayable: Sayable, core: Core, split: Split, activities: FindActivities) -> SlotMakerOf:
    """Slots of a condition: anything with a name; `{value}` is a number in the comparison's unit."""
    number = {VALUE: ParameterSpec(VALUE, float, unit=sayable.unit)}
    parameters = number if sayable.comparison is not None else {}
    return SlotMakerOf(parameters, sayable.lists, core, split, activities, is_any_text=True)


# -- the same denied, and with "to be"


def variants(sayable: Sayable, core: Core) -> Iterator[tuple[Template, bool, Form]]:
    """The ways that follow from one: (template, whether it says that it is so, the form of its verb)."""
    rules = {**core.rules, **sayable.rules}
    plural = {word: (way,) for word, way in core.plural.items()}
    infinitive = {word: (way,) for word, way in core.infinitive.items()}
    ways: list[tuple[Template, bool]] = [(sayable.template, sayable.is_so)]
    if (instead := _replaced(sayable.template, rules, core.instead, ())) is not None:
        ways.append((instead, sayable.is_so))
    for template, is_so in tuple(ways[:1]):
        if (opposite := _denying(template, rules, core, ())) is not None:
            ways.append((opposite, not is_so))
    for template, is_so in ways:
        yield template, is_so, Form.PLAIN
        if (several := _replaced(template, rules, plural, ())) is not None:
            yield several, is_so, Form.PLURAL
    if (later := _replaced(sayable.template, rules, infinitive, ())) is not None:
        yield later, sayable.is_so, Form.INFINITIVE


def _denying(
    template: Template, rules: Mapping[str, Template], core: Core, inside: tuple[str, ...]
) -> Template | None:
    """The template with its "is" denied; None if there is nothing to deny."""
    return _replaced(template, rules, core.denied, inside) or _replaced(
        template, rules, core.denied_subject, inside
    )


def _replaced(
    template: Template,
    rules: Mapping[str, Template],
    table: Mapping[str, tuple[str, ...]],
    inside: tuple[str, ...],
) -> Template | None:
    """The template with exactly one of the table's words replaced; None if there is none in it."""
    match template:
        case syntax.Word(text=text):
            return _choice([parse_template(way) for way in table.get(text.casefold(), ())])
        case syntax.Rule(name=name):
            if name in inside or name not in rules:
                return None
            return _replaced(rules[name], rules, table, (*inside, name))
        case syntax.Choice(options=options):
            found = (_replaced(option, rules, table, inside) for option in options)
            return _choice([each for each in found if each is not None])
        case syntax.Sequence(parts=parts):
            ways: list[Template] = []
            for index, part in enumerate(parts):
                each = _replaced(part, rules, table, inside)
                if each is not None:
                    ways.append(syntax.Sequence((*parts[:index], each, *parts[index + 1 :])))
            return _choice(ways)
    return None


def _choice(options: list[Template]) -> Template | None:
    if not options:
        return None
    return options[0] if len(options) == 1 else syntax.Choice(tuple(options))
