"""An installation in a process of its own, as `pilothouse run` starts it, to be looked at in a browser."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from framework.state import StateFolder
from pilothouse.running import find

MAIN = "import sys; from pilothouse.cli.main import main; sys.exit(main())"


@asynccontextmanager
async def started(state: Path, world: str, *more: str) -> AsyncIterator[str]:
    """The address of an installation in a process of its own. more: arguments of `pilothouse run`.

    What moves needs the supervisor's beat every 0.2 s, and this process looks at pictures in between.
    """
    command = ("-c", MAIN, "run", "--world", world, "--state", str(state), "--port", "0", *more)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdout is not None
    printed = b""
    try:
        while b"Ctrl-C ends it" not in printed:
            line = await process.stdout.readline()
            assert line, printed.decode()
            printed += line
        running = find(StateFolder(state))
        yield f"{running.url}#token={running.token}"
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = await process.communicate()
    assert process.returncode == 0, rest.decode()
