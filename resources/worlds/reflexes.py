"""The reflexes of a simulated arm: what makes it stop by itself, as a Franka does. Pure."""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.arms.parameters import ArmParameters
from resources.types.motion import REST6, Vector6

_CUTOFF_HZ = 5.0
"""Wrench and loads are filtered like this before they are compared: to touch a table at .25 m/s, or to
set down briskly by hand, is no accident."""

_FELT = 1e-3  # [N], [N m]: less is nothing


class ReflexLimits(msgspec.Struct, frozen=True):
    """What the surroundings may do to an arm: force [N] and torque [N m] at its tool, and at each joint
    this share of its greatest torque."""

    force_n: float = 150.0
    torque_nm: float = 40.0
    joint_share: float = 1.0


class Reflexes:
    """Watches one arm, step by step. is_quiet: nothing touches its tool, and nothing has for a while."""

    def __init__(self, arm: ArmParameters, limits: ReflexLimits, dt_s: float) -> None:
        self.is_quiet = True
        self._limits = limits
        self._effort = limits.joint_share * np.array([link.limits.effort for link in arm.links])  # (7,)
        self._gain = 1.0 - math.exp(-2 * math.pi * _CUTOFF_HZ * dt_s)
        self._wrench: Vector6 = REST6
        self._load: NDArray[np.float64] = np.zeros(len(arm.links))

    def reset(self) -> None:
        """Forget what was felt."""
        self._wrench = REST6
        self._load[:] = 0.0
        self.is_quiet = True

    def look(self, wrench: Vector6, tau_external: NDArray[np.float64]) -> str:
        """Why the arm has to stop now, or "".

        Args:
            wrench: of the surroundings on the tool, as it is [N, N m].
            tau_external: what they do to the joints, as the controller estimates it (7,) [N m].
        """
        self._load += self._gain * (tau_external - self._load)
        over = ~(np.abs(self._load) <= self._effort)  # what is no number stays in the filter: it is over, too
        if over.any():
            joint = int(over.argmax())
            load, most = abs(float(self._load[joint])), float(self._effort[joint])
            return f"reflex: joint {joint + 1} is loaded with {load:.0f} N m; {most:g} N m are allowed"
        if self.is_quiet and wrench == REST6:
            return ""
        gain = self._gain
        fx, fy, fz, tx, ty, tz = (
            was + gain * (now - was) for was, now in zip(self._wrench, wrench, strict=True)
        )
        self._wrench = (fx, fy, fz, tx, ty, tz)
        force, torque = math.sqrt(fx * fx + fy * fy + fz * fz), math.sqrt(tx * tx + ty * ty + tz * tz)
        limits = self._limits
        if force > limits.force_n:
            return f"reflex: the tool is pushed with {force:.0f} N; {limits.force_n:g} N are allowed"
        if torque > limits.torque_nm:
            return f"reflex: the tool is twisted with {torque:.0f} N m; {limits.torque_nm:g} N m are allowed"
        self.is_quiet = max(force, torque) < _FELT
        return ""
