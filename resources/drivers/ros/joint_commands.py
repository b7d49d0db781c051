"""How an arm's controller is told where its joints are to be: by a topic's stream, or by an action's goals.

What has not just been wanted is not sent. By velocities, standstill is sent for a while when nothing is
wanted any more; its controller has to stop by itself besides, as this process may be gone, too. A goal that
is not wanted any more is cancelled.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec

from resources.drivers.ros.awaiting import Heard
from resources.drivers.ros.goals import Goals, GoalState, Outcome
from resources.drivers.ros.joint_link import FRESH_S, JointsSeen, JointsWanted
from resources.drivers.ros.motion_arguments import Joints, RosJointArguments
from resources.ros.participant import Participant
from resources.types.motion import REST7, Joints7
from resources.types.ros import COMMAND

POINT_S: Final = 0.03
"""A trajectory's only point is to be reached after so long: three periods of the law."""

STOOD_STILL_S: Final = 0.25
"""When this process has not turned for so long, what was begun before that is void: the arm has stood [s]."""

_ZEROS: Final = 50
_PULL: Final = 4.0
"""With so much of its distance per second a joint goes to its reference, where velocities are taken [1/s]."""

_MOST_PULL: Final = 0.3
"""[rad/s]."""

_ARRAY: Final = "std_msgs/msg/Float64MultiArray"
_FOLLOW: Final = "control_msgs/action/FollowJointTrajectory"
_TAKES_S: Final = 5.0
"""Beside its way, a goal may take so long [s]."""

_TRAJECTORY: Final = "trajectory_msgs/msg/JointTrajectory"


class Fresh:
    """What is wanted just now; nothing that was begun before this process stood still."""

    def __init__(self) -> None:
        self._turned_s = float("-inf")
        self._start = -1
        self._is_void = False

    def of(self, wanted: tuple[JointsWanted, float] | None, now_s: float) -> JointsWanted | None:
        """What is new, if it counts."""
        stood_still_s, self._turned_s = now_s - self._turned_s, now_s
        self._is_void |= stood_still_s > STOOD_STILL_S
        if wanted is None:
            return None
        if wanted[0].start != self._start:
            self._start, self._is_void = wanted[0].start, False
        return wanted[0] if now_s - wanted[1] <= FRESH_S and not self._is_void else None


class Controller:
    """What follows the joints. Raises DescriptionError for a topic that ROS does not take."""

    def __init__(self, participant: Participant, arguments: RosJointArguments) -> None:
        self._at: Joints7 = REST7
        self._at_s = float("-inf")
        self._fresh = Fresh()
        self._by = arguments.by
        self._joints = list(arguments.joints)
        is_trajectory = arguments.by is Joints.TRAJECTORY
        self._commands = participant.publish(
            arguments.commands, _TRAJECTORY if is_trajectory else _ARRAY, COMMAND
        )
        self._wanted_s = float("-inf")
        self._zeros_left = 0
        from builtin_interfaces.msg import Duration
        from std_msgs.msg import Float64MultiArray
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

        self._array, self._trajectory, self._point = Float64MultiArray, JointTrajectory, JointTrajectoryPoint
        self._after = Duration(nanosec=int(POINT_S * 1e9))

    @property
    def is_heard(self) -> bool:
        """Whether its controller is there."""
        return self._commands.is_heard

    def why_silent(self) -> str:
        """Why not, in words."""
        return self._commands.why_silent()

    def completed(self, seen: JointsSeen, stamp_s: float) -> JointsSeen:
        """What the law is to hear of them; stamp_s: when they were measured [s]."""
        if not seen.trouble:
            self._at, self._at_s = seen.q, stamp_s
        return _if_heard(seen, self)

    def turn(self, wanted: tuple[JointsWanted, float] | None, now_s: float) -> None:
        """Send what is wanted now, if it is; and standstill after the last velocity."""
        new = self._fresh.of(wanted, now_s)
        if new is not None:
            self._wanted_s = now_s
            self._zeros_left = _ZEROS
            self._send(new, now_s)
        elif self._by is Joints.VELOCITIES and self._zeros_left and now_s - self._wanted_s > FRESH_S:
            self._zeros_left -= 1
            self._commands.send(self._array(data=[0.0] * 7))

    def close(self) -> None:
        """Standstill, if anything was wanted before."""
        if self._by is Joints.VELOCITIES and self._zeros_left:
            self._commands.send(self._array(data=[0.0] * 7))

    def _send(self, wanted: JointsWanted, now_s: float) -> None:
        match self._by:
            case Joints.POSITIONS:
                self._commands.send(self._array(data=list(wanted.q)))
            case Joints.VELOCITIES:
                # Where they are is not known any more: then they are not drawn anywhere.
                at = self._at if now_s - self._at_s < FRESH_S else wanted.q
                self._commands.send(self._array(data=_velocities(wanted, at)))
            case _:
                ahead = [q + POINT_S * dq for q, dq in zip(wanted.q, wanted.dq, strict=True)]
                point = self._point(positions=ahead, time_from_start=self._after)
                self._commands.send(self._trajectory(joint_names=self._joints, points=[point]))


