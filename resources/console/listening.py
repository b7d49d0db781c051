"""Opening the socket a server listens on, with words for everything that can be in the way."""

from __future__ import annotations

import asyncio
import errno
import socket

from framework.errors import InstallationError
from resources.console.port_holder import port_taken


async def listen(host: str, port: int, *, what: str, option: str) -> socket.socket:
    """A listening socket; port 0 takes any free one.

    what, option: who listens, and how its port is chosen ("--port"), for the words.
    Raises InstallationError: the port is taken (it says by whom), or the address is not this machine's.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InstallationError(f"{what} cannot listen on {host!r}: {error.strerror or error}") from error
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
            raise InstallationError(await asyncio.to_thread(port_taken, host, port, option)) from error
        hint = (
            "ports below 1024 are for root; take one above"
            if error.errno == errno.EACCES
            else "give an address of this machine, such as 127.0.0.1"
        )
        raise InstallationError(
            f"{what} cannot listen on {host} port {port} ({error.strerror}): {hint}"
        ) from error
    return listening
