"""How a failure gets into the body that holds a lease: as `asyncio.timeout` would, and one at a time."""

# ruff: noqa: PT012 (a failure arrives while the body of the `async with` goes on)

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import pytest

from framework.errors import LeaseError, ResourceFailed, ResourceUnavailable
from framework.registrar import JournalEntry, Lease, ResourceRegistrar, Supply
from framework.registrar.effects import JournalKind
from framework.status import Severity, Status
from tests.framework.registrar.harness import Device, Harness, Mid, Sub, Top, cancelled_after, scene, vanish


async def two(harness: Harness) -> tuple[ResourceRegistrar, ResourceRegistrar]:
    """A server of Sub, Mid and Top, and a client."""
    server, client = await harness.enter_all("server", "client")
    for kind in (Sub, Mid, Top):
        harness.offer(server, kind)
    return server, client


def later(delay_s: float, call: Callable[..., object], *arguments: Any) -> None:
    asyncio.get_running_loop().call_later(delay_s, call, *arguments)


def fail(harness: Harness, request: Any, message: str = "unplugged") -> None:
    harness.supplies[request].fail(message)


@scene
async def test_the_body_ends_and_the_failure_comes_out_of_the_async_with(harness: Harness) -> None:
    _, client = await two(harness)
    later(1, fail, harness, Sub())
    with pytest.raises(ResourceFailed, match="unplugged") as raised:
        async with client.request(Sub()) as lease:
            await asyncio.sleep(3600)
    assert asyncio.get_running_loop().time() == 1
    assert raised.value.status.lease_id == lease.id
    task = asyncio.current_task()
    assert task is not None and task.cancelling() == 0


@scene
async def test_a_cancellation_from_outside_wins(harness: Harness) -> None:
    _, client = await two(harness)

    async def body() -> None:
        async with client.request(Sub()):
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await asyncio.sleep(1)
    fail(harness, Sub())
    later(0, task.cancel)
    await asyncio.sleep(1)
    assert task.cancelled()


@scene
async def test_a_time_out_around_it_and_one_inside_stay_what_they_are(harness: Harness) -> None:
    _, client = await two(harness)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1), client.request(Sub()):
            await asyncio.sleep(3600)
    with pytest.raises(TimeoutError):
        async with client.request(Sub()), asyncio.timeout(1):
            await asyncio.sleep(3600)
    later(1, fail, harness, Sub())
    with pytest.raises(ResourceFailed):
        async with asyncio.timeout(5), client.request(Sub()), asyncio.timeout(5):
            await asyncio.sleep(3600)


@scene
async def test_a_time_out_in_the_same_instant_as_the_failure_leaves_the_task_uncancelled(
    harness: Harness,
) -> None:
    _, client = await two(harness)
    for delay_s in (1.0, 1.0 - 1e-9, 1.0 + 1e-9):
        with pytest.raises((TimeoutError, ResourceFailed)):
            async with asyncio.timeout(1), client.request(Sub()):
                later(delay_s, fail, harness, Sub())
                await asyncio.sleep(3600)
        task = asyncio.current_task()
        assert task is not None and task.cancelling() == 0
        await asyncio.sleep(1)


@scene
async def test_from_a_task_group_it_comes_out_as_a_group(harness: Harness) -> None:
    _, client = await two(harness)

    async def body() -> None:
        async with client.request(Sub()):
            await asyncio.sleep(3600)

    later(1, fail, harness, Sub())
    caught: list[BaseException] = []
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(body())
            await asyncio.sleep(3600)
    except* ResourceFailed as failures:
        caught.extend(failures.exceptions)
    assert len(caught) == 1


@scene
async def test_a_task_group_inside_of_the_body_is_ended_with_it(harness: Harness) -> None:
    _, client = await two(harness)
    ended: list[str] = []

    async def child() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("child")

    later(1, fail, harness, Sub())
    with pytest.raises(ResourceFailed):
        async with client.request(Sub()), asyncio.TaskGroup() as group:
            group.create_task(child())
    assert ended == ["child"]


@scene
async def test_a_swallowed_cancellation_still_gives_the_failure(harness: Harness) -> None:
    _, client = await two(harness)
    later(1, fail, harness, Sub())
    with pytest.raises(ResourceFailed):
        async with client.request(Sub()):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(3600)
            await asyncio.sleep(5)


@scene
async def test_a_body_that_raises_something_else_keeps_it_with_a_note(harness: Harness) -> None:
    _, client = await two(harness)
    later(1, fail, harness, Sub())
    with pytest.raises(ValueError, match="my own") as raised:
        async with client.request(Sub()):
            try:
                await asyncio.sleep(3600)
            finally:
                raise ValueError("my own")
    assert "unplugged" in raised.value.__notes__[0]
    task = asyncio.current_task()
    assert task is not None and task.cancelling() == 0


