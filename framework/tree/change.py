"""Changing a paused plan: what has not begun may be removed or replaced, and more may be inserted.

What has begun is never touched, so no started action is lost and nothing is done twice; what was removed
never starts. Nodes that stay keep their ids, new ones get new ids. All of it happens between two ticks: a
change that cannot be made leaves everything as it was.

| inserted | where |
|---|---|
| after, before a step of a sequence | there, unless what would come later has begun already |
| after, before anything else | that becomes a sequence of the two, in its place |
| into a sequence, a parallel | as its last step, as one more branch |

A node of a graph may also be called by the graph's name for it. A graph that has begun may be replaced by
another one: nodes of the same name that go on stay, what has ended may become another thing for its next run.
"""

from __future__ import annotations

import msgspec

from framework.errors import PlanError
from framework.plan.ast import Graph, Plan, Sequence
from framework.plan.check import check, size_problem
from framework.plan.words import in_words
from framework.tree.build import build
from framework.tree.composites import AlongsideNode, ChoiceNode, GuardedNode, ParallelNode, SequenceNode
from framework.tree.context import RunContext
from framework.tree.graph import GraphNode
from framework.tree.node import PlanComposite, PlanNode

_MOST_NAMED = 8


class Insert(msgspec.Struct, frozen=True, tag_field="kind", tag="insert"):
    """Do this as well. Exactly one of after, before, into: the id of a node."""

    plan: Plan
    after: str = ""
    before: str = ""
    into: str = ""


class Remove(msgspec.Struct, frozen=True, tag_field="kind", tag="remove"):
    """Do not do this, and what is in it."""

    node: str


class Replace(msgspec.Struct, frozen=True, tag_field="kind", tag="replace"):
    """Do another thing in its place."""

    node: str
    plan: Plan


Change = Insert | Remove | Replace


def changed(root: PlanNode, change: Change, context: RunContext) -> PlanNode:
    """Carry out a change; the root of the tree after it, which may be another one.

    Raises PlanError, in words that say what is allowed; then nothing is changed.
    """
    if not isinstance(change, Remove):
        check(change.plan, context.runners)
    put_back = [node.keep() for node in root.walk() if isinstance(node, PlanComposite)]
    last_number = context.last_number
    surgery = _Surgery(root, context)
    try:
        surgery.carry_out(change)
        if too_large := size_problem(surgery.root.plan):
            raise PlanError(too_large)
        for node in surgery.root.walk():
            if isinstance(node, PlanComposite):
                node.renew_words()
    except Exception:
        for restore in put_back:
            restore()
        root.parent = None
        context.last_number = last_number
        raise
    return surgery.root


