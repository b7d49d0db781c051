"""From a failure to those who are told: a resource with a hundred clients, and a child that is killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from framework.loop_lag import quantile
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from framework.registrar import ResourceRegistrar, Supply
from framework.status import ReasonKind, Severity, Status
from framework.transport.local import LocalTransport
from managers.process_manager import ProcessManager
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.registrar.local import Wanted
from resources.types.processes import Process

CLIENTS: Final = 100
FAILURES: Final = 100
KILLS: Final = 60
VICTIMS: Final = 2
"""So many children are killed in turn, each while the other one restarts."""


async def measure_failures(progress: Progress, seed: int) -> Figures:
    """How late news is [ms], at the 99th percentile."""
    return {
        "notify_ms_p99": quantile(await _notify_ms(progress), 0.99),
        "child_death_ms_p99": quantile(await _child_death_ms(progress, seed), 0.99),
    }


async def _notify_ms(progress: Progress) -> list[float]:
    """From `supply.fail` to `on_status` of each of a hundred clients of one resource."""
    transport = LocalTransport()
    provider, client = ResourceRegistrar("provider", transport), ResourceRegistrar("client", transport)
    supplies: list[Supply] = []

    @provider.provides(Wanted)
    @asynccontextmanager
    async def wanted(request: Wanted, supply: Supply) -> AsyncIterator[int]:
        supplies.append(supply)
        yield request.number

    late_ms: list[float] = []
    progress.begin("a failure with a hundred clients", FAILURES)
    async with provider, client:
        for number in range(FAILURES):
            told_s: list[float] = []

            def told(status: Status, told_s: list[float] = told_s) -> None:
                if status.severity is Severity.FATAL:
                    told_s.append(time.perf_counter())

            async with AsyncExitStack() as leases:
                for _ in range(CLIENTS):
                    request = client.request(Wanted(number), on_failure="tell", on_status=told)
                    lease = await leases.enter_async_context(request)
                failed_s = time.perf_counter()
                supplies[-1].fail("as planned")
                await lease.failed()
            late_ms.extend(1e3 * (at_s - failed_s) for at_s in told_s)
            progress.step()
    if len(late_ms) != FAILURES * CLIENTS:
        raise AssertionError(f"{len(late_ms)} clients were told instead of {FAILURES * CLIENTS}")
    return late_ms


async def _child_death_ms(progress: Progress, seed: int) -> list[float]:
    """From `kill -9` of a real child to `on_status` of the client of its process resource."""
    transport = LocalTransport()
    late_ms: list[float] = []
    progress.begin("children killed", KILLS)
    client = ResourceRegistrar("client", transport)
    manager = ProcessManager(transport, ProcessLauncher(rng=random.Random(seed)))
    async with manager, client, asyncio.TaskGroup() as tasks:
        for number in range(VICTIMS):
            tasks.create_task(_kill_in_turn(client, number, late_ms, progress))
    return late_ms


async def _kill_in_turn(
    client: ResourceRegistrar, number: int, late_ms: list[float], progress: Progress
) -> None:
    restart = RestartPolicy(first_s=0.02, longest_s=0.04, jitter=0.0, most=10 * KILLS)
    target = "pilothouse.experiments.registrar.far_side:idle"
    spec = ProcessSpec(python_child(target), f"victim {number}", restart=restart)
    heard: asyncio.Queue[tuple[float, Status]] = asyncio.Queue()

    def told(status: Status) -> None:
        heard.put_nowait((time.perf_counter(), status))

    async with client.request(Process(spec), on_status=told) as lease:
        for _ in range(KILLS // VICTIMS):
            killed_s = time.perf_counter()
            os.kill(lease.value.pid, signal.SIGKILL)
            told_s, status = await heard.get()
            while status.reason.kind is not ReasonKind.RETRYING:
                told_s, status = await heard.get()
            late_ms.append(1e3 * (told_s - killed_s))
            while status.severity is not Severity.UPDATE:
                _, status = await heard.get()
            progress.step()
