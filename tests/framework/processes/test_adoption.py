"""Whom an owner takes for a child of its record, and what it does to one that is not: nothing."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from framework.errors import ProcessError
from framework.processes import wire
from framework.processes.adoption import AdoptedBody, kill_leftover
from framework.processes.body import started_ticks
from framework.processes.child_events import Exit
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import AdoptionRecord


class Heard:
    """A sink that keeps how it ended; nothing else is to be heard."""

    def __init__(self) -> None:
        self.ends: list[str] = []

    def received(self, report: wire.Report) -> None: ...

    def unreadable(self, what: str) -> None: ...

    def bad_frame(self, what: str) -> None: ...

    def closed(self) -> None: ...

    def warn(self, message: str) -> None: ...

    def exited(self, ended: Exit) -> None:
        self.ends.append(ended.note)


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process of somebody else's, which leaves a SIGUSR1 where it can be seen."""
    process = subprocess.Popen(
        ["sleep", "60"],
        start_new_session=True,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}),
    )
    yield process
    process.kill()
    process.wait()


def record_of(process: subprocess.Popen[bytes]) -> AdoptionRecord:
    ticks = started_ticks(process.pid)
    assert ticks is not None
    return AdoptionRecord("x", process.pid, ticks, f"pilothouse-test-{secrets.token_hex(8)}", "secret")


def earlier(record: AdoptionRecord) -> AdoptionRecord:
    """The record of a process that had the same number before."""
    return msgspec.structs.replace(record, started_ticks=record.started_ticks - 1)


def body_of(record: AdoptionRecord, sink: Heard) -> AdoptedBody:
    return AdoptedBody(ProcessSpec(("x",), "x"), sink, lambda line: None, record)


def test_a_process_that_only_has_the_number_is_not_adopted(stranger: subprocess.Popen[bytes]) -> None:
    async def main() -> None:
        with pytest.raises(ProcessError, match="another one by now"):
            body_of(earlier(record_of(stranger)), Heard()).start()

    asyncio.run(main())


def test_a_process_that_only_has_the_number_is_no_leftover(stranger: subprocess.Popen[bytes]) -> None:
    assert not kill_leftover(earlier(record_of(stranger)))
    assert stranger.poll() is None


def test_who_has_not_acknowledged_the_claim_gets_no_signal(stranger: subprocess.Popen[bytes]) -> None:
    def pending() -> int:
        status = Path(f"/proc/{stranger.pid}/status").read_text(encoding="utf-8")
        return sum(int(line.split()[1], 16) for line in status.splitlines() if "Pnd:" in line)

    async def main() -> None:
        body = body_of(record_of(stranger), Heard())
        body.start()
        body.signal(signal.SIGUSR1)
        body.close()

    asyncio.run(main())
    assert pending() == 0
    os.kill(stranger.pid, signal.SIGUSR1)
    assert pending() != 0


def test_nobody_else_who_listens_there_is_told_the_token(stranger: subprocess.Popen[bytes]) -> None:
    record, heard = record_of(stranger), Heard()

    async def main() -> None:
        body = body_of(record, heard)
        body.start()
        await asyncio.sleep(0)
        body.close()

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + record.address)
        listener.listen()
        asyncio.run(main())
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(4096) == b""
    assert heard.ends == [f"its address is held by process {os.getpid()}"]
