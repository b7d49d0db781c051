"""What is said while the mouse points into the console's scene, or a finger before the robot's camera, by an
installation on the virtual clock."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from framework.plan.instruction import Pointing, Source
from framework.supervisor import Reply
from managers.console_backend import InstallationBackend
from resources.types.gestures import GestureKind, HandRead, Reading
from resources.types.masters import HandSide
from resources.types.speech import Speech
from resources.types.whereabouts import POINTS_FOR_S, Point
from resources.web.page_messages import PagePoint
from tests.managers.operators_at_work import AtWork, at_work

EYE: Point = (-3.0, -2.0, 3.0)
PAGE = "console page 1"


def towards(point: Point) -> PagePoint:
    way = [there - here for there, here in zip(point, EYE, strict=True)]
    far = math.hypot(*way)
    return PagePoint(EYE, (way[0] / far, way[1] / far, way[2] / far), far)


def middle_of(work: AtWork, name: str) -> Point:
    (thing,) = work.managers.context.called(name)
    assert thing.world_T_thing is not None
    x, y, z, *_ = thing.world_T_thing
    return x, y, z


@pytest.mark.parametrize(
    ("said", "thing", "meant"),
    [
        ("look at that", "red cup", "I understand: look at the red cup."),
        ("what is this?", "valve", "I understand: describe the valve."),
        ("drive there", "table", "I understand: go to the table."),
        ("drive there", "parking bay", "I understand: go to the parking bay."),
        ("drive to that", "parking bay", "I understand: go to the parking bay."),
        ("show that", "drum", "I understand: show the drum."),
        ("look at the cup", "blue cup", "I understand: look at the blue cup."),
    ],
)
def test_what_the_mouse_is_on_is_meant_and_done_without_a_question(
    tmp_path: Path, said: str, thing: str, meant: str
) -> None:
    async def play(work: AtWork) -> None:
        backend = InstallationBackend(work.managers)
        assert backend.point(towards(middle_of(work, thing)), who=PAGE).names == (thing,)
        kinds = {}
        async with asyncio.timeout(20.0):
            async for line in backend.say(said, who=PAGE):
                kinds[line.kind] = line.text
                if line.kind in ("started", "asked", "refused", "answered"):
                    break
        assert kinds.get("understood") == meant, kinds
        assert "asked" not in kinds and "refused" not in kinds

    at_work(tmp_path, play, "inspection", phones=False)


def test_what_another_page_points_at_or_pointed_at_before_is_not_meant(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        backend = InstallationBackend(work.managers)

        async def asked() -> str:
            async with asyncio.timeout(20.0):
                async for line in backend.say("describe that", who=PAGE):
                    if line.kind in ("asked", "started"):
                        return line.text
            return ""

        backend.point(towards(middle_of(work, "red cup")), who="console page 2")
        assert "Point, please" in await asked()
        backend.point(towards(middle_of(work, "red cup")), who=PAGE)
        await asyncio.sleep(1.1)
        assert "Point, please" in await asked()
        backend.point(towards(middle_of(work, "red cup")), who=PAGE)
        backend.point(None, who=PAGE)
        assert "Point, please" in await asked()

    at_work(tmp_path, play, "inspection", phones=False)


@pytest.mark.parametrize("said", ["look at that", "look at the cup"])
def test_between_two_things_it_is_asked_which_and_where_both_are(tmp_path: Path, said: str) -> None:
    async def play(work: AtWork) -> None:
        backend = InstallationBackend(work.managers)
        between = [
            (a + b) / 2
            for a, b in zip(middle_of(work, "red cup"), middle_of(work, "yellow cup"), strict=True)
        ]
        # From afar, and above the table: nothing that is known is behind them.
        eye = (between[0] - 5.0, between[1], between[2] + 0.03)
        told = backend.point(PagePoint(eye, (1.0, 0.0, 0.0)), who=PAGE)
        assert set(told.names) == {"red cup", "yellow cup"}
        lines = []
        async with asyncio.timeout(20.0):
            async for line in backend.say(said, who=PAGE):
                lines.append(line)
                if line.kind == "asked":
                    (question,) = backend.questions().questions
                    assert question.who == PAGE
                    assert len(question.options) == 2
                    red = next(n for n, each in enumerate(question.options, 1) if "red cup" in each)
                    for place in question.things:
                        name = "red cup" if place.choice == red else "yellow cup"
                        assert name in question.options[place.choice - 1]
                        assert place.world_T_thing[:3] == middle_of(work, name) and min(place.size) > 0.0
                    assert len(question.things) == 2
                    await backend.answer(question.id, red, who=PAGE)
                if line.kind == "started":
                    break
        assert [line.text for line in lines][-1] == "I start: look at the red cup."
        assert backend.questions().questions == ()

    at_work(tmp_path, play, "inspection", phones=False)


def test_all_that_may_be_meant_are_shown_where_nothing_is_pointed_at(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        backend = InstallationBackend(work.managers)
        async with asyncio.timeout(20.0):
            async for line in backend.say("look at the cup", who=PAGE):
                if line.kind == "asked":
                    break
        (question,) = backend.questions().questions
        assert [place.choice for place in question.things] == [1, 2, 3, 4, 5] and len(question.options) == 5

    at_work(tmp_path, play, "inspection", phones=False)


class Ear:
    """Hears "what is this?" at the robot's microphone, from whoever it is that listens."""

    def __init__(self, work: AtWork) -> None:
        self._supervisor = work.managers.supervisor

    def listen(self, speech: Speech, who: str, pointing: Callable[[], tuple[Pointing, ...]]) -> Reply:
        return self._supervisor.say("what is this?", Source.SPEECH, who, pointing=pointing())


def test_a_finger_before_the_robot_is_meant_by_who_speaks_there_by_no_page_and_no_recording(
    tmp_path: Path,
) -> None:
    async def play(work: AtWork) -> None:
        managers = work.managers
        backend = InstallationBackend(managers)
        way = towards(middle_of(work, "valve")).direction
        ray = HandRead(HandSide.RIGHT, GestureKind.POINT, 0.9, 0.0, (0.0, 0.0, 0.0, *way))
        for _ in range(5):
            managers.hand_pointing.saw(
                "mast", Reading((ray,)), (*EYE, 0.0, 0.0, 0.0, 1.0), asyncio.get_running_loop().time()
            )
            await asyncio.sleep(1 / 15)
        (drawn,) = backend.fingers().rays
        assert (drawn.camera, drawn.names) == ("mast", ("valve",))
        managers.listening = Ear(work)  # type: ignore[assignment]
        heard = backend.listen("", "", is_addressed=False, who="ann")
        recorded = backend.listen("words.wav", "", is_addressed=True, who="ann")
        for lines, meant in (
            (backend.say("what is this?", who=PAGE), "Point, please"),
            (recorded, "Point, please"),
            (heard, "the valve"),
        ):
            async with asyncio.timeout(20.0):
                async for line in lines:
                    if line.kind in ("asked", "started", "refused"):
                        assert meant in line.text
                        break
                else:
                    pytest.fail(f"nothing came of it that says {meant!r}")
        await asyncio.sleep(POINTS_FOR_S)
        assert backend.fingers().rays == ()

    at_work(tmp_path, play, "inspection", phones=False)
