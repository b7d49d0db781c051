"""What each operator has wanted last, for as long as it can be corrected ("no, the scan")."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from framework.clock import Clock
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction
from framework.supervisor.book import PlanBook
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply

#: After its end, an instruction is still "the last one" for so long.
CORRECT_WITHIN_S = 60.0


class LastWish(msgspec.Struct, frozen=True):
    """An instruction that was understood.

    text: as the parser saw it; plans: what it could mean, before anything that points was replaced.
    reply: knows the plan that came of it, if any.
    """

    instruction: Instruction
    text: str
    plans: tuple[Plan, ...]
    reply: Reply
    noted_s: float


class LastWishes:
    """One for each operator."""

    def __init__(self, book: PlanBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock
        self._last: dict[str, LastWish] = {}

    def note(self, instruction: Instruction, text: str, plans: Sequence[Plan], reply: Reply) -> None:
        """This is the last one now."""
        now_s = self._clock.now_s()
        self._last[instruction.who] = LastWish(instruction, text, tuple(plans), reply, now_s)

    def of(self, who: str) -> LastWish | None:
        """The one that can be corrected: running, just ended, or still asked about."""
        last = self._last.get(who)
        if last is None:
            return None
        record = self._book.find(last.reply.plan) if last.reply.plan else None
        if record is not None and record.is_active:
            return last
        over_s = max(last.noted_s, record.ended_s if record is not None else last.noted_s)
        return last if self._clock.now_s() - over_s <= CORRECT_WITHIN_S else None

    def running(self, last: LastWish) -> PlanRecord | None:
        """The plan that came of it, if it is still going on, and this operator's own."""
        record = self._book.find(last.reply.plan) if last.reply.plan else None
        if record is None or not record.is_wanted or record.who != last.instruction.who:
            return None
        return record

    def forget_all(self) -> None:
        """Everything was stopped: nothing is corrected any more."""
        self._last.clear()
