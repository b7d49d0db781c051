"""What a page's audio track gives while its button is held: packets → the blocks of a talk. Pure.

As if the page had sent blocks (`resources.web.sound_packets`). The hold begins and ends by the page's words;
what comes outside it is dropped as it came, undecoded. Sound that is missing leaves out the numbers of its
blocks, so that it is marked as lost and never joined:

* before the first packet: always. Encoders begin late, and nobody knows how late while somebody speaks; so
  block 0 is left out, and a voice that is there at once is known to be cut (`Endpointer.interrupted`). Where
  nobody spoke yet that costs nothing.
* packets that were lost: by their numbers, at the end by how many the page has sent. One alone, of 20 ms, is
  concealed by Opus, if for half a second before nothing was missing: no sound of speech is so short that it
  could be gone without a trace. Whatever is more is lost.
* sound that the page has not sent: by the packets' stamps, and in the end by how long its microphone gave
  sound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage
from resources.audio.blocks import Blocks
from resources.audio.format import BLOCK, BLOCK_BYTES, RATE_HZ
from resources.audio.talk import LONGEST_TALK_S, MOST_BLOCKS
from resources.operator.rtp import TRACK_RATE_HZ, TrackPacket, one_lost, opus_ticks
from resources.web.sound_packets import SoundPacket

OPUS: Final = 96
"""The payload type that is offered to pages, the only one."""

PACKETS_PER_S: Final = 120.0
PACKETS_AT_ONCE: Final = 200.0
"""50 a second are usual; what was held up on its way comes at once, four seconds of it."""

WAITS_S: Final = 0.1
"""For a packet that was overtaken by the next ones [s]."""

TAIL_S: Final = 0.3
"""What is on its way when the page says that all is said still counts for so long [s]."""

QUIET_S: Final = 0.06
"""Three packets' time: a page that does not say how many it has sent sends no more [s]."""

MOST_LESS_S: Final = 0.15
"""Of what the microphone gave so much may be missing in all: encoders begin late and keep their last [s].

What is missing at the beginning is marked in any case. All of it may be missing at the end: it is less than
the quarter of a second that pages send after the button was let go."""

CONCEALED_TICKS: Final = 960
SETTLED_TICKS: Final = 24_000
"""One packet is concealed if for so long before it nothing was missing [1/48 000 s]."""

LONGEST_HOLE_TICKS: Final = 3 * TRACK_RATE_HZ
MOST_AHEAD: Final = 200
"""No packet is so far ahead of the one that is waited for."""

BLOCK_TICKS: Final = BLOCK * TRACK_RATE_HZ // RATE_HZ

MOST_TICKS: Final = MOST_BLOCKS * BLOCK_TICKS
"""A hold that is longer ends, whatever its packets say of themselves [1/48 000 s]."""

TAIL_LOST: Final = "the end of this was lost on its way: nothing of it is done. Say it again"
PART_LOST: Final = "the beginning or the end of this was lost: nothing of it is done. Say it again"
NOT_BEGUN: Final = "this was over before it had begun: nothing of it is done. Hold the button, then speak"
TOO_LONG: Final = (
    f"this has gone on for {LONGEST_TALK_S:.0f} s, and is no instruction any more: say it in shorter ones"
)
NONSENSE: Final = "the sound of this page makes no sense: nothing of it is done. Say it again"
HOLE: Final = "no sound came for a while: nothing of this is done. Say it again"

_SEQUENCES: Final = 1 << 16
_STAMPS: Final = 1 << 32


class Decoder(Protocol):
    """One stretch of sound."""

    def decode(self, sound: bytes) -> NDArray[np.float32]:
        """(n,) of −1 … 1, 48 kHz. Raises MalformedMessage if it is none."""


class BrokenOff(msgspec.Struct, frozen=True):
    """Nothing of this talk is done; why, in words."""

    talk: int
    words: str


Given = SoundPacket | BrokenOff


