"""A mobile robot seen from above as it stands now: its base, and whatever of its arms juts out over it."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from resources.controllers.protective_field import Outline

_STEP_M = 0.02  # outlines are rounded up to this: an arm that trembles makes no new one


class RobotOutline:
    """The smallest rectangle along the base's axes around base and arms."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, body: str, base: Outline) -> None:
        """`base`: the outline of the base itself; `body`: its name in the model."""
        root = model.body(body).id
        below = (model.body_rootid[model.geom_bodyid] == model.body_rootid[root]) & (
            model.geom_bodyid != root
        )
        geoms = np.flatnonzero(below & ((model.geom_contype | model.geom_conaffinity) != 0))
        self._base = base
        self._geoms = slice(int(geoms[0]), int(geoms[-1]) + 1) if len(geoms) else slice(0, 0)
        self._places = data.geom_xpos[self._geoms]  # (n, 3)
        self._turns = data.geom_xmat[self._geoms]  # (n, 9)
        self._origin, self._frame = data.xpos[root], data.xmat[root].reshape(3, 3)
        self._counts = np.isin(np.arange(self._geoms.start, self._geoms.stop), geoms)
        self._halves, self._round = _halves(model, self._geoms)

    def now(self) -> Outline:
        """As of the last step of the physics."""
        base = self._base
        if not len(self._places):
            return base
        turns = np.einsum("ij,njk->nik", self._frame.T, self._turns.reshape(-1, 3, 3))[:, :2]  # (n, 2, 3)
        reach = np.einsum("nij,nj->ni", np.abs(turns), self._halves) + self._round[:, None]  # (n, 2)
        middles = (self._places - self._origin) @ self._frame[:, :2]  # (n, 2)
        upper = (middles + reach)[self._counts].max(axis=0)
        lower = (middles - reach)[self._counts].min(axis=0)
        front, left = (_up(value, half) for value, half in zip(upper, _half(base), strict=True))
        back, right = (_up(-value, half) for value, half in zip(lower, _half(base), strict=True))
        return Outline(front + back, left + right, (front - back) / 2, (left - right) / 2)


def _half(base: Outline) -> tuple[float, float]:
    return base.length_m / 2, base.width_m / 2


def _up(value: float, half: float) -> float:
    """How far it reaches to one side: at least as far as the base does."""
    over = float(value) - half
    return half if over <= 0.0 else half + _STEP_M * math.ceil(over / _STEP_M)


def _halves(model: mujoco.MjModel, geoms: slice) -> tuple[np.ndarray, np.ndarray]:
    """Half edges of a box inside each shape (n, 3), and the radius around that (n,)."""
    sizes, kinds = model.geom_size[geoms].copy(), model.geom_type[geoms]
    halves, radii = sizes.copy(), np.zeros(len(sizes))
    capsules = kinds == mujoco.mjtGeom.mjGEOM_CAPSULE
    halves[capsules] = np.column_stack([np.zeros((capsules.sum(), 2)), sizes[capsules, 1]])
    radii[capsules] = sizes[capsules, 0]
    spheres = kinds == mujoco.mjtGeom.mjGEOM_SPHERE
    halves[spheres], radii[spheres] = 0.0, sizes[spheres, 0]
    round_ = kinds == mujoco.mjtGeom.mjGEOM_CYLINDER
    halves[round_] = sizes[round_][:, [0, 0, 1]]
    return halves, radii
