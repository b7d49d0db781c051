"""Rigid-body dynamics of one arm, as a control law needs them a thousand times a second.

MuJoCo does the recursions on a model of the arm alone, with gripper and tool as a rigid payload.
Knows no law, no friction, no contact, no clock; `arm.py` and `parameters.py` say what the arm is.
"""

from __future__ import annotations

import copy

import msgspec
import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from resources.arms.arm import arm_tree, joint_names
from resources.arms.covering import covering_capsules
from resources.arms.joint_posture import Joints
from resources.arms.kinematic_tree import Frame, KinematicTree, Link
from resources.arms.lumping import locked, lumped
from resources.arms.mjcf import mechanism_mjcf
from resources.arms.parameters import JOINT_COUNT
from resources.arms.pose import Pose, Vector3, compose

Array = NDArray[np.float64]

GRAVITY = 9.81  # [m/s²]

_TOOL = "dynamics_tool"
_UP: Vector3 = (0.0, 0.0, 1.0)
_UNIT: Array = np.eye(JOINT_COUNT)


class ArmDynamics:
    """What `M(q) q̈ + C(q,q̇) q̇ + g(q) = τ + Jᵀ W` (paper 000, eq 8) consists of, for one state at a time.

    Everything is expressed in the base frame: the mounting frame of the arm, its z along joint 1.
    Twists, wrenches and Jacobians have translation in their first three rows, and are those of the
    tool point. `update` overwrites the arrays below in place: copy what has to outlive the next call.
    Not for two threads at once.
    """

    def __init__(
        self,
        tree: KinematicTree | None = None,
        *,
        prefix: str = "",
        flange_T_tool: Pose | None = None,
        up: Vector3 = _UP,
    ) -> None:
        """A model of `tree` (default: the arm with its gripper); all joints but the arm's are locked.

        Args:
            prefix: of the arm's names in `tree`.
            flange_T_tool: where the tool point is (default: between the finger tips if the tree has
                a frame `tool`, else at the flange).
            up: direction against gravity in the base frame, of any length; an arm may be mounted tilted.

        Raises:
            ValueError: the tree lacks one of the seven joints or the flange, or `up` has no direction.
        """
        tree = arm_tree(prefix) if tree is None else tree
        arm = _payload_only(tree, prefix)
        self._model = _compiled(_with_tool(arm, prefix, flange_T_tool))
        self._model.opt.gravity[:] = 0.0
        # Two models over one state: the difference of their bias forces is the weight.
        self._heavy = copy.copy(self._model)
        self._data = mujoco.MjData(self._model)
        self._asked = mujoco.MjData(self._model)  # for questions about other postures
        self._site = int(self._model.site(_TOOL).id)
        self._body = int(self._model.site_bodyid[self._site])
        self._capsules = covering_capsules(arm, self._model)
        self.up = up

        n = JOINT_COUNT
        self.mass: Array = np.zeros((n, n))  # (7, 7) M [kg m²]
        self.inverse_mass: Array = np.zeros((n, n))  # (7, 7) M⁻¹
        self.coriolis: Array = np.zeros(n)  # (7,) C q̇ [N m]
        self.gravity: Array = np.zeros(n)  # (7,) torque that carries the weight [N m]
        self.coriolis_transposed_dq: Array = np.zeros(n)  # (7,) Cᵀ q̇ [N m]
        self.jacobian: Array = np.zeros((6, n))  # (6, 7)
        self.jacobian_rate_dq: Array = np.zeros(6)  # (6,) J̇ q̇ [m/s², rad/s²]
        self.twist: Array = np.zeros(6)  # (6,) of the tool [m/s, rad/s]
        self.base_T_tool: Array = np.eye(4)  # (4, 4)

        # Views cost a tenth of what looking the field up costs.
        data = self._data
        self._q, self._dq = data.qpos, data.qvel  # (7,) each
        self._position, self._rotation = data.site_xpos[self._site], data.site_xmat[self._site].reshape(3, 3)
        self._jacobian_rows = self.jacobian[:3], self.jacobian[3:]
        self._rate: Array = np.zeros((6, n))
        self._rate_rows = self._rate[:3], self._rate[3:]
        bodies = np.arange(int(self._model.nbody) - n, int(self._model.nbody))
        moving = slice(int(bodies[0]), int(bodies[-1]) + 1)
        self._body_inertia, self._body_twist = data.cinert[moving], data.cvel[moving, :, None]
        self._axis_rate = data.cdof_dot  # (7, 6) Ṡ
        self._tensors: Array = np.zeros((n, 36))
        self._tensor_view = self._tensors.reshape(n, 6, 6)
        self._momenta: Array = np.zeros((n, 6, 1))
        self._momentum_rows = self._momenta[:, :, 0]
        self._beyond: Array = np.zeros((n, 6))
        self._chain: Array = np.triu(np.ones((n, n)))  # joint i carries the bodies i … 7
        self.update(np.zeros(n), np.zeros(n))

    @property
    def up(self) -> Vector3:
        """Unit vector against gravity in the base frame; takes effect with the next `update`."""
        return self._up

    @up.setter
    def up(self, up: Vector3) -> None:
        vector = np.asarray(up, dtype=np.float64)
        length = float(np.linalg.norm(vector))
        if vector.shape != (3,) or not 0.0 < length < np.inf:
            raise ValueError(f"up must be a finite vector of three numbers that is not zero, not {up!r}")
        x, y, z = (float(value) / length for value in vector)
        self._up = (x, y, z)
        self._heavy.opt.gravity[:] = (-GRAVITY * x, -GRAVITY * y, -GRAVITY * z)

    def update(self, q: Joints, dq: Joints) -> None:
        """Compute everything for positions [rad] and velocities [rad/s], (7,) each.

        What is not finite gives what is not finite: whoever measures or commands checks before.
        """
        model, data = self._model, self._data
        self._q[:] = q
        self._dq[:] = dq
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_fullM(model, data, self.mass)
        mujoco.mj_factorM(model, data)
        mujoco.mj_solveM(model, data, self.inverse_mass, _UNIT)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, self.coriolis)
        mujoco.mj_rne(self._heavy, data, 0, self.gravity)
        self.gravity -= self.coriolis
        mujoco.mj_jacSite(model, data, *self._jacobian_rows, self._site)
        mujoco.mj_jacDot(model, data, *self._rate_rows, self._position, self._body)
        np.dot(self._rate, self._dq, out=self.jacobian_rate_dq)
        np.dot(self.jacobian, self._dq, out=self.twist)
        self.base_T_tool[:3, :3] = self._rotation
        self.base_T_tool[:3, 3] = self._position
        self._transpose_coriolis()

    def forward(self, q: Joints) -> Array:
        """`base_T_tool` (4, 4) at positions `q` (7,) [rad]; `update`'s results stay as they are."""
        data = self._asked
        data.qpos[:] = q
        mujoco.mj_kinematics(self._model, data)
        base_T_tool = np.eye(4)
        base_T_tool[:3, :3] = data.site_xmat[self._site].reshape(3, 3)
        base_T_tool[:3, 3] = data.site_xpos[self._site]
        return base_T_tool

    def kinematics(self, q: Joints) -> tuple[Array, Array]:
        """`base_T_tool` (4, 4) and `jacobian` (6, 7) at `q` (7,) [rad]; `update`'s results stay."""
        base_T_tool = self.forward(q)
        mujoco.mj_comPos(self._model, self._asked)
        jacobian = np.empty((6, JOINT_COUNT))
        mujoco.mj_jacSite(self._model, self._asked, jacobian[:3], jacobian[3:], self._site)
        return base_T_tool, jacobian

    @property
    def capsule_links(self) -> tuple[str, ...]:
        """The link of each row of `link_capsules`; what is rigid on the flange counts as the last link."""
        return self._capsules.links

    def link_capsules(self, q: ArrayLike | None = None) -> Array:
        """Capsules around all solids of the arm, in the base frame, for distance checks.

        Args:
            q: positions (7,) [rad]; None takes those of the last `update`.

        Returns:
            (n, 7): both ends of each axis and the radius, x y z x y z r [m]; the fixed base comes first.
        """
        data = self._data
        if q is not None:
            data = self._asked
            data.qpos[:] = q
            mujoco.mj_kinematics(self._model, data)
        return self._capsules.placed(data)

    def _transpose_coriolis(self) -> None:
        """Cᵀ q̇ in closed form, in O(n): (Cᵀ q̇)_i = Ṡ_i · H_i.

        With C from Christoffel's symbols Cᵀ q̇ = Ṁ q̇ − C q̇ = ½ ∂(q̇ᵀ M q̇)/∂q, the change of kinetic
        energy with the posture at fixed q̇. Turning joint i by δ carries all bodies beyond it and their
        joint axes along; of a body's spatial velocity only the part that comes from before joint i,
        v_(i−1), does not turn with it, so that δT = δ Σ_(b≥i) (I_b v_b) · (v_(i−1) × S_i). The sum is the
        momentum H_i of everything that joint i carries, and v_(i−1) × S_i is Ṡ_i (`cdof_dot`).
        """
        np.dot(self._body_inertia, _TENSOR_OF, out=self._tensors)
        np.matmul(self._tensor_view, self._body_twist, out=self._momenta)
        np.dot(self._chain, self._momentum_rows, out=self._beyond)
        np.einsum("ij,ij->i", self._axis_rate, self._beyond, out=self.coriolis_transposed_dq)


