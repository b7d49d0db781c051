"""An arm that follows joints: the law drives a model of it, and where that is, the arm is to be. Pure ticks.

A controller behind ROS takes joints, no torques. So the law (`resources.controllers.arm`) has an arm of its
own to drive, without weight and friction; all that it knows of goals, streams, walls and limits counts, a
thousand times a second. The model begins where the real arm is measured to be, and an arm that does not
follow it ends the motion. What the surroundings do to the arm is not felt.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from framework.errors import CommandRefused
from resources.arms.dynamics import ArmDynamics
from resources.controllers.arm import ArmController
from resources.controllers.guarding import Guard
from resources.controllers.joint_aims import JointAim
from resources.controllers.loop import Ended
from resources.controllers.modes import ArmMode
from resources.controllers.settings import ArmSettings
from resources.types.motion import Guide, Hold, MotionCommand, MoveJoints

Array = NDArray[np.float64]

TICK_S: Final = 0.001

_STANDS: Final = 0.02
"""Slower than this is what an encoder's last digit does to a velocity [rad/s]."""

_LAG: Final = 0.06
_LAG_S: Final = 0.1
"""So far may the arm be behind its reference [rad], and by so long of its velocity [s], besides."""

_ASTRAY: Final = 0.03
"""So far beside it may it stand when it has come to rest [rad]."""

_NEAR: Final = 0.015
_LAGS_S: Final = 0.1
_STANDS_S: Final = 0.3
_COMES_S: Final = 1.5
_GOAL_COMES_S: Final = 2.0


class ReferenceArm(ArmController):
    """`Mechanism` of an arm that follows joints.

    Attributes:
        q, dq: where it is to be (7,) [rad], [rad/s].
        is_left: it has not followed, or stands elsewhere. The reference is where it is since, and the arm is
            to be left alone soon.
        is_running, is_done: by goals, what the arm's controller says of the present one.
    """

    def __init__(
        self,
        dynamics: ArmDynamics,
        settings: ArmSettings | None = None,
        walls: Guard | None = None,
        *,
        by_goals: bool = False,
    ) -> None:
        """See `ArmController`. by_goals: the real arm is told whole ways to postures, not this reference."""
        super().__init__(dynamics, settings, walls)
        self.is_running = False
        self.is_done = True
        self._by_goals = by_goals
        self.q: Array = np.zeros(7)
        self.dq: Array = np.zeros(7)
        self.is_left = False
        self._measured: Array = np.zeros(7)
        self._moves = False
        self._lags_s = self._stands_elsewhere_s = self._coming_s = 0.0
        self._reached: Ended | None = None

    @property
    def is_locking(self) -> bool:
        """Whether it is locked, or is to be."""
        return self._locking

    @property
    def is_at_rest(self) -> bool:
        """See `Mechanism.is_at_rest`: the arm and its reference."""
        return super().is_at_rest and not self._moves and not self.is_running

    @property
    def plan(self) -> JointAim | None:
        """The way to the posture it goes to; None if it goes to none."""
        aim = self._joints.aim
        if self._mode is not ArmMode.MOVE_JOINTS or not isinstance(aim, JointAim):
            return None
        return aim

    @property
    def is_coming(self) -> bool:
        """Whether the reference has arrived, and the arm has not yet."""
        return self._reached is not None

    def fail(self, why: str) -> None:
        """The arm's controller has given up."""
        if self.plan is not None or self.is_coming:
            self._give_up(why)

    def start(self, q: Array, dq: Array) -> None:
        """Begin at the measured state (7,) [rad], [rad/s]. Raises MotionFailed if it is not finite."""
        still = np.where(np.abs(dq) < _STANDS, 0.0, dq)
        self.reset(q, still)
        self.q, self.dq = q.copy(), still
        self.is_left = False
        self._lags_s = self._stands_elsewhere_s = 0.0
        self._reached = None
        self.measure(q, dq)

    def measure(self, q: Array, dq: Array) -> None:
        """Where the arm is now (7,) [rad], [rad/s]; both finite."""
        self._measured = q.copy()
        self._moves = bool(np.any(np.abs(dq) >= _STANDS))

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """See `Mechanism.begin`."""
        if isinstance(command, Guide):
            raise CommandRefused(
                "this arm cannot be led by hand: its controller holds the joints where they are told to be"
            )
        if self._by_goals and not isinstance(command, MoveJoints | Hold):
            raise CommandRefused(
                "this arm goes to postures only: its controller takes whole goals (`by: goals`)"
            )
        super().begin(command, given_s, now_s)
        self._reached, self.is_left = None, False

    def rest(self) -> None:
        """See `Mechanism.rest`."""
        super().rest()
        self._reached = None

    def advance(self, now_s: float, passed_s: float, *, is_measured: bool = True) -> None:
        """So long on [s]; `now_s`: the time at its end.

        is_measured: where it is just now is known; without that nobody sees whether it follows.
        """
        ticks = max(1, round(passed_s / TICK_S))
        for left in range(ticks - 1, -1, -1):
            torque = self.tick(self.q, self.dq, now_s - left * TICK_S, TICK_S)
            dynamics = self.state.dynamics
            self.dq = self.dq + TICK_S * dynamics.inverse_mass.dot(torque - dynamics.coriolis)
            self.q = self.q + TICK_S * self.dq
        self._coming_s += ticks * TICK_S
        if is_measured and not self._by_goals and not self._locking:
            self._look(ticks * TICK_S)

    def ended(self) -> Ended | None:
        """See `Mechanism.ended`: a goal is reached when the arm is there, too."""
        ended = super().ended()
        if ended is not None and not ended.why:
            self._reached, self._coming_s = ended, 0.0
            ended = None
        if self._reached is None:
            return ended
        joint, behind = self.behind
        if (behind > _NEAR or not self.is_done) and self._coming_s < self._comes_s:
            return None
        self._reached = None
        if not self.is_done:
            return Ended("the arm's controller does not end the goal")
        if behind > _NEAR:
            return Ended(f"the arm does not come to where it is told to be: {_words(joint, behind)}")
        return Ended()

    @property
    def behind(self) -> tuple[int, float]:
        """The joint that is furthest from its reference (1 … 7), and how far it is [rad]."""
        behind = np.abs(self.q - self._measured)
        joint = int(behind.argmax())
        return joint + 1, float(behind[joint])

    def _look(self, passed_s: float) -> None:
        """Whether the arm follows."""
        behind = np.abs(self.q - self._measured)
        lags = bool(np.any(behind > _LAG + _LAG_S * np.abs(self.dq)))
        self._lags_s = self._lags_s + passed_s if lags else 0.0
        if self._lags_s > _LAGS_S:
            joint, far = self.behind
            self._give_up(
                f"the arm does not follow: {_words(joint, far)}; something holds it, or its controller is off"
            )
            return
        elsewhere = super().is_at_rest and self._reached is None and float(behind.max()) > _ASTRAY
        self._stands_elsewhere_s = self._stands_elsewhere_s + passed_s if elsewhere else 0.0
        if self._stands_elsewhere_s > _STANDS_S:
            self._give_up("")

    @property
    def _comes_s(self) -> float:
        return _GOAL_COMES_S if self._by_goals else _COMES_S

    def _give_up(self, why: str) -> None:
        """From here on it is told nothing old: the reference is where the arm is."""
        self.start(self._measured, np.zeros(7))
        self.is_left = True
        if why:
            self._ended = Ended(why)


def _words(joint: int, behind: float) -> str:
    return f"joint {joint} is {math.degrees(behind):.0f}° away"
