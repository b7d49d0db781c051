"""Which tasks of a loop wait, and where; the words in which a run that cannot go on is explained.

Reads only; it neither wakes nor cancels anything, and it decides nothing.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from framework.errors import NothingScheduled, SimulatedTimeError

_OWN_CODE_OF_ASYNCIO = str(Path(asyncio.__file__).parent)


class WaitingTask(msgspec.Struct, frozen=True):
    """One task that has not ended.

    `where` is `file:line` of its innermost frame outside of asyncio; `awaiting`
    is the asyncio coroutine it stands in (`Event.wait`), empty if it is none.
    """

    name: str
    coroutine: str
    where: str
    awaiting: str = ""

    def __str__(self) -> str:
        awaiting = f", in {self.awaiting}" if self.awaiting else ""
        return f"{self.name} ({self.coroutine}) at {self.where}{awaiting}"


def describe(task: asyncio.Task[Any]) -> WaitingTask:
    """Say where a task stands; it must belong to a loop of the calling thread."""
    coroutine = task.get_coro()
    where, awaiting = "not started", ""
    for frame in _frames(coroutine):
        code = frame.f_code
        if code.co_filename.startswith(_OWN_CODE_OF_ASYNCIO):
            awaiting = code.co_qualname
        else:
            where, awaiting = f"{code.co_filename}:{frame.f_lineno}", ""
    return WaitingTask(
        name=task.get_name(),
        coroutine=getattr(coroutine, "__qualname__", None) or repr(coroutine),
        where=where,
        awaiting=awaiting,
    )


def as_lines(tasks: tuple[WaitingTask, ...], at_most: int = 20) -> str:
    """One indented line for each task, for the end of an error message."""
    lines = [f"  - {task}" for task in tasks[:at_most]]
    if len(tasks) > at_most:
        lines.append(f"  - … and {len(tasks) - at_most} more")
    return "\n".join(lines)


def _frames(awaited: object) -> Iterator[FrameType]:
    """Frames from the outermost to the innermost; `Task.get_stack` gives the outermost only."""
    while awaited is not None:
        frame, deeper = _one_level(awaited)
        if frame is not None:
            yield frame
        awaited = deeper


def _one_level(awaited: object) -> tuple[FrameType | None, object]:
    for kind, next_one in (("cr", "cr_await"), ("gi", "gi_yieldfrom"), ("ag", "ag_await")):
        if hasattr(awaited, f"{kind}_frame"):
            return getattr(awaited, f"{kind}_frame"), getattr(awaited, next_one)
    if type(awaited).__name__ in ("async_generator_asend", "async_generator_athrow"):
        # These have no attribute for their generator, and every provider is one.
        for referent in gc.get_referents(awaited):
            if isinstance(referent, AsyncGenerator):
                return None, referent
    return None, None


def nothing_scheduled(now_s: float, tasks: tuple[WaitingTask, ...]) -> NothingScheduled:
    """Nobody will ever wake any of these tasks."""
    return NothingScheduled(
        f"At {now_s:g} s virtual time nothing is ready, no timer is set and no thread works, so these tasks "
        f"would wait for ever:\n{as_lines(tasks)}\n"
        "Look for what should have woken the first of them (an event never set, a queue never filled, a task "
        "that ended early), or bound the wait with asyncio.timeout. If a thread of your own was to wake it, "
        "wrap the wait in `with loop.hold(...)`."
    )


def limit_reached(limit_s: float, tasks: tuple[WaitingTask, ...]) -> SimulatedTimeError:
    """Something periodic keeps the loop alive, but the end never comes."""
    return SimulatedTimeError(
        f"The run is not over at its limit of {limit_s:g} s virtual time; tasks alive:\n{as_lines(tasks)}\n"
        "Find the one that should have ended, or give run() a higher limit_s."
    )


def endless_spin(now_s: float, turns: int, tasks: tuple[WaitingTask, ...]) -> SimulatedTimeError:
    """Tasks wake each other without a delay, so time cannot pass."""
    return SimulatedTimeError(
        f"The loop turned {turns} times at {now_s:g} s without virtual time passing. Some task awaits in a "
        "circle without a delay (sleep(0), or a wait that is always over at once); tasks alive:\n"
        f"{as_lines(tasks)}\n"
        "Let it wait for an event, or for a time above zero."
    )


def thread_never_ends(
    now_s: float, patience_s: float, holders: list[str], tasks: tuple[WaitingTask, ...]
) -> SimulatedTimeError:
    """Time is held for a thread, and the thread does not come back."""
    return SimulatedTimeError(
        f"Virtual time was held at {now_s:g} s for {patience_s:g} s of real time by work in threads: "
        f"{', '.join(holders)}. A thread that itself waits for a timer of this loop waits for ever: let it "
        f"return, or do the waiting in a coroutine. Tasks alive:\n{as_lines(tasks)}"
    )
