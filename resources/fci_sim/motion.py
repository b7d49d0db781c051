"""Motion generators: from a client's set-points to the reference that the internal controllers follow.

One class a mode. Each takes the command of a period, or does without one (then acceleration is held, as
the manufacturer describes for lost packets), and names the flag of the first limit that is exceeded.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from resources.arms.joint_posture import PostureReference
from resources.fci_sim.flags import Flag
from resources.fci_sim.limits import CARTESIAN_MOTION, JOINT_MOTION, JointFlags, Limits
from resources.fci_sim.rotation import difference, is_transform, rotation_of, transform
from resources.fci_sim.wire import Generator, RobotCommand

Array = NDArray[np.float64]
PERIOD_S: Final = 0.001

#: A motion may begin so far from where the arm is led: clients begin where they measured it [rad; m, rad].
_START_JOINT: Final = 1e-3
_START_CARTESIAN: Final = 1e-3

#: Solving for joints ends here [m, rad], or after so many rounds.
_CLOSE: Final = 1e-10
_ROUNDS: Final = 6


class Solver(Protocol):
    """Kinematics of the end effector, as `EndEffector` has them."""

    def pose_at(self, q: Array) -> Array:
        """`base_T_EE` (4, 4) in posture `q` (7,)."""
        ...

    def jacobian_there(self) -> Array:
        """(6, 7) in the posture that `pose_at` was asked for last."""
        ...


class Reference:
    """Where the arm is wanted to be: joints and end effector, with their derivatives in the base frame."""

    def __init__(self, q: Array, kinematics: Solver) -> None:
        """At rest at `q` (7,)."""
        self._kinematics = kinematics
        self.q: Array = np.array(q)  # (7,)
        self.dq: Array = np.zeros(7)
        self.ddq: Array = np.zeros(7)
        self.pose: Array = kinematics.pose_at(self.q)  # (4, 4) base_T_EE
        self.twist: Array = np.zeros(6)
        self.acceleration: Array = np.zeros(6)

    def rest(self, q: Array) -> None:
        """At rest somewhere else."""
        self.q, self.dq, self.ddq = np.array(q), np.zeros(7), np.zeros(7)
        self.pose = self._kinematics.pose_at(self.q)
        self.twist, self.acceleration = np.zeros(6), np.zeros(6)

    def renew_pose(self) -> None:
        """The end effector is where the joints have it; used by motions in joint space."""
        before = self.pose
        self.pose = self._kinematics.pose_at(self.q)
        twist = difference(before, self.pose) / PERIOD_S
        self.acceleration = (twist - self.twist) / PERIOD_S
        self.twist = twist

    def follow(self, q: Array, dq: Array, flags: JointFlags, limits: Limits) -> Flag | None:
        """The joints' next set-point; it is taken over unless it exceeds a limit."""
        ddq = (dq - self.dq) / PERIOD_S
        flag = limits.joint_command(flags, q, dq, ddq, (ddq - self.ddq) / PERIOD_S)
        if flag is None:
            self.q, self.dq, self.ddq = q, dq, ddq
        return flag

    def halt(self, flags: JointFlags, limits: Limits) -> Flag | None:
        """The motion ends with this set-point: was it slow enough to end?"""
        if (np.abs(self.dq) > limits.acceleration * PERIOD_S).any():
            return flags.acceleration
        self.dq, self.ddq = np.zeros(7), np.zeros(7)
        self.twist, self.acceleration = np.zeros(6), np.zeros(6)
        return None


class MotionGenerator(Protocol):
    """One motion, from the Move to its end."""

    def command(self, command: RobotCommand) -> Flag | None:
        """One period on, with a command."""
        ...

    def missed(self) -> Flag | None:
        """One period on, without."""
        ...

    def finish(self) -> Flag | None:
        """No more commands: may it end like this?"""
        ...


