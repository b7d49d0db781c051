"""Plans of several actions: what begins when, what waits for what, what a pause and an end do to all of them.

The trees are real; an action takes as long as the seed says. When each has to begin and to end follows from
the plan's own words: one after the other, at once, until. A pause moves all that is later by its length.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Final

from framework.errors import PlanError
from framework.plan.ast import (
    Alongside,
    Do,
    Elapsed,
    Graph,
    If,
    Node,
    Parallel,
    Plan,
    State,
    Until,
    Wait,
    While,
)
from framework.plan.ast import Sequence as Steps
from framework.plan.graph import ENTRY, EXIT, Edge
from framework.plugins.events import RunState
from framework.scenarios.invariants import Breach
from framework.tree import PlanState
from framework.tree.change import Insert, Remove, Replace
from framework.tree.node import PlanNode
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.jobs import Work
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
EXACT_S: Final = 0.06
DOOR: Final = State("open", {"thing": "door"})
PAUSED_S: Final = 3.0


When = dict[str, tuple[float, float]]


def timed(work: Work, plan: Plan, from_s: float, when: When) -> float:
    """When all of it has to begin and to end, from when it begins; returns when it is over."""
    match plan:
        case Do(action=action):
            when[action] = from_s, from_s + work.trades[action].takes_s
            return when[action][1]
        case Steps(steps=steps):
            for step in steps:
                from_s = timed(work, step, from_s, when)
            return from_s
        case Parallel(branches=branches):
            return max(timed(work, branch, from_s, when) for branch in branches)
        case Graph(nodes=nodes, edges=edges):
            over: dict[str, float] = {ENTRY: from_s}
            for node in nodes:  # in an order in which each comes after its parents
                begins_s = max(over[edge.parent] for edge in edges if edge.child == node.id)
                over[node.id] = timed(work, node.plan, begins_s, when)
            return max(over[edge.parent] for edge in edges if edge.child == EXIT)
        case _:
            raise TypeError(plan)


def drawn(work: Work, depth: int) -> Plan:
    """Some plan of actions that all end by themselves."""
    lots = work.stage.lots
    if depth == 0 or lots.random() < 0.2:
        return work.action()
    parts = [drawn(work, depth - 1) for _ in range(lots.randint(2, 3))]
    match lots.randrange(3):
        case 0:
            return Steps(tuple(parts))
        case 1:
            return Parallel(tuple(parts))
        case _:
            nodes = [Node(f"n_{number}", part) for number, part in enumerate(parts)]
            edges: list[Edge] = []
            for number, node in enumerate(nodes):
                before = [each.id for each in nodes[:number] if lots.random() < 0.6]
                edges += [Edge(parent, node.id) for parent in before or [ENTRY]]
            edges += [Edge(node.id, EXIT) for node in nodes]
            return Graph("drawn", tuple(nodes), tuple(edges))


async def as_said(stage: HistoryStage) -> None:
    """Everything begins and ends when the plan's words say so, and a pause moves all that is later."""
    lots = stage.lots
    work = Work(stage)
    plan = drawn(work, lots.randint(1, 3))
    began_s = stage.now_s
    when: When = {}
    over_s = timed(work, plan, began_s, when)
    tree = await work.under_way(plan)
    paused_s = began_s + lots.uniform(0.1, max(over_s - began_s, 0.2)) if lots.random() < 0.5 else None
    if paused_s is not None:
        await asyncio.sleep(paused_s - stage.now_s)
        if tree.pause():
            await asyncio.sleep(0.01)
            going = [job.name for job in work.jobs if job.state is RunState.RUNNING]
            must(not going, f"while all is paused {going} go on", Breach.SURPRISE_MOTION)
            await asyncio.sleep(PAUSED_S - 0.01)
            must(tree.resume(), "it cannot be resumed", DOING)
        else:
            paused_s = None
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)

    def later(at_s: float, *, is_end: bool) -> float:
        is_later = paused_s is not None and at_s > paused_s + (-EXACT_S if is_end else 0.0)
        return at_s + PAUSED_S if is_later else at_s

    for name, (begins_s, ends_s) in when.items():
        jobs = work.of(Do(name))
        must(len(jobs) == 1, f"{name} is done {len(jobs)} times", DOING)
        (job,) = jobs
        assert job.began_s is not None
        assert job.ended_s is not None
        slack_s = 0.25  # each step is begun a moment after the one before
        for words, at_s, wanted_s, is_end in (
            ("begins", job.began_s, begins_s, False),
            ("ends", job.ended_s, ends_s, True),
        ):
            close = paused_s is not None and abs(wanted_s - paused_s) < slack_s
            early_s = (
                min(wanted_s, later(wanted_s, is_end=is_end)) if close else later(wanted_s, is_end=is_end)
            )
            late_s = wanted_s + PAUSED_S if close else early_s
            must(
                early_s - slack_s <= at_s <= late_s + slack_s,
                f"{name} {words} at {at_s - began_s:.2f} s, not {early_s - began_s:.2f} s",
                DOING,
            )


