"""What becomes of commands to a robot at home in the flat that comes with us: world, robot and pack `home`.

The installation is real and runs on the virtual clock, so the names are those that a person there finds.
Right is: carried out with just what was named; refused by an ability that is wanted and missing; refused
because something that was named is not in the flat. Everything else is an untrue refusal, or wrong.
"""

from __future__ import annotations

import hashlib
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final, Literal

import msgspec

from framework.dialogue.meta_reading import MetaReader
from framework.errors import DescriptionError, PlanError
from framework.events import Subject
from framework.plan.ast import Plan, actions_of
from framework.plan.check import check
from framework.plan.parser import Known, NotUnderstood, Understood, World
from framework.plan.signature import Signatures
from framework.testing.runner import run
from framework.unreadable import UNREADABLE
from grammars import Language
from grammars.packs.hearing import PackHearing
from grammars.packs.pack import Pack
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.at_home import read_kinds
from pilothouse.experiments.language.judged import is_unasked
from pilothouse.experiments.language.sets import Annotated, Wanted
from pilothouse.experiments.language.slots import PERSONAL, template_slots
from pilothouse.language import language_of
from pilothouse.settings import Settings
from pilothouse.testbed.virtual_installation import VirtualInstallation, VirtualStage

#: Kinds of names in the flat that a command may name.
_NAMED: Final = ("world.known", "places")

#: Slots of a template that name something which there is, or is not, and under which kind of names.
_OF_THE_FLAT: Final = {
    "location room": "world.places",
    "location placement": "world.fixtures",
    "location beacon": "world.fixtures",
    "object": "world.objects",
    "object alike": "world.objects",
    "name": "world.people",
}

