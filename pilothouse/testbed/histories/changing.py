"""Plans of all shapes that are changed in a pause; graphs that can go no further; what nobody can tell yet.

What has to be done follows from the plan's words as they are after the change: `edited` changes a plan on
paper, and `timed` says when all of it has to begin.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Final

import msgspec

from framework.errors import PlanError
from framework.events import EventKind
from framework.plan.ast import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Condition,
    Decide,
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
    actions_of,
)
from framework.plan.ast import Sequence as Steps
from framework.plan.graph import ENTRY, EXIT, Edge, Response
from framework.scenarios.invariants import Breach
from framework.tree import PlanState
from framework.tree.change import Change, Insert, Remove, Replace
from framework.tree.composites import ParallelNode, SequenceNode
from framework.tree.node import PlanNode
from framework.tree.view import NodeState
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.jobs import Work
from pilothouse.testbed.histories.mishaps import nodes_of
from pilothouse.testbed.histories.plans import DOING, MOTION, PAUSED_S, When, timed
from pilothouse.testbed.histories.stage import History, HistoryStage

UNTOLD: Final = Breach.UNTOLD
SLACK_S: Final = 0.25
"""Each step is begun a moment after the one before."""
WHATS: Final = ("gate", "lid")


def drawn(work: Work, depth: int) -> Plan:
    """A plan of any shape, of actions that end by themselves but for what goes alongside or until."""
    lots = work.stage.lots
    if depth == 0 or lots.random() < 0.15:
        return work.action(ends_s=0.0)
    parts = [drawn(work, depth - 1) for _ in range(lots.randint(2, 3))]
    match lots.randrange(6):
        case 0 | 1:
            return Steps(tuple(parts))
        case 2:
            return Parallel(tuple(parts))
        case 3:
            return If(_is_open(lots.choice(WHATS)), parts[0], lots.choice((parts[1], None)))
        case 4:
            stays = work.action(stays=True, takes_s=0.1, ends_s=0.0)
            if lots.random() < 0.5:
                return Alongside(parts[0], stays)
            return Steps((Until(stays, Elapsed(round(lots.uniform(0.5, 1.5), 2))), parts[0]))
        case _:
            return _graph_of(work, parts)


def drawn_graph(work: Work, depth: int) -> Plan:
    """A graph of two or three parts."""
    lots = work.stage.lots
    return _graph_of(work, [drawn(work, lots.choice((0, 0, depth - 1))) for _ in range(lots.randint(2, 3))])


def drawn_branches(work: Work, depth: int) -> Plan:
    """Several that go on beside each other."""
    return Parallel(tuple(drawn(work, depth - 1) for _ in range(work.stage.lots.randint(2, 3))))


def _graph_of(work: Work, parts: list[Plan]) -> Graph:
    nodes = tuple(Node(f"n_{number}", part) for number, part in enumerate(parts))
    line = [ENTRY, *(node.id for node in nodes), EXIT]
    edges = [Edge(*pair) for pair in itertools.pairwise(line)]
    if len(nodes) == 3 and work.stage.lots.random() < 0.5:  # the last one needs the first two, together
        edges = [Edge(ENTRY, "n_0"), Edge(ENTRY, "n_1"), Edge("n_0", "n_2"), Edge("n_1", "n_2")]
        edges.append(Edge("n_2", EXIT))
    return Graph("drawn", nodes, tuple(edges))


def _is_open(what: str) -> State:
    return State("open", {"thing": what})


def edited(plan: Plan, at: str, how: str, new: Plan) -> Plan | None:
    """The plan with a change at the action of that name; None if nothing is left of it."""
    match plan:
        case Do(action=action):
            if action != at:
                return plan
            changed = {"after": Steps((plan, new)), "before": Steps((new, plan)), "replace": new}
            return changed.get(how)
        case Steps(steps=parts) | Parallel(branches=parts):
            left = [part for each in parts if (part := edited(each, at, how, new)) is not None]
            return type(plan)(tuple(left)) if left else None
        case If(condition=condition, then=then, otherwise=otherwise):
            first = edited(then, at, how, new)
            second = None if otherwise is None else edited(otherwise, at, how, new)
            return None if first is None else If(condition, first, second)
        case Until(body=body, condition=condition):
            changed_body = edited(body, at, how, new)
            return None if changed_body is None else Until(changed_body, condition)
        case Alongside(body=body, companion=companion):
            one, other = edited(body, at, how, new), edited(companion, at, how, new)
            return Alongside(one, other) if one is not None and other is not None else one or other
        case Graph(nodes=nodes, edges=edges):
            left_nodes, lines = [], list(edges)
            for node in nodes:
                part = edited(node.plan, at, how, new)
                if part is not None:
                    left_nodes.append(msgspec.structs.replace(node, plan=part))
                    continue
                above = [each.parent for each in lines if each.child == node.id]
                below = [each.child for each in lines if each.parent == node.id]
                lines = [each for each in lines if node.id not in (each.parent, each.child)]
                lines += [Edge(parent, child) for parent in above for child in below]
            return Graph(plan.name, tuple(left_nodes), tuple(lines)) if left_nodes else None
        case _:
            raise TypeError(plan)


def due(work: Work, plan: Plan, from_s: float, when: When) -> float:
    """As `timed`, of all these shapes."""
    match plan:
        case Steps(steps=steps):
            for step in steps:
                from_s = due(work, step, from_s, when)
            return from_s
        case Parallel(branches=branches):
            return max(due(work, branch, from_s, when) for branch in branches)
        case If(condition=State(arguments=arguments), then=then, otherwise=otherwise):
            chosen = then if work.facts[str(arguments["thing"])] else otherwise
            return from_s if chosen is None else due(work, chosen, from_s, when)
        case Until(body=body, condition=Elapsed(duration_s=lasts_s)):
            due(work, body, from_s, when)
            return from_s + lasts_s
        case Alongside(body=body, companion=companion):
            over_s = due(work, body, from_s, when)
            if over_s > from_s:  # nothing is begun beside what is over at once
                due(work, companion, from_s, when)
            return over_s
        case Graph(nodes=nodes, edges=edges):
            over: dict[str, float] = {ENTRY: from_s}
            for node in nodes:
                begins_s = max(over[edge.parent] for edge in edges if edge.child == node.id)
                over[node.id] = due(work, node.plan, begins_s, when)
            return max(over[edge.parent] for edge in edges if edge.child == EXIT)
        case _:
            return timed(work, plan, from_s, when)


def _names(plan: Plan) -> list[str]:
    return [do.action for do in actions_of(plan)]


async def edits(stage: HistoryStage) -> None:
    """Anything that has not begun is changed in a pause; then all is done when the changed words say so."""
    lots = stage.lots
    work = Work(stage)
    opened = lots.choice(WHATS)
    work.facts = {what: what == opened for what in WHATS}
    first = work.action(takes_s=1.0, ends_s=0.0)
    shape = lots.choice((drawn, drawn, drawn_graph, drawn_branches))
    plan: Plan = Steps((first, shape(work, 2)))
    began_s = stage.now_s
    tree = await work.under_way(plan)
    await asyncio.sleep(0.05)
    must(_names(tree.plan) == _names(plan), "a plan that goes on is another one than was said", UNTOLD)
    must(tree.pause(), "it cannot be paused", DOING)
    await asyncio.sleep(0.1)
    for _ in range(lots.randint(1, 4)):
        new: Plan = work.action(ends_s=0.0)
        if lots.random() < 0.5:
            new = lots.choice((Steps, Steps, Parallel))((new, work.action(ends_s=0.0)))
        ids = {each.do.action: each.node_id for each in tree.actions}
        stays = {name for name in ids if work.trades[name].continuous}
        bodies = _beside(plan)
        at = lots.choice([name for name in ids if name not in stays])
        how = lots.choice(("after", "before", "replace", "remove", "remove", "into", "into", "nonsense"))
        parent = next(each.parent for each in tree.actions if each.do.action == at)
        if isinstance(parent, ParallelNode) and lots.random() < 0.5:
            how = "into"
        before = tree.plan
        if how == "nonsense":
            _judge_refusals(work, ids[at], new)
            must(tree.plan == before, "what is refused is done in part", DOING)
            continue
        if how == "into":
            parent = next(each for each in tree.actions if each.do.action == at).parent
            if not isinstance(parent, SequenceNode | ParallelNode):
                continue
            inside = [each.do.action for each in parent.actions()]
            tree.change(Insert(new, into=parent.node_id))
            plan = _appended(plan, inside, isinstance(parent, SequenceNode), new)
        else:
            wanted = edited(plan, at, how, new)
            changes: dict[str, Change] = {
                "after": Insert(new, after=ids[at]),
                "before": Insert(new, before=ids[at]),
                "replace": Replace(ids[at], new),
                "remove": Remove(ids[at]),
            }
            if how == "remove" and at in bodies:
                continue  # then what goes alongside would stay for ever
            try:
                tree.change(changes[how])
            except PlanError as error:
                is_late = at == first.action and how != "after"
                is_needed = how == "remove" and _is_what_is_done(plan, at)
                must(is_late or is_needed, f"{how} of what has not begun is refused: {error}", DOING)
                must(tree.plan == before, "what is refused is done in part", DOING)
                continue
            must(at != first.action or how == "after", f"{how} of what has begun", MOTION)
            assert wanted is not None
            plan = wanted
        must(_names(tree.plan) == _names(plan), f"{how}: {_names(tree.plan)}, not {_names(plan)}", DOING)
        shown = {do.action for do in actions_of(tree.plan)} - {each.do.action for each in tree.actions}
        must(not shown, f"what is added is not there: {shown}", UNTOLD)
    await asyncio.sleep(PAUSED_S - 0.1)
    begun = [job.name for job in work.jobs if job.began_s is not None]
    must(begun == [first.action], f"in a pause {begun} begin", MOTION)
    resumed_s = stage.now_s
    must(tree.resume(), "it cannot be resumed", DOING)
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)
    when: When = {}
    due(work, plan, began_s + resumed_s - began_s - 0.05, when)
    done = {job.name: job.began_s for job in work.jobs if job.began_s is not None}
    must(len(done) == len([job for job in work.jobs if job.began_s is not None]), "it is done twice", MOTION)
    must(set(done) == set(when), f"{sorted(done)} are done, not {sorted(when)}", DOING)
    for name, (begins_s, _) in when.items():
        if name != first.action:
            late_s = (done[name] or 0.0) - begins_s
            must(abs(late_s) < SLACK_S + 0.1, f"{name} begins {late_s:.2f} s late", DOING)


def _judge_refusals(work: Work, at: str, new: Plan) -> None:
    """What is no change is refused, whatever it would do."""
    unknown = Do("nobody_can")
    changes = (
        Remove("nothing"),
        Insert(new, after="nothing"),
        Insert(new),
        Insert(new, after=at, before=at),
        Insert(new, into=at),
        Insert(unknown, after=at),
        Replace(at, unknown),
    )
    change = work.stage.lots.choice(changes)
    try:
        work.tree.change(change)
    except PlanError:
        return
    must(False, f"{change} is a change", DOING)


def _appended(plan: Plan, inside: list[str], is_steps: bool, new: Plan) -> Plan:
    """The plan with something more at the end of the steps, or branches, that are of these actions."""
    kind = Steps if is_steps else Parallel
    if isinstance(plan, kind) and _names(plan) == inside:
        parts = plan.steps if isinstance(plan, Steps) else plan.branches
        return kind((*parts, new))
    match plan:
        case Steps(steps=parts) | Parallel(branches=parts):
            return type(plan)(tuple(_appended(part, inside, is_steps, new) for part in parts))
        case If(then=then, otherwise=otherwise):
            other = None if otherwise is None else _appended(otherwise, inside, is_steps, new)
            return If(plan.condition, _appended(then, inside, is_steps, new), other)
        case Until(body=body):
            return Until(_appended(body, inside, is_steps, new), plan.condition)
        case Alongside(body=body, companion=companion):
            return Alongside(_appended(body, inside, is_steps, new), companion)
        case Graph(nodes=nodes):
            grown = [
                msgspec.structs.replace(node, plan=_appended(node.plan, inside, is_steps, new))
                for node in nodes
            ]
            return Graph(plan.name, tuple(grown), plan.edges)
        case _:
            return plan


def _parts(plan: Plan) -> list[Plan]:
    match plan:
        case Steps(steps=parts) | Parallel(branches=parts):
            return list(parts)
        case If(then=then, otherwise=otherwise):
            return [then] if otherwise is None else [then, otherwise]
        case Until(body=body):
            return [body]
        case Alongside(body=body, companion=companion):
            return [body, companion]
        case Graph(nodes=nodes):
            return [node.plan for node in nodes]
        case _:
            return []


def _beside(plan: Plan) -> set[str]:
    """The actions that are all of what something goes alongside."""
    found = set().union(*map(_beside, _parts(plan))) if _parts(plan) else set()
    if isinstance(plan, Alongside) and len(_names(plan.body)) == 1:
        found |= set(_names(plan.body))
    return found


def _is_what_is_done(plan: Plan, at: str) -> bool:
    """Whether an action is all that is done if something holds, and something else is done if not."""
    if isinstance(plan, If) and plan.otherwise is not None and _names(plan.then) == [at]:
        return True
    return any(_is_what_is_done(part, at) for part in _parts(plan))


async def standstill(stage: HistoryStage) -> None:
    """A graph in which nothing can follow waits for somebody, says why, and goes on as it is told."""
    lots = stage.lots
    work = Work(stage)
    one, two, other = (work.action(takes_s=0.5, ends_s=0.0) for _ in range(3))
    nodes = (Node("one", one), Node("two", two), Node("other", other))
    why = lots.choice(("nothing follows", "it waits", "the end waits"))
    first = Edge("one", "two", on_true=Response.IGNORE if why == "nothing follows" else Response.RUN)
    never = Edge("one", "other", on_true=Response.IGNORE, on_false=Response.RUN)
    edges = [Edge(ENTRY, "one"), first, never, Edge("two", EXIT)]
    if why == "it waits":
        edges.append(Edge("other", "two"))
    elif why == "the end waits":
        edges.append(Edge("other", EXIT))
    graph = Graph("drawn", nodes, tuple(edges))
    beside = work.action(takes_s=3.0, ends_s=0.0) if lots.random() < 0.4 else None
    after = work.action(takes_s=0.3, ends_s=0.0)
    plan: Plan = Steps((graph if beside is None else Parallel((graph, beside)), after))
    tree = await work.under_way(plan)
    until_s = 1.5 if beside is None else 2.0
    await asyncio.sleep(until_s)
    if beside is not None:
        must(tree.state is PlanState.RUNNING, "it is paused although something goes on", DOING)
        await asyncio.sleep(1.5)
    must(tree.state is PlanState.PAUSED, f"{why}: it is {tree.state.value}", DOING)
    must(not work.of(after) and not work.of(other), f"{why}: it goes on", MOTION)
    told = [event.text for event in work.told if event.kind is EventKind.WAITING]
    must(len(told) == 1, f"{why}: it is told {len(told)} times", UNTOLD)
    named = {
        "nothing follows": "one succeeded",
        "it waits": "two waits for other",
        "the end waits": "waits for other",
    }
    must(named[why] in told[0], f"{why}: it is told as {told[0]}", UNTOLD)
    ids = {each.do.action: each.node_id for each in tree.actions}
    graph_id = next(
        parent.node_id
        for each in tree.actions
        if isinstance(parent := each.parent, PlanNode) and each.do == one
    )
    for wrong in ("nothing", ids[after.action]):
        try:
            tree.resume(continue_from=wrong)
            must(False, "it is continued from what is no place", MOTION)
        except PlanError:
            must(tree.state is PlanState.PAUSED, "what is refused is done in part", DOING)
    how = lots.choice(("goes on", "continued", "changed", "stopped", "stays"))
    begun = [job.name for job in work.jobs if job.began_s is not None]
    match how:
        case "goes on":
            must(tree.resume(), "it cannot be resumed", DOING)
            must(await work.ends() is PlanState.FAILED, "what cannot go on goes on", DOING)
            must(not work.of(after), "what comes after it is done all the same", MOTION)
            return
        case "stopped":
            tree.stop("it is enough")
            must(await work.ends(5.0) is PlanState.CANCELLED, "it cannot be ended", DOING)
            return
        case "stays":
            await asyncio.sleep(5.0)
            must(tree.state is PlanState.PAUSED and not work.of(after), "it goes on by itself", MOTION)
            tree.stop("it is enough")
            await work.ends(5.0)
            return
        case "changed":
            line = tuple(Edge(*pair) for pair in itertools.pairwise((ENTRY, "one", "two", EXIT)))
            tree.change(Replace(graph_id, Graph("drawn", nodes[:2], line)))
            wanted = [two.action] if not work.of(two) else []
            if wanted:
                tree.resume(continue_from=ids[two.action])
            else:
                tree.stop("it is enough")
                await work.ends(5.0)
                return
        case _:
            wanted = {
                "nothing follows": [two.action],
                "it waits": [other.action, two.action],
                "the end waits": [other.action],
            }[why]
            must(tree.resume(continue_from=ids[wanted[0]]), "it cannot be continued", DOING)
    await asyncio.sleep(0.2)
    must(work.alive(wanted[0]) == 1, f"{why}: it is not continued where it was to be", DOING)
    tree.pause()
    try:
        tree.resume(continue_from=ids[wanted[0]])
        must(False, "what goes on begins once more", MOTION)
    except PlanError:
        tree.resume()
    state = await work.ends()
    done = [job.name for job in work.jobs if job.began_s is not None]
    must(done == [*begun, *wanted, after.action], f"{why}, {how}: {done} are done", DOING)
    must(state is PlanState.SUCCEEDED, f"{why}, {how}: it is {state.value}", DOING)


def _told(condition: Condition, facts: dict[str, bool | None]) -> bool | None:
    """What follows from what is known; None if nothing does."""
    match condition:
        case AllOf(conditions=parts):
            answers = [_told(part, facts) for part in parts]
            return False if False in answers else None if None in answers else True
        case AnyOf(conditions=parts):
            answers = [_told(part, facts) for part in parts]
            return True if True in answers else None if None in answers else False
        case State(arguments=arguments, is_so=is_so):
            fact = facts[str(arguments["thing"])]
            return None if fact is None else fact is is_so
        case _:
            raise TypeError(condition)


async def undecided(stage: HistoryStage) -> None:
    """What nobody can tell is waited for while it is being found out; else no motion is based on it."""
    lots = stage.lots
    work = Work(stage)
    work.facts = {what: lots.choice((True, False, None)) for what in WHATS}
    work.finds_out = lots.random() < 0.5
    leaves = [State("open", {"thing": what}, is_so=lots.random() < 0.7) for what in WHATS]
    condition: Condition = lots.choice((leaves[0], AllOf(tuple(leaves)), AnyOf(tuple(leaves))))
    body, otherwise, after = work.action(takes_s=4.0), work.action(takes_s=0.3), work.action(takes_s=0.3)
    kind = lots.choice(("if", "if not", "wait", "no more", "while", "until", "decide"))
    part: Plan
    match kind:
        case "if":
            part = If(condition, body, otherwise)
        case "if not":
            part = If(condition, body)
        case "wait":
            part = Wait(condition)
        case "no more":
            part = Wait(condition, is_so=False)
        case "while":
            part = While(body, condition)
        case "until":
            part = Until(body, condition)
        case _:
            nodes = (Node("asks", Decide(condition)), Node("yes", body), Node("no", otherwise))
            yes = Edge("asks", "yes", on_true=Response.RUN, on_false=Response.IGNORE)
            no = Edge("asks", "no", on_true=Response.IGNORE, on_false=Response.RUN)
            ends = [Edge(each, EXIT, required=False) for each in ("yes", "no")]
            part = Graph("drawn", nodes, (Edge(ENTRY, "asks"), yes, no, *ends))
    tree = await work.under_way(Steps((part, after)))
    await asyncio.sleep(0.5)
    answer = _told(condition, work.facts)
    is_soon = (
        answer is None
        and work.finds_out
        and any(
            work.facts[str(leaf.arguments["thing"])] is None
            for leaf in (leaves if condition is not leaves[0] else leaves[:1])
        )
    )
    waits = kind in ("wait", "no more")
    was_over = (kind in ("while", "until") and bool(work.of(after))) or tree.state.is_over
    if is_soon and kind != "until":
        must(not work.of(body) and not work.of(otherwise), f"{kind}: it does not wait to know", MOTION)
        must(not work.of(after) and not tree.state.is_over, f"{kind}: it does not wait to know", DOING)
    if not was_over and lots.random() < 0.7 and (is_soon or waits or kind in ("while", "until")):
        for what in WHATS:
            work.knows(what, lots.random() < 0.5)
        work.finds_out = False
        answer = _told(condition, work.facts)
        await asyncio.sleep(0.5)
        is_soon = False
    elif is_soon:
        work.finds_out = False
        work.knows(WHATS[0], work.facts[WHATS[0]])
        await asyncio.sleep(0.5)
    begun, chosen = bool(work.of(body)), bool(work.of(otherwise))
    words = f"{kind}, told {answer}"
    if waits:
        must(bool(work.of(after)) is (answer is (kind == "wait")), f"{words}: what comes after it", DOING)
        tree.stop("it is enough")
        await work.ends(5.0)
        return
    if kind in ("while", "until"):
        is_over = answer is (kind == "until") or (answer is None and kind == "while")
        must(bool(work.alive(body.action)) is not is_over, f"{words}: it goes on, or does not", MOTION)
        has_failed = answer is None and kind == "while"
    else:
        must(begun is (answer is True), f"{words}: what is done if it is so", MOTION)
        must(chosen is (answer is False and kind != "if not"), f"{words}: what is done if not", MOTION)
        has_failed = answer is None
    state = await work.ends(10.0)
    must((state is PlanState.FAILED) is has_failed, f"{words}: it is {state.value}", DOING)
    must(bool(work.of(after)) is not has_failed, f"{words}: what comes after it", DOING)


def _is_past(plan: Plan, at: str, begun: set[str]) -> bool:
    """Whether something has begun that comes after all of the step in which this is."""
    if isinstance(plan, Steps):
        for number, step in enumerate(plan.steps):
            if at in _names(step):
                after = {name for other in plan.steps[number + 1 :] for name in _names(other)}
                return bool(after & begun) or _is_past(step, at, begun)
    return any(_is_past(part, at, begun) for part in _parts(plan) if at in _names(part))


def _conditional(plan: Plan) -> set[str]:
    """The actions that are done only if something holds: it may be decided that they are not."""
    if isinstance(plan, If):
        return set(_names(plan))
    return set().union(*map(_conditional, _parts(plan))) if _parts(plan) else set()


def plain(work: Work, depth: int) -> Plan:
    """Steps and branches; and what is done only if something holds."""
    lots = work.stage.lots
    if depth == 0:
        return work.action(ends_s=0.0)
    parts = [plain(work, depth - 1) for _ in range(lots.randint(2, 3))]
    if lots.random() < 0.3:
        return If(_is_open(lots.choice(WHATS)), parts[0], lots.choice((parts[1], None)))
    return lots.choice((Steps, Steps, Parallel))(tuple(parts))


async def later(stage: HistoryStage) -> None:
    """Changed in a pause at any moment: what has begun stays as it was, all else is done as it is now."""
    lots = stage.lots
    work = Work(stage)
    work.facts = {what: lots.random() < 0.5 for what in WHATS}
    plan: Plan = Steps((work.action(takes_s=0.5, ends_s=0.0), plain(work, 2), plain(work, 1)))
    tree = await work.under_way(plan)
    await asyncio.sleep(lots.uniform(0.2, 4.0))
    if not tree.pause():
        must(await work.ends() is PlanState.SUCCEEDED, "it fails by itself", DOING)
        return
    await asyncio.sleep(0.1)
    begun = {job.name for job in work.jobs if job.began_s is not None}
    new_ones: list[Do] = []
    for _ in range(lots.randint(1, 4)):
        new = work.action(ends_s=0.0)
        how = lots.choice(("after", "before", "replace", "remove"))
        ids = {each.do.action: each.node_id for each in tree.actions}
        at = lots.choice(list(ids))
        changes: dict[str, Change] = {
            "after": Insert(new, after=ids[at]),
            "before": Insert(new, before=ids[at]),
            "replace": Replace(ids[at], new),
            "remove": Remove(ids[at]),
        }
        before, words = tree.plan, f"{how} {at}, of {sorted(begun)}"
        may_be = how == "after" or at not in begun
        is_past = _is_past(plan, at, begun)
        try:
            tree.change(changes[how])
        except PlanError as error:
            is_done = at in begun and work.of(Do(at))[-1].ended_s is not None
            is_free = may_be and not (is_past or is_done or at in _conditional(plan))
            must(not is_free, f"{words} is refused: {error}", DOING)
            must(tree.plan == before, "what is refused is done in part", DOING)
            continue
        must(may_be and not is_past, f"{words}: what has begun is changed", MOTION)
        wanted = edited(plan, at, how, new)
        assert wanted is not None
        plan = wanted
        new_ones += [new] if how != "remove" else []
        must(_names(tree.plan) == _names(plan), f"{words}: {_names(tree.plan)}, not {_names(plan)}", DOING)
    tree.resume()
    must(await work.ends() is PlanState.SUCCEEDED, "it fails by itself", DOING)
    when: When = {}
    due(work, plan, 0.0, when)
    done = [job.name for job in work.jobs if job.began_s is not None]
    must(sorted(done) == sorted(when), f"{sorted(done)} are done, not {sorted(when)}", DOING)


async def why_not(stage: HistoryStage) -> None:
    """What has failed is told with its own words; and, if it is the whole plan, with the reason alone."""
    lots = stage.lots
    work = Work(stage)
    fails = work.action(takes_s=0.2, ends_s=0.0, fails=True, why="its chain came off")
    other = work.action(takes_s=0.2, ends_s=0.0)
    is_alone = lots.random() < 0.5
    plan: Plan = fails if is_alone else lots.choice((Steps, Parallel))((fails, other))
    await work.under_way(plan)
    must(await work.ends(5.0) is PlanState.FAILED, "what has failed has not", DOING)
    outcome = work.outcome
    must(outcome.words == f"{fails.action} went wrong", f"it is told as {outcome.words}", UNTOLD)
    why = "its chain came off" if is_alone else ""
    must(outcome.why == why, f"the reason alone is {outcome.why!r}", UNTOLD)


async def nothing_left(stage: HistoryStage) -> None:
    """All that has not begun is taken out in a pause: the plan is over when what goes on is."""
    lots = stage.lots
    work = Work(stage)
    first = work.action(takes_s=0.5, ends_s=0.0, cannot_hold_on=True)
    second = work.action(takes_s=0.5, ends_s=0.0)
    tree = await work.under_way(Steps((first, second)))
    await asyncio.sleep(0.1)
    must(tree.pause(), "it cannot be paused", DOING)
    is_early = lots.random() < 0.5
    await asyncio.sleep(0.1 if is_early else 0.7)
    tree.change(Remove(next(each.node_id for each in tree.actions if each.do == second)))
    await asyncio.sleep(0.7)
    must(not work.of(second), "what was taken out is done", MOTION)
    must(tree.state is PlanState.SUCCEEDED, f"nothing is left of it, and it is {tree.state.value}", DOING)
    await work.ends(5.0)


async def left_off(stage: HistoryStage) -> None:
    """A plan of any shape is ended: it is shown what was done, what was ended, what never began."""
    lots = stage.lots
    work = Work(stage)
    work.facts = {what: lots.random() < 0.5 for what in WHATS}
    plan = drawn(work, 2)
    called: list[str] = []
    over: list[str] = []
    ends = lots.choice(("paint fence", "paint fence", ""))

    async def ends_others(what: str) -> str:
        called.append(what)
        await asyncio.sleep(0.8)
        over.append(what)
        return ends

    work.ends_others = ends_others
    has_cancel = lots.random() < 0.4
    if has_cancel:
        plan = Steps((work.action(ends_s=0.0), Cancel("paint_fence"), plan))
    tree = await work.under_way(plan)
    await asyncio.sleep(lots.uniform(0.0, 2.0))
    if work.task.done():
        state = await work.ends()
        is_good = not has_cancel or ends
        must(state is (PlanState.SUCCEEDED if is_good else PlanState.FAILED), f"it is {state.value}", DOING)
    else:
        if lots.random() < 0.3:
            tree.pause()
        tree.stop("it is enough")
        must(await work.ends(5.0) is PlanState.CANCELLED, "it cannot be ended", DOING)
        must(work.outcome.words == "it is enough", f"it was ended: {work.outcome.words}", UNTOLD)
    for node in nodes_of(tree.view()):
        must(node.state.is_over, f"{node.words} is over, and shown as {node.state}", UNTOLD)
        if node.kind == "cancel":
            ended = (NodeState.FAILED, NodeState.SUCCEEDED)[bool(ends)]
            wanted = ended if over else NodeState.CANCELLED if called else NodeState.SKIPPED
            must(node.state is wanted, f"{node.words} is {wanted}, and shown as {node.state}", UNTOLD)
        if node.kind != "do":
            continue
        jobs = work.of(Do(node.words.replace(" ", "_")))
        wanted = NodeState(jobs[-1].state.value) if jobs else NodeState.SKIPPED
        must(node.state is wanted, f"{node.words} is {wanted}, and shown as {node.state}", UNTOLD)
    must(called == over[:1] or not over, f"others are ended {len(called)} times", MOTION)


HISTORIES: Final = (
    History(later, None, 4),
    History(why_not),
    History(nothing_left, None, 2),
    History(left_off, None, 5),
    History(edits, None, 8),
    History(standstill, None, 4),
    History(undecided, None, 8),
)
