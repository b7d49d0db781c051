"""Changing a paused plan: what may be changed, what becomes of it, and how a refusal reads."""

from __future__ import annotations

import asyncio

import pytest

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
    Until,
    Wait,
    While,
    actions_of,
)
from framework.testing import run
from framework.tree import Change, Insert, NodeState, PlanState, Remove, Replace, TreeView
from framework.tree.picture import text_picture
from tests.framework.tree.play import OPEN, STAYS, A, B, C, Play, scene
from tests.framework.tree.scripted import Facts, Kind

D, E = Do("d"), Do("e")
MORE = (Kind("d"), Kind("e"))


def ids(view: TreeView) -> dict[str, str]:
    """The ids of a tree's nodes by their words."""
    found = {view.words: view.id}
    for child in view.children:
        found |= ids(child)
    return found


class Changing(Play):
    """A plan that is paused, changed and finished."""

    def __init__(self, plan: Plan, facts: Facts | None = None) -> None:
        super().__init__(plan, *MORE, facts=facts)

    def id(self, words: str) -> str:
        return ids(self.tree.view())[words]

    async def finish(self) -> list[str]:
        """Go on, let every action succeed as soon as it runs; the order in which they began."""
        self.tree.resume()
        while not self.task.done():
            await self.settle()
            for name in self.running:
                self.of(name).ready()
                if self.of(name).kind.continuous:
                    continue
                self.of(name).succeed()
            if self.tree.state is PlanState.ESTABLISHED:
                self.tree.stop("enough")
        await self.outcome()
        return [runner.kind.name for runner in self.stage.made]


async def paused(plan: Plan, *, done: int = 0, facts: Facts | None = None) -> Changing:
    """A plan of which so many actions are over and the next ones run, paused."""
    play = Changing(plan, facts=facts)
    await play.settle()
    for _ in range(done):
        await play.after(play.stage.made[-1].succeed)
    play.tree.pause()
    await play.settle()
    return play


ABC = Sequence((A, B, C))


@pytest.mark.parametrize(
    ("done", "change", "plan", "order"),
    [
        (0, Insert(D, after="a"), Sequence((A, D, B, C)), "a d b c"),
        (0, Insert(D, before="b"), Sequence((A, D, B, C)), "a d b c"),
        (0, Insert(D, after="c"), Sequence((A, B, C, D)), "a b c d"),
        (1, Insert(D, after="b"), Sequence((A, B, D, C)), "a b d c"),
        (0, Insert(D, into="a, then b, then c"), Sequence((A, B, C, D)), "a b c d"),
        (0, Insert(Sequence((D, E)), after="a"), Sequence((A, D, E, B, C)), "a d e b c"),
        (0, Insert(Parallel((D, E)), after="a"), Sequence((A, Parallel((D, E)), B, C)), "a d e b c"),
        (0, Remove("b"), Sequence((A, C)), "a c"),
        (1, Remove("c"), Sequence((A, B)), "a b"),
        (0, Replace("b", D), Sequence((A, D, C)), "a d c"),
        (0, Replace("c", Sequence((D, E))), Sequence((A, B, D, E)), "a b d e"),
        (1, Replace("c", A), Sequence((A, B, A)), "a b a"),
    ],
)
def test_a_sequence_is_changed_and_goes_on_from_where_it_was(
    done: int, change: Change, plan: Plan, order: str
) -> None:
    async def play_it() -> None:
        play = await paused(ABC, done=done)
        before = ids(play.tree.view())
        play.tree.change(by_id(change, play))
        assert play.tree.plan == plan
        after = ids(play.tree.view())
        kept = set(before) & set(after) & {"a", "b", "c"}
        if not (isinstance(change, Replace) and change.plan == A):
            assert {words: after[words] for words in kept} == {words: before[words] for words in kept}
            assert not {after[words] for words in set(after) - set(before)} & set(before.values()) - {
                play.tree.view().id
            }
        assert await play.finish() == order.split()

    run(play_it)


def by_id(change: Change, play: Changing) -> Change:
    """A change that names nodes by their words, with their ids."""
    match change:
        case Insert():
            at = {field: getattr(change, field) for field in ("after", "before", "into")}
            return Insert(change.plan, **{field: play.id(words) for field, words in at.items() if words})
        case Remove():
            return Remove(play.id(change.node))
        case Replace():
            return Replace(play.id(change.node), change.plan)


