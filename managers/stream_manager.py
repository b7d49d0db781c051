"""The stream manager: who watches which stream, how fast and how old it is.

It provides `Stream`. A stream that goes stale warns and then fails, even if the
process behind it still says that it is well. It reads heads of rings only,
never samples: what moves bytes is elsewhere.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import ResourceUnavailable, StreamError
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Severity
from framework.transport.interface import Transport
from framework.transport.ring import RingReader
from resources.types.streams import Stream, StreamHandle

#: How often a stream is looked at [s].
LOOK_S = 0.2


class StreamPolicy(msgspec.Struct, frozen=True):
    """A stream this many periods old, but at least so many seconds, warns, or fails."""

    warn_periods: float = 5.0
    warn_s: float = 1.0
    fail_periods: float = 15.0
    fail_s: float = 3.0


class StreamView(msgspec.Struct, frozen=True):
    """One stream as it is now. `rate_hz` is measured; `watchers` counts leases."""

    name: str
    format: str
    rate_hz: float
    age_s: float
    watchers: int


class StreamManager:
    """Watches over the streams that somebody watches.

    Args:
        monotonic_s: reads CLOCK_MONOTONIC, with which samples are stamped.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        clock: Clock | None = None,
        policy: StreamPolicy | None = None,
        monotonic_s: Any = time.monotonic,
    ) -> None:
        self._clock = clock or LoopClock()
        self._policy = policy or StreamPolicy()
        self._monotonic_s = monotonic_s
        self._watched: dict[str, tuple[StreamHandle, float, float]] = {}
        self.registrar = ResourceRegistrar("stream_manager", transport, clock=clock)
        self.registrar.provides(Stream)(self._stream)

    async def __aenter__(self) -> StreamManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    def streams(self) -> tuple[StreamView, ...]:
        """All streams that are watched."""
        watchers = {
            resource.request.source.name: len(resource.leases)
            for resource in self.registrar.snapshot().resources
        }
        return tuple(
            StreamView(name, handle.format.value, rate_hz, age_s, watchers.get(name, 0))
            for name, (handle, rate_hz, age_s) in self._watched.items()
        )

    @asynccontextmanager
    async def _stream(self, request: Stream, supply: Supply) -> AsyncIterator[StreamHandle]:
        source = request.source
        if not source.rate_hz > 0.0:
            raise ResourceUnavailable(
                f"the stream {source.name} says it comes at {source.rate_hz} Hz; give a rate above 0, "
                "or its age cannot be judged"
            )
        with RingReader(Path(source.ring)) as reader:
            self._watched[source.name] = (source, 0.0, 0.0)
            watch = asyncio.create_task(self._watch(source, reader, supply))
            try:
                yield source
            finally:
                watch.cancel()
                await asyncio.gather(watch, return_exceptions=True)
                self._watched.pop(source.name, None)

    async def _watch(self, source: StreamHandle, reader: RingReader, supply: Supply) -> None:
        """Measure rate and age; say when it goes stale and when it comes again."""
        policy = self._policy
        period_s = 1.0 / source.rate_hz
        warn_s = max(policy.warn_s, policy.warn_periods * period_s)
        fail_s = max(policy.fail_s, policy.fail_periods * period_s)
        begun_s = self._monotonic_s()
        is_stale = False
        last = (0, begun_s)
        rate_hz = 0.0
        while True:
            await self._clock.sleep(LOOK_S)
            now_s = self._monotonic_s()
            try:
                if reader.replaced():
                    # Its writer was restarted and has made the ring anew; that counts as a beginning.
                    reader.reopen()
                    begun_s, last = now_s, (0, now_s)
                sequence, age_s = reader.sequence, min(reader.age_s(now_s), now_s - begun_s)
                closed = reader.closed
            except StreamError as error:
                supply.fail(error.why)
                return
            if now_s - last[1] >= 1.0:
                rate_hz = (sequence - last[0]) / (now_s - last[1])
                last = (sequence, now_s)
            self._watched[source.name] = (source, rate_hz, age_s)
            if closed or age_s > fail_s:
                why = "was closed" if closed else f"is stale: its last sample is {age_s:.1f} s old"
                supply.fail(f"the stream {source.name} {why}")
                return
            if is_stale != (age_s > warn_s):
                is_stale = not is_stale
                if is_stale:
                    supply.report(Severity.WARNING, f"the stream {source.name} is {age_s:.1f} s old")
                else:
                    supply.report(Severity.OK, f"the stream {source.name} flows again")
