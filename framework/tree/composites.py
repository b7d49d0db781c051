"""How the nodes with children behave. py_trees' own composites know no "established", so these are ours.

Sequence: begins with its first step, and goes on when a step has succeeded or is established. An established
    step stays, unless a later one needs for itself alone what it has: then it is ended first. Not what holds
    on until its operator ends it ("let me drive, then go home"): the later one waits for that.
    Succeeds when every step has; fails when a step does, also one that was established.
Parallel: all at once. Succeeds when all have; fails when one does.
Alongside: body and companion at once. Of one that is continuous and one that is not, it succeeds when the
    latter has; of two finite ones, when both have. Fails when either does.
While: begins if its condition holds, else it succeeds at once. Succeeds when the body has, or when the
    condition does not hold any more. Fails when the body does, or when nobody can tell whether it holds.
Until: begins unless its condition holds, else it succeeds at once. Succeeds when the body has, or when the
    condition holds. Fails when the body does. As long as nobody can tell, it goes on.
If: decided once, when it is reached; then as the branch that was chosen. Without a branch it succeeds.
    Fails when nobody can tell.

Whatever still runs when a node's outcome is known is ended, and the node ends when all of it is at rest. That
it fails is known further up at once: what relies on it does not go on while the rest comes to its end. A
composite is established while everything in it that is not over is. A paused plan begins nothing new, and
time does not count while it is paused: "for ten seconds" are ten seconds of doing it.

Children may be added, taken away and exchanged while the plan is paused (`change.py`), so nothing here
remembers a child but by its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from framework.errors import PlanError
from framework.plan.ast import Alongside, Condition, If, Parallel, Plan, Sequence, Until, While
from framework.plan.signature import is_continuous
from framework.tree.asked_condition import AskedCondition
from framework.tree.context import RunContext
from framework.tree.node import PlanComposite, PlanNode


class SequenceNode(PlanComposite):
    """One step after the other; with memory: no step is done twice."""

    kind = "sequence"

    def __init__(self, words: str, context: RunContext, children: tuple[PlanNode, ...]) -> None:
        super().__init__(words, context, children)
        self._at = 0
        self._has_made_room = False

    @property
    def plan(self) -> Plan:
        """Its steps as they are now."""
        return Sequence(tuple(node.plan for node in self.nodes))

    def put(self, nodes: tuple[PlanNode, ...]) -> None:
        """Also another step may be next now."""
        super().put(nodes)
        self._has_made_room = False

    def advance(self) -> Iterator[Behaviour]:
        """Tick what was begun; begin the next step when the present one is settled."""
        position = 0
        while position <= self._at and position < len(self.nodes):
            node = self.nodes[position]
            if not node.is_over:
                is_next = position == self._at and not node.has_begun
                if is_next and (self.context.is_paused or not self._made_room()):
                    return
                yield from node.tick()
            if node.has_failed:
                self.end_with(Status.FAILURE, self.failure_below())
                return
            if position == self._at and node.is_settled:
                self._at += 1
                self._has_made_room = False
            position += 1
        if all(node.status == Status.SUCCESS for node in self.nodes):
            self.end_with(Status.SUCCESS, "")

    @property
    def is_established(self) -> bool:
        """The last step is at work (it may still end by itself), and what stays is established."""
        has_reached_the_last = bool(self.nodes) and self.nodes[-1].status != Status.INVALID
        return has_reached_the_last and super().is_established

    def _made_room(self) -> bool:
        """Whether nothing of this sequence is in the way of the next step; ends what may be ended for it."""
        if self._has_made_room:
            return True
        is_free = True
        for earlier in self.nodes[: self._at]:
            for action in earlier.actions():
                if action.is_quiet:
                    continue
                signature = self.context.runners.find(action.do.action)
                for wanted in self.nodes[self._at].actions():
                    needed = self.context.runners.collide(action.do, wanted.do)
                    if needed:
                        if signature is None or not signature.retains:
                            action.cancel(f"{wanted.words} needs {needed}")
                        is_free = is_free and action.is_quiet
                        break
        self._has_made_room = is_free
        return is_free


class ParallelNode(PlanComposite):
    """All at once, all must succeed."""

    kind = "parallel"

    @property
    def plan(self) -> Plan:
        """Its branches as they are now."""
        return Parallel(tuple(node.plan for node in self.nodes))

    def advance(self) -> Iterator[Behaviour]:
        """Tick all that are not over."""
        for node in self.nodes:
            if not node.is_over:
                yield from node.tick()
        if any(node.has_failed for node in self.nodes):
            self.end_with(Status.FAILURE, self.failure_below())
        elif all(node.status == Status.SUCCESS for node in self.nodes):
            self.end_with(Status.SUCCESS, "")


class AlongsideNode(PlanComposite):
    """A body and what goes on beside it ("show the scan while tracking the cup")."""

    kind = "alongside"

    @property
    def plan(self) -> Plan:
        """Both as they are now."""
        body, companion = self.nodes
        return Alongside(body.plan, companion.plan)

    def advance(self) -> Iterator[Behaviour]:
        """Tick both; the finite one ends both, and of two finite ones each comes to its end."""
        body, companion = self.nodes
        for node in self.nodes:
            if not node.is_over:
                yield from node.tick()
        if any(node.has_failed for node in self.nodes):
            self.end_with(Status.FAILURE, self.failure_below())
        elif body.status == Status.SUCCESS and (companion.status == Status.SUCCESS or self._stays(companion)):
            self.end_with(Status.SUCCESS, f"{body.words} is done")
        elif companion.status == Status.SUCCESS and self._stays(body):
            self.end_with(Status.SUCCESS, f"{companion.words} is done")

    def _stays(self, node: PlanNode) -> bool:
        return is_continuous(node.plan, self.context.runners.is_continuous)


class GuardedNode(PlanComposite):
    """A body as long as a condition holds (`ends_when` False), or until it does (`ends_when` True)."""

    def __init__(
        self, words: str, context: RunContext, body: PlanNode, condition: Condition, ends_when: bool
    ) -> None:
        super().__init__(words, context, (body,))
        self.kind = "until" if ends_when else "while"
        self._question = AskedCondition(
            condition, context, lambda: [*self.actions_before(), *self.nodes[0].actions()]
        )
        self._ends_when = ends_when

    @property
    def condition_words(self) -> str:
        """See `PlanNode.condition_words`."""
        return self._question.clause

    @property
    def plan(self) -> Plan:
        """Its body as it is now."""
        make = Until if self._ends_when else While
        return make(self.nodes[0].plan, self._question.condition)

    @property
    def is_settled(self) -> bool:
        """It ends by itself, so what comes after it waits for that: "show it for ten seconds, then …"."""
        return self.status == Status.SUCCESS

    @property
    def has_begun(self) -> bool:
        """It has looked: its time runs."""
        return self._has_begun or super().has_begun

    def advance(self) -> Iterator[Behaviour]:
        """Look at the condition first, so that nothing begins for nothing."""
        clause, has_begun = self._question.clause, self.nodes[0].has_begun
        try:
            answer = self._question.ask()
        except PlanError as error:
            self.end_with(Status.FAILURE, str(error))
            return
        if answer is None and not self._ends_when and not self._question.may_be_told_soon:
            self.end_with(Status.FAILURE, f"nobody can tell whether {clause}")
            return
        if answer is None and not (self._ends_when or has_begun or self._question.waits_for_a_result):
            self.detail = f"finding out whether {clause}"
            return
        if answer is self._ends_when:
            self.detail = clause if self._ends_when else f"not any more: {clause}"
            self.end_with(Status.SUCCESS, self.detail)
            return
        self.detail = "" if answer is not None else f"cannot tell yet whether {clause}"
        body = self.nodes[0]
        yield from body.tick()
        if body.is_over or body.has_failed:
            self.end_with(Status.FAILURE if body.has_failed else body.status, self.failure_below())


class ChoiceNode(PlanComposite):
    """One of two, or one or nothing."""

    kind = "if"

    def __init__(
        self, words: str, context: RunContext, children: tuple[PlanNode, ...], condition: Condition
    ) -> None:
        super().__init__(words, context, children)
        self._question = AskedCondition(condition, context, self.actions_before)
        self._chosen: int | None = None

    @property
    def condition_words(self) -> str:
        """See `PlanNode.condition_words`."""
        return self._question.clause

    @property
    def plan(self) -> Plan:
        """Its branches as they are now."""
        branches = [node.plan for node in self.nodes]
        return If(self._question.condition, branches[0], branches[1] if len(branches) > 1 else None)

    @property
    def has_begun(self) -> bool:
        """It is decided."""
        return self._has_begun or super().has_begun

    def advance(self) -> Iterator[Behaviour]:
        """Decide at the first tick, then follow the branch."""
        if self._chosen is None:
            self._decide()
        if self._chosen is None:
            return
        if self._chosen >= len(self.nodes):
            self.end_with(Status.SUCCESS, "")
            return
        chosen = self.nodes[self._chosen]
        yield from chosen.tick()
        if chosen.is_over or chosen.has_failed:
            self.end_with(Status.FAILURE if chosen.has_failed else chosen.status, self.failure_below())

    def _decide(self) -> None:
        clause = self._question.clause
        try:
            answer = self._question.ask_once()
        except PlanError as error:
            self.end_with(Status.FAILURE, str(error))
            return
        if answer is None and self._question.may_be_told_soon:
            self.detail = f"finding out whether {clause}"
            return
        if answer is None:
            self.end_with(Status.FAILURE, f"nobody can tell whether {clause}")
            return
        self._chosen = 0 if answer else 1
        self.detail = clause if answer else f"not so: {clause}"
        for number, node in enumerate(self.nodes):
            if number != self._chosen:
                node.wind_down(self.detail)