async def ended(stage: HistoryStage) -> None:
    """A plan that is ended: what goes on is told and waited for, and nothing begins any more."""
    lots = stage.lots
    work = Work(stage)
    plan = drawn(work, lots.randint(1, 3))
    over_s = timed(work, plan, stage.now_s, {})
    tree = await work.under_way(plan)
    await asyncio.sleep(lots.uniform(0.05, 0.9 * (over_s - stage.now_s)))
    is_paused = lots.random() < 0.4 and tree.pause()
    if is_paused:
        await asyncio.sleep(0.3)
    going = [job for job in work.jobs if job.began_s is not None and job.ended_s is None]
    began = len([job for job in work.jobs if job.began_s is not None])
    told_s = stage.now_s
    tree.stop("somebody said so")
    state = await work.ends(5.0)
    must(state is PlanState.CANCELLED, f"a plan that was ended is {state.value}", DOING)
    longest_s = max((job.trade.ends_s for job in going), default=0.0)
    must(
        stage.now_s - told_s < longest_s + 0.3,
        f"it takes {stage.now_s - told_s:.2f} s to end it",
        Breach.NEVER_ENDED,
    )
    for job in going:
        must(
            job.told_s is not None and job.told_s - told_s < EXACT_S,
            f"{job.name} does not hear of the end",
            DOING,
        )
    must(
        len([job for job in work.jobs if job.began_s is not None]) == began,
        "something begins after the end",
        Breach.SURPRISE_MOTION,
    )


async def failing(stage: HistoryStage) -> None:
    """One thing goes wrong: what should come after it does not begin, and the plan has failed."""
    lots = stage.lots
    work = Work(stage)
    first, second, beside, last = (work.action() for _ in range(4))
    work.trades[second.action].fails = True
    plan = (
        Steps((Parallel((Steps((first, second)), beside)), last))
        if lots.random() < 0.5
        else Steps((first, second, beside, last))
    )
    await work.under_way(plan)
    state = await work.ends()
    must(state is PlanState.FAILED, f"a plan of which a part failed is {state.value}", DOING)
    must(not work.of(last), "it goes on after a failure", Breach.SURPRISE_MOTION)


async def until(stage: HistoryStage) -> None:
    """What stays is ended when the time is over, or when it is so, and not before; then the next begins."""
    lots = stage.lots
    work = Work(stage)
    stays, after = work.action(stays=True, takes_s=0.1), work.action()
    by_time = lots.random() < 0.5
    lasts_s = lots.uniform(0.5, 3.0)
    plan = Steps((Until(stays, Elapsed(lasts_s) if by_time else DOOR), after))
    began_s = stage.now_s
    tree = await work.under_way(plan)
    await asyncio.sleep(lasts_s / 2)
    must(work.alive(stays.action) == 1, "what is to stay does not", DOING)
    moved_s = 0.0
    if lots.random() < 0.5:
        tree.pause()
        await asyncio.sleep(PAUSED_S)
        must(work.alive(stays.action) == 1 and not work.of(after), "a pause ends what is paused", DOING)
        tree.resume()
        moved_s = PAUSED_S
    if not by_time:
        await asyncio.sleep(lasts_s / 2)
        must(not work.of(after), "it is over although it is not so", DOING)
        work.opens()
        if lots.random() < 0.3:
            await asyncio.sleep(0.02)
            work.opens(False)
    elif lots.random() < 0.5:
        await asyncio.sleep(max(began_s + lasts_s + moved_s - stage.now_s, 0.0) + 0.1)
        if tree.pause():  # perhaps while it comes to its end
            await asyncio.sleep(0.5)
            (ending,) = work.of(stays)
            must(ending.ended_s is not None, "a pause holds what comes to its end", DOING)
            begun = len(work.of(after))
            tree.resume()
            must(begun == len(work.of(after)), "something begins in a pause", Breach.SURPRISE_MOTION)
    await work.ends()
    (job,) = work.of(stays)
    (next_,) = work.of(after)
    assert job.told_s is not None
    assert job.ended_s is not None
    assert next_.began_s is not None
    off_s = job.told_s - began_s - lasts_s - moved_s
    must(abs(off_s) < 0.2, f"it ends {off_s:.2f} s late", DOING)
    must(
        next_.began_s >= job.ended_s - 1e-6,
        "the next begins while the one before still comes to its end",
        Breach.SURPRISE_MOTION,
    )


