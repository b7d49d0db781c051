"""Graphs within graphs, graphs without an exit, what an edge holds for good, and what "it" is in a graph."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec

from framework.events import EventKind
from framework.plan.ast import Do, Graph, Node, Parallel, Plan, Reference
from framework.plan.ast import Sequence as Steps
from framework.plan.graph import ENTRY, EXIT, Edge, Input, Response
from framework.plugins.parameters import ParameterSpec
from framework.scenarios.invariants import Breach
from framework.tree import PlanState
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.jobs import Work
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
UNTOLD: Final = Breach.UNTOLD


async def no_exit(stage: HistoryStage) -> None:
    """Without an exit it is over when nothing goes on: well, unless what has failed was nobody's affair."""
    lots = stage.lots
    work = Work(stage)
    one, other, last = (work.action(takes_s=round(lots.uniform(0.2, 0.8), 2), ends_s=0.0) for _ in range(3))
    fails = lots.random() < 0.7
    work.trades[one.action].fails = fails
    answer = lots.choice((Response.RUN, Response.IGNORE, None))
    edges = [Edge(ENTRY, "one"), Edge(ENTRY, "other")]
    if answer is not None:
        edges.append(Edge("one", "last", on_true=Response.IGNORE, on_error=answer))
    nodes = [Node("one", one), Node("other", other), Node("last", last)]
    if answer is None:
        nodes.pop()
    lots.shuffle(nodes)
    after = work.action(takes_s=0.2, ends_s=0.0)
    await work.under_way(Steps((Graph("drawn", tuple(nodes), tuple(edges)), after)))
    state = await work.ends(20.0)
    is_answered = answer is Response.RUN
    wanted = PlanState.FAILED if fails and not is_answered else PlanState.SUCCEEDED
    must(bool(work.of(last)) is (fails and is_answered), "what is to be done if it fails", DOING)
    must(state is wanted, f"it fails: {fails}, answered by {answer}, and it is {state.value}", DOING)
    must(bool(work.of(after)) is (wanted is PlanState.SUCCEEDED), "what comes after it", MOTION)
    if wanted is PlanState.FAILED:
        must("went wrong" in work.outcome.words, f"it is not said why: {work.outcome.words}", UNTOLD)


async def held_for_good(stage: HistoryStage) -> None:
    """An edge has paused the only thing that goes on: that stands still, is told, and goes on by a word."""
    lots = stage.lots
    work = Work(stage)
    one = work.action(takes_s=0.4, ends_s=0.0)
    held = work.action(takes_s=1.5, ends_s=0.0)
    edges = (
        Edge(ENTRY, "one"),
        Edge(ENTRY, "held"),
        Edge("one", "held", required=False, on_true=Response.PAUSE),
        Edge("held", EXIT),
    )
    nodes = [Node("one", one), Node("held", held)]
    lots.shuffle(nodes)
    graph: Plan = Graph("drawn", tuple(nodes), edges)
    after = work.action(takes_s=0.2, ends_s=0.0)
    tree = await work.under_way(Steps((graph, after)))
    await asyncio.sleep(3.0)
    must(tree.state is PlanState.PAUSED, f"nothing can go on, and it is {tree.state.value}", DOING)
    told = [event.text for event in work.told if event.kind is EventKind.WAITING]
    must(len(told) == 1 and "held is paused" in told[0], f"it is told as {told}", UNTOLD)
    must(not work.of(after), "what comes after it begins", MOTION)
    if lots.random() < 0.3:
        tree.stop("it is enough")
        must(await work.ends(5.0) is PlanState.CANCELLED, "it cannot be ended", DOING)
        return
    must(tree.resume(), "it cannot be resumed", DOING)
    must(await work.ends(10.0) is PlanState.SUCCEEDED, "what was held does not go on by a word", DOING)
    must(len(work.of(held)) == 1 and bool(work.of(after)), "it is done anew, or what follows is not", DOING)


