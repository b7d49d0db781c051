"""The hard backstop: nothing comes nearer to what it must not enter than it could still stop before.

The twin's wall gives way by millimetres; this one takes over where margins end. From the distances of the arm
as it stands (not of its twin) follows how fast it may close each of them, and the torque is corrected so that
it brakes in time: a control barrier, as for the ends of joints in `resources.controllers.limits`. It knows
what pushes (the observer does), so it stands against a person as long as joints have torque left, and range
and speed to give way with; `standing.py` keeps it from being led to where they have not. Where they still
have not, it gives way itself: a margin is no safety function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.controllers.limits import Permitted
from resources.controllers.state import ArmState
from resources.twin.model import TwinModel
from resources.twin.standing import standing

Array = NDArray[np.float64]

# How hard it brakes [m/s²], eases in [1/s] and comes back [m/s]; how soon it has the speed it may have [s].
# Torques change by 1000 N m/s: a push of 100 N at .6 m is met within 60 ms, in which 3 m/s² is no haste.
_BRAKING, _EASING, _BACK, _RESPONSE_S = 3.0, 6.0, 0.05, 0.03

# A limit further away than this is left out of sight [m/s²] or [rad/s²].
_SLACK = 20.0

# The share by which limits give way, and what no force reaches [N].
_GIVE, _ENDLESS = 1e-5, 1e6

# So often it is looked which joints are too weak for their part.
_WEAKER = 3

# A row of what must not grow fast (7,), and the greatest acceleration along it.
Limit = tuple[Array, float]


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

    @property
    def is_within(self) -> bool:
        """Whether anything in what `look` saw is within a margin, felt or kept."""
        return bool((self._data.contact.dist < 0.0).any())

    def near(self) -> tuple[Near, ...]:
        """All that is near in what `look` saw, the nearest first."""
        found = [
            Near(self._model.words[first], self._model.words[second], distance)
            for first, second, distance in self._pairs()
        ]
        return tuple(sorted(found, key=lambda near: near.distance_m))

    def correction(self, arm: int, state: ArmState, torque: Array, permitted: Permitted) -> Array:
        """What to add to a torque without weight (7,) [N m], so that nothing comes near too fast.

        What joints may do is kept together with that: a joint that is held back later, or is too weak, would
        let the others carry the arm on. Where a joint gives all that it can, the others do what it cannot.
        """
        closing = self._closing(arm, state)
        if not closing:
            return np.zeros(7)
        walls = [limit for _, limit in closing]
        borne = torque + standing(state, permitted, [(far, row) for far, (row, _) in closing])
        free = state.external - state.dynamics.coriolis
        inverse = state.inverse_mass
        accelerations = inverse.dot(borne + free)
        limits = [*_joint_limits(permitted.accelerations), *walls]
        is_possible = bool(((permitted.least <= borne) & (borne <= permitted.most)).all())
        if is_possible and all(float(row.dot(accelerations)) <= most for row, most in limits):
            return borne - torque
        strong: Array = np.ones(7)  # which joints can give more
        given = borne
        for _ in range(_WEAKER):
            start = np.where(strong, borne, given)
            wanted = start + _pushed(limits, inverse, strong, inverse.dot(start + free))
            given = np.minimum(np.maximum(wanted, permitted.least), permitted.most)
            weak = given != wanted
            if not weak.any():
                break
            strong = np.where(weak, 0.0, strong)
        return given - torque

    def _closing(self, arm: int, state: ArmState) -> list[tuple[float, Limit]]:
        """Of all that is near: how far outside of what is felt [m], and how fast it may close."""
        model, data, arm_of = self._model, self._data, self._model.arm_of
        dofs = model.dofs[arm]
        rows: list[tuple[float, Limit]] = []
        contacts = data.contact
        bodies = model.model.geom_bodyid[contacts.geom]  # (n, 2)
        distances = contacts.dist + model.felt[contacts.geom].sum(axis=1)
        for number, (first, second) in enumerate(bodies.tolist()):
            owners = arm_of[first], arm_of[second]
            if arm not in owners:
                continue
            closing: Array = np.zeros(7)
            # The normal points from the first to the second.
            normal, point = contacts.frame[number, :3], contacts.pos[number]
            for body, owner, sign in ((first, owners[0], 1.0), (second, owners[1], -1.0)):
                if owner == arm:
                    mujoco.mj_jac(model.model, data, self._jacobian, None, point, body)
                    closing += sign * normal.dot(self._jacobian[:, dofs])
            # Another arm comes near by itself, and brakes by itself.
            share = 1.0 if -1 in owners or owners[0] == owners[1] else 0.5
            allowed = share * may_close(float(distances[number]))
            most = (allowed - float(closing.dot(state.dq))) / _RESPONSE_S
            rows.append((float(contacts.dist[number]), (closing, most)))
        return rows

    def _pairs(self) -> list[tuple[int, int, float]]:
        felt = self._model.felt
        return [
            (int(each.geom1), int(each.geom2), float(each.dist + felt[each.geom1] + felt[each.geom2]))
            for each in self._data.contact[: self._data.ncon]
        ]


def _joint_limits(accelerations: Sequence[tuple[float, float]]) -> list[Limit]:
    limits: list[Limit] = []
    for joint, (lowest, highest) in enumerate(accelerations):
        # A joint that may do nothing right is left to the limits.
        if lowest <= highest:
            limits += [(_JOINTS[joint], highest), (-_JOINTS[joint], -lowest)]
    return limits


def _pushed(limits: Sequence[Limit], inverse: Array, strong: Array, accelerations: Array) -> Array:
    """The least torques of `strong` joints by which no limit is exceeded (7,) [N m].

    Each limit pushes and never pulls: a quadratic programme in their forces, with forces of at least zero.
    """
    rows = np.array([row for row, _ in limits])  # (n, 7)
    excess = rows @ accelerations - np.array([most for _, most in limits])
    near = excess > -_SLACK
    rows, excess = rows[near], excess[near]
    if not (excess > 0.0).any():
        return np.zeros(7)
    levers = rows * strong
    mobility = levers @ inverse @ levers.T
    count = len(rows)
    # More limits than joints: a little give makes the answer unique, and finite if there is none.
    mobility[np.diag_indices(count)] += _GIVE * max(float(mobility.diagonal().max()), 1e-9)
    forces: Array = np.zeros(count)
    factor: Array = np.zeros((count, count + 7))
    index = np.zeros(count, dtype=np.int32)
    mujoco.mju_boxQP(forces, factor, index, mobility, -excess, np.zeros(count), np.full(count, _ENDLESS))
    return np.asarray(-levers.T @ forces)


_JOINTS: Array = np.eye(7)


def may_close(distance_m: float) -> float:
    """How fast a distance may close [m/s]; negative: it has to open."""
    if distance_m <= 0.0:
        return max(_EASING * distance_m, -_BACK)
    return min(math.sqrt(2.0 * _BRAKING * distance_m), _EASING * distance_m)
