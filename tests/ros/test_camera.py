"""A camera over ROS 2: its pictures, its silence and death, and what is no camera."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import numpy as np
import pytest

from framework.errors import ProcessStartFailed
from framework.processes.child_events import LossReason, Lost
from framework.status import Severity
from resources.drivers.ros.arguments import RosCameraArguments
from resources.types.samples import Frame, decode
from resources.types.sensors import CameraFeed
from resources.types.streams import Pose7, StreamFormat
from tests.resources.children.harness import Watcher
from tests.ros.harness import RosHarness, ros_harness

PROGRAM = "resources.drivers.ros.camera_child:main"
COLOUR = "/front/color/image_raw"
DEPTH = "/front/aligned_depth_to_color/image_raw"
AHEAD: Pose7 = (0.3, 0.0, 1.0, -0.5, 0.5, -0.5, 0.5)
"""Looks along the robot's x."""


async def camera(ros: RosHarness, kind: str = "rgbd", **changes: Any) -> CameraFeed:
    arguments: dict[str, Any] = {
        "topic": COLOUR,
        "depth": DEPTH if kind == "rgbd" else "",
        "kind": kind,
        "run_directory": ros.directory,
        "device": "front_camera",
        **changes,
    }
    return await ros.start("front_camera", PROGRAM, RosCameraArguments(**arguments), CameraFeed, rate_hz=10.0)


async def picture(feed: CameraFeed, watcher: Watcher) -> Frame:
    sample, _ = await watcher.next()
    frame = decode(sample, feed.stream.format)
    assert isinstance(frame, Frame)
    return frame


def test_colour_and_depth_of_one_moment_come_with_the_lens_and_its_end_is_told() -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("camera")
            feed = await camera(ros, robot_T_frame=AHEAD, fixed_frame="base_link")
            assert feed.is_placed
            assert feed.stream.format is StreamFormat.RGBD
            assert feed.stream.frame == "front_camera_optical_frame"
            assert (feed.intrinsics.width, feed.intrinsics.height) == (320, 240)
            assert feed.intrinsics.fx == pytest.approx(160 / np.tan(np.radians(35.0)))
            watcher = Watcher(feed.stream)
            frame = await picture(feed, watcher)
            assert frame.depth_mm is not None
            assert frame.meta.world_T_frame == pytest.approx(AHEAD)
            # The purple box stands in the middle, 4.2 m before the origin; the camera looks down by .2 rad.
            assert frame.rgb[80, 160].tolist() == pytest.approx([140, 86, 160], abs=30)
            assert frame.depth_mm[80, 160] == pytest.approx(3900, abs=150)

            ros.kill("camera", signal.SIGSTOP)
            await ros.said("front_camera", Severity.ERROR, "no message for 0.3")
            ros.kill("camera", signal.SIGCONT)
            await ros.said("front_camera", Severity.OK, "goes on")
            ros.kill("camera")
            assert await ros.home.lost("front_camera") is LossReason.STALE

    asyncio.run(main())


def test_compressed_pictures_of_a_colour_camera_are_unpacked_and_without_tf_not_placed() -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run(
                "camera", "--compressed", "jpeg", "--depth", "none", "--colour-topic", f"{COLOUR}/compressed"
            )
            feed = await camera(ros, "rgb", topic=f"{COLOUR}/compressed")
            assert not feed.is_placed
            assert feed.stream.format is StreamFormat.IMAGE
            frame = await picture(feed, Watcher(feed.stream))
            assert frame.rgb[80, 160].tolist() == pytest.approx([140, 86, 160], abs=40)
            assert frame.meta.world_T_frame is None
            await ros.said("front_camera", Severity.WARNING, "where it is, is not known")

    asyncio.run(main())


@pytest.mark.parametrize(
    ("options", "changes", "words"),
    [
        (("--no-info",), {}, "nobody publishes /front/color/camera_info. Without its CameraInfo no pixel"),
        ((), {"topic": "/back/image_raw"}, "nobody publishes /back/image_raw; there is /front/"),
        (("--not-calibrated",), {}, "K is all zeros: the camera is not calibrated"),
        (("--depth-shrinks", "2"), {}, f"the depth of {DEPTH} is 160×120, colour is 320×240"),
        ((), {"topic": DEPTH, "info": "/front/color/camera_info"}, "picture of encoding '16UC1' came"),
    ],
)
def test_what_is_no_camera_is_refused_in_words(
    options: tuple[str, ...], changes: dict[str, Any], words: str
) -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("camera", *options)
            with pytest.raises(ProcessStartFailed, match=words):
                await camera(ros, **changes)

    asyncio.run(main())


def test_a_camera_whose_lens_becomes_another_one_is_to_be_started_anew() -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("camera")
            await camera(ros)
            ros.run("camera", "--name", "other_camera", "--width", "160", "--height", "120", name="other")
            assert await ros.home.lost("front_camera") is LossReason.GAVE_UP
            lost = await ros.home.diaries["front_camera"].first(Lost)
            assert "its CameraInfo has changed: another lens, or size" in lost.message

    asyncio.run(main())
