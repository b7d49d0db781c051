"""The wish for short turns, in a thread of its own: this process keeps its own."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest

from resources.operator.short_turns import ask_for_short_turns

_SLICE = re.compile(r"^se\.slice\s*:\s*(\d+)$", re.MULTILINE)


def _slice_ns() -> int | None:
    """Of the calling thread; None where the kernel does not tell."""
    path = Path(f"/proc/self/task/{threading.get_native_id()}/sched")
    found = _SLICE.search(path.read_text()) if path.exists() else None
    return None if found is None else int(found[1])


def test_a_thread_gets_the_turns_it_asks_for_and_keeps_its_niceness() -> None:
    seen: list[tuple[bool, int | None, int]] = []

    def ask() -> None:
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        taken = ask_for_short_turns(0.0002)
        seen.append((taken, _slice_ns(), os.getpriority(os.PRIO_PROCESS, 0)))

    before = _slice_ns()
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    ((taken, slice_ns, nice),) = seen
    assert nice == 5
    assert _slice_ns() == before
    if not taken or slice_ns is None or tuple(map(int, os.uname().release.split(".")[:2])) < (6, 12):
        pytest.skip("this kernel has no turns to ask for, or does not say how long they are")
    assert slice_ns == 200_000


def test_another_policy_is_left_alone() -> None:
    seen: list[tuple[bool, int]] = []

    def ask() -> None:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        seen.append((ask_for_short_turns(), os.sched_getscheduler(0)))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert seen == [(False, os.SCHED_BATCH)]
