"""From a plan to a tree of nodes: one behaviour an action, one composite a join."""

from __future__ import annotations

from framework.errors import PlanError
from framework.plan.ast import Alongside, Cancel, Do, If, Parallel, Plan, Sequence, Until, Wait, While
from framework.plan.signature import is_continuous
from framework.plan.words import in_words
from framework.tree.action import ActionNode
from framework.tree.cancel import CancelNode
from framework.tree.composites import AlongsideNode, ChoiceNode, GuardedNode, ParallelNode, SequenceNode
from framework.tree.conditions import WaitNode
from framework.tree.context import RunContext
from framework.tree.node import PlanNode


def build(plan: Plan, context: RunContext) -> PlanNode:
    """The tree of a checked plan, at rest. Its actions know which ones were said before them."""
    root = _node(plan, context)
    before: tuple[ActionNode, ...] = ()
    for action in root.actions():
        action.before = before
        before += (action,)
    return root


def _node(plan: Plan, context: RunContext) -> PlanNode:
    words = in_words(plan, context.wording)
    match plan:
        case Do():
            return ActionNode(plan, context)
        case Sequence():
            return SequenceNode(words, context, tuple(_node(step, context) for step in plan.steps))
        case Parallel():
            return ParallelNode(words, context, tuple(_node(branch, context) for branch in plan.branches))
        case Alongside():
            stays = is_continuous(plan.body, context.runners.is_continuous)
            both = (_node(plan.body, context), _node(plan.companion, context))
            return AlongsideNode(words, context, both, stays)
        case While():
            return GuardedNode(words, context, _node(plan.body, context), plan.condition, ends_when=False)
        case Until():
            return GuardedNode(words, context, _node(plan.body, context), plan.condition, ends_when=True)
        case If(otherwise=otherwise):
            branches = (plan.then,) if otherwise is None else (plan.then, otherwise)
            return ChoiceNode(
                words, context, tuple(_node(each, context) for each in branches), plan.condition
            )
        case Wait():
            return WaitNode(plan, words, context)
        case Cancel():
            return CancelNode(plan, words, context)
    raise PlanError(f"{plan!r} is no plan")
