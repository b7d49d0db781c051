"""A robot that stops as a whole: its base brakes too, and shakes the arms that brake on it."""

from __future__ import annotations

import numpy as np
import pytest

from resources.types.motion import Drive, MotionCommand, MoveJoints, TrackTwist
from resources.worlds.world import World
from tests.resources.worlds.commanding import ARM, BASE, Commanding

_FAR = (1.1, 0.1, 0.0, -1.5, 0.0, 2.2, 0.8)

# A tenth of the speed is left after so long [s].
_SLOWED_S = 0.25


@pytest.mark.parametrize("command", [MoveJoints(_FAR, 1.0), TrackTwist((0.1, 0.4, 0.1, 0.0, 0.0, 0.0))])
def test_an_arm_on_a_base_that_stops_with_it_is_slow_soon(command: MotionCommand) -> None:
    world = World.inspection()
    commanding = Commanding(world)
    base, arm = commanding.hand(BASE), commanding.hand(ARM, "left_")
    joints = world.arms["left_"]
    for period in range(75):
        base.wish(Drive(0.6))
        if period == 40 or (period > 40 and isinstance(command, TrackTwist)):
            arm.wish(command)
        commanding.run(0.01)
    begun = float(np.abs(joints.dq).max())
    driven = world.base_pose().position[0]
    assert begun > 0.8
    base.rest()
    arm.rest()
    fastest = 0.0
    for period in range(60):
        commanding.run(0.01)
        if period * 0.01 > _SLOWED_S:
            fastest = max(fastest, float(np.abs(joints.dq).max()))
    assert world.base_pose().position[0] - driven > 0.05, "it braked, too"
    assert fastest < 0.1 * begun
    assert float(np.abs(joints.dq).max()) < 0.01


def test_a_base_whose_controller_begins_anew_in_motion_brakes_as_ever() -> None:
    world = World.inspection()
    commanding = Commanding(world)
    for _ in range(60):
        commanding.hand(BASE).wish(Drive(0.6))
        commanding.run(0.01)
    assert world.base is not None
    before = world.base.velocity()[0]
    assert before > 0.5
    world.base.restart()
    decelerations = []
    for _ in range(40):
        world.step(10)
        speed = world.base.velocity()[0]
        decelerations.append((before - speed) / 0.01)
        before = speed
    assert before < 0.01
    assert max(decelerations) < 3.0
