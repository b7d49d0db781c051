"""Worlds that are data: what a scene file may say, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import DescriptionError
from pilothouse.robots import robot_of
from pilothouse.settings import Settings
from resources.robots.description import read_description
from resources.robots.worlds import ROBOTS
from resources.worlds.scene_file import read_scene
from resources.worlds.things import Thing, ThingKind
from resources.worlds.world import World

HOME = Path(read_description(ROBOTS / "home.yaml").scene)

ROOM = """\
overview: {eye: [0, -5, 5], aim: [0, 0, 0]}
colours: {oak: [0.7, 0.5, 0.3]}
rooms:
  - {name: shed, lower: [-2, -2], upper: [4, 2]}
"""


@pytest.fixture(scope="module")
def home() -> World:
    return World.named("home", scene=str(HOME))


def called(world: World, name: str) -> Thing:
    return next(thing for thing in world.things() if thing.name == name)


def test_the_flat_has_rooms_furniture_things_and_people(home: World) -> None:
    kinds = {kind: {thing.name for thing in home.things() if thing.kind is kind} for kind in ThingKind}
    rooms = {"kitchen", "living room", "bedroom", "office", "hallway", "entrance", "exit"}
    assert kinds[ThingKind.PLACE] == rooms
    assert {"sofa", "kitchen table", "fridge", "sink", "bed", "desk", "trash bin"} <= kinds[ThingKind.FIXTURE]
    assert {"apple", "milk", "cola", "cereal", "red cup"} <= kinds[ThingKind.OBJECT]
    assert kinds[ThingKind.PERSON] == {"Charlie", "Robin", "Jane", "Morgan"}


def test_it_stands_still_and_is_the_same_each_time(home: World) -> None:
    other = World.named("home", scene=str(HOME))
    assert other.scene.document.text() == home.scene.document.text()
    other.step(200)
    assert other.base_pose().position == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)
    assert called(other, "apple").position == called(home, "apple").position


def test_what_lies_on_something_is_turned_with_it(home: World) -> None:
    desk, cup = called(home, "desk"), called(home, "blue cup")
    dx, dy = cup.position[0] - desk.position[0], cup.position[1] - desk.position[1]
    assert (dx, dy) == pytest.approx((0.3, -0.1))  # the desk looks along −y
    assert cup.position[2] - cup.size[2] / 2 == pytest.approx(0.74, abs=1e-3)


def test_a_world_of_somebody_else_stands_beside_its_robot_description(tmp_path: Path) -> None:
    (tmp_path / "shed.yaml").write_text(ROOM)
    robot = (ROBOTS / "home.yaml").read_text().replace("../worlds/home.yaml", "shed.yaml")
    (tmp_path / "robot.yaml").write_text(robot)
    read = robot_of(Settings(tmp_path, robot=str(tmp_path / "robot.yaml")))
    assert World.named(read.world, scene=read.scene).things()[0].name == "shed"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the scene"),
        ("rooms: [", 1, "no YAML"),
        (ROOM.replace("shed", "42nd"), 4, "letters, digits"),
        (ROOM.replace("upper: [4, 2]", "upper: [-4, 2]"), 4, "lower is less than upper"),
        (ROOM.replace("upper: [4, 2]", "upper: [400, 2]"), 4, "20"),
        (ROOM.replace("upper: [4, 2]", "upper: [.nan, 2]"), 4, "upper"),
        (ROOM.replace("name: shed", "name: shed, floor: pink"), 4, "no colour 'pink'; there are oak"),
        (ROOM.replace("name: shed", "name: robot"), 4, "it is the robot's"),
        (ROOM + "  - {name: Shed, lower: [0, 0], upper: [1, 1]}\n", 5, "already, in line 4"),
        (ROOM + "walls: [{between: [[0, 0], [1, 1]]}]\n", 5, "along x or along y"),
        (
            ROOM + "walls: [{between: [[0, 0], [2, 0]], doors: [{middle: 2, width: 1}]}]\n",
            5,
            "within the wall",
        ),
        (
            ROOM + "objects: [{name: cup, make: cup, on: table, at: [0, 0], size: [1, 1, 1], colour: oak}]\n",
            5,
            "'cup' cannot lie on 'table'; there stands nothing",
        ),
        (
            ROOM + "furniture: [{name: pit, make: hole, at: [0, 0], size: [1, 1, 1], colour: oak}]\n",
            5,
            "hole",
        ),
        (ROOM + "people: [{name: Ann, at: [0, 0], height: 9}]\n", 5, "height"),
        (ROOM.replace("aim: [0, 0, 0]", "aim: [0, -5, 0]"), 1, "eye and aim differ"),
        (ROOM + "run: echo\n", 5, "no field 'run'"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text(text)
    with pytest.raises(DescriptionError) as refused:
        read_scene(file)
    assert words in str(refused.value)
    assert refused.value.line == line


def test_a_file_that_is_not_there_is_told_before_anything_starts(tmp_path: Path) -> None:
    robot = (ROBOTS / "home.yaml").read_text().replace("../worlds/home.yaml", "nowhere.yaml")
    (tmp_path / "robot.yaml").write_text(robot)
    with pytest.raises(DescriptionError, match=r"nowhere\.yaml: this scene cannot be read"):
        robot_of(Settings(tmp_path, robot=str(tmp_path / "robot.yaml")))


def test_a_scene_needs_a_world_s_name(tmp_path: Path) -> None:
    text = (ROBOTS / "home.yaml").read_text().replace("world: home\nscene", "scene")
    (tmp_path / "robot.yaml").write_text(text)
    with pytest.raises(DescriptionError, match="under `world`"):
        read_description(tmp_path / "robot.yaml")