class _Surgery:
    """One change of one tree."""

    def __init__(self, root: PlanNode, context: RunContext) -> None:
        self.root = root
        self._context = context

    def carry_out(self, change: Change) -> None:
        match change:
            case Insert():
                self._insert(change)
            case Remove():
                self._remove(self._untouched(change.node))
            case Replace(node=node_id, plan=Graph() as graph) if self._is_live_graph(node_id):
                self._graph(node_id).become(graph)
            case Replace():
                node = self._untouched(change.node)
                self._swap(node, self._built(change.plan, node.parent))

    # -- the three changes

    def _insert(self, change: Insert) -> None:
        wishes = [wish for wish in ("after", "before", "into") if getattr(change, wish)]
        if len(wishes) != 1:
            said = " and ".join(wishes) or "nothing"
            raise PlanError(
                f"An insertion says {said}; it has to say one of after, before, into: a node's id."
            )
        if change.into:
            self._append(self._reachable(change.into), change.plan)
        elif change.before:
            node = self._untouched(change.before)
            self._swap(node, (*self._built(change.plan, node.parent), node), change.plan)
        else:
            node = self._reachable(change.after)
            self._swap(node, (node, *self._built(change.plan, node.parent)), change.plan)

    def _append(self, node: PlanNode, plan: Plan) -> None:
        if not isinstance(node, SequenceNode | ParallelNode):
            raise PlanError(
                f"{_name(node)} is neither a sequence nor a parallel, so nothing can be inserted into it; "
                "insert it after or before a node (a graph may be replaced by a changed one while it runs)."
            )
        if node.is_over or node.is_ending:
            raise PlanError(f"{_name(node)} is over, so nothing can be inserted into it.")
        node.put((*node.nodes, *self._built(plan, node)))

    def _remove(self, node: PlanNode) -> None:
        parent = node.parent
        if not isinstance(parent, PlanComposite):
            raise PlanError(f"{_name(node)} is the whole plan; stop the plan instead of removing that.")
        others = tuple(other for other in parent.nodes if other is not node)
        match parent:
            case AlongsideNode():
                self._swap(parent, others)
            case ChoiceNode() if others and node is parent.nodes[0]:
                raise PlanError(
                    f'"{node.words}" is what is done if the condition holds; replace it, '
                    f"or remove all of {_name(parent)}."
                )
            case GraphNode() if others:
                parent.become(parent.without(node))
            case GuardedNode() | ChoiceNode() | GraphNode() | SequenceNode() | ParallelNode() if not others:
                self._remove(self._untouched(parent.node_id))
            case _:
                parent.put(others)

    def _swap(self, old: PlanNode, new: tuple[PlanNode, ...], inserted: Plan | None = None) -> None:
        """`new` stands where `old` stood; several where there is room for one become a sequence."""
        parent = old.parent
        if isinstance(parent, SequenceNode):
            place = parent.nodes.index(old)
            rest = parent.nodes[place + 1 :]
            late = next((node for node in rest if node.has_begun), None)
            if late is not None and inserted is not None:
                raise PlanError(
                    f"{_name(late)} has begun already, so nothing can be inserted before it; insert it after "
                    f"{_name([node for node in rest if node.has_begun][-1])}."
                )
            parent.put((*parent.nodes[:place], *new, *rest))
            return
        if isinstance(parent, GraphNode) and len(new) > 1 and (why := parent.refuses_to_grow(old)):
            raise PlanError(f"{_name(old)}: {why}.")
        one = new[0] if len(new) == 1 else self._sequence(new)
        if isinstance(parent, PlanComposite):
            parent.put(tuple(one if node is old else node for node in parent.nodes))
        else:
            one.parent = None
            self.root = one

    # -- what they are made of

    def _sequence(self, nodes: tuple[PlanNode, ...]) -> PlanNode:
        words = in_words(Sequence(tuple(node.plan for node in nodes)), self._context.wording)
        sequence = SequenceNode(words, self._context, nodes)
        if any(node.has_begun for node in nodes):
            sequence.begin()
        return sequence

    def _built(self, plan: Plan, parent: object) -> tuple[PlanNode, ...]:
        """The nodes of a new part; a sequence in a sequence is told as its steps."""
        is_flat = isinstance(plan, Sequence) and isinstance(parent, SequenceNode)
        steps = plan.steps if is_flat and isinstance(plan, Sequence) else (plan,)
        return tuple(build(step, self._context) for step in steps)

    def _is_live_graph(self, node_id: str) -> bool:
        node = self._reachable(node_id)
        return isinstance(node, GraphNode) and node.has_begun

    def _graph(self, node_id: str) -> GraphNode:
        node = self._reachable(node_id)
        assert isinstance(node, GraphNode)
        if node.is_over or node.is_ending:
            raise PlanError(f"{_name(node)} is over, so it cannot be changed.")
        return node

    def _reachable(self, node_id: str) -> PlanNode:
        """A node beside which something may be done still."""
        node = find(self.root, node_id)
        if node is None:
            ids = ", ".join(each.node_id for each in self.root.walk())
            raise PlanError(f"There is no node {node_id!r} in this plan; there are {ids}.")
        above = node.parent
        while isinstance(above, PlanComposite):
            if above.is_over or above.is_ending:
                raise PlanError(f"{_name(above)} is over, so nothing in it can be changed.")
            above = above.parent
        return node

    def _untouched(self, node_id: str) -> PlanNode:
        """A node that has not begun."""
        node = self._reachable(node_id)
        if node.has_begun:
            raise PlanError(
                f"{_name(node)} has begun, and what has begun cannot be changed, only stopped; "
                f"{self._choice()}"
            )
        return node

    def _choice(self) -> str:
        free = [_name(node) for node in self.root.walk() if not node.has_begun]
        if not free:
            return "there is nothing that has not begun. More can be inserted after it."
        more = ", …" if len(free) > _MOST_NAMED else ""
        return f"not begun: {', '.join(free[:_MOST_NAMED])}{more}."


def _name(node: PlanNode) -> str:
    return f'{node.node_id} ("{node.words}")'


def find(root: PlanNode, node_id: str) -> PlanNode | None:
    """The node of this id, or the one node that its graph calls so."""
    nodes = list(root.walk())
    by_id = next((node for node in nodes if node.node_id == node_id), None)
    named = [
        node
        for node in nodes
        if isinstance(node.parent, GraphNode) and node is not root and node.parent.name_of(node) == node_id
    ]
    return by_id or (named[0] if len(named) == 1 else None)
