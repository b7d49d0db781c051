"""A running installation whose arm is driven, as `pilothouse run` starts it, and its console as a program.

Nothing is measured here; `operator_link_watch.py` keeps what the arm and the hands report.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import aiohttp

from framework.errors import InstallationError
from framework.state import StateFolder
from pilothouse.cli import running
from pilothouse.cli.experiments.operator_link_entry import ScriptedOperator, until
from pilothouse.cli.experiments.operator_link_relay import UdpRelay

ARM: Final = "arm"
STARTS_S: Final = 90.0
PATIENCE_S: Final = 30.0

#: The arm of the world `bench`, and no camera: who drives looks at nothing here.
_ROBOT: Final = """
robot: panda
world: bench
devices:
  - {name: arm, driver: simulated_arm, kind: arm, parameters: {world: bench}}
"""

_MAIN: Final = "import sys; from pilothouse.cli.main import main; sys.exit(main(sys.argv[1:]))"


class DrivenRobot:
    """Entered, the world `bench` runs and its arm reports. Raises InstallationError if it does not start."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.said: list[str] = []
        self._folder = folder
        self._seed = seed
        self._numbers = itertools.count(1)
        self._replies: dict[str, dict[str, Any]] = {}
        self._operators: dict[str, Any] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _start(self) -> None:
        robot = self._folder / "robot.yaml"
        await asyncio.to_thread(robot.write_text, _ROBOT)
        ports = ("--port", "0", "--phone-port", "0")
        self._main = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _MAIN,
            *("run", "--state", str(self._folder), "--robot", str(robot), *ports, "--seed", str(self._seed)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        self._stack.push_async_callback(self._end)
        async with asyncio.timeout(STARTS_S):
            while (record := running.look(StateFolder(self._folder))) is None:
                if self._main.returncode is not None:
                    raise InstallationError(f"the installation ended with code {self._main.returncode}")
                await asyncio.sleep(0.1)
        self.directory = Path(record.run_directory)
        headers = {"Authorization": f"Bearer {record.token}"}
        self._url = record.url
        self._http = await self._stack.enter_async_context(aiohttp.ClientSession(headers=headers))
        self._console = await self._http.ws_connect(record.url + "ws", max_msg_size=0)
        reading = asyncio.create_task(self._read())
        self._stack.callback(reading.cancel)
        await until(lambda: self.arm.exists(), "the arm reports", STARTS_S)

    async def _end(self) -> None:
        self.resume()
        if self._main.returncode is None:
            self._main.terminate()
        await asyncio.wait_for(self._main.wait(), PATIENCE_S)

    @property
    def arm(self) -> Path:
        """The ring of the arm's reports."""
        return self.directory / f"motion_{ARM}.ring"

    def hand(self, operator: ScriptedOperator) -> Path:
        """The ring of an operator's right hand."""
        return self.directory / f"hand_{operator.paired.session}_right.ring"

    @asynccontextmanager
    async def operator(self, relay: UdpRelay) -> AsyncIterator[ScriptedOperator]:
        """Somebody who pairs by a code of the console, and is linked through the relay."""
        before = self._operators.get("url", "")
        await self.orders("open_pairing")
        await until(lambda: self._operators.get("url", "") not in ("", before), "a code is shown")
        async with ScriptedOperator(self._operators["url"], relay) as operator:
            yield operator

    async def orders(self, kind: str, **fields: str) -> str:
        """What the console's page sends; the answer's words. Raises InstallationError if it is refused."""
        number = str(next(self._numbers))
        await self._console.send_json({"type": kind, "id": number, **fields})
        await until(lambda: number in self._replies, f"an answer to {kind}")
        reply = self._replies.pop(number)
        if not reply["ok"]:
            raise InstallationError(f"{kind} was refused: {reply['text']}; said was: {self.said[-4:]}")
        return str(reply["text"])

    async def loop_lag_ms(self) -> float:
        """How late the main process's loop is, the 99th percentile."""
        async with self._http.get(f"{self._url}api/status") as answer:
            return float((await answer.json())["health"]["loop_lag_ms_p99"])

    def pause(self) -> None:
        """The main process stands still."""
        self._main.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """It goes on."""
        if self._main.returncode is None:
            self._main.send_signal(signal.SIGCONT)

    async def _read(self) -> None:
        async for message in self._console:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            told = json.loads(message.data)
            match told["type"]:
                case "reply":
                    self._replies[told["id"]] = told
                case "operators":
                    self._operators = told
                case "events":
                    self.said += [line["text"] for line in told["lines"]]
