"""The tool's space: an aim, the reference that follows it under limits, the law that follows that."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Vector3
from resources.controllers.aims import LineAim, TwistAim, position_of, rotation_of, stay
from resources.controllers.clock import pace_for
from resources.controllers.impedance import ToolImpedance
from resources.controllers.outliers import OutlierGate
from resources.controllers.pursuit import ZERO3
from resources.controllers.reference import ToolReference, ToolTarget
from resources.controllers.rotation import between
from resources.controllers.settings import ArmSettings
from resources.controllers.state import ArmState
from resources.controllers.stream_aim import StreamAim
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import MovePose, TrackPose, TrackTwist

Array = NDArray[np.float64]

# Of the joints' speed, what the reference may take before it slows down; and how slow it gets at most.
_JOINT_SHARE, _SLOWEST = 0.9, 0.05

# How far ahead it is looked [s], with what smoothing, and from which share of the speed on it moves at all.
_AHEAD_S, _SMOOTHING, _MOVING = 0.1, 0.1, 0.03

# Further from its reference than this, the tool is astray [m], [rad].
_ASTRAY, _ASTRAY_TURN = 0.02, 0.1

# A spring is as good as saturated at so many times F_max / K: there a goal's clock stands.
_SATURATED = 3.0


class ToolSpace:
    """Follows poses and twists; without an aim its reference comes to rest and stays."""

    def __init__(
        self, state: ArmState, settings: ArmSettings, guard: WorkspaceGuard, gate: OutlierGate
    ) -> None:
        self._state, self._settings, self._guard, self._gate = state, settings, guard, gate
        self.reference = ToolReference(settings, guard)
        self.aim: LineAim | StreamAim | TwistAim | None = None
        self._impedance = ToolImpedance(state.dynamics, settings)
        self._posture: Array = np.zeros(7)
        self._speeds: Array = _JOINT_SHARE * settings.speed_share * np.array(settings.limits.velocity)
        self._held_up = _SATURATED * settings.force_max / settings.stiffness
        self._held_back = _SATURATED * settings.torque_max / settings.turn_stiffness
        self._pace = 1.0
        self._effort, self._growth = 0.0, 0.0
        self._error: tuple[Vector3, Vector3] = (ZERO3, ZERO3)

    @property
    def is_astray(self) -> bool:
        """Whether the tool is so far from its reference that a new goal should not begin there."""
        way, turn = self._error
        return math.hypot(*way) > _ASTRAY or math.hypot(*turn) > _ASTRAY_TURN

    def start(self, acceleration: Array) -> None:
        """From the measured pose and twist; `acceleration` (6,) of what moved it before."""
        dynamics = self._state.dynamics
        self.reference.start(dynamics.base_T_tool, dynamics.twist, acceleration)
        self._posture[:] = self._state.q
        self._pace = 1.0
        self._effort, self._growth = 0.0, 0.0
        self._error = (ZERO3, ZERO3)
        self.aim = None

    def go(self, goal: MovePose) -> None:
        """On a straight line, from the reference."""
        position, rotation = position_of(goal.base_T_tool), rotation_of(goal.base_T_tool)
        self.aim = LineAim(self.reference, position, rotation, goal.speed, goal.turn, self._settings)

    def follow(self, command: TrackPose | TrackTwist, given_s: float) -> None:
        """The next target of a stream, or the first."""
        aim = self.aim
        if isinstance(command, TrackTwist):
            if not isinstance(aim, TwistAim):
                self.aim = aim = TwistAim(self._settings)
            aim.take(command, given_s)
            return
        if not isinstance(aim, StreamAim):
            self._gate.restart()
            self.aim = aim = StreamAim(self._settings, self._guard, self._gate)
        aim.take(command, given_s, self.reference)

    def torque(self, now_s: float, dt_s: float, grip: float) -> Array:
        """One period on: the torque (7,) [N m]; `grip`: share of the springs that acts."""
        state, reference, guard = self._state, self.reference, self._guard
        reference.plan(self._target(now_s, dt_s), state.force, self._pace, dt_s)
        (x, y, z), (px, py, pz) = reference.position, state.position
        self._error = ((x - px, y - py, z - pz), between(state.rotation, reference.rotation))
        twist = reference.twist()
        torque = self._impedance.torque(
            state.inverse_mass,
            self._error,
            np.array((*guard.yielding(reference.velocity, state.force), *reference.turning)),
            np.array((*guard.along(reference.linear_acceleration, state.force), *reference.turning_rate)),
            self._posture,
            state.q,
            state.dq,
            grip,
        )
        reference.step(dt_s)
        # Nor may the reference leave an arm behind that cannot follow (a joint at its end, a hand).
        way, turn = self._error
        led = max(math.hypot(*way) / self._held_up, math.hypot(*turn) / self._held_back)
        self._pace = min(self._permitted(twist, dt_s), max(_SLOWEST, pace_for(led, 1.0)))
        return torque

    def _permitted(self, twist: Array, dt_s: float) -> float:
        """The share of its speed that the tool may have, so that no joint has to be too fast, now and soon.

        Near a singularity the joints need ever more for the same speed of the tool: how much is known from
        the modes of the law, how much soon from how fast it grows.
        """
        bounds = self._settings.tool, self._settings.turn
        vx, vy, vz, wx, wy, wz = twist.tolist()
        share = max(
            math.sqrt(vx * vx + vy * vy + vz * vz) / bounds[0].speed,
            math.sqrt(wx * wx + wy * wy + wz * wz) / bounds[1].speed,
        )
        if share < _MOVING:
            self._growth = 0.0
            return min(1.0, self._pace + dt_s)
        needed = self._impedance.joint_velocities(twist)
        needed /= self._speeds
        effort = max(float(needed.max()), -float(needed.min())) / share
        growth = 0.0 if self._effort == 0.0 else (effort - self._effort) / dt_s
        self._growth += _SMOOTHING * (growth - self._growth)
        self._effort = effort
        soon = effort + _AHEAD_S * max(self._growth, 0.0)
        return max(_SLOWEST, 1.0 / soon) if soon > 1.0 else 1.0

    def let_go(self) -> None:
        """The reference goes to where the tool is, at rest."""
        self.reference.start(self._state.dynamics.base_T_tool, np.zeros(6), np.zeros(6))

    def arrive(self) -> None:
        """The goal is reached: stay there, in this posture."""
        self._posture[:] = self._state.q
        self.aim = None

    def missing(self) -> tuple[float, float]:
        """From the tool to the goal of a line: way [m] and turn [rad]."""
        assert isinstance(self.aim, LineAim)
        state, goal = self._state, self.aim.goal
        return math.dist(state.position, goal.position), math.hypot(*between(state.rotation, goal.rotation))

    def _target(self, now_s: float, dt_s: float) -> ToolTarget:
        aim, reference = self.aim, self.reference
        if aim is None:
            return stay(reference)
        if isinstance(aim, StreamAim):
            return aim.at(now_s, dt_s, reference)
        if isinstance(aim, TwistAim):
            return aim.at(now_s, reference, self._state.position)
        # A goal waits for the arm (which may be held up) and for the reference (which may be slowed down).
        held = pace_for(math.hypot(*self._error[0]), self._held_up)
        slowed = pace_for(math.dist(aim.target.position, reference.position), self._settings.lag)
        return aim.at(min(held, slowed), dt_s)
