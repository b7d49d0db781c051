"""The states an action goes through, and how it ended. Data only."""

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


class Outcome(msgspec.Struct, frozen=True):
    """How an action ended. `value` is what its `run` returned; `words` say what happened.

    why: the reason alone, without whose it is; "" if the words are all there is.
    left_behind: what its author has forgotten to end, a line each (`framework.plugins.left_behind`).
    """

    state: RunState
    value: Any = None
    words: str = ""
    why: str = ""
    left_behind: tuple[str, ...] = ()
