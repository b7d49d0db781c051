"""The motion interlock in whole plans: nothing moves on by itself after a loss, a permit lets it.

With real runners, registrars and trees. `tests/framework/test_interlock.py` has the rule alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from framework.interlock import Loss, LossKind, Permit
from framework.plan.ast import Do, Graph, Node, Sequence
from framework.plan.graph import ENTRY, Edge, Response
from framework.plan.instruction import Source
from framework.plugins import Action, ActionCatalogue, OnPreempt, Phrases, Risk, action_spec, needs
from framework.status import Priority
from framework.supervisor import EventKind
from framework.tree.run import PlanState
from tests.framework.plugins.stage import Arm
from tests.framework.supervisor.harness import Harness, run_scene

#: How often each action has begun to move.
begun: list[str] = []

DEVICES = ("left arm", "right arm")


class Move(Action):
    """Moves the left arm for ten seconds."""

    risk = Risk.MOVES
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        begun.append("move")
        try:
            await asyncio.sleep(10.0)
        finally:
            await asyncio.sleep(0.2)


class Nudge(Action):
    """Moves the left arm for a moment."""

    risk = Risk.MOVES
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        begun.append("nudge")
        await asyncio.sleep(0.1)


class Swing(Action):
    """Moves the right arm."""

    risk = Risk.MOVES
    arm = needs(Arm("right"), exclusive=True)

    async def run(self) -> None:
        begun.append("swing")
        await asyncio.sleep(10.0)


class Look(Action):
    """Moves nothing, for a second."""

    async def run(self) -> None:
        await asyncio.sleep(1.0)


class Watch(Action):
    """Moves nothing, for long."""

    async def run(self) -> None:
        await asyncio.sleep(100.0)


class Again(Action):
    """Does the last instruction again, twice."""

    async def run(self) -> None:
        await self.supervisor.repeat(2)


class Take(Action):
    """A person's hand has the left arm."""

    continuous = True
    retains = True
    risk = Risk.MOVES
    priority = Priority.OPERATOR
    on_preempt = OnPreempt.GIVE_UP
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        await self.stay("somebody has the left arm")


PHRASES = {
    Move: "move",
    Nudge: "nudge",
    Swing: "swing",
    Look: "look",
    Watch: "watch",
    Again: "do that again",
    Take: "take",
}
CATALOGUE = ActionCatalogue(
    action_spec(action, phrases=Phrases("phrases.yaml", (say,))) for action, say in PHRASES.items()
)


def play(directory: Path, scene: Callable[[Harness], Awaitable[None]]) -> None:
    begun.clear()
    run_scene(CATALOGUE, directory, scene)


async def a_hand_is_lost(harness: Harness) -> None:
    """Somebody takes the left arm, and does not say themselves that they are done."""
    assert await harness.say("take", "somebody")
    assert await harness.say("cancel take", "somebody else")
    await asyncio.sleep(0.5)


PAUSED_BY_AN_EDGE = Graph(
    "g",
    (Node("move_0", Do("move")), Node("look_0", Do("look")), Node("watch_0", Do("watch"))),
    (
        Edge(ENTRY, "move_0"),
        Edge(ENTRY, "look_0"),
        Edge(ENTRY, "watch_0"),
        Edge("look_0", "move_0", required=False, on_true=Response.PAUSE),
    ),
)


@pytest.mark.parametrize("ends", ["said so", "handed over", "lost", "carry on after a loss"])
def test_what_an_edge_has_paused_does_not_go_on_because_a_hand_has_let_go(tmp_path: Path, ends: str) -> None:
    """Nor because the plan goes on that somebody's hand has interrupted elsewhere: that is another cause."""

    async def scene(harness: Harness) -> None:
        graph = harness.supervisor.carry_out(PAUSED_BY_AN_EDGE)
        await asyncio.sleep(2.0)
        assert begun == ["move"]
        plan = graph.plan
        if ends == "carry on after a loss":
            harness.supervisor.pause_plan(plan)
        assert await harness.say("take", "somebody")
        await asyncio.sleep(0.5)
        if ends == "said so":
            assert await harness.say("done", "somebody")
        else:
            assert await harness.say("cancel take", "somebody else")
        if ends == "handed over":
            assert await harness.say("take", "the next one")
            assert await harness.say("done", "the next one")
        await asyncio.sleep(2.0)
        if ends == "carry on after a loss":
            harness.supervisor.resume_plan(plan)
            await asyncio.sleep(2.0)
        assert begun == ["move"]
        harness.supervisor.resume_plan(plan)
        await asyncio.sleep(1.0)
        assert begun == ["move", "move"], "the edge's pause is lifted by a word of its own"
        harness.supervisor.stop_plan(plan)
        await graph.done()

    play(tmp_path, scene)


