"""`People`, and what is asked for of it in words: handing over, taking back, sending away.

How it is done is the operator desk's, as for the console's buttons; who may ask for it is held here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from contextvars import Context
from typing import Any

from framework.errors import PilothouseError, ResourceUnavailable
from framework.registrar import Supply
from managers.operator_desk import OperatorDesk
from managers.operator_manager import OperatorManager
from resources.types.people import (
    Done,
    HandedOver,
    People,
    PeopleHandle,
    SentAway,
    TakenBack,
    may_not_send_away,
    may_not_take,
)

#: The desk's own bounds are shorter; this one is for a mistake of ours [s].
_DONE_WITHIN_S = 60.0


class PeopleAsked:
    """Provides what actions ask about people, and of them."""

    def __init__(self, manager: OperatorManager, desk: OperatorDesk) -> None:
        self._manager = manager
        self._desk = desk
        provides = manager.registrar.provides
        provides(People)(self._people)
        provides(HandedOver, start_timeout_s=_DONE_WITHIN_S)(self._handed_over)
        provides(TakenBack, start_timeout_s=_DONE_WITHIN_S)(self._taken_back)
        provides(SentAway)(self._sent_away)

    @asynccontextmanager
    async def _people(self, _: People, supply: Supply) -> AsyncIterator[PeopleHandle]:
        told = self._now

        def look() -> None:
            nonlocal told
            if (now := self._now) != told:
                told = now
                supply.update(now)

        with self._manager.watched_by(look):
            yield told

    @asynccontextmanager
    async def _handed_over(self, request: HandedOver) -> AsyncIterator[Done]:
        _refuse(may_not_take(self._now, request.by))
        handing = self._desk.hand_over(request.session, side=request.side, drives=request.drives)
        yield Done(await _apart(handing))

    @asynccontextmanager
    async def _taken_back(self, request: TakenBack) -> AsyncIterator[Done]:
        people = self._now
        person = people.driver or people.keeper
        if not person:
            raise ResourceUnavailable("nobody drives; there is nothing to take back")
        if request.session not in ("", person):
            raise ResourceUnavailable(f"{request.session} does not drive; {person} does")
        _refuse(may_not_take(people, request.by))
        yield Done(await _apart(self._desk.take_back(request.by or "the console")))

    @asynccontextmanager
    async def _sent_away(self, request: SentAway) -> AsyncIterator[Done]:
        _refuse(may_not_send_away(self._now, request.session, request.by))
        try:
            words = self._desk.end_session(request.session, request.by or "the console")
        except PilothouseError as error:
            raise ResourceUnavailable(str(error)) from error
        yield Done(words)

    @property
    def _now(self) -> PeopleHandle:
        manager = self._manager
        return PeopleHandle(
            self._desk.is_served, manager.sessions, manager.driver, manager.driven, manager.keeper
        )


def _refuse(why: str) -> None:
    if why:
        raise ResourceUnavailable(why)


async def _apart(deed: Coroutine[Any, Any, str]) -> str:
    """Do it in nobody's name: what it begins outlives this resource, and is no part of it.

    Cancelled together with whoever waits for it. Raises ResourceUnavailable in words.
    """
    task = asyncio.create_task(deed, context=Context())
    try:
        return await task
    except PilothouseError as error:
        raise ResourceUnavailable(str(error).rstrip(".")) from error
    finally:
        task.cancel()
