"""UMRF graph files: plans that TeMoto's action engine and its tools read and write.

Read are the present form and the older ones (`fields.py` has them side by side); written is the present
form. A file becomes a Graph; a plan of another kind is written as the graph that pictures it
(`framework/plan/forms.py`) and comes back equal. Sources: temoto-framework/temoto_action_engine
(src/umrf_json.cpp) and its history, and the graphs in temoto-framework-demos.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import inspect as types

from framework.errors import PlanError
from framework.plan.ast import Compare, Condition, Do, Elapsed, Graph, Plan, State, parts
from framework.plan.check import node_problems, size_problem
from framework.plan.forms import as_graph, from_form, is_action_name
from framework.plan.graph_check import graph_problems, never_begun
from framework.plan.passing import own_values
from framework.plan.signature import Signatures
from framework.plan.umrf.decoding import Problems, decode, read_bytes
from framework.plan.umrf.edges import Paths
from framework.plan.umrf.library import Library, Source
from framework.plan.umrf.reader import Reader
from framework.plan.umrf.writer import write_graph


class Loaded(msgspec.Struct, frozen=True):
    """What a file says.

    notes: what was left out of the plan or understood in some way, each with its JSON path.
    """

    plan: Plan
    name: str
    note: str
    notes: tuple[str, ...]


def from_umrf(
    data: Source,
    signatures: Signatures | None = None,
    *,
    graphs: Mapping[str, Source] | None = None,
    robot: str | None = None,
) -> Plan:
    """The plan of a UMRF graph; see `read_umrf`, which tells more."""
    return read_umrf(data, signatures, graphs=graphs, robot=robot).plan


def read_umrf(
    data: Source,
    signatures: Signatures | None = None,
    *,
    graphs: Mapping[str, Source] | None = None,
    robot: str | None = None,
) -> Loaded:
    """Read a UMRF graph: JSON text or bytes, or the path of a file.

    Args:
        signatures: the actions that there are; without them, names and parameters are not looked at.
        graphs: other graphs by their names, for nodes that mean one; those in a file's folder are found, too.
        robot: this robot's name: nodes that are another actor's are an error. None: that is left to `check`.

    Raises PlanError with everything that is wrong, one line each: JSON path, what came in, what is allowed.
    """
    content, name = read_bytes(data)
    problems = Problems()
    decoded = decode(content, name, problems)
    library = Library(graphs or {}, data if isinstance(data, Path) else None)
    reader = Reader(problems, _knows(signatures), library.find)
    graph = reader.graph(decoded, "$")
    plan = from_form(graph)
    too_large = size_problem(plan)
    if too_large:
        problems.add("$", too_large)
        problems.raise_any(name)
    if signatures is not None:
        plan = _whole_numbers(plan, signatures)
    for read, paths, is_inner in reader.read:
        _look_at(read, paths, is_inner, signatures, robot, problems)
    problems.raise_any(name)
    if not isinstance(plan, Graph):
        _note_left_out(graph, problems)
    return Loaded(plan, graph.name, graph.note, tuple(dict.fromkeys(problems.notes)))


def to_umrf(plan: Plan, name: str = "", note: str = "") -> bytes:
    """The plan as a UMRF graph in the present form, indented; `from_umrf` makes an equal plan of it.

    Args:
        name: the graph's name; by default its own, or the kind of plan ("pilothouse::sequence").
        note: a description for people, for plans that have none of their own.

    Raises PlanError if a number in it is not finite, or if there is nothing in it.
    """
    too_large = size_problem(plan)
    if too_large:
        raise PlanError(too_large)
    unfit = list(dict.fromkeys(_unfit(plan)))
    if unfit:
        raise PlanError("\n".join(unfit))
    graph = as_graph(plan, name)
    if note and not graph.note:
        graph = msgspec.structs.replace(graph, note=note)
    try:
        text = json.dumps(write_graph(graph, name), indent=2, ensure_ascii=False, allow_nan=False)
        return text.encode() + b"\n"
    except ValueError as error:  # half of a character, or a number in `extra` that is not finite
        raise PlanError(f"The plan cannot be written: {error}.") from error


def _knows(signatures: Signatures | None) -> Callable[[str], bool]:
    return lambda name: signatures is not None and signatures.find(name) is not None


def _look_at(
    graph: Graph,
    paths: Paths,
    is_inner: bool,
    signatures: Signatures | None,
    robot: str | None,
    problems: Problems,
) -> None:
    """What is wrong with one graph beyond what was seen when it was read."""
    if graph.nodes:
        for problem in graph_problems(graph, robot=robot):
            problems.add(paths.get(problem.where, paths[""]), problem.what)
    if signatures is not None:
        whole = _whole_graph(graph, signatures)
        for problem in node_problems(whole, signatures, is_inner=is_inner):
            problems.add(paths.get(problem.where, paths[""]), problem.what)
    for node in never_begun(graph):
        problems.note(paths.get(node, paths[""]), "nothing ever begins it")


def _note_left_out(graph: Graph, problems: Problems) -> None:
    """A plan that is no Graph has no place for these."""
    for where, extra in (("$", graph.extra), *((node.id, node.extra) for node in graph.nodes)):
        if extra:
            problems.note(where, f"left out: {', '.join(extra)}")
    for node in graph.nodes:
        if node.note:
            problems.note(node.id, f"left out: its description {node.note!r}")


def _whole_graph(graph: Graph, signatures: Signatures) -> Graph:
    nodes = tuple(
        msgspec.structs.replace(node, plan=_whole_numbers(node.plan, signatures)) for node in graph.nodes
    )
    return msgspec.structs.replace(graph, nodes=nodes)


def _whole_numbers(plan: Plan, signatures: Signatures) -> Plan:
    """UMRF has one kind of number; an action that takes whole ones gets 3 for 3.0."""
    if isinstance(plan, Graph):
        return _whole_graph(plan, signatures)
    if not isinstance(plan, Do):
        return plan
    signature = signatures.find(plan.action)
    whole = {
        each.name
        for each in (signature.parameters if signature is not None else ())
        if isinstance(types.type_info(each.type), types.IntType)
    }
    values = {
        name: int(value) if name in whole and isinstance(value, float) and value.is_integer() else value
        for name, value in plan.parameters.items()
    }
    return Do(plan.action, values)


def _unfit(plan: Plan | Condition) -> Iterator[str]:
    """What JSON cannot say."""
    values: list[object] = []
    match plan:
        case Do():
            values = list(plan.parameters.values())
            if not is_action_name(plan.action):
                yield f"{plan.action!r} is no name of an action"
        case State():
            values = list(plan.arguments.values())
        case Compare():
            values = [*plan.arguments.values(), plan.value]
        case Elapsed():
            values = [plan.duration_s]
        case Graph():
            values = [value for node in plan.nodes for value in own_values(node).values()]
            for problem in graph_problems(plan):
                yield f"{problem.where or plan.name}: {problem.what}"
    for value in values:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, float) and not math.isfinite(each):
                yield f"{each} cannot be written; allowed is a finite number"
    inner = parts(plan)
    if not inner and type(plan).__struct_fields__ in (("steps",), ("branches",)):
        yield "a sequence or parallel needs at least one part"
    for part in inner:
        yield from _unfit(part)
