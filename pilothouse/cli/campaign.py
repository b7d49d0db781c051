"""`pilothouse campaign`: random faults over a story, at moments of its actions, until all was tried.

The story is a scenario's file, whose expectations are not judged, or the whole played house. Exit codes: 0
everything that must hold did, 1 something did not, 2 the file is wrong, 130 it was interrupted: what had
come of it by then is written as well.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from framework.errors import DescriptionError
from framework.scenarios import read_scenario
from framework.scenarios.campaign import CampaignReport, Coverage, Found, written
from framework.scenarios.campaign.junit import junit
from framework.scenarios.campaign.page import page
from framework.scenarios.campaign.table import draw as draw_table
from framework.scenarios.invariants import Breach
from framework.scenarios.picture import draw, why_no_pictures
from framework.scenarios.scenario import WhichClock
from pilothouse.cli.scenario import REPORTS, make_folder, write_file
from pilothouse.cli.seed_number import seed_number
from pilothouse.leaving import Leaving

FAULTS: Final = 1000

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C."""

HISTORIES_A_LINE: Final = 16
"""In a log there is a line for so many."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be said after `pilothouse campaign`."""
    story = parser.add_mutually_exclusive_group(required=True)
    story.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the story: a scenario (YAML)")
    story.add_argument("--house", action="store_true", help="the story of the whole house")
    parser.add_argument(
        "--faults", type=int, default=FAULTS, metavar="N", help=f"strike at least so often ({FAULTS})"
    )
    parser.add_argument(
        "--seed", type=seed_number, default=0, metavar="N", help="where randomness begins (0)"
    )
    parser.add_argument(
        "--real",
        action="store_true",
        help="with real processes, one run after the other (about 4 faults each)",
    )
    parser.add_argument(
        "--processes", type=int, default=0, metavar="N", help="at once (0: one for each processor)"
    )
    parser.add_argument(
        "--fail-fast",
        action="store_true",
        help="end with the first runs that fail, and make none of them small",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the results there, as JUnit XML")
    parser.add_argument(
        "--report",
        type=Path,
        default=REPORTS,
        metavar="DIR",
        help=f"where page, table and failing scenarios are written (default: {REPORTS})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run it and report. Raises DescriptionError for a file that is wrong."""
    from pilothouse.testbed.campaigning import HOUSE, campaign

    if arguments.real and arguments.processes > 1:
        raise DescriptionError(f"processes is {arguments.processes}; real runs come one after the other")
    if arguments.faults < 1 or arguments.processes < 0:
        raise DescriptionError(
            f"faults is {arguments.faults} and processes {arguments.processes}; "
            "faults must be 1 or more, processes 0 or more"
        )
    scenario = read_scenario(HOUSE if arguments.house else arguments.file)
    for folder in (arguments.report, *(file and file.parent for file in (arguments.junit, arguments.json))):
        make_folder(folder)
    console = Console(highlight=False)
    with console.status(f"{scenario.name}: starting …") as status:

        def watch(faults: int, coverage: Coverage, failed: int) -> None:
            words = f"{faults} of {arguments.faults} faults, {coverage.percent:.1f} % covered"
            status.update(f"{scenario.name}: {words}, {failed} runs failed")
            if not console.is_terminal:  # in a log nobody sees the status
                console.print(f"  {words}, {failed} runs failed", soft_wrap=True)

        def watch_histories(played: int, all_of_them: int) -> None:
            words = f"histories beside it: {played} of {all_of_them} seeds"
            status.update(f"{scenario.name}: {words}")
            if not console.is_terminal and (played % HISTORIES_A_LINE == 0 or played == all_of_them):
                console.print(f"  {words}", soft_wrap=True)

        try:
            with Leaving():
                report = campaign(
                    scenario,
                    faults=arguments.faults,
                    seed=arguments.seed,
                    processes=arguments.processes,
                    is_real=arguments.real,
                    fail_fast=arguments.fail_fast,
                    watch=watch,
                    watch_histories=watch_histories,
                )
        except KeyboardInterrupt:
            console.print(f"Interrupted before the first of {arguments.faults} faults: nothing is written.")
            return INTERRUPTED
    if report.interrupted:
        console.print(f"Interrupted after {report.faults} of {arguments.faults} faults. Of those:")
    _tell(report, console)
    _write(report, "house" if arguments.house else arguments.file.stem, arguments, console)
    if report.interrupted:
        return INTERRUPTED
    return 0 if report.passed else 1


def _tell(report: CampaignReport, console: Console) -> None:
    failed = sum(bool(verdict.words) for verdict in report.verdicts)
    console.print(
        Text(
            f"{'passed' if report.passed else 'FAILED'}: {report.faults} faults in "
            f"{len(report.verdicts)} runs ({failed} failed), {report.coverage.percent:.1f} % of the "
            f"cells in reach were struck, {report.faults_per_s:.1f} faults a second",
            style="green" if report.passed else "bold red",
        ),
        soft_wrap=True,
    )
    errors, afterwards = (report.breaches.get(each, 0) for each in (Breach.ERROR, Breach.AFTERWARDS))
    console.print(
        f"  leaked {report.leaked}, dangling {report.dangling}, never ended {report.never_ended}, "
        f"surprise motion {report.surprise_motion}, untold {report.untold}, raw errors {report.raw_errors}, "
        f"errors {errors}, afterwards {afterwards}",
        soft_wrap=True,
    )
    for verdict in report.histories:
        for words in verdict.words:
            console.print(Text(f"  {words}", style="red"), soft_wrap=True)
    if report.histories:
        wrong = sum(bool(verdict.words) for verdict in report.histories)
        console.print(
            f"  histories beside it: of {len(report.histories)} seeds {wrong} failed", soft_wrap=True
        )
    for how, repair in report.repairs.items():
        console.print(
            f"  {how.value}: repaired after {repair.mean_ms:.0f} ms on average, "
            f"p50 {repair.p50_ms:.0f}, p99 {repair.p99_ms:.0f} ({repair.n} faults)",
            soft_wrap=True,
        )


def _write(report: CampaignReport, name: str, arguments: argparse.Namespace, console: Console) -> None:
    folder: Path = arguments.report
    has_pictures = not why_no_pictures()
    files: dict[int, str] = {}
    pictures: dict[str, Path] = {}
    for number, found in enumerate(report.found):
        file = folder / f"{name}-{number + 1}-{found.breach.value.replace(' ', '_')}.yaml"
        _write_case(found, file, WhichClock.REAL if arguments.real else WhichClock.VIRTUAL)
        files[number] = str(file)
        console.print(Text(f"{found.breach.value}: {found.words}", style="red"), soft_wrap=True)
        for strike in found.case.faults:
            console.print(f"    {strike}", soft_wrap=True)
        console.print(f"  pilothouse scenario {file} --seed {found.seed}", soft_wrap=True)
        if has_pictures and not arguments.real:  # it would be another run
            pictures[str(number)] = _timeline(found, file.with_suffix(".png"))
    if has_pictures:
        table = folder / f"{name}-coverage.png"
        write_file(table, lambda: draw_table(report, table))
    whole = folder / f"{name}-campaign.html"
    write_file(whole, lambda: whole.write_text(page(report, pictures, files), encoding="utf-8"))
    if arguments.junit is not None:
        write_file(arguments.junit, lambda: arguments.junit.write_bytes(junit(report)))
    if arguments.json is not None:
        figures = msgspec.json.format(msgspec.json.encode(report.figures))
        write_file(arguments.json, lambda: arguments.json.write_bytes(figures))
    console.print(f"Report: {whole}", soft_wrap=True)


def _write_case(found: Found, file: Path, clock: WhichClock) -> None:
    case = msgspec.structs.replace(found.case, clock=clock)
    comment = f"{found.breach.value}: {found.words}\nFound by a campaign; it fails with --seed {found.seed}."
    write_file(file, lambda: file.write_text(written(case, comment), encoding="utf-8"))


def _timeline(found: Found, file: Path) -> Path:
    from pilothouse.testbed.virtual_installation import play_virtual

    report = play_virtual(found.case, found.seed, lambda entry: None)
    write_file(file, lambda: draw(report, file))
    return file
