"""How well the compliant arm follows, how hard it presses, and what its control law costs; in lock-step."""

from __future__ import annotations

import math
import statistics
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.testbed.arm_stage import HOME, PERIOD_S, ArmStage
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


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

SPEEDS: Final = (0.1, 0.25)


class ImpedanceRuns:
    """Measures, and keeps the traces for the picture."""

    def __init__(self) -> None:
        self._errors: dict[str, list[float]] = {}
        self._contacts: dict[str, Contact] = {}
        self._jumps: dict[str, Jump] = {}

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; takes about ten seconds. Nothing is random."""
        progress.begin("tracking, pressing, jumping, timing", 8)
        figures: Figures = {}
        for name, friction in (("", False), ("_friction", True)):
            errors = 1e3 * track(friction=friction)
            self._errors["with joint friction" if friction else "without friction"] = errors.tolist()
            figures[f"track{name}_rms_mm"] = float((errors**2).mean() ** 0.5)
            figures[f"track{name}_max_mm"] = float(errors.max())
            progress.step()
        slow, fast = (press(speed) for speed in SPEEDS)
        declared = press(SPEEDS[1], declared=True)
        self._contacts = {
            f"{SPEEDS[0]:g} m/s": slow,
            f"{SPEEDS[1]:g} m/s": fast,
            f"{SPEEDS[1]:g} m/s, declared": declared,
        }
        figures["static_force_n"] = slow.static_n
        figures["impact_peak_n"] = fast.peak_n
        figures["impact_peak_n_slow"] = slow.peak_n
        figures["impact_peak_n_declared"] = declared.peak_n
        figures["impact_spike_n"] = fast.spike_n
        figures["impact_spike_n_slow"] = slow.spike_n
        figures["impact_spike_n_declared"] = declared.spike_n
        for _ in range(3):
            progress.step()
        for name, gated in (("", True), ("_ungated", False)):
            jumped = jump(gated=gated)
            self._jumps["gated" if gated else "ungated"] = jumped
            figures[f"outlier_force_n{name}"] = float(jumped.forces.max())
            figures[f"outlier_moves_mm{name}"] = 1e3 * float(jumped.moved.max())
            progress.step()
        cost = costs()
        figures["tick_us_p50"] = cost.tick
        figures["step_us_p50"] = cost.step
        figures["tick_per_step"] = cost.tick / cost.step
        figures["two_arms_tick_us_p50"] = cost.two_arms
        progress.step()
        return figures

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """Tracking errors, forces on the table, the jump, and what a tick costs."""
        (tracking, pressing), (jumping, costing) = drawing.subplots(2, 2)
        for name, errors in self._errors.items():
            tracking.semilogy([n / 1e3 for n in range(len(errors))], errors, label=name)
        tracking.axhline(0.2, color="tab:red", linestyle=":", label="goal (rms)")
        tracking.set(title=".30 m in .6 s", xlabel="time [s]", ylabel="error [mm]", ylim=(1e-3, 20))
        tracking.legend(fontsize="small")
        self._draw_contacts(pressing)
        for name, jumped in self._jumps.items():
            jumping.plot([n - 192 for n in range(len(jumped.moved))], 1e3 * jumped.moved, label=name)
        jumping.axvspan(0, 100, color="tab:red", alpha=0.1, label="target is .2 m away")
        jumping.set(title="a pose outlier", xlabel="time [ms]", ylabel="tool moves [mm]", xlim=(-50, 600))
        jumping.legend(fontsize="small")
        names = {"step_us_p50": "one mj_step", "tick_us_p50": "tick", "two_arms_tick_us_p50": "two arms"}
        bars = costing.bar(list(names.values()), [float(figures[name] or 0) for name in names])
        costing.bar_label(bars, fmt="%.1f")
        budget = 20 * float(figures["step_us_p50"] or 0)
        costing.axhline(budget, color="tab:red", linestyle=":", label="20 steps")
        costing.margins(y=0.15)
        costing.set(title="cost", ylabel="median [µs]")
        costing.legend(fontsize="small")

    def _draw_contacts(self, axes: Axes) -> None:
        for name, contact in self._contacts.items():
            forces = contact.forces[contact.hit :]
            axes.semilogx([n + 1 for n in range(len(forces))], forces, label=name)
        axes.axhline(30.0, color="tab:red", linestyle=":", label="F_max")
        axes.set(title="onto a table, 158 mm demanded", xlabel="since the touch [ms]", ylabel="force [N]")
        axes.set_xlim(1, 5000)
        axes.legend(fontsize="small")


_RUNS: Final = ImpedanceRuns()
measure, draw = _RUNS.measure, _RUNS.draw
