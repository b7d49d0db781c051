"""A whole domain as data: actions with signatures and phrases, conditions, names. No Python.

    names:                                     # what the lists' providers know; [*rooms, garden] has more
      rooms: [bedroom, {value: living_room, name: living room, says: [lounge]}]
    lists: {room: {provider: rooms}}           # lists and rules are shared by all actions and conditions
    parameters: {place: {type: text, default: ""}}  # an action whose phrases have such a slot has it, too
    actions:
      bring:
        parameters: {object: text, person: {type: text, default: ""}, times: {type: whole, ge: 1}}
        say: ["bring {object} [to {person}]"]
    conditions: {…}                            # as in conditions.yaml

For trying a language where there is no robot, and for showing that the engine knows none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from framework.plan.parser import Known
from framework.plugins.action import Risk
from framework.plugins.described import Described, Entry
from framework.plugins.parameters import UNITS, ParameterSpec
from framework.plugins.phrases import Rule, SlotList, lists_in, parsed, phrases_in, rules_in
from framework.plugins.signature import ActionSpec
from framework.plugins.template import slots_within
from grammars.conditions import Sayable, conditions_in

_KEYS = ("names", "rules", "lists", "parameters", "actions", "conditions")
_OF_ACTION = ("parameters", "say", "asked", "manner", "samples", "continuous", "risk", "doc")
_OF_PARAMETER = ("type", "default", "unit", "ge", "gt", "le", "lt", "one_of", "doc")
_OF_NAME = ("value", "name", "says", "hint")
TYPES: Mapping[str, type] = {"text": str, "whole": int, "number": float, "flag": bool}


class NamesOfFile:
    """A world that knows what a file says, and nothing else (`framework.plan.World`)."""

    def __init__(self, known: Mapping[str, tuple[Known, ...]]) -> None:
        self._known = dict(known)

    @property
    def kinds(self) -> tuple[str, ...]:
        """All that it knows something of."""
        return tuple(self._known)

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of the known things of a kind; none of a kind that the file does not have."""
        return tuple(dict.fromkeys(known.name for known in self.known(kind)))

    def known(self, kind: str) -> tuple[Known, ...]:
        """The same with values, aliases and hints."""
        return self._known.get(kind, ())


class Domain(msgspec.Struct, frozen=True):
    """What a file says. Put actions and conditions into a `Language`, and ask it with the world."""

    actions: tuple[ActionSpec, ...]
    conditions: tuple[Sayable, ...]
    world: NamesOfFile


def read_domain(file: Path) -> Domain:
    """Read a domain. Raises DescriptionError with file, line, what stands there and what may."""
    described = Described(file, 'actions: {greet: {say: ["hello"]}}')
    entries = described.mapping(described.root, "the file", _KEYS)
    rules = rules_in(described, entries)
    lists = lists_in(described, entries)
    world = names_in(described, entries)
    for each in lists:
        if each.provider and each.provider not in world.kinds:
            known = ", ".join(world.kinds) or "none"
            raise described.error(
                described.mapping(entries["lists"].value, "lists")[each.name].value,
                f"list {each.name}: there are no names of {each.provider!r}; names there are of: {known}",
            )
    said: Mapping[str, Entry] = {}
    if "actions" in entries:
        said = described.mapping(entries["actions"].value, "actions")
    shared = _parameters(described, entries, "the parameters that actions share")
    actions = tuple(_action(described, name, node, rules, lists, shared) for name, (_, node) in said.items())
    return Domain(actions, conditions_in(described, entries, rules, lists), world)


def read_names(file: Path) -> NamesOfFile:
    """A file that has nothing but `names:`. Raises DescriptionError."""
    described = Described(file, "names: {places: [table, shelf]}")
    return names_in(described, described.mapping(described.root, "the file", ("names",)))


def names_in(described: Described, entries: Mapping[str, Entry]) -> NamesOfFile:
    """The `names` of a mapping, if it has any."""
    if "names" not in entries:
        return NamesOfFile({})
    found: dict[str, tuple[Known, ...]] = {}
    for kind, (_, node) in described.mapping(entries["names"].value, "names").items():
        if not isinstance(node, yaml.SequenceNode):
            raise described.error(node, f"names of {kind} have to be a list: {kind}: [bedroom, kitchen]")
        values: dict[str, Known] = {}
        for item in _flat(node):
            known = _known(described, item, kind)
            if known.value in values:
                raise described.error(item, f"{known.value!r} stands here twice")
            values[known.value] = known
        found[kind] = tuple(values.values())
    return NamesOfFile(found)


def _flat(node: yaml.SequenceNode) -> Iterator[yaml.Node]:
    """The names of a list; a list within it (`*furniture`) stands for its own."""
    for item in node.value:
        if isinstance(item, yaml.SequenceNode):
            yield from _flat(item)
        else:
            yield item


