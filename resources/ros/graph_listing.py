"""A program that looks around in the ROS 2 graph and prints what is there (`Graph` as JSON), under rclpy.

Nothing is published. What it takes for `pilothouse doctor --ros`, before any robot description is written.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Final

import msgspec

from framework.errors import PluginUnavailable
from resources.ros.library import library

LOOKS_S: Final = 2.0
"""On one machine everybody is found within half of that."""


class GraphTopic(msgspec.Struct, frozen=True):
    """One topic, and how many are at its ends."""

    name: str
    types: tuple[str, ...]
    publishers: int
    subscribers: int


class Graph(msgspec.Struct, frozen=True):
    """What is there; nodes by their full names."""

    nodes: tuple[str, ...]
    topics: tuple[GraphTopic, ...]
    services: tuple[tuple[str, tuple[str, ...]], ...]


def main() -> int:
    """Look for a while, and print."""
    try:
        rclpy = library()
    except PluginUnavailable as error:
        print(error.reason, file=sys.stderr)
        return 1
    context = rclpy.Context()
    rclpy.init(args=[], context=context, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    node = rclpy.create_node(
        "looks_around", context=context, enable_rosout=False, start_parameter_services=False
    )
    time.sleep(LOOKS_S)
    print(msgspec.json.encode(seen_by(node)).decode())
    node.destroy_node()
    context.try_shutdown()
    return 0


def seen_by(node: Any) -> Graph:
    """What a node knows of the others."""
    own = node.get_name()
    nodes = sorted(
        f"{namespace.rstrip('/')}/{name}"
        for name, namespace in node.get_node_names_and_namespaces()
        if name != own
    )
    topics = [
        GraphTopic(name, tuple(types), node.count_publishers(name), node.count_subscribers(name))
        for name, types in sorted(node.get_topic_names_and_types())
    ]
    services = [
        (name, tuple(types))
        for name, types in sorted(node.get_service_names_and_types())
        if f"/{own}/" not in name
    ]
    return Graph(tuple(nodes), tuple(topics), tuple(services))


if __name__ == "__main__":
    sys.exit(main())
