"""The joints' space: postures, sweeps, streams and braking, and the law that follows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from framework.errors import CommandRefused
from resources.controllers.clock import pace_for
from resources.controllers.firmness import Firmness
from resources.controllers.impedance import JointImpedance
from resources.controllers.joint_aims import JointAim, SweepAim
from resources.controllers.joint_stream import JointStream
from resources.controllers.posture_planning import PosturePlanner
from resources.controllers.settings import ArmSettings
from resources.controllers.state import ArmState
from resources.controllers.trajectory import State
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import MoveJoints, Sweep, TrackJoints

Array = NDArray[np.float64]

# A goal's clock stands when a joint lags behind so far [rad].
_HELD_UP = 0.15


class JointSpace:
    """Follows joint aims; without one it stays at its reference."""

    def __init__(
        self, state: ArmState, settings: ArmSettings, planner: PosturePlanner, guard: WorkspaceGuard
    ) -> None:
        self._state, self._planner = state, planner
        self._impedance = JointImpedance(state.dynamics, settings)
        self._stream = JointStream(settings, planner, guard)
        self.aim: JointAim | SweepAim | JointStream | None = None
        self._halt: JointAim | None = None  # the last one
        self._firmness = Firmness()
        self.is_stiff = False  # as locked brakes are: the springs do not saturate
        self.position: Array = np.zeros(7)
        self.velocity: Array = np.zeros(7)
        self.acceleration: Array = np.zeros(7)

    def start(self) -> None:
        """From the measured state."""
        self.position = self._state.q.copy()
        self.velocity = self._state.dq.copy()
        self.acceleration = np.zeros(7)
        self.aim = None

    def go(self, goal: MoveJoints, *, afresh: bool) -> None:
        """To a posture, from the reference, or `afresh` from the measured state.

        Raises:
            CommandRefused: no trajectory leads there; nothing has changed.
        """
        trajectory = self._planner.to_posture(self._from(afresh), goal.joints, goal.speed)
        if afresh:
            self.start()
        self.aim = JointAim(trajectory, np.array(goal.joints))

    def sweep(self, sweep: Sweep, *, afresh: bool) -> None:
        """The last joint to and fro; see `go`."""
        aim = SweepAim(self._from(afresh), (sweep.lower, sweep.upper), sweep.velocity, self._planner)
        if afresh:
            self.start()
        self.aim = aim

    def brake(self) -> None:
        """To rest as fast as may be, from the measured state, with firm springs."""
        self.start()
        try:
            trajectory = self._planner.to_rest(self._from(afresh=True))
        except CommandRefused:  # no state that can be planned from: then without a plan
            self.velocity = np.zeros(7)
            trajectory = self._planner.to_rest((self.position.tolist(), [0.0] * 7, [0.0] * 7))
        self.aim = self._halt = JointAim(trajectory, np.array(trajectory.at(trajectory.duration_s)[0]))

    def hold(self) -> None:
        """Stay at the reference, compliantly from now on."""
        self.aim = None
        self._firmness.ease()

    def follow(self, command: TrackJoints, given_s: float) -> None:
        """The next target of a stream, or the first."""
        if self.aim is not self._stream:
            self._stream.start(self.position, self.velocity, self.acceleration)
            self.aim = self._stream
        self._stream.take(command, given_s)

    def torque(self, now_s: float, dt_s: float, grip: float, *, falls_short: bool) -> Array:
        """One period on: the torque (7,) [N m].

        Args:
            grip: share of the springs that acts.
            falls_short: less torque than wanted could be given in the last period.
        """
        state, aim = self._state, self.aim
        if isinstance(aim, JointStream):
            self.position, self.velocity, self.acceleration = aim.at(now_s, state, dt_s)
        elif aim is not None:
            lag = self.position - state.q
            pace = pace_for(max(float(lag.max()), -float(lag.min())), _HELD_UP)
            self.position, self.velocity, self.acceleration = aim.at(pace, dt_s)
        impedance = self._impedance
        brakes = aim is not None and aim is self._halt
        impedance.firmness = self._firmness.step(
            brakes=brakes, holds=aim is None, falls_short=falls_short, dt_s=dt_s
        )
        spring = impedance.spring(self.position - state.q)
        if not self.is_stiff:
            spring *= grip * impedance.share(state.wrenches.wrench(spring))
        return impedance.torque(spring, self.velocity - state.dq, self.acceleration)

    def let_go(self) -> None:
        """The reference goes to where the joints are, at rest."""
        self.position = self._state.q.copy()
        self.velocity = np.zeros(7)
        self.acceleration = np.zeros(7)
        if isinstance(self.aim, JointStream):
            self.aim.start(self.position, self.velocity, self.acceleration)

    def missing(self) -> tuple[int, float]:
        """The joint that is furthest from the goal (1 … 7), and how far [rad]."""
        assert isinstance(self.aim, JointAim)
        missing = np.abs(self.aim.goal - self._state.q)
        furthest = int(missing.argmax())
        return furthest + 1, float(missing[furthest])

    def _from(self, afresh: bool) -> State:
        if afresh:
            return list(self._state.positions), list(self._state.velocities), [0.0] * 7
        return self.position.tolist(), self.velocity.tolist(), self.acceleration.tolist()
