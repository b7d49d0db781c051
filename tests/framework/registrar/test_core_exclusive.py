"""The write token: who has it, who waits, who is preempted, and that the device is at rest between two."""

from __future__ import annotations

from itertools import count

import pytest

from framework.registrar import effects as fx
from framework.registrar.effects import JournalKind
from framework.registrar.records import ClientPhase
from framework.status import Priority, ReasonKind, Severity
from framework.transport.messages import Queued
from tests.framework.registrar.simulated import Body, Need, Recipe, World, fail, messages, named

RECIPES = {
    "arm": Recipe("p", moves=True),
    "skill": Recipe("q", (Need("arm", exclusive=True),)),
    "table": Recipe("p"),
}
NODES = ("p", "q", "x", "y", "z")
NUMBERS = count(1)


def started(*, held_by: str = "x") -> tuple[World, Body]:
    world = World(RECIPES, NODES)
    holder = world[held_by].request("arm", exclusive=True)
    world.settle()
    assert holder.state == "in"
    return world, holder


def test_shared_leases_read_along() -> None:
    world, _ = started()
    reader = world["y"].request("arm")
    world.settle()
    assert reader.state == "in" and world.starts["arm"] == 1


def commands(world: World, body: Body, payload: bytes) -> None:
    """Say it as a body that has not been told better would."""
    held = body.held[0]
    number = next(NUMBERS)
    body.node.happen(lambda core: core.holding.command(held, number, payload))
    world.settle()


@pytest.mark.parametrize("name", ["arm", "table"])
@pytest.mark.parametrize("is_held", [False, True])
def test_what_moves_obeys_its_exclusive_holder_alone_and_what_does_not_everybody(
    name: str, is_held: bool
) -> None:
    world = World(RECIPES, NODES)
    reader, other = world["x"].request(name), world["z"].request(name)
    holder = world["y"].request(name, exclusive=True) if is_held else None
    world.settle()
    for body in (reader, other, reader):
        commands(world, body, b"shared")
    if holder is not None:
        commands(world, holder, b"exclusive")
    shared = [b"shared"] * 3 if name == "table" else []
    assert [c.payload for c in world["p"].commands] == shared + [b"exclusive"] * is_held
    refused = [record.who for record in world["p"].records if record.deed is JournalKind.REFUSE]
    assert refused == (["x", "z"] if name == "arm" else []), "each is said once"
    world.kill("x")  # the others stay: nothing has moved for it, so nothing has to be stopped
    world.settle()
    assert not world["p"].safe_stops


def test_of_what_turns_out_to_move_shared_leases_command_nothing_any_more() -> None:
    world = World(RECIPES, NODES)
    body = world["x"].request("table")
    world.settle()
    commands(world, body, b"while it stands")
    number = named(world["p"], "table").number
    world["p"].happen(lambda core: core.lifecycle.moves(number))
    commands(world, body, b"move")
    assert [command.payload for command in world["p"].commands] == [b"while it stands"]


def test_an_equal_one_is_refused_with_the_holders_name() -> None:
    world, _ = started()
    other = world["y"].request("arm", exclusive=True)
    world.settle()
    assert other.refusal is not None
    assert other.refusal.status.reason.kind is ReasonKind.HELD
    assert "held by x, with the same priority" in other.refusal.status.message


def test_waiters_come_in_order_of_priority_then_of_arrival_and_are_told_their_place_once() -> None:
    world, holder = started()
    late = [
        world["y"].request("arm", exclusive=True, wait=True, priority=Priority.BACKGROUND),
        world["z"].request("arm", exclusive=True, wait=True),
        world["q"].request("arm", exclusive=True, wait=True),
    ]
    world.settle()
    places = [[status.message for status in body.statuses] for body in late]
    first, second, third = (f"waiting for x, {place} in the queue" for place in ("first", "second", "third"))
    assert places == [[first, second, third], [first], [second]]
    for body in (holder, late[1], late[2]):
        assert body.state == "in"
        body.leave()
        world.settle()
    assert late[0].state == "in"
    assert [body.held[0].generation for body in (holder, late[1], late[2], late[0])] == [1, 2, 3, 4]


