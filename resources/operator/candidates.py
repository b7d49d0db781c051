"""Which ways to a page are tried: what of its answer and candidates is let through. Pure.

A page may name any address, and this machine would knock there: so there are few of them; while the house
is on loopback, only loopback's, and else none of this machine's own services. That loses nothing: whoever
reaches our own candidate is learned from its packets.
"""

from __future__ import annotations

import ipaddress
from typing import Final

from aiortc.rtcicetransport import RTCIceCandidate
from aiortc.sdp import candidate_from_sdp

from framework.errors import MalformedMessage

MOST_CANDIDATES: Final = 32
"""Of one connection, inside the answer and after it."""

LOOPBACK: Final = "127.0.0.1"

_BROADCAST: Final = ipaddress.IPv4Address("255.255.255.255")
_LINE: Final = "a=candidate:"
_END: Final = "a=end-of-candidates"


def is_loopback(host: str) -> bool:
    """Of a host as a server listens on it: a name or an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def own_address(host: str) -> str | None:
    """The one address that a host to listen on means; None: every address of this machine."""
    if is_loopback(host):
        return host if host.startswith("127.") else LOOPBACK
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return None if address.is_unspecified else host


class CandidateGate:
    """Of one connection: which of the page's candidates are tried.

    Parameters
        loopback_only: drop every address but loopback's.
    """

    def __init__(self, *, loopback_only: bool) -> None:
        self.loopback_only = loopback_only
        self.left = MOST_CANDIDATES
        self.dropped = 0

    def answer(self, sdp: str) -> str:
        """An SDP answer without the candidates that are not tried.

        Without the end of candidates, too: a page that is learned from its own packets comes after it.
        """
        lines = []
        for line in sdp.splitlines():
            if line.startswith(_END):
                continue
            if line.startswith(_LINE):
                try:
                    if self.candidate(line.removeprefix("a=")) is None:
                        continue
                except MalformedMessage:
                    continue
            lines.append(line)
        return "\r\n".join(lines) + "\r\n"

    def candidate(self, text: str) -> RTCIceCandidate | None:
        """A candidate as `RTCIceCandidate.candidate` has it; None if it is not tried, or is the end of them.

        Raises MalformedMessage if it is none.
        """
        if not text:
            return None
        try:
            candidate = candidate_from_sdp(text.removeprefix("candidate:"))
        except (ValueError, AssertionError, IndexError) as error:
            self.dropped += 1
            raise MalformedMessage(f"{text[:80]!r} is no candidate: {error}") from error
        if not self._is_tried(candidate) or self.left == 0:
            self.dropped += 1
            return None
        self.left -= 1
        return candidate

    def _is_tried(self, candidate: RTCIceCandidate) -> bool:
        if candidate.protocol.lower() != "udp" or not 1 <= candidate.port <= 65535:
            return False
        try:
            address = ipaddress.ip_address(candidate.ip)
        except ValueError:
            # A phone's own address hidden behind a name of multicast DNS: found in the local network only.
            return candidate.ip.endswith(".local") and not self.loopback_only
        if isinstance(address, ipaddress.IPv6Address):
            address = address.ipv4_mapped or address
        if self.loopback_only:
            return address.is_loopback
        reaches_nobody = address.is_multicast or address.is_unspecified or address == _BROADCAST
        return not (reaches_nobody or address.is_loopback)