@pytest.mark.parametrize(
    ("before", "change", "after", "order"),
    [
        (A, Insert(D, after="a"), Sequence((A, D)), "a d"),
        (Parallel((A, B)), Insert(D, into="a and b"), Parallel((A, B, D)), "a b d"),
        (Parallel((A, B)), Insert(D, after="a"), Parallel((Sequence((A, D)), B)), "a b d"),
        (Until(A, OPEN), Insert(D, after="a"), Until(Sequence((A, D)), OPEN), "a d"),
        (Until(A, OPEN), Insert(D, after="a until door is open"), Sequence((Until(A, OPEN), D)), "a d"),
        (Alongside(A, B), Insert(D, after="a"), Alongside(Sequence((A, D)), B), "a b d"),
        (Sequence((A, If(OPEN, B, C))), Remove("c"), Sequence((A, If(OPEN, B))), "a"),
        (Sequence((A, If(OPEN, B, C))), Replace("c", D), Sequence((A, If(OPEN, B, D))), "a d"),
        (Sequence((A, If(OPEN, B))), Remove("b"), Sequence((A,)), "a"),
        (Sequence((A, Until(B, OPEN))), Remove("b"), Sequence((A,)), "a"),
        (Sequence((A, While(B, OPEN), C)), Insert(D, before="b while door is open"), None, "a d c"),
        (Sequence((A, Alongside(B, C))), Remove("c"), Sequence((A, B)), "a b"),
        (Sequence((A, Alongside(B, C))), Remove("b"), Sequence((A, C)), "a c"),
        (Sequence((A, Parallel((B,)), C)), Remove("b"), Sequence((A, C)), "a c"),
        (Sequence((A, Wait(OPEN))), Remove("wait until door is open"), Sequence((A,)), "a"),
    ],
)
def test_other_joins_are_changed(before: Plan, change: Change, after: Plan | None, order: str) -> None:
    async def play_it() -> None:
        play = await paused(before, facts=Facts(open=False))
        play.tree.change(by_id(change, play))
        assert after is None or play.tree.plan == after
        assert play.tree.view().words == play.tree.view().words
        assert await play.finish() == order.split()

    run(play_it)


@scene
async def test_a_step_after_what_is_established_is_done_and_what_stays_stays() -> None:
    play = await paused(STAYS)
    play.tree.resume()
    await play.settle()
    play.of("stays").ready()
    await play.settle()
    assert play.tree.state is PlanState.ESTABLISHED
    play.tree.pause()
    play.tree.change(Insert(D, after=play.id("stays")))
    play.tree.resume()
    await play.after(play.of("stays").ready)  # it is established anew after a pause
    assert play.running == ["stays", "d"]
    await play.after(play.of("d").succeed)
    assert play.tree.state is PlanState.ESTABLISHED
    assert len(play.stage.made) == 2
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_nothing_has_begun_yet_so_all_of_it_may_be_replaced() -> None:
    play = Changing(A)
    play.tree.pause()
    play.tree.change(Replace(play.id("a"), Sequence((D, E))))
    assert play.tree.plan == Sequence((D, E))
    assert await play.finish() == ["d", "e"]


@scene
async def test_it_means_what_is_before_it_after_the_change() -> None:
    play = await paused(Sequence((A, Do("e", {"thing": Reference()}))))
    play.tree.change(Insert(D, after=play.id("a")))
    play.tree.resume()
    await play.after(lambda: play.of("a").succeed("the cup"))
    await play.after(lambda: play.of("d").succeed("the drum"))
    assert play.of("e").parameters == {"thing": "the drum"}
    play.of("e").succeed()
    await play.outcome()


@scene
async def test_an_inserted_time_begins_when_it_is_reached() -> None:
    play = await paused(A)
    play.tree.change(Insert(Wait(Elapsed(5.0)), after=play.id("a")))
    await asyncio.sleep(100.0)
    play.tree.resume()
    await play.after(play.of("a").succeed)
    begun_s = asyncio.get_running_loop().time()
    await play.outcome()
    assert asyncio.get_running_loop().time() - begun_s == pytest.approx(4.9, abs=0.05)