class JointPosition:
    """Follows positions."""

    def __init__(self, reference: Reference, limits: Limits) -> None:
        self._reference = reference
        self._limits = limits
        self._begun = False

    def command(self, command: RobotCommand) -> Flag | None:
        """See `MotionGenerator`."""
        reference = self._reference
        q = np.array(command.q)
        if not self._begun:
            if np.abs(q - reference.q).max() > _START_JOINT:
                return Flag.JOINT_POSITION_MOTION_GENERATOR_START_POSE_INVALID
            self._begun = True
            reference.rest(q)
        return self._go(q, (q - reference.q) / PERIOD_S)

    def missed(self) -> Flag | None:
        """See `MotionGenerator`."""
        reference = self._reference
        dq = reference.dq + reference.ddq * PERIOD_S
        return self._go(reference.q + dq * PERIOD_S, dq)

    def finish(self) -> Flag | None:
        """See `MotionGenerator`."""
        return self._reference.halt(JOINT_MOTION, self._limits)

    def _go(self, q: Array, dq: Array) -> Flag | None:
        flag = self._reference.follow(q, dq, JOINT_MOTION, self._limits)
        if flag is None:
            self._reference.renew_pose()
        return flag


class JointVelocity(JointPosition):
    """Follows velocities."""

    def command(self, command: RobotCommand) -> Flag | None:
        """See `MotionGenerator`."""
        dq = np.array(command.dq)
        return self._go(self._reference.q + dq * PERIOD_S, dq)


class CartesianPose:
    """Follows poses of the end effector; joint 3, the elbow, stays unless it is commanded as well."""

    def __init__(self, reference: Reference, limits: Limits, kinematics: Solver) -> None:
        self._reference = reference
        self._limits = limits
        self._kinematics = kinematics
        self._elbow = float(reference.q[2])
        self._sign = float(np.sign(reference.q[3]))
        self._begun = False

    def command(self, command: RobotCommand) -> Flag | None:
        """See `MotionGenerator`."""
        pose = transform(command.pose)
        if not is_transform(pose):
            return Flag.CARTESIAN_POSITION_MOTION_GENERATOR_INVALID_FRAME
        flag = self._bend(command)
        if flag is not None:
            return flag
        way = difference(self._reference.pose, pose)
        if not self._begun:
            q = self._solved(pose) if np.abs(way).max() <= _START_CARTESIAN else None
            if q is None:
                return Flag.CARTESIAN_POSITION_MOTION_GENERATOR_START_POSE_INVALID
            self._begun = True
            self._reference.rest(q)
            way = difference(self._reference.pose, pose)
        return self._go(pose, way / PERIOD_S)

    def missed(self) -> Flag | None:
        """See `MotionGenerator`."""
        return self._turn(self._reference.twist + self._reference.acceleration * PERIOD_S)

    def finish(self) -> Flag | None:
        """See `MotionGenerator`."""
        reference, limits = self._reference, self._limits.cartesian
        speeds = np.linalg.norm(reference.twist.reshape(2, 3), axis=1)
        if (speeds > np.array(limits.acceleration) * PERIOD_S).any():
            return Flag.CARTESIAN_MOTION_GENERATOR_VELOCITY_DISCONTINUITY
        return reference.halt(CARTESIAN_MOTION, self._limits)

    def _turn(self, twist: Array) -> Flag | None:
        pose = self._reference.pose.copy()
        pose[:3, 3] += twist[:3] * PERIOD_S
        pose[:3, :3] = rotation_of(twist[3:] * PERIOD_S) @ pose[:3, :3]
        return self._go(pose, twist)

    def _bend(self, command: RobotCommand) -> Flag | None:
        if not command.has_elbow:
            return None
        elbow, sign = command.elbow
        if sign != self._sign:
            return Flag.CARTESIAN_MOTION_GENERATOR_ELBOW_SIGN_INCONSISTENT
        if not self._begun and abs(elbow - self._elbow) > _START_JOINT:
            return Flag.CARTESIAN_MOTION_GENERATOR_START_ELBOW_INVALID
        if not self._limits.lower[2] <= elbow <= self._limits.upper[2]:
            return Flag.CARTESIAN_MOTION_GENERATOR_ELBOW_LIMIT_VIOLATION
        self._elbow = elbow
        return None

    def _go(self, pose: Array, twist: Array) -> Flag | None:
        reference = self._reference
        acceleration = (twist - reference.twist) / PERIOD_S
        jerk = (acceleration - reference.acceleration) / PERIOD_S
        flag = self._limits.cartesian_command(twist, acceleration, jerk)
        if flag is not None:
            return flag
        q = self._solved(pose)
        if q is None:
            return CARTESIAN_MOTION.velocity
        flag = reference.follow(q, (q - reference.q) / PERIOD_S, CARTESIAN_MOTION, self._limits)
        if flag is None:
            reference.pose, reference.twist, reference.acceleration = pose, twist, acceleration
        return flag

    def _solved(self, pose: Array) -> Array | None:
        """The posture near the present one with that pose and elbow; None at a singularity (Newton)."""
        q = self._reference.q
        equations = np.zeros((7, 7))
        equations[6, 2] = 1.0
        error = np.empty(7)
        for _ in range(_ROUNDS):
            error[:6] = difference(self._kinematics.pose_at(q), pose)
            error[6] = self._elbow - q[2]
            if np.abs(error).max() < _CLOSE:
                return q
            equations[:6] = self._kinematics.jacobian_there()
            try:
                q = q + np.linalg.solve(equations, error)
            except np.linalg.LinAlgError:
                return None
        return None


