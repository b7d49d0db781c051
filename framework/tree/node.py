"""What every node of a plan's tree can do beyond being a py_trees behaviour, and what composites share.

Life of a node: `tick` until its status is SUCCESS or FAILURE; or `wind_down`,
which takes time (an arm has to come to rest), and then `is_quiet`. A composite
that is about to end winds its children down first and ends when all are quiet,
so that what comes next finds the resources free. No node is ticked again after
its end. While the plan is paused no node begins; what has begun is ticked on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from framework.plan.graph import Ended
from framework.plan.passing import NESTED, outputs_of
from framework.plan.words import in_words
from framework.tree.view import NodeState, TreeView

if TYPE_CHECKING:
    from framework.plan.ast import Plan
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
    def plan(self) -> Plan:
        """What it carries out, as it is now: a change of the tree is a change of its plan."""
        raise NotImplementedError

    @property
    def has_begun(self) -> bool:
        """Something of it was started, or never will be any more: it cannot be changed."""
        raise NotImplementedError

    @property
    def ended(self) -> Ended | None:
        """How it ended, as a graph tells it to the nodes after it; None as long as it has not."""
        if not self.is_over:
            return None
        return Ended.TRUE if self.status == Status.SUCCESS else Ended.ERROR

    @property
    def is_over(self) -> bool:
        """Ended by itself."""
        return self.status in (Status.SUCCESS, Status.FAILURE)

    @property
    def has_failed(self) -> bool:
        """It ends with a failure: known before all of it is at rest, for what relies on it."""
        return self.status == Status.FAILURE

    @property
    def is_established(self) -> bool:
        """Continuous, and at the point where it stays."""
        return False

    @property
    def fraction(self) -> float:
        """How much is done, 0 to 1; -1 where that is not known."""
        return -1.0

    @property
    def is_quiet(self) -> bool:
        """Nothing of it runs any more (or yet)."""
        return True

    @property
    def is_settled(self) -> bool:
        """Ended well, or established: what comes after it may begin."""
        return self.status == Status.SUCCESS or (self.status == Status.RUNNING and self.is_established)

    def tick(self) -> Iterator[Behaviour]:
        """One tick, in the manner of py_trees; in a paused plan only of what has been reached."""
        if not (self.context.is_paused and self.status == Status.INVALID):
            yield from super().tick()

    def wind_down(self, why: str) -> None:
        """Begin to end; idempotent. It is over when `is_quiet`."""

    def conclude(self) -> None:
        """What it is in ends, and it is quiet: so does this, if it has not yet."""
        if self.status == Status.RUNNING:
            self.stop(Status.INVALID)

    def go_on(self) -> None:
        """The plan goes on after a pause."""

    def give(self, values: Mapping[str, Any]) -> None:
        """What earlier nodes of a graph have passed to it, by name; before it begins."""

    def outputs(self, said: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What it has given back, by name. said: the names and types that its graph says it gives."""
        found: dict[str, Any] = {}
        for action in self.actions():
            found |= outputs_of(action.value, said)
        return found

    def actions(self) -> Iterator[ActionNode]:
        """The actions in and below this node, in the order in which they were said."""
        yield from ()

    def actions_before(self) -> list[ActionNode]:
        """The actions of this plan that were said before it: "it" is the result of one of these."""
        found: list[ActionNode] = []
        node: PlanNode = self
        while isinstance(node.parent, PlanComposite):
            said = node.parent.said_before(node)
            found = [action for earlier in said for action in earlier.actions()] + found
            node = node.parent
        return found

    def plan_children(self) -> tuple[PlanNode, ...]:
        """The nodes directly below."""
        return ()

    def walk(self) -> Iterator[PlanNode]:
        """It and all nodes below it, from the top."""
        yield self
        for child in self.plan_children():
            yield from child.walk()

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
            self.parent.name_of(self) if isinstance(self.parent, PlanComposite) else "",
            self.fraction,
            self.condition_words,
        )

    @property
    def why(self) -> str:
        """Of one that has failed: the reason alone, without its words; "" if `detail` is all there is."""
        return ""

    @property
    def condition_words(self) -> str:
        """What it looks at to decide about what is below it; "" if nothing."""
        return ""


