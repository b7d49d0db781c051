"""Each row of the table of what went wrong in TeMoto's registrar, with what has to happen instead."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from framework.errors import CircularDependency, RequestTypeError, ResourceFailed, ResourceUnavailable
from framework.registrar import Supply
from framework.status import Severity, Status
from tests.framework.registrar.harness import Harness, Mid, Sub, Top, held_time, refusal, scene, vanish


@scene
async def test_the_first_of_two_sharers_leaves_and_the_sub_resource_is_kept(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")
    harness.offer(server, Mid, lambda mid: Sub())
    harness.offer(server, Sub)
    first = a.request(Mid())
    await first.__aenter__()
    async with b.request(Mid()) as second:
        await first.__aexit__(None, None, None)
        await asyncio.sleep(60)
        assert harness.log == ["up Sub(sub)", "up Mid(mid)"]
        assert second.status.severity is Severity.OK


@scene
async def test_and_a_status_for_the_shared_one_reaches_the_second_once_under_its_own_id(
    harness: Harness,
) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")
    harness.offer(server, Mid, lambda mid: Sub())
    harness.offer(server, Sub)
    told: list[Status] = []
    first = a.request(Mid())
    await first.__aenter__()
    async with b.request(Mid(), on_status=told.append) as second:
        await first.__aexit__(None, None, None)
        harness.supplies[Mid()].report(Severity.WARNING, "dusty")
        harness.supplies[Sub()].report(Severity.WARNING, "warm")
        await asyncio.sleep(1)
        assert [(s.severity, s.message, s.lease_id) for s in told] == [
            (Severity.WARNING, "dusty", second.id),
            (Severity.WARNING, "warm", second.id),
        ]
        assert [hop.registrar for hop in told[1].hops] == ["server", "server"]
        assert second.status is told[1]


@scene
async def test_equal_requests_to_two_servers_both_unload(harness: Harness) -> None:
    p, q, client = await harness.enter_all("p", "q", "client")
    harness.offer(p, Sub)
    harness.offer(q, Sub)
    async with client.request(Sub(), at="p"), client.request(Sub(), at="q"):
        assert harness.count("up Sub(sub)") == 2
    await asyncio.sleep(0.01)
    assert harness.count("down Sub(sub)") == 2


@scene
async def test_four_concurrent_equal_requests_are_one_load_and_one_unload(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, start_s=1.0)

    async def use() -> Any:
        async with client.request(Sub()) as lease:
            await asyncio.sleep(1)
            return lease.value

    values = await asyncio.gather(*(use() for _ in range(4)))
    await asyncio.sleep(0.01)
    assert set(values) == {"handle of Sub(sub)"}
    assert harness.log == ["up Sub(sub)", "down Sub(sub)"]


@scene
async def test_a_foreign_exception_while_loading_is_wrapped_and_leaves_nothing_behind(
    harness: Harness,
) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)

    @server.provides(Mid)
    @asynccontextmanager
    async def broken(request: Mid) -> AsyncIterator[None]:
        raise ZeroDivisionError("no field of view")
        yield

    error = await refusal(client.request(Mid()))
    assert "ZeroDivisionError: no field of view" in str(error)
    assert [(hop.registrar, hop.request) for hop in error.hops] == [("server", "Mid(name='mid')")]
    assert server.snapshot().is_empty and client.snapshot().is_empty
    async with client.request(Sub()):
        assert server.snapshot().resources[0].depends_on == ()


@scene
async def test_a_load_that_takes_a_sub_resource_and_then_raises_gives_it_back(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)

    @server.provides(Mid)
    @asynccontextmanager
    async def broken(request: Mid) -> AsyncIterator[None]:
        await AsyncExitStack().enter_async_context(server.request(Sub()))
        raise OSError("no device")
        yield

    error = await refusal(client.request(Mid()))
    assert "no device" in error.message
    await asyncio.sleep(0.01)
    assert harness.log == ["up Sub(sub)", "down Sub(sub)"]
    assert server.snapshot().is_empty


@scene
async def test_errors_carry_one_entry_per_hop_origin_first(harness: Harness) -> None:
    low, middle, high, client = await harness.enter_all("low", "middle", "high", "client")
    harness.offer(high, Top, lambda top: Mid())
    harness.offer(middle, Mid, lambda mid: Sub())

    @low.provides(Sub)
    @asynccontextmanager
    async def broken(request: Sub) -> AsyncIterator[None]:
        raise OSError("unplugged")
        yield

    error = await refusal(client.request(Top()))
    assert [hop.registrar for hop in error.hops] == ["low", "middle", "high"]
    assert error.message == "OSError: unplugged"


@pytest.mark.parametrize("how", ["to_thread", "plain thread", "executor"])
@scene
async def test_a_sub_resource_requested_from_a_worker_thread_is_released(harness: Harness, how: str) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    loop = asyncio.get_running_loop()

    @server.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid, supply: Supply) -> AsyncIterator[str]:
        async def take() -> str:
            wanted = server.request(Sub()) if how == "to_thread" else supply.request(Sub())
            lease = await AsyncExitStack().enter_async_context(wanted)
            return str(lease.value)

        def work() -> str:
            return asyncio.run_coroutine_threadsafe(take(), loop).result()

        if how == "to_thread":
            yield await asyncio.to_thread(work)
        elif how == "executor":
            yield await loop.run_in_executor(None, work)
        else:
            done: asyncio.Future[str] = loop.create_future()
            thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(done.set_result, work()))
            thread.start()
            with held_time():
                handle = await done
            thread.join()
            yield handle

    async with client.request(Mid()) as lease:
        assert lease.value == "handle of Sub(sub)"
        mid, sub = server.snapshot().resources
        assert mid.depends_on == (sub.id,)
    await asyncio.sleep(0.01)
    assert harness.log == ["up Sub(sub)", "down Sub(sub)"]


@scene
async def test_a_request_after_fatal_loads_afresh_while_the_dead_one_is_still_held(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")
    harness.offer(server, Sub)
    async with a.request(Sub(), on_failure="tell") as old:
        harness.supplies[Sub()].fail("unplugged")
        await asyncio.sleep(0.01)
        async with b.request(Sub()) as fresh:
            assert fresh.status.severity is Severity.OK
            assert old.status.severity is Severity.FATAL
            assert harness.count("up Sub(sub)") == 2
            assert (await old.failed()).message == "unplugged"


@scene
async def test_the_leases_of_a_client_process_that_dies_are_reaped(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    await AsyncExitStack().enter_async_context(client.request(Sub()))
    harness.forget(client)
    vanish(client)
    await asyncio.sleep(0.01)
    assert harness.log == ["up Sub(sub)", "down Sub(sub)"]
    assert any("client is gone" in str(entry) for entry in server.journal.entries())


@scene
async def test_a_needs_b_needs_a_is_an_error_that_names_the_circle(harness: Harness) -> None:
    p, q, client = await harness.enter_all("p", "q", "client")
    harness.offer(p, Mid, lambda mid: Sub())
    harness.offer(q, Sub, lambda sub: Mid())
    with pytest.raises(ResourceUnavailable) as raised:
        async with client.request(Mid()):
            pass
    text = str(raised.value)
    assert "p/Mid(name='mid') → q/Sub(name='sub') → p/Mid(name='mid')" in text


@scene
async def test_one_status_handler_that_raises_harms_nobody_else(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    told: list[int] = []

    def raises(status: Status) -> None:
        raise ValueError("a client's mistake")

    def teller(i: int) -> Callable[[Status], None]:
        return lambda status: told.append(i)

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(client.request(Sub(), on_status=raises))
        for i in range(20):
            await stack.enter_async_context(client.request(Sub(), on_status=teller(i)))
        harness.supplies[Sub()].report(Severity.WARNING, "dusty")
        await asyncio.sleep(0.01)
        assert told == list(range(20))


@scene
async def test_a_stop_that_raises_is_reported_and_the_resource_removed(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")

    @server.provides(Sub)
    @asynccontextmanager
    async def provider(request: Sub) -> AsyncIterator[int]:
        yield 1
        raise OSError("the port is stuck")

    async with client.request(Sub()):
        pass
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty
    assert any("the port is stuck" in entry.why for entry in server.journal.entries())
    async with client.request(Sub()) as again:
        assert again.value == 1


@scene
async def test_a_three_level_chain_is_released_whole_parents_first(harness: Harness) -> None:
    low, middle, high, client = await harness.enter_all("low", "middle", "high", "client")
    harness.offer(high, Top, lambda top: Mid())
    harness.offer(middle, Mid, lambda mid: Sub())
    harness.offer(low, Sub)
    async with client.request(Top()):
        assert harness.log == ["up Sub(sub)", "up Mid(mid)", "up Top(top)"]
    await asyncio.sleep(0.01)
    assert harness.log[3:] == ["down Top(top)", "down Mid(mid)", "down Sub(sub)"]


@scene
async def test_four_threads_with_200_loads_of_one_sub_resource_each(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    loop = asyncio.get_running_loop()

    async def once() -> None:
        async with client.request(Sub()) as lease:
            assert lease.value == "handle of Sub(sub)"

    def work() -> None:
        for _ in range(200):
            asyncio.run_coroutine_threadsafe(once(), loop).result()

    await asyncio.gather(*(asyncio.to_thread(work) for _ in range(4)))
    await asyncio.sleep(0.01)
    assert harness.count("up Sub(sub)") == harness.count("down Sub(sub)") >= 1


@scene
async def test_a_failure_tells_every_lease_once_with_the_whole_chain(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(high, Top, lambda top: Sub())
    harness.offer(low, Sub)
    told: list[Status] = []

    async def body() -> None:
        async with client.request(Top(), on_status=told.append):
            await asyncio.sleep(3600)

    bodies = [asyncio.create_task(body()) for _ in range(3)]
    await asyncio.sleep(1)
    harness.supplies[Sub()].fail("unplugged")
    ended = await asyncio.gather(*bodies, return_exceptions=True)
    assert all(isinstance(error, ResourceFailed) for error in ended)
    assert len(told) == 3 and len({status.lease_id for status in told}) == 3
    assert len({status.id for status in told}) == 1
    assert [hop.registrar for hop in told[0].hops] == ["low", "high"]


@scene
async def test_the_deeper_mistakes_of_a_request_are_named(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    error = await refusal(client.request(Mid()))
    assert "nobody provides" in error.message
    error = await refusal(client.request(Sub(), at="nowhere"))
    assert "there is no registrar named 'nowhere'" in error.message and "server" in error.message
    with pytest.raises(RequestTypeError, match="cannot be a request type"):
        async with client.request({"name": "sub"}):
            pass


@scene
async def test_a_chain_that_never_repeats_is_stopped_at_32(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, lambda sub: Sub(sub.name + "x"))
    with pytest.raises(ResourceUnavailable, match="32 are allowed"):
        async with client.request(Sub("x")):
            pass
    await asyncio.sleep(0.1)
    assert server.snapshot().is_empty


@scene
async def test_circle_is_an_error_of_its_own_for_whoever_closes_it(harness: Harness) -> None:
    p, q, client = await harness.enter_all("p", "q", "client")
    caught: list[CircularDependency] = []
    harness.offer(p, Mid, lambda mid: Sub())

    @q.provides(Sub)
    @asynccontextmanager
    async def provider(request: Sub) -> AsyncIterator[int]:
        try:
            async with q.request(Mid()):
                yield 1
        except CircularDependency as error:
            caught.append(error)
            yield 2

    async with client.request(Mid()):
        pass
    assert caught[0].circle[0] == caught[0].circle[-1] == "q/Sub(name='sub')"
