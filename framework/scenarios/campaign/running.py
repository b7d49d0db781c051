"""The campaign: batches of cases are drawn, played at once, and counted in the order of their drawing.

So the same seed gives the same campaign, on however many processes. What plays cases is handed in; it may be
a pool of processes. Failing cases are shrunk at the end, one of each kind.
"""

from __future__ import annotations

import math
import random
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from framework.scenarios.campaign.coverage import Coverage
from framework.scenarios.campaign.drawing import Case, Draw
from framework.scenarios.campaign.report import CampaignReport, Found, Repair, Verdict
from framework.scenarios.campaign.shrinking import shrunk
from framework.scenarios.campaign.story import story_of
from framework.scenarios.invariants import Breach, Broken
from framework.scenarios.phases import Moment
from framework.scenarios.report import Struck
from framework.scenarios.scenario import How, Scenario
from framework.scenarios.stage import StagePlace

BATCH: Final = 32
"""So many cases are drawn at most before what came of them is known; fewer if they strike often enough."""

FAULTS_PER_CASE: Final = 8
"""As long as nobody knows how often a case of this story strikes."""

FIRST_BATCH: Final = 1
"""The same, where the first failure is enough."""

DRY_RUNS: Final = 2
MOST_SHRUNK: Final = 12


class CaseResult(msgspec.Struct, frozen=True):
    """What came of a case, as little as is needed: it comes from another process. See `Report`."""

    broken: tuple[Broken, ...]
    struck: tuple[Struck, ...] = ()
    moments: dict[Moment, int] = {}
    places: tuple[StagePlace, ...] = ()
    played_s: float = 0.0
    first_s: dict[Moment, dict[str, float]] = {}

    @property
    def up(self) -> dict[Moment, Iterable[str]]:
        """The places that were up at some time of each phase."""
        return {moment: first_s.keys() - {""} for moment, first_s in self.first_s.items()}


Play = Callable[[Sequence[Case]], Iterable[CaseResult]]
"""Plays cases, in any order or at once, and gives what came of them in their order."""


def run_campaign(
    scenario: Scenario,
    play: Play,
    *,
    now_s: Callable[[], float],
    faults: int,
    seed: int = 0,
    batch: int = 0,
    is_repeatable: bool = True,
    most_shrunk: int = MOST_SHRUNK,
    fail_fast: bool = False,
    watch: Callable[[int, Coverage, int], None] = lambda faults, coverage, failed: None,
) -> CampaignReport:
    """Until so many faults have struck. watch: hears each batch how many, what is covered, what failed.

    batch: so many cases are drawn at once; 0: as suits the number of faults. is_repeatable: the same case
    runs in the same way again, so what fails can be shrunk. most_shrunk: so many failing cases, first one of
    each breach. fail_fast: it ends with the first batch in which something fails, which is not shrunk.
    A KeyboardInterrupt ends it, too: what came of all cases before is reported, and nothing is shrunk.
    """
    batch = batch or (FIRST_BATCH if fail_fast else BATCH)
    campaign = _Campaign(scenario, play, seed, batch, is_repeatable and not fail_fast, now_s, watch)
    return campaign.run(faults, most_shrunk, fail_fast=fail_fast)


