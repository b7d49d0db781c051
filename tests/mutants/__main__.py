"""Run with `make mutants`: each mutation in a process of its own, its area's tests there.

A mutant is caught when a test fails on it; an import error, a hang or a crash of the test run is no catch.
What is not mutated has to pass the tests that caught. Exit code 0 if all are caught.

The test that caught a mutant the last time runs first; only if it passes, all tests of the area do. They
are imported and collected once, and a mutant exchanges the code of functions in a process that is forked off
then. If no test notices that, a new process imports the module as mutated and runs them again, because what
ran during the import, and what is no function, was not mutated.
`--write` writes down which tests caught (`caught_by.json`), and docs/mutants.md.

`--campaign N` asks something else: whether a campaign of N random faults over the played house notices the
mutant, without any test; mutants that nobody outside could notice (`Inside`) are left out. Then a mutant may
be missed; what counts is how many are not (`--json`). `--histories N` asks that of what a campaign plays
beside its story, with N seeds, which takes a tenth of the time; with both, the story is played for what the
histories have missed. `--drawn SEED` takes mutants that nobody has chosen (`operators.py`).
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from tests.mutants.areas import AREAS, ROOT, Area, area_of
from tests.mutants.catalogue import MUTANTS, Mutant
from tests.mutants.collected import Collected, with_collected
from tests.mutants.drawn import drawn_mutants
from tests.mutants.trying import Found, Try, Trying, by_campaign, by_collected_tests, by_histories, by_tests

#: No test run takes this long unless the mutant hangs it, also beside all else that CI plays [s].
TIMEOUT_S: Final = 900.0

#: No campaign takes this long unless the mutant hangs it [s].
CAMPAIGN_TIMEOUT_S: Final = 600.0

#: Which test caught which mutant the last time.
CAUGHT_BY: Final = Path(__file__).with_name("caught_by.json")

PAGE = "docs/mutants.md"

#: The campaign's stories are made stronger by what it misses of the one half, and judged by the other.
HALVES: Final = ("shown", "held-back")


class Attempt(NamedTuple):
    """What is tried: a mutant, or its area as it is (None).

    tests: of an area as it is, those that caught a mutant; it has to pass them.
    """

    area: Area
    mutant: Mutant | None
    tests: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As the table calls it."""
        return self.mutant.name if self.mutant is not None else f"(none: {self.area.name})"


