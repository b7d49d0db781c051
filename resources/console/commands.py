"""What a page or the command line may ask for, carried out against the backend.

Every way in ends here, so that a refusal has the same words everywhere. Who may ask was decided
before (`admission.py`); how the answer travels is decided after (`page_link.py`, `http_api.py`).
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from typing import Any, Final, cast

from framework.errors import PilothouseError
from resources.console.backend import ConsoleBackend
from resources.console.protocol import Fail, PageMessage, Reply, Reset, Restore, RetryNow, Say, Stop

MOST_AT_ONCE: Final = 64
NOT_CONFIRMED: Final = (
    "the emergency stop was not reset: that must be confirmed by the person who asks for it. "
    "Look at the robot, then confirm"
)
_REFUSED_KIND: Final = "refused"

_log = logging.getLogger(__name__)


class Commands:
    """Runs commands; they outlive the page that asked, and end with the server."""

    def __init__(self, backend: ConsoleBackend) -> None:
        self._backend = backend
        self._running: set[asyncio.Task[Reply]] = set()

    def stop_now(self, stop: Stop, who: str) -> Reply:
        """The emergency stop: at once, past everything that waits."""
        try:
            return Reply(stop.id, True, self._backend.stop(who=who))
        except Exception as error:
            # Whoever pressed the button must learn that it did not work, whatever the reason.
            _log.exception("the emergency stop failed")
            return Reply(stop.id, False, f"THE STOP DID NOT WORK: {error}. Use the robot's own stop button")

    def start(self, message: PageMessage, who: str) -> asyncio.Task[Reply] | None:
        """Begin a command; None if too many are under way."""
        if len(self._running) >= MOST_AT_ONCE:
            return None
        task = asyncio.get_running_loop().create_task(self._answer(message, who))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def close(self) -> None:
        """Cancel what is under way."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _answer(self, message: PageMessage, who: str) -> Reply:
        try:
            if isinstance(message, Stop):
                return self.stop_now(message, who)
            if isinstance(message, Say):
                return await self._say(message, who)
            return Reply(message.id, True, await self._do(message, who))
        except PilothouseError as refusal:
            return Reply(message.id, False, str(refusal))
        except Exception as error:
            _log.exception("%s failed", type(message).__name__)
            return Reply(message.id, False, f"this did not work: {type(error).__name__}: {error}")

    async def _do(self, message: Reset | Fail | Restore | RetryNow, who: str) -> str:
        backend = self._backend
        match message:
            case Reset(confirmed=False):
                raise PilothouseError(NOT_CONFIRMED)
            case Reset():
                return await backend.reset(who=who)
            case Fail(device=device, how=how):
                return await backend.fail(device, how, who=who)
            case Restore(device=device):
                return await backend.restore(device, who=who)
            case RetryNow(resource=resource):
                return await backend.retry_now(resource, who=who)

    async def _say(self, message: Say, who: str) -> Reply:
        """The first event is the answer; the others reach the page as events like any."""
        async with aclosing(cast("Any", self._backend.say(message.text, who=who))) as events:
            async for line in events:
                return Reply(message.id, line.kind != _REFUSED_KIND, line.text)
        return Reply(message.id, True)
