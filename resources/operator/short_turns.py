"""Short turns on a processor that is shared: who needs little, but often, is then served before who computes.

Linux from 6.12 lets a thread ask for shorter slices of time than the usual few milliseconds, without any
privilege: its share stays the same, but its turn comes sooner (EEVDF, Earliest Eligible Virtual Deadline
First; sched(7), sched_setattr(2): `sched_runtime` of SCHED_OTHER). Older kernels take the wish and ignore it.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from typing import Final

SHORT_TURN_S: Final = 1e-4
"""The shortest that Linux gives [s]."""

_SYSCALL: Final = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
"""Number of sched_setattr; older C libraries have no name for it."""

_ATTRIBUTES: Final = struct.Struct("=IIQiIQQQ")
"""Size, policy, flags, nice, priority, runtime [ns], deadline, period."""


def ask_for_short_turns(turn_s: float = SHORT_TURN_S) -> bool:
    """Of this thread, and of those it starts from now on; whether the system took the wish.

    A thread that runs by another policy than the usual one stays as it is: somebody has arranged that.
    """
    number = _SYSCALL.get(platform.machine())
    if number is None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return False
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    wish = _ATTRIBUTES.pack(_ATTRIBUTES.size, os.SCHED_OTHER, 0, nice, 0, round(1e9 * turn_s), 0, 0)
    taken: int = ctypes.CDLL(None).syscall(number, 0, wish, 0)
    return taken == 0
