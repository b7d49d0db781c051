"""The life of an action: what goes wrong first, then what goes right. All on the virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import msgspec
import pytest

from framework.errors import PilothouseError, PlanError, ResourceFailed, StreamError
from framework.plugins import Action, ActionEventKind, OnPreempt, RunnerPolicy, RunState, needs, param
from framework.status import Priority, Severity
from framework.testing.pytest_plugin import VirtualRunner
from tests.framework.plugins.stage import Arm, Screen, Sensor, Stage, assert_ended


def on_stage(play: Callable[[Stage], Awaitable[None]]) -> Stage:
    """Play a scene; whatever happened in it, nothing may be held afterwards."""
    stage = Stage()

    async def scene() -> None:
        async with stage:
            await play(stage)
            await asyncio.sleep(1.0)
            assert stage.is_idle, (stage.manager.snapshot(), stage.registrar.snapshot())

    VirtualRunner(seed=0)(scene)
    return stage


async def until(condition: Callable[[], bool], timeout_s: float = 60.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.01)


class Watch(Action):
    """Looks through the best sensor there is."""

    continuous = True
    feed = needs(Sensor("good"), Sensor("fair"), Sensor("poor"))

    async def run(self) -> None:
        await self.stay(f"watching with {self.feed.device}")


class Look(Action):
    """Looks once, for a second."""

    feed = needs(Sensor("good"), Sensor("fair"))

    async def run(self) -> str:
        await asyncio.sleep(1.0)
        return str(self.feed.device)


class Show(Action):
    """Shows what the best sensor sees."""

    continuous = True
    feed = needs(Sensor("good"), Sensor("fair"))

    async def run(self) -> None:
        async with self.use(Screen(self.feed.device)):
            await self.stay(f"showing {self.feed.device}")


# -- what the action itself does wrong


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


# -- what happens to its resources


def test_one_reason_is_not_told_twice() -> None:
    class Stare(Action):
        continuous = True
        feed = needs(Sensor("good"))

        async def run(self) -> None:
            await self.stay("staring")

    async def play(stage: Stage) -> None:
        runner = stage.runner(Stare)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.detail == "staring")
        stage.broken["good"] = "unplugged"
        stage.up["good"].fail("died: RuntimeError: good is unplugged")
        outcome = await life
        assert_ended(outcome, RunState.FAILED, "stare cannot go on: ", "good is unplugged")
        assert outcome.words.count("good is unplugged") == 1, outcome.words

    on_stage(play)


def test_the_last_alternative_failing_ends_it_with_words_for_each() -> None:
    async def play(stage: Stage) -> None:
        runner = stage.runner(Watch)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.detail == "watching with good")
        stage.break_("good")
        await until(lambda: runner.detail == "watching with fair")
        assert runner.state is RunState.READY
        stage.break_("fair")
        await until(lambda: runner.detail == "watching with poor")
        stage.break_("poor")
        outcome = await life
        assert_ended(outcome, RunState.FAILED, "Sensor(", "'fair'", "'poor'", "unplugged")
        assert outcome.words.count("unplugged") >= 3

    stage = on_stage(play)
    switched = [event.text for event in stage.said if event.kind is ActionEventKind.SWITCHED]
    assert len(switched) == 2
    assert "good was unplugged" in switched[0] and "going on with Sensor(kind='fair') (fair)" in switched[0]
    assert stage.said[-1].kind is ActionEventKind.FAILED


def test_switching_is_prompt() -> None:
    async def play(stage: Stage) -> None:
        async with stage.running(Watch) as runner:
            await until(lambda: runner.state is RunState.READY)
            stage.break_("good")
            start_s = asyncio.get_running_loop().time()
            await until(lambda: runner.detail == "watching with fair")
            assert asyncio.get_running_loop().time() - start_s <= 0.05

    on_stage(play)


def test_it_returns_to_the_better_one_once_that_works() -> None:
    async def play(stage: Stage) -> None:
        stage.broken["good"] = "absent"
        async with stage.running(Watch) as runner:
            await until(lambda: runner.detail == "watching with fair")
            await asyncio.sleep(100.0)  # the back-off has grown to its longest
            stage.mend("good")
            start_s = asyncio.get_running_loop().time()
            await until(lambda: runner.detail == "watching with good")
            assert asyncio.get_running_loop().time() - start_s <= 10.1
            assert "fair" not in stage.up

    stage = on_stage(play)
    assert any("works again" in text for text in stage.words)


def test_a_finite_action_stays_with_what_it_has() -> None:
    class Gaze(Look):
        async def run(self) -> str:
            await asyncio.sleep(60.0)
            return str(self.feed.device)

    async def play(stage: Stage) -> None:
        stage.broken["good"] = "absent"
        life = asyncio.create_task(stage.runner(Gaze).run())
        await asyncio.sleep(5.0)
        stage.mend("good")
        assert (await life).value == "fair"
        assert stage.starts == ["fair"]

    on_stage(play)


def test_what_keeps_failing_is_left_alone() -> None:
    """A sensor that loads and dies at once, for ever: it must not spin."""
    stages: list[Stage] = []

    class Only(Action):
        continuous = True
        feed = needs(Sensor("good"))

        async def run(self) -> None:
            stages[0].hiccup("good")
            await self.stay()

    async def play(stage: Stage) -> None:
        stages.append(stage)
        outcome = await stage.runner(Only).run()
        assert_ended(outcome, RunState.FAILED, "good hiccuped")
        assert len(stage.starts) == 5

    on_stage(play)


def test_what_was_made_of_a_sensor_failing_first_still_switches() -> None:
    """The screen stands on the sensor: its failure may be heard before the sensor's own."""

    async def play(stage: Stage) -> None:
        async with stage.running(Show) as runner:
            await until(lambda: runner.detail == "showing good")
            stage.break_("good")
            await until(lambda: runner.detail == "showing fair")

    on_stage(play)


