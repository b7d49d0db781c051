"""A rendered hand before the robot's depth camera: its palm pauses a motion, its finger points at a block.

All of it is real but the hand and its camera: MediaPipe finds it, in the environment of `make hands`, without
which this is skipped. With `--pictures FOLDER` the docs' screenshot is written there.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import numpy as np
import pytest
from playwright.async_api import expect

from pilothouse.experiments.gesture.drawn import POSES
from pilothouse.experiments.gesture.hands import mean_bones, points_of, thumb_along
from pilothouse.experiments.gesture.poses import CLOSED, STRAIGHT, USUAL, Fingers
from pilothouse.experiments.gesture.rendered import CAMERA, UPRIGHT, Array, Look, about, rendered
from resources.arms.pose import Pose
from resources.gestures.tracker_library import why_missing
from resources.types.gestures import GestureKind, Landmark
from resources.types.masters import HandSide
from tests.pilothouse.started import started
from tests.pilothouse.test_gestures_seen import PATIENCE_MS, STORY_S, TRIES, plan, rests_by_palm, say
from tests.resources.console.browser import WIDE, chromium, light, opened

HERE = Path(__file__).parent
PICTURES = 8
RATE_HZ = 12.0
"""As drivers/hand_camera shows them."""
MIDDLE = np.array((0.0, 0.0, 0.55))

#: Where the block lies on the bench, which way the finger points at it, and from how far [m].
BLOCK = np.array((0.551, -0.095, 0.775))
DOWN = np.array((-0.3, 0.6, -0.6))
FAR_M = 0.7

ROBOT = """
robot: panda
world: bench
devices:
  - {{name: arm, driver: simulated_arm, kind: arm, parameters: {{world: bench}}}}
  - name: mast
    driver: hand_camera
    kind: rgbd
    mount: mast
    parameters: {{file: {file}, intrinsics: {intrinsics}, pose: {pose}}}
gestures:
  cameras: [mast]
"""


def hand(
    bends: tuple[Fingers, ...], sideways: tuple[float, ...], thumb: tuple[float, ...], turn: Array
) -> Array:
    """A mean right hand's points (21, 3) before the camera [m]."""
    fingers = np.radians([(*bend, side) for bend, side in zip(bends, sideways, strict=True)])
    out, before, *ends = np.radians(thumb)
    own = points_of(
        mean_bones(HandSide.RIGHT), fingers[None], thumb_along(out, before, (ends[0], ends[1]))[None]
    )[0]
    points = own @ (turn @ UPRIGHT).T
    return np.asarray(points - points.mean(axis=0) + MIDDLE)


PALM = hand((STRAIGHT,) * 4, POSES[GestureKind.OPEN_PALM].sideways, (50, 12, 4, 2), np.eye(3))
POINT = hand(
    (STRAIGHT, (80, 100, 55), CLOSED, CLOSED),
    USUAL,
    (28, 30, 10, 10),
    about((0.0, 0.0, 1.0), np.radians(-90.0)),
)


def show(file: Path, points: Array, *, comes_and_goes: bool = False) -> None:
    """Exchange what the camera sees: this hand, which hardly moves; or none for 2 s, and then it for 6."""
    random = np.random.default_rng(1)
    look = Look(random)
    seen = [rendered(points + random.normal(0.0, 0.002, 3), look, random) for _ in range(PICTURES)]
    shown = list(range(PICTURES))
    order = shown
    if comes_and_goes:
        seen.append(rendered(np.add(points, (5.0, 0.0, 0.0)), look, random))
        order = [PICTURES] * round(2.0 * RATE_HZ) + shown * round(6.0 * RATE_HZ / PICTURES)
    new = file.with_suffix(".new")
    with new.open("wb") as written:
        rgb, depth = (np.stack([each[part] for each in seen]) for part in (0, 1))
        np.savez(written, rgb=rgb, depth=depth, order=np.array(order))
    new.replace(file)


def camera_pose() -> list[float]:
    """world_T_camera with which POINT points at the block."""
    wrist = POINT[Landmark.WRIST]
    here, there = POINT[Landmark.INDEX_TIP] - wrist, DOWN / np.linalg.norm(DOWN)
    here /= np.linalg.norm(here)
    across = np.cross(here, there)
    axis, angle = across / np.linalg.norm(across), np.arctan2(np.linalg.norm(across), here @ there)
    matrix = np.eye(4)
    matrix[:3, :3] = about((axis[0], axis[1], axis[2]), float(angle))
    matrix[:3, 3] = BLOCK - FAR_M * there - matrix[:3, :3] @ wrist
    pose = Pose.from_matrix(matrix)
    return [*map(float, (*pose.position, *pose.quaternion))]


async def story(folder: Path, pictures: Path | None) -> None:
    file, robot = folder / "hand.npz", folder / "robot.yaml"
    intrinsics = msgspec.json.encode(CAMERA).decode()
    robot.write_text(ROBOT.format(file=file, intrinsics=intrinsics, pose=camera_pose()))
    show(file, PALM, comes_and_goes=True)
    async with (
        asyncio.timeout(STORY_S),
        started(folder / "state", "bench", "--robot", str(robot), "--drivers", str(HERE / "drivers")) as url,
        chromium() as browser,
        opened(browser, url, WIDE, dark=pictures is None) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        await expect(page.locator(".line", has_text="Hands before mast are watched.")).not_to_have_count(
            0, timeout=PATIENCE_MS
        )
        arm = page.locator("[data-device=arm]")
        await expect(arm).to_have_attribute("data-state", "idle", timeout=PATIENCE_MS)
        for number in range(TRIES):
            if await rests_by_palm(page):
                break
            assert number < TRIES - 1, "the machine is too busy for any motion"
        await say(page, "stop")
        await expect(plan(page, "forward")).to_have_attribute("data-state", "cancelled", timeout=PATIENCE_MS)

        show(file, POINT)
        at_block = page.locator(".scene-overlay .cursor-label:visible", has_text="block")
        await expect(at_block).to_have_count(1, timeout=PATIENCE_MS)
        if pictures is not None:
            await light(page)
            await page.screenshot(path=pictures / "pointing-finger.png")
        # Whoever types at the page does not stand there.
        await say(page, "what is this?")
        await expect(page.locator(".line", has_text="Point, please")).not_to_have_count(0)

        show(file, PALM)
        await expect(at_block).to_have_count(0, timeout=PATIENCE_MS)


def test_a_palm_before_the_robot_pauses_it_and_a_finger_points(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if missing := why_missing():
        pytest.skip(missing)
    wanted = request.config.getoption("--pictures")
    pictures = Path(wanted) if wanted else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    asyncio.run(story(tmp_path, pictures))
