"""Run with `make mutants`: each mutation on a copy of the package, its area's tests on the copy.

A mutant is caught when a test fails on it; an import error, a hang or a crash of the test run is no catch.
The unmutated copy of each area has to pass. Exit code 0 if all are caught.

`--campaign N` asks something else: whether a campaign of N random faults over the played house notices the
mutant, without any test. Then a mutant may be missed; what counts is how many are not (`--json`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import msgspec

from framework.scenarios.invariants import Breach
from tests.mutants.areas import ALWAYS, AREAS, HOUSE, ROOT, Area, area_of
from tests.mutants.catalogue import MUTANTS, Mutant

#: No test run of a copy takes this long unless the mutant hangs it [s].
TIMEOUT_S = 120.0

#: No campaign over a copy takes this long unless the mutant hangs it [s].
CAMPAIGN_TIMEOUT_S = 600.0

#: A failing test for one of these reasons says nothing about the mutant.
BROKEN = ("ImportError", "ModuleNotFoundError", "SyntaxError", "NameError", "IndentationError")

NOT_COPIED = shutil.ignore_patterns("__pycache__", "node_modules", "dist")

PAGE = "docs/mutants.md"


class Attempt(NamedTuple):
    """What is tried: a mutant, or the unmutated copy of its area (None), which has to pass."""

    area: Area
    mutant: Mutant | None

    @property
    def name(self) -> str:
        """As the table calls it."""
        return self.mutant.name if self.mutant is not None else f"(none: {self.area.name})"


class Verdict(NamedTuple):
    """What became of an attempt. by: the test that failed first; without one, what happened instead."""

    attempt: Attempt
    ok: bool
    by: str
    took_s: float


def main(arguments: list[str]) -> int:
    """Try all mutants, or the chosen ones; print a table; 0 if every one is caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="which mutants; without any, all")
    parser.add_argument("--at-once", type=int, default=2, help="how many are tried at the same time (2)")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE}, after a whole run")
    parser.add_argument(
        "--campaign", type=int, default=0, metavar="N", help="no tests: a campaign of N faults over the house"
    )
    parser.add_argument("--area", action="append", default=[], help="only mutants of these areas")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts there")
    wishes = parser.parse_args(arguments)
    chosen = set(wishes.names)
    if unknown := chosen - {mutant.name for mutant in MUTANTS}:
        names = ", ".join(mutant.name for mutant in MUTANTS)
        parser.error(f"there is no mutant named {', '.join(sorted(unknown))}; there are {names}")
    if wishes.write and chosen:
        parser.error(f"{PAGE} holds all mutants: --write goes without names")
    if wishes.write and (wishes.campaign or wishes.area):
        parser.error(f"{PAGE} holds what the tests notice of all mutants")
    mutants = [Attempt(area_of(each.file), each) for each in MUTANTS if not chosen or each.name in chosen]
    mutants = [each for each in mutants if not wishes.area or each.area.name in wishes.area]
    areas = {attempt.area.name for attempt in mutants}
    unbroken = [Attempt(area, None) for area in AREAS if area.name in areas]
    todo = [*(unbroken[:1] if wishes.campaign else unbroken), *mutants]
    began_s = time.monotonic()
    verdicts = tried(todo, wishes.at_once, wishes.campaign)
    took_s = time.monotonic() - began_s
    missed = [verdict.attempt for verdict in verdicts if not verdict.ok]
    print(f"{len(todo) - len(missed)} of {len(todo)} as they should be, {took_s:.0f} s")
    for attempt in missed:
        if attempt.mutant is not None:
            print(f"not caught: {attempt.name} ({attempt.mutant.file}): {attempt.mutant.why}")
    if wishes.json is not None:
        wishes.json.write_bytes(msgspec.json.format(msgspec.json.encode(summary(verdicts, wishes.campaign))))
    if wishes.write and not missed:
        (ROOT / PAGE).write_text(page(verdicts, took_s), encoding="utf-8")
    return 1 if missed else 0


class Line(msgspec.Struct, frozen=True):
    """What became of one mutant, in `--json`. by: what noticed it; empty if nothing did."""

    name: str
    area: str
    by: str


class Summary(msgspec.Struct, frozen=True):
    """The file of `--json`. campaign: of how many faults the campaign was; 0: these are the tests."""

    campaign: int
    mutants: tuple[Line, ...]
    caught_pct: float


def summary(verdicts: list[Verdict], campaign: int) -> Summary:
    """All mutants; the unbroken copies are none."""
    lines = tuple(
        Line(verdict.attempt.name, verdict.attempt.area.name, verdict.by if verdict.ok else "")
        for verdict in verdicts
        if verdict.attempt.mutant is not None
    )
    return Summary(campaign, lines, 100.0 * sum(bool(line.by) for line in lines) / max(len(lines), 1))


def tried(todo: list[Attempt], at_once: int, campaign: int = 0) -> list[Verdict]:
    """All of them, each printed as soon as it and those before it are over."""
    width = max(len(attempt.name) for attempt in todo)
    print(f"{'mutant':<{width}}  {'seconds':>7}  caught by")
    verdicts: list[Verdict] = []
    with ThreadPoolExecutor(at_once) as pool:
        for verdict in pool.map(partial(attempted, campaign=campaign), todo):
            verdicts.append(verdict)
            sign = "" if verdict.ok else "  <-- NOT AS IT SHOULD BE"
            place = f"[{len(verdicts)}/{len(todo)}]"
            print(
                f"{verdict.attempt.name:<{width}}  {verdict.took_s:7.1f}  {verdict.by}{sign}  {place}",
                flush=True,
            )
    return verdicts


