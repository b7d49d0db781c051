"""Files that are no graphs: everything that is wrong is said at once, with its place and what is allowed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import PlanError
from framework.plan import (
    ENTRY,
    EXIT,
    Do,
    Edge,
    Graph,
    Node,
    Parallel,
    Plan,
    Sequence,
    from_umrf,
    to_umrf,
)
from framework.plan.umrf.decoding import MOST_BYTES
from tests.effort import random_inputs
from tests.framework.plan.umrf.test_loading import GOOD, GRAPHS, STAGE, graph_of
from tests.work import A_SECOND, work_of

Path_ = tuple[str | int, ...]


def problems(data: bytes | str | Path, **more: Any) -> list[str]:
    with pytest.raises(PlanError) as caught:
        from_umrf(data, STAGE, **more)
    return str(caught.value).split("\n")


def test_everything_that_is_wrong_is_said_with_its_path() -> None:
    first, *found = problems(GRAPHS / "bad_everything.graph.json")
    assert first == f"bad_everything.graph.json is no graph that can be used, {len(found)} problems:"
    for expected in (
        "$.graph_name: 7; allowed is a string",
        "$.graph_entry[0]: there is no action 'nobody' with instance 0",
        '$.graph_exit: {"name": "show"} is no list',
        "$.actions[0]: there is no action 'shwo'; did you mean 'show'?",
        "$.actions[0].input_parameters.what.pvf_value: 3 is no string; allowed is a string",
        "$.actions[1].instance_id: -1; allowed is a whole number from 0 to 65535",
        '$.actions[1].type: "sometimes"; allowed is one of sync, async, spontaneous',
        '$.actions[1].actor: ["a"]; allowed is a string',
        "$.actions[1].input_parameters.what: there is no pvf_type",
        "$.actions[1].input_parameters.deep: 4 is no parameter",
        "$.actions[1]: show has no parameter 'wht'; it has what",
        '$.actions[2]: there is no "name"; a string is needed',
        '$.actions[3].input_parameters.duration_s.pvf_value: "ten" is no number',
        '$.actions[3].input_parameters.duration_s.pvf_allowed_values[1]: "two" is no number',
        '$.actions[3].input_parameters.duration_s.pvf_required: "yes"; allowed is true or false',
        '$.actions[3].parents[0].conditions[0]: "dance" is no response; allowed is one of run, pause',
        '$.actions[3].parents[0].conditions[1]: "on_maybe" is no condition; allowed is one of on_true',
        '$.actions[3].parents[0].conditions[2]: "on_false run" is no condition',
        "$.actions[3].parents[0].conditions[4]: on_true is said more than once",
        "$.actions[3].parents[1]: there is no action 'ghost' with instance 3; in this graph are",
        "$.actions[3].parents[2]: show_0 → wait_0 is said more than once",
        '$.actions[3].children[0].remap[0]: {"from": "a"}; allowed is a list',
        "$.actions[4]: wait with instance 0 stands at $.actions[3] already",
        '$.actions[5]: "wait" is no action',
        "$.actions[6]: 'pilothouse::dance' is not known; known are pilothouse::wait",
        "$.actions[7]: graph_entry is the graph's own name",
    ):
        assert any(line.startswith(expected) for line in found), expected
    places = [line.partition(":")[0] for line in found if line.startswith("$.actions[")]
    assert places == sorted(places, key=lambda place: int(place[10]))


def test_values_that_do_not_fit_the_action_are_said() -> None:
    found = problems(GRAPHS / "bad_values.graph.json")
    assert any("duration_s = -5 will not do, it is too small; allowed is" in line for line in found)
    assert any("speed = 'fast' will not do; allowed is one of 'slow'" in line for line in found)
    assert any("wait_0 gives no 'dreamt'; it gives slept_s" in line for line in found)
    assert any("input 'place' has no value, and its parents give slept_s (number)" in line for line in found)


def test_a_circle_of_waiting_is_said() -> None:
    assert (
        "go_0 waits for show_0 waits for wait_0 waits for go_0"
        in problems(GRAPHS / "bad_circle.graph.json")[1]
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is no JSON: Expecting value at line 1, column 1"),
        (b"\xff\xfe", "is no JSON: byte 0 is no UTF-8"),
        ("{", "is no JSON: Expecting property name"),
        ("[]", "$: [] is no graph; allowed is an object with graph_name and actions"),
        ("null", "$: null is no graph"),
        ("{}", '$: there is no "graph_name"'),
        ('{"graph_name": "g"}', '$: there is no "actions"; an array is needed'),
        ('{"graph_name": "g", "actions": []}', "$.actions: it is empty; a graph needs at least one action"),
        ('{"graph_name": "g", "actions": {}}', "$.actions: {}; allowed is an array"),
        ('{"graph_name": "g", "graph_name": "h"}', '$: "graph_name" is said more than once'),
        ('{"graph_name": "\\ud800", "actions": []}', "has half of a character"),
        ('{"graph_name": NaN, "actions": []}', "nan is no number; allowed is a finite one"),
        ('{"graph_name": 1e999, "actions": []}', "inf is no number; allowed is a finite one"),
        ('{"graph_name": 123456789012345678901, "actions": []}', "is too large"),
        ('{"graph_name": ' + "1" * 5000 + "}", "is no JSON that can be used"),
        ("[" * 100_000, "is nested without end"),
        ('{"a":' * 900 + "1" + "}" * 900, "is nested without end"),
        ("\ud800", "has half of a character at 0"),
        ("x" * (MOST_BYTES + 1), f"is longer than {MOST_BYTES} bytes"),
    ],
)  # fmt: skip
def test_what_is_no_graph_at_all(text: str | bytes, said: str) -> None:
    assert said in "\n".join(problems(text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot be read: No such file or directory" in problems(tmp_path / "none.json")[0]
    assert "cannot be read: Is a directory" in problems(tmp_path)[0]


def test_parameters_and_graphs_nested_without_end() -> None:
    deep: dict[str, Any] = {"pvf_type": "string"}
    for _ in range(150):
        deep = {"x": deep}
    assert "more than 100 levels deep" in problems(graph_of({"name": "go", "input_parameters": deep}))[1]
    graph = json.loads(graph_of({"name": "go"}))
    for _ in range(40):
        graph = json.loads(graph_of({"name": "inner", "pilothouse": {"graph": graph}}))
    assert any("nested more than 32 levels" in line for line in problems(json.dumps(graph)))


def test_a_graph_within_itself_and_graphs_that_multiply_are_refused() -> None:
    outer = graph_of({"name": "h"})
    inner = graph_of({"name": "g"}, graph_name="h")
    assert "a graph is within itself: g → h → g" in problems(outer, graphs={"h": inner, "g": outer})[1]
    many = {
        f"g{n}": graph_of(*({"name": f"g{n + 1}", "instance_id": i} for i in range(20))) for n in range(9)
    }
    with work_of() as work:
        assert any("allowed are 500 in all graphs" in line for line in problems(many["g0"], graphs=many))
    assert work.calls < A_SECOND


def test_a_graph_that_is_needed_and_broken_is_said() -> None:
    assert "is no JSON" in problems(graph_of({"name": "h"}), graphs={"h": "{"})[0]
    assert (
        'there is no "actions"' in problems(graph_of({"name": "h"}), graphs={"h": '{"graph_name": "h"}'})[1]
    )


def test_the_largest_files_are_refused_or_read_in_good_time() -> None:
    actions = [{"name": "repeat", "instance_id": number, "children": []} for number in range(500)]
    for number, action in enumerate(actions[:-1]):
        action["children"] = [{"name": "repeat", "instance_id": number + 1}]
    with work_of() as work:
        found = problems(graph_of(*actions))
        assert "more than 500 parts" in found[1]
        problems(json.dumps({"graph_name": [0] * 300_000}))
        problems(json.dumps({"graph_name": {str(number): 0 for number in range(100_000)}}))
    assert work.calls < 5 * A_SECOND


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ({}, "there is no value for condition::kind"),
        ({"kind": "maybe"}, "'maybe' is no kind of condition; allowed is one of state, compare"),
        ({"kind": 3}, "3; allowed is a string"),
        ({"kind": "state"}, "there is no value for condition::name"),
        ({"kind": "elapsed", "duration_s": "ten"}, '"ten"; allowed is a number'),
        ({"kind": "elapsed", "duration_s": 1, "unit": "s"}, "takes no 'condition::unit'"),
        ({"kind": "compare", "quantity": "d", "comparison": "~", "value": 1}, "'~' is no comparison"),
        ({"kind": "state", "name": "open", "arguments": {"thing": None}}, "it has no value; give it one"),
    ],
)  # fmt: skip
def test_conditions_that_say_nothing(condition: dict[str, Any], said: str) -> None:
    def leaves(data: dict[str, Any]) -> dict[str, Any]:
        return {key: leaves(each) if isinstance(each, dict) else leaf(each) for key, each in data.items()}

    def leaf(value: object) -> dict[str, Any]:
        kind = "string" if isinstance(value, str) else "number"
        return {"pvf_type": kind} if value is None else {"pvf_type": kind, "pvf_value": value}

    inputs = {"condition": leaves(condition)}
    assert said in "\n".join(problems(graph_of({"name": "pilothouse::wait", "input_parameters": inputs})))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (Do("go", {"speed": float("nan")}), "nan cannot be written"),
        (Do("go", {"speeds": [1.0, float("inf")]}), "inf cannot be written"),
        (Sequence(()), "needs at least one part"),
        (Parallel((Do("go"), Sequence(()))), "needs at least one part"),
        (Do(""), "'' is no name of an action"),
        (Do("pilothouse::wait"), "is no name of an action"),
        (Do("go", {"place": "\ud800"}), "cannot be written"),
        (Graph("g", (Node("go_0", Do("go")),), (Edge("ghost", EXIT),)), "there is no node 'ghost'"),
        (Graph("g", (Node("a", Do("go")), Node("a", Do("go"))), (Edge(ENTRY, "a"),)), "more than one node"),
    ],
)  # fmt: skip
def test_what_cannot_be_written(plan: Plan, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        to_umrf(plan)


def test_plans_too_deep_to_be_written() -> None:
    deep: Plan = Do("go")
    for _ in range(3000):
        deep = Sequence((deep,))
    with pytest.raises(PlanError, match="more than 32 levels"):
        to_umrf(deep)


def _paths(data: object, path: Path_ = ()) -> list[Path_]:
    found = [path]
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in parts:
        found += _paths(part, (*path, key))
    return found


EXAMPLES = [json.loads(path.read_text()) for path in GOOD]
odd: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 70000), st.floats(), st.text(max_size=4),
        st.sampled_from(["run", "on_true -> stop", "graph_entry", "show", "pilothouse::if", "string"]),
    ),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["name", "instance_id", "type", "parents", "pvf_type", "pvf_value", "pilothouse"]),
        inner,
    ),
    max_leaves=4,
)  # fmt: skip


@random_inputs(400)
@given(st.data())
def test_whatever_a_file_says_it_is_a_plan_that_can_be_written_or_a_plan_error(data: st.DataObject) -> None:
    signatures = data.draw(st.sampled_from([None, STAGE]))
    example = copy.deepcopy(data.draw(st.sampled_from(EXAMPLES)))
    for _ in range(data.draw(st.integers(1, 3))):
        *outer, last = data.draw(st.sampled_from([path for path in _paths(example) if path]))
        place: Any = example
        for key in outer:
            place = place[key]
        if data.draw(st.booleans()):
            place[last] = data.draw(odd)
        else:
            del place[last]
        if not example:
            break
    try:
        plan = from_umrf(json.dumps(example), signatures)
    except PlanError:
        return
    assert from_umrf(to_umrf(plan)) == plan
