"""Ideal mechanisms: what is commanded happens, exactly and without physics. For scripted worlds.

They go to their goals in the time that the speeds say, meet nothing, and never fail. An ideal arm solves no
inverse kinematics: a Cartesian motion moves its tool and leaves its joints where they are. The next motion to
a posture takes the tool there from where it is, also if the joints need not move: "go home" brings it home.
All else about them (holders, stops, faults) is `ControlLoopCore`'s, and real.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from framework.errors import CommandRefused
from resources.arms.arm import dh_pose
from resources.arms.parameters import PANDA, PANDA_HAND
from resources.arms.pose import Pose, axis_angle, compose
from resources.controllers.base_ramp import BASE_LIMITS
from resources.controllers.goals import bounded
from resources.controllers.loop import Ended, Mechanism
from resources.controllers.settings import ArmLimits, ArmSettings
from resources.types.motion import (
    TARGET_LAPSES_S,
    ArmSample,
    BaseSample,
    ControllerKind,
    Drive,
    GripperSample,
    Guide,
    Hold,
    Joints7,
    LoopState,
    MotionCommand,
    MotionSample,
    MoveBase,
    MoveGripper,
    MoveJoints,
    MovePose,
    Sweep,
    TrackJoints,
    TrackPose,
    TrackTwist,
    Vector6,
    Workspace,
)
from resources.types.streams import Pose7

_LIMITS = ArmLimits.of(PANDA)
_ENDLESS = math.inf

#: How fast a tool goes to a posture from beside the joints' own: at full speed [m/s, rad/s].
_TOOL_SPEED, _TOOL_TURN = 1.0, 2.5


class IdealMechanism(Mechanism, Protocol):
    """A mechanism that is its own world."""

    def tick(self, dt_s: float, now_s: float) -> None:
        """Let so much time pass."""
        ...

    def sample(self, time_s: float, loop: LoopState) -> MotionSample:
        """As its loop reports it."""
        ...


class IdealDevice:
    """What all of them share: one motion at a time, of a duration, or for as long as targets come."""

    def __init__(self) -> None:
        self.mode = "hold"
        self.target_age_s = 0.0
        self._advance: Callable[[float, float], None] | None = None
        self._duration_s = 0.0
        self._elapsed_s = 0.0
        self._given_s: float | None = None
        self._is_locked = False
        self._ended: Ended | None = None

    @property
    def is_at_rest(self) -> bool:
        return self._advance is None

    @property
    def progress(self) -> float:
        if self._advance is None or not math.isfinite(self._duration_s):
            return 0.0
        return min(self._elapsed_s / self._duration_s, 1.0) if self._duration_s > 0.0 else 1.0

    def rest(self) -> None:
        self._advance, self._given_s, self.target_age_s = None, None, 0.0
        self._ended = None
        self.mode = "locked" if self._is_locked else "hold"

    def lock(self) -> None:
        self._is_locked = True
        self.rest()

    def unlock(self) -> None:
        self._is_locked = False
        self.rest()

    def ended(self) -> Ended | None:
        ended, self._ended = self._ended, None
        return ended

    def tick(self, dt_s: float, now_s: float) -> None:
        if self._advance is None:
            return
        if self._given_s is not None:
            self.target_age_s = max(now_s - self._given_s, 0.0)
            if self.target_age_s > TARGET_LAPSES_S:
                self.rest()
                self._ended = Ended("its targets ceased")
                return
        self._elapsed_s += dt_s
        self._advance(min(self._elapsed_s, self._duration_s), dt_s)
        if self._elapsed_s >= self._duration_s:
            self.rest()
            self._ended = Ended()

    def _go(self, mode: str, duration_s: float, advance: Callable[[float, float], None]) -> None:
        """A goal: `advance` is told how long it has been under way, and how long of that just now."""
        self._ended = None
        self.mode, self._duration_s, self._elapsed_s, self._advance = mode, duration_s, 0.0, advance
        self._given_s, self.target_age_s = None, 0.0

    def _follow(self, mode: str, given_s: float, advance: Callable[[float, float], None]) -> None:
        """A streamed target, given at `given_s`."""
        self._go(mode, _ENDLESS, advance)
        self._given_s = given_s


class IdealArm(IdealDevice):
    """An arm, standing in its home posture at first."""

    def __init__(self, home: Joints7, workspace: Workspace | None = None) -> None:
        super().__init__()
        self.q: Joints7 = home
        self.base_T_tool: Pose7 = tool_pose(home)
        self._workspace = workspace or ArmSettings().workspace

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        match command:
            case MoveJoints(joints=joints, speed=speed):
                bounded("speed", speed, 0.01, 1.0)
                self._check(joints)
                start, begin = self.q, self.base_T_tool
                pairs = zip(joints, start, _LIMITS.velocity, strict=True)
                duration_s = max(abs(goal - here) / (speed * limit) for goal, here, limit in pairs)
                is_beside = begin != tool_pose(start)
                if is_beside:
                    duration_s = max(duration_s, _way_s(begin, tool_pose(joints), speed))

                def advance(t: float, _: float) -> None:
                    share = _share(t, duration_s)
                    self._stand(_mix(start, joints, share))
                    if is_beside:
                        self._hover(begin, tool_pose(self.q), share)

                self._go("move", duration_s, advance)
            case MovePose(base_T_tool=goal, speed=speed, turn=turn):
                bounded("speed", speed, 0.001, 2.0)
                bounded("turn", turn, 0.001, 3.0)
                self._check_pose(goal)
                begin = self.base_T_tool
                duration_s = max(math.dist(begin[:3], goal[:3]) / speed, _angle(begin, goal) / turn)
                self._go("move", duration_s, lambda t, _: self._hover(begin, goal, _share(t, duration_s)))
            case TrackPose(base_T_tool=target):
                self._check_pose(target)
                self._follow("track", given_s, lambda *_: self._hover(target, target, 1.0))
            case TrackTwist(twist=twist):
                _all_finite(twist)
                self._follow("track", given_s, lambda _, dt_s: self._drift(twist, dt_s))
            case TrackJoints(joints=joints):
                self._check(joints)
                self._follow("track", given_s, lambda *_: self._stand(joints))
            case Sweep(lower=lower, upper=upper, velocity=velocity):
                _all_finite((lower, upper, velocity))
                x, y, z = self._beside()

                def swing(t: float, _: float) -> None:
                    self._swing(lower, upper, velocity * t)
                    tool = tool_pose(self.q)
                    self.base_T_tool = (tool[0] + x, tool[1] + y, tool[2] + z, *tool[3:])

                self._go("sweep", _ENDLESS, swing)
            case Guide():
                self._go("guide", _ENDLESS, lambda *_: None)
            case Hold():
                self._go("hold", _ENDLESS, lambda *_: None)
            case _:
                raise CommandRefused(f"{type(command).__name__} was sent to an arm")

    def sample(self, time_s: float, loop: LoopState) -> ArmSample:
        return ArmSample(time_s, loop, self.q, base_T_tool=self.base_T_tool, base_T_target=self.base_T_tool)

    def _beside(self) -> tuple[float, float, float]:
        """So far from where its joints would have it the tool is [m]: a sweep leaves it there."""
        here, there = self.base_T_tool, tool_pose(self.q)
        return here[0] - there[0], here[1] - there[1], here[2] - there[2]

    def _stand(self, q: Joints7) -> None:
        if q != self.q:
            self.q, self.base_T_tool = q, tool_pose(q)

    def _hover(self, begin: Pose7, goal: Pose7, share: float) -> None:
        """On the straight line between two poses; the orientation by normalised mixing."""
        sign = -1.0 if sum(a * b for a, b in zip(begin[3:], goal[3:], strict=True)) < 0.0 else 1.0
        x, y, z = (a + share * (b - a) for a, b in zip(begin[:3], goal[:3], strict=True))
        turned = [a + share * (sign * b - a) for a, b in zip(begin[3:], goal[3:], strict=True)]
        length = math.hypot(*turned)
        qx, qy, qz, qw = (value / length for value in turned)
        self.base_T_tool = (x, y, z, qx, qy, qz, qw)

    def _drift(self, twist: Vector6, dt_s: float) -> None:
        x, y, z, *quaternion = self.base_T_tool
        moved = (x + twist[0] * dt_s, y + twist[1] * dt_s, z + twist[2] * dt_s)
        qx, qy, qz, qw = quaternion
        self.base_T_tool = (*moved, qx, qy, qz, qw)

    def _swing(self, lower: float, upper: float, way: float) -> None:
        span = upper - lower
        phase = way % (2.0 * span)
        angle = lower + (phase if phase <= span else 2.0 * span - phase)
        self._stand((*self.q[:6], angle))

    def _check(self, joints: Joints7) -> None:
        bounds = zip(joints, _LIMITS.lower, _LIMITS.upper, strict=True)
        for number, (value, low, high) in enumerate(bounds, 1):
            bounded(f"joint {number}", value, low, high)

    def _check_pose(self, pose: Pose7) -> None:
        _all_finite(pose)
        if not 0.9 < math.hypot(*pose[3:]) < 1.1:
            raise CommandRefused(f"{pose[3:]} is no quaternion of length 1")
        for axis, value, low, high in zip(
            "xyz", pose[:3], self._workspace.lower, self._workspace.upper, strict=True
        ):
            bounded(f"{axis} of the workspace", value, low, high)


class IdealGripper(IdealDevice):
    """A gripper with nothing between its fingers."""

    def __init__(self, width_m: float = 0.06) -> None:
        super().__init__()
        self.width_m = width_m
        self._grasps = False

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        if not isinstance(command, MoveGripper):
            raise CommandRefused(f"{type(command).__name__} was sent to a gripper; it takes MoveGripper")
        limits = PANDA_HAND.finger_limits
        bounded("width_m", command.width_m, 0.0, 2 * limits.upper)
        bounded("speed", command.speed, 0.001, 2 * limits.velocity)
        bounded("force_n", command.force_n, 0.0, limits.effort)
        start, goal = self.width_m, command.width_m
        duration_s = abs(goal - start) / command.speed
        self._grasps = command.grasp
        mode = "close" if goal < start else "open"

        def advance(t: float, _: float) -> None:
            self.width_m = start + _share(t, duration_s) * (goal - start)

        self._go(mode, duration_s, advance)

    def tick(self, dt_s: float, now_s: float) -> None:
        super().tick(dt_s, now_s)
        if self._ended is not None and not self._ended.why and self._grasps:
            self._ended = Ended("there is nothing between the fingers")

    def sample(self, time_s: float, loop: LoopState) -> GripperSample:
        return GripperSample(time_s, loop, self.width_m)


class IdealBase(IdealDevice):
    """A base on an empty floor."""

    def __init__(self) -> None:
        super().__init__()
        self.odometry = (0.0, 0.0, 0.0)
        self.velocity = (0.0, 0.0, 0.0)

    @property
    def stick_bounds(self) -> tuple[float, float]:
        return BASE_LIMITS.speed, BASE_LIMITS.turn

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        match command:
            case Drive(forward=forward, left=left, turn=turn):
                bounded("forward", forward, -BASE_LIMITS.speed, BASE_LIMITS.speed)
                bounded("left", left, -BASE_LIMITS.speed, BASE_LIMITS.speed)
                bounded("turn", turn, -BASE_LIMITS.turn, BASE_LIMITS.turn)
                self.velocity = (forward, left, turn)
                self._follow("drive", given_s, lambda _, dt_s: self._roll(dt_s))
            case MoveBase(x=x, y=y, yaw=yaw, speed=speed, turn=turn):
                _all_finite((x, y, yaw))
                bounded("speed", speed, 0.01, BASE_LIMITS.speed)
                bounded("turn", turn, 0.01, BASE_LIMITS.turn)
                start, goal = self.odometry, (x, y, yaw)
                duration_s = max(math.dist(start[:2], (x, y)) / speed, abs(yaw - start[2]) / turn)

                def advance(t: float, _: float) -> None:
                    share = _share(t, duration_s)
                    now_x, now_y, now_yaw = (a + share * (b - a) for a, b in zip(start, goal, strict=True))
                    self.odometry = (now_x, now_y, now_yaw)

                self._go("move", duration_s, advance)
            case _:
                raise CommandRefused(
                    f"{type(command).__name__} was sent to a base; it takes Drive and MoveBase"
                )

    def rest(self) -> None:
        super().rest()
        self.velocity = (0.0, 0.0, 0.0)

    def sample(self, time_s: float, loop: LoopState) -> BaseSample:
        return BaseSample(time_s, loop, self.odometry, self.velocity, outline=(1.0, 0.7, 0.0, 0.0))

    def _roll(self, dt_s: float) -> None:
        x, y, yaw = self.odometry
        forward, left, turn = self.velocity
        cos, sin = math.cos(yaw), math.sin(yaw)
        self.odometry = (
            x + dt_s * (cos * forward - sin * left),
            y + dt_s * (sin * forward + cos * left),
            yaw + dt_s * turn,
        )


def ideal_mechanism(
    kind: ControllerKind, home: Joints7, workspace: Workspace | None = None
) -> IdealMechanism:
    """A mechanism of a kind; `home`, `workspace` are an arm's."""
    match kind:
        case ControllerKind.ARM:
            return IdealArm(home, workspace)
        case ControllerKind.GRIPPER:
            return IdealGripper()
        case ControllerKind.BASE:
            return IdealBase()


