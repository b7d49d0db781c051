"""Pausing, resuming, ending and changing a plan by its number, for the console and for programs.

Everything that cannot be done is a PlanError in words.
"""

from __future__ import annotations

from framework.errors import PlanError
from framework.events import EventKind
from framework.plan.check import check
from framework.plan.signature import Signatures
from framework.supervisor.book import PlanBook
from framework.supervisor.plans import PlanRecord
from framework.tree.change import Change, Remove
from framework.tree.run import PlanState


class PlanControl:
    """What can be done to the plans of a book."""

    def __init__(self, book: PlanBook, signatures: Signatures) -> None:
        self._book = book
        self._signatures = signatures

    def pause(self, plan_id: str) -> None:
        """Hold on. Raises PlanError if it does not run."""
        record = self._running(plan_id)
        if not record.pause(""):
            raise PlanError(f"plan {plan_id} ({record.words}) is {record.run.state}; it cannot be paused")

    def resume(self, plan_id: str) -> None:
        """Go on. Raises PlanError if it is not paused."""
        record = self._running(plan_id)
        if not record.resume(""):
            raise PlanError(f"plan {plan_id} ({record.words}) is {record.run.state}, not paused")
        self._book.voice.say(record, EventKind.RESUMED, f"I carry on: {record.words}.")

    def stop(self, plan_id: str, why: str) -> None:
        """Begin to end it; does not wait. Raises PlanError if it is over, or ending already."""
        record = self._running(plan_id)
        if not record.end(why, None):
            raise PlanError(f"plan {plan_id} ({record.words}) is {record.run.state} already")

    def change(self, plan_id: str, change: Change) -> None:
        """Insert, remove or replace what has not begun, while it is paused. Raises PlanError."""
        record = self._running(plan_id)
        if record.run.state is not PlanState.PAUSED:
            raise PlanError(
                f"plan {plan_id} ({record.words}) is {record.run.state}: pause it before changing it"
            )
        if not isinstance(change, Remove):
            check(change.plan, self._signatures)
        record.run.change(change)
        self._book.changed(record)
        self._book.voice.say(record, EventKind.DOING, f"The plan is changed: {record.words}.")

    def _running(self, plan_id: str) -> PlanRecord:
        for record in self._book.active:
            if record.id == plan_id:
                return record
        ended = self._book.find(plan_id)
        if ended is not None:
            raise PlanError(f"plan {plan_id} ({ended.words}) is over")
        running = ", ".join(f"{record.id} ({record.words})" for record in self._book.active)
        raise PlanError(f"there is no plan {plan_id!r}; {f'there are {running}' if running else 'none runs'}")
