"""One lease's way in and out: what stands behind `async with registrar.request(...)`.

Entering asks and waits for the answer; leaving never waits for a tear-down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from framework.errors import LeaseError, ResourceUnavailable
from framework.interlock import Permit
from framework.registrar.keys import key_of, kind_of
from framework.registrar.lease import Lease
from framework.registrar.records import ClientLease
from framework.status import Priority, Status

if TYPE_CHECKING:
    from framework.registrar.shell import Shell


class Wishes(msgspec.Struct, frozen=True):
    """How a request is made."""

    at: str | None = None
    exclusive: bool = False
    priority: Priority = Priority.AUTONOMY
    wait: bool = False
    cancels: bool = True
    on_status: Callable[[Status], None] | None = None
    timeout_s: float | None = None
    who: str = ""
    permit: Permit | None = None


class Request:
    """One lease. Entering asks for it, leaving gives it back."""

    __slots__ = ("_for", "_instead_of", "_lease", "_provisional", "_request", "_shell", "_wishes")

    def __init__(
        self,
        shell: Shell,
        request: Any,
        wishes: Wishes,
        *,
        on_behalf_of: int | None = None,
        provisional: bool = False,
        instead_of: tuple[str, ...] = (),
    ) -> None:
        self._shell = shell
        self._request = request
        self._wishes = wishes
        self._for = on_behalf_of
        self._provisional = provisional
        self._instead_of = instead_of
        self._lease: Lease | None = None

    async def __aenter__(self) -> Lease:
        """Raises ResourceUnavailable, CircularDependency, RequestTypeError or RegistrarClosed."""
        if self._lease is not None:
            raise LeaseError(f"this request is held already, as {self._lease.id}: make another one")
        lease = self.prepare()
        await lease.shell.claims.obtain(lease, self._wishes.timeout_s)
        self.enter(lease)
        return lease

    def enter(self, lease: Lease) -> None:
        """It is granted: the body begins."""
        self._lease = lease
        lease.enter()

    def prepare(self) -> Lease:
        """The lease that is going to be asked for."""
        wishes = self._wishes
        request = self._request
        key_of(request)
        shell, life = self._shell.requester(self._for)
        task = asyncio.current_task()
        if task is None:
            raise ResourceUnavailable(
                f"{request!r} was requested outside of a task: request it in a coroutine"
            )
        parent = life.resource if life is not None else None
        held = ClientLease(
            shell.new_lease_id(),
            request,
            kind_of(type(request)),
            who=parent.first_client() if parent is not None else (self._wishes.who or shell.name),
            at=wishes.at,
            exclusive=wishes.exclusive,
            priority=wishes.priority,
            wait=wishes.wait,
            cancels=wishes.cancels,
            parent=parent,
            by_provider=life is not None and task is life.task,
            provisional=self._provisional,
            instead_of=self._instead_of,
            permit=wishes.permit,
        )
        return Lease(shell, held, task, life, wishes.on_status)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises ResourceFailed or Preempted if the resource has failed meanwhile."""
        lease, self._lease = self._lease, None
        if lease is None:
            return
        failure = lease.leave(error)
        lease.shell.claims.give_back(lease)
        if failure is not None:
            raise failure from error
