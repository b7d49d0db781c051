"""A network of our own between pages and the operator process: delays as on real radio, loss, and a cut.

A UDP relay on loopback, in this process: packets are held back for a delay that is drawn, or lost, each way
by itself. Order is kept, as radio does. ICE goes through it because the page is told the relay's address in
place of the process's own (`relayed_offer`), and the process learns of the page only by what comes out of it.
"""

from __future__ import annotations

import asyncio
import random
import re
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

import msgspec

from resources.operator.protocol import Offer

HOST: Final = "127.0.0.1"
LOSS: Final = 0.01
"""Each way."""

SLOT_S: Final = 0.02
"""What one packet finds, the next one finds a moment later, too: a delay is drawn for so long [s]."""

PEAKED: Final = 5.0
"""How much drawn delays keep to their mean: the sum of a beta distribution's two shapes."""

_CANDIDATE: Final = re.compile(r"^(a=candidate:\S+ \d+ udp \d+ )(\S+) (\d+)( typ host.*)$", re.IGNORECASE)
_LONGEST: Final = 65_536

Address = tuple[str, int]


class Network(msgspec.Struct, frozen=True):
    """Round trips of a network [ms], least, mean and greatest, and the share of packets lost each way."""

    name: str
    least_ms: float = 0.0
    mean_ms: float = 0.0
    most_ms: float = 0.0
    loss: float = 0.0

    @property
    def is_direct(self) -> bool:
        """Nothing is in between."""
        return self.most_ms == 0.0

    def one_way_s(self, drawn: random.Random) -> float:
        """A delay [s]: half of a round trip, beta distributed from the least to the greatest."""
        if self.is_direct:
            return 0.0
        span = self.most_ms - self.least_ms
        share = (self.mean_ms - self.least_ms) / span
        late = drawn.betavariate(PEAKED * share, PEAKED * (1.0 - share))
        return 0.5e-3 * (self.least_ms + span * late)


LOOPBACK: Final = Network("loopback")
WIFI: Final = Network("wifi", 5.0, 20.0, 60.0, LOSS)
MOBILE: Final = Network("5g", 40.0, 66.0, 84.0, LOSS)
NETWORKS: Final = (LOOPBACK, WIFI, MOBILE)
"""The two with delays: paper 000, measured over real radio."""


class Direction:
    """One way through a network: when packets come out. Pure; the same seed gives the same network."""

    def __init__(self, network: Network, seed: str) -> None:
        self._network = network
        self._delays = random.Random(f"{seed} delays")
        self._losses = random.Random(f"{seed} losses")
        self._delay_s = 0.0
        self._slot_s = float("-inf")
        self._last_s = float("-inf")

    def due_s(self, now_s: float) -> float | None:
        """When a packet that goes in now comes out, never before the one ahead of it; None if it is lost."""
        if now_s >= self._slot_s + SLOT_S:
            self._slot_s, self._delay_s = now_s, self._network.one_way_s(self._delays)
        if self._losses.random() < self._network.loss:
            return None
        self._last_s = max(self._last_s, now_s + self._delay_s)
        return self._last_s


