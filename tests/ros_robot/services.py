"""A service, an action and topics of plain rclpy: /add (test_msgs), /count (Fibonacci), /echo → /echoed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from std_msgs.msg import String
from std_srvs.srv import SetBool
from test_msgs.action import Fibonacci


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--never-ends", action="store_true", help="a goal is taken, and goes on for good")
    parser.add_argument("--never-answers", action="store_true")
    parser.add_argument("--refuses", action="store_true")
    parser.add_argument("--count-hz", type=float, default=0.0, help="/counted: 0, 1, 2 …, so many a second")
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node("services")
    group = ReentrantCallbackGroup()
    echoed = node.create_publisher(String, "/echoed", 10)
    node.create_subscription(String, "/echo", lambda message: echoed.publish(message), 10)

    def switch(request: Any, response: Any) -> Any:
        if choice.never_answers:
            time.sleep(3600)
        response.success, response.message = request.data, "on" if request.data else "off"
        return response

    node.create_service(SetBool, "/switch", switch, callback_group=group)

    def count(goal: Any) -> Any:
        sequence = [0, 1]
        while choice.never_ends or len(sequence) <= goal.request.order:
            if goal.is_cancel_requested and not choice.never_ends:
                goal.canceled()
                echoed.publish(String(data="canceled"))
                return Fibonacci.Result(sequence=sequence)
            if len(sequence) < 40:
                sequence.append(sequence[-1] + sequence[-2])
            goal.publish_feedback(Fibonacci.Feedback(sequence=sequence))
            time.sleep(0.02)
        goal.succeed()
        return Fibonacci.Result(sequence=sequence)

    ActionServer(
        node,
        Fibonacci,
        "/count",
        count,
        callback_group=group,
        goal_callback=lambda _: rclpy.action.GoalResponse(1 if choice.refuses else 2),
        cancel_callback=lambda _: CancelResponse.ACCEPT,
    )
    if choice.count_hz:
        counted = node.create_publisher(String, "/counted", 10)
        numbers = iter(range(1 << 60))
        node.create_timer(1 / choice.count_hz, lambda: counted.publish(String(data=str(next(numbers)))))
    executor = MultiThreadedExecutor(8)
    executor.add_node(node)
    executor.spin()


if __name__ == "__main__":
    main()