@pytest.mark.parametrize("order", [(Sub(), Mid()), (Mid(), Sub())], ids=["outer first", "inner first"])
@scene
async def test_of_two_failures_one_at_a_time_comes_out(harness: Harness, order: tuple[Any, Any]) -> None:
    _, client = await two(harness)
    for request in order:
        later(1, fail, harness, request, f"lost {request.name}")
    with pytest.raises(ResourceFailed, match=f"lost {order[0].name}"):
        async with client.request(Sub()), client.request(Mid()):
            await asyncio.sleep(3600)
    task = asyncio.current_task()
    assert task is not None and task.cancelling() == 0
    await asyncio.sleep(1)


@pytest.mark.parametrize("second", [Sub(), Mid()], ids=["outer second", "inner second"])
@scene
async def test_stop_the_arm_survives_a_second_failure_50_ms_later(harness: Harness, second: Any) -> None:
    _, client = await two(harness)
    first = Mid() if second == Sub() else Sub()
    later(1, fail, harness, first, "first")
    later(1.05, fail, harness, second, "second")
    stopped: list[float] = []
    with pytest.raises(ResourceFailed, match="first"):
        async with client.request(Sub()), client.request(Mid()):
            try:
                await asyncio.sleep(3600)
            finally:
                await asyncio.sleep(0.2)
                stopped.append(asyncio.get_running_loop().time())
    assert stopped == [1.2]


@scene
async def test_the_later_failure_comes_when_the_first_one_has_been_handled(harness: Harness) -> None:
    _, client = await two(harness)
    later(1, fail, harness, Mid(), "inner")
    later(1.05, fail, harness, Sub(), "outer")
    went: list[str] = []
    with pytest.raises(ResourceFailed, match="outer"):
        async with client.request(Sub()):
            try:
                async with client.request(Mid()):
                    try:
                        await asyncio.sleep(3600)
                    finally:
                        await asyncio.sleep(0.2)
            except ResourceFailed as failure:
                went.append(failure.status.message)
                await asyncio.sleep(3600)
    assert went == ["inner"]
    assert asyncio.get_running_loop().time() == 1.2


@scene
async def test_a_failure_never_comes_on_the_bodys_own_stack(harness: Harness) -> None:
    _, client = await two(harness)
    seen: list[Severity] = []
    with pytest.raises(ResourceFailed):
        async with client.request(Sub()) as lease:
            fail(harness, Sub())
            seen.append(lease.status.severity)
            await asyncio.sleep(0)
            seen.append(lease.status.severity)
    assert seen == [Severity.OK]


@scene
async def test_a_failure_between_grant_and_first_step_is_unavailable(harness: Harness) -> None:
    server, client = await two(harness)

    @server.provides(Device)
    @asynccontextmanager
    async def provider(request: Device, supply: Supply) -> AsyncIterator[int]:
        def fail_it_when_granted(entry: JournalEntry) -> None:
            if entry.deed is JournalKind.GRANT:
                supply.fail("fell off")

        server.journal.listen(fail_it_when_granted)
        harness.supplies[Mid()].report(Severity.WARNING, "so that a delivery is under way already")
        yield 1

    async with client.request(Mid()):
        with pytest.raises(ResourceUnavailable, match="fell off"):
            async with client.request(Device()):
                raise AssertionError("the body has begun")


@pytest.mark.parametrize("turns", range(12))
@scene
async def test_whenever_it_fails_it_is_unavailable_or_failed_and_never_a_cancellation(
    harness: Harness, turns: int
) -> None:
    _, client = await two(harness)
    outcomes: list[str] = []

    async def body() -> None:
        try:
            async with client.request(Sub()):
                await asyncio.sleep(3600)
        except (ResourceFailed, ResourceUnavailable) as error:
            outcomes.append(type(error).__name__)

    task = asyncio.create_task(body())
    while Sub() not in harness.supplies:
        await asyncio.sleep(0)
    harness.supplies[Sub()].report(Severity.WARNING, "a delivery is under way already")
    for _ in range(turns):
        await asyncio.sleep(0)
    fail(harness, Sub())
    await task
    assert len(outcomes) == 1


@pytest.mark.parametrize("turns", range(10))
@scene
async def test_a_request_that_is_cancelled_at_any_point_leaves_nothing(harness: Harness, turns: int) -> None:
    server, client = await two(harness)

    async def body() -> None:
        async with client.request(Sub()):
            await asyncio.sleep(3600)

    await cancelled_after(turns, body())
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty and client.snapshot().is_empty


@scene
async def test_request_and_release_within_one_tick_leave_nothing(harness: Harness) -> None:
    server, client = await two(harness)
    task = asyncio.create_task(client.request(Sub()).__aenter__())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    assert task.cancelled() or task.cancelling()
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty


@scene
async def test_a_provider_that_is_cancelled_before_its_first_step_is_over_all_the_same(
    harness: Harness,
) -> None:
    server, client = await two(harness)
    other = await harness.enter("other")
    harness.forget(client)
    task = asyncio.create_task(client.request(Sub()).__aenter__())
    await asyncio.sleep(0)
    vanish(client)
    task.cancel()
    async with asyncio.timeout(1), other.request(Sub()) as lease:
        assert lease.value == "handle of Sub(sub)"
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty and harness.log == ["up Sub(sub)", "down Sub(sub)"]