async def conditions(stage: HistoryStage) -> None:
    """If, otherwise, and waiting for something."""
    lots = stage.lots
    work = Work(stage)
    then, otherwise, after = work.action(), work.action(), work.action()
    work.is_open = lots.random() < 0.5
    waits = lots.random() < 0.5
    plan: Plan = Steps((Wait(DOOR), after)) if waits else Steps((If(DOOR, then, otherwise), after))
    is_open = work.is_open
    await work.under_way(plan)
    await asyncio.sleep(0.5)
    if waits and not is_open:
        must(not work.of(after), "it does not wait until it is so", Breach.SURPRISE_MOTION)
        work.opens()
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)
    must(len(work.of(after)) == 1, "what comes after is not done", DOING)
    if not waits:
        done = [bool(work.of(then)), bool(work.of(otherwise))]
        must(done == [is_open, not is_open], "of if and otherwise the wrong one is done", DOING)


async def companions(stage: HistoryStage) -> None:
    """What goes alongside begins with it and ends when that is done."""
    lots = stage.lots
    work = Work(stage)
    body, beside, after = work.action(), work.action(stays=True, takes_s=0.1), work.action()
    await work.under_way(Steps((Alongside(body, beside), after)))
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)
    (one,), (other,), (next_,) = work.of(body), work.of(beside), work.of(after)
    assert one.ended_s is not None
    assert other.ended_s is not None
    assert next_.began_s is not None
    must(
        other.told_s is not None and one.ended_s - 1e-6 <= other.told_s < one.ended_s + 0.2,
        "what goes alongside does not end with it",
        DOING,
    )
    must(
        next_.began_s >= other.ended_s - 1e-6,
        "the next begins while something still comes to its end",
        Breach.SURPRISE_MOTION,
    )
    del lots


async def established(stage: HistoryStage) -> None:
    """What stays counts as done when it is ready, of several when all are; it stays until it is ended."""
    work = Work(stage)
    lots = stage.lots
    stays = [work.action(stays=True, takes_s=lots.uniform(0.1, 2.0)) for _ in range(lots.randint(2, 3))]
    after = work.action(takes_s=0.3)
    began_s = stage.now_s
    ready_s = began_s + max(work.trades[each.action].takes_s for each in stays)
    if lots.random() < 0.5:
        tree = await work.under_way(Parallel(tuple(stays)))
        await asyncio.sleep(max(ready_s - began_s - 0.05, 0.0))
        must(PlanState.ESTABLISHED not in work.states, "it is said to be up before all of it is", DOING)
        await asyncio.sleep(0.2)
        must(tree.state is PlanState.ESTABLISHED, f"it is {tree.state.value}", DOING)
        tree.stop("somebody said so")
        await work.ends(5.0)
        return
    tree = await work.under_way(Steps((Parallel(tuple(stays)), after)))
    await asyncio.sleep(4.0)
    (next_,) = work.of(after) or (None,)
    must(next_ is not None and next_.began_s is not None, "nothing comes after what stays", DOING)
    assert next_ is not None
    assert next_.began_s is not None
    must(abs(next_.began_s - ready_s) < 0.2, f"it goes on after {next_.began_s - began_s:.2f} s", DOING)
    must(all(work.alive(each.action) == 1 for each in stays), "what stays does not", DOING)
    must(tree.state is PlanState.ESTABLISHED, f"it is {tree.state.value}", DOING)
    tree.stop("somebody said so")
    await work.ends(5.0)


