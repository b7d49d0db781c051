"""What an operator keeps until they say so ("let me drive", "hold still"): what "carry on" and "done" end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from framework.plan.ast import Do
from framework.plan.signature import Signatures
from framework.supervisor.meaning import Target
from framework.supervisor.plans import PlanRecord
from framework.tree.run import PlanState
from framework.tree.view import NodeState

HAS_IT = frozenset((NodeState.RUNNING, NodeState.READY, NodeState.ASKING))
"""In these states an action has what it needs."""


def kept_by(
    who: str,
    records: Iterable[PlanRecord],
    signatures: Signatures,
    is_for: Callable[[Do, str], bool],
) -> list[Target]:
    """The actions that hold on to something, and are this operator's.

    is_for: whether an action is for somebody, whoever asked for it ("let phone 1 drive").
    """
    found: list[Target] = []
    for record in records:
        if record.run.state is PlanState.PAUSED:
            continue  # or about to be: it has nothing then
        actions = [action for action in record.run.actions if not action.state_now().is_over]
        for action in actions:
            signature = signatures.find(action.do.action)
            is_theirs = who == record.who or who in record.joined_by or is_for(action.do, who)
            if signature is None or not signature.holds_on or not is_theirs:
                continue
            if action.state_now() in HAS_IT:
                found.append(Target(record) if len(actions) == 1 else Target(record, action))
    return found
