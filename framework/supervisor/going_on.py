"""What would move when an operator says "carry on", so that they know before they say it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import msgspec

from framework.plan.ast import Plan
from framework.supervisor.plans import PlanRecord
from framework.tree.action import ActionNode
from framework.tree.run import PlanState


class GoesOn(msgspec.Struct, frozen=True):
    """words: what it does, as an instruction ("go home"). who: the operator who wants it."""

    words: str
    who: str


def goes_on_after(
    retained: Collection[ActionNode], records: Iterable[PlanRecord], moves: Callable[[Plan], bool]
) -> tuple[GoesOn, ...]:
    """The first motion of each plan that waits for what these actions keep, is paused, or waits for a word.

    retained: what the operator's "carry on" ends. records: without those that stay paused all the same.
    """
    found = []
    for record in records:
        waits = record.run.state is PlanState.PAUSED or record.awaited_word is not None
        for action in record.run.actions:
            if action in retained or action.state_now().is_over or not moves(action.do):
                continue
            if waits or any(each.withholds(action.do).what for each in retained):
                found.append(GoesOn(action.words, record.who))
                break
    return tuple(found)
