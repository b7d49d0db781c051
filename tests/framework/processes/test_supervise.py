"""The shell around the judge, where a real child cannot show it."""

from __future__ import annotations

import asyncio
import random

from framework.processes import wire
from framework.processes.activity import Activity
from framework.processes.child_events import ChildState, Exit
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import AdoptionRecord, Body, ChildProcess, Sink
from framework.testing import run


class SlowlyHeard:
    """A child that beats well, but whose beats are only heard when somebody looks."""

    pid = 1
    record: AdoptionRecord | None = None
    last_words: tuple[str, ...] = ()

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def start(self) -> None:
        asyncio.get_running_loop().call_soon(self._sink.received, wire.ReadyReport(b""))

    def pump(self) -> None:
        self._sink.received(wire.Beat())

    def activity(self) -> Activity:
        return Activity.SLEEPING

    def signal(self, _number: int) -> None:
        asyncio.get_running_loop().call_soon(self._sink.exited, Exit(code=0))

    def quit(self) -> None: ...

    def send(self, _payload: bytes) -> bool:
        return True

    def close(self) -> None: ...


def test_what_has_arrived_is_heard_before_silence_is_judged() -> None:
    async def main() -> None:
        def body_of(_spec: ProcessSpec, sink: Sink) -> Body:
            return SlowlyHeard(sink)

        child = ChildProcess(ProcessSpec(("x",), "x"), body_of, random.Random(0), None)
        async with child.running():
            await asyncio.sleep(10.0)
            assert child.state is ChildState.READY

    run(main)
