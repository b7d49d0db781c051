"""Graphs: what a child does when a parent has ended, what it is handed over, what an edge holds, circles.

What each response asks for, and what is taken of a parent's results, is written down here anew, as the
documents say it; the trees are real.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, Final

from framework.plan.ast import Decide, Do, Graph, Node, State
from framework.plan.ast import Sequence as Steps
from framework.plan.graph import ENTRY, EXIT, Edge, Ended, Input, Mode, Response
from framework.plugins.parameters import ParameterSpec
from framework.scenarios.invariants import Breach
from framework.tree import PlanState
from framework.tree.run import TreeRun
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.jobs import Job, Work
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
SOON_S: Final = 0.25
DOOR: Final = State("open", {"thing": "door"})
ALL_RUN: Final[Any] = dict.fromkeys(("on_true", "on_false", "on_stopped", "on_error"), Response.RUN)


def at_work(work: Work) -> list[str]:
    """What goes on just now, and does not hold on."""
    return sorted(job.name for job in work.jobs if job.is_at_work)


async def perhaps_paused(work: Work, tree: TreeRun) -> None:
    """A pause in which nothing goes on and nothing begins, and after which all goes on that did before."""
    if work.stage.lots.random() < 0.2:
        return
    before, begun = at_work(work), len(work.jobs)
    if not tree.pause():
        return
    await asyncio.sleep(0.05)
    going = [name for name in at_work(work) if not work.trades[name].cannot_hold_on]
    must(not going, f"while all is paused {going} go on", Breach.SURPRISE_MOTION)
    await asyncio.sleep(0.5)
    must(len(work.jobs) == begun, "something begins in a pause", Breach.SURPRISE_MOTION)
    must(tree.resume(), "it cannot be resumed", DOING)
    await asyncio.sleep(0.05)
    after = at_work(work)
    lasting = [name for name in before if not work.trades[name].cannot_hold_on]
    must(set(lasting) <= set(after), f"of {before} only {after} go on after a pause", DOING)
    surprise = sorted(set(after) - set(before))
    must(not surprise, f"{surprise} begin or go on by the end of a pause", Breach.SURPRISE_MOTION)


async def responses(stage: HistoryStage) -> None:
    """A parent ends in some way, and its child, which goes on or does not, does what the edge says."""
    lots = stage.lots
    work = Work(stage)
    ended = lots.choice(tuple(Ended))
    response = lots.choice((*Response, Response.PAUSE, Response.PAUSE, Response.PAUSE))
    is_going = lots.random() < 0.7
    parent = work.action(takes_s=lots.uniform(0.4, 1.0), ends_s=0.0)
    work.trades[parent.action].fails = ended is Ended.ERROR
    work.trades[parent.action].gives = ended is not Ended.FALSE
    one, two = work.action(takes_s=3.0, ends_s=lots.choice((0.0, 0.5))), work.action(takes_s=3.0)
    child = Node("child", Steps((one, two)) if lots.random() < 0.5 else one)
    after, later = work.action(takes_s=20.0), work.action(takes_s=4.0)
    frees = response is Response.PAUSE and lots.random() < 0.7
    work.trades[one.action].cannot_hold_on = frees and lots.random() < 0.4
    keeps = work.action(takes_s=30.0)
    ways: Any = {each.value: Response.IGNORE for each in Ended} | {ended.value: response}
    edges = [
        *(Edge(ENTRY, each) for each in ("parent", "later", "keeps")),
        Edge("parent", "child", required=False, **ways),
        Edge("child", "after", required=False, **ALL_RUN),
    ]
    if is_going:
        edges.append(Edge(ENTRY, "child"))
    if frees:
        edges.append(Edge("later", "child", required=False))
    nodes = [Node("parent", parent), child, Node("after", after), Node("later", later), Node("keeps", keeps)]
    lots.shuffle(nodes)
    tree = await work.under_way(Graph("drawn", tuple(nodes), tuple(edges)))
    await asyncio.sleep(0.2)
    must(bool(work.of(one)) is is_going, "what its entry leads to begins, and nothing else", DOING)
    if ended is Ended.STOPPED:
        next(each for each in tree.actions if each.do == parent).cancel("nobody wants it any more")
    await asyncio.sleep(1.6)
    (first,) = work.of(parent)
    must(first.ended_s is not None, "the parent does not end", Breach.NEVER_ENDED)
    runs = work.of(one)
    what = f"{response.value} after {ended.value}"
    if not is_going:
        begins = response in (Response.RUN, Response.RESTART)
        must(len(runs) == begins, f"{what}: a child that does not run begins {len(runs)} times", DOING)
        must(bool(work.of(after)) is (response is Response.BYPASS), f"{what}: its own child", DOING)
    else:
        await _while_it_goes(work, response, what, one, after, first)
    await perhaps_paused(work, tree)
    if is_going and response is Response.PAUSE:
        await _while_held(work, tree, one, two if isinstance(child.plan, Steps) else None, after, frees=frees)
    tree.stop("it is enough")
    must(await work.ends(5.0) is PlanState.CANCELLED, "it is not ended", DOING)


async def _while_it_goes(work: Work, response: Response, what: str, one: Do, after: Do, parent: Job) -> None:
    (run, *more) = work.of(one)
    assert parent.ended_s is not None
    told = run.told_s is not None and run.told_s - parent.ended_s < SOON_S
    ends = response in (Response.STOP, Response.RESTART)
    must(told is ends, f"{what}: a child that runs is {'not ' if ends else ''}told to end", DOING)
    must(len(more) == (response is Response.RESTART), f"{what}: it begins {len(more)} times more", DOING)
    if more:
        must(
            run.ended_s is not None and more[0].began_s is not None and more[0].began_s >= run.ended_s,
            f"{what}: it begins anew while it still comes to its end",
            Breach.SURPRISE_MOTION,
        )
    goes_after = response in (Response.BYPASS, Response.STOP)
    must(bool(work.of(after)) is goes_after, f"{what}: its own child", DOING)
    if response in (Response.RUN, Response.IGNORE, Response.BYPASS):
        must(run.is_at_work, f"{what}: it does not go on", DOING)
    if response is Response.PAUSE and not run.trade.cannot_hold_on:
        must(not run.is_at_work, f"{what}: it goes on", Breach.SURPRISE_MOTION)


async def _while_held(work: Work, tree: TreeRun, one: Do, two: Do | None, after: Do, *, frees: bool) -> None:
    """What an edge holds goes on by another edge, and by nothing else; and is done then as if nothing was."""
    (run,) = work.of(one)
    can_hold_on = not run.trade.cannot_hold_on
    if not frees:
        await asyncio.sleep(5.0)
        must(not run.is_at_work and not work.of(after), "what an edge holds goes on", Breach.SURPRISE_MOTION)
        return
    if not can_hold_on:
        await asyncio.sleep(0.4)
        is_early = two is not None and bool(work.of(two))
        must(
            not is_early and not work.of(after), "what comes after a held one begins", Breach.SURPRISE_MOTION
        )
    await asyncio.sleep(11.0)
    if two is not None:
        must(len(work.of(two)) == 1, "what was held is not gone on with", DOING)
    must(run.ended_s is not None and run.told_s is None, "what was held does not come to its end", DOING)
    must(len(work.of(after)) == 1, "nothing comes after what was held", DOING)


async def joins(stage: HistoryStage) -> None:
    """Who waits for several begins when the last of them has ended, and not before."""
    lots = stage.lots
    work = Work(stage)
    parents = [work.action(takes_s=round(lots.uniform(0.2, 2.0), 2)) for _ in range(lots.randint(2, 4))]
    required = [number == 0 or lots.random() < 0.7 for number in range(len(parents))]
    last = work.action(takes_s=0.3)
    nodes = [Node(f"n_{number}", each) for number, each in enumerate(parents)]
    edges = [Edge(ENTRY, node.id) for node in nodes]
    edges += [
        Edge(node.id, "last", required=is_required) for node, is_required in zip(nodes, required, strict=True)
    ]
    edges.append(Edge("last", EXIT))
    nodes.append(Node("last", last))
    lots.shuffle(nodes)
    tree = await work.under_way(Graph("drawn", tuple(nodes), tuple(edges)))
    await asyncio.sleep(0.1)
    await perhaps_paused(work, tree)
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)
    awaited = max(
        work.of(each)[0].ended_s or 0.0
        for each, is_required in zip(parents, required, strict=True)
        if is_required
    )
    (run, *more) = work.of(last)
    must(not more, "it is done more than once", DOING)
    assert run.began_s is not None
    must(run.began_s >= awaited - 1e-6, "it does not wait for all that it needs", Breach.SURPRISE_MOTION)
    must(run.began_s < awaited + SOON_S, f"it begins {run.began_s - awaited:.2f} s late", DOING)


async def handing_over(stage: HistoryStage) -> None:
    """A child is given what its parent has found, where it takes it; what stands in the plan, elsewhere."""
    lots = stage.lots
    work = Work(stage)
    found = lots.choice(("cup", "ball", 7))
    offered_as = lots.choice(("thing", "other"))
    remap = lots.choice(({}, {"other": "thing"}))
    own = lots.choice((None, "hat"))
    allowed = lots.choice(((), ("cup", "hat")))
    kind = lots.choice(("", "string"))
    is_updatable = lots.random() < 0.7
    giver = work.action(gives={offered_as: found}, takes_s=0.4)
    taker = work.trade(takes_s=0.5, parameters=(ParameterSpec("thing", object),))
    keeps = work.action(takes_s=6.0)
    node = Node(
        "taker",
        Do(taker.name, {} if own is None else {"thing": own}),
        inputs=(Input("thing", kind, updatable=is_updatable, allowed=allowed),),
    )
    edges = (Edge(ENTRY, "giver"), Edge(ENTRY, "keeps"), Edge("giver", "taker", remap=remap))
    nodes = [Node("giver", giver), node, Node("keeps", keeps)]
    lots.shuffle(nodes)
    tree = await work.under_way(Graph("drawn", tuple(nodes), edges))
    await asyncio.sleep(2.0)
    is_offered = remap.get(offered_as, offered_as) == "thing"
    fits = (not kind or isinstance(found, str)) and (not allowed or found in allowed)
    takes = is_offered and fits and (own is None or is_updatable)
    given = found if takes else own
    runs = work.of(Do(taker.name))
    must(len(runs) == (given is not None), f"with {given!r} it begins {len(runs)} times", DOING)
    if runs:
        has = runs[0].parameters.get("thing")
        must(has == given, f"it is given {has!r}, not {given!r}", DOING)
    tree.stop("it is enough")
    await work.ends(5.0)


async def circles(stage: HistoryStage) -> None:
    """Round and round until the door is open: one run at a time, and none after it is so."""
    lots = stage.lots
    work = Work(stage)
    body, last = work.action(takes_s=round(lots.uniform(0.3, 0.8), 2)), work.action(takes_s=0.2)
    again = lots.choice((Response.RUN, Response.RESTART))
    edges = (
        Edge(ENTRY, "body"),
        Edge("body", "fork"),
        Edge("fork", "body", required=False, on_true=Response.IGNORE, on_false=again),
        Edge("fork", "last", on_true=Response.RUN, on_false=Response.IGNORE),
        Edge("last", EXIT),
    )
    nodes = [Node("body", body), Node("fork", Decide(DOOR)), Node("last", last)]
    lots.shuffle(nodes)
    tree = await work.under_way(Graph("drawn", tuple(nodes), edges))
    rounds = lots.randint(1, 4)
    takes_s = work.trades[body.action].takes_s
    await asyncio.sleep((rounds - 0.5) * takes_s)
    await perhaps_paused(work, tree)
    begun = len(work.of(body))
    must(begun >= rounds, f"it has begun {begun} times, not {rounds}", DOING)
    work.opens()
    state = await work.ends(20.0)
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)
    must(len(work.of(body)) == begun, "it begins anew although it is so", Breach.SURPRISE_MOTION)
    must(len(work.of(last)) == 1, "what comes after the circle is not done", DOING)
    one_at_a_time(work, body)


def one_at_a_time(work: Work, do: Do) -> None:
    """Each run begins when the one before is at rest."""
    runs = work.of(do)
    for before, run in itertools.pairwise(runs):
        must(
            before.ended_s is not None and run.began_s is not None and run.began_s >= before.ended_s - 1e-6,
            f"{run.name} begins anew while it still comes to its end",
            Breach.SURPRISE_MOTION,
        )


async def news(stage: HistoryStage) -> None:
    """What tells again and again: what comes after it is ended, and begins anew when that is at rest."""
    lots = stage.lots
    work = Work(stage)
    teller = work.action(takes_s=0.8, ends_s=0.0, gives={"thing": "cup"})
    follows = work.action(takes_s=lots.choice((0.2, 2.0)), ends_s=lots.choice((0.0, 0.3)))
    last = work.action(takes_s=lots.choice((0.2, 2.0)), ends_s=lots.choice((0.0, 0.3)))
    edges = (Edge(ENTRY, "teller"), Edge("teller", "follows"), Edge("follows", "last"))
    nodes = [Node("teller", teller, Mode.SPONTANEOUS), Node("follows", follows), Node("last", last)]
    lots.shuffle(nodes)
    tree = await work.under_way(Graph("drawn", tuple(nodes), edges))
    await asyncio.sleep(4.5)
    is_long = work.trades[follows.action].takes_s > 1
    begun = len(work.of(follows))
    must(begun in (3, 4, 5), f"of what is told five times {begun} are followed", DOING)
    must(
        bool(work.of(last)) is not is_long, "what comes after what never ends begins, or the contrary", DOING
    )
    for do in (teller, follows, last):
        one_at_a_time(work, do)
    await perhaps_paused(work, tree)
    tree.stop("it is enough")
    await work.ends(5.0)


HISTORIES: Final = (
    History(responses, None, 12),
    History(joins, None, 3),
    History(handing_over, None, 6),
    History(circles, None, 2),
    History(news, None, 2),
)
