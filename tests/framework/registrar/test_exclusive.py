"""Exclusive leases: who is refused, waits or is preempted, and that the device is at rest in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from framework.errors import LeaseError, Preempted, ResourceFailed, ResourceUnavailable, StreamError
from framework.registrar import ResourceRegistrar
from framework.registrar.effects import JournalKind
from framework.status import Priority, Severity, Status
from tests.framework.registrar.harness import Arm, Device, Harness, Sub, refusal, scene, shell_of, vanish


def now_s() -> float:
    return asyncio.get_running_loop().time()


class Rest:
    """A safe stop that takes some time and says when it was called."""

    def __init__(self, takes_s: float = 0.1) -> None:
        self.takes_s = takes_s
        self.at_s: list[float] = []

    async def __call__(self) -> None:
        self.at_s.append(now_s())
        await asyncio.sleep(self.takes_s)


async def hold(
    registrar: ResourceRegistrar, request: Any, for_s: float, order: list[str], name: str, **wishes: Any
) -> None:
    async with registrar.request(request, exclusive=True, **wishes):
        order.append(name)
        await asyncio.sleep(for_s)


def started(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.create_task(coroutine)


@scene
async def test_a_refusal_names_the_holder_and_what_to_do(harness: Harness) -> None:
    server, pick, place = await harness.enter_all("server", "pick", "place")
    harness.offer(server, Device)
    async with pick.request(Device(), exclusive=True):
        error = await refusal(place.request(Device(), exclusive=True))
        assert "held by pick, with the same priority" in error.message and "; wait for it, " in error.message
        async with place.request(Device()) as reader:
            assert reader.status.severity is Severity.OK
    assert [e.who for e in server.journal.entries() if e.deed is JournalKind.REFUSE] == ["place"]


@scene
async def test_who_waits_is_told_holder_and_place_and_served_in_order(harness: Harness) -> None:
    server, *clients = await harness.enter_all("server", "a", "b", "c", "d")
    harness.offer(server, Device)
    order: list[str] = []
    told: dict[str, list[str]] = {client.name: [] for client in clients}
    tasks = []
    for client in clients:
        tasks.append(
            started(
                hold(
                    client,
                    Device(),
                    1.0,
                    order,
                    client.name,
                    wait=True,
                    on_status=lambda status, name=client.name: told[name].append(status.message),
                )
            )
        )
        await asyncio.sleep(0.01)
    assert told["d"] == ["waiting for a, third in the queue"]
    snapshot = server.snapshot().resources[0]
    assert len(snapshot.waiting) == 3 and snapshot.holder.startswith("a:")
    await asyncio.gather(*tasks)
    assert order == ["a", "b", "c", "d"]
    assert told["d"][:3] == [
        "waiting for a, third in the queue",
        "waiting for b, second in the queue",
        "waiting for c, first in the queue",
    ]


@scene
async def test_in_the_queue_a_higher_priority_goes_first_and_within_one_the_first_come(
    harness: Harness,
) -> None:
    server, a, b, c, d = await harness.enter_all("server", "a", "b", "c", "d")
    harness.offer(server, Device)
    order: list[str] = []
    tasks = [started(hold(a, Device(), 1, order, "a", priority=Priority.OPERATOR))]
    await asyncio.sleep(0)
    for client, priority in ((b, Priority.BACKGROUND), (c, Priority.AUTONOMY), (d, Priority.AUTONOMY)):
        tasks.append(started(hold(client, Device(), 1, order, client.name, priority=priority, wait=True)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert order == ["a", "c", "d", "b"]


@scene
async def test_a_preemption_ends_the_body_and_says_by_whom(harness: Harness) -> None:
    server, auto, operator = await harness.enter_all("server", "auto", "operator")
    harness.offer(server, Device)
    order: list[str] = []
    lower = started(hold(auto, Device(), 3600, order, "auto"))
    await asyncio.sleep(1)
    await hold(operator, Device(), 1, order, "operator", priority=Priority.OPERATOR)
    error = lower.exception()
    assert isinstance(error, Preempted) and error.by == "operator"
    assert error.status.preempted_by == "operator"
    assert error.status.message == "operator takes Device(name='arm') from auto"
    assert order == ["auto", "operator"]
    (preemption,) = (entry for entry in server.journal.entries() if entry.deed is JournalKind.PREEMPT)
    assert (preemption.who, preemption.why) == ("operator", "over auto, operator over autonomy")


@scene
async def test_a_preemption_climbs_as_a_preemption_through_every_level(harness: Harness) -> None:
    low, middle, high, auto, operator = await harness.enter_all("low", "middle", "high", "auto", "operator")
    harness.offer(high, Arm, lambda arm: Sub(arm.mode))
    harness.offer(middle, Sub, lambda sub: Device(), exclusive=True)
    harness.offer(low, Device)
    told: list[Status] = []
    taken: list[float] = []

    async def body() -> None:
        async with auto.request(Arm("pose"), on_status=told.append):
            await asyncio.sleep(3600)

    lower = started(body())
    await asyncio.sleep(1)
    async with operator.request(Arm("twist"), priority=Priority.OPERATOR):
        taken.append(now_s())
    error = lower.exception()
    assert isinstance(error, Preempted) and error.by == "operator"
    assert [status.severity for status in told] == [Severity.FATAL]
    assert [hop.registrar for hop in error.status.hops] == ["low", "middle", "high"]
    assert taken == [1]


@scene
async def test_the_new_holder_waits_for_the_old_body_to_leave_at_most_the_grace(harness: Harness) -> None:
    server, auto, operator = await harness.enter_all("server", "auto", "operator")
    harness.offer(server, Device, preempt_grace_s=0.5)
    for cleaning_s, granted_after_s in ((0.2, 0.2), (3.0, 0.5)):
        begun_s = now_s()

        async def slow(cleaning_s: float = cleaning_s) -> None:
            async with auto.request(Device(), exclusive=True):
                try:
                    await asyncio.sleep(3600)
                finally:
                    await asyncio.sleep(cleaning_s)

        lower = started(slow())
        await asyncio.sleep(1)
        async with operator.request(Device(), exclusive=True, priority=Priority.OPERATOR) as lease:
            assert now_s() - begun_s == pytest.approx(1 + granted_after_s)
            assert server.snapshot().resources[0].holder == lease.id
            await asyncio.wait([lower])
            assert server.snapshot().resources[0].holder == lease.id
        assert isinstance(lower.exception(), Preempted)
    assert any("did not leave within 0.5 s" in entry.why for entry in server.journal.entries())


async def released(harness: Harness, server: ResourceRegistrar, client: ResourceRegistrar) -> None:
    async with client.request(Device(), exclusive=True):
        await asyncio.sleep(1)


async def cancelled(harness: Harness, server: ResourceRegistrar, client: ResourceRegistrar) -> None:
    task = started(hold(client, Device(), 3600, [], "client"))
    await asyncio.sleep(1)
    task.cancel()


async def vanished(harness: Harness, server: ResourceRegistrar, client: ResourceRegistrar) -> None:
    task = started(hold(client, Device(), 3600, [], "client"))
    await asyncio.sleep(1)
    harness.forget(client)
    vanish(client)
    task.cancel()


async def preempted(harness: Harness, server: ResourceRegistrar, client: ResourceRegistrar) -> None:
    operator = await harness.enter("operator")
    task = started(hold(client, Device(), 3600, [], "client"))
    await asyncio.sleep(1)
    await hold(operator, Device(), 0, [], "operator", priority=Priority.OPERATOR)
    assert isinstance(task.exception(), Preempted)


async def failed(harness: Harness, server: ResourceRegistrar, client: ResourceRegistrar) -> None:
    task = started(hold(client, Device(), 3600, [], "client"))
    await asyncio.sleep(1)
    harness.supplies[Device()].fail("joint 3 is hot")
    await asyncio.wait([task])
    assert isinstance(task.exception(), ResourceFailed)


@pytest.mark.parametrize(
    "how", [released, cancelled, vanished, preempted, failed], ids=lambda how: how.__name__
)
@scene
async def test_the_device_is_brought_to_rest_however_its_holder_ends(
    harness: Harness,
    how: Callable[[Harness, ResourceRegistrar, ResourceRegistrar], Coroutine[Any, Any, None]],
) -> None:
    server, client, reader = await harness.enter_all("server", "client", "reader")
    rest = Rest()
    harness.offer(server, Device, safe_stop=rest)
    async with reader.request(Device(), on_failure="tell"):
        await how(harness, server, client)
        await asyncio.sleep(1)
        assert rest.at_s[0] == pytest.approx(1)
        assert any(entry.deed is JournalKind.SAFE_STOP for entry in server.journal.entries())


@scene
async def test_the_last_to_leave_still_has_the_device_brought_to_rest_before_it_goes_down(
    harness: Harness,
) -> None:
    server, client = await harness.enter_all("server", "client")
    rest = Rest(0.5)
    harness.offer(server, Device, safe_stop=rest)
    async with client.request(Device(), exclusive=True):
        pass
    await asyncio.sleep(0.4)
    assert rest.at_s == [0] and harness.log == ["up Device(arm)"]
    await asyncio.sleep(0.2)
    assert harness.log == ["up Device(arm)", "down Device(arm)"]


@scene
async def test_a_provider_that_ends_by_itself_is_still_brought_to_rest(harness: Harness) -> None:
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager

    from framework.registrar import Supply

    server, client = await harness.enter_all("server", "client")
    rest = Rest()

    @server.provides(Device)
    @asynccontextmanager
    async def provider(request: Device, supply: Supply) -> AsyncIterator[int]:
        async def watch() -> None:
            await asyncio.sleep(1)
            raise OSError("the bus is dead")

        supply.declare_safe_stop(rest)
        async with asyncio.TaskGroup() as group:
            group.create_task(watch())
            yield 1

    with pytest.raises(ResourceFailed, match="the bus is dead"):
        async with client.request(Device(), exclusive=True):
            await asyncio.sleep(3600)
    await asyncio.sleep(1)
    assert rest.at_s == [1]


@scene
async def test_the_next_holder_is_granted_when_the_device_is_at_rest(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")
    rest = Rest(0.3)
    harness.offer(server, Device, safe_stop=rest)
    order: list[str] = []
    first = started(hold(a, Device(), 1, order, "a"))
    await asyncio.sleep(0.5)
    async with b.request(Device(), exclusive=True, wait=True) as lease:
        assert now_s() == pytest.approx(1.3)
        assert lease.generation == 2
    await first


@scene
async def test_a_safe_stop_that_takes_too_long_is_fatal_before_the_next_holder(harness: Harness) -> None:
    server, a, b, reader = await harness.enter_all("server", "a", "b", "reader")
    rest = Rest(3600)
    harness.offer(server, Device, safe_stop=rest, safe_stop_timeout_s=0.4)
    order: list[str] = []
    told: list[Status] = []
    async with reader.request(Device(), on_failure="tell", on_status=told.append):
        first = started(hold(a, Device(), 1, order, "a"))
        second = started(hold(b, Device(), 1, order, "b", wait=True))
        await asyncio.sleep(1.5)
        await asyncio.wait([first, second])
        error = second.exception()
        assert isinstance(error, ResourceUnavailable) and "did not come to a safe stop" in error.message
        assert order == ["a"]
        assert [(status.severity, now_s()) for status in told] == [(Severity.FATAL, 1.5)]


@scene
async def test_a_safe_stop_that_cannot_be_watched_is_told_in_words(harness: Harness) -> None:
    """Found by a campaign: whoever took an arm whose reports made no sense was told a StreamError."""
    server, a, b = await harness.enter_all("server", "a", "b")

    async def unreadable() -> None:
        raise StreamError("sample 68 is no report of a control loop")

    harness.offer(server, Device, safe_stop=unreadable)
    first = started(hold(a, Device(), 1, [], "a"))
    second = started(hold(b, Device(), 1, [], "b", wait=True))
    await asyncio.wait([first, second])
    error = second.exception()
    assert isinstance(error, ResourceUnavailable)
    assert error.message.endswith("did not come to a safe stop: sample 68 is no report of a control loop")


@scene
async def test_a_safe_stop_that_raises_is_fatal_too(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")

    async def broken() -> None:
        raise OSError("the brake does not answer")

    harness.offer(server, Device, safe_stop=broken)
    first = started(hold(a, Device(), 1, [], "a"))
    await asyncio.sleep(0.5)
    error = await refusal(b.request(Device(), exclusive=True, wait=True))
    assert "the brake does not answer" in error.message
    await first


@scene
async def test_a_safe_stop_that_is_declared_late_still_counts(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Device)
    rest = Rest()
    async with client.request(Device()):
        harness.supplies[Device()].declare_safe_stop(rest)
        async with client.request(Device(), exclusive=True):
            await asyncio.sleep(1)
        await asyncio.sleep(0)
        assert rest.at_s == [1]


@scene
async def test_generations_rise_and_the_provider_knows_the_holder(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")
    harness.offer(server, Device)
    heard: list[tuple[str, int]] = []
    async with a.request(Device()):
        supply = harness.supplies[Device()]
        supply.on_holder(lambda lease, generation: heard.append((lease, generation)))
        for client in (a, b, a):
            async with client.request(Device(), exclusive=True) as lease:
                assert (supply.holder, supply.generation) == (lease.id, lease.generation)
            assert supply.holder == ""
    assert [generation for _, generation in heard] == [1, 1, 2, 2, 3, 3]
    assert [lease[:1] for lease, _ in heard] == ["a", "", "b", "", "a", ""]


@scene
async def test_only_the_present_holder_is_obeyed(harness: Harness) -> None:
    server, auto, operator = await harness.enter_all("server", "auto", "operator")
    harness.offer(server, Device)
    heard: list[bytes] = []

    async def stubborn() -> None:
        async with auto.request(Device(), exclusive=True, on_failure="tell") as lease:
            harness.supplies[Device()].on_command(lambda command: heard.append(command.payload))
            lease.send(b"auto 1")
            await lease.failed()
            with pytest.raises(LeaseError, match="has failed"):
                lease.send(b"auto 2")
            core = shell_of(auto).core
            held = core.holds[lease.id]
            held.phase = type(held.phase).GRANTED
            shell_of(auto).happen(lambda core: core.holding.command(held, 7, b"auto 3"))

    task = started(stubborn())
    await asyncio.sleep(1)
    async with operator.request(Device(), exclusive=True, priority=Priority.OPERATOR) as lease:
        lease.send(b"operator 1")
        await asyncio.sleep(1)
    with pytest.raises(LeaseError, match="was left"):
        lease.send(b"operator 2")
    await task
    assert heard == [b"auto 1", b"operator 1"]


@scene
async def test_a_shared_lease_does_not_command_what_moves(harness: Harness) -> None:
    server, reader, other = await harness.enter_all("server", "reader", "other")
    heard: list[bytes] = []

    async def rest() -> None:
        heard.append(b"rest")

    harness.offer(server, Device, safe_stop=rest)
    harness.offer(server, Sub)
    async with reader.request(Device()) as lease, reader.request(Sub()) as sub:
        for request in (Device(), Sub()):
            harness.supplies[request].on_command(lambda command: heard.append(command.payload))
        sub.send(b"to what stands")
        with pytest.raises(LeaseError, match="exclusive=True"):
            lease.send(b"move")
        async with other.request(Device(), exclusive=True) as alone:
            alone.send(b"by right")
            with pytest.raises(LeaseError, match="exclusive=True"):
                lease.send(b"move besides")
    await asyncio.sleep(0.1)
    assert heard == [b"to what stands", b"by right", b"rest"]


@scene
async def test_a_dependency_inherits_the_highest_priority_and_follows_it_while_held(harness: Harness) -> None:
    low, high, auto, operator, third = await harness.enter_all("low", "high", "auto", "operator", "third")
    harness.offer(high, Arm, lambda arm: Device(), exclusive=True)
    harness.offer(low, Device)

    def held_with() -> Priority:
        return low.snapshot().resources[0].priority

    async with auto.request(Arm(), priority=Priority.BACKGROUND):
        assert held_with() is Priority.BACKGROUND
        async with operator.request(Arm(), priority=Priority.OPERATOR):
            assert held_with() is Priority.OPERATOR
            error = await refusal(third.request(Device(), exclusive=True, priority=Priority.OPERATOR))
            # The resource is there for its most important client, and that one is named.
            assert "held by operator, with the same priority; wait" in error.message
        await asyncio.sleep(0.01)
        assert held_with() is Priority.BACKGROUND


@scene
async def test_and_it_follows_it_while_it_waits_in_the_queue(harness: Harness) -> None:
    low, high, auto, operator, third = await harness.enter_all("low", "high", "auto", "operator", "third")
    harness.offer(high, Arm, lambda arm: Device(), exclusive=True, wait=True)
    harness.offer(low, Device)
    order: list[str] = []

    async def use(client: ResourceRegistrar, priority: Priority) -> None:
        async with client.request(Arm(), priority=priority, timeout_s=3600):
            order.append("arm")

    holder = started(hold(third, Device(), 3600, order, "third"))
    await asyncio.sleep(1)
    waiting = started(use(auto, Priority.BACKGROUND))
    await asyncio.sleep(1)
    assert order == ["third"]
    await use(operator, Priority.OPERATOR)
    await waiting
    assert isinstance(holder.exception(), Preempted)
    assert order == ["third", "arm", "arm"] or order == ["third", "arm"] * 1 + ["arm"]


@scene
async def test_a_waiter_that_gives_up_leaves_the_queue(harness: Harness) -> None:
    server, a, b, c = await harness.enter_all("server", "a", "b", "c")
    harness.offer(server, Device)
    order: list[str] = []
    first = started(hold(a, Device(), 2, order, "a"))
    await asyncio.sleep(0)
    second = started(hold(b, Device(), 2, order, "b", wait=True))
    await asyncio.sleep(0)
    third = started(hold(c, Device(), 1, order, "c", wait=True))
    await asyncio.sleep(1)
    second.cancel()
    await asyncio.gather(first, third)
    assert order == ["a", "c"] and now_s() == 3


@scene
async def test_who_preempts_and_then_gives_up_has_preempted_all_the_same(harness: Harness) -> None:
    server, auto, operator, next_one = await harness.enter_all("server", "auto", "operator", "next")
    harness.offer(server, Device, preempt_grace_s=5)

    async def slow() -> None:
        async with auto.request(Device(), exclusive=True):
            try:
                await asyncio.sleep(3600)
            finally:
                await asyncio.sleep(1)

    lower = started(slow())
    await asyncio.sleep(1)
    upper = started(hold(operator, Device(), 1, [], "operator", priority=Priority.OPERATOR))
    await asyncio.sleep(0.5)
    upper.cancel()
    async with next_one.request(Device(), exclusive=True, wait=True):
        assert now_s() == 2
    assert isinstance(lower.exception(), Preempted)