class GoalController:
    """An action that carries out whole ways (FollowJointTrajectory). Raises as `Controller` does."""

    def __init__(self, participant: Participant, arguments: RosJointArguments) -> None:
        self._fresh = Fresh()
        self._joints = list(arguments.joints)
        self._goals = Goals(participant, arguments.commands, _FOLLOW)
        self._wanted: JointsWanted | None = None
        self._wanted_s = float("-inf")
        self._sent = 0
        self._why = ""
        self._is_lost = False
        from builtin_interfaces.msg import Duration
        from trajectory_msgs.msg import JointTrajectoryPoint

        self._point, self._duration = JointTrajectoryPoint, Duration

    @property
    def is_heard(self) -> bool:
        """Whether its server is there."""
        return self._goals.is_heard

    def why_silent(self) -> str:
        """Why not, in words."""
        return self._goals.why_silent()

    def completed(self, seen: JointsSeen, stamp_s: float) -> JointsSeen:
        """What the law is to hear of them, and of the goal."""
        is_running = self._goals.state is not GoalState.IDLE
        seen = msgspec.structs.replace(
            seen, goal=self._sent, is_running=is_running, why=self._why, is_lost=self._is_lost
        )
        return _if_heard(seen, self)

    def turn(self, wanted: tuple[JointsWanted, float] | None, now_s: float) -> None:
        """Have the goal carried out that is wanted now, and none that is not any more."""
        goals = self._goals
        new = self._fresh.of(wanted, now_s)
        if new is not None:
            self._wanted, self._wanted_s = new, now_s
        elif now_s - self._wanted_s > FRESH_S:
            self._wanted = None
        number = self._wanted.goal if self._wanted is not None else 0
        if number != self._sent:
            goals.cancel(now_s)
        outcome = goals.outcome(now_s)
        if outcome is not None:
            self._why = self._words(outcome)
            self._is_lost = not outcome.is_over
        if number > self._sent and goals.state is GoalState.IDLE and self._wanted is not None:
            self._sent, self._why, self._is_lost = number, "", False
            goals.send(self._goal(self._wanted), self._wanted.points[-1][0] + _TAKES_S, now_s)

    def close(self) -> None:
        """Cancel what runs."""
        self._goals.close()

    def _goal(self, wanted: JointsWanted) -> Any:
        goal = self._goals.type.Goal()
        goal.trajectory.joint_names = self._joints
        for time_s, q in wanted.points:
            after = self._duration(sec=int(time_s), nanosec=int(time_s % 1.0 * 1e9))
            goal.trajectory.points.append(self._point(positions=list(q), time_from_start=after))
        return goal

    def _words(self, outcome: Outcome) -> str:
        if outcome.result is not None and outcome.result.error_code:
            return f"{outcome.why}: {outcome.result.error_string or f'code {outcome.result.error_code}'}"
        return outcome.why


def _velocities(wanted: JointsWanted, seen: Joints7) -> list[float]:
    """How fast the joints are to go, so that they come back to where they are to be [rad/s]."""
    return [
        dq + math.copysign(min(abs(_PULL * (q - at)), _MOST_PULL), q - at)
        for q, dq, at in zip(wanted.q, wanted.dq, seen, strict=True)
    ]


def _if_heard(seen: JointsSeen, end: Heard) -> JointsSeen:
    """A controller that is not there is a trouble, too."""
    if seen.trouble or end.is_heard:
        return seen
    return msgspec.structs.replace(seen, trouble=end.why_silent())
