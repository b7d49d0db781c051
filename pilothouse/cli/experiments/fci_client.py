"""The client of the `fci` experiment: our control law through the genuine pylibfranka.

A process of its own, started by `fci.py` with its arguments as JSON; prints what it saw as one line of JSON.
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
    from pylibfranka import RobotState

PERIOD_S: Final = 0.001

#: The tool goes round: sideways and up by so much [m], once in so many seconds, after a smooth start.
WIDE_M, HIGH_M, ROUND_S, START_S = 0.08, 0.04, 2.0, 1.0


class ClientArguments(msgspec.Struct, frozen=True):
    """Where to connect, and for how many states."""

    address: str
    steps: int


class ClientReport(msgspec.Struct, frozen=True):
    """What the client saw: how long its loop took [s], id and time of each state when its command left."""

    took_s: float
    used: list[tuple[int, float]]
    farthest_m: float


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
    from pylibfranka import RealtimeConfig, Robot, Torques

    arguments = msgspec.json.decode(sys.argv[1], type=ClientArguments)
    robot = Robot(arguments.address, RealtimeConfig.kIgnore)
    forces = [100.0] * 7, [100.0] * 7, [100.0] * 6, [100.0] * 6
    robot.set_collision_behavior(*forces)
    state = robot.read_once()
    controller = ArmController(ArmDynamics())
    q, dq = _joints(state)
    controller.reset(q, dq)
    start = np.array(state.O_T_EE).reshape(4, 4).T
    rounds, farthest_m = Rounds(start), 0.0
    used: list[tuple[int, float]] = []
    gc.collect()
    gc.disable()
    control = robot.start_torque_control()
    begun_s = time.monotonic()
    now_s = 0.0
    for step in range(arguments.steps):
        state, period = control.readOnce()
        # Missed states are time that has passed; the clock of the law is the arm's.
        now_s += period.to_sec()
        q, dq = _joints(state)
        controller.begin(rounds.at(now_s), now_s, now_s)
        torque = controller.tick(q, dq, now_s, PERIOD_S)
        command = Torques(torque.tolist())
        command.motion_finished = step == arguments.steps - 1
        used.append((round(state.time.to_sec() * 1000.0), time.monotonic()))
        control.writeOnce(command)
        if step % 50 == 0:
            y, z = state.O_T_EE[13] - start[1, 3], state.O_T_EE[14] - start[2, 3]
            farthest_m = max(farthest_m, math.hypot(y, z))
    report = ClientReport(time.monotonic() - begun_s, used, farthest_m)
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(report) + b"\n")


def _joints(
    state: RobotState,
) -> tuple[
    np.ndarray[tuple[int, ...], np.dtype[np.float64]], np.ndarray[tuple[int, ...], np.dtype[np.float64]]
]:
    return np.array(state.q), np.array(state.dq)


if __name__ == "__main__":
    main()
