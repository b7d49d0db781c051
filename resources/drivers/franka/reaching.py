"""Whether anything answers at an address, before pylibfranka is asked: it would wait for a minute in silence.

It connects and leaves again without a word. What answers but is no control box, or a mute one, is found out
later, by whoever speaks with it.
"""

from __future__ import annotations

import socket
from typing import Final

from framework.errors import ResourceUnavailable

ARM_PORT: Final = 1337
GRIPPER_PORT: Final = 1338

#: A control box on the same network answers within milliseconds [s].
REACHED_S: Final = 3.0

_LEAVES_S: Final = 0.5  # the other end may take so long to notice that we are gone


def reach(who: str, address: str, port: int, *, within_s: float = REACHED_S) -> None:
    """Return if something answers there. Raises ResourceUnavailable: what was tried, and what to look at."""
    tried = f"{who}, TCP port {port}"
    try:
        with socket.create_connection((address, port), timeout=within_s) as connection:
            _leave(connection)
    except TimeoutError:
        raise ResourceUnavailable(
            f"{tried}: nothing has answered for {within_s:g} s. Is this its address? Look at the cable, the "
            "power, and whether this machine has an address on the same network"
        ) from None
    except ConnectionRefusedError:
        raise ResourceUnavailable(
            f"{tried}: there is a machine, but nobody listens there. Activate FCI in Desk (a simulated box: "
            "start `pilothouse fci-sim`), or correct the address"
        ) from None
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ResourceUnavailable(
            f"{tried}: it cannot be reached ({why}). Look at the address and at this machine's network"
        ) from None


def _leave(connection: socket.socket) -> None:
    """Let the other end close too: who connects next must not meet one that is still there."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(_LEAVES_S)
    try:
        while connection.recv(4096):
            pass
    except OSError:
        return
