"""Paper 004, section 4, measured: how long the operator sees nothing when the shown sensor dies.

The installation is the real one: its processes, its console, and a page that
notes when samples arrive. Each sensor's process is killed with SIGKILL and the
device stays unplugged, so the picture has to come from the next best one.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from framework.errors import ResourceUnavailable
from framework.supervisor import EventKind
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.installation import Installation, Settings
from pilothouse.testbed.console_watcher import ConsoleWatcher
from resources.children.failing import FailMode

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

#: The sensors in the order of preference (paper 004: RGB-D, swept lidar, base lidar).
ORDER: Final = ("front_camera", "wrist_cloud", "front_lidar")
PATIENCE_S: Final = 20.0


async def measure(progress: Progress, seed: int) -> Figures:
    """All figures; takes about half a minute."""
    with tempfile.TemporaryDirectory() as folder:
        progress.begin("starting the robot", 1)
        async with (
            Installation(Settings(state=Path(folder), seed=seed, port=0)) as installation,
            ConsoleWatcher(installation.server) as page,
        ):
            progress.step()
            progress.begin("killing the shown sensor, three times", 3)
            gaps = await _cold(installation, page, progress)
            progress.begin("killing it while its substitute is in use already", 1)
            gaps["gap_warm_ms"] = await _warm(installation, page)
            progress.step()
            await installation.supervisor.stop_everything("measured").done()
            gaps["leaked"] = await _leaked(installation)
            gaps["loop_lag_ms_p99"] = installation.lag.quantile_ms(0.99)
    return gaps


async def _cold(installation: Installation, page: ConsoleWatcher, progress: Progress) -> Figures:
    """From one sensor to the next, each started only when it is needed."""
    await _say(installation, "show the environment")
    await page.sample_of(ORDER[0], taken_after_s=0.0, within_s=PATIENCE_S)
    figures: Figures = {}
    for number, (shown, substitute) in enumerate(pairwise(ORDER), 1):
        figures[f"gap_{number}_ms"] = await _gap_ms(installation, page, shown, substitute)
        progress.step()
        await asyncio.sleep(1.0)
    seen = installation.events.last_sequence
    _kill(installation, ORDER[-1])
    figures["told_third"] = await _told(installation, seen)
    progress.step()
    for device in ORDER:
        installation.managers.faults.restore(device)
    return figures


async def _warm(installation: Installation, page: ConsoleWatcher) -> float:
    """The substitute is already shown to somebody else."""
    await _say(installation, "show the wrist cloud")
    await _say(installation, "show the environment")
    await page.sample_of(ORDER[1], taken_after_s=0.0, within_s=PATIENCE_S)
    await page.sample_of(ORDER[0], taken_after_s=time.monotonic() - 1.0, within_s=PATIENCE_S)
    # The other view of the cloud goes on all the time: only the environment's own new view counts.
    others = page.views
    killed_s = time.monotonic()
    _kill(installation, ORDER[0])
    arrived_s = await page.sample_of(ORDER[1], taken_after_s=killed_s, within_s=PATIENCE_S, besides=others)
    return 1000.0 * (arrived_s - killed_s)


async def _gap_ms(installation: Installation, page: ConsoleWatcher, shown: str, substitute: str) -> float:
    killed_s = time.monotonic()
    _kill(installation, shown)
    arrived_s = await page.sample_of(substitute, taken_after_s=killed_s, within_s=PATIENCE_S)
    return 1000.0 * (arrived_s - killed_s)


def _kill(installation: Installation, device: str) -> None:
    installation.managers.faults.fail(device, FailMode.DIE)


async def _say(installation: Installation, text: str) -> None:
    if not await asyncio.wait_for(installation.supervisor.say(text).done(), PATIENCE_S):
        raise ResourceUnavailable(f"{text!r} did not succeed: {installation.events.history()[-1].text}")


async def _told(installation: Installation, since: int) -> bool:
    """Whether the operator is told in words that nothing is left, and the action ends failed."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            async for event in installation.events.follow(since=since):
                if event.kind is EventKind.FAILED:
                    return (
                        all(device in event.text for device in ORDER) and not installation.supervisor.plans()
                    )
    except TimeoutError:
        pass
    return False


async def _leaked(installation: Installation) -> int:
    """Resources, children and views beyond the simulated world, when everything has been stopped."""
    for _ in range(100):
        resources = sum(len(r.snapshot().resources) for r in installation.managers.registrars)
        left = (
            resources
            - 2
            + len(installation.processes.processes())
            - 1
            + len(installation.managers.outputs.views())
        )
        if left == 0:
            break
        await asyncio.sleep(0.1)
    return left


def draw(drawing: Picture, figures: Figures) -> None:
    """The gaps beside what was promised."""
    axes = drawing.subplots()
    names = {
        "gap_1_ms": "camera → swept lidar\n(cold)",
        "gap_2_ms": "swept lidar → base lidar\n(cold)",
        "gap_warm_ms": "camera → swept lidar\n(in use already)",
    }
    bars = axes.bar(list(names.values()), [float(figures[name] or 0) for name in names], color="tab:blue")
    axes.bar_label(bars, fmt="%.0f ms")
    for place, bound in enumerate((3000, 3000, 1000)):
        axes.hlines(bound, place - 0.4, place + 0.4, colors="tab:red", linestyles=":")
    axes.set_ylabel("from SIGKILL to the first sample in the page [ms]")
    axes.set_title("How long the operator sees nothing")
