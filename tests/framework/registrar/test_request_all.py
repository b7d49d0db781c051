"""Several leases or none, and the exchange of leases in one step."""

from __future__ import annotations

import asyncio

import pytest

from framework.errors import LeaseError, Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar import ResourceRegistrar
from framework.registrar.effects import JournalKind
from framework.status import Priority, Severity, Status
from tests.framework.registrar.harness import Arm, Device, Harness, Mid, Sub, cancelled_after, refusal, scene


def now_s() -> float:
    return asyncio.get_running_loop().time()


@scene
async def test_all_are_had_in_the_order_asked_for(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    harness.offer(server, Mid, start_s=1)
    async with client.request_all(Sub("b"), Mid(), Sub("a")) as leases:
        assert [lease.request for lease in leases] == [Sub("b"), Mid(), Sub("a")]
        assert [lease.value for lease in leases] == [
            "handle of Sub(b)",
            "handle of Mid(mid)",
            "handle of Sub(a)",
        ]
        went_up = [entry.removeprefix("up ") for entry in harness.log]
    await asyncio.sleep(0.01)
    assert harness.log[3:] == [f"down {name}" for name in reversed(went_up)]
    async with client.request_all() as none:
        assert none == ()


@scene
async def test_or_none(harness: Harness) -> None:
    server, client, other = await harness.enter_all("server", "client", "other")
    harness.offer(server, Sub)
    harness.offer(server, Device)
    async with other.request(Device("right"), exclusive=True):
        error = await refusal(client.request_all(Sub(), Device("left"), Device("right"), exclusive=True))
        assert "held by other" in error.message
        await asyncio.sleep(0.01)
        assert [resource.request for resource in server.snapshot().resources] == [Device("right")]


@scene
async def test_nobody_is_preempted_before_all_are_reserved(harness: Harness) -> None:
    server, auto, operator = await harness.enter_all("server", "auto", "operator")
    harness.offer(server, Device)
    harness.offer(server, Mid, start_s=2)
    told: list[tuple[float, Severity]] = []

    async def body() -> None:
        async with auto.request(
            Device(), exclusive=True, on_status=lambda status: told.append((now_s(), status.severity))
        ):
            await asyncio.sleep(3600)

    lower = asyncio.create_task(body())
    await asyncio.sleep(1)
    async with operator.request_all(Device(), Mid(), exclusive=True, priority=Priority.OPERATOR):
        assert told == [(3, Severity.FATAL)]
    assert isinstance(lower.exception(), Preempted)


@scene
async def test_a_group_that_cannot_be_had_preempts_nobody(harness: Harness) -> None:
    server, auto, operator = await harness.enter_all("server", "auto", "operator")
    harness.offer(server, Device)
    async with auto.request(Device(), exclusive=True) as lease:
        with pytest.raises(ResourceUnavailable, match="nobody provides"):
            async with operator.request_all(Device(), Sub(), exclusive=True, priority=Priority.OPERATOR):
                pass
        await asyncio.sleep(1)
        assert lease.status.severity is Severity.OK
        assert server.snapshot().resources[0].holder == lease.id
    assert not any(entry.deed is JournalKind.PREEMPT for entry in server.journal.entries())


@scene
async def test_two_groups_in_opposite_order_never_wait_for_each_other(harness: Harness) -> None:
    server, a, b = await harness.enter_all("server", "a", "b")
    harness.offer(server, Device)
    done: list[str] = []

    async def work(client: ResourceRegistrar, first: str, second: str) -> None:
        for _ in range(20):
            wanted = (Device(first), Device(second))
            async with client.request_all(*wanted, exclusive=True, wait=True):
                await asyncio.sleep(0.1)
        done.append(client.name)

    async with asyncio.timeout(60):
        await asyncio.gather(work(a, "left", "right"), work(b, "right", "left"))
    assert sorted(done) == ["a", "b"]


@scene
async def test_the_first_failure_among_them_ends_the_body(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    asyncio.get_running_loop().call_later(1, lambda: harness.supplies[Sub("a")].fail("a is gone"))
    asyncio.get_running_loop().call_later(1, lambda: harness.supplies[Sub("b")].fail("b is gone"))
    with pytest.raises(ResourceFailed, match="a is gone"):
        async with client.request_all(Sub("b"), Sub("a")):
            await asyncio.sleep(3600)
    task = asyncio.current_task()
    assert task is not None and task.cancelling() == 0
    await asyncio.sleep(1)


@scene
async def test_one_that_is_reserved_and_lost_while_the_next_is_waited_for_ends_the_waiting(
    harness: Harness,
) -> None:
    server, client, other = await harness.enter_all("server", "client", "other")
    harness.offer(server, Device)
    async with other.request(Device("b"), exclusive=True):
        asyncio.get_running_loop().call_later(1, lambda: harness.supplies[Device("a")].fail("a is gone"))
        with pytest.raises(ResourceUnavailable, match="a is gone"):
            async with client.request_all(Device("a"), Device("b"), exclusive=True, wait=True):
                pass
        assert now_s() == 1
        task = asyncio.current_task()
        assert task is not None and task.cancelling() == 0
        await asyncio.sleep(0.01)
        assert len(server.snapshot().leases) == 1


@pytest.mark.parametrize("turns", range(14))
@scene
async def test_a_group_that_is_cancelled_at_any_point_leaves_nothing(harness: Harness, turns: int) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    harness.offer(server, Device)

    async def body() -> None:
        async with client.request_all(Sub(), Device(), exclusive=True):
            await asyncio.sleep(3600)

    await cancelled_after(turns, body())
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty and client.snapshot().is_empty


@scene
async def test_an_exchange_starts_the_new_before_it_gives_up_the_old(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, start_s=1)
    async with (
        client.request(Sub("old")) as old,
        client.request_all(Sub("new"), instead_of=(old,)) as (new,),
    ):
        await asyncio.sleep(0.01)
        assert harness.log == ["up Sub(old)", "up Sub(new)", "down Sub(old)"]
        assert new.value == "handle of Sub(new)"
        harness.supplies[Sub("old")].fail("nobody is concerned any more")
        await asyncio.sleep(1)


@scene
async def test_if_the_new_one_cannot_start_the_old_lease_was_never_disturbed(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    harness.offer(server, Mid, start_s=100, start_timeout_s=2)
    told: list[Status] = []
    async with client.request(Sub(), exclusive=True, on_status=told.append) as old:
        with pytest.raises(ResourceUnavailable, match="did not start within 2"):
            async with client.request_all(Mid(), instead_of=(old,)):
                pass
        await asyncio.sleep(10)
        assert told == [] and old.is_open
        assert server.snapshot().resources[0].holder == old.id
        assert harness.log == ["up Sub(sub)"]


@scene
async def test_a_lease_that_was_left_can_be_exchanged_for_nothing(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    async with client.request(Sub("old")) as old:
        async with client.request_all(Sub("new"), instead_of=(old,)):
            with pytest.raises(LeaseError, match="was left already"):
                async with client.request_all(Sub("newer"), instead_of=(old,)):
                    pass
        with pytest.raises(LeaseError, match="was left"):
            old.send(b"go on")


@scene
async def test_the_exclusive_lease_itself_may_be_exchanged_for_another_on_the_same_resource(
    harness: Harness,
) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Device)
    async with (
        client.request(Device(), exclusive=True) as old,
        client.request_all(Device(), exclusive=True, instead_of=(old,)) as (new,),
    ):
        assert new.generation == old.generation + 1
        assert server.snapshot().resources[0].holder == new.id
        assert harness.log == ["up Device(arm)"]


@scene
async def test_two_modes_of_one_arm_are_exchanged_though_both_need_its_device_alone(harness: Harness) -> None:
    low, high, client, other = await harness.enter_all("low", "high", "client", "other")
    rested: list[float] = []

    async def rest() -> None:
        rested.append(now_s())
        await asyncio.sleep(0.2)

    harness.offer(low, Device, safe_stop=rest)
    harness.offer(high, Arm, lambda arm: Device(), exclusive=True)
    told: list[Status] = []
    async with client.request(Arm("pose"), on_status=told.append) as pose:
        await refusal(other.request(Arm("twist")))
        async with client.request_all(Arm("twist"), instead_of=(pose,)) as (twist,):
            assert twist.value == "handle of Arm(twist)"
            await asyncio.sleep(1)
            up = {view.request: view for view in high.snapshot().resources}
            assert set(up) == {Arm("twist")}
            assert len(low.snapshot().leases) == 1
            assert told == [] and len(rested) == 1
    await asyncio.sleep(1)
    assert len(rested) == 2 and harness.count("up Device(arm)") == 1


@scene
async def test_and_if_the_second_mode_cannot_start_the_first_goes_on_undisturbed(harness: Harness) -> None:
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager

    low, high, client = await harness.enter_all("low", "high", "client")
    harness.offer(low, Device)

    @high.provides(Arm)
    @asynccontextmanager
    async def arm(request: Arm) -> AsyncIterator[str]:
        async with high.request(Device(), exclusive=True):
            await asyncio.sleep(1)
            if request.mode == "twist":
                raise OSError("no inverse kinematics")
            yield request.mode

    told: list[Status] = []
    async with client.request(Arm("pose"), on_status=told.append) as pose:
        holder = low.snapshot().resources[0].holder
        with pytest.raises(ResourceUnavailable, match="no inverse kinematics"):
            async with client.request_all(Arm("twist"), instead_of=(pose,)):
                pass
        await asyncio.sleep(5)
        assert told == [] and pose.is_open
        assert low.snapshot().resources[0].holder == holder
        assert [view.request for view in high.snapshot().resources] == [Arm("pose")]
