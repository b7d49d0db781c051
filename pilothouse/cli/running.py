"""Which installation is running here, and how the command line reaches it.

`pilothouse run` leaves a record in the state folder; everything else reads it.
The record holds the token of this run, so only its owner can read it.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from framework.errors import DescriptionError, InstallationError
from framework.state import StateFolder

NAME = "running"


class RunningInstallation(msgspec.Struct, frozen=True):
    """A running installation. pid and started_ticks together name one process for ever."""

    pid: int
    started_ticks: int
    url: str
    token: str
    run_directory: str
    world: str

    @property
    def is_alive(self) -> bool:
        """Whether that very process still exists."""
        return started_ticks(self.pid) == self.started_ticks


def started_ticks(pid: int) -> int:
    """When a process was started [clock ticks since boot]; 0 if there is none, or it is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] == "Z" else int(fields[19])


def this_process(url: str, token: str, run_directory: Path, world: str) -> RunningInstallation:
    """The record of an installation that runs in this process."""
    pid = os.getpid()
    return RunningInstallation(pid, started_ticks(pid), url, token, str(run_directory), world)


def find(state: StateFolder) -> RunningInstallation:
    """The installation that runs with this state folder. Raises InstallationError if none does."""
    record = look(state)
    if record is None:
        raise InstallationError(
            "no installation is running here: start one with `pilothouse run` (or `make run`), "
            "or name its state folder with --state"
        )
    return record


def look(state: StateFolder) -> RunningInstallation | None:
    """As `find`, but None if none is running; a record that a crash left behind is none."""
    try:
        record = state.read(NAME, RunningInstallation)
    except DescriptionError:
        return None
    return record if record is not None and record.is_alive else None


def announce(state: StateFolder, record: RunningInstallation) -> None:
    """This installation is running now."""
    state.write(NAME, record)


def withdraw(state: StateFolder) -> None:
    """It has ended; a record of another one stays."""
    record = look(state)
    if record is None or record.pid == os.getpid():
        state.remove(NAME)
