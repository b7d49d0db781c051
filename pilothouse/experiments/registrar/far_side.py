"""What runs in the other processes of the registrar experiment; started by its process launcher."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
import zenoh
from zenoh.handlers import Callback

from framework.processes.child import Child
from framework.registrar import ResourceRegistrar
from framework.registrar.core import CorePolicy
from framework.transport.zenoh import ZenohTransport
from framework.transport.zenoh_session import ANYWHERE_HERE, ZenohSession
from pilothouse.experiments.registrar.local import Wanted

BARE_KEY: Final = "pilothouse-experiment/bare"

PATIENT: Final = CorePolicy(window_s=10.0)
"""Speed is measured here; on a busy machine neither side is to take the other for dead."""


class FarSide(msgspec.Struct, frozen=True):
    """Where the near side's registrars listen."""

    endpoint: str


async def provide(child: Child, arguments: FarSide) -> None:
    """A registrar that provides `Wanted`, and a bare Zenoh queryable in a session of its own.

    The handle is the bare session's endpoint.
    """
    with ZenohTransport(connect=(arguments.endpoint,)) as transport:
        bare = ZenohSession((ANYWHERE_HERE,), (), shared_memory=False)
        try:
            bare.zenoh.declare_queryable(BARE_KEY, Callback(_answer, indirect=False))
            registrar = ResourceRegistrar("far", transport, policy=PATIENT)

            @registrar.provides(Wanted)
            @asynccontextmanager
            async def wanted(request: Wanted) -> AsyncIterator[int]:
                yield request.number

            async with registrar:
                child.ready(bare.endpoints[0].encode())
                await asyncio.Event().wait()
        finally:
            bare.close()


def idle(child: Child) -> None:
    """A child that does nothing until it is killed."""
    child.ready()
    while not child.wait(1.0):
        pass


def _answer(query: zenoh.Query) -> None:
    query.reply(BARE_KEY, query.payload or b"")
