"""The drivers of sensors over ROS 2: what a robot description may say, and what their processes are told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from framework.errors import PilothouseError, ResourceUnavailable
from framework.plugins.driver import Driver, driver_spec
from framework.registrar import ResourceRegistrar
from pilothouse.robots import driver_catalogue
from resources.drivers.ros.arguments import RosCameraArguments, RosCloudArguments
from resources.drivers.ros.camera_driver import RosCamera, RosColourCamera
from resources.drivers.ros.cloud_driver import RosCloud
from resources.robots.description import read_description
from resources.robots.worlds import ROBOTS
from resources.types.processes import Process
from resources.types.ros import RosDomain, RosDomainHandle
from tests.resources.drivers.test_drivers import CAMERA, CLOUD, Diary, using

DOMAIN = RosDomainHandle("/opt/python", "a test", "kilted", 7, (("ROS_DOMAIN_ID", "7"),))
COLOUR, DEPTH = "/front/image_raw", "/front/depth"


class RosDiary(Diary):
    """Provides the graph, too."""

    def install(self, registrar: ResourceRegistrar, driver: Driver, name: str) -> None:
        registrar.provides(RosDomain)(self._provider(lambda request: DOMAIN))
        super().install(registrar, driver, name)


def test_a_camera_joins_the_graph_as_a_process_under_the_python_that_has_rclpy() -> None:
    diary = RosDiary(msgspec.json.encode(CAMERA))
    camera = driver_spec(RosCamera).make({"topic": COLOUR, "depth": DEPTH, "rate_hz": 30})
    using(camera, diary, "eye", lambda feed: None)
    assert [type(request) for request in diary.asked] == [RosDomain, Process]
    spec = diary.asked[1].spec
    assert (spec.argv[0], spec.restart, spec.stale_after_s) == ("/opt/python", None, 1.0)
    assert ("ROS_DOMAIN_ID", "7") in spec.env
    told: RosCameraArguments = diary.arguments(RosCameraArguments)
    assert (told.topic, told.depth, told.kind, told.device) == (COLOUR, DEPTH, "rgbd", "eye")


def test_a_slow_cloud_may_be_older() -> None:
    diary = RosDiary(msgspec.json.encode(CLOUD))
    using(driver_spec(RosCloud).make({"topic": "/points", "rate_hz": 1}), diary, "mast", lambda feed: None)
    assert diary.asked[1].spec.stale_after_s == 5.0
    assert diary.arguments(RosCloudArguments).most_points == 60_000


@pytest.mark.parametrize(
    ("driver", "parameters", "words"),
    [
        (RosCamera, {"topic": COLOUR}, "a ros_camera has a topic of depth"),
        (RosColourCamera, {"topic": COLOUR, "depth": DEPTH}, "a ros_colour_camera has no depth"),
    ],
)
def test_depth_is_what_tells_both_cameras_apart(
    driver: type[Driver], parameters: dict[str, Any], words: str
) -> None:
    diary = RosDiary(msgspec.json.encode(CAMERA))
    with pytest.raises(ResourceUnavailable, match=words):
        using(driver_spec(driver).make(parameters), diary, "eye", lambda feed: None)
    assert not diary.asked


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "topic"),
        ({"topic": COLOUR, "rate_hz": 0}, "rate_hz"),
        ({"topic": COLOUR, "robot_T_frame": [0, 0, 1, 0, 0, 0, 0]}, "a unit quaternion"),
        ({"topic": COLOUR, "robot_T_frame": [0, 0, 1]}, "robot_T_frame"),
        ({"topic": COLOUR, "qos": {"reliability": "perhaps"}}, "qos"),
    ],
)
def test_parameters_that_will_not_do_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(PilothouseError, match=words):
        driver_spec(RosColourCamera).make(wrong)


def test_the_example_is_read_and_its_drivers_take_its_parameters() -> None:
    robot = read_description(ROBOTS / "ros" / "inspection.yaml")
    catalogue = driver_catalogue()
    for device in robot.devices:
        made = catalogue[device.driver].make(device.parameters)
        assert made.kind == device.kind
