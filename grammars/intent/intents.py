"""What a text may be for: one of our actions, the dialogue, several things, or nothing of ours."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec


class Kind(StrEnum):
    """Who an intent is for."""

    ACTION = "action"
    STOP = "stop"
    """Everything is to stop."""
    DIALOGUE = "dialogue"
    """What the dialogue itself understands: "carry on", "yes"."""
    SEVERAL = "several"
    """Several things, at once or one after the other."""
    UNCLEAR = "unclear"
    """Whoever says it has to be asked what is meant."""
    NOTHING_OF_OURS = "nothing of ours"
    """Something is asked for that no action of ours is for."""
    REMARK = "remark"
    """Nothing is asked for."""


class Intent(msgspec.Struct, frozen=True, order=True):
    """What a text is for, as far as its words alone decide it.

    name: of an action, or of what the dialogue is to do. values: of the action's parameters, in order.
    counted: parameters that a number is said for.
    """

    kind: Kind
    name: str = ""
    values: tuple[tuple[str, str], ...] = ()
    counted: tuple[str, ...] = ()

    def is_like(self, other: Intent) -> bool:
        """Whether they differ in no more than values: "up" and "down"."""
        return (self.kind, self.name) == (other.kind, other.name)

    def __str__(self) -> str:
        values = (f"{name}={value}" for name, value in self.values)
        return " ".join((self.name or self.kind.value, *values, *self.counted))


STOP: Final = Intent(Kind.STOP, "stop")
SEVERAL: Final = Intent(Kind.SEVERAL)
UNCLEAR: Final = Intent(Kind.UNCLEAR)
NOTHING_OF_OURS: Final = Intent(Kind.NOTHING_OF_OURS)
REMARK: Final = Intent(Kind.REMARK)
