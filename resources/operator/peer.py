"""One WebRTC connection to a page, as the process offers it: ways, marks, channels, and a bounded end.

What aiortc lacks for this is in `ice_additions.py`; what the channels carry is `links.py`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCDataChannel,
    RTCIceServer,
    RTCIceTransportPolicy,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.exceptions import InvalidStateError

from framework.errors import MalformedMessage, TransportError
from resources.operator.arguments import IceServer
from resources.operator.candidates import CandidateGate, is_loopback, own_address
from resources.operator.ice_additions import (
    Dscp,
    close_within,
    connecting_by,
    gather_only_on,
    hear_audio,
    ice_connections,
    is_overfilled,
    mark,
    read_lightly,
    retransmit_soon,
    take_note,
    tell_of_packets,
)

CLOSE_WITHIN_S: Final = 2.0
"""A connection ends within this, whatever has become of the other side and of its TURN server [s]."""


_OPUS: Final = "maxplaybackrate=16000;sprop-maxcapturerate=16000;stereo=0;useinbandfec=0;usedtx=0;ptime=20"
"""Asked of a page's encoder (RFC 7587, 6.1): nothing above 8 kHz, which nobody here hears, silence too."""


class Peer:
    """A connection that this side offers. Make the channels first, then `offer`.

    Parameters
        dscp: mark of all its packets. speaks_always: something of ours is always on its way
            (`ice_additions.retransmit_soon`).
        ice: STUN and TURN servers; the first of each kind is used here. relay_only: nothing but TURN.
        host: what to listen on; on loopback no way leaves this machine, and STUN is not asked.
        monotonic_s: CLOCK_MONOTONIC [s].
    """

    def __init__(
        self,
        *,
        dscp: Dscp,
        speaks_always: bool = False,
        ice: Sequence[IceServer],
        relay_only: bool,
        host: str,
        monotonic_s: Callable[[], float],
    ) -> None:
        self.heard_s = 0.0
        """When the other side itself was heard last, CLOCK_MONOTONIC [s]; 0 before the first."""
        self._dscp = dscp
        self._speaks_always = speaks_always
        self._relay_only = relay_only
        self._monotonic_s = monotonic_s
        self._address = own_address(host)
        loopback_only = is_loopback(host)
        self._gate = CandidateGate(loopback_only=loopback_only)
        self._connection = RTCPeerConnection(
            RTCConfiguration(
                iceServers=_servers(ice, loopback_only=loopback_only),
                iceTransportPolicy=RTCIceTransportPolicy.RELAY if relay_only else RTCIceTransportPolicy.ALL,
                bundlePolicy=RTCBundlePolicy.MAX_BUNDLE,
            )
        )
        self._sections: tuple[str, ...] = ("application",)
        self._connecting: set[asyncio.Task[Any]] = set()
        self._offering: asyncio.Task[str] | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def state(self) -> str:
        """new, connecting, connected, failed or closed."""
        return self._connection.connectionState

    @property
    def is_overfilled(self) -> bool:
        """Whether the other side fills our memory: with channels, or beginnings of messages."""
        return is_overfilled(self._connection)

    def channel(self, label: str, *, reliable: bool) -> RTCDataChannel:
        """A data channel: reliable and in order, or else newest wins (unordered, nothing sent twice)."""
        if reliable:
            return self._connection.createDataChannel(label)
        return self._connection.createDataChannel(label, ordered=False, maxRetransmits=0)

    def hears(self, take: Callable[[bytes], None]) -> None:
        """Offer to take one audio track, of Opus: `take` gets its RTP packets. Before any channel is made."""
        hear_audio(self._connection, _OPUS, take)
        self._sections = ("audio", "application")

    async def offer(self) -> str:
        """Gather candidates (at most 5 s, if a server does not answer) and say them as SDP.

        Raises TransportError if there is no way at all, or this connection is closed.
        """
        # To its end, even if whoever asked goes away: what is half gathered would stay open.
        self._offering = asyncio.ensure_future(self._offer())
        self._offering.add_done_callback(take_note)
        return await asyncio.shield(self._offering)

    async def answer(self, sdp: str) -> None:
        """Take the page's answer. Raises MalformedMessage if it is none, or none is awaited."""
        if self._connection.signalingState != "have-local-offer":
            raise MalformedMessage(
                f"an answer came where none is awaited (the connection is {self._connection.signalingState})"
            )
        sections = tuple(line[2:].split(" ", 1)[0] for line in sdp.splitlines() if line.startswith("m="))
        if sections != self._sections:
            raise MalformedMessage(
                f"an answer with {', '.join(sections)[:80] or 'nothing'}; "
                f"{' and '.join(self._sections)} was offered"
            )
        try:
            description = RTCSessionDescription(self._gate.answer(sdp), "answer")
            self._connecting |= await connecting_by(self._connection.setRemoteDescription(description))
        except Exception as error:  # aiortc's parser raises whatever its code stumbles over
            raise MalformedMessage(f"this is no answer to our offer: {error!r}") from error

    async def candidate(self, text: str, mid: str) -> None:
        """A candidate that came after the answer. Raises MalformedMessage if it is none."""
        candidate = self._gate.candidate(text)
        if candidate is None:
            return
        candidate.sdpMid = mid or "0"
        try:
            if self._connection.remoteDescription is not None:
                await self._connection.addIceCandidate(candidate)
        except Exception as error:  # as above; also for an answer that it has taken and cannot write again
            raise MalformedMessage(f"{text[:80]!r} is no candidate here: {error!r}") from error

    async def close(self) -> None:
        """End it, at most `CLOSE_WITHIN_S` long; idempotent."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(
                close_within(self._connection, CLOSE_WITHIN_S / 3, self._connecting)
            )
        await asyncio.wait({self._closing})

    async def _offer(self) -> str:
        tell_of_packets(self._connection, self._heard)
        if self._speaks_always:
            retransmit_soon(self._connection)
        for ice in ice_connections(self._connection):
            if self._address is not None and not self._relay_only:
                gather_only_on(ice, self._address)
        try:
            await self._connection.setLocalDescription(await self._connection.createOffer())
        except InvalidStateError as error:
            raise TransportError(f"this connection cannot be offered: {error}") from error
        for ice in ice_connections(self._connection):
            if self._closing is not None:
                await ice.close()  # what was gathered since
                raise TransportError("this connection was closed while it was offered")
            if not ice.local_candidates:
                raise TransportError(
                    "no way to this process was found: the TURN server did not answer, or refused"
                    if self._relay_only
                    else "no way to this process was found: the machine has no network address"
                )
            mark(ice, self._dscp)
            read_lightly(ice)
        sdp: str = self._connection.localDescription.sdp
        return sdp

    def _heard(self) -> None:
        self.heard_s = self._monotonic_s()


def _servers(ice: Sequence[IceServer], *, loopback_only: bool) -> list[RTCIceServer]:
    """As aiortc takes them; never None, which would mean a server of its makers' choice."""
    servers = []
    for server in ice:
        urls = [url for url in server.urls if not (loopback_only and url.startswith("stun"))]
        if urls:
            servers.append(
                RTCIceServer(urls, username=server.username or None, credential=server.credential or None)
            )
    return servers
