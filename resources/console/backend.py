"""What the console's server asks of an installation; tests give it a scripted one.

All calls come from the server's event loop. The ones that are not `async` must return at once:
they are looked at up to ten times a second while a page is open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

import msgspec

from resources.console.protocol import (
    Devices,
    Emergency,
    EventLine,
    FailureKind,
    Graph,
    Hello,
    Scene,
    Trees,
    Views,
)
from resources.types.streams import StreamFormat


class Topic(Enum):
    """What can change; `ConsoleServer.changed(topic)` has it pushed to every page, coalesced."""

    SCENE = auto()
    GRAPH = auto()
    TREES = auto()
    DEVICES = auto()
    VIEWS = auto()
    EMERGENCY = auto()


class RingFeed(msgspec.Struct, frozen=True):
    """A ring whose newest samples are relayed to the pages; `format` is VIEW or POSES."""

    ring: Path
    format: StreamFormat
    most_hz: float = 10.0


class ConsoleBackend(Protocol):
    """An installation, as the console sees it.

    Commands return what was done, in words, and raise a PilothouseError whose words say why not.
    `who` names the person or program that asked.
    """

    def hello(self) -> Hello:
        """Who this is; asked once for each page that connects."""
        ...

    def scene(self) -> Scene: ...

    def graph(self) -> Graph: ...

    def trees(self) -> Trees: ...

    def devices(self) -> Devices: ...

    def views(self) -> Views: ...

    def emergency(self) -> Emergency: ...

    def feeds(self) -> Mapping[str, RingFeed]:
        """The rings to relay, by view id (as in `views`), and "scene" for the poses of all bodies."""
        ...

    def recent_events(self) -> Sequence[EventLine]:
        """What a page that has just connected is told, oldest first; some hundred at most."""
        ...

    def status(self) -> bytes:
        """What `pilothouse status --json` prints, as JSON."""
        ...

    def say(self, text: str, *, who: str) -> AsyncIterator[EventLine]:
        """Carry out an instruction; gives its events until it has ended or stands (continuous ones).

        Closing the iterator early only stops the telling, not what was started.
        """
        ...

    def stop(self, *, who: str) -> str:
        """Latch the emergency stop. Never waits for anything."""
        ...

    async def reset(self, *, who: str) -> str: ...

    async def fail(self, resource: str, how: FailureKind, *, who: str) -> str: ...

    async def restore(self, resource: str, *, who: str) -> str: ...

    async def retry_now(self, resource: str, *, who: str) -> str: ...
