"""Plain rclpy, nothing of ours: the other side of every measurement, and what the bridge is compared with.

Run as a file by the Python that has rclpy, and imports nothing else. Sent messages begin with the time,
CLOCK_MONOTONIC [ns] in 8 bytes. What was measured is printed as one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import time
from collections.abc import Sequence
from typing import Any

import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import LivelinessPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import UInt8MultiArray
from std_srvs.srv import SetBool
from test_msgs.action import Fibonacci

TIME = struct.Struct("<q")
TOPIC = "/measured"
WITHIN_S = 30.0


def main(argv: Sequence[str] | None = None) -> None:
    """Be what is asked for, until killed or done."""
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=("send", "receive", "serve", "ask", "walk"))
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--rate-hz", type=float, default=100.0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--lease-s", type=float, default=0.0)
    choice = parser.parse_args(argv)
    rclpy.init()
    node = rclpy.create_node(f"measures_{choice.part}")
    {"send": send, "receive": receive, "serve": serve, "ask": ask, "walk": walk}[choice.part](node, choice)


def qos(choice: Any) -> QoSProfile:
    profile = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    if choice.lease_s:
        profile.liveliness = LivelinessPolicy.AUTOMATIC
        profile.liveliness_lease_duration = rclpy.duration.Duration(seconds=choice.lease_s)
    return profile


def send(node: Any, choice: Any) -> None:
    """Messages at a steady pace, for good."""
    publisher = node.create_publisher(UInt8MultiArray, TOPIC, qos(choice))
    rest = bytes(choice.size - TIME.size)
    message = UInt8MultiArray()
    due_s = time.monotonic()
    while rclpy.ok():
        message.data = TIME.pack(time.monotonic_ns()) + rest
        publisher.publish(message)
        due_s += 1.0 / choice.rate_hz
        time.sleep(max(0.0, due_s - time.monotonic()))


def receive(node: Any, choice: Any) -> None:
    """So many of them: how long each took [ns]."""
    took: list[int] = []

    def came(message: Any) -> None:
        took.append(time.monotonic_ns() - TIME.unpack(bytes(message.data[: TIME.size]))[0])

    node.create_subscription(UInt8MultiArray, TOPIC, came, qos(choice))
    turn_until(node, lambda: len(took) >= choice.count)
    print(json.dumps(took), flush=True)


def serve(node: Any, choice: Any) -> None:
    """A service that answers at once, and an action that is there at once."""
    group = ReentrantCallbackGroup()

    def switch(request: Any, response: Any) -> Any:
        response.success = request.data
        return response

    def count(goal: Any) -> Any:
        goal.succeed()
        return Fibonacci.Result(sequence=[0, 1])

    node.create_service(SetBool, "/switch", switch, callback_group=group)
    ActionServer(node, Fibonacci, "/count", count, callback_group=group)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    executor.spin()


def ask(node: Any, choice: Any) -> None:
    """The service, so often, one after the other [ns]."""
    client = node.create_client(SetBool, "/switch")
    if not client.wait_for_service(WITHIN_S):
        sys.exit("nobody offers /switch")
    took = []
    for _ in range(choice.count):
        began = time.monotonic_ns()
        future = client.call_async(SetBool.Request(data=True))
        rclpy.spin_until_future_complete(node, future, timeout_sec=WITHIN_S)
        took.append(time.monotonic_ns() - began)
    print(json.dumps(took), flush=True)


def walk(node: Any, choice: Any) -> None:
    """The action, from the goal to its result [ns]."""
    client = ActionClient(node, Fibonacci, "/count")
    if not client.wait_for_server(WITHIN_S):
        sys.exit("nobody offers /count")
    took = []
    for _ in range(choice.count):
        began = time.monotonic_ns()
        sent = client.send_goal_async(Fibonacci.Goal(order=1))
        rclpy.spin_until_future_complete(node, sent, timeout_sec=WITHIN_S)
        done = sent.result().get_result_async()
        rclpy.spin_until_future_complete(node, done, timeout_sec=WITHIN_S)
        took.append(time.monotonic_ns() - began)
    print(json.dumps(took), flush=True)


def turn_until(node: Any, is_done: Any) -> None:
    """Spin until it is so, or for too long."""
    until_s = time.monotonic() + WITHIN_S
    while not is_done() and time.monotonic() < until_s:
        rclpy.spin_once(node, timeout_sec=0.1)


if __name__ == "__main__":
    main()
