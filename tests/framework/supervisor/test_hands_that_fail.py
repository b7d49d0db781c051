"""A person takes what something else has, and that comes to nothing: what they interrupted waits for a word.

With real runners and registrars: `take` is anything by which a person's hand takes an arm.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from framework.plugins import Action, ActionCatalogue, OnPreempt, Phrases, Risk, action_spec, needs
from framework.plugins.need import in_words
from framework.status import Priority
from framework.supervisor import EventKind
from framework.tree.run import PlanState
from framework.tree.view import NodeState
from tests.effort import IS_FULL
from tests.framework.plugins.stage import Arm, Sensor
from tests.framework.supervisor.harness import Harness, run_scene

#: How often each action has begun to move.
begun: list[str] = []


LEFT = in_words(Arm("left"))

#: So long does what moves need to end [s].
ENDS_S = 0.2


class Move(Action):
    """Moves the left arm for ten seconds, and takes its time to end."""

    risk = Risk.MOVES
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        begun.append("move")
        try:
            await asyncio.sleep(10.0)
        finally:
            await asyncio.sleep(ENDS_S)


class Reach(Action):
    """Moves the left arm, as it turns out only when it runs."""

    risk = Risk.MOVES

    async def run(self) -> None:
        async with self.use(Arm("left"), exclusive=True):
            begun.append("reach")
            await asyncio.sleep(10.0)


class Swing(Action):
    """Moves the right arm."""

    risk = Risk.MOVES
    arm = needs(Arm("right"), exclusive=True)

    async def run(self) -> None:
        begun.append("swing")
        await asyncio.sleep(10.0)


class Take(Action):
    """A person's hand has the left arm, by way of a session."""

    continuous = True
    retains = True
    risk = Risk.MOVES
    priority = Priority.OPERATOR
    on_preempt = OnPreempt.GIVE_UP
    if_held = "ask there"

    session = needs(Sensor("good"), exclusive=True)
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        await self.stay("somebody has the left arm")


class TakeBadly(Take):
    """The same with a hand too few."""

    async def run(self) -> None:
        raise PilothouseError("phone 1 has one hand")


class TakeEither(Take):
    """The same with whichever arm there is."""

    session = needs(Sensor("good"), exclusive=True)
    arm = needs(Arm("left"), Arm("right"), exclusive=True)

    async def run(self) -> None:
        await self.stay(f"somebody has {self.arm.device}")


CATALOGUE = ActionCatalogue(
    action_spec(action, phrases=Phrases("phrases.yaml", (say,)))
    for action, say in {
        Move: "move",
        Reach: "reach",
        Swing: "swing",
        Take: "take",
        TakeBadly: "take it badly",
        TakeEither: "take either",
    }.items()
)


async def begin(harness: Harness, text: str) -> None:
    """Until it moves."""
    harness.supervisor.say(text)
    await asyncio.sleep(0.5)
    assert begun[-1] == text


def play(directory: Path, scene: Callable[[Harness], Awaitable[None]]) -> None:
    begun.clear()
    run_scene(CATALOGUE, directory, scene)


@pytest.mark.parametrize("moves", ["move", "reach"])
def test_one_that_fails_as_soon_as_it_has_the_arm(tmp_path: Path, moves: str) -> None:
    async def scene(harness: Harness) -> None:
        await begin(harness, moves)
        assert not await harness.say("take it badly")
        await asyncio.sleep(5.0)
        assert (harness.states, begun) == ({moves: PlanState.PAUSED}, [moves])
        assert harness.texts(EventKind.PAUSED)[-1] == (
            f'"take it badly" has not worked; "{moves}" is paused: say "carry on" to go on.'
        )
        assert await harness.say("carry on")
        await asyncio.sleep(0.5)
        assert (harness.states, begun) == ({moves: PlanState.RUNNING}, [moves, moves])

    play(tmp_path, scene)


@pytest.mark.thorough
def test_one_whose_session_goes_at_any_moment_between_asking_and_having(tmp_path: Path) -> None:
    """In every step of the loop: before anybody is asked to let go, while they do, and just after that."""
    interrupted: list[bool] = []

    async def at_a_moment(harness: Harness, after_s: float, steps: int) -> None:
        await begin(harness, "move")
        harness.supervisor.say("take")
        await asyncio.sleep(after_s)
        for _ in range(steps):
            await asyncio.sleep(0.0)
        harness.stage.break_("good")
        await asyncio.sleep(2.0)
        interrupted.append(harness.was_said(" took "))
        expected = PlanState.PAUSED if interrupted[-1] else PlanState.RUNNING
        assert (harness.states, begun) == ({"move": expected}, ["move"]), (after_s, steps)

    for after_s, steps in itertools.product((0.0, ENDS_S / 2, ENDS_S), range(0, 40, 1 if IS_FULL else 5)):
        directory = tmp_path / f"{after_s} {steps}"
        directory.mkdir()
        play(directory, partial(at_a_moment, after_s=after_s, steps=steps))
    assert set(interrupted) == {True, False}


