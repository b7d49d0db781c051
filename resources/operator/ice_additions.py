"""What aiortc and aioice lack, added to one connection at a time, never to their modules.

Candidates on loopback (aioice leaves 127.0.0.1 out), DSCP marks, short retransmission time-outs, and a look
at what comes and goes. Written against aiortc 1.16 and aioice 0.13; their inner parts are touched here and
nowhere else.
"""

from __future__ import annotations

import asyncio
import re
import socket
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from enum import IntEnum
from typing import Any, Final

from aiortc import RTCDataChannel, RTCPeerConnection, RTCRtpCodecCapability, RTCSessionDescription


class Dscp(IntEnum):
    """Differentiated services code points (RFC 8837, 5): how routers and Wi-Fi are to treat packets."""

    EXPEDITED = 46  # EF: control
    VIDEO = 34  # AF41: media


def ice_connections(connection: RTCPeerConnection) -> list[Any]:
    """aioice's connections below one of aiortc's: a single one where everything is bundled."""
    transports = [each.receiver.transport for each in connection.getTransceivers()]
    if connection.sctp is not None:
        transports.append(connection.sctp.transport)
    return list({id(each.transport): each.transport._connection for each in transports}.values())


def gather_only_on(ice: Any, address: str) -> None:
    """Listen on this address of this machine's and on no other; call it before candidates are gathered."""
    gather = ice.get_component_candidates

    async def only_on(component: int, addresses: list[str], timeout: int = 5) -> list[Any]:
        found: list[Any] = await gather(component=component, addresses=[address], timeout=timeout)
        return found

    ice.get_component_candidates = only_on


def tell_of_packets(connection: RTCPeerConnection, heard: Callable[[], None]) -> None:
    """Call `heard` with each packet of the other side's data channels.

    Only with those that DTLS has decrypted: whatever else comes to the port (garbage, STUN of strangers, what
    was recorded and is sent again) may be anybody's.
    """
    sctp = connection.sctp
    if sctp is None:
        return
    pass_on = sctp._handle_data

    async def handle_data(data: bytes) -> None:
        heard()
        await pass_on(data)

    sctp._handle_data = handle_data  # type: ignore[method-assign]


def hear_audio(connection: RTCPeerConnection, parameters: str, take: Callable[[bytes], None]) -> None:
    """Offer to receive one audio track, of Opus; `take` gets each of its packets, as SRTP has decrypted it.

    Before channels are made: the first section of an offer is the one that candidates are for. In place of
    aiortc's own receiver, which tells nobody what was lost, keeps 80 ms back and after a loss 300, and has
    a thread for it. Nothing goes back to the page (RTCP).

    parameters: of Opus, as they are to stand in the offer.
    """
    transceiver = connection.addTransceiver("audio", direction="recvonly")
    transceiver.setCodecPreferences([RTCRtpCodecCapability("audio/opus", clockRate=48_000, channels=2)])
    offer = connection.createOffer

    async def offered() -> RTCSessionDescription:
        made = await offer()
        sdp = re.sub(r"(a=rtpmap:(\d+) opus/48000/2\r\n)", rf"\1a=fmtp:\2 {parameters}\r\n", made.sdp)
        return RTCSessionDescription(sdp, made.type)

    async def receive(_: object) -> None:
        """Nothing is to be done."""

    async def handle_rtp(data: bytes, arrival_time_ms: int) -> None:
        take(data)

    async def handle_rtcp(data: bytes) -> None:
        """Nothing is wanted of it."""

    connection.createOffer = offered  # type: ignore[method-assign]
    receiver = transceiver.receiver
    receiver.receive = receive  # type: ignore[method-assign,assignment]
    receiver.transport._handle_rtp_data = handle_rtp  # type: ignore[method-assign]
    receiver.transport._handle_rtcp_data = handle_rtcp  # type: ignore[method-assign]


FIRST_TIMEOUT_S: Final = 0.5
"""Until a round trip was measured, what is not acknowledged is sent again after this [s]; aiortc: 3 s."""

LEAST_TIMEOUT_S: Final = 0.15
"""No sooner than this [s]; aiortc: 1 s, so that each blackout lasts until the next full second."""

SLACK_S: Final = 0.1
"""Acknowledgements may come by so much later than the mean round trip, however steady that was [s]."""

LONGEST_TIMEOUT_S: Final = 1.0
PATIENCE: Final = 4
"""After so many time-outs in a row the way may have become longer: the time-out is doubled."""


def retransmit_soon(connection: RTCPeerConnection) -> None:
    """Shorten the time-outs of our half of SCTP (RFC 9260, 6.3); the other side's half is its own.

    For a connection that always has something on its way: a browser may keep an acknowledgement back for
    .2 s if nothing else comes. Not each time-out doubles the next, as in the RFC: that would only make
    blackouts longer, as there is little to send. But without any doubling a round trip longer than the
    time-out could never be measured, for what was sent twice is not (Karn's rule): so every fourth does.
    """
    sctp = connection.sctp
    if sctp is None:
        return
    in_a_row = 0
    update, expired = sctp._update_rto, sctp._t3_expired

    def update_rto(R: float) -> None:
        nonlocal in_a_row
        in_a_row = 0
        update(R)
        assert sctp._srtt is not None
        assert sctp._rttvar is not None
        sctp._rto = max(LEAST_TIMEOUT_S, sctp._srtt + max(4.0 * sctp._rttvar, SLACK_S))

    def t3_expired() -> None:
        nonlocal in_a_row
        in_a_row += 1
        if in_a_row % PATIENCE == 0:
            sctp._rto = max(sctp._rto, min(2.0 * sctp._rto, LONGEST_TIMEOUT_S))
        expired()

    sctp._rto = FIRST_TIMEOUT_S
    sctp._update_rto = update_rto  # type: ignore[method-assign]
    sctp._t3_expired = t3_expired  # type: ignore[method-assign]


