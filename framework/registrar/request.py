"""The client's side of a lease: what stands behind `async with registrar.request(...)`.

`Request` is one lease, `RequestAll` several or none, `OptionalRequest` one
whose absence is no failure. None of them ever waits for a tear-down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from framework.errors import ResourceUnavailable
from framework.registrar.keys import key_of, kind_of
from framework.registrar.lease import Lease
from framework.registrar.records import Held
from framework.status import Priority, Severity, Status

if TYPE_CHECKING:
    from framework.registrar.registrar import ResourceRegistrar

#: An absent optional resource is asked for again after this long, doubling [s].
FIRST_RETRY_S = 0.2
LAST_RETRY_S = 30.0


class Wishes(msgspec.Struct, frozen=True):
    """How a request is made."""

    at: str | None = None
    exclusive: bool = False
    priority: Priority = Priority.AUTONOMY
    wait: bool = False
    cancels: bool = True
    on_status: Callable[[Status], None] | None = None
    timeout_s: float | None = None


PLAIN = Wishes()


class Request:
    """One lease. Entering asks for it, leaving gives it back."""

    __slots__ = ("_for", "_instead_of", "_lease", "_provisional", "_registrar", "_request", "_wishes")

    def __init__(
        self,
        registrar: ResourceRegistrar,
        request: Any,
        wishes: Wishes,
        *,
        on_behalf_of: int | None = None,
        provisional: bool = False,
        instead_of: tuple[str, ...] = (),
    ) -> None:
        self._registrar = registrar
        self._request = request
        self._wishes = wishes
        self._for = on_behalf_of
        self._provisional = provisional
        self._instead_of = instead_of
        self._lease: Lease | None = None

    async def __aenter__(self) -> Lease:
        """Raises ResourceUnavailable, CircularDependency, RequestTypeError or RegistrarClosed."""
        wishes = self._wishes
        request = self._request
        key_of(request)
        registrar, parent, provider_task = self._registrar.requester(self._for)
        task = asyncio.current_task()
        if task is None:
            raise ResourceUnavailable(
                f"{request!r} was requested outside of a task: request it in a coroutine"
            )
        provisional, instead_of = self._provisional, self._instead_of
        if parent is not None and not provisional:
            provisional, instead_of = registrar.inherited(parent)
        held = Held(
            registrar.new_lease_id(),
            request,
            kind_of(type(request)),
            who=parent.first_client() if parent is not None else registrar.name,
            at=wishes.at,
            exclusive=wishes.exclusive,
            priority=wishes.priority,
            wait=wishes.wait,
            cancels=wishes.cancels,
            parent=parent,
            by_provider=task is provider_task,
            provisional=provisional,
            instead_of=instead_of,
        )
        lease = Lease(registrar, held, task, provider_task, wishes.on_status)
        self._lease = lease
        await registrar.obtain(lease, wishes.timeout_s)
        lease.enter()
        return lease

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises ResourceFailed or Preempted if the resource has failed meanwhile."""
        lease = self._lease
        if lease is None:
            return
        failure = lease.leave(error)
        lease.registrar.give_back(lease)
        if failure is not None:
            raise failure from error


