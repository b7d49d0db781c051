"""A thing that is followed on behalf of conditions: whether it is seen, and where. No client sees it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from framework.clock import Clock
from framework.errors import PilothouseError, StreamError
from framework.registrar import Lease, ResourceRegistrar
from framework.status import Priority
from framework.transport.ring import RingReader
from resources.types.context import Tracked
from resources.types.samples import Poses, Sighting, decode
from resources.types.streams import StreamFormat

#: A thing counts as seen until it was not seen for so long, on the stream's own time [s].
LOST_AFTER_S = 1.0

#: So much has to be looked at before "not seen" is an answer [s].
_FIRST_LOOK_S = 0.5

#: A stream older than this tells nothing [s].
_STALE_S = 1.0

#: After a failure it is asked for again [s].
_AGAIN_S = 2.0


class Followed:
    """Holds `Tracked` with the lowest priority, and asks again when it is lost, until `end`."""

    def __init__(self, registrar: ResourceRegistrar, thing: str, clock: Clock) -> None:
        self._registrar = registrar
        self._thing = thing
        self._clock = clock
        self._lease: Lease | None = None
        self._reader: RingReader | None = None
        self._format = StreamFormat.POSES
        self._sequence = 0
        self._first_s: float | None = None
        self._newest_s = 0.0
        self._last: Sighting | None = None
        self.began_s = clock.now_s()
        self.task = asyncio.create_task(self._hold(), name=f"condition about {thing}")

    def look(self, now_s: float) -> None:
        """Take in what has come; `now_s` on CLOCK_MONOTONIC."""
        reader = self._reader
        if reader is None:
            return
        try:
            if reader.replaced():
                reader.reopen()
                self._sequence = 0
            sample = reader.latest(self._sequence)
            if sample is None:
                return
            self._sequence = sample.sequence
            poses = decode(sample, self._format)
        except StreamError:
            return
        if not isinstance(poses, Poses):
            return
        self._newest_s = poses.stamp_s
        self._first_s = self._newest_s if self._first_s is None else self._first_s
        self._last = poses.sighting or self._last

    def seen(self, now_s: float) -> bool | None:
        """Whether it is in sight; None while nobody looks, or has not looked for long enough."""
        if self._first_s is None or now_s - self._newest_s > _STALE_S:
            return None
        if self._last is not None and self._newest_s - self._last.stamp_s < LOST_AFTER_S:
            return True
        return False if self._newest_s - self._first_s >= _FIRST_LOOK_S else None

    def sighting(self, now_s: float) -> Sighting | None:
        """Where it was seen last, if that is now."""
        return self._last if self.seen(now_s) else None

    def end(self) -> asyncio.Task[None]:
        """Nobody asks any more; returns what is over when everything is given back."""
        self.task.cancel()
        return self.task

    async def _hold(self) -> None:
        while True:
            try:
                async with self._registrar.request(
                    Tracked(self._thing), priority=Priority.BACKGROUND, on_failure="tell", who="a condition"
                ) as lease:
                    stream = lease.value.stream
                    self._format = stream.format
                    with RingReader(Path(stream.ring)) as self._reader:
                        await lease.failed()
            except PilothouseError:
                pass  # there is no answer then; what is asked for is asked for again
            finally:
                self._reader = None
                self._first_s = None
                self._sequence = 0
            await self._clock.sleep(_AGAIN_S)
