"""A spinning scanner on the mast: 16 rings of 360 points, five times a second, on /mast/points.

Laid out as a Velodyne's: x, y, z, intensity, ring, time in 22 bytes; what was not hit is NaN.
"""

from __future__ import annotations

import argparse
import array
import math
from collections.abc import Sequence

import numpy as np
import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import PointCloud2, PointField

from tests.ros_robot.scene import BASE_T_SPINNER, Numbers, seen
from tests.ros_robot.standing import Standing

RINGS = 16
POINTS = 360
FRAME = "mast_spinner"
FARTHEST_M = 6.0

POINT = np.dtype(
    {
        "names": ["x", "y", "z", "intensity", "ring", "time"],
        "formats": ["<f4", "<f4", "<f4", "<f4", "<u2", "<f4"],
        "offsets": [0, 4, 8, 12, 16, 18],
        "itemsize": 22,
    }
)


def directions() -> Numbers:
    """(RINGS · POINTS, 3), rings from -25° to 15°."""
    up, around = np.meshgrid(
        np.radians(np.linspace(-25.0, 15.0, RINGS)), np.linspace(-math.pi, math.pi, POINTS), indexing="ij"
    )
    rays = np.stack([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)], axis=-1)
    return rays.reshape(-1, 3).astype(np.float32)


def main(argv: Sequence[str] | None = None) -> None:
    """Spin until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--topic", default="/mast/points")
    parser.add_argument("--rate-hz", type=float, default=5.0)
    parser.add_argument("--without-z", action="store_true", help="its points have no z")
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node("spinner")
    publisher = node.create_publisher(PointCloud2, choice.topic, qos_profile_sensor_data)
    standing = Standing(node)
    rays = directions()
    fields = [
        PointField(name=name, offset=offset, datatype=datatype, count=1)
        for name, offset, datatype in (
            ("x", 0, PointField.FLOAT32),
            ("y", 4, PointField.FLOAT32),
            ("z", 8, PointField.FLOAT32),
            ("intensity", 12, PointField.FLOAT32),
            ("ring", 16, PointField.UINT16),
            ("time", 18, PointField.FLOAT32),
        )
        if not (choice.without_z and name == "z")
    ]

    def spin() -> None:
        distances, _ = seen(standing.place(BASE_T_SPINNER), rays @ standing.turn.T)
        distances = np.where(distances < FARTHEST_M, distances, np.nan)
        points = np.zeros(len(rays), POINT)
        for column, name in enumerate("xyz"):
            points[name] = rays[:, column] * distances
        points["ring"] = np.repeat(np.arange(RINGS), POINTS)
        message = PointCloud2()
        message.header.stamp = node.get_clock().now().to_msg()
        message.header.frame_id = FRAME
        message.height, message.width = RINGS, POINTS
        message.fields = fields
        message.point_step, message.row_step = POINT.itemsize, POINT.itemsize * POINTS
        message.is_dense = False
        content = array.array("B")
        content.frombytes(points.tobytes())
        message.data = content
        publisher.publish(message)

    node.create_timer(1.0 / choice.rate_hz, spin)
    rclpy.spin(node)


if __name__ == "__main__":
    main()
