"""Providers: what they hold, how they survive, what threads and contexts do to them."""

# ruff: noqa: PT012 (a failure arrives while the body of the `async with` goes on)

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from framework.errors import (
    LeaseError,
    RegistrarClosed,
    RequestTypeError,
    ResourceFailed,
    ResourceUnavailable,
)
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Severity, Status
from tests.framework.registrar.harness import Harness, Mid, Sub, Top, held_time, refusal, scene


@scene
async def test_a_dependency_s_failure_is_fatal_for_what_stands_on_it_before_slow_stops(
    harness: Harness,
) -> None:
    low, middle, high, client = await harness.enter_all("low", "middle", "high", "client")
    harness.offer(high, Top, lambda top: Mid(), stop_s=2.0)
    harness.offer(middle, Mid, lambda mid: Sub(), stop_s=2.0)
    harness.offer(low, Sub)
    loop = asyncio.get_running_loop()
    loop.call_later(1, lambda: harness.supplies[Sub()].fail("unplugged"))
    with pytest.raises(ResourceFailed):
        async with client.request(Top()):
            await asyncio.sleep(3600)
    assert loop.time() == 1
    await asyncio.sleep(10)
    assert harness.log[3:] == ["down Top(top)", "down Mid(mid)", "down Sub(sub)"]


@scene
async def test_the_provider_leaves_through_the_dependency_that_failed(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)
    seen: list[str] = []

    @high.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[int]:
        try:
            async with high.request(Sub()):
                try:
                    yield 1
                except asyncio.CancelledError:
                    seen.append("cancelled at yield")
                    raise
        except ResourceFailed as failure:
            seen.append(f"left through {failure.status.message}")
            raise

    asyncio.get_running_loop().call_later(1, lambda: harness.supplies[Sub()].fail("unplugged"))
    with pytest.raises(ResourceFailed):
        async with client.request(Mid()):
            await asyncio.sleep(3600)
    await asyncio.sleep(0.01)
    assert seen == ["cancelled at yield", "left through unplugged"]


@scene
async def test_what_a_background_task_of_the_provider_loses_is_that_task_s_affair(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)
    lost: list[str] = []

    @high.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[int]:
        async def hold() -> None:
            try:
                async with high.request(Sub()):
                    await asyncio.sleep(3600)
            except ResourceFailed as failure:
                lost.append(failure.status.message)

        holder = asyncio.create_task(hold())
        await asyncio.sleep(1)
        yield 1
        await holder

    async with client.request(Mid()) as lease:
        harness.supplies[Sub()].fail("unplugged")
        await asyncio.sleep(1)
        assert lost == ["unplugged"]
        assert lease.status.severity is Severity.OK


@scene
async def test_a_stopping_provider_is_never_cancelled_by_its_dependency(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)
    stopped: list[str] = []

    @high.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[int]:
        async with high.request(Sub()):
            yield 1
            await asyncio.sleep(1)
            stopped.append("in order")

    async with client.request(Mid()):
        pass
    await asyncio.sleep(0.5)
    harness.supplies[Sub()].fail("unplugged")
    await asyncio.sleep(1)
    assert stopped == ["in order"]


