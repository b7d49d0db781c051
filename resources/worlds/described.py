"""A scene that a file describes (`scene_file.py`), with our mobile robot in it: how each `make` looks."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from resources.arms.kinematic_tree import Box
from resources.arms.pose import Pose, Vector3, axis_angle, look_along, rotation_matrix
from resources.worlds.figure import add_figure, add_figure_materials
from resources.worlds.robot import add_robot
from resources.worlds.scene import Scene
from resources.worlds.scene_file import Furniture, FurnitureMake, Object, ObjectMake, Room, SceneFile, Wall
from resources.worlds.things import ThingKind

OVERVIEW_CAMERA = "overview"
WALL_HEIGHT_M, DOORWAY_HEIGHT_M, WALL_THICK_M = 2.5, 2.05, 0.12

_LEG_M = 0.05
_BOARD_M = 0.03
_BOARDS = (0.12, 0.37, 0.62, 0.97)  # of a shelf, as shares of its height
_UP: Vector3 = (0.0, 0.0, 1.0)


def built(name: str, described: SceneFile) -> Scene:
    """The whole scene; the same file gives the same document, byte for byte."""
    scene = Scene(name)
    for colour, rgb in described.colours.items():
        scene.material(_material(colour), rgb)
    _floor(scene, described)
    walls = scene.body("walls")
    for wall in described.walls:
        _wall(scene, walls, wall)
    for piece in described.furniture:
        _furniture(scene, piece)
    stands = {piece.name: piece for piece in described.furniture}
    for thing in described.objects:
        _object(scene, thing, stands)
    add_figure_materials(scene)
    for person in described.people:
        pose = Pose((*person.at, 0.0), _turn(person.turn_deg))
        shirt = _material(person.colour) if person.colour else "sensor_band"
        add_figure(scene, person.name, pose, person.height, shirt, person.says)
    add_robot(scene)
    view = described.overview
    aside = np.array(view.aim) - np.array(view.eye)
    scene.camera(scene.world, OVERVIEW_CAMERA, view.eye, look_along(aside), math.radians(view.fov_deg))
    scene.light((0.0, -1.0, 6.0), (0.25, 0.35, -1.0), 0.42)
    scene.light((0.0, 2.0, 6.0), (0.6, -0.45, -0.7), 0.28)
    return scene


def _floor(scene: Scene, described: SceneFile) -> None:
    lower = np.min([room.lower for room in described.rooms], axis=0)
    upper = np.max([room.upper for room in described.rooms], axis=0)
    (x, y), (half_x, half_y) = (lower + upper) / 2, (upper - lower) / 2 + 0.3
    look = {"texrepeat": "0.8 0.8", "specular": "0.1", "shininess": "0.3"}
    scene.tiled_floor(look, (float(half_x), float(half_y), 0.1), (float(x), float(y), 0.0))
    covers = scene.body("floors")
    for room in described.rooms:
        _room(scene, covers, room)


def _room(scene: Scene, covers: ET.Element, room: Room) -> None:
    (x0, y0), (x1, y1) = room.lower, room.upper
    middle: Vector3 = ((x0 + x1) / 2, (y0 + y1) / 2, 0.0)
    if room.floor:
        scene.box(covers, (x1 - x0, y1 - y0, 0.002), _material(room.floor), middle, collides=False)
    scene.thing(room.name, ThingKind.PLACE, "floors", (x1 - x0, y1 - y0, 0.0), middle, says=room.says)


def _wall(scene: Scene, walls: ET.Element, wall: Wall) -> None:
    """Its pieces between the doorways from the floor up, and above them what is left."""
    doors = sorted((door.middle - door.width / 2, door.middle + door.width / 2) for door in wall.doors)
    edges = [0.0, *(edge for door in doors for edge in door), wall.length]
    for at, (begin, end) in enumerate(pairwise(edges)):
        bottom = DOORWAY_HEIGHT_M if at % 2 else 0.0
        if end - begin > 1e-6:
            _wall_piece(scene, walls, wall, begin, end, bottom)


def _wall_piece(scene: Scene, walls: ET.Element, wall: Wall, begin: float, end: float, bottom: float) -> None:
    (x0, y0), (x1, y1) = wall.between
    share = (begin + end) / 2 / wall.length
    x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    long = end - begin
    flat = (long, WALL_THICK_M) if y0 == y1 else (WALL_THICK_M, long)
    size: Vector3 = (*flat, WALL_HEIGHT_M - bottom)
    scene.box(walls, size, "wall", (x, y, (WALL_HEIGHT_M + bottom) / 2))


def _furniture(scene: Scene, piece: Furniture) -> None:
    body = scene.body(_body(piece.name), Pose((*piece.at, piece.above), _turn(piece.turn_deg)))
    _FURNITURE[piece.make](scene, body, piece.size, _material(piece.colour))
    size = piece.size
    kind = ThingKind.FIXTURE
    scene.thing(piece.name, kind, _body(piece.name), size, (0.0, 0.0, size[2] / 2), says=piece.says)


def _box(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    scene.box(body, size, material, (0.0, 0.0, size[2] / 2))


def _table(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    long, wide, height = size
    scene.box(body, (long, wide, 0.04), material, (0.0, 0.0, height - 0.02))
    for x in (-1, 1):
        for y in (-1, 1):
            at = (x * (long - _LEG_M) / 2, y * (wide - _LEG_M) / 2, (height - 0.04) / 2)
            scene.box(body, (_LEG_M, _LEG_M, height - 0.04), "steel_dark", at)


def _shelf(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    deep, wide, height = size
    for y in (-1, 1):
        at = (0.0, y * (wide - _BOARD_M) / 2, height / 2)
        scene.box(body, (deep, _BOARD_M, height), material, at)
    scene.box(body, (0.01, wide, height), material, (-deep / 2 + 0.005, 0.0, height / 2))
    for share in _BOARDS:
        scene.box(body, (deep, wide, _BOARD_M), material, (0.0, 0.0, share * height))


def _sofa(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    deep, wide, height = size
    seat = 0.5 * height
    scene.box(body, (deep, wide, seat), material, (0.0, 0.0, seat / 2))
    scene.box(body, (0.22, wide, height), material, (-deep / 2 + 0.11, 0.0, height / 2))
    for y in (-1, 1):
        at = (0.0, y * (wide / 2 - 0.08), 0.375 * height)
        scene.box(body, (deep, 0.16, 0.75 * height), material, at)


def _bed(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    long, wide, height = size
    scene.box(body, (long, wide, 0.6 * height), "wood", (0.0, 0.0, 0.3 * height))
    scene.box(body, (long - 0.06, wide - 0.06, 0.4 * height), material, (0.0, 0.0, 0.8 * height))
    scene.box(body, (0.05, wide, 0.9), "wood", (-long / 2 + 0.025, 0.0, 0.45))
    scene.box(body, (0.4, 0.8 * wide, 0.1), "plate", (-long / 2 + 0.3, 0.0, height + 0.05), collides=False)


def _bin(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    radius, height = min(size[:2]) / 2, size[2]
    scene.cylinder(body, radius, height, material, (0.0, 0.0, height / 2))
    scene.cylinder(body, 0.85 * radius, 0.004, "safety_black", (0.0, 0.0, height), collides=False)


def _door(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    thick, wide, height = size
    scene.box(body, size, material, (0.0, 0.0, height / 2))
    handle = (thick / 2 + 0.02, wide / 2 - 0.09, 1.02)
    scene.box(body, (0.04, 0.12, 0.02), "aluminium", handle, collides=False)


def _plant(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    radius, height = min(size[:2]) / 2, size[2]
    scene.cylinder(body, 0.6 * radius, 0.3 * height, "carton", (0.0, 0.0, 0.15 * height))
    scene.cylinder(body, 0.02, 0.4 * height, "wood", (0.0, 0.0, 0.5 * height))
    scene.ball(body, radius, material, (0.0, 0.0, height - radius))


Build = Callable[[Scene, ET.Element, Vector3, str], None]
"""Puts solids on a body whose origin is in the middle of the piece's lower side; size, material."""

