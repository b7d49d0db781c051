"""What keeps a world's arms out of places, and away from each other. Which places, their options say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco

from resources.arms.arm import joint_names
from resources.twin.guard import ArmGuard, View, guards
from resources.twin.model import TwinArm
from resources.twin.obstacles import Surroundings
from resources.worlds.mounted_arm import MountedArm


def arm_guards(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    arms: Sequence[MountedArm],
    surroundings: Mapping[str, Surroundings],
) -> dict[str, ArmGuard]:
    """By prefix, of those arms that anything is declared for.

    Arms that keep away from each other share a twin. It sees where they all stand in the physics, also an arm
    whose own controller does not run.

    Args:
        surroundings: by prefix; their `arms` are prefixes, too.
    """
    made: dict[str, ArmGuard] = {}
    for group in _groups([arm.prefix for arm in arms], surroundings):
        members = [arm for arm in arms if arm.prefix in group]
        if not any(surroundings.get(arm.prefix, Surroundings()) for arm in members):
            continue
        twins = [
            TwinArm(arm.prefix, arm.robot_T_base, arm.tree, surroundings.get(arm.prefix, Surroundings()))
            for arm in members
        ]
        views = [_view(model, data, arm.prefix) for arm in members]
        for arm, guard in zip(members, guards(twins, views=views), strict=True):
            made[arm.prefix] = guard
    return made


def _groups(prefixes: Sequence[str], surroundings: Mapping[str, Surroundings]) -> list[set[str]]:
    """Arms that keep away from each other, directly or through others; each arm is in one group."""
    groups: list[set[str]] = []
    for prefix in prefixes:
        joined = {prefix, *surroundings.get(prefix, Surroundings()).arms}
        for group in [group for group in groups if group & joined]:
            groups.remove(group)
            joined |= group
        groups.append(joined)
    return groups


def _view(model: mujoco.MjModel, data: mujoco.MjData, prefix: str) -> View:
    names = joint_names(prefix)
    first, dof = int(model.joint(names[0]).qposadr[0]), int(model.joint(names[0]).dofadr[0])
    return data.qpos[first : first + len(names)], data.qvel[dof : dof + len(names)]
