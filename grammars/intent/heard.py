"""What people said, and what they meant by it: `heard.jsonl`, beside an action and beside the core.

A line: {"say": "Now make a fist for me.", "means": "close the gripper"}. `means` is a plain instruction that
the grammar reads; empty where no action is for it; "?" where whoever says it has to be asked; "-" for a
remark. Beside the core stands what no action has for itself: several things at once, "stop", what this robot
cannot do.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import DescriptionError
from framework.unreadable import UNREADABLE

FILE_NAME: Final = "heard.jsonl"
TO_BE_ASKED: Final = "?"
"""What is written for what whoever says it means who has to be asked."""


REMARK: Final = "-"
"""What is written for what asks for nothing, as people say it beside an instruction."""

NO_PLAN: Final = ("", TO_BE_ASKED, REMARK)
"""All that stands for no plain instruction."""


class Heard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that somebody said, and the same in plain words, or one of NO_PLAN."""

    say: str
    means: str


def read_heard(file: Path) -> tuple[Heard, ...]:
    """All lines of a file. Raises DescriptionError with file and line."""
    found: list[Heard] = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UNREADABLE as error:
        raise DescriptionError(f"it cannot be read: {error}", file=str(file)) from error
    for number, line in enumerate(lines, start=1):
        try:
            found.append(msgspec.json.decode(line, type=Heard))
        except UNREADABLE as error:
            raise DescriptionError(
                f'{error}; a line is {{"say": "…", "means": "…"}}', file=str(file), line=number
            ) from error
    return tuple(found)


def heard_beside(files: Iterable[Path]) -> tuple[Heard, ...]:
    """What stands beside some files, each of which may have it. Raises DescriptionError."""
    beside = sorted({each.parent / FILE_NAME for each in files})
    return tuple(line for file in beside if file.is_file() for line in read_heard(file))
