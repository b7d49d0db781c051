"""What came of a campaign, as data. How it is written down is in `page.py`, `table.py` and `junit.py`."""

from __future__ import annotations

import msgspec

from framework.scenarios.campaign.coverage import Coverage
from framework.scenarios.invariants import Breach
from framework.scenarios.scenario import How, Scenario


class Repair(msgspec.Struct, frozen=True):
    """How long a kind of fault was felt: until everybody had again what they had, or knew why not [ms].

    n: how many hit somebody who had something.
    """

    n: int
    mean_ms: float
    p50_ms: float
    p99_ms: float
    worst_ms: float


class Found(msgspec.Struct, frozen=True):
    """One way in which the campaign failed.

    case: the first that did, with the fewest faults that still do so. times: in how many cases.
    shrunk_from: how many faults there were at first.
    """

    breach: Breach
    words: str
    seed: int
    case: Scenario
    shrunk_from: int
    times: int = 1


class Verdict(msgspec.Struct, frozen=True):
    """One case. words: why it failed, a line each; empty if it did not."""

    seed: int
    faults: int
    took_s: float
    words: tuple[str, ...] = ()


class CampaignFigures(msgspec.Struct, frozen=True):
    """A campaign in figures: the file of `pilothouse campaign --json`. What has to be 0 counts breaches.

    breaches: of each invariant of the story, also those that held.
    """

    story: str
    seed: int
    faults: int
    runs: int
    failed_runs: int
    leaked: int
    dangling: int
    never_ended: int
    surprise_motion: int
    untold: int
    coverage_pct: float
    faults_per_s: float
    repairs: dict[How, Repair]
    histories: int = 0
    failed_histories: int = 0
    breaches: dict[Breach, int] = {}


class CampaignReport(msgspec.Struct, frozen=True):
    """One campaign. took_s: of real time; played_s: of the virtual clock's.

    histories: what was played beside the story, a verdict for each seed; histories_of: their names.
    interrupted: before as many faults had struck as were asked for.
    """

    story: str
    file: str
    seed: int
    took_s: float
    played_s: float
    verdicts: tuple[Verdict, ...]
    breaches: dict[Breach, int]
    found: tuple[Found, ...]
    coverage: Coverage
    repairs: dict[How, Repair]
    faults: int
    histories: tuple[Verdict, ...] = ()
    histories_of: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def passed(self) -> bool:
        """Whether every invariant held in every case."""
        return not any(verdict.words for verdict in (*self.verdicts, *self.histories))

    @property
    def leaked(self) -> int:
        """What was left after a case."""
        return self.breaches.get(Breach.LEAKED, 0)

    @property
    def dangling(self) -> int:
        """Leases that only one end knows."""
        return self.breaches.get(Breach.DANGLING, 0)

    @property
    def never_ended(self) -> int:
        """Plans and instructions that never were."""
        return self.breaches.get(Breach.NEVER_ENDED, 0)

    @property
    def surprise_motion(self) -> int:
        """What moved although nobody had said a word; and jumps."""
        return self.breaches.get(Breach.SURPRISE_MOTION, 0) + self.breaches.get(Breach.JUMP, 0)

    @property
    def untold(self) -> int:
        """Who lost something and was not told, or twice."""
        return self.breaches.get(Breach.UNTOLD, 0) + self.breaches.get(Breach.TOLD_TWICE, 0)

    @property
    def raw_errors(self) -> int:
        """Who was told a program's own words."""
        return self.breaches.get(Breach.RAW_ERROR, 0)

    @property
    def faults_per_s(self) -> float:
        """Of real time."""
        return self.faults / self.took_s if self.took_s else 0.0

    @property
    def figures(self) -> CampaignFigures:
        """All that is counted."""
        return CampaignFigures(
            self.story,
            self.seed,
            self.faults,
            len(self.verdicts),
            sum(bool(verdict.words) for verdict in self.verdicts),
            self.leaked,
            self.dangling,
            self.never_ended,
            self.surprise_motion,
            self.untold,
            self.coverage.percent,
            self.faults_per_s,
            self.repairs,
            len(self.histories),
            sum(bool(verdict.words) for verdict in self.histories),
            {breach: self.breaches.get(breach, 0) for breach in Breach},
        )
