"""From a real SIGSTOP of a child to `on_status` of who has its process: how late that is known."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from framework.loop_lag import quantile
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from framework.registrar import ResourceRegistrar
from framework.status import ReasonKind, Severity, Status
from framework.transport.local import LocalTransport
from managers.process_manager import ProcessManager
from pilothouse.experiments.definition import Figures, Progress
from resources.types.processes import Process

SLOW: Final = "pilothouse.experiments.registrar.slow_worker:work"
"""What is stopped: a child each of whose turns takes some hundred ms of work, as drawing in software does."""

_BUSY: Final = (sys.executable, "-c", "while True: pass")
_HEALTHY_S: Final = (0.3, 1.0)  # so long it works before it is stopped


async def measure_hangs(progress: Progress, seed: int, *, stops: int = 50, busy: int = 0) -> Figures:
    """`hang_told_ms_p50`, `_p99`, `_max` [ms], and `false_alarms`: said of a child that only worked.

    stops: so many SIGSTOPs. busy: so many endless loops run beside, as processes.
    """
    random_ = random.Random(seed)
    transport = LocalTransport()
    client = ResourceRegistrar("client", transport)
    manager = ProcessManager(transport, ProcessLauncher(rng=random.Random(seed)))
    restart = RestartPolicy(first_s=0.02, longest_s=0.04, jitter=0.0, most=10 * stops)
    spec = ProcessSpec(python_child(SLOW), "slow", restart=restart)
    heard: asyncio.Queue[tuple[float, Status]] = asyncio.Queue()
    late_ms: list[float] = []
    false_alarms = 0
    progress.begin("children stopped", stops)

    def told(status: Status) -> None:
        heard.put_nowait((time.perf_counter(), status))

    async def loss() -> float:
        """When it is told next that it is lost (and being restarted); that it is unsteady is told besides."""
        told_s, status = await heard.get()
        while status.reason.kind is not ReasonKind.RETRYING:
            told_s, status = await heard.get()
        return told_s

    async def started_again() -> None:
        while (await heard.get())[1].severity is not Severity.UPDATE:
            pass

    with _busy_loops(busy):
        async with manager, client, client.request(Process(spec), on_status=told) as lease:
            while len(late_ms) < stops:
                try:
                    async with asyncio.timeout(random_.uniform(*_HEALTHY_S)):
                        await loss()
                    false_alarms += 1
                except TimeoutError:
                    stopped_s = time.perf_counter()
                    os.kill(lease.value.pid, signal.SIGSTOP)
                    late_ms.append(1e3 * (await loss() - stopped_s))
                    progress.step()
                await started_again()
    return {
        "hang_told_ms_p50": quantile(late_ms, 0.5),
        "hang_told_ms_p99": quantile(late_ms, 0.99),
        "hang_told_ms_max": max(late_ms),
        "false_alarms": false_alarms,
    }


@contextmanager
def _busy_loops(number: int) -> Iterator[None]:
    """What else there may be to do on this machine."""
    with ExitStack() as running:
        for _ in range(number):
            loop = running.enter_context(subprocess.Popen(_BUSY))
            running.callback(loop.kill)
        yield
