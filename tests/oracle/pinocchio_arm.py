"""A mechanism in Pinocchio, read from our URDF: every term that a controller uses, by another library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin  # type: ignore[import-not-found]  # only in the oracle's environment
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Terms(NamedTuple):
    """The dynamics in one state, for n joints; Jacobians have translation first, in the base frame."""

    mass: Array  # (n, n)
    gravity: Array  # (n,)
    coriolis: Array  # (n,) C q̇
    coriolis_transposed: Array  # (n,) Cᵀ q̇
    jacobian: Array  # (6, n)
    jacobian_rate: Array  # (6,) J̇ q̇
    twist: Array  # (6,)
    pose: Array  # (4, 4)


class PinocchioArm:
    """One mechanism, and one of its links whose motion is looked at."""

    def __init__(
        self,
        urdf: str,
        link: str,
        *,
        locked: Mapping[str, float] | None = None,
        gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    ) -> None:
        """`locked` joints are fixed at their positions [rad or m]; their links stay, as weight."""
        model = pin.buildModelFromXML(urdf)
        reference = pin.neutral(model)
        for name, position in (locked or {}).items():
            reference[model.joints[model.getJointId(name)].idx_q] = position
        numbers = [model.getJointId(name) for name in locked or {}]
        self.model = pin.buildReducedModel(model, numbers, reference) if numbers else model
        self.model.gravity.linear = np.array(gravity)
        self._data = self.model.createData()
        self._frame = self.model.getFrameId(link)
        assert self._frame < self.model.nframes, f"no link {link!r} in this URDF"

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the moving joints, in the order of the arrays."""
        return tuple(self.model.names)[1:]

    def limits(self) -> tuple[Array, Array, Array, Array]:
        """Lower and upper positions, velocities, efforts, (n,) each."""
        model = self.model
        return (
            model.lowerPositionLimit,
            model.upperPositionLimit,
            model.velocityLimit,
            model.effortLimit,
        )

    def terms(self, q: Array, dq: Array) -> Terms:
        """Everything for one state, (n,) each."""
        model, data, frame = self.model, self._data, self._frame
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        mass = np.triu(pin.crba(model, data, q))
        mass = mass + np.triu(mass, 1).T
        gravity = pin.computeGeneralizedGravity(model, data, q).copy()
        coriolis = pin.computeCoriolisMatrix(model, data, q, dq).copy()
        jacobian = pin.computeFrameJacobian(model, data, q, frame, aligned).copy()
        pin.forwardKinematics(model, data, q, dq, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        return Terms(
            mass,
            gravity,
            coriolis @ dq,
            coriolis.T @ dq,
            jacobian,
            pin.getFrameClassicalAcceleration(model, data, frame, aligned).vector.copy(),
            pin.getFrameVelocity(model, data, frame, aligned).vector.copy(),
            data.oMf[frame].homogeneous.copy(),
        )
