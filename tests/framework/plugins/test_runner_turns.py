"""The life of an action: who goes first where two want the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

import msgspec
import pytest

from framework.plugins import Action, OnPreempt, RunState, needs
from framework.status import Priority, Severity
from tests.framework.plugins.lookers import Hold, Watch
from tests.framework.plugins.stage import Arm, Sensor, Stage, assert_ended, on_stage, until


def test_two_actions_that_want_both_arms_take_turns() -> None:
    class Reversed(Action):
        right = needs(Arm("right"), exclusive=True)
        left = needs(Arm("left"), exclusive=True)

        async def run(self) -> None:
            await asyncio.sleep(10.0)

    async def play(stage: Stage) -> None:
        runners = [stage.runner(Hold), stage.runner(Reversed), stage.runner(Hold)]
        outcomes = await asyncio.gather(*(runner.run() for runner in runners))
        assert [outcome.state for outcome in outcomes] == [RunState.SUCCEEDED] * 3

    on_stage(play)


def test_who_waits_is_told_for_whom() -> None:
    async def play(stage: Stage) -> None:
        async with stage.operator.request(Arm("left"), exclusive=True):
            runner = stage.runner(Hold)
            life = asyncio.create_task(runner.run())
            await until(lambda: runner.state is RunState.WAITING and "operator" in runner.detail)
            assert "arm" not in stage.up
        assert (await life).state is RunState.SUCCEEDED

    stage = on_stage(play)
    assert "hold: waiting for operator, first in the queue for Arm() and Arm(side='right')" in stage.words


def test_a_preempted_action_waits_and_runs_again_with_its_memory() -> None:
    async def play(stage: Stage) -> None:
        runner = stage.runner(Hold)
        life = asyncio.create_task(runner.run())
        await asyncio.sleep(5.0)
        async with stage.operator.request(Arm("left"), exclusive=True, priority=Priority.OPERATOR):
            await until(lambda: runner.state is RunState.WAITING)
            # The other arm is free meanwhile: nobody waits for it in vain.
            async with stage.operator.request(Arm("right"), exclusive=True):
                await asyncio.sleep(30.0)
        outcome = await life
        assert_ended(outcome, RunState.SUCCEEDED)
        assert outcome.value == 2

    stage = on_stage(play)
    assert any("operator" in text for text in stage.words)


def test_a_preempted_action_may_give_up() -> None:
    class Touchy(Hold):
        on_preempt = OnPreempt.GIVE_UP

    async def play(stage: Stage) -> None:
        life = asyncio.create_task(stage.runner(Touchy).run())
        await asyncio.sleep(5.0)
        async with stage.operator.request(Arm("left"), exclusive=True, priority=Priority.OPERATOR):
            assert_ended(await life, RunState.FAILED, "gives up", "operator")

    on_stage(play)


def test_an_alternative_arm_is_used_if_the_first_is_held() -> None:
    class Wave(Action):
        arm = needs(Arm("left"), Arm("right"), exclusive=True)

        async def run(self) -> str:
            await asyncio.sleep(1.0)
            return str(self.arm.device)

    async def play(stage: Stage) -> None:
        async with stage.operator.request(Arm("left"), exclusive=True):
            assert (await stage.runner(Wave).run()).value == "right arm"
            async with stage.operator.request(Arm("right"), exclusive=True):
                runner = stage.runner(Wave)
                life = asyncio.create_task(runner.run())
                await asyncio.sleep(5.0)
                assert runner.state is RunState.WAITING
        assert (await life).value == "left arm"

    on_stage(play)


def test_an_exclusive_need_returns_to_the_better_arm() -> None:
    class Point(Action):
        continuous = True
        arm = needs(Arm("left"), Arm("right"), exclusive=True)
        head = needs(Sensor, exclusive=True)

        async def run(self) -> None:
            await self.stay(f"pointing with {self.arm.device}")

    async def play(stage: Stage) -> None:
        stage.broken["left arm"] = "in reflex"
        async with stage.running(Point) as runner:
            await until(lambda: runner.detail == "pointing with right arm")
            stage.mend("left arm")
            await until(lambda: runner.detail == "pointing with left arm")
            await asyncio.sleep(1.0)
            assert set(stage.up) == {"left arm", "good"}
            assert all(lease.exclusive for lease in stage.manager.snapshot().leases)

    on_stage(play)


class Sweep(Action):
    """As the swept lidar of the main job: it needs an arm inside, which the operator may take."""

    continuous = True
    feed = needs(Sensor("swept"), Sensor("poor"))

    async def run(self) -> None:
        await self.stay(f"watching with {self.feed.device}")


def test_a_shared_need_that_was_taken_is_substituted_then_returned_to() -> None:
    async def play(stage: Stage) -> None:
        async with stage.running(Sweep) as runner:
            await until(lambda: runner.detail == "watching with swept")
            async with stage.operator.request(Arm("right"), exclusive=True, priority=Priority.OPERATOR):
                await until(lambda: runner.detail == "watching with poor")
                await asyncio.sleep(60.0)
            await until(lambda: runner.detail == "watching with swept")

    on_stage(play)


def test_a_shared_need_that_was_taken_and_has_no_substitute_is_waited_for() -> None:
    async def play(stage: Stage) -> None:
        stage.broken["poor"] = "absent"
        async with stage.running(Sweep) as runner:
            await until(lambda: runner.state is RunState.READY)
            async with stage.operator.request(Arm("right"), exclusive=True, priority=Priority.OPERATOR):
                await until(lambda: runner.state is RunState.WAITING and "operator" in runner.detail)
                await asyncio.sleep(60.0)
                assert runner.state is RunState.WAITING
            await until(lambda: runner.detail == "watching with swept")

    on_stage(play)


def test_nobody_waits_for_an_arm_that_waits_for_a_camera() -> None:
    class Poke(Action):
        feed = needs(Sensor("swept"))
        arm = needs(Arm("left"), exclusive=True)

        async def run(self) -> None:
            await asyncio.sleep(10.0)
            assert self.arm.lease.is_open and self.feed.lease.is_open

    async def play(stage: Stage) -> None:
        runner = stage.runner(Poke)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is RunState.RUNNING)
        async with stage.operator.request(Arm("right"), exclusive=True, priority=Priority.OPERATOR):
            await until(lambda: runner.state is RunState.WAITING and "operator" in runner.detail)
            async with stage.operator.request(Arm("left"), exclusive=True):
                await asyncio.sleep(5.0)
        assert_ended(await life, RunState.SUCCEEDED)

    on_stage(play)


@pytest.mark.parametrize(
    "what_happens", ["paused", "cancelled", "the better one fails", "the lesser one fails"]
)
def test_what_happens_at_the_very_moment_of_returning(what_happens: str) -> None:
    async def play(stage: Stage) -> None:
        stage.broken["good"] = "absent"
        runner = stage.runner(Watch)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.detail == "watching with fair")
        wake = runner._claim._wake

        def at_that_moment() -> None:
            wake()
            if not runner._claim.has_better or moments:
                return
            moments.append(what_happens)
            if what_happens == "paused":
                runner.pause()
            elif what_happens == "cancelled":
                runner.cancel("now")
            else:
                stage.hiccup("good" if "better" in what_happens else "fair")

        moments: list[str] = []
        runner._claim._wake = at_that_moment
        stage.mend("good")
        await until(lambda: bool(moments))
        await asyncio.sleep(1.0)
        if what_happens == "paused":
            assert runner.state is RunState.PAUSED
            assert len(stage.manager.snapshot().leases) == 1
            runner.resume()
        if what_happens != "cancelled":
            await asyncio.sleep(15.0)
            assert runner.state is RunState.READY and runner.detail == "watching with good"
            assert len(stage.manager.snapshot().leases) == 1
            lease = runner._claim.bindings[0].lease
            assert lease is not None and lease.status.severity < Severity.FATAL
        runner.cancel("the end")
        await life

    on_stage(play)


def test_what_is_held_from_the_start_is_said_and_not_waited_for_without_end() -> None:
    async def play(stage: Stage) -> None:
        stage.broken["poor"] = "absent"
        async with stage.operator.request(Arm("right"), exclusive=True, priority=Priority.OPERATOR):
            outcome = await stage.runner(Sweep).run()
        assert_ended(outcome, RunState.FAILED, "held by operator", "poor is absent")

    on_stage(play)


def test_giving_up_is_not_needed_where_there_is_a_substitute() -> None:
    class Relaxed(Sweep):
        on_preempt = OnPreempt.GIVE_UP

    async def play(stage: Stage) -> None:
        runner = stage.runner(Relaxed)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.detail == "watching with swept")
        async with stage.operator.request(Arm("right"), exclusive=True, priority=Priority.OPERATOR):
            await until(lambda: runner.detail == "watching with poor")
            stage.break_("poor")
            assert_ended(await life, RunState.FAILED, "poor", "held by operator")

    on_stage(play)


def test_what_is_used_and_taken_is_queued_for_the_next_time() -> None:
    class Tap(Action):
        async def run(self) -> str:
            async with self.use(Arm("left"), exclusive=True) as arm:
                await asyncio.sleep(10.0)
                return str(arm.device)

    async def play(stage: Stage) -> None:
        life = asyncio.create_task(stage.runner(Tap).run())
        await asyncio.sleep(1.0)
        async with stage.operator.request(Arm("left"), exclusive=True, priority=Priority.OPERATOR):
            await asyncio.sleep(100.0)
            assert not life.done()
        assert (await life).value == "left arm"

    stage = on_stage(play)
    assert any("waiting for operator" in text for text in stage.words)


def test_a_client_class_that_raises_fails_the_action_only() -> None:
    class Strange(msgspec.Struct, frozen=True):
        client_type: ClassVar[type] = int

    class Ask(Action):
        it = needs(Strange)

        async def run(self) -> None: ...

    async def play(stage: Stage) -> None:
        @stage.manager.provides(Strange)
        @asynccontextmanager
        async def strange(request: Strange) -> AsyncIterator[int]:
            yield 1

        assert_ended(await stage.runner(Ask).run(), RunState.FAILED, "TypeError")

    on_stage(play)
