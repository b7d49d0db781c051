"""What sentences say as data, so that nobody has to read them back."""

from __future__ import annotations

from framework.events import Event, EventKind, Subject
from framework.plan import Do
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.test_asked_by import DRIVE, TWO


def the(subject: Subject, desk: Desk) -> Event:
    (event,) = (event for event in desk.said if event.subject is subject)
    return event


@scene()
async def test_what_is_understood_is_read_back_in_words_of_its_own(desk: Desk) -> None:
    await desk.say_and_settle("a then b")
    read_back = the(Subject.READ_BACK, desk)
    assert read_back.kind is EventKind.UNDERSTOOD
    words = str(read_back.data["words"])
    assert words and words in read_back.text


@scene()
async def test_of_what_is_not_understood_at_all_a_screen_may_say_more(desk: Desk) -> None:
    assert not await desk.say("fly").done()
    assert the(Subject.NOT_UNDERSTOOD, desk).kind is EventKind.REFUSED


@scene(DRIVE, world=TWO)
async def test_a_plan_concerns_whom_its_actions_name_besides_who_asked(desk: Desk) -> None:
    desk.supervisor.carry_out(Do("drive", {"session": "phone 1"}), who="desk")
    await desk.settle()
    started = next(event for event in desk.said if event.plan and event.kind is not EventKind.UNDERSTOOD)
    assert (started.who, started.people) == ("desk", ("phone 1",))