class HeldTrack:
    """One connection's track.

    Args:
        decoder: makes a decoder, for each hold a new one.
    """

    def __init__(self, decoder: Callable[[], Decoder]) -> None:
        self._decoder = decoder
        self._hold: _Hold | None = None
        self._source: int | None = None
        # The number of the source's first packet, as far as that could be learned. Of a page that has counted
        # too few it is too high: then the next hold misses packets at its end, and it is learned anew.
        self._origin: int | None = None
        self._finished: int | None = None  # the talk that was over last

    def begin(self, talk: int, sent: int | None, now_s: float) -> list[Given]:
        """The button is pressed. sent: so many packets the page has sent before; None: it cannot tell.

        A talk before this whose tail still comes has ended; any other is broken off.
        """
        before = self._hold
        given = self.break_off() if before is None or before.until_s is None else self.look(before.until_s)
        self._hold = _Hold(talk, self._decoder(), None if self._origin is None else self._after(sent))
        self._hold.sent_before, self._finished = sent, None
        return given

    def end(self, talk: int, blocks: int, sent: int | None, now_s: float) -> list[Given]:
        """The button was let go, all is said. blocks: how many of 32 ms the page's microphone has given.

        sent: as of `begin`, with those of this talk. Of a talk that never began nothing is done, and that is
        told; one that is over already has ended.
        """
        hold = self._hold
        if hold is None or hold.talk != talk:
            return [] if talk == self._finished else [BrokenOff(talk, NOT_BEGUN)]
        if hold.until_s is None:
            hold.until_s, hold.wanted_ticks = now_s + TAIL_S, blocks * BLOCK_TICKS
            hold.sent = sent
        return self.look(now_s)

    def break_off(self, talk: int | None = None) -> list[Given]:
        """It ends, and not because all was said; talk: only if it is this one."""
        if self._hold is None or talk not in (None, self._hold.talk):
            return []
        return self._over([SoundPacket(self._hold.talk, 0, b"", is_broken_off=True)])

    def forget(self, talk: int) -> None:
        """Whoever takes this talk's blocks has ended it, and told so: nothing more of it is decoded."""
        if self._hold is not None and self._hold.talk == talk:
            self._over([])

    def take(self, packet: TrackPacket, now_s: float) -> list[Given]:
        """A packet has come. Raises MalformedMessage for one that is not of this track, and ignores it."""
        if packet.payload_type != OPUS:
            raise MalformedMessage(
                f"sound of the payload type {packet.payload_type}; Opus, {OPUS}, was offered"
            )
        opus_ticks(packet.sound)
        hold = self._hold
        if hold is None:
            return []
        if packet.source != self._source:
            if hold.has_begun or hold.waiting:
                raise MalformedMessage("a second source of sound; a page has one microphone")
            self._source, self._origin, hold.next = packet.source, None, None
        hold.came_s = now_s
        if not hold.keep(packet, now_s):
            return []
        return self._advance(now_s)

    def look(self, now_s: float) -> list[Given]:
        """Often: what waited for long enough, and whether a hold is over."""
        return self._advance(now_s)

    def _advance(self, now_s: float) -> list[Given]:
        hold = self._hold
        if hold is None:
            return []
        is_late = hold.until_s is not None and now_s >= hold.until_s
        try:
            given: list[Given] = list(hold.advance(now_s, patient=not is_late))
            self._learn(hold)
            if is_late or (hold.until_s is not None and self._has_all(hold, now_s)):
                if self._has_last(hold) is False:
                    self._origin = None
                    return self._broken(given, TAIL_LOST)
                if not (hold.is_whole and hold.has_all_of_its_own):
                    return self._broken(given, PART_LOST)
                if self._origin is None and hold.next is not None and hold.sent is not None:
                    self._origin = (hold.next - hold.sent) % _SEQUENCES
                return self._over([*given, *hold.finish()])
        except _Nonsense as error:
            return self._broken([], str(error))
        return given

    def _learn(self, hold: _Hold) -> None:
        """Where the source's numbers begin."""
        if self._origin is None and hold.is_marked and hold.taken > 1 and hold.sent_before is not None:
            self._origin = (hold.first - hold.sent_before) % _SEQUENCES

    def _after(self, sent: int | None) -> int | None:
        return None if self._origin is None or sent is None else (self._origin + sent) % _SEQUENCES

    def _has_last(self, hold: _Hold) -> bool | None:
        """Whether the last packet that the page has sent was taken; None: nobody knows which one that is."""
        last = self._after(hold.sent)
        if last is None:
            return None
        return hold.next is not None and (hold.next - last) % _SEQUENCES < _SEQUENCES // 2

    def _has_all(self, hold: _Hold, now_s: float) -> bool:
        if hold.waiting or not (hold.is_whole and hold.has_all_of_its_own):
            return False
        has_last = self._has_last(hold)
        return now_s - hold.came_s >= QUIET_S if has_last is None else has_last

    def _broken(self, given: list[Given], words: str) -> list[Given]:
        assert self._hold is not None
        talk = self._hold.talk
        return self._over([*given, SoundPacket(talk, 0, b"", is_broken_off=True), BrokenOff(talk, words)])

    def _over(self, given: list[Given]) -> list[Given]:
        assert self._hold is not None
        self._finished, self._hold = self._hold.talk, None
        return given


