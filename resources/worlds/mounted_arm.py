"""An arm as it stands in a scene: what its controller has to know of it."""

from __future__ import annotations

import msgspec

from resources.arms.kinematic_tree import KinematicTree
from resources.arms.pose import Pose
from resources.types.motion import Joints7


class MountedArm(msgspec.Struct, frozen=True):
    """prefix: of its names in the scene; tree: its mechanism, with all that is mounted on it.

    home: the posture it starts in [rad]; robot_T_base: where it stands; width_m: of its gripper at the start.
    """

    prefix: str
    tree: KinematicTree
    home: Joints7
    robot_T_base: Pose = Pose()
    width_m: float = 0.06
