"""Walls of a robot description: through both drivers, into the world's arm and the real arm's law."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from framework.errors import DescriptionError
from framework.plugins.driver import driver_spec
from resources.children.arguments import ControlArguments, as_told
from resources.children.controls import arm_options
from resources.drivers.franka.arguments import FciArmArguments
from resources.drivers.franka.arm_driver import FciArm
from resources.drivers.franka.model import arm_walls
from resources.drivers.simulated.arm_driver import SimulatedArm
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.types.motion import MovePose, TrackTwist
from resources.worlds.world import World
from tests.resources.worlds.commanding import ARM, Commanding

WALLS = [{"point": [0.0, 0.3, 0.0], "normal": [0, -1, 0], "words": "the wall to the left"}]
BOX = {"lower": [0.3, -0.6, 0.0], "upper": [0.6, -0.4, 0.3], "words": "the rack"}


def declared() -> ControlArguments:
    driver = driver_spec(SimulatedArm).make(
        {"world": "bench", "walls": WALLS, "no_go": [BOX], "margin_m": 0.03}
    )
    assert isinstance(driver, SimulatedArm)
    return driver.arguments("arm", "", Path("/run/orders.ring"))


def test_a_description_becomes_what_the_world_is_told_and_survives_the_way_there() -> None:
    told = declared()
    wall = Wall((0.0, 0.3, 0.0), (0.0, -1.0, 0.0), "the wall to the left")
    box = NoGoBox((0.3, -0.6, 0.0), (0.6, -0.4, 0.3), "the rack")
    assert told.surroundings == Surroundings((wall,), (box,), margin=Margin(0.03))
    assert msgspec.json.decode(msgspec.json.encode(told), type=ControlArguments) == told


def test_a_mistake_in_a_wall_is_named() -> None:
    with pytest.raises(DescriptionError, match="free side"):
        driver_spec(SimulatedArm).make({"walls": [{"point": [0, 0, 0], "normal": [0, 0, 0]}]})


def test_an_arm_of_a_world_stops_in_front_of_its_wall_and_refuses_goals_in_it() -> None:
    world = World.bench(options=arm_options([declared()]))
    commanding = Commanding(world)
    hand, arm = commanding.hand(ARM), world.arms[""]
    commanding.run(0.05)
    x, y, z, *rotation = arm.mechanism.base_T_tool
    qx, qy, qz, qw = rotation
    hand.wish(MovePose((x, y + 0.35, z, qx, qy, qz, qw)))
    commanding.run(0.05)
    assert "the hand would enter the wall to the left" in hand.state.refusal
    hand.wish(TrackTwist((0.0, 0.6, 0.0, 0.0, 0.0, 0.0)))
    for _ in range(12):
        hand.wish(hand.command, is_new=False)
        commanding.run(0.1)
    capsules = arm.mechanism.state.dynamics.link_capsules()
    farthest = float(np.maximum(capsules[3:, 1], capsules[3:, 4]).max())
    assert 0.12 < farthest < 0.27, "the wall is at 0.30, and 30 mm are kept"
    assert arm.fault() == ""


def test_the_law_of_a_real_arm_has_the_same_walls() -> None:
    driver = driver_spec(FciArm).make({"address": "127.0.0.9", "walls": WALLS, "no_go": [BOX]})
    assert isinstance(driver, FciArm)
    arguments = FciArmArguments(run_directory="/run", device="arm", **as_told(driver.parameters))
    arguments = msgspec.json.decode(msgspec.json.encode(arguments), type=FciArmArguments)
    walls = arm_walls(arguments)
    assert walls is not None
    pose = (0.5, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0)
    assert "the wall to the left" in walls.line_enters(pose, (0.5, 0.4, *pose[2:]))
    assert "the rack" in walls.line_enters(pose, (0.45, -0.5, 0.2, *pose[3:]))
    assert arm_walls(FciArmArguments(run_directory="/run", device="arm", address="127.0.0.9")) is None
