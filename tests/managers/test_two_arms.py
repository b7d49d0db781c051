"""Two arms for one: what names its side is asked for before what takes any, and no wish waits for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from framework.errors import ResourceUnavailable
from resources.types.arms import Arm
from tests.managers.scripted_world import InWorld, PlayedWorld

Play = Callable[[Any], None]


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize("wishes", [(Arm("left"), Arm()), (Arm(), Arm("left")), (Arm("right"), Arm())])
def test_a_certain_arm_and_any_other_are_two(in_world: InWorld, wishes: tuple[Arm, Arm], wait: bool) -> None:
    async def scene(world: PlayedWorld) -> None:
        (both,) = await world.stage.come(1)
        async with asyncio.timeout(60):
            async with both.registrar.request_all(*wishes, exclusive=True, wait=wait) as leases:
                devices = [lease.value.device for lease in leases]
        assert sorted(devices) == ["left_arm", "right_arm"]
        for wish, device in zip(wishes, devices, strict=True):
            assert device.startswith(wish.side)

    in_world(scene)


def test_any_other_arm_is_waited_for_not_the_one_that_is_ones_own(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        right = await world.asking(Arm("right"))
        (both,) = await world.stage.come(1)

        async def have_both() -> list[str]:
            wish = both.registrar.request_all(Arm(), Arm("left"), exclusive=True, wait=True)
            async with wish as leases:
                return [lease.value.device for lease in leases]

        having = asyncio.create_task(have_both())
        await asyncio.sleep(5)
        assert not having.done()
        await right.leave()
        async with asyncio.timeout(10):
            assert await having == ["right_arm", "left_arm"]

    in_world(scene)


@pytest.mark.parametrize("wait", [False, True])
def test_the_same_arm_twice_is_refused_in_words(in_world: InWorld, wait: bool) -> None:
    async def scene(world: PlayedWorld) -> None:
        (both,) = await world.stage.come(1)
        with pytest.raises(ResourceUnavailable, match="asked for twice"):
            async with both.registrar.request_all(Arm("left"), Arm("left"), exclusive=True, wait=wait):
                raise AssertionError("one arm for two")

    in_world(scene)
