"""A clutch that stays pressed while orders, stops and faults come and go: it never gets the arm back."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from framework.registrar.fencing import CommandStamp
from pilothouse.testbed.arm_stage import ArmStage
from resources.controllers.loop import STOOD_STILL_S, ControlLoopCore, MotionStop
from resources.types.masters import HandSample
from resources.types.motion import Follow, Hold, MotionCommand, Orders, Wanted

SAMPLE_S = 0.016


class Scene:
    """An arm whose holder repeats its order, and a hand that swings with its clutch pressed."""

    def __init__(self) -> None:
        self.stage = ArmStage()
        self.core = ControlLoopCore("arm", self.stage.controller)
        self.stop = MotionStop()
        self.orders = Orders(holder="a", generation=1)
        self.wish: MotionCommand = Follow("ring", "me")
        self.wishes = 1
        self.engagement = 0
        self.swings = False
        self.beats = True
        self.absent_s = 0.0  # the loop's clock is so much ahead of the stage's
        self._sequence = self._samples = 0
        self._sample_s = 0.0

    @property
    def now_s(self) -> float:
        return self.stage.now_s + self.absent_s

    def want(self, command: MotionCommand | None = None) -> None:
        """Under a new number."""
        self.wish = command or Follow("ring", "me")
        self.wishes += 1

    def run(self, seconds: float) -> None:
        end_s = self.stage.now_s + seconds
        while self.stage.now_s < end_s:
            self.step()

    def step(self) -> None:
        now_s, core = self.now_s, self.core
        orders = None
        if self.beats:
            self._sequence += 1
            stamp = CommandStamp(self.orders.holder, self.orders.generation, self._sequence, now_s)
            orders = msgspec.structs.replace(self.orders, stamp=stamp, wanted=Wanted(self.wishes, self.wish))
        core.begin_turn(orders, self.stop, now_s, recover=lambda: None)
        if now_s >= self._sample_s:
            self._sample_s = now_s + SAMPLE_S
            self._samples += 1
            x = 0.1 * float(np.sin(3.0 * now_s)) if self.swings else 0.0
            pose = (x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
            core.hear(HandSample("me", self._samples, now_s, now_s, self.engagement, base_T_hand=pose), now_s)
        self.stage.step()
        core.end_turn(now_s)


def stops(scene: Scene) -> None:
    scene.stop = MotionStop(emergency=True, token=1)
    scene.run(0.2)
    scene.stop = MotionStop(token=1)


def stops_between_two_looks(scene: Scene) -> None:
    scene.stop = MotionStop(token=scene.stop.token + 1)


def is_alone(scene: Scene) -> None:
    scene.stop = MotionStop(alone=True, token=scene.stop.token)
    scene.run(0.2)
    scene.stop = MotionStop(token=scene.stop.token)


def has_a_fault(scene: Scene) -> None:
    scene.core.fail("reflex", scene.now_s)
    scene.run(0.2)
    scene.orders = msgspec.structs.replace(scene.orders, recoveries=scene.orders.recoveries + 1)


def is_told_to_rest(scene: Scene) -> None:
    scene.orders = msgspec.structs.replace(scene.orders, rests=scene.orders.rests + 1)


def is_handed_over(scene: Scene) -> None:
    generation = scene.orders.generation + 1
    scene.orders = msgspec.structs.replace(scene.orders, holder=f"h{generation}", generation=generation)


def does_something_else(scene: Scene) -> None:
    scene.want(Hold())
    scene.run(0.1)


def hears_no_orders(scene: Scene) -> None:
    scene.beats = False
    scene.run(0.6)
    scene.beats = True


def is_ordered_anew(scene: Scene) -> None:
    """Nothing but a new number for the same wish."""


def stands_still_briefly(scene: Scene) -> None:
    scene.absent_s += 0.15


def stands_still(scene: Scene) -> None:
    scene.absent_s += STOOD_STILL_S + 0.05


EVENTS: tuple[Callable[[Scene], None], ...] = (
    stops,
    stops_between_two_looks,
    is_alone,
    has_a_fault,
    is_told_to_rest,
    is_handed_over,
    does_something_else,
    hears_no_orders,
    is_ordered_anew,
    stands_still_briefly,
    stands_still,
)


def driven() -> Scene:
    """Its hand moves the arm."""
    scene = Scene()
    scene.run(0.1)
    scene.engagement = 1
    scene.run(0.1)
    assert scene.core.state().engaged == 1
    scene.swings = True
    scene.run(0.3)
    return scene


def is_over(scene: Scene) -> None:
    """Whatever is ordered now, and however often: nothing moves until the clutch was opened."""
    scene.run(0.05)
    scene.want()
    assert scene.core.state().engaged == 0
    scene.run(0.8)
    before = scene.stage.tool
    for _ in range(3):
        scene.want()
        scene.run(0.2)
        assert scene.core.state().engaged == 0
        assert np.linalg.norm(scene.stage.tool - before) < 1e-3


@pytest.mark.parametrize("happens", EVENTS, ids=lambda happens: happens.__name__)
def test_whatever_happens_to_the_arm_a_held_clutch_does_not_get_it_back(
    happens: Callable[[Scene], None],
) -> None:
    scene = driven()
    happens(scene)
    if happens is is_ordered_anew:
        scene.want()
    is_over(scene)
    scene.engagement = 0
    scene.swings = False
    if scene.core.state().holder == "":  # a stop and a fault take the grant away: somebody asks anew
        is_handed_over(scene)
        scene.want()
    scene.run(0.6)
    scene.engagement = 2
    scene.run(0.2)
    assert scene.core.state().engaged == 2


def test_many_things_in_any_order_do_not_give_it_back() -> None:
    chance = random.Random(4)
    scene = driven()
    for _ in range(12):
        chance.choice(EVENTS)(scene)
        if chance.random() < 0.5:
            is_handed_over(scene)
        scene.want()
        scene.run(chance.choice([0.01, 0.1, 0.3]))
        assert scene.core.state().engaged == 0
    is_over(scene)
