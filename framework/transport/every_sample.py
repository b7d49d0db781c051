"""Every sample of a stream in its order, whoever writes it: for streams of which none may be missed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from framework.transport.ring import RingReader, Sample

_ALL: Final = sys.maxsize


class EverySample:
    """One reader of such a ring. When another ring takes its place, all of that one follows.

    Raises StreamError if there is no such ring.
    """

    def __init__(self, ring: Path) -> None:
        self._reader = RingReader(ring)
        self.sequence = 0
        """Of the last one that was handed out, 0 before the first."""
        self.is_anew = False
        """Whether the last look began with another ring."""

    def news(self, most: int = _ALL) -> list[Sample]:
        """Those since the last look that are still there, oldest first, the rest of more than `most` with the
        next look. What is missing shows in the sequences.

        Raises StreamError if the ring is corrupt.
        """
        self.is_anew = self._reader.sequence == self.sequence and self._reader.replaced()
        if self.is_anew:
            self._reader.reopen()
            self.sequence = 0
        found = self._reader.since(self.sequence)[:most]
        if found:
            self.sequence = found[-1].sequence
        return found

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        self._reader.close()
