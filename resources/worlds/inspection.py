"""The world `inspection`: which elements stand where. The seed varies the cups and the target's path."""

from __future__ import annotations

import math

import numpy as np

from resources.arms.pose import Pose, look_along
from resources.worlds.furniture import CupPlacement, add_cup, add_shelf, add_surroundings, add_table
from resources.worlds.marker import add_target
from resources.worlds.robot import add_robot
from resources.worlds.room import add_room
from resources.worlds.scene import Scene
from resources.worlds.target_path import TargetPath

NAME = "inspection"
OVERVIEW_CAMERA = "overview"
CUP_COLOURS = ("red", "blue", "green", "yellow", "white")


def inspection_scene(seed: int = 0, *, loose_cups: bool = False) -> Scene:
    """The whole scene; the same seed and option give the same document, byte for byte."""
    scene = Scene(NAME)
    add_room(scene)
    add_table(scene)
    for cup in cup_placements(seed):
        add_cup(scene, cup, loose=loose_cups)
    add_shelf(scene)
    add_surroundings(scene)
    add_target(scene, TargetPath.seeded(seed).pose(0.0))
    add_robot(scene, Pose())
    eye, aim = np.array([-2.1, -2.6, 2.35]), np.array([1.25, 0.25, 0.65])
    scene.camera(scene.world, OVERVIEW_CAMERA, (-2.1, -2.6, 2.35), look_along(aim - eye), math.radians(62.0))
    return scene


def cup_placements(seed: int) -> list[CupPlacement]:
    """One cup of each colour on the table, in an order and with offsets that the seed decides."""
    random = np.random.default_rng([seed, 0])
    colours = [CUP_COLOURS[index] for index in random.permutation(len(CUP_COLOURS))]
    placements = []
    for slot, colour in enumerate(colours):
        dx, dy, yaw = random.uniform((-0.12, -0.05, -2.2), (0.08, 0.05, -0.9))
        placements.append(
            CupPlacement(colour, -0.08 + float(dx), -0.48 + 0.24 * slot + float(dy), float(yaw))
        )
    return placements
