"""Those who ask for things: what becomes of it, and what each of them is told when."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from framework.errors import LeaseError, Preempted, RegistrarClosed, ResourceFailed, ResourceUnavailable
from framework.interlock import Permit
from framework.registrar import Lease, ResourceRegistrar
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind, Severity, Status
from pilothouse.testbed.histories.things import Request, Surroundings

_FATAL: Final = Severity.FATAL


class User:
    """Somebody who asks for something, or for several things at once, and what becomes of that."""

    def __init__(
        self,
        stage: Surroundings,
        registrar: ResourceRegistrar,
        requests: tuple[Request, ...],
        who: str,
        *,
        stays_s: float = 0.0,
        **wishes: Any,
    ) -> None:
        self.stage = stage
        self.who = who
        self.at = ""
        self.requests = requests
        self.priority: Priority = wishes.get("priority", Priority.AUTONOMY)
        self.wait: bool = wishes.get("wait", False)
        self.permit: Permit | None = wishes.get("permit")
        self.stays_s = stays_s
        self.leases: tuple[Lease, ...] = ()
        self.asked_s = stage.now_s
        self.has_s: float | None = None
        self.told_s: float | None = None
        self.over_s: float | None = None
        self.error: BaseException | None = None
        self.statuses: list[tuple[float, Status]] = []
        self.fatal: dict[str, int] = {}
        self._listening: list[asyncio.Task[None]] = []
        self._news: set[tuple[str, str, Severity, str]] = set()
        self._leaves = asyncio.Event()
        self._by_word = False
        self._wanted: Any = (
            registrar.request(requests[0], on_status=self._told, who=who, **wishes)
            if len(requests) == 1
            else registrar.request_all(*requests, on_status=self._told, who=who, **wishes)
        )
        self.task = asyncio.create_task(self._use(), name=who)

    @property
    def has_it(self) -> bool:
        """Whether it was given everything and has not been told that it lost any of it."""
        return (
            self.has_s is not None
            and self.over_s is None
            and self.told_s is None
            and not self._leaves.is_set()
        )

    @property
    def lease(self) -> Lease:
        """The one, or the first."""
        return self.leases[0]

    @property
    def waits(self) -> bool:
        """Whether nothing has come of it yet."""
        return self.has_s is None and self.over_s is None

    @property
    def reason(self) -> ReasonKind | None:
        """Why it was refused, or lost it."""
        match self.error:
            case ResourceUnavailable():
                return self.error.reason.kind
            case ResourceFailed() | Preempted():
                return self.error.status.reason.kind
            case _:
                return None

    @property
    def place(self) -> tuple[str, int] | None:
        """For whom it was told last that it waits, and at which place."""
        queued = [each.reason for _, each in self.statuses if each.reason.kind is ReasonKind.QUEUED]
        return (queued[-1].holder, queued[-1].place) if queued else None

    @property
    def hears_nothing_more(self) -> bool:
        """Whether all have come to their end who listen to what it had."""
        return all(each.done() for each in self._listening)

    def said(self, severity: Severity) -> list[Status]:
        """What it was told of this kind."""
        return [each for _, each in self.statuses if each.severity is severity]

    def leave(self, *, by_word: bool = False, why: str = "") -> None:
        """It has done what it wanted; or gives up waiting."""
        self._by_word = by_word
        for lease in self.leases:
            lease.lets_go(why, by_word=by_word)
        self._leaves.set()
        if self.waits:
            self.task.cancel()

    def send(self, payload: bytes = b"go") -> None:
        """Command the first of what it has. Raises LeaseError."""
        self.lease.send(payload)

    def _told(self, status: Status) -> None:
        news = (status.lease_id, status.id, status.severity, status.message)
        if status.id and news in self._news:
            self.stage.broke(Breach.TOLD_TWICE, f"{self.who} is told twice of one thing: {status.message}")
        self._news.add(news)
        self.statuses.append((self.stage.now_s, status))
        if status.severity is Severity.FATAL:
            self.told_s = self.told_s if self.told_s is not None else self.stage.now_s
            times = self.fatal[status.lease_id] = self.fatal.get(status.lease_id, 0) + 1
            if times > 1:
                self.stage.broke(Breach.TOLD_TWICE, f"{self.who} is told twice of one end: {status.message}")

    async def _use(self) -> None:
        try:
            async with self._wanted as given:
                self.leases = (given,) if isinstance(given, Lease) else given
                self.has_s = self.stage.now_s
                hears = (self._reads, self._waits_for_its_end)
                self._listening = [
                    asyncio.create_task(each(lease)) for each in hears for lease in self.leases
                ]
                try:
                    await self._leaves.wait()
                finally:
                    if self.stays_s and not self._leaves.is_set():
                        await asyncio.sleep(self.stays_s)
        except (ResourceUnavailable, ResourceFailed, Preempted, RegistrarClosed) as error:
            self.error = error
        finally:
            self.over_s = self.stage.now_s

    async def _reads(self, lease: Lease) -> None:
        """Whoever reads a lease's statuses is told what its handler is told."""
        before = len([each for _, each in self.statuses if each.lease_id == lease.id])
        heard: list[Status] = []
        async for status in lease.statuses():
            heard.append(status)
        told = [each for _, each in self.statuses if each.lease_id == lease.id][before:]
        if heard != told:
            self.stage.broke(Breach.UNTOLD, f"{self.who} reads {heard}, and is told {told}")

    async def _waits_for_its_end(self, lease: Lease) -> None:
        """Whoever waits for a lease's failure is told it, or that the lease was left without one."""
        failed: Status | None = None
        with suppress(LeaseError):
            failed = await lease.failed()
        fatal = [each for _, each in self.statuses if each.lease_id == lease.id and each.severity is _FATAL]
        if ([failed] if failed is not None else []) != fatal:
            self.stage.broke(Breach.UNTOLD, f"{self.who} waits for {failed}, and is told {fatal}")
