"""The process manager: child processes as resources.

It provides `Process`: starting the child is loading the resource, the child's
death, hang or garbage is the resource's failure, its restarts are states that
clients see. How children are judged and restarted is in `framework.processes`.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import ProcessStartFailed, ResourceUnavailable
from framework.processes.child_events import (
    ChildEvent,
    ChildState,
    Failed,
    NeedsHuman,
    Ready,
    Retrying,
    Said,
    Updated,
)
from framework.processes.supervise import ChildProcess, Launcher
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Severity
from framework.transport.interface import Transport
from framework.transport.messages import Command
from managers.steadiness import CALM_S, Steadiness
from resources.types.processes import Process, ProcessHandle

#: In any other state a child's pid may be somebody else's by now.
ALIVE = (ChildState.STARTING, ChildState.READY, ChildState.DEGRADED, ChildState.STOPPING)


#: A calm is looked for so much after its end, to be on the safe side of rounding [s].
_ROUNDING_S = 0.01


class ProcessView(msgspec.Struct, frozen=True):
    """One child as it is now. device: that it serves, "" if it serves none."""

    name: str
    pid: int
    state: ChildState
    restarts: int
    device: str = ""

    @property
    def is_alive(self) -> bool:
        """Whether it can be reached: not while it waits to be started again."""
        return bool(self.pid) and self.state in ALIVE


class Restarted(msgspec.Struct, frozen=True):
    """A child runs again. reason: why that was needed; restarts: so many in all.

    in_a_row: so many without a calm between them. is_steady: not just now; it has been up for long by now.
    """

    name: str
    reason: str
    restarts: int
    in_a_row: int = 1
    is_steady: bool = False


class ProcessManager:
    """Starts children while somebody needs them.

    Args:
        transport: where the registrars of this installation meet.
        launcher: starts real children, or scripted ones in tests.
        restarted: called whenever a child runs again, and when one that kept failing has calmed.
    """

    def __init__(
        self,
        transport: Transport,
        launcher: Launcher,
        *,
        restarted: Callable[[Restarted], object] = lambda _: None,
        clock: Clock | None = None,
    ) -> None:
        self._launcher = launcher
        self._restarted = restarted
        self._reasons: dict[str, str] = {}
        self._steadiness: dict[str, Steadiness] = {}
        self._calming: dict[str, asyncio.TimerHandle] = {}
        self._clock = clock or LoopClock()
        self._children: dict[str, ChildProcess] = {}
        self.registrar = ResourceRegistrar("process_manager", transport, clock=clock)
        self.registrar.provides(Process, start_timeout_s=60.0, stop_timeout_s=10.0)(self._process)

    async def __aenter__(self) -> ProcessManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    def processes(self) -> tuple[ProcessView, ...]:
        """All children that run or are being restarted."""
        return tuple(
            ProcessView(name, child.pid, child.state, child.restarts, child.spec.device)
            for name, child in self._children.items()
        )

    def kill(self, name: str) -> None:
        """`kill -9`, as a fault. Raises ResourceUnavailable if no child of that name runs."""
        os.kill(self._child(name).pid, signal.SIGKILL)

    def send(self, name: str, payload: bytes) -> None:
        """Send a child a command from outside its leases, as a fault. Raises as `kill` does."""
        self._child(name).send(payload)

    def _child(self, name: str) -> ChildProcess:
        alive = sorted(each.name for each in self.processes() if each.is_alive)
        if name not in alive:
            raise ResourceUnavailable(f"no process {name!r} runs; running are {', '.join(alive) or 'none'}")
        return self._children[name]

    @asynccontextmanager
    async def _process(self, request: Process, supply: Supply) -> AsyncIterator[ProcessHandle]:
        spec = request.spec
        if spec.name in self._children:
            raise ResourceUnavailable(
                f"a process named {spec.name!r} runs already with other arguments: give it another name"
            )

        def forward(command: Command) -> None:
            child.send(command.payload)

        async with AsyncExitStack() as stack:
            launched = self._launcher.launch(spec, on_event=self._teller(spec.name, supply))
            try:
                child = await stack.enter_async_context(launched)
            except ProcessStartFailed as error:
                raise ResourceUnavailable(str(error)) from error
            self._children[spec.name] = child
            self._steadiness[spec.name] = Steadiness()
            self._steadiness[spec.name].up(self._clock.now_s())
            retrying = asyncio.create_task(
                self._retry_when_asked(child, supply), name=f"retry of {spec.name}"
            )
            try:
                supply.on_command(forward)
                yield ProcessHandle(spec.name, child.pid, child.handle)
            finally:
                retrying.cancel()
                del self._children[spec.name]
                self._reasons.pop(spec.name, None)
                del self._steadiness[spec.name]
                self._forget_calm(spec.name)

    def _teller(self, name: str, supply: Supply) -> Callable[[ChildEvent], None]:
        """What the machinery tells about a child, as statuses of its resource.

        Not `Lost`: what becomes of the child follows at once and says why, and nobody is to be told
        of one failure twice. Nor a failed start: that is raised, with the child's last words.
        """

        def tell(told: ChildEvent) -> None:
            match told:
                case Failed(message=message) if name in self._children:
                    supply.fail(f"{name}: {message}")
                case Retrying(reason=reason, next_attempt_s=next_attempt_s, tries=tries):
                    self._reasons[name] = reason
                    if name in self._steadiness:
                        self._steadiness[name].lost(self._clock.now_s())
                    supply.retrying(f"{name}: {reason}", next_attempt_s, tries)
                case NeedsHuman(what=what):
                    supply.needs_human(f"{name}: {what}")
                case Said(severity=severity, message=message):
                    supply.report(severity, f"{name}: {message}")
                case Ready(handle=handle, restarts=restarts) if restarts:
                    supply.update(ProcessHandle(name, self._pid(name), handle), f"{name} was restarted")
                    self._runs_again(name, supply, restarts)
                case Updated(handle=handle):
                    supply.update(ProcessHandle(name, self._pid(name), handle), f"{name} has changed")

        return tell

    def _runs_again(self, name: str, supply: Supply, restarts: int) -> None:
        """UPDATE stays with whoever asked for the process; how it is goes further up."""
        reason = self._reasons.pop(name, "")
        steadiness = self._steadiness.get(name)
        if steadiness is None:  # it was lost and restarted before anybody had it
            return
        steadiness.up(self._clock.now_s())
        if not steadiness.is_unsteady:
            supply.report(Severity.OK, f"{name} was restarted")
        else:
            often = f"started again {steadiness.in_a_row} times in a row"
            supply.unsteady(f"{name}: {often}, the last time because it {reason}")
            self._forget_calm(name)
            loop = asyncio.get_running_loop()
            self._calming[name] = loop.call_later(CALM_S + _ROUNDING_S, self._calm, name, supply, restarts)
        self._restarted(Restarted(name, reason, restarts, steadiness.in_a_row))

    def _calm(self, name: str, supply: Supply, restarts: int) -> None:
        """It may have been up for long enough since it was started last."""
        del self._calming[name]
        steadiness = self._steadiness[name]
        in_a_row = steadiness.in_a_row
        if steadiness.is_unsteady and steadiness.has_calmed(self._clock.now_s()):
            supply.report(Severity.OK, f"{name} is steady again")
            self._restarted(Restarted(name, "", restarts, in_a_row, is_steady=True))

    def _forget_calm(self, name: str) -> None:
        timer = self._calming.pop(name, None)
        if timer is not None:
            timer.cancel()

    async def _retry_when_asked(self, child: ChildProcess, supply: Supply) -> None:
        """Whoever says "retry now" ends the wait of the back-off, or for a human; what was is forgotten."""
        while True:
            await supply.retry_requested()
            self._steadiness[child.spec.name] = Steadiness()
            child.retry_now()

    def _pid(self, name: str) -> int:
        """Of the present life; 0 of a child that was lost and restarted before anybody had it."""
        return self._children[name].pid if name in self._children else 0
