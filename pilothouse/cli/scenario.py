"""`pilothouse scenario`: runs scenario files, each on an installation of its own, and reports.

What a scenario is and how it runs is in `framework.scenarios`. Exit codes: 0 all passed, 1 some did
not, 2 a file is wrong or the machine is not as it should be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec
from rich.console import Console
from rich.status import Status
from rich.text import Text

from framework.errors import DescriptionError, InstallationError
from framework.scenarios import reading
from framework.scenarios.comparing import Comparison, same_pct
from framework.scenarios.junit import junit
from framework.scenarios.markdown import document, verdict
from framework.scenarios.picture import draw, why_no_pictures
from framework.scenarios.repeating import Repeated, seeds_of
from framework.scenarios.report import Entry, Kind, Report
from framework.scenarios.scenario import Scenario, WhichClock
from pilothouse.cli.seed_number import seed_number
from pilothouse.leaving import Leaving
from pilothouse.testbed.playing import both_ways, play

REPORTS: Final = Path("reports")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be said after `pilothouse scenario`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = reading.__doc__
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="scenario files (YAML)")
    parser.add_argument(
        "--seed", type=seed_number, default=0, metavar="N", help="where randomness begins (0)"
    )
    parser.add_argument(
        "--repeat", type=int, default=1, metavar="N", help="run with N seeds, from --seed upwards (1)"
    )
    clocks = parser.add_mutually_exclusive_group()
    clocks.add_argument("--clock", choices=[each.value for each in WhichClock], help="instead of the file's")
    clocks.add_argument(
        "--both",
        action="store_true",
        help="run once on each clock, and say where the two runs differ, moment by moment; no reports",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="with --both: write the comparisons there")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the results there, as JUnit XML")
    parser.add_argument(
        "--report",
        type=Path,
        default=REPORTS,
        metavar="DIR",
        help=f"where reports with pictures are written (default: {REPORTS})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run everything and report. Raises DescriptionError, with all mistakes of all files."""
    scenarios = _read(arguments.files, arguments.clock)
    if arguments.both:
        with Leaving() as leaving:
            return _compare(scenarios, arguments.seed, arguments.json, Console(highlight=False), leaving)
    if arguments.json is not None:
        raise DescriptionError("--json is for comparisons: give --both, too, or --junit for the results")
    seeds = seeds_of(arguments.seed, arguments.repeat)
    for folder in (arguments.report, arguments.junit and arguments.junit.parent):
        make_folder(folder)
    console = Console(highlight=False)
    results: list[Repeated] = []
    with Leaving() as leaving:
        for scenario in scenarios:
            repeated = _repeat(scenario, seeds, console, leaving)
            results.append(repeated)
            _conclude(repeated, scenario, arguments, console)
    if arguments.junit is not None:
        write_file(arguments.junit, lambda: arguments.junit.write_bytes(junit(results)))
    return 1 if any(repeated.failed for repeated in results) else 0


# ---------------------------------------------------------------- running


def _repeat(scenario: Scenario, seeds: Sequence[int], console: Console, leaving: Leaving) -> Repeated:
    """All seeds of one scenario. One seed is told line by line, many in one line each."""
    reports: list[Report] = []
    alone = len(seeds) == 1
    console.print(Text(f"{scenario.name} ({scenario.clock.value} clock)", style="bold"))
    for number, seed in enumerate(seeds, 1):
        with _Told(console, f"seed {seed} ({number} of {len(seeds)})", line_by_line=alone) as told:
            report = play(scenario, seed, told.entry, leaving)
        reports.append(report)
        if not alone and not report.passed:
            console.print(Text(f"  seed {seed}: {report.failure}", style="red"))
    return Repeated(tuple(reports))


def _compare(
    scenarios: Sequence[Scenario], seed: int, file: Path | None, console: Console, leaving: Leaving
) -> int:
    """Each scenario on both clocks. file: the comparisons are written there."""
    comparisons: list[Comparison] = []
    passed = True
    for scenario in scenarios:
        with _Told(console, scenario.name, line_by_line=False) as told:
            *reports, comparison = both_ways(scenario, seed, told.entry, leaving)
        for report in reports:
            if not report.passed:
                passed = False
                console.print(Text(f"{verdict(report)} ({report.clock.value} clock)", style="bold red"))
                console.print(Text(report.failure, style="red"), soft_wrap=True)
        console.print(Text(str(comparison), style="" if comparison.same else "red"), soft_wrap=True)
        comparisons.append(comparison)
    if file is not None:
        content = msgspec.json.format(msgspec.json.encode(comparisons))
        write_file(file, lambda: file.write_bytes(content))
    if len(comparisons) > 1:
        console.print(Text(f"{same_pct(comparisons):g} % go the same way in both", style="bold"))
    return 0 if passed and all(comparison.same for comparison in comparisons) else 1


