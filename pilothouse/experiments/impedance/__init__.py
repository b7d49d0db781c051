"""How well the compliant arm follows, how hard it presses, and what its control law costs.

    impedance_runs.py  the runs, in lock-step
    arm_stage.py       the arm and the table

This file puts their figures together and says what they are compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pilothouse.experiments.definition import Experiment, Figures, Progress, at_least, at_most

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

    from pilothouse.experiments.impedance.runs import Contact, Jump

SPEEDS: Final = (0.1, 0.25)


class ImpedanceRuns:
    """Measures, and keeps the traces for the picture."""

    def __init__(self) -> None:
        self._errors: dict[str, list[float]] = {}
        self._contacts: dict[str, Contact] = {}
        self._jumps: dict[str, Jump] = {}

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; takes about ten seconds. Nothing is random."""
        from pilothouse.experiments.impedance.runs import costs, jump, press, track

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

EXPERIMENT: Final = Experiment(
    name="impedance",
    summary="how well the compliant arm follows, how hard it presses, what its law costs",
    run=_RUNS.measure,
    paper_title="prototype",
    paper={
        "track_rms_mm": 0.19,
        "track_max_mm": 0.35,
        "track_friction_rms_mm": 2.8,
        "track_friction_max_mm": 4.8,
        "static_force_n": 29.1,
        "impact_peak_n": 40.0,
        "impact_peak_n_slow": 32.0,
        "impact_spike_n": 180.0,
        "impact_spike_n_slow": 69.0,
        "outlier_force_n_ungated": 30.0,
        "outlier_moves_mm_ungated": 44.0,
        "outlier_force_n": 1.6,
        "outlier_moves_mm": 3.0,
        "tick_us_p50": 92.0,
        "step_us_p50": 4.3,
        "tick_per_step": 21.4,
        "two_arms_tick_us_p50": 242.0,
    },
    goals={
        "track_rms_mm": at_most(0.2),
        "static_force_n": at_least(28.0),
        "tick_per_step": at_most(20.0),
    },
    plot=_RUNS.draw,
    notes=(
        "400 N/m, 40 N m/rad, F_max 30 N; simulated at 1 kHz in lock-step: all but costs repeat exactly.",
        "Peaks count from 20 ms after the touch on; spikes are the first 20 ms: only speed limits them.",
        "A declared table is approached at no more than .1 m/s, whatever is asked for.",
        "Paper 000 has the law and its stiffness, and none of these figures: the prototype is ours.",
        "Forces of an outlier are all that the law's torques amount to at the tool, feed-forward included.",
        "A tick is everything from measured joints to bounded torques, observer included.",
    ),
)
