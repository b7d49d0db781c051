"""The runs of the impedance experiment, in lock-step: tracking, pressing, a pose that jumps, a tick's cost.

Each returns its trace; figures are made of them in `impedance.py`.
"""

from __future__ import annotations

import math
import statistics
import time
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from pilothouse.testing.arm_stage import HOME, PERIOD_S, ArmStage
from resources.arms.arm import arm_tree
from resources.arms.mjcf import mechanism_mjcf
from resources.controllers.settings import ArmSettings, Surface
from resources.types.motion import TrackPose, Vector6
from resources.types.streams import Pose7

Array = NDArray[np.float64]

WAY_M, TIME_S = 0.30, 0.6
TABLE_M = 0.35
DEMANDED_M = 0.158  # below the table's top
JUMP_M, JUMP_S = 0.2, 0.1


class Contact(NamedTuple):
    """Pressing on a table."""

    forces: Array  # (n,) [N] every period
    hit: int  # the period of the first touch

    @property
    def spike_n(self) -> float:
        """The largest force of the first 20 ms: the tool's own mass, whatever the law."""
        return float(self.forces[self.hit : self.hit + 20].max())

    @property
    def peak_n(self) -> float:
        """The largest force from 20 ms after the touch on."""
        return float(self.forces[self.hit + 20 :].max())

    @property
    def static_n(self) -> float:
        """The force in the end: the mean of the last .2 s."""
        return float(self.forces[-200:].mean())


class Jump(NamedTuple):
    """A target that jumps and comes back."""

    moved: Array  # (n,) [m] how far the tool went from where it was
    forces: Array  # (n,) [N] what the law's torques amount to at the tool


class Costs(NamedTuple):
    """Medians [µs], all of one run."""

    tick: float
    step: float
    two_arms: float


def track(*, friction: bool = False) -> Array:
    """WAY_M to the left in TIME_S, smoothest (fifth order), with its feed-forward; the errors (n,) [m]."""
    stage = ArmStage(friction=friction)
    start = stage.controller.base_T_tool
    errors = []
    for period in range(round(TIME_S / PERIOD_S)):
        now_s = stage.now_s
        target, twist, acceleration = _on_the_way(start, period * PERIOD_S)
        stage.controller.begin(TrackPose(target, twist, acceleration), now_s, now_s)
        stage.step()
        wanted, _, _ = _on_the_way(start, (period + 1) * PERIOD_S)
        errors.append(math.dist(wanted[:3], stage.tool))
    return np.array(errors)


def press(speed: float, *, declared: bool = False, settle_s: float = 5.0) -> Contact:
    """Down onto a table at a speed [m/s] and on, until DEMANDED_M below its top.

    Args:
        declared: whether the table is declared, so that the tool comes near it slowly.
        settle_s: how long it presses after the target has come to rest.
    """
    surfaces = (Surface((0.5, 0.0, TABLE_M), (0.0, 0.0, 1.0)),) if declared else ()
    stage = ArmStage(table_m=TABLE_M, settings=ArmSettings(surfaces=surfaces))
    x, y, top, *rotation = stage.controller.base_T_tool
    bottom = TABLE_M - DEMANDED_M
    forces: list[float] = []
    hit = -1
    period, end = 0, math.inf
    while period < end:
        height = max(bottom, top - speed * stage.now_s)
        going = -speed if height > bottom else 0.0
        target = (x, y, height, rotation[0], rotation[1], rotation[2], rotation[3])
        command = TrackPose(target, (0.0, 0.0, going, 0.0, 0.0, 0.0))
        stage.controller.begin(command, stage.now_s, stage.now_s)
        stage.step()
        forces.append(stage.table_force())
        if hit < 0 and forces[-1] > 0.0:
            hit = period
        period += 1
        if height <= bottom and end == math.inf:
            end = period + settle_s / PERIOD_S
    return Contact(np.array(forces), hit)


def jump(*, gated: bool = True) -> Jump:
    """A target that stands, is JUMP_M away for JUMP_S, and is back; 60 a second, as a phone sends them."""
    settings = ArmSettings() if gated else ArmSettings(gate=1e6, gate_turn=1e6)
    stage = ArmStage(settings=settings)
    x, y, z, *rotation = stage.controller.base_T_tool
    rest = stage.tool
    moved, forces = [], []
    for period in range(800):
        if period % 16 == 0:
            away = JUMP_M if 192 <= period < 192 + JUMP_S / PERIOD_S else 0.0
            target = (x + away, y, z, rotation[0], rotation[1], rotation[2], rotation[3])
            stage.controller.begin(TrackPose(target), stage.now_s, stage.now_s)
        torque = stage.step()
        moved.append(math.dist(rest, stage.tool))
        force = stage.controller.state.wrenches.wrench(torque)[:3]
        forces.append(float(np.linalg.norm(force)))
    return Jump(np.array(moved), np.array(forces))


def costs(ticks: int = 4000) -> Costs:
    """What a whole tick costs while it tracks, with observer; beside one step of one arm, taken in turns."""
    arms = ArmStage(), ArmStage()
    start = arms[0].controller.base_T_tool
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree(), gravity_compensated=True))
    data = mujoco.MjData(model)
    data.qpos[: len(HOME)] = HOME
    mujoco.mj_forward(model, data)
    single, both, steps = [], [], []
    for period in range(ticks):
        target, twist, acceleration = _on_the_way(start, (period * PERIOD_S) % TIME_S * 0.5)
        begun = []
        for stage in arms:
            stage.controller.begin(TrackPose(target, twist, acceleration), stage.now_s, stage.now_s)
            begun.append((stage.data.qpos, stage.data.qvel))
        started = time.perf_counter()
        first = arms[0].controller.tick(*begun[0], arms[0].now_s, PERIOD_S)
        between = time.perf_counter()
        second = arms[1].controller.tick(*begun[1], arms[1].now_s, PERIOD_S)
        ended = time.perf_counter()
        mujoco.mj_step(model, data)
        steps.append(time.perf_counter() - ended)
        single.append(between - started)
        both.append(ended - started)
        for stage, torque in zip(arms, (first, second), strict=True):
            stage.apply(torque)
            stage.now_s += PERIOD_S
    return Costs(*(1e6 * statistics.median(times) for times in (single, steps, both)))


def _on_the_way(start: Pose7, time_s: float) -> tuple[Pose7, Vector6, Vector6]:
    """Pose, twist and acceleration of the tracked motion."""
    share = min(time_s / TIME_S, 1.0)
    way = WAY_M * share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    speed = WAY_M / TIME_S * 30.0 * share**2 * (1.0 - share) ** 2
    rate = WAY_M / TIME_S**2 * 60.0 * share * (1.0 - share) * (1.0 - 2.0 * share)
    x, y, z, qx, qy, qz, qw = start
    return (
        (x, y + way, z, qx, qy, qz, qw),
        (0.0, speed, 0.0, 0.0, 0.0, 0.0),
        (0.0, rate, 0.0, 0.0, 0.0, 0.0),
    )
