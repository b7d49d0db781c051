"""Whether a plan fits the actions that there are. All that is wrong is said at once."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

import msgspec

from framework.errors import PlanError
from framework.plan.ast import (
    CONDITIONS,
    Condition,
    Do,
    Graph,
    Parallel,
    Plan,
    Reference,
    Sequence,
    parts,
)
from framework.plan.graph_check import Problem, comes_later, graph_problems
from framework.plan.passing import NESTED, inputs_of, nested
from framework.plan.signature import Signatures
from framework.plugins.parameters import convert

MOST_LEVELS = 32
MOST_NODES = 500


def check(plan: Plan, signatures: Signatures, *, robot: str = "") -> None:
    """Raise PlanError, one line a problem, unless every action can be started as the plan says.

    Looked at: actions unknown or unavailable; parameters unknown, missing, of a wrong type or out
    of bounds; empty sequences; what keeps a graph from being carried out (`graph_check`); a reference with
    nothing before it is left to the run, because an earlier plan may have given what it means. More than
    32 levels or 500 nodes are refused. robot: this robot's name, for graphs that name actors.
    """
    too_large = size_problem(plan)
    if too_large:
        raise PlanError(too_large)
    problems = _empty(plan) + list(_problems(plan, signatures, robot))
    if problems:
        raise PlanError("\n".join(dict.fromkeys(problems)))


def problems_with(do: Do, signatures: Signatures, later: Collection[str] = ()) -> list[str]:
    """What keeps one action from being started; empty if nothing does.

    later: names of parameters whose values are known only when it starts.
    """
    signature = signatures.find(do.action)
    if signature is None:
        near = difflib.get_close_matches(do.action, signatures.names(), n=1)
        known = (
            f"did you mean {near[0]!r}?" if near else f"there are {', '.join(signatures.names()) or 'none'}"
        )
        return [f"there is no action {do.action!r}; {known}"]
    if signature.unavailable:
        return [f"{do.action} is unavailable: {signature.unavailable}"]
    # A reference's value is known only when the action starts: then the runner looks at it.
    references = {name for name, value in do.parameters.items() if isinstance(value, Reference)}
    known_later = {name.partition(NESTED)[0] for name in references | set(later)}
    names = {parameter.name for parameter in signature.parameters}
    now = tuple(
        msgspec.structs.replace(parameter, default=None) if parameter.name in known_later else parameter
        for parameter in signature.parameters
    )
    try:
        given = nested(do.parameters | dict.fromkeys(later))
        given = {name: value for name, value in given.items() if name not in known_later & names}
        convert(do.action, now, given)
    except PlanError as error:
        return [str(error)]
    return []


def node_problems(graph: Graph, signatures: Signatures, *, is_inner: bool) -> Iterator[Problem]:
    """What keeps the actions in a graph's nodes from being started."""
    for node in graph.nodes:
        may, cannot = comes_later(graph, node, is_inner=is_inner)
        inputs = inputs_of(node)
        for name, why in cannot.items():
            if inputs[name].required:
                yield Problem(node.id, f"input {name!r} has no value, and {why}; give it one")
        if isinstance(node.plan, Do):
            later = {name for name in inputs if name in may or name in cannot}
            for problem in problems_with(node.plan, signatures, later):
                yield Problem(node.id, problem)


def _problems(
    plan: Plan | Condition, signatures: Signatures, robot: str, is_inner: bool = False
) -> Iterator[str]:
    if isinstance(plan, Do):
        yield from problems_with(plan, signatures)
    if not isinstance(plan, Graph):
        for part in parts(plan):
            yield from _problems(part, signatures, robot)
        return
    found = [*graph_problems(plan, robot=robot), *node_problems(plan, signatures, is_inner=is_inner)]
    for problem in found:
        yield f"{problem.where or plan.name or 'the graph'}: {problem.what}"
    for node in plan.nodes:
        if not isinstance(node.plan, Do):
            yield from _problems(node.plan, signatures, robot, is_inner=True)


def size_problem(plan: Plan) -> str:
    """Why a plan is too large to be looked at; empty if it is not.

    Walks without recursion: the plan may be nested deeper than Python's stack.
    """
    to_see: list[tuple[Plan | Condition, int]] = [(plan, 1)]
    nodes = 0
    while to_see:
        node, level = to_see.pop()
        nodes += 1
        if level > MOST_LEVELS:
            return f"The plan is nested more than {MOST_LEVELS} levels deep; say it in several instructions."
        if nodes > MOST_NODES:
            return f"The plan has more than {MOST_NODES} parts; say it in several instructions."
        to_see += [(part, level + 1) for part in parts(node)]
    return ""


def _empty(plan: Plan | Condition) -> list[str]:
    problems: list[str] = []
    if isinstance(plan, Sequence | Parallel) and not parts(plan):
        problems.append(
            f"a {'sequence' if isinstance(plan, Sequence) else 'parallel'} needs at least one part"
        )
    if isinstance(plan, CONDITIONS) and getattr(plan, "conditions", None) == ():
        problems.append("a condition of several needs at least one")
    for part in parts(plan):
        problems += _empty(part)
    return problems
