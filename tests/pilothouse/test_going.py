"""Going to things in a whole installation on the virtual clock: from the words to where the base ends."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from framework.events import EventKind
from framework.testing.runner import run
from pilothouse.settings import Settings
from pilothouse.testbed.virtual_installation import VirtualInstallation
from resources.types.motion import BaseSample


class Room:
    """The inspection room, and somebody who speaks."""

    def __init__(self, installation: VirtualInstallation) -> None:
        self.installation = installation

    @property
    def here(self) -> tuple[float, float, float]:
        now_s = asyncio.get_running_loop().time()
        controls = (control for control, _ in self.installation.launcher.controls)
        samples = (control.truth(now_s) for control in controls)
        return next(sample.odometry for sample in samples if isinstance(sample, BaseSample))

    def say(self, text: str) -> int:
        since = self.installation.supervisor.events.last_sequence
        self.installation.supervisor.say(text, who="somebody")
        return since

    async def said(self, text: str, within_s: float = 60.0) -> list[str]:
        """Say it, wait for its end, and return what was told meanwhile."""
        since = self.say(text)
        events = self.installation.supervisor.events
        over = (EventKind.ENDED, EventKind.REFUSED, EventKind.FAILED)
        async with asyncio.timeout(within_s):
            while not any(event.kind in over for event in events.history(since)):
                await asyncio.sleep(0.1)
        return [event.text for event in events.history(since)]


def in_room(directory: Path, play: Callable[[Room], Awaitable[None]]) -> None:
    async def scene() -> None:
        installation = VirtualInstallation(Settings(state=directory, seed=0))
        async with installation:
            await asyncio.sleep(6.0)
            await play(Room(installation))

    run(scene, seed=0)


@pytest.mark.story
def test_there_and_back_again(tmp_path: Path) -> None:
    async def play(room: Room) -> None:
        await room.said("remember this place as dock")
        assert "the base is at the table" in await room.said("drive to the table")
        x, _, yaw = room.here
        assert 0.9 < x < 1.1 and abs(yaw) < 0.05  # its nose is 30 cm before the table's edge at 1.775 m
        names = room.installation.managers.world.known("places")
        assert {known.value for known in names if "where you were" in (known.name, *known.says)} == {"dock"}
        assert "the base is back where it started" in await room.said("come back")
        assert room.here[:2] == pytest.approx((0.0, 0.0), abs=0.05)
        assert math.remainder(room.here[2], 2 * math.pi) == pytest.approx(0.0, abs=0.05)
        assert "the base is at 'dock' already" in await room.said("go to dock")
        assert any("closer to the door" in each for each in await room.said("go 30 cm closer to the door"))
        assert math.hypot(*room.here[:2]) == pytest.approx(0.3, abs=0.02)

    in_room(tmp_path, play)


def test_paused_in_the_middle_it_goes_on_to_the_same_goal_and_a_stop_ends_it(tmp_path: Path) -> None:
    async def play(room: Room) -> None:
        room.say("drive to the table")
        while room.here[0] < 0.3:
            await asyncio.sleep(0.1)
        room.say("pause")
        await asyncio.sleep(1.0)
        here = room.here
        await asyncio.sleep(1.0)
        assert room.here == here and here[0] < 0.7
        room.say("carry on")
        await asyncio.sleep(10.0)
        assert 0.9 < room.here[0] < 1.1
        room.say("come back")
        while room.here[0] > 0.8:
            await asyncio.sleep(0.1)
        room.say("stop")
        await asyncio.sleep(1.0)
        here = room.here
        await asyncio.sleep(2.0)
        assert room.here == here and here[0] > 0.3

    in_room(tmp_path, play)
