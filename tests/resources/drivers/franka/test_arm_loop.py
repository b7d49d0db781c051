"""The arm's loop with a scripted arm: what happens between two turns, which no real box can be made to do."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from framework.processes.child import Child
from framework.registrar.fencing import CommandStamp
from resources.arms.pose import Pose
from resources.children.control_port import ControlPort
from resources.children.safety import Safety
from resources.controllers.loop import MotionStop
from resources.drivers.franka.arguments import FciArmArguments
from resources.drivers.franka.arm_child import FciArmLoop
from resources.drivers.franka.arm_driver import HOME
from resources.drivers.franka.connection import Connection
from resources.types.motion import ArmSample, MoveJoints, Orders, Wanted
from tests.resources.drivers.franka.scripted import Scripted
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = needs_pylibfranka

ELSEWHERE = MoveJoints((0.3, *HOME[1:]), 0.2)
REST = (0.0,) * 7


class Arm:
    """Stands where it is, and takes torques. started: called while torque control begins."""

    def __init__(self) -> None:
        self.started: Callable[[], None] = lambda: None
        self.controls = 0
        self.written = 0
        self._is_moving = False

    def state(self) -> Any:
        return SimpleNamespace(
            q=HOME,
            dq=REST,
            tau_J_d=REST,
            O_F_ext_hat_K=(0.0,) * 6,
            robot_mode=SimpleNamespace(name="Move" if self._is_moving else "Idle"),
            current_errors=None,
            time=SimpleNamespace(to_sec=lambda: 0.0),
        )

    def read_once(self) -> Any:
        return self.state()

    def start_torque_control(self) -> Arm:
        self.controls += 1
        self._is_moving = True
        self.started()
        return self

    def readOnce(self) -> tuple[Any, None]:  # pylibfranka's name
        return self.state(), None

    def writeOnce(self, torques: Any) -> None:  # pylibfranka's name
        self.written += 1
        self._is_moving = not torques.motion_finished


def commanded(scripted: Scripted, age_s: float = 0.0, **changes: Any) -> Orders:
    """By the first holder, so long ago."""
    stamp = CommandStamp("lease", 1, 1, scripted.now_s() - age_s)
    return Orders("lease", 1, stamp=stamp, wanted=Wanted(1, ELSEWHERE), **changes)


def played(scripted: Scripted, arm: Arm, first: Orders) -> list[ArmSample]:
    """Run it with these orders as the first ones that it gets, until it is told to end."""
    arguments = FciArmArguments(run_directory="", device="arm", address="127.0.0.1")
    connection = SimpleNamespace(
        robot=arm, first=arm.state(), flange_T_tool=Pose((0.0, 0.0, 0.1034)), is_configured=True
    )
    loop = FciArmLoop(
        cast(Child, scripted),
        arguments,
        cast(Connection, connection),
        cast(Safety, scripted),
        cast(ControlPort, scripted),
        scripted.now_s,
    )
    scripted.mail = first
    assert loop.run() == 0
    assert all(isinstance(sample, ArmSample) for sample in scripted.samples)
    return cast(list[ArmSample], scripted.samples)


def test_a_command_that_is_young_is_begun() -> None:
    arm, scripted = Arm(), Scripted()
    scripted.turn = lambda number: setattr(scripted, "stopping", number >= 20)
    samples = played(scripted, arm, commanded(scripted))
    assert arm.controls == 1
    assert max(sample.loop.following for sample in samples) == 1


@pytest.mark.parametrize("what", ["grows too old", "is taken back", "has another holder"])
def test_what_a_command_has_come_to_while_control_began_counts(what: str) -> None:
    arm, scripted = Arm(), Scripted()

    def started() -> None:
        if what == "is taken back":
            scripted.mail = Orders("lease", 1, rests=1)
        elif what == "has another holder":
            scripted.mail = Orders("another", 2)

    arm.started = started
    scripted.turn = lambda number: setattr(scripted, "stopping", number >= 20)
    samples = played(scripted, arm, commanded(scripted, age_s=0.3 if what == "grows too old" else 0.0))
    assert arm.controls == 1
    assert not any(sample.loop.following for sample in samples)
    assert samples[-1].loop.refused == (what == "grows too old")


@pytest.mark.parametrize("against", ["", "an emergency stop", "a withdrawal"])
def test_a_recovery_that_waits_for_the_torques_is_dropped_by_what_comes_meanwhile(against: str) -> None:
    arm, scripted = Arm(), Scripted()
    at: dict[str, int] = {}

    def turn(number: int) -> None:
        samples = scripted.samples
        fault = samples and samples[-1].loop.fault
        if number == 15:
            scripted.reflex = True
        elif fault and "ordered" not in at and arm._is_moving:
            at["ordered"] = number
            scripted.mail = commanded(scripted, recoveries=1)
        elif at.get("ordered") == number - 1:
            assert arm._is_moving, "it brakes under control"
            if against == "an emergency stop":
                scripted.stop = MotionStop(emergency=True, reason="a test", token=1)
            elif against:
                scripted.mail = commanded(scripted, recoveries=1, withdrawn=1)
        scripted.stopping = "ordered" in at and number >= at["ordered"] + 300

    scripted.turn = turn
    last = played(scripted, arm, commanded(scripted))[-1].loop
    assert "ordered" in at
    assert bool(last.fault) == bool(against)
    assert last.unrecovered == bool(against)
