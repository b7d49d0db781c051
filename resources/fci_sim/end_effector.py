"""What hangs on the flange, as the client has set it: frames, load, and the kinematics that follow from them.

Frames: F flange, NE nominal end effector (given by the gripper), EE end effector, K stiffness frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resources.arms.arm import arm_tree, finger_names
from resources.arms.kinematic_tree import KinematicTree, Link
from resources.arms.lumping import inertia_matrix, locked, lumped
from resources.arms.parameters import PANDA, Inertia
from resources.arms.pose import Pose
from resources.fci_sim.physics import ArmPhysics

Array = NDArray[np.float64]


class EndEffector:
    """Frames and masses of what is on the flange; poses and Jacobians of the end effector."""

    def __init__(self, physics: ArmPhysics) -> None:
        self._physics = physics
        hand = _hand()
        self.inertia = _lumped_hand(hand)  # of the gripper with half-open fingers, in the flange frame
        self.F_T_NE: Array = _tool_frame(hand)
        self.NE_T_EE: Array = np.eye(4)
        self.F_T_EE: Array = self.F_T_NE @ self.NE_T_EE
        self.EE_T_K: Array = np.eye(4)
        self.load_kg = 0.0
        self.F_x_load: Array = np.zeros(3)
        self.load_inertia: Array = np.zeros(9)

    def shift(self, NE_T_EE: Array) -> None:
        """The end effector is somewhere else from now on; (4, 4)."""
        self.NE_T_EE = NE_T_EE
        self.F_T_EE = self.F_T_NE @ NE_T_EE

    @property
    def hand_tensor(self) -> Array:
        """(9,) of the gripper about its centre of mass [kg m²]."""
        return inertia_matrix(self.inertia).ravel()

    def pose(self) -> Array:
        """`base_T_EE` (4, 4) now."""
        return self._physics.base_T_flange @ self.F_T_EE

    def jacobian(self, base_T_EE: Array) -> Array:
        """(6, 7) now; `base_T_EE` is `pose()`."""
        return self._physics.jacobian(base_T_EE[:3, 3])

    def pose_at(self, q: Array) -> Array:
        """See `motion.Solver`."""
        self._there = self._physics.flange_at(q) @ self.F_T_EE
        return self._there

    def jacobian_there(self) -> Array:
        """See `motion.Solver`."""
        return self._physics.asked_jacobian(self._there[:3, 3])

    def load_weight(self) -> Array:
        """(7,) torque that carries the configured load [N m]."""
        if self.load_kg == 0.0:
            return np.zeros(7)
        flange = self._physics.base_T_flange
        return self._physics.weight(self.load_kg, flange[:3, :3] @ self.F_x_load + flange[:3, 3])


def _hand() -> Link:
    """The gripper, its pose that in the flange frame."""
    hand = next(link for link in arm_tree().links() if link.name == "hand")
    x, y, z = hand.pose.position
    return Link(
        hand.name,
        Pose((x, y, z - PANDA.flange_m), hand.pose.quaternion),
        inertia=hand.inertia,
        frames=hand.frames,
        children=hand.children,
    )


def _lumped_hand(hand: Link) -> Inertia:
    half_open = dict.fromkeys(finger_names(), 0.02)
    tree = lumped(locked(KinematicTree(Link("link8", children=(hand,))), half_open))
    assert tree.root.inertia is not None
    return tree.root.inertia


def _tool_frame(hand: Link) -> Array:
    tool = next(frame for frame in hand.frames if frame.name == "tool")
    return hand.pose.matrix() @ tool.pose.matrix()
