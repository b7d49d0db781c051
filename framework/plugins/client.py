"""What an action holds for a need (`self.camera`): the handle's fields, and the methods of its kind.

A request type names its client (`client_type: ClassVar[type[Client]]`); without one it is this plain
`Client`. A client never outlives the run that it was made for: what a body that was given up still
sends with it is refused here, before the driver would refuse it too.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from framework.errors import LeaseError

if TYPE_CHECKING:
    from framework.registrar import Lease


class Client:
    """A held resource, as an action sees it. The fields of the handle are attributes.

    A client of an optional need is false while the resource is absent.
    """

    def __init__(self, name: str, lease: Lease | None) -> None:
        self._name = name
        self._lease = lease
        self._is_over = False
        self._changes: list[asyncio.Future[None]] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name}: {self._lease!r}>"

    def __bool__(self) -> bool:
        return not self._is_over and self._lease is not None and self._lease.value is not None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        handle = self.handle
        try:
            return getattr(handle, name)
        except AttributeError:
            fields = ", ".join(getattr(type(handle), "__struct_fields__", ())) or "none"
            raise AttributeError(
                f"{self._name} has no {name!r}: its handle is a {type(handle).__name__} with {fields}"
            ) from None

    @property
    def lease(self) -> Lease:
        """The lease. Raises LeaseError once the run it was for is over, or while it is absent."""
        if self._is_over:
            raise LeaseError(f"{self._name} was given back: this run of the action is over")
        if self._lease is None:
            raise LeaseError(f"{self._name} is optional and absent now: look first, `if self.{self._name}:`")
        return self._lease

    @property
    def handle(self) -> Any:
        """The handle as it is now; raises LeaseError as `lease` does."""
        lease = self.lease
        if lease.value is None:
            raise LeaseError(f"{self._name} is absent now: look first, `if self.{self._name}:`")
        return lease.value

    async def changed(self) -> None:
        """Wait until an UPDATE has brought another handle (of an optional need: until it comes or goes)."""
        change = asyncio.get_running_loop().create_future()
        self._changes.append(change)
        try:
            await change
        finally:
            self._changes.remove(change)

    def send(self, payload: bytes, *, given_s: float | None = None) -> None:
        """Command the resource; fenced with lease, generation, sequence and time.

        `given_s`: of a command that is passed on, when its first sender gave it (`sent_s` of `Lease.send`);
        by default now. Raises LeaseError if this run of the action is over or the resource is lost.
        """
        self.lease.send(payload, sent_s=given_s)

    # -- for the runner

    def put(self, lease: Lease | None) -> None:
        """The resource has come, gone, or been exchanged for another."""
        self._lease = lease
        self.tell_change()

    def tell_change(self) -> None:
        """The handle is another one now."""
        for change in self._changes:
            if not change.done():
                change.set_result(None)

    def end(self) -> None:
        """The run is over; nothing can be done with it any more."""
        self._is_over = True


def client_for(name: str, request: Any, lease: Lease | None) -> Client:
    """The client that a request's type names."""
    client_type = getattr(type(request), "client_type", Client)
    made: Client = client_type(name, lease)
    return made
