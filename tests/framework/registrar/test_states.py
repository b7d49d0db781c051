"""What snapshot and journal say about a resource while it lives, is ill, and goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.registrar import ResourceRegistrar, Supply
from framework.registrar.effects import JournalKind
from framework.registrar.snapshot import ResourceView
from framework.status import Priority, Severity, Status
from tests.framework.registrar.harness import Arm, Device, Harness, Mid, Sub, Top, refusal, scene


def only(registrar: ResourceRegistrar) -> ResourceView:
    (view,) = registrar.snapshot().resources
    return view


def deeds(registrar: ResourceRegistrar) -> list[str]:
    return [entry.deed.value for entry in registrar.journal.entries()]


@scene
async def test_starting_ready_degraded_failed_stopping(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, start_s=1, stop_s=1)
    seen: list[str] = []

    async def body() -> None:
        async with client.request(Sub()):
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await asyncio.sleep(0.5)
    seen.append(only(server).state)
    await asyncio.sleep(1)
    seen.append(only(server).state)
    supply = harness.supplies[Sub()]
    supply.report(Severity.WARNING, "dusty")
    seen.append(only(server).state)
    assert only(server).detail == "dusty"
    supply.report(Severity.OK, "clean")
    seen.append(only(server).state)
    supply.report(Severity.ERROR, "blind")
    seen.append(only(server).state)
    supply.fail("burnt")
    seen.append(only(server).state)
    await asyncio.wait([task])
    assert isinstance(task.exception(), ResourceFailed)
    assert seen == ["starting", "ready", "degraded", "ready", "degraded", "failed"]
    await asyncio.sleep(2)
    async with client.request(Sub()):
        pass
    await asyncio.sleep(0.5)
    assert only(server).state == "stopping"


@scene
async def test_retrying_says_reason_next_attempt_and_tries_and_retry_now_wakes_it(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    told: list[Status] = []
    attempts: list[float] = []

    @server.provides(Sub)
    @asynccontextmanager
    async def restarting(request: Sub, supply: Supply) -> AsyncIterator[int]:
        async def restart() -> None:
            loop = asyncio.get_running_loop()
            for tries in (1, 2):
                await asyncio.sleep(1)
                supply.retrying("the process died", loop.time() + 30, tries)
                try:
                    async with asyncio.timeout(30):
                        await supply.retry_requested()
                except TimeoutError:
                    pass
                attempts.append(loop.time())
                supply.update(tries, "restarted")

        keeper = asyncio.create_task(restart())
        yield 0
        keeper.cancel()
        await asyncio.wait([keeper])

    async with client.request(Sub(), on_status=told.append) as lease:
        await asyncio.sleep(1.5)
        view = only(server)
        assert (view.state, view.detail, view.tries) == ("retrying", "the process died", 1)
        assert view.next_attempt_s == 31
        assert [(s.severity, s.message) for s in told] == [(Severity.WARNING, "retrying: the process died")]
        server.retry_now(view.id)
        await asyncio.sleep(0.01)
        assert attempts == [1.5] and lease.value == 1
        assert (only(server).state, only(server).next_attempt_s) == ("ready", None)
        await asyncio.sleep(60)
        assert attempts == [1.5, 32.5]
        with pytest.raises(ResourceUnavailable, match="is nothing that could be retried; up are server/"):
            server.retry_now("server/4711")
        with pytest.raises(ResourceUnavailable, match="is nothing that could be retried"):
            server.retry_now("the arm")
    assert deeds(server).count("restart") == 2


@scene
async def test_needs_a_human_says_what(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    async with client.request(Sub()) as lease:
        harness.supplies[Sub()].needs_human("release the brake button")
        await asyncio.sleep(0.01)
        assert (only(server).state, only(server).detail) == ("needs a human", "release the brake button")
        assert lease.status.message == "needs a human: release the brake button"
        async with client.request(Sub()) as second:
            assert second.value == "handle of Sub(sub)"
        harness.supplies[Sub()].report(Severity.OK, "released")
        assert (only(server).state, only(server).detail) == ("ready", "")


@scene
async def test_a_warning_below_degrades_what_stands_on_it_and_ok_heals_it(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Sub)
    harness.offer(high, Mid, lambda mid: Sub())
    async with client.request(Mid()):
        harness.supplies[Sub()].report(Severity.WARNING, "dusty")
        assert (only(high).state, only(high).detail) == ("degraded", "dusty")
        harness.supplies[Sub()].report(Severity.OK, "clean")
        assert only(high).state == "ready"


@scene
async def test_the_snapshot_is_the_graph_of_resources_leases_and_dependencies(harness: Harness) -> None:
    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Device)
    harness.offer(high, Arm, lambda arm: Device(), exclusive=True)
    async with client.request(Arm(), priority=Priority.OPERATOR) as lease:
        arm, device = only(high), only(low)
        assert arm.depends_on == (device.id,) and arm.leases == (lease.id,)
        assert device.holder in device.leases and device.priority is Priority.OPERATOR
        views = {view.id: view for view in high.snapshot().leases}
        assert views[lease.id].side == "lent" and views[lease.id].client == "client"
        held = views[device.holder]
        assert (held.side, held.who, held.exclusive, held.generation) == ("held", "client", True, 1)
        kept = high.snapshot()
    assert not kept.is_empty
    await asyncio.sleep(0.01)
    assert high.snapshot().is_empty and not kept.is_empty


@scene
async def test_the_journal_has_one_entry_for_each_deed_with_who_and_why(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")

    async def rest() -> None:
        await asyncio.sleep(0.1)

    harness.offer(server, Device, safe_stop=rest)
    heard: list[str] = []
    forget = server.journal.listen(lambda entry: heard.append(entry.deed.value))

    async def lower() -> None:
        async with a.request(Device(), exclusive=True):
            await asyncio.sleep(3600)

    task = asyncio.create_task(lower())
    await asyncio.sleep(1)
    await refusal(b.request(Device(), exclusive=True))
    async with b.request(Device(), exclusive=True, priority=Priority.OPERATOR):
        pass
    await asyncio.wait([task])
    assert task.exception() is not None
    await asyncio.sleep(1)
    assert deeds(server) == heard
    assert heard == [
        *("start", "ready", "grant"),
        *("refuse", "preempt", "safe stop", "grant", "safe stop", "stop"),
    ]
    by_deed = {entry.deed: entry for entry in server.journal.entries()}
    assert by_deed[JournalKind.REFUSE].who == "b" and "held by a" in by_deed[JournalKind.REFUSE].why
    assert (by_deed[JournalKind.PREEMPT].who, by_deed[JournalKind.PREEMPT].why) == (
        "b",
        "over a, operator over autonomy",
    )
    assert by_deed[JournalKind.GRANT].generation == 2 and by_deed[JournalKind.GRANT].lease.startswith("b:")
    assert by_deed[JournalKind.STOP].why == "nobody uses it"
    why = "over a, operator over autonomy"
    assert str(by_deed[JournalKind.PREEMPT]) == f"preempt b: server/Device(name='arm') ({why})"
    forget()
    async with a.request(Device()):
        assert len(heard) == 9


@scene
async def test_refusals_that_reach_no_resource_are_in_the_journal_too(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    await refusal(client.request(Top(), at="server"))
    assert deeds(server) == ["refuse"]


@scene
async def test_the_journal_s_times_are_the_registrar_s(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, start_s=2)
    async with client.request(Sub()):
        pass
    times = {entry.deed: (entry.at_s, entry.wall_s) for entry in server.journal.entries()}
    assert times[JournalKind.START][0] == 0 and times[JournalKind.READY][0] == 2
    assert times[JournalKind.READY][1] - times[JournalKind.START][1] == 2
