"""The world `bench`: one arm with gripper on a table, a block, a wall to touch, a camera on a post.

World frame: on the floor under the middle of the arm's base, x along the table away from the arm,
y to its left, z up. Structure only; the seed moves the block.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np

from resources.arms.arm import arm_tree
from resources.arms.kinematic_tree import Box
from resources.arms.mjcf import ROBOT_GROUP, add_tree
from resources.arms.pose import Pose, Vector3, axis_angle, look_along
from resources.simulation.intrinsics import D435_848X480
from resources.worlds.scene import Scene
from resources.worlds.things import ThingKind

NAME = "bench"
ARM_PREFIX = ""
CAMERA = "bench_camera"
OVERVIEW_CAMERA = "overview"

TABLE_HEIGHT_M = 0.75
TABLE_SIZE: Vector3 = (1.35, 1.45, 0.04)
TABLE_CENTRE_X_M = 0.40
ARM_MOUNT: Vector3 = (0.0, 0.0, TABLE_HEIGHT_M + 0.02)  # on a plate
HOME_POSTURE = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)  # fingers down
HOME_WIDTH_M = 0.06

BLOCK_SIZE_M = 0.05
BLOCK_MASS_KG = 0.2
BLOCK: Vector3 = (0.52, -0.10, TABLE_HEIGHT_M + BLOCK_SIZE_M / 2)  # its middle, before the seed moves it

WALL_SIZE: Vector3 = (0.60, 0.03, 0.50)
WALL: Vector3 = (0.48, 0.42, TABLE_HEIGHT_M + WALL_SIZE[2] / 2)  # its middle; the face is at y − 0.015

CAMERA_POSITION: Vector3 = (0.94, -0.60, TABLE_HEIGHT_M + 0.70)
CAMERA_AIM: Vector3 = (0.26, 0.02, TABLE_HEIGHT_M + 0.32)

# Stiff enough that 30 N press the hand in by a fraction of a millimetre (the default: by 4), and that is
# still five time steps. A higher priority wins over whatever touches it, so fingers need none of their own.
_STIFF = {"solref": "0.005 1", "priority": "1", "friction": "0.5 0.005 0.0001"}
# Four dimensions: between two fingers it must not turn. Its own friction counts everywhere.
_GRASPABLE = {"solref": "0.005 1", "priority": "2", "friction": "0.6 0.01 0.0001", "condim": "4"}


def bench_scene(seed: int = 0) -> Scene:
    """The whole scene; the same seed gives the same document, byte for byte."""
    scene = Scene(NAME)
    option = scene.document.section("option")
    # With these a block of 200 g held by 20 N creeps by 0.02 mm a second; at impratio 10 by 0.16.
    option.set("cone", "elliptic")
    option.set("impratio", "100")
    _add_room(scene)
    _add_table(scene)
    _add_wall(scene)
    _add_block(scene, block_pose(seed))
    _add_camera(scene)
    return scene


def block_pose(seed: int) -> Pose:
    """Where the block stands at the start, in the world: around `BLOCK`, turned by up to half a radian."""
    dx, dy, yaw = np.random.default_rng([seed, 1]).uniform((-0.04, -0.04, -0.5), (0.04, 0.04, 0.5))
    x, y, z = BLOCK
    return Pose((x + float(dx), y + float(dy), z), axis_angle((0.0, 0.0, 1.0), float(yaw)))


def _add_table(scene: Scene) -> None:
    """The table with the arm on it: the arm's links hang below the table's body."""
    size_x, size_y, thickness = TABLE_SIZE
    x, z = TABLE_CENTRE_X_M, TABLE_HEIGHT_M
    table = scene.body("table")
    _stiff(scene.box(table, TABLE_SIZE, "wood", (x, 0.0, z - thickness / 2)))
    for side_x in (-1, 1):
        foot = x + side_x * (size_x / 2 - 0.06)
        for side_y in (-1, 1):
            leg: Vector3 = (foot, side_y * (size_y / 2 - 0.06), (z - thickness) / 2)
            scene.box(table, (0.07, 0.07, z - thickness), "steel_dark", leg)
        rail: Vector3 = (foot, 0.0, z - 0.075)
        scene.box(table, (0.04, size_y - 0.12, 0.07), "steel_dark", rail, collides=False)
    plate = (-0.04, 0.0, z + (ARM_MOUNT[2] - z) / 2)
    scene.solid(table, Box((0.30, 0.26, ARM_MOUNT[2] - z)), "aluminium", plate, group=ROBOT_GROUP)
    for side in (-1, 1):  # tape around where the block is put
        along: Vector3 = (BLOCK[0], BLOCK[1] + side * 0.14, z + 0.0003)
        across: Vector3 = (BLOCK[0] + side * 0.14, BLOCK[1], z + 0.0003)
        scene.box(table, (0.30, 0.02, 0.0006), "safety_yellow", along, collides=False)
        scene.box(table, (0.02, 0.26, 0.0006), "safety_yellow", across, collides=False)
    add_tree(scene.document, table, arm_tree(ARM_PREFIX), Pose(ARM_MOUNT), gravity_compensated=True)
    scene.thing("table", ThingKind.FIXTURE, "table", (size_x, size_y, z), (x, 0.0, z / 2))
    scene.thing("table top", ThingKind.PLACE, "table", (size_x, size_y, 0.0), (x, 0.0, z))
    # Around its axis, and standing on its mounting: under a robot's middle is the robot's frame.
    scene.thing("robot", ThingKind.ROBOT, f"{ARM_PREFIX}link0", (0.32, 0.20, 0.90), (0.0, 0.0, 0.45))
    scene.thing("gripper", ThingKind.ROBOT, f"{ARM_PREFIX}hand", (0.08, 0.18, 0.12), (0.0, 0.0, 0.06))


def _add_wall(scene: Scene) -> None:
    """A panel on the arm's left, held by two feet behind it."""
    wall = scene.body("wall", Pose(WALL))
    size_x, size_y, size_z = WALL_SIZE
    _stiff(scene.box(wall, WALL_SIZE, "wall_band", (0.0, 0.0, 0.0)))
    scene.box(
        wall, (size_x, size_y + 0.002, 0.03), "safety_yellow", (0.0, 0.0, size_z / 2 - 0.03), collides=False
    )
    for x in (-0.22, 0.22):
        scene.box(wall, (0.04, 0.16, 0.02), "aluminium", (x, 0.095, -size_z / 2 + 0.01))
        scene.box(wall, (0.04, 0.02, 0.36), "aluminium", (x, 0.025, -size_z / 2 + 0.18))
    scene.thing("wall", ThingKind.FIXTURE, "wall", WALL_SIZE)


