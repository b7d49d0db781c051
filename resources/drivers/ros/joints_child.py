"""The process of an arm's joints over ROS, which has rclpy: their states in, where they are to be out.

    JointState → JointsSeen …… law, in the process beside it (`arm_child.py`) …… JointsWanted → its controller

What has not just been wanted is not sent. By velocities, standstill is sent for a while when nothing is
wanted any more; its controller has to stop by itself besides, as this process may be gone, too.
"""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import MalformedMessage
from framework.processes.child import Child
from framework.transport.run_directory import RunDirectory
from resources.drivers.ros.incoming import Incoming
from resources.drivers.ros.joint_link import (
    FRESH_S,
    JointReader,
    JointsSeen,
    JointsWanted,
    JointWriter,
    seen_name,
    wanted_name,
)
from resources.drivers.ros.joint_names import JointNames
from resources.drivers.ros.motion_arguments import Joints, RosJointArguments
from resources.ros.participant import Participant
from resources.types.motion import REST7, Joints7
from resources.types.ros import COMMAND
from resources.types.streams import StreamFormat, StreamHandle

LOOK_S: Final = 0.004
"""So often it is looked what is wanted."""

POINT_S: Final = 0.03
"""A trajectory's only point is to be reached after so long: three periods of the law."""

STOOD_STILL_S: Final = 0.25
"""When this process has not turned for so long, what was begun before that is void: the arm has stood [s]."""

_ZEROS: Final = 50
_PULL: Final = 4.0
"""With so much of its distance per second a joint goes to its reference, where velocities are taken [1/s]."""

_MOST_PULL: Final = 0.3
"""[rad/s]."""

_STATE: Final = "sensor_msgs/msg/JointState"
_ARRAY: Final = "std_msgs/msg/Float64MultiArray"
_TRAJECTORY: Final = "trajectory_msgs/msg/JointTrajectory"


def main(child: Child, arguments: RosJointArguments) -> None:
    """Pass joints on. Raises PilothouseError if there are none to be had."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        participant = stack.enter_context(Participant(child, arguments.device))
        states = JointStates(participant, arguments)
        controller = Controller(participant, arguments)
        writer = JointWriter(directory.path, seen_name(arguments.device))
        stack.callback(writer.close)
        wanted = JointReader(directory.path / f"{wanted_name(arguments.device)}.ring", JointsWanted)
        stack.callback(wanted.close)
        states.first()
        stream = StreamHandle(
            writer.ring.path.stem, str(writer.ring.path), StreamFormat.REPORT, "base", arguments.states_hz
        )
        while not participant.wait(LOOK_S):
            now_s = time.monotonic()
            seen = states.taken(now_s)
            if seen is not None:
                writer.write(*seen)
                controller.seen = seen[0].q
                if not child.is_ready:
                    child.ready(msgspec.json.encode(stream))
            controller.turn(wanted.news(), now_s)
        controller.close()


class JointStates(Incoming):
    """The states of one arm's joints. Others' may come on the same topic."""

    def __init__(self, participant: Participant, arguments: RosJointArguments) -> None:
        self._names = JointNames(arguments.joints)
        super().__init__(
            participant,
            arguments.states,
            _STATE,
            arguments.qos,
            rate_hz=arguments.states_hz,
            own_clock=arguments.own_clock,
        )

    def taken(self, now_s: float) -> tuple[JointsSeen, float] | None:
        """What is new, and when it was measured."""
        taken = self.take(now_s)
        if taken is None:
            return None
        message, stamp_s = taken
        try:
            return self._names.joints(message.name, message.position, message.velocity), stamp_s
        except MalformedMessage as error:
            self.complain(error, now_s)
            return JointsSeen(trouble=f"{self.connection.topic}: {error}"), stamp_s

    def _came(self, message: Any) -> None:
        missing = self._names.missing(message.name)
        if not missing:
            super()._came(message)
        elif len(missing) < len(self._names.names) or not self.complaints.last:
            self.complain(self._names.wrong(message.name), time.monotonic())


class Controller:
    """What follows the joints. Raises DescriptionError for a topic that ROS does not take.

    seen: where they are (7) [rad].
    """

    def __init__(self, participant: Participant, arguments: RosJointArguments) -> None:
        self.seen: Joints7 = REST7
        self._by = arguments.by
        self._joints = list(arguments.joints)
        is_trajectory = arguments.by is Joints.TRAJECTORY
        self._commands = participant.publish(
            arguments.commands, _TRAJECTORY if is_trajectory else _ARRAY, COMMAND
        )
        self._wanted_s = self._turned_s = float("-inf")
        self._zeros_left = 0
        self._start = -1
        self._is_void = False
        from builtin_interfaces.msg import Duration
        from std_msgs.msg import Float64MultiArray
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

        self._array, self._trajectory, self._point = Float64MultiArray, JointTrajectory, JointTrajectoryPoint
        self._after = Duration(nanosec=int(POINT_S * 1e9))

    def turn(self, wanted: tuple[JointsWanted, float] | None, now_s: float) -> None:
        """Send what is wanted now, if it is; and standstill after the last velocity."""
        stood_still_s, self._turned_s = now_s - self._turned_s, now_s
        self._is_void |= stood_still_s > STOOD_STILL_S
        if wanted is not None and wanted[0].start != self._start:
            self._start, self._is_void = wanted[0].start, False
        if wanted is not None and now_s - wanted[1] <= FRESH_S and not self._is_void:
            self._wanted_s = now_s
            self._zeros_left = _ZEROS
            self._send(wanted[0])
        elif self._by is Joints.VELOCITIES and self._zeros_left and now_s - self._wanted_s > FRESH_S:
            self._zeros_left -= 1
            self._commands.send(self._array(data=[0.0] * 7))

    def close(self) -> None:
        """Standstill, if anything was wanted before."""
        if self._by is Joints.VELOCITIES and self._zeros_left:
            self._commands.send(self._array(data=[0.0] * 7))

    def _send(self, wanted: JointsWanted) -> None:
        match self._by:
            case Joints.POSITIONS:
                self._commands.send(self._array(data=list(wanted.q)))
            case Joints.VELOCITIES:
                self._commands.send(self._array(data=_velocities(wanted, self.seen)))
            case Joints.TRAJECTORY:
                ahead = [q + POINT_S * dq for q, dq in zip(wanted.q, wanted.dq, strict=True)]
                point = self._point(positions=ahead, time_from_start=self._after)
                self._commands.send(self._trajectory(joint_names=self._joints, points=[point]))


def _velocities(wanted: JointsWanted, seen: Joints7) -> list[float]:
    """How fast the joints are to go, so that they come back to where they are to be [rad/s]."""
    return [
        dq + math.copysign(min(abs(_PULL * (q - at)), _MOST_PULL), q - at)
        for q, dq, at in zip(wanted.q, wanted.dq, seen, strict=True)
    ]
