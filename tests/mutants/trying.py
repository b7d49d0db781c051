"""One try: a process that is forked off, breaks one module and runs tests, or a campaign, without the others.

For a campaign the process that forks has imported what others have written (pytest, numpy) and nothing of
this repository that can be mutated, so each try begins with a warm interpreter and imports the house anew.
For tests it has imported and collected all of them (`collected.py`), and a try exchanges code
(`exchanged.py`); where that is not enough, a try begins with a new interpreter.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import connection
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import msgspec
import numpy  # noqa: F401, imported once for all tries
import py_trees  # noqa: F401
import pytest
import yaml  # noqa: F401

from tests.mutants.areas import ROOT
from tests.mutants.catalogue import Mutant
from tests.mutants.collected import Collected, FirstFailure, run_pytest
from tests.mutants.exchanged import NotExchangeable
from tests.mutants.mutated import DoesNotApply, Mutated

#: A failing test for one of these reasons says nothing about the mutant.
BROKEN: Final = ("ImportError", "ModuleNotFoundError", "SyntaxError", "NameError", "IndentationError")

_FORK: Final = multiprocessing.get_context("fork")
_AFRESH: Final = multiprocessing.get_context("spawn")


class Found(msgspec.Struct, frozen=True):
    """What a try has found.

    ok: whether a mutant was caught, or what is not mutated passed. by: the test that failed first, or what
    happened instead.
    """

    ok: bool
    by: str


class Try(NamedTuple):
    """What a process of its own is to do, and after how long it is killed.

    work: runs there, and gives what it found. is_afresh: it begins with a new interpreter that has imported
    nothing; else with what this one has imported.
    """

    work: Callable[[], Found]
    timeout_s: float
    is_afresh: bool = False


def by_collected_tests(mutant: Mutant | None, tests: Sequence[str], collected: Collected) -> Found:
    """Run these of the tests that are collected, until one fails. Only in a process that was forked off."""
    if mutant is not None:
        try:
            collected.functions.exchange(mutant)
        except NotExchangeable as problem:
            return Found(False, f"nothing: {problem}")
    return _found(mutant, *collected.run(tests))


def by_tests(mutant: Mutant, tests: Sequence[str]) -> Found:
    """Run these tests, until one fails, with the mutant imported. Only in a process of its own."""
    failure = FirstFailure()
    with _as_mutated(mutant) as mutated:
        code = run_pytest(["-q", *tests], failure)
    if mutated is not None and not mutated.is_imported:
        return Found(False, "nothing: none of the tests imports it")
    return _found(mutant, code, failure)


def _found(mutant: Mutant | None, code: int | pytest.ExitCode, failure: FirstFailure) -> Found:
    """What a run of tests shows."""
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return Found(False, f"nothing: pytest ended with {code}")
    if mutant is None:
        passed = code == pytest.ExitCode.OK
        return Found(passed, "nothing, as it should be" if passed else str(failure))
    if not failure.test:
        return Found(False, "nothing")
    if failure.message.startswith(BROKEN):
        return Found(False, f"nothing: {failure.test} is broken by it: {failure.message}")
    return Found(True, failure.test)


def by_campaign(mutant: Mutant | None, faults: int) -> Found:
    """Play a campaign with so many faults over the house. Only in a process of its own."""
    with _as_mutated(mutant):
        # What can be mutated is imported where it is mutated.
        from framework.scenarios.reading import read_scenario
        from pilothouse.testbed.campaigning import HOUSE, campaign

        report = campaign(read_scenario(HOUSE), faults=faults, processes=1, fail_fast=True)
    words = next((verdict.words[0] for verdict in (*report.histories, *report.verdicts) if verdict.words), "")
    if mutant is None:
        return Found(not words, words or "nothing, as it should be")
    return Found(bool(words), words[:200] or "nothing")


def by_histories(mutant: Mutant | None, seeds: int) -> Found:
    """Play what a campaign plays beside its story, with so many seeds. Only in a process of its own."""
    with _as_mutated(mutant):
        from pilothouse.testbed.histories import broken_in

        words = next((str(broken) for seed in range(seeds) for broken in broken_in(seed)), "")
    if mutant is None:
        return Found(not words, words or "nothing, as it should be")
    return Found(bool(words), words[:200] or "nothing")


class Trying:
    """A process that tries. Its output is shown only if it ends without having found anything."""

    def __init__(self, what: Try) -> None:
        self._what = what
        self._folder = tempfile.TemporaryDirectory(prefix="pilothouse-mutant-")
        start = _AFRESH.Process if what.is_afresh else _FORK.Process
        self._process = start(target=_try, args=(what.work, Path(self._folder.name)))
        self._process.start()
        self._pid = self._process.pid or 0
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.setpgid(self._pid, self._pid)  # also here: whoever comes first
        self._until_s = time.monotonic() + what.timeout_s

    def found(self) -> Found | None:
        """What it has found, or what became of it; None: it is still at it."""
        if self._process.is_alive():
            if time.monotonic() < self._until_s:
                return None
            self.end()
            return Found(False, f"nothing: it hung for {self._what.timeout_s:.0f} s")
        found = Path(self._folder.name, "found.json")
        output = Path(self._folder.name, "output").read_text(encoding="utf-8", errors="replace")
        said = msgspec.json.decode(found.read_bytes(), type=Found) if found.exists() else None
        code = self._process.exitcode
        self.end()
        return said or Found(False, f"nothing: it crashed with {code}: {output[-200:]!r}")

    def end(self) -> None:
        """Kill it, if it is still at it, with what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        self._process.join()
        self._folder.cleanup()

    @staticmethod
    def wait(several: Sequence[Trying]) -> None:
        """Until one of them has ended or has hung for too long."""
        patience_s = min(each._until_s for each in several) - time.monotonic()
        connection.wait([each._process.sentinel for each in several], max(patience_s, 0.0))


def _try(work: Callable[[], Found], folder: Path) -> NoReturn:
    """Do it in this process, and leave there what it found and printed."""
    os.setpgrp()
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    for each in (1, 2):
        os.dup2(output, each)
    try:
        found = work()
    except DoesNotApply as problem:
        found = Found(False, str(problem))
    (folder / "found").write_bytes(msgspec.json.encode(found))
    (folder / "found").rename(folder / "found.json")
    os._exit(0)  # whatever the tests have left behind


@contextlib.contextmanager
def _as_mutated(mutant: Mutant | None) -> Iterator[Mutated | None]:
    os.chdir(ROOT)
    mutated = Mutated(mutant) if mutant is not None else None
    if mutated is not None:
        mutated.install()
    yield mutated
