"""What running actions may ask of the supervisor (`framework.plugins.SupervisorService`)."""

from __future__ import annotations

from functools import partial
from typing import Final

from framework.clock import Clock
from framework.dialogue.language import SpokenLanguage
from framework.errors import PlanError
from framework.plan.ast import Condition, leaves_of
from framework.plan.instruction import Source
from framework.plugins.service import Help, Whether
from framework.supervisor.account import Account
from framework.supervisor.awaited import AwaitedConditions, is_told_here
from framework.supervisor.book import PlanBook
from framework.supervisor.meaning import meant, running_in_words
from framework.supervisor.repeating import Repeating
from framework.supervisor.thinking import Think
from framework.tree.asked_condition import holds

_OVER = object()
#: A sensor may have to be started for an answer; longer than this nobody waits for one [s].
_ANSWER_WITHIN_S: Final = 12.0
_LOOK_EVERY_S: Final = 0.1


class ActionService:
    """Handed to every action that runs."""

    def __init__(
        self,
        book: PlanBook,
        language: SpokenLanguage,
        repeating: Repeating,
        think: Think,
        account: Account,
        conditions: AwaitedConditions,
        clock: Clock,
    ) -> None:
        self._book = book
        self._account = account
        self._conditions = conditions
        self._clock = clock
        self._language = language
        self._repeating = repeating
        self._think = think

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
            target.end(f"{asked_by} ended it", own.who if own is not None else None)
        return tuple(target.words for target in others)

    def operator(self, *, asked_by: str) -> str:
        """Who wanted the plan of the action that asks."""
        own = self._book.own_of(asked_by)
        return own.who if own is not None else ""

    def wait_for_word(self, why: str, *, asked_by: str, was_interrupted: bool) -> bool:
        """Pause the plan of the action that asks if it lacks an operator's word; False if it is ending."""
        own = self._book.own_of(asked_by)
        loss = own.awaited_word if own is not None else None
        if own is None or (loss is None and not was_interrupted):
            return False
        return self._book.wait_for_word(own, loss.why if loss is not None and loss.why else why)

    async def repeat(self, times: int, *, asked_by: str) -> str:
        """Do the operator's last instruction again."""
        return await self._repeating.repeat(times, asked_by)

    async def abilities(self, topic: str) -> tuple[Help, ...]:
        """What can be asked for now."""
        found: list[Help] = []
        steps = self._language.help(topic)
        while (step := await self._think(partial(next, steps, _OVER))) is not _OVER:
            if isinstance(step, Help):
                found.append(step)
        return tuple(found)

    def account(self, about: str, of: str, *, asked_by: str) -> str:
        """What goes on and has happened."""
        return self._account.give(about, of, self._book.own_of(asked_by))

    async def whether(self, clause: str) -> Whether:
        """Whether what a clause says is so now. What needs a sensor has a few seconds for it."""
        condition: Condition | None = await self._think(partial(self._language.condition, clause))
        if condition is None:
            return Whether(None)
        leaves = tuple(leaves_of(condition))
        conditions = self._conditions
        for leaf in leaves:
            if why := conditions.why_undecidable(leaf):
                return Whether(None, why)
        end = conditions.watch(lambda: None)
        try:
            give_up_s = self._clock.now_s() + _ANSWER_WITHIN_S
            while True:
                answer = holds(condition, conditions, lambda duration_s: duration_s <= 0)
                finds_out = any(not is_told_here(leaf) and conditions.is_finding_out(leaf) for leaf in leaves)
                if answer is not None or not finds_out or self._clock.now_s() >= give_up_s:
                    return Whether(answer)
                await self._clock.sleep(_LOOK_EVERY_S)
        finally:
            end()
