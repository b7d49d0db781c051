"""The task-space law of paper 001's experiments (eq 4), written for a simulation, and what it has to follow.

    τ_d = Jᵀ (K_p (x_d − x) − K_d ẋ) + (I − Jᵀ Jᵀ⁺) K_null (q_null,d − q)

As in print: no feed-forward, nothing saturates, and joint friction alone damps the null space.
"""

from __future__ import annotations

import math
from typing import Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from pilothouse.testbed.arm_stage import HOME
from resources.arms.pose import Vector3, from_mujoco
from resources.controllers.rotation import between

Array = NDArray[np.float64]

STIFFNESS: Final = (1000.0, 1000.0, 1000.0, 60.0, 60.0, 60.0)
DAMPING: Final = (70.0, 70.0, 70.0, 5.0, 5.0, 5.0)
POSTURE: Final = 10.0

PLANE_M: Final = -0.02
"""Height of the plane that is touched: the arm stands 2 cm above it, as in the paper."""

# The free part: so long, so far [m], so often around; then down onto the plane, CONTACTS times.
FREE_S: Final = 3.0
_AROUND: Final = (0.10, 0.20, 0.08)
_TURNS: Final = 2
CONTACTS: Final = 2
_CONTACT_S: Final = 2.8
_DOWN_S, _STAYS_S = 1.0, 0.8
_BELOW_M: Final = 0.02
LASTS_S: Final = FREE_S + CONTACTS * _CONTACT_S

# Where it goes down from, so that it can reach the plane.
_ABOVE: Final[Vector3] = (0.50, 0.0, 0.12)


def taught(start: Vector3, time_s: float) -> Vector3:
    """Where the tool shall be [m]; its orientation stays. Smooth; ends where it goes down from."""
    if time_s < FREE_S:
        share = _smooth(time_s / FREE_S)
        angle = 2.0 * math.pi * _TURNS * share
        x, y, z = (first + share * (last - first) for first, last in zip(start, _ABOVE, strict=True))
        ax, ay, az = _AROUND
        return (x + ax * (1.0 - math.cos(angle)) / 2, y + ay * math.sin(angle), z + az * math.sin(2 * angle))
    x, y, top = _ABOVE
    within = (time_s - FREE_S) % _CONTACT_S
    down = (
        _smooth(within / _DOWN_S) if within < _DOWN_S + _STAYS_S else _smooth((_CONTACT_S - within) / _DOWN_S)
    )
    if time_s >= LASTS_S:
        down = 0.0
    return (x, y, top + down * (PLANE_M - _BELOW_M - top))


def _smooth(share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)


class TaskSpaceLaw:
    """A `SimulationController`: knows MuJoCo's model and state, and no hardware."""

    def __init__(self, start: Vector3, rotation: tuple[float, float, float, float]) -> None:
        """start, rotation: of the tool when it begins; times are counted from 0."""
        self._start, self._rotation = start, rotation
        self._jacobian: Array = np.zeros((6, 0))

    def control(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """See `SimulationController`."""
        if self._jacobian.shape[1] != model.nv:
            self._jacobian = np.zeros((6, int(model.nv)))
        jacobian = self._jacobian
        site = int(model.site("tool").id)
        mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], site)
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, data.site_xmat[site])
        error: Array = np.empty(6)
        error[:3] = np.array(taught(self._start, float(data.time))) - data.site_xpos[site]
        error[3:] = between(from_mujoco(quaternion), self._rotation)
        wrench = STIFFNESS * error - DAMPING * (jacobian @ data.qvel)
        posture = POSTURE * (np.array(HOME) - data.qpos)
        inverse = np.linalg.pinv(jacobian.T)
        data.ctrl[:] = jacobian.T @ wrench + posture - jacobian.T @ (inverse @ posture)
