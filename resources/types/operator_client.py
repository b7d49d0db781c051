"""What actions hold for a person's session: their hands' streams to follow, and words for their page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from framework.plugins.client import Client
from framework.transport.ring import RingReader
from resources.types.masters import HandSample, HandSide, HandStream, decode_hand

if TYPE_CHECKING:
    from framework.registrar import Lease


class Seat(StrEnum):
    """What a session is to do on its page; said by whoever drives by it."""

    WATCHING = "watching"
    READY = "ready"  # may press the clutch
    HOLDING = "holding"  # the session is silent: the arm holds, its lease is kept for a while


class Driven(msgspec.Struct, frozen=True):
    """What a hand of the session drives, by names of devices; "" is none. arm_side: on the robot."""

    side: HandSide
    arm: str = ""
    gripper: str = ""
    base: str = ""
    arm_side: str = ""


class Following(msgspec.Struct, frozen=True):
    """What begins with somebody's "carry on". words: as an instruction ("go home"); who: who wants it."""

    words: str
    who: str = ""


class SeatOrder(msgspec.Struct, frozen=True, tag="seat"):
    """From the action that drives to the page, as a state: what it may do, with what, and why in words.

    then: what begins when it says "carry on"; filled in on the way.
    """

    seat: Seat
    driven: tuple[Driven, ...] = ()
    words: str = ""
    then: tuple[Following, ...] = ()


class OperatorClient(Client):
    """A session: fields of OperatorSessionHandle, its hands, and words for its page."""

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self._readers: dict[str, RingReader] = {}

    def hand(self, side: HandSide = HandSide.RIGHT) -> HandStream | None:
        """The stream of one of its hands, or None."""
        found: tuple[HandStream, ...] = self.hands
        return next((hand for hand in found if hand.side is side), None)

    def seat(self, seat: Seat, driven: tuple[Driven, ...] = (), words: str = "") -> None:
        """Tell the page what it may do now. Raises LeaseError if the session is held no more."""
        self.send(msgspec.msgpack.encode(SeatOrder(seat, driven, words)))

    def latest_hand(self, side: HandSide = HandSide.RIGHT) -> HandSample | None:
        """The newest sample of a hand; None before the first, or if there is no such hand.

        Raises StreamError if the stream cannot be read, LeaseError if the session is held no more.
        """
        hand = self.hand(side)
        if hand is None:
            return None
        reader = self._readers.get(hand.stream.ring)
        if reader is None:
            reader = self._readers[hand.stream.ring] = RingReader(Path(hand.stream.ring))
        elif reader.replaced():
            reader.reopen()
        sample = reader.latest()
        return None if sample is None else decode_hand(sample.payload)

    def end(self) -> None:
        """The run is over: let go of the memory."""
        super().end()
        while self._readers:
            self._readers.popitem()[1].close()
