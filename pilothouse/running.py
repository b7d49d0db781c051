"""Which installation is running here, and how the command line reaches it.

`pilothouse run` leaves a record in the state folder; everything else reads it.
The record holds the token of this run, so only its owner can read it. A lock beside it, held from before the
start to after the end, lets one installation at a time have a state folder; the kernel lets go of it with
the process.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from framework.errors import DescriptionError, InstallationError
from framework.state import StateFolder

NAME = "running"

_LOCK = "running.lock"


class RunningInstallation(msgspec.Struct, frozen=True):
    """A running installation. pid and started_ticks together name one process for ever.

    certificate: the file of the only one to be believed at `url`; "" for plain http.
    """

    pid: int
    started_ticks: int
    url: str
    token: str
    run_directory: str
    world: str
    certificate: str = ""

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


def this_process(
    url: str, token: str, run_directory: Path, world: str, certificate: str = ""
) -> RunningInstallation:
    """The record of an installation that runs in this process."""
    pid = os.getpid()
    ticks = started_ticks(pid)
    return RunningInstallation(pid, ticks, url, token, str(run_directory), world, certificate)


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


@contextmanager
def only_one(state: StateFolder) -> Iterator[None]:
    """Be the one installation of this state folder. Raises InstallationError if another is, or starts now."""
    path = state.path / _LOCK
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InstallationError(
            f"{path} cannot be used: {error}; give another state folder with --state"
        ) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = look(state)
            if other is None:
                pid = os.pread(lock, 20, 0).decode(errors="replace").strip()
                raise _refusal(pid or "?", "and is just starting or ending") from None
            raise _refusal(str(other.pid), f"at {other.url}") from None
        if (other := look(state)) is not None:
            raise _refusal(str(other.pid), f"at {other.url}")
        with suppress(OSError):  # a full disk: it only tells a second one who has the first lock
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        state.sweep()
        yield
    finally:
        os.close(lock)


def _refusal(pid: str, where: str) -> InstallationError:
    return InstallationError(
        f"an installation runs already (process {pid}) {where}: use that one, end it with "
        f"Ctrl-C or `kill {pid}`, or start this one with another --state and --port"
    )


def announce(state: StateFolder, record: RunningInstallation) -> None:
    """This installation is running now."""
    state.write(NAME, record)


def withdraw(state: StateFolder, record: RunningInstallation) -> None:
    """It has ended; any other record than its own stays, and one that cannot be removed, which is as good."""
    with suppress(DescriptionError, InstallationError):
        if state.read(NAME, RunningInstallation) == record:
            state.remove(NAME)
