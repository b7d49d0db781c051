"""Watches an arm on the stage, tick by tick, for anything beyond its limits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pilothouse.testbed.arm_stage import PERIOD_S, ArmStage
from resources.controllers.loop import Ended
from resources.controllers.settings import TOOL_ACCELERATION, TOOL_SPEED, TOOL_TURN, TOOL_TURN_ACCELERATION

Array = NDArray[np.float64]

TOLERANCE = 1.01
"""Limits are never exceeded by more than one percent."""

# What strikes the arm (or its own links each other) throws it for so long, whatever the law does [s].
_REBOUND_S = 0.15


class Watch:
    """Called after every step; keeps the worst of everything, as a share of its limit."""

    def __init__(self, stage: ArmStage) -> None:
        limits = stage.controller.settings.limits
        self._velocity, self._effort = np.array(limits.velocity), np.array(limits.effort)
        self._lower, self._upper = np.array(limits.lower), np.array(limits.upper)
        self._acceleration, self._rate = np.array(limits.acceleration), limits.effort_rate
        self._struck_s = -1.0
        self._before: Array = stage.controller.tau.copy()
        self.worst: dict[str, float] = {}

    def __call__(self, stage: ArmStage) -> None:
        controller, dq = stage.controller, stage.dq
        self._note("torque", np.abs(controller.tau + controller.state.dynamics.gravity) / self._effort)
        self._note("torque rate", np.abs(controller.tau - self._before) / PERIOD_S / self._rate)
        self._before = controller.tau.copy()
        self._struck_s = stage.now_s if stage.data.ncon else self._struck_s
        if stage.now_s - self._struck_s > _REBOUND_S:
            self._note("joint speed", np.abs(dq) / self._velocity)
            self._note("tool speed", np.linalg.norm(controller.tool_twist[:3]) / TOOL_SPEED)
            self._note("tool turn", np.linalg.norm(controller.tool_twist[3:]) / TOOL_TURN)
        middle, half = (self._upper + self._lower) / 2, (self._upper - self._lower) / 2
        self._note("joint range", np.abs(stage.q - middle) / half)
        speed, rate = controller.target_twist, controller.target_acceleration
        if len(speed) == 6:
            self._note("target speed", np.linalg.norm(speed[:3]) / TOOL_SPEED)
            self._note("target turn", np.linalg.norm(speed[3:]) / TOOL_TURN)
            self._note("target acceleration", np.linalg.norm(rate[:3]) / TOOL_ACCELERATION)
            self._note("target turn rate", np.linalg.norm(rate[3:]) / TOOL_TURN_ACCELERATION)
        else:
            self._note("joint target speed", np.abs(speed) / self._velocity)
            self._note("joint target acceleration", np.abs(rate) / self._acceleration)

    def exceeded(self) -> dict[str, float]:
        """What went beyond its limit, and how far."""
        return {what: share for what, share in self.worst.items() if share > TOLERANCE}

    def _note(self, what: str, shares: Array | np.floating) -> None:
        share = float(np.max(shares))
        assert math.isfinite(share), what
        self.worst[what] = max(share, self.worst.get(what, 0.0))


def run_until_ended(stage: ArmStage, watch: Watch | None = None, *, at_most_s: float = 12.0) -> Ended:
    """Step until the goal has ended, and say how."""
    for _ in range(round(at_most_s / PERIOD_S)):
        stage.step()
        if watch is not None:
            watch(stage)
        if (ended := stage.controller.ended()) is not None:
            return ended
    raise AssertionError(f"the goal has not ended after {at_most_s} s; it is in mode {stage.controller.mode}")


def run_until_at_rest(stage: ArmStage, watch: Watch | None = None, *, at_most_s: float = 2.0) -> float:
    """Step until the arm is at rest; how long that took [s]."""
    for step in range(round(at_most_s / PERIOD_S)):
        if stage.controller.is_at_rest:
            return step * PERIOD_S
        stage.step()
        if watch is not None:
            watch(stage)
    raise AssertionError(f"the arm is not at rest after {at_most_s} s; it is in mode {stage.controller.mode}")
