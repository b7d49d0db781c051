"""One plan in the supervisor's books: who wants it, how it runs, what was said about it."""

from __future__ import annotations

import asyncio
import math
from collections import deque

import msgspec

from framework.dialogue.wish import Wish
from framework.events import Event
from framework.plan.ast import Do, Plan
from framework.plan.instruction import Instruction
from framework.supervisor.awaited import AwaitedConditions
from framework.supervisor.reply import Reply
from framework.tree.action import ActionNode
from framework.tree.run import PlanOutcome, PlanState, TreeRun
from framework.tree.view import NodeState, TreeView

JOURNAL = 500


class PlanView(msgspec.Struct, frozen=True):
    """A plan as data, for the console and `pilothouse status`.

    detail: why it ended, if it did. since_s: start, on the installation's clock.
    """

    id: str
    words: str
    state: PlanState
    who: str
    source: str
    since_s: float
    detail: str
    tree: TreeView


class PlanRecord:
    """A plan that runs or has run.

    wish: what it began as; plan: what it is now, after changes.
    is_repetition: one of its actions has asked for an earlier plan again; it is not repeated itself.
    is_before_emergency: there was an emergency stop since it began.
    joined_by: operators who wanted the same while it ran.
    only_answers: it is one question that only reads (`Action.only_answers`).
    awaited: its conditions, with those that the supervisor itself can tell.
    """

    def __init__(
        self, plan_id: str, wish: Wish, words: str, instruction: Instruction, since_s: float
    ) -> None:
        self.id = plan_id
        self.wish = wish
        self.plan: Plan = wish.plan
        self.words = words
        self.instruction = instruction
        self.since_s = since_s
        self.journal: deque[Event] = deque(maxlen=JOURNAL)
        self.replies: list[Reply] = []
        self.was_established = False
        self.is_repetition = False
        self.is_before_emergency = False
        self.only_answers = False
        self.joined_by: set[str] = set()
        self._told_by: str | None = None
        self._ended_by: dict[str, str] = {}
        self.outcome: PlanOutcome | None = None
        self.ended_s = math.inf
        self.run: TreeRun
        self.awaited: AwaitedConditions
        self.task: asyncio.Task[None]

    @property
    def who(self) -> str:
        """The operator who wants it."""
        return self.instruction.who

    @property
    def is_single(self) -> bool:
        """It is one action: what is said about that is said about the plan."""
        return isinstance(self.plan, Do)

    @property
    def is_active(self) -> bool:
        """It has not ended."""
        return self.outcome is None

    @property
    def is_wanted(self) -> bool:
        """It has not ended, and nobody has told it to."""
        return self.is_active and self.run.state is not PlanState.STOPPING

    def pause(self, by: str | None = None) -> bool:
        """Hold on. by: which operator says so, "" if it is not known who does; None if nobody has.

        False if there is nothing to pause.
        """
        if not self.run.pause():
            return False
        self._told_by = by
        return True

    @property
    def paused_by(self) -> str:
        """Which operator has paused it; "" if it is not paused, or nobody known has said so."""
        return self._told_by or "" if self.run.state is PlanState.PAUSED else ""

    def resume(self) -> bool:
        """Go on; what was said of it before is past. False if nothing was paused."""
        if not self.run.resume():
            return False
        self._told_by = None
        return True

    def end(self, why: str, by: str, action: ActionNode | None = None) -> bool:
        """Begin to end it, or one of its actions. by: as of `pause`. False if it ends, or has, already."""
        if action is not None:
            self._ended_by.setdefault(action.node_id, by)
            action.cancel(why)
            return True
        if not self.run.stop(why):
            return False
        self._told_by = by
        return True

    def ended_by(self, action: ActionNode) -> str | None:
        """Who has told one of its actions to end or to pause, alone or with all of it.

        What ends as the plan itself has it ends by the words of who wanted the plan. None if it goes on, or
        if nobody has said so: what fails ends others without a word.
        """
        if self.run.state is PlanState.PAUSED:
            return self._told_by
        if self.run.state not in (PlanState.RUNNING, PlanState.ESTABLISHED):
            return self.who if self._told_by is None else self._told_by
        if action.state_now() is not NodeState.STOPPING:
            return None
        by = self._ended_by.get(action.node_id)
        return self.who if by is None and not self.run.is_failing_around(action) else by

    def note(self, event: Event) -> None:
        """Into the journal, and to everybody who asked for this plan."""
        self.journal.append(event)
        for reply in self.replies:
            reply.add(event)

    def settle(self, succeeded: bool) -> None:
        """Those who asked need not wait any longer."""
        for reply in self.replies:
            reply.settle(succeeded)

    def view(self) -> PlanView:
        """It, as it is now."""
        return PlanView(
            self.id,
            self.words,
            self.run.state,
            self.who,
            self.instruction.source,
            self.since_s,
            self.outcome.words if self.outcome is not None else "",
            self.run.view(),
        )
