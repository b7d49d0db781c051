"""The hard backstop: nothing comes nearer to what it must not enter than it could still stop before.

The twin's wall gives way by millimetres; this one takes over where margins end. From the distances of the arm
as it stands (not of its twin) follows how fast it may close each of them, and the torque is corrected so that
it brakes in time: a control barrier, as for the ends of joints in `resources.controllers.limits`. It knows
what pushes (the observer does), so it stands against a person as long as the joints' torques do.
"""

from __future__ import annotations

import math

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.controllers.state import ArmState
from resources.twin.model import TwinModel

Array = NDArray[np.float64]

# How hard it brakes [m/s²], eases in [1/s] and comes back [m/s]; how soon it has the speed it may have [s].
# Torques change by 1000 N m/s: a push of 100 N at .6 m is met within 60 ms, in which 3 m/s² is no haste.
_BRAKING, _EASING, _BACK, _RESPONSE_S = 3.0, 6.0, 0.1, 0.03

# Several at once are corrected in turns, so often.
_ROUNDS = 3


class Near(msgspec.Struct, frozen=True):
    """What is near what, in words, and how far outside of the margin that is kept [m]; negative: within."""

    what: str
    other: str
    distance_m: float


class Barrier:
    """For one arm of a model at a time."""

    def __init__(self, model: TwinModel) -> None:
        self._model = model
        self._data = mujoco.MjData(model.model)
        self._jacobian: Array = np.zeros((3, int(model.model.nv)))

    def look(self, q: Array) -> None:
        """All arms as they stand (n,) [rad]."""
        model, data = self._model.model, self._data
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)

    def near(self) -> tuple[Near, ...]:
        """All that is near in what `look` saw, the nearest first."""
        found = [
            Near(self._model.words[first], self._model.words[second], distance)
            for first, second, distance in self._pairs()
        ]
        return tuple(sorted(found, key=lambda near: near.distance_m))

    def correction(self, arm: int, state: ArmState, torque: Array) -> Array:
        """What to add to a torque without weight (7,) [N m], so that nothing comes near too fast."""
        rows = self._rows(arm, state)
        added: Array = np.zeros(7)
        if not rows:
            return added
        accelerations = state.inverse_mass.dot(torque + state.external - state.dynamics.coriolis)
        for _ in range(_ROUNDS):
            for row, weighted, mobility, most in rows:
                excess = float(row.dot(accelerations)) - most
                if excess <= 0.0:
                    continue
                force = excess / mobility
                added -= force * row
                accelerations -= force * weighted
        return added

    def _rows(self, arm: int, state: ArmState) -> list[tuple[Array, Array, float, float]]:
        """Of each that is near: closing Jacobian (7,), M⁻¹ of it, its mobility [1/kg], and the closing
        acceleration that is allowed [m/s²]."""
        model, data, arm_of = self._model, self._data, self._model.arm_of
        dofs = model.dofs[arm]
        rows = []
        bodies = model.model.geom_bodyid
        for contact in data.contact[: data.ncon]:
            first, second = int(contact.geom1), int(contact.geom2)
            owners = arm_of[bodies[first]], arm_of[bodies[second]]
            if arm not in owners:
                continue
            closing: Array = np.zeros(7)
            # The normal points from the first to the second.
            for geom, owner, sign in ((first, owners[0], 1.0), (second, owners[1], -1.0)):
                if owner == arm:
                    mujoco.mj_jac(model.model, data, self._jacobian, None, contact.pos, bodies[geom])
                    closing += sign * contact.frame[:3].dot(self._jacobian[:, dofs])
            weighted = state.inverse_mass.dot(closing)
            mobility = float(closing.dot(weighted))
            if mobility < 1e-6:
                continue
            distance = contact.dist + model.felt[first] + model.felt[second]
            # Another arm comes near by itself, and brakes by itself.
            share = 1.0 if -1 in owners or owners[0] == owners[1] else 0.5
            allowed = share * may_close(distance)
            speed = float(closing.dot(state.dq))
            rows.append((closing, weighted, mobility, (allowed - speed) / _RESPONSE_S))
        return rows

    def _pairs(self) -> list[tuple[int, int, float]]:
        felt = self._model.felt
        return [
            (int(each.geom1), int(each.geom2), float(each.dist + felt[each.geom1] + felt[each.geom2]))
            for each in self._data.contact[: self._data.ncon]
        ]


def may_close(distance_m: float) -> float:
    """How fast a distance may close [m/s]; negative: it has to open."""
    if distance_m <= 0.0:
        return max(_EASING * distance_m, -_BACK)
    return min(math.sqrt(2.0 * _BRAKING * distance_m), _EASING * distance_m)
