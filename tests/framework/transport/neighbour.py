"""A registrar's link in a process of its own, driven by a test: `python neighbour.py NAME LISTEN [CONNECT]`.

It prints one JSON line for each thing it is told, with the wall-clock time, and
obeys one-word commands on its standard input. `LISTEN` may be empty. Every
`Release` that begins with "echo" is answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

import zenoh
from zenoh.handlers import Callback

from framework.errors import TransportError
from framework.transport.interface import Link
from framework.transport.messages import Message, Peer, Release
from framework.transport.zenoh import ZenohTransport
from framework.transport.zenoh_session import ANYWHERE_HERE, ZenohSession


def say(event: str, **facts: object) -> None:
    """One line for the test."""
    print(json.dumps({"event": event, "at_s": time.time(), **facts}), flush=True)


class Telling:
    """A listener that says what it hears."""

    def __init__(self) -> None:
        self.link: Link | None = None
        self.count = 0
        self.answered = asyncio.Event()

    def receive(self, sender: str, message: Message) -> None:
        assert isinstance(message, Release)
        self.count += 1
        if message.lease.startswith("echo") and self.link is not None:
            self.link.send(sender, Release("answer"))
        elif message.lease == "answer":
            if not self.answered.is_set():
                say("answered", sender=sender)
            self.answered.set()
        elif not message.lease.startswith("flood"):
            say("received", sender=sender, lease=message.lease, count=self.count)

    def peer_seen(self, peer: Peer) -> None:
        say("seen", name=peer.name, boot=peer.boot, provides=peer.provides, durable=peer.durable)

    def peer_lost(self, name: str, boot: str) -> None:
        say("lost", name=name, boot=boot)

    def malformed(self, sender: str, reason: str) -> None:
        say("malformed", sender=sender, reason=reason)


async def live(name: str, listen: str, connect: str) -> bool:
    """Join and obey; whether the transport is to be closed at the end."""
    transport = ZenohTransport(
        listen=(listen,) if listen else (), connect=tuple(connect.split(",")) if connect else ()
    )
    telling = Telling()
    try:
        before_s = time.perf_counter()
        transport.open()
        opened_s = time.perf_counter()
        link = telling.link = transport.join(name, telling)
        joined_s = time.perf_counter()
    except TransportError as error:
        say("refused", reason=str(error))
        transport.close()
        return True
    say(
        "joined",
        boot=link.boot,
        endpoint=transport.endpoints[0],
        open_ms=(opened_s - before_s) * 1e3,
        join_ms=(joined_s - opened_s) * 1e3,
    )
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(commands), sys.stdin
    )
    while command := (await commands.readline()).decode().split():
        match command:
            case ["send", to, lease]:
                link.send(to, Release(lease))
            case ["flood", to, count]:
                longest_s = 0.0
                for number in range(int(count)):
                    before_s = time.perf_counter()
                    link.send(to, Release(f"flood-{number}-" + "x" * 1000))
                    longest_s = max(longest_s, time.perf_counter() - before_s)
                say("flooded", longest_ms=longest_s * 1e3)
            case ["insist", to]:
                while not telling.answered.is_set():
                    link.send(to, Release("echo"))
                    await asyncio.sleep(0.02)
            case ["provide", *kinds]:
                link.advertise(Peer(name, link.boot, tuple(kinds)))
            case ["answer"]:  # a bare Zenoh query, to compare with
                bare = ZenohSession((ANYWHERE_HERE,), (), shared_memory=False)
                bare.zenoh.declare_queryable("bare", Callback(answer, indirect=False))
                say("answering", endpoint=bare.endpoints[0])
            case ["close"]:
                transport.close()
                return True
            case ["forget"]:
                return False
            case ["crash"]:
                os.abort()
    transport.close()
    return True


def answer(query: zenoh.Query) -> None:
    """A bare Zenoh reply."""
    query.reply("bare", query.payload or b"")


if __name__ == "__main__":
    asyncio.run(live(*sys.argv[1:4]))
    say("ends")
