"""What a core's books should say, made anew from nothing: deadlines, marks, places, conditions, permits.

The core keeps all of this up to date by small steps, event by event; what is left out of one of them is found
here, long before anybody is hurt by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import xor
from typing import TYPE_CHECKING

import msgspec

from framework.interlock import Permit
from framework.registrar.heartbeats import _mark_of, _mark_of_served
from framework.registrar.records import ClientPhase, Resource, ResourceState, ServerLease, ServerPhase
from framework.registrar.timers import TimerKey, Timers

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore
    from tests.framework.registrar.simulated.node import Node

GONE = (ResourceState.FAILED, ResourceState.STOPPING)


class Deadlines(Timers):
    """A core's deadlines; each is set as late as its policy says, no sooner and no later."""

    def __init__(self, core: RegistrarCore) -> None:
        super().__init__()
        self._core = core

    def set(self, key: TimerKey, at_s: float, action: Callable[[], None]) -> None:
        """Also look whether it is the right one."""
        if (patience_s := _patience_s(self._core, *key)) is not None:
            left_s = at_s - self._core._clock_s()
            assert abs(left_s - patience_s) < 1e-6, f"{key} in {left_s} s, not in {patience_s} s"
        super().set(key, at_s, action)


def _patience_s(core: RegistrarCore, what: str, which: int | str) -> float | None:
    """How long is waited for it; None where no policy says so."""
    resource = core.resources.get(which) if isinstance(which, int) else None
    if resource is not None:
        policy = resource.policy
        return {
            "start": policy.start_timeout_s,
            "stop": policy.stop_timeout_s,
            "teardown": policy.stop_timeout_s,
            "succeed": policy.stop_timeout_s,
            "safe": policy.safe_stop_timeout_s,
            "grace": policy.preempt_grace_s,
        }.get(what)
    if what == "ask" and isinstance(which, str):
        held = core.holds[which]
        return core.policy.wait_timeout_s if held.wait else core.policy.request_timeout_s
    return {"reconfirm": core.policy.reconfirm_s, "reconnect": core.policy.reconnect_s}.get(what)


def check_reference(node: Node) -> None:
    """The books of one core, between two events, are what they would be if somebody wrote them anew."""
    core = node.core
    check_deadlines(core)
    check_marks(core)
    for key, resource in core.running.items():
        assert resource.key == key and (resource.running or resource.making_safe), f"{resource.label} is over"
    for resource in core.resources.values():
        check_access(resource)
        check_condition(resource)
        check_holds(resource)
        assert resource.state not in GONE or core.by_key.get(resource.key) is not resource


def check_deadlines(core: RegistrarCore) -> None:
    """Nothing is waited for without a deadline, and no deadline outlives what it is for."""
    expected = {*_deadlines_of_resources(core), *_deadlines_of_leases(core)}
    there = set(core.timers.pending(besides=("beat", "judge")))
    # Its predecessor was abandoned in time, and its device still moves: that has a deadline of its own.
    there -= {("succeed", number) for number, one in core.resources.items() if _waits_for_rest(core, one)}
    assert there == expected, f"deadlines too many: {there - expected}, missing: {expected - there}"


def _deadlines_of_resources(core: RegistrarCore) -> Iterator[TimerKey]:
    for number, resource in core.resources.items():
        if (
            resource.state is ResourceState.STARTING
            and resource.launched
            and not _waits_for_rest(core, resource)
        ):
            yield "start" if resource.running else "succeed", number
        if resource.running and resource.halting:
            yield "stop", number
        if resource.outliving and not resource.halting and resource.running:
            yield "teardown", number
        if resource.making_safe:
            yield "safe", number
        if resource.holder is not None and resource.holder.phase is ServerPhase.ENDED:
            yield "grace", number


def _waits_for_rest(core: RegistrarCore, resource: Resource) -> bool:
    predecessor = core.running.get(resource.key)
    return predecessor is not None and predecessor is not resource and not predecessor.running


def _deadlines_of_leases(core: RegistrarCore) -> Iterator[TimerKey]:
    for lease, served in core.leases.items():
        if not served.confirmed:
            yield "reconfirm", lease
    for lease, held in core.holds.items():
        if held.phase in (ClientPhase.SEEKING, ClientPhase.ASKED, ClientPhase.QUEUED) or (
            held.phase is ClientPhase.RESERVED and held.committing
        ):
            yield "ask", lease
        if held.is_awaited and held.phase is ClientPhase.GRANTED:
            yield "reconnect", lease
        if lease in core.peers.seeking:
            yield "seek", lease


