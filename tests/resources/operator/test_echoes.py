"""How old what comes over a stream may be, by the answers to pings that wait in the same buffers."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import aiohttp
import pytest

from framework.transport.ring import RingReader
from resources.operator.echoes import PING_EVERY_S, Echoes
from resources.operator.spes import SpesHand, SpesMessage, decode_spes
from resources.operator.spes_link import OLDEST_S
from resources.types.masters import HandSample, decode_hand
from tests.resources.operator.serving import Harness, serve, signed_in, until
from tests.resources.operator.test_spes import message

PERIOD_S = 1 / 60


def test_what_comes_is_no_older_than_the_newest_ping_that_was_answered() -> None:
    echoes = Echoes()
    assert math.isinf(echoes.oldest_s(0.0))
    first = echoes.due(1.0)
    assert first is not None and echoes.due(1.0 + PING_EVERY_S / 2) is None
    second = echoes.due(1.0 + PING_EVERY_S)
    assert second is not None
    echoes.answer(second)
    assert echoes.oldest_s(1.3) == pytest.approx(0.3 - PING_EVERY_S)
    echoes.answer(first)  # overtaken: it tells less
    assert echoes.oldest_s(1.3) == pytest.approx(0.3 - PING_EVERY_S)


def test_answers_to_nothing_that_was_asked_tell_nothing() -> None:
    echoes = Echoes()
    echoes.due(1.0)
    for payload in (b"", b"\x07\0\0\0", b"x" * 125):
        echoes.answer(payload)
    assert math.isinf(echoes.oldest_s(1.0))


def _pose(move: bool, gripper: str = "open") -> SpesMessage:
    found = decode_spes(message(move=move, gripper=gripper))
    assert isinstance(found, SpesMessage)
    return found


@pytest.mark.parametrize("grows_s_per_s", [0.05, 0.3])
def test_a_delay_that_grows_slowly_opens_the_clutch_and_a_late_press_moves_nothing(
    grows_s_per_s: float,
) -> None:
    """The page's poses and its answers wait in one buffer that fills; without pings nothing would show it."""
    hand, echoes = SpesHand("me"), Echoes()
    delay_s, oldest_s = 0.01, 0.0
    answers: list[tuple[float, bytes]] = []
    engaged: list[int] = []
    grips = 0
    for number in range(1200):
        sent_s = 100.0 + number * PERIOD_S
        if number > 120:
            delay_s += grows_s_per_s * PERIOD_S
        now_s = sent_s + delay_s
        for answer in [each for each in answers if each[0] <= now_s]:
            answers.remove(answer)
            echoes.answer(answer[1])
        is_fresh = echoes.oldest_s(now_s) <= OLDEST_S
        held = 60 < number < 600 or number > 630  # let go and pressed anew while it is late
        sample = hand.take(_pose(held, "close" if number > 700 else "open").data, now_s, is_fresh=is_fresh)
        if sample is not None:
            engaged.append(sample.engagement)
            grips = sample.grips
            if sample.engagement:
                oldest_s = max(oldest_s, delay_s)
        if (payload := echoes.due(now_s)) is not None:
            answers.append((now_s + 0.005 + delay_s, payload))  # down at once, and up behind the poses
    assert max(engaged) == 1, "the clutch was held in time once, and followed"
    assert oldest_s <= OLDEST_S
    assert engaged[-1] == 0 and grips == 0


def test_a_page_whose_answers_do_not_come_moves_nothing(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: aiohttp.ClientSession) -> None:
        await harness.pair(client)
        async with await signed_in(harness, client, "/ws", autoping=False) as socket:
            await until(lambda: bool(harness.operators.lines()[0].hands))
            with RingReader(Path(harness.operators.lines()[0].hands[0].stream.ring)) as ring:

                async def sent(move: bool) -> HandSample:
                    before = ring.sequence
                    harness.ahead_s += PERIOD_S
                    await socket.send_str(message(move=move))
                    await until(lambda: ring.sequence > before)
                    sample = ring.latest()
                    assert sample is not None
                    return decode_hand(sample.payload)

                asked = (await sent(False), await socket.receive())[1]
                assert asked.type is aiohttp.WSMsgType.PING
                assert [(await sent(move)).engagement for move in (False, True, True)] == [0, 0, 0]
                await socket.pong(asked.data)
                await asyncio.sleep(0)
                assert [(await sent(move)).engagement for move in (True, False, False, True)] == [0, 0, 0, 1]
                followed = [(await sent(True)).engagement for _ in range(round(OLDEST_S / PERIOD_S))]
                assert followed[0] == 1 and followed[-1] == 0, "it was asked since, and did not answer"
                assert [(await sent(move)).engagement for move in (False, False, True)] == [0, 0, 0]
                assert "the link is slow" in harness.operators.lines()[0].words

    serve(scenario, tmp_path)
