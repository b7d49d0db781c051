"""Debian's TURN server (coturn), on loopback, for one test."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from resources.operator.arguments import IceServer

USER, PASSWORD = "pilot", "house"

needs_turn_server = pytest.mark.skipif(
    shutil.which("turnserver") is None,
    reason="the program `turnserver` is not installed here (Debian: apt install coturn)",
)


class TurnServer:
    """One that runs. `ice`: how to use it."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.port = port

    def ice(self, transport: str) -> IceServer:
        """transport: "udp" or "tcp"."""
        return IceServer((f"turn:127.0.0.1:{self.port}?transport={transport}",), USER, PASSWORD)

    async def kill(self) -> None:
        """End it at once; nobody is told."""
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


@asynccontextmanager
async def turn_server(directory: Path) -> AsyncIterator[TurnServer]:
    """Start one on a free port, and wait until it listens."""
    port = _free_port()
    process = await asyncio.create_subprocess_exec(
        *("turnserver", "-n", "--lt-cred-mech", f"--user={USER}:{PASSWORD}", "--realm=pilothouse"),
        *("--listening-ip=127.0.0.1", f"--listening-port={port}", "--relay-ip=127.0.0.1"),
        *("--allow-loopback-peers", "--no-cli", "--no-tls", "--no-dtls", "--no-rfc5780"),
        *(f"--pidfile={directory / 'turn.pid'}", f"--userdb={directory / 'turn.db'}"),
        *("--log-file=stdout", "--simple-log", "--relay-threads=1"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=directory,
    )
    server = TurnServer(process, port)
    try:
        async with asyncio.timeout(60):
            while not await _listens(port):
                await asyncio.sleep(0.02)
        yield server
    finally:
        await server.kill()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
