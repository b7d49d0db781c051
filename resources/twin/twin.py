"""The twin's physics: coupled to arms as they stand, stopped by what they must not enter (paper 001, eq 1–3).

    M(q_dt) q̈_dt + c + g = τ_dt,d + τ_constr + τ_bias          one step of MuJoCo                       (1)
    τ_dt,d = K (q_phys − q_dt) − D (q̇_dt − α q̇_phys)           the coupling                              (2)
    τ_phys,d = λ · lowpass(τ_constr)                            what the arm feels                        (3)

In print α = 0. Then nothing damps the arm once its twin is stopped: τ_constr is a spring alone, and the
low-pass makes that a spring that pushes out harder than it was pushed in. With α = 1, ours, the twin follows
without lag, and the wall absorbs what strikes it.

K = ω² M and D = 2ζω M, for the posture it is in: every direction then answers alike, and a wall feels as
stiff as ω² times the mass that strikes it (70 rad/s: 5 N/mm at a turning hand of 1 kg, 20 at an arm of 4).
What bounds ω is the way round, arm → twin → low-pass → arm: with λ = 1, ζ = 1 it crosses at 2ζω = 140 rad/s,
where a low-pass of 80 Hz lags by 16° and two periods by 16°: 58° are left. More than λ = 1 gives back more
than came in: at 1.2 an arm bounces off a wall for a second, at 1.5 for ever (tests/resources/twin).
"""

from __future__ import annotations

import math

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.twin.model import PERIOD_S, TwinModel

Array = NDArray[np.float64]

# Further from its arm than this, the twin is no twin (it was carried through a wall): it starts again [rad].
_ASTRAY = 0.5


class Coupling(msgspec.Struct, frozen=True):
    """stiffness ω [rad/s], damping ratio ζ and velocity_share α of (2); gain λ and low_pass [Hz] of (3)."""

    stiffness: float = 70.0
    damping: float = 1.0
    velocity_share: float = 1.0
    gain: float = 1.0
    low_pass: float = 80.0


class Twin:
    """One twin of all arms of a model.

    Attributes:
        q, dq: of the arms as they were last seen (n,); coming together in `model.dofs`.
        q_dt: of the twin (n,) [rad]. feedback: τ_phys,d (n,) [N m]. constraint: τ_constr of the last period.
    """

    def __init__(self, model: TwinModel, coupling: Coupling | None = None) -> None:
        self.model = model
        self._coupling = coupling = Coupling() if coupling is None else coupling
        self._data = mujoco.MjData(model.model)
        count = int(model.model.nv)
        self.q: Array = np.zeros(count)
        self.dq: Array = np.zeros(count)
        self.feedback: Array = np.zeros(count)
        self.q_dt, self._dq_dt = self._data.qpos, self._data.qvel
        self.constraint: Array = self._data.qfrc_constraint
        self._wanted: Array = np.zeros(count)
        self._smoothing = 1.0 - math.exp(-2.0 * math.pi * coupling.low_pass * PERIOD_S)

    def see(self, arm: int, q: Array, dq: Array) -> None:
        """How one arm stands now (7,) [rad], [rad/s]."""
        dofs = self.model.dofs[arm]
        self.q[dofs] = q
        self.dq[dofs] = dq

    def restart(self, arm: int | None = None) -> None:
        """The twin, or one arm of it, stands where its arm is, and feels nothing."""
        if arm is None:
            mujoco.mj_resetData(self.model.model, self._data)
        dofs = slice(None) if arm is None else self.model.dofs[arm]
        self.q_dt[dofs] = self.q[dofs]
        self._dq_dt[dofs] = self.dq[dofs]
        self.feedback[dofs] = 0.0

    def go_along(self) -> None:
        """A period in which nothing is near: the twin stands where the arms are, and what it felt fades."""
        self.q_dt[:] = self.q
        self._dq_dt[:] = self.dq
        self.feedback *= 1.0 - self._smoothing

    def step(self, dt_s: float = PERIOD_S) -> None:
        """So much later [s]; the arms meanwhile stood as they were last seen."""
        model, data, coupling = self.model.model, self._data, self._coupling
        if np.abs(self.q - self.q_dt).max() > _ASTRAY:
            self.restart()
        spring = coupling.stiffness**2
        damper = 2.0 * coupling.damping * coupling.stiffness
        for _ in range(max(1, round(dt_s / PERIOD_S))):
            wanted = spring * (self.q - self.q_dt)
            wanted -= damper * (self._dq_dt - coupling.velocity_share * self.dq)
            mujoco.mj_mulM(model, data, self._wanted, wanted)
            data.qfrc_applied[:] = self._wanted
            mujoco.mj_step(model, data)
            self.feedback += self._smoothing * (coupling.gain * self.constraint - self.feedback)
