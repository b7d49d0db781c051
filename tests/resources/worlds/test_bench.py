"""The bench: what stands there, what the arm can do with it, and what its camera sees.

A simple Cartesian spring in `Hand` moves the arm; the control law of the harness has tests of its own.
"""

from __future__ import annotations

from importlib.resources import files

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from managers.context_tree import ContextTree
from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import axis_angle, rotation_matrix
from resources.robots.description import parse_description
from resources.simulation.rgbd_camera import RgbdCamera
from resources.types.context import KnownThing, ThingKind
from resources.worlds.bench import (
    ARM_MOUNT,
    BLOCK,
    BLOCK_SIZE_M,
    CAMERA,
    HOME_POSTURE,
    HOME_WIDTH_M,
    NAME,
    TABLE_HEIGHT_M,
    WALL,
    WALL_SIZE,
    bench_scene,
    block_pose,
)
from resources.worlds.state_vector import located_things

Array = NDArray[np.float64]


class Hand:
    """The compiled bench with its hand on a spring whose force is limited."""

    STIFFNESS, TURN_STIFFNESS, SPEED = 1500.0, 60.0, 0.2  # [N/m], [N m/rad], [m/s]
    DAMPING = np.array([130.0, 130.0, 130.0, 6.0, 6.0, 6.0])  # [N s/m], [N m s/rad]

    def __init__(self, seed: int = 0) -> None:
        self.model = bench_scene(seed).compile()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:7] = HOME_POSTURE
        self.data.qpos[7:9] = HOME_WIDTH_M / 2
        mujoco.mj_forward(self.model, self.data)
        self.dynamics = ArmDynamics()
        self.width_m = HOME_WIDTH_M
        pose = self.dynamics.forward(self.data.qpos[:7])
        self._rotation, self._target = pose[:3, :3], pose[:3, 3]

    def turn(self, yaw: float) -> None:
        """From now on hold the hand turned about the vertical."""
        self._rotation = rotation_matrix(axis_angle((0.0, 0.0, 1.0), yaw)) @ self._rotation

    def go(self, place: tuple[float, float, float], *, for_s: float, at_most_n: float = 60.0) -> None:
        """Lead the tool to a place in the world in a straight line, and stay there until the time is over."""
        goal = np.array(place) - ARM_MOUNT
        data, dynamics = self.data, self.dynamics
        for _ in range(round(for_s * 1000)):
            way = goal - self._target
            self._target = self._target + _at_most(way, self.SPEED * 1e-3)
            dynamics.update(data.qpos[:7], data.qvel[:7])
            error = self._rotation @ dynamics.base_T_tool[:3, :3].T
            turn = (error - error.T)[[2, 0, 1], [1, 2, 0]] / 2  # rotation vector, for small angles
            force = _at_most(self.STIFFNESS * (self._target - dynamics.base_T_tool[:3, 3]), at_most_n)
            wrench = np.concatenate([force, self.TURN_STIFFNESS * turn]) - self.DAMPING * dynamics.twist
            data.ctrl[:7] = dynamics.jacobian.T @ wrench + dynamics.coriolis - 1.0 * data.qvel[:7]
            push = 2000 * (self.width_m / 2 - data.qpos[7:9]) - 8 * data.qvel[7:9]
            data.ctrl[7:9] = np.clip(push, -20.0, 20.0)
            mujoco.mj_step(self.model, self.data)

    def block(self) -> Array:
        """Middle of the block in the world."""
        return np.array(self.data.body("block").xpos)

    def tool(self) -> Array:
        """The tool point in the world."""
        return np.array(self.data.site("tool").xpos)

    def touching(self, thing: str) -> tuple[float, float]:
        """Force [N] with which the arm presses on a thing, and the deepest penetration there [m]."""
        total, deepest = np.zeros(3), 0.0
        force = np.zeros(6)
        for number, contact in enumerate(self.data.contact):
            names = [self.model.body(self.model.geom_bodyid[geom]).name for geom in contact.geom]
            if thing in names and "block" not in names:
                mujoco.mj_contactForce(self.model, self.data, number, force)
                total += contact.frame.reshape(3, 3).T @ force[:3]
                deepest = max(deepest, -float(contact.dist))
        return float(np.linalg.norm(total)), deepest


def _at_most(vector: Array, length: float) -> Array:
    return vector * min(1.0, length / max(float(np.linalg.norm(vector)), 1e-9))


def test_nothing_touches_at_home_and_the_block_rests() -> None:
    hand = Hand()
    assert all(
        {hand.model.body(hand.model.geom_bodyid[geom]).name for geom in contact.geom} == {"block", "table"}
        for contact in hand.data.contact
    )
    start = hand.block()
    mujoco.mj_step(hand.model, hand.data, 1000)
    np.testing.assert_allclose(hand.block(), start, atol=1e-4)
    assert hand.block()[2] == pytest.approx(TABLE_HEIGHT_M + BLOCK_SIZE_M / 2, abs=1e-4)


def test_one_seed_gives_one_scene_and_another_another_block() -> None:
    assert bench_scene(3).document.text() == bench_scene(3).document.text()
    assert bench_scene(3).document.text() != bench_scene(4).document.text()
    for seed in range(50):
        x, y, _ = block_pose(seed).position
        assert abs(x - BLOCK[0]) <= 0.04
        assert abs(y - BLOCK[1]) <= 0.04


def test_its_things_have_the_names_people_use() -> None:
    scene = bench_scene()
    assert [thing.name for thing in scene.things] == [
        "table",
        "table top",
        "robot",
        "gripper",
        "wall",
        "block",
    ]
    model = scene.compile()
    assert all(model.body(thing.body).id > 0 for thing in scene.things)


