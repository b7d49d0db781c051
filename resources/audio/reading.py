"""Sound out of a microphone's ring: every block in its order, or all of it between two moments."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from framework.errors import StreamError
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingReader, Sample
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK_BYTES, BLOCK_S, HISTORY_BLOCKS, OVER, RATE_HZ

_MOST_LATE_S: Final = 3 * BLOCK_S  # blocks come in clusters where a machine is busy; a gap is longer


class Block(msgspec.Struct, frozen=True, eq=False):
    """A block of sound. until_s: where it ends, CLOCK_MONOTONIC [s]. is_after_gap: some is missing before.

    is_last: whoever spoke let go of the button: what comes next, whenever, is something else.
    """

    until_s: float
    samples: Samples  # (512,) int16
    is_after_gap: bool = False
    is_last: bool = False


class AudioReading:
    """One reader of a microphone's ring. A sample of no bytes says that sound was lost there.

    Args:
        ring: where it is; it need not be the same writer's for ever.
        since_s: what was heard before this moment is passed over, CLOCK_MONOTONIC [s].

    Raises StreamError if there is no such ring.
    """

    def __init__(self, ring: Path, since_s: float = float("-inf")) -> None:
        self._reader = EverySample(ring)
        self._since_s = since_s
        self._sequence = 0
        self._until_s: float | None = None
        self.unreadable = 0  # blocks that were none
        self._has_gap = False

    def news(self, most: int = HISTORY_BLOCKS) -> list[Block]:
        """The blocks since the last look, oldest first; the rest of more than `most` with the next look.

        Raises StreamError if the ring is corrupt.
        """
        samples = self._reader.news(most)
        if self._reader.is_anew:
            self._sequence, self._has_gap = 0, self._until_s is not None
        return [block for sample in samples if (block := self._block(sample))]

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        self._reader.close()

    def _block(self, sample: Sample) -> Block | None:
        missed = sample.sequence - self._sequence - 1 if self._sequence else 0
        self._sequence = sample.sequence
        if sample.payload.nbytes != BLOCK_BYTES:
            self.unreadable += sample.payload.nbytes > 0  # of no bytes: its writer says that some is lost
            self._has_gap = True
            return None
        if sample.stamp_s - BLOCK_S < self._since_s:
            return None
        before_s, self._until_s = self._until_s, sample.stamp_s
        is_late = before_s is not None and sample.stamp_s - before_s > _MOST_LATE_S
        has_gap = self._has_gap or (before_s is not None and (missed > 0 or is_late))
        self._has_gap, is_last = False, sample.meta == OVER
        if is_last:
            self._until_s = None
        return Block(sample.stamp_s, np.frombuffer(sample.payload, np.int16), has_gap, is_last)


class Excerpt(msgspec.Struct, frozen=True, eq=False):
    """Sound between two moments. is_whole: no block of it is missing."""

    began_s: float
    samples: Samples  # (n,) int16
    is_whole: bool

    @property
    def until_s(self) -> float:
        """Where it ends."""
        return self.began_s + len(self.samples) / RATE_HZ


def excerpt(ring: Path, from_s: float, until_s: float) -> Excerpt:
    """What was heard between two moments, as far as the ring still has it.

    Raises StreamError if there is no such ring, or nothing of that time is in it.
    """
    with RingReader(ring) as reader:
        found = [
            sample
            for sample in reader.since(0)
            if from_s < sample.stamp_s <= until_s + BLOCK_S and sample.payload.nbytes == BLOCK_BYTES
        ]
    if not found:
        raise StreamError(f"the microphone's last half minute has nothing of {from_s:.2f} to {until_s:.2f} s")
    sound = np.concatenate([np.frombuffer(sample.payload, np.int16) for sample in found])
    follows = all(
        a.sequence + 1 == b.sequence and b.stamp_s - a.stamp_s <= _MOST_LATE_S for a, b in pairwise(found)
    )
    begins, ends = found[0].stamp_s - from_s <= 1.5 * BLOCK_S, found[-1].stamp_s >= until_s - BLOCK_S
    is_whole = follows and begins and ends
    return Excerpt(found[0].stamp_s - BLOCK_S, sound, is_whole)
