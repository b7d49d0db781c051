"""What the nodes of a graph do when others have ended: conditions and responses, joins, loops, ends."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from framework.errors import PlanError
from framework.plan import Decide, Do, Parallel, Plan, Reference, Sequence, State, Wait
from framework.plan.ast import Graph, Node
from framework.plan.graph import Edge, Input, Mode, Response
from framework.plugins.parameters import ParameterSpec
from framework.testing import run
from framework.tree import Insert, NodeState, PlanState, Remove, Replace
from tests.framework.tree.graphs import BYPASS, IGNORE, PAUSE, RESTART, RUN, STOP, called, edge, graph
from tests.framework.tree.play import OPEN, Play, scene
from tests.framework.tree.scripted import Facts, Kind

ANY = (ParameterSpec("x", float, default=0.0), ParameterSpec("thing", str, default=""))
KINDS = tuple(Kind(name, ANY) for name in "abcdef")


class Playing(Play):
    """A graph on a stage, in which single actions are told how to end."""

    def __init__(self, plan: Plan, *kinds: Kind, **wishes: Any) -> None:
        names = {kind.name for kind in kinds}
        super().__init__(plan, *(kind for kind in KINDS if kind.name not in names), *kinds, **wishes)

    async def ends(self, name: str, how: str = "on_true") -> None:
        """An action ends in one of the four ways."""
        runner = self.of(name)
        match how:
            case "on_true":
                runner.succeed()
            case "on_false":
                runner.succeed(False)
            case "on_stopped":
                next(each for each in self.tree.actions if each.do.action == name).cancel("no more")
            case "on_error":
                runner.fail(f"{name} went wrong")
        await self.settle()

    @property
    def begun(self) -> str:
        return " ".join(runner.kind.name for runner in self.stage.made)

    async def stop(self) -> None:
        self.tree.stop("enough")
        await self.outcome()


async def playing(plan: Plan, *kinds: Kind, **wishes: Any) -> Playing:
    play = Playing(plan, *kinds, **wishes)
    await play.settle()
    return play


# -- every condition with every response


@pytest.mark.parametrize("how", ["on_true", "on_false", "on_stopped", "on_error"])
@pytest.mark.parametrize("response", list(Response))
@pytest.mark.parametrize("child_runs", [False, True])
def test_each_end_leads_to_each_response(how: str, response: Response, child_runs: bool) -> None:
    """b follows a; d follows b; the keeper keeps the graph going."""

    async def play_it() -> None:
        others = {"on_true", "on_false", "on_stopped", "on_error"} - {how}
        said = {how: response} | dict.fromkeys(others, IGNORE)
        told = dict.fromkeys(("on_true", "on_false", "on_stopped", "on_error"), RUN)
        parts: list[Edge | str] = [
            "- a",
            "- e",
            edge("a", "b", required=not child_runs, **said),
            edge("b", "d", **told),
            "e -",
        ]
        if child_runs:
            parts.append("- b")
        play = await playing(graph(*parts))
        assert sorted(play.running) == (["a", "b", "e"] if child_runs else ["a", "e"])
        first = play.of("b") if child_runs else None
        await play.ends("a", how)
        running = set(play.running) - {"e"}
        match response, child_runs:
            case (Response.RUN, _) | (Response.RESTART, False):
                assert running == {"b"}
                assert first is None or play.of("b") is first
            case Response.RESTART, True:
                assert running == {"b"}
                assert play.of("b") is not first
                assert "d" not in play.begun  # a restart is no end
            case Response.STOP, True:
                assert running == {"d"}  # b was stopped, and d runs for that
            case Response.PAUSE, True:
                assert running == {"b"}
                assert first is not None
                assert first.detail == "paused"
            case Response.BYPASS, _:
                assert running == ({"b", "d"} if child_runs else {"d"})
            case Response.IGNORE, _:
                assert running == ({"b"} if child_runs else set())
            case _:
                assert running == set()  # nothing to stop or to pause
        await play.ends("e")
        assert (await play.outcome()).state is PlanState.SUCCEEDED

    run(play_it)


@scene
async def test_the_defaults_are_run_run_ignore_bypass() -> None:
    for how, follows in (("on_true", "b"), ("on_false", "b"), ("on_stopped", ""), ("on_error", "c")):
        play = await playing(graph("- a", "- e", "a b", edge("b", "c", on_error=RUN), "e -"))
        await play.ends("a", how)
        assert play.begun == f"a e {follows}".strip()
        await play.stop()


# -- joins


@scene
async def test_a_join_waits_for_all_that_it_requires() -> None:
    play = await playing(graph("- a", "- b", "a c", "b c", "c -"))
    await play.ends("b")
    assert play.running == ["a"]
    await play.ends("a", "on_false")
    assert play.running == ["c"]
    await play.ends("c")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_what_is_not_required_begins_it_alone() -> None:
    play = await playing(
        graph("- a", "- b", edge("a", "c", required=False), edge("b", "c", required=False), "c -")
    )
    await play.ends("b")
    assert play.running == ["a", "c"]
    await play.ends("c")
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.of("a").cancelled_because  # the end was reached: what is finite is ended
    assert play.begun == "a b c"


@scene
async def test_an_ignored_parent_counts_as_ended_and_the_last_one_decides() -> None:
    ignored = edge("a", "c", on_true=IGNORE)
    play = await playing(graph("- a", "- b", ignored, "b c", "c -"))
    await play.ends("a")
    await play.ends("b")
    assert play.running == ["c"]
    await play.stop()


@scene
async def test_a_parent_that_only_ends_its_child_is_not_waited_for() -> None:
    play = await playing(
        graph("- a", "- b", edge("a", "b", on_true=STOP, on_false=IGNORE, on_error=IGNORE), "b -")
    )
    assert play.running == ["a", "b"]
    await play.ends("a")
    outcome = await asyncio.wait_for(halted(play), 1.0)
    assert "b was stopped" in outcome


async def halted(play: Playing) -> str:
    """Why a graph cannot go on; ends the plan."""
    assert play.tree.state is PlanState.PAUSED
    detail = next(view.detail for view in [play.tree.view()])
    said = [event for event in play.events if event.kind == "waiting"]
    assert len(said) == 1
    assert detail in said[0].text
    await play.stop()
    return detail


# -- its end


@scene
async def test_the_exit_ends_what_is_finite_and_keeps_what_stays() -> None:
    play = await playing(graph("- stays", "stays a", "- b", "a -"))
    await play.after(play.of("stays").ready)
    await play.ends("a")
    assert play.running == ["stays"]
    assert play.of("b").cancelled_because == ['"g" has come to its end']
    assert play.tree.state is PlanState.ESTABLISHED
    play.of("stays").fail("the last sensor died")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "the last sensor died")


@scene
async def test_what_stays_lets_the_next_begin_and_may_fail_later() -> None:
    play = await playing(
        graph(
            "- stays",
            edge("stays", "a", on_error=STOP),
            edge("stays", "b", on_true=IGNORE, on_error=RUN),
            edge("a", "-", required=False),
            "b -",
        )
    )
    await play.after(play.of("stays").ready)
    assert play.running == ["stays", "a"]
    play.of("stays").fail("the last sensor died")
    await play.settle()
    assert play.running == ["b"]
    await play.ends("b")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@pytest.mark.parametrize(
    ("how", "exit_edge", "state", "words"),
    [
        ("on_true", edge("a", "-"), PlanState.SUCCEEDED, ""),
        ("on_false", edge("a", "-"), PlanState.SUCCEEDED, ""),
        ("on_error", edge("a", "-"), PlanState.FAILED, "a went wrong"),
        ("on_error", edge("a", "-", on_error=RUN), PlanState.FAILED, "a went wrong"),
        ("on_stopped", edge("a", "-", on_stopped=RUN), PlanState.SUCCEEDED, ""),
        ("on_stopped", edge("a", "-", on_stopped=BYPASS), PlanState.SUCCEEDED, ""),
    ],
)
def test_the_result_is_what_reaches_the_exit(how: str, exit_edge: Edge, state: PlanState, words: str) -> None:
    async def play_it() -> None:
        play = await playing(graph("- a", exit_edge))
        await play.ends("a", how)
        outcome = await play.outcome()
        assert (outcome.state, outcome.words) == (state, words)

    run(play_it)


@scene
async def test_a_handled_error_is_no_failure_and_the_first_one_is_told() -> None:
    play = await playing(graph("- a", edge("a", "b", on_error=RUN), "b c", "c -"))
    await play.ends("a", "on_error")
    await play.ends("b", "on_error")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "a went wrong")
    assert play.begun == "a b"


@scene
async def test_an_error_at_one_entry_ends_the_others() -> None:
    play = await playing(graph("- a", "- b", "a c", "b c", "c -"))
    await play.ends("a", "on_error")
    assert (await play.outcome()).words == "a went wrong"
    assert play.of("b").cancelled_because


@scene
async def test_several_exits_the_first_one_counts() -> None:
    play = await playing(graph("- a", "- b", edge("a", "-", required=False), edge("b", "-", required=False)))
    await play.ends("b")
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.of("a").cancelled_because


@scene
async def test_without_an_exit_it_ends_when_nothing_is_left_to_do() -> None:
    play = await playing(graph("- a", "a b", edge("a", "c", on_true=IGNORE)))
    await play.ends("a")
    await play.ends("b")
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    play = await playing(graph("- a", "a b"))
    await play.ends("a", "on_error")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "a went wrong")


# -- nothing can go on


@pytest.mark.parametrize(
    ("edges", "how", "words"),
    [
        (("- a", edge("a", "-", on_true=IGNORE)), "on_true", r"what has ended \(a succeeded\)"),
        (("- a", edge("a", "b", on_error=IGNORE), "b -"), "on_error", r"\(a failed\)"),
        (("- a", "a b", "b -"), "on_stopped", r"\(a was stopped\)"),
        (("- a", "a b", "c b", edge("a", "c", on_true=IGNORE), "b -"), "on_true", "b waits for c"),
        (("- a", "a -", "c -", edge("a", "c", on_true=IGNORE)), "on_true", "the end waits for c"),
    ],
)
def test_a_graph_that_cannot_go_on_says_why_and_pauses(edges: tuple[Any, ...], how: str, words: str) -> None:
    async def play_it() -> None:
        play = await playing(graph(*edges))
        await play.ends("a", how)
        assert re.search(words, await halted(play))

    run(play_it)


@scene
async def test_going_on_unchanged_fails() -> None:
    play = await playing(graph("- a", "a b", "b -"))
    await play.ends("a", "on_stopped")
    assert play.tree.state is PlanState.PAUSED
    assert play.tree.resume()
    outcome = await play.outcome()
    assert outcome.state is PlanState.FAILED
    assert "nothing can go on" in outcome.words


@scene
async def test_it_is_not_paused_as_long_as_others_go_on() -> None:
    play = await playing(Sequence((graph("- a", edge("a", "-", on_true=IGNORE)),)))
    await play.ends("a")
    await halted(play)
    play = await playing(Parallel((graph("- a", edge("a", "-", on_true=IGNORE)), Do("b"))))
    await play.ends("a")
    assert play.states == []
    await play.ends("b")
    assert play.states == [PlanState.PAUSED]
    await play.stop()


@scene
async def test_what_an_edge_has_paused_is_named_and_goes_on_with_the_plan() -> None:
    play = await playing(graph("- a", "- b", edge("a", "b", on_true=PAUSE, required=False), "b -"))
    await play.ends("a")
    assert play.of("b").detail == "paused"
    assert play.tree.state is PlanState.PAUSED
    assert "b is paused" in play.tree.view().detail
    assert play.tree.resume()
    await play.settle()
    assert play.of("b").detail == "goes on"
    await play.ends("b")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_the_end_of_a_plan_s_pause_does_not_let_go_on_what_an_edge_has_paused() -> None:
    play = await playing(graph("- a", "- b", "- c", edge("a", "b", on_true=PAUSE, required=False), "b -"))
    await play.ends("a")
    assert play.tree.pause()
    await play.after(play.tree.resume)
    assert play.of("c").detail == "goes on"
    assert play.of("b").detail == "paused"
    await play.stop()


@pytest.mark.parametrize("is_at_once", [False, True])
def test_run_lets_go_on_what_another_edge_has_paused(is_at_once: bool) -> None:
    @scene
    async def play_it() -> None:
        await run_after_a_pause(is_at_once)

    play_it()


async def run_after_a_pause(is_at_once: bool) -> None:
    play = await playing(
        graph(
            "- a",
            "- b",
            "- c",
            edge("a", "b", on_true=PAUSE, required=False),
            edge("c", "b", required=False),
            "b -",
        )
    )
    play.of("a").succeed()
    if not is_at_once:  # else it has ended by the time at which it is paused
        await play.settle()
        assert play.tree.state is PlanState.RUNNING
    await play.after(play.of("b").succeed)
    assert not play.task.done()  # its end is not noticed as long as it is paused
    await play.ends("c")
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.begun == "a b c"


# -- loops and spontaneous nodes


@scene
async def test_a_loop_runs_its_nodes_afresh_under_their_ids() -> None:
    play = await playing(graph("- a", "a b", edge("b", "a", required=False), edge("b", "-", on_true=IGNORE)))
    ids = [child.id for child in play.tree.view().children]
    for _ in range(3):
        await play.ends("a")
        await play.ends("b")
    assert play.begun == "a b a b a b a"
    assert [child.id for child in play.tree.view().children] == ids
    await play.ends("a")
    await play.ends("b", "on_false")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_a_loop_of_nothing_but_decisions_does_not_spin() -> None:
    g = graph("- p", "p q", edge("q", "p", required=False), p=Decide(OPEN), q=Decide(OPEN))
    play = await playing(g, facts=Facts(open=True))
    before = play.tree.ticks
    await asyncio.sleep(10.0)
    assert play.tree.ticks - before <= 510
    await play.stop()


@scene
async def test_restart_waits_until_the_old_run_is_at_rest() -> None:
    slow = Kind("b", end_takes_s=1.0)
    play = await playing(graph("- a", "- b", edge("a", "b", required=False, on_true=RESTART), "b -"), slow)
    await play.ends("a")
    assert len(play.stage.made) == 2
    await asyncio.sleep(1.0)
    assert play.begun == "a b b"
    await play.ends("b")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_a_spontaneous_node_ends_what_comes_after_it_and_runs_again() -> None:
    g = graph(
        "- a",
        edge("a", "b"),
        edge("b", "c"),
        edge("c", "-"),
        a=Node("a", Do("a"), mode=Mode.SPONTANEOUS),
        b=Do("b"),
    )
    play = await playing(g, Kind("b", end_takes_s=0.5))
    await play.ends("a")
    assert play.running == ["b", "a"] or play.running == ["a", "b"]
    await play.ends("a")
    assert len([each for each in play.stage.made if each.kind.name == "b"]) == 1  # the old one is ending
    assert "a" not in play.running
    await asyncio.sleep(0.5)
    assert sorted(play.running) == ["a", "b"]
    await play.ends("b")
    assert sorted(play.running) == ["a", "c"]
    await play.ends("c")
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.of("a").cancelled_because


@scene
async def test_a_spontaneous_node_ends_with_an_error() -> None:
    play = await playing(graph("- a", "a -", a=Node("a", Do("a"), mode=Mode.SPONTANEOUS)))
    await play.ends("a", "on_error")
    assert (await play.outcome()).words == "a went wrong"


# -- what is passed


@scene
async def test_results_are_passed_by_name_remapped_and_held_for_one_run() -> None:
    g = graph(
        "- a",
        edge("a", "b", remap={"result": "x"}),
        edge("b", "a", required=False, on_false=IGNORE),
        edge("b", "-", on_true=IGNORE),
        b=Node("b", Do("b", {"x": 1.0, "thing": "cup"})),
    )
    play = await playing(g)
    await play.after(lambda: play.of("a").succeed(7.0))
    assert play.of("b").parameters == {"x": 7.0, "thing": "cup"}
    await play.ends("b")
    await play.ends("a")
    assert play.of("b").parameters == {"x": 1.0, "thing": "cup"}
    assert play.tree.plan == g
    await play.ends("b", "on_false")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_a_required_input_is_waited_for_and_named_when_it_never_comes() -> None:
    needs = Node("b", Do("b"), inputs=(Input("x", "number"),))
    g = graph("- a", edge("a", "b"), edge("b", "-"), b=needs)
    play = await playing(g)
    await play.after(lambda: play.of("a").succeed("no number"))
    assert "b has no x" in await halted(play)
    play = await playing(g)
    await play.after(lambda: play.of("a").succeed({"x": 2.0}))
    assert play.of("b").parameters == {"x": 2.0}
    await play.stop()


@scene
async def test_allowed_values_choose_who_goes_on() -> None:
    def asks(name: str, value: str) -> Node:
        return Node(name, Do(name), inputs=(Input("thing", "string", allowed=(value,)),))

    edges = [edge("a", name, remap={"result": "thing"}) for name in "bc"]
    ends = [edge(name, "-", required=False) for name in "bc"]
    play = await playing(graph("- a", *edges, *ends, b=asks("b", "left"), c=asks("c", "right")))
    await play.after(lambda: play.of("a").succeed("right"))
    assert play.running == ["c"]
    await play.ends("c")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_nested_names_become_groups() -> None:
    pose = Kind("b", (ParameterSpec("pose", dict),))
    g = graph(
        "- a", edge("a", "b", remap={"result": "pose::x"}), "b -", b=Do("b", {"pose::x": 0.0, "pose::y": 2.0})
    )
    play = await playing(g, pose)
    await play.after(lambda: play.of("a").succeed(1.0))
    assert play.of("b").parameters == {"pose": {"x": 1.0, "y": 2.0}}
    await play.stop()


@scene
async def test_it_is_a_result_of_what_leads_there() -> None:
    play = await playing(
        graph("- a", "- c", "a b", "b -", edge("c", "-", required=False), b=Do("b", {"thing": Reference()}))
    )
    await play.after(lambda: play.of("a").succeed("the cup"))
    assert play.of("b").parameters == {"thing": "the cup"}
    await play.stop()


# -- nodes that are plans


@scene
async def test_a_sub_graph_takes_and_gives() -> None:
    inner = Graph(
        "inner",
        (Node("b", Do("b"), inputs=(Input("x", "number"),)), Node("c", Do("c"))),
        (edge("-", "b"), edge("b", "c"), edge("c", "-", remap={"result": "y"})),
    )
    d = Node("d", Do("d"), inputs=(Input("x"),))
    g = graph(
        "- a", edge("a", "s", remap={"result": "x"}), edge("s", "d", remap={"y": "x"}), "d -", s=inner, d=d
    )
    play = await playing(g)
    await play.after(lambda: play.of("a").succeed(3.0))
    assert play.of("b").parameters == {"x": 3.0}
    await play.ends("b")
    await play.after(lambda: play.of("c").succeed(4.0))
    assert play.begun == "a b c d"
    assert play.of("d").parameters == {"x": 4.0}
    await play.ends("d")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@pytest.mark.parametrize(("how", "follows"), [("on_true", "d"), ("on_false", "e"), ("on_error", "f")])
def test_a_sub_graph_tells_its_own_result(how: str, follows: str) -> None:
    async def play_it() -> None:
        only = {"on_true": IGNORE, "on_false": IGNORE, "on_error": IGNORE}
        g = graph(
            "- s",
            edge("s", "d", **only | {"on_true": RUN}),
            edge("s", "e", **only | {"on_false": RUN}),
            edge("s", "f", **only | {"on_error": RUN}),
            *(edge(name, "-", required=False) for name in "def"),
            s=called("inner", "- a", "a -"),
        )
        play = await playing(g)
        await play.ends("a", how)
        assert play.running == [follows]
        await play.ends(follows)
        assert (await play.outcome()).state is PlanState.SUCCEEDED

    run(play_it)


@scene
async def test_other_plans_and_conditions_are_nodes_too() -> None:
    fork = {"on_true": IGNORE, "on_false": IGNORE}
    g = graph(
        "- w",
        "w p",
        edge("p", "s", **fork | {"on_true": RUN}),
        edge("p", "c", **fork | {"on_false": RUN}),
        edge("s", "-", required=False),
        edge("c", "-", required=False),
        w=Wait(State("late")),
        p=Decide(OPEN),
        s=Sequence((Do("a"), Do("b"))),
    )
    for is_open, order in ((True, "a b"), (False, "c")):
        play = await playing(g, facts=Facts(open=is_open, late=False))
        assert play.running == []
        play.facts.set(late=True)
        await play.settle()
        for name in order.split():
            await play.ends(name)
        assert (await play.outcome()).state is PlanState.SUCCEEDED
        assert play.begun == order


@scene
async def test_wait_until_it_is_not_so() -> None:
    play = await playing(Sequence((Wait(OPEN, is_so=False), Do("a"))), facts=Facts(open=True))
    assert play.tree.view().children[0].detail == "waiting as long as door is open"
    await play.after(lambda: play.facts.set(open=False))
    assert play.running == ["a"]
    await play.stop()


@scene
async def test_what_nobody_can_tell_is_an_error_of_the_decision() -> None:
    play = await playing(graph("- p", "p -", p=Decide(OPEN)), facts=Facts(open=None))
    assert (await play.outcome()).words == "nobody can tell whether door is open"


@scene
async def test_a_later_node_ends_what_stays_and_is_in_its_way() -> None:
    holds = Kind("b", continuous=True, alone="the right arm", end_takes_s=0.5)
    play = await playing(graph("- b", "b c", "c -"), holds, Kind("c", alone="the right arm"))
    await play.after(play.of("b").ready)
    assert play.of("b").cancelled_because == ["c needs the right arm"]
    assert play.begun == "b"
    before = play.tree.ticks
    await asyncio.sleep(0.5)
    assert play.tree.ticks - before <= 3
    assert play.running == ["c"]
    await play.ends("c")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


# -- pause, stop, change


@scene
async def test_in_a_pause_nothing_begins_and_what_has_ended_is_told_after_it() -> None:
    play = await playing(graph("- a", "a b", "b -"))
    play.tree.pause()
    await play.ends("a")
    assert play.running == []
    play.tree.resume()
    await play.settle()
    assert play.running == ["b"]
    await play.stop()


@scene
async def test_an_established_graph_lets_a_sequence_go_on_only_when_it_is() -> None:
    play = await playing(Sequence((graph("- stays", "stays a", "a -"), Do("b"))))
    await play.after(play.of("stays").ready)
    play.tree.pause()
    await play.ends("a")
    play.tree.resume()
    await play.after(play.of("stays").ready)
    assert play.running == ["stays", "b"]
    assert play.begun == "stays a b"
    await play.ends("b")
    assert play.tree.state is PlanState.ESTABLISHED
    await play.stop()


@scene
async def test_stop_ends_all_of_it() -> None:
    play = await playing(graph("- a", "- b", "a c", "b c", "c -"), Kind("b", end_takes_s=0.5))
    play.tree.stop("enough")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.CANCELLED, "enough")
    assert {child.name: child.state for child in play.tree.view().children} == {
        "a": NodeState.CANCELLED,
        "b": NodeState.CANCELLED,
        "c": NodeState.SKIPPED,
    }


@scene
async def test_a_running_graph_is_replaced_by_another_and_goes_on() -> None:
    play = await playing(graph("- a", "a b", "b -"))
    ids = {child.name: child.id for child in play.tree.view().children}
    play.tree.pause()
    play.tree.change(Replace(play.tree.view().id, graph("- a", "a c", "c b", "b -")))
    after = {child.name: child.id for child in play.tree.view().children}
    assert {name: after[name] for name in "ab"} == ids
    assert after["c"] not in ids.values()
    play.tree.resume()
    for name in "acb":
        await play.ends(name)
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.begun == "a c b"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (graph("- b", "b -"), "a is going on, so it cannot be taken away"),
        (graph("- a", "a b", "b -", a=Do("a", {"x": 2.0})), "a is going on, so it cannot become another"),
        (graph("- a", "a b", "b zz", "zz -"), "no action 'zz'"),
    ],
)
def test_what_goes_on_in_a_graph_has_to_stay(other: Graph, words: str) -> None:
    async def play_it() -> None:
        play = await playing(graph("- a", "a b", "b -"))
        play.tree.pause()
        before, plan = play.tree.view(), play.tree.plan
        with pytest.raises(PlanError, match=words):
            play.tree.change(Replace(before.id, other))
        assert (play.tree.view(), play.tree.plan) == (before, plan)
        play.tree.resume()
        for name in "ab":
            await play.ends(name)
        assert (await play.outcome()).state is PlanState.SUCCEEDED

    run(play_it)


@scene
async def test_a_halted_graph_is_changed_and_continued_from_a_node() -> None:
    play = await playing(graph("- a", edge("a", "-", on_error=IGNORE)))
    await play.ends("a", "on_error")
    assert play.tree.state is PlanState.PAUSED
    play.tree.change(Replace(play.tree.view().id, graph("- a", "a -", a=Do("a", {"x": 2.0}))))
    with pytest.raises(PlanError, match="no node 'zz'"):
        play.tree.resume("zz")
    assert play.tree.resume(continue_from="a")
    await play.settle()
    assert play.of("a").parameters == {"x": 2.0}
    await play.ends("a")
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_a_node_that_goes_on_is_no_place_to_continue_from() -> None:
    play = await playing(graph("- a", "a b", "b -"))
    play.tree.pause()
    with pytest.raises(PlanError, match="a is going on already"):
        play.tree.resume("a")
    assert play.tree.state is PlanState.PAUSED
    await play.stop()


@scene
async def test_nodes_of_a_graph_are_removed_replaced_and_joined_by_others() -> None:
    play = await playing(graph("- a", "a b", "b c", "c -"))
    play.tree.pause()
    play.tree.change(Remove("b"))
    assert play.tree.plan == graph("- a", "a c", "c -")
    play.tree.change(Replace("c", Do("d")))
    play.tree.change(Insert(Do("e"), after="a"))
    with pytest.raises(PlanError, match="has begun"):
        play.tree.change(Remove("a"))
    with pytest.raises(PlanError, match="a graph may be replaced"):
        play.tree.change(Insert(Do("e"), into=play.tree.view().id))
    play.tree.resume()
    for name in "aed":
        await play.ends(name)
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.begun == "a e d"


@scene
async def test_after_a_node_whose_end_was_told_nothing_can_be_inserted() -> None:
    play = await playing(graph("- a", "a b", "b -"))
    await play.ends("a")
    play.tree.pause()
    with pytest.raises(PlanError, match="have been told about it already; change the graph as a whole"):
        play.tree.change(Insert(Do("e"), after="a"))
    await play.stop()


def test_an_edge_to_nowhere_is_refused_when_the_tree_is_built() -> None:
    async def build_it() -> None:
        wrong = Graph("g", (Node("a", Do("a")),), (edge("-", "a"), edge("a", "nowhere")))
        with pytest.raises(PlanError, match="there is no node nowhere"):
            Play(wrong)

    run(build_it)


@scene
async def test_names_are_in_the_view() -> None:
    play = await playing(graph("- first", "first -", first=Do("a")))
    view = play.tree.view()
    assert (view.kind, view.children[0].name, view.children[0].words) == ("graph", "first", "a")
    await play.stop()