@scene
async def test_wait_for_that_swallows_a_cancellation_leaks_no_lease(harness: Harness) -> None:
    """3.11's asyncio.wait_for swallows a cancellation that arrives together with the result."""
    server, client = await two(harness)

    async def body() -> None:
        request = client.request(Sub())
        await asyncio.wait_for(request.__aenter__(), 10)
        await request.__aexit__(None, None, None)

    for turns in range(8):
        task = asyncio.create_task(body())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(0.01)
        assert server.snapshot().is_empty, turns


@scene
async def test_leaving_never_awaits_the_tear_down(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, stop_s=3.0)
    loop = asyncio.get_running_loop()
    async with client.request(Sub()):
        pass
    assert loop.time() == 0
    async with client.request(Sub()):
        assert loop.time() == 3
    assert harness.log == ["up Sub(sub)", "down Sub(sub)", "up Sub(sub)"]


@scene
async def test_tell_only_tells(harness: Harness) -> None:
    _, client = await two(harness)
    later(1, fail, harness, Sub())
    async with client.request(Sub(), on_failure="tell") as lease:
        status = await lease.failed()
        assert status.severity is Severity.FATAL and lease.status is status
        await asyncio.sleep(10)


@scene
async def test_statuses_are_iterated_until_fatal(harness: Harness) -> None:
    _, client = await two(harness)
    async with client.request(Sub(), on_failure="tell") as lease:
        supply = harness.supplies[Sub()]
        later(1, supply.report, Severity.WARNING, "dusty")
        later(2, supply.update, "another handle")
        later(3, supply.report, Severity.OK, "clean")
        later(4, supply.fail, "gone")
        seen = [(status.severity.name, lease.value) async for status in lease.statuses()]
    assert [name for name, _ in seen] == ["WARNING", "UPDATE", "OK", "FATAL"]
    assert seen[1][1] == "another handle"


@scene
async def test_readers_that_have_gone_away_are_forgotten(harness: Harness) -> None:
    _, client = await two(harness)
    async with client.request(Sub()) as lease:
        kept = lease.statuses()
        for _ in range(100):
            lease.statuses()
        gc.collect()
        assert lease._iterators is not None and list(lease._iterators) == [kept]
        harness.supplies[Sub()].report(Severity.WARNING, "dusty")
        assert (await anext(kept)).message == "dusty"


@scene
async def test_who_waits_for_the_failure_of_a_lease_that_is_left_is_told_so(harness: Harness) -> None:
    _, client = await two(harness)
    async with client.request(Sub()) as lease:
        waiter = asyncio.create_task(lease.failed())
        reader = asyncio.create_task(read(lease))
        await asyncio.sleep(1)
    with pytest.raises(LeaseError, match="was left"):
        await waiter
    assert await reader == []
    with pytest.raises(LeaseError, match="was left"):
        await lease.failed()


async def read(lease: Lease) -> list[Severity]:
    return [status.severity async for status in lease.statuses()]


@scene
async def test_the_task_that_entered_is_the_one_that_ends(harness: Harness) -> None:
    _, client = await two(harness)
    helper_ended = False

    async def helper() -> None:
        nonlocal helper_ended
        try:
            await asyncio.sleep(3600)
        finally:
            helper_ended = True

    later(1, fail, harness, Sub())
    task = None
    with pytest.raises(ResourceFailed):
        async with client.request(Sub()):
            task = asyncio.create_task(helper())
            await asyncio.sleep(3600)
    assert not helper_ended
    assert task is not None
    task.cancel()
    await asyncio.wait([task])


@scene
async def test_release_is_idempotent(harness: Harness) -> None:
    server, client = await two(harness)
    stack = AsyncExitStack()
    request = client.request(Sub())
    await request.__aenter__()
    await request.__aexit__(None, None, None)
    await request.__aexit__(None, None, None)
    await stack.aclose()
    async with client.request(Sub()):
        await request.__aexit__(None, None, None)
        await asyncio.sleep(1)
        assert len(server.snapshot().leases) == 1


@scene
async def test_one_request_is_entered_once_at_a_time(harness: Harness) -> None:
    server, client = await two(harness)
    for request in (
        client.request(Sub()),
        client.request_all(Sub()),
        client.request(Sub(), optional=True),
    ):
        async with request:
            with pytest.raises(LeaseError, match="held already"):
                await request.__aenter__()
        async with request:
            assert len(server.snapshot().leases) == 1
        await asyncio.sleep(0.01)


@scene
async def test_a_handler_that_cancels_its_own_body_in_the_handler_is_an_outside_cancellation(
    harness: Harness,
) -> None:
    _, client = await two(harness)

    async def body() -> None:
        task = asyncio.current_task()
        assert task is not None

        def cancel(status: Status) -> None:
            task.cancel()

        async with client.request(Sub(), on_status=cancel):
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await asyncio.sleep(1)
    fail(harness, Sub())
    await asyncio.wait([task])
    assert task.cancelled()
