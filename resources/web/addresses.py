"""Under which addresses and names this machine can be reached; looked up here, without sending anything."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

import ifaddr
import msgspec

LAN: Final = "lan"
"""As a host to listen on: this machine's address on the local network, whatever it is."""

ANY: Final = ("", "0.0.0.0", "::")

_ELSEWHERE: Final = ("192.0.2.1", 9)  # reserved for documentation: nobody is there


class Addresses(msgspec.Struct, frozen=True):
    """This machine's. lan: what others on its network call it ("" if it is on none); all: every address that
    is not loopback or link-local; names: its host name, and that with ".local"."""

    lan: str
    all: tuple[str, ...]
    names: tuple[str, ...]


def this_machine() -> Addresses:
    """As it is now."""
    found = []
    for adapter in ifaddr.get_adapters():
        for each in adapter.ips:
            text = each.ip if isinstance(each.ip, str) else each.ip[0]
            address = ipaddress.ip_address(text)
            if not (address.is_loopback or address.is_link_local or address.is_unspecified):
                found.append(text)
    name = socket.gethostname().lower()
    names = (name, f"{name}.local") if is_host_name(name) and "." not in name else (name,)
    everything = tuple(dict.fromkeys(found))
    return Addresses(_lan(everything), everything, names if is_host_name(name) else ())


def _lan(addresses: tuple[str, ...]) -> str:
    """The address of the way out, else the first one that is of a private network, else any."""
    way_out = _way_out()
    if way_out in addresses:
        return way_out
    versions = sorted(addresses, key=lambda each: (":" in each, not ipaddress.ip_address(each).is_private))
    return versions[0] if versions else ""


def _way_out() -> str:
    """Our address on the default route: connecting a datagram socket asks for the route and sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(_ELSEWHERE)
        except OSError:  # no route anywhere
            return ""
        address: str = asking.getsockname()[0]
        return address


def is_host_name(name: str) -> bool:
    """Whether it can be the name of a machine (RFC 1123)."""
    labels = name.split(".")
    return len(name) <= 253 and all(
        0 < len(label) <= 63 and label.isascii() and label.replace("-", "").isalnum() for label in labels
    )
