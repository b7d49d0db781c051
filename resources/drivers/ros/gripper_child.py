"""The process of a gripper over ROS: its joint in, goals out (GripperCommand), one at a time.

Every wait has a bound: a server that takes a goal and never ends it, or never answers, ends in words. A goal
is cancelled as soon as the motion is over for any reason; what is held stays held.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import MalformedMessage
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.transport.run_directory import RunDirectory
from resources.children.control_port import ControlPort, HardwareLoop
from resources.children.safety import Safety
from resources.drivers.ros.awaiting import await_heard
from resources.drivers.ros.goals import Goals
from resources.drivers.ros.incoming import Incoming
from resources.drivers.ros.motion_arguments import RosGripperArguments
from resources.drivers.ros.ros_fingers import RosFingers
from resources.drivers.ros.trouble import Trouble
from resources.ros.participant import Participant
from resources.types.motion import GripperSample, MoveGripper
from resources.types.streams import StreamFormat

GRIPPER_HZ: Final = 50.0
LEAST_SILENCE_S: Final = 0.5
"""Without its joint for so long, or for three periods of it, it is stopped [s]."""

TAKES_S: Final = 5.0
"""Beside the way at its speed, a goal may take so long [s]."""

_PERIOD_S: Final = 1.0 / GRIPPER_HZ
_PERIODS: Final = 3.0
_ACTION: Final = "control_msgs/action/GripperCommand"
_STATE: Final = "sensor_msgs/msg/JointState"


def main(child: Child, arguments: RosGripperArguments) -> int:
    """Be the gripper. Raises PilothouseError if there is none to be had."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        emergency = EmergencyStop.attach(directory.path)
        stack.callback(emergency.close)
        participant = stack.enter_context(Participant(child, arguments.device))
        port = ControlPort(child, directory.path, arguments.device, arguments.orders)
        stack.callback(port.close)
        goals = Goals(participant, arguments.action, _ACTION)
        stack.callback(goals.close)
        finger = Finger(participant, arguments)
        finger.first()
        await_heard(participant, goals)
        safety = Safety(emergency, heartbeat_timeout_s=arguments.heartbeat_timeout_s)
        loop = RosGripperLoop(child, arguments, finger, goals, safety, port)
        stream = port.stream(StreamFormat.GRIPPER, arguments.frame or "base", GRIPPER_HZ)
        child.ready(msgspec.json.encode(stream))
        return loop.run(participant)


class Finger(Incoming):
    """The joint that says how far a gripper is open. Others' may come on the same topic."""

    def __init__(self, participant: Participant, arguments: RosGripperArguments) -> None:
        self._joint = arguments.joint
        super().__init__(
            participant,
            arguments.states,
            _STATE,
            arguments.qos,
            rate_hz=arguments.states_hz,
            own_clock=arguments.own_clock,
        )

    def taken(self, now_s: float) -> tuple[float, float, float] | None:
        """What is new: position [m], velocity [m/s], and when it was measured. Raises MalformedMessage."""
        taken = self.take(now_s)
        if taken is None:
            return None
        message, stamp_s = taken
        place = list(message.name).index(self._joint)
        position = message.position[place] if place < len(message.position) else math.nan
        velocity = message.velocity[place] if place < len(message.velocity) else 0.0
        if not math.isfinite(position) or not math.isfinite(velocity):
            raise MalformedMessage(f"{self._joint} is at {position:g}, {velocity:g}: it is not moved by that")
        return position, velocity, stamp_s

    def _came(self, message: Any) -> None:
        if self._joint in message.name:
            super()._came(message)
        elif not self.complaints.last:
            named = ", ".join(message.name) or "(none)"
            wrong = f"there is no {self._joint} among its joints {named}: correct `joint`"
            self.complain(MalformedMessage(wrong), time.monotonic())


class RosGripperLoop(HardwareLoop):
    """One gripper's loop. finger: gives its joint (`Finger`); goals: of its action (`Goals`)."""

    def __init__(
        self,
        child: Child,
        arguments: RosGripperArguments,
        finger: Any,
        goals: Any,
        safety: Safety,
        port: ControlPort,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._finger, self._goals = finger, goals
        self._widths = arguments.fingers
        self._fingers = RosFingers(0.0, arguments.max_width_m, arguments.max_force_n)
        self._oldest_s = max(LEAST_SILENCE_S, _PERIODS / arguments.states_hz)
        self._measured_s = self._began_s = now_s()
        self._trouble = ""
        super().__init__(child, arguments.device, self._fingers, arguments.stop, safety, port, now_s)
        self._troubles = Trouble(self._core)

    def run(self, participant: Participant) -> int:
        """Until it is told to stop: 0."""
        while True:
            now_s = self._now_s()
            self.turn(now_s)
            if self._child.stopping:
                if self._has_left(now_s):
                    return 0
                participant.turn(_PERIOD_S)
            else:
                participant.wait(_PERIOD_S)

    def turn(self, now_s: float) -> None:
        """Joint, orders, goals, report."""
        core, fingers, goals = self._core, self._fingers, self._goals
        self._measure(now_s)
        if core.begin_turn(self._orders(now_s), self._safety.look(now_s), now_s):
            if self._trouble:
                core.not_recovered(self._trouble, now_s)
            else:
                core.recovered()
        if fingers.wants_cancel:
            goals.cancel(now_s)
        outcome = goals.outcome(now_s)
        if outcome is not None:
            result = outcome.result
            fingers.answered(stalled=bool(result is not None and result.stalled), problem=outcome.why)
            if not outcome.is_over:
                core.fail(outcome.why, now_s)
        call = fingers.call()
        if call is not None:
            goals.send(self._goal(call), TAKES_S + fingers.max_width_m / call.speed, now_s)
        core.end_turn(now_s)
        self._report(now_s)

    def _goal(self, call: MoveGripper) -> Any:
        goal = self._goals.type.Goal()
        goal.command.position = call.width_m / self._widths
        goal.command.max_effort = call.force_n
        return goal

    def _measure(self, now_s: float) -> None:
        """How far it is open; what is wrong with that is a fault."""
        try:
            taken = self._finger.taken(now_s)
            if taken is not None:
                position, velocity, self._measured_s = taken
                self._fingers.measured(self._widths * position, self._widths * velocity)
                self._trouble = "" if self._goals.is_heard else self._goals.why_silent()
        except MalformedMessage as error:
            self._trouble = str(error)
        age_s = now_s - self._measured_s
        if not self._trouble and age_s > self._oldest_s:
            why = self._finger.complaints.last or self._finger.connection.why_silent()
            self._trouble = f"no state of its fingers for {age_s:.2f} s: {why}"
        stands = self._fingers.is_at_rest and not self._core.state().following
        self._troubles.look(self._trouble, now_s, stands=stands)

    def _has_left(self, now_s: float) -> bool:
        """On the way out: whether the fingers stand."""
        ends_at_s = self._leaves_by(now_s)
        return self._fingers.is_at_rest or now_s >= ends_at_s

    def _report(self, now_s: float) -> None:
        self._have_reflex_if_told(now_s)
        fingers = self._fingers
        sample = GripperSample(
            now_s - self._began_s, self._core.state(), fingers.width_m, fingers.force_n, fingers.holds
        )
        self._port.publish(sample, now_s)
