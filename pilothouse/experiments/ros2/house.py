"""The managers that a ROS 2 robot stands on, without the rest of an installation; other people's programs."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import ResourceUnavailable
from framework.plugins.client import client_for
from framework.processes.emergency import EmergencyStop
from framework.processes.launcher import ProcessLauncher
from framework.registrar import Lease, ResourceRegistrar
from framework.transport.local import LocalTransport
from framework.transport.run_directory import RunDirectory
from managers.process_manager import ProcessManager
from managers.ros_manager import RosManager
from resources.robots.description import RosDescription
from resources.types.ros import RosDomain, RosDomainHandle

DOMAIN: Final = 101
"""Nobody else's, on loopback: what is measured here disturbs no robot."""

_BEAT_S: Final = 0.05
_FAR_SIDE: Final = Path(__file__).with_name("far_side.py")


class House:
    """The managers, and who asks them.

    Attributes:
        registrar: whoever asks.
        domain: how other people's programs join.
    """

    def __init__(
        self, processes: ProcessManager, registrar: ResourceRegistrar, domain: RosDomainHandle
    ) -> None:
        self.processes = processes
        self.registrar = registrar
        self.domain = domain
        self._started: list[subprocess.Popen[bytes]] = []

    @asynccontextmanager
    async def held(self, request: Any, **wishes: Any) -> AsyncIterator[Any]:
        """A client of it."""
        async with self.registrar.request(request, **wishes) as lease:
            client = client_for(str(request), request, lease)
            try:
                yield client
            finally:
                client.end()

    def pid(self, name: str) -> int:
        """Of a process of ours."""
        return next(each.pid for each in self.processes.processes() if each.name == name)

    def run(self, part: str, *arguments: object) -> subprocess.Popen[bytes]:
        """Start a part of the far side."""
        program = [self.domain.python, "-P", str(_FAR_SIDE), part]
        started = subprocess.Popen(
            [*program, *map(str, arguments)],
            env={**os.environ, **dict(self.domain.env)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None,
        )
        self._started.append(started)
        return started

    async def measured(self, part: str, *arguments: object) -> list[float]:
        """What a part of the far side has measured [s]. Raises ResourceUnavailable if it has not."""
        program = self.run(part, *arguments)
        told, _ = await asyncio.to_thread(program.communicate)
        if program.returncode or not told.strip():
            raise ResourceUnavailable(
                f"the far side's {part!r} measured nothing (exit code {program.returncode})"
            )
        return [took / 1e9 for took in msgspec.json.decode(told.strip().splitlines()[-1], type=list[int])]

    def end(self, *programs: subprocess.Popen[bytes]) -> None:
        """Parts of the far side, or all of it."""
        for program in programs or tuple(self._started):
            with suppress(ProcessLookupError):
                program.kill()
            program.wait()
            assert program.stdout is not None
            program.stdout.close()


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    """A new one. Raises ResourceUnavailable, with what to do, without rclpy."""
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(RunDirectory.create())
        emergency = EmergencyStop.create(directory.path)
        stack.callback(emergency.close)
        beating = asyncio.create_task(_beat(emergency))
        stack.callback(beating.cancel)
        transport = LocalTransport()
        processes = await stack.enter_async_context(
            ProcessManager(transport, ProcessLauncher(rng=random.Random(0)))
        )
        described = RosDescription(domain=DOMAIN)
        await stack.enter_async_context(RosManager(transport, described, directory.path))
        registrar = await stack.enter_async_context(ResourceRegistrar("experiment", transport))
        domain: Lease = await stack.enter_async_context(registrar.request(RosDomain()))
        home = House(processes, registrar, domain.value)
        stack.callback(home.end)
        yield home


async def _beat(emergency: EmergencyStop) -> None:
    while True:
        emergency.beat(time.monotonic())
        await asyncio.sleep(_BEAT_S)
