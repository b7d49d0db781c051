"""What every node of a plan's tree can do beyond being a py_trees behaviour, and what composites share.

Life of a node: `tick` until its status is SUCCESS or FAILURE; or `wind_down`,
which takes time (an arm has to come to rest), and then `is_quiet`. A composite
that is about to end winds its children down first and ends when all are quiet,
so that what comes next finds the resources free. No node is ticked again after
its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from framework.tree.view import NodeState, TreeView

if TYPE_CHECKING:
    from framework.tree.action import ActionNode
    from framework.tree.context import RunContext


class PlanNode(Behaviour):
    """A node of a plan's tree."""

    kind = ""

    def __init__(self, words: str, context: RunContext) -> None:
        super().__init__(words)
        self.words = words
        self.context = context
        self.node_id = context.next_id()
        self.detail = ""
        self._shown: NodeState = NodeState.IDLE
        self._since_s = context.clock.now_s()

    @property
    def is_over(self) -> bool:
        """Ended by itself."""
        return self.status in (Status.SUCCESS, Status.FAILURE)

    @property
    def is_established(self) -> bool:
        """Continuous, and at the point where it stays."""
        return False

    @property
    def is_quiet(self) -> bool:
        """Nothing of it runs any more (or yet)."""
        return True

    @property
    def is_settled(self) -> bool:
        """Ended well, or established: what comes after it may begin."""
        return self.status == Status.SUCCESS or (self.status == Status.RUNNING and self.is_established)

    def wind_down(self, why: str) -> None:
        """Begin to end; idempotent. It is over when `is_quiet`."""

    def actions(self) -> Iterator[ActionNode]:
        """The actions in and below this node, in the order in which they were said."""
        yield from ()

    def plan_children(self) -> tuple[PlanNode, ...]:
        """The nodes directly below."""
        return ()

    def state_now(self) -> NodeState:
        """What it is at."""
        raise NotImplementedError

    def view(self) -> TreeView:
        """It and what is below it, as data."""
        state = self.state_now()
        if state is not self._shown:
            self._shown = state
            self._since_s = self.context.clock.now_s()
        return TreeView(
            self.node_id,
            self.kind,
            self.words,
            state,
            self.detail,
            self._since_s,
            tuple(child.view() for child in self.plan_children()),
        )


class PlanComposite(PlanNode, Composite):
    """A node with children. Subclasses write `advance`; `end_with` ends it in order."""

    def __init__(self, words: str, context: RunContext, children: tuple[PlanNode, ...]) -> None:
        super().__init__(words, context)
        self.nodes = children
        self.add_children(list(children))
        self._verdict: Status | None = None
        self._has_begun = False
        self._is_winding_down = False

    def advance(self) -> Iterator[Behaviour]:
        """Tick what is to be ticked; call `end_with` when the outcome is known."""
        raise NotImplementedError

    def end_with(self, verdict: Status, why: str) -> None:
        """The outcome is known: end the children that still run, then this."""
        if self._verdict is None:
            self._verdict = verdict
            if verdict == Status.FAILURE:
                self.detail = why
            for node in self.nodes:
                node.wind_down(why)

    def tick(self) -> Iterator[Behaviour]:
        """One tick, in the manner of py_trees: yields every node that it passes, itself last."""
        if self.status != Status.RUNNING:
            self.initialise()
            self.status = Status.RUNNING
            self._has_begun = True
        if self._verdict is None:
            yield from self.advance()
        if self._verdict is not None and all(node.is_quiet for node in self.nodes):
            for node in self.nodes:
                if node.status == Status.RUNNING:
                    node.stop(Status.INVALID)
            self.stop(self._verdict)
        yield self

    def failure_below(self) -> str:
        """Why a child has failed; empty if none has."""
        return next((node.detail or node.words for node in self.nodes if node.status == Status.FAILURE), "")

    @property
    def is_quiet(self) -> bool:
        """Nothing below runs."""
        return all(node.is_quiet for node in self.nodes)

    @property
    def is_established(self) -> bool:
        """All that is not over is established, and something is."""
        going = [node for node in self.nodes if not node.is_over and node.status != Status.INVALID]
        return self._verdict is None and bool(going) and all(node.is_established for node in going)

    def wind_down(self, why: str) -> None:
        """Begin to end everything below."""
        self._is_winding_down = True
        for node in self.nodes:
            node.wind_down(why)

    def actions(self) -> Iterator[ActionNode]:
        """Those of the children, in order."""
        for node in self.nodes:
            yield from node.actions()

    def plan_children(self) -> tuple[PlanNode, ...]:
        """The children."""
        return self.nodes

    def state_now(self) -> NodeState:
        """Derived from the status, and from the children while it runs."""
        if self.status == Status.SUCCESS:
            return NodeState.SUCCEEDED
        if self.status == Status.FAILURE:
            return NodeState.FAILED
        if self._is_winding_down:
            if not self._has_begun:
                return NodeState.SKIPPED
            return NodeState.CANCELLED if self.is_quiet else NodeState.STOPPING
        if self.status == Status.INVALID:
            return NodeState.IDLE
        if self._verdict is not None:
            return NodeState.STOPPING
        if self.context.is_paused:
            return NodeState.PAUSED
        return NodeState.READY if self.is_established else NodeState.RUNNING
