"""A lease whose resource may be absent. Its coming and going is an UPDATE, never a failure."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from framework.errors import CircularDependency, LeaseError, ResourceUnavailable
from framework.registrar.lease import Lease
from framework.registrar.records import ClientLease
from framework.registrar.request import Request, Wishes
from framework.status import Severity, Status

if TYPE_CHECKING:
    from framework.registrar.shell import Shell

#: An absent resource is asked for again after this long, doubling [s].
FIRST_RETRY_S = 0.2
LAST_RETRY_S = 30.0


class OptionalRequest:
    """A lease whose resource may be absent: `value` is None then, and UPDATE tells of coming and going.

    Its id is that of the real lease while there is one.
    """

    def __init__(self, shell: Shell, request: Any, wishes: Wishes, on_behalf_of: int | None) -> None:
        self._shell = shell
        self._request = request
        self._wishes = msgspec.structs.replace(wishes, cancels=False, on_status=None)
        self._told = wishes.on_status
        self._for = on_behalf_of
        self._keeper: _Keeper | None = None

    async def __aenter__(self) -> Lease:
        """Never raises because the resource is absent."""
        if self._keeper is not None:
            raise LeaseError(f"{self._request!r} is held already by this request: make another one")
        request = Request(self._shell, self._request, self._wishes, on_behalf_of=self._for)
        absent = request.prepare()
        task = asyncio.current_task()
        assert task is not None
        lease = Lease(absent.shell, absent.held, task, None, self._told)
        self._keeper = _Keeper(lease, self._request, self._wishes)
        await self._keeper.begin()
        return lease

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it back, if it was there."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            await keeper.end()


class _Keeper:
    """The task that holds an optional resource while it is there, and asks for it again while it is not."""

    def __init__(self, lease: Lease, request: Any, wishes: Wishes) -> None:
        self._lease = lease
        self._absent = lease.held
        parent = lease.held.parent
        self._number = parent.number if parent is not None else None
        # A circle through it comes about each time anew. Any other is the absent one's affair.
        self._for = lease.shell.core.label(parent) if parent is not None else ""
        self._request = request
        self._wishes = wishes
        self._known = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Come back when it is known whether the resource is there."""
        self._task = asyncio.create_task(self._keep())
        self._task.add_done_callback(self._over)
        try:
            await self._known
        except BaseException:
            await self.end()
            raise

    async def end(self) -> None:
        """Give it back."""
        self._lease.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _keep(self) -> None:
        shell = self._lease.shell
        pause_s = FIRST_RETRY_S
        while True:
            try:
                request = Request(shell, self._request, self._wishes, on_behalf_of=self._number)
                async with request as lease:
                    pause_s = FIRST_RETRY_S
                    self._change(lease.held, lease.value, "is there")
                    async for status in lease.statuses():
                        if status.severity is not Severity.FATAL:
                            self._lease.value = lease.value
                            self._lease.deliver(status, cancel=False)
                    lost = await lease.failed()
                    self._change(self._absent, None, f"is gone: {lost.message}")
            except ResourceUnavailable as error:
                if not self._known.done():
                    self._change(self._absent, None, f"is not there: {error}")
                if isinstance(error, CircularDependency) and self._for in error.circle:
                    raise
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LAST_RETRY_S)

    def _change(self, held: ClientLease, value: Any, text: str) -> None:
        """It has come or gone: an UPDATE here, and for whoever uses the resource this one is for."""
        lease = self._lease
        lease.held = held
        lease.value = value
        if not self._known.done():
            self._known.set_result(None)
            return
        message = f"{self._request} {text}"
        incident = lease.shell.core.incident()
        lease.deliver(Status(incident, Severity.UPDATE, message, lease.id), cancel=False)
        number = self._number
        if number is not None:
            lease.shell.happen(lambda core: core.conditions.changed(number, message))

    def _over(self, task: asyncio.Task[None]) -> None:
        """It is not asked for any more (a circle, a closed registrar): say so."""
        error = None if task.cancelled() else task.exception()
        if not self._known.done():
            self._known.set_exception(error) if error is not None else self._known.cancel()
        elif self._lease.is_open:
            self._change(self._absent, None, f"is gone for good: {error or 'its registrar is closing'}")