def attempted(attempt: Attempt, campaign: int = 0) -> Verdict:
    """Try one, by its area's tests or by a campaign of so many faults."""
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pilothouse-mutant-") as folder:
        copy = Path(folder)
        make_copy((*ALWAYS, *HOUSE) if campaign else attempt.area.copied, copy)
        problem = mutate(copy, attempt.mutant) if attempt.mutant is not None else ""
        if problem:
            ok, by = False, problem
        else:
            ok, by = judge_by_campaign(attempt, copy, campaign) if campaign else judge(attempt, copy)
    return Verdict(attempt, ok, by, time.monotonic() - began_s)


def make_copy(names: tuple[str, ...], folder: Path) -> None:
    """Copy these files and folders."""
    for name in names:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=NOT_COPIED)
        else:
            shutil.copy(source, target)


def mutate(folder: Path, mutant: Mutant) -> str:
    """Apply the mutation; says what is wrong with it, if it does not fit any more."""
    path = folder / mutant.file
    text = path.read_text(encoding="utf-8")
    count = text.count(mutant.before)
    if count != 1:
        return f"its `before` occurs {count} times in {mutant.file}: rewrite the mutation"
    path.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    return ""


def judge(attempt: Attempt, folder: Path) -> tuple[bool, str]:
    """Run the area's tests on the copy: whether that went as it should, and which test failed."""
    report = folder / "report.xml"
    environment = os.environ | {"PYTHONPATH": str(folder), "PILOTHOUSE_PROPERTY_PROFILE": "mutants"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    try:
        run = subprocess.run(
            [*command, f"--junitxml={report}", *attempt.area.options, *attempt.area.test_files()],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"nothing: the tests hung for {TIMEOUT_S:.0f} s"
    if run.returncode not in (0, 1) or not report.exists():
        return False, f"nothing: pytest ended with {run.returncode}: {run.stdout[-200:]!r}"
    failures = [
        (
            f"{case.get('classname', '').rpartition('.')[2]}.py::{case.get('name')}",
            failure.get("message") or "",
        )
        for case in ElementTree.parse(report).iter("testcase")
        for failure in case.findall("failure")
    ]
    if attempt.mutant is None:
        return run.returncode == 0, "nothing, as it should be" if run.returncode == 0 else run.stdout[-2000:]
    if not failures:
        return False, "nothing"
    name, message = failures[0]
    if message.startswith(BROKEN):
        return False, f"nothing: {name} is broken by it: {message}"
    return True, name


def judge_by_campaign(attempt: Attempt, folder: Path, faults: int) -> tuple[bool, str]:
    """Play a campaign with the copy: whether that went as it should, and what did not hold first."""
    main = "import sys; from pilothouse.cli.main import main; sys.exit(main(sys.argv[1:]))"
    wishes = ["--house", "--faults", str(faults), "--fail-fast", "--processes", "1"]
    wishes += ["--report", str(folder / "report")]
    try:
        run = subprocess.run(
            [sys.executable, "-c", main, "campaign", *wishes],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=CAMPAIGN_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"nothing: the campaign hung for {CAMPAIGN_TIMEOUT_S:.0f} s"
    said = run.stdout.splitlines()
    if not any(line.startswith(("passed:", "FAILED:")) for line in said):
        return False, f"nothing: it ended with {run.returncode}: {run.stderr[-200:]!r}"
    if attempt.mutant is None:
        return run.returncode == 0, "nothing, as it should be" if run.returncode == 0 else run.stdout[-2000:]
    breaches = [line for line in said if line.startswith(tuple(f"{each}:" for each in Breach))]
    return (True, breaches[0][:120]) if run.returncode == 1 and breaches else (False, "nothing")


def page(verdicts: list[Verdict], took_s: float) -> str:
    """The catalogue and what caught each, as a page of docs/."""
    caught = [(verdict.attempt.mutant, verdict) for verdict in verdicts if verdict.attempt.mutant is not None]
    lines = [
        "# Mutants",
        "",
        "Mistakes that could be made in an honest change, what each would do to a robot, and the test that",
        "notices it first. `make mutants` makes them, one at a time, on a copy, and runs the fast tests of",
        "the mutant's area there; `make mutants ARGS=--write` writes this page besides. The mutations are in",
        "`tests/mutants/catalogue.py`.",
        "",
        f"{len(caught)} mutants, all caught, in {took_s:.0f} s.",
    ]
    for area in AREAS:
        lines += [
            "",
            f"## {area.name.capitalize()}",
            "",
            "| mutant | file | what it would do | caught by | s |",
        ]
        lines.append("|---|---|---|---|---|")
        for mutant, verdict in caught:
            if verdict.attempt.area is area:
                cells = (
                    mutant.name,
                    f"`{mutant.file}`",
                    mutant.why,
                    f"`{verdict.by}`",
                    f"{verdict.took_s:.1f}",
                )
                lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
