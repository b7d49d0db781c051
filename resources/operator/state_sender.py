"""The arms that one page sees: what of their rings goes down its link, newest wins.

Sixty times a second. A page that sends hands is answered at once, while this process is awake and its code in
the processor's caches (an answer some milliseconds later takes .2 to .5 ms longer), and told anew before its
next picture.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec
from aiortc import RTCDataChannel

from resources.operator.feedback import ArmFeedback
from resources.operator.ice_additions import send_at_once
from resources.operator.intake import HandIntake
from resources.operator.lost_impulse import lost_impulse
from resources.operator.orders import ShownArm
from resources.operator.packets import STATE_BYTES, StatePacket, encode_state_packet
from resources.types.operator_client import Seat, SeatOrder

STATE_RATE_HZ: Final = 60.0

ANSWER_EVERY_S: Final = 0.006
"""Hands that come sooner after others get no answer of their own [s]: no picture is drawn so often."""

FRESH_AFTER_S: Final = 0.010
"""So long after an answer the arm is told anew [s]: it is in the next picture, 11 to 17 ms after the last."""


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
        self._sent_s = self._answered_s = 0.0
        self._freshly: asyncio.TimerHandle | None = None

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

    def look(self) -> None:
        """Once every 1 / STATE_RATE_HZ: say what is new, unless an answer has said it just now."""
        if self._monotonic_s() - self._sent_s > 0.5 / STATE_RATE_HZ:
            self._send()

    def answer(self) -> None:
        """Hands came, which count: the page learns at once that they did, and when."""
        now_s = self._monotonic_s()
        if now_s - self._answered_s < ANSWER_EVERY_S:
            return
        self._answered_s = now_s
        self._send()
        if self._freshly is not None:
            self._freshly.cancel()
        self._freshly = asyncio.get_running_loop().call_later(FRESH_AFTER_S, self._send)

    def close(self) -> None:
        """Let go of the rings; idempotent."""
        if self._freshly is not None:
            self._freshly.cancel()
        self.show(())

    def _send(self) -> None:
        """Look at all arms, and say what is new; if the page is slow, only look."""
        now_s = self._monotonic_s()
        for arm in self._arms:
            arm.look(now_s)  # a contact that comes while the page is slow is counted
        if self._channel.readyState != "open" or self._channel.bufferedAmount > STATE_BYTES:
            return  # what waits there is old already
        self._sent_s = now_s
        packets = [packet for arm in self._arms if (packet := arm.packet(now_s)) is not None]
        for packet in packets or [StatePacket(number=0, now_ms=0.0)]:
            send_at_once(self._channel, encode_state_packet(self._addressed(packet)))

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
