"""Camera and detector on real pixels, and the choice of OpenGL; ray casting is the oracle for depth."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from framework.errors import DescriptionError, RenderingUnavailable
from resources.arms.pose import Pose, axis_angle, product, to_mujoco
from resources.detectors.fiducial import detect_markers
from resources.simulation.intrinsics import D435_848X480, Intrinsics
from resources.simulation.rendering import choose_gl
from resources.simulation.rgbd_camera import Frame, RgbdCamera, depth_to_millimetres
from resources.types.streams import CameraIntrinsics
from resources.web.encoding import rgbd_points
from resources.worlds.inspection import inspection_scene
from resources.worlds.marker import MARKER_ID, MARKER_M, TARGET_BODY
from resources.worlds.robot import FRONT_CAMERA, HOME_POSTURE, LEFT, RIGHT
from resources.worlds.state_vector import Mirror
from resources.worlds.target_path import FACING_ROBOT
from resources.worlds.world import World

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def mirror() -> Mirror:
    mirror = Mirror(inspection_scene(0))
    mirror.load(World.inspection(0).state())
    return mirror


@pytest.fixture(scope="module")
def camera(mirror: Mirror) -> Iterator[RgbdCamera]:
    with RgbdCamera(mirror.model, FRONT_CAMERA) as camera:
        yield camera


def place_target(mirror: Mirror, pose: Pose) -> None:
    number = int(mirror.model.body(TARGET_BODY).mocapid[0])
    mirror.data.mocap_pos[number] = pose.position
    mirror.data.mocap_quat[number] = to_mujoco(pose.quaternion)
    mujoco.mj_kinematics(mirror.model, mirror.data)


def ray_depth(mirror: Mirror, frame: Frame, column: int, row: int) -> float:
    """Depth along the optical axis by ray casting through one pixel's centre."""
    k = D435_848X480
    ray = np.array([(column - k.cx) / k.fx, (row - k.cy) / k.fy, 1.0])
    direction = frame.world_T_camera[:3, :3] @ ray
    geom = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(
        mirror.model, mirror.data, frame.world_T_camera[:3, 3], direction, None, 1, -1, geom, None
    )
    return float(distance)  # the direction has unit z in the optical frame


def test_depth_agrees_with_ray_casting(mirror: Mirror, camera: RgbdCamera) -> None:
    frame = camera.capture(mirror.data)
    assert frame.rgb.shape == (480, 848, 3)
    assert frame.depth.shape == (480, 848)
    random = np.random.default_rng(0)
    errors = []
    for column, row in zip(random.integers(5, 843, 400), random.integers(5, 475, 400), strict=True):
        expected = ray_depth(mirror, frame, int(column), int(row))
        if 0.3 < expected < 9.9:
            errors.append(abs(float(frame.depth[row, column]) - expected))
    assert len(errors) > 300
    # Beside an edge ray and pixel may fall on different surfaces; everywhere else they are one.
    assert np.quantile(errors, 0.97) < 0.002


def test_the_picture_shows_the_room_and_not_the_robot(mirror: Mirror, camera: RgbdCamera) -> None:
    frame = camera.capture(mirror.data)
    red, green, blue = (frame.rgb[..., channel].astype(int) for channel in range(3))
    assert ((red > 90) & (green < 40) & (blue < 40)).sum() > 200  # valve and cup
    assert ((blue > 90) & (red < 60)).sum() > 150
    own = [
        geom
        for geom in range(mirror.model.ngeom)
        if mirror.model.body(int(mirror.model.body_rootid[mirror.model.geom_bodyid[geom]])).name == "base"
    ]
    seen = set()
    for column in range(4, 848, 40):
        for row in range(4, 480, 40):
            k = D435_848X480
            ray = np.array([(column - k.cx) / k.fx, (row - k.cy) / k.fy, 1.0])
            geom = np.zeros(1, np.int32)
            mujoco.mj_ray(
                mirror.model, mirror.data, frame.world_T_camera[:3, 3], frame.world_T_camera[:3, :3] @ ray,
                None, 1, -1, geom, None,
            )  # fmt: skip
            seen.add(int(geom[0]))
    assert not seen & set(own)


def test_points_lie_where_rays_hit_in_the_world(mirror: Mirror, camera: RgbdCamera) -> None:
    frame = camera.capture(mirror.data)
    k = camera.intrinsics
    lens = CameraIntrinsics(k.width, k.height, k.fx, k.fy, k.cx, k.cy)
    at = Pose.from_matrix(frame.world_T_camera)
    depth_mm = np.rint(1e3 * frame.depth).astype(np.uint16)
    world = rgbd_points(frame.rgb, depth_mm, lens, (*at.position, *at.quaternion), 5000)
    assert 2000 < len(world) <= 5000
    assert world[:, 2].min() > -0.02
    assert world[:, 0].max() < 6.0
    floor = np.abs(world[:, 2]) < 0.01
    assert floor.sum() > 500


def test_depth_outside_the_cameras_range_reads_zero(mirror: Mirror) -> None:
    with RgbdCamera(mirror.model, FRONT_CAMERA, nearest_m=2.0, farthest_m=3.0) as camera:
        depth = camera.capture(mirror.data).depth
    measured = depth[depth > 0]
    assert measured.min() >= 2.0
    assert measured.max() <= 3.0
    assert (depth == 0).any()


