"""One working device out of several: the best that works, the next when it fails, back when it can.

A `Selection` lives inside a provider. It holds one device at a time in a task of
its own; the provider stays up while the devices change beneath it, and whoever
uses it gets one UPDATE with the new handle, under the failure's own incident.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import msgspec

from framework.clock import Clock
from framework.errors import ResourceUnavailable, all_refused
from framework.registrar import Lease, Supply
from framework.status import Hop, Severity, Status
from resources.types.sensors import Device

#: A better device is looked for again after this long, doubling [s].
FIRST_LOOK_S = 1.0
LAST_LOOK_S = 30.0


class Candidates(msgspec.Struct, frozen=True):
    """Where a selection gets its devices from.

    in_order: names of what fits now, best first. changed: returns when a device
    has been plugged in, or released from its rest. picked, failed: keep the scores;
    `failed` gets the name, the reason and the failure's way.
    """

    in_order: Callable[[], Sequence[str]]
    changed: Callable[[], Awaitable[object]]
    picked: Callable[[str], None]
    failed: Callable[[str, str, tuple[Hop, ...]], None]


class Selection:
    """Keeps one of the candidates in hand.

    Args:
        what: how people call what is wanted, for messages.
        returns: whether to go back to a better device once that works again.
    """

    def __init__(
        self, what: str, candidates: Candidates, supply: Supply, clock: Clock, *, returns: bool
    ) -> None:
        self._what = what
        self._candidates = candidates
        self._supply = supply
        self._clock = clock
        self._returns = returns
        self._first: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Any]:
        """The first feed; later ones go out as UPDATE. Raises ResourceUnavailable if none works."""
        keeper = asyncio.create_task(self._keep(), name=f"selection of {self._what}")
        try:
            yield await self._first
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)

    async def _keep(self) -> None:
        lost: Status | None = None
        async with AsyncExitStack() as held:
            while True:
                try:
                    name, lease = await self._best(held, tuple(self._candidates.in_order()))
                except ResourceUnavailable as error:
                    self._give_up(error, lost)
                    return
                self._show(name, lease.value, lost)
                name, lost = await self._until_lost(held, name, lease)
                self._candidates.failed(name, lost.message, lost.hops)
                await held.aclose()

    async def _until_lost(self, held: AsyncExitStack, name: str, lease: Lease) -> tuple[str, Status]:
        """Hold on, going over to better devices when they work again, until the one in hand fails."""
        pause_s = FIRST_LOOK_S
        while True:
            failed = asyncio.ensure_future(lease.failed())
            changed = asyncio.ensure_future(self._changed_or_later(pause_s))
            try:
                waiting = {failed, changed} if self._returns else {failed}
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if failed.done():
                    return name, failed.result()
            finally:
                failed.cancel()
                changed.cancel()
            pause_s = min(2 * pause_s, LAST_LOOK_S)
            names = tuple(self._candidates.in_order())
            better = names[: names.index(name)] if name in names else ()
            if better:
                name, lease = await self._go_over(held, better, name, lease)

    async def _go_over(
        self, held: AsyncExitStack, better: Sequence[str], name: str, lease: Lease
    ) -> tuple[str, Lease]:
        """Start the better one, move over, stop the other one; stay with that if none of the better works."""
        async with AsyncExitStack() as fresh:
            try:
                better_name, better_lease = await self._best(fresh, better)
            except ResourceUnavailable:
                return name, lease
            old = held.pop_all()
            held.push_async_exit(fresh.pop_all())
        lost = lease.status if lease.status.severity is Severity.FATAL else None
        if lost is not None:
            # It failed while the better one was being started, which is its substitute now.
            self._candidates.failed(name, lost.message, lost.hops)
        self._show(better_name, better_lease.value, lost)
        await old.aclose()
        return better_name, better_lease

    async def _changed_or_later(self, pause_s: float) -> None:
        changed = asyncio.ensure_future(self._candidates.changed())
        later = asyncio.ensure_future(self._clock.sleep(pause_s))
        try:
            await asyncio.wait({changed, later}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()
            later.cancel()

    async def _best(self, held: AsyncExitStack, names: Sequence[str]) -> tuple[str, Lease]:
        """The first that can be had. Raises ResourceUnavailable that says of each why not."""
        refusals: list[ResourceUnavailable] = []
        words: list[str] = []
        for name in names:
            try:
                lease = await held.enter_async_context(self._supply.request(Device(name), on_failure="tell"))
            except ResourceUnavailable as error:
                refusals.append(error)
                words.append(error.message if name in error.message else f"{name}: {error.message}")
                self._candidates.failed(name, error.message, error.hops)
                continue
            self._candidates.picked(name)
            return name, lease
        if not refusals:
            raise ResourceUnavailable(f"the robot has no {self._what}")
        raise all_refused(refusals, words)

    def _show(self, name: str, feed: Any, lost: Status | None) -> None:
        if not self._first.done():
            self._first.set_result(feed)
        else:
            self._supply.update(feed, f"{self._what} now comes from {name}", because=lost)

    def _give_up(self, error: ResourceUnavailable, lost: Status | None) -> None:
        if not self._first.done():
            self._first.set_exception(error)
        elif lost is not None:
            is_the_same = lost.hops[:1] == error.hops[:1]  # where it came from, and what was said there
            self._supply.fail(error.message if is_the_same else f"{lost.message}; {error.message}")
        else:
            self._supply.fail(error.message)
