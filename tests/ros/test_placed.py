"""Sensors over ROS 2 are placed by tf and by odometry, and never somewhere else."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from framework.status import Severity
from framework.transport.ring import Sample
from resources.drivers.ros.arguments import RosCloudArguments, RosLidarArguments
from resources.types.samples import Cloud, Scan, decode
from resources.types.sensors import CloudFeed, ScanFeed
from resources.types.streams import Pose7, StreamFormat
from tests.resources.children.harness import Watcher
from tests.ros.harness import RosHarness, ros_harness


async def cloud(ros: RosHarness, **changes: Any) -> CloudFeed:
    told: dict[str, Any] = {"run_directory": ros.directory, "device": "mast_cloud", "rate_hz": 5.0, **changes}
    arguments = RosCloudArguments("/mast/points", **told)
    return await ros.start(
        "mast_cloud", "resources.drivers.ros.cloud_child:main", arguments, CloudFeed, rate_hz=5.0
    )


async def lidar(ros: RosHarness, **changes: Any) -> ScanFeed:
    told: dict[str, Any] = {"run_directory": ros.directory, "device": "front_lidar", **changes}
    return await ros.start(
        "front_lidar",
        "resources.drivers.ros.lidar_child:main",
        RosLidarArguments("/front/scan", **told),
        ScanFeed,
        rate_hz=10.0,
    )


async def placed(watcher: Watcher) -> tuple[Sample, Pose7]:
    """The next sample whose place is known: a machine that is busy may say late where the robot is."""
    while True:
        sample, meta = await watcher.next()
        if meta.world_T_frame is not None:
            return sample, meta.world_T_frame


def test_by_tf_a_cloud_and_a_scan_are_where_their_sensors_sit() -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("mounts", "--moves-hz", "30")
            ros.run("spinner")
            ros.run("scanner")
            clouds = await cloud(ros)
            sample, place = await placed(Watcher(clouds.stream))
            points = decode(sample, clouds.stream.format)
            assert isinstance(points, Cloud)
            assert place == pytest.approx((0.0, 0.0, 1.3, 0.0, 0.0, 0.0, 1.0))
            heights = points.points_m[:, 2] + 1.3
            assert len(points.points_m) > 3000
            assert -0.01 < heights.min() < 0.01
            assert np.isfinite(points.points_m).all()

            scans = await lidar(ros)
            sample, place = await placed(Watcher(scans.stream))
            scan = decode(sample, scans.stream.format)
            assert isinstance(scan, Scan)
            assert place == pytest.approx((0.25, 0.0, 0.35, 0.0, 0.0, 0.0, 1.0))
            assert scan.ranges_m[90] == pytest.approx(4.2 - 0.25, abs=0.01)  # the purple box, ahead

            ros.kill("mounts")
            told = await ros.said("front_lidar", Severity.WARNING, "where it is, is not known")
            assert "where base_link is in odom was said last" in told.message
            watcher = Watcher(scans.stream)
            while (await watcher.next())[1].world_T_frame is not None:
                pass

    asyncio.run(main())


def test_a_scanner_that_tf_does_not_know_is_passed_on_without_a_place() -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("mounts", "--moves-hz", "30", "--without", "front_scanner")
            ros.run("scanner")
            feed = await lidar(ros)
            told = await ros.said("front_lidar", Severity.WARNING, "where it is, is not known")
            assert (
                "nobody says where front_scanner is; frames: base_link, front_camera_optical" in told.message
            )
            assert (await Watcher(feed.stream).next())[1].world_T_frame is None

    asyncio.run(main())


def test_by_odometry_a_scanner_moves_with_its_robot() -> None:
    sits: Pose7 = (0.25, 0.0, 0.35, 0.0, 0.0, 0.0, 1.0)

    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("scanner")
            ros.run("wanderer")
            watcher = Watcher((await lidar(ros, robot_T_frame=sits, odometry="/odom")).stream)
            seen = [await placed(watcher) for _ in range(6)]
            for sample, place in seen:
                scan = decode(sample, StreamFormat.SCAN)
                assert isinstance(scan, Scan)
                # Wherever it is, the purple box begins at 4.2 m.
                assert place[0] + scan.ranges_m[90] == pytest.approx(4.2, abs=0.03)
            (first, was), (last, now) = seen[0], seen[-1]
            assert now[0] - was[0] == pytest.approx(0.2 * (last.stamp_s - first.stamp_s), abs=0.02)

    asyncio.run(main())