class Verdict(NamedTuple):
    """What became of an attempt."""

    attempt: Attempt
    found: Found
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
    parser.add_argument(
        "--histories", type=int, default=0, metavar="N", help="no tests, no story: N seeds of the histories"
    )
    parser.add_argument(
        "--drawn", type=int, metavar="SEED", help="not those of the catalogue, but drawn with this seed"
    )
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="only so many of them, by lot")
    parser.add_argument("--area", action="append", default=[], help="only mutants of these areas")
    parser.add_argument(
        "--half", choices=HALVES, help="only that half of the mutants: lots are drawn by name"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts there")
    wishes = parser.parse_args(arguments)
    chosen = set(wishes.names)
    halves = {mutant.name: half_of(mutant.name) for mutant in MUTANTS}
    known: tuple[Mutant, ...] = MUTANTS
    if wishes.drawn is not None:
        lots = list(drawn_mutants(wishes.drawn))
        halves = {mutant.name: HALVES[half] for half, mutant in lots}
        known = tuple(mutant for _, mutant in lots)
    if unknown := chosen - set(halves):
        names = ", ".join(halves)
        parser.error(f"there is no mutant named {', '.join(sorted(unknown))}; there are {names}")
    if wishes.write and chosen:
        parser.error(f"{PAGE} holds all mutants: --write goes without names")
    is_outside = bool(wishes.campaign or wishes.histories)
    if wishes.write and (is_outside or wishes.area or wishes.sample or wishes.drawn is not None):
        parser.error(f"{PAGE} holds what the tests notice of all mutants")
    mutants = [Attempt(area_of(each.file), each) for each in known if not chosen or each.name in chosen]
    mutants = [each for each in mutants if not wishes.area or each.area.name in wishes.area]
    mutants = [each for each in mutants if wishes.half is None or halves[each.name] == wishes.half]
    if is_outside and not chosen:
        mutants = [each for each in mutants if each.mutant is not None and each.mutant.inside is None]
    if wishes.sample:
        mutants = sorted(mutants, key=lambda each: lot_of(each.name))[: wishes.sample]
    began_s = time.monotonic()
    width = max(len(each.name) for each in mutants)
    print(f"{'mutant':<{width}}  {'seconds':>7}  caught by")
    todo = [*([Attempt(AREAS[0], None)] if is_outside else ()), *mutants]
    verdicts: list[Verdict] = []

    def judge(attempts: Sequence[Attempt], collected: Collected | None = None) -> None:
        for verdict in tried(attempts, wishes.at_once, wishes.campaign, wishes.histories, collected):
            verdicts.append(verdict)
            sign = "" if verdict.found.ok else "  <-- NOT AS IT SHOULD BE"
            began = f"{verdict.attempt.name:<{width}}  {verdict.took_s:7.1f}"
            print(f"{began}  {verdict.found.by}{sign}  [{len(verdicts)}/{len(todo)}]", flush=True)

    def judge_by_tests(collected: Collected) -> None:
        judge(mutants, collected)
        unbroken = [Attempt(area, None, noticing(verdicts, area)) for area in AREAS]
        unbroken = [each for each in unbroken if each.tests]
        todo.extend(unbroken)
        judge(unbroken, collected)

    if is_outside:
        judge(todo)
    else:
        areas = [area for area in AREAS if any(each.area is area for each in mutants)]
        with_collected([file for area in areas for file in area.test_files()], judge_by_tests)
    took_s = time.monotonic() - began_s
    verdicts.sort(key=lambda verdict: todo.index(verdict.attempt))
    missed = [verdict.attempt for verdict in verdicts if not verdict.found.ok]
    print(f"{len(verdicts) - len(missed)} of {len(verdicts)} as they should be, {took_s:.0f} s")
    for attempt in missed:
        if attempt.mutant is not None:
            print(f"not caught: {attempt.name} ({attempt.mutant.file}): {attempt.mutant.why}")
    if wishes.json is not None:
        wishes.json.write_bytes(msgspec.json.format(msgspec.json.encode(summary(verdicts, wishes.campaign))))
    if wishes.write and not missed:
        caught_by = {each.attempt.name: each.found.by for each in verdicts if each.attempt.mutant is not None}
        CAUGHT_BY.write_bytes(msgspec.json.format(msgspec.json.encode(caught_by)) + b"\n")
        (ROOT / PAGE).write_text(page(verdicts, took_s), encoding="utf-8")
    return 1 if missed else 0


def half_of(name: str) -> str:
    """Which half a mutant is in."""
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]


def lot_of(name: str) -> bytes:
    """In which order they are drawn for a sample."""
    return hashlib.sha256(f"sample {name}".encode()).digest()


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
    """All mutants; the areas as they are, are none."""
    lines = tuple(
        Line(verdict.attempt.name, verdict.attempt.area.name, verdict.found.by if verdict.found.ok else "")
        for verdict in verdicts
        if verdict.attempt.mutant is not None
    )
    return Summary(campaign, lines, 100.0 * sum(bool(line.by) for line in lines) / max(len(lines), 1))


def noticing(verdicts: Sequence[Verdict], area: Area) -> tuple[str, ...]:
    """The tests that caught a mutant of an area, each once."""
    caught = [each.found.by for each in verdicts if each.found.ok and each.attempt.area is area]
    return tuple(dict.fromkeys(caught))


