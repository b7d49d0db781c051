"""Reasons keep their fields over any number of hops, inside of one process and between transports.

`local`: one LocalTransport, virtual clock. `zenoh`: each registrar with a ZenohTransport of its own, so that
everything crosses Zenoh on loopback TCP as it does between processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager

import msgspec
import pytest

from framework import testing
from framework.errors import CircularDependency, Preempted, ResourceHeld, ResourceUnavailable
from framework.interlock import Interlock, Loss, LossKind, Permit
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Priority, Reason, ReasonKind
from framework.transport.interface import Transport
from framework.transport.local import LocalTransport
from framework.transport.zenoh import ZenohTransport


class First(msgspec.Struct, frozen=True):
    device: str = "left_arm"


class Second(msgspec.Struct, frozen=True):
    device: str = "left_arm"


class Third(msgspec.Struct, frozen=True):
    device: str = "left_arm"


TYPES = (First, Second, Third)
TRANSPORTS = ["local", pytest.param("zenoh", marks=pytest.mark.real)]

Enter = Callable[[str], Awaitable[ResourceRegistrar]]
Story = Callable[[Enter], Awaitable[None]]


def play(kind: str, story: Story, interlock: Interlock | None = None) -> None:
    """Run it with registrars that reach each other over this transport."""

    async def main(stack: ExitStack) -> None:
        async with AsyncExitStack() as entered:
            local = LocalTransport()
            first: list[ZenohTransport] = []

            async def enter(name: str) -> ResourceRegistrar:
                transport: Transport = local
                if kind == "zenoh":
                    connect = first[0].endpoints if first else ()
                    first.append(stack.enter_context(ZenohTransport(connect=connect)))
                    transport = first[-1]
                return await entered.enter_async_context(
                    ResourceRegistrar(name, transport, interlock=interlock)
                )

            await story(enter)

    with ExitStack() as stack:
        if kind == "local":
            testing.run(lambda: main(stack))
        else:
            asyncio.run(main(stack))


def offer(
    registrar: ResourceRegistrar,
    kind: type,
    needs: type | None,
    *,
    exclusive: bool = False,
    moves: bool = False,
) -> None:
    """Provide `kind`, which depends on `needs`; the last one moves its device, or not."""

    @registrar.provides(kind)
    @asynccontextmanager
    async def provide(request: object, supply: Supply) -> AsyncIterator[str]:
        if needs is None:
            if moves:
                supply.declare_safe_stop(_rest)
            yield "made"
            return
        async with registrar.request(needs(), exclusive=exclusive):
            yield "made"


async def _rest() -> None:
    """What is played is at rest."""


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("hops", [2, 3])
def test_a_client_outside_of_a_circle_is_told_the_circle(transport: str, hops: int) -> None:
    async def story(enter: Enter) -> None:
        kinds = TYPES[:hops]
        names = [f"r{number}" for number in range(hops)]
        for number, name in enumerate(names):
            offer(await enter(name), kinds[number], kinds[(number + 1) % hops])
        client = await enter("client")
        expected = {
            f"{name}/{kind.__name__}(device='left_arm')" for name, kind in zip(names, kinds, strict=True)
        }
        for kind in kinds:
            with pytest.raises(CircularDependency) as raised:
                async with client.request(kind()):
                    pass
            assert set(raised.value.circle) == expected
            assert len(raised.value.circle) == hops + 1
            assert raised.value.circle[0] == raised.value.circle[-1]

    play(transport, story)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_who_has_what_is_refused_is_told_over_all_hops(transport: str, hops: int) -> None:
    async def story(enter: Enter) -> None:
        kinds = TYPES[:hops]
        for number, kind in enumerate(kinds):
            needs = kinds[number + 1] if number + 1 < hops else None
            offer(await enter(f"r{number}"), kind, needs, exclusive=True)
        other, client = await enter("other"), await enter("client")
        async with other.request(kinds[-1](), exclusive=True, priority=Priority.OPERATOR, who="phone 1"):
            with pytest.raises(ResourceHeld) as raised:
                async with client.request(kinds[0](), exclusive=True):
                    pass
        error = raised.value
        assert (error.holder, error.priority) == ("phone 1", Priority.OPERATOR)
        label = f"{kinds[-1].__name__}(device='left_arm')"
        assert error.reason == Reason(
            ReasonKind.HELD, "phone 1", label, "left_arm", priority=Priority.OPERATOR
        )
        assert error.message == (
            f"{label} is held by phone 1, with a higher priority; "
            "wait for it, ask with a higher one, or use another"
        )

    play(transport, story)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_whose_hand_was_lost_is_told_over_all_hops_to_what_waits_for_a_word(
    transport: str, hops: int
) -> None:
    interlock = Interlock()
    lost = Loss(LossKind.HAND, "phone 1", "phone 1 is silent")

    async def story(enter: Enter) -> None:
        kinds = TYPES[:hops]
        for number, kind in enumerate(kinds):
            needs = kinds[number + 1] if number + 1 < hops else None
            offer(await enter(f"r{number}"), kind, needs, exclusive=True, moves=True)
        client = await enter("client")
        interlock.give_word("1")
        label = f"{kinds[-1].__name__}(device='left_arm')"
        expected = Reason(ReasonKind.NEEDS_WORD, "phone 1", label, "left_arm")

        async def have_it_when_it_is_lost() -> None:
            async with client.request(kinds[0](), exclusive=True, permit=interlock.permit("1")):
                interlock.raise_for("left_arm", lost)
                interlock.tell_rise()
                await asyncio.Event().wait()

        with pytest.raises(Preempted) as ended:
            await have_it_when_it_is_lost()
        assert ended.value.status.reason == expected
        for permit in (None, Permit("another"), interlock.permit("1")):
            with pytest.raises(ResourceUnavailable) as refused:
                async with client.request(kinds[0](), exclusive=True, permit=permit):
                    pass
            assert refused.value.reason == expected
        interlock.give_word("1")
        async with client.request(kinds[0](), exclusive=True, permit=interlock.permit("1")) as lease:
            assert lease.value == "made"

    play(transport, story, interlock)


def test_what_nobody_or_more_than_one_provides_is_told_apart() -> None:
    async def story(enter: Enter) -> None:
        p, q, client = await enter("p"), await enter("q"), await enter("client")
        offer(p, First, None)
        offer(q, First, None)
        for request, kind in ((First(), ReasonKind.AMBIGUOUS), (Second(), ReasonKind.UNKNOWN)):
            with pytest.raises(ResourceUnavailable) as raised:
                async with client.request(request):
                    pass
            assert raised.value.reason.kind is kind

    play("local", story)
