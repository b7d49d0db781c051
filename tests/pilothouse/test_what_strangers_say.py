"""Sentences that once were carried out otherwise, or refused with an untruth, and what comes of them now.

Said one after the other to the played installation. With `--pictures FOLDER` the console's log of it is
written there, as docs/language.md shows it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from playwright.async_api import Browser, expect

from framework.events import Event, EventKind
from framework.testing.runner import run
from pilothouse.settings import Settings
from pilothouse.testbed.virtual_installation import VirtualInstallation
from tests.resources.console.browser import opened
from tests.resources.console.conftest import drive as drive  # the browser
from tests.resources.console.desk import Desk, Driver

UP_S = 6.0
#: So long a sentence is looked at [s]; what moves, moves in it.
LOOK_S, IN_MOTION_S = 14.0, 1.2
SIZE = (900, 520)
SHOWN = {EventKind.HEARD, EventKind.ASKED, EventKind.REFUSED, EventKind.ANSWERED, EventKind.CANCELLED}


class Said(NamedTuple):
    """One sentence. comes: a part of what is said of it. in_motion: the next one is said while it moves."""

    text: str
    comes: str
    in_motion: bool = False


SAID = (
    Said("turn left, then right", "Done: turn left, then turn right."),
    Said(
        "move the right arm up 10 cm, then move it down 4 cm", "then move the right arm down 4 centimetres."
    ),
    Said("move half a metre backwards", "1: drive back 50 centimetres, 2: move the arm back 50 centimetres"),
    Said("raise the right, sorry, left arm ten centimetres", "Done: move the left arm up 10 centimetres."),
    Said("too high by 3", "Done: move the left arm down 3 centimetres."),
    Said("5 to the left", "(yes or no)"),
    Said("drive to the table", "the table: at work, with the base", in_motion=True),
    Said("stpo", "I stop: "),
    Said("turn left, I mean right", "Done: turn right."),
    Said("pour me a coffee", "I cannot pour you a coffee."),
)


async def _played(folder: Path) -> list[Event]:
    """All events, once each sentence has had the consequence that it is to have."""
    installation = VirtualInstallation(Settings(state=folder, seed=0))
    async with installation:
        await asyncio.sleep(UP_S)
        events = installation.supervisor.events
        begins = events.last_sequence
        for said in SAID:
            before = events.last_sequence
            installation.supervisor.say(said.text, who="somebody")
            await asyncio.sleep(IN_MOTION_S if said.in_motion else LOOK_S)
            came = [each.text for each in events.history(before)]
            assert any(said.comes in each for each in came), (said.text, came)
        return list(events.history(begins))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """What was said and what came of it: each sentence has had the consequence that it is to have."""
    return run(lambda: _played(tmp_path_factory.mktemp("played")), seed=0)


def test_what_comes_of_what_strangers_say(played: list[Event]) -> None:
    assert [each.text for each in played if each.kind is EventKind.HEARD] == [said.text for said in SAID]


@pytest.mark.real
def test_the_console_shows_it(
    tmp_path: Path, drive: Driver, request: pytest.FixtureRequest, played: list[Event]
) -> None:
    pictures = request.config.getoption("--pictures")
    shown = [each for each in played if each.kind in SHOWN or each.text.startswith("Done: ")]

    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, SIZE, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            for each in shown:
                line = desk.backend.line(each.kind.value, each.text)
                desk.server.event(msgspec.structs.replace(line, aside=each.aside))
            lines = page.locator(".log .line-text")
            for sentence in SAID:
                await expect(lines.filter(has_text=sentence.text).first).to_be_attached()
            if pictures:
                log = page.locator(".log")
                await log.evaluate(
                    "log => Object.assign(log.style, {position: 'fixed', inset: 0, zIndex: 99})"
                )
                await log.screenshot(path=Path(pictures) / "strangers.png")

    drive(tmp_path, scenario)
