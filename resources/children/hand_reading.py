"""The hand that a control loop follows, read where the motion is made: from the ring that its orders name."""

from __future__ import annotations

from pathlib import Path

from framework.errors import StreamError
from framework.unreadable import UNREADABLE
from resources.children.complaints import Complaints
from resources.children.ring_news import RingNews
from resources.types.masters import HandSample, decode_hand
from resources.types.motion import Follow


class HandReading:
    """The newest sample of whoever is followed. A ring that is gone or holds nonsense gives none."""

    def __init__(self, device: str, complaints: Complaints) -> None:
        self._device = device
        self._complaints = complaints
        self._source = ""
        self._ring: RingNews | None = None

    def news(self, follow: Follow | None, now_s: float) -> HandSample | None:
        """What is new since the last look; None if nothing is, or nobody is followed."""
        if follow is None or follow.source != self._source:
            self.close()
        if follow is None:
            return None
        if self._ring is None:
            self._source, self._ring = follow.source, RingNews(Path(follow.source))
        try:
            sample = self._ring.newest()
            return None if sample is None else decode_hand(sample.payload)
        except (StreamError, *UNREADABLE) as error:
            self._complaints.add(f"{self._device}: the hand that it follows: {error}", now_s)
            return None

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        if self._ring is not None:
            self._ring.close()
        self._ring, self._source = None, ""
