"""Having a child through the registrar: what drivers share. It asks for a `Process`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

import msgspec

from framework.errors import MalformedMessage
from framework.processes.spec import ProcessSpec
from framework.registrar.lease import Lease
from resources.types.processes import Process

Handle = TypeVar("Handle")


class Requester(Protocol):
    """Whoever requests resources: a `Supply` while providing one, or a `ResourceRegistrar`."""

    def request(self, request: Any, *, exclusive: bool = False) -> AbstractAsyncContextManager[Lease]:
        """One lease."""
        ...


@asynccontextmanager
async def started(
    requester: Requester, spec: ProcessSpec, handle_type: type[Handle]
) -> AsyncIterator[Handle]:
    """Have the child run; yields the handle it became ready with. MalformedMessage if it is none."""
    async with requester.request(Process(spec)) as process:
        payload: bytes = process.value.payload
        try:
            handle = msgspec.json.decode(payload, type=handle_type)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise MalformedMessage(
                f"process {spec.name!r} became ready with {payload[:60]!r}, which is no "
                f"{handle_type.__name__}: {error}"
            ) from None
        yield handle
