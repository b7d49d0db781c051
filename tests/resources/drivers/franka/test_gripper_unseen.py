"""The gripper's loop with a scripted gripper: fingers that nobody sees any more are stopped."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from framework.processes.child import Child
from framework.registrar.fencing import CommandStamp
from resources.children.control_port import ControlPort
from resources.children.safety import Safety
from resources.drivers.franka.arguments import FciGripperArguments
from resources.drivers.franka.fingers import Answer, Call, What
from resources.drivers.franka.gripper_child import FciGripperLoop, Helper
from resources.types.motion import GripperSample, MoveGripper, Orders, Wanted
from tests.resources.drivers.franka.scripted import Scripted


class NetworkException(RuntimeError):
    """By this name pylibfranka's is known."""


class FrankaException(Exception):
    """By this name too."""


class Gripper:
    """And the helper that moves it. script: what each reading of a state does."""

    def __init__(self, *script: Callable[[], Any], mute: bool = False) -> None:
        self.script = list(script)
        self.mute = mute
        self.stops = 0
        self.calls: list[Call] = []

    def read_once(self) -> Any:
        return self.script.pop(0)()

    def stop(self) -> bool:
        self.stops += 1
        if self.mute:
            raise NetworkException("libfranka gripper: TCP send bytes: I/O error")
        return True

    def make(self, call: Call, now_s: float) -> None:
        self.calls.append(call)

    def answer(self, now_s: float) -> Answer | None:
        return Answer() if self.stops else None


def state() -> Any:
    return SimpleNamespace(width=0.08, max_width=0.08, is_grasped=False)


def raising(error: Exception) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


LOST = raising(NetworkException("libfranka gripper: UDP receive: Timeout"))
ODD = raising(FrankaException("libfranka gripper: something odd"))


def run(gripper: Gripper, *, moves: bool = True) -> tuple[int, Scripted]:
    """Until its script is at an end; somebody wants it closed from the second turn on."""
    scripted = Scripted()

    def turn(number: int) -> None:
        scripted.stopping = not gripper.script

    scripted.turn = turn
    arguments = FciGripperArguments(run_directory="", device="gripper", address="127.0.0.1", homing=False)
    loop = FciGripperLoop(
        cast(Child, scripted),
        arguments,
        gripper,
        cast(Helper, gripper),
        cast(Safety, scripted),
        cast(ControlPort, scripted),
        state(),
        scripted.now_s,
    )
    if moves:
        stamp = CommandStamp("lease", 1, 1, scripted.now_s())
        scripted.mail = Orders("lease", 1, stamp=stamp, wanted=Wanted(1, MoveGripper(0.01, speed=0.01)))
    return loop.run(), scripted


@pytest.mark.parametrize("mute", [False, True], ids=["over a link that works", "over one that does not"])
def test_when_states_cease_the_fingers_are_stopped_and_the_loss_is_told(mute: bool) -> None:
    gripper = Gripper(state, state, LOST, mute=mute)
    code, scripted = run(gripper)
    assert code == 1
    assert [call.what for call in gripper.calls] == [What.MOVE]
    assert gripper.stops == 1
    assert len(scripted.said) == 1
    assert scripted.said[0].startswith("FATAL gripper: no link to the arm")


def test_a_state_that_cannot_be_read_is_a_fault_that_is_reported_and_stops_the_fingers() -> None:
    gripper = Gripper(state, state, ODD, state)
    code, scripted = run(gripper)
    assert (code, gripper.stops) == (0, 1)
    for sample in scripted.samples[-2:]:
        assert isinstance(sample, GripperSample)
        assert sample.loop.fault == "something odd"


def test_fingers_that_stand_are_not_stopped() -> None:
    gripper = Gripper(ODD, ODD)
    run(gripper, moves=False)
    assert gripper.stops == 0
