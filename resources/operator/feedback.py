"""An arm's ring, read for one page: its newest sample, and what a person feels of it.

A ring that is absent or whose writer is started again is looked for by itself; what was read last goes on
being shown, with its growing age.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from framework.errors import StreamError
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from resources.operator.contact import ContactFeel, LostImpulse
from resources.operator.orders import ShownArm
from resources.operator.packets import StatePacket
from resources.types.motion import ArmSample

LOOK_FOR_RING_S: Final = 0.25

_decode = msgspec.msgpack.Decoder(ArmSample).decode


class ArmFeedback:
    """One arm of those that are shown. index: in `Shown`, and in its packets."""

    def __init__(self, arm: ShownArm, index: int, lost_impulse: LostImpulse) -> None:
        self.arm = arm
        self.index = index
        self.sample: ArmSample | None = None
        self.stamp_s = 0.0
        self.feel = ContactFeel(lost_impulse)
        self._reader: RingReader | None = None
        self._sequence = 0
        self._look_s = 0.0

    def look(self, now_s: float) -> None:
        """Take the newest sample; CLOCK_MONOTONIC [s]. Never raises for a ring that is bad or gone."""
        if now_s >= self._look_s:
            self._look_s = now_s + LOOK_FOR_RING_S
            self._find()
        if self._reader is None:
            return
        try:
            found = self._reader.latest(self._sequence)
            if found is None:
                return
            sample = _decode(found.payload)
        except (StreamError, *UNREADABLE):
            return  # its age says so on the page
        self._sequence, self.stamp_s, self.sample = found.sequence, found.stamp_s, sample
        self.feel.update(sample.time_s, sample.q, sample.dq, sample.wrench_estimated[:3])

    def packet(self, now_s: float) -> StatePacket | None:
        """Everything of the arm's own; None before its first sample."""
        sample = self.sample
        if sample is None:
            return None
        loop, feel = sample.loop, self.feel
        return StatePacket(
            number=0,
            now_ms=1e3 * now_s,
            index=self.index,
            fault=bool(loop.fault),
            stopped=bool(loop.stopped),
            at_rest=loop.is_at_rest,
            contact=feel.in_contact,
            moved=loop.engaged != 0,
            knocks=feel.knocks,
            knock=feel.knock,
            press=feel.press,
            sample_age_ms=1e3 * (now_s - self.stamp_s),
            q=sample.q,
            wrench=sample.wrench_estimated,
            base_T_tool=sample.base_T_tool,
            base_T_target=sample.base_T_target,
        )

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _find(self) -> None:
        try:
            if self._reader is None:
                self._reader = RingReader(Path(self.arm.state.ring))
            elif self._reader.replaced():
                self._reader.reopen()
            else:
                return
        except StreamError:
            return  # not yet, or just being replaced: the next look is soon
        self._sequence = 0
