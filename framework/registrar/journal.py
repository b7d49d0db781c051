"""What a registrar did, in order, for people and reports: one entry a grant, refusal, stop, restart…"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from framework.registrar.effects import JournalKind, Record

log = logging.getLogger("pilothouse.registrar")

#: How many entries are kept in memory.
KEPT = 10_000


class JournalEntry(msgspec.Struct, frozen=True, gc=False):
    """At `at_s` (on the registrar's clock) and `wall_s` (for people): who, what, why."""

    at_s: float
    wall_s: float
    registrar: str
    deed: JournalKind
    request: Any
    who: str
    why: str
    lease: str
    generation: int

    def __str__(self) -> str:
        who = f" {self.who}" if self.who else ""
        why = f" ({self.why})" if self.why else ""
        return f"{self.deed}{who}: {self.registrar}/{self.request}{why}"


class Journal:
    """Append-only; `listen` hands every new entry on."""

    def __init__(self, registrar: str) -> None:
        self._registrar = registrar
        self._entries: deque[tuple[float, float, Record]] = deque(maxlen=KEPT)
        self._listeners: list[Callable[[JournalEntry], None]] = []

    def append(self, at_s: float, wall_s: float, record: Record) -> None:
        """One thing done."""
        self._entries.append((at_s, wall_s, record))
        if self._listeners:
            entry = self._entry(at_s, wall_s, record)
            for listener in list(self._listeners):
                try:
                    listener(entry)
                except Exception:
                    log.exception("a listener of the journal of %s raised", self._registrar)

    def listen(self, listener: Callable[[JournalEntry], None]) -> Callable[[], None]:
        """Have every new entry handed to `listener`; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def entries(self) -> tuple[JournalEntry, ...]:
        """All that are kept, oldest first."""
        return tuple(self._entry(*entry) for entry in self._entries)

    def _entry(self, at_s: float, wall_s: float, record: Record) -> JournalEntry:
        return JournalEntry(
            at_s,
            wall_s,
            self._registrar,
            record.deed,
            record.request,
            record.who,
            record.why,
            record.lease,
            record.generation,
        )
