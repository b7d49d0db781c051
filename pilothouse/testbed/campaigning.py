"""Campaigns over played installations, on several processes: `campaign(scenario, faults=10_000)`.

Each case is an installation of its own on the virtual clock, so cases know nothing of each other.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from framework.scenarios.campaign import CampaignReport, Case, CaseResult, Coverage, run_campaign
from framework.scenarios.invariants import Breach, Broken
from framework.scenarios.scenario import Scenario
from pilothouse.testbed.playing import Logged
from pilothouse.testbed.virtual_installation import play_virtual

HOUSE: Final = Path(__file__).parent / "house.yaml"
"""The story of the whole played installation."""

Watch = Callable[[int, Coverage, int], None]


def campaign(
    scenario: Scenario,
    *,
    faults: int,
    seed: int = 0,
    processes: int = 0,
    watch: Watch = lambda faults, coverage, failed: None,
) -> CampaignReport:
    """Strike the scenario's story so often. processes: 0: as many as there are processors; 1: this one."""
    processes = processes or len(os.sched_getaffinity(0))
    with _players(processes) as play:
        return run_campaign(scenario, play, now_s=time.monotonic, faults=faults, seed=seed, watch=watch)


def play_case(case: Case) -> CaseResult:
    """One case, in this process. What is logged as an error is a breach, and so is a run that breaks off."""
    with Logged() as logged:
        try:
            report = play_virtual(case.scenario, case.seed, lambda entry: None, is_drawn=False)
        except Exception as error:
            return CaseResult((Broken(Breach.ERROR, f"the run broke off: {_root_of(error)!r}"),))
    errors = tuple(Broken(Breach.ERROR, text) for text in logged.texts)
    broken = (*report.broken, *errors)
    return CaseResult(broken, report.struck, report.moments, report.places, report.took_s, report.first_s)


def _root_of(error: BaseException) -> BaseException:
    """What is wrapped in groups, the first of it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@contextmanager
def _players(processes: int) -> Iterator[Callable[[Sequence[Case]], Iterable[CaseResult]]]:
    if processes == 1:
        yield lambda cases: map(play_case, cases)
        return
    # Not forked: that copies whatever this process has under way.
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        yield lambda cases: pool.map(play_case, cases)
