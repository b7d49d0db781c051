"""What a language guesses of what it does not understand: asked about, and never done unasked."""

from __future__ import annotations

import pytest

from framework.dialogue.confirmation import instead_of
from framework.dialogue.meta import HARMLESS, MetaKind
from framework.events import Subject
from framework.plan import Do, Reading, World
from framework.plan.parser import NotUnderstood
from framework.supervisor import EventKind
from framework.tree import PlanState
from tests.framework.supervisor.lab import LabDesk, SmallLanguage, lab_scene


class Guessing(SmallLanguage):
    """Guesses what it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.guesses: tuple[Reading, ...] = ()
        self.is_broken = False
        self.likes: dict[str, str] = {}

    def guess(self, text: str, world: World) -> tuple[Reading, ...]:
        if self.is_broken:
            raise ZeroDivisionError("scripted")
        return self.guesses

    def like(self, text: str, world: World) -> str:
        if self.is_broken:
            raise ZeroDivisionError("scripted")
        return self.likes.get(text, "")


LANGUAGE = Guessing()
CRY = "mind my poor old toes you great lump"


def guessing(*readings: Reading) -> Guessing:
    LANGUAGE.__init__()  # type: ignore[misc]
    LANGUAGE.guesses = readings
    return LANGUAGE


@lab_scene(language=LANGUAGE)
async def test_it_is_asked_about_however_sure_the_language_is(desk: LabDesk) -> None:
    guessing(Reading(Do("drive"), confidence=1.0))
    reply = desk.say("off you trot", who="ann")
    assert [event.text for event in reply.events][-2:] == [
        "I think you mean: drive.",
        "Shall I drive? (yes or no)",
    ]
    await desk.settle()
    assert desk.running == []
    assert desk.say("yes", who="bob").succeeded is False
    desk.say("yes", who="ann")
    await desk.settle()
    assert desk.running == ["drive"]


@lab_scene(language=LANGUAGE)
async def test_no_is_the_end_of_it(desk: LabDesk) -> None:
    guessing(Reading(Do("drive"), confidence=0.4))
    desk.say("off you trot", who="ann")
    desk.say("no", who="ann")
    await desk.settle()
    assert desk.running == [] and desk.supervisor.questions == ()


@lab_scene(language=LANGUAGE)
async def test_what_means_something_else_by_the_time_of_the_yes_is_not_done(desk: LabDesk) -> None:
    """What stands for it in plain words is read again: a thing may have gone meanwhile."""
    guessing(Reading(Do("drive"), confidence=0.4, reworded="drive to what is gone"))
    reply = desk.say("off you trot", who="ann")
    desk.say("yes", who="ann")
    await desk.settle()
    assert desk.running == []
    assert "Something has changed since I asked" in reply.events[-1].text


@lab_scene(language=LANGUAGE)
async def test_of_two_it_is_asked_which(desk: LabDesk) -> None:
    guessing(Reading(Do("drive"), confidence=0.4), Reading(Do("go"), confidence=0.35))
    reply = desk.say("off you trot", who="ann")
    assert reply.events[-1].kind is EventKind.ASKED
    assert "1: drive" in reply.events[-1].text and "2: go" in reply.events[-1].text
    desk.say("2", who="ann")
    await desk.settle()
    assert desk.running == ["go"]


@lab_scene(language=LANGUAGE)
async def test_a_language_that_breaks_at_it_has_no_idea(desk: LabDesk) -> None:
    guessing(Reading(Do("drive"))).is_broken = True
    reply = desk.say("off you trot", who="ann")
    assert reply.events[-1].kind is EventKind.REFUSED


@lab_scene(language=LANGUAGE)
async def test_what_is_like_a_stop_stops_what_moves(desk: LabDesk) -> None:
    guessing(Reading(Do("go"), confidence=0.4)).likes = {CRY: "stop"}
    desk.say("drive", who="ann")
    await desk.settle()
    assert desk.running == ["drive"]
    desk.say(CRY, who="bob")
    await desk.settle()
    assert desk.running == []


@lab_scene(language=LANGUAGE)
async def test_what_is_like_a_stop_is_none_where_nothing_moves(desk: LabDesk) -> None:
    guessing(Reading(Do("go"), confidence=0.4)).likes = {CRY: "stop"}
    reply = desk.say(CRY, who="bob")
    assert reply.events[-1].text == "Shall I go? (yes or no)"
    desk.say("no", who="bob")


@lab_scene(language=LANGUAGE)
async def test_what_is_like_a_pause_pauses(desk: LabDesk) -> None:
    guessing().likes = {"me lunch is on the table": "pause"}
    desk.say("drive", who="ann")
    await desk.settle()
    reply = desk.say("me lunch is on the table", who="ann")
    await desk.settle()
    assert reply.succeeded is True
    assert [plan.state for plan in desk.supervisor.plans()] == [PlanState.PAUSED]


@lab_scene(language=LANGUAGE)
async def test_what_is_like_a_no_is_one(desk: LabDesk) -> None:
    guessing(Reading(Do("drive"), confidence=0.4)).likes = {"nae chance": "no"}
    desk.say("off you trot", who="ann")
    desk.say("nae chance", who="ann")
    await desk.settle()
    assert desk.running == [] and desk.supervisor.questions == ()


@lab_scene(language=LANGUAGE)
async def test_by_what_is_only_like_a_yes_nothing_moves(desk: LabDesk) -> None:
    guessing(Reading(Do("drive"), confidence=0.4)).likes = {"happen you may": "yes"}
    desk.say("off you trot", who="ann")
    reply = desk.say("happen you may", who="ann")
    await desk.settle()
    assert desk.running == [] and reply.events[-1].kind is EventKind.REFUSED
    assert reply.events[-1].text == 'I think you mean "yes". Say that if you do; nothing moves by a guess.'
    desk.say("yes", who="ann")
    await desk.settle()
    assert desk.running == ["drive"]


@lab_scene(language=LANGUAGE)
async def test_what_is_like_no_command_that_there_is_is_like_nothing(desk: LabDesk) -> None:
    guessing().likes = {"blub": "a language says what it likes"}
    assert desk.say("blub", who="ann").events[-1].kind is EventKind.REFUSED


@lab_scene(language=LANGUAGE)
async def test_a_pause_is_none_where_nothing_moves(desk: LabDesk) -> None:
    guessing(Reading(Do("go"), confidence=0.4)).likes = {"me lunch is on the table": "pause"}
    reply = desk.say("me lunch is on the table", who="ann")
    assert reply.events[-1].text == "Shall I go? (yes or no)"
    desk.say("no", who="ann")


@lab_scene(language=LANGUAGE)
async def test_what_is_like_a_yes_is_none_where_nothing_was_asked(desk: LabDesk) -> None:
    guessing(Reading(Do("go"), confidence=0.4)).likes = {"happen you may": "yes"}
    reply = desk.say("happen you may", who="ann")
    assert reply.events[-1].text == "Shall I go? (yes or no)"
    desk.say("no", who="ann")


async def is_paused(desk: LabDesk) -> bool:
    """Whether the one plan is paused; it is ended then."""
    await desk.settle()
    states = [plan.state for plan in desk.supervisor.plans()]
    desk.say("stop", who="ann")
    await desk.settle()
    return states == [PlanState.PAUSED]


@pytest.mark.parametrize("like", ["status", "resume", "reset", "done", "cancel", "yes"])
def test_what_nobody_understands_lets_rest_what_moves_whatever_it_is_like(like: str) -> None:
    @lab_scene(language=LANGUAGE)
    async def scene(desk: LabDesk) -> None:
        guessing().likes = {"the kettle sings": like}
        desk.say("drive", who="ann")
        await desk.settle()
        desk.say("the kettle sings", who="ann")
        assert await is_paused(desk)

    scene()


@pytest.mark.parametrize("like", [each for each in MetaKind if each not in (*HARMLESS, MetaKind.STOP)])
def test_by_what_is_only_like_a_command_nothing_goes_on(like: MetaKind) -> None:
    @lab_scene(language=LANGUAGE)
    async def scene(desk: LabDesk) -> None:
        guessing().likes = {"crack on": like}
        desk.say("drive", who="ann")
        await desk.settle()
        desk.say("pause", who="ann")
        await desk.settle()
        desk.say("crack on", who="ann")
        assert await is_paused(desk)

    scene()


@pytest.mark.parametrize(
    ("kind", "confidence", "is_offered"),
    [
        (Subject.NOT_UNDERSTOOD, 0.4, True),
        (Subject.NO_ACTION, 0.79, False),
        (Subject.NO_ACTION, 0.8, True),
    ],
)
def test_what_no_action_is_for_is_refused_unless_the_guess_is_very_sure(
    kind: Subject, confidence: float, is_offered: bool
) -> None:
    guess = Reading(Do("drive"), confidence=confidence)
    refused = NotUnderstood("", reason="I cannot inspect anything.", kind=kind)
    assert instead_of(refused, [guess]) == ((guess,) if is_offered else ())
