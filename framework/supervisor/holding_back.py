"""What does not go on by itself when somebody who drove is lost: an operator has to say so. Pure.

Whoever takes an arm interrupts what had it; that goes on when they give it back. One who is lost gives
nothing back: nobody may be there to see it move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from framework.dialogue.confirmation import moves
from framework.plan.ast import Do
from framework.plan.signature import Signatures
from framework.status import Priority
from framework.supervisor.kept import HAS_IT, is_theirs
from framework.supervisor.plans import PlanRecord
from framework.tree.action import ActionNode
from framework.tree.run import PlanState
from framework.tree.view import NodeState

_GOES_ON = (PlanState.RUNNING, PlanState.ESTABLISHED)


def is_told_to_end(own: PlanRecord | None, action: str, person: Callable[[Do], str]) -> bool:
    """Whether this action, by its words, ends or pauses because whose it is wants it so.

    Anybody may stop what somebody drives. But only the driver's own words say as well that the way is clear.

    person: whose an action is by name, whoever asked for it.
    """
    if own is None:
        return False
    mine = [each for each in own.run.actions if each.words == action]
    told = [(each, own.ended_by(each)) for each in mine]
    return any(by is not None and is_theirs(by, own, person(each.do)) for each, by in told)


def waits(action: ActionNode) -> bool:
    """Whether it has begun and waits for what it needs: it goes on the moment that this is free.

    Also one from which something was just taken, that has not asked for it again yet.
    """
    state = action.state_now()
    is_interrupted = state is NodeState.RUNNING and bool(action.taken_by)
    return action.has_begun and (state is NodeState.WAITING or is_interrupted)


def is_interrupted(record: PlanRecord) -> bool:
    """Whether anything in a plan waits for what was taken from it.

    By whom does not matter: from the first driver it may have gone to the next one.
    """
    return any(action.taken_by for action in record.run.actions)


def is_by_hand(do: Do, signatures: Signatures) -> bool:
    """Whether an action is what a person keeps or does by hand: that moves nothing by itself."""
    signature = signatures.find(do.action)
    return signature is not None and (signature.holds_on or signature.priority > Priority.AUTONOMY)


def to_hold_back(
    moving: Iterable[PlanRecord],
    own: PlanRecord | None,
    action: str,
    signatures: Signatures,
) -> list[PlanRecord]:
    """The plans that must not go on by themselves when this action ends.

    Not what another person keeps in their hands, unless that plan moves something by itself, too: who drives
    by it has that in view. Of the action's own plan only what it has besides.

    moving: the plans that move something, or are yet to.
    """
    found: list[PlanRecord] = []
    for record in moving:
        left = [each for each in record.run.actions if not each.state_now().is_over]
        if record is own:
            is_meant = any(moves(each.do, signatures) for each in left if each.words != action)
        else:
            by_hand = [each for each in left if is_by_hand(each.do, signatures)]
            by_itself = any(each not in by_hand and moves(each.do, signatures) for each in left)
            is_meant = not by_hand or (
                by_itself and not any(_is_driving(each, signatures) for each in by_hand)
            )
        if is_meant and record.run.state in _GOES_ON:
            found.append(record)
    return found


def _is_driving(action: ActionNode, signatures: Signatures) -> bool:
    """Whether a person has something in hand by it now, with more right than what moves by itself."""
    signature = signatures.find(action.do.action)
    is_first = signature is not None and signature.priority > Priority.AUTONOMY
    return is_first and action.state_now() in HAS_IT