# ---------------------------------------------------------------- files


def _read(files: Sequence[Path], clock: str | None) -> list[Scenario]:
    found: list[Scenario] = []
    mistakes: list[str] = []
    for file in files:
        try:
            scenario = reading.read_scenario(file)
        except DescriptionError as error:
            mistakes.append(str(error))
            continue
        found.append(msgspec.structs.replace(scenario, clock=WhichClock(clock)) if clock else scenario)
    if mistakes:
        raise DescriptionError("\n".join(mistakes))
    return found


def make_folder(folder: Path | None) -> None:
    """The folder for reports, if one is wanted. Raises InstallationError."""
    if folder is not None:
        write_file(folder, lambda: folder.mkdir(parents=True, exist_ok=True))


def write_file(file: Path, write: Callable[[], object]) -> None:
    """Write one. Raises InstallationError, in words, where that cannot be done."""
    try:
        write()
    except OSError as error:
        raise InstallationError(f"{file} cannot be written: {error.strerror or error}") from error


# ---------------------------------------------------------------- telling


class _Told(AbstractContextManager["_Told"]):
    """What is going on, on the terminal: a line that moves; with `line_by_line` the timeline as it grows."""

    def __init__(self, console: Console, what: str, *, line_by_line: bool) -> None:
        self._console = console
        self._what = what
        self._line_by_line = line_by_line
        self._status = Status(f"{what}: starting …", console=console)

    def __enter__(self) -> _Told:
        self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def entry(self, entry: Entry) -> None:
        """One more line of the timeline."""
        self._status.update(Text(f"{self._what}: {entry.began_s:.1f} s {entry.text}"))
        if self._line_by_line:
            style = "bold red" if entry.ok is False else "dim" if entry.kind is Kind.SKIPPED else ""
            self._console.print(Text(str(entry), style=style), soft_wrap=True)
            for detail in entry.detail:
                self._console.print(Text(f"{'':16}{detail}", style="dim"), soft_wrap=True)


def _conclude(
    repeated: Repeated, scenario: Scenario, arguments: argparse.Namespace, console: Console
) -> None:
    """Verdict, numbers, the report on disk: of the smallest failing seed, or else of the first."""
    folder = arguments.report
    options = f"--clock {arguments.clock}" if arguments.clock else ""
    smallest = repeated.smallest_failing
    kept = smallest or repeated.reports[0]
    if len(repeated.reports) == 1:
        console.print(Text(verdict(kept), style="green" if kept.passed else "bold red"), soft_wrap=True)
        if kept.failure:
            console.print(Text(kept.failure, style="red"), soft_wrap=True)
    else:
        passed = len(repeated.reports) - len(repeated.failed)
        style = "bold red" if repeated.failed else "green"
        console.print(Text(f"{passed} of {len(repeated.reports)} seeds passed", style=style))
        for name, (least, median, most) in repeated.numbers().items():
            console.print(Text(f"  {name}: {least:g} … {median:g} … {most:g} (least, median, most)"))
    if smallest is not None:
        console.print(Text(f"The smallest failing seed is {smallest.seed}. To repeat just that one:"))
        console.print(Text(f"  {repeated.how_to_repeat(options)}"), soft_wrap=True)
    name = Path(scenario.file).stem + (f"-seed-{kept.seed}" if len(repeated.reports) > 1 else "")
    picture, text = folder / f"{name}.png", folder / f"{name}.md"
    missing = why_no_pictures()
    if not missing:
        write_file(picture, lambda: draw(kept, picture))
    write_file(
        text, lambda: text.write_text(document(kept, "" if missing else picture.name), encoding="utf-8")
    )
    rest = f"without a picture: {missing}" if missing else f"with the picture {picture}"
    console.print(Text(f"Report: {text}, {rest}"), soft_wrap=True)
    sys.stdout.flush()
