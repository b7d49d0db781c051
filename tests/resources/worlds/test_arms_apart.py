"""Two arms of a robot, told and pushed to collide: with each other, with its mast, chassis and lidar."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import msgspec
import mujoco
import numpy as np
import pytest

from framework.errors import CommandRefused, DescriptionError
from framework.plugins.driver import driver_spec
from resources.children.arguments import ControlArguments
from resources.children.controls import arm_options
from resources.drivers.simulated.arm_driver import SimulatedArm
from resources.robots.description import read_description
from resources.robots.worlds import ROBOTS
from resources.types.motion import Guide, MotionCommand, MovePose, TrackTwist
from resources.worlds.arm_part import ArmPart
from resources.worlds.world import World

Command = Callable[[ArmPart], MotionCommand | None]

_LEFT, _RIGHT = "left_", "right_"
_FAR_M = 0.1

# What is bolted to the robot, or moves there where nothing but its own foot is.
_STANDING = ("link0", "link1")


def declared() -> list[ControlArguments]:
    """As the robot's own description says."""
    robot = read_description(ROBOTS / "inspection.yaml")
    told = []
    for device in robot.controllers:
        if device.kind == "arm":
            driver = driver_spec(SimulatedArm).make(device.parameters)
            assert isinstance(driver, SimulatedArm)
            told.append(driver.arguments(device.name, device.mount, Path()))
    return told


def robot_world(told: list[ControlArguments] | None = None) -> World:
    return World.inspection(options=arm_options(declared() if told is None else told))


class Clearance:
    """The shortest distance of the arms' solids from each other, and from the robot's own, by MuJoCo."""

    def __init__(self, world: World) -> None:
        model = world.model
        robot = int(model.body("base").rootid[0])
        owned: dict[str, list[int]] = {_LEFT: [], _RIGHT: [], "": []}
        for geom in range(int(model.ngeom)):
            body = int(model.geom_bodyid[geom])
            if model.body_rootid[body] != robot or not (
                model.geom_contype[geom] or model.geom_conaffinity[geom]
            ):
                continue
            name = model.body(body).name
            side = next((prefix for prefix in (_LEFT, _RIGHT) if name.startswith(prefix)), "")
            if name.removeprefix(side) not in _STANDING:
                owned[side].append(geom)
        self._world = world
        self._pairs = np.array(
            [
                *itertools.product(owned[_LEFT], owned[_RIGHT]),
                *itertools.product(owned[_LEFT] + owned[_RIGHT], owned[""]),
            ]
        )
        self._reach = world.model.geom_rbound[self._pairs].sum(axis=1)
        self.least_m = _FAR_M

    def look(self) -> None:
        world = self._world
        firsts, seconds = world.data.geom_xpos[self._pairs.T]
        apart = np.linalg.norm(firsts - seconds, axis=1) - self._reach
        for first, second in self._pairs[apart < self.least_m]:
            distance = mujoco.mj_geomDistance(world.model, world.data, first, second, _FAR_M, None)
            self.least_m = min(self.least_m, distance)


def attempt(
    world: World,
    left: Command | None = None,
    right: Command | None = None,
    *,
    pushes: tuple[tuple[str, tuple[float, float, float]], ...] = (),
    lasts_s: float = 2.0,
) -> Clearance:
    """Commands, anew every 20 ms, and pushes at bodies [N]; what the least distance was."""
    clearance = Clearance(world)
    for period in range(round(lasts_s / 0.02)):
        for prefix, command in ((_LEFT, left), (_RIGHT, right)):
            part = world.arms[prefix]
            wanted = command(part) if command is not None else None
            if wanted is not None and (period == 0 or isinstance(wanted, TrackTwist)):
                part.mechanism.begin(wanted, world.time_s, world.time_s)
        for body, force in pushes:
            grown = min(1.0, period / 10.0)
            world.data.xfrc_applied[world.model.body(body).id, :3] = [grown * each for each in force]
        world.step(20)
        clearance.look()
    return clearance


def twist(*velocity: float) -> Command:
    x, y, z = velocity
    return lambda part: TrackTwist((x, y, z, 0.0, 0.0, 0.0))


def guided(part: ArmPart) -> MotionCommand:
    return Guide()


def moved(ahead: float, inward: float) -> Command:
    """A goal from where the tool is [m]; inward is towards the other arm."""

    def command(part: ArmPart) -> MotionCommand:
        x, y, z, *rotation = part.mechanism.base_T_tool
        qx, qy, qz, qw = rotation
        sign = 1.0 if part.prefix == _RIGHT else -1.0
        return MovePose((x + ahead, y + inward * sign, z, qx, qy, qz, qw), speed=1.0)

    return command


