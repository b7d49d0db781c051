"""What has to hold: in one core after every event, and between all when nothing is on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.registrar.records import ClientPhase, Resource, ResourceState, ServerPhase
from framework.registrar.snapshot import take
from framework.status import ReasonKind, Severity, Status
from framework.transport.messages import Command, Message, Refusal, Tell

if TYPE_CHECKING:
    from tests.framework.registrar.simulated.node import Node
    from tests.framework.registrar.simulated.parties import Provider
    from tests.framework.registrar.simulated.world import World


#: What the two sides of a lease may think of it when nothing is on its way.
AGREEING = {
    (ServerPhase.PENDING, ClientPhase.ASKED),
    (ServerPhase.PENDING, ClientPhase.QUEUED),
    (ServerPhase.PENDING, ClientPhase.GRANTED),  # restored, to be reloaded
    (ServerPhase.PENDING, ClientPhase.RESERVED),
    (ServerPhase.QUEUED, ClientPhase.ASKED),  # it waits for one whose body is being ended anyway
    (ServerPhase.QUEUED, ClientPhase.QUEUED),
    (ServerPhase.QUEUED, ClientPhase.RESERVED),
    (ServerPhase.RESERVED, ClientPhase.RESERVED),
    (ServerPhase.GRANTED, ClientPhase.GRANTED),
    (ServerPhase.GRANTED, ClientPhase.FAILED),  # failed on its client's own account, not left yet
    (ServerPhase.RESERVED, ClientPhase.FAILED),
    (ServerPhase.PENDING, ClientPhase.FAILED),
    (ServerPhase.QUEUED, ClientPhase.FAILED),
    (ServerPhase.ENDED, ClientPhase.FAILED),
}


def check_core(node: Node) -> None:
    """What has to hold in one core after every single event."""
    core = node.core
    for resource in core.resources.values():
        counts = [0, 0, 0]
        exclusive = 0
        for served in resource.leases.values():
            assert core.leases[served.id] is served
            if served.phase is not ServerPhase.ENDED:
                counts[served.priority] += 1
            if served.phase is ServerPhase.GRANTED:
                assert resource.state.is_up, f"{resource.label} is {resource.state}, but lent"
                exclusive += served.exclusive
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
    for held in core.holds.values():
        assert held.wait or held.phase is not ClientPhase.QUEUED, "it waits, and would not"
    for key, resource in core.by_key.items():
        assert core.resources.get(resource.number) is resource and resource.key == key
    for served in core.leases.values():
        assert served.resource.leases.get(served.id) is served
        assert core.resources.get(served.resource.number) is served.resource, "forgotten, and still lent"


def check_stop(node: Node, resource: Resource) -> None:
    """What failed is stopped after everything above it, or when its patience is at an end."""
    if resource.state is ResourceState.FAILED:
        now_s = node.world.now_s
        waited_s = now_s - node.failed_at_s.get(resource.number, now_s)
        is_used = any(served.ask.parent is not None for served in resource.leases.values())
        assert not is_used or waited_s > resource.policy.stop_timeout_s - 1e-6, (
            f"{resource.label} stops first"
        )


def check_how_it_ends(provider: Provider, through: str) -> None:
    """It is told once to end, and by the lease that has failed it, if it is one of its own."""
    provider.stops += 1
    assert provider.stops == 1, f"{provider.name} is told to end again"
    # In the same tick it may have been abandoned, and what it held given back: it is asked what it was given.
    failed = [
        held.id
        for held in provider.held
        if held.by_provider and held.cancels and held.phase is ClientPhase.FAILED
    ]
    assert not through or through in failed, f"{provider.name} ends through {through}, not {failed}"


def check_news(node: Node, message: Message) -> None:
    """A failure climbs as what it was: one incident, its hops in order, who took it and why."""
    if isinstance(message, Tell) and message.severity is Severity.FATAL:
        served = node.core.leases.get(message.lease)
        number = served.resource.number if served is not None else 0
        cause = node.causes.get(number)
        if served is None or cause is None or message.message != served.resource.detail != "":
            return
        if cause.message == message.message:
            assert message.incident == cause.id, "the same failure under another number"
            assert _has_climbed(node, message, cause), "the way, or the reason, is lost"
    elif isinstance(message, Refusal) and message.reason.kind is not ReasonKind.CLOSED:
        # Who leaves refuses what waits, in the same words: that is no failure that has climbed. And several
        # lives of one thing may have failed in the same words, each from below or by itself: the way tells
        # which one it is.
        label = message.hops[-1].request
        resources = node.core.resources.items()
        failed = {n: one for n, one in resources if (one.state, one.label) == (ResourceState.FAILED, label)}
        causes = [node.causes[number] for number in failed if number in node.causes]
        causes = [cause for cause in causes if cause.message == message.message]
        by_itself = [one.detail for number, one in failed.items() if number not in node.causes]
        is_its_own = message.message in by_itself and len(message.hops) == 1
        has_climbed = any(_has_climbed(node, message, cause) for cause in causes)
        assert not causes or is_its_own or has_climbed, "the way is lost"


def _has_climbed(node: Node, message: Tell | Refusal, cause: Status) -> bool:
    way = message.hops[:-1] == cause.hops and message.hops[-1].registrar == node.name
    return way and message.preempted_by == cause.preempted_by and message.reason == cause.reason


def check_preemption(node: Node, lease: str) -> None:
    """Only somebody with a higher priority, who wants it in earnest, takes a lease away."""
    served = node.core.leases.get(lease)
    if served is not None and served.resource.holder is served:
        rivals = [other for other in served.resource.queue if other.committed]
        assert any(other.priority > served.priority for other in rivals), (
            f"{served.ask.who} is thrown out for nobody"
        )


def check_commander(resource: Resource, command: Command) -> None:
    """What moves is commanded by its holder alone, and not while it is brought to rest."""
    served = resource.leases[command.lease]
    assert served.phase is ServerPhase.GRANTED and command.generation == served.generation
    if resource.moving:
        assert resource.holder is served and not resource.making_safe, f"{served.who} moves it besides"


def check_settled(node: Node) -> None:
    """All deadlines have passed, and everything works: nothing is on its way up, down or out."""
    for resource in node.core.resources.values():
        assert resource.state.is_up or resource.state is ResourceState.FAILED, f"{resource.label} hangs"
        assert resource.state.is_up or not resource.running
        holder = resource.holder
        assert holder is None or holder.phase is not ServerPhase.ENDED, "its grace has no end"
        assert holder is not None or not resource.queue, f"{resource.label} is free, and yet waited for"


def check_left(node: Node) -> None:
    """It was left in order: nothing runs there, and whoever had something knows that it is over."""
    assert not node.providers and not node.core.running, (
        f"{node.name} is left, and {node.core.running} runs on"
    )
    assert not node.core.holds
    for resource in node.core.resources.values():
        assert resource.state is ResourceState.FAILED, (
            f"{resource.label} is {resource.state}, and {node.name} left"
        )
        for served in resource.leases.values():
            assert served.phase is ServerPhase.ENDED and served.ask.client != node.name


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
    served = {i: (node, one) for node in world.nodes.values() for i, one in node.core.leases.items()}
    held = {i: (node, one) for node in world.nodes.values() for i, one in node.core.holds.items()}
    asked = {lease: one for lease, (_, one) in held.items() if one.sent is not None}
    dangling = {i: (one.resource.label, one.phase) for i, (_, one) in served.items() if i not in asked}
    assert not dangling, f"lent, but not held: {dangling}"
    unknown = {i: (one.request, one.phase) for i, one in asked.items() if i not in served}
    unknown = {i: (what, phase) for i, (what, phase) in unknown.items() if phase is not ClientPhase.FAILED}
    assert not unknown, f"held, but not lent: {unknown}"
    for lease, (server, ours) in served.items():
        client, theirs = held[lease]
        assert theirs.server == server.name
        pair = (ours.phase, theirs.phase)
        assert pair in AGREEING, f"{ours.resource.request}: {pair}"
        assert ours.priority == theirs.priority
        assert ours.permit == theirs.permit, f"{ours.resource.request}: {ours.permit}, {theirs.permit}"
        assert ours.who == theirs.who, f"{ours.resource.request} is lent to {ours.who}, held for {theirs.who}"
        if ours.phase is ServerPhase.QUEUED and not theirs.is_live and theirs.phase is not ClientPhase.FAILED:
            assert theirs.place == ours.place, f"{ours.resource.request}'s client knows not where it waits"
        if ours.phase is ServerPhase.GRANTED:
            assert theirs.edge == server.core.edge(ours.resource)
            assert theirs.generation == ours.generation
            assert theirs.value == ours.resource.handle
        if ours.phase is ServerPhase.ENDED:
            assert client.fatal[lease] == 1, f"nobody told {ours.resource.request}'s client"


def _check_no_circle(world: World) -> None:
    below: dict[str, set[str]] = {}
    for node in world.nodes.values():
        for served in node.core.leases.values():
            if served.ask.parent is not None:
                below.setdefault(served.ask.parent.id, set()).add(node.core.edge(served.resource).id)
    for start in below:
        seen: set[str] = set()
        todo = list(below[start])
        while todo:
            one = todo.pop()
            assert one != start, f"{start} waits for itself"
            if one not in seen:
                seen.add(one)
                todo.extend(below.get(one, ()))
