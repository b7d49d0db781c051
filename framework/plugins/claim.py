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
from framework.plugins.binding import NeedBinding
from framework.plugins.holder_words import who_has
from framework.plugins.need import NeedSpec
from framework.plugins.withheld import HeldAlone
from framework.registrar import Lease, ResourceRegistrar
from framework.registrar.keys import key_of
from framework.registrar.request_all import RequestAll
from framework.status import Priority, ReasonKind, Severity, Status

_REFUSALS = (ResourceUnavailable, ResourceFailed, Preempted)
_MOST_COMBINATIONS = 64


class Claim:
    """All bindings of one action.

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
        self.bindings = tuple(NeedBinding(need, requests, policy) for need, requests in needs.items())
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
    def lost(self) -> tuple[NeedBinding, ...]:
        """Bindings whose resource has failed or was taken, and matters."""
        return tuple(
            binding for binding in self.bindings if binding.lost is not None and not binding.need.optional
        )

    @property
    def to_blame(self) -> frozenset[Blame | None]:
        """Why what it does not have cannot be had."""
        return frozenset(
            each.to_blame for binding in self.bindings if binding.is_empty for each in binding.alternatives
        )

    @property
    def waits_for_word_or_others(self) -> bool:
        """Whether some of what it lacks needs an operator's word, and some may come back without one."""
        kinds = {
            each.to_blame.kind if each.to_blame is not None else None
            for binding in self.bindings
            if binding.is_empty
            for each in binding.alternatives
        }
        return ReasonKind.NEEDS_WORD in kinds and len(kinds) > 1

    @property
    def held_alone(self) -> tuple[HeldAlone, ...]:
        """What is held for the exclusive ones."""
        return tuple(
            HeldAlone(binding.taken.request, binding.lease.value)
            for binding in self.bindings
            if binding.need.exclusive and binding.taken is not None and binding.lease is not None
        )

    @property
    def handles(self) -> dict[str, Any]:
        """What is held, by the names of the needs; None where nothing is."""
        return {
            binding.need.name: None if binding.lease is None else binding.lease.value
            for binding in self.bindings
        }

    @property
    def is_incomplete(self) -> bool:
        """Whether something is to be asked for."""
        return any(binding.is_empty and not binding.need.optional for binding in self.bindings)

    @property
    def has_better(self) -> bool:
        """Whether something better is in hand."""
        return any(binding.better is not None for binding in self.bindings)

    async def acquire(self) -> None:
        """Fill every empty binding. Raises ResourceUnavailable that names each alternative and why not."""
        for binding in self.bindings:
            if binding.is_empty and not binding.need.exclusive:
                await self._take(binding)
        together = [binding for binding in self.bindings if binding.is_empty and binding.need.exclusive]
        wanted = [binding for binding in together if not binding.need.optional]
        if wanted:
            await self._take_together(wanted)
        for binding in together:
            if binding.need.optional:
                await self._take(binding)
        self.is_patient = False

    async def improve(self) -> None:
        """While the action runs: try better ones again until one is in hand; see to optional bindings."""
        while not self.has_better:
            self._stir.clear()
            now_s = self._clock.now_s()
            next_s = math.inf
            for binding in self.bindings:
                if binding.need.optional and binding.lost is not None:
                    await self._lose_optional(binding, now_s)
                if not binding.need.returns and not (binding.need.optional and binding.is_empty):
                    continue
                for alternative in by_preference(binding.better_ones, now_s):
                    if now_s >= alternative.retry_at_s and await self._try_better(binding, alternative):
                        if not binding.need.optional:
                            self._wake()
                            return
                        break
                next_s = min([next_s, *(each.retry_at_s for each in binding.better_ones)])
            try:
                async with asyncio.timeout(None if next_s == math.inf else max(next_s - now_s, 0.01)):
                    await self._stir.wait()
            except TimeoutError:
                continue

    async def move_to_better(self) -> list[tuple[NeedBinding, Alternative]]:
        """Exchange, now that the run has ended; returns the bindings and what they had before."""
        moved = []
        for binding in self.bindings:
            if binding.better is None:
                continue
            alternative, lease, context = binding.better
            old = binding.taken
            binding.better = None
            if not binding.need.exclusive:  # an exclusive lease was exchanged: it has gone already
                await binding.release()
            binding.bind(alternative, lease, context, self._clock.now_s())
            if old is not None:
                moved.append((binding, old))
        return moved

    async def give_back(self, *, exclusive_only: bool = False) -> None:
        """Give back everything, or what others wait for."""
        leases = [binding.lease for binding in self.bindings if binding.lease is not None]
        for lease in leases:  # first: what was taken together is given back together
            lease.lets_go(self._why, by_word=self._by_word)
        for binding in self.bindings:
            await binding.drop_better()
            if binding.need.exclusive or not exclusive_only:
                await binding.release()

    def lets_go(self, why: str, *, by_word: bool) -> None:
        """What is given back from now on is for this reason (`Lease.lets_go`)."""
        self._why, self._by_word = why, by_word
        if self._group is not None:
            self._group.lets_go(why, by_word=by_word)

    # -- one binding

    async def _take(self, binding: NeedBinding) -> None:
        while True:
            held = False
            for alternative in by_preference(binding.alternatives, self._clock.now_s()):
                try:
                    lease, context = await self._ask(alternative, exclusive=binding.need.exclusive)
                except _REFUSALS as error:
                    alternative.refused(error.why, self._clock.now_s(), blame_of(error))
                    held = held or isinstance(error, ResourceHeld)
                    continue
                binding.bind(alternative, lease, context, self._clock.now_s())
                return
            if binding.need.optional:
                return
            if not (held and self.is_patient):
                raise ResourceUnavailable(nothing_left(binding.need.name, binding.alternatives))
            await self.give_back(exclusive_only=True)  # nobody waits for an arm that waits for a camera
            self._told(f"waiting for {binding.need.name}: {binding.alternatives[0].why}")
            next_s = min(each.retry_at_s for each in binding.alternatives)
            await self._clock.sleep(max(next_s - self._clock.now_s(), 0.01))

    async def _ask(
        self, alternative: Alternative, *, exclusive: bool
    ) -> tuple[Lease, AbstractAsyncContextManager[Any]]:
        context = self._registrar.request(
            alternative.request,
            exclusive=exclusive,
            priority=self._priority,
            on_failure="tell",
            on_status=self._on_status,
            who=self._who,
            permit=self._permit,
        )
        return await context.__aenter__(), context

    async def _try_better(self, binding: NeedBinding, alternative: Alternative) -> bool:
        """Whether it is there again. For an optional binding it is taken at once, for others put by."""
        exchange = binding.need.exclusive and binding.lease is not None
        try:
            if exchange and binding.lease is not None:
                group = self._registrar.request_all(
                    alternative.request,
                    instead_of=(binding.lease,),
                    exclusive=True,
                    priority=self._priority,
                    on_failure="tell",
                    on_status=self._on_status,
                    who=self._who,
                    permit=self._permit,
                )
                (lease,) = await group.__aenter__()
                context: AbstractAsyncContextManager[Any] = group
            else:
                lease, context = await self._ask(alternative, exclusive=binding.need.exclusive)
        except _REFUSALS as error:
            alternative.refused(error.why, self._clock.now_s(), blame_of(error))
            return False
        if not binding.need.optional:
            binding.better = (alternative, lease, context)
            return True
        await binding.release()
        binding.bind(alternative, lease, context, self._clock.now_s())
        if binding.client is not None:
            binding.client.put(lease)
        return True

    async def _lose_optional(self, binding: NeedBinding, now_s: float) -> None:
        if binding.taken is not None and binding.lost is not None:
            binding.taken.failed(binding.lost.message, now_s, now_s - binding.since_s, blame_of(binding.lost))
        await binding.release()

    # -- all exclusive ones

    async def _take_together(self, bindings: list[NeedBinding]) -> None:
        """All or none, in the registrar's one order for everybody: two actions never wait for each other."""
        refused: dict[tuple[Alternative, ...], str] = {}
        while True:
            held: list[tuple[Alternative, ...]] = []
            held_by = ""
            combinations = [each for each in self._combinations(bindings) if each not in refused]
            if not combinations and not refused:
                raise ResourceUnavailable(_one_for_all(bindings))
            only = len(combinations) == 1 and not self._if_held
            for combination in combinations:
                try:
                    return await self._ask_together(bindings, combination, wait=only)
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
                    _refusal(bindings, refused)
                    or nothing_left(bindings[0].need.name, bindings[0].alternatives)
                )
            if self._if_held:
                raise ResourceUnavailable(f"{held_by}: {self._if_held}")
            try:
                return await self._ask_together(bindings, held[0], wait=True)
            except Preempted:
                continue
            except _REFUSALS as error:
                self._note(refused, held[0], error)

    def _combinations(self, bindings: list[NeedBinding]) -> Iterable[tuple[Alternative, ...]]:
        now_s = self._clock.now_s()
        choices = [
            [binding.queues_for]
            if binding.queues_for is not None
            else by_preference(binding.alternatives, now_s)
            for binding in bindings
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
        self, bindings: list[NeedBinding], combination: tuple[Alternative, ...], *, wait: bool
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
        for binding, alternative, lease in zip(bindings, combination, leases, strict=True):
            binding.bind(alternative, lease, group, now_s)

    # -- what is said about leases

    def _on_status(self, status: Status) -> None:
        binding = next(
            (binding for binding in self.bindings if binding.lease and binding.lease.id == status.lease_id),
            None,
        )
        if binding is None:
            self._on_other_status(status)
        elif status.severity is Severity.FATAL:
            binding.lost = status
            if not binding.need.optional:
                self._wake()
                return
            if binding.client is not None:
                binding.client.put(None)
            self._stir.set()
        elif status.severity is Severity.UPDATE:
            self.updated_at_s = self._clock.now_s()
            if binding.client is not None:
                binding.client.tell_change()
            self._wake()

    def _on_other_status(self, status: Status) -> None:
        """Of a lease that is only being asked for, or of a better one that is put by."""
        if status.reason.kind is ReasonKind.QUEUED and self._asking:
            self._told(f"{status.message} for {self._asking}")


def nothing_left(name: str, alternatives: Iterable[Alternative]) -> str:
    """Each alternative, and why it cannot be had; of an only one just why."""
    alternatives = tuple(alternatives)
    if len(alternatives) == 1 and alternatives[0].why:
        return alternatives[0].why
    said = "; ".join(f"{alternative}: {alternative.why or 'not tried'}" for alternative in alternatives)
    return f"nothing is left for {name}: {said}"


def _refusal(bindings: Iterable[NeedBinding], refused: Mapping[tuple[Alternative, ...], str]) -> str:
    """Each combination, and why it cannot be had; of an only one just why."""
    if all(len(binding.alternatives) == 1 for binding in bindings):
        return "; ".join(refused.values())
    return "; ".join(f"{' with '.join(map(str, each))}: {why}" for each, why in refused.items())


def _one_for_all(bindings: Iterable[NeedBinding]) -> str:
    """Every combination has the same request twice."""
    names = " and ".join(binding.need.name for binding in bindings)
    wanted = " or ".join(dict.fromkeys(str(each) for binding in bindings for each in binding.alternatives))
    return f"{names} cannot each have {wanted} alone, equal requests are one resource: say which is which"
