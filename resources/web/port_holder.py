"""Who listens on a port, as far as /proc tells: for the message that says what to do about it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_LISTEN: Final = "0A"  # state in /proc/net/tcp
_CHILD: Final = "framework.processes.child"
_MOST_GENERATIONS: Final = 8
_FURTHER: Final = 10
"""So far away is the port that is proposed: the next one may be meant for phones."""

MOST_PORT: Final = 65535


def port_taken(
    host: str, port: int, option: str = "--port", default: int | None = None, proc: Path = Path("/proc")
) -> str:
    """The message for a port that is in use: by whom, and the ways out.

    option: chooses another one; default: the port without it.
    """
    holder = _holder(port, proc)
    if holder is None:
        who = "by a program that this user may not look at"
        free = f"Find it with `ss -ltnp sport = :{port}`"
    else:
        pid, command = holder
        who = f"by process {pid} ({command})"
        ours = "pilothouse" in command
        free = (
            f"Use that one (`pilothouse status`), end it (Ctrl-C in its terminal, or `kill -INT {pid}`)"
            if ours
            else f"End it (`kill {pid}`)"
        )
    other = port + _FURTHER if port + _FURTHER <= MOST_PORT else port - _FURTHER
    another = f"choose another port: pilothouse run {option} {other} (0 takes any free one)"
    if default is not None and port != default:
        another += f", or leave {option} out"
    return f"port {port} on {host} is in use {who}. {free}, or {another}"


def _holder(port: int, proc: Path) -> tuple[int, str] | None:
    """Process id and command line of who listens on `port`, or None if that cannot be known."""
    sockets = {f"socket:[{inode}]" for inode in _listening_inodes(port, proc)}
    if not sockets:
        return None
    for folder in proc.iterdir():
        if not folder.name.isdigit():
            continue
        if sockets.isdisjoint(_links(folder / "fd")):
            continue
        try:
            return _owner(int(folder.name), proc)
        except OSError:
            return None  # it has just ended
    return None


def _owner(pid: int, proc: Path) -> tuple[int, str]:
    """A process; the installation if it is a child of one, which would be started anew. Raises OSError."""
    itself = _command(pid, proc)
    owner, command = pid, itself
    for _ in range(_MOST_GENERATIONS):
        if _CHILD not in command:
            return owner, command
        # The name in brackets may hold anything, brackets too; state and parent follow it.
        owner = int((proc / str(owner) / "stat").read_text().rpartition(")")[2].split()[1])
        if owner <= 1:
            break
        command = _command(owner, proc)
    return pid, itself


def _command(pid: int, proc: Path) -> str:
    words = (proc / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    return " ".join(words).strip()[:200]


def _links(folder: Path) -> set[str]:
    """Where the descriptors of a process lead; those of other users' processes cannot be seen."""
    found = set()
    with suppress(OSError):
        for descriptor in folder.iterdir():
            with suppress(OSError):  # closed meanwhile
                found.add(os.readlink(descriptor))
    return found


def _listening_inodes(port: int, proc: Path) -> set[str]:
    found = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = (proc / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if len(fields) > 9 and fields[3] == _LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(fields[9])
    return found
