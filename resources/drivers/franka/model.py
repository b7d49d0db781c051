"""The law's model of one real arm: the common arm model with what is mounted on it, and its settings."""

from __future__ import annotations

import msgspec
import numpy as np

from resources.arms.arm import arm_tree
from resources.arms.dynamics import ArmDynamics
from resources.arms.kinematic_tree import KinematicTree, Link
from resources.arms.parameters import PANDA_HAND, Inertia
from resources.arms.pose import Pose, Vector3, rotation_matrix
from resources.controllers.generations import limits_of
from resources.controllers.guarding import Guard
from resources.controllers.settings import ArmSettings
from resources.drivers.franka.arguments import FciArmArguments
from resources.twin.guard import arm_guard

HAND_KG = PANDA_HAND.hand.mass + 2 * PANDA_HAND.finger.mass

# Desk's end effector may weigh so much more or less than our gripper before somebody has to look [kg].
_MASS_TOLERANCE_KG = 0.2


def arm_dynamics(arguments: FciArmArguments, flange_T_tool: Pose) -> ArmDynamics:
    """The arm with its gripper and payload; `flange_T_tool`: the tool point, as the arm has it."""
    return ArmDynamics(_tree(arguments), flange_T_tool=flange_T_tool, up=_up(arguments))


def arm_walls(arguments: FciArmArguments) -> Guard | None:
    """What keeps this arm out of places; None if nothing is declared."""
    return arm_guard(arguments.surroundings, _tree(arguments))


def arm_settings(arguments: FciArmArguments) -> ArmSettings:
    """The law's settings, with this arm's limits and workspace."""
    settings = ArmSettings(limits=limits_of(arguments.generation))
    if arguments.workspace is None:
        return settings
    return msgspec.structs.replace(settings, workspace=arguments.workspace)


def wrong_hand(arguments: FciArmArguments, end_effector_kg: float) -> str:
    """What is wrong with the end effector that the arm carries the weight of, in words; "" if nothing is."""
    expected = HAND_KG if arguments.hand else 0.0
    if abs(end_effector_kg - expected) <= _MASS_TOLERANCE_KG:
        return ""
    mounted = f"a gripper of {HAND_KG:.2f} kg (hand: true)" if arguments.hand else "no gripper (hand: false)"
    return (
        f"the arm believes in an end effector of {end_effector_kg:.2f} kg, the robot description in "
        f"{mounted}: correct the end effector in Desk, or `hand` and `payload` in the description"
    )


def _tree(arguments: FciArmArguments) -> KinematicTree:
    return arm_tree(gripper=PANDA_HAND if arguments.hand else None, tool=_payload(arguments))


def _payload(arguments: FciArmArguments) -> tuple[Link, ...]:
    if not arguments.payload_kg:
        return ()
    inertia = Inertia(arguments.payload_kg, arguments.payload_centre_m, arguments.payload_inertia)
    return (Link("payload", inertia=inertia),)


def _up(arguments: FciArmArguments) -> Vector3:
    qx, qy, qz, qw = arguments.robot_T_base[3:]
    length = float(np.linalg.norm((qx, qy, qz, qw)))
    rotation = rotation_matrix((qx / length, qy / length, qz / length, qw / length))
    x, y, z = (float(value) for value in rotation.T @ (0.0, 0.0, 1.0))
    return (x, y, z)
