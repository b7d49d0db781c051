"""What is lost while the clutch is held and the hand goes on moving: the arm stands, is said why, and waits.

Each loss: how long until the arm stands, and how far it goes meanwhile; then, with the clutch still held and
the hand still moving, that it stays where it is until the clutch was pressed anew.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from pilothouse.experiments.operator_link.relay import LOOPBACK, Network
from resources.operator.ice_additions import Dscp
from tests.pilothouse.operator_in_browser.headset import AtHeadset
from tests.pilothouse.operator_in_browser.relayed import MarkReadingRelay
from tests.pilothouse.operator_in_browser.scene import (
    DEADLINE_S,
    Act,
    Loss,
    Scene,
    holds,
    is_driven,
    is_fast,
    loss,
)

pytestmark = pytest.mark.real

STOPPED_WITHIN_S = 0.4
WENT_M = 0.05
"""Until it stands, from some 0.15 m/s."""

JUMP_M = 0.001
"""After that, with the clutch held all the while."""

FAR = Network("far", 298.0, 300.0, 302.0)
"""As through a satellite: half of it each way."""

MOMENT_S = 0.35
"""Packets are missing for so long; the link outlives it."""


def test_whatever_is_lost_the_arm_stands_until_the_clutch_is_pressed_anew(act: Act) -> None:
    async def story(scene: Scene) -> None:
        world, console = scene.world, scene.console
        async with MarkReadingRelay() as relay, scene.headset(relay) as person:
            await person.takes_the_arm()

            async with _lost(person) as lost:  # for a moment
                relay.is_cut = True
                lost()
                await asyncio.sleep(MOMENT_S)
                relay.is_cut = False
            await person.sees("clutch is open")

            async with _lost(person) as lost:  # another app, a call
                await person.page.evaluate("device.updateVisibilityState('hidden')")
                lost()
            await person.page.evaluate("device.updateVisibilityState('visible')")
            await person.sees("went to the background|is not seen|no pose for")

            async with _lost(person) as lost:
                with world.stopped():
                    lost()
                    await person.until(lambda seen: seen.tone == "stopped")
                    await person.until(lambda seen: "has not answered" in seen.status)
                    assert "heartbeat" in world.arm().loop.stopped
            await person.until(lambda seen: seen.tone != "stopped" and "has not answered" not in seen.status)

            (process,) = world.children("resources.operator")
            async with _lost(person) as lost:
                os.kill(process, signal.SIGKILL)
                lost()
            await scene.heard("is silent")
            await person.hears("No link")
            await person.until(lambda seen: seen.link == "connected" and seen.holder == "you drive")
            await scene.heard("is back")

            async with _lost(person) as lost:  # for good: another network takes its place
                relay.is_cut = True
                lost()
                seen = await person.until(lambda seen: seen.link == "lost")
                assert "Whether the arm moves is not known" in seen.status
                relay.is_cut = False
            await person.until(lambda seen: seen.link == "connected" and seen.holder == "you drive")

            # The person loads the page anew in the middle: the same session, its arm kept for it.
            (name,) = (line["name"] for line in console.sessions)
            async with _lost(person) as lost:
                person.page.once("framenavigated", lambda _: lost())
                await person.page.reload()
                assert await person.connects() == name
            await person.enters()
            await person.until(lambda seen: seen.holder == "you drive")
            await is_driven(person, (0.0, -0.05, 0.0))

            # A way on which each pose comes too late is called that, with its figure, and not "Ready".
            relay.becomes(FAR)
            seen = await person.until(lambda seen: seen.word == "Too slow")
            assert re.search(
                r"too slow to drive: your hand's poses come 1[45]\d ms late, at most 100 ms", seen.status
            )
            relay.becomes(LOOPBACK)
            await person.until(lambda seen: seen.word != "Too slow")

            # All the while each packet was marked by what it is for.
            for link, mark in (("control", Dscp.EXPEDITED), ("media", Dscp.VIDEO)):
                assert relay.marks[link].keys() == {mark}, relay.marks

    act(story)


@asynccontextmanager
async def _lost(person: AtHeadset) -> AsyncIterator[Loss]:
    """The arm follows a swaying hand until the loss; then it stands soon, and stays where it is."""
    world = person.world
    await _swaying(person)
    async with loss(world, 1.5 * STOPPED_WITHIN_S) as lost:
        yield lost
    assert lost.stop.after_s < STOPPED_WITHIN_S, lost.stop
    assert lost.stop.went_m < WENT_M, lost.stop
    assert world.arm().loop.engaged == 0
    await holds(world, 0.2, JUMP_M)


async def _swaying(person: AtHeadset) -> None:
    """The clutch is pressed, the hand moves by itself, and the arm with it."""
    await person.sways((0.0, 0.12, 0.0))
    async with asyncio.timeout(DEADLINE_S):
        while not (person.world.arm().loop.engaged and is_fast(person.world)):
            if (await person.look()).tone != "engaged":
                await person.engages()
            await asyncio.sleep(0.01)
