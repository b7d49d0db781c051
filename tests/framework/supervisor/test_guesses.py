"""What a language guesses of what it does not understand: asked about, and never done unasked."""

from __future__ import annotations

from framework.plan import Do, Reading, World
from framework.supervisor import EventKind
from tests.framework.supervisor.lab import LabDesk, SmallLanguage, lab_scene


class Guessing(SmallLanguage):
    """Guesses what it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.guesses: tuple[Reading, ...] = ()
        self.is_broken = False
        self.stops = ""

    def guess(self, text: str, world: World) -> tuple[Reading, ...]:
        if self.is_broken:
            raise ZeroDivisionError("scripted")
        return self.guesses

    def wants_a_stop(self, text: str, world: World) -> bool:
        if self.is_broken:
            raise ZeroDivisionError("scripted")
        return text == self.stops


LANGUAGE = Guessing()


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
    guessing(Reading(Do("go"), confidence=0.4)).stops = "mind my poor old toes you great lump"
    desk.say("drive", who="ann")
    await desk.settle()
    assert desk.running == ["drive"]
    desk.say(LANGUAGE.stops, who="bob")
    await desk.settle()
    assert desk.running == []


@lab_scene(language=LANGUAGE)
async def test_what_is_like_a_stop_is_none_where_nothing_moves(desk: LabDesk) -> None:
    guessing(Reading(Do("go"), confidence=0.4)).stops = "mind my poor old toes you great lump"
    reply = desk.say(LANGUAGE.stops, who="bob")
    assert reply.events[-1].text == "Shall I go? (yes or no)"
    desk.say("no", who="bob")