class _Campaign:
    def __init__(
        self,
        scenario: Scenario,
        play: Play,
        seed: int,
        batch: int,
        is_repeatable: bool,
        now_s: Callable[[], float],
        watch: Callable[[int, Coverage, int], None],
    ) -> None:
        self._scenario = scenario
        self._story = story_of(scenario)
        self._play = play
        self._seed = seed
        self._batch_size = batch
        self._is_repeatable = is_repeatable
        self._now_s = now_s
        self._watch = watch
        self._lots = random.Random(seed)
        self._coverage = Coverage()
        self._verdicts: list[Verdict] = []
        self._breaches: Counter[Breach] = Counter()
        self._failing: dict[tuple[Breach, str], tuple[Case, Broken, int]] = {}
        self._repairs: dict[How, list[float]] = {}
        self._faults = 0
        self._played_s = 0.0

    def run(self, faults: int, most_shrunk: int, *, fail_fast: bool) -> CampaignReport:
        began_s = self._now_s()
        interrupted = False
        try:
            self._strike(faults, fail_fast=fail_fast)
        except KeyboardInterrupt:
            interrupted = True
        first = {breach: (breach, words) for breach, words in reversed(self._failing)}
        keys = [*first.values(), *(key for key in self._failing if key not in first.values())]
        found = tuple(self._shrunk(key, as_it_is=interrupted) for key in keys[:most_shrunk])
        return CampaignReport(
            self._scenario.name,
            self._scenario.file,
            self._seed,
            self._now_s() - began_s,
            self._played_s,
            tuple(self._verdicts),
            dict(self._breaches),
            found,
            self._coverage,
            {how: _repair(times) for how, times in sorted(self._repairs.items())},
            self._faults,
            interrupted=interrupted,
        )

    def _strike(self, faults: int, *, fail_fast: bool) -> None:
        self._batch([Case(self._story, self._seed + number) for number in range(DRY_RUNS)])
        draw = Draw(self._story, self._coverage, self._lots)
        self._watch(0, self._coverage, sum(bool(each.words) for each in self._verdicts))
        while self._faults < faults and self._coverage.moments and not (fail_fast and self._failing):
            before = self._faults
            size = min(self._batch_size, self._cases_for(faults - before))
            seeds = [self._seed + len(self._verdicts) + number for number in range(size)]
            cases = [draw.case(seed) for seed in seeds]
            for case, result in zip(cases, self._batch(cases), strict=True):
                draw.played(case, result.struck, result.first_s)
            self._watch(self._faults, self._coverage, sum(bool(each.words) for each in self._verdicts))
            if self._faults == before:
                break  # nothing can be struck here

    def _cases_for(self, faults: int) -> int:
        """About so many cases strike so often."""
        cases = len(self._verdicts) - DRY_RUNS
        each = self._faults / cases if cases and self._faults else FAULTS_PER_CASE
        return math.ceil(faults / each)

    def _batch(self, cases: Sequence[Case]) -> list[CaseResult]:
        results: list[CaseResult] = []
        for case, result in zip(cases, self._play(cases), strict=True):
            self._count(case, result)
            results.append(result)
        return results

    def _count(self, case: Case, result: CaseResult) -> None:
        self._coverage.places = result.places or self._coverage.places
        self._coverage.add(result.struck, result.moments, result.up)
        struck = [each for each in result.struck if not each.never and not each.error]
        self._faults += len(struck)
        self._played_s += result.played_s
        for each in struck:
            if each.repaired_ms is not None and not _is_mixed(each, struck):
                self._repairs.setdefault(each.strike.fail.how, []).append(each.repaired_ms)
        self._verdicts.append(
            Verdict(case.seed, len(struck), result.played_s, tuple(map(str, result.broken)))
        )
        kinds = {_kind(each): each for each in reversed(result.broken)}
        for key, broken in kinds.items():
            first, words, times = self._failing.get(key, (case, broken, 0))
            self._failing[key] = first, words, times + 1
        self._breaches.update(each.breach for each in result.broken)

    def _shrunk(self, key: tuple[Breach, str], *, as_it_is: bool) -> Found:
        case, broken, times = self._failing[key]
        size = len(case.scenario.faults)
        if as_it_is or not self._is_repeatable:
            return Found(broken.breach, broken.words, case.seed, case.scenario, size, times)

        def fails(scenario: Scenario) -> bool:
            (result,) = self._play([Case(scenario, case.seed)])
            return any(_kind(each) == key for each in result.broken)

        smallest = shrunk(case.scenario, fails)
        return Found(broken.breach, broken.words, case.seed, smallest, size, times)


def _kind(broken: Broken) -> tuple[Breach, str]:
    """Which breach it is, whatever the numbers in its words."""
    words = re.sub(r"/\S+", "/…", broken.words)
    return broken.breach, re.sub(r"\d+(\.\d+)?", "#", words)[:60]


def _is_mixed(one: Struck, all_struck: Sequence[Struck]) -> bool:
    """Whether another fault was felt meanwhile: how long this one took is not to be told apart from that."""
    until_s = one.at_s + (one.repaired_ms or 0.0) / 1000.0
    return any(
        each is not one and each.at_s <= until_s and each.at_s + each.strike.lasts_s >= one.at_s
        for each in all_struck
    )


def _repair(times_ms: list[float]) -> Repair:
    times_ms = sorted(times_ms)
    p99 = times_ms[min(len(times_ms) - 1, int(0.99 * len(times_ms)))]
    return Repair(len(times_ms), statistics.fmean(times_ms), statistics.median(times_ms), p99, times_ms[-1])
