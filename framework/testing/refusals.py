"""What a virtual-time loop cannot do, and what a test uses instead.

The outside world has its own time; a socket that answers "in a millisecond"
answers after any number of virtual days. So the loop refuses at the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from framework.errors import SimulatedTimeError

_WALL_CLOCK = "test it on the wall clock (asyncio.run)"
_SOCKETS = f"use the local transport (framework.transport), or {_WALL_CLOCK}"
_CHILDREN = f"script the child (framework.testing), or {_WALL_CLOCK}"
_SIGNALS = f"call the handler itself at a scripted time, or {_WALL_CLOCK}"

NEEDS_REAL_TIME: Final[dict[str, str]] = {
    **dict.fromkeys(
        (
            "create_connection",
            "create_server",
            "create_unix_connection",
            "create_unix_server",
            "create_datagram_endpoint",
            "connect_accepted_socket",
            "start_tls",
            "sendfile",
            "getaddrinfo",
            "getnameinfo",
            "sock_recv",
            "sock_recv_into",
            "sock_recvfrom",
            "sock_recvfrom_into",
            "sock_sendall",
            "sock_sendto",
            "sock_connect",
            "sock_accept",
            "sock_sendfile",
            "add_reader",
            "add_writer",
        ),
        _SOCKETS,
    ),
    "subprocess_exec": _CHILDREN,
    "subprocess_shell": _CHILDREN,
    "connect_read_pipe": _CHILDREN,
    "connect_write_pipe": _CHILDREN,
    "add_signal_handler": _SIGNALS,
}
"""Method of the event loop → what to use instead."""


def refusal(method: str) -> Callable[..., NoReturn]:
    """Make a stand-in for a loop method that raises SimulatedTimeError when it is called."""
    instead = NEEDS_REAL_TIME[method]

    def refuse(self: object, *args: object, **options: object) -> NoReturn:
        named = (f"{name}={_short(value)}" for name, value in options.items())
        asked = ", ".join([*map(_short, args), *named])
        raise SimulatedTimeError(
            f"{method}({asked}) was asked of the virtual clock, on which nothing outside of this process "
            f"can take part: {instead}."
        )

    refuse.__name__ = method
    return refuse


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
