"""From where a plan counts that takes the place of another one (`framework.plugins.begun`). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from framework.dialogue.discourse import which_of
from framework.plan.signature import Signatures
from framework.plugins.begun import HandsOn, handed_on
from framework.supervisor.plans import PlanRecord
from framework.tree.action import ActionNode


class TakenBack(NamedTuple):
    """An action that can be taken back, and what the one begins with that does."""

    action: ActionNode
    memory: Any


def to_take_back(record: PlanRecord) -> tuple[TakenBack, ...]:
    """The actions to take back: of each device the first one that has moved it; the last of these first."""
    found: dict[str, TakenBack] = {}
    for action in record.run.actions:
        memory = action.memory
        back = handed_on(memory, back=True)
        if back is not None and isinstance(memory, HandsOn):
            found.setdefault(memory.device, TakenBack(action, back))
    return tuple(reversed(found.values()))


def begin_with(
    before: Sequence[ActionNode], now: Sequence[ActionNode], signatures: Signatures
) -> Iterator[tuple[ActionNode, Any]]:
    """What the actions of a plan begin with that takes the place of another one.

    One by one, as they were said, as long as it is the same that they do it with; of each device only the
    first one, as the others begin where that ends.
    """
    devices: set[str] = set()
    for old, new in zip(before, now, strict=False):
        memory = old.memory
        if not isinstance(memory, HandsOn) or memory.device in devices:
            continue
        devices.add(memory.device)
        names = [each.name for each in which_of(old.do, signatures)]
        is_same = all(old.do.parameters.get(name) == new.do.parameters.get(name) for name in names)
        if old.do.action == new.do.action and is_same and (begun := handed_on(memory)) is not None:
            yield new, begun
