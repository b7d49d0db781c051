"""Reads a pack (see `grammars.packs`): its commands, and what becomes of each here."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import yaml

from framework.errors import DescriptionError
from framework.plugins.described import Described, Entry
from framework.plugins.signature import ActionSpec
from grammars.domain import Domain, read_domain

OURS: Final = Path(__file__).parent
PACK_FILE, COMMANDS_FILE = "pack.yaml", "commands.yaml"

_KEYS = ("known", "deeds")
_OF_DEED = ("say", "cannot", "first")


class Way(msgspec.Struct, frozen=True):
    """One way to say what is asked for in an installation's own words, and the parameters that it says.

    place: "file:line".
    """

    words: str
    says: frozenset[str]
    place: str = ""


class Deed(msgspec.Struct, frozen=True):
    """What becomes of an action of the commands: the first of the ways that says just what was asked for.

    cannot: the ability that is missing where none does, behind "I cannot". is_first: this is what becomes of
    it although the installation would take it for something else that it can do.
    """

    ways: tuple[Way, ...] = ()
    cannot: str = ""
    is_first: bool = False


class Pack(msgspec.Struct, frozen=True):
    """One pack. known: for a kind of names of the commands, the installation's kinds that are meant, too."""

    folder: Path
    domain: Domain
    known: Mapping[str, tuple[str, ...]]
    deeds: Mapping[str, Deed]


def read_pack(folder: Path) -> Pack:
    """The pack in a folder. Raises DescriptionError with file, line, what stands there and what may."""
    if not folder.is_dir():
        raise DescriptionError(
            f"there is no folder of a grammar pack; ours are {', '.join(packs())}", file=str(folder)
        )
    for name in (COMMANDS_FILE, PACK_FILE):
        if not (folder / name).is_file():
            raise DescriptionError(
                f"it is no grammar pack: there is no {name} in it; `pilothouse new grammar NAME` writes one",
                file=str(folder),
            )
    domain = read_domain(folder / COMMANDS_FILE)
    described = Described(folder / PACK_FILE, 'deeds: {take: {cannot: "pick things up"}}')
    entries = described.mapping(described.root, "the file", _KEYS)
    actions = {spec.name: spec for spec in domain.actions}
    deeds: dict[str, Deed] = {}
    if "deeds" in entries:
        for name, (key, node) in described.mapping(entries["deeds"].value, "deeds").items():
            if name not in actions:
                raise described.error(
                    key, f"{COMMANDS_FILE} has no action {name!r}; it has {', '.join(sorted(actions))}"
                )
            deeds[name] = _deed(described, actions[name], node)
    missing = sorted(set(actions) - set(deeds))
    if missing:
        raise described.error(
            described.root,
            f"it is not said under `deeds` what becomes of {', '.join(missing)}: say or cannot",
        )
    return Pack(folder, domain, _known(described, entries, domain), deeds)


def packs() -> tuple[str, ...]:
    """Those that come with us, by name."""
    return tuple(sorted(file.parent.name for file in OURS.glob(f"*/{PACK_FILE}")))


def read_packs(named: Iterable[str | Path]) -> tuple[Pack, ...]:
    """Packs of ours by their names, any others by their folders; none twice. Raises DescriptionError."""
    folders = (OURS / each if str(each) in packs() else Path(each).resolve() for each in named)
    return tuple(read_pack(folder) for folder in dict.fromkeys(folders))


def slots_in(words: str) -> frozenset[str]:
    """The parameters in a way's words. Raises ValueError if its braces are none."""
    parts = tuple(string.Formatter().parse(words))
    if any(
        name is not None and (not name.isidentifier() or spec or conversion)
        for _, name, spec, conversion in parts
    ):
        raise ValueError("a parameter stands in braces by its name alone: {object}")
    return frozenset(name for _, name, _, _ in parts if name)


def _deed(described: Described, action: ActionSpec, node: yaml.Node) -> Deed:
    entries = described.mapping(node, f"what becomes of {action.name}", _OF_DEED)
    cannot = ""
    if "cannot" in entries:
        cannot = described.text(entries["cannot"].value, "what cannot be done").strip()
    if not cannot:
        raise described.error(
            node,
            f'{action.name} needs `cannot`: what follows "I cannot" for whoever asks for what no way says',
        )
    ways: list[Way] = []
    if "say" in entries:
        allowed = {parameter.name for parameter in action.parameters}
        for text in described.texts(entries["say"].value, "say"):
            try:
                says = slots_in(text.text)
            except ValueError as error:
                raise described.error(text.node, f"{text.text!r} cannot be read: {error}") from error
            if unknown := sorted(says - allowed):
                there_are = ", ".join(sorted(allowed)) or "none"
                raise described.error(
                    text.node,
                    f"{action.name} has no parameter {unknown[0]!r}; its parameters are {there_are}",
                )
            ways.append(Way(text.text, says, f"{described.file}:{text.line}"))
    is_first = "first" in entries and described.flag(entries["first"].value, "first")
    return Deed(tuple(ways), cannot, is_first)


def _known(
    described: Described, entries: Mapping[str, Entry], domain: Domain
) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    entry = entries.get("known")
    if entry is None:
        return found
    for kind, (key, node) in described.mapping(entry.value, "known").items():
        if kind not in domain.world.kinds:
            known = ", ".join(domain.world.kinds) or "none"
            raise described.error(key, f"{COMMANDS_FILE} has no names of {kind!r}; it has those of {known}")
        found[kind] = tuple(each.text for each in described.texts(node, kind))
    return found


def said_by(parameters: Mapping[str, object], action: ActionSpec) -> frozenset[str]:
    """Those parameters of a plan's step that say more than their defaults do."""
    plain = {each.name: each.default for each in action.parameters}
    return frozenset(name for name, value in parameters.items() if value != plain.get(name))
