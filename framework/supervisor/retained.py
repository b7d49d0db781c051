"""What an operator keeps until they say so ("let me drive", "hold still"): what "carry on" and "done" end.

What is one person's by name ("let phone 1 drive") is theirs alone, whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from framework.plan.signature import Signatures
from framework.supervisor.meaning import Target
from framework.supervisor.plans import PlanRecord
from framework.tree.action import ActionNode
from framework.tree.run import PlanState
from framework.tree.view import NodeState

HAS_IT = frozenset((NodeState.RUNNING, NodeState.READY, NodeState.ASKING))
"""In these states an action has what it needs."""


def retained_by(who: str, records: Iterable[PlanRecord], signatures: Signatures) -> list[Target]:
    """The actions that hold on to something, and are this operator's."""
    return [
        Target(record) if is_only else Target(record, action)
        for record, action, is_only in _retained(records, signatures)
        if record.is_theirs(who, action.do)
    ]


def actions_retained_by(who: str, records: Iterable[PlanRecord], signatures: Signatures) -> list[ActionNode]:
    """The same as actions."""
    return [
        action for record, action, _ in _retained(records, signatures) if record.is_theirs(who, action.do)
    ]


def retained_by_others(who: str, records: Iterable[PlanRecord], signatures: Signatures) -> str:
    """Who keeps something, and what they could do, for one who cannot end it; empty if nobody does."""
    for record, action, _ in _retained(records, signatures):
        theirs = record.person(action.do)
        if theirs and theirs != who:
            does = done_by(theirs, action) or f'"{action.words}" is with {theirs}'
            return f'{does}: it says "carry on" there, or hand it over on the console'
    return ""


def would_be_retained(who: str, records: Iterable[PlanRecord], signatures: Signatures) -> bool:
    """Whether any of these plans, which are paused, is to have something again for this operator."""
    return any(
        signature.retains and record.is_theirs(who, action.do)
        for record in records
        for action in record.run.actions
        if not action.state_now().is_over and (signature := signatures.find(action.do.action)) is not None
    )


def done_by(person: str, action: ActionNode) -> str:
    """ "phone 1 drives the arm": what an action in somebody's name says that they do; "" until it is ready.

    person: whose it is by name; "" if it is nobody's.
    """
    return action.detail if person and action.state_now() is NodeState.READY else ""


def _retained(
    records: Iterable[PlanRecord], signatures: Signatures
) -> Iterator[tuple[PlanRecord, ActionNode, bool]]:
    """Each action that holds on to something, with its plan, and whether there is nothing else in that."""
    for record in records:
        if record.run.state is PlanState.PAUSED:
            continue  # or about to be: it has nothing then
        actions = [action for action in record.run.actions if not action.state_now().is_over]
        for action in actions:
            signature = signatures.find(action.do.action)
            if signature is not None and signature.retains and action.state_now() in HAS_IT:
                yield record, action, len(actions) == 1