class RequestAll:
    """All of several leases, or none; `instead_of` is given up in the same step."""

    def __init__(
        self,
        registrar: ResourceRegistrar,
        requests: tuple[Any, ...],
        wishes: Wishes,
        instead_of: tuple[Lease, ...] = (),
    ) -> None:
        self._registrar = registrar
        self._requests = requests
        self._wishes = wishes
        self._instead_of = instead_of
        self._entered: list[Request] = []

    async def __aenter__(self) -> tuple[Lease, ...]:
        """Reserve all, in one order that everybody uses, then take all.

        Nobody is preempted and no old lease is touched before all are reserved.
        """
        old = tuple(lease.id for lease in self._instead_of)
        parts = [
            Request(self._registrar, request, self._wishes, provisional=True, instead_of=old)
            for request in self._requests
        ]
        order = sorted(
            range(len(parts)), key=lambda i: (kind_of(type(self._requests[i])), key_of(self._requests[i])[1])
        )
        leases: dict[int, Lease] = {}
        try:
            for i in order:
                leases[i] = await parts[i].__aenter__()
                self._entered.append(parts[i])
            await self._registrar.take_all(tuple(leases.values()), self._instead_of, self._wishes.timeout_s)
        except BaseException as error:
            await self._leave(type(error), error, error.__traceback__)
            raise
        return tuple(leases[i] for i in range(len(parts)))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises the first failure among them."""
        failure = await self._leave(kind, error, trace)
        if failure is not None and failure is not error:
            raise failure

    async def _leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> BaseException | None:
        """Leave all of them, the last one first, as nested `async with` would."""
        for part in reversed(self._entered):
            try:
                await part.__aexit__(kind, error, trace)
            except Exception as failure:
                kind, error, trace = type(failure), failure, failure.__traceback__
        self._entered.clear()
        return error


class OptionalRequest:
    """A lease whose resource may be absent: `value` is None then, and UPDATE tells of coming and going."""

    def __init__(
        self, registrar: ResourceRegistrar, request: Any, wishes: Wishes, on_behalf_of: int | None
    ) -> None:
        self._registrar = registrar
        self._request = request
        self._wishes = msgspec.structs.replace(wishes, cancels=False, on_status=None)
        self._told = wishes.on_status
        self._for = on_behalf_of
        self._lease: Lease | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Lease:
        """Never raises because the resource is absent."""
        registrar, parent, provider_task = self._registrar.requester(self._for)
        task = asyncio.current_task()
        if task is None:
            raise ResourceUnavailable(
                f"{self._request!r} was requested outside of a task: request it in a coroutine"
            )
        key_of(self._request)
        held = Held(
            registrar.new_lease_id(),
            self._request,
            kind_of(type(self._request)),
            who=registrar.name,
            priority=self._wishes.priority,
            exclusive=self._wishes.exclusive,
            cancels=False,
        )
        self._lease = Lease(registrar, held, task, provider_task, self._told)
        first = asyncio.get_running_loop().create_future()
        number = parent.number if parent is not None else None
        self._keeper = asyncio.create_task(self._keep(registrar, number, first))
        try:
            await first
        except BaseException:
            self._keeper.cancel()
            raise
        return self._lease

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it back, if it was there."""
        if self._lease is not None:
            self._lease.close()
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)

    async def _keep(
        self, registrar: ResourceRegistrar, number: int | None, first: asyncio.Future[None]
    ) -> None:
        pause_s = FIRST_RETRY_S
        while True:
            try:
                async with Request(registrar, self._request, self._wishes, on_behalf_of=number) as lease:
                    pause_s = FIRST_RETRY_S
                    self._change(registrar, number, lease.value, lease.generation, "is there", first)
                    async for status in _with_failure(lease):
                        if status.severity is Severity.FATAL:
                            self._change(registrar, number, None, 0, f"is gone: {status.message}", first)
                        else:
                            self._pass(status, lease.value)
            except ResourceUnavailable as error:
                if not first.done():
                    self._change(registrar, number, None, 0, f"is not there: {error}", first)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LAST_RETRY_S)

    def _change(
        self,
        registrar: ResourceRegistrar,
        number: int | None,
        value: Any,
        generation: int,
        text: str,
        first: asyncio.Future[None],
    ) -> None:
        """It has come or gone: an UPDATE here, and for whoever uses the resource this one is for."""
        lease = self._lease
        assert lease is not None
        lease.held.value = value
        lease.held.generation = generation
        if not first.done():
            lease.value = value
            first.set_result(None)
            return
        message = f"{self._request!r} {text}"
        lease.deliver(Status(registrar.new_lease_id(), Severity.UPDATE, message, lease.id), cancel=False)
        if number is not None:
            registrar.happen(lambda core: core.serving.changed(number, message))

    def _pass(self, status: Status, value: Any) -> None:
        lease = self._lease
        assert lease is not None
        lease.held.value = value
        lease.deliver(msgspec.structs.replace(status, lease_id=lease.id), cancel=False)


async def _with_failure(lease: Lease) -> Any:
    async for status in lease.statuses():
        yield status
