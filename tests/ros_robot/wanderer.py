"""A base that nobody drives: it goes ahead at .2 m/s from the origin, and says so on /odom."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import rclpy
from nav_msgs.msg import Odometry

SPEED_MPS = 0.2


def main(argv: Sequence[str] | None = None) -> None:
    """Go on until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate-hz", type=float, default=50.0)
    parser.add_argument("--speed", type=float, default=SPEED_MPS, help="in m/s")
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node("wanderer")
    publisher = node.create_publisher(Odometry, "/odom", 10)
    began = node.get_clock().now()

    def say() -> None:
        now = node.get_clock().now()
        message = Odometry()
        message.header.stamp = now.to_msg()
        message.header.frame_id, message.child_frame_id = "odom", "base_link"
        message.pose.pose.position.x = choice.speed * (now - began).nanoseconds / 1e9
        message.twist.twist.linear.x = choice.speed
        publisher.publish(message)

    node.create_timer(1.0 / choice.rate_hz, say)
    rclpy.spin(node)


if __name__ == "__main__":
    main()
