"""Opening the socket a server listens on, with words for everything that can be in the way."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import Final

from framework.errors import InstallationError
from resources.web.port_holder import MOST_PORT, port_taken

_WHICH: Final = "give an address of this machine, such as 127.0.0.1"


def check_port(port: int, *, option: str) -> None:
    """Raises InstallationError for a port that there cannot be. option: how it is chosen."""
    if not 0 <= port <= MOST_PORT:
        raise InstallationError(
            f"{option} {port}: there is no such port; they go from 1 to {MOST_PORT}, and 0 takes any free one"
        )


async def listen(host: str, port: int, *, what: str, option: str, default: int) -> socket.socket:
    """A listening socket; port 0 takes any free one.

    what, option: who listens, and how its port is chosen ("--port"), for the words; default: without that.
    Raises InstallationError: the port is taken (it says by whom) or is none, or the address is not this
    machine's.
    """
    check_port(port, option=option)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:  # of a name that cannot be one
        why = getattr(error, "strerror", None) or error
        raise InstallationError(f"{what} cannot listen on {host!r} ({why}): {_WHICH}") from error
    family, kind, protocol, _, address = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setblocking(False)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise InstallationError(
                await asyncio.to_thread(port_taken, host, port, option, default)
            ) from error
        if error.errno == errno.EADDRNOTAVAIL:  # at any port
            raise InstallationError(f"{what} cannot listen on {host} ({error.strerror}): {_WHICH}") from error
        hint = "ports below 1024 are for root; take one above" if error.errno == errno.EACCES else _WHICH
        raise InstallationError(
            f"{what} cannot listen on {host} port {port} ({error.strerror}): {hint}"
        ) from error
    return listening
