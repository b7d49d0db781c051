"""Everything that may hang has a deadline, and leaving a registrar never hangs."""

# ruff: noqa: PT012 (a failure arrives while the body of the `async with` goes on)

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from framework.errors import Preempted, RegistrarClosed, ResourceFailed, ResourceUnavailable
from framework.registrar import ResourceRegistrar
from framework.registrar.effects import JournalKind
from framework.status import Priority
from tests.framework.registrar.harness import Device, Harness, Mid, Sub, Top, refusal, scene


def now_s() -> float:
    return asyncio.get_running_loop().time()


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Abandoned providers are logged; here that is meant to happen."""
    caplog.set_level(logging.CRITICAL, "pilothouse.registrar")


@pytest.mark.parametrize("wait", [False, True])
@scene
async def test_a_group_has_one_deadline_not_one_for_each_part_and_another_for_taking_them(
    harness: Harness, wait: bool
) -> None:
    server, client, other = await harness.enter_all("server", "client", "other")
    harness.offer(server, Sub, start_s=0.8)
    harness.offer(server, Mid, start_s=0.8)
    harness.offer(server, Device, preempt_grace_s=100)
    error = await refusal(client.request_all(Mid(), Sub(), exclusive=True, wait=wait, timeout_s=1.0))
    assert "no answer for" in error.message and now_s() == 1.0

    async def stubborn() -> None:
        with suppress(Preempted):
            async with other.request(Device(), exclusive=True):
                try:
                    await asyncio.sleep(3600)
                finally:
                    await asyncio.sleep(50)

    holds = asyncio.create_task(stubborn())
    await asyncio.sleep(10)
    began_s = now_s()
    group = client.request_all(
        Device(), Sub(), exclusive=True, priority=Priority.OPERATOR, wait=wait, timeout_s=2.0
    )
    await refusal(group)
    assert now_s() == began_s + 2.0
    await holds


@scene
async def test_a_start_that_hangs_is_given_up(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, start_s=3600, start_timeout_s=2)
    error = await refusal(client.request(Sub()))
    assert "did not start within 2" in error.message and now_s() == 2
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty


@scene
async def test_a_start_that_hangs_and_does_not_even_listen_is_abandoned(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")

    @server.provides(Sub, start_timeout_s=2, stop_timeout_s=3)
    @asynccontextmanager
    async def deaf(request: Sub) -> AsyncIterator[int]:
        for _ in range(2):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(100)
        yield 1

    error = await refusal(client.request(Sub()))
    assert "did not start" in error.message and now_s() == 2
    await asyncio.sleep(3.1)
    assert server.snapshot().is_empty
    assert [entry.deed for entry in server.journal.entries()][-1] is JournalKind.ABANDON
    await asyncio.sleep(200)


@scene
async def test_a_stop_that_hangs_is_abandoned_and_reported_and_the_new_one_starts(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, stop_s=3600, stop_timeout_s=2)
    async with client.request(Sub()):
        pass
    async with client.request(Sub()):
        assert now_s() == 2
        assert harness.log == ["up Sub(sub)", "down Sub(sub)", "up Sub(sub)"]
        assert any(entry.deed is JournalKind.ABANDON for entry in server.journal.entries())


@scene
async def test_a_chain_whose_parent_hangs_in_its_stop_still_goes_down(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)
    harness.offer(high, Mid, lambda mid: Sub(), stop_s=3600, stop_timeout_s=2)
    async with client.request(Mid()):
        pass
    await asyncio.sleep(2.1)
    assert low.snapshot().is_empty and high.snapshot().is_empty


@scene
async def test_a_sub_resource_that_failed_waits_for_a_slow_parent_at_most_its_own_patience(
    harness: Harness,
) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub, stop_timeout_s=1)
    harness.offer(high, Mid, lambda mid: Sub(), stop_s=3600, stop_timeout_s=5)
    with pytest.raises(ResourceFailed):
        async with client.request(Mid()):
            harness.supplies[Sub()].fail("unplugged")
            await asyncio.sleep(3600)
    await asyncio.sleep(1.1)
    assert "down Sub(sub)" in harness.log


@scene
async def test_a_request_has_a_time_out(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, start_s=100, start_timeout_s=200)
    error = await refusal(client.request(Sub(), timeout_s=3))
    assert "no answer for 3" in error.message and now_s() == 3
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty and client.snapshot().is_empty


@scene
async def test_waiting_in_a_queue_has_a_time_out(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")
    harness.offer(server, Device)
    async with a.request(Device(), exclusive=True):
        error = await refusal(b.request(Device(), exclusive=True, wait=True, timeout_s=3))
        assert "waited in the queue for 3" in error.message and now_s() == 3
        assert server.snapshot().resources[0].waiting == ()


@scene
async def test_time_does_not_run_out_for_a_lease_that_is_granted(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    async with client.request(Sub(), timeout_s=3), client.request_all(Sub("other"), timeout_s=3):
        await asyncio.sleep(10_000)


@scene
async def test_leaving_tears_everything_down_parents_first(harness: Harness) -> None:
    client = await harness.enter("client")
    server = ResourceRegistrar("server", harness.transport)
    await server.__aenter__()
    harness.offer(server, Sub)
    harness.offer(server, Mid, lambda mid: Sub(), stop_s=1)
    harness.offer(server, Top, lambda top: Mid(), stop_s=1)

    async def body() -> None:
        async with client.request(Top()):
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await asyncio.sleep(1)
    await server.__aexit__(None, None, None)
    assert now_s() == 3
    assert harness.log[3:] == ["down Top(top)", "down Mid(mid)", "down Sub(sub)"]
    assert server.snapshot().is_empty
    error = task.exception()
    assert isinstance(error, ResourceFailed) and "server is closing" in str(error)
    assert "nobody provides" in (await refusal(client.request(Top()))).message


@scene
async def test_leaving_brings_what_moves_to_rest(harness: Harness) -> None:
    client = await harness.enter("client")
    server = ResourceRegistrar("server", harness.transport)
    await server.__aenter__()
    rested: list[float] = []

    async def rest() -> None:
        await asyncio.sleep(0.5)
        rested.append(now_s())
        harness.log.append("at rest")

    harness.offer(server, Device, safe_stop=rest)

    async def body() -> None:
        async with client.request(Device(), exclusive=True):
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await asyncio.sleep(1)
    await server.__aexit__(None, None, None)
    assert isinstance(task.exception(), ResourceFailed)
    assert harness.log == ["up Device(arm)", "at rest", "down Device(arm)"]


@scene
async def test_leaving_never_hangs(harness: Harness) -> None:
    client = await harness.enter("client")
    server = ResourceRegistrar("server", harness.transport)
    await server.__aenter__()

    async def never() -> None:
        await asyncio.sleep(3600)

    harness.offer(server, Sub, stop_s=3600, stop_timeout_s=2)
    harness.offer(server, Mid, start_s=3600, start_timeout_s=3600)
    harness.offer(server, Device, safe_stop=never, safe_stop_timeout_s=1, stop_s=3600, stop_timeout_s=2)

    async def body(request: Sub | Mid | Device) -> None:
        async with client.request(request, exclusive=True):
            await asyncio.sleep(3600)

    bodies = [asyncio.create_task(body(request)) for request in (Sub(), Mid(), Device())]
    await asyncio.sleep(1)
    await server.__aexit__(None, None, None)
    assert now_s() <= 5
    await asyncio.wait(bodies)
    assert all(isinstance(b.exception(), ResourceFailed | ResourceUnavailable) for b in bodies)


@scene
async def test_leaving_that_is_itself_cancelled_lets_go_at_once(harness: Harness) -> None:
    server = ResourceRegistrar("server", harness.transport)
    await server.__aenter__()
    harness.offer(server, Sub, stop_s=3600, stop_timeout_s=1000)
    client = await harness.enter("client")
    async with client.request(Sub(), on_failure="tell"):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await server.__aexit__(None, None, None)
        assert "server" not in harness.transport.peers


@scene
async def test_a_registrar_that_has_been_left_neither_provides_nor_requests(harness: Harness) -> None:
    server = await harness.enter("server")
    harness.offer(server, Sub)
    short = ResourceRegistrar("short", harness.transport)
    async with short:
        body = asyncio.create_task(short.request(Sub()).__aenter__())
        await asyncio.sleep(1)
    assert server.snapshot().leases == ()
    await asyncio.wait([body])
    with pytest.raises(RegistrarClosed, match="short"):
        async with short.request(Sub()):
            pass
    with pytest.raises(RegistrarClosed):
        async with short:
            pass


@scene
async def test_bodies_that_hold_leases_of_a_registrar_that_is_left_end(harness: Harness) -> None:
    server = await harness.enter("server")
    harness.offer(server, Sub)
    client = ResourceRegistrar("client", harness.transport)
    await client.__aenter__()

    async def body() -> None:
        async with client.request(Sub()):
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await asyncio.sleep(1)
    await client.__aexit__(None, None, None)
    await asyncio.sleep(0.01)
    assert isinstance(task.exception(), ResourceFailed)
    assert server.snapshot().is_empty


@scene
async def test_a_name_is_free_again_when_its_registrar_has_been_left(harness: Harness) -> None:
    for _ in range(3):
        async with ResourceRegistrar("again", harness.transport) as again:
            harness.offer(again, Sub)
            async with again.request(Sub()) as lease:
                assert lease.value == "handle of Sub(sub)"
