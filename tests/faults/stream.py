"""The column "stream": a real ring that the stream manager watches over."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, ClassVar

import msgspec

from framework.errors import StreamError
from framework.processes.spec import ProcessSpec
from framework.testing.children import Script
from framework.transport.ring import RingReader, RingWriter
from managers import stream_manager
from managers.output_manager import OutputManager
from managers.stream_manager import StreamManager
from resources.types.streams import Stream, StreamFormat, StreamHandle
from resources.types.views import Look, PageHandle, View
from tests.faults.stage import Stage, now_s
from tests.faults.subject import NOTICE_S, START_S, Outcome, Subject, kill


class Source:
    """Writes a small ring, ten samples a second, until it is hurt."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._task: asyncio.Task[None] | None = None
        self._ring: RingWriter | None = None
        self.flows = True
        self.stamp_s: float | None = None

    def start(self, *, first_sample: bool = True) -> None:
        """Make the ring anew, and samples unless it never comes so far."""
        self.end()
        self.flows, self.stamp_s = first_sample, None
        self._ring = RingWriter(self._stage.folder, "scan", slot_bytes=64, replace=True)
        self._task = asyncio.create_task(self._write(self._ring), name="writer of the stream")

    def end(self) -> None:
        """The writer ends and its ring with it."""
        if self._task is not None and self._ring is not None:
            self._task.cancel()
            self._ring.close()
            self._task = self._ring = None

    async def _write(self, ring: RingWriter) -> None:
        while True:
            if self.flows:
                stamp_s = now_s() if self.stamp_s is None else self.stamp_s
                ring.write(b"ranges", stamp_s=stamp_s)
            await asyncio.sleep(0.1)


class RaisesOnClose(RingReader):
    """A reader whose memory cannot be unmapped."""

    def close(self) -> None:
        was_open = self._open
        super().close()
        if was_open:
            raise StreamError("the stream's memory cannot be unmapped")


class Screens:
    """One page that is always served."""

    def pages(self) -> dict[str, PageHandle]:
        return {"console": PageHandle("console", "http://127.0.0.1:1/")}

    def views_changed(self) -> None:
        """Nobody looks."""

    def put_view(self, page: str, look: Look) -> bool:
        return False


class WatchedStream(Subject):
    """A stream of the stream manager over a real ring; its heart beats with its samples.

    Nothing can take a stream's place but a stream: who is told FATAL asks again, and gets it once it is back.
    """

    name = "stream"
    stops_within_s = 5.0
    LOOK_S = stream_manager.LOOK_S
    outcomes: ClassVar[dict[str, Outcome]] = {
        "start raises": Outcome((), words="is its writer running?"),
        "start hangs": Outcome(("WARNING", "FATAL"), 1.0 + 2 * LOOK_S, words="is stale"),
        "dies in use": Outcome(("FATAL",), LOOK_S + NOTICE_S, words="was closed"),
        "no heartbeat": Outcome(("WARNING", "FATAL"), 1.0 + LOOK_S + NOTICE_S, words="is stale"),
        "stale stream": Outcome(("WARNING", "FATAL"), 1.0 + LOOK_S + NOTICE_S, words="is stale"),
        "dependency fails while its parent starts": Outcome((), 0.2 + LOOK_S + NOTICE_S, words="was closed"),
        "flapping": Outcome(("WARNING", "OK") * 3, 1.0 + LOOK_S + NOTICE_S),
        "manager killed": Outcome(("FATAL",), words="stream_manager is gone"),
    }

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._handle = StreamHandle("scan", str(stage.folder / "scan.ring"), StreamFormat.SCAN)
        self.request = Stream(self._handle)
        self._source = Source(stage)
        self._going: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        stage = self.stage
        await self._enter_manager()
        encoded = msgspec.structs.replace(self._handle, name="view", format=StreamFormat.VIEW)
        stage.launcher.set_script("encoder", Script(START_S, msgspec.json.encode(encoded)))
        spec = ProcessSpec(("encoder",), "encoder")
        await stage.enter(
            OutputManager(stage.transport, Screens(), lambda source, view: spec, clock=stage.clock)
        )
        await self.mend()

    async def _enter_manager(self) -> None:
        stage = self.stage
        self._streams: StreamManager = await stage.enter(
            StreamManager(stage.transport, clock=stage.clock, monotonic_s=now_s)
        )

    async def begin(self, fault: str) -> None:
        source = self._source
        match fault:
            case "start raises":
                source.end()
            case "start hangs":
                source.start(first_sample=False)
            case "dies in use":
                source.end()
            case "no heartbeat":
                source.flows = False
            case "stale stream":
                source.stamp_s = now_s()
            case "stop raises":
                self.stage.patch.setattr(stream_manager, "RingReader", RaisesOnClose)
            case "stop hangs":
                self.stage.clock.get_stuck()
            case "dependency fails while its parent starts":
                self.request = View(self._handle)
                self._going.append(asyncio.create_task(self._end_later(0.2)))
            case "flapping":
                self._going.append(asyncio.create_task(self._come_and_go()))
            case _:
                raise NotImplementedError(fault)

    async def _end_later(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        self._source.end()

    async def _come_and_go(self) -> None:
        for _ in range(3):
            self._source.flows = False
            await asyncio.sleep(1.6)
            self._source.flows = True
            await asyncio.sleep(0.6)

    async def mend(self) -> None:
        self.stage.clock.come_loose()
        for task in self._going:
            task.cancel()
        self._source.start()
        if self._streams.registrar not in self.stage.registrars:
            await self._enter_manager()

    async def kill_manager(self) -> str:
        kill(self.stage, self._streams.registrar)
        return "stream_manager"

    def is_substitute(self, before: Any, after: Any) -> bool:
        return False

    async def close(self) -> None:
        """The writer goes last."""
        self.stage.clock.come_loose()
        for task in self._going:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self._source.end()