def _add_block(scene: Scene, pose: Pose) -> None:
    body = scene.body("block", pose)
    ET.SubElement(body, "freejoint", name="block")
    cube = scene.box(body, (BLOCK_SIZE_M,) * 3, "valve_red", (0.0, 0.0, 0.0))
    cube.set("mass", repr(BLOCK_MASS_KG))
    for key, value in _GRASPABLE.items():
        cube.set(key, value)
    scene.thing("block", ThingKind.OBJECT, "block", (BLOCK_SIZE_M,) * 3)


def _add_camera(scene: Scene) -> None:
    """A post at the table's front right corner, with a camera that sees arm, block and wall."""
    x, y, z = CAMERA_POSITION
    aim = np.array(CAMERA_AIM) - CAMERA_POSITION
    turn = look_along(aim)
    post = scene.body("camera_post")
    foot, top = TABLE_HEIGHT_M, z + 0.05
    back = np.array(CAMERA_POSITION) - 0.07 * aim / np.linalg.norm(aim)
    scene.box(post, (0.04, 0.04, top - foot), "aluminium", (float(back[0]), float(back[1]), (top + foot) / 2))
    scene.box(post, (0.12, 0.12, 0.015), "chassis_dark", (float(back[0]), float(back[1]), foot + 0.0075))
    camera = scene.body(CAMERA, Pose((x, y, z), turn))
    # The housing stays behind the optical centre: the camera must not see itself.
    scene.box(camera, (0.09, 0.025, 0.025), "sensor", (0.0, 0.0, 0.018))
    scene.box(camera, (0.02, 0.02, 0.05), "aluminium", (0.0, 0.0, 0.05), collides=False)
    scene.camera(camera, CAMERA, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), D435_848X480.vertical_fov)


def _add_room(scene: Scene) -> None:
    """Floor and two walls far behind, for pictures; light from the front and the side."""
    scene.tiled_floor({"texrepeat": "1.2 1.2"}, (3.0, 3.0, 0.1))
    room = scene.body("room")
    scene.box(room, (0.1, 6.0, 2.6), "wall", (-1.6, 0.0, 1.3))
    scene.box(room, (0.02, 6.0, 0.09), "skirting", (-1.54, 0.0, 0.045), collides=False)
    scene.box(room, (6.0, 0.1, 2.6), "wall", (0.0, 2.0, 1.3))
    scene.box(room, (6.0, 0.02, 0.09), "skirting", (0.0, 1.94, 0.045), collides=False)
    scene.light((2.0, -2.5, 4.0), (-0.45, 0.65, -0.9), 0.45)
    scene.light((1.0, 1.5, 4.0), (-0.35, -0.35, -0.9), 0.25)
    eye, aim = (0.95, -1.95, 1.65), np.array([0.30, 0.0, 0.90])
    scene.camera(scene.world, OVERVIEW_CAMERA, eye, look_along(aim - eye), math.radians(45.0))


def _stiff(geom: ET.Element) -> None:
    for key, value in _STIFF.items():
        geom.set(key, value)
