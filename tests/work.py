"""How much work something is: calls of functions, which are as many on every machine, however busy it is.

What a call of C does within itself is not seen: regular expressions are bounded where they are written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

#: So many are about a second on one core of 2020: a bound for what must not grow without bounds.
A_SECOND: Final = 4_000_000


class Work:
    """calls: of functions in Python and in C, so far."""

    def __init__(self) -> None:
        self.calls = 0

    def count(self, frame: FrameType, event: str, what: object) -> None:
        """Takes what an interpreter reports of its calls."""
        if event in ("call", "c_call"):
            self.calls += 1


@contextmanager
def work_of() -> Iterator[Work]:
    """Counts the calls of what is done within, in this thread."""
    work = Work()
    before = sys.getprofile()
    sys.setprofile(work.count)
    try:
        yield work
    finally:
        sys.setprofile(before)
