"""Real links on loopback: what comes, what goes, and every way in which a page goes away."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiortc.rtcsctptransport import SCTP_DATA_FIRST_FRAG, DataChunk

from framework.errors import MalformedMessage, TransportError
from resources.operator import packets
from resources.operator.held_track import NOT_BEGUN, TAIL_LOST
from resources.operator.ice_additions import Dscp, ice_connections, marks_of
from resources.operator.links import NOT_TAKEN
from resources.operator.orders import Shown
from resources.operator.protocol import (
    Answer,
    Candidate,
    Done,
    Heard,
    Line,
    Said,
    SeatNow,
    StopNow,
    TalkBegins,
    TalkEnds,
    Visible,
    Welcome,
    encode_words,
)
from resources.types.masters import HandSide
from resources.types.motion import LoopState
from resources.types.operator_client import Driven, Seat, SeatOrder
from resources.web.protocol import TalkState
from resources.web.sound_packets import BLOCKS_AT_ONCE, SoundPacket, encode_sound
from tests.framework.processes.family import descriptors
from tests.resources.operator.link_rig import PATIENCE_S, Rig, ScriptedArm, until
from tests.resources.operator.track import encoded, tone

Scenario = Callable[[Rig], Awaitable[None]]

pytestmark = pytest.mark.real


def play(directory: Path, scenario: Scenario) -> None:
    """Run a scenario with a link that has not begun yet."""

    async def whole() -> None:
        async with asyncio.timeout(2 * PATIENCE_S), Rig(directory) as rig:
            await scenario(rig)

    asyncio.run(whole())


def test_hands_arrive_in_the_ring_and_states_come_back(tmp_path: Path) -> None:
    arm = ScriptedArm(tmp_path)

    async def scenario(rig: Rig) -> None:
        rig.link.show(Shown(arms=(arm.shown,)))
        await rig.connect()
        arm.report(force_n=3.0)
        await rig.moved()
        rig.page.press()
        pose = (0.5, -0.25, 1.0, 0.0, 0.0, 1.0, 0.0)
        sample = await rig.moved(base_T_hand=pose, scale=0.5)
        assert (sample.base_T_hand, sample.scale, sample.engagement) == (pose, 0.5, 1)
        assert 0.0 <= sample.received_s - sample.taken_s < packets.LONGEST_MS
        left = rig.page.move(side=HandSide.LEFT)
        await until(lambda: rig.hand(HandSide.LEFT) is not None)

        rig.link.seat(SeatOrder(Seat.READY, (Driven(HandSide.RIGHT, "left_arm"),)))
        arm.report(force_n=3.0, loop=LoopState(engaged=1, is_at_rest=False, fault="reflex"))
        await until(lambda: 0 in rig.page.states and rig.page.states[0].engaged)
        state = rig.page.states[0]
        assert state.driven and state.moved and state.fault
        assert not (state.at_rest or state.stopped or state.contact)
        assert (state.engaged, state.q[3], state.wrench[2]) == (1, -2.0, 3.0)
        assert state.echo_ms == left.sent_ms
        assert state.hand_age_ms >= 0.0
        assert state.base_T_target[1] == 0.125

    play(tmp_path, scenario)


def test_both_hands_come_in_one_message(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        pair = [
            rig.page.packet((x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), side=side) for x, side in enumerate(HandSide)
        ]
        rig.page.send(b"".join(map(packets.encode_hand_packet, pair)))
        await until(lambda: all(rig.hand(side) is not None for side in HandSide))
        for sent in pair:
            sample = rig.hand(sent.side)
            assert sample is not None
            assert sample.base_T_hand == sent.base_T_hand
        # Three hands are nobody's: nothing of such a message counts.
        rig.page.send(3 * packets.encode_hand_packet(rig.page.packet()))
        await until(lambda: rig.link.intake.counts.invalid)
        assert (rig.link.intake.counts.taken, rig.link.intake.counts.invalid) == (2, 1)

    play(tmp_path, scenario)


def test_the_engagement_of_somebody_else_is_not_the_page_s(tmp_path: Path) -> None:
    arm = ScriptedArm(tmp_path)

    async def scenario(rig: Rig) -> None:
        rig.link.show(Shown(arms=(arm.shown,)))
        await rig.connect()
        await rig.moved()
        rig.page.press()
        await rig.moved()
        arm.report(loop=LoopState(engaged=1))  # of another session's hand: this one drives nothing
        await until(lambda: 0 in rig.page.states)
        state = rig.page.states[0]
        assert state.moved
        assert (state.driven, state.engaged) == (False, 0)

    play(tmp_path, scenario)


def test_contacts_are_counted(tmp_path: Path) -> None:
    arm = ScriptedArm(tmp_path)

    async def scenario(rig: Rig) -> None:
        rig.link.show(Shown(arms=(arm.shown,)))
        await rig.connect()
        for contacts in (1, 2):
            arm.report(force_n=25.0)
            await until(lambda: 0 in rig.page.states and rig.page.states[0].contact)
            state = rig.page.states[0]
            assert state.knocks == contacts
            assert state.knock > 0.0
            assert state.press == pytest.approx(0.6)
            arm.report(force_n=1.0)
            await until(lambda: not rig.page.states[0].contact)

    play(tmp_path, scenario)


def test_an_arm_s_process_that_is_started_again_is_found(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        arm = ScriptedArm(tmp_path)
        rig.link.show(Shown(arms=(arm.shown,)))
        await rig.connect()
        arm.report(force_n=1.0)
        await until(lambda: 0 in rig.page.states)
        again = ScriptedArm(tmp_path)
        again.report(force_n=2.0)
        await until(lambda: rig.page.states[0].wrench[2] == 2.0)

    play(tmp_path, scenario)


def test_words_go_both_ways(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        rig.link.tell(Welcome(1, rig.link.session, "phone 1", "the bench"))  # before there is a page
        await rig.connect()
        rig.link.seat(SeatOrder(Seat.READY, words="press the clutch"), holder="phone 1")
        rig.page.say(Said("1", "let me drive"))
        rig.page.say(StopNow())
        await until(lambda: len(rig.said) == 2 and len(rig.page.heard) == 2)
        assert rig.said == [Said("1", "let me drive"), StopNow()]
        assert rig.page.heard == [
            Welcome(1, rig.link.session, "phone 1", "the bench"),
            SeatNow(Seat.READY, words="press the clutch", holder="phone 1"),
        ]

    play(tmp_path, scenario)


def test_what_is_said_at_the_end_is_heard(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        await rig.link.close("somebody else took this seat")
        await until(lambda: rig.page.heard)
        assert rig.page.heard == [Line("ended", "somebody else took this seat")]
        assert rig.link.ended == "somebody else took this seat"
        assert not rig.link.is_alive

    play(tmp_path, scenario)


def test_everything_is_marked_and_nothing_leaves_this_machine(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        offers = [await rig.link.offer("control"), await rig.link.offer("media")]
        for offer in offers:
            candidates = [line for line in offer.sdp.splitlines() if line.startswith("a=candidate")]
            assert candidates
            assert all(" 127.0.0.1 " in line for line in candidates)
        marks = [
            marks_of(ice) for peer in rig.link._peers.values() for ice in ice_connections(peer._connection)
        ]
        assert marks == [[Dscp.EXPEDITED], [Dscp.VIDEO]]

    play(tmp_path, scenario)


def test_the_round_trip_and_the_offset_are_measured(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        for _ in range(5):
            await rig.moved()
        health = rig.link.health()
        assert health.rtt_ms is not None
        assert 0.0 < health.rtt_ms[0] <= health.rtt_ms[1]
        assert health.offset_ms == pytest.approx(1e6, abs=health.rtt_ms[1] + 5.0)
        await until(lambda: rig.page.round_trips_ms)

    play(tmp_path, scenario)


def test_a_hidden_page_has_opened_its_clutch_and_is_told(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        rig.link.seat(SeatOrder(Seat.READY))  # who watches is told nothing of poses
        await rig.moved()
        rig.page.press()
        assert (await rig.moved()).engagement == 1
        rig.page.say(Visible(visible=False))
        await until(lambda: rig.said)
        assert (await rig.moved()).engagement == 0
        await until(lambda: "hidden" in rig.link.health().broken)

    play(tmp_path, scenario)


def test_a_page_that_vanishes_with_the_clutch_held_is_dead_after_two_seconds(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await rig.moved()
        rig.page.press()
        await rig.moved()
        channel = rig.link._states_channel
        rig.page.vanish()
        took_s = await until(lambda: rig.link.ended)
        assert took_s > 1.9
        assert "2 s" in rig.link.ended
        assert channel is not None
        assert channel.bufferedAmount <= 2 * packets.STATE_BYTES  # newest wins: nothing piles up
        number = rig.rings.number
        await rig.link.close()
        assert rig.rings.number == number
        assert rig.changes[-1] == (False, rig.link.ended)
        assert not rig.link.is_alive

    play(tmp_path, scenario)


def test_a_page_that_leaves_is_noticed(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        await rig.page.close()
        await until(lambda: rig.link.ended)
        await until(lambda: rig.changes and rig.changes[-1] == (False, rig.link.ended))

    play(tmp_path, scenario)


def test_a_page_that_comes_back_goes_on_and_never_engages_by_itself(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        await rig.moved()
        rig.page.press()
        before = await rig.moved()
        assert before.engagement == 1
        old = rig.page
        rig.begin()
        old.press()
        old.move()
        old.say(Said("1", "go home"))
        old.say(StopNow())
        await until(lambda: rig.said)
        assert rig.said == [StopNow()], "of the page before only a stop is heard"
        rig.page.press()  # held while the page loads
        await rig.connect()
        after = await rig.moved()
        assert (after.engagement, after.number) == (0, before.number + 1)
        rig.page.press()
        assert (await rig.moved()).engagement == 2

    play(tmp_path, scenario)


def test_twenty_bad_packets_end_the_link(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        for number in range(30):
            rig.page.send(bytes([number]) * packets.HAND_BYTES)
        await until(lambda: rig.link.ended)
        assert "20 messages" in rig.link.ended
        assert rig.hand() is None

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "payload",
    [b"\xff\xfe", "no json", '{"type": "said"}', "x" * 20_000, "[" * 5000],
    ids=["no UTF-8", "no JSON", "no words", "too long", "too deep"],
)
def test_garbage_on_the_words_channel_ends_the_link(tmp_path: Path, payload: bytes | str) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        for _ in range(25):
            rig.page.send(payload, "words")
        await until(lambda: rig.link.ended)
        assert not rig.said

    play(tmp_path, scenario)


def test_a_message_as_deep_as_it_can_be_harms_only_itself(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        # Its type stands behind: what is before it has to be read to the end.
        rig.page.send('{"x":' + "[" * 4000 + "]" * 4000 + ',"type":"stop_now"}', "words")
        rig.page.say(Said("1", "hello"))
        await until(lambda: rig.said or rig.link.ended)
        assert rig.said == [Said("1", "hello")]

    play(tmp_path, scenario)


def test_too_many_words_end_the_link_but_a_stop_is_heard(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        for number in range(50):
            rig.page.say(Said(str(number), "again"))
        rig.page.say(StopNow())
        await until(lambda: rig.said and rig.said[-1] == StopNow())
        assert len(rig.said) < 50
        # Each that was not taken is said to be.
        refused = 50 - (len(rig.said) - 1)
        await until(lambda: len([each for each in rig.page.heard if isinstance(each, Done)]) == refused)
        assert rig.page.heard[-1] == Done("49", False, NOT_TAKEN)
        for number in range(20):
            rig.page.say(Said(str(number), "again"))
        await until(lambda: rig.link.ended)

    play(tmp_path, scenario)


def test_a_stop_is_heard_on_a_link_that_has_just_ended(tmp_path: Path) -> None:
    """Taken over by another window, or dropped for a flood: who still can press stop is heard."""

    async def scenario(rig: Rig) -> None:
        await rig.connect()
        link = rig.link
        for _ in range(25):
            link._take_words("nonsense")  # as it comes from the channel, all in one turn
        assert link.ended
        for words in (Said("1", "go home"), StopNow()):
            link._take_words(encode_words(words).decode())
        await until(lambda: rig.said)
        assert rig.said == [StopNow()]

    play(tmp_path, scenario)


def test_why_a_link_ended_is_short_whatever_the_page_wrote(tmp_path: Path) -> None:
    """It goes into the list of sessions, whose size is bounded: more of it ended the whole process."""

    async def scenario(rig: Rig) -> None:
        await rig.connect()
        for _ in range(25):
            rig.page.send(f'{{"type": "stop_now", "{"x" * 8000}": 1}}', "words")
        await until(lambda: rig.link.ended)
        assert len(rig.link.ended) < 400

    play(tmp_path, scenario)


def test_messages_that_are_only_begun_do_not_fill_the_memory(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        sctp: Any = rig.page._connections["control"].sctp
        for number in range(2000):
            chunk = DataChunk(flags=SCTP_DATA_FIRST_FRAG if number == 0 else 0)
            chunk.tsn, chunk.stream_id, chunk.user_data = sctp._local_tsn, 1, bytes(1100)
            sctp._local_tsn = (sctp._local_tsn + 1) % 2**32
            await sctp._send_chunk(chunk)
            await asyncio.sleep(0)
            if rig.link.ended:
                break
        await until(lambda: rig.link.ended)
        assert "begins messages" in rig.link.ended

    play(tmp_path, scenario)


def test_channels_that_a_page_opens_are_few(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        for number in range(30):
            rig.page._connections["control"].createDataChannel(f"mine {number}")
        await until(lambda: rig.link.ended)
        assert "opens channels" in rig.link.ended

    play(tmp_path, scenario)


def test_what_answers_nothing_is_refused(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        with pytest.raises(MalformedMessage, match="not offered"):
            await rig.link.answer(Answer("control", "v=0"))
        with pytest.raises(TransportError, match="control connection first"):
            await rig.link.offer("media")
        offer = await rig.link.offer("control")
        with pytest.raises(TransportError, match="before"):
            await rig.link.offer("control")
        for sdp in ("", "nonsense", "v=0\r\nm=application x", offer.sdp.replace("a=setup", "a=nosetup")):
            with pytest.raises(MalformedMessage):
                await rig.link.answer(Answer("control", sdp))
        with pytest.raises(MalformedMessage):
            await rig.link.candidate(Candidate("control", "candidate:nonsense"))
        await rig.link.candidate(Candidate("control", ""))

    play(tmp_path, scenario)


def test_a_good_answer_still_works_after_bad_ones(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        offer = await rig.link.offer("control")
        with pytest.raises(MalformedMessage):
            await rig.link.answer(Answer("control", "nonsense"))
        answer = await rig.page.answer(offer)
        await rig.link.answer(answer)
        await until(lambda: rig.link.is_alive)
        with pytest.raises(MalformedMessage, match="none is awaited"):
            await rig.link.answer(answer)

    play(tmp_path, scenario)


def test_a_candidate_for_an_answer_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    """Found by fuzzing: aiortc takes such an answer, and raises when it is asked for it."""

    async def scenario(rig: Rig) -> None:
        answer = await rig.page.answer(await rig.link.offer("control"))
        sdp = re.sub("c=IN IP4 .*", "c=IN IP4 tcp", answer.sdp)
        with suppress(MalformedMessage):
            await rig.link.answer(Answer("control", sdp))
        with pytest.raises(MalformedMessage):
            await rig.link.candidate(Candidate("control", "candidate:1 1 udp 1 127.0.0.1 9 typ host", "0"))

    play(tmp_path, scenario)


def test_candidates_may_follow_the_answer(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        answer = await rig.page.answer(await rig.link.offer("control"))
        lines = answer.sdp.splitlines()
        bare = "\r\n".join(line for line in lines if not line.startswith("a=candidate")) + "\r\n"
        await rig.link.answer(Answer("control", bare))
        for line in lines:
            if line.startswith("a=candidate"):
                await rig.link.candidate(Candidate("control", line.removeprefix("a="), "0"))
        await until(lambda: rig.link.is_alive)

    play(tmp_path, scenario)


def test_links_that_come_and_go_leave_nothing_open(tmp_path: Path) -> None:
    counts: list[int] = []

    async def scenario(rig: Rig) -> None:
        for number in range(8):
            await rig.connect(media=True)
            if number % 2:
                await rig.link.close()
            await rig.page.close()
            await until(lambda: rig.link.ended)
            await rig.link.close()
            await until(lambda: len(asyncio.all_tasks()) == 1)
            counts.append(descriptors())
            rig.begin()

    play(tmp_path, scenario)
    assert counts[-1] == counts[1]


def test_a_link_that_is_closed_before_it_began_leaves_nothing(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.link.close()
        assert rig.link.ended
        with pytest.raises(TransportError):
            await rig.link.offer("control")
        rig.begin()
        await rig.link.offer("control")
        await rig.link.close()
        await rig.link.close()

    play(tmp_path, scenario)


def test_sound_comes_by_a_channel_of_its_own_in_its_order(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await until(lambda: "sound" in rig.page.channels)
        packets = [SoundPacket(1, number, bytes(1024), is_last=number == 19) for number in range(20)]
        for packet in packets:
            rig.page.send(encode_sound(packet), "sound")
        await until(lambda: len(rig.said) == 20)
        assert rig.said == packets

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "payload", [b"", b"no sound", "text", bytes(1040)], ids=["empty", "short", "text", "zeros"]
)
def test_garbage_on_the_sound_channel_ends_the_link(tmp_path: Path, payload: bytes | str) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await until(lambda: "sound" in rig.page.channels)
        for _ in range(25):
            rig.page.send(payload, "sound")
        await until(lambda: rig.link.ended)
        assert not rig.said

    play(tmp_path, scenario)


def test_who_floods_with_sound_loses_blocks_and_nothing_else(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await until(lambda: "sound" in rig.page.channels)
        for number in range(400):
            rig.page.send(encode_sound(SoundPacket(1, number, bytes(64), is_last=True)), "sound")
        rig.page.say(Said("1", "hello"))
        await until(lambda: Said("1", "hello") in rig.said)
        await asyncio.sleep(0.3)
        assert BLOCKS_AT_ONCE <= len(rig.said) - 1 < 200 and not rig.link.ended

    play(tmp_path, scenario)


def _blocks(rig: Rig) -> list[SoundPacket]:
    return [each for each in rig.said if isinstance(each, SoundPacket)]


def test_an_audio_track_is_heard_while_its_button_is_held_and_only_then(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await until(lambda: "sound" in rig.page.channels)
        packets = encoded(tone(1.0))
        for talk in (4, 5):
            rig.page.say(TalkBegins(talk, rig.page.spoken))
            await until(lambda: rig.said and isinstance(rig.said[-1], TalkBegins))
            await rig.page.speak(packets)
            await until(lambda: len(_blocks(rig)) >= 30)  # the end goes by another connection
            rig.page.say(TalkEnds(talk, 31, rig.page.spoken))
            await until(lambda: isinstance(rig.said[-1], SoundPacket) and rig.said[-1].is_last)
            blocks = _blocks(rig)
            assert [each.sequence for each in blocks] == list(range(1, 1 + len(blocks)))
            assert 31 <= len(blocks) <= 33
            rig.said.clear()
            await rig.page.speak(packets[:10])  # nobody holds a button

        rig.page.say(TalkBegins(5, rig.page.spoken))
        await until(lambda: rig.said)
        await rig.page.speak(packets)
        await until(lambda: len(_blocks(rig)) >= 30)
        rig.page.say(TalkEnds(5, is_broken_off=True))
        await until(lambda: rig.said[-1] == SoundPacket(5, 0, b"", is_broken_off=True))
        assert not rig.link.ended

    play(tmp_path, scenario)


def test_whose_end_is_lost_is_told(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await until(lambda: "sound" in rig.page.channels)
        rig.page.say(TalkBegins(1, 0))
        await until(lambda: rig.said)
        await rig.page.speak(encoded(tone(0.5)))
        rig.page.say(TalkEnds(1, 31, 50))
        await until(lambda: Heard(1, TalkState.OVER, words=TAIL_LOST) in rig.page.heard)
        assert rig.said[-1] == SoundPacket(1, 0, b"", is_broken_off=True)

    play(tmp_path, scenario)


@pytest.mark.parametrize("garbage", [b"", b"\xff" * 40, bytes(1200)], ids=["nothing", "ones", "zeros"])
def test_garbage_in_the_audio_track_ends_the_link_and_nothing_else(tmp_path: Path, garbage: bytes) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await until(lambda: "sound" in rig.page.channels)
        # Of the right length without a hold: dropped as it is, though more than would end the link.
        await rig.page.speak([b"\x78" + garbage] * 60)
        await rig.page.speak([b"\xe0"])  # of 2.5 ms: none is allowed, and so counted
        await until(lambda: rig.link.intake.counts.invalid == 1)
        assert not rig.link.ended
        rig.page.say(TalkBegins(1, rig.page.spoken))
        await until(lambda: rig.said)
        await rig.page.speak([b"\xe0" + garbage] * 30)
        await until(lambda: rig.link.ended)

    play(tmp_path, scenario)


def test_an_end_without_a_beginning_and_a_beginning_that_is_not_taken_are_told(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        rig.page.say(TalkEnds(1, 8, 0))
        await until(lambda: Heard(1, TalkState.OVER, words=NOT_BEGUN) in rig.page.heard)
        for number in range(50):
            rig.page.say(TalkBegins(number, 0))
        await until(lambda: Heard(49, TalkState.OVER, words=NOT_TAKEN) in rig.page.heard)
        begun = [each.talk for each in rig.said if isinstance(each, TalkBegins)]
        told = [each for each in rig.page.heard if isinstance(each, Heard)]
        refused = [each.talk for each in told if each.words == NOT_TAKEN]
        assert sorted([*begun, *refused]) == list(range(50)) and refused

    play(tmp_path, scenario)


def test_a_talk_that_is_told_to_be_over_is_decoded_no_more(tmp_path: Path) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect(media=True)
        await until(lambda: "sound" in rig.page.channels)
        rig.page.say(TalkBegins(1, 0))
        await until(lambda: rig.said)
        await rig.page.speak(encoded(tone(0.5)))
        await until(lambda: len(_blocks(rig)) >= 14)
        rig.link.tell(Heard(1, TalkState.LISTENING))
        rig.link.tell(Heard(1, TalkState.OVER, words="4 people talk at once"))
        rig.page.say(TalkEnds(1, 16, rig.page.spoken))
        rig.page.say(Said("1", "hello"))
        await until(lambda: Said("1", "hello") in rig.said)
        assert not [each for each in _blocks(rig) if each.is_last or each.is_broken_off]

    play(tmp_path, scenario)


def _with_video(sdp: str) -> str:
    return sdp.replace("m=audio", "m=video").replace("opus/48000/2", "VP8/90000")


def _with_two_tracks(sdp: str) -> str:
    at = sdp.index("m=audio")
    audio = sdp[at : sdp.index("m=application")]
    return sdp[:at] + audio + audio.replace("a=mid:0", "a=mid:2") + sdp[at + len(audio) :]


@pytest.mark.parametrize(
    "change",
    [
        _with_video,
        _with_two_tracks,
        lambda sdp: sdp.replace("opus/48000/2", "PCMU/8000"),
        lambda sdp: sdp[: sdp.index("m=audio")],
        lambda sdp: sdp[: sdp.index("m=audio")] + sdp[sdp.index("m=application") :],
    ],
    ids=["video", "two tracks", "another codec", "nothing", "no audio"],
)
def test_an_answer_with_something_else_than_was_offered_is_refused(
    tmp_path: Path, change: Callable[[str], str]
) -> None:
    async def scenario(rig: Rig) -> None:
        await rig.connect()
        answer = await rig.page.answer(await rig.link.offer("media"))
        with pytest.raises(MalformedMessage):
            await rig.link.answer(Answer("media", change(answer.sdp)))
        assert rig.link.is_alive

    play(tmp_path, scenario)
