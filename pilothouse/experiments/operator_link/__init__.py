"""The link between an operator and the arm: round trips, clutch off when it is silent, no jumps, one driver.

operator_link_trips.py   round trips over three networks; _browser.py, _entry.py: who makes them; _relay.py
operator_link_clutch.py  the clutch on the virtual clock
operator_link_drives.py  a running installation: links cut, loaded anew, handed over; _robot.py, _watch.py
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pilothouse.experiments.definition import Experiment, Figures, Progress, at_most, exactly
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

EXPERIMENT: Final = Experiment(
    name="operator-link",
    summary="round trips of a headset's page, clutch off in silence, jumps, two operators",
    run=_RUNS.measure,
    paper_title="paper 000",
    paper={
        "rtt_ms_min_wifi": 5.0,
        "rtt_ms_mean_wifi": 20.0,
        "rtt_ms_max_wifi": 60.0,
        "rtt_ms_min_5g": 40.0,
        "rtt_ms_mean_5g": 66.0,
        "rtt_ms_max_5g": 84.0,
    },
    peers={
        "a bare channel": {
            "rtt_ms_min_loopback": 0.2,
            "rtt_ms_median_loopback": 0.4,
            "rtt_ms_median_loopback_bare_page": 0.4,
            "rtt_ms_median_loopback_bare": 0.37,
            "rtt_ms_p99_loopback": 5.8,
            "rtt_ms_max_loopback": 25.0,
            "rtt_ms_min_loopback_scripted": 0.25,
            "rtt_ms_median_loopback_scripted": 0.37,
            "rtt_ms_p99_loopback_scripted": 3.8,
            "rtt_ms_max_loopback_scripted": 13.0,
        }
    },
    goals={
        "rtt_ms_median_loopback": at_most(1.0),
        "rtt_ms_median_loopback_undrawn": at_most(1.0),
        "rtt_ms_median_loopback_scripted": at_most(1.0),
        **{
            f"added_ms_{network}{suffix}": at_most(3.0)
            for network in ("wifi", "5g")
            for suffix in ("", "_undrawn", "_scripted")
        },
        "added_ms_loopback": at_most(1.0),
        "clutch_off_ms_max": at_most(101.0),
        "jump_mm_max": at_most(1.0),
        "interleaved_commands": exactly(0),
        "loop_lag_ms_p99": at_most(20),
    },
    plot=_RUNS.draw,
    notes=(
        "Round trips: of the page's packets, until the first of the process's that echoes them; the time it "
        "held them is taken off. The page is the real one in headless Chromium with an emulated headset, the "
        "process is the real one; no robot runs beside them.",
        "The page draws without a graphics card, all of it; the window does not show it once more, as with a "
        "headset. What comes back counts when the link's own thread has it; _used: when the page's has it, "
        "which may be drawing. _undrawn: the same page before the session; _scripted: a page of aiortc, "
        "without a browser.",
        "wifi, 5g: a UDP relay of our own with the paper's delays, 1 % loss each way, order kept. network_: "
        "bare packets through the relay at the same time; added_: median of the page less that of the "
        "network. It may be below 0: newest wins, so the slowest packets are never echoed.",
        "clutch_off_: from the last valid pose to clutch off, on the control process's clock. The plain one "
        "is exact (lock-step, ticks of 1 ms); _wall is of the world's process (ticks of 10 ms), _paused with "
        "the main process stopped by SIGSTOP.",
        "jump_: how far target or tool get when the hand, up to .3 m elsewhere by then, is heard again with "
        "the clutch held, and when it is pressed anew, the hand held still: after a gap, a page loaded "
        "anew (reload), a link cut until it was given up (cut), handed over by another operator, taken over "
        "from an action that moves.",
        "interleaved_commands: reports of the arm in which a second operator, whose clutch is held and whose "
        "hand moves, has moved the target; of watched_for_that reports.",
        "load_before: jobs that wanted a processor in the minute before; round trips are only as quick as "
        "the machine has time for them. Right after them, with nothing of ours: _bare, a channel of aiortc "
        "between two processes; _bare_page, one between an empty page in the same Chromium and aiortc. "
        "added_ms_loopback: what our page and process add to the latter (difference of the medians). The "
        "peer's column is such channels on a faster machine.",
        "repeated: trials made again, because the machine was too busy for the clutch to stay on. "
        "loop_lag_: of the installation's main process while links were cut.",
        "– : there is no Chromium, no playwright, or no IWER (npm ci in resources/web/page) here.",
    ),
)
