"""How results get names, and what a node takes of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from framework.errors import PlanError
from framework.plan import ENTRY, Do, Edge, Graph, Input, Node
from framework.plan.passing import (
    graph_inputs,
    graph_outputs,
    inputs_of,
    missing,
    nested,
    outputs_of,
    passed,
)
from framework.plan.value import type_of


class Position(msgspec.Struct, frozen=True):
    x: float
    y: float


class Pose(msgspec.Struct, frozen=True):
    position: Position
    frame: str = "base"


POSE = Pose(Position(1.0, 2.0))
EDGE = Edge("a_0", "b_0")


def test_a_result_gives_its_parts_by_name_and_itself() -> None:
    assert outputs_of(POSE) == {
        "result": POSE,
        "position": POSE.position,
        "position::x": 1.0,
        "position::y": 2.0,
        "frame": "base",
    }
    assert outputs_of({"text": "hello", 3: "no name"}) == {
        "result": {"text": "hello", 3: "no name"},
        "text": "hello",
    }
    assert outputs_of(None) == {}
    assert outputs_of(False) == {"result": False}


def test_a_plain_result_goes_by_the_one_name_that_is_said() -> None:
    assert outputs_of("hello", {"text": "string"}) == {"result": "hello", "text": "hello"}
    assert outputs_of("hello", {"text": "string", "other": "string"}) == {"result": "hello"}
    assert outputs_of({"text": "hi"}, {"words": "string"}) == {"result": {"text": "hi"}, "text": "hi"}


def test_a_child_takes_what_has_the_name_and_type_of_an_input() -> None:
    child = Node("b_0", Do("b"), inputs=(Input("text", "string"), Input("number", "number"), Input("any")))
    assert passed(EDGE, {"text": "hello", "number": 3, "any": POSE, "more": 1}, child) == {
        "text": "hello",
        "number": 3,
        "any": POSE,
    }
    assert passed(EDGE, {"text": 3, "number": True}, child) == {}


def test_renaming_takes_what_is_inside_along() -> None:
    child = Node(
        "b_0", Do("b"), inputs=(Input("target::position::x", "number"), Input("position::x", "number"))
    )
    renaming = Edge("a_0", "b_0", remap={"result": "target"})
    assert passed(renaming, {"result": 1, "result::position::x": 4.0, "position::x": 5.0}, child) == {
        "target::position::x": 4.0,
        "position::x": 5.0,
    }


def test_an_own_value_gives_way_only_where_it_may() -> None:
    free = Node("b_0", Do("b", {"text": "own"}))
    fixed = Node("b_0", Do("b", {"text": "own"}), inputs=(Input("text", "string", updatable=False),))
    assert passed(EDGE, {"text": "given"}, free) == {"text": "given"}
    assert passed(EDGE, {"text": "given"}, fixed) == {}
    assert passed(EDGE, {"text": 3}, free) == {}


def test_a_value_that_is_not_allowed_is_not_taken_so_the_node_stays_unready() -> None:
    child = Node("b_0", Do("b"), inputs=(Input("next", "string", allowed=("b", "c")),))
    assert passed(EDGE, {"next": "d"}, child) == {}
    assert missing(child, {}) == ("next",)
    assert missing(child, passed(EDGE, {"next": "c"}, child)) == ()
    flag = Node("b_0", Do("b"), inputs=(Input("n", allowed=(1, 2)),))
    assert passed(EDGE, {"n": True}, flag) == {}


def test_only_required_inputs_are_missing() -> None:
    node = Node("b_0", Do("b", {"a": 1}), inputs=(Input("a"), Input("b", required=False), Input("c")))
    assert missing(node, {}) == ("c",)


def test_a_graph_takes_what_its_first_nodes_lack_and_gives_what_its_last_ones_give() -> None:
    first = Node("a_0", Do("a", {"has": 1}), inputs=(Input("lacks", "string"),))
    last = Node("b_0", Do("b"), outputs={"out": "number"})
    edges = (
        Edge(ENTRY, "a_0", remap={"outer": "lacks"}),
        Edge("a_0", "b_0"),
        Edge("b_0", "graph_exit", remap={"out": "level"}),
    )
    graph = Graph("g", (first, last), edges)
    assert graph_inputs(graph) == {"outer": Input("outer", "string")}
    assert graph_outputs(graph) == {"level": "number"}
    outer = Node("g_0", graph, inputs=(Input("outer", "string", value="said"),))
    assert inputs_of(outer).keys() == {"outer"}
    assert missing(outer, {}) == ()
    assert missing(Node("g_0", graph), {}) == ("outer",)
    assert passed(graph.entries[0], {"outer": "given"}, first) == {"lacks": "given"}


def test_nested_names_become_groups() -> None:
    assert nested({"pose::position::x": 1, "pose::frame": "base", "name": "a"}) == {
        "pose": {"position": {"x": 1}, "frame": "base"},
        "name": "a",
    }
    assert nested({"a": {}}) == {"a": {}}


@pytest.mark.parametrize(
    "parameters", [{"a": 1, "a::b": 2}, {"a::b": 2, "a": 1}, {"a": {"c": 1}, "a::b": 2}, {"a": "", "a::b": 1}]
)
def test_a_name_is_a_value_or_a_group(parameters: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="cannot be a"):
        nested(parameters)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a", "string"),
        (1, "number"),
        (1.5, "number"),
        (True, "bool"),
        (["a"], "strings"),
        ([1, 2.5], "numbers"),
        ([True], "bools"),
        ([], ""),
        ([1, True], ""),
        ([["a"]], ""),
        (None, ""),
        (POSE, ""),
    ],
)
def test_types(value: object, kind: str) -> None:
    assert type_of(value) == kind
