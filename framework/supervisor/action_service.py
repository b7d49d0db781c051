"""What running actions may ask of the supervisor (`framework.plugins.SupervisorService`)."""

from __future__ import annotations

from framework.dialogue.asked_by import AskedBy
from framework.dialogue.language import SpokenLanguage
from framework.errors import PlanError
from framework.plan.instruction import Source
from framework.plan.signature import Signatures
from framework.plugins.service import Help
from framework.supervisor.book import PlanBook
from framework.supervisor.holding_back import is_interrupted, is_told_to_end, to_hold_back
from framework.supervisor.meaning import meant, running_in_words
from framework.supervisor.orders import Orders
from framework.supervisor.repeating import Repeating
from framework.tree.run import PlanState


class ActionService:
    """Handed to every action that runs."""

    def __init__(
        self,
        book: PlanBook,
        language: SpokenLanguage,
        repeating: Repeating,
        orders: Orders,
        signatures: Signatures,
        asked_by: AskedBy,
    ) -> None:
        self._book = book
        self._language = language
        self._repeating = repeating
        self._orders = orders
        self._signatures = signatures
        self._asked_by = asked_by

    def stop(self, what: str, *, asked_by: str) -> tuple[str, ...]:
        """An action ends others, never itself. Does not wait.

        Raises PlanError, naming what runs, if `what` names nothing that does; and if the action
        was proposed by a machine, which has nothing to end.
        """
        own = self._book.own_of(asked_by)
        if own is not None and own.instruction.source is Source.PROPOSER:
            raise PlanError(f"{asked_by} was a proposal, and those end nothing: say yourself what is to stop")
        others = []
        for target in meant(what, self._book.active):
            whole_plan = target.action is None
            actions = target.record.run.actions if whole_plan else (target.action,)
            if not any(action is not None and action.words == asked_by for action in actions):
                others.append(target)
        if not others and what:
            raise PlanError(f"{what!r} is not being done; {running_in_words(self._book.wanted)}")
        for target in others:
            target.end(f"{asked_by} ended it", own.who if own is not None else "")
        return tuple(target.words for target in others)

    def operator(self, *, asked_by: str) -> str:
        """Who wanted the plan of the action that asks."""
        own = self._book.own_of(asked_by)
        return own.who if own is not None else ""

    def hold_back(
        self, why: str, *, asked_by: str, if_interrupted: bool = False, own_only: bool = False
    ) -> tuple[str, ...]:
        """Pause what moves, or is yet to; nothing if an operator has ended the action that asks."""
        own = self._book.own_of(asked_by)
        moving = self._orders.what_moves
        if is_told_to_end(own, asked_by, self._asked_by.person):
            return ()
        meant_besides = [record for record in self._book.active if record is own or not own_only]
        self._book.hold_back_besides(meant_besides, why, if_interrupted=if_interrupted)
        if if_interrupted and not any(map(is_interrupted, moving)):
            return ()
        held = to_hold_back(moving, own, asked_by, self._signatures)
        paused = [
            record
            for record in held
            if (record is own or not own_only)
            and self._book.hold_back(record, why, unless_over=record is own)
        ]
        return tuple(record.words for record in paused)

    def pause(self, why: str, *, asked_by: str) -> bool:
        """Pause the plan of the action that asks; False if that is ending."""
        own = self._book.own_of(asked_by)
        if own is None:
            return False
        if self._book.hold_back(own, why):
            return True
        if own.run.state is not PlanState.PAUSED:
            return False
        self._book.voice.paused(own, why)
        return True

    async def repeat(self, times: int, *, asked_by: str) -> str:
        """Do the operator's last instruction again."""
        return await self._repeating.repeat(times, asked_by)

    async def abilities(self, topic: str) -> tuple[Help, ...]:
        """What can be asked for now."""
        return await self._language.help(topic)
