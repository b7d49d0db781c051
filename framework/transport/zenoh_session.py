"""One Zenoh session: checked endpoints, its configuration, opening and closing. No messages here.

Topology: every process is a Zenoh peer that listens somewhere and connects to
the endpoints it was given; gossip then links peers that have a common
neighbour to each other directly, so one well-known endpoint is enough and its
process may die without parting the others. Multicast scouting is off.
"""

from __future__ import annotations

import atexit
import ipaddress
import json
import logging
import re
import socket
import threading

import zenoh

from framework.errors import TransportError

_LOG = logging.getLogger(__name__)

ANYWHERE_HERE = "tcp/127.0.0.1:0"
"""Listen on the loopback interface, on whatever port is free."""

_ENDPOINT = re.compile(r"tcp/(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>\d{1,5})")
_TRIES_FOR_A_FREE_PORT = 16
_CLOSE_S = 0.5

_SCOUTING_MS = 200
"""`open` waits at most so long for processes it was told of that are not there yet."""

_RETRY_MS = (50, 500)
"""First and longest pause between attempts to connect to an endpoint."""

_WAIT_BEFORE_DROP_US = 5_000
"""How long a send may wait for room before the message is lost; further ones are lost at once until
there is room again. A process that does not read can thus neither hold us up nor what we tell others."""

_QUEUE_BATCHES = 16
"""Batches of 48 KiB that wait for one receiver, beside what the kernel buffers: 10 000 messages in one go."""


def checked_endpoint(endpoint: str, *, allow_remote: bool) -> str:
    """The endpoint itself; raises TransportError if it is none, or leads off this machine unasked."""
    match = _ENDPOINT.fullmatch(endpoint)
    if match is None or int(match["port"]) > 65_535:
        raise TransportError(
            f"{endpoint!r} is no endpoint: write tcp/HOST:PORT, for example tcp/127.0.0.1:7447 "
            "(or tcp/[::1]:7447), with a port from 0 to 65535"
        )
    if not allow_remote and not _is_loopback(match["host"].strip("[]")):
        raise TransportError(
            f"{endpoint} leads off this machine; only loopback endpoints (127.0.0.1, [::1], localhost) "
            "are used unless the transport is made with allow_remote=True"
        )
    return endpoint


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def configuration(
    listen: tuple[str, ...], connect: tuple[str, ...], *, shared_memory: bool = False
) -> dict[str, object]:
    """Zenoh's configuration for one process of an installation."""
    return {
        "mode": "peer",
        "listen": {"endpoints": listen, "exit_on_failure": True, "timeout_ms": 0},
        "connect": {
            "endpoints": connect,
            "exit_on_failure": False,
            "timeout_ms": -1,
            "retry": {
                "period_init_ms": _RETRY_MS[0],
                "period_max_ms": _RETRY_MS[1],
                "period_increase_factor": 2,
            },
        },
        "scouting": {"multicast": {"enabled": False}, "gossip": {"enabled": True}, "delay": _SCOUTING_MS},
        "transport": {
            "shared_memory": {"enabled": shared_memory},
            "link": {
                "rx": {"max_message_size": 16 << 20},
                "tx": {
                    "queue": {
                        "size": {"interactive_high": _QUEUE_BATCHES},
                        "congestion_control": {
                            "drop": {
                                "wait_before_drop": _WAIT_BEFORE_DROP_US,
                                "max_wait_before_drop_fragments": 2 * _WAIT_BEFORE_DROP_US,
                            }
                        },
                    }
                },
            },
        },
    }


class ZenohSession:
    """An open session.

    It must be closed, else the process can hang when the interpreter ends; what
    was forgotten is closed at exit. Opening takes about 10 ms, and 200 ms more
    if an endpoint does not answer yet (it is connected to later, by itself).
    """

    def __init__(self, listen: tuple[str, ...], connect: tuple[str, ...], *, shared_memory: bool) -> None:
        self.endpoints, self.zenoh = _open(listen, connect, shared_memory)
        self.id = str(self.zenoh.zid())
        atexit.register(self._close)

    def close(self) -> None:
        """Close it, in about 10 ms. Idempotent.

        A neighbour that has stopped reading with much under way to it makes Zenoh wait up to 13 s;
        then this returns after 0.5 s, and the closing goes on in a thread of its own.
        """
        if self.zenoh.is_closed():
            return
        atexit.unregister(self._close)
        # Not a daemon: a thread of Zenoh's that outlives the interpreter aborts the process.
        closing = threading.Thread(target=self._close, name="closing Zenoh")
        try:
            closing.start()
        except RuntimeError:  # the interpreter is ending and starts no more threads
            self._close()
            return
        closing.join(_CLOSE_S)
        if closing.is_alive():
            _LOG.warning("a neighbour does not read what it was sent; closing goes on in the background")

    def _close(self) -> None:
        try:
            self.zenoh.close()  # type: ignore[no-untyped-call]
        except zenoh.ZError as error:
            _LOG.warning("Zenoh did not close in an orderly way: %s", error)


def _open(
    listen: tuple[str, ...], connect: tuple[str, ...], shared_memory: bool
) -> tuple[tuple[str, ...], zenoh.Session]:
    """Open a session; port 0 is replaced by a free one first, as Zenoh does not tell which one it got."""
    for attempt in range(1, _TRIES_FOR_A_FREE_PORT + 1):
        endpoints = tuple(map(_with_port, listen))
        config = json.dumps(configuration(endpoints, connect, shared_memory=shared_memory))
        try:
            return endpoints, zenoh.open(zenoh.Config.from_json5(config))
        except zenoh.ZError as error:
            taken = "in use" in str(error)
            if taken and endpoints != listen and attempt < _TRIES_FOR_A_FREE_PORT:
                continue  # somebody else was given that port in between
            raise TransportError(_why_not(endpoints, connect, error, taken)) from error
    raise AssertionError("the last attempt returns or raises")


def _with_port(endpoint: str) -> str:
    match = _ENDPOINT.fullmatch(endpoint)
    if match is None or int(match["port"]) != 0:
        return endpoint
    host = match["host"].strip("[]")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        try:
            probe.bind((host, 0))
        except OSError as error:
            raise TransportError(f"cannot listen on {endpoint}: {error}; give an own address") from error
        return f"tcp/{match['host']}:{probe.getsockname()[1]}"


def _why_not(listen: tuple[str, ...], connect: tuple[str, ...], error: zenoh.ZError, taken: bool) -> str:
    if taken:
        return (
            f"cannot listen on {', '.join(listen)}: the address is already in use. Another installation may "
            "be running: stop it, connect to it instead, or listen on another port (0 takes any free one)"
        )
    wanted = f"listen on {', '.join(listen)}" + (f" and connect to {', '.join(connect)}" if connect else "")
    return f"Zenoh cannot {wanted}: {str(error).split(' at /')[0]}"
