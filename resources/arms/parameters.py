"""The numbers of a Panda/FR3-class arm: inertia, geometry, limits, friction. Data, and nothing that uses it.

Sources: inertial parameters from franka_ros robots/common/inertial.yaml (Apache-2.0), identified by
Gaz, Cognetti, Oliva, Robuffo Giordano and De Luca, "Dynamic identification of the Franka Emika Panda
robot with retrieval of feasible parameters using penalty-based optimization", RA-L 2019; Denavit-
Hartenberg table and limits from the Franka Control Interface documentation; collision capsules and
hand from franka_ros `franka_arm.xacro` and `franka_hand.xacro` (safety distance 0); friction from Gaz.
"""

from __future__ import annotations

import math

import msgspec

from resources.arms.pose import Vector3

JOINT_COUNT = 7


class DhRow(msgspec.Struct, frozen=True):
    """One row of a modified (Craig) Denavit-Hartenberg table.

    Frame i in frame i−1 is Rx(alpha) · Tx(a) · Rz(q) · Tz(d); lengths in m, angles in rad.
    """

    a: float
    d: float
    alpha: float


class Inertia(msgspec.Struct, frozen=True):
    """Mass [kg], centre of mass [m] and inertia about it [kg m²], both along the link frame's axes."""

    mass: float
    centre: Vector3
    moments: Vector3  # Ixx Iyy Izz
    products: Vector3 = (0.0, 0.0, 0.0)  # Ixy Ixz Iyz


class JointLimits(msgspec.Struct, frozen=True):
    """What one joint may do; rad or m, and N m or N, with seconds."""

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float
    effort: float


class Friction(msgspec.Struct, frozen=True):
    """Sigmoid friction of one joint (Gaz et al.): `amplitude` [N m], `slope` [s/rad], `offset` [rad/s].

    `friction.py` has it for all joints at once.
    """

    amplitude: float
    slope: float
    offset: float

    def torque(self, velocity: float) -> float:
        """Friction torque [N m] at `velocity` [rad/s]: zero at rest, to be subtracted from the motor's."""
        # 1/(1+e^−x) = (1 + tanh(x/2))/2, which no velocity makes overflow.
        moving = math.tanh(self.slope * (velocity + self.offset) / 2)
        return self.amplitude / 2 * (moving - math.tanh(self.slope * self.offset / 2))


class CapsuleSize(msgspec.Struct, frozen=True):
    """A capsule in a link frame: centre [m], direction of its axis, radius and cylinder length [m]."""

    centre: Vector3
    direction: Vector3
    radius: float
    length: float


class LinkParameters(msgspec.Struct, frozen=True):
    """All that is known of one moving link and the joint that carries it."""

    dh: DhRow
    inertia: Inertia
    limits: JointLimits
    friction: Friction
    capsules: tuple[CapsuleSize, ...]


class ArmParameters(msgspec.Struct, frozen=True):
    """A seven-axis arm: its fixed base, seven links in order, and the flange."""

    name: str
    base_capsules: tuple[CapsuleSize, ...]
    links: tuple[LinkParameters, ...]
    flange_m: float  # along z of the last link


class GripperParameters(msgspec.Struct, frozen=True):
    """A parallel two-finger gripper; each finger moves by half the opening."""

    hand: Inertia
    hand_capsules: tuple[CapsuleSize, ...]
    finger: Inertia
    finger_offset_m: float  # of the finger frame, along z of the hand
    tool_offset_m: float  # of the point between the finger tips, along z of the hand
    finger_limits: JointLimits
    mount_angle: float  # [rad] of the hand about z of the flange


_Z: Vector3 = (0.0, 0.0, 1.0)
_Y: Vector3 = (0.0, 1.0, 0.0)
_QUARTER = math.pi / 2


def _limits(
    lower: float, upper: float, velocity: float, acceleration: float, jerk: float, effort: float
) -> JointLimits:
    return JointLimits(lower, upper, velocity, acceleration, jerk, effort)


