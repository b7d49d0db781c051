"""What an action says while it runs, the states it goes through, and how it ended. Data only."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class RunState(StrEnum):
    """Where an action is. The last three are the end."""

    WAITING = "waiting"  # for what it needs
    RUNNING = "running"
    READY = "ready"  # continuous, and established
    ASKING = "asking"  # the operator has to answer
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self in _OVER


_OVER = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED})


class ActionEventKind(StrEnum):
    """What an event is about; the supervisor's event kinds have the same values."""

    STARTED = "started"
    DOING = "doing"
    WAITING = "waiting"
    SWITCHED = "switched"
    ANSWERED = "answered"
    ASKED = "asked"
    FAILED = "failed"
    ENDED = "ended"
    CANCELLED = "cancelled"


class ActionEvent(msgspec.Struct, frozen=True):
    """One sentence about an action. `fraction` is how much is done, -1 where it is not known."""

    kind: ActionEventKind
    text: str
    action: str
    who: str = ""
    fraction: float = -1.0


class Outcome(msgspec.Struct, frozen=True):
    """How an action ended. `value` is what its `run` returned; `words` say what happened.

    why: the reason alone, without whose it is; "" if the words are all there is.
    """

    state: RunState
    value: Any = None
    words: str = ""
    why: str = ""
