"""One page's link, whole: two peer connections, its hands into rings, the robot's state and words back.

A link is dead after 2 s without a packet of its page's own (decrypted: what strangers send to its port does
not count) and never comes back: a page that reconnects, or is loaded anew,
gets a new `OperatorLink` on the same `HandRings`. From then on the old one hears nothing but a stop, until
its page leaves or it is closed.

What comes over the link is decided elsewhere: poses by `intake.py`, sound by `held_track.py`, words by
whoever is given them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
from aiortc import RTCDataChannel

from framework.errors import MalformedMessage, StreamError, TransportError
from framework.unreadable import UNREADABLE
from resources.operator.cloud_source import CloudSource
from resources.operator.cloud_stream import CloudStream
from resources.operator.hand_rings import HandRings
from resources.operator.held_track import PACKETS_AT_ONCE, PACKETS_PER_S, BrokenOff, Given, HeldTrack
from resources.operator.ice_additions import Dscp
from resources.operator.intake import HandIntake
from resources.operator.link_health import LinkHealth
from resources.operator.opus import OpusDecoder
from resources.operator.packets import hand_packets
from resources.operator.peer import Peer
from resources.operator.protocol import (
    MAX_WORDS,
    Done,
    Health,
    Heard,
    IceLine,
    Line,
    Offer,
    Replied,
    Said,
    SeatNow,
    StopNow,
    TalkBegins,
    TalkEnds,
    Visible,
    decode_words,
    encode_words,
)
from resources.operator.rtp import decode_rtp
from resources.operator.state_sender import STATE_RATE_HZ, StateSender
from resources.operator.words_queue import WordsQueue
from resources.types.masters import HandSide
from resources.types.operator_client import Seat, SeatOrder
from resources.web.protocol import TalkState
from resources.web.rate_limit import RateLimit
from resources.web.sound_packets import BLOCKS_AT_ONCE, BLOCKS_PER_S, decode_sound

if TYPE_CHECKING:
    from resources.operator.arguments import IceServer
    from resources.operator.orders import Shown
    from resources.operator.protocol import Answer, Candidate, LinkName, OperatorWords, PageSays, PageWords

DEAD_AFTER_S: Final = 2.0
"""Without a packet of the page's for so long a link is over [s]."""

CONNECT_WITHIN_S: Final = 20.0
"""From the offer to an open connection [s]."""

MOST_WORDS_PER_S: Final = 20.0
WORDS_BURST: Final = 40.0
MOST_WORDS_BYTES: Final = 4 * MAX_WORDS + 1024

NOT_TAKEN: Final = "too much at once: this was not heard. Say it again"

_WORDS_AHEAD_BYTES: Final = 64 * 1024
_FAREWELL_S: Final = 0.25
_HEALTH_EVERY_S: Final = 0.25


