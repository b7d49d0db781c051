"""What of a page's hands is believed: the gate between a link and the rings. Pure, and it keeps nothing.

A packet becomes a `HandSample` or is dropped at once: nothing waits here, so nothing old can move anything.
What a page counts (numbers, engagements, grips) begins anew when it is loaded anew; what control loops see
only rises.

An engagement counts only if it began on this link: a page that comes back with the clutch held moves
nothing. A bad or late pose, a hidden page and a clock that stepped break it: from then on the clutch counts
as open until it is pressed anew, and `broken` says why. Silence, jumps and lost tracking are no business of
this gate: a control loop notices them, silence on its own clock (`resources.controllers.clutch`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final

import msgspec

from framework.errors import MalformedMessage
from resources.operator.bad_messages import MOST_INVALID, BadMessages
from resources.operator.clock_sync import ClockMap
from resources.operator.packets import HandPacket, decode_hand_packet, session_check
from resources.types.masters import SILENCE_S, HandSample, HandSide
from resources.web.rate_limit import RateLimit

MOST_PER_S: Final = 240.0
"""Of valid packets, both hands together; what is above is thinned."""

FLOOD_PER_S: Final = 1000.0
"""Of packets of whatever kind: more than a second of this, and the link has to be dropped."""

BURST: Final = 48.0
"""So many at once: the network held them back for a moment."""

MOST_GRIPS: Final = 5
"""So often the gripper's button may have been pressed between two packets."""

MOST_SKIPPED: Final = 1000
"""By no more do a page's numbers rise between two packets: one wrong bit would end its order for good."""

AGES_KEPT: Final = 60
"""Of so many newest poses, a second's or so, it is known how old they came."""

MOST_REASON_CHARS: Final = 200
"""Of why something was refused: it may repeat what a page wrote."""

GRIPS_KEPT_S: Final = 1.0
"""Presses that come after a longer gap than this are not carried out any more [s]."""


class IntakeCounts(msgspec.Struct):
    """What became of a link's packets."""

    taken: int = 0
    invalid: int = 0
    foreign: int = 0  # of another session: a page that was not welcomed yet
    stale: int = 0  # duplicates, overtaken, replayed
    late: int = 0
    mistimed: int = 0  # future-dated, or of a clock that stepped
    thinned: int = 0


