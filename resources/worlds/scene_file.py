"""A world as data: rooms, walls, what stands there, what lies on it, and people; read strictly.

    colours: {oak: [0.72, 0.53, 0.34]}          # red green blue, 0 to 1
    overview: {eye: [0, -8, 7], aim: [3, 0, 0]} # where the picture of the whole is taken from [m]
    rooms:
      - {name: kitchen, lower: [-1.6, -4.6], upper: [3.2, -0.9], floor: oak}
    walls:
      - {between: [[-1.6, -0.9], [3.2, -0.9]], doors: [{middle: 2.5, width: 1.2}]}
    furniture:
      - {name: kitchen table, make: table, at: [-0.9, -2.6], size: [0.8, 1.2, 0.75], colour: oak}
    objects:
      - {name: apple, make: ball, on: kitchen table, at: [0.1, 0.2], size: [0.08, 0.08, 0.08], colour: red}
    people:
      - {name: Charlie, at: [-1.0, -1.4], turn_deg: -90}

World frame: on the floor where the robot starts, looking along x; z up, metres. What a `make` looks like is
said in `described.py`. A file holds structure and names only: nothing in it is carried out.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from framework.yaml_reader import Mistakes, Place, Text, compose, convert, text_of

FLOOR_MOST_M = 20.0
"""No point is farther from where the robot starts, along x or y [m]: no way is planned over more."""

Coordinate = Annotated[float, Meta(ge=-FLOOR_MOST_M, le=FLOOR_MOST_M)]
Height = Annotated[float, Meta(ge=0.0, le=4.0)]
Edge = Annotated[float, Meta(ge=0.005, le=10.0)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Name = Annotated[
    Text, Meta(pattern=r"^[A-Za-z][A-Za-z0-9' ]{0,47}\Z", description="letters, digits, ' and blanks")
]
Point = tuple[Coordinate, Coordinate]


class FurnitureMake(StrEnum):
    """What a piece of furniture is like."""

    BOX = "box"
    TABLE = "table"
    SHELF = "shelf"
    SOFA = "sofa"
    BED = "bed"
    BIN = "bin"
    DOOR = "door"
    PLANT = "plant"


class ObjectMake(StrEnum):
    """What a thing that lies somewhere is like."""

    BOX = "box"
    CYLINDER = "cylinder"
    BALL = "ball"
    CUP = "cup"


class Room(msgspec.Struct, frozen=True):
    """A part of the floor with a name; who goes there goes to its middle.

    floor: the colour of its floor; "" is that of the whole.
    """

    name: Name
    lower: Point
    upper: Point
    floor: str = ""
    says: tuple[Name, ...] = ()
    place: Place = Place()

    def __post_init__(self) -> None:
        if not (self.lower[0] < self.upper[0] and self.lower[1] < self.upper[1]):
            raise ValueError(
                f"of a room, lower is less than upper in x and in y, not {self.lower}, {self.upper}"
            )


class Opening(msgspec.Struct, frozen=True):
    """A doorway in a wall. middle: so far from where the wall begins [m]."""

    middle: Annotated[float, Meta(ge=0.0, le=2 * FLOOR_MOST_M)]
    width: Annotated[float, Meta(ge=0.3, le=10.0)]


class Wall(msgspec.Struct, frozen=True):
    """A straight wall along x or y, with doorways."""

    between: tuple[Point, Point]
    doors: tuple[Opening, ...] = ()
    place: Place = Place()

    def __post_init__(self) -> None:
        (x0, y0), (x1, y1) = self.between
        if (x0 == x1) == (y0 == y1):
            raise ValueError("a wall runs along x or along y, from one point to another")
        at = 0.0
        for door in sorted(self.doors, key=lambda each: each.middle):
            if door.middle - door.width / 2 < at or door.middle + door.width / 2 > self.length:
                raise ValueError(
                    f"the doorway at {door.middle:g} m does not lie within the wall, beside the others"
                )
            at = door.middle + door.width / 2

    @property
    def length(self) -> float:
        """[m]."""
        (x0, y0), (x1, y1) = self.between
        return abs(x1 - x0) + abs(y1 - y0)


class Furniture(msgspec.Struct, frozen=True):
    """What stands on the floor, or so high over it. size: along its front's direction, across, up.

    turn_deg: of its front, from x. above: its lower side over the floor.
    """

    name: Name
    make: FurnitureMake
    at: Point
    size: tuple[Edge, Edge, Edge]
    colour: Text
    turn_deg: Annotated[float, Meta(ge=-360.0, le=360.0)] = 0.0
    above: Height = 0.0
    says: tuple[Name, ...] = ()
    place: Place = Place()


class Object(msgspec.Struct, frozen=True):
    """A small thing. on: the furniture that it lies on, or in; at: from its middle, in its directions.

    above: over the floor, where it does not lie on top.
    """

    name: Name
    make: ObjectMake
    on: Name
    at: tuple[Coordinate, Coordinate]
    size: tuple[Edge, Edge, Edge]
    colour: Text
    above: Height | None = None
    says: tuple[Name, ...] = ()
    place: Place = Place()


class Person(msgspec.Struct, frozen=True):
    """Somebody who stands there. turn_deg: where they look, from x."""

    name: Name
    at: Point
    turn_deg: Annotated[float, Meta(ge=-360.0, le=360.0)] = 0.0
    height: Annotated[float, Meta(ge=0.8, le=2.3)] = 1.72
    colour: str = ""
    says: tuple[Name, ...] = ()
    place: Place = Place()


class Overview(msgspec.Struct, frozen=True):
    """Where the picture of the whole is taken from, and what is in its middle. fov_deg: upright."""

    eye: tuple[Coordinate, Coordinate, Annotated[float, Meta(ge=0.0, le=40.0)]]
    aim: tuple[Coordinate, Coordinate, Height]
    fov_deg: Annotated[float, Meta(ge=10.0, le=120.0)] = 60.0

    def __post_init__(self) -> None:
        if self.eye[:2] == self.aim[:2]:
            raise ValueError("eye and aim differ in x or y: a picture straight from above has no upper edge")


class SceneFile(msgspec.Struct, frozen=True):
    """All of a world that is data."""

    rooms: Annotated[tuple[Room, ...], Meta(min_length=1, max_length=60)]
    overview: Overview
    colours: dict[str, tuple[Share, Share, Share]] = {}
    walls: Annotated[tuple[Wall, ...], Meta(max_length=200)] = ()
    furniture: Annotated[tuple[Furniture, ...], Meta(max_length=200)] = ()
    objects: Annotated[tuple[Object, ...], Meta(max_length=200)] = ()
    people: Annotated[tuple[Person, ...], Meta(max_length=40)] = ()


def read_scene(file: Path) -> SceneFile:
    """The scene in a file. Raises DescriptionError with every mistake, its line, and what is allowed."""
    mistakes = Mistakes(str(file))
    root = compose(text_of(file, "this scene"), str(file))
    scene = convert(root, SceneFile, mistakes, what="the scene")
    if isinstance(scene, SceneFile):
        _check_names(scene, mistakes)
        _check_references(scene, mistakes)
    mistakes.raise_all()
    assert isinstance(scene, SceneFile)
    return scene


def _check_names(scene: SceneFile, mistakes: Mistakes) -> None:
    lines: dict[str, int] = {"robot": 0, "left gripper": 0, "right gripper": 0}
    things: tuple[Room | Furniture | Object | Person, ...]
    things = (*scene.rooms, *scene.furniture, *scene.objects, *scene.people)
    for thing in things:
        name = thing.name.casefold()
        if name in lines:
            where = f", in line {lines[name]}" if lines[name] else ": it is the robot's"
            mistakes.add(thing.place.line, f"there is a {thing.name!r} already{where}")
        lines.setdefault(name, thing.place.line)


def _check_references(scene: SceneFile, mistakes: Mistakes) -> None:
    known = ", ".join(scene.colours) or "none"
    for room in scene.rooms:
        if room.floor and room.floor not in scene.colours:
            mistakes.add(room.place.line, f"there is no colour {room.floor!r}; there are {known}")
    coloured: tuple[Furniture | Object | Person, ...] = (*scene.furniture, *scene.objects, *scene.people)
    for thing in coloured:
        if thing.colour and thing.colour not in scene.colours:
            mistakes.add(thing.place.line, f"there is no colour {thing.colour!r}; there are {known}")
    holders = {piece.name for piece in scene.furniture}
    for each in scene.objects:
        if each.on not in holders:
            stands = ", ".join(sorted(holders)) or "nothing"
            mistakes.add(each.place.line, f"{each.name!r} cannot lie on {each.on!r}; there stands {stands}")
