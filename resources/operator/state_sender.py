"""The arms that one page sees, sixty times a second: what of their rings goes down its link, newest wins."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from aiortc import RTCDataChannel

from resources.operator.feedback import ArmFeedback
from resources.operator.intake import HandIntake
from resources.operator.lost_impulse import lost_impulse
from resources.operator.orders import ShownArm
from resources.operator.packets import STATE_BYTES, StatePacket, encode_state_packet
from resources.types.operator_client import Seat, SeatOrder


class StateSender:
    """One page's.

    Parameters
        channel: unordered, nothing sent twice.
        intake: what this page sent: its times are echoed, and its own numbers of engagements told.
        monotonic_s: CLOCK_MONOTONIC [s].
    """

    def __init__(self, channel: RTCDataChannel, intake: HandIntake, monotonic_s: Callable[[], float]) -> None:
        self.seat = SeatOrder(Seat.WATCHING)
        """What of the arms this page drives."""
        self._channel = channel
        self._intake = intake
        self._monotonic_s = monotonic_s
        self._arms: list[ArmFeedback] = []
        self._sent = 0

    def show(self, arms: tuple[ShownArm, ...]) -> None:
        """The arms from now on; those that stay keep what was felt of them."""
        before = {arm.arm: arm for arm in self._arms}
        self._arms = []
        for index, shown in enumerate(arms):
            arm = before.pop(shown) if shown in before else ArmFeedback(shown, index, lost_impulse)
            arm.index = index
            self._arms.append(arm)
        for gone in before.values():
            gone.close()

    def send(self) -> None:
        """Look at all arms, and say what is new; if the page is slow, only look."""
        now_s = self._monotonic_s()
        for arm in self._arms:
            arm.look(now_s)  # a contact that comes while the page is slow is counted
        if self._channel.readyState != "open" or self._channel.bufferedAmount > STATE_BYTES:
            return  # what waits there is old already
        packets = [packet for arm in self._arms if (packet := arm.packet(now_s)) is not None]
        for packet in packets or [StatePacket(number=0, now_ms=0.0)]:
            self._channel.send(encode_state_packet(self._addressed(packet)))

    def close(self) -> None:
        """Let go of the rings; idempotent."""
        self.show(())

    def _addressed(self, packet: StatePacket) -> StatePacket:
        """With what is this page's own: when it goes, echo, what it drives, its engagement."""
        self._sent += 1
        intake, newest = self._intake, self._intake.newest
        driven, engaged = False, 0
        if packet.index < len(self._arms):
            arm = self._arms[packet.index]
            driven = any(arm.arm.device == each.arm for each in self.seat.driven)
            if driven and arm.sample is not None:
                engaged = intake.page_engagement(arm.sample.loop.engaged)
        now_s = self._monotonic_s()
        return msgspec.structs.replace(
            packet,
            number=self._sent,
            now_ms=1e3 * now_s,
            driven=driven,
            engaged=engaged,
            echo_ms=0.0 if newest is None else newest.sent_ms,
            held_ms=0.0 if newest is None else 1e3 * (now_s - intake.received_s),
            hand_age_ms=-1.0 if intake.taken_s is None else 1e3 * (now_s - intake.taken_s),
        )
