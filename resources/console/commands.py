"""What a page or the command line may ask for, carried out against the backend.

Every way in ends here, so that a refusal has the same words everywhere. Who may ask was decided
before (`resources.web.admission`); how the answer travels is decided after (`page_link.py`, `http_api.py`).
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final, cast

from framework.errors import PilothouseError
from framework.loop_lag import LoopLag
from framework.processes.emergency import is_press
from resources.console.backend import ConsoleBackend, PageHandsSink, Voice
from resources.types.whereabouts import Ray
from resources.web.page_messages import (
    MEANT_S,
    Answer,
    ChangePlan,
    Complete,
    EndSession,
    Fail,
    HandOver,
    OpenPairing,
    OrderPlan,
    PageMessage,
    PagePoint,
    Reset,
    Restore,
    RetryNow,
    RunFile,
    SavePlan,
    Say,
    Stop,
)
from resources.web.protocol import (
    Completed,
    EventLine,
    GesturesSeen,
    Heard,
    PageAnswer,
    PlanFile,
    PointedAt,
    Reply,
    StopConfirmed,
)

MOST_AT_ONCE: Final = 64

MOST_OPTIONS: Final = 50
"""Completions that are told at once; nobody reads more."""

NOT_CONFIRMED: Final = (
    "the emergency stop was not reset: that must be confirmed by the person who asks for it. "
    "Look at the robot, then confirm"
)
TOO_LATE: Final = "this came too late; nothing was done. Say it again if it still holds"
_REFUSED_KIND: Final = "refused"

_log = logging.getLogger(__name__)


def hung_words(hung_s: float) -> str:
    """To somebody who said something while the main process did not turn, or right after."""
    return (
        f"the robot's computer did not answer for {hung_s:.0f} s; what was said meanwhile is not done now. "
        "Say it again if it still holds"
    )


class Commands:
    """Runs commands; they outlive the page that asked, and end with the server.

    lag: of the loop that they run on; what may have been said while it hung is not carried out afterwards.
    """

    def __init__(self, backend: ConsoleBackend, lag: LoopLag | None = None) -> None:
        self._backend = backend
        self._lag = lag
        self._running: set[asyncio.Task[PageAnswer]] = set()

    def doubted(self) -> str:
        """Why nothing is done just now of what came without a time of its own, in words; "" if it is."""
        now_s = asyncio.get_running_loop().time()
        hung_s = 0.0 if self._lag is None else self._lag.hung_s(now_s)
        return hung_words(hung_s) if hung_s > MEANT_S else ""

    def voice(self, tell: Callable[[Heard], None], who: str) -> Voice:
        """What is said at a page (`ConsoleBackend.voice`)."""
        return self._backend.voice(tell, who=who)

    def point(self, at: PagePoint | None, *, who: str) -> PointedAt:
        """Somebody at a page points there (`ConsoleBackend.point`)."""
        return self._backend.point(at, who=who)

    def watch_hands(self, *, who: str, show: Callable[[GesturesSeen], None]) -> PageHandsSink:
        """Switch the gestures of a page on (`ConsoleBackend.watch_hands`)."""
        return self._backend.watch_hands(who=who, show=show)

    def stop_now(self, stop: Stop, who: str) -> Reply | StopConfirmed:
        """The emergency stop: at once, past everything that waits."""
        try:
            done = self._backend.stop(who=who, press=stop.id)
            if is_press(stop.id):
                return StopConfirmed(stop.id, self._backend.emergency().latched)
            return Reply(stop.id, True, done)
        except Exception as error:
            # Whoever pressed the button must learn that it did not work, whatever the reason.
            _log.exception("the emergency stop failed")
            return Reply(stop.id, False, f"THE STOP DID NOT WORK: {error}. Use the robot's own stop button")

    def start(
        self,
        message: PageMessage,
        who: str,
        points_at: Ray | None = None,
        *,
        spoken: bool = False,
        good_until_s: float = math.inf,
    ) -> asyncio.Task[PageAnswer] | None:
        """Begin a command; None if too many are under way. points_at, spoken: see `ConsoleBackend.say`.

        good_until_s: by the loop's clock; what has not begun by then is refused (`TOO_LATE`).
        """
        if len(self._running) >= MOST_AT_ONCE:
            return None
        answer = self._answer(message, who, points_at, spoken, good_until_s)
        task = asyncio.get_running_loop().create_task(answer)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def close(self) -> None:
        """Cancel what is under way."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _answer(
        self, message: PageMessage, who: str, points_at: Ray | None, spoken: bool, good_until_s: float
    ) -> PageAnswer:
        if asyncio.get_running_loop().time() > good_until_s:  # others may have had the loop in between
            return Reply(message.id, False, TOO_LATE)
        may_be_old = good_until_s == math.inf and not isinstance(message, Complete | SavePlan)
        if may_be_old and (doubted := self.doubted()):  # nobody knows when it was said
            return Reply(message.id, False, doubted)
        try:
            match message:
                case Stop():
                    return self.stop_now(message, who)
                case Complete():
                    return await self._complete(message)
                case SavePlan(plan=plan, form=form):
                    saved = self._backend.plan_file(plan, form)
                    return PlanFile(message.id, saved.name, saved.content)
                case Say(text=text):
                    said = self._backend.say(text, who=who, points_at=points_at, spoken=spoken)
                    return await _first(message.id, said)
                case RunFile(content=content):
                    return await _first(message.id, self._backend.run_plan(content, who=who))
            return Reply(message.id, True, await self._do(message, who))
        except PilothouseError as refusal:
            return Reply(message.id, False, str(refusal))
        except Exception as error:
            _log.exception("%s failed", type(message).__name__)
            return Reply(message.id, False, f"this did not work: {type(error).__name__}: {error}")

    async def _complete(self, message: Complete) -> Completed:
        found = await self._backend.complete(message.text)
        return Completed(message.id, found.options[:MOST_OPTIONS], found.begun, found.is_whole)

    async def _do(
        self,
        message: Reset
        | Fail
        | Restore
        | RetryNow
        | Answer
        | OrderPlan
        | ChangePlan
        | OpenPairing
        | EndSession
        | HandOver,
        who: str,
    ) -> str:
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
            case Answer(question=question, choice=choice):
                return await backend.answer(question, choice, who=who)
            case OrderPlan(plan=plan, order=order):
                return await backend.order_plan(plan, order, who=who)
            case ChangePlan(plan=plan, node=node, how=change, text=text):
                return await backend.change_plan(plan, node, change, text, who=who)
            case OpenPairing():
                return await backend.open_pairing(who=who)
            case EndSession(session=session):
                return await backend.end_session(session, who=who)
            case HandOver(session=session):
                return await backend.hand_over(session, who=who)


async def _first(reply_id: str, lines: AsyncIterator[EventLine]) -> Reply:
    """The first event is the answer; the others reach the page as events like any."""
    async with aclosing(cast("Any", lines)) as events:
        async for line in events:
            return Reply(reply_id, line.kind != _REFUSED_KIND, line.text, line.number, line.subject)
    return Reply(reply_id, True)
