"""The link between an operator and the arm: round trips, clutch off when it is silent, no jumps, one driver.

trips.py   round trips over three networks; browser.py, entry.py: who makes them; relay.py
clutch.py  the clutch on the virtual clock
drives.py  a running installation: links cut, loaded anew, handed over; robot.py, watch.py
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.operator_link.clutch import silences
from pilothouse.experiments.operator_link.drives import Driven, Trials, driven
from pilothouse.experiments.operator_link.trips import Durations, Trips, trips
from pilothouse.experiments.operator_link.watch import quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

SILENCES: Final = 30


class LinkRuns:
    """Measures, and keeps what the picture needs.

    Args:
        durations: of the measurements of round trips. silences: how many on the virtual clock.
        trials: how many on the running installation.
    """

    def __init__(
        self, durations: Durations = Durations(), silences: int = SILENCES, trials: Trials = Trials()
    ) -> None:
        self._durations = durations
        self._silences = silences
        self._trials = trials
        self._trips: Sequence[Trips] = ()
        self._virtual_ms: Sequence[float] = ()
        self._driven: Driven | None = None

    async def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; takes about three and a half minutes."""
        figures: Figures = {"load_before": os.getloadavg()[0]}
        with tempfile.TemporaryDirectory() as folder:
            self._trips = await trips(Path(folder), seed, progress, self._durations)
            for each in self._trips:
                figures |= each.figures()
        progress.begin("silence on the virtual clock", self._silences)
        virtual = silences(seed, self._silences, progress.step)
        self._virtual_ms = virtual.off_ms
        with tempfile.TemporaryDirectory() as folder:
            real = self._driven = await driven(Path(folder), seed, progress, self._trials)
        figures["clutch_off_ms_max"] = max(virtual.off_ms)
        figures["clutch_off_ms_max_wall"] = max(real.off_ms, default=None)
        figures["clutch_off_ms_max_paused"] = max(real.off_paused_ms, default=None)
        jumps = {after: max(each) for after, each in real.jumps_mm.items()}
        figures["jump_mm_max"] = max(virtual.jump_mm, *jumps.values())
        figures["jump_mm_max_virtual"] = virtual.jump_mm
        figures |= {f"jump_mm_max_{after}": jump for after, jump in jumps.items()}
        figures["interleaved_commands"] = real.interleaved
        figures["watched_for_that"] = real.both
        figures["repeated"] = real.repeated
        figures["loop_lag_ms_p99"] = real.loop_lag_ms
        return figures

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """Above: how round trips are distributed, per network. Below: how soon the clutch was off."""
        assert self._driven is not None
        grid = drawing.add_gridspec(2, len(self._trips), height_ratios=(3, 2))
        for column, each in enumerate(self._trips):
            axes = drawing.add_subplot(grid[0, column])
            series: tuple[tuple[str, Sequence[float]], ...] = (
                ("browser, drawing", each.page.trips),
                ("browser, not drawing", each.undrawn.trips),
                ("scripted page", each.scripted.trips),
                ("bare channel", each.channel),
                ("bare channel, browser", each.bare_page),
                ("network alone", each.bare),
            )
            longest = 0.0
            for number, (label, found) in enumerate(series):
                if found:
                    ordered = sorted(found)
                    shares = [(place + 1) / len(ordered) for place in range(len(ordered))]
                    axes.step(ordered, shares, where="post", label=label, color=f"C{number}")
                    longest = max(longest, quantile(ordered, 0.99))
            axes.set(title=each.network.name, xlabel="round trip [ms]", ylim=(0.0, 1.0))
            axes.set_xlim(0.0, longest)  # of each at least 99 in a hundred
            axes.legend(loc="lower right", fontsize="small")
            if column == 0:
                axes.set_ylabel("share that is no longer")
        axes = drawing.add_subplot(grid[1, :])
        times: tuple[tuple[str, Sequence[float]], ...] = (
            ("virtual clock", self._virtual_ms),
            ("wall clock", self._driven.off_ms),
            ("wall clock, main process stopped", self._driven.off_paused_ms),
        )
        known = [each for each in times if each[1]]
        axes.hist([list(values) for _, values in known], bins=24, label=[label for label, _ in known])
        axes.axvline(101.0, color="tab:red", linestyle=":", label="goal on the virtual clock")
        axes.set(xlabel="from the last valid pose to clutch off [ms]", ylabel="trials")
        axes.legend(fontsize="small")


_RUNS: Final = LinkRuns()
measure, draw = _RUNS.measure, _RUNS.draw
