"""The process with the law of an arm over ROS, without rclpy: joints in, joints out, at 100 Hz.

    JointsSeen → mailbox → `ControlLoopCore` → `ReferenceArm`, ten ticks → JointsWanted

The process beside it (`joints_child.py`) has rclpy, and speaks with the arm's controller. That is told
nothing while nobody moves the arm; whoever moves it next begins where it is measured to be, so that nothing
jumps.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Protocol

import msgspec
import numpy as np

from framework.errors import StreamError
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.transport.run_directory import RunDirectory
from resources.arms.arm import arm_tree
from resources.arms.dynamics import ArmDynamics
from resources.arms.parameters import PANDA_HAND
from resources.children.control_port import ControlPort, HardwareLoop
from resources.children.safety import Safety
from resources.controllers.generations import limits_of
from resources.controllers.joint_aims import JointAim
from resources.controllers.loop import STOOD_STILL_S
from resources.controllers.rotation import quaternion_of
from resources.controllers.settings import ArmSettings
from resources.controllers.warming import warm_up
from resources.drivers.ros.joint_link import (
    LEAST_SILENCE_S,
    JointReader,
    JointsSeen,
    JointsWanted,
    JointWriter,
    wanted_name,
)
from resources.drivers.ros.motion_arguments import Joints, RosArmArguments
from resources.drivers.ros.reference_arm import ReferenceArm
from resources.drivers.ros.trouble import Trouble
from resources.twin.guard import arm_guard
from resources.types.motion import ArmSample, Joints7
from resources.types.streams import StreamFormat

MOTION_HZ: Final = 100.0

_PERIOD_S: Final = 1.0 / MOTION_HZ
_PERIODS: Final = 3.0
_FRESH_S: Final = 0.05  # an older measurement does not tell whether the arm follows
_MOST_S: Final = 0.03  # so much is made up for at once: later the reference lags, and nothing leaps
_FIRST_WITHIN_S: Final = 3.0
_POINT_S: Final = 0.05  # of a goal's way, one each
_LINGERS_S: Final = 0.5  # the arm is told where to stay for so long when nobody holds it any more


def main(child: Child, arguments: RosArmArguments) -> int:
    """Be the arm. Raises StreamError if its joints are not measured, SharedMemoryFull, InstallationError."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        emergency = EmergencyStop.attach(directory.path)
        stack.callback(emergency.close)
        port = ControlPort(child, directory.path, arguments.device, arguments.orders)
        stack.callback(port.close)
        reader = JointReader(Path(arguments.seen), JointsSeen)
        stack.callback(reader.close)
        writer = JointWriter(directory.path, wanted_name(arguments.device))
        stack.callback(writer.close)
        safety = Safety(emergency, heartbeat_timeout_s=arguments.heartbeat_timeout_s)
        loop = RosArmLoop(child, arguments, reader, writer, safety, port)
        loop.first()
        child.ready(msgspec.json.encode(port.stream(StreamFormat.ARM, arguments.frame or "base", MOTION_HZ)))
        return loop.run()


class JointInput(Protocol):
    """Where the joints' states come from."""

    def news(self) -> tuple[JointsSeen, float] | None:
        """What is new, with its stamp."""
        ...


class JointOutput(Protocol):
    """Where what the joints are told goes."""

    def write(self, message: JointsWanted, stamp_s: float) -> None:
        """This counts from now on."""
        ...


