"""The registrar's speed: in one process, between two, and how soon a failure is known.

    local.py     requests in one process, with many resources resident
    zenoh.py     requests to another process, beside a bare Zenoh query
    failures.py  from a failure to those who are told
    hangs.py     from a stopped process to whoever has it
    slow_worker.py  what is stopped
    far_side.py  what runs in the other processes

This file puts their figures together and says what they are compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from framework.loop_lag import LoopLag
from pilothouse.experiments.definition import Figures, Progress, facts
from pilothouse.experiments.registrar.failures import measure_failures
from pilothouse.experiments.registrar.local import measure_local
from pilothouse.experiments.registrar.zenoh import measure_zenoh

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

RESIDENT: Final = (1, 100, 1000)
KINDS: Final = ("new", "shared", "release")


async def measure(progress: Progress, seed: int) -> Figures:
    """All figures; takes about half a minute."""
    async with LoopLag(0.005) as lag:
        figures = await measure_local(RESIDENT, progress, seed)
        figures |= await measure_zenoh(progress)
        figures |= await measure_failures(progress, seed)
    figures["loop_lag_ms_p99"] = lag.quantile_ms(0.99)
    return figures


def draw(drawing: Picture, figures: Figures) -> None:
    """Time over resident resources, ours and TeMoto's; and the round trips between processes."""
    temoto = facts("registrar").paper
    left, right = drawing.subplots(1, 2, width_ratios=(2, 1))
    for kind, colour in zip(KINDS, ("tab:blue", "tab:green", "tab:orange"), strict=True):
        ours = [float(figures[f"{kind}_us_{count}"] or 0) for count in RESIDENT]
        theirs = [float(temoto[f"{kind}_us_{count}"] or 0) for count in RESIDENT]
        left.loglog(RESIDENT, ours, "o-", color=colour, label=f"{kind}, here")
        left.loglog(RESIDENT, theirs, "x--", color=colour, alpha=0.6, label=f"{kind}, TeMoto (C++)")
    left.set_xlabel("resident resources")
    left.set_ylabel("median [µs]")
    left.set_xticks(RESIDENT, [str(count) for count in RESIDENT])
    left.legend(fontsize="small")
    left.set_title("one process")
    between = {
        "bare query": figures["zenoh_raw_us"],
        "shared": figures["zenoh_request_us"],
        "new": figures["zenoh_new_us"],
    }
    right.bar(list(between), [float(figure or 0) for figure in between.values()])
    right.axhline(3 * float(figures["zenoh_raw_us"] or 0), color="tab:red", linestyle=":", label="3 × bare")
    right.set_ylabel("median [µs]")
    right.legend(fontsize="small")
    right.set_title("two processes, Zenoh")