def test_a_preempted_body_is_told_by_whom_and_the_next_one_enters_when_the_device_is_at_rest() -> None:
    world, holder = started()
    holder.is_stubborn = True
    operator = world["y"].request("arm", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    assert holder.state == "failed" and holder.statuses[-1].preempted_by == "y"
    assert operator.state == "asking"
    world.safe_mode["arm"] = "hang"
    holder.leave()
    world.settle()
    assert operator.state == "asking", "granted while the device moved"
    world.advance(0.6)  # the safe stop has had its time: the resource has failed
    assert operator.state == "refused"
    assert "did not come to a safe stop" in (operator.refusal.status.message if operator.refusal else "")


def test_a_body_that_does_not_leave_is_passed_over_after_its_grace() -> None:
    world, holder = started()
    holder.is_stubborn = True
    operator = world["y"].request("arm", exclusive=True, priority=Priority.OPERATOR)
    world.advance(0.4)
    assert operator.state == "asking"
    world.advance(0.2)
    assert operator.state == "in"
    assert [
        r.deed
        for r in world["p"].records
        if r.deed in (JournalKind.PREEMPT, JournalKind.REAP, JournalKind.SAFE_STOP)
    ] == [
        JournalKind.PREEMPT,
        JournalKind.REAP,
        JournalKind.SAFE_STOP,
    ]
    holder.leave()
    world.settle()
    assert operator.state == "in", "the former holder's late release ended the new one's lease"


def test_who_leaves_during_its_grace_leaves_no_refusal_behind() -> None:
    """The holder on its way out blocks nobody; who comes then waits for it."""
    world, holder = started()
    holder.is_stubborn = True
    operator = world["y"].request("arm", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    operator.leave()
    next_one = world["z"].request("arm", exclusive=True)
    world.settle()
    assert next_one.refusal is None
    holder.leave()
    world.settle()
    assert next_one.state == "in"


def test_a_preemption_climbs_as_a_preemption() -> None:
    world = World(RECIPES, NODES)
    user = world["x"].request("skill")
    world.settle()
    world["y"].request("arm", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    assert user.statuses[-1].severity is Severity.FATAL and user.statuses[-1].preempted_by == "y"
    assert [hop.registrar for hop in user.statuses[-1].hops] == ["p", "q"]


def test_a_dependency_inherits_the_highest_priority_of_its_clients_and_follows_it() -> None:
    world = World(RECIPES, NODES)
    world["x"].request("skill", priority=Priority.BACKGROUND)
    world.settle()
    assert named(world["p"], "arm").priority is Priority.BACKGROUND
    operator = world["y"].request("skill", priority=Priority.OPERATOR)
    world.settle()
    assert named(world["p"], "arm").priority is Priority.OPERATOR
    refused = world["z"].request("arm", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    operator.leave()
    world.settle()
    assert named(world["p"], "arm").priority is Priority.BACKGROUND and refused.refusal is not None


def test_when_the_holder_is_demoted_the_one_who_waits_preempts_it() -> None:
    world = World(RECIPES, NODES)
    operator = world["x"].request("skill", priority=Priority.OPERATOR)
    background = world["y"].request("skill", priority=Priority.BACKGROUND)
    world.settle()
    waiter = world["z"].request("arm", exclusive=True, wait=True)
    world.settle()
    assert waiter.state == "asking"
    operator.leave()
    world.settle()
    assert waiter.state == "in" and background.statuses[-1].preempted_by == "z"


def test_a_group_preempts_nobody_before_all_of_it_is_reserved() -> None:
    world, holder = started()
    other = world["y"].request("table", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    group = world["z"].request(
        "arm", "table", exclusive=True, priority=Priority.OPERATOR, wait=True, group=True
    )
    world.settle()
    assert holder.state == "in" and not holder.statuses
    other.leave()
    world.settle()
    assert holder.state == "over" and group.state == "in"


def test_who_waits_in_earnest_is_not_kept_waiting_by_who_only_reserves() -> None:
    world, holder = started()
    blocked = world["y"].request("table", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    world["z"].request("arm", "table", exclusive=True, priority=Priority.OPERATOR, wait=True, group=True)
    world.settle()
    world["q"].request("arm", exclusive=True, priority=Priority.OPERATOR, wait=True)
    world.settle()
    assert blocked.state == "in" and holder.state == "over"


def test_an_exchange_that_fails_has_disturbed_nothing() -> None:
    world, holder = started()
    world.start_mode["table"] = "raise"
    change = world["x"].request("arm", "table", exclusive=True, group=True, instead_of=(holder,))
    world.settle()
    assert change.state == "refused" and holder.state == "in" and not holder.statuses
    world.start_mode["table"] = "ok"
    change = world["x"].request("arm", "table", exclusive=True, group=True, instead_of=(holder,))
    world.settle()
    assert change.state == "in" and holder.state == "over"
    assert world.starts["arm"] == 1


def test_what_is_reserved_and_fails_is_told() -> None:
    """A provider that was loaded on approval runs on reservations; losing one ends it."""
    recipes = RECIPES | {"hand": Recipe("q", (Need("table"),)), "slow": Recipe("q")}
    world = World(recipes, NODES)
    world.start_mode["slow"] = "hang"
    world["x"].request("hand", "slow", group=True)
    world.settle()
    assert world.running["hand"] == 1
    fail(world["p"], "table")
    world.settle()
    assert world.running["hand"] == 0


def test_what_is_loaded_on_approval_outlives_the_deadline_of_its_own_requests() -> None:
    recipes = RECIPES | {"hand": Recipe("q", (Need("table"),))}
    world, holder = started()
    world.recipes = recipes
    group = world["y"].request("hand", "arm", exclusive=True, wait=True, group=True)
    world["y"].request("hand")
    world.settle()
    assert group.state == "asking"
    world.advance(6.0)  # longer than a request may take, shorter than one may wait in a queue
    assert world.running["hand"] == 1
    holder.leave()
    world.settle()
    assert group.state == "in"


def test_a_failed_device_is_at_rest_before_its_provider_is_stopped() -> None:
    world, _ = started()
    world["y"].request("arm", exclusive=True, wait=True)
    world.settle()
    node = world["p"]
    seen: list[str] = []
    do = node._do

    def watch(effect: fx.Effect) -> None:
        if isinstance(effect, fx.SafeStop | fx.StopProvider):
            seen.append(type(effect).__name__)
        do(effect)

    node._do = watch  # type: ignore[method-assign]
    fail(node, "arm")
    world.settle()
    assert seen == ["SafeStop", "StopProvider"]


def test_a_successor_is_not_started_while_its_predecessors_device_still_moves() -> None:
    world, holder = started()
    world.safe_mode["arm"] = "hang"
    holder.leave()
    world.settle()
    (provider,) = world["p"].providers.values()
    provider.stop("it broke")  # while its device is being brought to rest
    world.settle()
    again = world["y"].request("arm")
    world.settle()
    assert world.starts["arm"] == 1
    world.advance(0.6)
    assert world.starts["arm"] == 2 and again.state == "in"


def test_places_are_not_told_again_when_nothing_has_changed() -> None:
    world, _ = started()
    world["y"].request("arm", exclusive=True, wait=True)
    world.settle()
    world["z"].request("arm", exclusive=True)  # refused at once
    world["p"].work()
    while world.wire.deliver():
        assert not [message for _, _, message in messages(world.wire) if isinstance(message, Queued)]


def test_while_a_device_comes_to_rest_nobody_is_told_to_wait_for_who_has_left() -> None:
    world, holder = started()
    waiting = [world[name].request("arm", exclusive=True, wait=True) for name in ("y", "z")]
    world.settle()
    world.safe_mode["arm"] = "hang"
    holder.leave()
    world.settle()
    assert named(world["p"], "arm").making_safe
    assert waiting[1].statuses[-1].message == "waiting for y, second in the queue"


def test_a_reserved_lease_that_is_lost_before_its_group_gets_round_to_it_is_not_committed() -> None:
    world = World(RECIPES, NODES)
    group = world["x"].request("table", group=True)
    while group.held[0].phase is not ClientPhase.RESERVED:
        assert world["p"].work() or world.wire.deliver()
    world["x"].happen(lambda core: core.close())
    world.advance(5.0)
    assert group.state == "over" and group.refusal is None, "it is told once that it is over"
    world.check_empty()


def test_who_would_not_wait_is_not_told_a_place_in_a_queue_further_down() -> None:
    recipes = {"top": Recipe("q", (Need("arm", exclusive=True, wait=True),)), "arm": Recipe("p")}
    world = World(recipes, NODES)
    world["x"].request("arm", exclusive=True)
    world.settle()
    bodies = [world[name].request("top", wait=name == "y") for name in ("y", "z")]
    world.settle()
    phases = [body.held[0].phase for body in bodies]
    assert phases == [ClientPhase.QUEUED, ClientPhase.ASKED]
