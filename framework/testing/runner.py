"""Running one coroutine function on the virtual clock, and what becomes of what it leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from framework.errors import NothingScheduled, SimulatedTimeError
from framework.testing.virtual_loop import LIMIT_S, VirtualLoop
from framework.testing.waiting import as_lines

_T = TypeVar("_T")

_WIND_DOWN_S = 3_600.0
_ROUNDS_OF_CANCELLING = 10
_WIND_DOWN = "wind-down"


def run(
    coroutine_function: Callable[[], Coroutine[Any, Any, _T]],
    *,
    seed: int = 0,
    limit_s: float = LIMIT_S,
    shuffled: bool = False,
) -> _T:
    """Run a coroutine function on a fresh virtual-time loop and return its result.

    A day of timers takes seconds; the same seed gives the same run. As with
    `asyncio.run`, tasks that are still alive at the end are cancelled and
    awaited, asynchronous generators and the default executor are shut down.

    Parameters
        seed: of `asyncio.get_running_loop().random`.
        limit_s: virtual time at which the run is given up, one week by default.
        shuffled: what is due at one instant comes in an order that the seed draws.

    Raises
        whatever the coroutine raises;
        NothingScheduled: every task waits and nothing will wake one; the message lists them;
        SimulatedTimeError: a socket, child process or signal was asked for, the limit was reached,
            or tasks spin without time passing;
        ExceptionGroup: tasks or callbacks failed and nobody took notice; the coroutine's own
            exception, if there was one, comes first in it.
    """
    return run_on(VirtualLoop(seed=seed, limit_s=limit_s, shuffled=shuffled), coroutine_function)


def run_on(loop: VirtualLoop, coroutine_function: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """Like `run`, on a loop that the caller made and may read afterwards (`leftovers`, `wake_ups`, `time()`).

    The loop is closed at the end. `leftovers` are the tasks that would have gone on
    after the coroutine had returned; one that ends without time passing is none.
    """
    _refuse_nesting(loop)
    result: list[_T] = []
    failure: BaseException | None = None
    try:
        main = loop.create_task(coroutine_function(), name="main")
        result.append(loop.run_until_complete(main))
        loop.settle()
        loop.leftovers = loop.waiting()
    except BaseException as error:  # kept until the loop is closed; raised below
        failure = error
    try:
        lost = _wind_down(loop)
        lost += loop.take_unretrieved(apart_from=failure)
    finally:
        loop.close()
    try:
        _raise(failure, lost)
    finally:
        del failure, lost  # the exception's traceback holds this frame: no circle for the collector
    return result[0]


def _refuse_nesting(loop: VirtualLoop) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    loop.close()
    raise SimulatedTimeError(
        "framework.testing.run was called inside of a running event loop; "
        "call it from a plain function, and await the coroutine where a loop already runs."
    )


def _wind_down(loop: VirtualLoop) -> list[Exception]:
    """Cancel and await what is left; give back what went wrong in doing so."""
    loop.limit_s = loop.time() + _WIND_DOWN_S
    lost: list[Exception] = []
    cancelled: list[asyncio.Task[Any]] = []
    try:
        for _ in range(_ROUNDS_OF_CANCELLING):  # a task may start another one while it is cancelled
            pending = loop.pending_tasks()
            if not pending:
                break
            cancelled += pending
            for task in pending:
                task.cancel("the run is over")
            loop.run_until_complete(loop.create_task(_ended(pending), name=_WIND_DOWN))
    except SimulatedTimeError as error:
        lost.append(_stubborn(loop, error))
    for task in cancelled:
        if not task.done() or task.cancelled():
            continue
        if isinstance(refusal := task.exception(), Exception):
            refusal.add_note(f"raised in task {task.get_name()} when it was cancelled at the end of the run")
            lost.append(refusal)
    for shut_down in (loop.shutdown_asyncgens, loop.shutdown_default_executor):
        try:
            loop.run_until_complete(shut_down())
        except SimulatedTimeError as error:
            lost.append(error)
    return lost


async def _ended(tasks: list[asyncio.Task[Any]]) -> None:
    await asyncio.wait(tasks)


def _stubborn(loop: VirtualLoop, error: SimulatedTimeError) -> Exception:
    tasks = loop.pending_tasks()
    waiting = tuple(task for task in loop.waiting() if task.name != _WIND_DOWN)
    for task in tasks:
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # said here already
    why = "wait for ever" if isinstance(error, NothingScheduled) else "go on"
    return SimulatedTimeError(
        f"These tasks were cancelled at the end of the run and {why} nevertheless:\n{as_lines(waiting)}\n"
        "Let them end when asyncio.CancelledError reaches them."
    )


def _raise(failure: BaseException | None, lost: list[Exception]) -> None:
    try:
        if failure is None:
            if lost:
                raise ExceptionGroup("errors that nobody took notice of", lost)
            return
        if lost and isinstance(failure, Exception):
            raise ExceptionGroup("the run failed, and so did what nobody took notice of", [failure, *lost])
        for error in lost:  # Ctrl-C and a test runner's own outcomes stay what they are
            failure.add_note(f"also, noticed by nobody: {error!r}")
        raise failure
    finally:
        del failure, lost