def tried(
    todo: Sequence[Attempt], at_once: int, campaign: int, histories: int, collected: Collected | None
) -> Iterator[Verdict]:
    """All of them, so many at the same time, each as soon as it is over.

    collected: the tests of all areas; None: by a campaign or histories.
    """
    caught_by = msgspec.json.decode(CAUGHT_BY.read_bytes(), type=dict[str, str])
    waiting, under_way = deque(todo), list[Judging]()
    try:
        while waiting or under_way:
            while waiting and len(under_way) < at_once:
                attempt = waiting.popleft()
                if collected is None:
                    ways = ways_from_outside(attempt, campaign, histories)
                else:
                    ways = ways_by_tests(attempt, caught_by.get(attempt.name, ""), collected)
                under_way.append(Judging(attempt, ways))
            Trying.wait([each.trying for each in under_way])
            for each in list(under_way):
                if (verdict := each.verdict()) is not None:
                    under_way.remove(each)
                    yield verdict
    finally:
        for each in under_way:
            each.trying.end()


def ways_by_tests(attempt: Attempt, last: str, collected: Collected) -> list[Try]:
    """How to find out about it: a way after the first is gone if those before have not caught the mutant.

    last: the test that caught it the last time.
    """
    mutant, files = attempt.mutant, attempt.area.test_files()
    if mutant is None:
        return [Try(partial(by_collected_tests, None, attempt.tests, collected), TIMEOUT_S)]
    ways = []
    for tests in ([last], files) if last.partition("::")[0] in files and collected.has(last) else (files,):
        ways.append(Try(partial(by_collected_tests, mutant, tests, collected), TIMEOUT_S))
        ways.append(Try(partial(by_tests, mutant, tests), TIMEOUT_S, is_afresh=True))
    return ways


def ways_from_outside(attempt: Attempt, campaign: int, histories: int) -> list[Try]:
    """The same without tests: by histories, by a campaign, or by one after the other."""
    found_by = [partial(by_histories, attempt.mutant, histories)] if histories else []
    if campaign and (attempt.mutant is not None or not histories):
        found_by.append(partial(by_campaign, attempt.mutant, campaign))
    return [Try(each, CAMPAIGN_TIMEOUT_S) for each in found_by]


class Judging:
    """An attempt under way."""

    def __init__(self, attempt: Attempt, todo: list[Try]) -> None:
        self._attempt = attempt
        self._todo = deque(todo)
        self._began_s = time.monotonic()
        self.trying = Trying(self._todo.popleft())

    def verdict(self) -> Verdict | None:
        """What became of it; None: it is not over yet."""
        found = self.trying.found()
        if found is None:
            return None
        if not found.ok and self._todo:
            self.trying = Trying(self._todo.popleft())
            return None
        return Verdict(self._attempt, found, time.monotonic() - self._began_s)


def page(verdicts: list[Verdict], took_s: float) -> str:
    """The catalogue and what caught each, as a page of docs/."""
    caught = [(verdict.attempt.mutant, verdict) for verdict in verdicts if verdict.attempt.mutant is not None]
    lines = [
        "# Mutants",
        "",
        "Mistakes that could be made in an honest change, what each would do to a robot, and the test that",
        "notices it first. `make mutants` makes them, each in a process of its own that runs mutated code,",
        "and runs the fast tests of the mutant's area there; `make mutants ARGS=--write` writes this page",
        "besides. The mutations are in `tests/mutants/catalogue.py`.",
        "",
        f"{len(caught)} mutants, all caught, in {took_s:.0f} s.",
    ]
    for area in AREAS:
        lines += ["", f"## {area.name.capitalize()}", "", "| mutant | file | what it would do | caught by |"]
        lines.append("|---|---|---|---|")
        for mutant, verdict in caught:
            if verdict.attempt.area is area:
                file, _, test = verdict.found.by.partition("::")
                name = f"{file.rpartition('/')[2]}::{test}"
                cells = (mutant.name, f"`{mutant.file}`", mutant.why, f"`{name}`")
                lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
