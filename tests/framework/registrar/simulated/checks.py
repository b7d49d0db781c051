"""What has to hold: in one core after every event, and between all when nothing is on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.registrar.records import HeldPhase, LentPhase, Resource, ResourceState
from framework.registrar.snapshot import take

if TYPE_CHECKING:
    from tests.framework.registrar.simulated.node import Node
    from tests.framework.registrar.simulated.world import World


#: What the two sides of a lease may think of it when nothing is on its way.
AGREEING = {
    (LentPhase.PENDING, HeldPhase.ASKED),
    (LentPhase.PENDING, HeldPhase.QUEUED),
    (LentPhase.PENDING, HeldPhase.GRANTED),  # restored, to be reloaded
    (LentPhase.PENDING, HeldPhase.RESERVED),
    (LentPhase.QUEUED, HeldPhase.ASKED),  # it waits for one whose body is being ended anyway
    (LentPhase.QUEUED, HeldPhase.QUEUED),
    (LentPhase.QUEUED, HeldPhase.RESERVED),
    (LentPhase.RESERVED, HeldPhase.RESERVED),
    (LentPhase.GRANTED, HeldPhase.GRANTED),
    (LentPhase.GRANTED, HeldPhase.FAILED),  # failed on its client's own account, not left yet
    (LentPhase.RESERVED, HeldPhase.FAILED),
    (LentPhase.PENDING, HeldPhase.FAILED),
    (LentPhase.QUEUED, HeldPhase.FAILED),
    (LentPhase.ENDED, HeldPhase.FAILED),
}


def check_core(node: Node) -> None:
    """What has to hold in one core after every single event."""
    core = node.core
    for resource in core.resources.values():
        counts = [0, 0, 0]
        exclusive = 0
        for lent in resource.leases.values():
            assert core.leases[lent.id] is lent
            if lent.phase is not LentPhase.ENDED:
                counts[lent.priority] += 1
            if lent.phase is LentPhase.GRANTED:
                assert resource.state.is_up, f"{resource.label} is {resource.state}, but lent"
                exclusive += lent.exclusive
        assert counts == resource.counts
        assert exclusive <= 1, f"{resource.label} has two holders"
        if resource.state.is_up or resource.state is ResourceState.STARTING:
            assert resource.leases or resource.making_safe, f"{resource.label} is up for nobody"
            assert core.by_key.get(resource.key) is resource
        elif resource.state is ResourceState.STOPPING:
            assert not resource.leases
        if resource.running:
            assert core.running.get(resource.key) is resource
        for held in resource.holds.values():
            assert core.holds.get(held.id) is held
            if any(counts):
                assert held.priority == resource.priority, "a dependency has not followed its clients"
        if not resource.running:
            assert not resource.holds, f"{resource.label} is over and still holds something"
        if resource.state is ResourceState.FAILED:
            node.failed_at_s.setdefault(resource.number, node.world.now_s)
    for key, resource in core.by_key.items():
        assert core.resources.get(resource.number) is resource and resource.key == key
    for lent in core.leases.values():
        assert lent.resource.leases.get(lent.id) is lent


def check_stop(node: Node, resource: Resource) -> None:
    """What failed is stopped after everything above it, or when its patience is at an end."""
    if resource.state is ResourceState.FAILED:
        now_s = node.world.now_s
        waited_s = now_s - node.failed_at_s.get(resource.number, now_s)
        is_used = any(lent.ask.parent is not None for lent in resource.leases.values())
        assert not is_used or waited_s > resource.policy.stop_timeout_s - 1e-6, (
            f"{resource.label} stops first"
        )


def check_preemption(node: Node, lease: str) -> None:
    """Only somebody with a higher priority, who wants it in earnest, takes a lease away."""
    lent = node.core.leases.get(lease)
    if lent is not None and lent.resource.holder is lent:
        rivals = [other for other in lent.resource.queue if other.committed]
        assert any(other.priority > lent.priority for other in rivals), (
            f"{lent.ask.who} is thrown out for nobody"
        )


def check_settled(node: Node) -> None:
    """All deadlines have passed, and everything works: nothing is on its way up, down or out."""
    for resource in node.core.resources.values():
        assert resource.state.is_up or resource.state is ResourceState.FAILED, f"{resource.label} hangs"
        assert resource.state.is_up or not resource.running
        holder = resource.holder
        assert holder is None or holder.phase is not LentPhase.ENDED, "its grace has no end"
        assert holder is not None or not resource.queue, f"{resource.label} is free, and yet waited for"


def check_empty(world: World) -> None:
    """Nothing is left of anything."""
    for node in world.nodes.values():
        core = node.core
        assert take(core).is_empty, f"{node.name} is left with {take(core)}"
        assert not core.by_key and not core.running and not core.leases and not core.holds
        assert not core.timers.pending(besides=("beat", "judge")), core.timers.pending(besides=("beat",))
        assert not node.providers
        assert not node.catalog, f"the catalog of {node.name} still has {node.catalog}"
    assert not +world.running, f"still running: {+world.running}"


def check_books(world: World) -> None:
    """Nothing is on its way: both sides of every lease say the same, and nothing waits for itself."""
    check_agreement(world)
    _check_no_circle(world)


def check_agreement(world: World) -> None:
    """Nothing is on its way: both sides of every lease say the same."""
    lent = {i: (node, one) for node in world.nodes.values() for i, one in node.core.leases.items()}
    held = {i: (node, one) for node in world.nodes.values() for i, one in node.core.holds.items()}
    asked = {lease: one for lease, (_, one) in held.items() if one.sent is not None}
    dangling = {i: (one.resource.label, one.phase) for i, (_, one) in lent.items() if i not in asked}
    assert not dangling, f"lent, but not held: {dangling}"
    unknown = {i: (one.request, one.phase) for i, one in asked.items() if i not in lent}
    unknown = {i: (what, phase) for i, (what, phase) in unknown.items() if phase is not HeldPhase.FAILED}
    assert not unknown, f"held, but not lent: {unknown}"
    for lease, (server, ours) in lent.items():
        client, theirs = held[lease]
        assert theirs.server == server.name
        pair = (ours.phase, theirs.phase)
        assert pair in AGREEING, f"{ours.resource.request}: {pair}"
        assert ours.priority == theirs.priority
        if ours.phase is LentPhase.QUEUED and not theirs.is_live and theirs.phase is not HeldPhase.FAILED:
            assert theirs.place == ours.place, f"{ours.resource.request}'s client knows not where it waits"
        if ours.phase is LentPhase.GRANTED:
            assert theirs.edge == server.core.edge(ours.resource)
            assert theirs.generation == ours.generation
            assert theirs.value == ours.resource.handle
        if ours.phase is LentPhase.ENDED:
            assert client.fatal[lease] == 1, f"nobody told {ours.resource.request}'s client"


def _check_no_circle(world: World) -> None:
    below: dict[str, set[str]] = {}
    for node in world.nodes.values():
        for lent in node.core.leases.values():
            if lent.ask.parent is not None:
                below.setdefault(lent.ask.parent.id, set()).add(node.core.edge(lent.resource).id)
    for start in below:
        seen: set[str] = set()
        todo = list(below[start])
        while todo:
            one = todo.pop()
            assert one != start, f"{start} waits for itself"
            if one not in seen:
                seen.add(one)
                todo.extend(below.get(one, ()))
