"""A headset: what it shows, what its controllers let feel, bare hands, and taking over from autonomy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pilothouse.operator_in_browser.drawn import begin, end
from tests.pilothouse.operator_in_browser.headset import PULSE_MS, AtHeadset
from tests.pilothouse.operator_in_browser.person import BRISK, CAREFUL
from tests.pilothouse.operator_in_browser.scene import (
    ABOVE_M,
    HEADSET,
    Act,
    Scene,
    holds,
    is_driven,
    is_fast,
    stands,
)

pytestmark = pytest.mark.real

EYES_APART_M = (0.05, 0.08)


def test_it_touches_the_block_and_pushes_it_drives_on_by_a_bare_hand_and_shares_the_arm_with_autonomy(
    act: Act,
) -> None:
    async def story(scene: Scene) -> None:
        world = scene.world
        async with scene.headset() as person:
            assert not world.arm().loop.engaged
            await person.say("let me drive")
            await person.until(lambda seen: seen.holder == "you drive")
            await scene.heard("drives the arm")
            await _sees_with_two_eyes(person)
            await person.engages()
            await person.button("trigger", 1)  # with closed fingers
            await scene.heard("the gripper")
            await person.button("trigger", 0)

            x, y, z = world.block()
            await person.reaches((x, y, ABOVE_M))
            await person.reaches((x, y, z + 0.05), CAREFUL)
            assert await person.pulses() == []
            await person.presses(person.pressure)
            pulses = await person.pulses()
            assert all(0.0 < intensity <= 1.0 for intensity, _ in pulses)
            assert any(ms > PULSE_MS for _, ms in pulses), "a knock"
            if scene.pictures is not None:
                await person.leans_in(HEADSET)
                await person.picture(scene.pictures, "operator-headset", engaged=True)

            await person.reaches((x, y, ABOVE_M))
            x, y, z = world.block()
            await person.reaches((x, y + 0.11, ABOVE_M))
            await person.reaches((x, y + 0.11, z + 0.01), CAREFUL)
            await person.reaches((x, y - 0.04, z + 0.01), CAREFUL)
            pushed = world.block() - (x, y, z)
            assert pushed[1] < -0.02, pushed

            await _drives_by_a_bare_hand(person)
            await _takes_over_from_autonomy(person, scene)

    act(story)


async def _sees_with_two_eyes(person: AtHeadset) -> None:
    """Each picture is drawn twice, side by side: as the left eye and as the right eye see it."""
    await begin(person.page)
    drawn = await end(person.page, frames=5)
    assert len(drawn.passes) >= 6
    least, most = EYES_APART_M
    for number, apart in enumerate(drawn.eyes_apart_m):
        left, right = drawn.passes[number], drawn.passes[number + 1]
        assert left.viewport[0] != right.viewport[0]
        assert left.viewport[2:] == right.viewport[2:]
        to_the_right = right.viewport[0] > left.viewport[0]
        assert least < (apart if to_the_right else -apart) < most, drawn


async def _drives_by_a_bare_hand(person: AtHeadset) -> None:
    """The controllers are put away with the clutch held: it opens, and a pinch closes it."""
    bare = await person.puts_controllers_away()
    await stands(bare.world)
    await is_driven(bare, (0.0, 0.0, 0.06))
    await bare.release()
    await bare.until(lambda seen: seen.word == "Hold to move")
    await bare.move((0.0, 0.05, 0.0), BRISK)
    await holds(bare.world, 0.3)
    await person.takes_controllers()


async def _takes_over_from_autonomy(person: AtHeadset, scene: Scene) -> None:
    """In the middle of what the arm does by itself; it yields, and finishes when it may."""
    world, home = scene.world, scene.home
    await person.say("carry on")
    await person.until(lambda seen: seen.holder == "nobody drives")
    await scene.has_it_done(person, "go home", lambda: is_fast(world))
    await person.takes_the_arm()
    await stands(world)
    await is_driven(person, (0.0, -0.05, 0.0))
    await person.release()
    assert np.linalg.norm(world.tool() - home) > 0.05

    def is_home() -> bool:
        return bool(np.linalg.norm(world.tool() - home) < 0.02)

    await scene.has_it_done(person, "go home", is_home, first="carry on")
    await person.hears("go home")
