"""The hard backstop: nothing comes nearer to what it must not enter than it could still stop before.

The twin's wall gives way by millimetres; this one takes over where margins end. From the distances of the arm
as it stands (not of its twin) follows how fast it may close each of them, and the torque is corrected so that
it brakes in time: a control barrier, as for the ends of joints in `resources.controllers.limits`. It knows
what pushes (the observer does), so it stands against a person as long as joints have torque left, and range
and speed to give way with; `standing.py` keeps it from being led to where they have not. Where they still
have not, it gives way itself: a margin is no safety function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.controllers.limits import Permitted
from resources.controllers.state import ArmState
from resources.twin.model import REACH_M, TwinModel
from resources.twin.standing import standing

Array = NDArray[np.float64]

# How hard it brakes [m/s²], eases in [1/s] and comes back [m/s]; how soon it has the speed it may have [s].
# Torques change by 1000 N m/s: a push of 100 N at .6 m is met within 60 ms, in which 3 m/s² is no haste.
_BRAKING, _EASING, _BACK, _RESPONSE_S = 3.0, 6.0, 0.05, 0.03

# A limit further away than this is left out of sight [m/s²] or [rad/s²].
_SLACK = 20.0

# The share by which limits give way, and what no force reaches [N].
_GIVE, _ENDLESS = 1e-5, 1e6

# Joints that turned by no more than this since they were looked at stand where they stood [rad].
_STANDS = 1e-4

# So often it is looked which joints are too weak for their part.
_WEAKER = 3

# A row of what must not grow fast (7,), and the greatest acceleration along it.
Limit = tuple[Array, float]


class Near(msgspec.Struct, frozen=True):
    """What is near what, in words, and how far outside of the margin that is kept [m]; negative: within."""

    what: str
    other: str
    distance_m: float


class _Seen(NamedTuple):
    """What is near: how far outside of what is felt (n,) [m], by what each closes (n, nv) [m/rad], how fast
    it may (n,) [m/s], and whether an arm takes part in it, for each arm (n,)."""

    felt: Array
    closing: Array
    allowed: Array
    of: tuple[NDArray[np.bool_], ...]


class Barrier:
    """For one arm of a model at a time."""

    def __init__(self, model: TwinModel) -> None:
        self._model = model
        self._data = mujoco.MjData(model.model)
        self._owner = np.array(model.arm_of)
        self._carries = _carried(model)
        self._seen: _Seen | None = None
        self._looked: Array = np.full(int(model.model.nv), np.inf)

    def look(self, q: Array) -> None:
        """All arms as they stand (n,) [rad]."""
        if np.abs(q - self._looked).max() < _STANDS:
            return
        self._looked[:] = q
        self._seen = None
        model, data = self._model.model, self._data
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)

    @property
    def nearest_m(self) -> float:
        """The least distance from a margin, felt or kept, in what `look` saw [m]; negative: within."""
        return float(self._data.contact.dist.min()) if self._data.ncon else REACH_M

    def is_within(self, arm: int) -> bool:
        """Whether anything of an arm was within a margin, felt or kept, in what `look` saw."""
        contacts, owner = self._data.contact, self._model.arm_of
        within = self._model.model.geom_bodyid[contacts.geom[contacts.dist < 0.0]]  # (n, 2)
        return any(arm in (owner[first], owner[second]) for first, second in within.tolist())

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
        if not self._data.ncon:
            return np.zeros(7)
        felt, closing, most = self._closing(arm, state)
        if not len(felt):
            return np.zeros(7)
        borne = torque + standing(state, permitted, felt, closing)
        free = state.external - state.dynamics.coriolis
        inverse = state.inverse_mass
        accelerations = inverse.dot(borne + free)
        if (
            bool((closing.dot(accelerations) <= most).all())
            and bool(((permitted.least <= borne) & (borne <= permitted.most)).all())
            and _may_accelerate(accelerations, permitted.accelerations)
        ):
            return borne - torque
        limits = [*_joint_limits(permitted.accelerations), *zip(closing, most.tolist(), strict=True)]
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

    def _closing(self, arm: int, state: ArmState) -> tuple[Array, Array, Array]:
        """Of all that is near an arm: how far outside of what is felt (n,) [m], by what its closing grows
        (n, 7) [m/rad], and how fast that may be accelerated (n,) [m/s²]."""
        seen = self._seen = self._geometry() if self._seen is None else self._seen
        mine = seen.of[arm]
        closing = seen.closing[mine, self._model.dofs[arm]]
        return seen.felt[mine], closing, (seen.allowed[mine] - closing.dot(state.dq)) / _RESPONSE_S

    def _geometry(self) -> _Seen:
        """Of what `look` saw."""
        model, data, contacts = self._model, self._data, self._data.contact
        geoms, distances, normals = contacts.geom, contacts.dist, contacts.frame[:, :3]
        bodies = model.model.geom_bodyid[geoms]  # (n, 2)
        firsts, seconds = bodies.T
        # A point on a body moves with a joint by axis × (point − anchor), if the joint carries the body. The
        # normal points to the second body.
        signs = self._carries[firsts] - self._carries[seconds]  # (n, nv)
        turned = _cross(contacts.pos, normals) @ data.xaxis.T - normals @ _cross(data.xaxis, data.xanchor).T
        owners = self._owner[bodies]  # (n, 2)
        first, second = owners.T
        # Another arm comes near by itself, and brakes by itself.
        share = np.where((first < 0) | (second < 0) | (first == second), 1.0, 0.5)
        outside = distances + model.felt[geoms].sum(axis=1)
        return _Seen(
            distances,
            signs * turned,
            share * may_close(outside),
            tuple((first == arm) | (second == arm) for arm in range(len(model.dofs))),
        )

    def _pairs(self) -> list[tuple[int, int, float]]:
        felt = self._model.felt
        return [
            (int(each.geom1), int(each.geom2), float(each.dist + felt[each.geom1] + felt[each.geom2]))
            for each in self._data.contact[: self._data.ncon]
        ]


def _carried(model: TwinModel) -> Array:
    """Which joints move each body (nbody, nv): each has one degree of freedom."""
    parents, owned, counts = model.model.body_parentid, model.model.body_dofadr, model.model.body_dofnum
    carried: Array = np.zeros((int(model.model.nbody), int(model.model.nv)))
    for body in range(1, len(carried)):
        carried[body] = carried[int(parents[body])]
        if counts[body]:
            carried[body, int(owned[body])] = 1.0
    return carried


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


def may_close(distances: Array) -> Array:
    """How fast distances (n,) [m] may close [m/s]; negative: they have to open."""
    outside = np.maximum(distances, 0.0)
    braking = np.minimum(np.sqrt(2.0 * _BRAKING * outside), _EASING * outside)
    found: Array = np.where(distances <= 0.0, np.maximum(_EASING * distances, -_BACK), braking)
    return found


def _cross(first: Array, second: Array) -> Array:
    """Products of vectors (n, 3); numpy's own takes three times as long for so few."""
    (a, b, c), (x, y, z) = first.T, second.T
    return np.array((b * z - c * y, c * x - a * z, a * y - b * x)).T


def _may_accelerate(accelerations: Array, permitted: Sequence[tuple[float, float]]) -> bool:
    values: list[float] = accelerations.tolist()
    # A joint that may do nothing right is left to the limits.
    return all(
        lowest <= value <= highest or lowest > highest
        for value, (lowest, highest) in zip(values, permitted, strict=True)
    )
