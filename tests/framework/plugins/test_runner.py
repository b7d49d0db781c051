"""The life of an action: what it does wrong itself. All on the virtual clock."""

from __future__ import annotations

import asyncio

import pytest

from framework.errors import PlanError
from framework.plugins import Action, RunState, needs, param
from tests.framework.plugins.lookers import Look
from tests.framework.plugins.stage import Arm, Screen, Sensor, Stage, assert_ended, on_stage, until


def test_an_action_that_raises_fails_with_its_words() -> None:
    class Clumsy(Action):
        feed = needs(Sensor)

        async def run(self) -> None:
            raise ValueError("no such cup")

    async def play(stage: Stage) -> None:
        outcome = await stage.runner(Clumsy).run()
        assert_ended(outcome, RunState.FAILED, "clumsy", "ValueError: no such cup")

    on_stage(play)


def test_an_action_that_calls_sys_exit_ends_itself_only() -> None:
    class Leaver(Action):
        async def run(self) -> None:
            raise SystemExit(3)

    async def play(stage: Stage) -> None:
        assert_ended(await stage.runner(Leaver).run(), RunState.FAILED, "sys.exit(3)")

    on_stage(play)


def test_an_action_that_cancels_itself_fails() -> None:
    class Odd(Action):
        async def run(self) -> None:
            raise asyncio.CancelledError

    async def play(stage: Stage) -> None:
        assert_ended(await stage.runner(Odd).run(), RunState.FAILED, "cancelled itself")

    on_stage(play)


def test_an_action_whose_constructor_raises_fails() -> None:
    class Stillborn(Action):
        def __init__(self) -> None:
            raise RuntimeError("no")

        async def run(self) -> None: ...

    async def play(stage: Stage) -> None:
        assert_ended(await stage.runner(Stillborn).run(), RunState.FAILED, "RuntimeError: no")

    on_stage(play)


@pytest.mark.parametrize("why_it_ends", ["cancel", "failure", "pause"])
def test_an_action_that_never_ends_is_abandoned_and_its_leases_given_back(
    why_it_ends: str,
) -> None:
    class Mule(Action):
        feed = needs(Sensor)
        arm = needs(Arm, exclusive=True)

        async def run(self) -> None:
            async with self.use(Screen()):
                while True:
                    try:
                        await asyncio.sleep(3600.0)
                    except asyncio.CancelledError:
                        if leave.is_set():
                            raise

    leave = asyncio.Event()

    async def play(stage: Stage) -> None:
        runner = stage.runner(Mule)
        life = asyncio.create_task(runner.run())
        await until(lambda: "screen of good" in stage.up)
        start_s = asyncio.get_running_loop().time()
        if why_it_ends == "cancel":
            runner.cancel("enough")
        elif why_it_ends == "pause":
            runner.pause()
        else:
            stage.break_("left arm")
        outcome = await life
        assert asyncio.get_running_loop().time() - start_s <= 2.1
        state = RunState.CANCELLED if why_it_ends == "cancel" else RunState.FAILED
        assert_ended(outcome, state, "did not end within 2 s", "given back")
        await asyncio.sleep(0.1)
        assert stage.is_idle
        leave.set()
        for task in asyncio.all_tasks():
            if task.get_name() == "action mule":
                task.cancel()

    on_stage(play)


def test_a_clean_up_that_raises_is_said_and_harms_nothing() -> None:
    class Sloppy(Action):
        arm = needs(Arm, exclusive=True)

        async def run(self) -> None:
            try:
                await asyncio.sleep(100.0)
            finally:
                raise OSError("cannot park")

    async def play(stage: Stage) -> None:
        runner = stage.runner(Sloppy)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is RunState.RUNNING)
        runner.cancel("stop")
        assert_ended(await life, RunState.CANCELLED, "stop")

    stage = on_stage(play)
    assert any("clean-up raised OSError: cannot park" in text for text in stage.words)


def test_what_an_action_leaves_open_is_closed() -> None:
    class Forgetful(Action):
        async def run(self) -> str:
            screen = await self.use(Screen()).__aenter__()
            return str(screen.device)

    async def play(stage: Stage) -> None:
        assert (await stage.runner(Forgetful).run()).value == "screen of good"

    on_stage(play)


def test_listeners_that_raise_harm_nothing() -> None:
    async def play(stage: Stage) -> None:
        runner = stage.runner(Look)
        runner._voice._say = lambda event: 1 / 0  # type: ignore[assignment]
        runner._voice._on_change = lambda: 1 / 0  # type: ignore[assignment]
        assert (await runner.run()).state is RunState.SUCCEEDED

    on_stage(play)


def test_parameters_that_do_not_fit_are_refused_before_anything_starts() -> None:
    class Reach(Action):
        distance_m: float = param(ge=0.1, le=0.8)

        async def run(self) -> None: ...

    async def play(stage: Stage) -> None:
        with pytest.raises(PlanError, match=r"reach: distance_m = 3 .*from 0.1 to 0.8 m"):
            stage.runner(Reach, {"distance_m": 3})
        assert not stage.said

    on_stage(play)
