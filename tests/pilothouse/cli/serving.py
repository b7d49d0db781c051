"""Commands that are typed, and a scripted installation that they find; its console's server is real."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from framework.state import StateFolder
from pilothouse import running
from pilothouse.cli.main import main
from resources.console.server import ConsoleServer
from tests.resources.console.scripted import ScriptedBackend

MAIN = "import sys; from pilothouse.cli.main import main; sys.exit(main())"


def typed(
    state: Path, command: str, *words: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """A command carried out in this process, which starts none; with this state folder, and no terminal."""
    arguments = [command, "--state", str(state), *words]
    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "stdin", TextIOWrapper(BytesIO((stdin or "").encode()), "utf-8")),
    ):
        try:
            code = main(arguments)
        except SystemExit as asked:  # argparse's way to refuse
            code = asked.code if isinstance(asked.code, int) else 1
    said, refused = (each.buffer.getvalue().decode() for each in (out, err))
    return subprocess.CompletedProcess(arguments, code, said, refused)


def typed_in_a_process(
    state: Path, command: str, *words: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, until it has ended: for what its imports, signals and exit do."""
    return subprocess.run(
        [sys.executable, "-c", MAIN, command, "--state", str(state), *words],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
    )


class Scripted:
    """It runs in a thread of its own; what is set on `backend` counts from the next request on."""

    def __init__(self, state: Path, backend: ScriptedBackend) -> None:
        self.state = state
        self.backend = backend
        self.loop = asyncio.new_event_loop()
        self.server: ConsoleServer
        self.record: running.RunningInstallation

    def cut_off(self) -> None:
        """Break every connection off, in the middle of what is being told."""

        def abort() -> None:
            runner = self.server._runner
            assert runner is not None and runner.server is not None
            for connection in runner.server.connections:
                if connection.transport is not None:
                    connection.transport.abort()

        self.loop.call_soon_threadsafe(abort)

    def __call__(self, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """Type a command; its state folder is ours."""
        command, *rest = words
        return typed(self.state, command, *rest, stdin=stdin)


@contextmanager
def scripted(
    state: Path, backend: ScriptedBackend | None = None, host: str = "127.0.0.1"
) -> Iterator[Scripted]:
    """A scripted installation that is found with this state folder. host: where its console listens."""
    installation = Scripted(state, backend or ScriptedBackend())
    started, ended = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with ConsoleServer(installation.backend, port=0, host=host, state=state) as server:
            installation.server = server
            installation.record = running.this_process(
                server.address, server.token, state, "scripted", server.certificate
            )
            running.announce(StateFolder(state), installation.record)
            started.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: installation.loop.run_until_complete(serve()))
    thread.start()
    try:
        assert started.wait(60)
        yield installation
    finally:
        installation.loop.call_soon_threadsafe(ended.set)
        thread.join(60)
        installation.loop.close()
        running.withdraw(StateFolder(state), installation.record)