class PlanComposite(PlanNode, Composite):
    """A node with children. Subclasses write `advance`; `end_with` ends it in order."""

    def __init__(self, words: str, context: RunContext, children: tuple[PlanNode, ...]) -> None:
        super().__init__(words, context)
        self.nodes: tuple[PlanNode, ...] = ()
        self.put(children)
        self._verdict: Status | None = None
        self._has_begun = False
        self._is_winding_down = False

    def put(self, nodes: tuple[PlanNode, ...]) -> None:
        """These are the children from now on; those that stay have to stay in the same order."""
        self.nodes = nodes
        self.children = list(nodes)
        for node in nodes:
            node.parent = self

    def keep(self) -> Callable[[], None]:
        """What puts the children back as they are now."""
        nodes = self.nodes

        def put_back() -> None:
            self.put(nodes)

        return put_back

    def name_of(self, child: PlanNode) -> str:
        """What it calls a child; only graphs have names for theirs."""
        return ""

    def said_before(self, child: PlanNode) -> tuple[PlanNode, ...]:
        """The children whose results the child's "it" may mean, in the order in which they were said."""
        return self.nodes[: self.nodes.index(child)]

    def go_on(self) -> None:
        """Everything below goes on."""
        for node in self.nodes:
            node.go_on()

    def give(self, values: Mapping[str, Any]) -> None:
        """It is for those actions below that have parameters of these names."""
        for action in self.actions():
            signature = self.context.runners.find(action.do.action)
            names = {each.name for each in signature.parameters} if signature is not None else set()
            action.give({name: value for name, value in values.items() if name.split(NESTED)[0] in names})

    def renew_words(self) -> None:
        """Say what it does now that something below was changed."""
        self.words = self.name = in_words(self.plan, self.context.wording)

    @property
    def has_begun(self) -> bool:
        """Something in it was started, or it was told to end."""
        return self._is_winding_down or any(node.has_begun for node in self.nodes)

    @property
    def is_ending(self) -> bool:
        """Its outcome is known, or it was told to end: nothing more begins in it."""
        return self._verdict is not None or self._is_winding_down

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
            if self.context.is_paused:
                return
            self.begin()
        if self._verdict is None:
            yield from self.advance()
        if self._verdict is not None and all(node.is_quiet for node in self.nodes):
            for node in self.nodes:
                node.conclude()
            self.stop(self._verdict)
        yield self

    def conclude(self) -> None:
        """See `PlanNode.conclude`; a verdict that is known counts."""
        if self.status == Status.RUNNING:
            for node in self.nodes:
                node.conclude()
            self.stop(self._verdict or Status.INVALID)

    def begin(self) -> None:
        """Its first tick, or what it is put above has begun already."""
        self.initialise()
        self.status = Status.RUNNING
        self._has_begun = True

    def failure_below(self) -> str:
        """Why a child has failed; empty if none has."""
        return next((node.detail or node.words for node in self.nodes if node.has_failed), "")

    @property
    def has_failed(self) -> bool:
        """See `PlanNode.has_failed`."""
        return self._verdict == Status.FAILURE or super().has_failed

    @property
    def is_quiet(self) -> bool:
        """Nothing below runs."""
        return all(node.is_quiet for node in self.nodes)

    @property
    def is_established(self) -> bool:
        """All that is not over is established, and something is."""
        going = self._going
        return self._verdict is None and bool(going) and all(node.is_established for node in going)

    @property
    def is_settled(self) -> bool:
        """Ended well; or established, and nothing in it ends by itself."""
        return super().is_settled and all(node.is_settled for node in self._going)

    @property
    def _going(self) -> list[PlanNode]:
        return [node for node in self.nodes if not node.is_over and node.status != Status.INVALID]

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
