"""What foreign threads put in comes out on the loop: in order, bounded, whatever the reader does."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from framework.transport.inbox import Inbox


def test_each_writers_items_come_out_in_order_on_the_loop() -> None:
    async def main() -> None:
        out: list[tuple[int, int]] = []
        everything = asyncio.Event()
        reader = threading.get_ident()

        def deliver(item: tuple[int, int]) -> None:
            assert threading.get_ident() == reader
            out.append(item)
            if len(out) == 4 * 5000:
                everything.set()

        inbox = Inbox[tuple[int, int]](asyncio.get_running_loop(), deliver)
        writers = [
            threading.Thread(target=lambda w=w: [inbox.put((w, n), 1) for n in range(5000)])  # type: ignore[func-returns-value]
            for w in range(4)
        ]
        for writer in writers:
            writer.start()
        async with asyncio.timeout(10):
            await everything.wait()
        for writer in writers:
            writer.join()
        for w in range(4):
            assert [n for writer_of, n in out if writer_of == w] == list(range(5000))

    asyncio.run(main())


def test_when_full_the_newest_are_dropped_and_counted_but_never_those_without_size() -> None:
    async def main() -> None:
        out: list[int] = []
        inbox = Inbox[int](asyncio.get_running_loop(), out.append, limit_items=3, limit_bytes=100)
        for number in range(5):
            inbox.put(number, 10)
        inbox.put(99)
        inbox.drain()
        inbox.put(6, 60)
        inbox.put(7, 60)
        inbox.drain()
        assert out == [0, 1, 2, 99, 6]
        assert inbox.dropped == 3

    asyncio.run(main())


def test_a_reader_that_raises_is_reported_and_the_rest_arrives() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        complaints: list[dict[str, Any]] = []
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        out: list[int] = []

        def deliver(item: int) -> None:
            if item == 1:
                raise ValueError("one")
            out.append(item)

        inbox = Inbox[int](loop, deliver)
        for number in range(3):
            inbox.put(number, 1)
        inbox.drain()
        assert out == [0, 2]
        assert [str(complaint["exception"]) for complaint in complaints] == ["one"]

    asyncio.run(main())


def test_a_flood_lets_the_loop_do_other_things() -> None:
    async def main() -> None:
        out: list[int] = []
        inbox = Inbox[int](asyncio.get_running_loop(), out.append)
        for number in range(10_000):
            inbox.put(number, 1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert 0 < len(out) < 10_000

    asyncio.run(main())


def test_a_closed_loop_or_inbox_takes_nothing_and_raises_nothing() -> None:
    async def main() -> Inbox[int]:
        return Inbox[int](asyncio.get_running_loop(), lambda item: None)

    inbox = asyncio.run(main())
    inbox.put(1, 1)
    inbox.put(2, 1)
    inbox.close()
    inbox.put(3)
    inbox.drain()
