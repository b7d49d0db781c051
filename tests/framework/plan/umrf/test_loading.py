"""UMRF files of the present and the older forms, as graphs and back. The files are in `graphs/`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from framework.errors import PlanError
from framework.plan import (
    ENTRY,
    EXIT,
    Cancel,
    Decide,
    Do,
    Edge,
    Elapsed,
    Ended,
    Graph,
    If,
    Input,
    Mode,
    Node,
    Parallel,
    Plan,
    Reference,
    Response,
    Sequence,
    State,
    Until,
    check,
    from_umrf,
    read_umrf,
    to_umrf,
)
from framework.plugins.parameters import ParameterSpec
from tests.framework.tree.scripted import Kind, Stage

GRAPHS = Path(__file__).parent / "graphs"
GOOD = sorted(path for path in GRAPHS.glob("*.json") if not path.name.startswith("bad_"))
TEXT, OPTIONAL = ParameterSpec("place", str), ParameterSpec("speed", str, default="slow")
STAGE = Stage(
    Kind("show", (ParameterSpec("what", str, default="camera"),), continuous=True),
    Kind("wait", (ParameterSpec("duration_s", float, ge=0.0), ParameterSpec("next", str, default=""))),
    Kind("go", (TEXT, OPTIONAL, ParameterSpec("next", str, default=""))),
    Kind("repeat", (ParameterSpec("times", int, default=1),)),
    Kind("choose"),
    Kind("listen", (ParameterSpec("word", str),)),
)
OPEN = State("open", {"thing": "door"})


def load(name: str) -> Graph:
    plan = from_umrf(GRAPHS / name)
    assert isinstance(plan, Graph)
    return plan


def graph_of(*actions: dict[str, Any], **more: Any) -> str:
    return json.dumps({"graph_name": "g", "actions": [{"type": "sync", **each} for each in actions]} | more)


def only(plan: Plan) -> Node:
    assert isinstance(plan, Graph)
    (node,) = plan.nodes
    return node


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_what_was_read_and_written_is_read_the_same_again(path: Path) -> None:
    first = read_umrf(path)
    written = to_umrf(first.plan)
    again = read_umrf(written)
    assert again.plan == first.plan
    assert (again.name, again.note) == (first.name, first.note)
    assert to_umrf(again.plan) == written


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_every_edge_that_is_written_says_the_same_at_both_ends(path: Path) -> None:
    data = json.loads(to_umrf(from_umrf(path)))
    places = {(each["name"], each["instance_id"]): each for each in data["actions"]}
    for key, action in places.items():
        for relation in action.get("children", ()):
            child = places[relation["name"], relation["instance_id"]]
            assert key in {(each["name"], each["instance_id"]) for each in child["parents"]}


def test_a_chain_is_a_graph_and_no_sequence() -> None:
    graph = load("round_of_the_hall.graph.json")
    assert [node.plan for node in graph.nodes] == [
        Do("show", {"what": "scan"}),
        Do("wait", {"duration_s": 2.5}),
        Do("show", {"what": "valve"}),
    ]
    assert [(edge.parent, edge.child) for edge in graph.edges] == [
        (ENTRY, "show_0"),
        ("show_0", "wait_0"),
        ("wait_0", "show_1"),
        ("show_1", EXIT),
    ]
    said = graph.into("wait_0")[0]
    assert [said.response(ended) for ended in Ended] == ["run", "bypass", "ignore", "bypass"]
    assert graph.into("show_1")[0] == Edge("wait_0", "show_1")  # nothing said: run, run, ignore, bypass
    check(graph, STAGE)


def test_results_are_passed_by_new_names() -> None:
    graph = load("both_cups.graph.json")
    assert [edge.remap for edge in graph.into("compare_0")] == [{"pose": "one"}, {"pose": "other"}]
    assert graph.node("find_1").outputs == {"pose::x": "number", "pose::y": "number"}
    names = [each.name for each in graph.node("compare_0").inputs]
    assert names == ["one::x", "one::y", "other::x", "other::y"]


def test_conditions_can_be_asked_for_in_a_file() -> None:
    graph = load("door.graph.json")
    assert graph.nodes[0].plan == Decide(OPEN)
    assert [edge.on_false for edge in graph.out_of("pilothouse::decide_0")] == [Response.IGNORE, Response.RUN]
    check(graph, STAGE)


def test_every_kind_of_parameter() -> None:
    node = only(from_umrf(GRAPHS / "all_kinds.graph.json"))
    assert isinstance(node.plan, Do)
    assert node.plan.parameters == {
        "names": ["a", "b"],
        "numbers": [1, 2.5],
        "flags": [True, False],
        "name": "x",
        "amount": -33.65,
        "is_on": True,
        "pose::position::x": 1,
        "pose::position::y": 2,
        "pose::frame": "base",
    }
    assert node.inputs == (
        Input("amount", "number", allowed=(123, -33.65)),
        Input("cloud", "point_cloud", required=False),
        Input("name", "string", allowed=("x", "y")),
    )


def test_a_loop_has_no_end() -> None:
    graph = load("patrol.graph.json")
    assert graph.exits == ()
    assert not graph.into("go_0")[1].required


def test_a_graph_in_the_same_folder_is_a_sub_graph() -> None:
    plan = from_umrf(GRAPHS / "patrol_until_called.graph.json", STAGE)
    assert isinstance(plan, Graph)
    assert plan.node("patrol_0").plan == load("patrol.graph.json")
    assert plan.node("listen_0").mode is Mode.SPONTANEOUS
    check(plan, STAGE)


def test_a_graph_that_is_given_is_a_sub_graph_but_an_action_of_its_name_comes_first() -> None:
    inner = graph_of(
        {"name": "go", "input_parameters": {"place": {"pvf_type": "string"}}}, graph_name="fetch"
    )
    value = {"place": {"pvf_type": "string", "pvf_value": "dock"}}
    outer = graph_of({"name": "fetch", "input_parameters": value})
    node = only(from_umrf(outer, STAGE, graphs={"fetch": inner}))
    assert isinstance(node.plan, Graph)
    assert node.inputs == (Input("place", "string", value="dock"),)
    assert only(from_umrf(outer, Stage(Kind("fetch", (TEXT,))), graphs={"fetch": inner})).plan == Do(
        "fetch", {"place": "dock"}
    )


def test_the_older_form_runs_as_it_did() -> None:
    graph = load("older_loop.umrfg.json")
    assert [edge.child for edge in graph.entries] == ["wait_0", "go_0"]  # no parents; execute_first
    stop = graph.into("go_1")[0]
    assert (stop.parent, stop.required, stop.on_true, stop.on_false) == ("wait_0", False, "stop", "stop")
    assert graph.exits == ()
    sequence = load("older_sequence.umrfg.json")
    assert [node.mode for node in sequence.nodes] == [Mode.SYNC, Mode.ASYNC]
    assert [edge.parent for edge in sequence.exits] == ["show_0"]
    assert sequence.nodes[0].extra == {"package_name": "ta_go"}
    assert sequence.extra == {"graph_state": 1}
    dispatcher = load("older_dispatcher.umrfg.json")
    assert dispatcher.node("go_0").inputs[0] == Input("next", "string", allowed=("go",))


def test_the_shallow_form_has_no_effects_and_begins_at_its_root() -> None:
    loaded = read_umrf(GRAPHS / "shallow.json")
    assert isinstance(loaded.plan, Graph)
    assert [node.id for node in loaded.plan.nodes] == ["go_0", "show_0"]
    assert [edge.child for edge in loaded.plan.entries] == ["go_0", "show_0"]
    assert loaded.plan.exits == (Edge("show_0", EXIT, on_stopped=Response.RUN),)
    assert loaded.notes[0] == "$: no action says its effect; all are taken for synchronous"


def test_the_oldest_form_is_a_single_action() -> None:
    node = only(from_umrf(GRAPHS / "oldest.json"))
    assert (node.id, node.plan, node.mode) == ("go_0", Do("go", {"place": "dock"}), Mode.ASYNC)


def test_a_loop_in_the_older_form_needs_no_word_about_waiting() -> None:
    loop = {
        "graph_name": "loop",
        "umrf_actions": [
            {"name": "Root", "id": 0, "children": [{"name": "go", "id": 0}]},
            {"name": "go", "id": 0, "parents": [{"name": "Root", "id": 0}, {"name": "go", "id": 1}]},
            {"name": "go", "id": 1, "parents": [{"name": "go", "id": 0}]},
        ],
    }
    loaded = read_umrf(json.dumps(loop))
    assert isinstance(loaded.plan, Graph)
    assert loaded.plan.into("go_0")[1] == Edge("go_1", "go_0", required=False)
    assert "$.umrf_actions[1]: it closes a loop, so it does not wait for go_1" in loaded.notes


def test_what_other_programs_have_in_a_file_is_kept() -> None:
    graph = load("watch_for_a_while.graph.json")
    written = json.loads(to_umrf(graph))
    assert written["actions"][0]["gui_attributes"] == {"position": {"x": 0, "y": 150}}
    assert written["actions"][1]["state"] == "UNINITIALIZED"


def test_what_is_not_kept_is_noted() -> None:
    leaf = {"pvf_type": "string", "pvf_value": "dock", "pvf_example": "shelf", "colour": "red"}
    relation = {"name": "go", "weight": 3}
    text = graph_of(
        {"name": "go", "input_parameters": {"place": leaf}, "output_parameters": {"way": leaf}},
        {"name": "show", "parents": [relation]},
    )
    notes = read_umrf(text).notes
    assert '$.actions[0].input_parameters.place.colour: left out: "red"' in notes
    assert '$.actions[0].input_parameters.place.pvf_example: left out: "shelf"' in notes
    assert "$.actions[0].output_parameters.way: left out: the value of an output" in notes
    assert "$.actions[1].parents[0].weight: left out: 3" in notes


def test_a_relation_that_one_side_says_counts_and_is_noted() -> None:
    text = graph_of(
        {"name": "go", "children": [{"name": "show"}, {"name": "wait"}]},
        {"name": "show", "parents": [{"name": "go"}]},
        {"name": "wait", "parents": []},
    )
    loaded = read_umrf(text)
    assert isinstance(loaded.plan, Graph)
    assert loaded.plan.into("wait_0") == (Edge("go_0", "wait_0", required=False),)
    assert any("only the parent says that go_0 leads to wait_0" in note for note in loaded.notes)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    value = {"times": {"pvf_type": "number", "pvf_value": 3.0}}
    plan = from_umrf(graph_of({"name": "repeat", "input_parameters": value}), STAGE)
    assert only(plan).plan == Do("repeat", {"times": 3})
    assert isinstance(only(plan).plan.parameters["times"], int)  # type: ignore[union-attr]
    half = {"times": {"pvf_type": "number", "pvf_value": 3.5}}
    with pytest.raises(PlanError, match=r"times = 3\.5 will not do"):
        from_umrf(graph_of({"name": "repeat", "input_parameters": half}), STAGE)


def test_actors_are_kept_and_refused_when_the_plan_is_checked() -> None:
    plan = from_umrf(GRAPHS / "bad_other_robot.graph.json", STAGE)
    assert only(plan).actor == "Robot B"
    with pytest.raises(PlanError, match="go_0: actor 'Robot B' is to do it, not this robot"):
        check(plan, STAGE)
    check(plan, STAGE, robot="Robot B")


@pytest.mark.parametrize(
    "plan",
    [
        Do(
            "show",
            {"what": "scan", "thing": Reference("it"), "nothing": None, "mixed": [1, "a", True], "empty": []},
        ),
        Sequence((Do("a"), Do("a"), Parallel((Do("b"), Do("c"))))),
        If(OPEN, Do("a"), Until(Do("b"), Elapsed(10.0))),
        Sequence((Cancel(), Cancel("track"), Sequence((Do("a"),)))),
    ],
)
def test_a_plan_from_words_is_saved_and_comes_back_equal(plan: Plan) -> None:
    written = to_umrf(plan, "my plan", "as I said it")
    loaded = read_umrf(written)
    assert loaded.plan == plan
    assert (loaded.name, loaded.note) == ("my plan", "as I said it")


def test_others_see_the_edges_of_a_saved_plan() -> None:
    data = json.loads(to_umrf(If(OPEN, Do("a"), Do("b"))))
    decide, a, b = data["actions"]
    assert decide["name"] == "pilothouse::decide"
    arguments = decide["input_parameters"]["condition"]["arguments"]
    assert arguments == {"thing": {"pvf_type": "string", "pvf_value": "door"}}
    assert a["parents"][0]["conditions"][:2] == ["on_true -> run", "on_false -> ignore"]
    assert b["parents"][0]["conditions"][:2] == ["on_true -> ignore", "on_false -> run"]


def test_a_saved_plan_that_was_changed_elsewhere_is_the_changed_graph() -> None:
    data = json.loads(to_umrf(Sequence((Do("a"), Do("b")))))
    data["actions"][1]["parents"][0]["conditions"] = ["on_false -> ignore"]
    plan = from_umrf(json.dumps(data))
    assert isinstance(plan, Graph)
    assert plan.form == ""
    assert plan.into("b_0")[0].on_false is Response.IGNORE
    del data["pilothouse"]
    assert from_umrf(json.dumps(data)) == plan


def test_what_has_no_place_in_a_plan_from_words_is_noted() -> None:
    data = json.loads(to_umrf(Sequence((Do("a"), Do("b")))))
    data["actions"][0] |= {"gui_attributes": {}, "description": "first"}
    loaded = read_umrf(json.dumps(data))
    assert loaded.plan == Sequence((Do("a"), Do("b")))
    assert loaded.notes == ("a_0: left out: gui_attributes", "a_0: left out: its description 'first'")
