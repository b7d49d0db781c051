"""An audio track → the blocks of a talk: what is lost is never joined, what no hold has is nobody's."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.errors import MalformedMessage, SoundError
from resources.audio.format import BLOCK_S
from resources.audio.talk import MOST_BLOCKS, Talk, Written
from resources.operator.held_track import (
    HOLE,
    MOST_LESS_S,
    NONSENSE,
    NOT_BEGUN,
    PART_LOST,
    QUIET_S,
    TAIL_LOST,
    TAIL_S,
    TOO_LONG,
    WAITS_S,
    BrokenOff,
    Given,
    HeldTrack,
)
from resources.operator.opus import OpusDecoder
from resources.operator.rtp import TrackPacket
from resources.speech.endpointing import Endpointer
from resources.types.speech import Phase
from resources.web.sound_packets import SoundPacket
from tests.resources.operator.track import PACKET_S, TICKS, Sender, encoded, tone

VOICE = encoded(tone(1.92))  # 96 packets, 60 blocks
BLOCKS = 60

BEGINNING = {0}
"""Of every hold: nobody knows how late its encoder began."""


class Hold:
    """One page, its network, and what comes out behind it."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.track = HeldTrack(OpusDecoder)
        self.page = Sender()
        self.given: list[Given] = []

    def begins(self, talk: int = 1, sent: int | None = -1) -> None:
        self.given += self.track.begin(talk, self.page.sent if sent == -1 else sent, self.now_s)

    def comes(self, packets: Iterable[TrackPacket]) -> None:
        for packet in packets:
            self.given += self.track.take(packet, self.now_s)
            self.now_s += PACKET_S

    def ends(self, talk: int = 1, blocks: int = BLOCKS, sent: int | None = -1) -> None:
        self.given += self.track.end(talk, blocks, self.page.sent if sent == -1 else sent, self.now_s)

    def waits(self, seconds: float) -> None:
        self.now_s += seconds
        self.given += self.track.look(self.now_s)

    @property
    def sounds(self) -> list[SoundPacket]:
        return [each for each in self.given if isinstance(each, SoundPacket)]

    @property
    def why(self) -> str:
        return "".join(each.words for each in self.given if isinstance(each, BrokenOff))

    @property
    def missing(self) -> set[int]:
        """Numbers of blocks that were left out."""
        numbers = [each.sequence for each in self.sounds if not each.is_broken_off]
        assert numbers == sorted(set(numbers))
        return set(range(max(numbers, default=-1) + 1)) - set(numbers)

    def written(self) -> list[Written]:
        """What the main process makes of it."""
        talk, found = Talk(1), []
        for number, each in enumerate(self.sounds):
            at_s = 100.0 + number * BLOCK_S
            found += (
                talk.break_off(at_s)
                if each.is_broken_off
                else talk.take(each.sequence, each.sound, at_s, is_last=each.is_last)
            )
        return found


def test_a_hold_becomes_the_blocks_of_a_talk_with_its_sound() -> None:
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE))
    assert not hold.sounds[-1].is_last
    hold.ends()
    assert hold.sounds[-1].is_last and hold.missing == BEGINNING and hold.why == ""
    assert BLOCKS - 1 <= len(hold.sounds) <= BLOCKS + 1
    sound = np.concatenate([np.frombuffer(each.sound, "<i2") for each in hold.sounds[10:50]]).astype(float)
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound))))
    assert np.argmax(spectrum) * 16_000 / len(sound) == pytest.approx(440.0, abs=1.0)
    assert np.abs(sound).max() == pytest.approx(16_000, rel=0.1)


def test_a_page_that_does_not_count_its_packets_has_ended_when_none_come() -> None:
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE))
    hold.ends(sent=None)
    assert not hold.sounds[-1].is_last
    hold.waits(QUIET_S)
    assert hold.sounds[-1].is_last and hold.why == ""