_FURNITURE: Mapping[FurnitureMake, Build] = {
    FurnitureMake.BOX: _box,
    FurnitureMake.TABLE: _table,
    FurnitureMake.SHELF: _shelf,
    FurnitureMake.SOFA: _sofa,
    FurnitureMake.BED: _bed,
    FurnitureMake.BIN: _bin,
    FurnitureMake.DOOR: _door,
    FurnitureMake.PLANT: _plant,
}


def _object(scene: Scene, thing: Object, stands: Mapping[str, Furniture]) -> None:
    holder = stands[thing.on]
    turn = _turn(holder.turn_deg)
    dx, dy, _ = rotation_matrix(turn).dot((*thing.at, 0.0)).tolist()
    under = holder.above + holder.size[2] if thing.above is None else thing.above
    middle = (holder.at[0] + dx, holder.at[1] + dy, under + thing.size[2] / 2 + 0.0005)
    body = scene.body(_body(thing.name), Pose(middle, turn))
    _OBJECTS[thing.make](scene, body, thing.size, _material(thing.colour))
    scene.thing(
        thing.name, ThingKind.OBJECT, _body(thing.name), thing.size, colour=thing.colour, says=thing.says
    )


def _thing_box(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    scene.solid(body, Box(size), material)


def _thing_cylinder(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    scene.cylinder(body, min(size[:2]) / 2, size[2], material, (0.0, 0.0, 0.0))


def _thing_ball(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    scene.ball(body, min(size) / 2, material, (0.0, 0.0, 0.0))


def _thing_cup(scene: Scene, body: ET.Element, size: Vector3, material: str) -> None:
    radius, height = min(size[:2]) / 2, size[2]
    scene.cylinder(body, radius, height, material, (0.0, 0.0, 0.0))
    scene.cylinder(body, 0.85 * radius, 0.002, "safety_black", (0.0, 0.0, height / 2), collides=False)
    handle: Vector3 = (0.012, 0.03, 0.6 * height)
    scene.box(body, handle, material, (0.0, radius + 0.012, 0.0), collides=False)


_OBJECTS: Mapping[ObjectMake, Build] = {
    ObjectMake.BOX: _thing_box,
    ObjectMake.CYLINDER: _thing_cylinder,
    ObjectMake.BALL: _thing_ball,
    ObjectMake.CUP: _thing_cup,
}


def _turn(degrees: float) -> tuple[float, float, float, float]:
    return axis_angle(_UP, math.radians(degrees))


def _material(colour: str) -> str:
    """Colours of a file have names of their own: none of them is one of the materials of every scene."""
    return f"colour_{colour}"


def _body(name: str) -> str:
    """The same of bodies: a "base", or a "door" that is data, is not the robot's, nor the one that swings."""
    return f"scene_{name.replace(' ', '_')}"
