"""A page without a browser: the other end of an `OperatorLink`, driven by a script.

For experiments and tests. It answers offers, sends hands as the page's `link` does, with a clock of its own,
and keeps what it is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCDataChannel,
    RTCIceServer,
    RTCIceTransportPolicy,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.rtp import RtpPacket

from framework.errors import TransportError
from resources.operator.candidates import LOOPBACK
from resources.operator.ice_additions import (
    close_within,
    connecting_by,
    gather_only_on,
    ice_connections,
    silence,
)
from resources.operator.packets import (
    HandPacket,
    StatePacket,
    decode_state_packet,
    encode_hand_packet,
    session_check,
)
from resources.operator.protocol import Answer, Offer, OperatorWords, PageWords, encode_words
from resources.types.masters import HandSide
from resources.types.motion import REST6, Vector6
from resources.types.streams import IDENTITY, Pose7

PACKET_TICKS: Final = 960
_SOURCE: Final = 0x7F3A9C01

_decode_words = msgspec.json.Decoder(OperatorWords).decode


class ScriptedPage:
    """A page of one session.

    Parameters
        session: its id. monotonic_s: this machine's clock [s].
        clock_ahead_s: what its own clock shows more than that [s]; may be changed: its clock steps.
        on_state: called with every StatePacket. on_cloud: with every message of the cloud channel.
    """

    def __init__(
        self,
        session: str,
        monotonic_s: Callable[[], float],
        *,
        clock_ahead_s: float = 0.0,
        on_state: Callable[[StatePacket], None] | None = None,
        on_cloud: Callable[[bytes], None] | None = None,
    ) -> None:
        self.clock_ahead_s = clock_ahead_s
        self.number = 0
        self.engagement = 0
        self.states: dict[int, StatePacket] = {}
        """The newest of each arm; 255: times only."""
        self.states_heard = 0
        self.heard: list[OperatorWords] = []
        self.spoken = 0
        """Packets of sound that were sent by the audio track."""
        self.round_trips_ms: list[float] = []
        """Of each hand, until the first state that echoes it."""
        self.session = session
        self._monotonic_s = monotonic_s
        self._on_state = on_state
        self._on_cloud = on_cloud
        self._connections: dict[str, RTCPeerConnection] = {}
        self._connecting: set[asyncio.Task[Any]] = set()
        self._channels: dict[str, RTCDataChannel] = {}
        self._newest: StatePacket | None = None
        self._newest_ms = 0.0
        self._answered_ms = 0.0
        self._pressings = 0

    @property
    def is_open(self) -> bool:
        """Words and hands may be sent."""
        return all(
            label in self._channels and self._channels[label].readyState == "open"
            for label in ("words", "hands", "states")
        )

    def now_ms(self) -> float:
        """By the page's clock [ms]."""
        return 1e3 * (self._monotonic_s() + self.clock_ahead_s)

    async def answer(self, offer: Offer, *, on_loopback: bool = True) -> Answer:
        """Answer an offer of the process's, candidates inside; over TURN only if the offer says so."""
        servers = [
            RTCIceServer(list(each.urls), username=each.username or None, credential=each.credential or None)
            for each in offer.ice
        ]
        policy = RTCIceTransportPolicy.RELAY if offer.relay_only else RTCIceTransportPolicy.ALL
        connection = RTCPeerConnection(
            RTCConfiguration(
                iceServers=servers, iceTransportPolicy=policy, bundlePolicy=RTCBundlePolicy.MAX_BUNDLE
            )
        )
        self._connections[offer.link] = connection
        connection.on("datachannel", self._take_channel)
        await connection.setRemoteDescription(RTCSessionDescription(offer.sdp, "offer"))
        if on_loopback and not offer.relay_only:
            for ice in ice_connections(connection):
                gather_only_on(ice, LOOPBACK)
        for transceiver in connection.getTransceivers():
            transceiver.direction = "sendonly"
            transceiver.sender.send = _nothing  # type: ignore[method-assign,assignment]
        local = await connection.createAnswer()
        self._connecting |= await connecting_by(connection.setLocalDescription(local))
        return Answer(offer.link, connection.localDescription.sdp)

    def say(self, words: PageWords) -> None:
        """Over the words channel."""
        self._channels["words"].send(encode_words(words).decode())

    async def speak(self, sounds: Iterable[bytes], *, every_s: float = 0.0) -> None:
        """Send packets of Opus, of 20 ms each, by the media link's audio track; every_s: pace [s]."""
        (transceiver,) = self._connections["media"].getTransceivers()
        for sound in sounds:
            number = self.spoken
            self.spoken += 1
            packet = RtpPacket(
                payload_type=transceiver._codecs[0].payloadType or 0,
                marker=int(number == 0),
                sequence_number=number % (1 << 16),
                timestamp=number * PACKET_TICKS % (1 << 32),
                ssrc=_SOURCE,
                payload=sound,
            )
            await transceiver.sender.transport._send_rtp(packet.serialize())
            if every_s:
                await asyncio.sleep(every_s)

    def press(self) -> int:
        """Press the clutch anew; the following `move`s are engaged. Returns the page's number of it."""
        self._pressings += 1
        self.engagement = self._pressings
        return self.engagement

    def release(self) -> None:
        """Open the clutch."""
        self.engagement = 0

    def packet(
        self,
        base_T_hand: Pose7 = IDENTITY,
        twist: Vector6 = REST6,
        acceleration: Vector6 = REST6,
        **fields: Any,
    ) -> HandPacket:
        """The next hand's packet, its times filled in; fields: of `HandPacket`, in place of the true ones."""
        self.number += 1
        now_ms = self.now_ms()
        newest = self._newest
        packet = HandPacket(
            side=HandSide.RIGHT,
            number=self.number,
            sent_ms=now_ms,
            check=session_check(self.session),
            engagement=self.engagement,
            base_T_hand=base_T_hand,
            twist=twist,
            acceleration=acceleration,
            echo_ms=0.0 if newest is None else newest.now_ms,
            held_ms=0.0 if newest is None else now_ms - self._newest_ms,
        )
        return msgspec.structs.replace(packet, **fields)

    def move(self, base_T_hand: Pose7 = IDENTITY, **fields: Any) -> HandPacket:
        """Send the next hand's packet; arguments as of `packet`."""
        packet = self.packet(base_T_hand, **fields)
        self.send(encode_hand_packet(packet))
        return packet

    def send(self, payload: bytes | str, label: str = "hands") -> None:
        """Anything over a channel, as it is. Raises TransportError if the channel is not open."""
        channel = self._channels.get(label)
        if channel is None or channel.readyState != "open":
            raise TransportError(f"the channel {label!r} of this page is not open")
        channel.send(payload)

    @property
    def channels(self) -> frozenset[str]:
        """The labels of those that have come."""
        return frozenset(self._channels)

    def vanish(self) -> None:
        """The network is gone, or the device: nothing comes or goes any more, and nobody is told."""
        for connection in self._connections.values():
            for ice in ice_connections(connection):
                silence(ice)

    async def close(self) -> None:
        """Leave, as a page that is closed: its connections say so."""
        for connection in self._connections.values():
            await close_within(connection, 0.5, self._connecting)

    def _take_channel(self, channel: RTCDataChannel) -> None:
        self._channels[channel.label] = channel
        take: dict[str, Callable[..., None]] = {
            "words": self._take_words,
            "states": self._take_state,
            "cloud": self._take_cloud,
        }
        if channel.label in take:  # nothing is heard of "hands"
            channel.on("message", take[channel.label])

    def _take_words(self, payload: str) -> None:
        self.heard.append(_decode_words(payload))

    def _take_state(self, payload: bytes) -> None:
        packet = decode_state_packet(payload)
        self.states_heard += 1
        known = self.states.get(packet.index)
        if known is None or packet.number > known.number:
            self.states[packet.index] = packet
        now_ms = self.now_ms()
        if self._newest is None or packet.number > self._newest.number:
            self._newest, self._newest_ms = packet, now_ms
        if packet.echo_ms > self._answered_ms:
            self._answered_ms = packet.echo_ms
            self.round_trips_ms.append(now_ms - packet.echo_ms - packet.held_ms)
        if self._on_state is not None:
            self._on_state(packet)

    def _take_cloud(self, payload: bytes) -> None:
        if self._on_cloud is not None:
            self._on_cloud(payload)


async def _nothing(_: object) -> None:
    """In place of aiortc's own sender."""
