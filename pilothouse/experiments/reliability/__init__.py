"""What is promised under faults, measured: docs/reliability.md has the promises beside the figures.

What takes minutes is measured here (a campaign on the virtual clock, hangs of real children, ways to
leave, the main loop while sentences are said); what takes an hour is handed in, as the file that its own
command wrote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from framework.errors import DescriptionError
from framework.scenarios import read_scenario
from framework.scenarios.campaign import CampaignFigures, Coverage
from framework.scenarios.comparing import Comparison, same_pct
from framework.unreadable import UNREADABLE
from pilothouse.experiments.definition import Figures, Progress, Run
from pilothouse.experiments.registrar.hangs import measure_hangs
from pilothouse.experiments.reliability.sentences import measure_blocks
from pilothouse.testbed.campaigning import HOUSE, campaign
from pilothouse.testbed.exits import WAYS
from pilothouse.testbed.exits import measure as measure_exit

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

FAULTS: Final = 10_000
STOPS: Final = 50

T = TypeVar("T")


class MutantVerdict(msgspec.Struct, frozen=True):
    """One planted bug. by: what noticed it; empty if nothing did."""

    name: str
    area: str
    by: str


class MutantVerdicts(msgspec.Struct, frozen=True):
    """The file that `python -m tests.mutants --json` writes."""

    campaign: int
    mutants: tuple[MutantVerdict, ...]
    caught_pct: float


def measure_on(given: Mapping[str, Path]) -> Run:
    """All figures; hours, or half of one if the campaign is given. given: files that take longer to make."""

    def measure(progress: Progress, seed: int) -> Figures:
        handed_in = _handed_in(given)
        if "campaign" in given:
            campaigned = _campaigned(_read(given["campaign"], CampaignFigures))
        else:
            campaigned = _campaign(progress, seed)
        return campaigned | asyncio.run(_besides(progress, seed)) | handed_in

    return measure


measure = measure_on({})


async def _besides(progress: Progress, seed: int) -> Figures:
    figures = await measure_blocks(progress, seed)
    figures |= await measure_hangs(progress, seed, stops=STOPS, busy=2)
    return figures | await _exits(progress)


def _campaign(progress: Progress, seed: int) -> Figures:
    progress.begin("faults in a campaign over the played house", FAULTS)
    seen = 0

    def watch(faults: int, coverage: Coverage, failed: int) -> None:
        nonlocal seen
        while seen < min(faults, FAULTS):
            seen += 1
            progress.step()

    return _campaigned(campaign(read_scenario(HOUSE), faults=FAULTS, seed=seed, watch=watch).figures)


def _campaigned(found: CampaignFigures) -> Figures:
    figures: Figures = {
        "faults": found.faults,
        "leaked": found.leaked,
        "dangling": found.dangling,
        "never_ended": found.never_ended,
        "surprise_motion": found.surprise_motion,
        "untold": found.untold,
        "coverage_pct": found.coverage_pct,
    }
    for how, repair in found.repairs.items():
        figures[f"mttr_ms_p50_{how.value}"] = repair.p50_ms
        figures[f"mttr_ms_p99_{how.value}"] = repair.p99_ms
    return figures


async def _exits(progress: Progress) -> Figures:
    ways = [way for way in WAYS if len(way.signals) == 1]
    twice = [way for way in WAYS if len(way.signals) == 2]
    progress.begin("leaving although plugins refuse to end", len(ways) + len(twice))
    longest = {True: 0.0, False: 0.0}
    for way in (*ways, *twice):
        left = await measure_exit(way)
        is_one = len(way.signals) == 1
        longest[is_one] = max(longest[is_one], float("inf") if left.gone_s is None else left.exited_s)
        progress.step()
    return {"exit_s_max": longest[True], "exit_second_signal_s_max": longest[False]}


def _handed_in(given: Mapping[str, Path]) -> Figures:
    """Of the files. Raises DescriptionError for one that is none of these; what was not given is None."""
    figures: Figures = dict.fromkeys(
        ("faults_real", "virtual_equals_real_pct", "mutants", "mutants_pct", "mutants_by_campaign_pct")
    )
    if "real" in given:
        real = _read(given["real"], CampaignFigures)
        figures["faults_real"] = real.faults
        figures["failed_real"] = real.leaked + real.dangling + real.never_ended + real.surprise_motion
        figures["untold_real"] = real.untold
    if "compared" in given:
        compared = _read(given["compared"], tuple[Comparison, ...])
        figures["virtual_equals_real_pct"] = same_pct(compared)
        figures["scenarios_compared"] = len(compared)
    if "mutants" in given:
        by_tests = _read(given["mutants"], MutantVerdicts)
        figures["mutants"] = len(by_tests.mutants)
        figures["mutants_pct"] = by_tests.caught_pct
    if "by_campaign" in given:
        figures["mutants_by_campaign_pct"] = _read(given["by_campaign"], MutantVerdicts).caught_pct
    return figures


def _read(file: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, *UNREADABLE) as error:
        raise DescriptionError(f"this is not what its command writes: {error}", file=str(file)) from error


def draw(drawing: Picture, figures: Figures) -> None:
    """How long each kind of fault was felt."""
    kinds = [name.removeprefix("mttr_ms_p50_") for name in figures if name.startswith("mttr_ms_p50_")]
    axes = drawing.subplots()
    places = range(len(kinds))
    for name, width, colour in (("p99", 0.8, "tab:orange"), ("p50", 0.4, "tab:blue")):
        lengths = [float(figures[f"mttr_ms_{name}_{kind}"] or 0.0) for kind in kinds]
        axes.barh(places, lengths, height=width, color=colour, label=name)
    axes.set_yticks(list(places), kinds)
    axes.set_xlabel("from the strike until it is repaired, or told [ms]")
    axes.set_title(f"{figures['faults']:.0f} faults in the played house")
    axes.legend()
