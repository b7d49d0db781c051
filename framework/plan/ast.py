"""The plan: what a person's words, a proposer's answer and a plan file all become.

Nodes are frozen data and compare by content, so "the same instruction twice" is
an equality. What a node does when it runs is said in `framework.tree`; what a
condition looks at is somebody else's as well (`framework.tree.Conditions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec

from framework.plan.graph import ENTRY, EXIT, Edge, Input, Mode
from framework.plan.value import Reference as Reference
from framework.plan.value import Value as Value
from framework.plan.value import type_of


class State(msgspec.Struct, frozen=True, tag_field="kind", tag="state"):
    """Something is so, or is not: State("open", {"thing": "door"}) is "door is open"."""

    name: str
    arguments: dict[str, Value] = {}
    is_so: bool = True


class Comparison(StrEnum):
    """How two quantities compare."""

    LESS = "<"
    AT_MOST = "<="
    EQUAL = "=="
    AT_LEAST = ">="
    MORE = ">"


class Compare(msgspec.Struct, frozen=True, tag_field="kind", tag="compare"):
    """A measured quantity against a number, both in SI: Compare("distance", {"thing": "cup"}, "<", 0.3)."""

    quantity: str
    arguments: dict[str, Value]
    comparison: Comparison
    value: float
    unit: str = ""


class AllOf(msgspec.Struct, frozen=True, tag_field="kind", tag="all_of"):
    """Every one of these holds."""

    conditions: tuple[Condition, ...]


class AnyOf(msgspec.Struct, frozen=True, tag_field="kind", tag="any_of"):
    """At least one of these holds."""

    conditions: tuple[Condition, ...]


class Elapsed(msgspec.Struct, frozen=True, tag_field="kind", tag="elapsed"):
    """So long has passed since the node that asks began: "for ten seconds" is Until(body, Elapsed(10))."""

    duration_s: float


Condition = State | Compare | Elapsed | AllOf | AnyOf


class Do(msgspec.Struct, frozen=True, tag_field="kind", tag="do"):
    """One action with its parameters."""

    action: str
    parameters: dict[str, Value] = {}


class Sequence(msgspec.Struct, frozen=True, tag_field="kind", tag="sequence"):
    """One step after the other; a continuous step is passed once it is established, and stays."""

    steps: tuple[Plan, ...]


class Parallel(msgspec.Struct, frozen=True, tag_field="kind", tag="parallel"):
    """All branches at once."""

    branches: tuple[Plan, ...]


class While(msgspec.Struct, frozen=True, tag_field="kind", tag="while"):
    """`body`, as long as a condition holds: "show the camera while the door is open"."""

    body: Plan
    condition: Condition


class Alongside(msgspec.Struct, frozen=True, tag_field="kind", tag="alongside"):
    """`body` beside another plan, ended by the finite one: "show the scan while tracking the hand".

    Two finite ones both come to their end.
    """

    body: Plan
    companion: Plan


class Until(msgspec.Struct, frozen=True, tag_field="kind", tag="until"):
    """`body` until a condition holds."""

    body: Plan
    condition: Condition


class If(msgspec.Struct, frozen=True, tag_field="kind", tag="if"):
    """Decided once, when it is reached."""

    condition: Condition
    then: Plan
    otherwise: Plan | None = None


class Wait(msgspec.Struct, frozen=True, tag_field="kind", tag="wait"):
    """Nothing until a condition holds. "When C, X" is Sequence((Wait(C), X)).

    is_so: False waits until the condition does not hold (any more).
    """

    condition: Condition
    is_so: bool = True


class Decide(msgspec.Struct, frozen=True, tag_field="kind", tag="decide"):
    """Whether a condition holds, told at once: the fork of a Graph. Its edges are on_true and on_false."""

    condition: Condition


class Cancel(msgspec.Struct, frozen=True, tag_field="kind", tag="cancel"):
    """End other plans' actions of this name; empty: all other plans."""

    what: str = ""


