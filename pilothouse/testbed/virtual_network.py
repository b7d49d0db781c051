"""A network between the registrars of a played installation, and what can ail it.

`pilothouse run` has all registrars in one process, where a message takes no time. In three seeds of four they
are played as if each had a machine of its own: messages take time, registrars have heartbeats, and the
network can be slow or lossy, or be cut between one registrar and all others.
"""

from __future__ import annotations

import random
from typing import Final

from framework.errors import ResourceUnavailable
from framework.scenarios.scenario import How
from framework.transport.local import LocalTransport
from framework.transport.messages import Message

BEAT_S: Final = 0.1
"""As between machines (`framework.transport.zenoh`)."""

LATENCY_DRAWN_S: Final = (0.0002, 0.004)
SLOW_S: Final = 0.06
"""So much longer takes what a slow network brings."""

LATE_S: Final = 0.04
LOST: Final = 0.15
DOUBLED: Final = 0.15
"""A lossy one: these shares are lost, or come twice; and all are late by up to that, so they overtake."""

_NOT_SPREAD_EVERY: Final = 4


class VirtualNetwork:
    """is_between: there is one; the seed says so. `fail` and `restore` as of any place."""

    def __init__(self, seed: int) -> None:
        self.is_between = seed % _NOT_SPREAD_EVERY != 0
        self._lots = random.Random(seed)
        self._latency_s = self._lots.uniform(*LATENCY_DRAWN_S)
        self._how: How | None = None
        self._cut_off = ""
        self._transport: LocalTransport | None = None

    def transport(self) -> LocalTransport:
        """Where the registrars meet."""
        if not self.is_between:
            return LocalTransport()
        self._transport = LocalTransport(beat_s=BEAT_S, disturb=self._carried)
        return self._transport

    def fail(self, how: How) -> None:
        """From now on. Raises ResourceUnavailable."""
        if self._transport is None:
            raise ResourceUnavailable("all registrars are in one process: there is no network between them")
        self._how = how
        self._cut_off = self._lots.choice(sorted(self._transport.links))

    def restore(self) -> str:
        """It is well again."""
        self._how = None
        return "the network between the registrars is well again"

    def _carried(self, sender: str, to: str, message: Message) -> tuple[float, ...]:
        """After which times the message arrives [s]."""
        lots, usual_s = self._lots, self._latency_s
        match self._how:
            case None:
                return (usual_s,)
            case How.HANG:
                return () if self._cut_off in (sender, to) else (usual_s,)
            case How.SLOW:
                return (usual_s + SLOW_S,)
            case _:
                fate = lots.random()
                if fate < LOST:
                    return ()
                times = 2 if fate < LOST + DOUBLED else 1
                return tuple(usual_s + lots.uniform(0.0, LATE_S) for _ in range(times))
