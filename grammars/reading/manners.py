"""How something is to be done: slowly, gently, at half speed, at 0.2 metres a second.

The words of a manner stand anywhere in or beside a clause, so they are taken out of the utterance before it
is matched, and remembered by the place where they stood (`Gap`). The clause around that place takes them: its
action says in its phrases.yaml which parameter "slow" is about, and what it is then. A manner that an action
knows nothing of makes the reading doubtful, so that it is asked; only haste costs nothing. A number is never
left out: "turn left 20 newtons".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeVar, cast

import msgspec

from framework.plan.ast import Do, Value
from framework.plugins.parameters import ParameterSpec
from framework.plugins.signature import ActionSpec
from grammars.core import VALUE, Marker
from grammars.reading.matching import Head, Matching, Offer, Part, Rank
from grammars.reading.network import Node
from grammars.reading.quantities import converted
from grammars.reading.quantities import in_words as quantity_in_words
from grammars.reading.slots import EXAMPLES
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Gap, Manner, Named, Quantity, Utterance

Q = TypeVar("Q", Quantity, Named)
T = TypeVar("T")
#: How unsure a reading is that leaves out in which manner something was to be done.
DOUBT_ABOUT_MANNER = 0.2
MANNERS = (
    Marker.SLOW, Marker.GENTLE, Marker.FAST, Marker.FIRM, Marker.HALF, Marker.FULL, Marker.RATE, Marker.SHARE,
)  # fmt: skip
#: What phrases files may say the value of, and what else does where that is not said.
WORDS: Mapping[str, tuple[str, ...]] = {
    "slow": ("slow",),
    "gentle": ("gentle", "slow"),
    "fast": ("fast",),
    "firm": ("firm",),
}
_WORD = {Marker.SLOW: "slow", Marker.GENTLE: "gentle", Marker.FAST: "fast", Marker.FIRM: "firm"}
#: Units of the number in the words of a manner.
UNITS_OF = {Marker.RATE: ("m/s", "rad/s", "N"), Marker.SHARE: ("fraction",)}
#: Units that a number may be in for the words of a manner to begin with it: "6 N at most".
RATES = frozenset(unit for units in UNITS_OF.values() for unit in units)
_SHARES = ("fraction", "0 to 1")
_MOST = 24


class RateNode(Node):
    """`{value}` in the words of a manner: a speed or a force, or a share of it."""

    __slots__ = ("units",)

    def __init__(self, marker: Marker) -> None:
        super().__init__(is_open=True)
        self.units = UNITS_OF[marker]

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """The quantities that begin here and are in a unit that will do."""
        return [
            Part(each.end, ((VALUE, each.value), ("unit", each.unit)), known=each.end - at)
            for each in matching.quantities(at)
            if each.unit in self.units
        ]

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """What could be said for it, of the first unit."""
        said = " ".join(EXAMPLES.get(self.units[0], ()))
        yield Offer(said, f"<{VALUE} in {self.units[0]}>", Rank.SYNONYM)


def without(
    utterance: Utterance, found: Iterable[tuple[int, int, Manner]], words: Iterable[str]
) -> tuple[Utterance, tuple[Gap, ...]]:
    """The utterance without the words of some manners, and where they stood.

    found: (begin, end, manner), in order. words: those that clauses may end in front of.
    """
    tokens = [token.text for token in utterance.tokens]
    ends = {*words, *MARKS}
    kept = [True] * len(tokens)
    stood: list[tuple[int, Manner, bool, bool]] = []
    for begin, end, manner in found:
        left, right = begin, end
        is_but = left > 0 and tokens[left - 1] == "but"
        if is_but:
            left -= 1
        elif left > 1 and tokens[left - 1] == "and" and (not kept[left - 2] or right == len(tokens)):
            left -= 1  # "slowly and carefully", "… and be careful"
        is_first = not any(kept[:left]) or (tokens[left - 1] in ends and tokens[left - 1] != ",")
        is_last = right >= len(tokens) or tokens[right] in ends
        if any(kept[:left]) and tokens[left - 1] == "," and (is_but or is_last):
            left -= 1
        elif is_first and right < len(tokens) and tokens[right] == ",":
            right += 1
        elif not is_first and left > 0 and tokens[left - 1] == ",":
            is_first = True
        kept[left:right] = [False] * (right - left)
        is_end = right >= len(tokens)  # "close it again, gently": there is nothing else that it may be about
        stood.append((left, manner, is_end or not is_first, not is_end and (is_first or not is_last)))
    places = [*accumulate(kept, initial=0)]
    gaps = tuple(Gap(places[at], manner, before, behind) for at, manner, before, behind in stood)

    def moved(begin: int, end: int) -> bool:
        return all(kept[begin:end])

    quantities = {
        places[at]: whole
        for at, several in utterance.quantities.items()
        if (whole := tuple(_at(places, each) for each in several if moved(at, each.end)))
    }
    names: dict[str, Mapping[int, tuple[Named, ...]]] = {
        kind: {
            places[at]: named
            for at, several in by_place.items()
            if (named := tuple(_at(places, each) for each in several if moved(at, each.end)))
        }
        for kind, by_place in utterance.names.items()
    }
    left_over = tuple(token for token, is_kept in zip(utterance.tokens, kept, strict=True) if is_kept)
    return msgspec.structs.replace(utterance, tokens=left_over, quantities=quantities, names=names), gaps


def _at(places: Sequence[int], each: Q) -> Q:
    return msgspec.structs.replace(each, end=places[each.end])


def about(gaps: Iterable[Gap], matching: Matching, begin: int, end: int) -> Iterator[Manner]:
    """The manners in which the clause from `begin` to `end` is to be done."""
    for gap in gaps:
        if (
            begin < gap.at < end
            or (gap.behind and gap.at <= begin and not _ends_between(matching, gap.at, begin))
            or (gap.before and end <= gap.at and not _ends_between(matching, end, gap.at))
        ):
            yield gap.manner


def meant(manner: Manner, spec: ActionSpec) -> tuple[str, Value] | None:
    """The parameter that a manner is about, and its value; None if the action knows nothing of it."""
    parameters = {each.name: each for each in spec.parameters}
    for name, values in spec.phrases.manner:
        value = _value(manner, parameters[name], dict(values))
        if value is not None:
            return name, value
    return None


def in_manner(plan: T, manner: Manner, actions: Mapping[str, ActionSpec]) -> T:
    """A plan of which every action is done so that knows how, and was not told otherwise."""
    node: Any = plan
    if isinstance(node, Do):
        spec = actions.get(node.action)
        said = meant(manner, spec) if spec is not None else None
        if said is not None and said[0] not in node.parameters:
            node = Do(node.action, {**node.parameters, said[0]: said[1]})
    elif isinstance(node, msgspec.Struct):
        inside = {name: getattr(node, name) for name in node.__struct_fields__}
        others = {name: in_manner(value, manner, actions) for name, value in inside.items()}
        node = msgspec.structs.replace(node, **others) if others != inside else node
    elif isinstance(node, tuple):
        node = tuple(in_manner(each, manner, actions) for each in node)
    return cast("T", node)


def costs_nothing(manner: Manner) -> bool:
    """Whether it may be left out: whoever says "quickly" wants no other thing."""
    return manner.marker is Marker.FAST


def ways_to_say(spec: ActionSpec, values: Mapping[str, Value]) -> Iterator[tuple[str, Marker, str]]:
    """(parameter, manner, quantity in words) of the manners that say one of an action's values."""
    parameters = {each.name: each for each in spec.parameters}
    for name, listed in spec.phrases.manner:
        value = values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        for word, said in listed:
            if said == value:
                yield name, Marker(f"manner.{word}"), ""
        default = _default(parameters[name])
        if default and value == default / 2:
            yield name, Marker.HALF, ""
        if parameters[name].unit not in _SHARES:
            yield name, Marker.RATE, quantity_in_words(value, parameters[name].unit)
        elif default:
            yield name, Marker.SHARE, quantity_in_words(value / default, "fraction")