def mark(ice: Any, dscp: Dscp) -> None:
    """Mark all packets of a connection that has gathered its candidates.

    All of its packets are of one kind, so its sockets are marked and not each packet.
    """
    for opened in _sockets(ice):
        if opened.family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, dscp << 2)
        else:
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)


def send_at_once(channel: RTCDataChannel, payload: bytes) -> None:
    """Send over a data channel in this turn of the loop; aiortc's own `send` leaves it for the next."""
    channel.send(payload)
    flushing = channel.transport._data_channel_flush()
    try:
        waits_for = flushing.send(None)
    except (StopIteration, ConnectionError):
        return  # sent; or there is no way any more, which whoever watches the connection finds out
    asyncio.ensure_future(_rest_of(flushing, waits_for)).add_done_callback(take_note)


@types.coroutine
def _rest_of(begun: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    """What a coroutine that was begun by hand has still to do."""
    while True:
        heard = yield waits_for
        try:
            waits_for = begun.send(heard)
        except StopIteration:
            return


LARGEST_PACKET: Final = 65_536
"""No packet of UDP is larger [bytes]."""


def read_lightly(ice: Any) -> None:
    """Have packets read into no more memory than they can fill, for a connection that has gathered.

    asyncio offers 256 KiB for each, which the C library gets from the system and gives back every time: that
    takes longer than everything else that reading a packet of a hand needs.
    """
    for transport in _transports(ice):
        transport.max_size = LARGEST_PACKET


def marks_of(ice: Any) -> list[int]:
    """The DSCP of each socket of a connection."""
    return [
        opened.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS) >> 2
        if opened.family == socket.AF_INET6
        else opened.getsockopt(socket.IPPROTO_IP, socket.IP_TOS) >> 2
        for opened in _sockets(ice)
    ]


async def connecting_by(described: Awaitable[None]) -> set[asyncio.Task[Any]]:
    """Set a description, and get hold of the task that aiortc connects in, which it lets go of.

    If the other side leaves meanwhile, that task fails with nobody to tell, or waits for ever.
    """
    before = asyncio.all_tasks()
    await described
    started = {
        task
        for task in asyncio.all_tasks() - before
        if getattr(task.get_coro(), "__qualname__", "") == "RTCPeerConnection.__connect"
    }
    for task in started:
        task.add_done_callback(take_note)
    return started


async def close_within(
    connection: RTCPeerConnection, seconds: float, connecting: Iterable[asyncio.Task[Any]] = ()
) -> None:
    """End a connection, in at most three times so long [s], and the tasks that were `connecting` it.

    Its TURN server is asked to forget it; one that does not answer would be asked for half a minute.
    """
    ices = ice_connections(connection)  # they are not to be had of a connection that is closed
    # First: one that finds a way while it is being closed would look after that way for ever.
    under_way = {task for task in connecting if not task.done()}
    for task in under_way:
        task.cancel()
    if under_way:
        await asyncio.wait(under_way, timeout=seconds)
    closing = asyncio.ensure_future(connection.close())
    done, _ = await asyncio.wait({closing}, timeout=seconds)
    if not done:
        for ice in ices:
            for protocol in ice._protocols:
                asked = getattr(protocol.transport, "_TurnTransport__close_task", None)
                if asked is not None:
                    asked.cancel()
        await asyncio.wait({closing}, timeout=seconds)
    closing.add_done_callback(take_note)


MOST_CHANNELS: Final = 16
"""Data channels of one connection; the other side may open some, too."""


def is_overfilled(connection: RTCPeerConnection) -> bool:
    """Whether more channels or unfinished messages lie here than were asked for: aiortc keeps them all."""
    sctp = connection.sctp
    return sctp is not None and (sctp._advertised_rwnd <= 0 or len(sctp._data_channels) > MOST_CHANNELS)


def silence(ice: Any) -> None:
    """Cut a connection, both ways, as a network does: nothing arrives and nobody is told. For tests."""

    async def lose(data: bytes, addr: tuple[str, int]) -> None:
        """As if sent."""

    for protocol in ice._protocols:
        protocol.send_data = lose
        protocol.send_stun = _lose
        protocol.datagram_received = _lose


def take_note(task: asyncio.Task[Any]) -> None:
    """Of a task whose starter may be gone: what ended badly has ended; nobody waits to be told."""
    if not task.cancelled():
        task.exception()


def _lose(*_: object) -> None:
    """As if sent, or never come."""


def _sockets(ice: Any) -> list[Any]:
    opened = (transport.get_extra_info("socket") for transport in _transports(ice))
    return [each for each in opened if each is not None]


def _transports(ice: Any) -> list[Any]:
    """asyncio's, of each way; below TURN's own."""
    found = []
    for protocol in ice._protocols:
        relayed = getattr(protocol.transport, "_TurnTransport__inner_protocol", None)
        found.append(protocol.transport if relayed is None else relayed.transport)
    return found