def test_one_that_gets_another_arm_instead_has_not_come_to_nothing(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        await begin(harness, "move")
        taking = harness.supervisor.say("take either")
        await asyncio.sleep(ENDS_S / 2)
        harness.stage.break_("left arm")
        assert await taking.done()
        await asyncio.sleep(1.0)
        assert (harness.states["move"], begun) == (PlanState.PAUSED, ["move"])
        assert not harness.was_said("has not worked")
        assert harness.texts(EventKind.PAUSED)[-1].endswith('; "move" is paused: say "carry on" to go on.')
        assert harness.was_said("(right arm)"), harness.texts(EventKind.DOING)

    play(tmp_path, scene)


def test_one_that_loses_an_arm_and_goes_on_with_another_has_not_come_to_nothing(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        await begin(harness, "move")
        assert await harness.say("take either")
        harness.stage.break_("left arm")
        await asyncio.sleep(1.0)
        assert (harness.states["move"], begun) == (PlanState.PAUSED, ["move"])
        assert not harness.was_said("has not worked")
        assert harness.texts(EventKind.PAUSED)[-1] == (
            'left arm was unplugged; "move" is paused: say "carry on" to go on.'
        )
        assert harness.was_said(f"{LEFT} failed: left arm was unplugged; going on with ")

    play(tmp_path, scene)


@pytest.mark.parametrize("is_there", [True, False])
def test_one_that_never_had_it_pauses_nothing_and_one_that_had_pauses_what_could_hit_it(
    tmp_path: Path, is_there: bool
) -> None:
    async def scene(harness: Harness) -> None:
        await begin(harness, "move" if not is_there else "swing")
        if not is_there:
            harness.stage.break_("good")
        assert not await harness.say("take it badly")
        await asyncio.sleep(1.0)
        expected = PlanState.PAUSED if is_there else PlanState.RUNNING
        assert list(harness.states.values()) == [expected]
        assert len(begun) == 1

    play(tmp_path, scene)


def test_one_that_its_operator_ends_while_it_takes_lets_go_on_what_it_has_interrupted(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        await begin(harness, "move")
        harness.supervisor.say("take")
        await asyncio.sleep(ENDS_S / 2)
        assert await harness.say("stop taking")
        await asyncio.sleep(1.0)
        assert (harness.states, begun) == ({"move": PlanState.RUNNING}, ["move", "move"])

    play(tmp_path, scene)


def test_what_was_interrupted_waits_for_an_arm_that_has_failed_instead_of_failing(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        await begin(harness, "move")
        assert await harness.say("take")
        harness.stage.break_("left arm", "stopped: say “recover the left arm”")
        await asyncio.sleep(1.0)
        assert harness.states == {"move": PlanState.PAUSED}
        assert begun == ["move"]
        await harness.say("carry on")
        await asyncio.sleep(1.0)
        assert harness.states == {"move": PlanState.PAUSED}, "it is still broken"
        said = harness.texts(EventKind.PAUSED)
        assert "recover the left arm" in said[-1]
        assert said[-1].endswith('; "move" is paused: say "carry on" to go on.')
        harness.stage.mend("left arm")
        await harness.say("carry on")
        await asyncio.sleep(1.0)
        assert (harness.states, begun) == ({"move": PlanState.RUNNING}, ["move", "move"])

    play(tmp_path, scene)


def test_what_was_not_interrupted_fails_with_the_arm_that_it_waits_for(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.say("take")
        waiting = harness.supervisor.say("move")
        await asyncio.sleep(0.5)
        harness.stage.break_("left arm")
        assert not await waiting.done()
        await asyncio.sleep(0.5)
        assert harness.states == {}

    play(tmp_path, scene)


@pytest.mark.parametrize("moves", ["move", "reach"])
def test_what_was_interrupted_waits_until_it_has_the_arm_again(tmp_path: Path, moves: str) -> None:
    async def scene(harness: Harness) -> None:
        await begin(harness, moves)
        assert await harness.say("take")
        await asyncio.sleep(1.0)
        (interrupted,) = (plan for plan in harness.supervisor.plans() if plan.words == moves)
        assert interrupted.tree.state is NodeState.WAITING
        for after_s in (0.0, 0.1):
            assert await harness.say("stop taking", "somebody else")
            await asyncio.sleep(1.0)
            assert begun == [moves], "nothing begins"
            assert await harness.say("take")
            await asyncio.sleep(after_s)
        assert await harness.say("done")
        await asyncio.sleep(0.5)
        assert begun == [moves], "it was lost in between: that takes a word"
        assert await harness.say("carry on")
        await asyncio.sleep(0.5)
        assert (harness.states, begun) == ({moves: PlanState.RUNNING}, [moves, moves])
        (interrupted,) = harness.supervisor.plans()
        assert interrupted.tree.state is NodeState.RUNNING

    play(tmp_path, scene)
