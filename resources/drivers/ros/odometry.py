"""Where a base says that it is, message after message: what is no measurement, and what cannot have happened.

Pure. Pose and velocity as `nav_msgs/msg/Odometry` has them: the pose in the odometry frame, the velocity in
the base's own.
"""

from __future__ import annotations

import math
from typing import Final

from framework.errors import MalformedMessage, MotionFailed
from resources.arms.pose import Quaternion
from resources.controllers.base_guard import Odometry
from resources.controllers.base_ramp import REST
from resources.controllers.protective_field import Twist

FASTEST, FASTEST_TURN = 3.0, 6.0
"""No base goes faster [m/s], turns faster [rad/s]: what is further away than that has jumped."""

_SLACK_M: Final = 0.1
_SLACK_RAD: Final = 0.15
_UNIT: Final = 0.01
_LEVEL: Final = 0.9  # cosine: a base that is tilted further has fallen over


class OdometryTrack:
    """The newest odometry of one base.

    odometry: (x, y [m], yaw [rad, not wrapped]); velocity: (forward, left [m/s], turn [rad/s]).
    stamp_s: when it was measured [s]; minus infinity before the first.
    """

    def __init__(self) -> None:
        self.odometry: Odometry = (0.0, 0.0, 0.0)
        self.velocity: Twist = REST
        self.stamp_s = float("-inf")

    def take(self, x: float, y: float, rotation: Quaternion, velocity: Twist, stamp_s: float) -> None:
        """The next measurement.

        Raises:
            MalformedMessage: it is none; nothing has changed.
            MotionFailed: it is too far from the last one for the time between them. It counts from now on.
        """
        if not all(map(math.isfinite, (x, y, *rotation, *velocity))):
            raise MalformedMessage("it is no number: it is not steered by that")
        length = math.hypot(*rotation)
        if abs(length - 1.0) > _UNIT:
            raise MalformedMessage(f"its rotation is {rotation}, of length {length:.3f}; 1 is allowed")
        qx, qy, qz, qw = rotation
        if 1.0 - 2.0 * (qx * qx + qy * qy) < _LEVEL:
            raise MalformedMessage("it says that the base lies on its side; a planar one is driven")
        yaw = math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))
        before_x, before_y, before_yaw = self.odometry
        turned = math.remainder(yaw - before_yaw, 2.0 * math.pi)
        passed_s, self.stamp_s = stamp_s - self.stamp_s, stamp_s
        self.odometry = (x, y, before_yaw + turned)
        self.velocity = velocity
        way_m = math.hypot(x - before_x, y - before_y)
        if math.isinf(passed_s):
            return
        if way_m > FASTEST * passed_s + _SLACK_M or abs(turned) > FASTEST_TURN * passed_s + _SLACK_RAD:
            raise MotionFailed(
                f"it jumped by {way_m:.2f} m and {math.degrees(abs(turned)):.0f}° within {passed_s:.2f} s"
            )
