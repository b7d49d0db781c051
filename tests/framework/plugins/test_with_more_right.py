"""Actions with more right: they take, do not queue, end in good order, and hold in a person's name."""

from __future__ import annotations

import asyncio

import pytest

from framework.errors import ActionOver
from framework.plugins import Action, RunState, needs, param
from framework.status import Priority
from tests.framework.plugins.stage import Arm, Sensor, Stage, assert_ended, on_stage, until


class Plod(Action):
    """Takes its time with the left arm."""

    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> str:
        await asyncio.sleep(5.0)
        return "done"


class TakeOver(Action):
    """Somebody takes the arm for themselves."""

    continuous = True
    priority = Priority.OPERATOR
    if_held = "ask them for it"

    session: str = param(default="", asked_by="sessions")
    both: bool = False

    arm = needs(Arm("left"), exclusive=True)
    other = needs(lambda given: Arm("right") if given.both else (), exclusive=True)

    async def run(self) -> None:
        if self.both:
            assert self.other
        else:
            assert not self.other
        await self.stay("mine")


class Leaves(TakeOver):
    """It ends by itself, in good order."""

    async def run(self) -> None:
        self.established("mine")
        await asyncio.sleep(1.0)
        raise ActionOver("somebody else wants it")


class Explains(TakeOver):
    """It says why it was told to end."""

    async def run(self) -> None:
        try:
            await self.stay("mine")
        except asyncio.CancelledError as error:
            self.say(f"because {error}")
            raise


def test_it_is_refused_if_somebody_with_as_much_right_has_it_with_their_name_and_what_to_do() -> None:
    async def play(stage: Stage) -> None:
        first = stage.runner(TakeOver, {"session": "phone 1"}, who="let me drive")
        life = asyncio.create_task(first.run())
        await until(lambda: first.state is RunState.READY)
        second = await stage.runner(TakeOver, {"session": "phone 2"}).run()
        assert_ended(second, RunState.FAILED, "phone 1", "ask them for it")
        first.cancel()
        await life

    on_stage(play)


def test_it_takes_what_has_less_right_and_that_goes_on_afterwards() -> None:
    async def play(stage: Stage) -> None:
        plodding = stage.runner(Plod)
        life = asyncio.create_task(plodding.run())
        await asyncio.sleep(2.0)
        taking = stage.runner(TakeOver, {"session": "phone 1"}, who="let me drive")
        taken = asyncio.create_task(taking.run())
        await until(lambda: taking.state is RunState.READY)
        assert plodding.state is RunState.WAITING
        taking.cancel()
        await taken
        assert (await life).value == "done"

    stage = on_stage(play)
    assert any("phone 1 took" in words for words in stage.words)


@pytest.mark.parametrize("both", [False, True])
def test_what_it_does_not_need_with_these_parameters_it_does_not_ask_for(both: bool) -> None:
    async def play(stage: Stage) -> None:
        async with stage.running(TakeOver, {"both": both}) as runner:
            await until(lambda: runner.state is RunState.READY)
            assert len(stage.up) == (2 if both else 1)

    on_stage(play)


def test_a_continuous_action_can_end_in_good_order() -> None:
    async def play(stage: Stage) -> None:
        assert_ended(await stage.runner(Leaves).run(), RunState.SUCCEEDED, "somebody else wants it")

    on_stage(play)


def test_an_action_that_is_told_to_end_knows_why() -> None:
    async def play(stage: Stage) -> None:
        async with stage.running(Explains) as runner:
            await until(lambda: runner.state is RunState.READY)
            runner.cancel("there is an emergency stop")

    stage = on_stage(play)
    assert "because there is an emergency stop" in stage.words


def test_what_a_person_needs_besides_still_has_alternatives() -> None:
    class Sees(TakeOver):
        feed = needs(Sensor("good"), Sensor("fair"), optional=True)

        async def run(self) -> None:
            await self.stay(f"mine, seen by {self.feed.device}")

    async def play(stage: Stage) -> None:
        stage.break_("good")
        async with stage.running(Sees) as runner:
            await until(lambda: runner.state is RunState.READY)

    stage = on_stage(play)
    assert "mine, seen by fair" in stage.words