async def room(stage: HistoryStage) -> None:
    """What stays and has what the next step needs makes room for it, in time; all else stays."""
    lots = stage.lots
    work = Work(stage)
    things = lots.sample(("left arm", "right arm", "screen"), lots.randint(1, 3))
    stays = [
        work.action(stays=True, takes_s=0.2, alone=each, ends_s=lots.choice((0.0, 0.3, 0.8)))
        for each in things
    ]
    needed = lots.choice(things)
    moves = work.action(takes_s=1.0, alone=needed)
    first: Plan = stays[0] if len(stays) == 1 else lots.choice((Steps, Parallel))(tuple(stays))
    last = work.action(takes_s=0.2)
    plan: Plan = Steps((first, moves, last))
    if lots.random() < 0.4:
        nodes = (Node("first", first), Node("moves", moves), Node("last", last))
        line = (ENTRY, "first", "moves", "last")
        plan = Graph("drawn", nodes, tuple(Edge(*pair) for pair in itertools.pairwise(line)))
    tree = await work.under_way(plan)
    await asyncio.sleep(5.0)
    for each, thing in zip(stays, things, strict=True):
        (job,) = work.of(each)
        is_in_the_way = thing == needed
        must((job.ended_s is not None) is is_in_the_way, f"what has the {thing} ends, or does not", DOING)
        if is_in_the_way:
            (run,) = work.of(moves) or (None,)
            must(run is not None, "nothing comes after what was in its way", DOING)
            is_free = run is not None and job.ended_s is not None and (run.began_s or 0.0) >= job.ended_s
            must(is_free, f"it begins before the {thing} is free", Breach.SURPRISE_MOTION)
    must(len(work.of(last)) == 1, "what comes after that is not done", DOING)
    tree.stop("it is enough")
    await work.ends(5.0)


async def relying(stage: HistoryStage) -> None:
    """What a motion relies on fails: the motion is ended with it, and nothing comes after."""
    lots = stage.lots
    work = Work(stage)
    senses = [work.action(stays=True, takes_s=0.2) for _ in range(lots.randint(1, 2))]
    broken = lots.choice(senses)
    work.trades[broken.action].fails = True
    work.trades[broken.action].lasts_s = lots.uniform(0.5, 1.5)
    moves, after = work.action(takes_s=4.0), work.action()
    way = lots.choice(("steps", "beside", "parallel"))
    plan: Plan = Steps((*senses, moves, after))
    if way == "beside":
        plan = Steps((Alongside(moves, Parallel(tuple(senses))), after))
    elif way == "parallel":
        plan = Steps((Parallel((*senses, moves)), after))
    await work.under_way(plan)
    state = await work.ends(10.0)
    must(state is PlanState.FAILED, f"{way}: what it relies on has failed, and it is {state.value}", DOING)
    (sense,), (motion,) = work.of(broken), work.of(moves)
    must(not work.of(after), f"{way}: it goes on after that", Breach.SURPRISE_MOTION)
    is_told = motion.told_s is not None and motion.told_s - (sense.ended_s or 0.0) < 0.2
    must(is_told, f"{way}: the motion goes on blindly", Breach.SURPRISE_MOTION)


async def guarded(stage: HistoryStage) -> None:
    """As long as, and until: what nobody can see any more is no reason to go on, nor to have it done."""
    lots = stage.lots
    work = Work(stage)
    body, after = work.action(takes_s=6.0), work.action()
    is_until = lots.random() < 0.5
    work.is_open = not is_until
    make = Until if is_until else While
    await work.under_way(Steps((make(body, DOOR), after)))
    await asyncio.sleep(0.5)
    must(work.alive(body.action) == 1, "it does not begin", DOING)
    happens = lots.choice(("unseen", "changes", "nothing", "soon"))
    work.finds_out = happens == "soon"
    if happens in ("unseen", "soon"):
        work.opens(None)
    elif happens == "changes":
        work.opens(is_until)
    changed_s = stage.now_s
    if happens == "soon":
        await asyncio.sleep(1.0)
        must(work.alive(body.action) == 1, "it ends although it will be known soon", DOING)
        work.finds_out = False
        work.opens(is_until)
        changed_s = stage.now_s
    state = await work.ends(15.0)
    (job,) = work.of(body)
    goes_on = happens == "nothing" or (is_until and happens == "unseen")
    must((job.told_s is None) is goes_on, f"{make.__name__}, {happens}: the body is ended, or is not", DOING)
    if not goes_on:
        late_s = (job.told_s or 0.0) - changed_s
        must(late_s < 0.2, f"{make.__name__}, {happens}: it ends {late_s:.2f} s late", Breach.SURPRISE_MOTION)
    fails = happens == "unseen" and not is_until
    must((state is PlanState.FAILED) is fails, f"{make.__name__}, {happens}: it is {state.value}", DOING)
    must(bool(work.of(after)) is not fails, f"{make.__name__}, {happens}: what comes after", DOING)


