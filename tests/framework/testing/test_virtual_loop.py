"""The virtual-time loop: time, threads, what it refuses, and how it says that it is stuck."""

from __future__ import annotations

import asyncio
import functools
import math
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from framework.clock import LoopClock
from framework.errors import NothingScheduled, SimulatedTimeError
from framework.testing import VirtualLoop, run, run_on
from framework.testing.virtual_loop import VIRTUAL_EPOCH_S


def start(coroutine: Coroutine[Any, Any, None], name: str | None = None) -> asyncio.Task[None]:
    """Start a task that the test means to neglect; the caller's local name keeps it alive."""
    return asyncio.create_task(coroutine, name=name)


def virtual_loop() -> VirtualLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


# -- stuck -------------------------------------------------------------------


def test_a_run_in_which_every_task_waits_says_which_and_where() -> None:
    async def forever() -> None:
        async def waits_for_the_queue() -> None:
            await asyncio.Queue[int]().get()

        _waits_for_the_queue = start(waits_for_the_queue(), name="consumer")
        await asyncio.sleep(2.5)
        await asyncio.Event().wait()

    with pytest.raises(NothingScheduled) as caught:
        run(forever)
    text = str(caught.value)
    line = forever.__code__.co_firstlineno
    assert "At 2.5 s" in text
    assert (
        f"main (test_a_run_in_which_every_task_waits_says_which_and_where.<locals>.forever) at {__file__}"
        in text
    )
    assert f"{__file__}:{line + 6}, in Event.wait" in text
    assert f"consumer ({waits_qualname(forever)}) at {__file__}:{line + 2}, in Queue.get" in text
    assert "asyncio.timeout" in text
    assert "loop.hold" in text


def waits_qualname(outer: Callable[..., object]) -> str:
    return f"{outer.__qualname__}.<locals>.waits_for_the_queue"


def test_a_stuck_provider_is_named_inside_of_its_context_manager() -> None:
    @asynccontextmanager
    async def provider() -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    async def client() -> None:
        async with provider():
            pass

    with pytest.raises(NothingScheduled) as caught:
        run(client)
    stuck_at = provider.__wrapped__.__code__.co_firstlineno + 2  # type: ignore[attr-defined]
    assert f"{__file__}:{stuck_at}, in Event.wait" in str(caught.value)


def test_sleeping_for_ever_is_no_timer() -> None:
    async def forever() -> None:
        await asyncio.sleep(math.inf)

    with pytest.raises(NothingScheduled):
        run(forever)


def test_a_heartbeat_does_not_keep_a_run_alive_beyond_its_limit() -> None:
    async def main() -> None:
        async def heartbeat() -> None:
            while True:
                await asyncio.sleep(1.0)

        beat = asyncio.create_task(heartbeat(), name="heartbeat")
        await asyncio.Event().wait()
        beat.cancel()

    with pytest.raises(SimulatedTimeError, match="limit of 60 s") as caught:
        run(main, limit_s=60.0)
    assert not isinstance(caught.value, NothingScheduled)
    assert "main (" in str(caught.value)
    assert "heartbeat (" in str(caught.value)


def test_a_circle_without_delay_is_named() -> None:
    async def spin() -> None:
        while True:
            await asyncio.sleep(0)

    with pytest.raises(SimulatedTimeError, match="turned 5000 times at 0 s") as caught:
        run_on(VirtualLoop(spin_limit=5_000), spin)
    assert "main (" in str(caught.value)


def test_a_thread_that_waits_for_virtual_time_is_named() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()

        def asks_for_a_timer() -> None:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(1.0), loop).result()

        await asyncio.to_thread(asks_for_a_timer)

    with pytest.raises(SimulatedTimeError, match=r"asks_for_a_timer\. A thread that itself waits"):
        run_on(VirtualLoop(thread_patience_s=0.2), main)


# -- what it refuses ---------------------------------------------------------


async def _opens_a_connection() -> None:
    await asyncio.open_connection("localhost", 80)


async def _serves() -> None:
    await asyncio.start_server(lambda reader, writer: None, "localhost", 0)


async def _opens_datagrams() -> None:
    await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol)


async def _looks_up_a_name() -> None:
    await asyncio.get_running_loop().getaddrinfo("localhost", 80)


async def _reads_a_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        await asyncio.get_running_loop().sock_recv(ours, 1)


async def _watches_a_descriptor() -> None:
    asyncio.get_running_loop().add_reader(0, print)


async def _starts_a_child() -> None:
    await asyncio.create_subprocess_exec("true")


async def _starts_a_shell() -> None:
    await asyncio.create_subprocess_shell("true")


