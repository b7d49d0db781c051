"""What a plugin leaves behind when its scope ends: tasks, threads, sockets, files. Told to its author.

A scope is one run of an action, or one life of a driver's device. What is begun in it is known by a context
variable, which follows tasks and `asyncio.to_thread`, not plain threads; and it counts only if the plugin's
own code stands nearer to the call than any code of ours: what a registrar opens meanwhile is not its fault.
Sockets and files are seen by an audit hook, tasks by the loop's task factory, threads by their `start`, for
which Python 3.11 has no audit event. Outside of scopes each costs one look at the variable. Pipes, and what
plain threads open, go unseen.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import socket
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any, Final, cast

log = logging.getLogger("pilothouse.plugins")

JOIN_S: Final = 0.2
"""Threads that are about to end are given so long [s]."""

_NOT_ITS: Final = frozenset({"framework", "managers", "resources", "pilothouse", "importlib"})
_TURNS: Final = 3  # of the loop, for tasks that were cancelled and not awaited


class Scope:
    """What one plugin has begun. name: as its author knows it; module: where its code is."""

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self.left: tuple[str, ...] = ()
        self._module = module
        self._tasks: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()
        self._threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._files: dict[str, set[str]] = {}  # by path: the descriptors that had it open before

    def has_begun(self, frame: FrameType | None) -> bool:
        """Whether its own code, and not ours, stands behind a call."""
        while frame is not None:
            module = frame.f_globals.get("__name__", "")
            if module == self._module or module.startswith(f"{self._module}."):
                return True
            if module.partition(".")[0] in _NOT_ITS:
                return False
            frame = frame.f_back
        return False

    def task(self, task: asyncio.Task[Any]) -> None:
        """A task was made in its name."""
        self._tasks.add(task)

    def saw(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit event, just before it takes effect."""
        if event == "socket.__new__":
            self._sockets.add(arguments[0])
        elif isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            self._files.setdefault(path, set(_descriptors(path)))

    def thread(self, thread: threading.Thread) -> None:
        """A thread is started in its name."""
        self._threads.add(thread)

    async def end(self) -> None:
        """Its time is over: what is left is in `left`, and told in the log."""
        for _ in range(_TURNS if self._tasks else 0):
            await asyncio.sleep(0)
        if alive := self._alive():
            await asyncio.to_thread(_join, alive)
        left = [f"the task {task.get_name()!r} ({_place(task)})" for task in self._tasks if not task.done()]
        left += [f"the thread {thread.name!r}" for thread in self._alive()]
        left += [f"a socket (descriptor {each.fileno()})" for each in self._sockets if each.fileno() >= 0]
        for path, before in self._files.items():
            left += [f"the open file {path}"] * len(set(_descriptors(path)) - before)
        self.left = tuple(left)
        if left:
            what = ", ".join(left)
            advice = "end what it begins in a `finally`, or use `with` and `asyncio.TaskGroup`"
            log.warning("%s left behind %d: %s; %s", self.name, len(left), what, advice)

    def _alive(self) -> list[threading.Thread]:
        """Its threads; those of the loop's own pool stay for the next who needs one."""
        pool = getattr(asyncio.get_running_loop(), "_default_executor", None)
        of_pool: set[threading.Thread] = set(getattr(pool, "_threads", ()))
        return [thread for thread in self._threads if thread.is_alive() and thread not in of_pool]


_scope: contextvars.ContextVar[Scope | None] = contextvars.ContextVar("pilothouse_plugin", default=None)
_EVENTS: Final = frozenset({"socket.__new__", "open"})
_hooks: list[bool] = []  # an audit hook stays for good: one is enough


@asynccontextmanager
async def watched(name: str, module: str) -> AsyncIterator[Scope]:
    """One scope: entered and left by the same task."""
    _watch_process()
    _watch_loop(asyncio.get_running_loop())
    scope = Scope(name, module)
    token = _scope.set(scope)
    try:
        yield scope
    finally:
        _scope.reset(token)
        await scope.end()


def _watch_process() -> None:
    if not _hooks:
        _hooks.append(True)
        sys.addaudithook(_on_audit)
        start = threading.Thread.start

        def noting_start(thread: threading.Thread) -> None:
            scope = _scope.get()
            if scope is not None and scope.has_begun(sys._getframe(1)):
                scope.thread(thread)
            start(thread)

        threading.Thread.start = noting_start  # type: ignore[assignment, method-assign]


def _on_audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _EVENTS:
        scope = _scope.get()
        if scope is not None and scope.has_begun(sys._getframe(1)):
            scope.saw(event, arguments)


class _TaskFactory:
    """Makes tasks as the loop did before, and notes whose they are."""

    def __init__(self, before: Any) -> None:
        self._before = before or _plain_task

    def __call__(self, loop: asyncio.AbstractEventLoop, work: Any, **how: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = self._before(loop, work, **how)
        scope = _scope.get()
        if scope is not None and scope.has_begun(sys._getframe(1)):
            scope.task(task)
        return task


def _plain_task(loop: asyncio.AbstractEventLoop, work: Any, **how: Any) -> asyncio.Task[Any]:
    return asyncio.Task(work, loop=loop, **how)


def _watch_loop(loop: asyncio.AbstractEventLoop) -> None:
    factory = loop.get_task_factory()
    if not isinstance(factory, _TaskFactory):
        loop.set_task_factory(cast(Any, _TaskFactory(factory)))


def _join(threads: list[threading.Thread]) -> None:
    until_s = time.monotonic() + JOIN_S
    for thread in threads:
        thread.join(max(0.0, until_s - time.monotonic()))


def _descriptors(path: str) -> list[str]:
    """The descriptors of this process that have a file open."""
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{descriptor}") == path:
                found.append(descriptor)
        except OSError:  # closed meanwhile
            continue
    return found


def _place(task: asyncio.Task[Any]) -> str:
    code = getattr(task.get_coro(), "cr_code", None)
    return "" if code is None else f"{code.co_qualname}, {code.co_filename}:{code.co_firstlineno}"