def check_marks(core: RegistrarCore) -> None:
    """What the beats say of the leases with a peer is what is so."""
    if core.beat_s is None:
        return
    beats = core.heartbeats
    for name in {*beats._served_to, *(one.ask.client for one in core.leases.values())} - {core.name}:
        mine = [_mark_of_served(one) for one in core.leases.values() if one.ask.client == name]
        book = beats._served_to.get(name)
        assert (book.count, book.digest) == (len(mine), reduce(xor, mine, 0)) if book else not mine, name
    for name in {*beats._held_at, *(one.server for one in core.holds.values())} - {core.name, ""}:
        theirs = [one for one in core.holds.values() if one.server == name and one.sent is not None]
        marks = [_mark_of(one) for one in theirs]
        book = beats._held_at.get(name)
        assert (book.count, book.digest) == (len(marks), reduce(xor, marks, 0)) if book else not marks, name


def check_access(resource: Resource) -> None:
    """Holder and queue: who is in them, in which order, and where each has been told that it waits."""
    holder, queue = resource.holder, resource.queue
    assert resource.state not in GONE or (holder is None and not queue), f"{resource.label} is gone, but held"
    assert holder is None or (holder.exclusive and resource.leases.get(holder.id) is holder)
    assert holder not in queue and len(set(map(id, queue))) == len(queue)
    ranks = [(-served.priority, served.order) for served in queue]
    assert ranks == sorted(ranks), "not first come, first served"
    for number, served in enumerate(queue, 1):
        assert served.exclusive and resource.leases.get(served.id) is served
        assert served.phase is not ServerPhase.ENDED and served.phase is not ServerPhase.GRANTED
        blocker = _blocker(resource, served)
        if blocker is not None and served.phase is ServerPhase.QUEUED:
            assert served.place == (blocker.who, number), f"told {served.place}, waits for {blocker.who}"
        if blocker is not None and served.phase is ServerPhase.QUEUED and not served.ask.wait:
            raise AssertionError(f"{served.who} waits, who would not wait")
    for served in resource.leases.values():
        if served.exclusive and served.phase is ServerPhase.GRANTED:
            assert holder is served, f"{served.who} has {resource.label} without being its holder"


def _blocker(resource: Resource, served: ServerLease) -> ServerLease | None:
    ahead = [resource.holder] if resource.holder is not None else []
    ahead += resource.queue[: resource.queue.index(served)]
    for other in ahead:
        is_ended = other.phase is ServerPhase.ENDED
        if other.priority >= served.priority and not is_ended and other.id not in served.ask.instead_of:
            return other
    return None


def check_condition(resource: Resource) -> None:
    """It is well exactly if neither it nor anything that it holds has said otherwise."""
    if resource.state.is_up:
        is_unwell = resource.is_unwell or any(held.is_unwell for held in resource.holds.values())
        assert (resource.state is ResourceState.READY) is not is_unwell, (
            f"{resource.label} is {resource.state}, unwell: {is_unwell}"
        )


def check_holds(resource: Resource) -> None:
    """What it holds is held for whom it is up for, with their permit."""
    who, permit = _first_client(resource), _permit_of(resource)
    for held in resource.holds.values():
        if any(resource.counts):
            assert held.permit == permit, f"{held.request} is held with another permit than {resource.label}"
            assert not who or held.who == who, f"{held.request} is held for {held.who}, not for {who}"


def _first_client(resource: Resource) -> str:
    """Whose lease has the highest priority; of several the one that has had its own for longest."""
    live = [served for served in resource.leases.values() if served.phase is not ServerPhase.ENDED]
    return max(live, key=lambda served: served.priority).who if live else ""


def _permit_of(resource: Resource) -> Permit | None:
    """The one that is not paused, with the latest word; who only looks holds nothing still."""
    best: Permit | None = None
    for served in resource.leases.values():
        permit = served.permit
        if permit is None or served.phase is ServerPhase.ENDED:
            continue
        if permit.is_still and not served.exclusive:
            permit = msgspec.structs.replace(permit, is_still=False)
        if best is None or (best.is_suspended, -best.epoch) > (permit.is_suspended, -permit.epoch):
            best = permit
    return best
