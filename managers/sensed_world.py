"""What the simulated world reports of its things, read from its stream whenever somebody looks."""

from __future__ import annotations

from pathlib import Path

import msgspec

from framework.errors import StreamError
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from resources.types.control import SimulationReport, ThingReport
from resources.types.streams import StreamHandle

_DECODER = msgspec.msgpack.Decoder(SimulationReport)


class SensedWorld:
    """Reads one world's reports. A world that is gone, or speaks nonsense, has no news."""

    def __init__(self, report: StreamHandle) -> None:
        self._path = Path(report.ring)
        self._reader: RingReader | None = None
        self._seen = 0

    def news(self) -> tuple[ThingReport, ...]:
        """The things of the newest report; empty if it was read before."""
        try:
            if self._reader is None:
                self._reader = RingReader(self._path)
            elif self._reader.replaced():
                self._reader.reopen()
                self._seen = 0
            sample = self._reader.latest(self._seen)
            if sample is None:
                return ()
            self._seen = sample.sequence
            return _DECODER.decode(sample.payload).things
        except (StreamError, *UNREADABLE):
            return ()

    def close(self) -> None:
        """Let go of the stream; idempotent."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
