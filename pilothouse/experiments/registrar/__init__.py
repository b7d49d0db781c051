"""The registrar's speed: in one process, between two, and how soon a failure is known.

    registrar_house.py     requests in one process, with many resources resident
    registrar_zenoh.py     requests to another process, beside a bare Zenoh query
    registrar_failures.py  from a failure to those who are told
    registrar_far_side.py  what runs in the other processes

This file puts their figures together and says what they are compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pilothouse.experiments.definition import Experiment, Figures, Progress, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

RESIDENT: Final = (1, 100, 1000)
KINDS: Final = ("new", "shared", "release")


async def measure(progress: Progress, seed: int) -> Figures:
    """All figures; takes about half a minute."""
    from framework.loop_lag import LoopLag
    from pilothouse.experiments.registrar.failures import measure_failures
    from pilothouse.experiments.registrar.local import measure_houses
    from pilothouse.experiments.registrar.zenoh import measure_zenoh

    async with LoopLag(0.005) as lag:
        figures = await measure_houses(RESIDENT, progress, seed)
        figures |= await measure_zenoh(progress)
        figures |= await measure_failures(progress, seed)
    figures["loop_lag_ms_p99"] = lag.quantile_ms(0.99)
    return figures


def draw(drawing: Picture, figures: Figures) -> None:
    """Time over resident resources, ours and TeMoto's; and the round trips between processes."""
    left, right = drawing.subplots(1, 2, width_ratios=(2, 1))
    for kind, colour in zip(KINDS, ("tab:blue", "tab:green", "tab:orange"), strict=True):
        ours = [float(figures[f"{kind}_us_{count}"] or 0) for count in RESIDENT]
        theirs = [TEMOTO[f"{kind}_us_{count}"] for count in RESIDENT]
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


TEMOTO: Final = {
    "new_us_1": 5.0,
    "new_us_100": 22.9,
    "new_us_1000": 353.0,
    "shared_us_1": 3.7,
    "shared_us_100": 7.4,
    "shared_us_1000": 67.0,
    "release_us_1": 3.0,
    "release_us_100": 9.5,
    "release_us_1000": 82.0,
}
"""Their C++ core (paper 004), compiled with -O2, measured by us in one process; they published no figure."""

EXPERIMENT: Final = Experiment(
    name="registrar",
    summary="how fast requests, releases and news of failures are",
    run=measure,
    paper_title="TeMoto (C++)",
    paper=TEMOTO,
    peers={"dimos 0.0.15": {"release_us_1000": 20.0}},
    goals={
        "new_us_1000": at_most(45),
        "shared_us_1000": at_most(25),
        "release_us_1000": at_most(30),
        "ratio_new_1000": at_most(1.25),
        "ratio_shared_1000": at_most(1.25),
        "ratio_release_1000": at_most(1.25),
        "zenoh_ratio": at_most(3),
        "notify_ms_p99": at_most(50),
        "child_death_ms_p99": at_most(50),
        "loop_lag_ms_p99": at_most(20),
    },
    plot=draw,
    notes=(
        "…_us are medians of wall-clock time; _1, _100, _1000 are resources that were up meanwhile.",
        "release: from leaving the body until the provider has ended and is forgotten.",
        "zenoh_request_us: a request for a resource that is up already, the same work as a bare query "
        "plus our books; zenoh_new_us also runs its provider.",
        "TeMoto's core was compiled and measured by us; nothing of the kind was ever published.",
    ),
)
