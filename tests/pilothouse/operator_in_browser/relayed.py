"""A network between pages and the operator process that reads how each packet of that process is marked."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from pilothouse.experiments.operator_link.relay import LOOPBACK, Address, UdpRelay

_LONGEST: Final = 65_536
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
