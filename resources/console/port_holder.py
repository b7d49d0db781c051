"""Who listens on a port, as far as /proc tells: for the message that says what to do about it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_LISTEN: Final = "0A"  # state in /proc/net/tcp


def port_taken(host: str, port: int, option: str = "--port", proc: Path = Path("/proc")) -> str:
    """The message for a port that is in use: by whom, and the ways out; option: chooses another one."""
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
    another = f"take another port: pilothouse run {option} {port + 1}"
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
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            return None  # it has just ended
        return int(folder.name), " ".join(words).strip()[:200]
    return None


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