PANDA = ArmParameters(
    name="panda",
    base_capsules=(CapsuleSize((-0.075, 0.0, 0.06), (1.0, 0.0, 0.0), 0.06, 0.03),),
    links=(
        LinkParameters(
            DhRow(0.0, 0.333, 0.0),
            Inertia(
                4.970684,
                (0.003875, 0.002081, -0.04762),
                (0.70337, 0.70661, 0.009117),
                (-0.000139, 0.006772, 0.019169),
            ),
            _limits(-2.8973, 2.8973, 2.175, 15.0, 7500.0, 87.0),
            Friction(0.54615, 5.1181, 0.039533),
            (CapsuleSize((0.0, 0.0, -0.1915), _Z, 0.06, 0.283),),
        ),
        LinkParameters(
            DhRow(0.0, 0.0, -_QUARTER),
            Inertia(
                0.646926,
                (-0.003141, -0.02872, 0.003495),
                (0.007962, 0.02811, 0.025995),
                (-0.003925, 0.010254, 0.000704),
            ),
            _limits(-1.7628, 1.7628, 2.175, 7.5, 3750.0, 87.0),
            Friction(0.87224, 9.0657, 0.025882),
            (CapsuleSize((0.0, 0.0, 0.0), _Z, 0.06, 0.12),),
        ),
        LinkParameters(
            DhRow(0.0, 0.316, _QUARTER),
            Inertia(
                3.228604,
                (0.027518, 0.039252, -0.066502),
                (0.037242, 0.036155, 0.01083),
                (-0.004761, -0.011396, -0.012805),
            ),
            _limits(-2.8973, 2.8973, 2.175, 10.0, 5000.0, 87.0),
            Friction(0.64068, 10.136, -0.04607),
            (CapsuleSize((0.0, 0.0, -0.145), _Z, 0.06, 0.15),),
        ),
        LinkParameters(
            DhRow(0.0825, 0.0, _QUARTER),
            Inertia(
                3.587895,
                (-0.05317, 0.104419, 0.027454),
                (0.025853, 0.019552, 0.028323),
                (0.007796, -0.001332, 0.008641),
            ),
            _limits(-3.0718, -0.0698, 2.175, 12.5, 6250.0, 87.0),
            Friction(1.2794, 5.5903, 0.036194),
            (CapsuleSize((0.0, 0.0, 0.0), _Z, 0.06, 0.12),),
        ),
        LinkParameters(
            DhRow(-0.0825, 0.384, -_QUARTER),
            Inertia(
                1.225946,
                (-0.011953, 0.041065, -0.038437),
                (0.035549, 0.029474, 0.008627),
                (-0.002117, -0.004037, 0.000229),
            ),
            _limits(-2.8973, 2.8973, 2.61, 15.0, 7500.0, 12.0),
            Friction(0.83904, 8.3469, 0.026226),
            (
                CapsuleSize((0.0, 0.0, -0.26), _Z, 0.06, 0.10),
                CapsuleSize((0.0, 0.08, -0.13), _Z, 0.025, 0.14),
            ),
        ),
        LinkParameters(
            DhRow(0.0, 0.0, _QUARTER),
            Inertia(
                1.666555,
                (0.060149, -0.014117, -0.010517),
                (0.001964, 0.004354, 0.005433),
                (0.000109, -0.001158, 0.000341),
            ),
            _limits(-0.0175, 3.7525, 2.61, 20.0, 10000.0, 12.0),
            Friction(0.30301, 17.133, -0.021047),
            (CapsuleSize((0.0, 0.0, -0.03), _Z, 0.05, 0.08),),
        ),
        LinkParameters(
            DhRow(0.088, 0.0, _QUARTER),
            Inertia(
                0.735522,
                (0.010517, -0.004252, 0.061597),
                (0.012516, 0.010027, 0.004815),
                (-0.000428, -0.001196, -0.000741),
            ),
            _limits(-2.8973, 2.8973, 2.61, 20.0, 10000.0, 12.0),
            Friction(0.56489, 10.336, 0.0035526),
            (
                CapsuleSize((0.0, 0.0, 0.01), _Z, 0.04, 0.14),
                CapsuleSize((0.0424, 0.0424, 0.082), (1.0, 1.0, 0.0), 0.03, 0.01),
            ),
        ),
    ),
    flange_m=0.107,
)

PANDA_HAND = GripperParameters(
    hand=Inertia(0.73, (-0.01, 0.0, 0.03), (0.001, 0.0025, 0.0017)),
    hand_capsules=(
        CapsuleSize((0.0, 0.0, 0.04), _Y, 0.04, 0.10),
        CapsuleSize((0.0, 0.0, 0.10), _Y, 0.02, 0.10),
    ),
    finger=Inertia(0.015, (0.0, 0.0, 0.0), (2.375e-6, 2.375e-6, 7.5e-7)),
    finger_offset_m=0.0584,
    tool_offset_m=0.1034,
    # Effort is the continuous grasping force of 70 N, of which each finger carries all; acceleration
    # and jerk are ours, the manufacturer publishes none.
    finger_limits=_limits(0.0, 0.04, 0.05, 1.0, 100.0, 70.0),
    mount_angle=-math.pi / 4,
)
