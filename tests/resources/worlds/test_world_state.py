"""States, mirrors, named things, and the description for whoever draws the world."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from framework.errors import MalformedMessage
from resources.arms.pose import rotation_matrix
from resources.simulation.intrinsics import D435_848X480
from resources.simulation.rgbd_camera import camera_pose
from resources.types.motion import Drive, Sweep
from resources.worlds.furniture import TABLE, TABLE_SIZE
from resources.worlds.inspection import CUP_COLOURS, inspection_scene
from resources.worlds.robot import FRONT_CAMERA
from resources.worlds.scene_description import ShapeKind, body_poses, scene_description
from resources.worlds.state_vector import Mirror
from resources.worlds.things import ThingKind
from resources.worlds.world import World
from tests.resources.worlds.commanding import ARM, BASE, Commanding


def scripted_run(seed: int) -> World:
    world = World.inspection(seed)
    commanding = Commanding(world)
    commanding.hand(ARM, "right_").wish(Sweep(-0.7, 2.3, 1.2))
    for _ in range(40):
        commanding.hand(BASE).wish(Drive(forward=0.3, turn=0.2))
        commanding.run(0.02)
    return world


def test_same_seed_and_commands_give_the_same_state_and_another_seed_another() -> None:
    assert scripted_run(5).digest() == scripted_run(5).digest()
    assert scripted_run(5).digest() != scripted_run(6).digest()


def test_a_mirror_shows_what_the_world_has() -> None:
    world = scripted_run(2)
    mirror = Mirror(inspection_scene(2))
    mirror.load(world.state())
    mujoco.mj_kinematics(world.model, world.data)
    np.testing.assert_array_equal(mirror.data.xpos, world.data.xpos)
    np.testing.assert_array_equal(mirror.data.xquat, world.data.xquat)
    assert (mirror.step, mirror.time_s) == (world.steps, world.time_s)
    assert mirror.things() == world.things()


def test_a_mirror_refuses_what_is_no_state_of_its_world_and_keeps_the_last_one() -> None:
    world = scripted_run(2)
    mirror = Mirror(inspection_scene(2))
    mirror.load(world.state())
    before = mirror.data.qpos.copy()
    broken = world.state()
    broken[10] = np.nan
    for bad in (world.state()[:-1], np.zeros(0), broken, World.inspection(3).state()):
        with pytest.raises(MalformedMessage):
            mirror.load(bad)
    np.testing.assert_array_equal(mirror.data.qpos, before)
    assert mirror.step == world.steps


def test_a_state_can_be_written_into_memory_of_the_callers() -> None:
    world = World.inspection()
    memory = np.zeros(world.state().size)
    assert world.state(memory) is memory
    np.testing.assert_array_equal(memory, world.state())


def test_things_have_unique_names_and_cups_stand_on_the_table() -> None:
    for seed in range(12):
        located = World.inspection(seed).things()
        things = {thing.name: thing for thing in located}
        assert len(things) == len(located)
        cups = [things[f"{colour} cup"] for colour in CUP_COLOURS]
        for cup in cups:
            assert cup.kind is ThingKind.OBJECT
            x, y, z = cup.position
            assert abs(x - TABLE[0]) < TABLE_SIZE[0] / 2 - 0.05
            assert abs(y - TABLE[1]) < TABLE_SIZE[1] / 2 - 0.05
            assert z - cup.size[2] / 2 == pytest.approx(TABLE[2], abs=1e-3)
        for number, cup in enumerate(cups):
            for other in cups[number + 1 :]:
                assert np.hypot(*np.subtract(cup.position, other.position)[:2]) > 0.1
    assert {"table", "shelf", "valve", "gauge", "pipe", "hazard stripes", "door", "target", "robot"} <= set(
        things
    )
    assert "home" not in things, "that is where arms go"


def test_the_robot_thing_follows_the_robot() -> None:
    world = scripted_run(0)
    robot = next(thing for thing in world.things() if thing.name == "robot")
    assert robot.position[0] == pytest.approx(world.base_pose().position[0])
    assert robot.position[0] > 0.1


def test_the_target_moves_smoothly_and_always_stays_in_the_front_cameras_view() -> None:
    world = World.inspection(4)
    camera = world.model.camera(FRONT_CAMERA).id
    camera_T_world = np.linalg.inv(camera_pose(world.data, camera))
    last: np.ndarray | None = None
    travelled = 0.0
    for _ in range(90):
        world.step(100)
        target = next(thing for thing in world.things() if thing.name == "target")
        x, y, z, _ = camera_T_world @ [*target.position, 1.0]
        assert 0.4 < z < 1.2
        assert 60 < D435_848X480.fx * x / z + D435_848X480.cx < 788
        assert 60 < D435_848X480.fy * y / z + D435_848X480.cy < 420
        normal = rotation_matrix(target.quaternion)[:, 2]
        to_camera = np.linalg.inv(camera_T_world)[:3, 3] - target.position
        assert normal @ to_camera / np.linalg.norm(to_camera) > 0.6
        if last is not None:
            moved = float(np.linalg.norm(target.position - last))
            assert moved < 0.05
            travelled += moved
        last = np.array(target.position)
    assert travelled > 1.0


def test_nothing_touches_at_the_start_and_for_a_while() -> None:
    world = World.inspection(7)
    for _ in range(10):
        assert world.data.ncon == 0
        world.step(100)


def test_loose_cups_stay_on_the_table_until_somebody_pushes_them() -> None:
    world = World.inspection(0, loose_cups=True)
    before = {thing.name: thing.position for thing in world.things()}
    world.step(1000)
    for thing in world.things():
        if thing.name.endswith("cup"):
            np.testing.assert_allclose(thing.position, before[thing.name], atol=2e-3)


def test_the_description_holds_every_shape_and_says_what_is_fixed() -> None:
    world = World.inspection()
    bodies = {body.name: body for body in scene_description(world.model).bodies}
    assert sum(len(body.shapes) for body in bodies.values()) == world.model.ngeom
    assert {name for name in ("table", "walls", "shelf") if bodies[name].fixed} == {"table", "walls", "shelf"}
    for moving in ("base", "target", "door", "valve", "right_link7", "right_wrist_lidar"):
        assert not bodies[moving].fixed, moving
    assert bodies["door"].parent == "door_frame"
    top = bodies["table"].shapes[0]
    assert (top.kind, top.robot) == (ShapeKind.BOX, False)
    np.testing.assert_allclose(top.size, TABLE_SIZE)
    assert all(shape.robot for shape in bodies["left_link3"].shapes)
    assert [shape.texture for shape in bodies["target"].shapes if shape.texture] == ["marker"]


def test_body_poses_are_rows_in_the_descriptions_order() -> None:
    world = scripted_run(0)
    poses = body_poses(world.data)
    names = [body.name for body in scene_description(world.model).bodies]
    assert poses.shape == (len(names), 7)
    row = poses[names.index("base")]
    base = world.base_pose()
    np.testing.assert_allclose(row[:3], base.position, atol=1e-5)
    np.testing.assert_allclose(row[3:], base.quaternion, atol=1e-5)
