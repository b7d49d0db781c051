"""What stands in the inspection room: table with cups, shelf with boxes, cabinet, drum, gas cylinders."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import msgspec

from resources.arms.pose import Pose, Vector3, axis_angle
from resources.worlds.room import FRONT_M, HALF_WIDTH_M
from resources.worlds.scene import Scene
from resources.worlds.things import ThingKind

TABLE: Vector3 = (2.15, 0.55, 0.75)  # middle of the top's upper face
TABLE_SIZE: Vector3 = (0.75, 1.40, 0.04)
CUP_RADIUS_M, CUP_HEIGHT_M = 0.04, 0.10


class CupPlacement(msgspec.Struct, frozen=True):
    """One cup: its colour (a material `cup_<colour>`) and where it stands on the table [m]."""

    colour: str
    x: float
    y: float
    yaw: float


def add_table(scene: Scene) -> None:
    """A wooden table on four steel legs."""
    x, y, z = TABLE
    size_x, size_y, thickness = TABLE_SIZE
    table = scene.body("table", Pose((x, y, 0.0)))
    scene.box(table, TABLE_SIZE, "wood", (0.0, 0.0, z - thickness / 2))
    for side_x in (-1, 1):
        for side_y in (-1, 1):
            leg: Vector3 = (side_x * (size_x / 2 - 0.05), side_y * (size_y / 2 - 0.05), (z - thickness) / 2)
            scene.box(table, (0.05, 0.05, z - thickness), "steel_dark", leg)
    for side_y in (-1, 1):
        scene.box(
            table,
            (size_x - 0.1, 0.03, 0.05),
            "steel_dark",
            (0.0, side_y * (size_y / 2 - 0.05), z - 0.07),
            collides=False,
        )
    scene.thing("table", ThingKind.FIXTURE, "table", (size_x, size_y, z), (0.0, 0.0, z / 2))
    scene.thing("table top", ThingKind.PLACE, "table", (size_x, size_y, 0.0), (0.0, 0.0, z))


def add_cup(scene: Scene, cup: CupPlacement, *, loose: bool) -> None:
    """A cup with a handle; `loose` ones can be pushed and lifted, at the price of contacts in every step."""
    x, y, z = TABLE
    name = f"{cup.colour}_cup"
    pose = Pose((x + cup.x, y + cup.y, z + CUP_HEIGHT_M / 2 + 0.0005), axis_angle((0.0, 0.0, 1.0), cup.yaw))
    body = scene.body(name, pose)
    if loose:
        ET.SubElement(body, "freejoint", name=name)
    material = f"cup_{cup.colour}"
    outer = scene.cylinder(body, CUP_RADIUS_M, CUP_HEIGHT_M, material, (0.0, 0.0, 0.0))
    outer.set("mass", "0.15")
    inner = scene.cylinder(
        body, CUP_RADIUS_M - 0.006, 0.002, "safety_black", (0.0, 0.0, CUP_HEIGHT_M / 2), collides=False
    )
    inner.set("mass", "0")
    for offset, length, turn in ((0.028, 0.035, 0.0), (-0.028, 0.035, 0.0)):
        bar = scene.capsule(
            body,
            0.006,
            length,
            material,
            (CUP_RADIUS_M + 0.012, 0.0, offset),
            axis_angle((0.0, 1.0, 0.0), math.pi / 2 + turn),
            collides=False,
        )
        bar.set("mass", "0")
    grip = scene.capsule(body, 0.006, 0.056, material, (CUP_RADIUS_M + 0.03, 0.0, 0.0), collides=False)
    grip.set("mass", "0")
    scene.thing(
        f"{cup.colour} cup", ThingKind.OBJECT, name, (2 * CUP_RADIUS_M, 2 * CUP_RADIUS_M, CUP_HEIGHT_M)
    )


def add_shelf(scene: Scene) -> None:
    """A steel shelf against the front wall, with boxes, canisters and a grey crate on it."""
    depth, width, height = 0.42, 1.30, 1.75
    shelf = scene.body("shelf", Pose((FRONT_M - depth / 2 - 0.02, -1.25, 0.0)))
    for x in (-depth / 2 + 0.02, depth / 2 - 0.02):
        for y in (-width / 2 + 0.02, width / 2 - 0.02):
            scene.box(shelf, (0.04, 0.04, height), "steel_dark", (x, y, height / 2))
    boards = (0.18, 0.66, 1.14, 1.62)
    for z in boards:
        scene.box(shelf, (depth, width, 0.03), "steel", (0.0, 0.0, z))
    goods: tuple[tuple[str, Vector3, Vector3], ...] = (
        ("carton", (0.30, 0.36, 0.26), (0.0, -0.40, boards[0])),
        ("crate_grey", (0.34, 0.50, 0.30), (0.0, 0.22, boards[0])),
        ("carton", (0.26, 0.28, 0.20), (-0.02, 0.42, boards[1])),
        ("safety_yellow", (0.28, 0.34, 0.24), (0.0, -0.38, boards[1])),
        ("carton", (0.28, 0.40, 0.28), (0.0, 0.30, boards[2])),
        ("drum_blue", (0.22, 0.18, 0.22), (-0.03, -0.12, boards[2])),
    )
    cartons = 0
    for material, size, (x, y, z) in goods:
        middle = (x, y, z + 0.015 + size[2] / 2)
        scene.box(shelf, size, material, middle)
        if material == "carton":
            cartons += 1
            scene.thing(f"carton {cartons}", ThingKind.OBJECT, "shelf", size, middle)
    for y, material in ((-0.02, "valve_red"), (0.14, "pipe"), (-0.45, "gas_orange")):
        level = boards[2] if y < -0.3 else boards[1]
        scene.cylinder(shelf, 0.065, 0.20, material, (-0.05, y, level + 0.115))
        scene.cylinder(shelf, 0.025, 0.04, "steel_dark", (-0.05, y, level + 0.235), collides=False)
    scene.thing("shelf", ThingKind.FIXTURE, "shelf", (depth, width, height), (0.0, 0.0, height / 2))


def add_surroundings(scene: Scene) -> None:
    """Control cabinet, drum and gas cylinders: what a lidar and a picture need to look like a plant."""
    cabinet = scene.body("control_cabinet", Pose((0.9, HALF_WIDTH_M - 0.22, 0.0)))
    scene.box(cabinet, (0.80, 0.40, 1.80), "crate_grey", (0.0, 0.0, 0.95))
    scene.box(cabinet, (0.84, 0.42, 0.10), "skirting", (0.0, 0.0, 0.05))
    scene.box(cabinet, (0.30, 0.012, 0.20), "screen", (0.0, -0.205, 1.45), collides=False)
    for x, material in ((-0.10, "lamp_green"), (0.0, "lamp_amber"), (0.10, "valve_red")):
        scene.cylinder(
            cabinet,
            0.022,
            0.03,
            material,
            (x, -0.21, 1.22),
            axis_angle((1.0, 0.0, 0.0), math.pi / 2),
            collides=False,
        )
    scene.thing("control cabinet", ThingKind.FIXTURE, "control_cabinet", (0.84, 0.42, 1.85), (0.0, 0.0, 0.92))

    drum = scene.body("drum", Pose((1.9, -2.45, 0.0)))
    scene.cylinder(drum, 0.29, 0.88, "drum_blue", (0.0, 0.0, 0.44))
    for z in (0.02, 0.30, 0.58, 0.86):
        scene.cylinder(drum, 0.30, 0.025, "drum_blue", (0.0, 0.0, z), collides=False)
    scene.thing("drum", ThingKind.FIXTURE, "drum", (0.6, 0.6, 0.88), (0.0, 0.0, 0.44), colour="blue")

    gas = scene.body("gas_cylinders", Pose((-0.4, HALF_WIDTH_M - 0.20, 0.0)))
    for x, material in ((-0.16, "gas_orange"), (0.16, "steel")):
        scene.cylinder(gas, 0.115, 1.25, material, (x, 0.0, 0.625))
        scene.capsule(gas, 0.115, 0.02, material, (x, 0.0, 1.25), collides=False)
        scene.cylinder(gas, 0.03, 0.14, "steel_dark", (x, 0.0, 1.42), collides=False)
    scene.thing("gas cylinders", ThingKind.FIXTURE, "gas_cylinders", (0.6, 0.25, 1.5), (0.0, 0.0, 0.75))
