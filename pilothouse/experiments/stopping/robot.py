"""An installation in a process of its own that moves fast, and the ways to stop it from outside.

Nothing is measured here. The installation is what `pilothouse run` starts; its actions that move are in
`stopping_actions/`.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final

from framework.errors import InstallationError, ProcessDied
from framework.processes.emergency import EmergencyStop
from pilothouse.testbed.console_program import Asking, ConsoleProgram, console_program
from pilothouse.testbed.installation_program import (
    PATIENCE_S,
    InstallationProgram,
    installation_program,
)
from resources.types.streams import StreamFormat, StreamHandle
from resources.web.page_messages import Say, Stop

ACTIONS: Final = Path(__file__).parent / "actions"

_SAID_LINES: Final = 6

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
    "import sys; from pilothouse import running; from pilothouse.cli import api, stop; "
    "from pilothouse.cli.main import main; "
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
    """It runs. Raises ProcessDied where it is asked for something and has ended."""

    def __init__(
        self,
        folder: Path,
        program: InstallationProgram,
        latch: EmergencyStop,
        pages: Sequence[ConsoleProgram],
    ) -> None:
        self.latch = latch
        self.program = program
        self.reflexes = 0
        self._folder = folder
        self._pages = pages
        self._command: asyncio.subprocess.Process | None = None

    @property
    def said(self) -> str:
        """What the operator was told last."""
        return " | ".join(self._pages[0].events[-_SAID_LINES:])

    @property
    def streams(self) -> dict[str, StreamHandle]:
        """The reports of what moves; they are there once the world is."""
        folder = self.program.directory
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
        return self.program.directory / f"orders_{device}.ring"

    async def says(self, text: str) -> None:
        """Somebody says this at a page; nobody waits for the answer."""
        await self._tell(0, lambda number: Say(number, text))

    async def get_ready(self, way: Way) -> None:
        """What takes time and is no part of the stop."""
        if way is Way.COMMAND:
            self._command = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _READY_TO_STOP,
                *("stop", "--state", str(self._folder)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            assert self._command.stdout is not None
            await self._command.stdout.readline()

    async def stop(self, way: Way) -> None:
        """Stop it in this way; for the loss of the heartbeat its process has to be stopped besides."""
        match way:
            case Way.PAGE:
                await self._tell(0, Stop)
            case Way.KEY:
                await self._tell(1, Stop)
            case Way.WORD:
                await self.says("stop")
            case Way.COMMAND:
                assert self._command is not None
                assert self._command.stdin is not None
                self._command.stdin.write(b"\n")
                await self._command.stdin.drain()
            case Way.HEARTBEAT:
                await self.says("hang the supervisor")

    async def is_idle(self) -> None:
        """Wait until no plan runs any more. Raises InstallationError if one goes on."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    if not (await self.program.status())["plans"]:
                        return
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise InstallationError(f"a plan still runs after {PATIENCE_S:g} s: {self.said}") from None

    async def has_ended(self) -> None:
        """Wait until a plan that was asked for has begun and none runs any more."""
        has_begun = False
        while True:
            is_running = bool((await self.program.status())["plans"])
            if has_begun and not is_running:
                return
            has_begun = has_begun or is_running
            await asyncio.sleep(0.25)

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

    async def close(self) -> None:
        """End what was got ready in order to stop it, and was not used."""
        if self._command is not None:
            self._command.kill()
            await self._command.wait()

    async def _tell(self, page: int, asking: Asking) -> None:
        self.program.check()
        await self._pages[page].tell(asking)


@asynccontextmanager
async def moving_robot(folder: Path, seed: int) -> AsyncIterator[MovingRobot]:
    """It runs until the body ends. Raises InstallationError if it does not start."""
    options = ("--actions", str(ACTIONS), "--seed", str(seed))
    async with (
        installation_program(folder, _ROBOT, *options) as program,
        console_program(program.record) as page,
        console_program(program.record) as another,
    ):
        latch = EmergencyStop.attach(program.directory)
        # Two pages: one whose button is pressed, one at whose keyboard somebody sits.
        robot = MovingRobot(folder, program, latch, (page, another))
        try:
            yield robot
        finally:
            await robot.close()
            latch.close()
