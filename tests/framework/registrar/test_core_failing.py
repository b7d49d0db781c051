"""How a failure climbs, how what failed goes down, and what a restart leaves."""

from __future__ import annotations

import pytest

from framework.registrar.conditions import MEMORY
from framework.registrar.effects import JournalKind
from framework.registrar.records import ClientPhase, ResourceState
from framework.status import Priority, Severity
from framework.transport import messages as m
from tests.framework.registrar.simulated import Body, Need, Recipe, World, fail, messages, named

RECIPES = {
    "top": Recipe("p", (Need("left"), Need("right"))),
    "left": Recipe("q", (Need("bottom"),)),
    "right": Recipe("q", (Need("bottom"),)),
    "bottom": Recipe("r"),
    "careful": Recipe("q", (Need("bottom", cancels=False),)),
}
NODES = ("p", "q", "r", "x", "y")


def up(*names: str, durable: tuple[str, ...] = ()) -> World:
    world = World(RECIPES, NODES, durable=durable)
    for name in names:
        world["x"].request(name)
        world.settle()
    return world


@pytest.mark.parametrize("first", ["a dependency", "itself"])
def test_a_provider_ends_by_what_it_has_failed_by_not_by_what_fails_after_that(first: str) -> None:
    """While it waits for what is above it, its other dependency fails for another reason."""
    recipes = {
        "above": Recipe("p", (Need("middle"),)),
        "middle": Recipe("q", (Need("one"), Need("other"))),
        "one": Recipe("r"),
        "other": Recipe("r"),
    }
    world = World(recipes, NODES)
    world["x"].request("above")
    world.settle()
    world.stop_mode["above"] = "hang"
    middle = named(world["q"], "middle")
    provider = world["q"].providers[middle.number]
    of_other = provider.held[1].id
    ended: list[str] = []
    world["q"].on_stop = ended.append
    fail(*((world["r"], "other", "unplugged") if first == "a dependency" else (world["q"], "middle", "hot")))
    world.settle()
    fail(world["r"], "one", "out of film")
    world.advance(1.1)
    assert ended == [of_other if first == "a dependency" else ""]


def test_slow_stops_do_not_delay_the_news() -> None:
    world = up("top")
    for name in ("top", "left", "right"):
        world.stop_mode[name] = "hang"
    fail(world["r"], "bottom", "unplugged")
    world.settle()  # no time passes
    (body,) = world["x"].bodies
    assert [status.message for status in body.statuses] == ["unplugged"]
    assert [hop.registrar for hop in body.statuses[0].hops] == ["r", "q", "p"]


def test_what_failed_stops_after_everything_above_it_or_when_its_patience_ends() -> None:
    world = up("left", "right")
    world.stop_mode["left"] = "hang"
    fail(world["r"], "bottom")
    world.settle()
    assert world.running["left"] == world.running["bottom"] == 1 and world.running["right"] == 0
    world.advance(1.1)
    assert not +world.running
    world.check_empty()


def test_everyone_who_has_it_is_told_once_each_under_its_own_id() -> None:
    world = up("bottom", "bottom", "top", "left")
    world["y"].request("bottom")
    world.settle()
    fail(world["r"], "bottom")
    world.settle()
    bodies = [*world["x"].bodies, *world["y"].bodies]
    assert [[s.lease_id for s in body.statuses] for body in bodies] == [[body.held[0].id] for body in bodies]
    assert len({body.statuses[0].id for body in bodies}) == 1, "it is one incident for all"
    world.check_empty()


def test_a_doubled_or_late_message_is_not_told_again() -> None:
    world = up("bottom")
    (body,) = world["x"].bodies
    number = named(world["r"], "bottom").number
    world["r"].happen(lambda core: core.conditions.report(number, Severity.WARNING, "warm"))
    world["r"].happen(lambda core: core.conditions.changed(number, "cooled"))
    told = [message for _, _, message in messages(world.wire) if isinstance(message, m.Tell)]
    world.settle()
    for message in (*told, *told):
        world["x"].happen(lambda core, message=message: core.receive("r", message))  # type: ignore[misc]
    world.settle()
    assert [status.message for status in body.statuses] == ["warm", "cooled"]


