"""The inspection robot: a mobile base 0.99 × 0.67 m, two seven-axis arms, and its sensors' places.

Structure only. A sensor here is a body or camera with a name, a housing and a frame; what it
measures is in `resources.simulation`. The base frame lies on the floor under the chassis' middle,
x forward, y left, z up.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np

from resources.arms.arm import arm_tree
from resources.arms.kinematic_tree import Box, Cylinder, Link, Solid
from resources.arms.mjcf import ROBOT_GROUP, add_tree, numbers
from resources.arms.parameters import Inertia
from resources.arms.pose import Pose, Quaternion, Vector3, axis_angle, look_along, product, quaternion_of
from resources.simulation.intrinsics import D435_848X480
from resources.worlds.mounted_arm import MountedArm
from resources.worlds.scene import Scene
from resources.worlds.things import ThingKind

BASE_BODY = "base"
BASE_JOINTS = ("base_x", "base_y", "base_yaw")
LEFT, RIGHT = "left_", "right_"
FRONT_CAMERA = "front_camera"
BASE_LIDAR = "base_lidar"
WRIST_LIDAR = "right_wrist_lidar"

LENGTH_M, WIDTH_M, DECK_M = 0.99, 0.67, 0.39
ARM_MOUNTS: dict[str, Vector3] = {LEFT: (-0.02, 0.215, DECK_M + 0.06), RIGHT: (-0.02, -0.215, DECK_M + 0.06)}
CAMERA_POSITION: Vector3 = (0.36, 0.0, 1.42)
CAMERA_PITCH_DOWN = math.radians(14.0)
BASE_LIDAR_POSITION: Vector3 = (0.40, 0.0, DECK_M + 0.08)

# Hands forward beside the mast: clear of the front camera, and joint 7 turns about the direction of
# travel, so that a sweep of the wrist lidar by half a turn sees all around but straight backwards.
HOME_POSTURE = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi, math.pi / 4)

_ALONG_X: Quaternion = axis_angle((0.0, 1.0, 0.0), math.pi / 2)
_ALONG_Y: Quaternion = axis_angle((1.0, 0.0, 0.0), math.pi / 2)


def add_robot(scene: Scene, at: Pose = Pose()) -> None:
    """Base on three planar joints with velocity drives, mast with camera, lidars, two torque-driven arms."""
    base = scene.body(BASE_BODY, at)
    limits = {"base_x": "8000", "base_y": "8000", "base_yaw": "3000"}
    axes = {"base_x": ("slide", "1 0 0"), "base_y": ("slide", "0 1 0"), "base_yaw": ("hinge", "0 0 1")}
    actuators = scene.document.section("actuator")
    for name in BASE_JOINTS:
        kind, axis = axes[name]
        ET.SubElement(base, "joint", name=name, type=kind, axis=axis)
        # The gain makes the drive stiff against the arms' reactions; the ramps are the world's business.
        ET.SubElement(
            actuators,
            "velocity",
            name=name,
            joint=name,
            kv=limits[name],
            forcerange=numbers((-4000.0, 4000.0)),
        )
    ET.SubElement(base, "inertial", pos="0 0 0.25", mass="130", diaginertia="7 13 16")
    _chassis(scene, base)
    _mast(scene, base)
    _base_lidar(scene, base)
    for arm in mounted_arms():
        add_tree(scene.document, base, arm.tree, arm.robot_T_base, gravity_compensated=True)
    scene.thing("robot", ThingKind.ROBOT, BASE_BODY, (LENGTH_M, WIDTH_M, 1.45), (0.0, 0.0, 0.725))
    for prefix, name in ((LEFT, "left gripper"), (RIGHT, "right gripper")):
        scene.thing(name, ThingKind.ROBOT, f"{prefix}hand", (0.08, 0.18, 0.12), (0.0, 0.0, 0.06))


def mounted_arms() -> tuple[MountedArm, ...]:
    """Both arms; a lidar sits on the right one's wrist."""
    # Names of mounted parts stay unique because the arm's generator prefixes them all.
    trees = {LEFT: arm_tree(LEFT), RIGHT: arm_tree(RIGHT, tool=(_wrist_lidar(),))}
    return tuple(
        MountedArm(prefix, tree, HOME_POSTURE, Pose(ARM_MOUNTS[prefix])) for prefix, tree in trees.items()
    )


def _robot_box(
    scene: Scene, body: ET.Element, size: Vector3, material: str, at: Vector3, collides: bool = True
) -> None:
    scene.solid(body, Box(size), material, at, collides=collides, group=ROBOT_GROUP)


