"""What is said on the operator's page is about what its picture's middle shows, or what a hand points at."""

from __future__ import annotations

import math

import pytest

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


def test_the_view_of_a_desk_is_put_onto_what_is_named(act: Act) -> None:
    async def story(scene: Scene) -> None:
        async with scene.desk() as person:
            await person.say("put the view on the block")
            await scene.heard("your view is on the block")
            await person.say("describe that")
            await scene.heard("I understand: describe the block")
            await person.say("show me the wall from above")
            await scene.heard("your view is on the wall, from above")
            await person.say("describe that")
            await scene.heard("I understand: describe the wall")

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
