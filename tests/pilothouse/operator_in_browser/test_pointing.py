"""What is said on the operator's page is about what its picture's middle shows, or what a hand points at."""

from __future__ import annotations

import math

import numpy as np
import pytest

from resources.types.poses import Vector3
from resources.worlds.bench import ARM_MOUNT, WALL
from tests.pilothouse.operator_in_browser.person import Person
from tests.pilothouse.operator_in_browser.scene import Act, Scene

pytestmark = pytest.mark.real

_TILT = """tilt => {
  for (const { quaternion } of [device.controllers.right, device.controllers.left]) {
    quaternion.set(Math.sin(tilt / 2), 0, 0, Math.cos(tilt / 2));
  }
}"""


def test_that_is_what_the_middle_of_the_picture_shows(act: Act) -> None:
    async def story(scene: Scene) -> None:
        async with scene.desk() as person:
            await person.say("describe that")
            await scene.heard("I understand: describe the table")

    act(story)


_POINTED = """() => {
  const { send } = RTCDataChannel.prototype;
  RTCDataChannel.prototype.send = function (data) {
    if (typeof data === "string" && data.includes('"point_at"')) globalThis.pointed = JSON.parse(data);
    send.call(this, data);
  };
}"""
"""Keeps where the page last said that its picture's middle points."""


async def _points_past(person: Person, place: Vector3) -> tuple[float, float]:
    """Whoever asks something points: how far past a place of the world [m], and how steeply down [rad]."""
    await person.say("who drives?")
    pointed = await person.page.evaluate("pointed")
    origin, direction = np.array(pointed["origin"]), np.array(pointed["direction"])
    to = np.subtract(place, ARM_MOUNT) - origin
    return float(np.linalg.norm(np.cross(to, direction))), math.asin(-direction[2])


def test_the_view_of_a_desk_is_put_onto_what_is_named(act: Act) -> None:
    async def story(scene: Scene) -> None:
        async with scene.desk() as person:
            await person.page.evaluate(_POINTED)
            far_m, down = await _points_past(person, WALL)
            assert far_m > 0.1 and down < math.radians(60)
            await person.say("put the view on the wall")
            await person.hears("your view is on the wall")
            far_m, now = await _points_past(person, WALL)
            assert far_m < 0.01 and now == pytest.approx(down, abs=0.01)
            await person.say("show me the wall from above")
            await person.hears("your view is on the wall, from above")
            far_m, down = await _points_past(person, WALL)
            assert far_m < 0.02 and down > math.radians(85)

    act(story)


def test_a_hand_of_a_headset_points_and_not_the_eye(act: Act) -> None:
    async def story(scene: Scene) -> None:
        async with scene.headset() as person:
            # The eye sees the bench all the while.
            await person.page.evaluate(_TILT, math.pi / 2)
            await person.say("describe that")
            await scene.heard("Point, please")
            await person.page.evaluate(_TILT, -math.radians(35))
            await person.say("that")
            await scene.heard("describe the table")

    act(story)
