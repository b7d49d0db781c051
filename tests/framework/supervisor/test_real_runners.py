"""The whole way with nothing scripted: text, phrases, plan, tree, real runners, real registrars."""

from __future__ import annotations

import asyncio
import traceback
from functools import partial
from pathlib import Path

import pytest

from framework.events import Event
from framework.plugins import Action, ActionCatalogue, Phrases, action_spec, needs
from framework.processes.emergency import EmergencyStop
from framework.supervisor import EventKind
from tests.framework.plugins.stage import Arm, Sensor
from tests.framework.supervisor.harness import Harness, run_scene


class ShowEnvironment(Action):
    """Looks through the best sensor there is."""

    continuous = True
    feed = needs(Sensor("good"), Sensor("fair"))

    async def run(self) -> None:
        await self.stay(f"showing {self.feed.device}")


class Drive(Action):
    """Moves the left arm for ten seconds."""

    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> str:
        await asyncio.sleep(10.0)
        return "the end"


class Track(Action):
    """Needs the left arm too, and stays."""

    thing: str
    continuous = True
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        await self.stay(f"tracking {self.thing}", self.thing)


class Greet(Action):
    """Says hello to a thing."""

    thing: str

    async def run(self) -> None:
        self.tell(f"hello {self.thing}")


class Stop(Action):
    """Ends others."""

    what: str = ""

    async def run(self) -> None:
        self.supervisor.stop(self.what)


class Grasp(Action):
    """Cannot go on by itself."""

    async def run(self) -> str:
        return await self.ask("I cannot grasp the cup: take the arm?")


class Again(Action):
    """Does the operator's last instruction again."""

    async def run(self) -> str:
        return await self.supervisor.repeat(1)


PHRASES: dict[type[Action], str] = {
    ShowEnvironment: "show [me] the environment",
    Drive: "drive",
    Track: "(track|follow) the {thing}",
    Greet: "greet {thing}",
    Stop: "be done with {what}",
    Grasp: "grasp the cup",
    Again: "do that again",
}
CATALOGUE = ActionCatalogue(
    action_spec(action, phrases=Phrases("phrases.yaml", (say,))) for action, say in PHRASES.items()
)


play = partial(run_scene, CATALOGUE)


