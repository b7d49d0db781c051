"""What waits for something in a whole installation on the virtual clock: a dying camera, a barred way."""

from __future__ import annotations

import asyncio
from pathlib import Path

from framework.events import EventKind
from framework.scenarios.scenario import How
from pilothouse.testbed.virtual_controls import VirtualBase
from pilothouse.testbed.virtual_installation import VirtualStage
from resources.controllers.base_guard import Odometry, Ruling
from resources.controllers.protective_field import Twist
from tests.pilothouse.test_going import Room, in_room


def test_what_is_shown_instead_stays_armed_until_the_camera_dies(tmp_path: Path) -> None:
    async def play(room: Room) -> None:
        since = room.say("if the front camera dies, show the front lidar instead")
        await asyncio.sleep(8.0)
        events = room.installation.supervisor.events
        assert not any(event.kind is EventKind.ENDED for event in events.history(since))
        assert len(room.installation.supervisor.plans()) == 1
        VirtualStage(room.installation).fail("front_camera", How.DIE)
        await asyncio.sleep(6.0)
        told = [event.text for event in events.history(since)]
        assert any(each.startswith("show the front lidar") for each in told), told

    in_room(tmp_path, play)


def test_a_drive_until_something_is_in_the_way_ends_there(tmp_path: Path) -> None:
    async def play(room: Room) -> None:
        control = room.installation.launcher.control("base")
        assert control is not None and isinstance(control.part, VirtualBase)
        guard = control.part.scan_guard
        rule = guard.rule

        def barred(twist: Twist, odometry: Odometry, now_s: float) -> Ruling:
            if any(twist) and odometry[0] > 0.5:
                return Ruling(0.0, "something is 20 cm ahead")
            return rule(twist, odometry, now_s)

        guard.rule = barred  # type: ignore[method-assign]
        told = await room.said("drive forward 2 m until something is in the way")
        assert 0.45 < room.here[0] < 0.8, told
        assert not room.installation.supervisor.plans()

    in_room(tmp_path, play)
