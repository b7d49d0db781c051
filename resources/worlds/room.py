"""The inspection room itself: floor, walls with a doorway, hinged door, pipes with a valve, light.

World frame: origin on the floor where the robot starts, x into the room, z up. The room spans
x from −2.4 to 3.8 m and y from −3.0 to 3.0 m.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

from resources.arms.pose import Pose, Quaternion, Vector3, axis_angle, product
from resources.worlds.scene import Scene
from resources.worlds.things import ThingKind

BACK_M, FRONT_M, HALF_WIDTH_M, HEIGHT_M = -2.4, 3.8, 3.0, 2.5
_THICKNESS = 0.12
_BAND = 1.05  # height of the washable lower part of the walls
_ALONG_X: Quaternion = axis_angle((0.0, 1.0, 0.0), math.pi / 2)
_ALONG_Y: Quaternion = axis_angle((1.0, 0.0, 0.0), math.pi / 2)

DOOR_Y_M, DOOR_WIDTH_M, DOOR_HEIGHT_M = 1.95, 0.95, 2.05
VALVE: Vector3 = (FRONT_M - 0.20, 0.30, 1.22)


def add_room(scene: Scene) -> None:
    """Floor, walls, door, pipes and valve, lights, markings."""
    _floor(scene)
    _walls(scene)
    _door(scene)
    _pipes_and_valve(scene)
    scene.light((0.5, -1.0, 4.0), (0.25, 0.35, -1.0), 0.42)
    scene.light((-1.0, 2.0, 4.0), (0.6, -0.45, -0.7), 0.28)


def _floor(scene: Scene) -> None:
    # A plane as large as the room and its corridor: rays and pictures end at its rim.
    scene.tiled_floor(
        {"texrepeat": "0.8 0.8", "specular": "0.1", "shininess": "0.3"},
        ((FRONT_M - BACK_M) / 2 + 1.2, HALF_WIDTH_M + 0.3, 0.1),
        ((FRONT_M + BACK_M) / 2 + 0.6, 0.0, 0.0),
    )
    markings = scene.body("floor_markings")
    stripe_y = -1.35
    for number in range(9):
        material = "safety_yellow" if number % 2 == 0 else "safety_black"
        scene.box(
            markings,
            (0.22, 0.09, 0.002),
            material,
            (2.0 + 0.22 * number - 0.2, stripe_y, 0.001),
            collides=False,
        )
    for x, y, size_x, size_y in ((0.0, 0.62, 1.4, 0.05), (0.0, -0.62, 1.4, 0.05), (-0.72, 0.0, 0.05, 1.29)):
        scene.box(markings, (size_x, size_y, 0.002), "safety_yellow", (x, y, 0.001), collides=False)
    scene.thing("parking bay", ThingKind.PLACE, "floor_markings", (1.4, 1.29, 0.0))
    scene.thing(
        "hazard stripes",
        ThingKind.PLACE,
        "floor_markings",
        (9 * 0.22, 0.09, 0.0),
        (2.68, stripe_y, 0.0),
        says=("stripes", "striped area", "striped line", "hazard markings"),
    )


def _walls(scene: Scene) -> None:
    walls = scene.body("walls")
    length, middle = FRONT_M - BACK_M, (FRONT_M + BACK_M) / 2

    def wall(size_x: float, size_y: float, x: float, y: float, bottom: float = 0.0) -> None:
        if bottom < _BAND:
            scene.box(walls, (size_x, size_y, _BAND), "wall_band", (x, y, _BAND / 2))
            top = _BAND
        else:
            top = bottom
        scene.box(walls, (size_x, size_y, HEIGHT_M - top), "wall", (x, y, (HEIGHT_M + top) / 2))

    half = _THICKNESS / 2
    for side in (-1, 1):
        wall(length, _THICKNESS, middle, side * (HALF_WIDTH_M + half))
        scene.box(
            walls,
            (length, 0.02, 0.09),
            "skirting",
            (middle, side * (HALF_WIDTH_M - 0.01), 0.045),
            collides=False,
        )
    wall(_THICKNESS, 2 * HALF_WIDTH_M, BACK_M - half, 0.0)
    # The front wall in three pieces around the doorway, with a dark corridor behind it.
    left, right = DOOR_Y_M + DOOR_WIDTH_M / 2, DOOR_Y_M - DOOR_WIDTH_M / 2
    wall(_THICKNESS, HALF_WIDTH_M - left, FRONT_M + half, (HALF_WIDTH_M + left) / 2)
    wall(_THICKNESS, HALF_WIDTH_M + right, FRONT_M + half, (right - HALF_WIDTH_M) / 2)
    wall(_THICKNESS, DOOR_WIDTH_M, FRONT_M + half, DOOR_Y_M, DOOR_HEIGHT_M)
    scene.box(
        walls,
        (0.02, HALF_WIDTH_M + right, 0.09),
        "skirting",
        (FRONT_M - 0.01, (right - HALF_WIDTH_M) / 2, 0.045),
        collides=False,
    )
    scene.box(walls, (0.05, 2.2, HEIGHT_M), "corridor", (FRONT_M + 1.5, DOOR_Y_M, HEIGHT_M / 2))
    for y in (left + 0.45, right - 0.6):
        scene.box(walls, (1.4, 0.05, HEIGHT_M), "corridor", (FRONT_M + 0.82, y, HEIGHT_M / 2))


def _door(scene: Scene) -> None:
    frame = scene.body("door_frame", Pose((FRONT_M, DOOR_Y_M, 0.0)))
    half = DOOR_WIDTH_M / 2
    for y in (-half - 0.03, half + 0.03):
        scene.box(
            frame, (0.16, 0.06, DOOR_HEIGHT_M + 0.06), "steel_dark", (0.05, y, (DOOR_HEIGHT_M + 0.06) / 2)
        )
    scene.box(frame, (0.16, DOOR_WIDTH_M + 0.12, 0.06), "steel_dark", (0.05, 0.0, DOOR_HEIGHT_M + 0.03))
    # Hinged on the left seen from the robot; opens into the room.
    leaf = scene.body("door", Pose((0.0, half, 0.0)), parent=frame)
    ET.SubElement(
        leaf, "joint", name="door_hinge", type="hinge", axis="0 0 -1", range="0 1.7", damping="6", ref="0"
    )
    width, height = DOOR_WIDTH_M - 0.02, DOOR_HEIGHT_M - 0.02
    panel = scene.box(leaf, (0.045, width, height), "door", (0.0, -width / 2, height / 2 + 0.01))
    panel.set("mass", "24")  # hollow: a person swings it with one hand
    for other in ("door_frame", "walls"):
        ET.SubElement(scene.document.section("contact"), "exclude", body1="door", body2=other)
    scene.box(leaf, (0.047, 0.22, 0.55), "screen", (0.0, -width / 2, 1.55), collides=False)
    scene.box(leaf, (0.05, 0.06, 0.16), "aluminium", (-0.005, -width + 0.09, 1.02), collides=False)
    scene.capsule(leaf, 0.012, 0.11, "aluminium", (-0.06, -width + 0.13, 1.04), _ALONG_Y)
    scene.cylinder(leaf, 0.012, 0.06, "aluminium", (-0.035, -width + 0.08, 1.04), _ALONG_X, collides=False)
    for z in (0.25, 1.0, 1.8):
        scene.cylinder(leaf, 0.014, 0.10, "aluminium", (-0.03, 0.0, z), collides=False)
    scene.thing("door", ThingKind.FIXTURE, "door", (0.045, width, height), (0.0, -width / 2, height / 2))
    scene.thing(
        "doorway",
        ThingKind.PLACE,
        "door_frame",
        (0.12, DOOR_WIDTH_M, DOOR_HEIGHT_M),
        (0.0, 0.0, DOOR_HEIGHT_M / 2),
    )


def _pipes_and_valve(scene: Scene) -> None:
    x, y, z = VALVE
    pipes = scene.body("pipes", Pose((FRONT_M - 0.09, y, 0.0)))
    scene.cylinder(pipes, 0.045, HEIGHT_M, "pipe", (0.0, 0.0, HEIGHT_M / 2))
    scene.cylinder(pipes, 0.03, HEIGHT_M, "steel", (0.02, 0.17, HEIGHT_M / 2))
    scene.cylinder(pipes, 0.03, 3.2, "pipe", (0.0, -1.62, 2.18), _ALONG_Y)
    for height in (0.55, z - 0.13, z + 0.13, 2.0):
        scene.cylinder(pipes, 0.068, 0.025, "pipe", (0.0, 0.0, height), collides=False)
    scene.cylinder(pipes, 0.06, 0.16, "steel_dark", (0.0, 0.0, z))
    # Pressure gauge above the valve.
    scene.cylinder(pipes, 0.012, 0.09, "steel", (-0.06, 0.0, 1.66), _ALONG_X, collides=False)
    scene.cylinder(pipes, 0.07, 0.03, "steel_dark", (-0.11, 0.0, 1.66), _ALONG_X, collides=False)
    scene.cylinder(pipes, 0.06, 0.032, "plate", (-0.11, 0.0, 1.66), _ALONG_X, collides=False)
    scene.box(pipes, (0.004, 0.006, 0.05), "valve_red", (-0.128, 0.01, 1.675), collides=False)
    scene.thing(
        "gauge",
        ThingKind.FIXTURE,
        "pipes",
        (0.04, 0.14, 0.14),
        (-0.11, 0.0, 1.66),
        says=("gauges", "pressure gauge", "pressure gauges"),
    )
    scene.thing(
        "pipe",
        ThingKind.FIXTURE,
        "pipes",
        (0.09, 0.09, HEIGHT_M),
        (0.0, 0.0, HEIGHT_M / 2),
        colour="green",
        says=("pipes", "pipework"),
    )

    wheel = scene.body("valve", Pose((x, y, z)))
    ET.SubElement(scene.document.section("contact"), "exclude", body1="valve", body2="pipes")
    ET.SubElement(
        wheel, "joint", name="valve_wheel", type="hinge", axis="-1 0 0", range="-6.28 6.28", damping="0.8"
    )
    radius, segments = 0.13, 16
    chord = 2 * radius * math.sin(math.pi / segments)
    for number in range(segments):
        angle = 2 * math.pi * (number + 0.5) / segments
        turned = axis_angle((1.0, 0.0, 0.0), angle)
        scene.capsule(
            wheel,
            0.013,
            chord,
            "valve_red",
            (0.0, -radius * math.sin(angle), radius * math.cos(angle)),
            product(turned, _ALONG_Y),
        )
    for number in range(4):
        angle = math.pi * number / 2 + 0.3
        turned = axis_angle((1.0, 0.0, 0.0), angle)
        scene.capsule(
            wheel,
            0.009,
            radius,
            "valve_red",
            (0.0, -radius / 2 * math.sin(angle), radius / 2 * math.cos(angle)),
            turned,
        )
    scene.cylinder(wheel, 0.022, 0.10, "steel_dark", (0.03, 0.0, 0.0), _ALONG_X)
    scene.thing("valve", ThingKind.FIXTURE, "valve", (0.03, 2 * radius, 2 * radius))