class _Nonsense(Exception):  # never leaves this file
    """Why a hold cannot go on, in words."""


class _Hold:
    """One hold. next: the number of its first packet; None if that is not known."""

    def __init__(self, talk: int, decoder: Decoder, following: int | None) -> None:
        self.talk = talk
        self.next = following
        self.has_begun = False
        self.waiting: dict[int, tuple[TrackPacket, float]] = {}
        self.came_s = float("-inf")
        self.until_s: float | None = None
        self.wanted_ticks = 0
        self.sent_before: int | None = None
        self.sent: int | None = None
        self.first = 0  # the number of the packet that it began with
        self.is_marked = False  # that one, and no other, says that it is the first of all
        self.is_begun_late = False  # packets before that one were lost, or may have been
        self.taken = 0
        self._decoder = decoder
        self._blocks = Blocks(TRACK_RATE_HZ)
        self._ticks = 0  # so much was given to the blocks
        self._settled_ticks = 0  # so much of it since anything was missing
        self._stamp = 0  # of what comes next
        self._given = 0  # blocks so far
        self._lost: set[int] = set()  # blocks that are not to be given

    @property
    def is_whole(self) -> bool:
        """Whether as much has come as the microphone gave."""
        came = max(0, self._ticks - BLOCK_TICKS)  # without what marks the beginning
        return came + round(MOST_LESS_S * TRACK_RATE_HZ) >= self.wanted_ticks

    @property
    def has_all_of_its_own(self) -> bool:
        """Whether as many packets have come, or were lost in between, as the page has counted."""
        if self.sent is None or self.sent_before is None or self.is_begun_late or not self.has_begun:
            return True
        assert self.next is not None
        return (self.next - self.first) % _SEQUENCES >= self.sent - self.sent_before

    def keep(self, packet: TrackPacket, now_s: float) -> bool:
        """Whether it is one of those that are waited for."""
        ahead = 0 if self.next is None else (packet.sequence - self.next) % _SEQUENCES
        if ahead > MOST_AHEAD:
            return False  # it came twice, or when it was given up
        if len(self.waiting) < MOST_AHEAD:
            self.waiting.setdefault(packet.sequence, (packet, now_s))
        return True

    def advance(self, now_s: float, *, patient: bool) -> list[SoundPacket]:
        """What can be given now. patient: packets that were overtaken may still come."""
        given: list[SoundPacket] = []
        while self.waiting:
            if self.next is None:
                self.next = next((n for n, (packet, _) in self.waiting.items() if packet.is_first), None)
            if self.next is not None and self.next in self.waiting:
                packet, _ = self.waiting.pop(self.next)
                given += self._take(packet, missing=0)
                continue
            if patient and now_s - min(came_s for _, came_s in self.waiting.values()) < WAITS_S:
                break
            given += self._give_up()
        return given

    def finish(self) -> list[SoundPacket]:
        """The rest, and with it the end."""
        given = self._cut(self._blocks.end())
        if given and given[-1].sequence == self._given - 1:
            return [*given[:-1], msgspec.structs.replace(given[-1], is_last=True)]
        return [*given, SoundPacket(self.talk, self._given, b"", is_last=True)]

    def _give_up(self) -> list[SoundPacket]:
        """The packet that is waited for is lost; go on with the one after it."""
        if self.next is None:  # how many there were before it nobody knows
            first = min(self.waiting, key=lambda n: self.waiting[n][1])
            found = self.next = min(self.waiting, key=lambda n: (n - first + _SEQUENCES // 2) % _SEQUENCES)
        else:
            found = min(self.waiting, key=lambda n: (n - (self.next or 0)) % _SEQUENCES)
        self.is_begun_late |= not self.has_begun
        missing, self.next = (found - self.next) % _SEQUENCES, found
        packet, _ = self.waiting.pop(found)
        return self._take(packet, missing)

    def _begin(self, packet: TrackPacket) -> list[SoundPacket]:
        """What was before its first packet is missing: so its first block is, and what follows may be cut."""
        self.has_begun, self._stamp = True, packet.stamp
        self.first, self.is_marked = packet.sequence, packet.is_first
        given = self._lose(BLOCK_TICKS)
        self._settled_ticks = SETTLED_TICKS
        return given

    def _take(self, packet: TrackPacket, missing: int) -> list[SoundPacket]:
        """The next packet, before which so many are missing."""
        given: list[SoundPacket] = []
        if not self.has_begun:
            given += self._begin(packet)
        elif packet.is_first:
            self.is_marked = False  # of a sender that marks each packet nothing is known
        self.taken += 1
        ticks = opus_ticks(packet.sound)
        hole = (packet.stamp - self._stamp + _STAMPS // 2) % _STAMPS - _STAMPS // 2
        if hole < 0:
            raise _Nonsense(NONSENSE)
        if self._ticks + hole + ticks > MOST_TICKS:
            raise _Nonsense(HOLE if hole > LONGEST_HOLE_TICKS else TOO_LONG)
        if hole:
            if missing == 1 and hole == CONCEALED_TICKS and self._settled_ticks >= SETTLED_TICKS:
                given += self._sounds(one_lost(packet.sound), packet, CONCEALED_TICKS)
                self._settled_ticks = 0
            else:
                given += self._lose(hole)
        given += self._sounds(packet.sound, packet, ticks)
        self._stamp = (packet.stamp + ticks) % _STAMPS
        self.next = (packet.sequence + 1) % _SEQUENCES
        return given

    def _sounds(self, sound: bytes, packet: TrackPacket, ticks: int) -> list[SoundPacket]:
        """Decode it; what cannot be is as good as lost."""
        try:
            found = self._decoder.decode(sound)
        except MalformedMessage:
            return self._lose(ticks)
        if len(found) != ticks:  # it is the frame of another length that was concealed
            return self._lose(ticks)
        self._settled_ticks += ticks
        return self._add(found)

    def _lose(self, ticks: int) -> list[SoundPacket]:
        if ticks > LONGEST_HOLE_TICKS:
            raise _Nonsense(HOLE)
        self._settled_ticks = 0
        self._lost |= set(range(self._ticks // BLOCK_TICKS, (self._ticks + ticks - 1) // BLOCK_TICKS + 1))
        return self._add(np.zeros(ticks, np.float32))

    def _add(self, sound: NDArray[np.float32]) -> list[SoundPacket]:
        self._ticks += len(sound)
        return self._cut(self._blocks.add(sound))

    def _cut(self, blocks: list[NDArray[np.int16]]) -> list[SoundPacket]:
        given = []
        for block in blocks:
            number, self._given = self._given, self._given + 1
            if number in self._lost:
                self._lost.discard(number)
            else:
                given.append(SoundPacket(self.talk, number, block.astype("<i2").tobytes()[:BLOCK_BYTES]))
        return given
