"""The sets of sentences that a language is measured with: where they are, how they are read.

Nothing is measured here.
A set is a file of JSON lines. Ours lie in `data/`, which is part of a checkout; an
installed package does not have them, and anybody may bring others of the same form.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeVar

import msgspec

from framework.errors import DescriptionError, InstallationError
from framework.plan.ast import Plan
from framework.unreadable import UNREADABLE
from grammars.intent.heard import Heard
from grammars.packs.pack import COMMANDS_FILE, OURS

FILES: Final[Mapping[str, str]] = {
    "paraphrases": "paraphrases.jsonl",
    "refused": "refused.jsonl",
    "foreign": "foreign_slurp_dev_250.jsonl",
    "gpsr": "gpsr_egpsr_2019_dev.jsonl",
    "household": str(OURS / "home" / COMMANDS_FILE),
    "at-home": "household_people.jsonl",
    "kinds": "household_kinds.yaml",
    "clauses": "household_clauses.yaml",
    "in-flat": "flat_people.jsonl",
    "strangers": "strangers.jsonl",
    "lab": "lab.yaml",
}
"""Each option of the experiment and the file that is taken without it, in `data/` or elsewhere."""

FOLDER: Final = Path(__file__).with_name("data")


class Paraphrase(msgspec.Struct, frozen=True):
    """An instruction as people say it, and what it means.

    also: other plans that are just as right.
    half: sentences of "held" are never looked at by whoever widens the grammar.
    """

    text: str
    plan: Plan
    also: tuple[Plan, ...] = ()
    half: Literal["dev", "held"] = "dev"


class Refused(msgspec.Struct, frozen=True):
    """A sentence near our domain that must not become a plan, and why."""

    text: str
    reason: str = ""


class Foreign(msgspec.Struct, frozen=True):
    """A sentence that is no command to a robot."""

    text: str


class Annotated(msgspec.Struct, frozen=True):
    """A command of a generator, and the template that it was made from: "go to the {location room}"."""

    text: str
    anonymized: str


class Wanted(msgspec.Struct, frozen=True):
    """An instruction to a robot at home: what it is to do, in order, and the names that it is to do it with.

    like: what people of which set would say ("gpsr": RoboCup@Home; "frames": the frames of HuRIC).
    half: as in a paraphrase.
    """

    text: str
    does: tuple[str, ...]
    names: tuple[str, ...]
    like: str = ""
    half: Literal["dev", "held"] = "dev"


Line = TypeVar("Line", Paraphrase, Refused, Foreign, Annotated, Wanted, Heard)


def files(given: Mapping[str, Path]) -> dict[str, Path]:
    """Every file that is needed: the given ones, and our own for the rest.

    Raises InstallationError if some are neither given nor here.
    """
    found = {option: given.get(option, FOLDER / file) for option, file in FILES.items()}
    missing = [option for option, file in found.items() if option not in given and not file.is_file()]
    if missing:
        options = " ".join(f"--{option} FILE" for option in missing)
        raise InstallationError(
            "the sets of sentences are part of a checkout, not of the installed package; "
            f"run it in a checkout, or give your own: {options}"
        )
    return found


def read(file: Path, kind: type[Line]) -> tuple[Line, ...]:
    """The lines of a set; further keys of a line are left out.

    Raises DescriptionError with the line that is wrong; an empty set is wrong too.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise DescriptionError(f"the set of sentences cannot be read: {error}", file=str(file)) from error
    lines: list[Line] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            lines.append(msgspec.json.decode(line, type=kind))
        except UNREADABLE as error:
            raise DescriptionError(
                f"{error}; a line is a JSON object with {', '.join(kind.__struct_fields__)}",
                file=str(file),
                line=number,
            ) from error
    if not lines:
        raise DescriptionError("there is no sentence in it", file=str(file))
    return tuple(lines)
