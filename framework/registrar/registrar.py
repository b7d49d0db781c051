"""The registrar people use. It moves nothing itself: `shell.py` does, and `core.py` decides."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from framework.clock import Clock
from framework.errors import RequestTypeError, ResourceUnavailable
from framework.interlock import Interlock, Permit
from framework.registrar import snapshot as snapshots
from framework.registrar.asking import request_of
from framework.registrar.core import CorePolicy
from framework.registrar.journal import Journal
from framework.registrar.keys import checked_type
from framework.registrar.lease import Lease
from framework.registrar.provider_task import Provider, takes_supply
from framework.registrar.records import ProviderPolicy
from framework.registrar.request import Wishes
from framework.registrar.request_all import RequestAll
from framework.registrar.shell import Shell
from framework.registrar.snapshot import Snapshot
from framework.status import Priority, Severity, Status
from framework.transport.interface import Transport

P = TypeVar("P", bound=Provider)


class ResourceRegistrar:
    """Provides resources and requests them; every manager has one, so has every action runner.

    An async context manager: leaving it releases and stops everything it holds.

    Args:
        name: unique among those who meet at `transport`.
        transport: where registrars meet.
        clock: time; the running loop's by default.
        catalog: a file that lets leases survive `kill -9` of this process.
        policy: time-outs of the registrar as a whole.
        interlock: what moves by itself is granted only with its permit; one object for all registrars of an
            installation. Without one, exclusiveness and priority alone decide.
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        *,
        clock: Clock | None = None,
        catalog: Path | None = None,
        policy: CorePolicy | None = None,
        interlock: Interlock | None = None,
    ) -> None:
        self._shell = Shell(name, transport, clock, catalog, policy, interlock)

    @property
    def name(self) -> str:
        """Its name at the transport."""
        return self._shell.name

    @property
    def journal(self) -> Journal:
        """What it did: every grant, refusal, preemption, stop and restart."""
        return self._shell.journal

    def __repr__(self) -> str:
        return f"<ResourceRegistrar {self.name}>"

    def provides(
        self,
        request_type: type,
        *,
        start_timeout_s: float = 10.0,
        stop_timeout_s: float = 5.0,
        safe_stop_timeout_s: float = 1.0,
        preempt_grace_s: float = 1.0,
    ) -> Callable[[P], P]:
        """Decorate an async context manager `(request)` or `(request, supply)`: one resource's life.

        Raises RequestTypeError if values of the type cannot name shared resources,
        or if the type is provided here already.
        """
        checked_type(request_type)
        if request_type in self._shell.provider_tasks.providers:
            raise RequestTypeError(f"{self.name} provides {request_type.__qualname__} already")
        policy = ProviderPolicy(start_timeout_s, stop_timeout_s, safe_stop_timeout_s, preempt_grace_s)

        def decorate(provider: P) -> P:
            try:
                with_supply = takes_supply(provider)
            except TypeError as error:
                raise RequestTypeError(str(error)) from error
            self._shell.provide(request_type, provider, with_supply, policy)
            return provider

        return decorate

    def request(
        self,
        request: Any,
        *,
        at: str | None = None,
        exclusive: bool = False,
        priority: Priority = Priority.AUTONOMY,
        wait: bool = False,
        on_failure: Literal["cancel", "tell"] = "cancel",
        on_status: Callable[[Status], None] | None = None,
        optional: bool = False,
        timeout_s: float | None = None,
        who: str = "",
        permit: Permit | None = None,
    ) -> AbstractAsyncContextManager[Lease]:
        """Ask for a resource; use as `async with registrar.request(...) as lease`.

        Inside a provider this is a dependency: it is held with the highest
        priority of the resource's own clients, whatever `priority` says.

        Args:
            at: the registrar to ask; by default whoever provides the type.
            exclusive: ask for the write token, which one lease at a time has.
            wait: queue for it instead of being refused.
            on_failure: "cancel" ends the body with ResourceFailed or Preempted; "tell" only tells.
            on_status: called with each status, on the loop.
            optional: its absence or failure is an UPDATE, with `value` None.
            timeout_s: how long an answer is waited for; by default 30 s, when queueing an hour.
            who: for whom it is, in the words that others are told; by default the registrar's name.
            permit: of the plan for which it is (`framework.interlock`).

        Raises (on entering) ResourceUnavailable, CircularDependency, RequestTypeError,
        RegistrarClosed; (on leaving) ResourceFailed, Preempted.
        """
        return request_of(
            self._shell,
            None,
            request,
            at,
            exclusive,
            priority,
            wait,
            on_failure,
            on_status,
            optional,
            timeout_s,
            who,
            permit,
        )

    def request_all(
        self,
        *requests: Any,
        instead_of: tuple[Lease, ...] = (),
        at: str | None = None,
        exclusive: bool = False,
        priority: Priority = Priority.AUTONOMY,
        wait: bool = False,
        on_failure: Literal["cancel", "tell"] = "cancel",
        on_status: Callable[[Status], None] | None = None,
        timeout_s: float | None = None,
        who: str = "",
        permit: Permit | None = None,
    ) -> RequestAll:
        """All of these or none, in the order given, within `timeout_s` altogether. `instead_of` is
        exchanged for them in one step: if one cannot be had, the old leases were never disturbed."""
        cancels = on_failure == "cancel"
        wishes = Wishes(at, exclusive, priority, wait, cancels, on_status, timeout_s, who, permit)
        return RequestAll(self._shell, requests, wishes, tuple(instead_of))

    def snapshot(self) -> Snapshot:
        """All resources, leases and dependencies as they are now."""
        return snapshots.take(self._shell.core)

    def retry_now(self, resource_id: str) -> None:
        """Have a retrying resource try at once. Raises ResourceUnavailable if there is none of that id."""
        _, _, number = resource_id.rpartition("/")
        if not number.isdigit() or not self._shell.core.conditions.retry(int(number)):
            known = ", ".join(f"{self.name}/{number}" for number in self._shell.core.resources) or "none"
            raise ResourceUnavailable(f"{resource_id!r} is nothing that could be retried; up are {known}")
        self._shell.run()

    def fail(self, resource_id: str, message: str) -> None:
        """Make a resource fail: an injected fault. Raises ResourceUnavailable if there is none of that id."""
        _, _, number = resource_id.rpartition("/")
        resources = self._shell.core.resources
        if not number.isdigit() or int(number) not in resources:
            known = ", ".join(f"{self.name}/{number}" for number in resources) or "none"
            raise ResourceUnavailable(f"there is no resource {resource_id!r}; there are {known}")
        self._shell.happen(lambda core: core.conditions.report(int(number), Severity.FATAL, message))

    async def __aenter__(self) -> ResourceRegistrar:
        self._shell.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Everybody is told, everything goes down, parents first; what hangs is abandoned in time."""
        await self._shell.leave()