@pytest.mark.parametrize(
    ("plan", "done", "change", "words"),
    [
        (ABC, 1, Remove("a"), r'"a"\) has begun.*cannot be changed.*not begun: .*\("c"\)'),
        (ABC, 1, Remove("b"), r"has begun, and what has begun cannot be changed, only stopped"),
        (ABC, 2, Replace("c", D), "there is nothing that has not begun. More can be inserted after it"),
        (ABC, 1, Insert(D, before="b"), "has begun"),
        (ABC, 1, Insert(D, after="a"), r'"b"\) has begun already.*insert it after .*\("b"\)'),
        (ABC, 0, Insert(D), "says nothing; it has to say one of after, before, into"),
        (ABC, 0, Insert(D, after="a", into="a"), "says after and into"),
        (ABC, 0, Insert(D, into="a"), "neither a sequence nor a parallel"),
        (ABC, 0, Insert(Do("fly"), after="a"), "there is no action 'fly'"),
        (ABC, 0, Insert(Sequence(()), after="a"), "at least one part"),
        (A, 0, Remove("a"), "has begun"),
        (Sequence((A, If(OPEN, B, C))), 0, Remove("b"), "replace it, or remove all of"),
        (Until(Sequence((A, B)), OPEN), 0, Remove("a, then b until door is open"), "has begun"),
        (ABC, 0, Insert(Parallel((D,) * 501), after="a"), "more than 500"),
    ],
)
def test_what_cannot_be_changed_is_said_and_changes_nothing(
    plan: Plan, done: int, change: Change, words: str
) -> None:
    async def play_it() -> None:
        play = await paused(plan, done=done, facts=Facts(open=None))
        before = play.tree.view()
        with pytest.raises(PlanError, match=words):
            play.tree.change(by_id(change, play))
        assert play.tree.view() == before
        assert play.tree.plan == plan
        play.tree.stop("enough")
        await play.outcome()

    run(play_it)


@scene
async def test_a_node_that_is_not_there_is_named_with_those_that_are() -> None:
    play = await paused(ABC)
    with pytest.raises(PlanError, match=r"no node '7.7' in this plan; there are 1.4, 1.1, 1.2, 1.3"):
        play.tree.change(Remove("7.7"))
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_a_change_that_makes_the_plan_too_large_is_undone() -> None:
    play = await paused(Sequence((A, Parallel((B,) * 300))))
    before, plan = play.tree.view(), play.tree.plan
    with pytest.raises(PlanError, match="more than 500 parts"):
        play.tree.change(Insert(Parallel((D,) * 300), after=play.id("a")))
    assert (play.tree.view(), play.tree.plan) == (before, plan)
    play.tree.change(Insert(E, after=play.id("a")))
    assert play.id("e") == f"1.{303 + 1}"  # as if there had been no attempt
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_only_a_paused_plan_is_changed() -> None:
    play = Changing(ABC)
    await play.settle()
    with pytest.raises(PlanError, match="is running; it can be changed only while it is paused"):
        play.tree.change(Remove(play.id("c")))
    play.tree.stop("enough")
    with pytest.raises(PlanError, match="is stopping"):
        play.tree.change(Remove(play.id("c")))
    await play.outcome()
    with pytest.raises(PlanError, match="is cancelled"):
        play.tree.change(Remove(play.id("c")))


@scene
async def test_in_a_branch_that_was_not_chosen_nothing_can_be_changed() -> None:
    play = await paused(If(OPEN, A, Sequence((B, C))), facts=Facts(open=True))
    with pytest.raises(PlanError, match=r"is over, so nothing in it can be changed|has begun"):
        play.tree.change(Remove(play.id("c")))
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_a_step_that_waits_for_what_it_means_has_not_begun() -> None:
    play = await paused(Parallel((A, Do("b", {"thing": Reference()}))))
    play.tree.change(Remove(play.id("b it") if "b it" in ids(play.tree.view()) else play.id("b")))
    assert [do.action for do in actions_of(play.tree.plan)] == ["a"]
    assert await play.finish() == ["a"]


@scene
async def test_removing_what_an_earlier_step_would_make_room_for_keeps_that() -> None:
    holds = Kind("holds", continuous=True, alone="the right arm")
    play = Play(Sequence((Do("holds"), Do("wants"))), holds, Kind("wants", alone="the right arm"))
    await play.settle()
    play.tree.pause()
    play.tree.resume()
    await play.settle()
    play.of("holds").to(play.of("holds").state)
    play.tree.pause()
    await play.settle()
    play.tree.change(Remove(ids(play.tree.view())["wants"]))
    play.tree.resume()
    await play.settle()
    play.of("holds").ready()
    await play.settle()
    assert play.running == ["holds"]
    assert play.of("holds").cancelled_because == []
    assert play.tree.state is PlanState.ESTABLISHED
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_a_paused_plan_shows_what_has_not_begun_as_idle() -> None:
    play = await paused(ABC, done=1)
    states = [child.state for child in play.tree.view().children]
    assert states == [NodeState.SUCCEEDED, NodeState.PAUSED, NodeState.IDLE]
    assert "--> c [-] -- idle" in text_picture(play.tree.view())
    play.tree.stop("enough")
    await play.outcome()
