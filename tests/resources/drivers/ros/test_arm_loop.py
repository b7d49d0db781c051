"""The law's process of an arm over ROS, turn by turn on a scripted clock: what it tells the joints."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

import pytest

from framework.processes.child import Child
from framework.registrar.fencing import CommandStamp
from resources.children.control_port import ControlPort
from resources.children.safety import Safety
from resources.controllers.loop import MotionStop
from resources.drivers.ros.arm_child import RosArmLoop
from resources.drivers.ros.arm_driver import HOME
from resources.drivers.ros.joint_link import JointsSeen, JointsWanted
from resources.drivers.ros.motion_arguments import RosArmArguments
from resources.types.motion import REST7, ArmSample, Joints7, MoveJoints, Orders, Wanted
from tests.resources.drivers.franka.scripted import Scripted

PERIOD_S = 0.01
ELSEWHERE = MoveJoints((1.0, *HOME[1:]), 0.3)


class Arm:
    """An arm that follows at once, its law's process, and a manager that repeats what is wanted."""

    def __init__(self, **parameters: Any) -> None:
        self.scripted = Scripted()
        self.q: Joints7 = HOME
        self.follows = self.tells = True
        self.told: list[JointsWanted] = []
        self.orders = Orders()
        self.wants: MoveJoints | None = None
        self._sequence = 0
        self.loop = RosArmLoop(
            cast(Child, self.scripted),
            RosArmArguments(run_directory="", device="arm", **parameters),
            self,
            self,
            cast(Safety, self.scripted),
            cast(ControlPort, self.scripted),
            self.scripted.now_s,
        )
        self.loop.first()

    def news(self) -> tuple[JointsSeen, float] | None:
        return (JointsSeen(self.q), self.scripted.time_s) if self.tells else None

    def write(self, message: JointsWanted, stamp_s: float) -> None:
        self.told.append(message)
        if self.follows:
            self.q = message.q

    def hold(self, generation: int) -> None:
        self.orders = Orders(f"lease {generation}", generation, recoveries=self.orders.recoveries)
        self.scripted.mail = self.orders

    def run(self, duration_s: float) -> list[JointsWanted]:
        """What it was told meanwhile."""
        before = len(self.told)
        for _ in range(round(duration_s / PERIOD_S)):
            self.scripted.time_s += PERIOD_S
            if self.wants is not None:
                self._sequence += 1
                stamp = CommandStamp(
                    self.orders.holder, self.orders.generation, self._sequence, self.scripted.time_s
                )
                wanted = Wanted(self.orders.generation, self.wants)
                self.scripted.mail = Orders(
                    self.orders.holder,
                    self.orders.generation,
                    recoveries=self.orders.recoveries,
                    stamp=stamp,
                    wanted=wanted,
                )
            self.loop.turn(self.scripted.time_s)
        return self.told[before:]

    def moving(self) -> None:
        """On its way."""
        self.hold(1)
        self.wants = ELSEWHERE
        self.run(0.4)
        assert self.sample.loop.following == 1
        assert 0.02 < self.q[0] < 0.5

    @property
    def sample(self) -> ArmSample:
        return cast(ArmSample, self.scripted.samples[-1])


def speeds(told: list[JointsWanted]) -> list[float]:
    """Of the fastest joint, as it was told, from one to the next [rad/s]."""
    return [
        max(abs(a - b) for a, b in zip(one.q, two.q, strict=True)) / PERIOD_S for one, two in pairwise(told)
    ]


def test_nothing_is_told_while_nobody_moves_it_and_a_while_after_somebody_has() -> None:
    arm = Arm()
    assert arm.run(0.5) == []
    arm.hold(1)
    assert arm.run(0.5) == []
    arm.wants = ELSEWHERE
    told = arm.run(3.0)
    assert arm.sample.loop.done == 1
    assert arm.sample.loop.outcome == ""
    assert told[-1].q[0] == pytest.approx(1.0, abs=0.004)
    arm.wants = None
    arm.hold(0)
    arm.orders = Orders()
    arm.scripted.mail = arm.orders
    assert 0.4 < len(arm.run(1.0)) * PERIOD_S < 0.6


def test_whoever_moves_it_next_begins_where_it_is_measured_to_be() -> None:
    arm = Arm()
    arm.moving()
    arm.wants = None
    arm.scripted.mail = Orders()
    arm.run(1.5)
    arm.q = (-0.5, *HOME[1:])  # somebody else has moved it
    arm.run(0.1)
    arm.hold(2)
    arm.wants = ELSEWHERE
    told = arm.run(0.1)
    assert abs(told[0].q[0] - -0.5) < 1e-3
    assert max(speeds(told)) < 0.8


@pytest.mark.parametrize("why", ["emergency", "alone", "states", "orders"])
def test_whatever_is_missing_it_brakes_and_then_stays(why: str) -> None:
    arm = Arm()
    arm.moving()
    match why:
        case "emergency":
            arm.scripted.stop = MotionStop(emergency=True, reason="a test", token=1)
        case "alone":
            arm.scripted.stop = MotionStop(alone=True)
        case "states":
            arm.tells = False
            arm.run(0.3)
        case "orders":
            arm.wants = None
            arm.run(0.25)
    told = arm.run(0.5)
    assert max(speeds(told)[-3:], default=0.0) < 0.02
    assert arm.q[0] < 0.8
    assert bool(arm.sample.loop.fault) == (why == "states")


def test_a_process_that_stood_still_begins_where_the_arm_is() -> None:
    arm = Arm()
    arm.moving()
    start = arm.told[-1].start
    arm.q = (arm.q[0] - 0.05, *arm.q[1:])  # it has sunk a little meanwhile
    at = arm.q
    arm.scripted.time_s += 0.5
    told = arm.run(0.2)
    assert told[0].start == start + 1
    assert told[0].q == pytest.approx(at, abs=1e-3)
    assert max(speeds(told)) < 0.01
    assert "stood still" in arm.sample.loop.outcome


def test_a_fault_ends_with_a_recovery_once_its_joints_are_measured_again() -> None:
    arm = Arm()
    arm.moving()
    arm.wants = None
    arm.tells = False
    arm.run(2.0)
    assert arm.sample.loop.fault.startswith("no state of its joints for 0.3")
    arm.orders = Orders(recoveries=1)
    arm.scripted.mail = arm.orders
    arm.run(0.1)
    assert arm.sample.loop.unrecovered == 1
    arm.tells = True
    arm.orders = Orders(recoveries=2)
    arm.scripted.mail = arm.orders
    arm.run(0.1)
    assert arm.sample.loop.fault == ""
    assert arm.run(0.5) == []
    arm.hold(2)
    arm.wants = ELSEWHERE
    arm.run(3.0)
    assert arm.sample.loop.outcome == ""


def test_what_is_reported_is_measured_and_not_what_is_wanted() -> None:
    arm = Arm()
    arm.follows = False
    arm.q = (0.1, *HOME[1:])
    arm.run(0.1)
    assert arm.sample.q == arm.q
    assert arm.sample.dq == REST7
