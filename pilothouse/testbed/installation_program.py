"""An installation as a program of its own, started as people start it: `pilothouse run`.

What moves in it is each experiment's own (the module `robot` of its folder in `pilothouse/experiments`).
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

from framework.errors import InstallationError, ProcessDied
from framework.state import StateFolder
from pilothouse import running
from pilothouse.running import RunningInstallation

STARTS_S: Final = 90.0
PATIENCE_S: Final = 30.0

_MAIN: Final = "import sys; from pilothouse.cli.main import main; sys.exit(main(sys.argv[1:]))"
_LOOK_S: Final = 0.1


class InstallationProgram:
    """It runs. record: how it is reached."""

    def __init__(
        self, process: asyncio.subprocess.Process, record: RunningInstallation, client: aiohttp.ClientSession
    ) -> None:
        self.record = record
        self._process = process
        self._client = client

    @property
    def directory(self) -> Path:
        """Where the rings of its devices are."""
        return Path(self.record.run_directory)

    def check(self) -> None:
        """Raises ProcessDied if it has ended."""
        if self._process.returncode is not None:
            raise ProcessDied(f"the installation ended with code {self._process.returncode}")

    def pause(self) -> None:
        """The main process stands still."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """It goes on."""
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGCONT)

    async def status(self) -> dict[str, Any]:
        """What `pilothouse status --json` prints."""
        async with self._client.get(f"{self.record.url}api/status") as answer:
            status: dict[str, Any] = await answer.json()
            return status

    async def reset(self, who: str) -> str:
        """A person confirms that the emergency stop is to be lifted; what is answered."""
        body = {"confirmed": True, "who": who}
        async with self._client.post(f"{self.record.url}api/reset", json=body) as answer:
            return str((await answer.json()).get("text", ""))


@asynccontextmanager
async def installation_program(folder: Path, robot: str, *words: str) -> AsyncIterator[InstallationProgram]:
    """Runs until the body ends. Raises InstallationError if it does not start.

    folder: for its state and its description. robot: that description. words: further ones of the command.
    """
    description = folder / "robot.yaml"
    await asyncio.to_thread(description.write_text, robot)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _MAIN,
        *("run", "--state", str(folder), "--robot", str(description), "--port", "0", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        record = await _announced(process, StateFolder(folder))
        headers = {"Authorization": f"Bearer {record.token}"}
        patience = aiohttp.ClientTimeout(PATIENCE_S)
        async with aiohttp.ClientSession(headers=headers, timeout=patience) as client:
            yield InstallationProgram(process, record, client)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        await asyncio.wait_for(process.wait(), PATIENCE_S)


async def _announced(process: asyncio.subprocess.Process, state: StateFolder) -> RunningInstallation:
    try:
        async with asyncio.timeout(STARTS_S):
            while (record := running.look(state)) is None:
                if process.returncode is not None:
                    raise InstallationError(f"the installation ended with code {process.returncode}")
                await asyncio.sleep(_LOOK_S)
    except TimeoutError:
        raise InstallationError(f"the installation has not started within {STARTS_S:g} s") from None
    return record
