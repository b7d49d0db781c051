"""What fingers before the robot's cameras point at: how many rays that takes, and how long it counts."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from framework.clock import LoopClock
from framework.testing import run
from managers.hand_pointing import APART_M, EVERY_S, KEPT_S, LEAST_RAYS, MEAN_S, HandPointing
from managers.pointing import HAND
from resources.types.context import KnownThing, ThingKind
from resources.types.gestures import GestureKind, HandRead, Reading
from resources.types.masters import HandSide
from resources.types.streams import Pose7
from resources.types.whereabouts import POINTS_FOR_S, Ray

#: A camera at (1, 0, 1) that looks along the world's x: its z is ahead, its x to the right, its y down.
CAMERA: Pose7 = (1.0, 0.0, 1.0, -0.5, 0.5, -0.5, 0.5)
PICTURE_S = 1 / 15


def thing(name: str, x: float, y: float, z: float = 1.0) -> KnownThing:
    return KnownThing(name, ThingKind.OBJECT, (x, y, z, 0.0, 0.0, 0.0, 1.0), (0.1, 0.1, 0.1), called=name)


RED, BLUE = thing("red cup", 4.0, 1.0), thing("blue cup", 4.0, -1.0)

#: Before that camera, half a metre ahead of it: along its z, and so along the world's x.
AHEAD: Ray = (0.0, 0.0, 0.5, 0.0, 0.0, 1.0)


def towards(off_rad: float) -> Ray:
    """To the left of straight ahead."""
    return (0.0, 0.0, 0.5, -math.sin(off_rad), 0.0, math.cos(off_rad))


def read(*rays: Ray | None) -> Reading:
    sides = (HandSide.RIGHT, HandSide.LEFT)
    return Reading(
        tuple(
            HandRead(side, GestureKind.POINT if ray else GestureKind.NONE, 0.9, 0.0, ray)
            for side, ray in zip(sides, rays, strict=False)
        )
    )


def pointing(scene: Callable[[HandPointing], Coroutine[Any, Any, None]], *things: KnownThing) -> None:
    async def main() -> None:
        await scene(HandPointing(lambda: things, LoopClock()))

    run(main)


def now_s() -> float:
    return asyncio.get_running_loop().time()


async def shown(it: HandPointing, reading: Reading, pictures: int, camera: str = "mast") -> None:
    for _ in range(pictures):
        it.saw(camera, reading, CAMERA, now_s())
        await asyncio.sleep(PICTURE_S)


def test_a_finger_before_the_camera_points_in_the_world() -> None:
    async def scene(it: HandPointing) -> None:
        await shown(it, read(towards(math.atan2(1.0, 2.5))), 5)
        assert {each.thing for each in it.lately()} == {"red cup"}
        (ray,) = it.shown()
        assert (ray.camera, ray.side, ray.names) == ("mast", HandSide.RIGHT, ("red cup",))
        assert ray.origin == pytest.approx((1.5, 0.0, 1.0))
        assert ray.direction == pytest.approx((2.5 / math.hypot(1.0, 2.5), 1.0 / math.hypot(1.0, 2.5), 0.0))

    pointing(scene, RED, BLUE)


def test_a_hand_that_shows_something_else_points_at_nothing() -> None:
    async def scene(it: HandPointing) -> None:
        await shown(it, read(None), 10)
        assert it.lately() == () and it.shown() == ()

    pointing(scene, RED)


def test_one_ray_is_none_yet() -> None:
    async def scene(it: HandPointing) -> None:
        await shown(it, read(towards(0.0)), LEAST_RAYS - 1)
        assert it.shown() == ()
        await asyncio.sleep(MEAN_S)  # those are too old to be part of a mean
        await shown(it, read(towards(0.0)), LEAST_RAYS - 1)
        assert it.shown() == ()

    pointing(scene, thing("drum", 4.0, 0.0))


def test_a_finger_that_sweeps_points_nowhere_and_a_trembling_one_at_its_mean() -> None:
    async def scene(it: HandPointing) -> None:
        for number in range(12):
            await shown(it, read(towards((-1.0) ** number * 0.9)), 1)
        assert it.shown() == ()
        await asyncio.sleep(2 * MEAN_S)
        for number in range(12):
            await shown(it, read(towards((-1.0) ** number * 0.15)), 1)
        (ray,) = it.shown()
        assert ray.names == ("drum",) and abs(ray.direction[1]) < 0.06

    pointing(scene, thing("drum", 4.0, 0.0), thing("left", 4.0, 1.2), thing("right", 4.0, -1.2))


def test_between_two_things_nobody_can_tell_which() -> None:
    async def scene(it: HandPointing) -> None:
        await shown(it, read(AHEAD), 5)
        (ray,) = it.shown()
        assert sorted(ray.names) == ["left", "right"]

    pointing(scene, thing("left", 4.0, 0.4), thing("right", 4.0, -0.4))


def test_too_far_off_is_nothing_and_still_a_ray_to_be_drawn() -> None:
    async def scene(it: HandPointing) -> None:
        await shown(it, read(towards(-HAND.furthest_rad)), 5)
        (ray,) = it.shown()
        assert ray.names == () and it.lately() == ()

    pointing(scene, thing("drum", 4.0, 0.2))


def test_it_is_drawn_as_long_as_it_counts_and_remembered_for_who_speaks() -> None:
    async def scene(it: HandPointing) -> None:
        await shown(it, read(AHEAD), 5)
        newest_s = max(each.t_s for each in it.lately())
        await asyncio.sleep(POINTS_FOR_S + EVERY_S)
        assert it.shown() == ()
        assert max(each.t_s for each in it.lately()) == newest_s, "when it was pointed, not when it is asked"
        await asyncio.sleep(KEPT_S)
        assert it.lately() == ()

    pointing(scene, thing("drum", 4.0, 0.0))


def test_two_hands_and_two_cameras_are_each_a_ray() -> None:
    async def scene(it: HandPointing) -> None:
        for _ in range(5):
            await shown(it, read(towards(0.38), towards(-0.38)), 1)
            it.saw("wrist", read(AHEAD), CAMERA, now_s())
        assert {(each.camera, each.side) for each in it.shown()} == {
            ("mast", HandSide.RIGHT),
            ("mast", HandSide.LEFT),
            ("wrist", HandSide.RIGHT),
        }
        assert {each.thing for each in it.lately()} == {"red cup", "blue cup"}

    pointing(scene, RED, BLUE)


def test_what_was_pointed_at_was_so_when_the_picture_was_taken() -> None:
    late_s = 0.75

    async def scene(it: HandPointing) -> None:
        await asyncio.sleep(late_s)
        for _ in range(5):
            it.saw("mast", read(AHEAD), CAMERA, now_s() - late_s)
            await asyncio.sleep(PICTURE_S)
        newest_s = max(each.t_s for each in it.lately())
        assert newest_s == pytest.approx(now_s() - late_s, abs=EVERY_S + PICTURE_S)
        assert len(it.shown()) == 1
        await asyncio.sleep(POINTS_FOR_S - late_s + EVERY_S)
        assert it.shown() == (), "it counts from the picture on"
        await asyncio.sleep(KEPT_S)
        for number in range(5):
            it.saw("wrist", read(AHEAD), CAMERA, now_s() - KEPT_S - 1.0 + number * PICTURE_S)
        assert it.lately() == () and it.shown() == ()

    pointing(scene, thing("drum", 4.0, 0.0))


def test_of_two_right_hands_in_one_picture_none_points() -> None:
    async def scene(it: HandPointing) -> None:
        two = Reading(read(towards(0.1)).hands + read(towards(-0.1)).hands)
        await shown(it, two, 10)
        assert it.shown() == () and it.lately() == ()
        await shown(it, read(AHEAD), LEAST_RAYS - 1)
        await shown(it, two, 1)
        await shown(it, read(AHEAD), LEAST_RAYS - 1)
        assert it.shown() == (), "nobody knows that it is the same one"
        await shown(it, read(AHEAD), 1)
        assert len(it.shown()) == 1

    pointing(scene, thing("drum", 4.0, 0.0))


def test_hands_that_are_apart_have_no_mean() -> None:
    def at(x_m: float) -> Reading:
        return read((x_m, 0.0, 0.5, 0.0, 0.0, 1.0))

    async def scene(it: HandPointing) -> None:
        for number in range(12):
            await shown(it, at((-1.0) ** number * (APART_M / 2 + 0.01)), 1)
        assert it.shown() == () and it.lately() == ()
        await asyncio.sleep(2 * MEAN_S)
        for number in range(12):
            await shown(it, at((-1.0) ** number * (APART_M / 2 - 0.01)), 1)
        assert len(it.shown()) == 1

    pointing(scene, thing("drum", 4.0, 0.0))
