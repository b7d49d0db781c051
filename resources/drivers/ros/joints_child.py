"""The process of an arm's joints over ROS, which has rclpy: their states in, where they are to be out.

    JointState → JointsSeen …… law, in the process beside it (`arm_child.py`) …… JointsWanted → its controller

How its controller is told, `joint_commands.py` knows.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import MalformedMessage
from framework.processes.child import Child
from framework.transport.run_directory import RunDirectory
from resources.drivers.ros.awaiting import await_heard
from resources.drivers.ros.incoming import Incoming
from resources.drivers.ros.joint_commands import Controller, GoalController
from resources.drivers.ros.joint_link import (
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
from resources.types.streams import StreamFormat, StreamHandle

LOOK_S: Final = 0.004
"""So often it is looked what is wanted."""

_STATE: Final = "sensor_msgs/msg/JointState"


def main(child: Child, arguments: RosJointArguments) -> None:
    """Pass joints on. Raises PilothouseError if there are none to be had."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        by_goals = arguments.by is Joints.GOALS
        participant = stack.enter_context(Participant(child, arguments.device))
        states = JointStates(participant, arguments)
        controller: Controller | GoalController = (GoalController if by_goals else Controller)(
            participant, arguments
        )
        writer = JointWriter(directory.path, seen_name(arguments.device))
        stack.callback(writer.close)
        wanted = JointReader(directory.path / f"{wanted_name(arguments.device)}.ring", JointsWanted)
        stack.callback(wanted.close)
        states.first()
        await_heard(participant, controller)
        stream = StreamHandle(
            writer.ring.path.stem, str(writer.ring.path), StreamFormat.REPORT, "base", arguments.states_hz
        )
        while not participant.wait(LOOK_S):
            now_s = time.monotonic()
            seen = states.taken(now_s)
            if seen is not None:
                writer.write(controller.completed(*seen), seen[1])
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