async def _handles_a_signal() -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, print)


@pytest.mark.parametrize(
    ("asks", "method", "instead"),
    [
        (_opens_a_connection, "create_connection", "local transport"),
        (_serves, "create_server", "local transport"),
        (_opens_datagrams, "create_datagram_endpoint", "local transport"),
        (_looks_up_a_name, "getaddrinfo", "local transport"),
        (_reads_a_socket, "sock_recv", "local transport"),
        (_watches_a_descriptor, "add_reader", "local transport"),
        (_starts_a_child, "subprocess_exec", "script the child"),
        (_starts_a_shell, "subprocess_shell", "script the child"),
        (_handles_a_signal, "add_signal_handler", "call the handler itself"),
    ],
)
def test_what_needs_real_time_is_refused_and_the_way_out_named(
    asks: Callable[[], Awaitable[None]], method: str, instead: str
) -> None:
    async def main() -> None:
        await asks()

    with pytest.raises(SimulatedTimeError, match=rf"{method}\(.*{instead}.*wall clock"):
        run(main)


# -- time --------------------------------------------------------------------


def test_time_starts_at_zero_and_jumps_to_the_next_timer() -> None:
    seen: list[float] = []

    async def main() -> float:
        loop = asyncio.get_running_loop()
        seen.append(loop.time())
        await asyncio.sleep(3600)
        seen.append(loop.time())
        async with asyncio.timeout(10):
            await asyncio.sleep(1.5)
        return loop.time()

    began = time.monotonic()
    assert run(main) == 3601.5
    assert seen == [0.0, 3600.0]
    assert time.monotonic() - began < 5.0


def test_a_time_out_fires_on_virtual_time() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(30):
                await asyncio.Event().wait()
        return asyncio.get_running_loop().time()

    assert run(main) == 30.0


def test_timers_of_one_instant_fire_in_the_order_they_were_set() -> None:
    async def main() -> list[int]:
        loop, fired = asyncio.get_running_loop(), list[int]()
        for number in range(100):
            loop.call_at(1.0, fired.append, number)
        await asyncio.sleep(1.0)
        return fired

    assert run(main) == list(range(100))


def test_ten_years_pass_without_losing_a_timer() -> None:
    async def main() -> int:
        ticks = 0
        for _ in range(10):
            await asyncio.sleep(365 * 86_400)
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks

    assert run(main, limit_s=math.inf) == 10


def test_cancelled_timers_are_forgotten() -> None:
    async def main() -> int:
        loop = virtual_loop()
        for _ in range(5_000):
            async with asyncio.timeout(1_000_000.0):
                await asyncio.sleep(0.001)
        return len(loop._timers)

    assert run(main) < 300


def test_the_wall_clock_counts_from_the_epoch_of_the_loop() -> None:
    async def main() -> tuple[float, float]:
        clock = LoopClock()
        await clock.sleep(5.0)
        return clock.now_s(), clock.wall_s()

    assert run(main) == (5.0, VIRTUAL_EPOCH_S + 5.0)


def test_a_day_of_a_tenth_second_timer_takes_seconds() -> None:
    async def day() -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def tick() -> None:
            if loop.time() >= 86_400.0:
                over.set()
            else:
                loop.call_later(0.1, tick)

        tick()
        await over.wait()

    loop = VirtualLoop()
    run_on(loop, day)
    assert 864_000 <= loop.wake_ups < 865_000


# -- threads -----------------------------------------------------------------


def test_time_is_held_while_a_thread_works() -> None:
    async def main() -> tuple[str, float]:
        loop = asyncio.get_running_loop()
        go_on = threading.Event()

        def work() -> str:
            assert go_on.wait(10)
            return "done"

        timer = loop.call_later(1.0, lambda: None)
        working = asyncio.create_task(asyncio.to_thread(work))
        await asyncio.sleep(0)
        # Real time passes here, in a second thread; virtual time does not.
        await loop.run_in_executor(None, functools.partial(threading.Timer(0.05, go_on.set).start))
        result = await working
        timer.cancel()
        return result, loop.time()

    assert run(main) == ("done", 0.0)


def test_a_cancelled_wait_still_holds_time_until_the_thread_has_ended() -> None:
    ended = threading.Event()
    go_on = threading.Event()

    def work() -> None:
        assert go_on.wait(10)
        ended.set()

    async def main() -> bool:
        working = asyncio.create_task(asyncio.to_thread(work))
        await asyncio.sleep(0)
        working.cancel()
        threading.Timer(0.05, go_on.set).start()
        await asyncio.sleep(1.0)
        return ended.is_set()

    assert run(main)


