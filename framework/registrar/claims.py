"""The leases in this registrar's hands: asking for them, hearing of them, giving them back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from framework.errors import RegistrarClosed, unavailable
from framework.registrar import effects as fx
from framework.registrar.lease import Lease
from framework.status import ReasonKind, Status

if TYPE_CHECKING:
    from framework.registrar.shell import Shell


class Claims:
    """Every lease that is asked for or held, by its id."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._deliveries: list[tuple[Lease, Status, bool]] = []
        self.in_hand: dict[str, Lease] = {}

    async def obtain(self, lease: Lease, timeout_s: float | None) -> None:
        """Ask, and wait for the answer; nothing is left behind if that is cancelled."""
        shell = self._shell
        self.in_hand[lease.id] = lease
        shell.core.holding.ask(lease.held, timeout_s)
        shell.run()
        try:
            await lease.decision()
        except BaseException:
            lease.close()
            self.give_back(lease)
            raise

    def give_back(self, lease: Lease) -> None:
        """The body is over. Idempotent."""
        if self.in_hand.pop(lease.id, None) is not None:
            self._shell.core.holding.release(lease.id)
            self._shell.run()

    # -- what the core says

    def granted(self, effect: fx.Granted) -> None:
        """A lease is live, or reserved."""
        lease = self.in_hand.get(effect.held.id)
        if lease is not None:
            lease.value = effect.held.value
            lease.decide(None)

    def refused(self, effect: fx.Refused) -> None:
        """There will be no lease."""
        lease = self.in_hand.pop(effect.held.id, None)
        if lease is None:
            return
        status = effect.status
        if status.reason.kind is ReasonKind.CLOSED and self._shell.core.closed:
            lease.decide(RegistrarClosed(f"{status.message}: make the request before leaving it"))
        else:
            lease.decide(unavailable(status.message, status.hops, status.reason))

    def deliver(self, effect: fx.Deliver) -> None:
        """Something is said about a lease."""
        lease = self.in_hand.get(effect.held.id)
        if lease is None:
            return
        if not self._deliveries:
            asyncio.get_running_loop().call_soon(self._flush)
        self._deliveries.append((lease, effect.status, effect.cancel))

    def _flush(self) -> None:
        """Statuses reach leases from here only: a loop callback, never somebody's own stack."""
        deliveries, self._deliveries = self._deliveries, []
        for lease, status, cancel in deliveries:
            lease.deliver(status, cancel)
