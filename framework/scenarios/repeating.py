"""Many runs of scenarios with different seeds: which failed, and how the smallest one is repeated alone."""

from __future__ import annotations

import shlex
import statistics

import msgspec

from framework.errors import DescriptionError
from framework.scenarios.report import Report


def seeds_of(seed: int, repeat: int) -> range:
    """The seeds of `--seed N --repeat N`. Raises DescriptionError for what cannot be run."""
    if seed < 0 or repeat < 1:
        raise DescriptionError(
            f"seed is {seed} and repeat {repeat}; seed must be 0 or more, repeat 1 or more"
        )
    return range(seed, seed + repeat)


class Repeated(msgspec.Struct, frozen=True):
    """All runs of one scenario file, in the order of their seeds."""

    reports: tuple[Report, ...]

    @property
    def failed(self) -> tuple[Report, ...]:
        """The runs that did not pass."""
        return tuple(report for report in self.reports if not report.passed)

    @property
    def smallest_failing(self) -> Report | None:
        """The failing run with the smallest seed."""
        return min(self.failed, key=lambda report: report.seed, default=None)

    def how_to_repeat(self, options: str = "") -> str:
        """The command that runs just the smallest failing seed; empty if none failed."""
        report = self.smallest_failing
        if report is None:
            return ""
        return f"pilothouse scenario {shlex.quote(report.file)} --seed {report.seed} {options}".rstrip()

    def numbers(self) -> dict[str, tuple[float, float, float]]:
        """Of each recorded number: smallest, median, largest over all runs that have it."""
        found: dict[str, list[float]] = {}
        for report in self.reports:
            for name, value in report.numbers.items():
                found.setdefault(name, []).append(value)
        return {name: (min(each), statistics.median(each), max(each)) for name, each in found.items()}
