"""A scripted person drives the arm with a phone: what paper 000 shows in figures 4 and 5, measured.

phone_session_runs.py  the person, the phone, the session
hand_stage.py          the arm that follows, in lock-step
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pilothouse.experiments.definition import Experiment, Figures, Progress, at_least, at_most

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

    from pilothouse.experiments.phone_session.runs import Trace

_SESSION_STEPS: Final = 6


class SessionRuns:
    """Measures, and keeps the traces for the picture."""

    def __init__(self) -> None:
        self._session: Trace | None = None
        self._dynamic: Trace | None = None
        self._delay_s = 0.0

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; some ten seconds. What the phone's noise and the network do is drawn from the seed."""
        from pilothouse.experiments.phone_session.runs import delay_s, dynamic, errors_m, indexing

        progress.begin("indexing, touching, moving fast", _SESSION_STEPS + 1)
        session = self._session = indexing(seed, progress.step)
        fast = self._dynamic = dynamic(seed)
        progress.step()
        delay = self._delay_s = delay_s(fast)
        errors = 1e3 * errors_m(fast, delay)
        _, hand, tool, force = session.arrays()
        return {
            "z_range_mm": 1e3 * float(np.ptp(tool)),
            "hand_range_mm": 1e3 * float(np.ptp(hand)),
            "track_rms_mm": float((errors**2).mean() ** 0.5),
            "track_max_mm": float(np.abs(errors).max()),
            "delay_ms": 1e3 * delay,
            "contact_force_n": float(force.max()),
            "haptic_events": session.knocks,
        }

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """Figure 4 (hand, tool, force) and figure 5 (a fast motion), as the paper draws them."""
        assert self._session is not None
        assert self._dynamic is not None
        grid = drawing.add_gridspec(3, 2, width_ratios=(2, 1))
        time, hand, tool, force = self._session.arrays()
        engaged = np.array(self._session.engaged)
        rows = (("hand z [m]", hand), ("tool z [m]", tool), ("|F| estimated [N]", force))
        for row, (label, values) in enumerate(rows):
            axes = drawing.add_subplot(grid[row, 0])
            axes.plot(time, values, linewidth=1)
            axes.set_ylabel(label)
            shade = np.array(self._session.press) > 0.0 if row == 2 else engaged
            _shade(axes, time, shade)
            if row == 0:
                axes.set_title("as figure 4: shaded while the clutch is on; below: while contact is felt")
        axes.set_xlabel("time [s]")
        time, hand, tool, _ = self._dynamic.arrays()
        axes = drawing.add_subplot(grid[:, 1])
        axes.plot(time, hand, label="hand")
        axes.plot(time, tool - tool[0], label="tool")
        _shade(axes, time, np.array(self._dynamic.engaged))
        axes.set(title=f"as figure 5: {figures['delay_ms']:.0f} ms behind", xlabel="time [s]", ylabel="z [m]")
        axes.legend(fontsize="small")


def _shade(axes: Axes, time: np.typing.NDArray[np.float64], where: np.typing.NDArray[np.bool_]) -> None:
    low, high = axes.get_ylim()
    axes.fill_between(time, low, high, where=where, color="tab:orange", alpha=0.15, linewidth=0)
    axes.set_ylim(low, high)


_RUNS: Final = SessionRuns()

EXPERIMENT: Final = Experiment(
    name="phone-session",
    summary="a scripted person drives by phone: indexing, touching, moving fast (paper 000, figures 4 and 5)",
    run=_RUNS.measure,
    paper_title="paper 000",
    paper={"z_range_mm": 500.0, "hand_range_mm": 150.0},
    goals={
        "z_range_mm": at_least(500.0),
        "hand_range_mm": at_most(150.0),
        "contact_force_n": at_most(30.0),
        "haptic_events": at_least(1.0),
    },
    plot=_RUNS.draw,
    notes=(
        "Hand: poses at 60 Hz with .3 mm noise, Wi-Fi of 10 ms one way with exponential jitter of 4 ms mean.",
        "Arm, law and clutch are those of the control loop, at 1 kHz in lock-step: it repeats exactly.",
        "track_*: tool against hand, 200 mm down in .6 s, its delay (by cross-correlation) taken out.",
        "Of figures 4 and 5 the paper's text gives two numbers; it did not measure the others.",
    ),
)
