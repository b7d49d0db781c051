"""A provider's voice, for the one resource it is providing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING, Any

from framework.registrar.asking import request_of
from framework.registrar.records import Incident, Resource, ResourceState
from framework.status import Severity, Status
from framework.transport.messages import Command

if TYPE_CHECKING:
    from framework.registrar.lease import Lease
    from framework.registrar.shell import Shell

log = logging.getLogger("pilothouse.registrar")


class Supply:
    """Given to providers that take a second argument. All methods may be called from any thread."""

    __slots__ = (
        "_device",
        "_loop",
        "_on_command",
        "_on_holder",
        "_resource",
        "_retry",
        "_safe_stop",
        "_shell",
        "generation",
        "holder",
    )

    def __init__(self, shell: Shell, resource: Resource) -> None:
        self._shell = shell
        self._resource = resource
        self._loop = asyncio.get_running_loop()
        self._safe_stop: Callable[[], Awaitable[object]] | None = None
        self._device = ""
        self._on_holder: Callable[[str, int], None] | None = None
        self._on_command: Callable[[Command], None] | None = None
        self._retry: asyncio.Event | None = None
        self.holder = ""
        self.generation = 0

    @property
    def resource_id(self) -> str:
        """The resource's id in snapshots."""
        return f"{self._shell.name}/{self._resource.number}"

    @property
    def is_suspended(self) -> bool:
        """Whether all that it is up for is paused: then a provider that moves for its clients rests."""
        permit = self._resource.permit
        return permit is not None and permit.is_suspended

    @property
    def is_patient(self) -> bool:
        """Whether a client that is to command this resource would wait for it: then a provider may queue
        for what it needs itself, with `wait=True`, and a long `start_timeout_s`."""
        return any(served.exclusive and served.ask.wait for served in self._resource.leases.values())

    def report(self, severity: Severity, message: str) -> None:
        """Say how the resource is, to every affected lease, hop by hop. FATAL fails it."""
        self._call(lambda core: core.conditions.report(self._resource.number, severity, message))

    def update(self, handle: object, message: str = "changed", *, because: Status | None = None) -> None:
        """UPDATE with a new handle. `because` is the failed dependency's status that a substitute
        answers: failure and substitute are then one incident for everyone above."""
        incident = None
        if because is not None:
            incident = Incident(because.id, because.severity, because.message, because.hops)
        self._call(lambda core: core.conditions.update(self._resource.number, handle, message, incident))

    def fail(self, message: str) -> None:
        """FATAL. Before `yield` it aborts the load; after, the provider goes on at `yield`."""
        self._call(lambda core: core.conditions.report(self._resource.number, Severity.FATAL, message))

    def retrying(self, reason: str, next_attempt_s: float, tries: int) -> None:
        """What was once ready is being restarted; the next attempt is at `next_attempt_s` on the clock."""
        self._condition(ResourceState.RETRYING, reason, next_attempt_s, tries)

    def unsteady(self, what: str) -> None:
        """It works, and has kept failing so far; `what` says how often. Until it is reported OK."""
        self._condition(ResourceState.UNSTEADY, what, None, 0)

    def needs_human(self, what: str) -> None:
        """It cannot go on by itself; `what` says what somebody has to do."""
        self._condition(ResourceState.NEEDS_HUMAN, what, None, 0)

    def declare_safe_stop(self, safe_stop: Callable[[], Awaitable[object]], *, device: str = "") -> None:
        """This resource moves: `safe_stop` brings it to rest whenever its commanding lease, which is the
        exclusive one, ends for whatever reason, before anybody else is let in. Call it before
        `yield`: who has been granted the resource earlier may end before it counts.

        device: what moves, by the name under which the motion interlock knows it; by default the request."""
        self._safe_stop, self._device = safe_stop, device
        if self._resource.state.is_up:
            self._call(lambda core: core.lifecycle.moves(self._resource.number, device))

    def on_command(self, carry_out: Callable[[Command], None]) -> None:
        """Have commands carried out, in order: of what moves the present exclusive holder's alone, of
        anything else those of all live leases.

        How fresh they must be is the driver's to judge (`framework.registrar.fencing.CommandGate`).
        """
        self._on_command = carry_out

    def on_holder(self, told: Callable[[str, int], None]) -> None:
        """Have `told(lease_id, generation)` called when the commanding lease changes ("" is nobody)."""
        self._on_holder = told

    async def retry_requested(self) -> None:
        """Wait until somebody says "retry now"."""
        if self._retry is None:
            self._retry = asyncio.Event()
        await self._retry.wait()
        self._retry.clear()

    def request(self, request: Any, **wishes: Any) -> AbstractAsyncContextManager[Lease]:
        """A dependency, from where contextvars do not reach (a plain thread, an executor).

        Takes what `ResourceRegistrar.request` takes. Enter it on the registrar's loop.
        """
        return request_of(self._shell, self._resource.number, request, **wishes)

    # -- for the shell

    @property
    def moves(self) -> bool:
        """Whether a safe stop was declared."""
        return self._safe_stop is not None

    @property
    def device(self) -> str:
        """What moves; "" where that is the request itself."""
        return self._device

    async def come_to_rest(self) -> None:
        """Run the declared safe stop."""
        if self._safe_stop is not None:
            await self._safe_stop()

    def held_by(self, lease: str, generation: int) -> None:
        """The commanding lease has changed."""
        self.holder = lease
        self.generation = generation
        if self._on_holder is not None:
            try:
                self._on_holder(lease, generation)
            except Exception:
                log.exception(
                    "%r: its on_holder raised; the books are as they should be", self._resource.request
                )

    def carry_out(self, command: Command) -> None:
        """A command of a live lease has come."""
        if self._on_command is not None:
            try:
                self._on_command(command)
            except Exception:
                log.exception("%r: a command was not carried out", self._resource.request)

    def retry_now(self) -> None:
        """Wake who waits in `retry_requested`."""
        if self._retry is None:
            self._retry = asyncio.Event()
        self._retry.set()

    def _condition(self, state: ResourceState, detail: str, next_attempt_s: float | None, tries: int) -> None:
        number = self._resource.number
        self._call(lambda core: core.conditions.condition(number, state, detail, next_attempt_s, tries))

    def _call(self, event: Callable[[Any], object]) -> None:
        try:
            here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            here = False
        if here:
            self._shell.happen(event)
        else:
            # Too late is no error: the loop has ended, and with it everybody who could be told.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._shell.happen, event)
