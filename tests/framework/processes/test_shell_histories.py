"""The shell around the judge over several lives of a child, and the owner's end of its channel, alone."""

from __future__ import annotations

import asyncio
import random
import socket

import pytest

from framework.processes import wire
from framework.processes.activity import Activity
from framework.processes.channel import MAX_UNREAD_BYTES, OwnerChannel
from framework.processes.child_events import ChildState, Exit
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.processes.supervise import AdoptionRecord, Body, ChildProcess, Sink
from framework.status import Severity
from framework.testing import run


class Puppet:
    """One life of a child, played by the test; ends when it is told to."""

    pid = 1
    record: AdoptionRecord | None = None
    last_words: tuple[str, ...] = ()

    def __init__(self, sink: Sink, lives: list[Puppet]) -> None:
        assert all(life.is_closed for life in lives), "a former life was not let go of"
        self.sink = sink
        self.sent: list[bytes] = []
        self.is_closed: bool = False
        lives.append(self)

    def start(self) -> None: ...

    def pump(self) -> None: ...

    def activity(self) -> Activity:
        return Activity.SLEEPING

    def signal(self, _number: int) -> None:
        self.end()

    def quit(self) -> None:
        self.end()

    def end(self) -> None:
        asyncio.get_running_loop().call_soon(self.sink.exited, Exit(code=0))

    def send(self, payload: bytes) -> bool:
        self.sent.append(payload)
        return True

    def close(self) -> None:
        self.is_closed = True

    def is_ready(self, handle: bytes) -> None:
        """And promises its next beat for a day, so that nobody judges its silence."""
        self.sink.received(wire.ReadyReport(handle))
        self.sink.received(wire.Beat(next_within_s=86400.0))


@pytest.mark.parametrize("seed", range(5))
def test_life_after_life_its_owner_knows_whether_it_lives_and_reaches_the_one_that_does(seed: int) -> None:
    lots = random.Random(seed)
    adopted: list[Puppet] = []
    lives: list[Puppet] = []

    def first(_spec: ProcessSpec, sink: Sink) -> Body:
        puppet = Puppet(sink, lives)
        adopted.append(puppet)
        return puppet

    def fresh(_spec: ProcessSpec, sink: Sink) -> Body:
        return Puppet(sink, lives)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        spec = ProcessSpec(("x",), "x", restart=RestartPolicy(most=1000, first_s=0.1, longest_s=0.2))
        child = ChildProcess(spec, fresh, random.Random(seed), None, first_body_of=first)
        loop.call_later(0.05, lambda: lives[0].is_ready(b"0"))
        async with child.running():
            for number in range(1, 12):
                assert await child.ready() == b"%d" % (number - 1)
                life = lives[-1]
                assert child.send(b"one") and life.sent == [b"one"]
                life.sink.received(wire.StatusReport(Severity.ERROR, "warm"))
                assert child.state is ChildState.DEGRADED
                assert child.send(b"two") and life.sent == [b"one", b"two"], (
                    "it works still, and is commanded"
                )
                if lots.random() < 0.5:
                    life.sink.received(wire.StatusReport(Severity.OK, "cool"))
                lost = asyncio.ensure_future(child.lost())
                await asyncio.sleep(1.0)
                assert not lost.done(), "it is not lost now"
                life.end()
                assert "died" in (await lost).message
                assert not child.send(b"three") and life.sent == [b"one", b"two"]
                again = asyncio.ensure_future(child.ready())
                await asyncio.sleep(0.5)
                assert len(lives) == number + 1, "started once again, and once only"
                assert not again.done() and not child.send(b"four")
                lives[-1].is_ready(b"%d" % number)
                assert await again == b"%d" % number and child.restarts == number
        assert len(adopted) == 1, "what is started again is no adopted process"
        assert all(life.is_closed for life in lives)

    run(main)


class Ear:
    """What a channel says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def received(self, report: wire.Report) -> None:
        self.said.append(type(report).__name__)

    def unreadable(self, what: str) -> None:
        self.said.append("unreadable")

    def bad_frame(self, what: str) -> None:
        self.said.append("bad frame")

    def closed(self) -> None:
        self.said.append("closed")

    def exited(self, ended: Exit) -> None:
        self.said.append("exited")

    def warn(self, message: str) -> None:
        self.said.append("full")


def test_each_time_a_child_stops_reading_that_is_said_once() -> None:
    async def main() -> None:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        ear = Ear()
        channel = OwnerChannel(ours, ear)
        loop = asyncio.get_running_loop()
        order = wire.Command(b"x" * 1000)
        for times in (1, 2, 3):
            for _ in range(3 * MAX_UNREAD_BYTES // 1000):
                channel.send(order)
            assert not channel.send(order)
            assert ear.said == ["full"] * times
            read = 0
            while channel._unsent or read == 0:
                read += len(await loop.sock_recv(theirs, 1 << 20))
            assert channel.send(order), "it reads again"
        channel.close()
        assert not channel.send(order)
        theirs.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"\xff\xff\xff\xff" + wire.frame(wire.Beat()), ["bad frame"]),
        (wire.frame(wire.Beat()) + b"\0\0\0\0" + wire.frame(wire.Beat()), ["Beat", "bad frame"]),
        (b"\1\0\0\0x" + wire.frame(wire.Beat()), ["unreadable", "Beat"]),
        (wire.frame(wire.Beat())[:-1], []),
    ],
)
def test_behind_a_frame_that_cannot_be_true_nothing_is_read(sent: bytes, said: list[str]) -> None:
    async def main() -> None:
        ours, theirs = socket.socketpair()
        ear = Ear()
        channel = OwnerChannel(ours, ear)
        for _ in range(2):
            theirs.send(sent)
            channel.pump()
            await asyncio.sleep(0)
            if "bad frame" not in said:
                break
        assert ear.said == said
        channel.close()
        theirs.close()

    asyncio.run(main())
