"""Where the robot is, as its base says on /odom; at the origin until it does."""

from __future__ import annotations

from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, ReliabilityPolicy

from tests.ros_robot.scene import Numbers, turn_of


class Standing:
    """Follows a topic.

    position: (3,) [m]. rotation: x y z w; turn: the same, (3, 3). count: how often it has moved.
    """

    def __init__(self, node: Any, topic: str = "/odom") -> None:
        self.position: Numbers = np.zeros(3, np.float32)
        self.rotation = (0.0, 0.0, 0.0, 1.0)
        self.turn: Numbers = np.eye(3, dtype=np.float32)
        self.count = 0
        best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._end = node.create_subscription(Odometry, topic, self._moved, best_effort)

    def _moved(self, message: Odometry) -> None:
        at, turn = message.pose.pose.position, message.pose.pose.orientation
        position = np.array([at.x, at.y, at.z], np.float32)
        rotation = (turn.x, turn.y, turn.z, turn.w)
        if not np.array_equal(position, self.position) or rotation != self.rotation:
            self.position, self.rotation, self.turn = position, rotation, turn_of(*rotation)
            self.count += 1

    def place(self, offset: tuple[float, float, float]) -> Numbers:
        """Where something that sits on the robot is, (3,) [m]."""
        return self.position + self.turn @ np.array(offset, np.float32)
