"""Speaks with Pilothouse as any node can: `python -m tests.ros_robot.asks --say "show the environment"`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.qos import QoSProfile
from std_msgs.msg import String
from std_srvs.srv import Trigger

WITHIN_S = 20.0


def main(argv: Sequence[str] | None = None) -> int:
    """Do what is asked for, in order; 0 if all of it succeeded."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--say", action="append", default=[], metavar="TEXT", help="on the topic")
    parser.add_argument(
        "--instruct", action="append", default=[], metavar="TEXT", help="by the action, followed"
    )
    parser.add_argument("--cancel-after-s", type=float, help="give the last --instruct up after so long")
    parser.add_argument(
        "--call", action="append", default=[], metavar="SERVICE", help="stop, reset or status"
    )
    parser.add_argument("--diagnostics", action="store_true", help="print one message")
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node("asks")
    good = True
    if choice.say:
        say(node, choice.say)
    for text in choice.instruct:
        good &= instruct(node, text, choice.cancel_after_s)
    for service in choice.call:
        good &= call(node, service)
    if choice.diagnostics:
        good &= diagnose(node)
    return 0 if good else 1


def say(node: Any, texts: Sequence[str]) -> None:
    """Publish them, once somebody listens."""
    publisher = node.create_publisher(String, "/pilothouse/say", QoSProfile(depth=10))
    until_s = time.monotonic() + WITHIN_S
    while not publisher.get_subscription_count() and time.monotonic() < until_s:
        time.sleep(0.02)
    for text in texts:
        publisher.publish(String(data=text))
    time.sleep(0.5)


def instruct(node: Any, text: str, cancel_after_s: float | None) -> bool:
    """Follow one to its end, printing what is said meanwhile."""
    from pilothouse_msgs.action import Instruct

    client = ActionClient(node, Instruct, "/pilothouse/instruct")
    if not client.wait_for_server(WITHIN_S):
        print("nobody offers /pilothouse/instruct", file=sys.stderr)
        return False
    goal = Instruct.Goal(text=text, who="asks")
    sent = client.send_goal_async(
        goal, feedback_callback=lambda told: print(f"{told.feedback.kind}: {told.feedback.words}", flush=True)
    )
    rclpy.spin_until_future_complete(node, sent, timeout_sec=WITHIN_S)
    done = sent.result().get_result_async()
    if cancel_after_s is not None:
        rclpy.spin_until_future_complete(node, done, timeout_sec=cancel_after_s)
        sent.result().cancel_goal_async()
    rclpy.spin_until_future_complete(node, done, timeout_sec=WITHIN_S)
    outcome = {4: "succeeded", 5: "canceled", 6: "aborted"}.get(done.result().status, "?")
    print(f"{outcome}: {done.result().result.words}", flush=True)
    return bool(done.result().result.succeeded)


def call(node: Any, name: str) -> bool:
    """Ask one of the services."""
    client = node.create_client(Trigger, f"/pilothouse/{name}")
    if not client.wait_for_service(WITHIN_S):
        print(f"nobody offers /pilothouse/{name}", file=sys.stderr)
        return False
    asked = client.call_async(Trigger.Request())
    rclpy.spin_until_future_complete(node, asked, timeout_sec=WITHIN_S)
    print(f"{name}: {asked.result().success}: {asked.result().message}", flush=True)
    return bool(asked.result().success)


def diagnose(node: Any) -> bool:
    """Print the next diagnostics."""
    from diagnostic_msgs.msg import DiagnosticArray

    come: list[Any] = []
    node.create_subscription(DiagnosticArray, "/diagnostics", come.append, 10)
    until_s = time.monotonic() + WITHIN_S
    while not come and time.monotonic() < until_s:
        rclpy.spin_once(node, timeout_sec=0.1)
    for status in come[0].status if come else ():
        print(f"{ord(status.level)} {status.name}: {status.message}", flush=True)
    return bool(come)


if __name__ == "__main__":
    sys.exit(main())