#: What stands before a clause and says nothing of it.
_POLITE: Final = re.compile(r"^((could you|please|robot|then|and)\b\s*)+")


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of which kind of doing a clause of a template is that begins so (a regular expression)."""

    begins: str
    does: str


class Flat(msgspec.Struct, frozen=True):
    """The language of the installation, and what it knows."""

    language: Language
    world: World
    signatures: Signatures
    pack: Pack
    kind_of: Mapping[str, str]


class Fate(Enum):
    """What becomes of a command."""

    DONE = "done"
    CANNOT = "cannot"
    NOT_HERE = "not_here"
    ASKED = "asked"
    UNTRUE = "untrue"
    WRONG = "wrong"


RIGHT: Final = (Fate.DONE, Fate.CANNOT, Fate.NOT_HERE)


class Found(msgspec.Struct, frozen=True):
    """One command, what became of it, and what was said or is to be done.

    is_read: it was understood as a command. is_grounded: everything that it names is in the flat.
    """

    line: Wanted
    fate: Fate
    said: str
    is_read: bool
    is_grounded: bool


def measure_in_the_flat(
    kinds: Path, clauses: Path, commands: Sequence[Annotated], people: Sequence[Wanted], progress: Progress
) -> Figures:
    """What became of generated commands, as they are and of what is there, and of those of people [%].

    Each half by itself. Of how many generated ones the clauses do not say what is wanted; they are left out.
    Raises DescriptionError.
    """
    generated = wanted_of(commands, clauses)
    count = len(generated)

    def lines(world: World) -> Sequence[Wanted]:
        moved = wanted_of([moved_in(command, world) for command in commands], clauses)
        halves = [
            msgspec.structs.replace(each, half=was.half) for each, was in zip(moved, generated, strict=True)
        ]
        return (*generated, *halves, *people)

    found = found_in_the_flat(kinds, lines, progress)
    return (
        {"flat_gpsr_left_out": len(commands) - count}
        | shares(found[:count], "flat_gpsr")
        | shares(found[count : 2 * count], "flat_moved")
        | shares(found[2 * count :], "flat_people")
    )


def shares(found: Sequence[Found], prefix: str) -> Figures:
    """What became of the lines of each half [%]."""
    figures: Figures = {}
    for half in ("dev", "held"):
        lines = [each for each in found if each.line.half == half]
        if not lines:
            continue
        counts = Counter(each.fate.value for each in lines)
        counts["read"] = sum(each.is_read for each in lines)
        counts["grounded"] = sum(each.is_read and each.is_grounded for each in lines)
        counts["right"] = sum(each.fate in RIGHT for each in lines)
        for name in (*(fate.value for fate in Fate), "right", "read", "grounded"):
            figures[f"{prefix}_{half}_{name}_pct"] = 100.0 * counts[name] / len(lines)
    return figures


def found_in_the_flat(
    kinds: Path, lines_in: Callable[[World], Sequence[Wanted]], progress: Progress
) -> list[Found]:
    """What becomes of each line; lines_in makes them of what is there. Raises DescriptionError."""
    kind_of = read_kinds(kinds)

    async def play() -> list[Found]:
        with tempfile.TemporaryDirectory(prefix="pilothouse-flat-") as folder:
            installation = VirtualInstallation(Settings(Path(folder), world="home"))
            async with installation:
                stage = VirtualStage(installation)
                try:
                    await stage.until_up()
                    here = installation.managers
                    heard = tuple(map(PackHearing, installation.packs))
                    language = language_of(installation.catalogue, packs=heard)
                    flat = Flat(language, here.world, here.signatures, heard[0].pack, kind_of)
                    lines = lines_in(here.world)
                    progress.begin("commands in the flat", len(lines))
                    return [_found(flat, line, progress) for line in lines]
                finally:
                    stage.close()

    return run(play)


def wanted_of(commands: Sequence[Annotated], clauses: Path) -> list[Wanted]:
    """What generated commands want, from their templates; the lot that decides on the half is of the text.

    Without those with a clause that the file of clauses does not have. Raises DescriptionError for that file.
    """
    try:
        patterns = msgspec.yaml.decode(clauses.read_bytes(), type=tuple[Clause, ...])
    except (OSError, *UNREADABLE) as error:
        raise DescriptionError(f"a clause is {{begins: …, does: …}}: {error}", file=str(clauses)) from error
    return [wanted for command in commands if (wanted := _wanted(command, patterns)) is not None]


def moved_in(command: Annotated, world: World) -> Annotated:
    """The same command with names that the flat has in the place of those that it does not, drawn by lot."""
    lots, text = random.Random(command.text), command.text
    for slot in dict.fromkeys(template_slots(command.text, command.anonymized)):
        kind = _OF_THE_FLAT.get(slot.type, "")
        if kind and not _meant(world, slot.words):
            said = r"\s+".join(map(re.escape, slot.words.split()))
            text = re.sub(rf"(?<!\w){said}(?!\w)", lots.choice(world.names(kind)), text, flags=re.IGNORECASE)
    return Annotated(text, command.anonymized)


def half_of(text: str) -> Literal["dev", "held"]:
    """By lot: the hash of the sentence."""
    return "held" if hashlib.sha256(text.encode()).digest()[-1] % 2 else "dev"


def _wanted(command: Annotated, patterns: Sequence[Clause]) -> Wanted | None:
    template = " ".join(re.sub(r"\{([^?\d}]*)[^}]*\}", _slot, command.anonymized).lower().split())
    does: list[str] = []
    for clause in re.split(r"\s*,\s*and |\s*,\s*| and ", template):
        asked = _POLITE.sub("", clause).strip()
        fits = next((each for each in patterns if re.match(rf"(?:{each.begins})", asked)), None)
        if fits is None:
            return None
        if fits.does:
            does.append(fits.does)
    slots = template_slots(command.text, command.anonymized)
    names = tuple(slot.words for slot in slots if slot.type in _OF_THE_FLAT)
    return Wanted(command.text, tuple(does), names, half=half_of(command.text))


def _slot(found: re.Match[str]) -> str:
    return "{" + found[1].partition(" where ")[0].strip() + "}"


def _found(flat: Flat, line: Wanted, progress: Progress) -> Found:
    progress.step()
    grounded = [name in PERSONAL or _meant(flat.world, name) for name in line.names]
    command = MetaReader(flat.language.meta).command(line.text)
    if command is not None and not command.what:
        return Found(line, Fate.WRONG, f"the command {command.kind}", True, all(grounded))
    answer = flat.language.parse(line.text, flat.world)
    if isinstance(answer, Understood):
        said = flat.language.in_words(answer.readings[0].plan)
        fate = _of_plan(flat, answer, line, said)
    else:
        fate, said = _of_refusal(flat, answer, line), str(answer)
    return Found(line, fate, said, fate is not Fate.UNTRUE or _is_read(answer), all(grounded))


def _is_read(answer: Understood | NotUnderstood) -> bool:
    return isinstance(answer, Understood) or answer.kind is not Subject.NOT_UNDERSTOOD


def _of_plan(flat: Flat, answer: Understood, line: Wanted, said: str) -> Fate:
    plan = answer.readings[0].plan
    try:
        check(plan, flat.signatures)
    except PlanError:
        return Fate.UNTRUE
    if not is_unasked(answer.readings):
        return Fate.ASKED
    can = {flat.kind_of[action] for action, deed in flat.pack.deeds.items() if deed.ways}
    is_whole = all(_has(flat, plan, said, name) for name in line.names)
    return Fate.DONE if can.issuperset(line.does) and is_whole else Fate.WRONG


def _of_refusal(flat: Flat, answer: NotUnderstood, line: Wanted) -> Fate:
    if answer.kind is Subject.NO_THING:
        is_true = any(answer.unknown.casefold() in name.casefold() for name in line.names)
        return Fate.NOT_HERE if is_true and not _meant(flat.world, answer.unknown) else Fate.UNTRUE
    wanted = {deed.cannot for action, deed in flat.pack.deeds.items() if flat.kind_of[action] in line.does}
    every = {deed.cannot for deed in flat.pack.deeds.values()}
    named = {cannot for cannot in every if cannot in answer.reason}
    named = {each for each in named if not any(each != other and each in other for other in named)}
    return Fate.CANNOT if answer.kind is Subject.NO_ACTION and named and named <= wanted else Fate.UNTRUE


def _meant(world: World, name: str) -> frozenset[object]:
    """The values of what is called so in the flat."""
    asked = _plain(name)
    return frozenset(
        known.value for kind in _NAMED for known in world.known(kind) if asked in map(_plain, _called(known))
    )


def _called(known: Known) -> tuple[str, ...]:
    return (known.name, *known.says)


def _has(flat: Flat, plan: Plan, said: str, name: str) -> bool:
    """Whether a plan has to do with what is called so; with what is nothing in the flat, by its words."""
    meant = _meant(flat.world, name)
    if not meant:
        return name in PERSONAL or _plain(name) in _plain(said)
    values = [value for do in actions_of(plan) for value in do.parameters.values()]
    return any(isinstance(value, str) and value in meant for value in values)


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
