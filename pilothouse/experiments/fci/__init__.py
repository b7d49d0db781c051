"""The simulated control box under our law through the genuine pylibfranka: the same run every time, how fast,
and how well a thousand times a second is kept. The client is `client.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from framework.errors import PluginUnavailable, ProcessDied
from pilothouse.experiments.definition import Figures, Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from pilothouse.experiments.fci.client import ClientReport

RUNS: Final = 4
STEPS: Final = 20_000
WALL_STEPS: Final = 10_000
_CLIENT_S: Final = 120.0
_TICKS_MS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class FciRuns:
    """Measures, and keeps the ages for the picture."""

    def __init__(self, *, runs: int = RUNS, steps: int = STEPS, wall_steps: int = WALL_STEPS) -> None:
        self._runs = runs
        self._steps = steps
        self._wall_steps = wall_steps
        self._ages_ms: list[float] = []
        self._speeds: list[float] = []

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; takes about a minute. Nothing is random."""
        if find_spec("pylibfranka") is None:
            raise PluginUnavailable("the experiment 'fci'", "it needs pylibfranka; see `pilothouse doctor`")
        progress.begin("lock-step, then by the clock", self._runs + 2)
        figures = self._in_lock_step(progress)
        figures.update(self._by_the_clock())
        progress.step()
        return figures

    def _in_lock_step(self, progress: Progress) -> Figures:
        from resources.fci_sim import SimulatedControlBox

        digests: set[tuple[str, int]] = set()
        self._speeds, farthest_m = [], []
        for _ in range(self._runs):
            with SimulatedControlBox(lock_step=True) as box:
                report = _client(box.address, self._steps)
                status = box.status()
            digests.add((status.digest, status.digested))
            self._speeds.append(self._steps / report.took_s)
            farthest_m.append(report.farthest_m)
            progress.step()
        with SimulatedControlBox(lock_step=True) as box:
            bare = _client(box.address, self._steps, with_law=False)
        progress.step()
        return {
            "digest_equal": len(digests) == 1 and all(count == self._steps for _, count in digests),
            "steps_per_s": float(np.median(self._speeds)),
            "bare_steps_per_s": self._steps / bare.took_s,
            "moved_mm": 1e3 * min(farthest_m),
        }

    def _by_the_clock(self) -> Figures:
        from resources.fci_sim import SimulatedControlBox

        with SimulatedControlBox(lock_step=False) as box:
            report = _client(box.address, self._wall_steps)
            status = box.status()
            sent = dict(box.sent())
        names = ("wall_hz", "missed_pct", "state_age_ms_p50", "state_age_ms_p99", "wall_states")
        if len(report.used) < 2:
            return dict.fromkeys(names)
        (first_id, first_s), (last_id, last_s) = report.used[0], report.used[-1]
        self._ages_ms = [1e3 * (at_s - sent[number]) for number, at_s in report.used if number in sent]
        return {
            "wall_hz": (last_id - first_id) / (last_s - first_s),
            "missed_pct": 100.0 * status.missed_before / status.digested,
            "state_age_ms_p50": float(np.percentile(self._ages_ms, 50)),
            "state_age_ms_p99": float(np.percentile(self._ages_ms, 99)),
            "wall_states": len(report.used),
        }

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """Speed of the runs, and how old states were when they had been used."""
        speeds, ages = drawing.subplots(1, 2)
        speeds.bar([f"run {number}" for number in range(1, len(self._speeds) + 1)], self._speeds)
        speeds.axhline(1000.0, color="tab:red", linestyle=":", label="real time")
        same = "the same digest" if figures["digest_equal"] else "different digests"
        speeds.set(title=f"lock-step: {same}", ylabel="steps per second")
        speeds.legend()
        ordered = np.sort(self._ages_ms)
        ages.semilogx(ordered, 100.0 * np.arange(1, len(ordered) + 1) / len(ordered))
        ages.set_xticks(_TICKS_MS, labels=[f"{tick:g}" for tick in _TICKS_MS])
        ages.minorticks_off()
        ages.axvline(1.0, color="tab:red", linestyle=":", label="one period")
        ages.set(
            title="by the clock", xlabel="age of a state when its command leaves [ms]", ylabel="share [%]"
        )
        ages.legend()


def _client(address: str, steps: int, *, with_law: bool = True) -> ClientReport:
    """One run of the client. Raises ProcessDied in its words."""
    from pilothouse.experiments.fci.client import ClientArguments, ClientReport

    arguments = msgspec.json.encode(ClientArguments(address, steps, with_law)).decode()
    try:
        client = subprocess.run(
            [sys.executable, "-m", "pilothouse.experiments.fci.client", arguments],
            capture_output=True,
            timeout=_CLIENT_S,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise ProcessDied(f"the client did not come to an end within {_CLIENT_S:g} s") from None
    if client.returncode:
        words = client.stderr.decode(errors="replace").strip().splitlines()
        raise ProcessDied(f"the client ended with code {client.returncode}: {words[-1] if words else '…'}")
    return msgspec.json.decode(client.stdout.splitlines()[-1], type=ClientReport)


_RUNS: Final = FciRuns()
measure, draw = _RUNS.measure, _RUNS.draw