def test_the_picture_comes_back_when_its_sensor_dies_and_failing_is_told(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.say("Show me the environment, please!")
        assert harness.supervisor.plans()[0].tree.detail == "showing good"
        harness.stage.break_("good")
        await asyncio.sleep(0.5)
        assert harness.supervisor.plans()[0].tree.detail == "showing fair"
        assert any("going on with" in text for text in harness.texts(EventKind.SWITCHED))
        harness.stage.break_("fair")
        await asyncio.sleep(0.5)
        assert harness.supervisor.plans() == ()
        (failed,) = harness.texts(EventKind.FAILED)
        assert failed.startswith("That did not work: show the environment. ") and "unplugged" in failed

    play(tmp_path, scene)


def test_what_is_said_about_an_established_plan(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.say("show the environment")
        answer = harness.supervisor.what_is_done()
        assert answer == "I am showing the environment (showing good). In use: Sensor()."
        assert await harness.say("show the environment")
        assert len(harness.supervisor.plans()) == 1
        assert await harness.say("stop")
        assert harness.supervisor.plans() == ()

    play(tmp_path, scene)


def test_it_may_be_what_another_plan_is_doing_just_now(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.say("track the hand")
        assert await harness.say("greet it")
        assert "hello hand" in harness.texts(EventKind.ANSWERED)

    play(tmp_path, scene)


def test_a_collision_names_who_has_it_and_the_second_waits_its_turn(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        driving = harness.supervisor.say("drive")
        await asyncio.sleep(0.5)
        tracking = harness.supervisor.say("track the hand")
        await asyncio.sleep(0.5)
        said = [event.text for event in tracking.events]
        assert any("which is in use: drive" in text for text in said), said
        harness.supervisor.say("be done with drive")
        assert await driving.done() is False
        assert await tracking.done()
        assert [plan.words for plan in harness.supervisor.plans()] == ["track the hand"]

    play(tmp_path, scene)


def test_pause_gives_the_arm_back_and_carry_on_takes_it_again(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.say("follow the cup")
        assert await harness.say("pause")
        await asyncio.sleep(0.5)
        assert harness.supervisor.plans()[0].tree.state == "paused"
        assert not any(lease.exclusive for lease in harness.stage.registrar.snapshot().leases)
        assert await harness.say("carry on")
        await asyncio.sleep(0.5)
        assert harness.supervisor.plans()[0].tree.state == "ready"
        assert await harness.say("cancel dancing") is False
        assert await harness.say("cancel the tracking")
        assert harness.supervisor.plans() == ()

    play(tmp_path, scene)


def test_the_emergency_stop_of_another_process(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        await harness.say("track the hand")
        other = EmergencyStop.attach(tmp_path)
        other.latch("pilothouse stop")
        other.close()
        await asyncio.sleep(0.5)
        assert harness.supervisor.plans() == ()
        assert await harness.say("drive") is False
        assert harness.supervisor.reset_emergency("ann").succeeded
        assert harness.supervisor.plans() == ()

    play(tmp_path, scene)


def test_an_action_asks_and_a_click_carries_it_on(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        grasping = harness.supervisor.say("grasp the cup", who="ann")
        await asyncio.sleep(100.0)
        (question,) = harness.supervisor.questions
        assert (question.text, question.who) == ("I cannot grasp the cup: take the arm?", "ann")
        assert harness.supervisor.answer(question.id, 1, "bob").succeeded is False
        assert harness.supervisor.say("carry on", who="bob").succeeded is False
        assert harness.supervisor.answer(question.id, 1, "ann").succeeded is True
        assert await grasping.done()
        assert harness.supervisor.questions == ()
        again = harness.supervisor.say("grasp the cup", who="ann")
        await asyncio.sleep(1.0)
        assert harness.supervisor.say("I have it in my hand", who="ann").succeeded is True
        assert await again.done()

    play(tmp_path, scene)


def test_again_is_the_last_instruction_of_the_operator_who_says_it(tmp_path: Path) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.supervisor.say("drive", who="ann").done()
        assert await harness.supervisor.say("show the environment", who="bob").done()
        for _ in range(2):
            assert await harness.supervisor.say("do that again", who="ann").done()
        words = [(plan.words, plan.who) for plan in harness.supervisor.ended_plans()]
        assert words.count(("drive", "ann")) == 3
        assert await harness.supervisor.say("do that again", who="carl").done() is False
        running = harness.supervisor.say("do that again", who="ann")
        await asyncio.sleep(1.0)
        assert len(harness.supervisor.plans()) == 3
        harness.supervisor.say("cancel do that again", who="ann")
        await asyncio.sleep(1.0)
        assert running.succeeded is False
        assert [plan.words for plan in harness.supervisor.plans()] == ["show the environment"]

    play(tmp_path, scene)


@pytest.mark.parametrize("text", ["track", "drive upside down", "be done with dancing"])
def test_what_cannot_be_done_is_told(tmp_path: Path, text: str) -> None:
    async def scene(harness: Harness) -> None:
        assert await harness.say(text) is False
        assert harness.texts(EventKind.REFUSED, EventKind.FAILED)

    play(tmp_path, scene)


def test_a_sentence_of_an_action_reaches_everybody_in_five_hops(tmp_path: Path) -> None:
    """Each layer fills in what it knows; none makes another event of it."""
    ways: list[list[str]] = []

    async def scene(harness: Harness) -> None:
        def listen(event: Event) -> None:
            if event.kind is EventKind.ANSWERED:
                ways.append([frame.f_code.co_qualname for frame, _ in traceback.walk_stack(None)][::-1])
                assert (event.text, event.action, event.plan, event.who) == ("hello cup", "greet", "1", "ann")
                assert event.node.startswith("1.")

        harness.bus.listen(listen)
        assert await harness.say("greet the cup", who="ann")

    run_scene(CATALOGUE, tmp_path, scene)
    (way,) = ways
    hops = way[way.index("Action.tell") : way.index("EventBus.publish") + 1]
    assert hops == [
        "Action.tell",
        "Attempt.tell",
        "Voice.say",
        "ActionNode._said",
        "PlanBook._told",
        "EventBus.publish",
    ]