def test_a_stream_of_garbage_is_given_up_for_a_lesser_one() -> None:
    class Read(Action):
        continuous = True
        feed = needs(Sensor("good"), Sensor("fair"))

        async def run(self) -> None:
            runs.append(self.feed.device)
            if self.feed.device == "good":
                raise StreamError("garbage")
            await self.stay(f"reading {self.feed.device}")

    runs: list[str] = []

    async def play(stage: Stage) -> None:
        async with stage.running(Read) as runner:
            await until(lambda: runner.detail == "reading fair", 3.0)
            await asyncio.sleep(5.0)
            assert runs == ["good"] * 5 + ["fair"]

    on_stage(play)


def test_a_screen_that_hiccups_is_taken_again_with_the_same_sensor() -> None:
    async def play(stage: Stage) -> None:
        runner = stage.runner(Show)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is RunState.READY)
        stage.hiccup("screen of good")
        await until(lambda: stage.starts.count("screen of good") == 2 and runner.state is RunState.READY)
        assert runner.detail == "showing good"
        stage.break_("screen of good")
        await until(lambda: runner.detail == "showing fair")
        stage.break_("screen of fair")
        outcome = await life
        assert_ended(outcome, RunState.FAILED, "screen of fair", "screen of good")

    on_stage(play)


def test_a_body_that_swallows_a_failure_does_not_get_away_with_it() -> None:
    class Stubborn(Action):
        feed = needs(Sensor("good"), Sensor("fair"))

        async def run(self) -> str:
            device = str(self.feed.device)
            try:
                await asyncio.sleep(5.0)
            except asyncio.CancelledError:
                return f"pretends to have used {device}"
            return device

    async def play(stage: Stage) -> None:
        life = asyncio.create_task(stage.runner(Stubborn).run())
        await until(lambda: "good" in stage.up)
        await asyncio.sleep(1.0)
        stage.break_("good")
        assert (await life).value == "fair"

    on_stage(play)


def test_an_optional_need_comes_and_goes() -> None:
    class Touch(Action):
        continuous = True
        glove = needs(Sensor("good"), optional=True)

        async def run(self) -> None:
            while True:
                seen.append(bool(self.glove))
                self.established("with" if self.glove else "without")
                await self.glove.changed()

    seen: list[bool] = []

    async def play(stage: Stage) -> None:
        stage.broken["good"] = "absent"
        async with stage.running(Touch) as runner:
            await until(lambda: runner.state is RunState.READY)
            stage.mend("good")
            await until(lambda: runner.detail == "with")
            stage.break_("good")
            await until(lambda: runner.detail == "without")
            stage.mend("good")
            await until(lambda: runner.detail == "with")

    on_stage(play)
    assert seen == [False, True, False, True]


# -- who goes first


class Progress(msgspec.Struct):
    runs: int = 0


class Hold(Action):
    """Holds both arms."""

    memory: Progress
    left = needs(Arm("left"), exclusive=True)
    right = needs(Arm("right"), exclusive=True)

    async def run(self) -> int:
        self.memory.runs += 1
        await asyncio.sleep(10.0)
        assert self.left.lease.is_open and self.right.lease.is_open
        return int(self.memory.runs)


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
    assert any("waiting for operator" in text for text in stage.words)


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
            lease = runner._claim.seats[0].lease
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


# -- commands


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
    assert [event.kind for event in stage.said].count(ActionEventKind.ASKED) == 1


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
    assert [event.text for event in said if event.kind is ActionEventKind.ANSWERED] == [
        "It is\nhalf past eight"
    ]
    assert "I look it up" in [event.text for event in said if event.kind is ActionEventKind.DOING]


def test_nobody_answers_without_a_stage() -> None:
    with pytest.raises(PilothouseError, match="is not running"):
        Look().tell("hello")