async def nested(stage: HistoryStage) -> None:
    """What a graph in a graph is given its parts are given, and what they give leads on."""
    lots = stage.lots
    work = Work(stage)
    found = lots.choice(("cup", "ball"))
    depth = lots.randint(1, 3)
    giver = work.action(gives={"thing": found}, takes_s=0.3, ends_s=0.0)
    inner_gives = lots.choice(("hat", "shoe"))
    taker = work.trade(
        takes_s=0.3, parameters=(ParameterSpec("thing", object),), gives={"thing": inner_gives}
    )
    last = work.trade(takes_s=0.3, parameters=(ParameterSpec("thing", object),))
    inputs = (Input("thing", ""),)
    plan: Plan = Do(taker.name)
    for number in range(depth):
        node = Node(f"part_{number}", plan, inputs=inputs)
        plan = Graph(f"graph_{number}", (node,), (Edge(ENTRY, node.id), Edge(node.id, EXIT)))
    nodes = [
        Node("giver", giver),
        Node("graph", plan, inputs=inputs),
        Node("last", Do(last.name), inputs=inputs),
    ]
    lots.shuffle(nodes)
    edges = (Edge(ENTRY, "giver"), Edge("giver", "graph"), Edge("graph", "last"), Edge("last", EXIT))
    await work.under_way(Graph("drawn", tuple(nodes), edges))
    state = await work.ends(20.0)
    must(state is PlanState.SUCCEEDED, f"it is {state.value}: {work.outcome.words}", DOING)
    for name, wanted in ((taker.name, found), (last.name, inner_gives)):
        (job,) = work.of(Do(name))
        has = job.parameters.get("thing")
        must(has == wanted, f"{depth} deep, {name} is given {has!r}, not {wanted!r}", DOING)


class Cup(msgspec.Struct, frozen=True):
    """Something that was found."""

    number: int


async def it(stage: HistoryStage) -> None:
    """ "It" in a graph is what was found on the way there, and nothing that goes on beside it."""
    lots = stage.lots
    work = Work(stage)
    early, beside = Cup(1), Cup(2)
    finds = work.action(gives=early, takes_s=0.3, ends_s=0.0)
    between = work.action(takes_s=0.2, ends_s=0.0)
    other = work.action(gives=beside, takes_s=lots.choice((0.1, 0.4)), ends_s=0.0)
    taker = work.trade(takes_s=0.2, parameters=(ParameterSpec("thing", Cup),))
    takes = Do(taker.name, {"thing": Reference("it")})
    nodes = [Node("finds", finds), Node("between", between), Node("other", other), Node("takes", takes)]
    leads = lots.random() < 0.6
    edges = [Edge(ENTRY, "finds"), Edge(ENTRY, "other"), Edge(ENTRY if not leads else "finds", "between")]
    edges += [Edge("between", "takes"), Edge("takes", EXIT), Edge("other", EXIT, required=False)]
    lots.shuffle(nodes)
    graph: Plan = Graph("drawn", tuple(nodes), tuple(edges))
    before = work.action(gives=Cup(0), takes_s=0.2, ends_s=0.0)
    has_before = lots.random() < 0.6
    await work.under_way(Steps((before, graph)) if has_before else graph)
    state = await work.ends(20.0)
    meant: Any = early if leads else Cup(0) if has_before else None
    runs = work.of(takes)
    must(len(runs) == (meant is not None), f'of {meant}, "it" is taken {len(runs)} times', DOING)
    if runs:
        has = runs[0].parameters["thing"]
        must(has == meant, f'"it" is {has}, not {meant}', DOING)
    wanted = PlanState.SUCCEEDED if runs else PlanState.FAILED
    must(state is wanted, f'"it" is {meant}, and it is {state.value}', DOING)


async def beside_each_other(stage: HistoryStage) -> None:
    """Graphs that go on beside each other stand still one by one; each says so, once."""
    lots = stage.lots
    work = Work(stage)
    graphs: list[Plan] = []
    stuck = [lots.random() < 0.5 for _ in range(2)]
    for number, is_stuck in enumerate(stuck):
        one = work.action(takes_s=round(lots.uniform(0.2, 1.2), 2), ends_s=0.0)
        two = work.action(takes_s=0.3, ends_s=0.0)
        way = Response.IGNORE if is_stuck else Response.RUN
        edges = (Edge(ENTRY, "one"), Edge("one", "two", on_true=way), Edge("two", EXIT))
        graphs.append(Graph(f"graph_{number}", (Node("one", one), Node("two", two)), edges))
    tree = await work.under_way(Parallel(tuple(graphs)))
    if not any(stuck):
        must(await work.ends(20.0) is PlanState.SUCCEEDED, "two graphs do not end beside each other", DOING)
        return
    await asyncio.sleep(3.0)
    must(tree.state is PlanState.PAUSED, f"it is {tree.state.value}", DOING)
    told = [event.text for event in work.told if event.kind is EventKind.WAITING]
    must(len(told) == sum(stuck), f"{sum(stuck)} stand still, and it is told {len(told)} times", UNTOLD)
    for number, is_stuck in enumerate(stuck):
        named = any(f"graph_{number}" in each for each in told)
        must(named is is_stuck, f"graph_{number} stands still: {is_stuck}, told as {told}", UNTOLD)
    tree.stop("it is enough")
    must(await work.ends(5.0) is PlanState.CANCELLED, "it cannot be ended", DOING)


HISTORIES: Final = (
    History(no_exit, None, 3),
    History(held_for_good),
    History(nested, None, 2),
    History(it, None, 3),
    History(beside_each_other, None, 2),
)