@scene
async def test_after_fail_the_provider_goes_on_at_its_yield(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    went: list[str] = []

    @server.provides(Sub)
    @asynccontextmanager
    async def provider(request: Sub, supply: Supply) -> AsyncIterator[int]:
        asyncio.get_running_loop().call_later(1, lambda: supply.fail("burnt"))
        yield 1
        went.append("on")

    with pytest.raises(ResourceFailed, match="burnt"):
        async with client.request(Sub()):
            await asyncio.sleep(3600)
    await asyncio.sleep(0.01)
    assert went == ["on"]


@scene
async def test_fail_before_yield_aborts_the_load(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")

    @server.provides(Sub)
    @asynccontextmanager
    async def provider(request: Sub, supply: Supply) -> AsyncIterator[int]:
        supply.fail("not calibrated")
        await asyncio.sleep(3600)
        yield 1

    error = await refusal(client.request(Sub()))
    assert error.message == "not calibrated"
    assert asyncio.get_running_loop().time() == 0


@scene
async def test_tell_reacquire_and_update_are_one_incident_for_everyone_above(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)

    @high.provides(Mid)
    @asynccontextmanager
    async def survivor(request: Mid, supply: Supply) -> AsyncIterator[str]:
        first = asyncio.get_running_loop().create_future()

        async def keep() -> None:
            because: Status | None = None
            for name in ("one", "two"):
                async with high.request(Sub(name), on_failure="tell") as lease:
                    if because is None:
                        first.set_result(lease.value)
                    else:
                        supply.update(lease.value, f"now on {name}", because=because)
                    because = await lease.failed()
            supply.fail("no substitute is left")

        keeper = asyncio.create_task(keep())
        try:
            yield await first
        finally:
            keeper.cancel()
            await asyncio.wait([keeper])

    told: list[Status] = []
    with pytest.raises(ResourceFailed, match="no substitute"):
        async with client.request(Mid(), on_status=told.append) as lease:
            assert lease.value == "handle of Sub(one)"
            harness.supplies[Sub("one")].fail("unplugged")
            await asyncio.sleep(1)
            assert lease.value == "handle of Sub(two)"
            assert [(s.severity, s.message) for s in told] == [(Severity.UPDATE, "now on two")]
            assert [hop.message for hop in told[0].hops] == ["unplugged", "now on two"]
            harness.supplies[Sub("two")].fail("unplugged as well")
            await asyncio.sleep(3600)
    assert len(told) == 2


@scene
async def test_what_is_held_with_tell_does_not_climb_as_fatal_but_its_warnings_do(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)

    @high.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[int]:
        async with high.request(Sub(), on_failure="tell"):
            yield 1

    told: list[str] = []
    async with client.request(Mid(), on_status=lambda status: told.append(status.severity.name)):
        harness.supplies[Sub()].report(Severity.WARNING, "dusty")
        harness.supplies[Sub()].update("another")
        harness.supplies[Sub()].report(Severity.ERROR, "dirty")
        harness.supplies[Sub()].report(Severity.OK, "clean")
        harness.supplies[Sub()].fail("gone")
        await asyncio.sleep(1)
        assert told == ["WARNING", "ERROR", "OK"]


@scene
async def test_a_diamond_is_told_once(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)
    harness.offer(low, Mid, lambda mid: Sub())

    @high.provides(Top)
    @asynccontextmanager
    async def provider(request: Top) -> AsyncIterator[int]:
        async with high.request(Mid("left")), high.request(Mid("right")), high.request(Sub()):
            yield 1

    told: list[Status] = []
    async with client.request(Top(), on_status=told.append, on_failure="tell"):
        harness.supplies[Sub()].report(Severity.WARNING, "dusty")
        await asyncio.sleep(1)
        assert [status.message for status in told] == ["dusty"]
        harness.supplies[Sub()].fail("gone")
        await asyncio.sleep(1)
        assert [status.message for status in told] == ["dusty", "gone"]


@scene
async def test_what_a_provider_s_task_group_loses_is_named_with_its_hops(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)

    @high.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[int]:
        async def hold() -> None:
            async with high.request(Sub()):
                await asyncio.sleep(3600)

        async with asyncio.TaskGroup() as group:
            holder = group.create_task(hold())
            yield 1
            holder.cancel()

    asyncio.get_running_loop().call_later(1, lambda: harness.supplies[Sub()].fail("unplugged"))
    with pytest.raises(ResourceFailed) as raised:
        async with client.request(Mid()):
            await asyncio.sleep(3600)
    assert raised.value.status.message == "unplugged"
    assert [hop.registrar for hop in raised.value.hops] == ["low", "high"]


@scene
async def test_a_lease_whose_task_has_ended_ends_the_provider_and_says_why(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)

    @high.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[int]:
        async with AsyncExitStack() as stack:
            await asyncio.create_task(stack.enter_async_context(high.request(Sub())))
            yield 1

    asyncio.get_running_loop().call_later(1, lambda: harness.supplies[Sub()].fail("unplugged"))
    with pytest.raises(ResourceFailed) as raised:
        async with client.request(Mid()):
            await asyncio.sleep(3600)
    assert raised.value.status.message == "unplugged"
    assert [hop.registrar for hop in raised.value.hops] == ["low", "high"]


@scene
async def test_when_a_provider_ends_what_was_taken_on_its_behalf_is_released_and_its_holders_end(
    harness: Harness,
) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    background: list[asyncio.Task[None]] = []
    refused: list[str] = []

    @server.provides(Mid)
    @asynccontextmanager
    async def careless(request: Mid, supply: Supply) -> AsyncIterator[int]:
        async def forgotten() -> None:
            try:
                async with server.request(Sub()):
                    await asyncio.sleep(3600)
            finally:
                try:
                    async with supply.request(Sub("more")):
                        pass
                except ResourceUnavailable as error:
                    refused.append(error.message)

        background.append(asyncio.create_task(forgotten()))
        await asyncio.sleep(1)
        yield 1

    async with client.request(Mid()):
        assert len(server.snapshot().resources) == 2
    await asyncio.wait(background)
    assert isinstance(background[0].exception(), ResourceFailed)
    assert harness.log == ["up Sub(sub)", "down Sub(sub)"]
    assert len(refused) == 1 and "is over" in refused[0]


@scene
async def test_all_that_a_supply_says_may_be_said_from_any_thread(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    told: list[tuple[Severity, int]] = []

    def hear(status: Status) -> None:
        told.append((status.severity, threading.get_ident()))

    async with client.request(Sub(), on_status=hear, on_failure="tell") as lease:
        supply = harness.supplies[Sub()]

        def work() -> None:
            supply.report(Severity.WARNING, "dusty")
            supply.update("another")
            supply.retrying("lost the stream", 5.0, 1)
            supply.needs_human("plug it in")
            supply.fail("gone")

        thread = threading.Thread(target=work)
        thread.start()
        with held_time():
            await lease.failed()
        thread.join()
    names = [severity.name for severity, _ in told]
    assert names == ["WARNING", "UPDATE", "WARNING", "WARNING", "FATAL"]
    assert {thread for _, thread in told} == {threading.get_ident()}


def test_a_supply_that_speaks_after_its_loop_has_ended_harms_nobody() -> None:
    kept: list[Supply] = []

    @scene
    async def play(harness: Harness) -> None:
        server, client = await harness.enter_all("server", "client")
        harness.offer(server, Sub)
        async with client.request(Sub()):
            kept.append(harness.supplies[Sub()])

    play()
    kept[0].fail("far too late")


@scene
async def test_a_provider_runs_in_the_registrar_s_context_not_in_its_first_client_s(harness: Harness) -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")
    server, client = await harness.enter_all("server", "client")
    seen: list[str] = []

    @server.provides(Sub)
    @asynccontextmanager
    async def provider(request: Sub) -> AsyncIterator[int]:
        seen.append(who.get())
        who.set("provider")
        yield 1

    who.set("client")
    async with client.request(Sub()):
        assert who.get() == "client"
    assert seen == ["nobody"]


@scene
async def test_a_registrar_made_inside_of_a_provider_does_not_act_on_that_one_s_behalf(
    harness: Harness,
) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    inner: list[ResourceRegistrar] = []

    @server.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[int]:
        async with ResourceRegistrar("inner", harness.transport) as registrar:
            inner.append(registrar)

            @registrar.provides(Top)
            @asynccontextmanager
            async def top(request: Top) -> AsyncIterator[int]:
                async with registrar.request(Sub()):
                    yield 1

            yield 1

    async with client.request(Mid()), client.request(Top()):
        assert inner[0].snapshot().resources[0].depends_on != ()
        mid = next(view for view in server.snapshot().resources if view.request == Mid())
        assert mid.depends_on == ()


@scene
async def test_an_optional_dependency_comes_and_goes_as_an_update(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    is_there = False

    @low.provides(Sub)
    @asynccontextmanager
    async def provider(request: Sub, supply: Supply) -> AsyncIterator[str]:
        if not is_there:
            raise OSError("unplugged")
        harness.supplies[request] = supply
        yield "a light"

    values: list[object] = []

    @high.provides(Mid)
    @asynccontextmanager
    async def camera(request: Mid) -> AsyncIterator[str]:
        async with high.request(
            Sub(), optional=True, on_status=lambda status: values.append(light.value)
        ) as light:
            values.append(light.value)
            yield "picture"

    told: list[Status] = []
    async with client.request(Mid(), on_status=told.append) as lease:
        assert values == [None]
        is_there = True
        await asyncio.sleep(1)
        assert values == [None, "a light"]
        is_there = False
        harness.supplies[Sub()].fail("unplugged")
        await asyncio.sleep(3)
        assert values == [None, "a light", None]
        is_there = True
        await asyncio.sleep(60)
        assert values == [None, "a light", None, "a light"]
        assert lease.status.severity is Severity.UPDATE and lease.value == "picture"
    assert [status.severity for status in told] == [Severity.UPDATE] * 3
    assert ["is there" in told[0].message, "is gone" in told[1].message] == [True, True]


@scene
async def test_an_optional_resource_that_nobody_provides_is_absent_for_a_body_too(harness: Harness) -> None:
    _, client = await harness.enter_all("server", "client")
    async with client.request(Sub(), optional=True) as lease:
        assert lease.value is None
        await asyncio.sleep(100)
        assert lease.value is None
        with pytest.raises(LeaseError, match="request it again"):
            lease.send(b"go")


@scene
async def test_an_optional_exclusive_lease_has_the_real_ones_id_and_generation(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    async with client.request(Sub(), optional=True, exclusive=True) as lease:
        supply = harness.supplies[Sub()]
        assert (lease.id, lease.generation) == (supply.holder, supply.generation)


@scene
async def test_an_optional_request_at_a_registrar_that_is_left_ends(harness: Harness) -> None:
    server = await harness.enter("server")
    harness.offer(server, Sub, start_s=5.0)
    short = ResourceRegistrar("short", harness.transport)
    await short.__aenter__()

    async def body() -> None:
        async with short.request(Sub(), optional=True):
            pass

    task = asyncio.create_task(body())
    await asyncio.sleep(1)
    await short.__aexit__(None, None, None)
    with pytest.raises(RegistrarClosed):
        async with asyncio.timeout(100):
            await task


@scene
async def test_handlers_of_holders_and_commands_that_raise_disturb_nothing(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    server, client = await harness.enter_all("server", "client")

    def raises(*arguments: object) -> None:
        raise ValueError("a driver's mistake")

    @server.provides(Sub)
    @asynccontextmanager
    async def provider(request: Sub, supply: Supply) -> AsyncIterator[int]:
        supply.on_holder(raises)
        supply.on_command(raises)
        yield 1

    server.journal.listen(raises)
    with caplog.at_level(logging.CRITICAL, "pilothouse.registrar"):
        async with client.request(Sub(), exclusive=True) as lease:
            lease.send(b"go")
            assert server.snapshot().resources[0].holder == lease.id
        await asyncio.sleep(0.01)
    assert server.snapshot().is_empty


@scene
async def test_a_dependency_that_fails_while_its_parent_starts_fails_the_load_with_its_hops(
    harness: Harness,
) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)
    harness.offer(high, Mid, lambda mid: Sub(), start_s=5)
    asyncio.get_running_loop().call_later(1, lambda: harness.supplies[Sub()].fail("unplugged"))
    error = await refusal(client.request(Mid()))
    assert asyncio.get_running_loop().time() == 1
    assert error.message == "unplugged"
    assert [hop.registrar for hop in error.hops] == ["low", "high"]


@scene
async def test_a_provider_that_is_refused_one_thing_may_take_another(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")

    @low.provides(Sub)
    @asynccontextmanager
    async def cameras(request: Sub) -> AsyncIterator[str]:
        if request.name == "best":
            raise OSError("unplugged")
        yield request.name

    @high.provides(Mid)
    @asynccontextmanager
    async def chooser(request: Mid) -> AsyncIterator[str]:
        for name in ("best", "second"):
            try:
                async with high.request(Sub(name)) as lease:
                    yield lease.value
                    return
            except ResourceUnavailable:
                continue

    async with client.request(Mid()) as lease:
        assert lease.value == "second"
        assert len(low.snapshot().resources) == 1


@scene
async def test_an_optional_dependency_that_would_close_a_circle_is_absent(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, lambda sub: Mid())

    @server.provides(Mid)
    @asynccontextmanager
    async def provider(request: Mid) -> AsyncIterator[object]:
        async with server.request(Sub(), optional=True) as lease:
            yield lease.value

    async with client.request(Mid()) as lease:
        assert lease.value is None
        assert [view.request for view in server.snapshot().resources] == [Mid()]
        assert any("circular dependency" in entry.why for entry in server.journal.entries())


@scene
async def test_an_optional_lease_of_a_registrar_that_is_left_is_empty(harness: Harness) -> None:
    server = await harness.enter("server")
    harness.offer(server, Sub)
    client = ResourceRegistrar("client", harness.transport)
    await client.__aenter__()
    async with client.request(Sub(), optional=True) as lease:
        assert lease.value == "handle of Sub(sub)"
        await client.__aexit__(None, None, None)
        await asyncio.sleep(0.01)
        assert lease.value is None and "gone for good" in lease.status.message


@scene
async def test_what_cannot_be_provided_is_refused_at_once(harness: Harness) -> None:
    server = await harness.enter("server")
    harness.offer(server, Sub)
    with pytest.raises(RequestTypeError, match="provides Sub already"):
        harness.offer(server, Sub)
    with pytest.raises(RequestTypeError, match="cannot be a request type"):
        server.provides(dict)
    with pytest.raises(RequestTypeError, match="asynccontextmanager"):

        @server.provides(Mid)  # type: ignore[type-var]
        async def forgotten(request: Mid) -> AsyncIterator[int]:
            yield 1

    with pytest.raises(RequestTypeError, match=r"\(request\) or \(request, supply\)"):
        server.provides(Mid)(lambda: None)  # type: ignore[type-var]


def test_a_registrar_belongs_to_one_loop() -> None:
    @scene
    async def play(harness: Harness) -> None:
        server, client = await harness.enter_all("server", "client")
        harness.offer(server, Sub)

        async def elsewhere() -> None:
            async with client.request(Sub()):
                pass

        def work() -> None:
            with pytest.raises(ResourceUnavailable, match="another event loop"):
                asyncio.run(elsewhere())

        await asyncio.to_thread(work)

    play()
