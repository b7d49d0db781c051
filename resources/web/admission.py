"""Who may talk to the console: the token of this run, the host asked for, the page's origin.

Pure decisions over headers; no sockets. Three questions, asked in this order by the server:

* Host: only names this server was bound to. A foreign name that was made to resolve to loopback
  (DNS rebinding) fails here, whatever it knows.
* Origin, where a browser sends one: only our own page. Keeps other sites' pages out.
* Token: 128 bits, new in every run. Requests carry it as `Authorization: Bearer …`, the WebSocket of a page
  in its first message (`sign_in.py`). Never a cookie: browsers send those to every port of the host.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from typing import Final

MOST_NAME_CHARS: Final = 64
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
_ANY_ADDRESS: Final = ("", "0.0.0.0", "::")


def new_token() -> str:
    """128 random bits as text that may stand in an address."""
    return secrets.token_urlsafe(16)


def bearer_of(headers: Mapping[str, str]) -> str:
    """What stands in the Authorization header as a bearer; "" if nothing does."""
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def is_token(text: str, token: str) -> bool:
    """Whether it is this token; takes as long for every wrong one. No text is the token ""."""
    given = text.encode("utf-8", "surrogatepass")
    return bool(token) and hmac.compare_digest(given, token.encode())


class Admission:
    """The rules for one place of a server.

    Args:
        host, port: what the server is bound to.
        names: further host names under which the server may be asked for.
        scheme: "http" or "https".
    """

    def __init__(self, host: str, port: int, *, names: tuple[str, ...] = (), scheme: str = "http") -> None:
        # Whoever binds to all addresses must name those it may be asked for by.
        own = () if host in _ANY_ADDRESS else (_bracketed(host),)
        hosts = {*own, *names, *(LOOPBACK_NAMES if is_loopback(host) or not own else ())}
        self._hosts = frozenset(f"{name.lower()}:{port}" for name in hosts) | frozenset(
            name.lower() for name in hosts if port == (443 if scheme == "https" else 80)
        )
        self._origins = frozenset(f"{scheme}://{host}" for host in self._hosts)

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Whether the request is for this server by a name it has."""
        return headers.get("Host", "").lower() in self._hosts

    def is_own_page(self, headers: Mapping[str, str]) -> bool:
        """Whether the request comes from a page this server served, and says so."""
        return headers.get("Origin", "").lower() in self._origins

    def is_foreign_page(self, headers: Mapping[str, str]) -> bool:
        """Whether the request says that it comes from another site's page."""
        return "Origin" in headers and not self.is_own_page(headers)


def is_plain_name(text: str) -> bool:
    """Whether a program may call itself so: 1 to 64 characters that can be printed, no space at its ends."""
    return 0 < len(text) <= MOST_NAME_CHARS and text.isprintable() and text == text.strip()


def is_loopback(host: str) -> bool:
    """Whether `host` can only be reached from this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
