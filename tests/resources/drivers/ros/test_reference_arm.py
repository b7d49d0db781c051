"""The reference of an arm that follows joints: the law's own arm, as long as the real one is there, too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from framework.errors import CommandRefused
from resources.arms.dynamics import ArmDynamics
from resources.controllers.loop import Ended
from resources.drivers.ros.reference_arm import ReferenceArm
from resources.types.motion import Guide, MoveJoints, MovePose

Array = NDArray[np.float64]

READY = np.array((0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398))
PERIOD_S = 0.01


class Followed:
    """A reference, and an arm: `follows` says where it goes from what it is told and where it is."""

    def __init__(self, follows: Callable[[Array, Array], Array]) -> None:
        self.arm = ReferenceArm(ArmDynamics())
        self.arm.start(READY, np.zeros(7))
        self.at = READY.copy()
        self.now_s = 0.0
        self.told = [READY.copy()]
        self._follows = follows

    def turn(self) -> None:
        self.now_s += PERIOD_S
        self.arm.advance(self.now_s, PERIOD_S)
        self.told.append(self.arm.q.copy())
        before, self.at = self.at, self._follows(self.arm.q, self.at)
        self.arm.measure(self.at, (self.at - before) / PERIOD_S)

    def end(self, most_s: float = 5.0) -> Ended:
        while self.now_s < most_s:
            self.turn()
            if (ended := self.arm.ended()) is not None:
                return ended
        raise AssertionError("it has no end")

    @property
    def greatest_step(self) -> float:
        """Between two things it was told [rad]."""
        return float(np.abs(np.diff(self.told, axis=0)).max())


def at_once(told: Array, at: Array) -> Array:
    return told


def slowly(told: Array, at: Array) -> Array:
    return at + 0.25 * (told - at)


def never(told: Array, at: Array) -> Array:
    return at


def up(arm: ReferenceArm, way_m: float) -> MovePose:
    x, y, z, *rotation = arm.base_T_tool
    qx, qy, qz, qw = rotation
    return MovePose((x, y, z + way_m, qx, qy, qz, qw))


@pytest.mark.parametrize("follows", [at_once, slowly])
def test_a_goal_is_reached_when_the_arm_is_there_too(follows: Callable[[Array, Array], Array]) -> None:
    followed = Followed(follows)
    goal = up(followed.arm, 0.05)
    followed.arm.begin(goal, 0.0, 0.0)
    assert followed.end() == Ended()
    assert followed.arm.behind[1] < 0.015
    assert followed.arm.base_T_tool == pytest.approx(goal.base_T_tool, abs=0.003)
    assert followed.greatest_step < 0.02


def test_what_does_not_follow_ends_the_goal_and_the_reference_is_where_it_is() -> None:
    followed = Followed(never)
    followed.arm.begin(up(followed.arm, 0.2), 0.0, 0.0)
    ended = followed.end()
    assert "the arm does not follow: joint" in ended.why
    assert followed.arm.is_left
    assert followed.arm.q == pytest.approx(READY)
    assert max(float(np.abs(told - READY).max()) for told in followed.told) < 0.3


def test_an_arm_that_is_put_elsewhere_while_it_holds_is_left_there() -> None:
    followed = Followed(lambda told, at: READY + 0.05)
    while not followed.arm.is_left:
        followed.turn()
        assert followed.now_s < 1.0
    assert followed.arm.q == pytest.approx(READY + 0.05)


def test_a_goal_that_the_arm_misses_by_a_little_is_not_reached() -> None:
    followed = Followed(lambda told, at: told + np.array((0.0, 0.02, 0.0, 0.0, 0.0, 0.0, 0.0)))
    q1, q2, q3, q4, q5, q6, q7 = (READY + 0.05).tolist()
    followed.arm.begin(MoveJoints((q1, q2, q3, q4, q5, q6, q7)), 0.0, 0.0)
    assert followed.end().why == "the arm does not come to where it is told to be: joint 2 is 1° away"


def test_it_begins_where_the_arm_is_and_never_at_a_former_reference() -> None:
    followed = Followed(at_once)
    followed.arm.begin(up(followed.arm, 0.05), 0.0, 0.0)
    followed.end()
    elsewhere = READY + 0.3
    followed.arm.start(elsewhere, np.zeros(7))
    followed.arm.advance(followed.now_s + PERIOD_S, PERIOD_S)
    assert float(np.abs(followed.arm.q - elsewhere).max()) < 1e-6


def test_it_is_not_led_by_hand() -> None:
    with pytest.raises(CommandRefused, match="cannot be led by hand"):
        Followed(at_once).arm.begin(Guide(), 0.0, 0.0)
