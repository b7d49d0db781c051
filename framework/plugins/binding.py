"""One need of an action that runs: its alternatives, and its lease. Asking for that is `claim.py`'s."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any

from framework.plugins.alternatives import Alternative, RunnerPolicy
from framework.plugins.client import Client, client_for
from framework.plugins.need import NeedSpec
from framework.registrar import Lease
from framework.status import Severity, Status


class NeedBinding:
    """One need: its alternatives, and the lease it is held with."""

    def __init__(self, need: NeedSpec, requests: Iterable[Any], policy: RunnerPolicy) -> None:
        self.need = need
        self.alternatives = tuple(Alternative(request, rank, policy) for rank, request in enumerate(requests))
        self.taken: Alternative | None = None
        self.lease: Lease | None = None
        self.lost: Status | None = None
        self.better: tuple[Alternative, Lease, AbstractAsyncContextManager[Any]] | None = None
        self.client: Client | None = None
        self.since_s = 0.0
        self.queues_for: Alternative | None = None
        self._context: AbstractAsyncContextManager[Any] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is held for it."""
        return self.lease is None

    def __str__(self) -> str:
        """What it holds, in words, with the device's name if the handle has one that says more."""
        device, words = self.device, str(self.taken)
        return f"{words} ({device})" if device and device.replace("_", " ") != words else words

    @property
    def device(self) -> str:
        """The name of the device that it holds; "" if that is none."""
        return getattr(self.lease.value, "device", "") if self.lease is not None else ""

    @property
    def better_ones(self) -> tuple[Alternative, ...]:
        """What it would rather have than what it has."""
        return self.alternatives[: len(self.alternatives) if self.taken is None else self.taken.rank]

    def bind(
        self, alternative: Alternative, lease: Lease, context: AbstractAsyncContextManager[Any], now_s: float
    ) -> None:
        """It is held from now on."""
        self.taken, self.lease, self._context, self.since_s = alternative, lease, context, now_s
        self.queues_for = None
        # A failure between the grant and now found nobody to tell.
        self.lost = lease.status if lease.status.severity is Severity.FATAL else None

    async def release(self) -> None:
        """Give it back. A group that was taken together is given back together; that is idempotent."""
        context, self._context = self._context, None
        self.lease, self.taken, self.lost = None, None, None
        if context is not None:
            await context.__aexit__(None, None, None)

    async def drop_better(self) -> None:
        """Give back what it was about to be exchanged for."""
        better, self.better = self.better, None
        if better is not None:
            await better[2].__aexit__(None, None, None)

    def new_client(self) -> Client:
        """The client for the next run."""
        request = self.taken.request if self.taken is not None else self.alternatives[0].request
        self.client = client_for(self.need.name, request, self.lease)
        return self.client
