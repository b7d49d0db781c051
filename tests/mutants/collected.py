"""The tests of all areas, imported and collected once; each try is forked off then and runs some of them."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutants.areas import ROOT
from tests.mutants.exchanged import Functions

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
_PLUGINS: Final = ("_hypothesis_pytestplugin", "framework.testing.pytest_plugin", "tests.managers.conftest")
_OPTIONS: Final = ("-x", "-p", "no:cacheprovider", f"--rootdir={ROOT}", "--noconftest")


def run_pytest(options: Sequence[str], plugin: object) -> int | pytest.ExitCode:
    """Run it as mutants are tried: no other plugins, and the same inputs each time."""
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["PILOTHOUSE_PROPERTY_PROFILE"] = "mutants"
    settings.load_profile("mutants")
    plugins = [option for name in _PLUGINS for option in ("-p", name)]
    return pytest.main([*plugins, *_OPTIONS, *options], plugins=[plugin])


class FirstFailure:
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


class Collected:
    """Tests that pytest has collected, and the functions that are there since.

    What is there by now stays: the garbage collector of a process that is forked off need not look at it.
    """

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._items: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            for name in (item.nodeid.partition("::")[0], item.nodeid):
                self._items.setdefault(name, []).append(item)
        self.functions = Functions()
        gc.collect()
        gc.freeze()

    def has(self, test: str) -> bool:
        """Whether there is such a file, or such a test."""
        return test in self._items

    def run(self, tests: Sequence[str]) -> tuple[pytest.ExitCode, FirstFailure]:
        """Run these files and tests, in this order, until one fails; once in a process, which ends then."""
        failure = FirstFailure()
        self._session.config.pluginmanager.register(failure)
        items = [item for test in tests for item in self._items[test]]
        for item, next_item in zip(items, (*items[1:], None), strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            if self._session.shouldfail:
                return pytest.ExitCode.TESTS_FAILED, failure
        return pytest.ExitCode.OK, failure


class _InsteadOfRunning:
    """A pytest plugin: what is done with tests when all are collected."""

    def __init__(self, work: Callable[[Collected], None]) -> None:
        self._work = work
        self.is_done = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Nothing is run here."""
        self._work(Collected(session))
        self.is_done = True
        return True


def with_collected(files: Sequence[str], work: Callable[[Collected], None]) -> None:
    """Do something with the tests of files. Raises RuntimeError if they cannot be collected."""
    instead = _InsteadOfRunning(work)
    code = run_pytest(["-qq", "--capture=no", *files], instead)
    if not instead.is_done:
        raise RuntimeError(f"the tests of the areas cannot be collected: pytest ended with {code}; see above")
