"""Every sample of a stream in its order, whoever writes it: for streams of which none may be missed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from framework.transport.ring import RingReader, Sample

_ALL: Final = sys.maxsize


class EverySample:
    """One reader of such a ring. When another ring takes its place, all of that one follows.

    goes_on: a ring of the same writer that takes its place goes on with the same numbers, as a larger one
    does: what was handed out already does not follow again. Raises StreamError if there is no such ring.
    """

    def __init__(self, ring: Path, *, goes_on: bool = False) -> None:
        self._reader = RingReader(ring)
        self._goes_on = goes_on
        self.sequence = 0
        """Of the last one that was handed out, 0 before the first."""
        self.is_anew = False
        """Whether the last look began with another ring."""

    def news(self, most: int = _ALL) -> list[Sample]:
        """Those since the last look that are still there, oldest first, the rest of more than `most` with the
        next look. What is missing shows in the sequences.

        Raises StreamError if the ring is corrupt.
        """
        # Asked in this order: what its writer still wrote before the other one came is not to be missed.
        is_replaced = self._reader.replaced()
        self.is_anew = False
        if is_replaced and self._reader.sequence == self.sequence:
            self._go_over()
        found = self._reader.since(self.sequence)[:most]
        if found:
            self.sequence = found[-1].sequence
        return found

    def _go_over(self) -> None:
        """To the ring that has taken its place, unless that is a larger one that is just being filled."""
        former = self._reader
        self._reader = RingReader(former.path)
        if self._goes_on and self._reader.writer_pid == former.writer_pid:
            if self._reader.sequence < self.sequence:
                self._reader.close()
                self._reader = former
                return
        else:
            self.is_anew = True
            self.sequence = 0
        former.close()

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        self._reader.close()