def test_millimetres_keep_not_measured_at_zero() -> None:
    depth = np.array([[0.0, 0.2804, 9.9996, 70.0, -1.0]], np.float32)
    np.testing.assert_array_equal(depth_to_millimetres(depth), [[0, 280, 10000, 0, 0]])


def test_a_camera_that_the_world_lacks_is_refused_by_name(mirror: Mirror) -> None:
    with pytest.raises(DescriptionError, match="front_camera"):
        RgbdCamera(mirror.model, "rear_camera")
    with pytest.raises(DescriptionError, match="field of view"):
        RgbdCamera(mirror.model, FRONT_CAMERA, Intrinsics.symmetric(848, 480, 600.0))
    with pytest.raises(DescriptionError, match="buffer"):
        RgbdCamera(mirror.model, FRONT_CAMERA, Intrinsics.symmetric(8480, 4800, 4240.0))


TARGET_POSES = [
    Pose((1.12, 0.0, 1.23), FACING_ROBOT),
    Pose((1.22, 0.3, 1.3), product(axis_angle((0, 0, 1), 0.4), FACING_ROBOT)),
    Pose((0.95, -0.3, 1.1), product(axis_angle((0, 0, 1), -0.5), FACING_ROBOT)),
    Pose((1.0, 0.1, 1.35), product(axis_angle((0, 1, 0), 0.5), FACING_ROBOT)),
    Pose(
        (1.4, -0.2, 1.2),
        product(axis_angle((1, 0, 0), 0.8), product(axis_angle((0, 0, 1), 0.5), FACING_ROBOT)),
    ),
]


@pytest.mark.parametrize("pose", TARGET_POSES, ids=lambda pose: "_".join(map(str, pose.position)))
def test_the_marker_is_found_to_a_centimetre_and_a_few_degrees(
    mirror: Mirror, camera: RgbdCamera, pose: Pose
) -> None:
    place_target(mirror, pose)
    frame = camera.capture(mirror.data)
    sightings = detect_markers(frame.rgb, camera.intrinsics, MARKER_M)
    assert [sighting.marker_id for sighting in sightings] == [MARKER_ID]
    found = frame.world_T_camera @ sightings[0].camera_T_marker
    assert np.linalg.norm(found[:3, 3] - pose.position) < 0.005
    difference = found[:3, :3].T @ pose.matrix()[:3, :3]
    assert np.degrees(np.arccos(np.clip((np.trace(difference) - 1) / 2, -1, 1))) < 5.0
    assert sightings[0].reprojection_px < 0.3


@pytest.mark.parametrize(
    "pose",
    [
        Pose((1.12, 0.0, 1.23), product(axis_angle((0, 0, 1), np.pi), FACING_ROBOT)),  # turned away
        Pose((1.12, 2.0, 1.23), FACING_ROBOT),  # beside the view
        Pose((-1.0, 0.0, 1.23), FACING_ROBOT),  # behind the camera
        Pose((2.15, 0.55, 0.60), FACING_ROBOT),  # under the table
    ],
    ids=["turned away", "beside the view", "behind", "occluded"],
)
def test_a_marker_that_cannot_be_seen_is_not_found(mirror: Mirror, camera: RgbdCamera, pose: Pose) -> None:
    place_target(mirror, pose)
    assert detect_markers(camera.capture(mirror.data).rgb, camera.intrinsics, MARKER_M) == []


def test_noise_is_no_marker() -> None:
    random = np.random.default_rng(0)
    picture: NDArray[np.uint8] = random.integers(0, 255, (480, 848, 3), dtype=np.uint8)
    assert detect_markers(picture, D435_848X480, MARKER_M) == []


def test_home_postures_are_those_of_the_picture(mirror: Mirror) -> None:
    for prefix in (LEFT, RIGHT):
        for number, angle in enumerate(HOME_POSTURE, start=1):
            assert mirror.data.joint(f"{prefix}joint{number}").qpos[0] == angle


def test_an_unknown_choice_of_opengl_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    with pytest.raises(RenderingUnavailable, match="unset it"):
        choose_gl()


def test_without_any_library_the_error_names_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> ctypes.CDLL:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", absent)
    with pytest.raises(RenderingUnavailable, match="libegl1 libegl-mesa0 libosmesa6 libgl1-mesa-dri"):
        choose_gl()


RENDER_ONCE = """
import sys
from resources.simulation.rendering import choose_gl
backend = choose_gl()
assert "mujoco" not in sys.modules
from resources.simulation.rgbd_camera import RgbdCamera
from resources.worlds.inspection import inspection_scene
from resources.worlds.state_vector import Mirror
from resources.worlds.world import World
mirror = Mirror(inspection_scene(0))
mirror.load(World.inspection(0).state())
with RgbdCamera(mirror.model, "front_camera") as camera:
    frame = camera.capture(mirror.data)
print(backend.value, int(frame.rgb.mean()), round(float(frame.depth.mean()), 2))
"""


@pytest.mark.parametrize("backend", ["egl", "osmesa"])
def test_both_back_ends_draw_the_same_in_a_process_of_their_own(backend: str) -> None:
    environment = {**os.environ, "MUJOCO_GL": backend, "PYTHONPATH": str(ROOT)}
    environment.pop("PYOPENGL_PLATFORM", None)
    done = subprocess.run(
        [sys.executable, "-c", RENDER_ONCE],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    name, brightness, depth = done.stdout.split()
    assert name == backend
    assert 90 < int(brightness) < 170
    assert 2.0 < float(depth) < 3.5
    assert done.stderr == ""
