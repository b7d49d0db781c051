"""`RingNews`: what is new in a ring whose writer may come, go and be started again."""

from __future__ import annotations

from pathlib import Path

from framework.transport.ring import RingReader, Sample


class RingNews:
    """Each sample once, the newest only. The ring is opened with the first look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ring: RingReader | None = None
        self._seen = 0

    def newest(self) -> Sample | None:
        """What has come since the last look, if anything. Raises StreamError if there is no such ring."""
        if self._ring is None:
            self._ring = RingReader(self._path)
        sample = self._ring.latest(self._seen)
        if sample is not None:
            self._seen = sample.sequence
        elif self._ring.replaced():
            # Whoever looks may have no time to look twice: what that writer says comes with the next look.
            self._ring.reopen()
            self._seen = 0
        return sample

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        if self._ring is not None:
            self._ring.close()
            self._ring = None
