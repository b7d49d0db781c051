"""A device whose provider never returns from its tear-down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pilothouse as ph

FOR_EVER_S = 600.0


class Stubborn(ph.Driver):
    """A scanner with a foreign program below it, that does not stop."""

    name = "stubborn"
    kind = "scan"

    is_stubborn: bool = False

    @asynccontextmanager
    async def provide(self, device: ph.DeviceContext) -> AsyncIterator[ph.ScanFeed]:
        spec = ph.ProcessSpec(("sleep", f"{FOR_EVER_S:g}"), f"sleep of {device.name}", protocol=False)
        ring = str(device.directory / f"{device.name}.ring")
        stream = ph.StreamHandle(device.name, ring, ph.StreamFormat.SCAN, device.mount, 10.0)
        async with device.request(ph.Process(spec)):
            try:
                yield ph.ScanFeed(device.name, stream)
            finally:
                while self.is_stubborn:
                    try:
                        await asyncio.sleep(FOR_EVER_S)
                    except asyncio.CancelledError:
                        continue
