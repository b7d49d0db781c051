"""The door of the inspection room: how it swings, what its contact says, who cannot be hurt by it."""

from __future__ import annotations

import pytest

from framework.errors import CommandRefused
from resources.controllers.loop import MotionStop
from resources.types.motion import Drive
from resources.worlds.door import AJAR_RAD, CLOSED, OPEN
from resources.worlds.things import ThingKind
from resources.worlds.world import World
from tests.resources.worlds.commanding import BASE, Commanding


def angle(world: World) -> float:
    return float(world.data.joint("door_hinge").qpos[0])


@pytest.mark.parametrize(
    ("thing", "state"), [("door", "ajar"), ("table", "open"), ("", "open"), ("door", "")]
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(thing: str, state: str) -> None:
    world = World.inspection(0)
    with pytest.raises(CommandRefused, match="what can be done is: door open or closed"):
        world.put(thing, state)
    world.step(200)
    assert angle(world) == pytest.approx(AJAR_RAD, abs=1e-3)


def test_it_closes_and_opens_within_about_a_second_smoothly_and_touches_nothing() -> None:
    world = World.inspection(0)
    world.step(100)
    assert world.state_of("door") == OPEN
    for state, end in ((CLOSED, 0.0), (OPEN, 1.45), (CLOSED, 0.0)):
        world.put("door", state)
        fastest = 0.0
        for _ in range(150):
            world.step(10)
            fastest = max(fastest, abs(float(world.data.joint("door_hinge").qvel[0])))
            assert world.data.ncon == 0
        assert angle(world) == pytest.approx(end, abs=0.08)
        assert world.state_of("door") == state
        assert 0.3 < fastest < 3.5  # [rad/s]
        world.step(1000)
        assert world.state_of("door") == state, "it stays"


def test_it_turns_round_on_the_way() -> None:
    world = World.inspection(0)
    world.put("door", CLOSED)
    world.step(200)
    world.put("door", OPEN)
    world.step(1500)
    assert world.state_of("door") == OPEN and angle(world) > 1.3


def test_the_emergency_stop_is_for_robots_and_stops_no_door() -> None:
    world = World.inspection(0)
    commanding = Commanding(world)
    commanding.stop = MotionStop(emergency=True, token=1)
    world.put("door", CLOSED)
    commanding.run(1.5)
    assert world.state_of("door") == CLOSED


def test_the_same_orders_give_the_same_world() -> None:
    def digest() -> str:
        world = World.inspection(3)
        world.put("door", CLOSED)
        world.step(700)
        return world.digest()

    assert digest() == digest()


def test_what_is_sensed_is_the_robot_and_the_door_where_they_are_now() -> None:
    world = World.inspection(0)
    commanding = Commanding(world)
    for _ in range(40):
        commanding.hand(BASE).wish(Drive(forward=0.3))
        commanding.run(0.02)
    things = {thing.name: thing for thing in world.sensed()}
    assert set(things) == {"robot", "left gripper", "right gripper", "door"}
    assert things["robot"].position[0] > 0.1
    assert world.states_of("door") == (OPEN, CLOSED)
    assert world.states_of("table") == () and world.state_of("table") == ""


def test_cartons_stand_on_the_shelf_and_are_numbered() -> None:
    things = {thing.name: thing for thing in World.inspection(0).things()}
    shelf = things["shelf"]
    cartons = [things[f"carton {number}"] for number in (1, 2, 3)]
    for carton in cartons:
        assert carton.kind is ThingKind.OBJECT
        assert abs(carton.position[0] - shelf.position[0]) < shelf.size[0] / 2
        assert abs(carton.position[1] - shelf.position[1]) < shelf.size[1] / 2
        assert 0.0 < carton.position[2] < shelf.size[2]


def test_a_world_without_a_door_has_nothing_with_states() -> None:
    bench = World.bench(0)
    with pytest.raises(CommandRefused, match="nothing here has states"):
        bench.put("door", OPEN)
    assert bench.states_of("door") == () and bench.state_of("door") == ""
    assert {thing.name for thing in bench.sensed()} == {"robot", "gripper"}
