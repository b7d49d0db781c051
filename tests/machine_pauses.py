"""A pytest plugin: a real test that failed while this machine had no time for it runs again.

Two processors are shared by a simulated robot, a browser that draws without a graphics card and the other
tests, and now and then by other machines. A program that only sleeps is then served late, by up to a second,
and so is what a test watches: a control loop that was not served for .3 s stops its arm, as it should. Such a
sleeper runs beside the tests. A `real` test that failed while the sleeper was late, or while programs had to
wait for a processor for most of its time (the kernel's pressure stall information), runs again, up to twice;
one that failed on a machine that had time for it has failed. In CI, where all tests run beside others on a
machine that nobody knows, one that failed runs again in any case. pytest's summary counts reruns; CI names
and bounds them: each is to be looked into.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import IO, Final

import pytest

PAUSE_S: Final = 0.1
"""A pause is being served so much too late [s]: the clutch's patience, the shortest the product knows."""

MOST_WAITED: Final = 0.5
"""A machine has no time for a test if for a larger share of it some program waits for a processor."""

RUNS: Final = 3
"""So often does a test run at most."""

IN_CI: Final = os.environ.get("CI") == "true"

_PRESSURE: Final = Path("/proc/pressure/cpu")

# It ends when its standard input does. Its clock is ours: CLOCK_MONOTONIC.
_SLEEPER: Final = """
import os, select, sys, time
now = time.monotonic()
print(os.getpid(), flush=True)
while True:
    due = now + 0.03  # of the last look: no moment is left out, whatever it was held up in
    if select.select([sys.stdin], [], [], 0.03)[0]:
        break
    now = time.monotonic()
    if now - due > %f:
        print(now, now - due, flush=True)
"""


class MachinePauses:
    """A sleeper beside us from the first `begin` on, and how late it was since the last one."""

    def __init__(self, pause_s: float = PAUSE_S, most_waited: float = MOST_WAITED) -> None:
        self._pause_s = pause_s
        self._most_waited = most_waited
        self._watch: tuple[IO[str], threading.Thread] | None = None  # ends when closed; who hears it
        self.sleeper_pid = 0  # before the first test
        self._pauses: list[tuple[float, float]] = []  # (when it ended, how long it was) [s]
        self._begun_s = 0.0
        self._waited_before_s = 0.0

    def begin(self) -> None:
        """A test begins."""
        if self._watch is None:
            self._watch = self._start()
        self._begun_s = time.monotonic()
        self._waited_before_s = _waited_s()

    @property
    def had_no_time(self) -> bool:
        """Whether this machine had no time for this test."""
        return bool(self.since_begin()) or self.waited > self._most_waited

    @property
    def waited(self) -> float:
        """For which share of this test's time some program waited for a processor: 0 … 1."""
        return (_waited_s() - self._waited_before_s) / max(time.monotonic() - self._begun_s, 1e-3)

    def since_begin(self) -> list[float]:
        """How long the pauses were since this test began [s]."""
        return [long for ended_s, long in list(self._pauses) if ended_s > self._begun_s]

    def end(self) -> None:
        """There are no more tests."""
        if self._watch is not None:
            ask, hearing = self._watch
            ask.close()
            hearing.join()
            self._watch = None

    def _start(self) -> tuple[IO[str], threading.Thread]:
        # Not our child but our grandchild: some tests count this process's children.
        asked, ask = os.pipe()
        heard, said = os.pipe()
        command = ["sh", "-c", 'exec 3<&0; "$0" -S -c "$1" <&3 &', sys.executable, _SLEEPER % self._pause_s]
        subprocess.run(command, stdin=asked, stdout=said, cwd=os.sep, check=True)
        os.close(asked)
        os.close(said)
        lines = os.fdopen(heard)
        self.sleeper_pid = int(lines.readline())
        hearing = threading.Thread(target=self._hear, args=(lines,), daemon=True)
        hearing.start()
        return os.fdopen(ask, "w"), hearing

    def _hear(self, lines: IO[str]) -> None:
        with lines:
            for line in lines:
                ended_s, long = line.split()
                self._pauses.append((float(ended_s), float(long)))


PAUSES: Final = MachinePauses()


@pytest.hookimpl(trylast=True)  # after the folders have said what is real
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is real may run again, if the machine had no time for it."""
    for item in items:
        if _is_real(item):
            item.add_marker(pytest.mark.flaky(reruns=RUNS - 1, condition=_had_no_time))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """From here on the machine is watched."""
    if _is_real(item):
        PAUSES.begin()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What failed while the machine had no time for it says so."""
    report = yield
    if _is_real(item) and report.failed and PAUSES.had_no_time:
        late = ", ".join(f"{each:.2f} s" for each in PAUSES.since_begin()) or "0 s"
        words = f"A program that only sleeps was late by {late}; some program waited for {PAUSES.waited:.0%}."
        report.sections.append(("Pauses of this machine", words))
    return report


def pytest_sessionfinish() -> None:
    """No test is left to be watched."""
    PAUSES.end()


def _is_real(item: pytest.Item) -> bool:
    return item.get_closest_marker("real") is not None


def _had_no_time() -> bool:
    return IN_CI or PAUSES.had_no_time


def _waited_s() -> float:
    """How long some program has waited for a processor since this machine began; 0 if it does not tell."""
    try:
        some = _PRESSURE.read_text(encoding="ascii").splitlines()[0]
    except OSError:
        return 0.0
    return int(some.rpartition("total=")[2]) / 1e6
