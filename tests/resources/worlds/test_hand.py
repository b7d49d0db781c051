"""A hand that leads an arm of the world: what it leads goes along if it is guided, and only then."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.errors import CommandRefused
from resources.arms.parameters import PANDA
from resources.arms.pose import Vector3
from resources.controllers.settings import ArmLimits
from resources.types.memory import RememberedPath
from resources.types.motion import Guide, Joints7, MoveJoints, TrackJoints
from resources.types.paths import Course, Pace
from resources.types.recording import recorded
from resources.types.streams import Pose7
from resources.worlds import bench
from resources.worlds.leading import duration_s
from resources.worlds.world import World
from tests.resources.worlds.commanding import ARM, Commanding, Hand

WAVE: tuple[Vector3, ...] = ((0.0, 0.0, 0.1), (0.0, 0.1, 0.0), (0.0, 0.0, -0.08))


class Bench:
    """A bench and somebody at it."""

    def __init__(self) -> None:
        self.world = World.bench()
        self.commanding = Commanding(self.world)
        self.hand: Hand = self.commanding.hand(ARM)
        self.strongest_n = 0.0

    @property
    def tool(self) -> Pose7:
        return self.world.arms[""].mechanism.base_T_tool

    @property
    def joints(self) -> Joints7:
        a, b, c, d, e, f, g = self.world.arms[""].q.tolist()
        return (a, b, c, d, e, f, g)

    def led(self, way: Vector3) -> list[tuple[float, Joints7]]:
        """Until it lets go; the joints on the way."""
        taken = []
        self.world.lead("", way)
        for _ in range(round((duration_s(way) + 0.4) / 0.01)):
            self.commanding.run(0.01)
            taken.append((self.world.time_s, self.joints))
            force = math.hypot(*self.world.data.xfrc_applied[self.world.model.body("hand").id, :3])
            self.strongest_n = max(self.strongest_n, force)
        return taken


@pytest.mark.parametrize("way", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.7), (math.nan, 0.0, 0.0)])
def test_nobody_leads_nowhere_or_too_far(way: Vector3) -> None:
    with pytest.raises(CommandRefused, match=r"a hand leads above 0 to 0\.6 m at once"):
        World.bench().lead("", way)


def test_an_arm_that_there_is_not_is_said() -> None:
    with pytest.raises(CommandRefused, match="no arm whose names begin with 'left_'"):
        World.bench().lead("left_", (0.0, 0.0, 0.1))


def test_an_arm_that_holds_gives_way_and_comes_back_and_a_locked_one_stays() -> None:
    bench_ = Bench()
    before = bench_.tool
    far = []
    bench_.world.lead("", (0.0, 0.0, 0.15))
    for _ in range(10):
        bench_.commanding.run(0.2)
        far.append(math.dist(bench_.tool[:3], before[:3]))
    assert 0.01 < max(far) < 0.15
    bench_.commanding.run(1.5)
    assert math.dist(bench_.tool[:3], before[:3]) < 0.005
    bench_.world.arms[""].cut()
    bench_.commanding.run(0.1)
    bench_.led((0.0, 0.0, 0.1))
    assert math.dist(bench_.tool[:3], before[:3]) < 0.02
    assert bench_.strongest_n <= 40.1


def test_an_arm_that_is_led_while_it_is_guided_is_taught_and_repeats_what_it_was_taught() -> None:
    bench_ = Bench()
    bench_.hand.wish(Guide())
    bench_.commanding.run(0.1)
    before = bench_.tool
    taken: list[tuple[float, Joints7]] = []
    for way in WAVE:
        taken += bench_.led(way)
    after = bench_.tool
    np.testing.assert_allclose(np.subtract(after[:3], before[:3]), np.sum(WAVE, axis=0), atol=0.01)
    assert abs(float(np.dot(after[3:], before[3:]))) > math.cos(0.05), "the hand lets it not turn"
    assert bench_.strongest_n < 25.0, "it is led lightly"
    assert max(map(abs, bench_.world.arms[""].dq)) < 0.03, "and left at rest"

    path: RememberedPath = recorded("wave", "", taken)
    limits = ArmLimits.of(PANDA)
    course = Course(path, limits.velocity, min(limits.acceleration))
    begins, _ = course.at(0.0)
    bench_.hand.wish(MoveJoints(bench.HOME_POSTURE, speed=0.3))
    bench_.commanding.run(2.0)
    bench_.hand.wish(MoveJoints(begins, speed=0.3))
    bench_.commanding.run(2.0)
    forward = bench_.world.arms[""].mechanism.state.dynamics.forward
    pace, off = Pace(course), []
    while not pace.is_over:
        joints, velocities = pace.step(0.02)
        bench_.hand.wish(TrackJoints(joints, velocities))
        bench_.commanding.run(0.02)
        off.append(math.dist(bench_.tool[:3], forward(np.array(joints))[:3, 3]))
    assert max(off) < 0.02, "all along the path"
    assert math.dist(bench_.tool[:3], after[:3]) < 0.01