class HandIntake:
    """One link's gate.

    Parameters
        session: whose packets count.
        number, engagement, grips: the highest that were ever written for this session: these only rise.
    """

    def __init__(
        self,
        session: str,
        *,
        number: int = 0,
        engagement: int = 0,
        grips: Mapping[HandSide, int] | None = None,
    ) -> None:
        self.counts = IntakeCounts()
        self.clock = ClockMap()
        self.flooded = ""
        """Why the link has to be dropped, in words, or ""."""
        self.newest: HandPacket | None = None
        """The newest that was not stale, whatever its times: its echo goes back."""
        self.received_s = 0.0
        """When that came."""
        self.taken_s: float | None = None
        """When the newest pose that counted was measured, CLOCK_MONOTONIC [s]."""
        self.ages_s: deque[float] = deque(maxlen=AGES_KEPT)
        """How old the newest poses were when they came, also those that came too late."""
        self.broken = ""
        """Why the last engagement was broken here, until the clutch is pressed anew."""
        self.breaks = 0
        """How often one was: twice for the same reason is twice."""
        self._session = session
        self._check = session_check(session)
        self._number = number
        self._grips = {side: _Grips((grips or {}).get(side, 0)) for side in HandSide}
        self._clutch = _Clutch(engagement)
        self._limit = RateLimit(MOST_PER_S, BURST)
        self._flood = RateLimit(FLOOD_PER_S, FLOOD_PER_S)
        self._bad = BadMessages()
        self._newest: dict[HandSide, int] = {}

    def take(self, payload: bytes, received_s: float) -> tuple[HandSide, HandSample] | None:
        """A packet, received at CLOCK_MONOTONIC [s]; None if it does not count (`counts` says why)."""
        if not self._flood.allows(received_s):
            self.flooded = f"more than {FLOOD_PER_S:g} packets a second came"
            return None
        try:
            packet = decode_hand_packet(payload)
            if packet.check != self._check:
                self.counts.foreign += 1
                self.break_off("a pose belonged to another session")
                return None
            self._check_order(packet)
        except MalformedMessage as error:
            self.refuse(str(error), received_s)
            self.break_off("a pose made no sense")
            return None
        if packet.number <= self._newest.get(packet.side, -1):
            self.counts.stale += 1
            return None
        sent_s = packet.sent_ms / 1e3
        agrees = self.clock.observe(sent_s, received_s, packet.echo_ms / 1e3, packet.held_ms / 1e3)
        if not agrees:
            # Its number does not count either: one lying packet is not to silence the honest ones.
            self.counts.mistimed += 1
            self.break_off("the page's clock does not agree with itself")
            return None
        self._newest[packet.side] = packet.number
        if self.newest is None or packet.sent_ms > self.newest.sent_ms:
            self.newest, self.received_s = packet, received_s
        taken_s = self.clock.to_monotonic(sent_s - packet.age_ms / 1e3, received_s)
        self.ages_s.append(received_s - taken_s)
        if received_s - taken_s > SILENCE_S:
            self.counts.late += 1
            self.break_off(f"a pose came {1e3 * (received_s - taken_s):.0f} ms late")
            return None
        if not self._limit.allows(received_s):
            self.counts.thinned += 1
            return None
        self.counts.taken += 1
        self._number += 1
        self.taken_s = taken_s
        engagement = self._clutch.engagement(packet)
        if engagement:
            self.broken = ""
        return packet.side, HandSample(
            session=self._session,
            number=self._number,
            taken_s=taken_s,
            received_s=received_s,
            engagement=engagement,
            tracked=packet.tracked,
            base_T_hand=packet.base_T_hand,
            twist=packet.twist,
            acceleration=packet.acceleration,
            scale=packet.scale,
            stick=packet.stick,
            grips=self._grips[packet.side].count(packet.grips, received_s),
        )

    def refuse(self, why: str, received_s: float) -> None:
        """Something came that is no message of ours, on whatever channel."""
        self.counts.invalid += 1
        if self._bad.are_too_many(received_s):
            why = why[:MOST_REASON_CHARS]
            self.flooded = f"{MOST_INVALID} messages in a second were none of ours: {why}"

    def break_off(self, why: str) -> None:
        """The present engagements are over, on both hands; why in words. It takes a new pressing."""
        if self._clutch.break_off():
            self.broken = why
            self.breaks += 1

    def page_engagement(self, engagement: int) -> int:
        """The page's own number of an engagement that a control loop reports; 0 if it is none of its."""
        return self._clutch.page_number(engagement)

    def _check_order(self, packet: HandPacket) -> None:
        newest, last = self._newest.get(packet.side), self._clutch.highest(packet.side)
        if newest is not None and packet.number - newest > MOST_SKIPPED:
            raise MalformedMessage(f"number {packet.number} came after {newest}")
        if last is not None and packet.engagement - last > MOST_SKIPPED:
            raise MalformedMessage(f"engagement {packet.engagement} came after {last}")


class _Grips:
    """How often a hand's button for the gripper was pressed: a page's count, mapped to the session's."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._seen: int | None = None  # the page's, None before its first
        self._seen_s = 0.0

    def count(self, seen: int, received_s: float) -> int:
        """The session's presses so far. Those that came over a gap, or could not be, are left out."""
        before, before_s = self._seen, self._seen_s
        self._seen, self._seen_s = seen, received_s
        if before is not None and received_s - before_s <= GRIPS_KEPT_S and 0 < seen - before <= MOST_GRIPS:
            self._total += seen - before
        return self._total


class _Clutch:
    """A page's engagements, by hand, mapped to numbers of the session that only rise."""

    def __init__(self, engagement: int) -> None:
        self._last = engagement
        self._page: dict[HandSide, int] = {}  # number of the page's that is engaged, 0 open
        self._mapped: dict[HandSide, int] = {}  # and the session's for it, 0 broken
        self._over: dict[HandSide, int] = {}  # highest of the page's that was ever seen

    def engagement(self, packet: HandPacket) -> int:
        side, wanted = packet.side, packet.engagement
        if wanted == 0:
            self._page[side] = self._mapped[side] = 0
            return 0
        if side not in self._page:
            # Held already when the link began.
            self._page[side], self._mapped[side] = wanted, 0
        elif wanted != self._page[side]:
            rises = wanted > self._over.get(side, 0)
            self._page[side], self._mapped[side] = wanted, self._next() if rises else 0
        self._over[side] = max(self._over.get(side, 0), wanted)
        return self._mapped[side]

    def highest(self, side: HandSide) -> int | None:
        """Of the page's engagements; None before the first."""
        return self._over.get(side)

    def break_off(self) -> bool:
        """Whether there was anything to break."""
        was_on = any(self._mapped.values())
        self._mapped = dict.fromkeys(self._mapped, 0)
        return was_on

    def page_number(self, engagement: int) -> int:
        for side, mapped in self._mapped.items():
            if mapped == engagement and engagement:
                return self._page[side]
        return 0

    def _next(self) -> int:
        self._last += 1
        return self._last
