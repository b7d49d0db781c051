"""A manager in a process of its own, for a test that kills it: lends one lease, says so, and stays."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from framework.registrar import ResourceRegistrar
from framework.transport.local import LocalTransport
from tests.framework.registrar.harness import Device, Sub


async def main(path: Path) -> None:
    transport = LocalTransport()
    async with (
        ResourceRegistrar("server", transport, catalog=path) as server,
        ResourceRegistrar("client", transport) as client,
    ):

        @server.provides(Device)
        @asynccontextmanager
        async def device(request: Device) -> AsyncIterator[int]:
            yield 1

        @server.provides(Sub)
        @asynccontextmanager
        async def sub(request: Sub) -> AsyncIterator[int]:
            yield 2

        async with client.request(Sub()):
            pass
        async with client.request(Device(), exclusive=True) as lease:
            print(lease.id, lease.generation, flush=True)
            await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
