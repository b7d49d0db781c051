"""What moves besides is held back for as long as somebody's plan wants it, and not remembered for ever."""

from __future__ import annotations

import asyncio

from framework.supervisor.moved_besides import MovedBesides
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.tree.scripted import Kind


@scene(Kind("show", after_s=5.0), Kind("look", after_s=1.0))
async def test_what_nobody_wants_any_more_is_held_back_no_longer(desk: Desk) -> None:
    besides: MovedBesides = desk.supervisor._book.besides
    showing = desk.say("show")
    await desk.say_and_settle("look")
    besides.hold_back(["show", "look"], "phone 1 is silent")
    assert besides.why_not("show", "sweep") and besides.why_not("look", "sweep")
    await asyncio.sleep(2.0)
    assert not besides.why_not("look", "sweep")
    assert besides.why_not("show", "sweep")
    await showing.done()
    assert not besides.why_not("show", "sweep")