def test_what_was_on_its_way_at_the_end_still_counts() -> None:
    hold = Hold()
    hold.begins()
    packets = hold.page.packets(VOICE)
    hold.comes(packets[:-10])
    hold.ends()
    assert not hold.sounds[-1].is_last
    hold.comes(packets[-10:])
    assert hold.sounds[-1].is_last and hold.missing == BEGINNING


@pytest.mark.parametrize("sent", [-1, None], ids=["counted", "not counted"])
def test_an_end_that_is_lost_is_told_and_nothing_is_done(sent: int | None) -> None:
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE)[:-12])
    hold.ends(sent=sent)
    hold.waits(TAIL_S - 0.01)
    assert hold.why == ""
    hold.waits(0.02)
    assert hold.why == (TAIL_LOST if sent == -1 else PART_LOST) and hold.sounds[-1].is_broken_off


def test_a_single_last_packet_that_is_lost_is_known_by_the_count() -> None:
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE)[:-1])
    hold.ends()
    hold.waits(TAIL_S)
    assert hold.why == TAIL_LOST


def test_sound_outside_a_hold_is_never_decoded() -> None:
    class Deaf:
        def decode(self, sound: bytes) -> None:
            raise AssertionError("it was decoded")

    track = HeldTrack(Deaf)  # type: ignore[arg-type]
    page = Sender()
    for packet in page.packets(VOICE[:5]):
        assert track.take(packet, 100.0) == []
    track.begin(1, page.sent, 100.1)
    assert track.break_off() == [SoundPacket(1, 0, b"", is_broken_off=True)]
    for packet in page.packets(VOICE[5:10]):
        assert track.take(packet, 100.2) == []
    assert track.look(200.0) == [] and track.end(1, 10, None, 200.0) == []


def _holes(lost: Callable[[list[TrackPacket]], list[TrackPacket]]) -> Hold:
    hold = Hold()
    hold.begins()
    hold.comes(lost(hold.page.packets(VOICE)))
    hold.ends()
    hold.waits(WAITS_S)
    hold.waits(TAIL_S)
    return hold


def test_one_lost_packet_is_concealed_by_opus() -> None:
    hold = _holes(lambda packets: [*packets[:40], *packets[41:]])
    assert hold.missing == BEGINNING and hold.sounds[-1].is_last
    concealed = np.frombuffer(hold.sounds[25].sound, "<i2")
    assert np.abs(concealed.astype(float)).mean() > 5_000  # it goes on as it was, and is no silence


@pytest.mark.parametrize(
    "gone",
    [(40, 41), (40, 42), (40, 60), tuple(range(20, 70))],
    ids=["two", "two near", "two in half a second", "a second"],
)
def test_more_than_one_is_lost_and_marked_so(gone: tuple[int, ...]) -> None:
    hold = _holes(lambda packets: [each for at, each in enumerate(packets) if at not in gone])
    block = 1 + gone[-1] * TICKS // 1536  # after that of the beginning
    assert block in hold.missing and hold.sounds[-1].is_last
    assert any(each.sound == b"" for each in hold.written())


def test_two_that_are_far_apart_are_concealed_both() -> None:
    hold = _holes(lambda packets: [each for at, each in enumerate(packets) if at not in (30, 60)])
    assert hold.missing == BEGINNING


@pytest.mark.parametrize("gone", [1, 2, 10])
def test_a_beginning_that_is_lost_is_marked_also_if_it_was_one_packet(gone: int) -> None:
    hold = _holes(lambda packets: packets[gone:])  # do (not) …
    assert 0 in hold.missing
    assert hold.written()[0].sound == b""


def test_the_beginning_of_a_later_hold_is_known_by_the_count() -> None:
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE))
    hold.ends()
    hold.given.clear()
    hold.begins(2)
    hold.comes(hold.page.packets(VOICE)[1:])
    hold.ends(2)
    hold.waits(TAIL_S)
    assert 0 in hold.missing