def test_a_warning_climbs_once_over_both_sides_of_a_diamond_and_is_over_when_all_is_well() -> None:
    world = up("top")
    (body,) = world["x"].bodies
    bottom, number = named(world["r"], "bottom").number, named(world["p"], "top").number
    world["r"].happen(lambda core: core.conditions.report(bottom, Severity.WARNING, "warm"))
    world.settle()
    assert [status.message for status in body.statuses] == ["warm"]
    assert named(world["p"], "top").state is ResourceState.DEGRADED
    world["p"].happen(
        lambda core: core.conditions.condition(number, ResourceState.NEEDS_HUMAN, "oil", None, 0)
    )
    world["r"].happen(lambda core: core.conditions.report(bottom, Severity.OK, "cool"))
    world.settle()
    assert named(world["p"], "top").state is ResourceState.NEEDS_HUMAN, (
        "its own trouble is not over because its dependency's is"
    )
    world["p"].happen(lambda core: core.conditions.report(number, Severity.OK, "oiled"))
    assert named(world["p"], "top").state is ResourceState.READY


def test_who_comes_while_something_is_unwell_hears_so_like_those_who_were_there() -> None:
    world = up("top")
    bottom, top = named(world["r"], "bottom").number, named(world["p"], "top").number
    world["r"].happen(lambda core: core.conditions.report(bottom, Severity.WARNING, "warm"))
    world.settle()
    above, below = world["x"].request("top"), world["x"].request("bottom")
    world.settle()
    assert [status.message for status in above.statuses] == ["warm"]
    assert [hop.registrar for hop in above.statuses[0].hops][-1] == "p"
    assert [status.message for status in below.statuses] == ["warm"]
    world["p"].happen(lambda core: core.conditions.report(top, Severity.ERROR, "oil"))
    world.settle()
    both = world["x"].request("top")
    world.settle()
    assert sorted(status.message for status in both.statuses) == ["oil", "warm"]
    world["r"].happen(lambda core: core.conditions.report(bottom, Severity.OK, "cool"))
    world["p"].happen(lambda core: core.conditions.report(top, Severity.OK, "oiled"))
    world.settle()
    well = [world["x"].request(name) for name in ("top", "bottom")]
    world.settle()
    assert [body.statuses for body in well] == [[], []]


def test_what_was_unwell_by_two_ways_is_well_when_both_are() -> None:
    world = up("top")
    (body,) = world["x"].bodies
    bottom, top = named(world["r"], "bottom").number, named(world["p"], "top")
    states = []
    for severity in (Severity.WARNING, Severity.OK):
        world["r"].happen(lambda core, it=severity: core.conditions.report(bottom, it, "so"))  # type: ignore[misc]
        world.settle()
        states.append(top.state)
    assert states == [ResourceState.DEGRADED, ResourceState.READY]
    assert [status.severity for status in body.statuses] == [Severity.WARNING, Severity.OK]


def test_a_provider_that_only_wants_to_be_told_survives() -> None:
    world = up("careful")
    fail(world["r"], "bottom")
    world.settle()
    (body,) = world["x"].bodies
    assert body.state == "in" and not body.statuses
    (provider,) = world["q"].providers.values()
    provider.acquire(Need("bottom", cancels=False), by_provider=False)
    world.settle()
    assert [status.severity for status in body.statuses] == [Severity.UPDATE]
    assert world.starts["bottom"] == 2


@pytest.mark.parametrize("how", ["raise", "hang"])
def test_a_start_that_fails_is_rolled_back_whole(how: str) -> None:
    world = World(RECIPES, NODES)
    world.start_mode["top"] = how
    body = world["x"].request("top")
    world.advance(2.1)
    assert body.refusal is not None and body.refusal.status.hops[-1].registrar == "p"
    world.check_empty()
    assert world.starts["bottom"] == 1


