"""Where pages are served, operators' and the console's: https for the network, http only on loopback. Pure.

asked for                     served at
loopback                      http there: the desk, tests; no phone can reach it
"lan"                         https at this machine's address on its network, http on loopback
an address, a name            https there, http on loopback
all addresses                 https at each, loopback too
"""

from __future__ import annotations

import ipaddress

import msgspec

from framework.errors import InstallationError
from resources.web.addresses import ANY, LAN, Addresses, is_host_name
from resources.web.admission import is_loopback

_LOOPBACK = "127.0.0.1"


class Site(msgspec.Struct, frozen=True):
    """One place. host: to listen on; shown: to be asked under; names: all it may be asked under."""

    host: str
    shown: str
    is_secure: bool
    names: tuple[str, ...] = ()

    def address(self, port: int) -> str:
        """What stands in a browser's address field."""
        return f"{'https' if self.is_secure else 'http'}://{bracketed(self.shown)}:{port}/"


def sites_for(host: str, names: tuple[str, ...], here: Addresses) -> tuple[Site, ...]:
    """The desk's first where there are two. names: further host names that may be asked for.

    Raises InstallationError if a network is asked for and this machine is on none, or a name is none.
    """
    for name in names:
        if not is_host_name(name):
            raise InstallationError(f"{name!r} is no host name; such are letters, digits, '-' and '.'")
    if is_loopback(host):
        return (Site(host, host, False, names),)
    if host in (LAN, *ANY) and not here.lan:
        raise InstallationError(
            "this machine has no address on a network, so no other device can reach it: connect it to the "
            "network that the device is on, or run without --phones and --host"
        )
    if host in ANY:
        return (Site(host, here.lan, True, (*here.all, *here.names, *names)),)
    address = here.lan if host == LAN else host.strip("[]")
    desk = Site(_LOOPBACK, _LOOPBACK, False)
    return desk, Site(address, address, True, (*here.names, *names))


def certified_names(site: Site) -> tuple[str, ...]:
    """Everything a certificate for it has to name."""
    own = () if site.host in ANY else (site.shown,)
    names = (*own, *site.names, "localhost", _LOOPBACK)
    return tuple(dict.fromkeys(name.strip("[]").lower() for name in names))


def bracketed(host: str) -> str:
    """A host as it stands in an address."""
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host
