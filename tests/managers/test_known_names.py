"""The names that a language may use: all kinds, with values, aliases and hints, and at next to no cost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from framework.plan import Known
from managers.context_tree import ContextTree
from managers.devices import DeviceView
from managers.known_names import KnownNames
from managers.memory import MemoryBook
from resources.types.context import KnownThing, ThingKind
from resources.types.device_states import DeviceState
from resources.types.memory import RememberedPlace, RememberedView
from resources.types.views import PageHandle
from tests.managers.surroundings import ROBOT, WORLD, at
from tests.work import work_of


def device(name: str, mount: str, kind: str = "rgbd") -> DeviceView:
    return DeviceView(name, kind, "scripted", mount, DeviceState.FREE, "", 0.8)


class Harness:
    """As much of a harness as names are taken from."""

    def __init__(self, *more: KnownThing) -> None:
        self.tree = ContextTree(ROBOT)
        self.tree.learn((*WORLD, *more))
        self.memory = MemoryBook(None, tuple, lambda: self.tree.remember(self.memory.places))
        self.plans = ["show the camera", "track the hand"]
        self.page: PageHandle | None = PageHandle("console", "http://127.0.0.1:1/")
        self.all_devices = [
            device("front_camera", "front"),
            device("wrist_cloud", "right_wrist", "cloud"),
            device("wrist_lidar", "right_wrist", "scan"),
            device("front_lidar", "front", "scan"),
        ]
        self.context = SimpleNamespace(things=lambda: self.tree.things, memory=self.memory)
        self.arms = [
            device("left_arm", "left", "arm"),
            device("right_arm", "right", "arm"),
            device("left_gripper", "left", "gripper"),
            device("base", "", "base"),
        ]
        self.sensors = SimpleNamespace(devices=lambda: tuple(self.all_devices))
        self.controllers = SimpleNamespace(devices=lambda: tuple(self.arms))
        self.supervisor = SimpleNamespace(plans=lambda: [SimpleNamespace(words=each) for each in self.plans])

    def devices(self) -> tuple[DeviceView, ...]:
        return (*self.all_devices, *self.arms)

    @property
    def names(self) -> KnownNames:
        return KnownNames(cast(Any, self))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (
            "devices",
            (
                "front camera",
                "wrist cloud",
                "wrist lidar",
                "front lidar",
                "left arm",
                "right arm",
                "left gripper",
                "base",
            ),
        ),
        ("sensors", ("front camera", "wrist cloud", "wrist lidar", "front lidar")),
        ("motions", ()),
        ("arms", ("left arm", "right arm")),
        ("grippers", ("left gripper",)),
        ("moving", ("left arm", "right arm", "left gripper", "base")),
        ("running", ("show the camera", "track the hand")),
        ("screens", ("console",)),
        ("views", ("overview",)),
        ("memories", ("dock", "overview")),
        ("world.things", ("hand",)),
        ("world.objects", ("red cup", "carton", "hand")),
        ("world.places", ("dock",)),
        ("world.openable", ("door",)),
        ("world.states", ("open", "closed")),
        (
            "world.known",
            ("tester", "table", "red cup", "shelf", "carton", "door", "left gripper", "hand", "dock"),
        ),
        ("dragons", ()),
    ],
)
def test_every_kind_has_its_names(kind: str, names: tuple[str, ...]) -> None:
    harness = Harness()
    harness.memory.keep(RememberedPlace("dock", at(0.0, 0.0)))
    harness.memory.keep(RememberedView("overview", ()))
    assert harness.names.names(kind) == names


def test_devices_have_the_names_that_people_give_them() -> None:
    camera, cloud, lidar, front, *_ = Harness().names.known("devices")
    assert (camera.value, camera.name) == ("front_camera", "front camera")
    assert {"front cam", "camera in front", "camera at the front"} <= set(camera.says)
    assert {"wrist point cloud", "right wrist cloud", "cloud on the right wrist"} <= set(cloud.says)
    assert {"wrist scanner", "wrist laser"} <= set(lidar.says)
    assert {"front laser scanner", "lidar in front"} <= set(front.says)


def test_a_device_is_also_called_what_its_description_says() -> None:
    harness = Harness()
    harness.all_devices[0] = msgspec.structs.replace(harness.all_devices[0], says=("mast camera", "mast"))
    camera, *_ = harness.names.known("devices")
    assert {"mast camera", "mast cam", "mast", "front cam"} <= set(camera.says)


def test_a_thing_is_also_called_by_its_colour_and_by_what_the_world_says() -> None:
    drum = KnownThing("drum", ThingKind.FIXTURE, at(2.0, 1.0), colour="blue", says=("tank",))
    (known,) = (each for each in Harness(drum).names.known("world.goals") if each.name == "drum")
    assert set(known.says) == {"tank", "blue drum", "blue tank"}
    cup = KnownThing("blue cup", ThingKind.OBJECT, at(2.0, 1.0), colour="blue")
    (known,) = (each for each in Harness(cup).names.known("world.goals") if each.name == "blue cup")
    assert known.says == ("cup",)


def test_no_alias_stands_in_the_way_of_a_name() -> None:
    harness = Harness()
    harness.all_devices.append(device("front_laser", "front", "scan"))
    known = {each.value: each for each in harness.names.known("devices")}
    assert "front laser" not in known["front_lidar"].says


def test_who_says_the_cup_may_mean_each_of_them() -> None:
    blue = KnownThing("blue cup", ThingKind.OBJECT, at(2.0, -0.3, 0.8), (0.08, 0.08, 0.1))
    known = Harness(blue).names.known("world.objects")
    assert [each.name for each in known if "cup" in each.says] == ["red cup", "blue cup"]


def test_two_with_one_name_are_told_apart() -> None:
    known = [each for each in Harness().names.known("world.objects") if each.name == "carton"]
    assert [(each.value, each.hint) for each in known] == [
        ("carton 1", "on the shelf, 0.3 m high"),
        ("carton 2", "on the shelf, 1.4 m high"),
    ]
    assert all(not each.hint for each in Harness().names.known("world.objects") if each.name != "carton")


def test_the_robot_is_called_robot_whatever_its_name() -> None:
    (robot, *_) = Harness().names.known("world.known")
    assert robot == Known("tester", "tester", ("robot", "yourself"))


def test_a_name_that_is_given_is_there_at_once_and_gone_when_it_is_forgotten() -> None:
    harness = Harness()
    names = harness.names
    assert names.names("world.places") == ()
    harness.memory.keep(RememberedPlace("dock", at(0.0, 0.0)))
    assert names.names("world.places") == ("dock",) and "dock" in names.names("world.known")
    harness.memory.forget("dock")
    assert names.names("world.places") == () == names.names("memories")


@pytest.mark.parametrize("kind", ["devices", "running", "screens", "views", "world.known", "world.things"])
def test_an_unchanged_world_gives_the_very_same_answer(kind: str) -> None:
    names = Harness().names
    assert names.known(kind) is names.known(kind)


def test_what_changes_is_seen_at_the_next_look() -> None:
    harness = Harness()
    names = harness.names
    before = names.known("running")
    harness.plans.pop()
    assert names.names("running") == ("show the camera",) and names.known("running") is not before
    harness.page = None
    assert names.names("screens") == ()
    harness.tree.learn((msgspec.structs.replace(WORLD[0], name="bench"),))
    assert "bench" in names.names("world.known") and "table" not in names.names("world.known")


def test_a_thousand_things_cost_nothing_until_they_change() -> None:
    many = [KnownThing(f"part {n}", ThingKind.OBJECT, at(n, 0.0)) for n in range(1000)]
    names = Harness(*many).names
    assert len(names.known("world.objects")) == 1004
    with work_of() as work:
        for _ in range(1000):
            names.known("world.objects")
    assert work.calls < 20_000
