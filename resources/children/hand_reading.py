"""The hand that a control loop follows, read where the motion is made: from the ring that its orders name."""

from __future__ import annotations

from pathlib import Path

import msgspec

from framework.errors import StreamError
from framework.transport.ring import RingReader
from resources.children.complaints import Complaints
from resources.types.masters import HandSample, decode_hand
from resources.types.motion import Follow


class HandReading:
    """The newest sample of whoever is followed. A ring that is gone or holds nonsense gives none."""

    def __init__(self, device: str, complaints: Complaints) -> None:
        self._device = device
        self._complaints = complaints
        self._path = ""
        self._ring: RingReader | None = None
        self._seen = 0

    def news(self, follow: Follow | None, now_s: float) -> HandSample | None:
        """What is new since the last look; None if nothing is, or nobody is followed."""
        if follow is None or follow.source != self._path:
            self.close()
        if follow is None:
            return None
        try:
            if self._ring is None:
                self._path = follow.source
                self._ring = RingReader(Path(follow.source))
            sample = self._ring.latest(self._seen)
            if sample is None:
                if self._ring.replaced():
                    self._ring.reopen()
                    self._seen = 0
                return None
            self._seen = sample.sequence
            hand: HandSample = decode_hand(sample.payload)
            return hand
        except (StreamError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            self._complaints.add(f"{self._device}: the hand that it follows: {error}", now_s)
            return None

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        if self._ring is not None:
            self._ring.close()
        self._ring, self._path, self._seen = None, "", 0
