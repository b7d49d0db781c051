"""What running actions may ask of the supervisor (`framework.plugins.SupervisorService`)."""

from __future__ import annotations

from collections.abc import Callable

from framework.errors import PlanError
from framework.plan.instruction import Source
from framework.plugins.service import Help
from framework.supervisor.book import PlanBook
from framework.supervisor.events import EventKind
from framework.supervisor.holding_back import is_told_to_end
from framework.supervisor.language import SpokenLanguage
from framework.supervisor.meaning import meant, running_in_words
from framework.supervisor.plans import PlanRecord
from framework.supervisor.repeating import Repeating


class ActionService:
    """Handed to every action that runs.

    Args:
        to_hold_back: the plans that must not go on by themselves when an action of a plan ends, by its words.
    """

    def __init__(
        self,
        book: PlanBook,
        language: SpokenLanguage,
        repeating: Repeating,
        to_hold_back: Callable[[PlanRecord | None, str], list[PlanRecord]],
    ) -> None:
        self._book = book
        self._language = language
        self._repeating = repeating
        self._to_hold_back = to_hold_back

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
            target.end(f"{asked_by} ended it")
        return tuple(target.words for target in others)

    def hold_back(self, why: str, *, asked_by: str) -> tuple[str, ...]:
        """Pause what moves, or is yet to; nothing if an operator has ended the action that asks."""
        own = self._book.own_of(asked_by)
        if is_told_to_end(own, asked_by):
            return ()
        paused = [record for record in self._to_hold_back(own, asked_by) if record.run.pause()]
        for record in paused:
            words = f'{why}; "{record.words}" is paused: say "carry on" to go on.'
            self._book.voice.say(record, EventKind.PAUSED, words)
        return tuple(record.words for record in paused)

    async def repeat(self, times: int, *, asked_by: str) -> str:
        """Do the operator's last instruction again."""
        return await self._repeating.repeat(times, asked_by)

    async def abilities(self, topic: str) -> tuple[Help, ...]:
        """What can be asked for now."""
        return await self._language.help(topic)