class CartesianVelocity(CartesianPose):
    """Follows twists of the end effector, in the base frame."""

    def command(self, command: RobotCommand) -> Flag | None:
        """See `MotionGenerator`."""
        flag = self._bend(command)
        self._begun = True
        return flag if flag is not None else self._turn(np.array(command.twist))


class Targets:
    """Goes to target positions that come now and then, under given velocities: the asynchronous mode."""

    def __init__(self, reference: Reference, limits: Limits, velocities: Array) -> None:
        self._reference = reference
        self._limits = limits
        self._velocities = np.where(velocities > 0, np.minimum(velocities, limits.velocity), limits.velocity)
        # Half of what is allowed: this profile has no bound on jerk, and the limit is for what has.
        self._posture = PostureReference(reference.q, self._velocities, 0.5 * limits.acceleration)

    def command(self, command: RobotCommand) -> Flag | None:
        """See `MotionGenerator`."""
        goal = np.array(command.q)
        if command.motion_finished:  # a last packet carries no target
            return self.missed()
        if ((goal < self._limits.lower) | (goal > self._limits.upper)).any():
            return JOINT_MOTION.position
        self._posture.go(goal, self._velocities)
        return self.missed()

    def missed(self) -> Flag | None:
        """See `MotionGenerator`."""
        self._posture.advance(PERIOD_S)
        reference = self._reference
        reference.ddq = (self._posture.dq - reference.dq) / PERIOD_S
        reference.q, reference.dq = self._posture.q.copy(), self._posture.dq.copy()
        reference.renew_pose()
        return None

    def finish(self) -> Flag | None:
        """See `MotionGenerator`; the arm brakes by itself."""
        return None


class NoGenerator:
    """Torques only: nothing is wanted of the posture."""

    def command(self, command: RobotCommand) -> Flag | None:
        """See `MotionGenerator`."""
        return None

    def missed(self) -> Flag | None:
        """See `MotionGenerator`."""
        return None

    def finish(self) -> Flag | None:
        """See `MotionGenerator`."""
        return None


def generator(
    kind: Generator, reference: Reference, limits: Limits, kinematics: Solver
) -> JointPosition | CartesianPose:
    """The generator for a mode with set-points of motion."""
    match kind:
        case Generator.JOINT_POSITION:
            return JointPosition(reference, limits)
        case Generator.JOINT_VELOCITY:
            return JointVelocity(reference, limits)
        case Generator.CARTESIAN_POSE:
            return CartesianPose(reference, limits, kinematics)
        case Generator.CARTESIAN_VELOCITY:
            return CartesianVelocity(reference, limits, kinematics)
        case Generator.NONE:
            raise AssertionError("torque control has no motion generator")
