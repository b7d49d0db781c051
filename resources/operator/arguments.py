"""What the operator process is told when it is started: data that stands readable in its command line."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

DEFAULT_PORT = 8301


IceUrl = Annotated[
    str,
    Meta(
        pattern=r"^(stuns?|turns?):[^?:/@\s]+(:[0-9]{1,5})?(\?transport=(udp|tcp))?\Z",
        description="servers like stun:host:3478, turn:host:3478 and turns:host:5349?transport=tcp",
    ),
]
"""As in RFC 7064 and 7065, without IPv6 literals, which aiortc does not read."""


class IceServer(msgspec.Struct, frozen=True):
    """A STUN or TURN server. urls: "stun:host:port", "turn:host:port?transport=udp"."""

    urls: tuple[IceUrl, ...]
    username: str = ""
    credential: str = ""


class OperatorArguments(msgspec.Struct, frozen=True):
    """The operator process's.

    run_directory: where its rings and the emergency stop are. state: folder of the certificate.
    console: address of the console's server, whose words it passes on; its token comes over the channel,
        never in a command line. console_certificate: the only one that is believed there; "" for plain http.
    host, port: where to listen; anything but loopback is served over https. "lan" is this machine's address
        on the local network, whatever it is. Port 0 takes any free one.
    names: further host names that may be asked for.
    awaits_ice: STUN and TURN servers come over the channel, too, with their passwords (`Ice`): no link is
        offered before. relay_only: use TURN only.
    installation: what pages call it. dist: folder of the built page, "" for the one in the package.
    open_page: folder of the open SpesRobotics phone page (its index.html), served at /spes/; "" for none.
    """

    run_directory: str
    state: str
    console: str
    console_certificate: str = ""
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    names: tuple[str, ...] = ()
    awaits_ice: bool = False
    relay_only: bool = False
    installation: str = "Pilothouse"
    dist: str = ""
    open_page: str = ""
