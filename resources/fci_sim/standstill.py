"""What the arm does while no motion runs: it brakes, stands, or lets itself be guided. Always by itself."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from resources.arms.joint_posture import PostureReference
from resources.fci_sim.controllers import InternalControllers
from resources.fci_sim.limits import Limits
from resources.fci_sim.motion import Reference
from resources.fci_sim.physics import TIMESTEP_S, ArmPhysics

Array = NDArray[np.float64]

#: So slow, and so near to where it is led, the arm rests: from there a motion can begin without a jerk.
_AT_REST: Final = 1e-5  # [rad/s]
_THERE: Final = 2e-6  # [rad]
_PATIENCE: Final = 300  # steps; then the arm counts as resting although something shakes it
_NEAR: Final = 1e-3  # [rad] between reference and arm: a motion ended where it was led to


class Standing:
    """Leads `reference` to a halt and holds it, with a stiffness that no client sets."""

    def __init__(
        self,
        physics: ArmPhysics,
        limits: Limits,
        reference: Reference,
        controllers: InternalControllers,
    ) -> None:
        self._physics = physics
        self._limits = limits
        self._reference = reference
        self._controllers = controllers
        self._steps = 0  # since the arm is led nowhere
        self.is_guided = False
        self._hold: PostureReference
        self.stay()

    @property
    def is_at_rest(self) -> bool:
        """Whether the arm stands, as it is led and as it is."""
        hold, physics = self._hold, self._physics
        slow = float(np.abs(physics.dq).max()) < _AT_REST
        return hold.at_goal and slow and float(np.abs(physics.q - hold.q).max()) < _THERE

    @property
    def is_ready(self) -> bool:
        """Whether a motion may begin: the arm rests, or has been led to rest for long."""
        return self.is_at_rest or self._steps > _PATIENCE

    def stay(self) -> None:
        """Stand where the arm is."""
        self._begin(self._physics.q)
        self._hold.at_goal = True
        self._reference.rest(self._hold.q)

    def brake(self, *, from_reference: bool) -> None:
        """Come to rest, from where the arm was led (if it is there) or from where it is."""
        reference, physics = self._reference, self._physics
        q, dq = physics.q, physics.dq
        if from_reference and float(np.abs(reference.q - q).max()) < _NEAR:
            q, dq = reference.q, reference.dq
        self._begin(q)
        if dq.any():
            self._hold.brake(q, dq)
        else:
            self._hold.at_goal = True

    def lead_on(self) -> None:
        """The reference of a motion that begins: where the arm stands."""
        self._reference.rest(self._hold.q)

    def torque(self) -> Array:
        """(7,) for one period [N m]."""
        if self.is_guided:
            self.stay()
            return self._controllers.be_guided()
        hold, reference = self._hold, self._reference
        if hold.at_goal:
            self._steps += 1
        else:
            hold.advance(TIMESTEP_S)
        if not np.array_equal(reference.q, hold.q):
            reference.ddq = (hold.dq - reference.dq) / TIMESTEP_S
            reference.q, reference.dq = hold.q.copy(), hold.dq.copy()
            reference.renew_pose()
        elif reference.dq.any() or reference.ddq.any():
            reference.rest(hold.q)
        return self._controllers.hold_joints(reference)

    def _begin(self, q: Array) -> None:
        self._hold = PostureReference(q, self._limits.velocity, self._limits.acceleration)
        self._steps = 0
