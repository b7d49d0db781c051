"""A mobile base: integrates velocities from /cmd_vel, says where it is on /odom and /tf, at 50 Hz.

It stops by itself when no velocity has come for .3 s, as every base should. What else may go wrong is chosen
by its options.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import rclpy
from geometry_msgs.msg import TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

WATCHDOG_S = 0.3
HZ = 50.0


def main(argv: Sequence[str] | None = None) -> None:
    """Be a base until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--commands", default="/cmd_vel")
    parser.add_argument("--odometry", default="/odom")
    parser.add_argument("--stamped", action="store_true", help="it takes TwistStamped")
    parser.add_argument("--late-after-s", type=float, default=math.inf, help="then its stamps are 100 s old")
    parser.add_argument("--nan-after-s", type=float, default=math.inf, help="then it is no number any more")
    parser.add_argument("--jump-after-s", type=float, default=math.inf, help="then it is 2 m further, once")
    parser.add_argument("--drift", type=float, default=0.0, help="it goes on by itself [m/s]")
    parser.add_argument("--diary", type=Path, help="a file: a line a turn")
    choice = parser.parse_args(argv)

    stack = ExitStack()
    diary = stack.enter_context(choice.diary.open("w", buffering=1)) if choice.diary else None
    rclpy.init()
    node = rclpy.create_node("base")
    odometry = node.create_publisher(Odometry, choice.odometry, 10)
    transforms = node.create_publisher(TFMessage, "/tf", 100)
    pose = [0.0, 0.0, 0.0]
    wanted = (choice.drift, 0.0, 0.0)
    wanted_s = -math.inf
    began_s = last_s = time.monotonic()
    has_jumped = False

    def take(twist: Twist) -> None:
        nonlocal wanted, wanted_s
        wanted, wanted_s = (twist.linear.x, twist.linear.y, twist.angular.z), time.monotonic()

    if choice.stamped:
        node.create_subscription(
            TwistStamped, choice.commands, lambda message: take(message.twist), QoSProfile(depth=1)
        )
    else:
        node.create_subscription(Twist, choice.commands, take, QoSProfile(depth=1))

    def move() -> None:
        nonlocal last_s, has_jumped
        now_s = time.monotonic()
        passed_s, last_s = min(now_s - last_s, 0.1), now_s
        velocity = wanted if now_s - wanted_s <= WATCHDOG_S else (choice.drift, 0.0, 0.0)
        forward, left, turn = velocity
        cos, sin = math.cos(pose[2]), math.sin(pose[2])
        pose[0] += (cos * forward - sin * left) * passed_s
        pose[1] += (sin * forward + cos * left) * passed_s
        pose[2] += turn * passed_s
        if diary is not None:
            print(f"{now_s:.4f}", *velocity, *pose, min(now_s - wanted_s, 99.0), file=diary)
        if now_s - began_s > choice.jump_after_s and not has_jumped:
            has_jumped = True
            pose[0] += 2.0
        late_s = 100.0 if now_s - began_s > choice.late_after_s else 0.0
        stamp = (node.get_clock().now() - Duration(seconds=late_s)).to_msg()
        message = Odometry()
        message.header.stamp = stamp
        message.header.frame_id, message.child_frame_id = "odom", "base_link"
        message.pose.pose.position.x = math.nan if now_s - began_s > choice.nan_after_s else pose[0]
        message.pose.pose.position.y = pose[1]
        half = pose[2] / 2
        message.pose.pose.orientation.z, message.pose.pose.orientation.w = math.sin(half), math.cos(half)
        message.twist.twist.linear.x, message.twist.twist.linear.y, message.twist.twist.angular.z = velocity
        odometry.publish(message)
        transform = TransformStamped(header=message.header, child_frame_id="base_link")
        transform.transform.translation.x, transform.transform.translation.y = pose[0], pose[1]
        transform.transform.rotation = message.pose.pose.orientation
        transforms.publish(TFMessage(transforms=[transform]))

    node.create_timer(1.0 / HZ, move)
    with stack, suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)


if __name__ == "__main__":
    main()