class RosArmLoop(HardwareLoop):
    """One arm's loop."""

    def __init__(
        self,
        child: Child,
        arguments: RosArmArguments,
        seen: JointInput,
        wanted: JointOutput,
        safety: Safety,
        port: ControlPort,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seen, self._wanted = seen, wanted
        self._by_goals = arguments.by is Joints.GOALS
        tree = arm_tree(gripper=PANDA_HAND if arguments.hand else None)
        self._arm = ReferenceArm(
            ArmDynamics(tree),
            settings_of(arguments),
            arm_guard(arguments.surroundings, tree),
            by_goals=self._by_goals,
        )
        self._arm.start(np.array(_SOMEWHERE), np.zeros(7))
        warm_up(self._arm)  # the first turn is to come as soon as all others
        self._measured = JointsSeen()
        self._measured_s: float | None = None
        self._oldest_s = max(LEAST_SILENCE_S, _PERIODS / arguments.states_hz)
        self._starts = 0
        self._goal = self._lost = 0
        self._plan: JointAim | None = None
        self._points: tuple[tuple[float, Joints7], ...] = ()
        self._tells = False  # the arm's controller is told where to be
        self._idle_since_s: float | None = None
        self._began_s = self._turned_s = now_s()
        super().__init__(child, arguments.device, self._arm, arguments.stop, safety, port, now_s)
        self._troubles = Trouble(self._core)

    def first(self) -> None:
        """Wait until its joints have been measured. Raises StreamError if that takes too long."""
        until_s = self._now_s() + _FIRST_WITHIN_S
        while trouble := self._measure(now_s := self._now_s()):
            if now_s > until_s or self._child.wait(0.005):
                raise StreamError(f"{self._name}: {trouble}")

    def run(self) -> int:
        """Until it is told to stop: 0."""
        due_s = self._now_s()
        while True:
            now_s = self._now_s()
            self.turn(now_s)
            if self._child.stopping and self._has_left(now_s):
                return 0
            self._child.beat()
            due_s = max(due_s + _PERIOD_S, self._now_s())
            if self._child.stopping:
                time.sleep(_PERIOD_S)  # the child waits no more, and the arm has to come to rest
            else:
                self._child.wait(due_s - self._now_s())

    def turn(self, now_s: float) -> None:
        """State, orders, law, joints, report."""
        core, arm = self._core, self._arm
        trouble = self._measure(now_s)
        stands = arm.is_at_rest and not core.state().following
        self._troubles.look(trouble, now_s, stands=stands)
        passed_s, self._turned_s = now_s - self._turned_s, now_s
        stood_still = passed_s > STOOD_STILL_S and not trouble
        if (not self._tells or stood_still) and not arm.is_locking:
            arm.start(np.array(self._measured.q), np.zeros(7) if trouble else np.array(self._measured.dq))
            self._starts += 1
        if core.begin_turn(self._orders(now_s), self._safety.look(now_s), now_s, hand=self._port.hand):
            if trouble:
                core.not_recovered(trouble, now_s)
            else:
                core.recovered()
        if not self._tells and core.state().following:
            self._tells, self._idle_since_s = True, None
        if self._tells:
            arm.advance(
                now_s,
                min(max(passed_s, 0.0), _MOST_S),
                is_measured=now_s - (self._measured_s or 0.0) < _FRESH_S,
            )
            core.end_turn(now_s)
            self._tell(now_s)
        else:
            arm.tick(arm.q, arm.dq, now_s, 0.001)  # so that a lock, and a halt, come to their end
            core.end_turn(now_s)
        self._report(now_s)

    def _measure(self, now_s: float) -> str:
        """Where the arm is; what is wrong with that, or ""."""
        news = self._seen.news()
        if news is not None:
            message, stamp_s = news
            if message.trouble:
                self._measured = msgspec.structs.replace(self._measured, trouble=message.trouble)
            else:
                self._measured, self._measured_s = message, stamp_s
                self._arm.measure(np.array(message.q), np.array(message.dq))
                self._hear_of_goal(message, now_s)
        if self._measured_s is None:
            return self._measured.trouble or "its joints have not been measured yet"
        age_s = now_s - self._measured_s
        if age_s > self._oldest_s:
            return ": ".join(
                filter(None, (f"no state of its joints for {age_s:.2f} s", self._measured.trouble))
            )
        return self._measured.trouble

    def _hear_of_goal(self, seen: JointsSeen, now_s: float) -> None:
        """What its controller says of the present goal, where it takes any."""
        arm = self._arm
        arm.is_running = seen.is_running
        if seen.goal != self._goal or not self._goal:
            return
        arm.is_done = not seen.is_running
        if seen.is_lost:
            if self._lost != seen.goal:
                self._lost = seen.goal
                self._core.fail(seen.why, now_s)
        elif seen.why:
            arm.fail(seen.why)

    def _present_goal(self) -> int:
        """The number of the goal that the arm is to carry out now; 0 if it is to carry out none."""
        arm = self._arm
        plan = arm.plan
        if plan is not None and plan is not self._plan:
            self._plan, self._goal = plan, self._goal + 1
            self._points = _points(plan)
            arm.is_done = False
        return self._goal if plan is not None or arm.is_coming else 0

    def _tell(self, now_s: float) -> None:
        """Say where the joints are to be, unless it is over."""
        core, arm = self._core, self._arm
        if arm.is_locked:
            self._tells = False
            return
        if (core.state().holder and not arm.is_left) or not arm.is_at_rest:
            self._idle_since_s = None
        elif self._idle_since_s is None:
            self._idle_since_s = now_s
        elif now_s - self._idle_since_s > _LINGERS_S:
            self._tells = False
            return
        goal = self._present_goal() if self._by_goals else 0
        points = self._points if goal else ()
        self._wanted.write(JointsWanted(_seven(arm.q), _seven(arm.dq), self._starts, goal, points), now_s)

    def _has_left(self, now_s: float) -> bool:
        """On the way out: whether the arm rests."""
        ends_at_s = self._leaves_by(now_s)
        return not self._tells or self._arm.is_at_rest or now_s >= ends_at_s

    def _report(self, now_s: float) -> None:
        """What is measured, not what is wanted: that is the target."""
        self._have_reflex_if_told(now_s)
        if self._measured_s is None:
            return
        arm, q = self._arm, self._measured.q
        sample: ArmSample = arm.sample(now_s - self._began_s, self._core.state())
        pose = arm.state.dynamics.forward(np.array(q))
        x, y, z = pose[:3, 3].tolist()
        self._port.publish(
            msgspec.structs.replace(
                sample, q=q, dq=self._measured.dq, base_T_tool=(x, y, z, *quaternion_of(pose))
            ),
            now_s,
        )


def settings_of(arguments: RosArmArguments) -> ArmSettings:
    """The law's settings, with this arm's limits and workspace."""
    settings = ArmSettings(limits=limits_of(arguments.generation))
    if arguments.workspace is None:
        return settings
    return msgspec.structs.replace(settings, workspace=arguments.workspace)


_SOMEWHERE: Final[Joints7] = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)
"""Where the law is tried before it knows better."""


def _points(plan: JointAim) -> tuple[tuple[float, Joints7], ...]:
    """A way as its controller gets it: where to be at which time [s], the end last."""
    trajectory = plan.trajectory
    times = [*np.arange(_POINT_S, trajectory.duration_s, _POINT_S).tolist(), trajectory.duration_s]
    return tuple((time_s, _seven(np.array(trajectory.at(time_s)[0]))) for time_s in times)


def _seven(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Joints7:
    a, b, c, d, e, f, g = values.tolist()
    return (a, b, c, d, e, f, g)
