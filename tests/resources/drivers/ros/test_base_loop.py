"""The process of a base over ROS, turn by turn on a scripted clock: what the wheels are told, and when."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from framework.errors import MalformedMessage
from framework.processes.child import Child
from framework.registrar.fencing import CommandStamp
from resources.children.complaints import Complaints
from resources.children.control_port import ControlPort
from resources.children.safety import Safety
from resources.controllers.base_guard import ScanSeen
from resources.controllers.loop import MotionStop
from resources.controllers.protective_field import Twist
from resources.drivers.ros.base_child import BASE_HZ, ZEROS, RosBaseLoop
from resources.drivers.ros.motion_arguments import RosBaseArguments
from resources.types.motion import BaseSample, MoveBase, Orders, Wanted
from tests.resources.drivers.franka.scripted import Scripted

PERIOD_S = 1.0 / BASE_HZ
FAR = MoveBase(5.0, 0.0, 0.0, speed=0.4)


class Base:
    """A base that does as it is told, its process, and a manager that repeats what is wanted."""

    def __init__(self) -> None:
        self.scripted = Scripted()
        self.x = 0.0
        self.velocity: Twist = (0.0, 0.0, 0.0)
        self.tells = self.is_heard = True
        self.told: list[Twist] = []
        self.orders = Orders()
        self.wants: MoveBase | None = None
        self.connection = SimpleNamespace(newest_s=None, why_silent=lambda: "nobody publishes /odom")
        self.complaints = Complaints(self.scripted.status)
        cast(Any, self.scripted).complaints = self.complaints
        self._sequence = 0
        self.loop = RosBaseLoop(
            cast(Child, self.scripted),
            RosBaseArguments(run_directory="", device="base"),
            self,
            self,
            cast(Safety, self.scripted),
            cast(ControlPort, self.scripted),
            self.scripted.now_s,
        )
        self.loop._scans = cast(Any, self)  # a scanner that sees nothing

    def take(self, now_s: float) -> tuple[Any, float] | None:
        """Odometry."""
        if not self.tells:
            return None
        rotation = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
        pose = SimpleNamespace(position=SimpleNamespace(x=self.x, y=0.0), orientation=rotation)
        forward, left, turn = self.velocity
        twist = SimpleNamespace(linear=SimpleNamespace(x=forward, y=left), angular=SimpleNamespace(z=turn))
        message = SimpleNamespace(pose=SimpleNamespace(pose=pose), twist=SimpleNamespace(twist=twist))
        return message, now_s

    def why_silent(self) -> str:
        return "nobody listens to /cmd_vel"

    def complain(self, error: MalformedMessage, now_s: float) -> None:
        self.complaints.add(str(error), now_s)

    def drive(self, velocity: Twist) -> None:
        """The wheels."""
        self.told.append(velocity)
        self.velocity = velocity

    def news(self, sources: Any, now_s: float) -> list[tuple[str, ScanSeen]]:
        """The scanner."""
        self.loop._law.guard.scanners = ("floor",)
        points = np.zeros((0, 3))
        return [("floor", ScanSeen(now_s, points, np.eye(4), -math.pi, math.pi))]

    def close(self) -> None:
        pass

    def run(self, duration_s: float) -> list[Twist]:
        """What the wheels were told meanwhile."""
        before = len(self.told)
        for _ in range(round(duration_s / PERIOD_S)):
            self.scripted.time_s += PERIOD_S
            self.x += self.velocity[0] * PERIOD_S
            if self.wants is not None:
                self._sequence += 1
                stamp = CommandStamp("lease", 1, self._sequence, self.scripted.time_s)
                self.scripted.mail = Orders(
                    "lease",
                    1,
                    stamp=stamp,
                    wanted=Wanted(1, self.wants),
                    scans=(("floor", "/nowhere"),),
                )
            self.loop.turn(self.scripted.time_s)
        return self.told[before:]

    def driving(self) -> None:
        self.wants = FAR
        self.run(1.5)
        assert self.velocity[0] == pytest.approx(0.4, abs=0.02), self.sample

    @property
    def sample(self) -> BaseSample:
        return cast(BaseSample, self.scripted.samples[-1])


def test_velocities_are_sent_while_it_is_driven_and_some_zeros_after_that() -> None:
    base = Base()
    assert base.run(0.5) == []
    base.driving()
    base.wants = None
    told = base.run(3.0)
    assert told[-1] == (0.0, 0.0, 0.0)
    assert sum(not any(velocity) for velocity in told) == ZEROS
    assert base.run(1.0) == []


@pytest.mark.parametrize("why", ["emergency", "alone", "odometry", "jump", "number", "wheels"])
def test_whatever_is_missing_it_brakes_and_then_stands(why: str) -> None:
    base = Base()
    base.driving()
    match why:
        case "emergency":
            base.scripted.stop = MotionStop(emergency=True, reason="a test", token=1)
        case "alone":
            base.scripted.stop = MotionStop(alone=True)
        case "odometry":
            base.tells = False
            base.run(0.32)
        case "jump":
            base.x += 2.0
        case "number":
            base.x = math.nan
        case "wheels":
            base.is_heard = False
    # From .4 m/s with 1.6 m/s².
    told = base.run(0.3)
    assert told[-1] == (0.0, 0.0, 0.0)
    assert all(before[0] >= after[0] for before, after in pairwise(told))
    words = {
        "odometry": "no odometry for 0.3",
        "jump": "it jumped by 2",
        "number": "it is no number",
        "wheels": "nobody listens",
    }
    assert words.get(why, "") in base.sample.loop.fault
    assert bool(base.sample.loop.fault) == (why in words)


def test_a_process_that_stood_still_goes_on_from_standstill() -> None:
    base = Base()
    base.driving()
    base.scripted.time_s += 0.5
    base.velocity = (0.0, 0.0, 0.0)  # its own watchdog
    told = base.run(0.5)
    assert not any(any(velocity) for velocity in told)
    assert "stood still" in base.sample.loop.outcome


def test_under_an_emergency_stop_whoever_else_drives_it_is_told_to_stand() -> None:
    base = Base()
    base.run(0.1)
    base.scripted.stop = MotionStop(emergency=True, reason="a test", token=1)
    assert base.run(0.2) == []
    base.velocity = (0.3, 0.0, 0.0)
    assert base.run(0.1)
    assert base.velocity == (0.0, 0.0, 0.0)


def test_a_fault_while_it_stands_ends_by_itself_and_one_while_it_is_driven_does_not() -> None:
    base = Base()
    base.run(0.1)
    base.tells = False
    base.run(0.4)
    assert "no odometry" in base.sample.loop.fault
    base.tells = True
    base.run(0.4)
    assert "no odometry" in base.sample.loop.fault
    base.run(0.2)
    assert base.sample.loop.fault == ""
    base.driving()
    base.tells = False
    base.run(0.6)
    base.tells = True
    base.run(2.0)
    assert "no odometry" in base.sample.loop.fault
