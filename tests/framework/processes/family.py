"""What the tests with real children share: specs, a diary of what was told, a look into /proc."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from framework.processes.child_events import ChildEvent
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, python_child
from tests.framework.processes.scripts import Wish

T = TypeVar("T", bound=ChildEvent)
_LOOK_S = 0.005
PATIENCE_S = 40.0  # a machine busy with other things is slow, not wrong; what sleeps here sleeps for 60 s


def spec(script: str, wish: Wish | None = None, **changes: Any) -> ProcessSpec:
    """A child that runs one of the scripts; it may take long to start, if nothing else is said."""
    argv = python_child(f"tests.framework.processes.scripts:{script}", wish)
    changes.setdefault("start_timeout_s", PATIENCE_S)
    return msgspec.structs.replace(ProcessSpec(argv, script), **changes)


def foreign(*argv: str, **changes: Any) -> ProcessSpec:
    """A program that does not speak our protocol."""
    return msgspec.structs.replace(ProcessSpec(argv, "foreign", protocol=False), **changes)


def launcher() -> ProcessLauncher:
    """With the same jitter in every run."""
    return ProcessLauncher(rng=random.Random(7))


class Diary:
    """Remembers what was told and when; an `on_event`."""

    def __init__(self) -> None:
        self.told: list[ChildEvent] = []
        self.times: list[float] = []
        self._news = asyncio.Event()

    def __call__(self, told: ChildEvent) -> None:
        self.told.append(told)
        self.times.append(time.monotonic())
        self._news.set()

    def all(self, kind: type[T]) -> list[T]:
        """Everything of one kind."""
        return [told for told in self.told if isinstance(told, kind)]

    async def first(self, kind: type[T], number: int = 1) -> T:
        """Wait for the `number`-th of a kind."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.all(kind)) < number:
                self._news.clear()
                await self._news.wait()
        return self.all(kind)[number - 1]

    def when(self, told: ChildEvent) -> float:
        """The time at which this very thing was told."""
        return next(at for each, at in zip(self.told, self.times, strict=True) if each is told)


class OwnLag:
    """How late this process's own loop was while this is open: what a busy machine takes from us, in seconds.

    `async with OwnLag() as lag: …; assert took_s - lag.s < bound_s`
    """

    def __init__(self) -> None:
        self.s = 0.0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._measure())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _measure(self) -> None:
        while True:
            due_s = time.monotonic() + _LOOK_S
            await asyncio.sleep(_LOOK_S)
            self.s += max(0.0, time.monotonic() - due_s)


def is_running(pid: int) -> bool:
    """Whether a process exists and is more than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def until(condition: Callable[[], bool], within_s: float = PATIENCE_S) -> float:
    """Look again every few milliseconds until something outside of us is so; how long it took, in seconds."""
    begin = time.monotonic()
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.002)
    return time.monotonic() - begin


def descriptors() -> int:
    """How many file descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Do to one process what a test does to it."""
    os.kill(pid, number)
