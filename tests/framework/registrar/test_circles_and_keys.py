"""Circles from both ends and across registrars; which requests are the same; who is asked."""

from __future__ import annotations

import asyncio
import enum
import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec
import pytest

from framework.errors import CircularDependency, RequestTypeError, ResourceFailed, ResourceUnavailable
from framework.registrar import ResourceRegistrar, Supply
from framework.registrar.effects import JournalKind
from framework.transport.local import LocalTransport
from tests.framework.registrar.harness import Harness, Mid, Sub, Top, play, refusal, scene


@pytest.mark.parametrize("slow_s", [0.0, 0.5])
@scene
async def test_a_circle_entered_from_both_ends_at_once_is_found(harness: Harness, slow_s: float) -> None:
    p, q, a, b = await harness.enter_all("p", "q", "a", "b")
    harness.offer(p, Mid, lambda mid: Sub(), start_s=slow_s)
    harness.offer(q, Sub, lambda sub: Mid(), start_s=slow_s)
    begun_s = asyncio.get_running_loop().time()
    errors = await asyncio.gather(refusal(a.request(Mid())), refusal(b.request(Sub())))
    assert asyncio.get_running_loop().time() == begun_s
    for error in errors:
        assert isinstance(error, CircularDependency)
        assert set(error.circle) == {"p/Mid(name='mid')", "q/Sub(name='sub')"}


@scene
async def test_a_circle_over_three_registrars_is_named_whole(harness: Harness) -> None:
    p, q, r, client = await harness.enter_all("p", "q", "r", "client")
    harness.offer(p, Top, lambda top: Mid())
    harness.offer(q, Mid, lambda mid: Sub())
    harness.offer(r, Sub, lambda sub: Top())
    error = await refusal(client.request(Top()))
    assert isinstance(error, CircularDependency)
    assert set(error.circle) == {"p/Top(name='top')", "q/Mid(name='mid')", "r/Sub(name='sub')"}
    assert error.message == "circular dependency: " + " → ".join(error.circle)


@scene
async def test_a_resource_that_requests_itself_is_a_circle_of_one(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub, lambda sub: sub)
    error = await refusal(client.request(Sub()))
    assert isinstance(error, CircularDependency)
    assert error.circle == ("server/Sub(name='sub')",) * 2


@scene
async def test_from_one_registrar_to_another_and_back_is_legal(harness: Harness) -> None:
    p, q, client = await harness.enter_all("p", "q", "client")
    harness.offer(p, Top, lambda top: Mid())
    harness.offer(q, Mid, lambda mid: Sub())
    harness.offer(p, Sub)
    async with client.request(Top()) as lease:
        assert lease.value == "handle of Top(top)"


@scene
async def test_the_circle_is_in_the_error_of_who_asks_from_outside(harness: Harness) -> None:
    server = await harness.enter("server")
    harness.offer(server, Sub, lambda sub: Mid())
    harness.offer(server, Mid, lambda mid: Sub())
    with pytest.raises(CircularDependency) as raised:
        async with server.request(Sub()):
            pass
    assert raised.value.circle[0] == raised.value.circle[-1]
    assert set(raised.value.circle) == {"server/Sub(name='sub')", "server/Mid(name='mid')"}


async def used(asks: asyncio.Event) -> None:
    asks.set()
    await asyncio.sleep(1.0)


@scene
async def test_a_body_whose_resource_closes_a_circle_later_gets_the_circle_too(harness: Harness) -> None:
    p, q, client = await harness.enter_all("p", "q", "client")
    harness.offer(q, Mid, lambda mid: Sub())
    asks = asyncio.Event()

    @p.provides(Sub)
    @asynccontextmanager
    async def provide(sub: Sub, supply: Supply) -> AsyncIterator[str]:
        async def go_on() -> None:
            await asks.wait()
            async with supply.request(Mid()):
                pass

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(go_on())
            yield "handle"

    with pytest.raises(CircularDependency) as raised:
        async with client.request(Sub()):
            await used(asks)
    assert isinstance(raised.value, ResourceFailed)
    assert set(raised.value.circle) == {"p/Sub(name='sub')", "q/Mid(name='mid')"}


@scene
async def test_an_optional_one_that_is_in_a_circle_itself_is_only_absent(harness: Harness) -> None:
    p, q, r, client = await harness.enter_all("p", "q", "r", "client")
    harness.offer(q, Mid, lambda mid: Sub())
    harness.offer(r, Sub, lambda sub: Mid())

    @p.provides(Top)
    @asynccontextmanager
    async def provide(top: Top, supply: Supply) -> AsyncIterator[str]:
        async with supply.request(Mid(), optional=True) as mid:
            yield f"with {mid.value}"

    async with client.request(Top()) as lease:
        assert lease.value == "with None"


def offer_optional(
    harness: Harness, registrar: ResourceRegistrar, kind: type, needed: object, told: list[str]
) -> None:
    """Something that can do without what it asks for."""

    @registrar.provides(kind)
    @asynccontextmanager
    async def provide(request: object, supply: Supply) -> AsyncIterator[str]:
        harness.log.append(f"up {kind.__name__}")
        wanted = supply.request(needed, optional=True, on_status=lambda status: told.append(status.message))
        async with wanted as lease:
            yield f"with {lease.value}"


