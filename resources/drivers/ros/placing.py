"""Where a sensor was when its messages were made: by tf, by odometry, by what the robot description tells.

A message waits a moment for its place: what says where the robot is comes later than what was seen from
there. What cannot be placed is passed on without a place, and what is missing is told.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar

import msgspec

from framework.errors import DescriptionError, MalformedMessage
from resources.children.complaints import Complaints
from resources.drivers.ros.arguments import RosSensorParameters
from resources.ros.frames import LAGS_S, Frames, Lack, Unplaced, checked_pose, plain
from resources.ros.participant import Participant
from resources.ros.stamps import AHEAD_S
from resources.types.ros import SENSOR, Durability, Qos
from resources.types.streams import Pose7

TF: Final = "/tf"
TF_STATIC: Final = "/tf_static"
TF_TYPE: Final = "tf2_msgs/msg/TFMessage"
ODOMETRY_TYPE: Final = "nav_msgs/msg/Odometry"

FIRST_WITHIN_S: Final = 1.5
"""So long is waited for the first place: who says it may have to be found."""

_TF_QOS: Final = Qos(depth=100)
_TF_STATIC_QOS: Final = Qos(durability=Durability.TRANSIENT_LOCAL, depth=100)

_QUEUED: Final = 2

Made = TypeVar("Made")


class Placed(msgspec.Struct, Generic[Made], frozen=True):
    """What is to be passed on. world_T_frame: None if nobody knows."""

    made: Made
    stamp_s: float
    world_T_frame: Pose7 | None


def needs_tf(parameters: RosSensorParameters) -> bool:
    """Whether something is left for tf to say."""
    stands = plain(parameters.fixed_frame) == plain(parameters.robot_frame)
    return parameters.robot_T_frame is None or not (parameters.odometry or stands)


def topics_of(parameters: RosSensorParameters) -> tuple[str, ...]:
    """What a sensor takes: its own topic, and those that say where it is."""
    where = (parameters.odometry, TF if needs_tf(parameters) else "")
    return (parameters.topic, *filter(None, where))


class Placing(Generic[Made]):
    """Of one sensor. What was made is given by `put`, and comes out of `take`: the newest that has a place.

    ros_s: ROS's time now [s]. frames: what is known of frames; `listen` fills it.
    """

    def __init__(
        self,
        parameters: RosSensorParameters,
        complaints: Complaints,
        *,
        ros_s: Callable[[], float],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._parameters = parameters
        self._complaints = complaints
        self._ros_s = ros_s
        self._now_s = now_s
        self.frames = Frames()
        self._robot = plain(parameters.robot_frame)
        self._sensor = ""
        self._last_ros_s = float("-inf")
        self._queue: deque[_Waiting[Made]] = deque()  # the oldest, which is waited for, and the newest
        self._is_first = True
        self._has_moved = False

    def listen(self, participant: Participant) -> None:
        """Subscribe to what is needed. Raises DescriptionError for a topic that ROS does not take."""
        if self._parameters.odometry:
            participant.subscribe(self._parameters.odometry, ODOMETRY_TYPE, SENSOR, self.robot_moved)
        if not needs_tf(self._parameters):
            return
        try:
            participant.subscribe(TF, TF_TYPE, _TF_QOS, self.transforms_said)
            participant.subscribe(TF_STATIC, TF_TYPE, _TF_STATIC_QOS, self.static_said)
        except DescriptionError as error:  # its pictures are worth having without
            self._complaints.add(f"tf cannot be listened to: {error}", self._now_s())

    # ------------------------------------------------------------ what others say

    def robot_moved(self, odometry: Any) -> None:
        """A nav_msgs/msg/Odometry, which is taken to be in the fixed frame, whatever it calls that."""
        robot = plain(odometry.child_frame_id) or plain(self._parameters.robot_frame)
        at = odometry.pose.pose
        with self._complaining():
            if robot != self._robot or not self._has_moved:
                self.frames.tell_moves(self._parameters.fixed_frame, robot)
                self._robot, self._has_moved, self._sensor = robot, True, ""
            self.frames.moved(robot, _pose_of(at.position, at.orientation, robot), *self._times(odometry))

    def transforms_said(self, message: Any) -> None:
        """A tf2_msgs/msg/TFMessage of /tf."""
        self._said(message, is_static=False)

    def static_said(self, message: Any) -> None:
        """One of /tf_static."""
        self._said(message, is_static=True)

    def _said(self, message: Any, *, is_static: bool) -> None:
        for each in message.transforms:
            child, moves = each.child_frame_id, each.transform
            with self._complaining():
                parent_T_child = _pose_of(moves.translation, moves.rotation, child)
                times = self._times(each)
                self.frames.said(each.header.frame_id, child, parent_T_child, *times, is_static=is_static)

    def _times(self, message: Any) -> tuple[float, float]:
        """Its stamp, and ROS's time now [s]. Forgets what moved, if that goes back."""
        ros_s = self._ros_s()
        if ros_s < self._last_ros_s - AHEAD_S:
            self.frames.forget_moves()
        self._last_ros_s = ros_s
        stamp = message.header.stamp
        return (stamp.sec + 1e-9 * stamp.nanosec) or ros_s, ros_s

    @contextmanager
    def _complaining(self) -> Iterator[None]:
        try:
            yield
        except MalformedMessage as error:
            self._complaints.add(str(error), self._now_s())

    # ------------------------------------------------------------ what is placed

    def put(self, made: Made, frame: str, stamp_s: float) -> None:
        """What was made in a frame. stamp_s: when, CLOCK_MONOTONIC [s]."""
        now_s = self._now_s()
        if self._parameters.robot_T_frame is not None:
            frame = frame or self._parameters.topic  # it needs no name
        if len(self._queue) == _QUEUED:
            self._queue.pop()
        ros_s = self._ros_s() - (now_s - stamp_s)
        self._queue.append(_Waiting(made, frame, stamp_s, ros_s, now_s))

    def take(self) -> Placed[Made] | None:
        """The newest that has a place, or whose place was waited for in vain; None if there is none yet."""
        if not self._queue:
            return None
        lacks: list[Unplaced] = []  # the newest one's first
        for each in reversed(self._queue):
            found = self._place(each)
            if isinstance(found, Unplaced):
                lacks.append(found)
            else:
                while self._queue.popleft() is not each:
                    pass
                self._is_first = False
                return Placed(each.made, each.stamp_s, found)
        patience_s = FIRST_WITHIN_S if self._is_first else LAGS_S if lacks[-1].may_come else 0.0
        now_s = self._now_s()
        if now_s - self._queue[0].put_s < patience_s:
            return None
        self._is_first = False
        newest = self._queue[-1]
        self._queue.clear()
        self._complaints.add(f"where it is, is not known: {self._in_words(lacks[0])}", now_s)
        return Placed(newest.made, newest.stamp_s, None)

    def _place(self, each: _Waiting[Made]) -> Pose7 | Unplaced:
        told = self._parameters.robot_T_frame
        if told is not None and plain(each.frame) != self._sensor:
            try:
                self.frames.tell(self._robot, each.frame, told)
            except MalformedMessage as error:
                return Unplaced(Lack.FRAME, str(error))
            self._sensor = plain(each.frame)
        return self.frames.place(self._parameters.fixed_frame, each.frame, each.ros_s)

    def _in_words(self, unplaced: Unplaced) -> str:
        odometry = self._parameters.odometry
        silent = f"; nothing has come on {odometry}" if odometry and not self._has_moved else ""
        return unplaced.words + silent


class _Waiting(msgspec.Struct, Generic[Made], frozen=True):
    """ros_s: when it was made, on ROS's clock; put_s: when it came here, CLOCK_MONOTONIC [s]."""

    made: Made
    frame: str
    stamp_s: float
    ros_s: float
    put_s: float


def _pose_of(position: Any, rotation: Any, of: str) -> Pose7:
    return checked_pose(
        (position.x, position.y, position.z), (rotation.x, rotation.y, rotation.z, rotation.w), of
    )
