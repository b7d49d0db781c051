"""A console without a picture: sees and orders what the console's page does, as a program.

When samples arrive is noted by `console_watcher.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
import msgspec

from framework.errors import InstallationError
from pilothouse.running import RunningInstallation
from resources.web.page_messages import (
    EndSession,
    Fail,
    FailureKind,
    FromPage,
    HandOver,
    OpenPairing,
    Restore,
    Say,
)

PATIENCE_S: Final = 30.0

Asking = Callable[[str], FromPage]
"""Makes a message, given its id."""


class ConsoleProgram:
    """Connected. The newest state of each kind is in `states`, all events since it connected in `events`.

    Raises InstallationError where something is refused, not answered, or does not come about in time.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.states: dict[str, dict[str, Any]] = {}
        self.events: list[str] = []
        self._socket = socket
        self._replies: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._count = 0
        self._changed = asyncio.Event()

    @property
    def sessions(self) -> list[dict[str, Any]]:
        """Who is paired."""
        found: list[dict[str, Any]] = self.states.get("operators", {}).get("sessions", [])
        return found

    @property
    def driver(self) -> str:
        """Who drives, "" if nobody does."""
        return next((each["name"] for each in self.sessions if each.get("driving")), "")

    @property
    def running(self) -> list[str]:
        """The plans that run, in words."""
        plans = self.states.get("trees", {}).get("plans", [])
        return [each["text"] for each in plans if each["state"] not in ("succeeded", "failed", "cancelled")]

    async def code(self) -> str:
        """Open a code for one device: the link it says."""
        before = self.states.get("operators", {}).get("url", "")
        await self.ask(lambda number: OpenPairing(number))
        await self.until(lambda: self.states["operators"].get("url", "") not in ("", before))
        return str(self.states["operators"]["url"])

    async def say(self, text: str) -> None:
        """Give an instruction."""
        await self.ask(lambda number: Say(number, text))

    async def send_away(self, session: str) -> None:
        """End a session."""
        await self.ask(lambda number: EndSession(number, session))

    async def hand_over(self, session: str) -> str:
        """Have another one drive; what the console says of it."""
        return await self.ask(lambda number: HandOver(number, session))

    async def fail(self, device: str, how: FailureKind) -> None:
        """Make a device fail."""
        await self.ask(lambda number: Fail(number, device, how))

    async def restore(self, device: str) -> None:
        """Plug it in again."""
        await self.ask(lambda number: Restore(number, device))

    async def ask(self, asking: Asking) -> str:
        """Have something done; what is replied."""
        reply: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._replies[str(self._count + 1)] = reply
        message = await self.tell(asking)
        try:
            answer = await asyncio.wait_for(reply, PATIENCE_S)
        except TimeoutError:
            raise InstallationError(
                f"no reply to {message} within {PATIENCE_S:g} s; {self._latest}"
            ) from None
        if not answer["ok"]:
            raise InstallationError(f"{message} was refused: {answer['text']}; {self._latest}")
        return str(answer["text"])

    async def tell(self, asking: Asking) -> FromPage:
        """Have something done without waiting for the reply; what was sent."""
        self._count += 1
        message = asking(str(self._count))
        await self._socket.send_str(msgspec.json.encode(message).decode())
        return message

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until what is known makes it so."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise InstallationError(f"it has not come about in {PATIENCE_S:g} s; {self._latest}") from None

    async def heard(self, words: str, since: int = 0) -> None:
        """Wait until an event says this."""
        await self.until(lambda: any(words in event for event in self.events[since:]))

    async def listen(self) -> None:
        """Until the connection ends."""
        async for message in self._socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            told = json.loads(message.data)
            if told["type"] == "reply":
                if (reply := self._replies.pop(told["id"], None)) is not None and not reply.done():
                    reply.set_result(told)
            elif told["type"] == "events":
                self.events += [line["text"] for line in told["lines"]]
            else:
                self.states[told["type"]] = told
            self._changed.set()

    @property
    def _latest(self) -> str:
        return f"last was said: {self.events[-8:]}"


@asynccontextmanager
async def console_program(running: RunningInstallation) -> AsyncIterator[ConsoleProgram]:
    """Connected to an installation until the body ends."""
    headers = {"Authorization": f"Bearer {running.token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as client,
        client.ws_connect(f"{running.url.rstrip('/')}/ws", max_msg_size=0) as socket,
    ):
        program = ConsoleProgram(socket)
        listening = asyncio.create_task(program.listen())
        try:
            await program.until(lambda: "operators" in program.states)
            yield program
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