def test_an_emergency_stop_raises_every_epoch_and_a_word_after_the_reset_lets_move(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        harness.supervisor.say("move")
        harness.supervisor.say("swing")
        await asyncio.sleep(0.5)
        before = harness.interlock.epoch
        assert all(harness.interlock.since(each, Permit("1", epoch=before)) is None for each in DEVICES)
        stopping = harness.supervisor.emergency_stop("a test")
        assert harness.interlock.epoch > before
        for device in (*DEVICES, "whatever else"):
            loss = harness.interlock.since(device, Permit("1", epoch=before))
            assert loss is not None and loss.kind is LossKind.EMERGENCY
        await stopping.done()
        assert await harness.supervisor.reset_emergency("a test").done()
        await asyncio.sleep(5.0)
        assert sorted(begun) == ["move", "swing"], "resetting moves nothing"
        harness.supervisor.say("move")
        await asyncio.sleep(0.5)
        assert sorted(begun) == ["move", "move", "swing"]

    play(tmp_path, scene)


def test_what_another_process_latches_raises_every_epoch_too(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        before = harness.interlock.epoch
        harness.latch.latch("somebody at the box")
        await asyncio.sleep(0.5)
        assert harness.interlock.since("left arm", Permit("1", epoch=before)) is not None
        assert await harness.supervisor.reset_emergency("a test").done()

    play(tmp_path, scene)


def test_an_older_permit_enters_nothing_that_moves_says_why_and_enters_after_the_word(
    tmp_path: Path,
) -> None:
    async def scene(harness: Harness) -> None:
        harness.supervisor.carry_out(Sequence((Do("look"), Do("look"), Do("move"))))
        await asyncio.sleep(0.1)
        await a_hand_is_lost(harness)
        await asyncio.sleep(5.0)
        assert begun == []
        (waiting,) = harness.supervisor.plans()
        assert waiting.state is PlanState.PAUSED
        loss = harness.interlock.awaited(waiting.id)
        assert loss is not None and loss.kind is LossKind.HAND
        assert loss.why in harness.texts(EventKind.PAUSED)[-1]
        assert await harness.say("carry on")
        await asyncio.sleep(0.5)
        assert begun == ["move"]

    play(tmp_path, scene)


def test_a_pause_and_its_end_are_no_word_for_another_plan(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        harness.supervisor.carry_out(Sequence((Do("look"), Do("look"), Do("move"))))
        swinging = harness.supervisor.say("watch")
        await asyncio.sleep(0.1)
        await a_hand_is_lost(harness)
        harness.supervisor.pause_plan(swinging.plan)
        harness.supervisor.resume_plan(swinging.plan)
        await asyncio.sleep(5.0)
        assert begun == []

    play(tmp_path, scene)


def test_a_repetition_has_the_word_of_who_asked_for_it_and_no_later_one(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.supervisor.carry_out(Sequence((Do("nudge"), Do("look")))).done()
        harness.supervisor.say("do that again")
        await asyncio.sleep(0.5)
        assert begun == ["nudge"] * 2
        harness.interlock.raise_for("left arm", Loss(LossKind.HAND, "somebody", "somebody is lost"))
        harness.interlock.tell_rise()
        await asyncio.sleep(5.0)
        assert begun == ["nudge"] * 2, "the next one is begun by the plan, not by an operator"
        assert await harness.say("carry on")
        await asyncio.sleep(5.0)
        assert begun == ["nudge"] * 3
        assert not harness.states

    play(tmp_path, scene)


def test_a_correction_counts_from_when_it_was_said_and_not_from_when_it_begins(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        harness.supervisor.say("move")
        await asyncio.sleep(0.5)
        harness.supervisor.say("no, swing")
        await asyncio.sleep(0.05)  # it ends
        harness.interlock.raise_for("right arm", Loss(LossKind.HAND, "somebody", "somebody is lost"))
        harness.interlock.tell_rise()
        await asyncio.sleep(3.0)
        assert (begun, harness.states) == (["move"], {"swing": PlanState.PAUSED})
        assert await harness.say("carry on")
        await asyncio.sleep(0.5)
        assert begun == ["move", "swing"]

    play(tmp_path, scene)


def test_who_joins_a_paused_plan_gives_the_word_and_lifts_no_pause(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        moving = harness.supervisor.say("move", who="a")
        await asyncio.sleep(0.5)
        harness.supervisor.pause_plan(moving.plan)
        harness.supervisor.say("move", who="b")
        permit = harness.interlock.permit(moving.plan)
        assert permit.is_suspended

    play(tmp_path, scene)


def test_who_wants_the_same_gives_the_word_that_it_has_waited_for(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        moving = harness.supervisor.say("move", who="ann")
        await asyncio.sleep(0.5)
        harness.interlock.raise_for("left arm", Loss(LossKind.HAND, "somebody", "somebody is lost"))
        harness.interlock.tell_rise()
        await asyncio.sleep(3.0)
        assert begun == ["move"]
        joined = harness.supervisor.say("move", who="bob")
        await asyncio.sleep(1.0)
        assert joined.plan == moving.plan and begun == ["move", "move"]

    play(tmp_path, scene)


def test_a_yes_is_a_word_of_its_own_moment(tmp_path: Path) -> None:
    """What was lost while the question stood is known to who answers it."""

    async def scene(harness: Harness) -> None:
        harness.supervisor.say("move", who="ann", source=Source.SPEECH, confidence=0.5)
        await asyncio.sleep(0.5)
        harness.interlock.raise_for("left arm", Loss(LossKind.HAND, "somebody", "somebody is lost"))
        harness.interlock.tell_rise()
        assert begun == []
        harness.supervisor.say("yes", who="ann")
        await asyncio.sleep(1.0)
        assert begun == ["move"]

    play(tmp_path, scene)


def test_the_same_loss_is_told_once_to_who_waits(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        harness.supervisor.carry_out(Sequence((Do("watch"), Do("nudge"))))
        await asyncio.sleep(0.5)
        loss = Loss(LossKind.HAND, "somebody", "somebody is lost")
        harness.interlock.raise_for("left arm", loss)
        harness.interlock.tell_rise()
        (plan,) = harness.supervisor.plans()
        for _ in range(3):
            harness.interlock.refused(
                Permit(plan.id), "left arm", harness.interlock.since("left arm", None) or loss
            )
            await asyncio.sleep(1.0)
        assert sum("waits with" in text for text in harness.texts(EventKind.WAITING)) == 1

    play(tmp_path, scene)
