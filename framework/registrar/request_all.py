"""Several leases or none, and the exchange of leases for others in one step.

All are reserved first, in one order that everybody uses, so two groups never
wait for each other; nobody is preempted and nothing given up before that.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from framework.errors import LeaseError, PilothouseError, ResourceUnavailable
from framework.registrar.keys import key_of, kind_of
from framework.registrar.lease import Lease
from framework.registrar.request import Request, Wishes

if TYPE_CHECKING:
    from framework.registrar.shell import Shell


class RequestAll:
    """All of several leases, or none; `instead_of` is given up in the same step."""

    def __init__(
        self,
        shell: Shell,
        requests: tuple[Any, ...],
        wishes: Wishes,
        instead_of: tuple[Lease, ...] = (),
    ) -> None:
        self._shell = shell
        self._requests = requests
        self._wishes = wishes
        self._instead_of = instead_of
        self._parts: list[Request] = []
        self._asked: Lease | None = None
        self._leases: list[Lease] = []

    async def __aenter__(self) -> tuple[Lease, ...]:
        """Reserve all, in one order that everybody uses, then take all.

        Nobody is preempted and no old lease is touched before all are reserved.
        """
        if self._parts:
            raise LeaseError("these requests are held already: make others")
        for lease in self._instead_of:
            if not lease.is_open:
                raise LeaseError(f"{lease!r} was left already: nothing can be had instead of it")
        if self._wishes.exclusive:
            _check_distinct(self._requests)
        old = tuple(lease.id for lease in self._instead_of)
        parts = [
            Request(self._shell, request, self._wishes, provisional=True, instead_of=old)
            for request in self._requests
        ]
        leases = [part.prepare() for part in parts]
        order = sorted(range(len(parts)), key=lambda i: _rank(self._requests[i]))
        asked = self._leases = []
        until_s = (
            self._shell.now_s() + timeout_s if (timeout_s := self._wishes.timeout_s) is not None else None
        )
        try:
            for i in order:
                self._asked = leases[i]
                self._asked.tell_if_lost(self._lost)
                asked.append(self._asked)
                await self._asked.shell.claims.obtain(self._asked, self._left_s(until_s))
                for lease in asked:
                    lease.check()
            await self._take(asked, until_s)
        except BaseException:
            for lease in reversed(asked):
                lease.close()
                lease.shell.claims.give_back(lease)
            raise
        for i in order:
            parts[i].enter(leases[i])
            self._parts.append(parts[i])
        return tuple(leases)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave all of them, the last one first, as nested `async with` would; raises the first failure."""
        first = error
        for part in reversed(self._parts):
            try:
                await part.__aexit__(kind, error, trace)
            except Exception as failure:
                kind, error, trace = type(failure), failure, failure.__traceback__
        self._parts.clear()
        if error is not None and error is not first:
            raise error

    def lets_go(self, why: str = "", *, by_word: bool) -> None:
        """It is about to be given up while it is being asked for; as of `Lease.lets_go`."""
        for lease in self._leases:
            lease.lets_go(why, by_word=by_word)

    def _left_s(self, until_s: float | None) -> float | None:
        """What is left of the patience of the whole group; None if each one's is as usual."""
        return None if until_s is None else max(0.0, until_s - self._shell.now_s())

    async def _take(self, leases: list[Lease], until_s: float | None) -> None:
        """All are reserved: take them, and give up what they replace, in one step."""
        for lease in leases:
            lease.await_anew()
            if (left_s := self._left_s(until_s)) is not None:
                lease.held.timeout_s = left_s
        for lease in leases:
            lease.shell.core.holding.commit_lease(lease.held)
        for lease in self._instead_of:
            lease.close()
            lease.shell.claims.give_back(lease)
        for lease in leases:
            lease.shell.run()
        for lease in leases:
            self._asked = lease
            await lease.decision()
        for lease in leases:
            lease.check()

    def _lost(self, error: PilothouseError) -> None:
        """One that was reserved already is lost while the next one is waited for."""
        if self._asked is not None:
            self._asked.give_up(error)


def _rank(request: Any) -> tuple[str, int, bytes]:
    """Where it comes in the one order that everybody asks in.

    What says more goes first: `Arm("left")` before `Arm()`, which takes whichever is left over, and would
    else take the left one away from its own group.
    """
    return kind_of(type(request)), -_said(request), key_of(request)[1]


def _said(request: Any) -> int:
    """How many of its fields say anything: what is left open is "", None or () everywhere."""
    return sum(map(bool, msgspec.structs.astuple(request)))


def _check_distinct(requests: tuple[Any, ...]) -> None:
    """Raises ResourceUnavailable if one of them would wait for its own group."""
    seen = set()
    for request in requests:
        key = key_of(request)
        if key in seen:
            raise ResourceUnavailable(
                f"{request} is asked for twice, each time for itself alone, and equal requests are one "
                "resource: ask for it once, or say which other one is meant"
            )
        seen.add(key)
