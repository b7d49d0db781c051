"""A listener that writes down what it is told and can be waited on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from framework.transport.messages import Message, Peer


class Recorder:
    """The registrar's side of a link, for tests."""

    def __init__(self) -> None:
        self.received: list[tuple[str, Message]] = []
        self.seen: list[Peer] = []
        self.lost: list[tuple[str, str]] = []
        self.malformations: list[tuple[str, str]] = []
        self.story: list[str] = []
        self._present: dict[str, str] = {}
        self._news = asyncio.Event()

    def receive(self, sender: str, message: Message) -> None:
        self.received.append((sender, message))
        self._note(f"received {type(message).__name__} from {sender}")

    def peer_seen(self, peer: Peer) -> None:
        self.seen.append(peer)
        self._present[peer.name] = peer.boot
        self._note(f"seen {peer.name}")

    def peer_lost(self, name: str, boot: str) -> None:
        self.lost.append((name, boot))
        if self._present.get(name) == boot:
            del self._present[name]
        self._note(f"lost {name}")

    def malformed(self, sender: str, reason: str) -> None:
        self.malformations.append((sender, reason))
        self._note(f"malformed from {sender}")

    def peers_now(self) -> dict[str, str]:
        """Name → boot of those seen and not lost since."""
        return dict(self._present)

    async def until(self, condition: Callable[[Recorder], object], timeout_s: float = 5.0) -> None:
        """Wait until something told makes the condition true."""
        try:
            async with asyncio.timeout(timeout_s):
                while not condition(self):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"still untrue after {timeout_s} s; so far: {self.story[-20:]}") from None

    async def until_seen(self, *names: str) -> None:
        """Wait until all of them have been seen."""
        await self.until(lambda told: set(names) <= {peer.name for peer in told.seen})

    def _note(self, what: str) -> None:
        self.story.append(what)
        self._news.set()
