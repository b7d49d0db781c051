"""Whatever begins or ends like a stop stops what moves first, and is talked about afterwards."""

from __future__ import annotations

import pytest

from framework.dialogue.stopping import is_outcry, sounds_like_stop
from framework.events import EventKind
from framework.plan import Do
from framework.plan.instruction import Source
from framework.plugins.action import Risk
from framework.status import Priority
from framework.tree.run import PlanState
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.lab import LabDesk, lab_scene
from tests.framework.tree.scripted import Kind

SAID = (
    "stpo",
    "AAAH STOOOP",
    "nooo stoppp it",
    "haaaalt",
    "Ya, ya, is good there, no more!",
    "That'll dae, that'll dae, nae further.",
    "ok ok ok thats enuff",
    "dinnae go ony further",
    "quagga quagga quagga",
    "jings the quagga the quagga",
    "genug jetzt",
    "thats enough thanks mate",
    "thatll do nicely",
    "right, enough of that my friend",
    "well, that has been more than enough",
    "haud it, haud it",
    "sotp",
    "STPO!!",
    "stopp",
    "brake",
    "Brake!",
    "hold it right there",
    "hold there",
    "stay right where you are",
    "shut down",
    "kill the motion",
    "don't go on",
    "come to rest",
    "stand down",
    "please stop moving forward",
    "not so fast",
    "Stopp, not further!",
    "Halt! Halt! There is a person!",
    "whoa whoa ur gonna hit it",
    "no no no stop it you'll break it",
    "that is way too close stop",
    "watch out!",
    "stop the thing that you do there",
    "I said stop",
    "don't go there, stop",
    "omg STAHP",
    "MIND THE QUAGGA",
    "nej, nej, not there!",
    "aaah quagga",
    "that'll do",
    "stop " + "and do something else " * 80,
)

PAUSES = (
    "moment, short pause, somebody calls",
    "Make a short break, I have a telephone call.",
    "just a moment",
    "Just pause a moment, dear.",
    "Pause for the time being.",
    "hang on a sec, the door",
    "give me two minutes",
    "kindly hold for two minutes",
    "brb hold up",
    "Please make a little pause, I must sneeze.",
)

NO_STOPS = (
    "no more than 5 cm",
    "not far enough",
    "long enough to reach the quagga",
    "more more",
    "stay a minute",
    "drive half a minute",
    "step",
    "shop",
    "go to the top",
    "wait until I say stop",
    "reset the emergency stop",
    "half",
    "who are you",
    "do not ever shout stop",
)


@pytest.mark.parametrize("text", SAID, ids=range(len(SAID)))
def test_it_stops_what_moves(text: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle("track the hand")
        await desk.say_and_settle("drive")
        assert "drive" in desk.running
        said = desk.say(text)
        assert await said.done()
        assert "drive" not in desk.running
        assert any(event.kind is EventKind.CANCELLED for event in said.events)

    scene()


@pytest.mark.parametrize("text", PAUSES)
def test_what_asks_for_a_while_lets_it_rest(text: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle("drive")
        assert await desk.say(text).done()
        (plan,) = desk.supervisor.plans()
        assert plan.state is PlanState.PAUSED
        assert await desk.say("carry on").done()
        assert desk.running == ["drive"]

    scene()


@pytest.mark.parametrize("text", ["that rug looks slippery", "the quagga is about to come in"])
def test_a_remark_that_nobody_understands_lets_rest_what_moves_by_itself(text: str) -> None:
    @lab_scene(Kind("steer", continuous=True, priority=Priority.OPERATOR, risk=Risk.MOVES))
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle("drive")
        assert not await desk.say(text).done()
        (plan,) = desk.supervisor.plans()
        assert plan.state is PlanState.PAUSED
        assert 'until you say "carry on"' in desk.last
        assert await desk.say("carry on").done()
        assert desk.running == ["drive"]
        assert not await desk.say("drive the quagga").done()  # that may have been meant for us
        assert desk.running == ["drive"]
        await desk.say("stop").done()
        steering = desk.supervisor.carry_out(Do("steer"), Source.TYPED)
        await desk.settle()
        assert not await desk.say(text).done()  # whose hand moves something, sees for themselves
        assert desk.running == ["steer"]
        await desk.say("stop").done()
        await steering.done()

    scene()


@pytest.mark.parametrize(
    ("text", "is_stop"),
    [
        ("waitwaitwait theres a quagga", True),
        ("stopstop", True),
        ("holdon holdon", False),
        ("hahaha", False),
        ("beepbeep", False),
    ],
)
def test_what_is_typed_as_one_word_for_haste(text: str, is_stop: bool) -> None:
    assert sounds_like_stop(text) is is_stop


@pytest.mark.parametrize("text", NO_STOPS)
def test_these_are_none(text: str) -> None:
    assert not sounds_like_stop(text)


def test_an_outcry_is_short_and_loud() -> None:
    assert is_outcry("my quagga!") and is_outcry("QUAGGA") and is_outcry("no the quagga")
    assert not is_outcry("my quagga") and not is_outcry("a TP 5 quagga") and not is_outcry("")
    assert not is_outcry("it is " + "very " * 20 + "nice!")


@lab_scene()
async def test_a_question_that_is_open_holds_up_no_stop(desk: LabDesk) -> None:
    await desk.say_and_settle("drive")
    await desk.say_and_settle("track the red cup")
    assert desk.supervisor.questions
    assert await desk.say("whoa, you are going to hit it").done()
    assert desk.running == [] and desk.supervisor.questions == ()


@lab_scene()
async def test_what_names_something_that_is_done_ends_only_that(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    await desk.say_and_settle("drive")
    assert await desk.say("stop the tracking").done()
    assert desk.running == ["drive"]


@lab_scene()
async def test_where_nothing_moves_it_is_talked_about(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    refused = desk.say("stop talking")
    assert refused.succeeded is False
    assert desk.running == ["track"]


@scene(Kind("moves", risk=Risk.MOVES))
async def test_a_no_takes_back_what_is_done_or_asked_and_a_stop_whatever_there_is(desk: Desk) -> None:
    supervisor, noes = desk.supervisor, ("no", "don't", "cancel", "no, don't do that")
    assert supervisor.takes_back("stop", "ann")
    assert not any(supervisor.takes_back(text, "ann") for text in noes)
    await desk.say_and_settle("moves", who="bob")
    assert all(supervisor.takes_back(text, "ann") for text in noes)
    others = ("yes", "go on", "moves", "the red one", "cancel the newspaper")
    assert not any(supervisor.takes_back(text, "ann") for text in others)