def spans(
    matching: Matching, parts_at: Iterable[tuple[int, Marker, Sequence[Part]]]
) -> list[tuple[int, int, Manner]]:
    """The manners that stand in an utterance, none within another or within a known name."""
    found: list[tuple[int, int, Manner]] = []
    for at, marker, parts in parts_at:
        for part in parts:
            if matching.is_within_name(at) or (
                part.end < matching.size and matching.is_within_name(part.end)
            ):
                continue
            values = dict(part.values)
            quantity = None
            if VALUE in values:
                quantity = Quantity(float(values[VALUE]), part.end, str(values["unit"]))  # type: ignore[arg-type]
            found.append((at, part.end, Manner(marker, quantity)))
    found.sort(key=lambda each: (each[0], -each[1]))
    chosen: list[tuple[int, int, Manner]] = []
    for each in found:
        if not chosen or each[0] >= chosen[-1][1]:
            chosen.append(each)
    return chosen[:_MOST]


def _value(manner: Manner, parameter: ParameterSpec, values: Mapping[str, float]) -> Value | None:
    default = _default(parameter)
    quantity = manner.quantity
    if quantity is not None and quantity.unit == "fraction":
        return None if default is None else quantity.value * default
    if quantity is not None:
        return converted(quantity, parameter.unit)
    if manner.marker is Marker.HALF:
        return None if default is None else default / 2
    if manner.marker is Marker.FULL:
        return values.get("fast", values.get("firm", default))
    return next((values[word] for word in WORDS[_WORD[manner.marker]] if word in values), None)


def _default(parameter: ParameterSpec) -> float | None:
    default = parameter.default
    return float(default) if isinstance(default, int | float) and not isinstance(default, bool) else None


def _ends_between(matching: Matching, begin: int, end: int) -> bool:
    return any(matching.is_boundary(at) or matching.tokens[at] in MARKS for at in range(begin, end))
