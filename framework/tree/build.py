"""From a plan to a tree of nodes: one behaviour an action, one composite a join."""

from __future__ import annotations

from framework.errors import PlanError
from framework.plan.ast import (
    Alongside,
    Cancel,
    Decide,
    Do,
    Graph,
    If,
    Parallel,
    Plan,
    Sequence,
    Until,
    Wait,
    While,
)
from framework.plan.words import in_words
from framework.tree.action import ActionNode
from framework.tree.cancel import CancelNode
from framework.tree.composites import AlongsideNode, ChoiceNode, GuardedNode, ParallelNode, SequenceNode
from framework.tree.conditions import DecideNode, WaitNode
from framework.tree.context import RunContext
from framework.tree.graph import GraphNode
from framework.tree.node import PlanNode


def build(plan: Plan, context: RunContext) -> PlanNode:
    """The tree of a checked plan, at rest."""
    words = in_words(plan, context.wording)
    match plan:
        case Do():
            return ActionNode(plan, context)
        case Sequence():
            return SequenceNode(words, context, tuple(build(step, context) for step in plan.steps))
        case Parallel():
            return ParallelNode(words, context, tuple(build(branch, context) for branch in plan.branches))
        case Alongside():
            both = (build(plan.body, context), build(plan.companion, context))
            return AlongsideNode(words, context, both)
        case While():
            return GuardedNode(words, context, build(plan.body, context), plan.condition, ends_when=False)
        case Until():
            return GuardedNode(words, context, build(plan.body, context), plan.condition, ends_when=True)
        case If(otherwise=otherwise):
            branches = (plan.then,) if otherwise is None else (plan.then, otherwise)
            return ChoiceNode(
                words, context, tuple(build(each, context) for each in branches), plan.condition
            )
        case Wait():
            return WaitNode(plan, words, context)
        case Decide():
            return DecideNode(plan, words, context)
        case Cancel():
            return CancelNode(plan, words, context)
        case Graph():
            return GraphNode(plan, words, context, lambda part: build(part, context))
    raise PlanError(f"{plan!r} is no plan")
