"""A reference for joints as a pure tick: go to a posture under limits, brake to a halt. No torque."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Joints = NDArray[np.float64]  # (7,)


class PostureReference:
    """A reference that approaches a goal with bounded velocity and acceleration, joint by joint.

    Near the goal the velocity follows √(2 a e), sampled so that it arrives without overshoot.
    """

    def __init__(self, q: Joints, velocity: Joints, acceleration: Joints) -> None:
        """Start at rest at `q`; `velocity` [rad/s] and `acceleration` [rad/s²] are the bounds, (7,)."""
        self.q = np.array(q, dtype=np.float64)
        self.dq = np.zeros_like(self.q)
        self.goal = self.q.copy()
        self.at_goal = True
        self._velocity = velocity
        self._acceleration = acceleration

    def go(self, goal: Joints, velocity: Joints) -> None:
        """New goal, from wherever the reference is now and however fast it moves."""
        self.goal = np.array(goal, dtype=np.float64)
        self._velocity = velocity
        self.at_goal = False

    def brake(self, q: Joints, dq: Joints) -> None:
        """Come to rest as fast as allowed, starting from a measured state."""
        self.q = np.array(q, dtype=np.float64)
        self.dq = np.array(dq, dtype=np.float64)
        self.goal = self.q + 0.5 * self.dq * np.abs(self.dq) / self._acceleration
        self.at_goal = False

    def advance(self, dt_s: float) -> None:
        """One period on."""
        if self.at_goal:
            return
        error = self.goal - self.q
        step = self._acceleration * dt_s
        # Discrete form of v = √(2 a e): the fastest velocity from which braking by `step` every
        # period still covers no more than the rest of the way.
        approach = 0.5 * (np.sqrt(step * step + 8.0 * self._acceleration * np.abs(error)) - step)
        wanted = np.sign(error) * np.minimum(approach, self._velocity)
        change = np.clip(wanted - self.dq, -step, step)
        self.dq = self.dq + change
        near = (np.abs(error) <= step * dt_s) & (np.abs(self.dq) <= 2.0 * step)
        self.dq[near] = 0.0
        self.q = np.where(near, self.goal, self.q + self.dq * dt_s)
        self.at_goal = bool(near.all())
