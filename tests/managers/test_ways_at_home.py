"""Whether the base finds its way through the flat: its own planner, with what its own lidar sees there.

The base is put where its legs lead, and looks as it goes: nothing is stepped, so a drive takes milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, permutations

import mujoco
import pytest

from managers.routes import _boxes, box_of
from resources.children.world_files import known_things
from resources.controllers.protective_field import Outline
from resources.planning.floor import Look, Scene
from resources.planning.ways import plan
from resources.robots.description import read_description
from resources.robots.worlds import ROBOTS
from resources.simulation.lidar import LMS511, Lidar2D
from resources.types.context import KnownThing, ThingKind
from resources.types.routes import Beside, Goal, Onto, Spot, Way, WayKind
from resources.types.whereabouts import room_of
from resources.worlds.robot import BASE_JOINTS, BASE_LIDAR, LENGTH_M, WIDTH_M
from resources.worlds.world import World

ROOMS = ("hallway", "kitchen", "living room", "exit", "office", "bedroom", "entrance", "hallway")
_MOST_LOOKS = 15  # as many as `managers.routes` allows


class Flat:
    """The flat, in which the base is put."""

    def __init__(self) -> None:
        self._world = World.named("home", scene=read_description(ROBOTS / "home.yaml").scene)
        self._lidar = Lidar2D(self._world.model, BASE_LIDAR, LMS511)
        self.things = {thing.name: thing for thing in known_things(self._world)}
        self._boxes = _boxes(self.things.values())

    def drive(self, spot: Spot, goal: Goal) -> tuple[Spot, Way]:
        """Where it ends, and what it was told of the way last."""
        before: list[Look] = []
        track = [spot]
        way = Way(WayKind.UNKNOWN)
        for _ in range(_MOST_LOOKS):
            scene = Scene(
                spot,
                Outline(LENGTH_M, WIDTH_M),
                (self.look(spot),),
                self._boxes,
                tuple(track),
                tuple(before[-12:]),
            )
            way = plan(scene, goal)
            if way.kind is WayKind.HERE or not way.kind.may_be_driven:
                break
            driven = tuple(_along(spot, way))
            spot = driven[-1]
            track += driven
            before += map(self.look, driven)
            if way.kind is WayKind.FREE:
                break
        return spot, way

    def look(self, spot: Spot) -> Look:
        """What the base's lidar sees from there."""
        model, data = self._world.model, self._world.data
        for name, value in zip(BASE_JOINTS, spot, strict=True):
            data.joint(name).qpos[0] = value
        mujoco.mj_kinematics(model, data)
        scan = self._lidar.scan(data)
        pose = scan.world_T_lidar
        return Look(
            float(pose[0, 3]),
            float(pose[1, 3]),
            math.atan2(pose[1, 0], pose[0, 0]) + scan.angle_min,
            scan.angle_increment,
            scan.ranges.astype(float),
            scan.range_max_m,
        )


def _along(spot: Spot, way: Way) -> Iterator[Spot]:
    x, y, _ = spot
    for leg in way.legs:
        steps = max(1, math.ceil(math.dist((x, y), (leg.x, leg.y)) / 0.3))
        yield x, y, leg.yaw
        for step in range(1, steps + 1):
            yield x + (leg.x - x) * step / steps, y + (leg.y - y) * step / steps, leg.yaw
        x, y = leg.x, leg.y


@pytest.fixture(scope="module")
def flat() -> Flat:
    return Flat()


def _middle(thing: KnownThing) -> Spot:
    assert thing.world_T_thing is not None
    return *thing.world_T_thing[:2], 0.0


def _gets_there(flat: Flat, begin: str, end: str) -> None:
    goal = _middle(flat.things[end])
    spot, way = flat.drive(_middle(flat.things[begin]), Onto(goal))
    assert math.dist(spot[:2], goal[:2]) < 0.1, (begin, end, way)


def test_there_is_a_way_from_room_to_room(flat: Flat) -> None:
    for begin, end in pairwise(ROOMS):
        _gets_there(flat, begin, end)


@pytest.mark.soak
def test_there_is_a_way_from_every_room_to_every_other(flat: Flat) -> None:
    for begin, end in permutations(sorted(set(ROOMS)), 2):
        _gets_there(flat, begin, end)


@pytest.mark.soak
def test_everything_and_everybody_can_be_driven_to_from_the_room_they_are_in(flat: Flat) -> None:
    for thing in flat.things.values():
        if thing.kind not in (ThingKind.FIXTURE, ThingKind.PERSON) or thing.name.endswith("door"):
            continue
        room = room_of(thing, flat.things.values())
        assert room is not None, thing.name
        box = box_of(thing)
        away_m = 0.6 if thing.kind is ThingKind.PERSON else 0.3
        _, way = flat.drive(_middle(room), Beside(box.middle, box.length_m, box.width_m, away_m))
        assert way.kind in (WayKind.FREE, WayKind.HERE), (thing.name, way)
