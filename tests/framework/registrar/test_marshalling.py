"""Handles between processes: which may leave, what becomes of them, what is said of those that may not."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import msgspec
import pytest

from framework.errors import LeaseError, RequestTypeError, ResourceUnavailable
from framework.registrar import ResourceRegistrar
from framework.registrar.lease import MAX_COMMAND_BYTES
from framework.registrar.marshalling import check, made_whole
from framework.transport.codec import MAX_BYTES
from framework.transport.zenoh import ZenohTransport


class Colour(enum.Enum):
    RED = "red"


class Cloud(msgspec.Struct, frozen=True, tag=True):
    points: tuple[int, ...]
    colour: Colour = Colour.RED


class Scan(msgspec.Struct, frozen=True, tag=True):
    rays: int


class Plain(msgspec.Struct, frozen=True):
    name: str = ""


class Named(msgspec.Struct, frozen=True):
    handle_type: ClassVar[type] = Cloud

    name: str = ""


class Either(msgspec.Struct, frozen=True):
    handle_type: ClassVar[object] = Cloud | Scan


class Several(msgspec.Struct, frozen=True):
    handle_type: ClassVar[object] = tuple[Cloud, ...]


def carried(value: Any) -> Any:
    """What msgpack makes of it on the way."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))


@pytest.mark.parametrize("handle", [[Scan(1)], {"a": (1, Scan(1))}, Colour.RED, {1, 2}, object()])
def test_what_plain_containers_would_lose_has_to_be_named(handle: Any) -> None:
    with pytest.raises(RequestTypeError, match="name its type on the request, `handle_type"):
        check(Plain, handle)


@pytest.mark.parametrize("handle", [None, True, 1, 1.5, "text", b"bytes", [1, {"a": ("b", None)}]])
def test_builtins_need_no_name(handle: Any) -> None:
    check(Plain, handle)
    assert made_whole(Plain, handle) is handle


@pytest.mark.parametrize(
    ("request_type", "handle"),
    [(Named, Cloud((1, 2))), (Either, Scan(3)), (Either, Cloud(())), (Several, (Cloud((1,)), Cloud(())))],
)
def test_a_named_handle_is_made_whole(request_type: type, handle: Any) -> None:
    check(request_type, handle)
    assert made_whole(request_type, carried(handle)) == handle


def test_another_handle_than_the_named_one_is_refused_on_its_way_out_and_in() -> None:
    with pytest.raises(
        RequestTypeError, match=r"Named\.handle_type is Cloud, but its provider yields a Scan"
    ):
        check(Named, Scan(1))
    with pytest.raises(RequestTypeError, match=r"is no Cloud: .*do both processes run the same version\?"):
        made_whole(Named, carried(Scan(1)))


def skewed(handle_type: object) -> type:
    """The same request type by name, as another version of the program knows it."""
    return msgspec.defstruct(
        "Skewed", [("name", str)], frozen=True, namespace={"handle_type": handle_type}, module=__name__
    )


async def refused(here: type, there: type, handle: object, name: str = "") -> str:
    """What a client that knows `here` is told by a provider, over Zenoh, that knows `there`."""
    with ZenohTransport() as far, ZenohTransport(connect=far.endpoints) as near:
        provider, client = ResourceRegistrar("provider", far), ResourceRegistrar("client", near)

        @provider.provides(there)
        @asynccontextmanager
        async def provide(request: object) -> AsyncIterator[object]:
            yield handle

        async with provider, client:
            with pytest.raises(ResourceUnavailable) as told:
                async with client.request(here(name), timeout_s=5.0):
                    pytest.fail("it was granted")
            while not (provider.snapshot().is_empty and client.snapshot().is_empty):
                await asyncio.sleep(0)
            return str(told.value)


@pytest.mark.real
def test_a_handle_of_another_version_is_refused_by_the_client_and_given_back() -> None:
    said = asyncio.run(refused(skewed(Cloud), skewed(Scan), Scan(1)))
    assert "the handle of Skewed is no Cloud" in said and "same version" in said


@pytest.mark.real
def test_a_request_that_is_too_long_is_refused_before_it_leaves() -> None:
    said = asyncio.run(refused(Plain, Plain, 1, name="x" * MAX_BYTES))
    assert "at most 1048576 are sent" in said


@pytest.mark.real
def test_a_command_that_is_too_long_is_an_error_where_it_is_given() -> None:
    async def main() -> None:
        with ZenohTransport() as far, ZenohTransport(connect=far.endpoints) as near:
            provider, client = ResourceRegistrar("provider", far), ResourceRegistrar("client", near)

            @provider.provides(Plain)
            @asynccontextmanager
            async def provide(request: object) -> AsyncIterator[int]:
                yield 1

            async with provider, client, client.request(Plain()) as lease:
                lease.send(b"x" * MAX_COMMAND_BYTES)
                with pytest.raises(LeaseError, match="put large data into a stream"):
                    lease.send(b"x" * (MAX_COMMAND_BYTES + 1))

    asyncio.run(main())
