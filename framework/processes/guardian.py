"""What stands between an owner and a program that knows nothing of us. Standard library only.

The guardian starts the program and waits for two things: the program's end, which it hands on as
its own, and a word or the end on its channel, upon which it kills the program and everything that
came of it. As a "child subreaper" it inherits even those that made themselves daemons. If the
guardian itself is killed, the kernel kills the program: the guardian has one thread, so the
parent-death signal means what it says.

It is run by path and isolated (`python -I -S`), so nothing of the user's can get in its way.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ORPHANED = 75  # as ExitCode.ORPHANED; nothing of ours can be imported here
_CANNOT_START = 127
_KILL_FOR_S = 5.0


def command(python: str, channel: int, lifeline: int, program: str, argv: list[str]) -> list[str]:
    """The command line of a guardian for `program`, an absolute path, run with `argv`."""
    return [python, "-I", "-S", os.path.abspath(__file__), str(channel), str(lifeline), program, *argv]


def main(arguments: list[str]) -> int:
    """Guard one program. Returns an exit code, or dies of the signal the program died of."""
    channel, lifeline = int(arguments[0]), int(arguments[1])
    program, argv = arguments[2], arguments[3:]
    os.set_inheritable(channel, False)
    os.set_inheritable(lifeline, False)
    _continue_us_when_it_ends(lifeline)
    # Signals go to the whole group, so the program gets its own. Handlers, unlike "ignore", end at exec.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: None)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        started = subprocess.Popen(
            argv,
            executable=program,
            preexec_fn=lambda: prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0),
        )
    except (OSError, subprocess.SubprocessError) as error:
        print(f"cannot start {program}: {error}", file=sys.stderr, flush=True)
        return _CANNOT_START
    with suppress(OSError):
        os.write(channel, _started(started.pid))
    ended = os.pidfd_open(started.pid)
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    poll.register(ended, select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll()}
    _kill_descendants(except_for=started.pid if ended in ready else 0)
    if ended not in ready:
        return _ORPHANED
    return _as_it_ended(started.wait())


def _started(pid: int) -> bytes:
    """The frame of `wire.Started`, by hand: {"type": "started", "pid": pid} in msgpack."""
    content = b"\x82\xa4type\xa7started\xa3pid\xce" + pid.to_bytes(4, "big")
    return len(content).to_bytes(4, "little") + content


def _kill_descendants(except_for: int) -> None:
    """Until there are none; a process that forks meanwhile loses the race within a few rounds."""
    until = time.monotonic() + _KILL_FOR_S
    while time.monotonic() < until:
        living = _descendants(os.getpid()) - {except_for}
        for pid in living:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in living:
            with suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
        if not living:
            return
        time.sleep(0.002)  # until they are gone: nothing else goes on in this process any more


def _descendants(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{entry}/stat", "rb") as stat:
                parents[int(entry)] = int(stat.read().rpartition(b")")[2].split()[1])
    found: set[int] = set()
    new = {root}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return found


def _as_it_ended(code: int) -> int:
    if code >= 0:
        return code
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # its core is worth keeping, ours is not
    with suppress(OSError, ValueError):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code


def _continue_us_when_it_ends(descriptor: int) -> None:
    """As in lifeline.py: a stopped guardian must wake when its owner dies."""
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGCONT)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