def _tensor_map() -> Array:
    """MuJoCo's ten inertia numbers (xx yy zz xy xz yz, m·c, m) → spatial inertia (6×6), angular first."""
    mapping = np.zeros((10, 6, 6))
    for number, (row, column) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
        mapping[number, row, column] = mapping[number, column, row] = 1.0
    for number, (row, column) in zip((6, 7, 8), ((1, 2), (2, 0), (0, 1)), strict=True):
        # The cross-product matrix of m·c couples linear velocity into angular momentum, and back.
        mapping[number, row, 3 + column] = mapping[number, 3 + column, row] = -1.0
        mapping[number, column, 3 + row] = mapping[number, 3 + row, column] = 1.0
    mapping[9, 3, 3] = mapping[9, 4, 4] = mapping[9, 5, 5] = 1.0
    return mapping.reshape(10, 36)


_TENSOR_OF = _tensor_map()  # (10, 36)


def _payload_only(tree: KinematicTree, prefix: str) -> KinematicTree:
    """The seven joints and what they carry, with everything else rigid; fingers half open."""
    wanted = joint_names(prefix)
    joints = {joint.name: joint for joint in tree.joints()}
    missing = [name for name in wanted if name not in joints]
    if missing:
        raise ValueError(
            f"this mechanism has no {', '.join(missing)}; "
            f"an arm with prefix {prefix!r} has {', '.join(wanted)}"
        )
    others = {
        name: (joint.limits.lower + joint.limits.upper) / 2
        for name, joint in joints.items()
        if name not in wanted
    }
    return lumped(locked(tree, others))


def _with_tool(tree: KinematicTree, prefix: str, flange_T_tool: Pose | None) -> KinematicTree:
    """Without solids, which cost time, and with the one frame that counts."""
    *_, last = tree.links()
    frames = {frame.name: frame.pose for frame in last.frames}
    flange, tool = frames.get(f"{prefix}flange"), frames.get(f"{prefix}tool")
    if flange is None:
        raise ValueError(f"the last link {last.name!r} carries no frame {prefix + 'flange'!r}")
    pose = flange if tool is None else tool
    if flange_T_tool is not None:
        pose = compose(flange, flange_T_tool)

    def bare(link: Link) -> Link:
        return msgspec.structs.replace(
            link,
            solids=(),
            frames=(Frame(_TOOL, pose),) if link is last else (),
            children=tuple(bare(child) for child in link.children),
        )

    return KinematicTree(bare(tree.root))


def _compiled(tree: KinematicTree) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(mechanism_mjcf(tree))
