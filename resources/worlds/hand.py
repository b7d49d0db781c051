"""Somebody's hand in the simulated world: it takes an arm by its tool, leads it somewhere, and lets go.

Nobody of ours moves it, so it obeys no lease and no emergency stop. It has a person's strength: an arm that
is guided goes along, one that holds yields and comes back, one whose brakes are locked stays.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Vector3
from resources.worlds.leading import STAYS_S, duration_s

Array = NDArray[np.float64]

_LETS_GO_S = 0.2

_STIFFNESS, _DAMPING, _MOST_N = 500.0, 90.0, 40.0  # [N/m], [N s/m]
_TURN_STIFFNESS, _TURN_DAMPING, _MOST_NM = 15.0, 2.0, 5.0  # [N m/rad], [N m s/rad]


class Hand:
    """At one arm's tool; `prefix` of its names. It leads the tool point and lets the tool not turn."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, prefix: str) -> None:
        self._model, self._data = model, data
        self._site = int(model.site(f"{prefix}tool").id)
        self._body = int(model.site_bodyid[self._site])
        self._push = data.xfrc_applied[self._body]  # (6,) at the body's centre of mass
        self._begun_s: float | None = None
        self._from: Array = np.zeros(3)
        self._way: Array = np.zeros(3)
        self._rotation: Array = np.zeros(4)  # MuJoCo's, w first
        self._moves_s = 0.0
        self._velocity: Array = np.zeros(6)
        self._turn: Array = np.zeros(3)

    @property
    def holds(self) -> bool:
        """Whether it has hold of the tool."""
        return self._begun_s is not None

    def lead(self, way: Vector3) -> None:
        """From where it leads the tool to now, or where the tool is, by `way` [m] in the world's axes."""
        if self._begun_s is None:
            self._from = self._data.site_xpos[self._site].copy()
            mujoco.mju_mat2Quat(self._rotation, self._data.site_xmat[self._site])
        else:
            self._from = self._led()[0]
        self._way = np.array(way)
        self._moves_s = duration_s(way) - STAYS_S
        self._begun_s = float(self._data.time)

    def tick(self) -> None:
        """Pull at it, in every step."""
        if self._begun_s is None:
            return
        since_s = float(self._data.time) - self._begun_s - self._moves_s - STAYS_S
        grip = 1.0 - max(since_s, 0.0) / _LETS_GO_S
        if grip <= 0.0:
            self._begun_s = None
            self._push[:] = 0.0
            return
        data = self._data
        place, speed = self._led()
        mujoco.mj_objectVelocity(self._model, data, mujoco.mjtObj.mjOBJ_SITE, self._site, self._velocity, 0)
        here = data.site_xpos[self._site]
        force = _STIFFNESS * (place - here) + _DAMPING * (speed - self._velocity[3:])
        force *= grip * min(1.0, _MOST_N / max(float(np.linalg.norm(force)), 1e-9))
        turned = np.empty(4)
        mujoco.mju_mat2Quat(turned, data.site_xmat[self._site])
        mujoco.mju_subQuat(self._turn, self._rotation, turned)  # in the tool's own axes
        turn = data.site_xmat[self._site].reshape(3, 3).dot(self._turn)
        torque = _TURN_STIFFNESS * turn - _TURN_DAMPING * self._velocity[:3]
        torque *= grip * min(1.0, _MOST_NM / max(float(np.linalg.norm(torque)), 1e-9))
        self._push[:3] = force
        self._push[3:] = torque + np.cross(here - data.xipos[self._body], force)

    def _led(self) -> tuple[Array, Array]:
        """Where it leads the tool point now [m], and how fast [m/s]; fifth-order: no jerk at its ends."""
        assert self._begun_s is not None
        t = min((float(self._data.time) - self._begun_s) / self._moves_s, 1.0)
        share = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
        rate = 30.0 * t * t * (1.0 - t) ** 2 / self._moves_s
        return self._from + share * self._way, rate * self._way
