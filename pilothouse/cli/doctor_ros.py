"""`pilothouse doctor --ros`: which interpreters have rclpy, and what is in the graph that they see."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from framework.unreadable import UNREADABLE
from resources.robots.description import RosDescription
from resources.ros.environment import CHECKOUT, HOW_TO_GET_IT, RosInstallation, candidates, tried_out
from resources.ros.graph_listing import Graph
from resources.ros.network import domain_of, reach_of

DEVICES: Final = {
    "sensor_msgs/msg/Image": "ros_camera",
    "sensor_msgs/msg/CompressedImage": "ros_camera",
    "sensor_msgs/msg/LaserScan": "ros_lidar",
    "sensor_msgs/msg/PointCloud2": "ros_cloud",
    "sensor_msgs/msg/JointState": "ros_arm, ros_gripper",
    "nav_msgs/msg/Odometry": "ros_base",
}
"""Which driver makes a device of a topic of this type."""

_LOOKED_WITHIN_S: Final = 30.0


def diagnose(described: RosDescription, console: Console | None = None) -> int:
    """Print all of it; 1 if no interpreter has rclpy. Raises DescriptionError for a domain that is none."""
    console = console or Console(highlight=False)
    table = Table("", "where", Column("interpreter", overflow="fold"), "found")
    found: RosInstallation | None = None
    in_vain = ""  # what is named, and does not work: nothing else is taken then
    for candidate in candidates(described.python):
        tried = tried_out(candidate)
        works = isinstance(tried, RosInstallation)
        if isinstance(tried, RosInstallation):
            if not in_vain:
                found = found or tried
            words = f"{tried.library.distribution}: rclpy {tried.library.version}, {tried.library.middleware}"
        else:
            words = tried
            if candidate.is_named and found is None:
                in_vain = in_vain or candidate.found
        mark = Text("✓", "green") if works else Text("✗", "yellow")
        table.add_row(mark, candidate.found, candidate.python, words)
    if in_vain:
        console.print(table)
        console.print(
            f"None is taken: {in_vain} names one that does not work, and another one would be a surprise. "
            "Name one that works, or none."
        )
        return 1
    if found is None:
        if table.row_count:
            console.print(table)
        console.print(f"No interpreter here has rclpy. To get it: {HOW_TO_GET_IT}")
        return 1
    console.print(table)
    reach = "this machine only" if described.is_loopback else described.range
    console.print(f"Taken: {found.candidate.found}. Domain {domain_of(described)}, {reach}.")
    graph = _looked_around(found, described)
    if isinstance(graph, str):
        console.print(f"The graph could not be looked at: {graph}")
        return 1
    _show(graph, console)
    return 0


def _looked_around(found: RosInstallation, described: RosDescription) -> Graph | str:
    """What is there, or why nobody knows."""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(found.candidate.env) | dict(
            reach_of(described, Path(folder), found.library.distribution, found.library.middleware)
        )
        path = os.pathsep.join(filter(None, (str(CHECKOUT), env.get("PYTHONPATH", ""))))
        try:
            told = subprocess.run(
                [found.candidate.python, "-P", "-m", "resources.ros.graph_listing"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_LOOKED_WITHIN_S,
                check=False,
                env={**os.environ, **env, "PYTHONPATH": path},
            )
            if told.returncode == 0:
                return msgspec.json.decode(told.stdout.strip().splitlines()[-1], type=Graph)
        except subprocess.TimeoutExpired:
            return f"it hangs: nothing came within {_LOOKED_WITHIN_S:.0f} s"
        except (IndexError, *UNREADABLE) as error:
            return str(error)
    return (told.stderr.strip().splitlines() or [f"exit code {told.returncode}"])[-1]


def _show(graph: Graph, console: Console) -> None:
    if not graph.nodes:
        console.print("Nobody else is in this domain. Is the robot's ROS_DOMAIN_ID another one?")
        return
    console.print(f"Nodes: {', '.join(graph.nodes)}")
    table = Table("topic", "type", "from", "to", "a device by")
    for topic in graph.topics:
        drivers = ", ".join(DEVICES[each] for each in topic.types if each in DEVICES and topic.publishers)
        table.add_row(
            topic.name, ", ".join(topic.types), str(topic.publishers), str(topic.subscribers), drivers
        )
    console.print(table)