def test_the_table_can_be_pressed_with_thirty_newtons() -> None:
    hand = Hand()
    hand.width_m = 0.0
    hand.go((0.5, 0.15, TABLE_HEIGHT_M + 0.05), for_s=3.0)
    assert hand.touching("table")[0] == 0.0
    hand.go((0.5, 0.15, TABLE_HEIGHT_M - 0.10), for_s=2.0, at_most_n=30.0)
    force_n, depth_m = hand.touching("table")
    assert force_n == pytest.approx(30.0, abs=1.0)
    assert depth_m < 1e-3


def test_the_wall_can_be_touched() -> None:
    hand = Hand()
    x, y, z = WALL
    hand.go((x, y - 0.2, z), for_s=2.5)
    assert hand.touching("wall")[0] == 0.0
    hand.go((x, y + 0.1, z), for_s=3.0, at_most_n=20.0)
    force_n, depth_m = hand.touching("wall")
    assert force_n == pytest.approx(20.0, abs=2.0)
    assert depth_m < 1e-3
    assert hand.tool()[1] < y - WALL_SIZE[1] / 2


@pytest.mark.parametrize("seed", [0, 1])
def test_the_block_can_be_grasped_lifted_held_and_put_back(seed: int) -> None:
    hand = Hand(seed)
    x, y, z = (float(value) for value in hand.block())
    w, _, _, qz = hand.data.body("block").xquat
    hand.turn(2 * float(np.arctan2(qz, w)))
    hand.width_m = 0.08
    hand.go((x, y, z + 0.12), for_s=2.5)
    hand.go((x, y, z), for_s=1.0)
    hand.width_m = 0.0
    hand.go((x, y, z), for_s=0.4)
    hand.go((x, y, z + 0.12), for_s=1.0)
    assert hand.block()[2] > z + 0.10
    in_hand = hand.block() - hand.tool()
    hand.go((x, y, z + 0.12), for_s=5.0)
    assert np.linalg.norm(hand.block() - hand.tool() - in_hand) < 5e-4  # it does not creep
    hand.go((x, y, z), for_s=1.0)
    hand.width_m = 0.08
    hand.go((x, y, z), for_s=0.5)
    hand.go((x, y, z + 0.12), for_s=1.0)
    np.testing.assert_allclose(hand.block(), (x, y, z), atol=0.01)


def test_the_block_can_be_pushed() -> None:
    hand = Hand()
    hand.width_m = 0.0
    x, y, z = (float(value) for value in hand.block())
    hand.go((x - 0.12, y, z + 0.08), for_s=2.5)
    hand.go((x - 0.12, y, z), for_s=1.0)
    np.testing.assert_allclose(hand.block(), (x, y, z), atol=1e-3)
    hand.go((x, y, z), for_s=1.5)
    moved = hand.block() - (x, y, z)
    assert moved[0] > 0.02
    assert abs(moved[2]) < 0.002


def test_the_camera_sees_block_arm_and_wall() -> None:
    hand = Hand()
    with RgbdCamera(hand.model, CAMERA) as camera:
        frame = camera.capture(hand.data)
    rgb = frame.rgb.astype(int)
    red = (rgb[..., 0] > 110) & (rgb[..., 1] < 60) & (rgb[..., 2] < 60)
    assert red.sum() > 300
    # Where it is red, there is the block: the middle of the pixels, at their depth, in the world.
    rows, columns = np.nonzero(red)
    depth = float(np.median(frame.depth[red]))
    ray = camera.intrinsics
    point = np.array(
        [(columns.mean() - ray.cx) / ray.fx * depth, (rows.mean() - ray.cy) / ray.fy * depth, depth, 1.0]
    )
    seen = (frame.world_T_camera @ point)[:3]
    np.testing.assert_allclose(seen, hand.block(), atol=BLOCK_SIZE_M)
    for body in ("hand", "link0", "link4", "wall", "block"):
        x, y, z, _ = np.linalg.inv(frame.world_T_camera) @ [*hand.data.body(body).xpos, 1.0]
        assert z > 0
        assert 0 < x / z * ray.fx + ray.cx < ray.width, body
        assert 0 < y / z * ray.fy + ray.cy < ray.height, body


def test_the_robot_file_names_the_world_and_its_camera() -> None:
    text = files("resources.robots").joinpath("bench.yaml").read_text(encoding="utf-8")
    description = parse_description(text, "bench.yaml")
    assert description.world == NAME
    assert description.robot not in [thing.name for thing in bench_scene().things]
    camera = description.device("bench_camera")
    assert camera is not None
    assert (camera.kind, camera.mount) == ("rgbd", "front")
    assert camera.parameters["camera"] == CAMERA


def test_what_people_name_is_known_and_the_block_is_on_the_table() -> None:
    text = files("resources.robots").joinpath("bench.yaml").read_text(encoding="utf-8")
    tree = ContextTree(parse_description(text, "bench.yaml"))
    scene = bench_scene()
    model = scene.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    tree.learn(
        KnownThing(thing.name, ThingKind(thing.kind.value), (*thing.position, *thing.quaternion), thing.size)
        for thing in located_things(tuple(scene.things), data)
    )
    for said in ("the block", "table", "the table top", "a wall", "gripper"):
        (known,) = tree.called(said)
        assert known.world_T_thing is not None
    assert tree.called("block")[0].part_of == "table"
    assert tree.called("gripper")[0].part_of == "panda"
