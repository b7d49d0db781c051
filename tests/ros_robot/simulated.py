"""A simulation of somebody else's: a /clock that is slower than ours, a scanner that goes by it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import rclpy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan


def main(argv: Sequence[str] | None = None) -> None:
    """Until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--speed", type=float, default=0.5, help="seconds there to a second here")
    parser.add_argument("--anew-after-s", type=float, default=1e9, help="then time begins at 0 again")
    parser.add_argument("--loses-clock-after-s", type=float, default=1e9)
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node("simulated")
    clock = node.create_publisher(Clock, "/clock", 10)
    scans = node.create_publisher(LaserScan, "/front/scan", 10)
    began_s = time.monotonic()
    turns = 0
    while rclpy.ok():
        here_s = time.monotonic() - began_s
        there_s = 100.0 + choice.speed * here_s
        if here_s > choice.anew_after_s:
            there_s = choice.speed * (here_s - choice.anew_after_s)
        now = rclpy.time.Time(seconds=there_s).to_msg()
        if here_s < choice.loses_clock_after_s:
            clock.publish(Clock(clock=now))
        if turns % 10 == 0:
            message = LaserScan(angle_increment=0.01, range_min=0.1, range_max=10.0, ranges=[2.0] * 181)
            message.header.stamp = now
            message.header.frame_id = "front_scanner"
            scans.publish(message)
        turns += 1
        time.sleep(0.01)


if __name__ == "__main__":
    main()