def test_a_thread_of_ones_own_is_waited_for_under_hold() -> None:
    async def main() -> float:
        loop, called = virtual_loop(), asyncio.Event()
        with loop.hold("the driver's own thread"):
            threading.Timer(0.02, loop.call_soon_threadsafe, (called.set,)).start()
            await called.wait()
        return loop.time()

    assert run(main) == 0.0


def test_what_a_thread_sends_in_is_taken_one_at_a_time_when_nothing_else_is_ready() -> None:
    async def main() -> list[str]:
        loop, heard, sent = asyncio.get_running_loop(), list[str](), threading.Event()

        def hear(word: str) -> None:
            heard.append(word)
            loop.call_soon(heard.append, f"after {word}")

        def work() -> None:
            loop.call_soon_threadsafe(hear, "first")
            loop.call_soon_threadsafe(hear, "second")
            sent.set()

        working = asyncio.create_task(asyncio.to_thread(work))
        await asyncio.sleep(0)
        assert sent.wait(10)  # both have been handed in before the loop looks again
        for number in range(3):
            heard.append(f"step {number}")
            await asyncio.sleep(0)
        await working
        return heard

    assert run(main) == ["step 0", "step 1", "step 2", "first", "after first", "second", "after second"]


def test_a_task_that_polls_for_a_thread_gets_its_word() -> None:
    async def main() -> int:
        working = asyncio.create_task(asyncio.to_thread(time.monotonic))
        turns = 0
        while not working.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert run_on(VirtualLoop(spin_limit=2_000), main) > 0


def test_an_error_in_a_thread_comes_out_where_it_is_awaited() -> None:
    def work() -> None:
        raise ValueError("from the thread")

    async def main() -> None:
        await asyncio.to_thread(work)

    with pytest.raises(ValueError, match="from the thread"):
        run(main)


def test_no_thread_is_left() -> None:
    before = set(threading.enumerate())

    async def main() -> None:
        await asyncio.gather(*(asyncio.to_thread(time.monotonic) for _ in range(4)))

    run(main)
    assert set(threading.enumerate()) == before


# -- same seed, same run -----------------------------------------------------

_STORY = """
import asyncio
from framework.testing import run

async def main():
    loop, story = asyncio.get_running_loop(), []

    async def worker(number):
        try:
            while True:
                await asyncio.sleep(loop.random.choice((0.0, 0.1, 0.1, 0.2)))
                story.append((round(loop.time(), 6), number, asyncio.current_task().get_name()))
        finally:
            story.append(("cancelled", number))

    async def breaks():
        await asyncio.sleep(1.0)
        raise RuntimeError

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(worker(number))
            group.create_task(breaks())
    except* RuntimeError:
        pass
    done, _ = await asyncio.wait({asyncio.create_task(asyncio.sleep(0, n)) for n in range(20)})
    story.append([task.result() for task in done])
    return story

garbage = [object() for _ in range(SHIFT)]  # other addresses, other hashes by identity
print(run(main, seed=SEED))
"""


def test_the_same_seed_gives_the_same_run_in_another_process() -> None:
    def story(seed: int, shift: int) -> str:
        code = _STORY.replace("SEED", str(seed)).replace("SHIFT", str(shift))
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    first = story(seed=7, shift=0)
    assert "cancelled" in first
    assert story(seed=7, shift=12_345) == first
    assert story(seed=8, shift=0) != first


def test_task_names_start_anew_on_every_loop() -> None:
    async def main() -> list[str]:
        tasks = [asyncio.create_task(asyncio.sleep(0)) for _ in range(2)]
        await asyncio.gather(*tasks)
        return [task.get_name() for task in tasks]

    assert run(main) == run(main) == ["Task-2", "Task-3"]


def test_shuffled_what_is_due_at_one_instant_comes_in_an_order_of_the_seed() -> None:
    def order(seed: int, *, shuffled: bool = True) -> list[int]:
        came: list[int] = []

        async def main() -> None:
            loop = asyncio.get_running_loop()
            for number in range(20):
                loop.call_later(1.0, came.append, number)
            await asyncio.sleep(2.0)

        run(main, seed=seed, shuffled=shuffled)
        return came

    assert order(1, shuffled=False) == list(range(20))
    assert sorted(order(1)) == list(range(20)) != order(1)
    assert order(1) == order(1) != order(2)


def test_a_loop_that_is_starved_is_late() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.call_later(0.1, loop.starve, 0.5)
        await asyncio.sleep(0.2)
        return loop.time()

    assert run(main) == pytest.approx(0.6)
