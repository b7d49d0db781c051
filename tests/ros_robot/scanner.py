"""A planar laser scanner: 181 beams over half a circle, ten times a second, on /front/scan."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import numpy as np
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import LaserScan

from tests.ros_robot.scene import BASE_T_SCANNER, seen
from tests.ros_robot.standing import Standing

BEAMS = 181
FRAME = "front_scanner"


def main(argv: Sequence[str] | None = None) -> None:
    """Scan until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--topic", default="/front/scan")
    parser.add_argument("--rate-hz", type=float, default=10.0)
    parser.add_argument("--reliable", action="store_true")
    parser.add_argument("--late-s", type=float, default=0.0, help="stamps are so old")
    parser.add_argument("--metres", type=float, help="how far away all is, instead; nan, inf are allowed")
    parser.add_argument("--beams", type=int, default=BEAMS)
    choice, others = parser.parse_known_args(argv)

    rclpy.init(args=others)
    node = rclpy.create_node("scanner")
    reliability = ReliabilityPolicy.RELIABLE if choice.reliable else ReliabilityPolicy.BEST_EFFORT
    publisher = node.create_publisher(LaserScan, choice.topic, QoSProfile(depth=5, reliability=reliability))
    standing = Standing(node)
    angles = np.linspace(-math.pi / 2, math.pi / 2, choice.beams, dtype=np.float32)
    rays = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1)

    def scan() -> None:
        message = LaserScan()
        made = node.get_clock().now() - rclpy.duration.Duration(seconds=choice.late_s)
        message.header.stamp = made.to_msg()
        message.header.frame_id = FRAME
        message.angle_min, message.angle_max = -math.pi / 2, math.pi / 2
        message.angle_increment = math.pi / (BEAMS - 1)
        message.scan_time = 1.0 / choice.rate_hz
        message.range_min, message.range_max = 0.1, 10.0
        if choice.metres is not None:
            message.ranges = [choice.metres] * choice.beams
        elif choice.beams:
            distances, _ = seen(standing.place(BASE_T_SCANNER), rays @ standing.turn.T)
            message.ranges = distances.tolist()
        publisher.publish(message)

    node.create_timer(1.0 / choice.rate_hz, scan)
    rclpy.spin(node)


if __name__ == "__main__":
    main()