def tool_pose(q: Joints7) -> Pose7:
    """base_T_tool of a posture [rad]."""
    pose = Pose()
    for row, angle in zip(PANDA.links, q, strict=True):
        pose = compose(compose(pose, dh_pose(row.dh)), Pose(quaternion=axis_angle((0.0, 0.0, 1.0), angle)))
    tool = Pose(
        (0.0, 0.0, PANDA.flange_m + PANDA_HAND.tool_offset_m),
        axis_angle((0.0, 0.0, 1.0), PANDA_HAND.mount_angle),
    )
    pose = compose(pose, tool)
    return (*pose.position, *pose.quaternion)


def _share(elapsed_s: float, duration_s: float) -> float:
    return elapsed_s / duration_s if duration_s > 0.0 else 1.0


def _mix(start: Joints7, goal: Joints7, share: float) -> Joints7:
    a, b, c, d, e, f, g = (here + share * (there - here) for here, there in zip(start, goal, strict=True))
    return (a, b, c, d, e, f, g)


def _angle(one: Pose7, other: Pose7) -> float:
    """Between two orientations [rad]."""
    dot = abs(sum(a * b for a, b in zip(one[3:], other[3:], strict=True)))
    return 2.0 * math.acos(min(dot, 1.0))


def _way_s(begin: Pose7, goal: Pose7, speed: float) -> float:
    """How long a tool takes from one pose to another at this share of full speed."""
    return max(math.dist(begin[:3], goal[:3]) / _TOOL_SPEED, _angle(begin, goal) / _TOOL_TURN) / speed


def _all_finite(values: tuple[float, ...]) -> None:
    if not all(map(math.isfinite, values)):
        raise CommandRefused(f"{values} has numbers that are not finite")