def test_after_a_failure_a_new_request_loads_afresh_when_the_old_one_is_gone() -> None:
    world = up("bottom")
    world.stop_mode["bottom"] = "hang"
    fail(world["r"], "bottom")
    world.settle()
    again = world["y"].request("bottom")
    world.settle()
    assert again.state == "asking" and world.starts["bottom"] == 1
    world.advance(1.1)  # it is abandoned
    world.stop_mode.clear()
    assert world.starts["bottom"] == 2 and again.state == "in"


def test_a_provider_that_dies_takes_nothing_along_and_leaves_nothing() -> None:
    world = up("top")
    (provider,) = world["p"].providers.values()
    provider.is_over = True  # its process is gone, it gives nothing back itself
    provider.vanish()
    del world["p"].providers[provider.resource.number]
    world["p"].happen(lambda core: core.lifecycle.ended(provider.resource.number, "killed"))
    world.settle()
    (body,) = world["x"].bodies
    assert [status.message for status in body.statuses] == ["killed"]
    world.check_empty()


def test_the_lease_of_another_cannot_be_released_committed_or_changed() -> None:
    world = up("bottom")
    (body,) = world["x"].bodies
    lease = body.held[0].id
    before = named(world["r"], "bottom").counts.copy()
    for message in (m.Release(lease), m.Reprioritise(lease, Priority.OPERATOR), m.Commit(lease)):
        world["r"].happen(lambda core, message=message: core.receive("y", message))  # type: ignore[misc]
    assert lease in world["r"].core.leases and named(world["r"], "bottom").counts == before


def test_leases_survive_the_kill_of_a_provider_that_keeps_a_catalog() -> None:
    world = up("bottom", durable=("r",))
    body = world["x"].request("bottom", exclusive=True)
    world.settle()
    world.kill("r")
    world.settle()
    assert body.state == "in" and body.statuses[-1].severity is Severity.WARNING
    world.boot("r")
    other = world["y"].request("bottom", exclusive=True)
    world.settle()
    assert other.refusal is not None, "the restored lease keeps others out"
    assert body.state == "in" and [s.severity for s in body.statuses[-2:]] == [Severity.OK, Severity.UPDATE]
    assert body.held[0].generation == 2
    world.check_books()


@pytest.mark.parametrize("when", ["before the kill", "while it is gone", "after it is back"])
def test_a_restart_never_resurrects_what_was_released(when: str) -> None:
    world = up("bottom", durable=("r",))
    (body,) = world["x"].bodies
    if when == "before the kill":
        body.leave()
        world.settle()
    world.kill("r")
    if when == "while it is gone":
        body.leave()
        world.settle()
    world.boot("r")
    if when == "after it is back":
        body.leave()
    world.advance(2.0)
    assert world.starts["bottom"] == 1 or when == "after it is back"
    world.check_empty()
    world.kill("r")
    world.boot("r")
    world.advance(2.0)
    world.check_empty()


def test_a_client_that_is_restarted_keeps_nothing_of_its_former_life() -> None:
    world = up("top", durable=("q",))
    world.kill("x")
    world.settle()
    world.check_empty()
    world.boot("x")
    fresh = world["x"].request("top")
    world.settle()
    assert fresh.state == "in"


def test_a_new_incarnation_whose_request_comes_before_its_presence_is_not_reaped_with_the_old_one() -> None:
    world = up("bottom")
    node = world["r"]
    reborn = m.Peer("x", "reborn", (), False)
    node.happen(lambda core: core.receive("x", m.Ask("x:reborn:1", "x", "reborn", "?", None, "x")))
    ask = m.Ask(
        "x:reborn:2",
        "x",
        "reborn",
        node.core.peers.known["q"].provides[0],
        named(node, "bottom").request,
        "x",
    )
    node.happen(lambda core: core.receive("x", ask))
    node.happen(lambda core: core.peers.seen(reborn))
    assert list(node.core.leases) == ["x:reborn:2"]


def restarted_under_a_holder() -> tuple[World, Body]:
    """Somebody holds the bottom when its provider is killed; that is back, and has heard of nobody yet."""
    world = World(RECIPES, NODES, durable=("r",))
    body = world["x"].request("bottom", exclusive=True, wait=True)
    world.settle()
    assert body.state == "in"
    world.kill("r")
    world.boot("r")
    return world, body


