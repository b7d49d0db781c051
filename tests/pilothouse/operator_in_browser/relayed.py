"""A network between pages and the operator process that reads how each packet of that process is marked."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from playwright.async_api import BrowserContext, Route, WebSocketRoute

from pilothouse.experiments.operator_link.browser import divert
from pilothouse.experiments.operator_link.relay import LOOPBACK, Address, UdpRelay

_LONGEST: Final = 65_536
_LOOK_S: Final = 0.01
_LINKS: Final = ("control", "media")
"""In the order in which they are offered."""


class MarkReadingRelay(UdpRelay):
    """Passes on at once what comes; `is_cut` loses everything. `marks`: seen on the wire, by link."""

    def __init__(self) -> None:
        super().__init__(LOOPBACK, 0)
        self._targets: list[Address] = []
        self._marks: dict[Address, dict[int, int]] = {}

    @property
    def marks(self) -> dict[str, dict[int, int]]:
        """How many packets of each link of the process have come with which DSCP."""
        return {
            link: self._marks.get(target, {}) for link, target in zip(_LINKS, self._targets, strict=False)
        }

    def way_to(self, host: str, port: int) -> int:
        if (host, port) not in self._targets:
            self._targets.append((host, port))
        return super().way_to(host, port)

    def opened(self, take: Callable[[bytes, Address], None]) -> socket.socket:
        made = super().opened(take)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)

        def read() -> None:
            while made.fileno() >= 0:
                try:
                    payload, told, _, sender = made.recvmsg(_LONGEST, socket.CMSG_SPACE(1))
                except BlockingIOError:
                    return
                except OSError:
                    continue  # a packet of ours found nobody: that is told here
                seen = self._marks.setdefault(sender, {})
                for level, kind, content in told:
                    if (level, kind) == (socket.IPPROTO_IP, socket.IP_TOS):
                        seen[content[0] >> 2] = seen.get(content[0] >> 2, 0) + 1
                take(payload, sender)

        asyncio.get_running_loop().add_reader(made, read)  # in place of the one that asks for no mark
        return made


async def route_operator(context: BrowserContext, relay: UdpRelay) -> None:
    """Have all that the operator's pages of this device send and hear go with the relay, https included."""
    await context.route_web_socket(
        lambda url: url.endswith("/link"), lambda ws: _unless_cut(ws, relay, lambda ws: divert(ws, relay))
    )
    await context.route(lambda url: True, lambda route: _request(route, relay))


async def route_console(context: BrowserContext, network: Network) -> None:
    """Have the console's pages of this device go through this network: socket and requests."""

    def pass_on(ws: WebSocketRoute) -> None:
        server = ws.connect_to_server()
        ws.on_message(lambda message: None if network.is_cut else server.send(message))
        server.on_message(lambda message: None if network.is_cut else ws.send(message))

    await context.route_web_socket(lambda url: "/ws" in url, lambda ws: _unless_cut(ws, network, pass_on))
    await context.route(lambda url: True, lambda route: _request(route, network))


class Network:
    """What can be cut: everything that is sent meanwhile is lost."""

    is_cut = False


async def _unless_cut(
    ws: WebSocketRoute, network: Network | UdpRelay, pass_on: Callable[[WebSocketRoute], None]
) -> None:
    if network.is_cut:
        await ws.close()
    else:
        pass_on(ws)


async def _request(route: Route, network: Network | UdpRelay) -> None:
    if not network.is_cut:
        await route.continue_()
        return
    while network.is_cut:  # nothing comes back, not even that nothing will
        await asyncio.sleep(_LOOK_S)
    await route.abort("timedout")
