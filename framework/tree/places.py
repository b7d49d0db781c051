"""One place of a running graph: the node that is run there, more than once if need be, and what is due."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from py_trees.common import Status

from framework.plan.ast import Node, Plan
from framework.plan.graph import Ended
from framework.plan.passing import missing, own_values
from framework.tree.action import PauseCause
from framework.tree.node import PlanNode

Make = Callable[[Plan], PlanNode]


class Place:
    """Keeps the present run of one node of a graph.

    Attributes:
        current: the behaviour of the present, last or next run.
        received: parents that have ended at least once; never forgotten, so that loops can go round.
        passed: what parents have given it for its next run.
        is_due: it is to begin when it can.
        is_going: it has begun and is not at rest yet.
        is_stopping: it was told to end. is_held: it was told to pause.
        runs_again: when it has come to rest it begins again, and nobody is told of the end.
        has_told: its children know that it is established. has_run: it has begun at least once.
        to_tell: of a spontaneous node: how it ended, while what comes after it is being cleared.
    """

    def __init__(self, node: Node, current: PlanNode) -> None:
        self._node = node
        self.current = current
        self.received: set[str] = set()
        self.passed: dict[str, Any] = {}
        self.is_due = False
        self.is_going = False
        self.is_stopping = False
        self.is_held = False
        self.runs_again = False
        self.to_tell: Ended | None = None
        self.last: Ended | None = None
        self.has_told = False
        self.has_run = False

    @property
    def id(self) -> str:
        """Its name in the graph."""
        return self._node.id

    @property
    def node(self) -> Node:
        """What the plan says of it now."""
        plan = self.current.plan
        return self._node if plan is self._node.plan else msgspec.structs.replace(self._node, plan=plan)

    @node.setter
    def node(self, node: Node) -> None:
        self._node = node

    @property
    def is_active(self) -> bool:
        """It runs, or is to begin, or has something to tell still."""
        return self.is_going or self.is_due or self.to_tell is not None

    @property
    def stays(self) -> bool:
        """It runs, and is established."""
        return self.is_going and not self.is_stopping and self.current.is_established

    @property
    def is_established(self) -> bool:
        """It stays, is not paused, and its children know."""
        return self.stays and not self.is_held and self.has_told

    def lacks(self) -> tuple[str, ...]:
        """The required inputs that nobody has given yet."""
        return missing(self.node, self.passed)

    def begin(self, make: Make) -> None:
        """Begin a run; if there was one before, with a fresh node under the same id."""
        if self.has_run:
            self.current = again(self.current, make)
        self.current.give({**own_values(self.node), **self.passed})
        self.is_going, self.is_due, self.has_run = True, False, True
        self.is_stopping = self.is_held = self.runs_again = False
        self.has_told = False

    def stop(self, why: str) -> None:
        """It is not to run (any more); idempotent."""
        self.is_due = self.runs_again = False
        self.to_tell = None
        if self.is_going and not self.is_stopping:
            self.is_stopping, self.is_held = True, False
            self.current.wind_down(why)

    def hold(self) -> None:
        """Pause what runs here."""
        if self.is_going and not self.is_stopping and not self.is_held:
            self.is_held = True
            for action in self.current.actions():
                action.pause(PauseCause.EDGE)

    def go_on(self) -> None:
        """Go on after `hold`."""
        if self.is_held:
            self.is_held = False
            for action in self.current.actions():
                action.resume(PauseCause.EDGE)

    def news(self) -> Ended | None:
        """How it ended, or TRUE when it is established; each is told once."""
        if not self.is_going or self.is_held:
            return None
        if self.is_stopping:
            if not self.current.is_quiet:
                return None
            if self.current.status == Status.RUNNING:
                self.current.stop(Status.INVALID)
            return self._over(Ended.STOPPED)
        if self.current.is_over:
            return self._over(self.current.ended or Ended.ERROR)
        if self.current.is_settled and not self.has_told:
            self.has_told = True
            self.passed.clear()
            self.last = self.current.ended or Ended.TRUE
            return self.last
        return None

    def outputs(self) -> Mapping[str, Any]:
        """What it gives to its children."""
        return self.current.outputs(self._node.outputs)

    def _over(self, ended: Ended) -> Ended:
        self.is_going = self.is_stopping = self.is_held = False
        self.passed.clear()
        self.last = ended
        return ended


def again(node: PlanNode, make: Make) -> PlanNode:
    """A fresh node for another run of the same: its parts have the ids of those before."""
    last_number = node.context.last_number
    fresh = make(node.plan)
    node.context.last_number = last_number
    for new, old in zip(fresh.walk(), node.walk(), strict=True):
        new.node_id = old.node_id
    fresh.parent = node.parent
    return fresh