@pytest.mark.parametrize("when", ["before it has reconfirmed", "while it is loaded afresh"])
def test_a_holder_whose_provider_was_restarted_is_preempted_like_any_other(when: str) -> None:
    """It has not been granted anew, but began long ago: nobody may leave it in the belief to hold it."""
    world, body = restarted_under_a_holder()
    if when == "while it is loaded afresh":
        world.start_mode["bottom"] = "hang"
        world.settle()
    world["r"].request("bottom", exclusive=True, priority=Priority.OPERATOR)
    former = world["r"].core.leases[body.held[0].id]
    assert named(world["r"], "bottom").holder is former, "taken away before the former body has left"
    world.settle()
    assert body.state == "over" and any(record.deed is JournalKind.PREEMPT for record in world["r"].records)
    assert [s.preempted_by for s in body.statuses if s.severity is Severity.FATAL] == ["r"]
    world.start_mode.clear()
    world.advance(3.0)
    world.check_books()
    world.release_all()
    world.advance(3.0)
    world.check_empty()


def test_who_has_to_queue_for_what_it_held_before_a_restart_has_lost_it() -> None:
    """The catalog was lost, or forgotten by yet another restart: its request counts as a new one."""
    world, body = restarted_under_a_holder()
    world.kill("r")
    world._kept["r"] = ({}, 1)
    world.boot("r")
    rival = world["r"].request("bottom", exclusive=True)
    world.settle()
    assert rival.state == "in" and body.state == "over"
    assert [s.preempted_by for s in body.statuses if s.severity is Severity.FATAL] == ["r"]
    assert not named(world["r"], "bottom").queue
    world.check_books()


def test_a_lease_that_was_over_before_a_restart_keeps_nobody_out_after_it() -> None:
    world = World(RECIPES, NODES, durable=("r",))
    former = world["x"].request("bottom", exclusive=True)
    former.is_stubborn = True  # told that it was preempted, it stays all the same
    world.settle()
    body = world["y"].request("bottom", exclusive=True, wait=True, priority=Priority.OPERATOR)
    world.advance(1.0)
    assert body.state == "in" and former.state == "failed"
    world.kill("r")
    world.boot("r")
    world.settle()
    assert body.state == "in" and body.held[0].phase is ClientPhase.GRANTED
    assert [served.id for served in world["r"].core.leases.values()] == [body.held[0].id]
    world.check_books()


@pytest.mark.parametrize("stop", ["ok", "raise", "hang"])
def test_a_registrar_that_is_left_takes_everything_down_though_its_clients_do_not_let_go(stop: str) -> None:
    world = up("top", "bottom")
    for body in world["x"].bodies:
        body.is_stubborn = True
    world.stop_mode = dict.fromkeys(("top", "left", "right", "bottom"), stop)
    for name in ("r", "q", "p"):
        world.leave(name)
    assert not +world.running
    assert [body.state for body in world["x"].bodies] == ["failed", "failed"]
    assert [[status.severity for status in body.statuses] for body in world["x"].bodies] == [
        [Severity.FATAL]
    ] * 2


@pytest.mark.parametrize("stop", ["ok", "hang"])
def test_what_fails_while_it_starts_is_over_when_its_provider_is_and_no_deadline_is_left(stop: str) -> None:
    world = World(RECIPES, NODES)
    world.start_mode["bottom"], world.stop_mode["bottom"] = "hang", stop
    body = world["x"].request("bottom")
    world.settle()
    fail(world["r"], "bottom", "burnt")
    world.settle()
    assert body.refusal is not None and body.refusal.status.message == "burnt"
    world.advance(1.01)
    world.check_empty()


