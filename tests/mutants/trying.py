"""One try: a process that is forked off, breaks one module and runs tests, or a campaign, without the others.

The process that forks has imported what others have written (pytest, numpy) and nothing of this repository
that can be mutated, so each try begins with a warm interpreter and imports the house anew.
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
from hypothesis import HealthCheck, Phase, settings

from tests.mutants.areas import ROOT
from tests.mutants.catalogue import Mutant
from tests.mutants.mutated import DoesNotApply, Mutated

#: A failing test for one of these reasons says nothing about the mutant.
BROKEN: Final = ("ImportError", "ModuleNotFoundError", "SyntaxError", "NameError", "IndentationError")

#: The same inputs each time, so the same test catches the same mutant; a failure is counted, never read.
settings.register_profile(
    "mutants",
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)

#: Only what the tests need: `conftest.py` of all tests, which shares them out, stays out, too.
PLUGINS: Final = ("_hypothesis_pytestplugin", "framework.testing.pytest_plugin")
OPTIONS: Final = ("-q", "-x", "-p", "no:cacheprovider", f"--rootdir={ROOT}", "--noconftest")

_FORK: Final = multiprocessing.get_context("fork")


class Found(msgspec.Struct, frozen=True):
    """What a try has found.

    ok: whether a mutant was caught, or what is not mutated passed. by: the test that failed first, or what
    happened instead.
    """

    ok: bool
    by: str


class Try(NamedTuple):
    """What a process of its own is to do, and after how long it is killed.

    work: runs there, and gives what it found.
    """

    work: Callable[[], Found]
    timeout_s: float


def by_tests(mutant: Mutant | None, tests: Sequence[str]) -> Found:
    """Run these tests, until one fails. Only in a process of its own."""
    settings.load_profile("mutants")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["PILOTHOUSE_PROPERTY_PROFILE"] = "mutants"
    failure = _FirstFailure()
    with _as_mutated(mutant) as mutated:
        plugins = [option for name in PLUGINS for option in ("-p", name)]
        code = pytest.main([*plugins, *OPTIONS, *tests], plugins=[failure])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return Found(False, f"nothing: pytest ended with {code}")
    if mutated is None:
        passed = code == pytest.ExitCode.OK
        return Found(passed, "nothing, as it should be" if passed else str(failure))
    if not mutated.is_imported:
        return Found(False, "nothing: none of the tests imports it")
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
        self._process = _FORK.Process(target=self._run)
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

    def _run(self) -> NoReturn:
        os.setpgrp()
        folder = Path(self._folder.name)
        output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
        for each in (1, 2):
            os.dup2(output, each)
        try:
            found = self._what.work()
        except DoesNotApply as problem:
            found = Found(False, str(problem))
        (folder / "found").write_bytes(msgspec.json.encode(found))
        (folder / "found").rename(folder / "found.json")
        os._exit(0)  # whatever the tests have left behind


class _FirstFailure:
    """A pytest plugin: the test that failed first, and with what."""

    test = ""
    message = ""

    def __str__(self) -> str:
        return f"{self.test}: {self.message}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails; one that cannot begin, or leaves something behind, is none that fails."""
        if report.when == "call" and report.failed and not self.test:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.test, self.message = report.nodeid, crash.message if crash is not None else ""


@contextlib.contextmanager
def _as_mutated(mutant: Mutant | None) -> Iterator[Mutated | None]:
    os.chdir(ROOT)
    mutated = Mutated(mutant) if mutant is not None else None
    if mutated is not None:
        mutated.install()
    yield mutated