def _known(described: Described, node: yaml.Node, kind: str) -> Known:
    if isinstance(node, yaml.ScalarNode):
        name = described.text(node, "the name")
        said: tuple[str, ...] = ()
        value, hint = name, ""
    else:
        entries = described.mapping(node, f"a name of {kind}", _OF_NAME)
        if "name" not in entries:
            raise described.error(node, f"a name of {kind} needs at least name: {{name: living room}}")
        texts = {
            key: described.text(entries[key].value, key)
            for key in ("value", "name", "hint")
            if key in entries
        }
        name, hint = texts["name"], texts.get("hint", "")
        value = texts.get("value", name)
        says = described.texts(entries["says"].value, "says") if "says" in entries else []
        said = tuple(each.text for each in says)
    if not all(any(letter.isalnum() for letter in each) for each in (name, *said)):
        raise described.error(node, f"a name of {kind} has no letter that anybody could say: {name!r}")
    return Known(value, name, said, hint)


def _action(
    described: Described,
    name: str,
    node: yaml.Node,
    rules: tuple[Rule, ...],
    lists: tuple[SlotList, ...],
    shared: tuple[ParameterSpec, ...],
) -> ActionSpec:
    entries = described.mapping(node, f"action {name}", _OF_ACTION)
    if not name.isidentifier():
        raise described.error(node, f"{name!r} cannot name an action; letters, digits and '_' can")
    if "say" not in entries:
        raise described.error(node, f'the phrases of {name} are missing: say: ["..."]')
    parameters = _parameters(described, entries, f"the parameters of {name}")
    own = {parameter.name for parameter in parameters}
    used = _slots_of(described, entries, rules)
    parameters += tuple(each for each in shared if each.name in used and each.name not in own)
    risk = Risk.NONE
    if "risk" in entries:
        said = described.text(entries["risk"].value, "the risk")
        if said not in [*Risk]:
            raise described.error(entries["risk"].value, f"{said!r} is no risk; risks are {', '.join(Risk)}")
        risk = Risk(said)
    return ActionSpec(
        name,
        parameters=parameters,
        phrases=phrases_in(described, entries, rules, lists, parameters),
        continuous="continuous" in entries and described.flag(entries["continuous"].value, "continuous"),
        risk=risk,
        doc=described.text(entries["doc"].value, "doc") if "doc" in entries else "",
        source=described.file,
    )


def _parameters(described: Described, entries: Mapping[str, Entry], what: str) -> tuple[ParameterSpec, ...]:
    """The `parameters` of a mapping, if it has any."""
    if "parameters" not in entries:
        return ()
    named = described.mapping(entries["parameters"].value, what)
    return tuple(_parameter(described, name, value) for name, (_, value) in named.items())


def _slots_of(described: Described, entries: Mapping[str, Entry], rules: tuple[Rule, ...]) -> set[str]:
    """The slots of an action's phrases and of the rules that they use."""
    templates = {rule.name: rule.template for rule in rules}
    return {
        slot.name
        for key in ("say", "asked")
        if key in entries
        for phrase in described.texts(entries[key].value, key)
        for slot in slots_within(parsed(described, phrase), templates)
    }


def _parameter(described: Described, name: str, node: yaml.Node) -> ParameterSpec:
    if not name.isidentifier():
        raise described.error(node, f"{name!r} cannot name a parameter; letters, digits and '_' can")
    if isinstance(node, yaml.ScalarNode):
        kind = _type(described, node)
        return ParameterSpec(name, kind, unit=_unit_of(name, kind))
    entries = described.mapping(node, f"parameter {name}", _OF_PARAMETER)
    if "type" not in entries:
        raise described.error(node, f"parameter {name} needs a type: {', '.join(TYPES)}")
    kind = _type(described, entries["type"].value)
    is_number = kind in (int, float)
    stated: dict[str, Any] = {}
    for key in ("ge", "gt", "le", "lt"):
        if key in entries:
            if not is_number:
                raise described.error(entries[key].key, f"parameter {name} has bounds, but it is no number")
            stated[key] = described.number(entries[key].value, key)
    for key in ("unit", "doc"):
        if key in entries:
            stated[key] = described.text(entries[key].value, key)
    if "one_of" in entries:
        choice = entries["one_of"].value
        if not isinstance(choice, yaml.SequenceNode) or not choice.value:
            raise described.error(choice, f"one_of of parameter {name} has to be a list of values")
        stated["one_of"] = tuple(_value(described, item, kind, name) for item in choice.value)
    if "default" in entries:
        stated["default"] = _value(described, entries["default"].value, kind, name)
    stated.setdefault("unit", _unit_of(name, kind))
    spec = ParameterSpec(name, kind, **stated)
    if "default" in entries and (problem := spec.problem_with(spec.default)):
        shown = f"the default {spec.default!r} of parameter {name} will not do, {problem}"
        raise described.error(entries["default"].value, f"{shown}; allowed is {spec.allowed}")
    return spec


def _type(described: Described, node: yaml.Node) -> type:
    said = described.text(node, "the type")
    if said not in TYPES:
        raise described.error(node, f"{said!r} is no type; types are {', '.join(TYPES)}")
    return TYPES[said]


def _value(described: Described, node: yaml.Node, kind: type, name: str) -> Any:
    value = described.scalar(node, f"a value of parameter {name}")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        said = next(said for said, each in TYPES.items() if each is kind)
        raise described.error(node, f"{value!r} is no {said}, which parameter {name} has to be") from error


def _unit_of(name: str, kind: type) -> str:
    """What the end of a name says: `duration_s` is in seconds."""
    _, underscore, ending = name.rpartition("_")
    return UNITS.get(ending, "") if underscore and kind in (int, float) else ""
