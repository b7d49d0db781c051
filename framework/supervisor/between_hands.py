"""While what one person drives goes over to the next one, nothing that waits for it may begin in between.

What waits is paused for that time, action by action and without a word, before the first one lets go: how
soon the next one asks for it does not matter then. Nor does anything that moves begin meanwhile, as what
waits for the end of driving would ("when driving is over, go home"). If nobody has it in the end, their plans
wait for a word.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress

from framework.clock import Clock
from framework.dialogue.confirmation import moves
from framework.plan.signature import Signatures
from framework.status import Priority
from framework.supervisor.book import PlanBook
from framework.supervisor.holding_back import is_by_hand, to_hold_back, waits
from framework.supervisor.plans import PlanRecord
from framework.tree.action import ActionNode
from framework.tree.run import PlanState
from framework.tree.view import NodeState

#: One that only waits gives up its place within moments; longer than this nobody is kept for it [s].
_PAUSED_WITHIN_S = 1.0
_LOOK_S = 0.005


class BetweenHands:
    """Of one supervisor. what_moves: the plans that move something, or are yet to."""

    def __init__(
        self,
        book: PlanBook,
        what_moves: Callable[[], Iterable[PlanRecord]],
        signatures: Signatures,
        clock: Clock,
    ) -> None:
        self._book = book
        self._what_moves = what_moves
        self._signatures = signatures
        self._clock = clock

    @asynccontextmanager
    async def nothing_begins(self, why: str, is_in_hand: Callable[[], bool]) -> AsyncIterator[None]:
        """Until the body ends. why: is said with each plan that stays paused if nobody has it in hand."""
        records = to_hold_back(self._what_moves(), None, "", self._signatures)
        held = [
            (record, action)
            for record in records
            for action in record.run.actions
            if not is_by_hand(action.do, self._signatures)
            and (waits(action) or action.state_now() is NodeState.PAUSED)  # it was told to go on just now
        ]
        besides = self._book.hold_back_besides(self._book.active, "")
        put_off: set[ActionNode] = set()

        def begins_later(action: ActionNode) -> bool:
            if is_later := self._moves_by_itself(action):
                put_off.add(action)
            return is_later

        with self._book.putting_off(begins_later):
            try:
                for _, action in held:
                    action.pause()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PAUSED_WITHIN_S):
                        while any(waits(action) for _, action in held):
                            await self._clock.sleep(_LOOK_S)
                yield
            finally:
                if is_in_hand():
                    self._book.besides.go_on(besides)
                else:
                    self._book.besides.hold_back(besides, why)
                    put_off.update(action for _, action in held)
                    for record in self._book.active:
                        if not put_off.isdisjoint(record.run.actions):
                            self._book.hold_back(record, why)
                for record, action in held:
                    if record.run.state is not PlanState.PAUSED:
                        action.resume()

    def _moves_by_itself(self, action: ActionNode) -> bool:
        """Not what a person's hand does: that is what is waited for."""
        signature = self._signatures.find(action.do.action)
        by_hand = signature is not None and signature.priority > Priority.AUTONOMY
        return moves(action.do, self._signatures) and not by_hand
