"""A real test may run again because the machine had no time for it; outside of CI for no other reason."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.machine_pauses import MachinePauses

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[1]

TESTS = """
import os, signal, sys, time
from tests.test_machine_pauses import late_sleeper
from tests.machine_pauses import PAUSES

import pytest

PAUSES._pause_s = 0.6  # what this machine really has no time for is shorter, with luck
PAUSES._most_waited = 2.0
runs = {}

def run(name):
    runs[name] = runs.get(name, 0) + 1
    return runs[name]

@pytest.mark.real
def test_that_was_not_served_the_first_time():
    if run("once") == 1:
        late_sleeper(PAUSES)
        raise AssertionError("too late")

@pytest.mark.real
def test_that_is_never_served():
    run("never")
    late_sleeper(PAUSES)
    raise AssertionError("too late again")

@pytest.mark.real
def test_that_is_wrong():
    PAUSES.begin()  # whatever this machine was busy with until now
    assert run("wrong") == 2

def test_that_is_wrong_and_not_real():
    late_sleeper(PAUSES)
    assert run("not real") == 2

def test_how_often():
    assert runs == {"once": 2, "never": 3, "wrong": 1, "not real": 1}
"""


def late_sleeper(pauses: MachinePauses) -> None:
    """Make it late, as a busy machine does."""
    before = len(pauses.since_begin())
    os.kill(pauses.sleeper_pid, signal.SIGSTOP)
    begun_s = time.monotonic()
    _wait_until(lambda: time.monotonic() - begun_s > pauses._pause_s + 0.2)
    os.kill(pauses.sleeper_pid, signal.SIGCONT)
    _wait_until(lambda: len(pauses.since_begin()) > before)


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.005)


def test_a_pause_counts_for_the_test_it_happened_in() -> None:
    pauses = MachinePauses()
    pauses.begin()
    try:
        pid = pauses.sleeper_pid
        late_sleeper(pauses)
        assert max(pauses.since_begin()) > 0.15
        pauses.begin()
        assert pauses.sleeper_pid == pid
        assert not [each for each in pauses.since_begin() if each > 0.15]
    finally:
        pauses.end()
    _wait_until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_machine_on_which_programs_wait_most_of_the_time_has_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressure = tmp_path / "cpu"
    monkeypatch.setattr("tests.machine_pauses._PRESSURE", pressure)
    now_s = iter((100.0, 110.0, 110.0, 110.0))
    monkeypatch.setattr("tests.machine_pauses.time.monotonic", lambda: next(now_s))
    pauses = MachinePauses()
    monkeypatch.setattr(pauses, "_watch", ())
    pressure.write_text("some avg10=0.00 avg60=0.00 avg300=0.00 total=7000000\nfull avg10=0.00 total=0\n")
    pauses.begin()
    pressure.write_text("some avg10=0.00 avg60=0.00 avg300=0.00 total=11900000\nfull avg10=0.00 total=0\n")
    assert not pauses.had_no_time
    pressure.write_text("some avg10=0.00 avg60=0.00 avg300=0.00 total=12100000\nfull avg10=0.00 total=0\n")
    assert pauses.had_no_time
    pressure.unlink()
    assert pauses.waited < 0.0, "who does not tell is not believed"


def test_only_a_real_test_on_a_machine_without_time_runs_again(tmp_path: Path) -> None:
    (tmp_path / "test_them.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = real\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.machine_pauses", "-p", "no:cacheprovider", "-rR"]
    answer = subprocess.run(
        [*command, "-p", "no:randomly", str(tmp_path / "test_them.py"), "--rootdir", str(tmp_path)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "CI"},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert "3 failed, 2 passed, 3 rerun" in answer.stdout, answer.stdout + answer.stderr
    assert len(re.findall(r"^RERUN ", answer.stdout, re.MULTILINE)) == 3
    assert re.search(r"A program that only sleeps was late by \d+\.\d\d s", answer.stdout)
