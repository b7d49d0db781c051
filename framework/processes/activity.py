"""What the threads of a process are doing, by the kernel's account: who hangs, and who gets no processor.

Standard library only: children import it.
"""

from __future__ import annotations

import os
from enum import Enum

from framework.thread_state import state_of


class Activity(Enum):
    """What a process that says nothing is doing meanwhile."""

    STOPPED = "stopped"  # by a signal (SIGSTOP, SIGTSTP) or by a debugger
    RUNNING = "running"  # some thread runs, waits for a processor, or for a disk
    SLEEPING = "sleeping"  # every thread waits for something that need never come


def activity_of(pid: int, besides: int = 0) -> Activity:
    """Of all threads of a process except one; SLEEPING if there is no such process. Some 15 µs a thread."""
    found = Activity.SLEEPING
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for thread in threads:
        if thread == str(besides):
            continue
        state = state_of(pid, thread)
        if state in (b"T", b"t"):
            return Activity.STOPPED
        if state in (b"R", b"D"):
            found = Activity.RUNNING
    return found
