"""Graphs as plans: equality, JSON, what keeps them from being carried out, words."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings

from framework.errors import PlanError
from framework.plan import (
    ENTRY,
    EXIT,
    Decide,
    Do,
    Edge,
    Graph,
    Input,
    Mode,
    Node,
    Plan,
    Reference,
    Response,
    Sequence,
    State,
    Wait,
    actions_of,
    check,
    from_json,
    in_words,
    is_continuous,
    to_json,
)
from framework.plan.graph_check import circles, never_begun
from framework.plugins.parameters import ParameterSpec
from tests.framework.plan.made_plans import plans
from tests.framework.tree.scripted import Kind, Stage

STAGE = Stage(
    Kind("show", (ParameterSpec("what", str),), continuous=True),
    Kind("go", (ParameterSpec("place", str), ParameterSpec("speed", float, default=1.0, le=2.0))),
    Kind("count", (ParameterSpec("times", int, default=1),)),
    Kind("broken", unavailable="its module raises ImportError"),
)
GO, SHOW = Do("go", {"place": "dock"}), Do("show", {"what": "scan"})
OPEN = State("open", {"thing": "door"})


def chain(*nodes: Node) -> Graph:
    ids = [ENTRY, *(node.id for node in nodes), EXIT]
    return Graph("chain", nodes, tuple(Edge(*pair) for pair in itertools.pairwise(ids)))


def wrong(plan: Plan, robot: str = "") -> list[str]:
    with pytest.raises(PlanError) as caught:
        check(plan, STAGE, robot=robot)
    return str(caught.value).split("\n")


def test_everything_that_is_wrong_is_said_at_once() -> None:
    graph = Graph(
        "g",
        (
            Node("go_0", Do("go", {"place": 3}), actor="robot b"),
            Node("go_0", GO),
            Node("show_0", Do("shwo")),
            Node("broken_0", Do("broken")),
            Node("go_1", GO, inputs=(Input("speed", "string"), Input("speed", "number"))),
            Node("show_1", SHOW, inputs=(Input("what", "string", allowed=("cloud", "camera")),)),
        ),
        (Edge("go_0", "ghost_0"), Edge("go_1", EXIT), Edge("go_1", EXIT)),
    )
    said = wrong(graph)
    assert "g: nothing begins it; name at least one node that follows graph_entry" in said
    assert "go_0: there is more than one node of this name and instance" in said
    assert "go_0: actor 'robot b' is to do it, not this robot; allowed is no actor" in said
    assert any("place = 3 will not do" in line for line in said)
    assert (
        "go_0 → ghost_0: there is no node 'ghost_0'; there are broken_0, go_0, go_1, show_0, show_1" in said
    )
    assert "go_1 → graph_exit: there is more than one edge between these two" in said
    assert "go_1: input 'speed' is said more than once" in said
    assert "show_0: there is no action 'shwo'; did you mean 'show'?" in said
    assert "broken_0: broken is unavailable: its module raises ImportError" in said
    assert "show_1: what = 'scan' will not do; allowed is one of 'cloud', 'camera'" in said


def test_a_graph_without_nodes_and_a_graph_inside_are_looked_at_too() -> None:
    inner = Node("inner_0", Graph("inner", ()))
    assert wrong(chain(inner)) == [
        "inner: a graph needs at least one node",
    ]
    assert "there is no action 'x'; there are show, go, count" in wrong(
        chain(Node("s_0", Sequence((Do("x"),))))
    )


def test_an_input_needs_a_value_or_a_parent_that_gives_it() -> None:
    goes = Node("go_0", Do("go"), inputs=(Input("place", "string"),))
    assert wrong(chain(goes)) == ["go_0: input 'place' has no value, and it has no parent; give it one"]
    tells_nothing = Node("count_0", Do("count"))
    check(chain(tells_nothing, goes), STAGE)  # nobody says what it gives: it may be a place
    gives_number = chain(Node("count_0", Do("count"), outputs={"place": "number"}), goes)
    assert "its parents give place (number)" in wrong(gives_number)[0]
    gives_other = Node("count_0", Do("count"), outputs={"name": "string"})
    assert "its parents give name (string)" in wrong(chain(gives_other, goes))[0]
    renames = chain(gives_other, goes)
    edges = [
        Edge("count_0", "go_0", remap={"name": "place"}) if e.parent == "count_0" else e
        for e in renames.edges
    ]
    check(Graph("g", renames.nodes, tuple(edges)), STAGE)
    check(chain(Node("inner_0", chain(goes), inputs=(Input("place", value="dock"),))), STAGE)
    assert "no value" in wrong(chain(Node("inner_0", chain(goes))))[0]


def test_new_names_have_to_be_names_of_both_sides() -> None:
    graph = chain(Node("count_0", Do("count"), outputs={"number": "number"}), Node("go_0", GO))
    edges = (Edge(ENTRY, "count_0"), Edge("count_0", "go_0", remap={"many": "place", "number": "where"}))
    said = wrong(Graph("g", graph.nodes, edges))
    assert "count_0 → go_0: count_0 gives no 'many'; it gives number" in said
    assert "count_0 → go_0: go_0 takes no input 'where'; it takes place" in said


def test_other_robots_nodes_are_refused_by_name() -> None:
    graph = chain(Node("go_0", GO, actor="robot b"))
    check(graph, STAGE, robot="robot b")
    assert wrong(graph, "robot a") == [
        "go_0: actor 'robot b' is to do it, not this robot; allowed is no actor, or 'robot a'"
    ]


def loop(*edges: Edge) -> Graph:
    return Graph(
        "loop", (Node("go_0", GO), Node("go_1", GO), Node("show_0", SHOW)), (Edge(ENTRY, "go_0"), *edges)
    )


def test_a_loop_whose_way_back_is_not_waited_for_is_legal() -> None:
    there, back = Edge("go_0", "go_1"), Edge("go_1", "go_0", required=False)
    assert circles(loop(there, back)) == []
    check(loop(there, back), STAGE)


def test_a_circle_of_waiting_is_an_error_that_names_it() -> None:
    said = wrong(loop(Edge("go_0", "go_1"), Edge("go_1", "show_0"), Edge("show_0", "go_0")))
    assert said == [
        "go_0: it can never begin: go_0 waits for show_0 waits for go_1 waits for go_0; "
        "say required: false where one of them need not wait"
    ]
    assert circles(loop(Edge("show_0", "show_0"))) == [("show_0",)]


def test_what_leads_past_a_circle_opens_it() -> None:
    past = Edge(ENTRY, "go_0", on_true=Response.BYPASS)
    circle = (Edge("go_0", "go_1"), Edge("go_1", "go_0"))
    assert circles(Graph("g", loop().nodes, (past, *circle))) == []


def test_what_can_only_be_stopped_by_a_parent_does_not_wait_for_it() -> None:
    stops = Edge("go_0", "show_0", on_true=Response.STOP, on_false=Response.IGNORE)
    assert stops.required
    assert not stops.is_awaited
    graph = loop(Edge(ENTRY, "show_0"), Edge("go_0", "go_1"), stops)
    assert never_begun(graph) == ()


def test_nodes_that_nothing_begins() -> None:
    ignored = Edge(
        "go_0", "go_1", on_true=Response.IGNORE, on_false=Response.IGNORE, on_error=Response.IGNORE
    )
    assert never_begun(loop(ignored)) == ("go_1", "show_0")
    by_bypass = Edge("go_0", "go_1", on_true=Response.BYPASS, on_false=Response.BYPASS)
    assert never_begun(loop(by_bypass, Edge("go_1", "show_0"))) == ("go_1",)


def test_long_chains_and_many_edges_are_looked_at_quickly() -> None:
    nodes = tuple(Node(f"go_{number}", GO) for number in range(250))
    check(chain(*nodes), STAGE)
    edges = [Edge(ENTRY, "go_0")]
    edges += [Edge(one.id, other.id) for one in nodes[:60] for other in nodes[:60] if one is not other]
    assert len(wrong(Graph("g", nodes[:60], tuple(edges)))) == 1


def test_equal_graphs_are_equal_whatever_the_order_of_edges_and_inputs() -> None:
    there, back = Edge("go_0", "go_1"), Edge("go_1", "go_0", required=False)
    assert loop(there, back) == loop(back, there)
    assert Node("a_0", GO, inputs=(Input("a"), Input("b"))) == Node(
        "a_0", GO, inputs=(Input("b"), Input("a"))
    )
    assert loop(there) != loop(Edge("go_0", "go_1", on_error=Response.STOP))


@settings(deadline=None)
@given(plans)
def test_json_and_back_is_the_same_and_every_plan_has_words(plan: Plan) -> None:
    assert from_json(to_json(plan)) == plan
    assert isinstance(in_words(plan), str)


def test_references_and_continuous_actions_inside_are_seen() -> None:
    graph = chain(Node("show_0", Do("show", {"what": Reference()})), Node("go_0", GO))
    check(graph, STAGE)
    assert [do.action for do in actions_of(graph)] == ["show", "go"]
    assert is_continuous(graph, STAGE.is_continuous)
    assert not is_continuous(chain(Node("go_0", GO)), STAGE.is_continuous)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (chain(Node("show_0", SHOW), Node("go_0", GO)), 'carry out "chain": show scan; then go dock'),
        (chain(Node("c_0", chain(Node("go_0", GO)))), 'carry out "chain": carry out "chain" (go dock)'),
        (
            Graph(
                "fork",
                (Node("d_0", Decide(OPEN)), Node("go_0", GO), Node("show_0", SHOW)),
                (
                    Edge(ENTRY, "d_0"),
                    Edge("d_0", "go_0", on_false=Response.IGNORE),
                    Edge("d_0", "show_0", on_true=Response.IGNORE),
                    Edge("go_0", EXIT, required=False),
                ),
            ),
            'carry out "fork": find out whether door is open; '
            'then go dock when "find out whether door is open" is done; '
            'then show scan when "find out whether door is open" says no',
        ),
        (
            Graph(
                "watch",
                (Node("show_0", SHOW, Mode.ASYNC), Node("go_0", GO)),
                (
                    Edge(ENTRY, "show_0"),
                    Edge(ENTRY, "go_0"),
                    Edge("go_0", "show_0", required=False, on_true=Response.STOP),
                ),
            ),
            'carry out "watch": show scan and go dock; "show scan" is ended when "go dock" is done, '
            "until it is stopped",
        ),
        (Wait(OPEN, is_so=False), "wait until door is not open"),
        (Decide(OPEN), "find out whether door is open"),
    ],
)
def test_words(plan: Plan, words: str) -> None:
    assert in_words(plan) == words