class Node(msgspec.Struct, frozen=True):
    """One place in a Graph.

    id: unique in its graph, "name_instance" in files ("show_0").
    actor: the robot that does it; empty means this one.
    inputs: what is said about inputs beyond the values of the plan's own parameters, which are all inputs.
    outputs: names of results and their types, as far as they are said.
    note: a description for people. extra: what else a file said, kept as it stands there.
    """

    id: str
    plan: Plan
    mode: Mode = Mode.SYNC
    actor: str = ""
    inputs: tuple[Input, ...] = ()
    outputs: dict[str, str] = {}
    note: str = ""
    extra: dict[str, Any] = {}

    def __post_init__(self) -> None:
        # In files they are members of an object, so an order would say nothing; and what a value says by
        # itself need not be said again. Nodes that say the same are to be equal.
        own = self.plan.parameters if isinstance(self.plan, Do) else {}
        said = [
            each
            for each in self.inputs
            if each.name not in own or each != Input(each.name, type_of(own[each.name]))
        ]
        msgspec.structs.force_setattr(self, "inputs", tuple(sorted(said, key=lambda each: each.name)))


class Graph(msgspec.Struct, frozen=True, tag_field="kind", tag="graph"):
    """Nodes that begin, end and feed one another along edges, as UMRF files say it.

    edges: also those from ENTRY and to EXIT. They are kept in the order of the nodes, so that graphs
        which say the same are equal; children are told in this order.
    form: which of the other plans this graph is a picture of; empty if it is one in its own right.
    note: a description for people. extra: what else a file said, kept as it stands there.
    """

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    form: str = ""
    note: str = ""
    extra: dict[str, Any] = {}

    def __post_init__(self) -> None:
        place = {ENTRY: -1, **{node.id: number for number, node in enumerate(self.nodes)}}
        last = len(self.nodes)

        def order(edge: Edge) -> tuple[int, int, str, str]:
            return place.get(edge.parent, last), place.get(edge.child, last), edge.parent, edge.child

        msgspec.structs.force_setattr(self, "edges", tuple(sorted(self.edges, key=order)))

    def node(self, node_id: str) -> Node:
        """The node of this id; KeyError if there is none."""
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise KeyError(node_id)

    def into(self, node_id: str) -> tuple[Edge, ...]:
        """The edges from parents, also from ENTRY; of EXIT: all that lead out of the graph."""
        return tuple(edge for edge in self.edges if edge.child == node_id)

    def out_of(self, node_id: str) -> tuple[Edge, ...]:
        """The edges to children, also to EXIT; of ENTRY: all that begin it."""
        return tuple(edge for edge in self.edges if edge.parent == node_id)

    @property
    def entries(self) -> tuple[Edge, ...]:
        """The edges along which it begins."""
        return self.out_of(ENTRY)

    @property
    def exits(self) -> tuple[Edge, ...]:
        """The edges along which it ends; empty if it goes on until it is stopped."""
        return self.into(EXIT)


Plan = Do | Sequence | Parallel | Alongside | While | Until | If | Wait | Decide | Cancel | Graph

CONDITIONS = (State, Compare, Elapsed, AllOf, AnyOf)


def parts(plan: Plan | Condition) -> tuple[Plan | Condition, ...]:
    """The plans and conditions directly inside of a node, in the order in which they were said."""
    match plan:
        case Sequence():
            return plan.steps
        case Parallel():
            return plan.branches
        case Alongside():
            return (plan.body, plan.companion)
        case While() | Until():
            return (plan.body, plan.condition)
        case If():
            return (plan.condition, plan.then) + ((plan.otherwise,) if plan.otherwise is not None else ())
        case Wait() | Decide():
            return (plan.condition,)
        case Graph():
            return tuple(node.plan for node in plan.nodes)
        case AllOf() | AnyOf():
            return plan.conditions
    return ()


def leaves_of(plan: Plan | Condition) -> Iterator[State | Compare]:
    """Every condition of a plan that somebody has to look at, in the order in which they were said."""
    if isinstance(plan, State | Compare):
        yield plan
    for part in parts(plan):
        yield from leaves_of(part)


def actions_of(plan: Plan | Condition) -> Iterator[Do]:
    """Every action of a plan, in the order in which they were said."""
    if isinstance(plan, Do):
        yield plan
    for part in parts(plan):
        yield from actions_of(part)
