"""Having a child through the registrar: what drivers share. It asks for a `Process`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

import msgspec

from framework.errors import MalformedMessage
from framework.processes.spec import ProcessSpec
from framework.registrar.lease import Lease
from framework.unreadable import UNREADABLE
from resources.types.processes import Process, ProcessHandle

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
        yield handed_over(process, handle_type)


def handed_over(process: Lease, handle_type: type[Handle]) -> Handle:
    """What a child became ready with. MalformedMessage if it is no such handle."""
    handle: ProcessHandle = process.value
    try:
        return msgspec.json.decode(handle.payload, type=handle_type)
    except UNREADABLE as error:
        raise MalformedMessage(
            f"process {handle.name!r} became ready with {handle.payload[:60]!r}, which is no "
            f"{handle_type.__name__}: {error}"
        ) from None
