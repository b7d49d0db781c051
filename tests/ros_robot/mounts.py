"""Says on /tf_static where sensors sit, as robot_state_publisher does; if asked, where the robot is on /tf.

It takes tf2_msgs: `tests.ros_robot.interfaces` makes it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from tests.ros_robot import camera, scanner, spinner
from tests.ros_robot.scene import BASE_T_CAMERA, BASE_T_SCANNER, BASE_T_SPINNER, CAMERA_DOWN
from tests.ros_robot.standing import Standing

Turn = tuple[float, float, float, float]

UPRIGHT: Turn = (0.0, 0.0, 0.0, 1.0)


def optical(down: float) -> Turn:
    """Of a camera's optical frame in the robot's, which looks ahead and down by so much [rad]."""
    half = math.pi / 4 + down / 2
    sin, cos = math.sin(half) / math.sqrt(2), math.cos(half) / math.sqrt(2)
    return (-sin, sin, -cos, cos)


MOUNTS: tuple[tuple[str, tuple[float, float, float], Turn], ...] = (
    (camera.FRAME, BASE_T_CAMERA, optical(CAMERA_DOWN)),
    (scanner.FRAME, BASE_T_SCANNER, UPRIGHT),
    (spinner.FRAME, BASE_T_SPINNER, UPRIGHT),
)


def transform(stamp: Any, parent: str, child: str, at: Sequence[float], turn: Sequence[float]) -> Any:
    """One link."""
    message = TransformStamped()
    message.header.stamp, message.header.frame_id, message.child_frame_id = stamp, parent, child
    to = message.transform
    to.translation.x, to.translation.y, to.translation.z = map(float, at)
    to.rotation.x, to.rotation.y, to.rotation.z, to.rotation.w = map(float, turn)
    return message


def main(argv: Sequence[str] | None = None) -> None:
    """Say it until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves-hz", type=float, default=0.0, help="so often where the robot is, by /odom")
    parser.add_argument("--without", default="", help="a frame that is not said")
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node("mounts")
    held = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    static = node.create_publisher(TFMessage, "/tf_static", held)
    moving = node.create_publisher(TFMessage, "/tf", 100)
    standing = Standing(node)
    now = node.get_clock().now().to_msg()
    mounts = [transform(now, "base_link", *mount) for mount in MOUNTS if mount[0] != choice.without]
    static.publish(TFMessage(transforms=mounts))

    def say() -> None:
        stamp = node.get_clock().now().to_msg()
        here = transform(stamp, "odom", "base_link", standing.position.tolist(), standing.rotation)
        moving.publish(TFMessage(transforms=[here]))

    if choice.moves_hz:
        node.create_timer(1.0 / choice.moves_hz, say)
    rclpy.spin(node)


if __name__ == "__main__":
    main()
