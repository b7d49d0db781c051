"""The mechanism of an arm: commands, reference, law, observer and limits in one tick. No clock and no I/O.

    begin(command)   checks.py, the aims             what is wanted
    tick(q, dq)      state.py, observer.py           what is
                     tool_space.py, joint_space.py   where to go now under limits, and the torque that does it
                     guarding.py                     what keeps it out of places, if anything does
                     limits.py                       the torque that may be given
                     judging.py                      what has become of its goal

An arm is always in one of two spaces, the tool's (poses, twists) or the joints' (postures, sweeps, braking),
and holds at the reference of the one it is in, so that coming to rest switches nothing over.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from framework.errors import CommandRefused
from resources.arms.dynamics import ArmDynamics
from resources.controllers.aims import LineAim
from resources.controllers.checks import check
from resources.controllers.freshness import Freshness, age, freshness
from resources.controllers.guarding import Guard
from resources.controllers.guiding import GuideLaw
from resources.controllers.joint_aims import JointAim
from resources.controllers.joint_space import JointSpace
from resources.controllers.judging import Judge, Verdict
from resources.controllers.limits import TorqueLimits
from resources.controllers.loop import Ended
from resources.controllers.modes import STREAMS, ArmMode, Streamed
from resources.controllers.outliers import OutlierGate
from resources.controllers.posture_planning import PosturePlanner
from resources.controllers.reach import Reach
from resources.controllers.readings import ArmReadings
from resources.controllers.settings import ArmSettings
from resources.controllers.state import ArmState
from resources.controllers.tool_space import ToolSpace
from resources.controllers.tool_speed import braked
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import (
    Guide,
    Hold,
    MotionCommand,
    MoveJoints,
    MovePose,
    Sweep,
    TrackJoints,
    TrackPose,
    TrackTwist,
    Vector6,
)

Array = NDArray[np.float64]

# So soon the springs let go of a stream that has ceased [s].
_LETTING_GO_S = 0.2

_AT_REST = (ArmMode.HOLD, ArmMode.LOCKED)
_TRACKING = tuple(STREAMS.values())


class ArmController(ArmReadings):
    """`Mechanism` of one arm (see `loop.py`): a pure tick, state in and torque out. `ArmReadings` reports."""

    def __init__(
        self, dynamics: ArmDynamics, settings: ArmSettings | None = None, walls: Guard | None = None
    ) -> None:
        """`dynamics` and `walls` are this controller's own: no other may update them between ticks.

        walls: what keeps the arm out of places; None: nothing does.
        """
        settings = ArmSettings() if settings is None else settings
        self.settings = settings
        self.tau = np.zeros(7)
        self.state = ArmState(dynamics, settings)
        self._guard = WorkspaceGuard(settings, dynamics.up)
        self._walls = walls
        self._reachable = Reach(dynamics, settings)
        self._gate = OutlierGate(settings)
        self._tool = ToolSpace(self.state, settings, self._guard, self._gate)
        self._joints = JointSpace(
            self.state, settings, PosturePlanner(dynamics, settings, self._guard), self._guard
        )
        self._guide = GuideLaw(self.state, settings, self._guard)
        self._limits = TorqueLimits(dynamics, settings)
        self._judge = Judge(settings, self._tool, self._joints, self._guard)
        self._mode = ArmMode.HOLD
        self._in_tool_space = False
        self._locking = False
        self._ended: Ended | None = None
        self._grip = 1.0
        self._target_age_s = 0.0
        self._given_s = 0.0
        self._is_set = False

    # ------------------------------------------------------------ what the loop sees

    @property
    def mode(self) -> str:
        """What it is doing, in a word for people."""
        return self._mode.value

    @property
    def is_at_rest(self) -> bool:
        """Whether it holds or is locked, and no joint has moved for a while."""
        return self._mode in _AT_REST and self._judge.is_still

    @property
    def is_locked(self) -> bool:
        """Whether brakes should be engaged; the torque stands in for them until they are."""
        return self._mode is ArmMode.LOCKED

    @property
    def progress(self) -> float:
        """Of the goal it is going to, 0 to 1; 0 if it is going to none."""
        if self._mode is ArmMode.MOVE_TOOL and isinstance(self._tool.aim, LineAim):
            return self._tool.aim.clock.progress
        if self._mode is ArmMode.MOVE_JOINTS and isinstance(self._joints.aim, JointAim):
            return self._joints.aim.clock.progress
        return 0.0

    @property
    def target_age_s(self) -> float:
        """Of the streamed target it follows [s]; 0 if it follows none."""
        return self._target_age_s if self._mode in _TRACKING else 0.0

    def ended(self) -> Ended | None:
        """What became of the goal, once after its end; else None."""
        ended, self._ended = self._ended, None
        return ended

    # ------------------------------------------------------------ what the loop says

    def reset(self, q: Array, dq: Array) -> None:
        """Begin to control: hold from this state (7,) [rad], [rad/s], coming to rest if it moves.

        Raises:
            MotionFailed: it is not finite.
        """
        self.state.restart(q, dq)
        if self._walls is not None:
            self._walls.restart(self.state.q)
        self._limits.restart()
        self.tau = self._limits.torque
        self._locking = False
        self._is_set = True
        self._judge.restart(self.state.fastest)
        self._brake()
        if self._judge.is_still:
            self._joints.hold()
            self._mode = ArmMode.HOLD

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """Follow a new command; CommandRefused says why not, and nothing has changed then.

        Args:
            given_s: when its sender gave it, now_s: now; on the clock of `tick`'s `now_s`.
        """
        if not self._is_set:
            raise CommandRefused("the arm has not been measured yet; ask again when its loop runs")
        if self._locking:
            raise CommandRefused(
                "the arm's brakes are locked; it takes commands when they have been released"
            )
        wanted = check(command, self.settings, self._guard)
        self._look_ahead(wanted)
        match wanted:
            case TrackPose() | TrackTwist() | TrackJoints():
                self._follow(wanted, given_s)
            case MovePose():
                self._into_tool_space()
                self._tool.go(wanted)
                self._enter(ArmMode.MOVE_TOOL)
            case MoveJoints():
                self._joints.go(wanted, afresh=self._is_new_to_joints)
                self._in_tool_space = False
                self._enter(ArmMode.MOVE_JOINTS)
            case Sweep():
                self._joints.sweep(wanted, afresh=self._is_new_to_joints)
                self._in_tool_space = False
                self._enter(ArmMode.SWEEP)
            case Guide():
                self._enter(ArmMode.GUIDE)
            case Hold():
                self._ended = None
                self.rest()

    def rest(self) -> None:
        """Brake from the measured state, and hold; forget every goal and target. May be repeated."""
        self._ended = None
        if self._mode not in (*_AT_REST, ArmMode.BRAKE):
            self._brake()

    def lock(self) -> None:
        """Brake, then lock."""
        self.rest()
        self._locking = True
        self._judge.expect_halt()

    def unlock(self) -> None:
        """Hold where it stands; moves nothing."""
        self._locking = False
        if self._mode is ArmMode.LOCKED:
            self._joints.start()
            self._in_tool_space = False
            self._joints.is_stiff = False
            self._mode = ArmMode.HOLD

    def tick(self, q: Array, dq: Array, now_s: float, dt_s: float, wrench: Vector6 | None = None) -> Array:
        """One period: the torque (7,) [N m] without weight, for measured joints (7,) [rad], [rad/s].

        Args:
            now_s: the clock by which targets grow old; dt_s: the period [s].
            wrench: what the surroundings do to the tool, if the arm measures it.

        Raises:
            MotionFailed: the measured state is not finite.
        """
        if not self._is_set:
            self.reset(q, dq)
        state = self.state
        state.update(q, dq, self.tau, wrench, dt_s)
        self._guard.feel(math.hypot(*state.force), dt_s)
        if self._mode in _TRACKING:
            self._grow_old(now_s, dt_s)
        speed_share = 1.0
        if self._mode is ArmMode.GUIDE:
            torque, speed_share = self._guide.torque(), self.settings.guide_share
        elif self._in_tool_space:
            torque = self._tool.torque(now_s, dt_s, self._grip)
        else:
            torque = self._joints.torque(now_s, dt_s, self._grip, falls_short=self._limits.falls_short)
        torque = braked(torque, state.dynamics)
        if self._walls is not None:
            # What limits took from one joint afterwards would open the way to a wall.
            permitted = self._limits.permitted(state.positions, state.velocities, speed_share)
            torque = torque + self._walls.torque(state, torque, permitted, dt_s)
        self.tau = self._limits.bounded(
            torque, state.positions, state.velocities, state.inverse_mass, state.external, speed_share, dt_s
        )
        self._conclude(self._judge.judge(self._mode, state.fastest, dt_s, locking=self._locking))
        return self.tau

    # ------------------------------------------------------------ modes

    def _enter(self, mode: ArmMode) -> None:
        self._mode = mode
        self._ended = None
        self._grip = 1.0
        self._judge.expect_arrival()

    def _look_ahead(self, command: MotionCommand) -> None:
        """CommandRefused if a goal's straight way is known to enter something, or to end out of reach."""
        why = ""
        if self._walls is not None and isinstance(command, MovePose):
            why = self._walls.line_enters(self.base_T_tool, command.base_T_tool)
        elif self._walls is not None and isinstance(command, MoveJoints):
            q1, q2, q3, q4, q5, q6, q7 = self.state.positions
            why = self._walls.posture_enters((q1, q2, q3, q4, q5, q6, q7), command.joints)
        if not why and isinstance(command, MovePose):
            why = self._reachable.short_of(self.state.q, command.base_T_tool)
        if why:
            raise CommandRefused(why)

    def _brake(self) -> None:
        """Come to rest from the measured state, with the joints: that holds near singularities, too."""
        self._in_tool_space = False
        self._joints.brake()
        self._judge.expect_halt()
        self._enter(ArmMode.BRAKE)

    def _into_tool_space(self) -> None:
        """The tool's reference goes on smoothly if it is there already, else from the measured state."""
        tool, dynamics = self._tool, self.state.dynamics
        if self._mode is ArmMode.GUIDE:
            tool.start(np.zeros(6))
        elif not self._in_tool_space:
            tool.start(dynamics.jacobian.dot(self._joints.acceleration) + dynamics.jacobian_rate_dq)
        elif self._grip < 1.0 or tool.is_astray:
            tool.start(np.zeros(6))
        self._in_tool_space = True

    @property
    def _is_new_to_joints(self) -> bool:
        """Whether the joints' reference has to start from the measured state; else it goes on smoothly."""
        return self._in_tool_space or self._mode is ArmMode.GUIDE or self._grip < 1.0

    def _follow(self, command: Streamed, given_s: float) -> None:
        """A target of a stream: the first, or the next."""
        mode = STREAMS[type(command)]
        goes_on = self._mode is mode
        if goes_on and given_s < self._given_s:
            raise CommandRefused(
                f"the target was given {self._given_s - given_s:.3f} s before the one that is followed"
            )
        if goes_on and self._grip < 1.0:
            self._let_go()
        if isinstance(command, TrackJoints):
            if not goes_on and self._is_new_to_joints:
                self._joints.start()
            self._in_tool_space = False
            self._joints.follow(command, given_s)
        else:
            if not goes_on:
                self._into_tool_space()
            self._tool.follow(command, given_s)
        self._given_s = given_s
        if not goes_on:
            self._enter(mode)
        self._grip, self._ended = 1.0, None

    def _let_go(self) -> None:
        """The reference is where the arm is, so that the springs have nothing to pull at."""
        if self._in_tool_space:
            self._tool.let_go()
        else:
            self._joints.let_go()

    def _grow_old(self, now_s: float, dt_s: float) -> None:
        """A target that is not renewed holds, then damps, then is over."""
        self._target_age_s = age(self._given_s, now_s)
        match freshness(self._target_age_s, self.settings):
            case Freshness.DAMPED:
                self._grip = max(0.0, self._grip - dt_s / _LETTING_GO_S)
                if self._grip == 0.0:
                    self._let_go()
            case Freshness.OVER:
                self._end(f"no target has come for {self._target_age_s:.1f} s")
            case _:
                pass

    def _conclude(self, verdict: Verdict) -> None:
        """Act on what has become of a goal, of a halt, of a lock."""
        match verdict:
            case Verdict.REACHED:
                if self._mode is ArmMode.MOVE_TOOL:
                    self._tool.arrive()
                else:
                    self._joints.aim = None
                self._reach()
            case Verdict.BLOCKED:
                self._end(self._judge.why)
            case Verdict.HALTED:
                self._joints.aim = None
                self._mode = ArmMode.HOLD
            case Verdict.LOCKS:
                self._joints.start()
                self._joints.is_stiff = True
                self._in_tool_space = False
                self._mode = ArmMode.LOCKED
            case Verdict.GOES_ON:
                pass

    def _reach(self) -> None:
        self._enter(ArmMode.HOLD)
        self._ended = Ended()

    def _end(self, why: str) -> None:
        """It is over, and not as it was wanted: come to rest."""
        self._brake()
        self._ended = Ended(why)
