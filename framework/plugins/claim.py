"""What an action holds for its needs, from its first run to its end: asking, losing, exchanging, giving back.

Leases are held here, not by the body, so a body that never ends cannot keep them. Shared needs are asked for
first, one by one; then all exclusive ones together, all or none. It does not decide what a loss means for
the action: `runner.py` does.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from framework.clock import Clock
from framework.errors import PilothouseError, Preempted, ResourceFailed, ResourceHeld, ResourceUnavailable
from framework.interlock import Permit
from framework.phrasing import the
from framework.plugins.alternatives import Alternative, Blame, RunnerPolicy, blame_of, by_preference
from framework.plugins.held import who_has
from framework.plugins.need import NeedSpec
from framework.plugins.seat import Seat
from framework.plugins.withheld import HeldAlone
from framework.registrar import Lease, ResourceRegistrar
from framework.registrar.keys import key_of
from framework.registrar.request_all import RequestAll
from framework.status import Priority, Severity, Status

_REFUSALS = (ResourceUnavailable, ResourceFailed, Preempted)
_MOST_COMBINATIONS = 64


class Claim:
    """All seats of one action.

    Args:
        permit: in whose plan's name it asks.
        if_held: what to say besides if somebody else has it; then it does not queue. Empty: it does.
        told: called with words while it waits.
        wake: called when something was lost, or something better is there.
    """

    def __init__(
        self,
        needs: Mapping[NeedSpec, tuple[Any, ...]],
        registrar: ResourceRegistrar,
        priority: Priority,
        policy: RunnerPolicy,
        clock: Clock,
        *,
        who: str,
        permit: Permit,
        if_held: str = "",
        told: Callable[[str], None],
        wake: Callable[[], None],
    ) -> None:
        self.seats = tuple(Seat(need, requests, policy) for need, requests in needs.items())
        self._registrar = registrar
        self._who = who
        self._if_held = if_held
        self._priority = priority
        self._policy = policy
        self._clock = clock
        self._told = told
        self._wake = wake
        self._permit = permit
        self.updated_at_s = -math.inf
        self.is_patient = False
        self._asking = ""
        self._group: RequestAll | None = None
        self._why, self._by_word = "", False
        self._stir = asyncio.Event()

    @property
    def lost(self) -> tuple[Seat, ...]:
        """Seats whose resource has failed or was taken, and matters."""
        return tuple(seat for seat in self.seats if seat.lost is not None and not seat.need.optional)

    @property
    def to_blame(self) -> frozenset[Blame | None]:
        """Why what it does not have cannot be had."""
        return frozenset(each.to_blame for seat in self.seats if seat.is_empty for each in seat.alternatives)

    @property
    def held_alone(self) -> tuple[HeldAlone, ...]:
        """What is held for the exclusive ones."""
        return tuple(
            HeldAlone(seat.taken.request, seat.lease.value)
            for seat in self.seats
            if seat.need.exclusive and seat.taken is not None and seat.lease is not None
        )

    @property
    def handles(self) -> dict[str, Any]:
        """What is held, by the names of the needs; None where nothing is."""
        return {seat.need.name: None if seat.lease is None else seat.lease.value for seat in self.seats}

    @property
    def is_incomplete(self) -> bool:
        """Whether something is to be asked for."""
        return any(seat.is_empty and not seat.need.optional for seat in self.seats)

    @property
    def has_better(self) -> bool:
        """Whether something better is in hand."""
        return any(seat.better is not None for seat in self.seats)

    async def acquire(self) -> None:
        """Fill every empty seat. Raises ResourceUnavailable that names each alternative and why not."""
        for seat in self.seats:
            if seat.is_empty and not seat.need.exclusive:
                await self._take(seat)
        together = [seat for seat in self.seats if seat.is_empty and seat.need.exclusive]
        wanted = [seat for seat in together if not seat.need.optional]
        if wanted:
            await self._take_together(wanted)
        for seat in together:
            if seat.need.optional:
                await self._take(seat)
        self.is_patient = False

    async def improve(self) -> None:
        """While the action runs: try better ones again until one is in hand; see to optional seats."""
        while not self.has_better:
            self._stir.clear()
            now_s = self._clock.now_s()
            next_s = math.inf
            for seat in self.seats:
                if seat.need.optional and seat.lost is not None:
                    await self._lose_optional(seat, now_s)
                if not seat.need.returns and not (seat.need.optional and seat.is_empty):
                    continue
                for alternative in by_preference(seat.better_ones, now_s):
                    if now_s >= alternative.retry_at_s and await self._try_better(seat, alternative):
                        if not seat.need.optional:
                            self._wake()
                            return
                        break
                next_s = min([next_s, *(each.retry_at_s for each in seat.better_ones)])
            try:
                async with asyncio.timeout(None if next_s == math.inf else max(next_s - now_s, 0.01)):
                    await self._stir.wait()
            except TimeoutError:
                continue

    async def move_to_better(self) -> list[tuple[Seat, Alternative]]:
        """Exchange, now that the run has ended; returns the seats and what they had before."""
        moved = []
        for seat in self.seats:
            if seat.better is None:
                continue
            alternative, lease, grip = seat.better
            old = seat.taken
            seat.better = None
            if not seat.need.exclusive:  # an exclusive lease was exchanged: it has gone already
                await seat.rise()
            seat.sit(alternative, lease, grip, self._clock.now_s())
            if old is not None:
                moved.append((seat, old))
        return moved

    async def give_back(self, *, exclusive_only: bool = False) -> None:
        """Give back everything, or what others wait for."""
        leases = [seat.lease for seat in self.seats if seat.lease is not None]
        for lease in leases:  # first: what was taken together is given back together
            lease.lets_go(self._why, by_word=self._by_word)
        for seat in self.seats:
            await seat.drop_better()
            if seat.need.exclusive or not exclusive_only:
                await seat.rise()

    def lets_go(self, why: str, *, by_word: bool) -> None:
        """What is given back from now on is for this reason (`Lease.lets_go`)."""
        self._why, self._by_word = why, by_word
        if self._group is not None:
            self._group.lets_go(why, by_word=by_word)

    # -- one seat

    async def _take(self, seat: Seat) -> None:
        while True:
            held = False
            for alternative in by_preference(seat.alternatives, self._clock.now_s()):
                try:
                    lease, grip = await self._ask(alternative, exclusive=seat.need.exclusive)
                except _REFUSALS as error:
                    alternative.refused(error.why, self._clock.now_s(), blame_of(error))
                    held = held or isinstance(error, ResourceHeld)
                    continue
                seat.sit(alternative, lease, grip, self._clock.now_s())
                return
            if seat.need.optional:
                return
            if not (held and self.is_patient):
                raise ResourceUnavailable(nothing_left(seat.need.name, seat.alternatives))
            await self.give_back(exclusive_only=True)  # nobody waits for an arm that waits for a camera
            self._told(f"waiting for {seat.need.name}: {seat.alternatives[0].why}")
            next_s = min(each.retry_at_s for each in seat.alternatives)
            await self._clock.sleep(max(next_s - self._clock.now_s(), 0.01))

    async def _ask(
        self, alternative: Alternative, *, exclusive: bool
    ) -> tuple[Lease, AbstractAsyncContextManager[Any]]:
        grip = self._registrar.request(
            alternative.request,
            exclusive=exclusive,
            priority=self._priority,
            on_failure="tell",
            on_status=self._on_status,
            who=self._who,
            permit=self._permit,
        )
        return await grip.__aenter__(), grip

    async def _try_better(self, seat: Seat, alternative: Alternative) -> bool:
        """Whether it is there again. For an optional seat it is taken at once, for others put by."""
        exchange = seat.need.exclusive and seat.lease is not None
        try:
            if exchange and seat.lease is not None:
                group = self._registrar.request_all(
                    alternative.request,
                    instead_of=(seat.lease,),
                    exclusive=True,
                    priority=self._priority,
                    on_failure="tell",
                    on_status=self._on_status,
                    who=self._who,
                    permit=self._permit,
                )
                (lease,) = await group.__aenter__()
                grip: AbstractAsyncContextManager[Any] = group
            else:
                lease, grip = await self._ask(alternative, exclusive=seat.need.exclusive)
        except _REFUSALS as error:
            alternative.refused(error.why, self._clock.now_s(), blame_of(error))
            return False
        if not seat.need.optional:
            seat.better = (alternative, lease, grip)
            return True
        await seat.rise()
        seat.sit(alternative, lease, grip, self._clock.now_s())
        if seat.client is not None:
            seat.client.put(lease)
        return True

    async def _lose_optional(self, seat: Seat, now_s: float) -> None:
        if seat.taken is not None and seat.lost is not None:
            seat.taken.failed(seat.lost.message, now_s, now_s - seat.since_s, blame_of(seat.lost))
        await seat.rise()

    # -- all exclusive ones

    async def _take_together(self, seats: list[Seat]) -> None:
        """All or none, in the registrar's one order for everybody: two actions never wait for each other."""
        refused: dict[tuple[Alternative, ...], str] = {}
        while True:
            held: list[tuple[Alternative, ...]] = []
            held_by = ""
            combinations = [each for each in self._combinations(seats) if each not in refused]
            if not combinations and not refused:
                raise ResourceUnavailable(_one_for_all(seats))
            only = len(combinations) == 1 and not self._if_held
            for combination in combinations:
                try:
                    return await self._ask_together(seats, combination, wait=only)
                except _REFUSALS as error:
                    if isinstance(error, ResourceHeld | Preempted):
                        held.append(combination)
                        held_by = held_by or (
                            who_has(error) if isinstance(error, ResourceHeld) else error.why
                        )
                    else:
                        self._note(refused, combination, error)
            if not held:
                raise ResourceUnavailable(
                    _refusal(seats, refused) or nothing_left(seats[0].need.name, seats[0].alternatives)
                )
            if self._if_held:
                raise ResourceUnavailable(f"{held_by}: {self._if_held}")
            try:
                return await self._ask_together(seats, held[0], wait=True)
            except Preempted:
                continue
            except _REFUSALS as error:
                self._note(refused, held[0], error)

    def _combinations(self, seats: list[Seat]) -> Iterable[tuple[Alternative, ...]]:
        now_s = self._clock.now_s()
        choices = [
            [seat.queues_for] if seat.queues_for is not None else by_preference(seat.alternatives, now_s)
            for seat in seats
        ]
        for combination in itertools.islice(itertools.product(*choices), _MOST_COMBINATIONS):
            if len({key_of(each.request) for each in combination}) == len(combination):
                yield combination

    def _note(
        self,
        refused: dict[tuple[Alternative, ...], str],
        combination: tuple[Alternative, ...],
        error: PilothouseError,
    ) -> None:
        why = error.why
        for alternative in combination:
            alternative.refused(why, self._clock.now_s(), blame_of(error))
        refused[combination] = why

    async def _ask_together(
        self, seats: list[Seat], combination: tuple[Alternative, ...], *, wait: bool
    ) -> None:
        group = self._registrar.request_all(
            *(alternative.request for alternative in combination),
            exclusive=True,
            priority=self._priority,
            wait=wait,
            on_failure="tell",
            on_status=self._on_status,
            who=self._who,
            permit=self._permit,
        )
        self._asking, self._group = " and ".join(the(str(each)) for each in combination), group
        try:
            leases = await group.__aenter__()
        finally:
            self._asking, self._group = "", None
        now_s = self._clock.now_s()
        for seat, alternative, lease in zip(seats, combination, leases, strict=True):
            seat.sit(alternative, lease, group, now_s)

    # -- what is said about leases

    def _on_status(self, status: Status) -> None:
        seat = next((seat for seat in self.seats if seat.lease and seat.lease.id == status.lease_id), None)
        if seat is None:
            self._on_other_status(status)
        elif status.severity is Severity.FATAL:
            seat.lost = status
            if not seat.need.optional:
                self._wake()
                return
            if seat.client is not None:
                seat.client.put(None)
            self._stir.set()
        elif status.severity is Severity.UPDATE:
            self.updated_at_s = self._clock.now_s()
            if seat.client is not None:
                seat.client.tell_change()
            self._wake()

    def _on_other_status(self, status: Status) -> None:
        """Of a lease that is only being asked for, or of a better one that is put by."""
        if status.severity is Severity.OK and self._asking:
            self._told(f"{status.message} for {self._asking}")


def nothing_left(name: str, alternatives: Iterable[Alternative]) -> str:
    """Each alternative, and why it cannot be had; of an only one just why."""
    alternatives = tuple(alternatives)
    if len(alternatives) == 1 and alternatives[0].why:
        return alternatives[0].why
    said = "; ".join(f"{alternative}: {alternative.why or 'not tried'}" for alternative in alternatives)
    return f"nothing is left for {name}: {said}"


def _refusal(seats: Iterable[Seat], refused: Mapping[tuple[Alternative, ...], str]) -> str:
    """Each combination, and why it cannot be had; of an only one just why."""
    if all(len(seat.alternatives) == 1 for seat in seats):
        return "; ".join(refused.values())
    return "; ".join(f"{' with '.join(map(str, each))}: {why}" for each, why in refused.items())


def _one_for_all(seats: Iterable[Seat]) -> str:
    """Every combination has the same request twice."""
    names = " and ".join(seat.need.name for seat in seats)
    wanted = " or ".join(dict.fromkeys(str(each) for seat in seats for each in seat.alternatives))
    return f"{names} cannot each have {wanted} alone, equal requests are one resource: say which is which"
