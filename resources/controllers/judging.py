"""What has become of an arm's goal, of its halt, of its lock: said in every tick; nothing is moved here."""

from __future__ import annotations

import math
from enum import Enum, auto

from resources.controllers.aims import LineAim
from resources.controllers.arrival import SLOW, Arrival, held_up
from resources.controllers.joint_aims import JointAim
from resources.controllers.joint_space import JointSpace
from resources.controllers.modes import ArmMode
from resources.controllers.settings import ArmSettings
from resources.controllers.tool_space import ToolSpace
from resources.controllers.workspace import WorkspaceGuard

STILL = 0.01
"""Slower than this no joint moves [rad/s]."""

# For so long, and it is at rest [s].
_STILL_S = 0.05

# A halt is waited for no longer than this [s].
_HALTED_S = 1.0


class Verdict(Enum):
    """What is the case now. BLOCKED: the goal will not be reached, `Judge.why`; LOCKS: brakes may lock."""

    GOES_ON = auto()
    REACHED = auto()
    BLOCKED = auto()
    HALTED = auto()
    LOCKS = auto()


class Judge:
    """Of one arm. why: the words for the last goal that was blocked."""

    def __init__(
        self, settings: ArmSettings, tool: ToolSpace, joints: JointSpace, guard: WorkspaceGuard
    ) -> None:
        self.why = ""
        self._settings, self._guard = settings, guard
        self._tool, self._joints = tool, joints
        self._arrival = Arrival(settings)
        self._still_s = _STILL_S
        self._halted_s = 0.0

    @property
    def is_still(self) -> bool:
        """Whether no joint has moved for a while."""
        return self._still_s >= _STILL_S

    def restart(self, fastest: float) -> None:
        """Without a past, from the speed of the fastest joint [rad/s]."""
        self._still_s = _STILL_S if fastest < STILL else 0.0

    def expect_arrival(self) -> None:
        """Of a new goal."""
        self._arrival = Arrival(self._settings)

    def expect_halt(self) -> None:
        """From now on."""
        self._halted_s = 0.0

    def judge(self, mode: ArmMode, fastest: float, dt_s: float, *, locking: bool) -> Verdict:
        """A period on.

        Args:
            fastest: the speed of the fastest joint [rad/s].
            locking: it is to lock when it has come to rest.
        """
        self._still_s = self._still_s + dt_s if fastest < STILL else 0.0
        match mode:
            case ArmMode.MOVE_TOOL:
                return self._line(fastest, dt_s)
            case ArmMode.MOVE_JOINTS:
                return self._posture(fastest, dt_s)
            case ArmMode.BRAKE:
                halt = self._joints.aim
                assert isinstance(halt, JointAim)
                if halt.clock.is_over:
                    self._halted_s += dt_s
                    if fastest < SLOW or self._halted_s > _HALTED_S:
                        return Verdict.HALTED
            case ArmMode.HOLD if locking:
                self._halted_s += dt_s
                # Brakes do not wait for a hand that keeps pushing.
                if self.is_still or self._halted_s > _HALTED_S:
                    return Verdict.LOCKS
        return Verdict.GOES_ON

    def _line(self, fastest: float, dt_s: float) -> Verdict:
        aim, settings = self._tool.aim, self._settings
        assert isinstance(aim, LineAim)
        if not self._arrival.is_due(aim.clock):
            return Verdict.GOES_ON
        way, turn = self._tool.missing()
        far = max(way / settings.arrival, turn / settings.arrival_turn)
        judged = self._arrival.judged(aim.clock, far, fastest, self._still_s, dt_s)
        return self._said(judged, f"{1e3 * way:.0f} mm and {math.degrees(turn):.0f}° are missing")

    def _posture(self, fastest: float, dt_s: float) -> Verdict:
        aim = self._joints.aim
        assert isinstance(aim, JointAim)
        if not self._arrival.is_due(aim.clock):
            return Verdict.GOES_ON
        number, missing = self._joints.missing()
        far = missing / self._settings.arrival_joint
        judged = self._arrival.judged(aim.clock, far, fastest, self._still_s, dt_s)
        return self._said(judged, f"joint {number} is {math.degrees(missing):.1f}° from its goal")

    def _said(self, judged: bool | None, missing: str) -> Verdict:
        if judged is None:
            return Verdict.GOES_ON
        if judged:
            return Verdict.REACHED
        self.why = held_up(self._guard.touching, missing)
        return Verdict.BLOCKED
