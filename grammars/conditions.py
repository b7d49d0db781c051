"""`conditions.yaml`: how people say what "if", "while" and "until" are about. Read and checked here.

    conditions:
      open:                                    # State("open", {"thing": …})
        so: ["{openable:thing} is open"]       # "is not", "isn't", "is no longer" are the language core's
        not: ["{openable:thing} is closed"]
        becomes: ["{openable:thing} opens"]    # the same as it happens: "if the door opens, A" waits for it
        ceases: ["{openable:thing} closes"]
      distance:                                # Compare("distance", {"thing": …}, "<", 0.3, "m")
        unit: m
        less: ["{thing} is closer than {value}"]
    rules: {…}                                 # as in phrases.yaml
    lists: {openable: {provider: world.openable}}

In which words it is asked is here, whether it is so is not. `grammars.reading.asking` matches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from framework.plan.ast import Comparison
from framework.plugins.described import Described, Entry, Text
from framework.plugins.phrases import Rule, SlotList, check, check_lists, lists_in, rules_in
from framework.plugins.template import Template, slots_of
from grammars.units import SIGNATURE_UNITS

#: The slot of a comparison that has the number.
VALUE = "value"
#: What is so, or is not; and what happens then: "the door is open", "the door opens".
_STATES = {"so": True, "not": False, "becomes": True, "ceases": False}
_EVENTS = ("becomes", "ceases")
_COMPARISONS = {
    "less": Comparison.LESS,
    "at_most": Comparison.AT_MOST,
    "equal": Comparison.EQUAL,
    "at_least": Comparison.AT_LEAST,
    "more": Comparison.MORE,
}
_KEYS = ("conditions", "rules", "lists")
#: Keys of one condition.
_OF_ONE = (*_STATES, "unit", *_COMPARISONS)


class Sayable(msgspec.Struct, frozen=True):
    """One way to put a condition. comparison: None for a state; is_so: False if the way denies it.

    is_event: it says that something happens: "if the camera dies, A" waits for that, as "when" does.
    """

    name: str
    template: Template
    is_so: bool = True
    comparison: Comparison | None = None
    unit: str = ""
    rules: Mapping[str, Template] = {}
    lists: Mapping[str, SlotList] = {}
    file: str = ""
    line: int = 0
    is_event: bool = False


def read_conditions(file: Path) -> tuple[Sayable, ...]:
    """Every way to put each condition of a file.

    Raises DescriptionError with file, line, what stands there and what may.
    """
    described = Described(file, 'conditions: {open: {so: ["{thing} is open"]}}')
    entries = described.mapping(described.root, "the file", _KEYS)
    if "conditions" not in entries:
        raise described.error(described.root, "the conditions are missing: conditions: {open: {so: [...]}}")
    return conditions_in(described, entries, rules_in(described, entries), lists_in(described, entries))


def conditions_in(
    described: Described, entries: Mapping[str, Entry], rules: Sequence[Rule], lists: Sequence[SlotList]
) -> tuple[Sayable, ...]:
    """The `conditions` of a mapping, if it has any; with rules and lists read before."""
    if "conditions" not in entries:
        return ()
    reader = _Reader(described, rules, lists)
    found: list[Sayable] = []
    for name, (key, node) in described.mapping(entries["conditions"].value, "conditions").items():
        ways = [*reader.ways(name, described.mapping(node, f"condition {name}", _OF_ONE))]
        if not ways:
            raise described.error(key, f'nobody can say {name!r}: give at least so: ["..."]')
        found += ways
    return tuple(found)


class _Reader:
    """The conditions of one file. They share rules and lists, which are compiled once."""

    def __init__(self, described: Described, rules: Sequence[Rule], lists: Sequence[SlotList]) -> None:
        self._described = described
        self._rules: Mapping[str, Template] = {rule.name: rule.template for rule in rules}
        self._lists = lists
        self._list_by_name = {each.name: each for each in lists}

    def ways(self, name: str, entries: Mapping[str, Entry]) -> Iterator[Sayable]:
        """Every way to put one condition."""
        described = self._described
        is_measured = bool(_COMPARISONS.keys() & entries)
        if is_measured and _STATES.keys() & entries:
            key = next(entries[key].key for key in _STATES if key in entries)
            raise described.error(
                key, f"{name} is so or not, or is less or more than a number; it cannot be both"
            )
        unit = described.text(entries["unit"].value, "the unit") if "unit" in entries else ""
        if unit and not is_measured:
            raise described.error(
                entries["unit"].key, f"{name} has a unit, but nothing that is measured in it"
            )
        if unit not in SIGNATURE_UNITS:
            known = ", ".join(filter(None, SIGNATURE_UNITS))
            raise described.error(entries["unit"].value, f"{unit!r} is no unit; units are {known}")
        slots: tuple[str, frozenset[str]] | None = None
        for kind, (_, node) in entries.items():
            if kind == "unit":
                continue
            for way in described.texts(node, kind):
                tree = check(described, way, self._rules, None)
                check_lists(described, way, tree, self._rules, self._lists)
                said = self._slots(name, way, tree, is_measured=is_measured)
                if slots is not None and said is not None and said != slots[1]:
                    raise described.error(
                        way.node,
                        f"{way.text!r} says {_listed(said)}, but {slots[0]!r} says {_listed(slots[1])}; all "
                        f"ways to put {name} have to say the same slots",
                    )
                if said is not None:
                    slots = slots or (way.text, said)
                yield Sayable(
                    name,
                    tree,
                    _STATES.get(kind, True),
                    _COMPARISONS.get(kind),
                    unit,
                    self._rules,
                    self._list_by_name,
                    described.file,
                    way.line,
                    kind in _EVENTS,
                )

    def _slots(self, name: str, way: Text, tree: Template, *, is_measured: bool) -> frozenset[str] | None:
        """The slots that are said in a way; None where a rule of the core may say more."""
        always, sometimes, all_known = slots_of(tree, self._rules)
        if is_measured and all_known and VALUE not in always:
            raise self._described.error(
                way.node,
                f"{way.text!r} can be said without {{{VALUE}}}, the number that {name} is compared with",
            )
        if always != sometimes:
            missing = ", ".join(f"{{{slot}}}" for slot in sorted(sometimes - always))
            raise self._described.error(
                way.node, f"{way.text!r} can be said with or without {missing}; say it always, or never"
            )
        return always if all_known else None


def _listed(slots: frozenset[str]) -> str:
    return ", ".join(f"{{{slot}}}" for slot in sorted(slots)) or "no slot"
