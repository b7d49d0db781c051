"""What people said to a robot, what they meant, and what must never happen: the data of the trials."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from framework.errors import DescriptionError
from framework.unreadable import UNREADABLE

DATA: Final = Path(__file__).parent / "data"


class Right(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One outcome that is right. Exactly one of plan, asks, refuses, answers and meta is given.

    plan: what is carried out, as `notation` writes it.
    asks: a question is asked in which all of these words occur.
    refuses: the kind of the refusal; names: words of which one occurs in it, or in the answer.
    answers: the action that answers, or "status".
    meta: a command to the supervisor itself.
    """

    plan: str = ""
    asks: tuple[str, ...] | None = None
    refuses: str = ""
    answers: str = ""
    meta: str = ""
    names: tuple[str, ...] = ()


class Ends(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where a device ends, from where it was before the first sentence [m, rad].

    turn_rad: positive to the left, of the base, or of a wrist as its arm's.
    """

    device: str
    up_m: float | None = None
    forward_m: float | None = None
    left_m: float | None = None
    turn_rad: float | None = None
    open: bool | None = None


class Trial(msgspec.Struct, frozen=True, rename={"kind": "class"}, forbid_unknown_fields=True):
    """One utterance.

    before: what was said before it. means, never: for people who read this.
    needs: verbs of what this robot cannot do; if there are any, only a refusal that says so is right.
    may_move: devices that may move after it; nothing else may.
    things: what it names that there is, as it is called there.
    """

    id: str
    before: tuple[str, ...]
    say: str
    kind: str
    means: str
    never: str
    needs: tuple[str, ...]
    right: tuple[Right, ...]
    may_move: tuple[str, ...]
    things: tuple[str, ...]
    ends: Ends | tuple[Ends, ...] | None = None

    @property
    def all_ends(self) -> tuple[Ends, ...]:
        """Where devices end; none if that is not said."""
        if self.ends is None:
            return ()
        return self.ends if isinstance(self.ends, tuple) else (self.ends,)


def read(file: Path) -> tuple[Trial, ...]:
    """All lines of a file. Raises DescriptionError with file and line."""
    found: list[Trial] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found.append(msgspec.json.decode(line, type=Trial))
        except UNREADABLE as error:
            raise DescriptionError(f"line {number} is no trial: {error}", file=str(file)) from error
    return tuple(found)
