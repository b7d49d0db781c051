"""A column of the fault matrix: what it is made of, and how each fault of its own begins and ends.

To add a column, derive from `Subject`: `open` enters the managers, `request` is what clients ask
for, `begin` lets a fault of its own begin, `mend` ends it, and `outcomes` says what has to follow.
The columns there are: `sub_resource.py`, `sensor.py`, `stream.py`, `controller.py`; and of speech
and gestures `microphone.py`, `recogniser.py`, `hands.py`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from framework.registrar import ResourceRegistrar
from tests.faults.stage import Client, Stage
from tests.framework.registrar.harness import vanish

#: How long a scripted child takes until it works [s]; its readiness stands for its first sample.
START_S = 0.5

#: A cell's times may be late by this much [s]: the bar for telling somebody in the same process.
NOTICE_S = 0.05


class Outcome(msgspec.Struct, frozen=True):
    """What a fault leads to.

    told: severities, in order, that each client is told.
    within_s: from the fault until the first of them, or until the refusal.
    words: what the refusal or the last status says; "" if nobody is refused and nobody's body ends.
    substitute_s: from the fault until a client has another handle, or, at the start, the substitute's.
    """

    told: tuple[str, ...]
    within_s: float = NOTICE_S
    words: str = ""
    substitute_s: float | None = None


class Subject:
    """A column of the matrix."""

    name: ClassVar[str]
    #: By fault; those on which all columns agree are in `test_fault_matrix.py`.
    outcomes: ClassVar[dict[str, Outcome]]
    #: What hangs while stopping keeps the next one waiting for so long at most [s].
    stops_within_s: ClassVar[float]
    #: How long it takes until it works [s].
    starts_s: ClassVar[float] = START_S
    #: Whether it is then given up, or has really ended.
    is_abandoned: ClassVar[bool] = True

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.request: Any

    async def open(self) -> None:
        """Enter the managers."""
        raise NotImplementedError

    def ask(self, client: Client) -> None:
        """Let a client ask for it."""
        client.ask(self.request)

    async def begin(self, fault: str) -> None:
        """Let a fault begin; those of the start and of the stop lie in wait."""
        raise NotImplementedError

    async def mend(self) -> None:
        """Whatever is broken works again."""
        raise NotImplementedError

    async def kill_manager(self) -> str:
        """As `kill -9` of the process this resource is provided from; returns the manager's name."""
        raise NotImplementedError

    def is_substitute(self, before: Any, after: Any) -> bool:
        """Whether a handle is that of a substitute."""
        raise NotImplementedError

    def check(self, fault: str) -> None:
        """What else holds in this column after a fault in use that has found clients."""

    async def close(self) -> None:
        """End what plays the world around the managers."""


def kill(stage: Stage, registrar: ResourceRegistrar) -> None:
    """Its process is gone, without a word to anybody."""
    vanish(registrar)
    stage.forget(registrar)
