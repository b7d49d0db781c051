"""The column "sub-resource": a process under a resource of another registrar, which clients hold."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, ClassVar

import msgspec

from framework.processes.spec import ProcessSpec
from framework.processes.supervise import AdoptionRecord, ChildProcess, Launcher, OnEvent
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Severity, Status
from framework.testing.children import Dies, Script
from managers.process_manager import ProcessManager
from resources.types.processes import Process
from tests.faults.stage import Stage
from tests.faults.subject import NOTICE_S, START_S, Outcome, Subject, kill


class Rig(msgspec.Struct, frozen=True):
    """A resource that stands on a process."""

    name: str = "rig"


class RaisesOnStop:
    """A launcher whose children raise when they are stopped, after they have been."""

    def __init__(self, inner: Launcher) -> None:
        self._inner = inner

    def adopt(
        self, spec: ProcessSpec, record: AdoptionRecord, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        return self._inner.adopt(spec, record, on_event=on_event)

    @asynccontextmanager
    async def launch(
        self, spec: ProcessSpec, *, on_event: OnEvent | None = None
    ) -> AsyncIterator[ChildProcess]:
        async with self._inner.launch(spec, on_event=on_event) as child:
            yield child
        raise OSError("the pipe could not be closed")


class SubResource(Subject):
    """A process (of the process manager) under a rig (of another registrar), which clients hold."""

    name = "sub-resource"
    stops_within_s = 2.0  # a second for SIGINT, one for SIGTERM
    is_abandoned = False
    BACK_S = 0.2 * 1.2 + START_S  # the first back-off with its jitter, and the start
    outcomes: ClassVar[dict[str, Outcome]] = {
        "start raises": Outcome((), 0.2 + NOTICE_S, words="no such device"),
        "start hangs": Outcome((), 2.0 + NOTICE_S, words="not ready within 2 s"),
        "dies in use": Outcome(("WARNING", "OK", "UPDATE"), substitute_s=BACK_S + NOTICE_S),
        "no heartbeat": Outcome(
            ("WARNING", "OK", "UPDATE"), 0.25 + NOTICE_S, substitute_s=0.25 + BACK_S + NOTICE_S
        ),
        "stale stream": Outcome(
            ("WARNING", "OK", "UPDATE"), 1.1 + NOTICE_S, substitute_s=1.1 + BACK_S + NOTICE_S
        ),
        "dependency fails while its parent starts": Outcome((), 0.8 + NOTICE_S, words="SIGKILL"),
        "flapping": Outcome(  # from the third time on it is unsteady, not well
            (*(("WARNING", "OK", "UPDATE") * 2), *(("WARNING", "WARNING", "UPDATE") * 3), "WARNING"),
            words="say retry now",
        ),
        "manager killed": Outcome(("FATAL",), words="process_manager is gone"),
    }

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.request = Rig()
        self._spec = ProcessSpec(("rig",), "rig", start_timeout_s=2.0, stale_after_s=1.0)
        self._settle_s = 0.0

    async def open(self) -> None:
        registrar = ResourceRegistrar("rig_manager", self.stage.transport, clock=self.stage.clock)
        registrar.provides(Rig)(self._rig)
        self._registrar: ResourceRegistrar = await self.stage.enter(registrar)
        await self.mend()

    @asynccontextmanager
    async def _rig(self, request: Rig, supply: Supply) -> AsyncIterator[Any]:
        def hear(status: Status) -> None:
            if status.severity is Severity.UPDATE:
                supply.update(process.value, because=status)

        async with self._registrar.request(Process(self._spec), on_status=hear) as process:
            await asyncio.sleep(self._settle_s)
            yield process.value

    async def begin(self, fault: str) -> None:
        launcher = self.stage.launcher
        match fault:
            case "start raises":
                launcher.set_script(
                    "rig", Script(0.2, dies_before_ready=True, last_words=("no such device",))
                )
            case "start hangs":
                launcher.set_script("rig", Script(None))
            case "dies in use":
                self._if_alive(lambda: launcher.life("rig").die())
            case "no heartbeat":
                self._if_alive(lambda: launcher.life("rig").hang())
            case "stale stream":
                self._if_alive(lambda: launcher.life("rig").go_stale())
            case "stop raises":
                self.stage.patch.setattr(self.stage.processes, "_launcher", RaisesOnStop(launcher))
            case "stop hangs":
                launcher.set_script("rig", Script(START_S, leaves_on=signal.SIGKILL))
            case "dependency fails while its parent starts":
                self._spec = msgspec.structs.replace(self._spec, restart=None)
                self._settle_s = 1.0
                launcher.set_script("rig", Script(START_S, acts=(Dies(0.3),)))
            case "flapping":
                launcher.set_script("rig", Script(0.1, acts=(Dies(0.1),)))
                self._if_alive(lambda: launcher.life("rig").die())
            case _:
                raise NotImplementedError(fault)

    async def mend(self) -> None:
        self._settle_s = 0.0
        self.stage.launcher.set_script("rig", Script(START_S))
        if self._manager_is_dead():
            stage = self.stage
            stage.processes = await stage.enter(
                ProcessManager(stage.transport, stage.launcher, clock=stage.clock)
            )
        for resource in self.stage.processes.registrar.snapshot().resources:
            if resource.state == "needs a human":
                self.stage.processes.registrar.retry_now(resource.id)

    async def kill_manager(self) -> str:
        kill(self.stage, self.stage.processes.registrar)
        self.stage.launcher.kill_owner()
        return "process_manager"

    def is_substitute(self, before: Any, after: Any) -> bool:
        return bool(after.pid > before.pid)

    def check(self, fault: str) -> None:
        if fault == "flapping":
            (process,) = self.stage.processes.registrar.snapshot().resources
            assert process.state == "needs a human"
            assert len(self.stage.launcher.lives["rig"]) == 1 + 5

    def _manager_is_dead(self) -> bool:
        return self.stage.processes.registrar not in self.stage.registrars

    def _if_alive(self, hurt: Callable[[], None]) -> None:
        if "rig" in self.stage.launcher.running:
            hurt()
