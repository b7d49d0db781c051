"""A simulation of somebody else's: a /clock that is slower than ours, a scanner that goes by it.

SIGUSR1: it begins anew; SIGUSR2: its clock is lost.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Sequence

import rclpy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan


def main(argv: Sequence[str] | None = None) -> None:
    """Until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--speed", type=float, default=0.5, help="seconds there to a second here")
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node("simulated")
    clock = node.create_publisher(Clock, "/clock", 10)
    scans = node.create_publisher(LaserScan, "/front/scan", 10)
    began_s, first_s, has_clock = time.monotonic(), 100.0, True

    def begin_anew(*_: object) -> None:
        nonlocal began_s, first_s
        began_s, first_s = time.monotonic(), 0.0

    def lose_clock(*_: object) -> None:
        nonlocal has_clock
        has_clock = False

    signal.signal(signal.SIGUSR1, begin_anew)
    signal.signal(signal.SIGUSR2, lose_clock)
    turns = 0
    while rclpy.ok():
        there_s = first_s + choice.speed * (time.monotonic() - began_s)
        now = rclpy.time.Time(seconds=there_s).to_msg()
        if has_clock:
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
