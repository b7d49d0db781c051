"""Sets up `.venv-ros`: rclpy and its messages from wheels, for robots that speak ROS 2, and their tests.

An installed ROS is as good (docs/ros2.md). The wheels are for x86-64 and Python 3.10 to 3.13, take 300 MB,
and set up the environment of every Python that starts, so they have one of their own. Run by the system's
Python (`python3 -m scripts.ros`); `--pin` writes its versions down.
"""

from __future__ import annotations

import sys

from scripts.separate_environment import SeparateEnvironment, main, see_checkout

ROS = SeparateEnvironment(
    name="ros",
    title="ROS 2 (rclpy)",
    installing="installing (300 MB, a quarter of a minute the first time)",
    packages=(
        "ros-rclpy[fastrtps]==9.1.2",
        "ros-diagnostic-msgs",
        "ros-geometry-msgs",
        "ros-nav-msgs",
        "ros-rosgraph-msgs",
        "ros-sensor-msgs",
        "ros-std-msgs",
        "ros-std-srvs",
        "ros-test-msgs",
        "ros-trajectory-msgs",
        "msgspec",
        "pillow",
        "pytest",
    ),
    shares_pins=False,
    finish=see_checkout,
)

if __name__ == "__main__":
    sys.exit(main(ROS, __doc__))
