"""Which installation has a state folder: one at a time, from before its start to after its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from framework.errors import InstallationError
from framework.state import StateFolder
from pilothouse import running

STARTING = """
import sys
from pathlib import Path
from framework.state import StateFolder
from pilothouse import running
with running.only_one(StateFolder(Path(sys.argv[1]))):
    print("it starts", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path)


def test_of_two_that_start_together_one_is_refused_and_a_killed_one_lets_go(state: StateFolder) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", STARTING, str(state.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdin is not None and other.stdout is not None
    try:
        assert other.stdout.readline() == b"it starts\n"
        assert running.look(state) is None, "it has not announced itself yet"
        with pytest.raises(InstallationError) as refused, running.only_one(state):
            pytest.fail("two at once")
        assert f"an installation runs already (process {other.pid}) and is just starting" in str(
            refused.value
        )
        ticks = running.started_ticks(other.pid)
        running.announce(state, running.RunningInstallation(other.pid, ticks, "http://1", "t", "/run/1", "w"))
        with pytest.raises(InstallationError, match="at http://1: use that one"), running.only_one(state):
            pytest.fail("two at once")
    finally:
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        other.stdin.close()
        other.stdout.close()
    with running.only_one(state):
        pass
    with running.only_one(state):
        pass


def test_what_another_one_has_announced_stays(state: StateFolder) -> None:
    mine = running.this_process("http://2", "t", Path("/run/2"), "w")
    theirs = running.RunningInstallation(mine.pid, mine.started_ticks, "http://1", "t", "/run/1", "w")
    running.announce(state, theirs)
    running.withdraw(state, mine)
    assert running.find(state) == theirs
    running.withdraw(state, theirs)
    assert running.look(state) is None


def test_one_that_is_announced_without_a_lock_counts_too(state: StateFolder) -> None:
    theirs = running.this_process("http://1", "t", Path("/run/1"), "w")
    running.announce(state, theirs)
    with pytest.raises(InstallationError, match="at http://1"), running.only_one(state):
        pytest.fail("two at once")