async def changed(stage: HistoryStage) -> None:
    """A paused plan is changed: what has begun goes on, what is taken out never begins, the rest in order."""
    lots = stage.lots
    work = Work(stage)
    steps = [work.action(takes_s=1.0, ends_s=0.0) for _ in range(lots.randint(2, 4))]
    tree = await work.under_way(Steps(tuple(steps)))
    at = lots.randrange(len(steps) - 1)
    await asyncio.sleep(at + 0.5)
    wanted = [each.action for each in steps]
    for _ in range(lots.randint(1, 3)):
        ids = {each.do.action: each.node_id for each in tree.actions}
        try:
            tree.change(Remove(ids[wanted[-1]]))
            must(tree.state is PlanState.PAUSED, "what goes on is changed without a pause", MOTION)
            del wanted[-1]
        except PlanError:
            must(tree.state is not PlanState.PAUSED or len(wanted) == at + 1, "it cannot be changed", DOING)
        must(tree.pause() or tree.state is PlanState.PAUSED, "it cannot be paused", DOING)
        await asyncio.sleep(0.1)
        new = work.action(takes_s=1.0, ends_s=0.0)
        place = lots.randrange(len(wanted))
        which = wanted[place]
        has_begun = bool(work.of(Do(which)))
        how = lots.choice(("after", "before", "remove", "replace"))
        try:
            match how:
                case "after":
                    tree.change(Insert(new, after=ids[which]))
                case "before":
                    tree.change(Insert(new, before=ids[which]))
                case "remove":
                    tree.change(Remove(ids[which]))
                case _:
                    tree.change(Replace(ids[which], new))
        except PlanError as error:
            follows = place + 1 < len(wanted) and bool(work.of(Do(wanted[place + 1])))
            is_late = follows if how == "after" else has_begun
            must(is_late, f"{how} of what has not begun is refused: {error}", DOING)
            continue
        must(how == "after" or not has_begun, f"{how} of what has begun", MOTION)
        match how:
            case "after":
                wanted.insert(place + 1, new.action)
            case "before":
                wanted.insert(place, new.action)
            case "remove":
                del wanted[place]
            case _:
                wanted[place] = new.action
    if tree.state is PlanState.PAUSED:
        await asyncio.sleep(1.5)
        must(tree.resume(), "it does not go on", DOING)
    state = await work.ends()
    done = [job.name for job in work.jobs if job.began_s is not None]
    must(done == wanted, f"{done} are done, not {wanted}", DOING)
    must(state is PlanState.SUCCEEDED, f"it ends as {state}", DOING)
    for one, other in itertools.pairwise(work.jobs):
        must((one.ended_s or 0.0) <= (other.began_s or 0.0), "one begins beside the other", MOTION)


async def graphs_changed(stage: HistoryStage) -> None:
    """A graph becomes another one while it is paused: what goes on stays, all else is as it says now."""
    lots = stage.lots
    work = Work(stage)
    first, second, third, other = (work.action(takes_s=1.0, ends_s=0.0) for _ in range(4))

    def chain(*plans: Do) -> Graph:
        names = ["one", "two", "three"][: len(plans)]
        edges = [Edge(parent, child) for parent, child in itertools.pairwise([ENTRY, *names, EXIT])]
        nodes = tuple(Node(name, plan) for name, plan in zip(names, plans, strict=True))
        return Graph("drawn", nodes, tuple(edges))

    tree = await work.under_way(chain(first, second, third))
    await asyncio.sleep(lots.choice((0.5, 1.5)))
    goes_on = [job.name for job in work.jobs if job.goes_on]
    tree.pause()
    await asyncio.sleep(0.1)
    (parent,) = {each.parent.node_id for each in tree.actions if isinstance(each.parent, PlanNode)}
    plans = lots.choice(
        (
            (first, other, third),
            (first, second, other),
            (other, second, third),
            (first, second),
            (first, second, third),
        )
    )
    is_kept = {first.action: first in plans, second.action: second in plans}[goes_on[0]]
    begun = [job.name for job in work.jobs if job.began_s is not None]
    try:
        tree.change(Replace(parent, chain(*plans)))
        must(is_kept, "what goes on becomes another thing", MOTION)
        todo = plans[len(begun) :]
    except PlanError as error:
        must(not is_kept, f"a graph cannot become another one: {error}", DOING)
        todo = (first, second, third)[len(begun) :]
    tree.resume()
    state = await work.ends()
    done = [job.name for job in work.jobs if job.began_s is not None]
    must(done == [*begun, *(each.action for each in todo)], f"{done} are done, {begun} had begun", DOING)
    must(state is PlanState.SUCCEEDED, f"it ends as {state}", DOING)


HISTORIES: Final = (
    History(changed, None, 4),
    History(graphs_changed, None, 3),
    History(room, None, 3),
    History(relying, None, 2),
    History(guarded, None, 3),
    History(established, None, 2),
    History(as_said, None, 6),
    History(ended, None, 4),
    History(failing, None, 2),
    History(until, None, 4),
    History(conditions, None, 2),
    History(companions),
)