@pytest.mark.parametrize(
    ("left", "right", "pushes"),
    [
        pytest.param(twist(0.3, -0.9, 0.0), twist(0.3, 0.9, 0.0), (), id="both told to meet"),
        pytest.param(twist(0.0, -0.9, 0.0), None, (), id="left told to the right", marks=pytest.mark.soak),
        pytest.param(twist(-0.5, -0.5, 0.2), twist(-0.5, 0.5, 0.2), (), id="both told to the mast"),
        pytest.param(
            twist(0.0, -0.3, -0.9), None, (), id="left told down to the lidar", marks=pytest.mark.soak
        ),
        pytest.param(twist(-0.5, 0.0, -0.9), twist(-0.5, 0.0, -0.9), (), id="both told to the chassis"),
        pytest.param(
            guided,
            guided,
            (("left_hand", (20.0, -60.0, 0.0)), ("right_hand", (20.0, 60.0, 0.0))),
            id="both hands pushed together",
        ),
        pytest.param(
            guided, None, (("left_hand", (-20.0, -60.0, -20.0)),), id="left hand pushed to the mast"
        ),
        pytest.param(
            guided,
            twist(0.0, 0.6, 0.0),
            (("left_link4", (30.0, -60.0, 0.0)),),
            id="elbow pushed to a hand",
            marks=pytest.mark.soak,
        ),
    ],
)
def test_arms_keep_clear_of_each_other_and_of_the_robot(
    left: Command | None,
    right: Command | None,
    pushes: tuple[tuple[str, tuple[float, float, float]], ...],
) -> None:
    world = robot_world()
    assert attempt(world, left, right, pushes=pushes).least_m > 0.0
    assert not any(part.fault() for part in world.arms.values())


def test_without_that_they_touch() -> None:
    world = robot_world(
        [msgspec.structs.replace(each, walls=(), no_go=(), body=(), keeps_from=()) for each in declared()]
    )
    assert attempt(world, twist(0.0, -0.9, 0.0), twist(0.0, 0.9, 0.0)).least_m <= 0.0


def test_goals_past_each_other_end_apart() -> None:
    world = robot_world()
    assert attempt(world, moved(0.25, 0.0), moved(0.25, 0.0), lasts_s=1.2).least_m > 0.0
    clearance = attempt(world, moved(0.0, 0.3), moved(0.0, 0.3))
    assert clearance.least_m > 0.0
    assert clearance.least_m < 0.08, "they come as near as they may"
    assert not any(part.fault() for part in world.arms.values())


def test_a_goal_in_the_robot_itself_is_refused_in_words() -> None:
    world = robot_world()
    world.step(5)
    mechanism = world.arms[_LEFT].mechanism
    _, _, z, *rotation = mechanism.base_T_tool
    goal = (0.27, -0.215, z, *rotation)  # inside of the mast, in the arm's own base frame
    with pytest.raises(CommandRefused, match="the mast"):
        mechanism.begin(MovePose(goal), world.time_s, world.time_s)  # type: ignore[arg-type]


def test_an_arm_whose_controller_is_dead_is_kept_clear_of_where_it_stands() -> None:
    world = robot_world()
    attempt(world, None, twist(0.3, 0.5, 0.0), lasts_s=0.5)
    world.arms[_RIGHT].cut()
    clearance = attempt(world, twist(0.3, -0.9, 0.0), lasts_s=1.5)
    assert clearance.least_m > 0.0


def test_a_controller_that_begins_anew_within_a_margin_throws_no_arm() -> None:
    world = robot_world()
    attempt(world, twist(0.3, -0.9, 0.0), twist(0.3, 0.9, 0.0), lasts_s=1.2)
    right, before = world.arms[_RIGHT], np.abs(world.arms[_RIGHT].dq).max()
    right.restart()
    clearance = Clearance(world)
    for period in range(60):
        world.step(10)
        clearance.look()
        assert np.abs(right.dq).max() < (before + 0.05 if period < 10 else 0.1)
    assert clearance.least_m > 0.0


def test_an_arm_that_is_none_of_this_world_is_named() -> None:
    with pytest.raises(DescriptionError, match=r"left_arm is to keep away from 'right_arm'; .* are: none"):
        arm_options(declared()[:1])