def test_a_device_that_fails_while_its_holder_is_thrown_out_is_brought_to_rest() -> None:
    """Its last command is still being carried out, whoever has to leave."""
    world = World({"arm": Recipe("r", moves=True)}, ("r", "x", "y"))
    thrown_out = world["x"].request("arm", exclusive=True)
    thrown_out.is_stubborn = True
    world.settle()
    world["y"].request("arm", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    assert thrown_out.state == "failed" and not world["r"].safe_stops
    fail(world["r"], "arm")
    world.settle()
    assert len(world["r"].safe_stops) == 1


def test_a_provider_is_not_ended_by_a_lease_of_which_it_only_wanted_to_be_told() -> None:
    world = up("careful")
    (provider,) = world["q"].providers.values()
    provider.held.clear()  # it keeps what has failed
    fail(world["r"], "bottom")
    world.settle()
    world["x"].bodies[0].leave()
    world.settle()
    assert provider.stops == 1 and not world.running["careful"]


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_provider_with_a_catalog_that_is_seen_again_is_asked_at_once(is_restarted: bool) -> None:
    world = up("bottom", durable=("r",))
    (body,) = world["x"].bodies
    if is_restarted:
        world.kill("r", quietly=True)
        world.boot("r")
    else:
        there = world["r"].peer
        world["x"].happen(lambda core: core.peers.lost("r", there.boot))
        assert body.held[0].is_awaited
        world["x"].happen(lambda core: core.peers.seen(there))
    world.settle()
    assert body.state == "in" and not body.held[0].is_awaited
    world.check_books()


def test_who_was_restarted_unnoticed_and_does_not_take_it_up_again_is_not_waited_for_for_ever() -> None:
    world = up("bottom", durable=("r",))
    (body,) = world["x"].bodies
    world.kill("r", quietly=True)
    world.boot("r", late=True)
    world.advance(2.01)
    assert body.state == "over" and body.statuses[-1].severity is Severity.FATAL


def test_who_waits_above_and_who_waits_beside_may_lose_patience_at_once() -> None:
    """Its provider is told to stop and abandoned in one tick: once each, and through its own lease."""
    recipes = {
        "lamp": Recipe("p"),
        "scene": Recipe("p", (Need("lamp"),)),
        "cell": Recipe("q", (Need("scene"),)),
    }
    world = World(recipes, ("p", "q", "x", "y"))
    world["x"].request("cell")
    world.settle()
    world.stop_mode["cell"] = "hang"
    fail(world["p"], "lamp")
    afresh = world["y"].request("scene")
    world.advance(1.5)
    assert afresh.state == "in" and world.starts["scene"] == 2


def test_two_failures_in_the_same_words_are_two() -> None:
    """A registrar that is left says the same of all it provides; what stands on what has failed of itself."""
    recipes = {
        "lamp": Recipe("p"),
        "scene": Recipe("p", (Need("lamp"),)),
    }
    world = World(recipes, ("p", "x"))
    body = world["x"].request("scene")
    world.settle()
    body.is_stubborn = True
    world["p"].happen(lambda core: core.close())
    world.settle()
    served = world["p"].core.leases[body.held[0].id]
    world["p"].happen(lambda core: core.serving.repeat(served))
    assert body.state == "failed"


@pytest.mark.parametrize("is_over", [False, True])
def test_what_comes_up_over_something_that_is_not_well_is_not_well_until_that_is(is_over: bool) -> None:
    """It was said while it started: nobody had it yet, and nobody forgets it."""
    recipes = {
        "lamp": Recipe("p"),
        "base": Recipe("p"),
        "scene": Recipe("q", (Need("lamp"), Need("base"))),
    }
    world = World(recipes, ("p", "q", "x"))
    world.start_mode["base"] = "hang"
    body = world["x"].request("scene")
    world.settle()
    number = named(world["p"], "lamp").number

    def says(severity: Severity, text: str) -> None:
        world["p"].happen(lambda core: core.conditions.report(number, severity, text))
        world.settle()

    says(Severity.WARNING, "it flickers")
    if is_over:
        says(Severity.OK, "well again")
    (base,) = (provider for provider in world["p"].providers.values() if provider.name == "base")
    world["p"].happen(lambda core: core.lifecycle.started(base.resource.number, "handle of base"))
    world.settle()
    scene = named(world["q"], "scene")
    assert body.state == "in"
    degraded = (ResourceState.DEGRADED, "it flickers")
    assert (scene.state, scene.detail) == ((ResourceState.READY, "") if is_over else degraded)
    says(Severity.OK, "well again")
    assert scene.state is ResourceState.READY


@pytest.mark.parametrize("first", ["below", "itself"])
def test_what_is_unwell_for_two_reasons_is_told_to_be_well_when_both_are_over(first: str) -> None:
    """What stands on it is not shown as well meanwhile, and nobody is told so."""
    recipes = {
        "top": Recipe("p", (Need("middle"),)),
        "middle": Recipe("q", (Need("below"),)),
        "below": Recipe("r"),
    }
    world = World(recipes, ("p", "q", "r", "x"))
    body = world["x"].request("top")
    world.settle()
    top, middle, below = named(world["p"], "top"), named(world["q"], "middle"), named(world["r"], "below")

    def says(what: str, severity: Severity, text: str) -> None:
        at, number = ("r", below.number) if what == "below" else ("q", middle.number)
        world[at].happen(lambda core: core.conditions.report(number, severity, text))
        world.settle()

    says("below", Severity.WARNING, "it flickers")
    says("itself", Severity.WARNING, "it hums")
    says(first, Severity.OK, "over")
    assert (middle.state, top.state) == (ResourceState.DEGRADED, ResourceState.DEGRADED)
    assert [status.severity for status in body.statuses] == [Severity.WARNING] * 2
    says("itself" if first == "below" else "below", Severity.OK, "over, too")
    assert [each.state for each in (middle, top)] == [ResourceState.READY] * 2
    assert body.statuses[-1].severity is Severity.OK


def test_what_makes_do_without_what_was_wrong_with_it_says_so_to_all_above() -> None:
    recipes = {
        "top": Recipe("p", (Need("middle"),)),
        "middle": Recipe("q", (Need("below", cancels=False),)),
        "below": Recipe("r"),
    }
    world = World(recipes, ("p", "q", "r", "x"))
    world["x"].request("top")
    world.settle()
    top, below = named(world["p"], "top"), named(world["r"], "below")
    world["r"].happen(lambda core: core.conditions.report(below.number, Severity.WARNING, "it flickers"))
    world.settle()
    assert str(top.state) == str(ResourceState.DEGRADED)
    fail(world["r"], "below")
    world.settle()
    assert top.state is ResourceState.READY


def test_a_warning_ends_with_the_failure_of_what_it_was_about_if_that_is_survived() -> None:
    world = up("careful")
    careful = named(world["q"], "careful")
    number = named(world["r"], "bottom").number
    world["r"].happen(lambda core: core.conditions.report(number, Severity.WARNING, "it rattles"))
    world.settle()
    before = careful.state
    fail(world["r"], "bottom")
    world.settle()
    assert (before, careful.state) == (ResourceState.DEGRADED, ResourceState.READY)


def test_of_very_many_incidents_each_is_told_once() -> None:
    """Both sides of the diamond say each of them."""
    world = up("top")
    (body,) = world["x"].bodies
    number = named(world["r"], "bottom").number
    for number_ in range(2 * MEMORY):
        text = f"warning {number_}"
        world["r"].happen(lambda core, text=text: core.conditions.report(number, Severity.WARNING, text))  # type: ignore[misc]
        world.settle()
    told = [status.message for status in body.statuses]
    assert told == [f"warning {number_}" for number_ in range(2 * MEMORY)]


def test_a_new_handle_ends_what_its_provider_said_of_itself() -> None:
    world = up("bottom")
    bottom = named(world["r"], "bottom")
    states = []
    for say in (
        lambda core: core.conditions.report(bottom.number, Severity.ERROR, "the bulb is broken"),
        lambda core: core.conditions.update(bottom.number, "another handle", "another bulb"),
        lambda core: core.conditions.condition(bottom.number, ResourceState.RETRYING, "loose", 9.0, 2),
        lambda core: core.conditions.update(bottom.number, "a third one", "screwed in"),
    ):
        world["r"].happen(say)
        states.append((bottom.state, bottom.tries, bottom.next_attempt_s))
    degraded, ready = (ResourceState.DEGRADED, 0, None), (ResourceState.READY, 0, None)
    assert states == [degraded, ready, (ResourceState.RETRYING, 2, 9.0), ready]
