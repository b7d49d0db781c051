"""The life of an action: what happens to what it needs while it runs."""

from __future__ import annotations

import asyncio
from typing import cast

from framework.errors import ResourceUnavailable, StreamError
from framework.events import EventKind
from framework.plugins import Action, RunState, SupervisorService, needs
from tests.framework.plugins.lookers import Look, Show, Watch
from tests.framework.plugins.stage import Sensor, Stage, assert_ended, on_stage, until


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
    switched = [event.text for event in stage.said if event.kind is EventKind.SWITCHED]
    assert len(switched) == 2
    assert "good was unplugged" in switched[0] and "going on with Sensor(kind='fair') (fair)" in switched[0]
    assert stage.said[-1].kind is EventKind.FAILED


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


class Gaze(Action):
    """Stays with what it looks through, and has no other."""

    continuous = True
    feed = needs(Sensor("good"))

    async def run(self) -> None:
        await self.stay("staring")


def test_who_worked_with_what_is_being_tried_again_waits_and_goes_on_by_itself() -> None:
    async def play(stage: Stage) -> None:
        async with stage.running(Gaze) as runner:
            await until(lambda: runner.detail == "staring")
            stage.resting["good"] = "good is tried again in 30 s"
            stage.up["good"].fail("good died")
            await asyncio.sleep(30)
            assert runner.state is RunState.WAITING and "retry now" in runner.detail
            said = [event for event in stage.said if event.kind is EventKind.WAITING]
            assert len([event for event in said if "retry now" in event.text]) == 1, "once, not at each try"
            stage.resting.clear()
            await until(lambda: runner.detail == "staring")

    on_stage(play)


def test_who_waits_for_what_rests_ends_when_it_turns_out_to_be_broken() -> None:
    async def play(stage: Stage) -> None:
        runner = stage.runner(Gaze)
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.state is RunState.READY)
        stage.resting["good"] = "it is tried again in 5 s"
        stage.up["good"].fail("it died")
        await asyncio.sleep(5)
        assert not life.done()
        stage.resting.clear()
        stage.broken["good"] = "gone"
        assert_ended(await life, RunState.FAILED, "cannot go on")

    on_stage(play)


def test_what_was_shown_is_taken_again_once_it_is_back() -> None:
    """What is behind it was away for a second: nothing lesser is shown, and it is not blamed."""

    class Read(Action):
        continuous = True
        feed = needs(Sensor("good"), Sensor("fair"))

        async def run(self) -> None:
            if away:
                raise ResourceUnavailable("its writer is not there")
            self.established(f"reading {self.feed.device}")
            await until(lambda: bool(away))
            raise StreamError("it was closed")

    away: list[str] = []

    async def play(stage: Stage) -> None:
        async with stage.running(Read) as runner:
            await until(lambda: runner.detail == "reading good")
            away.append("good")
            await asyncio.sleep(1.0)
            away.clear()
            await until(lambda: runner.state is RunState.READY, 3.0)
            assert runner.detail == "reading good" and stage.starts == ["good"]
            said = [each for each in stage.words if "its writer is not there" in each]
            assert not said, "that it went away was said"

    on_stage(play)


def test_who_could_go_on_with_a_word_goes_on_without_it_when_something_else_has_rested() -> None:
    class Read(Action):
        continuous = True
        feed = needs(Sensor("good"), Sensor("fair"))

        async def run(self) -> None:
            if len(runs) < 5:
                runs.append(self.feed.device)
                raise StreamError("garbage")
            await self.stay(f"reading {self.feed.device}")

    runs: list[str] = []
    paused: list[str] = []

    class Supervisor:
        def wait_for_word(self, why: str, *, asked_by: str, was_interrupted: bool) -> bool:
            paused.append(why)
            return False

    async def play(stage: Stage) -> None:
        stage.moving.add("fair")
        async with stage.running(Read, supervisor=cast(SupervisorService, Supervisor())) as runner:
            await until(lambda: len(runs) == 5)
            await asyncio.sleep(5.0)
            assert runner.state is RunState.WAITING, "it would fail, or stand until somebody says so"
            await until(lambda: runner.detail == "reading good", 15.0)
            assert not paused

    on_stage(play)


def test_what_fails_after_it_was_back_is_said() -> None:
    """That it went on with the same once is no reason to be silent about the next failure."""

    class Read(Action):
        continuous = True
        feed = needs(Sensor("good"))

        async def run(self) -> None:
            if "away" in state:
                raise ResourceUnavailable("its writer is not there")
            self.established("reading")
            await until(lambda: bool(state))
            raise StreamError("it was closed")

    state: list[str] = []

    async def play(stage: Stage) -> None:
        async with stage.running(Read) as runner:
            await until(lambda: runner.state is RunState.READY)
            state.append("away")
            await asyncio.sleep(1.0)
            state.clear()
            await until(lambda: runner.state is RunState.READY, 3.0)
            stage.hiccup("good")
            await until(lambda: any("good hiccuped; going on" in each for each in stage.words), 15.0)

    on_stage(play)
