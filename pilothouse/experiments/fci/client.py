"""The client of the `fci` experiment: our control law through the genuine pylibfranka.

A process of its own, started by the experiment with its arguments as JSON; prints what it saw as
one line of JSON.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Pose
from resources.controllers.arm import ArmController
from resources.types.motion import TrackPose

if TYPE_CHECKING:
    from pylibfranka import Robot, RobotState

PERIOD_S: Final = 0.001

#: The tool goes round: sideways and up by so much [m], once in so many seconds, after a smooth start.
WIDE_M, HIGH_M, ROUND_S, START_S = 0.08, 0.04, 2.0, 1.0


class ClientArguments(msgspec.Struct, frozen=True):
    """Where to connect, for how many states, and whether with the law or with no torque at all."""

    address: str
    steps: int
    with_law: bool = True


class ClientReport(msgspec.Struct, frozen=True):
    """What the client saw.

    Attributes:
        took_s: how long its loop took.
        used: id and time [s, CLOCK_MONOTONIC] of each state when its command left.
        farthest_m: how far the tool came.
        aborted: why the motion ended early, "" if it did not.
    """

    took_s: float
    used: list[tuple[int, float]]
    farthest_m: float
    aborted: str


class Rounds:
    """Targets on an ellipse around where the tool was."""

    def __init__(self, base_T_tool: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        pose = Pose.from_matrix(base_T_tool)
        self._position = pose.position
        self._quaternion = pose.quaternion

    def at(self, t_s: float) -> TrackPose:
        """The target at a time since the start [s]."""
        share = min(t_s / START_S, 1.0)
        swing = share * share * (3.0 - 2.0 * share)
        angle = 2.0 * math.pi * t_s / ROUND_S
        x, y, z = self._position
        y += swing * WIDE_M * math.sin(angle)
        z += swing * HIGH_M * (1.0 - math.cos(angle))
        return TrackPose((x, y, z, *self._quaternion))


def main() -> None:
    """Follow the targets for as many states as asked for."""
    from pylibfranka import ControlException, RealtimeConfig, Robot

    arguments = msgspec.json.decode(sys.argv[1], type=ClientArguments)
    robot = Robot(arguments.address, RealtimeConfig.kIgnore)
    forces = [100.0] * 7, [100.0] * 7, [100.0] * 6, [100.0] * 6
    robot.set_collision_behavior(*forces)
    follower = Follower(robot.read_once(), with_law=arguments.with_law)
    gc.collect()
    gc.disable()
    begun_s = time.monotonic()
    aborted = ""
    try:
        follower.run(robot, arguments.steps)
    except ControlException as error:
        aborted = str(error)
    took_s = time.monotonic() - begun_s
    report = ClientReport(took_s, follower.used, follower.farthest_m, aborted)
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(report) + b"\n")


class Follower:
    """The loop of the client."""

    def __init__(self, state: RobotState, *, with_law: bool) -> None:
        self._controller = ArmController(ArmDynamics())
        self._controller.reset(np.array(state.q), np.array(state.dq))
        self._start = np.array(state.O_T_EE).reshape(4, 4).T
        self._rounds = Rounds(self._start)
        self._with_law = with_law
        self.used: list[tuple[int, float]] = []
        self.farthest_m = 0.0

    def run(self, robot: Robot, steps: int) -> None:
        """Answer so many states. ControlException if the motion is aborted."""
        from pylibfranka import Torques

        control = robot.start_torque_control()
        now_s = 0.0
        for step in range(steps):
            state, period = control.readOnce()
            # Missed states are time that has passed; the clock of the law is the arm's.
            now_s += period.to_sec()
            command = Torques(self._torque(state, now_s) if self._with_law else [0.0] * 7)
            command.motion_finished = step == steps - 1
            self.used.append((round(state.time.to_sec() * 1000.0), time.monotonic()))
            control.writeOnce(command)
            if step % 50 == 0:
                y, z = state.O_T_EE[13] - self._start[1, 3], state.O_T_EE[14] - self._start[2, 3]
                self.farthest_m = max(self.farthest_m, math.hypot(y, z))

    def _torque(self, state: RobotState, now_s: float) -> list[float]:
        controller = self._controller
        controller.begin(self._rounds.at(now_s), now_s, now_s)
        torque: list[float] = controller.tick(np.array(state.q), np.array(state.dq), now_s, PERIOD_S).tolist()
        return torque


if __name__ == "__main__":
    main()