def _chassis(scene: Scene, base: ET.Element) -> None:
    _robot_box(scene, base, (0.93, 0.44, 0.20), "chassis", (0.0, 0.0, 0.26))
    _robot_box(scene, base, (LENGTH_M, 0.40, 0.10), "chassis_dark", (0.0, 0.0, 0.20))
    _robot_box(scene, base, (0.86, 0.60, 0.03), "chassis_dark", (0.0, 0.0, DECK_M - 0.015))
    for x in (-0.28, 0.28):
        for y in (-1, 1):
            at: Vector3 = (x, y * (WIDTH_M / 2 - 0.055), 0.165)
            scene.solid(
                base, Cylinder(0.165, 0.11), "rubber", at, _ALONG_Y, collides=False, group=ROBOT_GROUP
            )
            hub: Vector3 = (x, y * (WIDTH_M / 2 - 0.05), 0.165)
            scene.solid(
                base, Cylinder(0.08, 0.104), "aluminium", hub, _ALONG_Y, collides=False, group=ROBOT_GROUP
            )
    for x in (-0.40, 0.40):
        _robot_box(scene, base, (0.10, 0.445, 0.03), "safety_black", (x, 0.0, 0.30), collides=False)
    for prefix in (LEFT, RIGHT):
        mx, my, mz = ARM_MOUNTS[prefix]
        height = mz - DECK_M
        _robot_box(scene, base, (0.26, 0.20, height), "aluminium", (mx - 0.03, my, DECK_M + height / 2))


def _mast(scene: Scene, base: ET.Element) -> None:
    x, _, z = CAMERA_POSITION
    foot = x - 0.11
    top = z + 0.03
    _robot_box(scene, base, (0.05, 0.08, top - DECK_M), "aluminium", (foot, 0.0, (top + DECK_M) / 2))
    _robot_box(scene, base, (0.14, 0.14, 0.02), "chassis_dark", (foot, 0.0, DECK_M + 0.01), collides=False)
    camera = scene.body(FRONT_CAMERA, Pose(CAMERA_POSITION), parent=base)
    ET.SubElement(camera, "inertial", pos="0 0 0", mass="0.072", diaginertia="1e-4 1e-4 1e-4")
    forward = (math.cos(CAMERA_PITCH_DOWN), 0.0, -math.sin(CAMERA_PITCH_DOWN))
    tilt = axis_angle((0.0, 1.0, 0.0), CAMERA_PITCH_DOWN)
    # The housing stays behind the optical centre: the camera must not see itself.
    scene.solid(camera, Box((0.025, 0.09, 0.025)), "sensor", (-0.018, 0.0, 0.004), tilt, group=ROBOT_GROUP)
    scene.solid(camera, Box((0.06, 0.03, 0.02)), "aluminium", (-0.06, 0.0, 0.004), group=ROBOT_GROUP)
    scene.camera(camera, FRONT_CAMERA, (0.0, 0.0, 0.0), look_along(forward), D435_848X480.vertical_fov)


def _base_lidar(scene: Scene, base: ET.Element) -> None:
    lidar = scene.body(BASE_LIDAR, Pose(BASE_LIDAR_POSITION), parent=base)
    ET.SubElement(lidar, "inertial", pos="0 0 0", mass="3.7", diaginertia="0.02 0.02 0.02")
    scene.solid(lidar, Box((0.155, 0.16, 0.07)), "sensor_band", (-0.02, 0.0, -0.045), group=ROBOT_GROUP)
    scene.solid(lidar, Cylinder(0.065, 0.06), "sensor", (0.0, 0.0, 0.0), group=ROBOT_GROUP)
    scene.solid(lidar, Box((0.10, 0.155, 0.03)), "sensor_band", (-0.03, 0.0, 0.045), group=ROBOT_GROUP)


def _wrist_lidar() -> Link:
    """A lidar on the flat side of the right hand, in the flange frame.

    Its own frame has x along the flange's z (beam angle 0 looks where the hand points) and the
    normal of the scanning plane, z, away from the hand: no beam can meet the hand, and the plane
    contains the direction of joint 7's axis, so that turning joint 7 sweeps space.
    """
    hand = axis_angle((0.0, 0.0, 1.0), -math.pi / 4)
    frame = quaternion_of(np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]))
    offset = 0.095
    position: Vector3 = (offset * math.cos(math.pi / 4), -offset * math.sin(math.pi / 4), 0.03)
    return Link(
        WRIST_LIDAR,
        Pose(position, product(hand, frame)),
        inertia=Inertia(0.21, (0.0, 0.0, -0.02), (1.9e-4, 1.9e-4, 1.3e-4)),
        solids=(
            Solid(Box((0.06, 0.06, 0.045)), Pose((0.0, 0.0, -0.0325)), "sensor"),
            Solid(Cylinder(0.027, 0.03), Pose((0.0, 0.0, 0.005)), "sensor_band"),
            Solid(Cylinder(0.029, 0.012), Pose((0.0, 0.0, 0.026)), "sensor"),
        ),
    )
