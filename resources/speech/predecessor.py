"""What a process that was started again finds of the one before it: the last samples of its ring.

A process that ended in order has removed its ring, and has no successor.
"""

from __future__ import annotations

from pathlib import Path

from framework.errors import StreamError
from framework.transport.ring import RingReader, Sample

MOST_BLOCKS_A_TURN = 64
"""Whoever has to make up for much takes so many blocks a turn: it beats and tells how far it is meanwhile."""


def left_by(ring: Path) -> list[Sample]:
    """What it wrote last, oldest first; nothing if there was none."""
    try:
        with RingReader(ring) as reader:
            return reader.since(0)
    except StreamError:
        return []
