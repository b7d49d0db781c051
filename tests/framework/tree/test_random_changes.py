"""Random plans, pauses and changes: nothing begun is lost or done twice, nothing removed is done."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

from framework.errors import PlanError
from framework.plan import (
    Alongside,
    Do,
    Elapsed,
    If,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Wait,
    While,
    actions_of,
    parts,
)
from framework.plugins.parameters import ParameterSpec
from framework.testing import VirtualLoop, run_on
from framework.tree import Change, Insert, PlanState, Remove, Replace, TreeView
from framework.tree.node import PlanNode
from tests.effort import seeds
from tests.framework.tree.play import Play
from tests.framework.tree.scripted import Facts, Kind

NUMBER = (ParameterSpec("number", int), ParameterSpec("thing", str, default=""))
KINDS = (
    Kind("quick", NUMBER, after_s=0.3, value="the cup"),
    Kind("slow", NUMBER, after_s=2.0, end_takes_s=0.4),
    Kind("stay", NUMBER, continuous=True, ready_after_s=0.5, value="the hand"),
    Kind("bad", NUMBER, after_s=1.0, fails="it went wrong"),
    Kind("arm", NUMBER, after_s=1.0, alone="the right arm"),
    Kind("hold", NUMBER, continuous=True, ready_after_s=0.2, alone="the right arm", end_takes_s=0.3),
)
OPEN = State("open")


class Maker:
    """Makes random plans in which every action has a number of its own."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.last = 0

    def plan(self, depth: int = 3, *, is_plain: bool = False) -> Plan:
        if depth == 0 or self.chance.random() < 0.3:
            return self.action(is_plain)
        parts = tuple(self.plan(depth - 1, is_plain=is_plain) for _ in range(self.chance.randint(1, 3)))
        joins = 2 if is_plain else 8
        match self.chance.randrange(joins):
            case 0:
                return Sequence(parts)
            case 1:
                return Parallel(parts)
            case 2:
                return Alongside(parts[0], parts[-1] if len(parts) > 1 else self.action())
            case 3:
                return Until(parts[0], Elapsed(self.chance.choice((0.0, 0.7, 3.0))))
            case 4:
                return While(parts[0], OPEN)
            case 5:
                return If(OPEN, parts[0], parts[1] if len(parts) > 1 else None)
            case 6:
                return Sequence((Wait(self.chance.choice((OPEN, Elapsed(0.5)))), *parts))
        return Sequence(parts)

    def action(self, is_plain: bool = False) -> Do:
        self.last += 1
        kinds = ["quick", "slow"] if is_plain else ["quick", "quick", "slow", "stay", "bad", "arm", "hold"]
        parameters: dict[str, int | Reference] = {"number": self.last}
        if not is_plain and self.chance.random() < 0.15:
            parameters["thing"] = Reference()
        return Do(self.chance.choice(kinds), dict(parameters))

    def change(self, view: TreeView) -> Change:
        ids = [each.id for each in walk(view)]
        node = self.chance.choice([*ids, "9.9"])
        match self.chance.randrange(3):
            case 0:
                where = self.chance.choice(("after", "before", "into"))
                return Insert(self.plan(1, is_plain=True), **{where: node})
            case 1:
                return Remove(node)
        return Replace(node, self.plan(1, is_plain=True))


def walk(view: TreeView) -> list[TreeView]:
    return [view, *(each for child in view.children for each in walk(child))]


def numbers(plan: Plan) -> set[int]:
    return {int(str(do.parameters["number"])) for do in actions_of(plan)}


def begun(play: Play) -> list[int]:
    return [runner.parameters["number"] for runner in play.stage.made]


def places(play: Play) -> dict[int, str]:
    return {int(str(action.do.parameters["number"])): action.node_id for action in play.tree.actions}


def assert_in_order(plan: Plan, order: list[int]) -> None:
    """In every sequence all of a step has begun before anything of the next."""
    for part in parts(plan):
        assert_in_order(part, order)  # type: ignore[arg-type]
    if isinstance(plan, Sequence):
        for step, following in pairwise(plan.steps):
            assert max(map(order.index, numbers(step))) < min(map(order.index, numbers(following)))


def carry_out_a_random_change(play: Play, maker: Maker) -> set[int]:
    """One change, which may be refused; the numbers of the actions that it removed."""
    plan, view, at, had = play.tree.plan, play.tree.view(), places(play), set(begun(play))
    ids = {each.id for each in walk(view)}
    change = maker.change(view)
    try:
        play.tree.change(change)
    except PlanError:
        assert (play.tree.plan, play.tree.view(), places(play)) == (plan, view, at)
        return set()
    now = places(play)
    removed = set(at) - set(now)
    assert not removed & had, "something that had begun was taken away"
    assert {number: now[number] for number in set(at) & set(now)} == {
        number: at[number] for number in set(at) & set(now)
    }, "a node that stays has another id"
    new = {now[number] for number in set(now) - set(at)}
    assert not new & ids, "a new node has an old id"
    assert numbers(play.tree.plan) == set(now) == numbers(plan) - removed | (set(now) - set(at))
    nodes: list[PlanNode] = list(play.tree._root.walk())
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert all(child.parent is node for node in nodes for child in node.plan_children())
    return removed


@seeds("seed", 300)
def test_whatever_is_changed_nothing_is_lost_or_done_twice(seed: int) -> None:
    async def play_it() -> None:
        chance = random.Random(seed)
        maker = Maker(chance)
        is_plain = seed % 3 == 0
        facts = Facts(open=chance.choice((True, False)))
        play = Play(maker.plan(is_plain=is_plain), *KINDS, facts=facts)
        removed: set[int] = set()
        for _ in range(chance.randint(1, 6)):
            await asyncio.sleep(chance.choice((0.0, 0.01, 0.25, 0.6, 1.1)))
            if not play.tree.pause():
                break
            began = begun(play)
            for _ in range(chance.randint(1, 4)):
                if chance.random() < 0.5:
                    await asyncio.sleep(chance.choice((0.0, 0.05, 1.0)))
                if play.tree.state is PlanState.PAUSED:
                    removed |= carry_out_a_random_change(play, maker)
            assert begun(play) == began, "something began although the plan is paused"
            if chance.random() < 0.3:
                facts.set(open=not facts.facts["open"])
            play.tree.resume()
        # What is left: give conditions that nobody fulfils a chance, and end what stays for ever.
        for _ in range(4):
            await asyncio.sleep(30.0)
            if not play.task.done():
                facts.set(open=not facts.facts["open"])
        if not play.task.done():
            assert not is_plain, "a plan of finite actions ends by itself"
            play.tree.stop("enough")
        outcome = await play.outcome()
        assert outcome.state.is_over
        order = begun(play)
        assert len(order) == len(set(order)), "something was done twice"
        assert not set(order) & removed, "something that was removed was done"
        if is_plain:
            assert outcome.state is PlanState.SUCCEEDED
            assert set(order) == numbers(play.tree.plan), "something was not done"
            assert_in_order(play.tree.plan, order)
            assert all(not runner.cancelled_because for runner in play.stage.made)

    loop = VirtualLoop(seed=seed)
    run_on(loop, play_it)
    assert loop.leftovers == ()
