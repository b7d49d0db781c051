"""A `pylibfranka.RobotState` as the law may see it: arrays, our signs, and not a number that is none.

Their transforms are column-major, and wrenches are what the arm does to its surroundings; ours are 4×4, and
what the surroundings do to the tool.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Pose
from resources.drivers.franka.flags import flags_up
from resources.types.motion import Vector6
from resources.types.streams import Pose7

Array = NDArray[np.float64]


class RobotState(Protocol):
    """What is read of a state; all in base or joint coordinates, SI."""

    q: Sequence[float]
    dq: Sequence[float]
    tau_J_d: Sequence[float]
    O_F_ext_hat_K: Sequence[float]
    F_T_EE: Sequence[float]
    F_T_NE: Sequence[float]
    m_ee: float
    robot_mode: Any
    current_errors: Any
    time: Any


class Mode(Enum):
    """What the arm is doing, by the names of `pylibfranka.RobotMode`."""

    OTHER = "Other"
    IDLE = "Idle"
    MOVE = "Move"
    GUIDING = "Guiding"
    REFLEX = "Reflex"
    USER_STOPPED = "UserStopped"
    RECOVERY = "AutomaticErrorRecovery"


class Measurement:
    """One state.

    Attributes:
        q, dq: (7,) [rad], [rad/s]. given: the torques (7,) that the arm has heard of last [N m].
        wrench: of the surroundings on the tool, as the arm itself estimates it; None if that is no number.
        mode: what the arm is doing; flags: that are up in a reflex. time_s: of the arm's own clock.
        bad: the name of what the law needs and is no number, "" if all are; else q and dq count for nothing.
    """

    __slots__ = ("bad", "dq", "flags", "given", "mode", "q", "time_s", "wrench")

    def __init__(self, state: RobotState) -> None:
        q, dq = state.q, state.dq
        self.q: Array = np.array(q)
        self.dq: Array = np.array(dq)
        self.given = state.tau_J_d
        self.bad = "" if math.isfinite(sum(q)) else "q"
        if not self.bad and not math.isfinite(sum(dq)):
            self.bad = "dq"
        fx, fy, fz, tx, ty, tz = state.O_F_ext_hat_K
        wrench = (-fx, -fy, -fz, -tx, -ty, -tz)
        self.wrench: Vector6 | None = wrench if math.isfinite(sum(wrench)) else None
        self.mode = mode_of(state)
        self.flags = flags_up(state.current_errors) if self.mode is Mode.REFLEX else ()
        self.time_s: float = state.time.to_sec()


def mode_of(state: RobotState) -> Mode:
    """What the arm is doing."""
    return _MODES.get(state.robot_mode.name, Mode.OTHER)


def frame(values: Sequence[float]) -> Pose:
    """One of a state's transforms (16,)."""
    return Pose.from_matrix(np.array(values).reshape(4, 4).T)


def column_major(pose: Pose7) -> list[float]:
    """A pose as pylibfranka takes transforms (16,)."""
    x, y, z, qx, qy, qz, qw = pose
    values: list[float] = Pose((x, y, z), (qx, qy, qz, qw)).matrix().T.ravel().tolist()
    return values


_MODES = {mode.value: mode for mode in Mode}