@pytest.mark.parametrize("from_both_ends", [False, True])
@scene
async def test_a_circle_of_optional_ones_is_found_and_said_and_left_alone(
    harness: Harness, from_both_ends: bool
) -> None:
    p, q, r, client = await harness.enter_all("p", "q", "r", "client")
    told: list[str] = []
    offer_optional(harness, p, Top, Mid(), told)
    offer_optional(harness, q, Mid, Sub(), told)
    offer_optional(harness, r, Sub, Top(), told)
    async with AsyncExitStack() as stack:
        if from_both_ends:
            held = [asyncio.create_task(stack.enter_async_context(client.request(k()))) for k in (Sub, Top)]
            await asyncio.gather(*held)
        else:
            lease = await stack.enter_async_context(client.request(Top()))
            assert lease.value == "with with with None"
        await asyncio.sleep(3600)
        assert any("Sub(name='sub')" in text for text in told if "circular dependency" in text)
        before, news = list(harness.log), list(told)
        assert len(before) <= 2 * 3
        await asyncio.sleep(3600)
        assert (harness.log, told) == (before, news), "it is tried for ever"


@scene
async def test_what_needs_the_one_that_can_do_without_it_is_not_asked_for_again(harness: Harness) -> None:
    p, q, client = await harness.enter_all("p", "q", "client")
    told: list[str] = []
    offer_optional(harness, p, Top, Mid(), told)
    harness.offer(q, Mid, lambda mid: Top())
    async with client.request(Top()) as lease:
        assert lease.value == "with None"
        await asyncio.sleep(3600)
        assert len(told) == 1 and "circular dependency" in told[0]
    starts = [entry for entry in q.journal.entries() if entry.deed is JournalKind.START]
    assert len(starts) == 1


class Number(msgspec.Struct, frozen=True):
    value: int | float | bool


class Kind(enum.Enum):
    RGB = "rgb"


class Rich(msgspec.Struct, frozen=True):
    kind: Kind
    size: tuple[int, int]
    raw: bytes = b""


class Mutable(msgspec.Struct):
    name: str


class Lists(msgspec.Struct, frozen=True):
    names: list[str]


@scene
async def test_what_python_finds_equal_is_still_told_apart(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Number)
    async with (
        client.request(Number(1)),
        client.request(Number(1.0)),
        client.request(Number(True)),
        client.request(Number(1)),
    ):
        assert len(server.snapshot().resources) == 3


@scene
async def test_equal_content_is_one_resource_whatever_its_types(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Rich)
    async with (
        client.request(Rich(Kind.RGB, (8, 4), b"x")),
        client.request(Rich(Kind.RGB, (8, 4), b"x")),
    ):
        assert len(server.snapshot().resources) == 1


@scene
async def test_what_cannot_be_shared_cannot_be_requested(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Number)
    for bad in (math.nan, math.inf):
        with pytest.raises(RequestTypeError, match="NaN or infinite"):
            async with client.request(Number(bad)):
                pass
    with pytest.raises(RequestTypeError, match="not frozen"):
        server.provides(Mutable)
    with pytest.raises(RequestTypeError):
        async with client.request(Lists(["a"])):
            pass
    assert server.snapshot().is_empty


@scene
async def test_two_providers_of_one_type_need_at(harness: Harness) -> None:
    p, q, client = await harness.enter_all("p", "q", "client")
    harness.offer(p, Sub)
    harness.offer(q, Sub)
    error = await refusal(client.request(Sub()))
    assert "several registrars provide" in error.message and "at=" in error.message
    async with client.request(Sub(), at="q") as lease:
        assert len(q.snapshot().resources) == 1 and lease.status.message == "granted"


class Discovering(LocalTransport):
    """Like a network: who is not there yet is waited for."""

    def join(self, name: str, listener: object, *, durable: bool = False) -> object:  # type: ignore[override]
        link = super().join(name, listener, durable=durable)  # type: ignore[arg-type]
        link.discovery_s = 2.0  # type: ignore[misc]
        return link


def test_a_request_before_discovery_waits_for_its_provider_up_to_its_deadline() -> None:
    async def main() -> None:
        async with Harness(Discovering()) as harness:
            client = await harness.enter("client")

            async def come() -> None:
                await asyncio.sleep(1)
                late = await harness.enter("late")
                await asyncio.sleep(0.5)
                harness.offer(late, Sub)

            coming = asyncio.create_task(come())
            async with client.request(Sub()):
                assert asyncio.get_running_loop().time() == 1.5
            await coming
            error = await refusal(client.request(Mid()))
            assert "waited 2" in error.message
            assert asyncio.get_running_loop().time() == 3.5
            async with asyncio.timeout(0.5):
                with pytest.raises(ResourceUnavailable, match=r"no answer for 0\.1"):
                    async with client.request(Mid(), timeout_s=0.1):
                        pass

    play(main)


@scene
async def test_a_registrar_may_request_from_itself(harness: Harness) -> None:
    server = await harness.enter("server")
    harness.offer(server, Sub)
    async with server.request(Sub()) as lease:
        (view,) = server.snapshot().leases
        assert view.side == "both" and view.id == lease.id


def test_registrars_may_be_made_before_there_is_a_loop() -> None:
    harness = Harness()
    server = ResourceRegistrar("server", harness.transport)
    client = ResourceRegistrar("client", harness.transport)
    harness.offer(server, Sub)

    async def main() -> None:
        async with server, client, client.request(Sub()) as lease:
            assert lease.value == "handle of Sub(sub)"

    play(main)


def test_a_provider_that_nobody_entered_still_keeps_its_deadlines() -> None:
    async def main() -> None:
        harness = Harness()
        server = ResourceRegistrar("server", harness.transport)
        harness.offer(server, Sub, start_s=100, start_timeout_s=1)
        async with ResourceRegistrar("client", harness.transport) as client:
            error = await refusal(client.request(Sub()))
            assert "did not start within 1" in error.message
            await asyncio.sleep(10)
        async with server:
            pass

    play(main)
