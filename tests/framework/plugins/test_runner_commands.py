"""The life of an action: what it is told from outside, and what it tells."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from framework.errors import PilothouseError, PlanError, ResourceFailed
from framework.events import EventKind
from framework.plugins import Action, RunnerPolicy, RunState, needs
from framework.status import Priority
from tests.framework.plugins.lookers import Hold, Look, Progress, Watch
from tests.framework.plugins.stage import Arm, Sensor, Stage, assert_ended, on_stage, until


def test_pausing_gives_the_arm_back_and_keeps_the_camera() -> None:
    class Work(Hold):
        feed = needs(Sensor)

    async def play(stage: Stage) -> None:
        runner = stage.runner(Work)
        life = asyncio.create_task(runner.run())
        await asyncio.sleep(5.0)
        runner.pause()
        await until(lambda: runner.state is RunState.PAUSED)
        await asyncio.sleep(0.5)
        assert set(stage.up) == {"good"}
        runner.resume()
        outcome = await life
        assert_ended(outcome, RunState.SUCCEEDED)
        assert outcome.value == 2 and stage.starts.count("good") == 1

    on_stage(play)


def test_pausing_while_it_waits_takes_it_out_of_the_queue() -> None:
    async def play(stage: Stage) -> None:
        async with stage.operator.request(Arm("left"), exclusive=True):
            runner = stage.runner(Hold)
            life = asyncio.create_task(runner.run())
            await until(lambda: "operator" in runner.detail)
            runner.pause()
            await until(lambda: runner.state is RunState.PAUSED)
            assert not any(resource.waiting for resource in stage.manager.snapshot().resources)
            runner.cancel("never mind")
            assert_ended(await life, RunState.CANCELLED, "never mind")

    on_stage(play)


def test_what_fails_while_paused_is_asked_for_again() -> None:
    async def play(stage: Stage) -> None:
        async with stage.running(Watch) as runner:
            await until(lambda: runner.state is RunState.READY)
            runner.pause()
            await until(lambda: runner.state is RunState.PAUSED)
            stage.break_("good")
            await asyncio.sleep(1.0)
            runner.resume()
            await until(lambda: runner.detail == "watching with fair")

    on_stage(play)


def test_cancelling_the_one_who_runs_it_cancels_it() -> None:
    async def play(stage: Stage) -> None:
        runner = stage.runner(Hold)
        life = asyncio.create_task(runner.run())
        await asyncio.sleep(5.0)
        life.cancel()
        with pytest.raises(asyncio.CancelledError):
            await life
        assert runner.state is RunState.CANCELLED

    on_stage(play)


def test_cancelling_before_it_runs() -> None:
    async def play(stage: Stage) -> None:
        runner = stage.runner(Hold)
        runner.cancel("changed my mind")
        assert_ended(await runner.run(), RunState.CANCELLED, "changed my mind")
        assert not stage.starts
        with pytest.raises(PlanError, match="has been run already"):
            await runner.run()

    on_stage(play)


def test_asking_and_carrying_on() -> None:
    class Grasp(Action):
        async def run(self) -> str:
            return await self.ask("I cannot grasp the cup: take the arm?")

    async def play(stage: Stage) -> None:
        runner = stage.runner(Grasp)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is RunState.ASKING)
        assert runner.detail.startswith("I cannot grasp")
        runner.answer("carry on")
        runner.answer("carry on")
        assert (await life).value == "carry on"

    stage = on_stage(play)
    assert [event.kind for event in stage.said].count(EventKind.ASKED) == 1


def test_the_arm_may_be_taken_while_it_asks() -> None:
    class Grasp(Action):
        memory: Progress
        arm = needs(Arm, exclusive=True)

        async def run(self) -> str:
            self.memory.runs += 1
            if self.memory.runs == 1:
                await self.ask("take the arm?")
            return "grasped"

    async def play(stage: Stage) -> None:
        runner = stage.runner(Grasp)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is RunState.ASKING)
        async with stage.operator.request(Arm(), exclusive=True, priority=Priority.OPERATOR):
            await until(lambda: runner.state is RunState.WAITING)
            runner.answer("carry on")
        assert (await life).value == "grasped"

    on_stage(play)


def test_each_change_of_state_is_followed_by_an_event() -> None:
    """The tree above looks at a runner only when it hears from it."""

    async def play(stage: Stage) -> None:
        runner = stage.runner(Watch)
        states: list[RunState] = []
        heard: list[RunState] = []
        runner._voice._on_change = lambda: states.append(runner.state)
        runner._voice._say = lambda event: heard.append(runner.state)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is RunState.READY)
        runner.pause()
        await until(lambda: runner.state is RunState.PAUSED)
        runner.resume()
        await until(lambda: runner.state is RunState.READY)
        runner.cancel()
        await life
        assert set(states) <= set(heard)

    on_stage(play)


def test_a_client_is_of_no_use_after_its_run() -> None:
    kept: list[Any] = []

    class Keeper(Action):
        feed = needs(Sensor)

        async def run(self) -> None:
            kept.append(self.feed)
            assert self.feed.device == "good"
            with pytest.raises(AttributeError, match="its handle is a Feed with device, number"):
                _ = self.feed.frames

    async def play(stage: Stage) -> None:
        assert (await stage.runner(Keeper).run()).state is RunState.SUCCEEDED
        with pytest.raises(Exception, match="given back"):
            _ = kept[0].device
        with pytest.raises(Exception, match="given back"):
            kept[0].send(b"")
        assert not kept[0]

    on_stage(play)


def test_a_handled_failure_of_something_used_is_the_actions_own_affair() -> None:
    class Careful(Action):
        async def run(self) -> str:
            try:
                async with self.use(Sensor()):
                    await asyncio.sleep(100.0)
            except ResourceFailed as error:
                return f"went on without: {error.status.message}"
            return "?"

    async def play(stage: Stage) -> None:
        life = asyncio.create_task(stage.runner(Careful).run())
        await until(lambda: "good" in stage.up)
        stage.break_("good")
        assert "good was unplugged" in (await life).value

    on_stage(play)


def test_a_shorter_bound_can_be_set() -> None:
    class Slow(Action):
        async def run(self) -> None:
            try:
                await asyncio.sleep(100.0)
            finally:
                await asyncio.sleep(1.0)

    async def play(stage: Stage) -> None:
        runner = stage.runner(Slow, policy=RunnerPolicy(stop_timeout_s=0.2))
        life = asyncio.create_task(runner.run())
        await asyncio.sleep(1.0)
        runner.cancel("quick")
        assert_ended(await life, RunState.CANCELLED, "within 0.2 s")
        await asyncio.sleep(2.0)

    on_stage(play)


def test_an_answer_is_told_from_news() -> None:
    class Tells(Action):
        """Says one thing and answers another."""

        async def run(self) -> None:
            self.say("I look it up")
            self.tell("It is\nhalf past eight")

    async def play(stage: Stage) -> None:
        await stage.runner(Tells).run()

    said = on_stage(play).said
    assert [event.text for event in said if event.kind is EventKind.ANSWERED] == ["It is\nhalf past eight"]
    assert "I look it up" in [event.text for event in said if event.kind is EventKind.DOING]


def test_nobody_answers_without_a_stage() -> None:
    with pytest.raises(PilothouseError, match="is not running"):
        Look().tell("hello")
