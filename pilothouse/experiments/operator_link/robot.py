"""A running installation whose arm is driven, and who drives it.

Nothing is measured here; `watch.py` keeps what the arm and the hands report.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from pilothouse.experiments.operator_link.entry import ScriptedOperator, until
from pilothouse.experiments.operator_link.relay import UdpRelay
from pilothouse.testbed.console_program import ConsoleProgram, console_program
from pilothouse.testbed.installation_program import (
    STARTS_S,
    InstallationProgram,
    installation_program,
)

ARM: Final = "arm"

#: The arm of the world `bench`, and no camera: who drives looks at nothing here.
_ROBOT: Final = """
robot: panda
world: bench
devices:
  - {name: arm, driver: simulated_arm, kind: arm, parameters: {world: bench}}
"""


class DrivenRobot:
    """The world `bench` runs and its arm reports. program: its main process. console: what is said there."""

    def __init__(self, program: InstallationProgram, console: ConsoleProgram) -> None:
        self.program = program
        self.console = console

    @property
    def arm(self) -> Path:
        """The ring of the arm's reports."""
        return self.program.directory / f"motion_{ARM}.ring"

    def hand(self, operator: ScriptedOperator) -> Path:
        """The ring of an operator's right hand."""
        return self.program.directory / f"hand_{operator.paired.session}_right.ring"

    @asynccontextmanager
    async def operator(self, relay: UdpRelay) -> AsyncIterator[ScriptedOperator]:
        """Somebody who pairs by a code of the console, and is linked through the relay."""
        async with ScriptedOperator(await self.console.code(), relay) as operator:
            yield operator

    async def loop_lag_ms(self) -> float:
        """How late the main process's loop is, the 99th percentile."""
        return float((await self.program.status())["health"]["loop_lag_ms_p99"])


@asynccontextmanager
async def driven_robot(folder: Path, seed: int) -> AsyncIterator[DrivenRobot]:
    """It runs until the body ends. Raises InstallationError if it does not start."""
    options = ("--phone-port", "0", "--seed", str(seed))
    async with (
        installation_program(folder, _ROBOT, *options) as program,
        console_program(program.record) as console,
    ):
        robot = DrivenRobot(program, console)
        await until(lambda: robot.arm.exists(), "the arm reports", STARTS_S)
        yield robot