def test_what_was_lost_of_one_hold_is_no_loss_of_the_next() -> None:
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE)[:-20])
    hold.ends()
    hold.waits(TAIL_S)
    assert hold.why == TAIL_LOST
    hold.given.clear()
    hold.begins(2)
    hold.comes(hold.page.packets(VOICE))
    hold.ends(2)
    hold.waits(QUIET_S)
    assert hold.missing == BEGINNING and hold.sounds[-1].is_last and hold.why == ""


def test_whose_first_packet_of_all_was_lost_is_heard_from_the_next_hold_on() -> None:
    hold = _holes(lambda packets: packets[3:])
    hold.given.clear()
    hold.begins(2)
    hold.comes(hold.page.packets(VOICE))
    hold.ends(2)
    hold.waits(QUIET_S)
    assert hold.missing == BEGINNING and hold.sounds[-1].is_last


def test_a_sender_that_marks_each_packet_hides_no_beginning() -> None:
    hold = Hold()
    hold.begins()
    marked = [msgspec.structs.replace(each, is_first=True) for each in hold.page.packets(VOICE)]
    hold.comes(marked[2:])
    hold.ends()
    hold.waits(TAIL_S)
    assert hold.why == PART_LOST  # by how many there should be
    hold.given.clear()
    hold.begins(2)
    hold.comes([msgspec.structs.replace(each, is_first=True) for each in hold.page.packets(VOICE)])
    hold.ends(2)
    hold.waits(TAIL_S)
    assert hold.missing == BEGINNING and hold.sounds[-1].is_last and len(hold.sounds) >= BLOCKS - 1


def test_packets_that_overtake_each_other_or_come_twice_lose_nothing() -> None:
    def mixed(packets: list[TrackPacket]) -> list[TrackPacket]:
        order = sorted(range(len(packets)), key=lambda at: at + (3.5 if at % 7 == 0 else 0.0))
        return [packets[at] for at in order for _ in range(1 + (at % 5 == 0))]

    hold = _holes(mixed)
    assert hold.missing == BEGINNING and hold.sounds[-1].is_last


def test_a_network_that_stands_still_for_a_second_and_then_gives_all_loses_nothing() -> None:
    hold = Hold()
    hold.begins()
    packets = hold.page.packets(VOICE)
    hold.comes(packets[:20])
    hold.waits(1.0)
    for packet in packets[20:]:
        hold.given += hold.track.take(packet, hold.now_s)
    hold.ends()
    assert hold.missing == BEGINNING and hold.sounds[-1].is_last


def test_sound_that_the_page_did_not_send_is_missing_too() -> None:
    def stalled(packets: list[TrackPacket]) -> list[TrackPacket]:
        return [
            msgspec.structs.replace(each, stamp=(each.stamp + 4 * TICKS) % (1 << 32)) if at >= 50 else each
            for at, each in enumerate(packets)
        ]

    assert _holes(stalled).missing


@pytest.mark.parametrize(("ahead", "why"), [(-1, NONSENSE), (-(1 << 31), NONSENSE), (200_000, HOLE)])
def test_stamps_that_make_no_sense_break_it_off(ahead: int, why: str) -> None:
    hold = Hold()
    hold.begins()
    packets = hold.page.packets(VOICE[:20])
    hold.comes(packets[:-1])
    last = packets[-1]
    hold.comes([msgspec.structs.replace(last, stamp=(last.stamp + ahead) % (1 << 32))])
    assert hold.why == why and hold.sounds[-1].is_broken_off


def test_what_is_no_opus_is_lost_not_heard() -> None:
    def broken(packets: list[TrackPacket]) -> list[TrackPacket]:
        return [
            msgspec.structs.replace(each, sound=b"\x7b\x41\xff\xff" + each.sound) if at == 50 else each
            for at, each in enumerate(packets)
        ]

    assert _holes(broken).missing


