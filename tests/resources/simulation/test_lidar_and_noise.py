"""Lidars, sweeps and the depth noise model: everything that needs no OpenGL."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.errors import DescriptionError
from resources.arms.pose import inverse
from resources.simulation.depth_noise import StereoNoise, stereo_noise
from resources.simulation.intrinsics import D435_848X480
from resources.simulation.lidar import LMS511, UTM30LX, Lidar2D, Scan
from resources.simulation.point_cloud import transformed
from resources.simulation.sweep import SweepCloud, stitch
from resources.types.motion import Sweep
from resources.worlds.inspection import inspection_scene
from resources.worlds.robot import BASE_LIDAR, BASE_LIDAR_POSITION, WRIST_LIDAR
from resources.worlds.room import BACK_M, FRONT_M, HALF_WIDTH_M
from resources.worlds.state_vector import Mirror
from resources.worlds.world import World
from tests.resources.worlds.commanding import ARM, Commanding


@pytest.fixture
def mirror() -> Mirror:
    mirror = Mirror(inspection_scene(0))
    mirror.load(World.inspection(0).state())
    return mirror


def test_the_base_lidar_measures_the_walls(mirror: Mirror) -> None:
    scan = Lidar2D(mirror.model, BASE_LIDAR, LMS511).scan(mirror.data)
    assert scan.ranges.shape == (761,)
    assert scan.ranges.dtype == np.float32
    points = transformed(scan.points(), scan.world_T_lidar)
    np.testing.assert_allclose(points[:, 2], BASE_LIDAR_POSITION[2], atol=1e-6)
    to_the_right = scan.ranges[round((math.radians(-90) - scan.angle_min) / scan.angle_increment)]
    assert to_the_right == pytest.approx(HALF_WIDTH_M, abs=1e-3)
    on_front_wall = np.abs(points[:, 0] - FRONT_M) < 0.01
    assert on_front_wall.sum() > 50
    table_legs = (np.abs(points[:, 0] - 2.15) < 0.4) & (np.abs(points[:, 1] - 0.55) < 0.75)
    assert 4 < table_legs.sum() < 60


def test_beams_on_the_robot_itself_are_removed_and_its_shadow_stays_dark(mirror: Mirror) -> None:
    lidar = Lidar2D(mirror.model, WRIST_LIDAR, UTM30LX)
    scan = lidar.scan(mirror.data)
    assert 0 < np.isinf(scan.ranges).sum() < 800  # left arm and mast stand in the way, and nothing else
    points = transformed(scan.points(), scan.world_T_lidar)
    robot = (np.abs(points[:, 0]) < 0.5) & (np.abs(points[:, 1]) < 0.34)
    assert not robot.any()


def test_noise_is_seeded_and_of_the_size_the_model_says(mirror: Mirror) -> None:
    lidar = Lidar2D(mirror.model, BASE_LIDAR, LMS511)
    clean = lidar.scan(mirror.data).ranges
    noisy = lidar.scan(mirror.data, np.random.default_rng(1)).ranges
    again = lidar.scan(mirror.data, np.random.default_rng(1)).ranges
    np.testing.assert_array_equal(noisy, again)
    seen = np.isfinite(clean)
    assert np.std(noisy[seen] - clean[seen]) == pytest.approx(LMS511.noise_m, rel=0.15)


def test_a_lidar_needs_a_body_of_the_world(mirror: Mirror) -> None:
    with pytest.raises(DescriptionError, match="roof_lidar"):
        Lidar2D(mirror.model, "roof_lidar", LMS511)


def test_a_swept_wrist_scans_the_whole_room_into_one_cloud() -> None:
    world = World.inspection(0)
    mirror = Mirror(inspection_scene(0))
    lidar = Lidar2D(mirror.model, WRIST_LIDAR, UTM30LX)
    sweep = SweepCloud(scans=80)
    scans: list[Scan] = []
    commanding = Commanding(world)
    commanding.hand(ARM, "right_").wish(Sweep(-math.pi / 4, 3 * math.pi / 4, 1.2))
    for _ in range(160):
        commanding.run(0.04)
        mirror.load(world.state())
        scans.append(lidar.scan(mirror.data))
        sweep.add(scans[-1])
    assert len(sweep) == 80
    base_T_world = inverse(world.base_pose().matrix())
    cloud = sweep.cloud(base_T_world)
    np.testing.assert_allclose(cloud, stitch(scans[-80:], base_T_world), atol=1e-4)
    assert len(cloud) > 20_000
    for axis, place, least in (
        (0, FRONT_M, 2000),
        (0, BACK_M, 300),
        (1, HALF_WIDTH_M, 2000),
        (1, -HALF_WIDTH_M, 2000),
    ):
        assert (np.abs(cloud[:, axis] - place) < 0.03).sum() > least
    assert (np.abs(cloud[:, 2]) < 0.02).sum() > 5000
    on_table = (np.abs(cloud[:, 2] - 0.75) < 0.02) & (np.abs(cloud[:, 0] - 2.15) < 0.4) & (cloud[:, 1] > -0.1)
    assert on_table.sum() > 100


def test_a_sweep_is_placed_right_while_the_base_moves(mirror: Mirror) -> None:
    ranges = np.array([2.0, np.inf], np.float32)
    here, there = np.eye(4), np.eye(4)
    there[:3, 3] = (1.0, 0.0, 0.0)
    scans = [Scan(ranges, 0.0, 0.1, 30.0, pose) for pose in (here, there)]
    np.testing.assert_allclose(stitch(scans, inverse(there)), [[1.0, 0, 0], [2.0, 0, 0]])
    assert stitch([], np.eye(4)).shape == (0, 3)
    with pytest.raises(ValueError, match="at least one"):
        SweepCloud(0)


def test_depth_noise_has_steps_holes_and_grows_with_distance() -> None:
    random = np.random.default_rng(0)
    spread = []
    for distance in (1.0, 3.0):
        depth = np.full((480, 848), distance, np.float32)
        noisy = stereo_noise(depth, D435_848X480, random)
        assert noisy.dtype == np.float32
        assert (noisy == 0).mean() == pytest.approx(0.02, abs=0.01)
        disparity = D435_848X480.fx * StereoNoise().baseline_m / noisy[noisy > 0] * 32
        np.testing.assert_allclose(disparity, np.rint(disparity), atol=1e-2)
        spread.append(float(np.std(noisy[noisy > 0])))
    assert spread[1] / spread[0] == pytest.approx(9.0, rel=0.15)
    # σ_z = z² σ_d / (f b), with the steps' own error added.
    sigma_px = math.hypot(0.08, 1 / 32 / math.sqrt(12))
    assert spread[0] == pytest.approx(sigma_px / (D435_848X480.fx * 0.05), rel=0.1)


def test_depth_noise_is_seeded_leaves_gaps_alone_and_hides_edges() -> None:
    depth = np.full((120, 160), 2.0, np.float32)
    depth[:, 80:] = 1.0
    depth[:20] = 0.0
    first = stereo_noise(depth, D435_848X480, np.random.default_rng(3))
    np.testing.assert_array_equal(first, stereo_noise(depth, D435_848X480, np.random.default_rng(3)))
    assert not first[:20].any()
    assert not first[20:, 79].any()  # the far side of the edge, which one imager does not see
    assert (first[30:, 90:] > 0).mean() > 0.9
