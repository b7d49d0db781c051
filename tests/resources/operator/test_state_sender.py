"""When a page is told of its arms: at once if it sends hands, and before its next picture; else steadily."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from framework.testing.pytest_plugin import VirtualRunner
from resources.operator.intake import HandIntake
from resources.operator.packets import (
    STATE_BYTES,
    HandPacket,
    StatePacket,
    decode_state_packet,
    encode_hand_packet,
    session_check,
)
from resources.operator.state_sender import ANSWER_EVERY_S, FRESH_AFTER_S, STATE_RATE_HZ, StateSender
from resources.types.masters import HandSide

SESSION = "7f3a9c0152ee4b8d"
MS = 1e-3


class Page:
    """The other end of a channel that is never held up, and what of it a sender looks at."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, StatePacket]] = []
        self.channel = SimpleNamespace(readyState="open", bufferedAmount=0)
        self.channel.send = self._hear
        self.channel.transport = SimpleNamespace(_data_channel_flush=self._flushed)
        self.intake = HandIntake(SESSION)
        self.sender = StateSender(self.channel, self.intake, self.now_s)  # type: ignore[arg-type]
        self._number = 0

    def now_s(self) -> float:
        return 100.0 + asyncio.get_running_loop().time()

    def send_hand(self) -> float:
        """Returns when, by the page's clock [ms], which is the process's."""
        self._number += 1
        sent_ms = 1e3 * self.now_s()
        packet = HandPacket(
            side=HandSide.RIGHT,
            number=self._number,
            sent_ms=sent_ms,
            check=session_check(SESSION),
            base_T_hand=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        )
        assert self.intake.take(encode_hand_packet(packet), self.now_s()) is not None
        self.sender.answer()
        return sent_ms

    def _hear(self, payload: bytes) -> None:
        self.heard.append((self.now_s(), decode_state_packet(payload)))

    async def _flushed(self) -> None:
        """There is nothing left to do."""


def test_a_hand_is_answered_at_once_and_the_arm_told_anew_before_the_next_picture(
    virtual: VirtualRunner,
) -> None:
    async def scenario() -> None:
        page = Page()
        begun_s = page.now_s()
        sent_ms = page.send_hand()
        await asyncio.sleep(1 / 60)
        (answered_s, answer), (anew_s, anew) = page.heard
        assert answered_s == begun_s
        assert anew_s == pytest.approx(begun_s + FRESH_AFTER_S)
        assert (answer.echo_ms, answer.held_ms) == (sent_ms, 0.0)
        # Both say which hand is the newest that came: a page that lost the answer learns it still.
        assert anew.echo_ms == sent_ms
        assert anew.held_ms == pytest.approx(1e3 * FRESH_AFTER_S, abs=1e-3)
        assert anew.number > answer.number

    virtual(scenario)


@pytest.mark.parametrize("hands_hz", [60, 72, 90, 120])
def test_each_picture_s_hands_are_answered_and_no_more_is_sent_than_twice_for_each(
    virtual: VirtualRunner, hands_hz: int
) -> None:
    async def scenario() -> None:
        page = Page()
        sent = []
        for _ in range(hands_hz):
            sent.append(page.send_hand())
            page.sender.look()
            await asyncio.sleep(1 / hands_hz)
        at_once = [state.echo_ms for _, state in page.heard if state.held_ms == 0.0]
        assert at_once == sent
        assert len(page.heard) <= 2 * hands_hz

    virtual(scenario)


def test_hands_that_come_in_a_burst_get_one_answer(virtual: VirtualRunner) -> None:
    async def scenario() -> None:
        page = Page()
        for _ in range(5):
            newest_ms = page.send_hand()
            await asyncio.sleep(ANSWER_EVERY_S / 10)
        await asyncio.sleep(0.1)
        assert len(page.heard) == 2  # the answer to the first, and once more
        assert page.heard[-1][1].echo_ms == newest_ms

    virtual(scenario)


def test_without_hands_states_go_steadily(virtual: VirtualRunner) -> None:
    async def scenario() -> None:
        page = Page()
        for _ in range(60):
            page.sender.look()
            await asyncio.sleep(1 / STATE_RATE_HZ)
        assert len(page.heard) == 60
        assert {state.echo_ms for _, state in page.heard} == {0.0}
        # What an answer has said just now is not said twice.
        page.send_hand()
        before = len(page.heard)
        page.sender.look()
        assert len(page.heard) == before

    virtual(scenario)


def test_a_page_that_does_not_take_what_it_is_told_is_told_no_more(virtual: VirtualRunner) -> None:
    async def scenario() -> None:
        page = Page()
        page.channel.bufferedAmount = STATE_BYTES + 1
        page.send_hand()
        page.sender.look()
        await asyncio.sleep(0.1)
        assert page.heard == []
        page.channel.bufferedAmount = 0
        page.sender.look()
        assert len(page.heard) == 1

    virtual(scenario)


def test_after_its_end_nothing_is_sent(virtual: VirtualRunner) -> None:
    async def scenario() -> None:
        page = Page()
        page.send_hand()
        page.sender.close()
        await asyncio.sleep(0.1)
        assert len(page.heard) == 1

    virtual(scenario)