class UdpRelay:
    """Passes packets on both ways, late; entered, on the loop that runs.

    is_cut: everything that comes, and what is under way, is lost.
    """

    def __init__(self, network: Network, seed: int) -> None:
        self.is_cut = False
        self._seed = seed
        self.becomes(network)
        self._ways: dict[Address, int] = {}
        self._sockets: list[socket.socket] = []

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.is_cut = True
        while self._sockets:
            opened = self._sockets.pop()
            self._loop.remove_reader(opened)
            opened.close()

    def becomes(self, network: Network) -> None:
        """From now on it is like this one."""
        self._up = Direction(network, f"{self._seed} {network.name} up")
        self._down = Direction(network, f"{self._seed} {network.name} down")

    def way_to(self, host: str, port: int) -> int:
        """The port of ours, on loopback, at which that address is reached through the relay."""
        target = (host, port)
        if target not in self._ways:
            backs: dict[Address, socket.socket] = {}

            def up(payload: bytes, client: Address) -> None:
                if client not in backs:  # a socket of its own for each, so that answers find it
                    backs[client] = self.opened(
                        lambda answer, _: self._pass(self._down, front, answer, client)
                    )
                self._pass(self._up, backs[client], payload, target)

            front = self.opened(up)
            self._ways[target] = front.getsockname()[1]
        return self._ways[target]

    def opened(self, take: Callable[[bytes, Address], None]) -> socket.socket:
        """A socket of this machine's loopback; what comes is given to `take` with its sender."""
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._sockets.append(made)
        made.setblocking(False)
        made.bind((HOST, 0))

        def read() -> None:
            while made.fileno() >= 0:
                try:
                    payload, sender = made.recvfrom(_LONGEST)
                except BlockingIOError:
                    return
                except OSError:
                    continue  # a packet of ours found nobody: that is told here
                take(payload, sender)

        self._loop.add_reader(made, read)
        return made

    def _pass(self, way: Direction, out: socket.socket, payload: bytes, to: Address) -> None:
        now_s = self._loop.time()
        due_s = None if self.is_cut else way.due_s(now_s)
        if due_s is None:
            return
        if due_s <= now_s:
            self._send(out, payload, to)
        else:
            self._loop.call_at(due_s, self._send, out, payload, to)

    def _send(self, out: socket.socket, payload: bytes, to: Address) -> None:
        if not self.is_cut:
            send(out, payload, to)


def send(out: socket.socket, payload: bytes, to: Address) -> None:
    """As networks do: what finds nobody, or no room, is lost."""
    try:
        out.sendto(payload, to)
    except OSError:
        return


def relayed_offer(offer: Offer, relay: UdpRelay) -> Offer:
    """The process's offer as if it were reached at the relay."""
    lines = []
    for line in offer.sdp.splitlines():
        found = _CANDIDATE.match(line)
        if found is None:
            lines.append(line)
        else:
            begin, host, port, rest = found.groups()
            lines.append(f"{begin}{HOST} {relay.way_to(host, int(port))}{rest}")
    return msgspec.structs.replace(offer, sdp="\r\n".join(lines) + "\r\n")


def without_candidates(sdp: str) -> str:
    """A page's answer that does not say where the page is."""
    lines = [line for line in sdp.splitlines() if not line.startswith(("a=candidate", "a=end-of-candidates"))]
    return "\r\n".join(lines) + "\r\n"


class Pings:
    """Bare packets through a relay and back: what the network alone takes, at the same time.

    Entered, it sends; `round_trips_ms` are those that have come back.
    """

    def __init__(self, relay: UdpRelay, rate_hz: float, size: int) -> None:
        self.round_trips_ms: list[float] = []
        self._relay = relay
        self._rate_hz = rate_hz
        self._size = size
        self._sent_s: dict[int, float] = {}

    async def __aenter__(self) -> Self:
        loop, relay = asyncio.get_running_loop(), self._relay
        self._far = relay.opened(lambda payload, sender: send(self._far, payload, sender))
        self._near = relay.opened(lambda payload, _: self._came(payload, loop.time()))
        port = relay.way_to(*self._far.getsockname())
        self._sending = loop.create_task(self._send_all((HOST, port)))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sending.cancel()
        await asyncio.gather(self._sending, return_exceptions=True)

    async def _send_all(self, to: Address) -> None:
        loop, number = asyncio.get_running_loop(), 0
        while True:
            number += 1
            self._sent_s[number] = loop.time()
            send(self._near, number.to_bytes(8, "little") + bytes(self._size - 8), to)
            await asyncio.sleep(1.0 / self._rate_hz)

    def _came(self, payload: bytes, now_s: float) -> None:
        sent_s = self._sent_s.pop(int.from_bytes(payload[:8], "little"), None)
        if sent_s is not None:
            self.round_trips_ms.append(1e3 * (now_s - sent_s))
