"""`framework.testing.run`: results, errors that nobody took notice of, and what is left at the end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import pytest

from framework.errors import NothingScheduled, SimulatedTimeError
from framework.testing import VirtualLoop, run, run_on


def start(coroutine: Coroutine[Any, Any, None], name: str | None = None) -> asyncio.Task[None]:
    """Start a task that the test means to neglect; the caller's local name keeps it alive."""
    return asyncio.create_task(coroutine, name=name)


def test_an_exception_comes_out_as_it_is() -> None:
    async def main() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(main)


def test_an_error_of_a_task_nobody_awaited_is_raised_at_the_end() -> None:
    async def main() -> str:
        async def breaks() -> None:
            raise ValueError("in the background")

        task = asyncio.create_task(breaks(), name="background")
        await asyncio.sleep(1)
        assert task.done()
        return "fine"

    with pytest.raises(ExceptionGroup) as caught:
        run(main)
    (error,) = caught.value.exceptions
    assert isinstance(error, ValueError)
    assert "background" in " ".join(error.__notes__)


def test_an_error_in_a_callback_is_raised_at_the_end() -> None:
    def breaks() -> None:
        raise ValueError("in a callback")

    async def main() -> None:
        asyncio.get_running_loop().call_later(1.0, breaks)
        await asyncio.sleep(2.0)

    with pytest.raises(ExceptionGroup) as caught:
        run(main)
    assert caught.group_contains(ValueError, match="in a callback")


def test_the_own_error_comes_first_and_hides_none_of_the_others() -> None:
    async def main() -> None:
        async def breaks() -> None:
            raise ValueError("the cause")

        _breaks = start(breaks())
        await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as caught:
        run(main)
    first, second = caught.value.exceptions
    assert isinstance(first, NothingScheduled)
    assert isinstance(second, ValueError)


def test_an_outcome_of_the_test_runner_stays_what_it_is() -> None:
    async def main() -> None:
        async def breaks() -> None:
            raise ValueError("the cause")

        _breaks = start(breaks())
        await asyncio.sleep(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        run(main)
    assert "the cause" in caught.value.__notes__[0]


def test_an_error_that_somebody_took_notice_of_is_not_raised_again() -> None:
    async def main() -> BaseException | None:
        async def breaks() -> None:
            raise ValueError

        task = asyncio.create_task(breaks())
        await asyncio.wait([task])
        return task.exception()

    assert isinstance(run(main), ValueError)


def test_tasks_that_are_left_are_cancelled_awaited_and_listed() -> None:
    cleaned_up: list[str] = []

    async def goes_on(name: str) -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            await asyncio.sleep(1)
            cleaned_up.append(name)

    async def main() -> str:
        _goes_on = start(goes_on("a"), name="a")
        _goes_on_too = start(goes_on("b"), name="b")
        await asyncio.sleep(0)
        return "result"

    loop = VirtualLoop()
    assert run_on(loop, main) == "result"
    assert [task.name for task in loop.leftovers] == ["a", "b"]
    assert cleaned_up == ["a", "b"]
    assert loop.is_closed()


def test_a_task_that_ends_without_time_passing_is_not_left() -> None:
    async def main() -> None:
        async def ends_soon() -> None:
            for _ in range(5):
                await asyncio.sleep(0)

        _ends_soon = start(ends_soon())
        cancelled = asyncio.create_task(asyncio.sleep(1000))
        await asyncio.sleep(0)
        cancelled.cancel()

    loop = VirtualLoop()
    run_on(loop, main)
    assert loop.leftovers == ()
    assert loop.time() == 0.0


def test_a_task_that_spins_is_left() -> None:
    async def main() -> None:
        async def spins() -> None:
            while True:
                await asyncio.sleep(0)

        _spins = start(spins(), name="spins")

    loop = VirtualLoop()
    run_on(loop, main)
    assert [task.name for task in loop.leftovers] == ["spins"]


def test_a_task_that_does_not_let_itself_be_cancelled_is_an_error() -> None:
    async def main() -> None:
        async def stubborn() -> None:
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    continue

        _stubborn = start(stubborn(), name="stubborn")
        await asyncio.sleep(1)

    with pytest.raises(ExceptionGroup) as caught:
        run(main)
    assert caught.group_contains(SimulatedTimeError, match=r"cancelled .* nevertheless:\n  - stubborn ")


def test_an_error_while_being_cancelled_is_raised() -> None:
    async def main() -> None:
        async def breaks_when_cancelled() -> None:
            try:
                await asyncio.sleep(1000)
            finally:
                raise ValueError("in finally")

        _breaks_when_cancelled = start(breaks_when_cancelled())
        await asyncio.sleep(0)

    with pytest.raises(ExceptionGroup) as caught:
        run(main)
    assert caught.group_contains(ValueError, match="in finally")


def test_asynchronous_generators_are_shut_down() -> None:
    closed: list[float] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(1)
            closed.append(asyncio.get_running_loop().time())

    stream = numbers()

    async def main() -> int:
        async for number in stream:
            return number
        return 0

    assert run(main) == 1
    assert closed == [1.0]


def test_a_run_inside_of_a_run_is_refused() -> None:
    async def inner() -> None: ...

    async def main() -> None:
        run(inner)

    with pytest.raises(SimulatedTimeError, match="inside of a running event loop"):
        run(main)


def test_importing_the_kit_is_cheap_and_gives_the_function() -> None:
    code = (
        "import sys, framework.testing; assert 'asyncio' not in sys.modules, 'eager'; "
        "import framework.testing.runner; from framework.testing import run; assert callable(run)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_kit_gives_everything_it_lists_and_nothing_else() -> None:
    import framework.testing as kit

    for name in kit.__all__:
        assert getattr(kit, name) is not None
    assert dir(kit) == sorted(kit.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'rnu'; it has Fault"):
        kit.rnu  # noqa: B018
