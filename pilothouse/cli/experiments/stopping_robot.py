"""An installation in a process of its own that moves fast, and the ways to stop it from outside.

Nothing is measured here. The installation is what `pilothouse run` starts; its actions that move are in
`stopping_actions/`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
import sys
import time
from collections import deque
from contextlib import AsyncExitStack
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import aiohttp

from framework.errors import InstallationError, ProcessDied
from framework.processes.emergency import EmergencyStop
from framework.state import StateFolder
from pilothouse.cli import running
from resources.types.streams import StreamFormat, StreamHandle

ACTIONS: Final = Path(__file__).parent / "stopping_actions"

STARTS_S: Final = 90.0
PATIENCE_S: Final = 30.0

#: A heart that is beaten every 50 ms, and has not for so long, has ceased [s].
CEASED_S: Final = 0.15

#: Both stop categories, and the base; each with the format of its reports.
DEVICES: Final = {
    "left_arm": StreamFormat.ARM,
    "right_arm": StreamFormat.ARM,
    "base": StreamFormat.BASE,
}
CATEGORIES: Final = {"left_arm": "hold", "right_arm": "brakes", "base": "base"}

_ROBOT: Final = """
robot: inspector
world: inspection
devices:
  - {name: left_arm, driver: simulated_arm, kind: arm, mount: left, parameters: {stop: hold}}
  - {name: right_arm, driver: simulated_arm, kind: arm, mount: right, parameters: {stop: brakes}}
  - {name: base, driver: simulated_base, kind: base, parameters: {lidars: [front_lidar]}}
  - name: front_lidar
    driver: simulated_lidar
    kind: scan
    mount: front
    parameters: {body: base_lidar, model: LMS511, rate_hz: 10}
