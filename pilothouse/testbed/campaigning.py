"""Campaigns over installations: `campaign(scenario, faults=10_000)`, each case on one of its own.

On the virtual clock they are played on several processes; real ones (`is_real`) one after the other, with
processes that are killed and stopped. What is found for real is not shrunk: no run is like the one before.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import ProcessDied
from framework.scenarios.campaign import CampaignReport, Case, CaseResult, Coverage, run_campaign
from framework.scenarios.campaign.report import Verdict
from framework.scenarios.invariants import Breach, Broken
from framework.scenarios.report import Report
from framework.scenarios.scenario import Scenario, WhichClock
from pilothouse.testbed.histories import names, play_all
from pilothouse.testbed.playing import Logged, play
from pilothouse.testbed.virtual_installation import play_virtual

HOUSE: Final = Path(__file__).parent / "house.yaml"
"""The story of the whole played installation."""

HISTORY_SEEDS: Final = 24
"""With so many seeds the histories are played beside the story, and one more for each 50 faults; …"""

FAULTS_PER_HISTORY_SEED: Final = 5
"""… beside a small campaign with one for so many faults."""

REAL_BATCH: Final = 2
"""So many real cases are drawn before what came of them is known."""

Watch = Callable[[int, Coverage, int], None]
Players = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""As `map`."""


def campaign(
    scenario: Scenario,
    *,
    faults: int,
    seed: int = 0,
    processes: int = 0,
    is_real: bool = False,
    fail_fast: bool = False,
    watch: Watch = lambda faults, coverage, failed: None,
    watch_histories: Callable[[int, int], None] = lambda played, all_of_them: None,
) -> CampaignReport:
    """Strike the scenario's story so often. processes: 0: as many as there are processors; 1: this one.

    Raises KeyboardInterrupt if it is interrupted before the first faults (see `run_campaign`).
    """
    if is_real:
        return run_campaign(
            scenario,
            lambda cases: map(play_real_case, cases),
            now_s=time.monotonic,
            faults=faults,
            seed=seed,
            batch=REAL_BATCH,
            is_repeatable=False,
            fail_fast=fail_fast,
            watch=watch,
        )
    processes = processes or len(os.sched_getaffinity(0))
    most = HISTORY_SEEDS + faults // 50
    seeds = range(seed, seed + min(most, math.ceil(faults / FAULTS_PER_HISTORY_SEED)))
    with _players(processes) as play:
        beside: list[Verdict] = []
        for verdict in play(play_histories, seeds):
            beside.append(verdict)
            watch_histories(len(beside), len(seeds))
            if verdict.words and fail_fast:
                faults = 0
                break
        report = run_campaign(
            scenario,
            lambda cases: play(play_case, cases),
            now_s=time.monotonic,
            faults=faults,
            seed=seed,
            fail_fast=fail_fast,
            watch=watch,
        )
    return msgspec.structs.replace(report, histories=tuple(beside), histories_of=names())


def play_histories(seed: int) -> Verdict:
    """What is played beside the story, with one seed, in this process."""
    began_s = time.monotonic()
    words = tuple(map(str, play_all(seed)))
    return Verdict(seed, 0, time.monotonic() - began_s, words)


def play_case(case: Case) -> CaseResult:
    """One case, in this process, on the virtual clock."""
    return _judged(lambda: play_virtual(case.scenario, case.seed, lambda entry: None, is_drawn=False))


def play_real_case(case: Case) -> CaseResult:
    """One case, with real processes."""
    scenario = msgspec.structs.replace(case.scenario, clock=WhichClock.REAL)
    return _judged(lambda: play(scenario, case.seed))


def _judged(play_it: Callable[[], Report]) -> CaseResult:
    """What is logged as an error is a breach, and so is a run that breaks off, and what is left after it."""
    with Logged() as logged:
        try:
            report = play_it()
        except Exception as error:
            return CaseResult((Broken(Breach.ERROR, f"the run broke off: {_root_of(error)!r}"),))
    broken = [*report.broken, *(Broken(Breach.ERROR, text) for text in logged.texts)]
    if report.leaked and not any(each.breach is Breach.LEAKED for each in broken):
        broken.append(Broken(Breach.LEAKED, ", ".join(report.leaked)))
    return CaseResult(
        tuple(broken), report.struck, report.moments, report.places, report.took_s, report.first_s
    )


def _root_of(error: BaseException) -> BaseException:
    """What is wrapped in groups, the first of it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@contextmanager
def _players(processes: int) -> Iterator[Players]:
    """Plays cases on so many processes. However this is left, and if we are killed, they end at once."""
    if processes == 1:
        yield map
        return
    context = multiprocessing.get_context("spawn")  # forked, they had whatever this process has under way
    ours, theirs = context.Pipe()
    pool = ProcessPoolExecutor(processes, context, _live_as_long_as, (theirs,))
    try:
        yield pool.map
    except BrokenProcessPool as error:
        raise ProcessDied("a process that played cases was ended from outside, or had no memory") from error
    finally:
        ours.close()
        pool.shutdown(cancel_futures=True)
        theirs.close()


def _live_as_long_as(owner: Connection) -> None:
    """In a process that plays: what ends it is the owner's end of this, and not a Ctrl-C meant for both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait_for_its_end() -> None:
        with suppress(OSError):
            owner.poll(None)
        os._exit(0)

    threading.Thread(target=wait_for_its_end, name="lifeline", daemon=True).start()