def test_another_codec_and_a_second_source_are_refused_and_change_nothing() -> None:
    hold = Hold()
    hold.begins()
    packets = hold.page.packets(VOICE)
    hold.comes(packets[:10])
    for strange in (
        msgspec.structs.replace(packets[10], payload_type=0),
        msgspec.structs.replace(packets[10], source=8),
        msgspec.structs.replace(packets[10], sound=b"\x78" * 2000),
    ):
        with pytest.raises(MalformedMessage):
            hold.track.take(strange, hold.now_s)
    hold.comes(packets[10:])
    hold.ends()
    assert hold.missing == BEGINNING and hold.sounds[-1].is_last


def test_another_hold_breaks_off_what_goes_on_but_not_what_has_ended() -> None:
    hold = Hold()
    hold.begins(1)
    hold.comes(hold.page.packets(VOICE[:10]))
    hold.begins(2)
    assert hold.sounds[-1] == SoundPacket(1, 0, b"", is_broken_off=True)
    packets = hold.page.packets(VOICE)
    hold.comes(packets)
    hold.ends(2, sent=None)  # its tail may still come
    hold.begins(3)
    assert hold.sounds[-1].talk == 2 and hold.sounds[-1].is_last


def test_a_talk_that_was_only_tapped_has_ended() -> None:
    hold = Hold()
    hold.begins()
    hold.ends(blocks=2)
    hold.waits(TAIL_S)
    assert hold.sounds == [SoundPacket(1, 0, b"", is_last=True)]


def test_the_words_of_another_talk_end_nothing() -> None:
    hold = Hold()
    hold.begins(5)
    hold.ends(4)
    assert hold.track.break_off(4) == []
    hold.waits(10.0)
    assert hold.given == [BrokenOff(4, NOT_BEGUN)]


def test_an_end_that_comes_again_is_told_no_more_but_one_of_a_talk_that_never_began_is() -> None:
    hold = Hold()
    hold.ends(3)
    assert hold.given == [BrokenOff(3, NOT_BEGUN)]
    hold.given.clear()
    hold.begins(4)
    hold.comes(hold.page.packets(VOICE))
    hold.ends(4)
    assert hold.sounds[-1].is_last
    hold.ends(4)
    assert hold.why == ""


def _phases(hold: Hold, voice_from_s: float) -> list[Phase]:
    """Of a voice that is there so long after the button was pressed, and until it is let go."""
    endpointer, found = Endpointer(), []
    for each in hold.written():
        if each.sound == b"":
            found.append(endpointer.interrupted(each.until_s))
            continue
        is_voice = each.until_s - BLOCK_S >= 100.0 + voice_from_s
        found.append(endpointer.block(each.until_s, 0.9 if is_voice else 0.0))
        if each.is_last:
            found.append(endpointer.over(each.until_s))
    return [edge.phase for edge in found if edge is not None]


@pytest.mark.parametrize("late", [0, 3, 7])
def test_an_encoder_that_begins_late_cuts_no_beginning_unknown(late: int) -> None:
    assert late * PACKET_S <= MOST_LESS_S
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE[late:]))  # the first that it sends; what was before it was never one
    hold.ends()
    assert hold.sounds[-1].is_last and hold.missing == BEGINNING and hold.why == ""
    assert _phases(hold, voice_from_s=0.0) == [Phase.LOST]  # "(do) n't …"
    assert _phases(hold, voice_from_s=0.4) == [Phase.BEGAN, Phase.ENDED]


def test_of_an_encoder_that_begins_later_than_that_nothing_is_done() -> None:
    hold = Hold()
    hold.begins()
    hold.comes(hold.page.packets(VOICE[8:]))
    hold.ends()
    hold.waits(TAIL_S)
    assert hold.why == PART_LOST and hold.sounds[-1].is_broken_off


