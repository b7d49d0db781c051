"""What starting on demand saves: processor time with nothing, one view and everything switched on."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from framework.errors import ResourceUnavailable
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.installation import Installation, Settings
from pilothouse.testbed.console_watcher import ConsoleWatcher

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

SETTLE_S: Final = 2.0
WATCH_S: Final = 6.0

#: Everything this robot can show and follow.
ALL: Final = (
    "show the camera",
    "show the wrist cloud",
    "show the front lidar",
    "show the wrist lidar",
    "track the hand",
)


async def measure(progress: Progress, seed: int) -> Figures:
    """All figures; takes about half a minute."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as folder:
        async with (
            Installation(Settings(state=Path(folder), seed=seed, port=0)) as installation,
            ConsoleWatcher(installation.server),
        ):
            progress.begin("watching the processors", 3)
            for name, instructions in (
                ("idle", ()),
                ("one_view", ("show the environment",)),
                ("all_on", ALL),
            ):
                await installation.supervisor.stop_everything("next").done()
                for text in instructions:
                    await _say(installation, text)
                await asyncio.sleep(SETTLE_S)
                figures[f"cpu_{name}_pct"] = await _cpu_pct(installation)
                figures[f"processes_{name}"] = 1 + len(installation.processes.processes())
                progress.step()
    return figures


async def _say(installation: Installation, text: str) -> None:
    if not await asyncio.wait_for(installation.supervisor.say(text).done(), 30.0):
        raise ResourceUnavailable(f"{text!r} did not succeed: {installation.events.history()[-1].text}")


async def _cpu_pct(installation: Installation) -> float:
    """Processor time of the main process and all its children over real time, in percent of one core."""
    pids = [os.getpid(), *(process.pid for process in installation.processes.processes())]
    before_s, begun_s = _cpu_s(pids), time.monotonic()
    await asyncio.sleep(WATCH_S)
    return 100.0 * (_cpu_s(pids) - before_s) / (time.monotonic() - begun_s)


def _cpu_s(pids: list[int]) -> float:
    """User and system time of these processes [s]."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def draw(drawing: Picture, figures: Figures) -> None:
    """Three bars."""
    axes = drawing.subplots()
    names = {"idle": "nothing shown", "one_view": "the environment", "all_on": "everything on"}
    bars = axes.bar(list(names.values()), [float(figures[f"cpu_{name}_pct"] or 0) for name in names])
    axes.bar_label(bars, fmt="%.0f %%")
    axes.set_ylabel("processor time, all processes [% of one core]")
    axes.set_title("What starting on demand saves")
