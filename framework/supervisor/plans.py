"""One plan in the supervisor's books: who wants it, how it runs, what was said about it."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable

import msgspec

from framework.dialogue.wish import Wish
from framework.events import Event
from framework.interlock import Interlock, Loss, Permit
from framework.plan.ast import Do, Plan
from framework.plan.instruction import Instruction
from framework.supervisor.awaited import AwaitedConditions
from framework.supervisor.reply import Reply
from framework.tree.action import ActionNode
from framework.tree.run import PlanOutcome, PlanState, TreeRun
from framework.tree.view import TreeView

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
    is_replaced: something else has taken its place, or has taken it back.
    is_repetition: one of its actions has asked for an earlier plan again; it is not repeated itself.
    interlock: has its permit, while it has not ended.
    person: whose an action is by name, whoever asked for it; "" if it is nobody's in particular.
    joined_by: operators who wanted the same while it ran.
    only_answers: it is one question that only reads (`Action.only_answers`).
    awaited: its conditions, with those that the supervisor itself can tell.
    """

    def __init__(
        self,
        plan_id: str,
        wish: Wish,
        words: str,
        instruction: Instruction,
        since_s: float,
        interlock: Interlock,
        person: Callable[[Do], str],
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
        #: Set when it is at another state; then there is a new one.
        self.changed = asyncio.Event()
        self.is_repetition = False
        self.is_replaced = False
        self.only_answers = False
        self.joined_by: set[str] = set()
        self.told_to_wait: set[tuple[str, Loss]] = set()
        self._paused_by = ""
        self._interlock = interlock
        self.person = person
        self._last_permit: Permit | None = None
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

    @property
    def is_before_emergency(self) -> bool:
        """Whether there was an emergency stop since an operator last gave the word for it."""
        permit = self._last_permit or self._interlock.permit(self.id)
        return self._interlock.was_before_emergency(permit)

    @property
    def can_be_taken_back(self) -> bool:
        """Whether "undo that" may mean it: not what only answers, or does or takes back something else."""
        is_other = self.is_repetition or self.only_answers or self.wish.takes_back
        return not (is_other or self.is_replaced)

    @property
    def awaited_word(self) -> Loss | None:
        """After which loss something of it waits for an operator's word; None if nothing does."""
        return self._interlock.awaited(self.id)

    def is_asked_for_by(self, who: str, epoch: int) -> None:
        """An operator has asked for just this, at this epoch of the motion interlock."""
        self._interlock.want(self.id, who)
        self.give_word(who, epoch)

    def awaits_another(self, who: str) -> str:
        """Whose word it waits for, if that of `who` is not enough; else ""."""
        return self._interlock.awaits_another(self.id, who)

    def give_word(self, by: str, epoch: int | None = None) -> bool:
        """An operator says that it may move what it moves, as things are now. Whether that was waited for.

        by: who says so; "" is nobody in particular.
        epoch: of the motion interlock when they said it, if that was before now.
        """
        self.told_to_wait.clear()  # who says so in vain is told anew
        return self._interlock.give_word(self.id, epoch, by=by)

    @property
    def word(self) -> int:
        """The epoch of the last word that it was given."""
        return (self._last_permit or self._interlock.permit(self.id)).epoch

    def pause(self, by: str = "") -> bool:
        """Hold on. by: which operator says so, "" if nobody in particular. False if nothing is paused."""
        if not self.run.pause():
            return False
        self._paused_by = by
        return True

    @property
    def paused_by(self) -> str:
        """Which operator has paused it; "" if it is not paused, or nobody known has said so."""
        return self._paused_by if self.run.state is PlanState.PAUSED else ""

    def resume(self, by: str) -> bool:
        """An operator says that it goes on. False if nothing was paused, or has waited for that word.

        by: as of `give_word`.
        """
        waited = self.give_word(by)
        return self.run.resume() or waited

    def end(self, why: str, by: str | None, action: ActionNode | None = None) -> bool:
        """Begin to end it, or one of its actions. False if it ends, or has, already.

        by: which operator says so, None if nobody does. Whose action it is ends that by their own word.
        """

        def is_own_word(each: ActionNode) -> bool:
            return by is not None and self.is_theirs(by, each.do)

        if action is None:
            return self.run.stop(why, is_own_word)
        if is_own_word(action):
            action.end_by_word()
        action.cancel(why)
        return True

    def is_theirs(self, who: str, do: Do) -> bool:
        """Whether an action of it is this operator's."""
        person = self.person(do)
        return who == person if person else self.is_wanted_by(who)

    @property
    def people(self) -> tuple[str, ...]:
        """Whom it concerns besides who asked first: who joined it, and whose its actions are by name."""
        named = (self.person(action.do) for action in self.run.actions)
        return tuple(dict.fromkeys(each for each in (*self.joined_by, *named) if each and each != self.who))

    def is_wanted_by(self, who: str) -> bool:
        """Whether this operator has asked for it."""
        return who == self.who or who in self.joined_by

    def changes(self, state: PlanState) -> None:
        """Its run is at another state: while it is paused, what moves for it rests."""
        self._interlock.suspend(self.id, state is PlanState.PAUSED)
        self._wake()

    def closes(self, outcome: PlanOutcome, now_s: float) -> None:
        """It has ended."""
        self.outcome, self.ended_s = outcome, now_s
        self._last_permit = self._interlock.permit(self.id)
        self._interlock.forget(self.id)
        self._wake()

    def _wake(self) -> None:
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

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
