"""An asyncio event loop on which time passes only when nobody has anything to do.

Nothing ready: the clock jumps to the next timer. Work in a thread: the clock is
held, and the loop really waits. Nothing at all left: `NothingScheduled`, with
the tasks that wait and where. How a coroutine is run on it and what happens to
what it leaves behind is in `runner.py`; what it refuses is in `refusals.py`.

Same seed, same run: timers of one instant fire in the order they were set,
tasks hash by their number (sets of tasks, as in `TaskGroup`, iterate alike in
every process), and what threads send in is taken one at a time, when nothing
else is ready. Not in its hands: the order among several threads at work
at once, and sets of strings, whose order is a matter of PYTHONHASHSEED.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import random
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack
from weakref import WeakSet

from framework.errors import SimulatedTimeError
from framework.testing.refusals import NEEDS_REAL_TIME, refusal
from framework.testing.waiting import (
    WaitingTask,
    describe,
    endless_spin,
    limit_reached,
    nothing_scheduled,
    thread_never_ends,
)

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")

VIRTUAL_EPOCH_S: Final = 1_767_225_600.0
"""What `Clock.wall_s` says at virtual time 0: 2026-01-01T00:00:00Z."""

LIMIT_S: Final = 7 * 86_400.0
SPIN_LIMIT: Final = 1_000_000
THREAD_PATIENCE_S: Final = 60.0

# A task that polls with sleep(0) for a thread never leaves the loop idle; it must get the thread's word too.
_TURNS_BEFORE_THREADS_ARE_HEARD: Final = 1_000
_CANCELLED_TIMERS_KEPT: Final = 100


class NumberedTask(asyncio.Task[_T]):
    """A task that hashes by its number on its loop, so that sets of tasks iterate reproducibly."""

    def __init__(self, coro: Coroutine[Any, Any, _T], *, number: int, **options: Any) -> None:
        self.number = number  # before Task.__init__, which already hashes
        super().__init__(coro, **options)

    def __hash__(self) -> int:
        return self.number

    def set_name(self, value: object) -> None:
        """Keep the name given at creation when asyncio 3.13.0 sets None over it."""
        if value is not None:
            super().set_name(value)


class VirtualLoop(asyncio.BaseEventLoop):
    """See the module. `time()` starts at 0 [s].

    Parameters
        seed: of `random`, from which everything that draws lots on this loop draws.
        limit_s: virtual time at which the run is given up: heartbeats never let a loop run dry.
        spin_limit: turns of the loop without time passing after which the run is given up.
        thread_patience_s: real time a thread may work while virtual time is held.
        shuffled: timers of one instant fire in an order that the seed draws, as any order may be on a real
            loop; otherwise in the order in which they were set.
    """

    # Names of asyncio.BaseEventLoop (3.11 to 3.13) that are used here and missing from its type stubs.
    _ready: deque[asyncio.Handle]
    _stopping: bool
    _thread_id: int | None
    _default_executor: Executor | None
    _executor_shutdown_called: bool
    _timer_cancelled_count: int
    _check_closed: Callable[[], None]
    _check_default_executor: Callable[[], None]

    def __init__(
        self,
        *,
        seed: int = 0,
        limit_s: float = LIMIT_S,
        spin_limit: int = SPIN_LIMIT,
        thread_patience_s: float = THREAD_PATIENCE_S,
        shuffled: bool = False,
    ) -> None:
        super().__init__()
        self.seed = seed
        self._lots = random.Random(seed) if shuffled else None
        self.random = random.Random(seed)
        self.virtual_epoch_s = VIRTUAL_EPOCH_S
        self.limit_s = limit_s
        self.spin_limit = spin_limit
        self.thread_patience_s = thread_patience_s
        self.wake_ups = 0  # how often time was moved forward
        self.unhandled: list[Exception] = []  # what came to the exception handler, in order
        self.leftovers: tuple[WaitingTask, ...] = ()  # what outlived the main task; `run_on` fills it in
        self._now_s = 0.0
        self._turns = 0  # since time last moved
        self._timers: list[tuple[float, float, asyncio.TimerHandle]] = []
        self._timers_made = 0
        self._tasks_made = 0
        self._tasks: WeakSet[NumberedTask[Any]] = WeakSet()
        self._from_threads: deque[asyncio.Handle] = deque()
        self._holders: dict[object, str] = {}
        self._heard = threading.Event()
        self._settling = False
        self.set_task_factory(_numbered_task)

    # -- time ---------------------------------------------------------------

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._now_s

    def call_later(
        self,
        delay: float,
        callback: Callable[[Unpack[_Ts]], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call after `delay` virtual seconds."""
        return self.call_at(self._now_s + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[_Ts]], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call at virtual time `when`; equal times fire in the order in which they were set."""
        self._check_closed()
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        timer._scheduled = True  # type: ignore[attr-defined]
        self._timers_made += 1
        place = self._timers_made if self._lots is None else self._lots.random()
        heapq.heappush(self._timers, (when, place, timer))
        return timer

    def starve(self, seconds: float) -> None:
        """Let time pass during which this loop got no processor: what was due is late then."""
        self._now_s += seconds

    @contextmanager
    def hold(self, what: str) -> Iterator[None]:
        """Hold virtual time while something outside of the loop works; `what` names it in messages.

        Executors do this by themselves. A test that starts a `threading.Thread` wraps the wait for it.
        """
        holder = object()
        self._holders[holder] = what
        try:
            yield
        finally:
            self._let_go(holder)

    # -- tasks --------------------------------------------------------------

    def pending_tasks(self) -> list[asyncio.Task[Any]]:
        """All tasks of this loop that have not ended, oldest first."""
        return [task for task in sorted(self._tasks, key=hash) if not task.done()]

    def waiting(self) -> tuple[WaitingTask, ...]:
        """The same in words."""
        return tuple(describe(task) for task in self.pending_tasks())

    def run_forever(self) -> None:
        """Run until `stop` is called; the count of turns without time passing starts anew."""
        self._turns = 0
        super().run_forever()

    def settle(self) -> None:
        """Run what can run without time passing (and without threads), then come back."""
        self._settling = True
        try:
            self.run_forever()
        finally:
            self._settling = False

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep what nobody caught, for `run` to raise."""
        error, message = context.get("exception"), str(context.get("message", "unhandled error"))
        if not isinstance(error, Exception):
            error = SimulatedTimeError(f"{message} {error!r}" if error else message)
        else:
            error.add_note(message)
        for key, value in context.items():
            if key not in ("exception", "message"):
                error.add_note(f"{key}: {value!r}")
        self.unhandled.append(error)

    def take_unretrieved(self, apart_from: BaseException | None) -> list[Exception]:
        """Exceptions of ended tasks that nobody asked for, and those of `unhandled`; then forget them."""
        errors, self.unhandled = self.unhandled, []
        for task in sorted(self._tasks, key=hash):
            if not task.done() or task.cancelled() or not task._log_traceback:
                continue
            error = task.exception()  # also keeps asyncio from logging it a second time
            if isinstance(error, Exception) and error is not apart_from:
                error.add_note(f"raised in task {task.get_name()}, which nobody awaited")
                errors.append(error)
        return errors

    # -- threads ------------------------------------------------------------

    def call_soon_threadsafe(
        self, callback: Callable[[Unpack[_Ts]], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """From the loop's own thread like `call_soon`; from another it runs when nothing else is ready."""
        if self._thread_id == threading.get_ident():
            return self.call_soon(callback, *args, context=context)
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._from_threads.append(handle)
        self._heard.set()
        return handle

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[_Ts]], _T], *args: *_Ts
    ) -> asyncio.Future[_T]:
        """Run in a thread; virtual time is held until it has ended, even if nobody waits for it any more."""
        self._check_closed()
        if executor is None:
            self._check_default_executor()
            executor = self._default_executor
            if executor is None:
                executor = self._default_executor = ThreadPoolExecutor(thread_name_prefix="virtual-loop")
        holder = object()
        self._holders[holder] = _name(func)
        try:
            work = executor.submit(func, *args)
        except BaseException:
            self._let_go(holder)
            raise
        result = asyncio.wrap_future(work, loop=self)
        # After wrap_future's own callback: the result is in `_from_threads` before time is let go.
        work.add_done_callback(lambda _: self._let_go(holder))
        return result

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Wait for the threads to end. `timeout` is ignored: held time never reaches it."""
        self._executor_shutdown_called = True
        executor = self._default_executor
        if executor is None:
            return
        stopped = self.create_future()

        def stop() -> None:
            executor.shutdown(wait=True)
            if not self.is_closed():  # it is when the run gave the threads up
                self.call_soon_threadsafe(stopped.set_result, None)

        thread = threading.Thread(target=stop, name="virtual-loop-shutdown", daemon=True)
        with self.hold("the shutdown of the default executor"):
            thread.start()
            await stopped
        thread.join()

    def _let_go(self, holder: object) -> None:
        self._holders.pop(holder, None)
        self._heard.set()

    # -- the outside world --------------------------------------------------

    def remove_reader(self, fd: Any) -> bool:
        """Nothing is ever watched here."""
        return False

    def remove_writer(self, fd: Any) -> bool:
        """Nothing is ever watched here."""
        return False

    def remove_signal_handler(self, sig: int) -> bool:
        """No signal is ever handled here."""
        return False

    # -- the heart ----------------------------------------------------------

    def _run_once(self) -> None:
        """One turn of the loop; replaces asyncio's, which asks a selector and reads a real clock."""
        ready, timers = self._ready, self._timers
        self._turns += 1
        if self._turns > _TURNS_BEFORE_THREADS_ARE_HEARD:
            self._look_up_from_spinning()
        if not ready and not self._stopping and not (timers and timers[0][0] <= self._now_s):
            self._find_something_to_do()
        while timers and timers[0][0] <= self._now_s:
            timer = heapq.heappop(timers)[2]
            timer._scheduled = False  # type: ignore[attr-defined]
            if timer.cancelled():
                self._timer_cancelled_count -= 1
            else:
                ready.append(timer)
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _find_something_to_do(self) -> None:
        holders = len(self._holders)  # read first: whoever has let go has handed in its result before
        if self._from_threads:
            self._ready.append(self._from_threads.popleft())
        elif self._settling:
            self.stop()
        elif holders:
            self._wait_for_threads()
        else:
            self._move_time()

    def _move_time(self) -> None:
        timers = self._timers
        cancelled = self._timer_cancelled_count
        if cancelled > _CANCELLED_TIMERS_KEPT and cancelled * 2 > len(timers):
            self._forget_cancelled_timers()
        while timers and timers[0][2].cancelled():
            heapq.heappop(timers)[2]._scheduled = False  # type: ignore[attr-defined]
            self._timer_cancelled_count -= 1
        if not timers or timers[0][0] == math.inf:  # sleep(inf) means: until cancelled
            raise nothing_scheduled(self._now_s, self.waiting())
        if timers[0][0] > self.limit_s:
            raise limit_reached(self.limit_s, self.waiting())
        self._now_s = timers[0][0]
        self._turns = 0
        self.wake_ups += 1

    def _forget_cancelled_timers(self) -> None:
        kept = []
        for entry in self._timers:
            if entry[2].cancelled():
                entry[2]._scheduled = False  # type: ignore[attr-defined]
            else:
                kept.append(entry)
        heapq.heapify(kept)
        self._timers[:] = kept  # in place: `_run_once` holds the list
        self._timer_cancelled_count = 0

    def _wait_for_threads(self) -> None:
        self._heard.clear()
        if self._from_threads or not self._holders:
            return
        if not self._heard.wait(self.thread_patience_s):
            holders = list(self._holders.values())
            raise thread_never_ends(self._now_s, self.thread_patience_s, holders, self.waiting())

    def _look_up_from_spinning(self) -> None:
        if self._settling:
            self.stop()
        elif self._from_threads:
            self._ready.append(self._from_threads.popleft())
        elif self._holders:
            self._turns = _TURNS_BEFORE_THREADS_ARE_HEARD  # polling for a thread is no endless spin
        elif self._turns > self.spin_limit:
            raise endless_spin(self._now_s, self._turns - 1, self.waiting())

    def _write_to_self(self) -> None:
        """Wakes a loop that sleeps in a selector; this one has none."""

    def _process_events(self, event_list: object) -> None:
        """Takes events from a selector; this loop has none."""


def _numbered_task(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> NumberedTask[Any]:
    assert isinstance(loop, VirtualLoop)
    loop._tasks_made += 1
    # asyncio counts names over the whole process; here they are the same in every run.
    options["name"] = options.get("name") or f"Task-{loop._tasks_made}"
    task = NumberedTask(coro, number=loop._tasks_made, loop=loop, **options)
    loop._tasks.add(task)
    return task


def _name(function: object) -> str:
    inner = getattr(function, "func", None)  # functools.partial, which asyncio.to_thread makes
    arguments = getattr(function, "args", ())
    if inner is not None:
        # to_thread submits Context.run(func, …)
        return _name(arguments[0]) if arguments and callable(arguments[0]) else _name(inner)
    return getattr(function, "__qualname__", None) or repr(function)


for _method in NEEDS_REAL_TIME:
    setattr(VirtualLoop, _method, refusal(_method))
