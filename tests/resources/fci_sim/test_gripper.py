"""The gripper's box: widths, grasps that hold and grasps on nothing, stops, and requests that cannot be."""

from __future__ import annotations

import math
import struct

import pytest

from resources.fci_sim import Scene
from resources.fci_sim.faults import FaultPlan
from resources.fci_sim.gripper import GripperBox
from resources.fci_sim.gripper_wire import GripperCommand, GripperRequest, GripperStatus
from resources.fci_sim.pacing import Station
from tests.resources.fci_sim.arm_before_us import Bench

EPSILON = (0.005, 0.005)


class Hand:
    """A gripper on an arm that stands."""

    def __init__(self, object_width_m: float = 0.0) -> None:
        bench = Bench(scene=Scene(object_width_m=object_width_m))
        assert isinstance(bench.plan, FaultPlan)
        self.physics = bench.box.physics
        self.replies: list[tuple[int, int]] = []
        self.box = GripperBox(self.physics, self._send)
        self._station = Station(bench.box, self.box)

    def _send(self, client: int, data: bytes) -> None:
        self.replies.append((client, struct.unpack_from("<H", data, 10)[0]))

    def ask(self, command: GripperCommand, *fields: float, client: int = 1) -> GripperStatus | None:
        """What became of it, once it is over; None if it is not after five seconds."""
        self.replies.clear()
        self.box.request(client, GripperRequest(command, 3, fields))
        for _ in range(5000):
            if self.replies:
                return GripperStatus(self.replies[-1][1])
            self._station.step()
        return None

    def grasp(self, width: float, force: float = 40.0) -> GripperStatus | None:
        return self.ask(GripperCommand.GRASP, width, *EPSILON, 0.05, force)

    def wait(self, steps: int) -> None:
        for _ in range(steps):
            self._station.step()


def test_it_opens_and_closes_to_a_width() -> None:
    hand = Hand()
    assert hand.ask(GripperCommand.HOMING) is GripperStatus.SUCCESS
    assert hand.physics.width_m == pytest.approx(0.08, abs=3e-4)
    for width in (0.02, 0.0, 0.08):
        assert hand.ask(GripperCommand.MOVE, width, 0.1) is GripperStatus.SUCCESS
        assert hand.physics.width_m == pytest.approx(width, abs=3e-4)
    assert not hand.box.is_grasped


def test_speed_is_kept() -> None:
    hand = Hand()
    hand.box.request(1, GripperRequest(GripperCommand.MOVE, 3, (0.02, 0.03)))
    hand.wait(1000)
    assert hand.physics.width_m == pytest.approx(0.05, abs=1e-3)


def test_a_grasp_on_nothing_is_unsuccessful() -> None:
    hand = Hand()
    assert hand.grasp(0.03) is GripperStatus.UNSUCCESSFUL
    assert not hand.box.is_grasped
    assert hand.physics.width_m == pytest.approx(0.0, abs=5e-4)


def test_a_grasp_holds_and_notices_when_the_thing_is_gone() -> None:
    hand = Hand(object_width_m=0.03)
    assert hand.grasp(0.03) is GripperStatus.SUCCESS
    assert hand.box.is_grasped
    assert hand.box.force_n == pytest.approx(-40.0, rel=0.02)
    hand.wait(500)
    assert hand.box.is_grasped
    hand.physics.hold_object(0.0)
    hand.wait(500)
    assert not hand.box.is_grasped


def test_a_thing_of_another_width_is_no_success() -> None:
    hand = Hand(object_width_m=0.03)
    assert hand.grasp(0.05) is GripperStatus.UNSUCCESSFUL
    assert hand.ask(GripperCommand.MOVE, 0.01, 0.05) is GripperStatus.UNSUCCESSFUL, "something is in the way"


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (GripperCommand.MOVE, (0.2, 0.1)),
        (GripperCommand.MOVE, (-0.01, 0.1)),
        (GripperCommand.MOVE, (0.02, 0.0)),
        (GripperCommand.MOVE, (math.nan, 0.1)),
        (GripperCommand.MOVE, (0.02, math.inf)),
        (GripperCommand.GRASP, (0.02, 0.005, 0.005, 0.1, -1.0)),
        (GripperCommand.GRASP, (0.02, -0.005, 0.005, 0.1, 10.0)),
        (GripperCommand.GRASP, (0.02, 0.005, 0.005, 0.1, math.nan)),
    ],
)
def test_what_cannot_be_fails_at_once(command: GripperCommand, fields: tuple[float, ...]) -> None:
    hand = Hand()
    assert hand.ask(command, *fields) is GripperStatus.FAIL
    assert hand.physics.width_m == 0.08


def test_a_stop_aborts_whoever_waits() -> None:
    hand = Hand()
    hand.box.request(1, GripperRequest(GripperCommand.MOVE, 3, (0.0, 0.05)))
    hand.wait(100)
    hand.replies.clear()
    hand.box.request(2, GripperRequest(GripperCommand.STOP, 4, ()))
    assert hand.replies == [(1, GripperStatus.ABORTED), (2, GripperStatus.SUCCESS)]
    width = hand.physics.width_m
    hand.wait(500)
    assert hand.physics.width_m == pytest.approx(width, abs=2e-3)


def test_a_client_that_vanishes_gets_no_answer_and_stops_the_fingers() -> None:
    hand = Hand()
    hand.box.request(1, GripperRequest(GripperCommand.MOVE, 3, (0.0, 0.05)))
    hand.wait(100)
    hand.box.leave(1)
    hand.wait(500)
    assert hand.replies == []
    assert hand.physics.width_m > 0.06


def test_a_wrong_version_is_told() -> None:
    hand = Hand()
    hand.box.request(1, GripperRequest(GripperCommand.CONNECT, 0, (2, 4000)))
    assert hand.replies == [(1, 1)]
