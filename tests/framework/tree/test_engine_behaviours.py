"""What TeMoto's action engine does, each 100 times on the virtual clock and 100 times on the wall clock in
`make soak`; a tenth of that in `make test`.

Their own 17 tests are first, in their order; then what their edges, pauses and changes promise. Real runners
of real actions, whose durations and threads are drawn from the seed. Every graph comes from its file's form.
On the wall clock all 100 runs go on at once in one loop: nothing here may depend on who is first. A behaviour
waits for what it needs to see, never for time to pass; an action with a gate ends when the gate is opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from framework.errors import PlanError
from framework.events import EventKind
from framework.plan import Decide, Do, Elapsed, Parallel, Plan, Reference, Sequence, Until, Value, Wait
from framework.plan.ast import Graph, Node
from framework.plan.graph import Edge, Ended, Input, Mode, Response
from framework.plan.umrf import from_umrf, to_umrf
from framework.registrar import ResourceRegistrar
from framework.testing import VirtualLoop, run_on
from framework.transport.local import LocalTransport
from framework.tree import Insert, NodeState, PlanState, Remove, Replace
from tests.effort import IS_FULL
from tests.framework.tree.engine import Engine, engine
from tests.framework.tree.graphs import BYPASS, IGNORE, PAUSE, RESTART, RUN, STOP, called, edge, graph

RUNS, RUNS_ON_THE_WALL, SOAK_RUNS = 100 if IS_FULL else 10, 10, 100
Behaviour = Callable[[Engine], Awaitable[None]]
BEHAVIOURS: list[Behaviour] = []

YES, NO = Do("trigger", {"answer": True}), Do("trigger", {"answer": False})
ENDLESS: dict[str, Value] = {"count_until": 0}


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS.append(function)
    return function


def takes(name: str, plan: Do, *inputs: Input) -> Node:
    return Node(name, plan, inputs=inputs)


def text(name: str) -> Input:
    return Input(name, "string")


def number(name: str) -> Input:
    return Input(name, "number")


# -- their seventeen


@behaviour
async def a_graph_is_the_same_after_it_was_saved_and_loaded(of: Engine) -> None:
    node = Node(
        "relay_0",
        Do("relay", {"text": "hello"}),
        Mode.SYNC,
        "robot_7",
        (Input("text", "string", updatable=False, allowed=("hello", "bye")),),
        {"text_out": "string"},
        "says it again",
    )
    every = {"on_true": PAUSE, "on_false": RESTART, "on_stopped": STOP, "on_error": IGNORE}
    second = Node("compare_1", Do("compare", {"a": "hello"}), Mode.ASYNC, inputs=(text("b"),))
    third = Node("trigger_multi_2", Do("trigger_multi", {"results": [True, False]}), Mode.SPONTANEOUS)
    saved = Graph(
        "all of it",
        (node, second, third),
        (
            edge("-", "relay_0"),
            edge("relay_0", "compare_1", required=False, remap={"text_out": "b"}, **every),
            edge("compare_1", "-", **dict.fromkeys(every, BYPASS)),
            edge("-", "trigger_multi_2"),
        ),
        note="a graph with everything in it",
    )
    assert from_umrf(to_umrf(saved)) == saved


@behaviour
async def an_engine_begins_and_ends_with_nothing_in_it(of: Engine) -> None:
    play = of.play(YES)
    play.tree.stop("never mind")
    await play.ends(None, PlanState.CANCELLED)
    assert of.world.began == []


@behaviour
async def one_action_with_two_inputs(of: Engine) -> None:
    play = of.play(graph("- a", "a -", a=Do("compare", {"a": "same", "b": "same"})))
    await play.ends(Ended.TRUE)


@behaviour
async def a_chain_passes_a_result_under_another_name(of: Engine) -> None:
    play = of.play(
        graph(
            "- a",
            edge("a", "b", remap={"text_out": "a"}),
            "b -",
            a=Do("relay", {"text": "hello"}),
            b=takes("b", Do("compare", {"b": "hello"}), text("a")),
        )
    )
    await play.ends(Ended.TRUE)
    assert of.world.ended == ["relay", "compare"]


@behaviour
async def a_join_of_two_entries_takes_from_both(of: Engine) -> None:
    play = of.play(
        graph(
            "- a",
            "- b",
            edge("a", "c", remap={"sum": "a"}),
            edge("b", "c", remap={"sum": "b"}),
            edge("c", "d", remap={"sum": "a"}),
            "d -",
            a=Do("add", {"a": 1.0, "b": 2.0}),
            b=Do("add", {"a": 30.0, "b": 40.0}),
            c=takes("c", Do("add"), number("a"), number("b")),
            d=takes("d", Do("equal", {"b": 73.0}), number("a")),
        )
    )
    await play.ends(Ended.TRUE)
    assert sorted(of.world.began) == ["add", "add", "add", "equal"]


@behaviour
async def a_fork_runs_the_branch_that_its_result_asks_for(of: Engine) -> None:
    for answer in (True, False):
        play = of.play(
            graph(
                "- t",
                edge("t", "yes", on_false=IGNORE),
                edge("t", "no", on_true=IGNORE, on_false=RUN),
                edge("yes", "c", required=False, remap={"text_out": "a"}),
                edge("no", "c", required=False, remap={"text_out": "a"}),
                "c -",
                t=Do("trigger", {"answer": answer}),
                yes=Do("relay", {"text": "True"}),
                no=Do("relay", {"text": "False"}),
                c=takes("c", Do("compare", {"b": str(answer)}), text("a")),
            )
        )
        await play.ends(Ended.TRUE)
    assert of.world.began.count("relay") == 2


@behaviour
async def one_of_two_timers_ends_the_other(of: Engine) -> None:
    play = of.play(
        graph(
            "- a",
            "- b",
            edge("a", "b", required=False, on_true=STOP),
            edge("b", "-", on_stopped=RUN),
            a=Do("first", {"count_until": 3}),
            b=Do("second", ENDLESS),
        )
    )
    await play.ends(Ended.STOPPED)
    assert of.world.ended == ["first"]


@behaviour
async def a_sub_graph_in_the_middle_of_a_chain(of: Engine) -> None:
    inner = Graph(
        "inner",
        (takes("x", Do("relay"), text("text")), takes("y", Do("relay"), text("text"))),
        (edge("-", "x"), edge("x", "y", remap={"text_out": "text"}), edge("y", "-")),
    )
    play = of.play(
        graph(
            "- a",
            edge("a", "s", remap={"text_out": "text"}),
            edge("s", "c", remap={"text_out": "a"}),
            "c -",
            a=Do("relay", {"text": "round the house"}),
            s=inner,
            c=takes("c", Do("compare", {"b": "round the house"}), text("a")),
        )
    )
    await play.ends(Ended.TRUE)
    assert of.world.ended == ["relay", "relay", "relay", "compare"]


@behaviour
async def a_spontaneous_node_begins_its_child_again_and_again(of: Engine) -> None:
    source = Node("t", Do("trigger_multi", {"results": [False, False, True]}), Mode.SPONTANEOUS)
    play = of.play(
        graph("- t", "t b", edge("t", "-", on_false=IGNORE, required=False), t=source, b=Do("timer", ENDLESS))
    )
    await play.ends(Ended.TRUE)
    assert of.world.beats == {"beat": 3}
    assert of.world.began.count("triggermulti") == 3
    assert of.world.began.count("timer") <= 2  # fewer, if it was ended before its first step
    assert "timer" not in of.world.ended


@behaviour
async def what_an_action_says_is_known_to_be_said_at_its_node(of: Engine) -> None:
    said: dict[str, list[str | int | float | bool]] = {"a": ["one", "two"], "b": ["three"]}
    nodes: dict[str, Plan | Node] = {
        name: Do("log", {"messages": messages}) for name, messages in said.items()
    }
    play = of.play(graph("- a", "- b", "a -", "b -", **nodes))
    await play.ends(Ended.TRUE)
    for name, messages in said.items():
        node = play.node(name).id
        assert [
            each.text for each in of.events if each.node == node and each.text in ("one", "two", "three")
        ] == messages


@behaviour
async def an_endless_loop_is_a_sub_graph_that_a_timer_ends(of: Engine) -> None:
    loop = called(
        "loop",
        "- a",
        "a b",
        edge("b", "a", required=False),
        edge("b", "-", **dict.fromkeys(("on_true", "on_false", "on_stopped", "on_error"), IGNORE)),
        a=Do("first", {"count_until": 1}),
        b=Do("second", {"count_until": 1}),
    )
    play = of.play(
        graph(
            "- loop",
            "- end",
            edge("end", "loop", required=False, on_true=STOP),
            edge("loop", "-", on_stopped=BYPASS),
            loop=loop,
            end=Do("timer", {"count_until": 9}),
        )
    )
    await play.ends(Ended.STOPPED)
    firsts, seconds = of.world.began.count("first"), of.world.began.count("second")
    assert firsts >= seconds >= firsts - 1
    assert (play.node("end").state, play.node("loop").state) == (NodeState.SUCCEEDED, NodeState.CANCELLED)


@behaviour
async def stop_ends_what_runs(of: Engine) -> None:
    play = of.play(graph("- a", "a b", "b -", a=Do("timer", ENDLESS), b=YES))
    await play.began("timer")
    play.tree.stop("enough")
    outcome = await play.ends(None, PlanState.CANCELLED)
    assert outcome.words == "enough"
    assert of.world.began == ["timer"]
    assert (play.node("a").state, play.node("b").state) == (NodeState.CANCELLED, NodeState.SKIPPED)


@behaviour
async def a_pause_holds_everything_and_resume_goes_on(of: Engine) -> None:
    play = of.play(graph("- a", "a b", "b -", a=Do("timer", {"count_until": 4, "gate": "a"}), b=YES))
    await play.began("timer")
    assert play.tree.pause()
    await of.until(lambda: not of.world.running)
    counted, began = of.world.counted, list(of.world.began)
    other = of.play(Do("first", {"count_until": 3}))  # time passes
    await other.task
    assert (of.world.counted, of.world.began) == (counted + 3, [*began, "first"])
    assert play.tree.state is PlanState.PAUSED
    of.world.gate("a").set()
    assert play.tree.resume()
    await play.ends(Ended.TRUE)
    assert of.world.counted == 7
    assert of.world.ended == ["first", "timer", "trigger"]


@behaviour
async def a_node_is_put_between_two_while_the_first_one_runs(of: Engine) -> None:
    compare = takes("c", Do("compare", {"b": "hello"}), text("a"))
    first = Do("relay", {"text": "hello", "gate": "a"})
    passes = edge("a", "c", remap={"text_out": "a"})
    play = of.play(graph("- a", passes, "c -", a=first, c=compare))
    await play.began("relay")
    assert play.tree.pause()
    between = takes("b", Do("relay"), text("text"))
    changed = graph(
        "- a",
        edge("a", "b", remap={"text_out": "text"}),
        edge("b", "c", remap={"text_out": "a"}),
        "c -",
        a=first,
        b=between,
        c=compare,
    )
    play.tree.change(Replace(play.tree.view().id, changed))
    of.world.gate("a").set()
    assert play.tree.resume()
    await play.ends(Ended.TRUE)
    assert play.tree.plan == changed
    assert of.world.ended == ["relay", "relay", "compare"]


@behaviour
async def a_halted_graph_is_changed_and_begun_again(of: Engine) -> None:
    ignores = edge("a", "-", on_error=IGNORE)
    play = of.play(graph("- a", ignores, a=Do("divide", {"by": 0.0})))
    await play.until_state(PlanState.PAUSED)
    assert "nothing can go on" in play.tree.view().detail
    play.tree.change(Replace(play.tree.view().id, graph("- a", "a -", a=Do("divide", {"by": 2.0}))))
    assert play.tree.resume(continue_from="a")
    await play.ends(Ended.TRUE)
    assert of.world.began == ["divide", "divide"]


@behaviour
async def a_graph_whose_exit_ignores_everything_halts(of: Engine) -> None:
    ignores = edge("a", "-", **dict.fromkeys(("on_true", "on_false", "on_stopped", "on_error"), IGNORE))
    play = of.play(graph("- a", ignores, a=of.world.chance.choice((YES, NO, Do("fail")))))
    await play.until_state(PlanState.PAUSED)
    assert [event.kind for event in of.events].count(EventKind.WAITING) == 1
    play.tree.stop("enough")
    await play.ends(None, PlanState.CANCELLED)


@behaviour
async def a_halted_graph_gets_another_node_and_goes_on_from_there(of: Engine) -> None:
    play = of.play(graph("- a", edge("a", "-", on_true=IGNORE), a=YES))
    await play.until_state(PlanState.PAUSED)
    play.tree.change(Replace(play.tree.view().id, graph("- a", "a b", "b -", a=YES, b=NO)))
    assert play.tree.resume(continue_from="b")
    await play.ends(Ended.FALSE)
    assert of.world.began == ["trigger", "trigger"]


# -- every condition with every response


def edges_with(response: Response) -> Behaviour:
    """Four graphs at once: the parent ends in each of the four ways, the child does as it is told."""

    async def told(of: Engine) -> None:
        await asyncio.gather(*(_told(of, response, how) for how in Ended))

    told.__name__ = f"a_child_that_is_told_to_{response}"
    return told


async def _told(of: Engine, response: Response, how: Ended) -> None:
    key = str(how)
    ends = {
        Ended.TRUE: Do("trigger", {"answer": True, "gate": key}),
        Ended.FALSE: Do("trigger", {"answer": False, "gate": key}),
        Ended.ERROR: Do("fail", {"gate": key}),
        Ended.STOPPED: Do("timer", {"count_until": 0}),
    }[how]
    others = {str(each): IGNORE for each in Ended if each is not how}
    every = dict.fromkeys(map(str, Ended), RUN)
    runs_already = response in (STOP, PAUSE, RESTART)
    child = Do("second", ENDLESS) if runs_already else YES
    exits = {str(each): RUN if each is not Ended.ERROR else BYPASS for each in Ended}
    said: list[Edge | str] = [
        "- a",
        edge("a", "b", required=not runs_already, **{**others, str(how): response}),
        edge("b", "d", **every),
        edge("d", "-", **exits),
    ]
    if runs_already:
        said.append("- b")
    play = of.play(called(f"{response} {how}", *said, a=ends, b=child, d=NO))
    for name in "ab" if runs_already else "a":
        await of.until(lambda name=name: play.node(name).state is NodeState.RUNNING)  # type: ignore[misc]
    of.world.gate(key).set()
    if how is Ended.STOPPED:
        next(action for action in play.tree.actions if action.do.action == "timer").cancel("no more of this")
    match response:
        case Response.RUN | Response.BYPASS:
            await play.ends(Ended.FALSE)
            ran = play.node("b").state is NodeState.SUCCEEDED
            assert ran is (response is RUN)
        case Response.IGNORE:
            await play.until_state(PlanState.PAUSED)
            assert play.node("b").state is NodeState.IDLE
        case Response.STOP:
            await play.ends(Ended.FALSE)
            assert play.node("b").state is NodeState.CANCELLED
        case Response.PAUSE:
            await play.until_state(PlanState.PAUSED)
            assert "b is paused" in play.tree.view().detail
            play.tree.resume()
            await of.until(lambda: play.node("b").state is NodeState.RUNNING)
        case Response.RESTART:
            child_id = play.node("b").id
            await of.until(
                lambda: (
                    [each.kind for each in of.events if each.node == child_id].count(EventKind.STARTED) == 2
                )
            )
            assert play.node("d").state is NodeState.IDLE
    play.tree.stop("seen enough")
    await play.task


for _response in Response:
    behaviour(edges_with(_response))


# -- what their edges, pauses and changes promise


@behaviour
async def an_error_passes_by_all_that_does_not_expect_one(of: Engine) -> None:
    play = of.play(graph("- a", "a b", "b c", "c -", a=Do("fail"), b=YES, c=YES))
    outcome = await play.ends(Ended.ERROR, PlanState.FAILED)
    assert "this one always goes wrong" in outcome.words
    assert of.world.began == ["fail"]


@behaviour
async def a_value_that_is_not_allowed_is_not_passed(of: Engine) -> None:
    chosen = of.world.chance.choice(("left", "right"))
    branches: dict[str, Plan | Node] = {
        name: takes(name, Do("relay"), Input("text", "string", allowed=(name,))) for name in ("left", "right")
    }
    play = of.play(
        graph(
            "- a",
            *(edge("a", name, remap={"text_out": "text"}) for name in branches),
            *(edge(name, "c", required=False, remap={"text_out": "a"}) for name in branches),
            "c -",
            a=Do("relay", {"text": chosen}),
            c=takes("c", Do("compare", {"b": chosen}), text("a")),
            **branches,
        )
    )
    await play.ends(Ended.TRUE)
    assert of.world.began == ["relay", "relay", "compare"]
    assert play.node(chosen).state is NodeState.SUCCEEDED


@behaviour
async def a_required_value_that_never_comes_is_named(of: Engine) -> None:
    play = of.play(graph("- a", "a b", "b -", a=YES, b=takes("b", Do("relay"), text("text"))))
    await play.until_state(PlanState.PAUSED)
    assert "b has no text" in play.tree.view().detail
    play.tree.resume()
    outcome = await play.ends(Ended.ERROR, PlanState.FAILED)
    assert "b has no text" in outcome.words


@behaviour
async def a_value_that_is_not_updatable_stays(of: Engine) -> None:
    mine = Node("b", Do("relay", {"text": "mine"}), inputs=(Input("text", "string", updatable=False),))
    play = of.play(
        graph(
            "- a",
            edge("a", "b", remap={"text_out": "text"}),
            edge("b", "c", remap={"text_out": "a"}),
            "c -",
            a=Do("relay", {"text": "yours"}),
            b=mine,
            c=takes("c", Do("compare", {"b": "mine"}), text("a")),
        )
    )
    await play.ends(Ended.TRUE)


@behaviour
async def what_stays_is_established_and_lets_the_next_begin(of: Engine) -> None:
    play = of.play(graph("- s", "s a", "a -", s=Do("stay"), a=YES))
    await play.until_state(PlanState.ESTABLISHED)
    assert of.world.running == ["stay"]
    assert of.world.ended == ["trigger"]
    play.tree.stop("enough")
    await play.ends(Ended.TRUE, PlanState.CANCELLED)


@behaviour
async def a_wide_graph_joins_all_of_its_branches(of: Engine) -> None:
    names = [f"n{number}" for number in range(12)]
    play = of.play(
        graph(
            *(f"- {name}" for name in names),
            *(f"{name} end" for name in names),
            "end -",
            end=Do("log", {"messages": ["all are here"]}),
            **{name: of.world.chance.choice((YES, NO)) for name in names},
        )
    )
    await play.ends(Ended.TRUE)
    assert of.world.ended == ["trigger"] * 12 + ["log"]


@behaviour
async def sequences_and_parallels_do_the_same_without_a_graph(of: Engine) -> None:
    both = Parallel((Do("compare", {"a": Reference(), "b": "cup"}), YES))
    play = of.play(Sequence((Do("find", {"text": "cup"}), both, Do("timer", {"count_until": 2}))))
    outcome = await play.ends(Ended.TRUE)
    assert (of.world.ended[0], of.world.ended[-1]) == ("find", "timer")
    assert [(result.action, result.value) for result in outcome.results] == [
        ("find", "cup"),
        ("compare", True),
        ("trigger", True),
        ("timer", {"final_count": 2}),
    ]


@behaviour
async def a_paused_sequence_is_changed_and_goes_on_from_where_it_is(of: Engine) -> None:
    gated = Do("first", {"count_until": 3, "gate": "a"})
    play = of.play(Sequence((gated, YES, Do("second", {"count_until": 1}))))
    await play.began("first")
    assert play.tree.pause()
    first, second, third = (child.id for child in play.tree.view().children)
    play.tree.change(Remove(second))
    play.tree.change(Insert(Do("relay", {"text": "new"}), after=first))
    play.tree.change(Replace(third, Do("log", {"messages": ["replaced"]})))
    with pytest.raises(PlanError, match="has begun"):
        play.tree.change(Remove(first))
    of.world.gate("a").set()
    assert play.tree.resume()
    await play.ends(Ended.TRUE)
    assert of.world.ended == ["first", "relay", "log"]
    assert of.world.counted == 3


@behaviour
async def pauses_at_any_moment_do_nothing_twice(of: Engine) -> None:
    first, second = (Do(name, {"count_until": 3}) for name in ("first", "second"))
    play = of.play(graph("- a", "- b", "a c", "b c", "c -", a=first, b=YES, c=second))
    for _ in range(of.world.chance.randint(1, 5)):
        seen = len(of.events)
        await of.until(lambda seen=seen: len(of.events) > seen or play.task.done())  # type: ignore[misc]
        if play.tree.pause():
            await of.until(lambda: not of.world.running)
            assert play.tree.resume()
    await play.ends(Ended.TRUE)
    assert of.world.counted == 6
    assert sorted(of.world.ended) == ["first", "second", "trigger"]


@behaviour
async def a_stop_at_any_moment_leaves_nothing_running(of: Engine) -> None:
    play = of.play(graph("- a", "- b", "a c", "b c", "c -", a=Do("first", {"count_until": 2}), b=YES, c=YES))
    moments = of.world.chance.randint(0, 8)
    await of.until(lambda: len(of.events) >= moments or play.task.done())
    play.tree.stop("enough")
    outcome = await play.task
    assert outcome.state in (PlanState.CANCELLED, PlanState.SUCCEEDED)
    assert of.world.running == []


@behaviour
async def time_as_a_condition_in_graphs_and_trees(of: Engine) -> None:
    loop = Until(Do("timer", ENDLESS), Elapsed(of.world.unit_s))
    play = of.play(Sequence((loop, Wait(Elapsed(of.world.unit_s / 2)), YES)))
    await play.ends(Ended.TRUE)
    assert of.world.ended == ["trigger"]
    fork = graph("- p", edge("p", "-", on_true=IGNORE), p=Decide(Elapsed(1.0)))
    await of.play(fork).ends(Ended.FALSE)


# -- on both clocks


def on_the_virtual_clock(told: Behaviour, seed: int) -> None:
    async def play() -> None:
        async with (
            ResourceRegistrar("engine", LocalTransport()) as registrar,
            engine(registrar, seed, unit_s=1.0, threads=(0.03, 0.0), ticks_per_s=50.0) as of,
        ):
            await told(of)

    loop = VirtualLoop(seed=seed)
    run_on(loop, play)
    assert loop.leftovers == ()


@pytest.mark.thorough
@pytest.mark.parametrize("told", BEHAVIOURS, ids=lambda each: each.__name__)
def test_on_the_virtual_clock(told: Behaviour) -> None:
    for seed in range(RUNS):
        try:
            on_the_virtual_clock(told, seed)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize("told", BEHAVIOURS, ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    "many",
    [RUNS_ON_THE_WALL, pytest.param(SOAK_RUNS, marks=pytest.mark.soak)],
    ids=lambda many: f"{many} runs",
)
def test_on_the_wall_clock(told: Behaviour, many: int) -> None:
    async def play(registrar: ResourceRegistrar, seed: int) -> None:
        async with engine(registrar, seed, unit_s=0.02, threads=(0.2, 0.002), ticks_per_s=500.0) as of:
            await told(of)

    async def play_all() -> None:
        async with ResourceRegistrar("engine", LocalTransport()) as registrar, asyncio.timeout(240.0):
            runs = (play(registrar, seed) for seed in range(many))
            ends = await asyncio.gather(*runs, return_exceptions=True)
        failed = {seed: end for seed, end in enumerate(ends) if end is not None}
        for seed, error in failed.items():
            error.add_note(f"seed {seed}, one of {len(failed)} of {many} that failed")
            raise error

    asyncio.run(play_all())