"""

#: Loaded before it is to stop: the start of an interpreter is no part of the stop.
_READY_TO_STOP: Final = (
    "import sys; from pilothouse.cli import api, running, stop; from pilothouse.cli.main import main; "
    "print('ready', flush=True); sys.stdin.readline(); sys.exit(main(sys.argv[1:]))"
)


class Way(StrEnum):
    """How a person, or the loss of the supervisor, stops it."""

    PAGE = "page"
    WORD = "word"
    KEY = "key"
    COMMAND = "command"
    HEARTBEAT = "heartbeat"


class MovingRobot:
    """Entered, it runs. Raises InstallationError if it does not start, ProcessDied if it ends."""

    latch: EmergencyStop

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._seed = seed
        self._numbers = itertools.count(1)
        self._stack = AsyncExitStack()
        self._command: asyncio.subprocess.Process | None = None
        self._said: deque[str] = deque(maxlen=6)
        self.reflexes = 0

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
        arguments = (
            "--robot",
            str(robot),
            "--actions",
            str(ACTIONS),
            "--port",
            "0",
            "--seed",
            str(self._seed),
        )
        self._main = await self._python("run", "--state", str(self._folder), *arguments)
        self._stack.push_async_callback(self._end)
        async with asyncio.timeout(STARTS_S):
            while (record := running.look(StateFolder(self._folder))) is None:
                if self._main.returncode is not None:
                    raise InstallationError(f"the installation ended with code {self._main.returncode}")
                await asyncio.sleep(0.1)
        self._record = record
        self.latch = EmergencyStop.attach(Path(record.run_directory))
        self._stack.callback(self.latch.close)
        headers = {"Authorization": f"Bearer {record.token}"}
        self._http = await self._stack.enter_async_context(
            aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(PATIENCE_S))
        )
        # Two pages: one whose button is pressed, one at whose keyboard somebody sits.
        self._pages = [await self._http.ws_connect(record.url + "ws", max_msg_size=0) for _ in range(2)]
        for page in self._pages:
            reading = asyncio.create_task(self._read(page))
            self._stack.callback(reading.cancel)

    async def _end(self) -> None:
        self.resume()
        if self._command is not None:
            self._command.kill()
            await self._command.wait()
        if self._main.returncode is None:
            self._main.terminate()
        await asyncio.wait_for(self._main.wait(), PATIENCE_S)

    async def _python(self, *words: str, code: str = "") -> asyncio.subprocess.Process:
        code = code or "import sys; from pilothouse.cli.main import main; sys.exit(main(sys.argv[1:]))"
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE if code == _READY_TO_STOP else asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE if code == _READY_TO_STOP else asyncio.subprocess.DEVNULL,
        )

    @property
    def said(self) -> str:
        """What the operator was told last."""
        return " | ".join(self._said)

    @property
    def streams(self) -> dict[str, StreamHandle]:
        """The reports of what moves; they are there once the world is."""
        folder = Path(self._record.run_directory)
        return {
            device: StreamHandle(f"motion_{device}", str(folder / f"motion_{device}.ring"), kind)
            for device, kind in DEVICES.items()
        }

    @property
    def has_world(self) -> bool:
        """Whether all that moves reports."""
        return all(Path(stream.ring).exists() for stream in self.streams.values())

    def mailbox(self, device: str) -> Path:
        """Where a device's orders are found."""
        return Path(self._record.run_directory) / f"orders_{device}.ring"

    async def says(self, text: str) -> None:
        """Somebody says this at a page; nobody waits for the answer."""
        await self._send(0, {"type": "say", "text": text})

    async def get_ready(self, way: Way) -> None:
        """What takes time and is no part of the stop."""
        if way is Way.COMMAND:
            words = ("stop", "--state", str(self._folder))
            self._command = await self._python(*words, code=_READY_TO_STOP)
            assert self._command.stdout is not None
            await self._command.stdout.readline()

    async def stop(self, way: Way) -> None:
        """Stop it in this way; for the loss of the heartbeat its process has to be stopped besides."""
        match way:
            case Way.PAGE:
                await self._send(0, {"type": "stop"})
            case Way.KEY:
                await self._send(1, {"type": "stop"})
            case Way.WORD:
                await self.says("stop")
            case Way.COMMAND:
                assert self._command is not None
                assert self._command.stdin is not None
                self._command.stdin.write(b"\n")
                await self._command.stdin.drain()
            case Way.HEARTBEAT:
                await self.says("hang the supervisor")

    def pause(self) -> None:
        """The main process stands still."""
        self._main.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """It goes on."""
        if self._main.returncode is None:
            self._main.send_signal(signal.SIGCONT)

    async def is_idle(self) -> None:
        """Wait until no plan runs any more. Raises InstallationError if one goes on."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    if not (await self._status())["plans"]:
                        return
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise InstallationError(f"a plan still runs after {PATIENCE_S:g} s: {self.said}") from None

    async def is_over(self, way: Way) -> None:
        """Wait for what was started in order to stop it. Raises ProcessDied if the command failed."""
        if way is Way.COMMAND and self._command is not None:
            command, self._command = self._command, None
            _, words = await asyncio.wait_for(command.communicate(), PATIENCE_S)
            if command.returncode:
                raise ProcessDied(f"`pilothouse stop` ended with code {command.returncode}: {words.decode()}")

    async def last_beat_s(self) -> float:
        """When the supervisor's heart beat last, once it has ceased; else raises InstallationError."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    now_s = time.monotonic()
                    age_s = self.latch.heartbeat_age_s(now_s)
                    if age_s > CEASED_S:
                        return now_s - age_s
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise InstallationError(f"the supervisor's heart beats on after {PATIENCE_S:g} s") from None

    async def recover(self) -> None:
        """An arm had a reflex on its way to being fast: the operator confirms that it may go on."""
        for arm in ("left arm", "right arm"):
            if f"recover the {arm}" in self.said:
                self.reflexes += 1
                await self.says(f"recover the {arm}")
                await asyncio.sleep(1.0)
                await self.says("carry on")
                await asyncio.sleep(1.0)
                await self.is_idle()

    async def reset(self) -> str:
        """A person confirms that the emergency stop is to be lifted; what is answered."""
        body = {"confirmed": True, "who": "the experiment"}
        async with self._http.post(self._record.url + "api/reset", json=body) as answer:
            return str((await answer.json()).get("text", ""))

    async def _status(self) -> dict[str, Any]:
        async with self._http.get(self._record.url + "api/status") as answer:
            status: dict[str, Any] = await answer.json()
            return status

    async def _send(self, page: int, message: dict[str, str]) -> None:
        if self._main.returncode is not None:
            raise ProcessDied(f"the installation ended with code {self._main.returncode}")
        await self._pages[page].send_json({"id": str(next(self._numbers)), **message})

    async def _read(self, page: aiohttp.ClientWebSocketResponse) -> None:
        """A page takes in what it is sent, and keeps what was said last."""
        async for message in page:
            is_events = message.type is aiohttp.WSMsgType.TEXT and '"type":"events"' in message.data[:30]
            if is_events and page is self._pages[0]:
                self._said += [line["text"] for line in json.loads(message.data)["lines"]]
