"""Joint-space motion as a pure tick: go to a posture under limits, hold it, brake to a halt.

The torque it gives leaves gravity out, as the Franka control interface does: arm or simulator carry it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from resources.arms.parameters import ArmParameters

Joints = NDArray[np.float64]  # (7,)


class ArmLaw(Protocol):
    """What the world (or a driver) calls once a control period for one arm."""

    def torque(self, q: Joints, dq: Joints, dt_s: float) -> Joints:
        """Torque without gravity [N m], (7,), for measured positions [rad] and velocities [rad/s]."""
        ...

    def hold(self, q: Joints, dq: Joints) -> None:
        """Forget every target and come to rest from the measured state: the arm's safe stop."""
        ...


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


class PostureLaw:
    """Stiff joint-space hold around a `PostureReference`."""

    # Near-critical for the arm's own inertia, and far from the sampling limit d·dt/I = 2 at 1 kHz.
    STIFFNESS = np.array([600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 80.0])  # [N m/rad]
    DAMPING = np.array([50.0, 50.0, 40.0, 30.0, 10.0, 8.0, 2.0])  # [N m s/rad]

    def __init__(self, arm: ArmParameters, q: Joints, *, speed: float = 0.3) -> None:
        """`speed` is the share of the arm's velocity and acceleration limits used by default, in (0, 1]."""
        self.velocity_limits = np.array([link.limits.velocity for link in arm.links])
        self._effort = np.array([link.limits.effort for link in arm.links])
        acceleration = np.array([link.limits.acceleration for link in arm.links])
        self.speed = speed
        self.reference = PostureReference(q, speed * self.velocity_limits, speed * acceleration)

    def go(self, goal: Joints, *, speed: float | None = None) -> None:
        """Move to a posture (7,) [rad]; `speed` as a share of the velocity limits."""
        self.reference.go(goal, (self.speed if speed is None else speed) * self.velocity_limits)

    def hold(self, q: Joints, dq: Joints) -> None:
        """See `ArmLaw.hold`."""
        self.reference.brake(q, dq)

    def torque(self, q: Joints, dq: Joints, dt_s: float) -> Joints:
        """See `ArmLaw.torque`."""
        reference = self.reference
        reference.advance(dt_s)
        torque = self.STIFFNESS * (reference.q - q) + self.DAMPING * (reference.dq - dq)
        limited: Joints = np.minimum(np.maximum(torque, -self._effort), self._effort)
        return limited