def test_a_page_that_has_counted_too_few_spoils_one_more_talk_and_no_third() -> None:
    hold = Hold()
    hold.begins(1, sent=0)
    # Its very first packets were before the hold, so nothing says where its numbers begin.
    hold.page.packets(VOICE[:4])
    hold.comes(hold.page.packets(VOICE))
    hold.ends(1, sent=hold.page.sent - 10)
    hold.waits(QUIET_S)
    assert hold.sounds[-1].is_last
    whys = []
    for talk in (2, 3, 4):
        hold.given.clear()
        hold.begins(talk)
        hold.comes(hold.page.packets(VOICE))
        hold.ends(talk)
        hold.waits(TAIL_S)
        whys.append(hold.why)
        assert hold.sounds[-1].is_last is (hold.why == "")
    assert whys == [TAIL_LOST, "", ""]


def test_the_mark_of_a_later_hold_s_first_packet_is_not_taken_for_that_of_the_first_of_all() -> None:
    hold = Hold()
    hold.page.packets(VOICE)  # of a hold that nobody heard
    for talk in (2, 3):
        hold.given.clear()
        hold.begins(talk)
        first, *rest = hold.page.packets(VOICE)
        hold.comes([msgspec.structs.replace(first, is_first=True), *rest])
        hold.ends(talk)
        assert hold.sounds[-1].is_last and hold.why == ""


class Counting:
    """How many packets were decoded."""

    def __init__(self) -> None:
        self.packets = 0

    def decode(self, sound: bytes) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        self.packets += 1
        return np.zeros(TICKS, np.float32)


@pytest.mark.parametrize("hole", [0, 140_000])
def test_a_hold_ends_when_nobody_would_take_more_of_it(hole: int) -> None:
    decoder = Counting()
    hold = Hold()
    hold.track = HeldTrack(lambda: decoder)
    hold.begins()
    packets = hold.page.packets(VOICE[:1] * (round(MOST_BLOCKS * BLOCK_S / PACKET_S) + 100))
    hold.comes(
        msgspec.structs.replace(each, stamp=(each.stamp + at * hole) % (1 << 32))
        for at, each in enumerate(packets)
    )
    assert hold.why == TOO_LONG and hold.sounds[-1].is_broken_off
    assert decoder.packets <= 1 + MOST_BLOCKS * BLOCK_S / (PACKET_S + hole / 48_000)
    assert all(each.sequence < MOST_BLOCKS for each in hold.sounds)


def test_what_was_told_to_be_over_is_decoded_no_more() -> None:
    decoder = Counting()
    hold = Hold()
    hold.track = HeldTrack(lambda: decoder)
    hold.begins(6)
    packets = hold.page.packets(VOICE)
    hold.comes(packets[:10])
    hold.track.forget(5)
    hold.comes(packets[10:20])
    assert decoder.packets == 20
    hold.track.forget(6)
    hold.given.clear()
    hold.comes(packets[20:])
    hold.ends(6)
    assert decoder.packets == 20 and hold.given == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 95),
            st.integers(-(1 << 16), 1 << 16),
            st.integers(-(1 << 32), 1 << 32) | st.just(0),
            st.sampled_from([0, 1, 2]),
            st.floats(0.0, 0.5),
        ),
        max_size=40,
    )
)
def test_whatever_comes_no_block_is_told_twice_and_each_is_one(
    chaos: list[tuple[int, int, int, int, float]],
) -> None:
    hold = Hold()
    packets = hold.page.packets(VOICE)
    for at, sequence, stamp, kind, after_s in chaos:
        hold.now_s += after_s
        if kind == 0:
            hold.begins(at, sent=abs(sequence))
        elif kind == 1:
            hold.ends(at, abs(sequence))
        packet = packets[at]
        hold.given += hold.track.take(
            msgspec.structs.replace(
                packet,
                sequence=(packet.sequence + sequence) % (1 << 16),
                stamp=(packet.stamp + stamp) % (1 << 32),
            ),
            hold.now_s,
        )
    talk: Talk | None = None
    for each in hold.sounds:
        if talk is None or talk.is_over:
            talk = Talk(each.talk)
        if each.is_broken_off:
            talk.break_off(hold.now_s)
            continue
        try:
            talk.take(each.sequence, each.sound, hold.now_s, is_last=each.is_last)
        except SoundError as error:
            raise AssertionError(str(error)) from error