class OperatorLink:
    """From a page's signalling to the rings, and back. Everything runs on the loop that made it.

    Parameters
        session: its id; rings: its hands, which outlive this link.
        ice, relay_only: STUN and TURN servers, and whether to use nothing but TURN.
        host: where the server listens; an address: the link listens there only, and on loopback stays there.
        monotonic_s: CLOCK_MONOTONIC [s].
        on_words: called with each message of the page's words channel, and each block of its sound.
        on_change: called when `is_alive`, `ended` or the words of `health` have changed.
    """

    def __init__(
        self,
        session: str,
        *,
        rings: HandRings,
        ice: Sequence[IceServer],
        relay_only: bool,
        host: str,
        monotonic_s: Callable[[], float],
        on_words: Callable[[PageSays], None],
        on_change: Callable[[], None],
        clouds: CloudSource | None = None,
    ) -> None:
        self.session = session
        self.ended = ""
        """Why this link is over, in words; "" while it lives, or has not begun."""
        self.intake = HandIntake(
            session,
            number=rings.number,
            engagement=rings.engagement,
            grips={side: rings.grips_of(side) for side in HandSide},
        )
        self._rings = rings
        rings.owner = self
        self._ice = tuple(ice)
        self._relay_only = relay_only
        self._host = host
        self._monotonic_s = monotonic_s
        self._on_words = on_words
        self._on_change = on_change
        self._health = LinkHealth(self.intake)
        self._waiting = WordsQueue()
        self._limit = RateLimit(MOST_WORDS_PER_S, WORDS_BURST)
        self._sound_limit = RateLimit(BLOCKS_PER_S, BLOCKS_AT_ONCE)
        self._track = HeldTrack(OpusDecoder)
        self._track_limit = RateLimit(PACKETS_PER_S, PACKETS_AT_ONCE)
        self._seat = SeatOrder(Seat.WATCHING)
        self._peers: dict[LinkName, Peer] = {}
        self._hands_channel: RTCDataChannel | None = None
        self._states_channel: RTCDataChannel | None = None
        self._words_channel: RTCDataChannel | None = None
        self._states: StateSender | None = None
        self._cloud: CloudStream | None = None
        self._clouds = CloudSource() if clouds is None else clouds
        self._owns_clouds = clouds is None
        self._shown: Shown | None = None
        self._alive_since_s: float | None = None
        self._words = ""
        self._told: tuple[bool, str, str, str] = (False, "", "", "")
        self._task: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        """The control connection is open and was heard in the last 2 s; False for good once it was lost."""
        return self._alive_since_s is not None and not self.ended

    async def offer(self, link: LinkName) -> Offer:
        """Begin a connection: control first. Our candidates are all inside the offer.

        Raises TransportError if there is no way (TURN only, and no TURN server answers), or the link is over.
        """
        if self.ended or link in self._peers:
            raise TransportError(self.ended or f"the {link} connection of this link was offered before")
        if link == "media" and "control" not in self._peers:
            raise TransportError("offer the control connection first")
        dscp = Dscp.EXPEDITED if link == "control" else Dscp.VIDEO
        peer = self._peers[link] = Peer(
            dscp=dscp,
            speaks_always=link == "control",  # states, 60 a second
            ice=self._ice,
            relay_only=self._relay_only,
            host=self._host,
            monotonic_s=self._monotonic_s,
        )
        if link == "control":
            self._words_channel = peer.channel("words", reliable=True)
            self._words_channel.on("message", self._take_words)
            self._hands_channel = peer.channel("hands", reliable=False)
            self._hands_channel.on("message", self._take_hand)
            self._states_channel = peer.channel("states", reliable=False)
            self._states = StateSender(self._states_channel, self.intake, self._monotonic_s)
            self._states.seat = self._seat
            if self._shown is not None:
                self._states.show(self._shown.arms)
            self._task = asyncio.ensure_future(self._run(self._states))
        else:
            peer.hears(self._take_track)
            self._cloud = CloudStream(peer.channel("cloud", reliable=False), self._clouds)
            peer.channel("sound", reliable=True).on("message", self._take_sound)
        try:
            sdp = await peer.offer()
        except TransportError as error:
            if link == "control":
                self._end(str(error))
            raise
        ice = tuple(IceLine(each.urls, each.username, each.credential) for each in self._ice)
        return Offer(link, sdp, ice, self._relay_only)

    async def answer(self, answer: Answer) -> None:
        """The page's answer. Raises MalformedMessage if it is none, or none is awaited."""
        await self._peer(answer.link).answer(answer.sdp)

    async def candidate(self, candidate: Candidate) -> None:
        """A candidate of the page's. Raises MalformedMessage if it is none."""
        await self._peer(candidate.link).candidate(candidate.candidate, candidate.mid)

    def tell(self, words: OperatorWords) -> None:
        """Send over the reliable channel, as soon as it is open; `WordsQueue` says what waits how.

        A talk that is told to be over is over here, too.
        """
        if isinstance(words, Heard) and words.state is TalkState.OVER:
            self._track.forget(words.talk)
        self._waiting.tell(words)
        self._send_words()

    def show(self, shown: Shown) -> None:
        """What there is to see from now on."""
        if self.ended:
            return
        self._shown = shown
        if self._states is not None:
            self._states.show(shown.arms)
        self._clouds.show(shown.cameras, shown.base, shown.world_T_robot)

    def seat(self, order: SeatOrder, holder: str = "") -> None:
        """What this page may do from now on; the page is told."""
        self._seat = order
        if self._states is not None:
            self._states.seat = order
        self.tell(SeatNow(order.seat, order.driven, order.words, holder, order.then))

    def health(self) -> Health:
        """Round trip, clock offset, words; emergency and heard_age_s are for the caller to fill in."""
        found = self._health.health(self._monotonic_s())
        return msgspec.structs.replace(found, words=self._words)

    async def close(self, words: str = "") -> None:
        """End it, within 3 s; idempotent. The rings stay. words: why, told to the page if it still hears."""
        if not self.ended and words and self._is_open(self._words_channel):
            self.tell(Line("ended", words))
            await self._drained()
        self._end(words or "this link was closed")
        if self._task is not None and self._task is not asyncio.current_task():
            await asyncio.wait({self._task})

    # ---------------------------------------------------------------- what comes

    def _take_hand(self, payload: object) -> None:
        now_s = self._monotonic_s()
        if self.ended or self._is_superseded:
            return
        if not isinstance(payload, bytes):
            self.intake.refuse("text came where a hand's packet was expected", now_s)
            self.intake.break_off("a pose made no sense")
        else:
            count = self.intake.counts.taken
            for packet in hand_packets(payload):
                self._take_packet(packet, now_s)
            if self._states is not None and self.intake.counts.taken > count:
                self._states.answer()
        if self.intake.flooded:
            self._end(self.intake.flooded)

    def _take_packet(self, packet: bytes, now_s: float) -> None:
        taken = self.intake.take(packet, now_s)
        if taken is None:
            return
        try:
            self._rings.write(*taken)
        except StreamError as error:
            self._end(f"this session is over: {error}")

    def _take_words(self, payload: object) -> None:
        now_s = self._monotonic_s()
        try:
            words = self._decoded(payload, now_s)
        except MalformedMessage as error:
            self.intake.refuse(str(error), now_s)
            if self.intake.flooded:
                self._end(self.intake.flooded)
            return
        if (self.ended or self._is_superseded) and not isinstance(words, StopNow):
            return
        if isinstance(words, Visible) and not words.visible:
            self.intake.break_off("the page was hidden")
        if isinstance(words, TalkEnds):
            self._give(
                self._track.break_off(words.talk)
                if words.is_broken_off
                else self._track.end(words.talk, words.blocks, words.sent, now_s)
            )
            return
        if isinstance(words, TalkBegins):
            self._give(self._track.begin(words.talk, words.sent, now_s))
        # In a turn of its own: what goes wrong there is not this connection's doing.
        asyncio.get_running_loop().call_soon(self._on_words, words)

    def _take_sound(self, payload: object) -> None:
        now_s = self._monotonic_s()
        if self.ended or self._is_superseded or not self._sound_limit.allows(now_s):
            return  # what is not taken is missing in the talk's numbers
        try:
            packet = decode_sound(payload if isinstance(payload, bytes) else b"")
        except MalformedMessage as error:
            self.intake.refuse(str(error), now_s)
            if self.intake.flooded:
                self._end(self.intake.flooded)
            return
        asyncio.get_running_loop().call_soon(self._on_words, packet)

    def _take_track(self, data: bytes) -> None:
        now_s = self._monotonic_s()
        if self.ended or self._is_superseded or not self._track_limit.allows(now_s):
            return  # as of blocks
        try:
            self._give(self._track.take(decode_rtp(data), now_s))
        except MalformedMessage as error:
            self.intake.refuse(str(error), now_s)
            if self.intake.flooded:
                self._end(self.intake.flooded)

    def _give(self, given: list[Given]) -> None:
        for each in given:
            if isinstance(each, BrokenOff):
                self.tell(Heard(each.talk, TalkState.OVER, words=each.words))
            else:
                asyncio.get_running_loop().call_soon(self._on_words, each)

    def _decoded(self, payload: object, now_s: float) -> PageWords:
        if not isinstance(payload, str | bytes) or len(payload) > MOST_WORDS_BYTES:
            raise MalformedMessage(f"words are text of at most {MOST_WORDS_BYTES} bytes")
        try:
            words: PageWords = decode_words(payload)
        except UNREADABLE as error:
            raise MalformedMessage(f"this is no message of ours: {error}") from error
        if not self._limit.allows(now_s) and not isinstance(words, StopNow):
            if isinstance(words, Said | Replied):
                page_id = words.id if isinstance(words, Said) else words.question
                self.tell(Done(page_id, False, NOT_TAKEN))
            elif isinstance(words, TalkBegins | TalkEnds):
                self._give(self._track.break_off())
                self.tell(Heard(words.talk, TalkState.OVER, words=NOT_TAKEN))
            raise MalformedMessage(f"more than {MOST_WORDS_PER_S:g} messages a second")
        return words

    # ---------------------------------------------------------------- what goes

    async def _run(self, states: StateSender) -> None:
        begun_s = next_s = health_s = self._monotonic_s()
        try:
            while not self.ended:
                now_s = self._monotonic_s()
                self._watch(now_s, begun_s)
                self._give(self._track.look(now_s))
                self._send_words()
                if self._cloud is not None:
                    self._cloud.look(now_s)
                if now_s >= health_s:
                    health_s = now_s + _HEALTH_EVERY_S
                    self._health.look(now_s)
                    self._words = self._found_words()
                self._tell_changes()
                states.look()
                next_s = max(next_s + 1.0 / STATE_RATE_HZ, now_s)
                await asyncio.sleep(next_s - now_s)
        finally:
            self._end("this link's task was ended")
            self._tell_changes()
            states.close()
            if self._owns_clouds:
                await self._clouds.close()
            await asyncio.gather(*(peer.close() for peer in self._peers.values()))

    def _watch(self, now_s: float, begun_s: float) -> None:
        peer = self._peers["control"]
        if peer.state in ("failed", "closed"):
            self._end(f"the connection {'failed' if peer.state == 'failed' else 'was closed by the page'}")
        elif self._alive_since_s is None:
            if self._are_open:
                self._alive_since_s = now_s
            elif now_s - begun_s > CONNECT_WITHIN_S:
                self._end(f"the page did not connect within {CONNECT_WITHIN_S:g} s")
        elif now_s - max(peer.heard_s, self._alive_since_s) > DEAD_AFTER_S:
            self._end(f"nothing was heard for {DEAD_AFTER_S:g} s")
        elif not self._are_open:
            self._end("the page closed its channels")
        elif any(each.is_overfilled for each in self._peers.values()):
            self._end("the page opens channels, or begins messages, without an end")
        elif self._waiting.overflowed:
            self._end("the page does not take what it is told")

    def _send_words(self) -> None:
        channel = self._words_channel
        while self._is_open(channel) and channel is not None and channel.bufferedAmount < _WORDS_AHEAD_BYTES:
            words = self._waiting.take()
            if words is None:
                return
            channel.send(encode_words(words).decode())

    # ---------------------------------------------------------------- beginning and end

    def _peer(self, link: LinkName) -> Peer:
        if link not in self._peers:
            raise MalformedMessage(f"the {link} connection was not offered yet")
        return self._peers[link]

    @property
    def _is_superseded(self) -> bool:
        """The session is another link's, or over: this page was told, and is about to leave."""
        return self._rings.owner is not self or self._rings.is_closed

    @property
    def _are_open(self) -> bool:
        """All channels of the control connection."""
        return all(map(self._is_open, (self._hands_channel, self._states_channel, self._words_channel)))

    def _is_open(self, channel: RTCDataChannel | None) -> bool:
        return channel is not None and channel.readyState == "open"

    def _end(self, why: str) -> None:
        if not self.ended:
            self.ended = why

    def _found_words(self) -> str:
        cloud, media = self._cloud, self._peers.get("media")
        if media is not None and media.state == "failed":
            picture = "the connection for the camera's cloud failed; load the page anew to see it"
        else:
            picture = cloud.failed if cloud is not None else ""
        drives = self._seat.seat is not Seat.WATCHING
        return self._health.words(drives=drives) or picture

    def _tell_changes(self) -> None:
        now = (self.is_alive, self.ended, self._words, self._health.broken())
        if now != self._told:
            self._told = now
            asyncio.get_running_loop().call_soon(self._on_change)

    async def _drained(self) -> None:
        channel, until_s = self._words_channel, self._monotonic_s() + _FAREWELL_S
        while self._is_open(channel) and self._monotonic_s() < until_s:
            assert channel is not None
            await asyncio.sleep(0.02)  # what was handed to SCTP is not yet on its way
            if not len(self._waiting) and channel.bufferedAmount == 0:
                return
