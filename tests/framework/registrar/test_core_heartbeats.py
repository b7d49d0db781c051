"""Heartbeats: who is given up when, and how both sides find out what the wire has lost."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from framework.interlock import Interlock
from framework.registrar.effects import JournalKind
from framework.registrar.records import ClientPhase
from framework.status import Priority, Severity
from framework.transport import messages as m
from tests.framework.registrar.simulated import (
    CORE_POLICY,
    KIND,
    BadWire,
    Body,
    Need,
    Recipe,
    Thing,
    World,
    fail,
    named,
)

CHAIN = {
    "top": Recipe("p", (Need("middle"),)),
    "middle": Recipe("q", (Need("bottom"),)),
    "bottom": Recipe("r", moves=True),
}
NODES = ("client", "p", "q", "r")
WINDOW_S = CORE_POLICY.window_s


def chain(beat_s: float = 0.1, durable: tuple[str, ...] = ()) -> World:
    world = World(CHAIN, NODES, beat_s=beat_s, durable=durable)
    world.wire = BadWire(world, seed=1, badness=0.0)
    return world


def wire(world: World) -> BadWire:
    assert isinstance(world.wire, BadWire)
    return world.wire


class Losing(BadWire):
    """Loses the first messages that `is_lost` picks, `most` of them."""

    def __init__(self, world: World, is_lost: Callable[[m.Message], bool], *, most: int = 1) -> None:
        super().__init__(world, seed=1, badness=0.0)
        self.is_lost = is_lost
        self.most = most
        self.lost: list[m.Message] = []

    def send(self, sender: str, to: str, message: m.Message) -> None:
        if len(self.lost) < self.most and self.is_lost(message):
            self.lost.append(message)
        else:
            super().send(sender, to, message)


@pytest.mark.parametrize("phase_s", [0.0, 0.013, 0.05, 0.077, 0.099])
@pytest.mark.parametrize("middle", ["ok", "hang"])
def test_the_far_end_of_a_chain_stops_in_one_window_never_in_a_sum(middle: str, phase_s: float) -> None:
    world = World(CHAIN, (), beat_s=0.1)
    world.wire = BadWire(world, seed=1, badness=0.0)
    for name in NODES:  # so that they do not all beat in step
        world.advance(phase_s / 3)
        world.boot(name)
    world.advance(0.5)
    body = world["client"].request("top")
    world.advance(0.5)
    assert body.state == "in"
    wire(world).cut_off.add("client")
    cut_at_s = world.now_s
    world.stop_mode = {"top": middle, "middle": middle}  # which may be slow to let go
    while named_or_none(world, "r", "bottom"):
        world.advance(0.005)
        assert world.now_s < cut_at_s + WINDOW_S + 0.03, "the far end still runs"
    assert world.now_s > cut_at_s + WINDOW_S - 0.11


def named_or_none(world: World, node: str, name: str) -> bool:
    return any(resource.request == Thing(name) for resource in world[node].core.by_key.values())


def test_nobody_is_given_up_because_beats_are_not_in_step() -> None:
    """At four hops the ages of healthy beats would add up to more than the window."""
    recipes = {f"{i}": Recipe(f"n{i}", (Need(f"{i + 1}"),)) for i in range(6)} | {"6": Recipe("n6")}
    world = World(recipes, (), beat_s=0.1)
    world.wire = BadWire(world, seed=1, badness=0.0)
    for name in ("client", *(f"n{i}" for i in range(7))):
        world.advance(0.037)
        world.boot(name)
    body = world["client"].request("0")
    world.advance(5.0)
    assert body.state == "in" and not body.statuses


def test_a_chain_inside_one_registrar_passes_the_age_on() -> None:
    recipes = {
        "top": Recipe("p", (Need("inner"),)),
        "inner": Recipe("p", (Need("bottom"),)),
        "bottom": Recipe("r"),
    }
    world = World(recipes, ("client", "p", "r"), beat_s=0.1)
    world.wire = BadWire(world, seed=1, badness=0.0)
    world["client"].request("top")
    world.advance(0.5)
    wire(world).cut_off.add("client")
    world.advance(0.17)
    sent: list[m.Heartbeat] = []
    send = wire(world).send

    def watch(sender: str, to: str, message: m.Message) -> None:
        if sender == "p" and to == "r" and isinstance(message, m.Heartbeat):
            sent.append(message)
        send(sender, to, message)

    world.wire.send = watch  # type: ignore[method-assign]
    world.advance(0.08)
    assert any(beat.ages_s for beat in sent)


@pytest.mark.parametrize("phase_s", [0.0, 0.02, 0.048, 0.052, 0.08])  # .052: the window ends with a tick
def test_a_provider_that_falls_silent_is_lost_within_the_window(phase_s: float) -> None:
    world = World(CHAIN, ("p", "q", "r"), beat_s=0.1)
    world.wire = BadWire(world, seed=1, badness=0.0)
    world.advance(phase_s)
    world.boot("client")
    body = world["client"].request("top")
    world.advance(0.5)
    wire(world).cut_off.add("p")
    world.advance(WINDOW_S + 0.005)  # its last beat is still on its way
    assert body.state == "over" and body.statuses[-1].severity is Severity.FATAL
    assert "p has been silent" in body.statuses[-1].message


def test_two_that_fall_silent_between_two_beats_are_both_given_up_in_time() -> None:
    """The second one's window ends just after the first one's, and before the next beat."""
    world = World({"bottom": Recipe("r")}, ("r",), beat_s=0.1)
    world.wire = BadWire(world, seed=1, badness=0.0)
    for name in ("one", "two"):
        world.advance(0.02)
        world.boot(name)
        world[name].request("bottom")
    world.advance(0.5)
    wire(world).cut_off.update(("one", "two"))
    world.advance(WINDOW_S + 0.005)  # their last beats are still on their way
    assert not world["r"].core.leases


def test_two_requests_to_one_that_is_silent_are_both_answered_in_time() -> None:
    """Each has a window of its own, which ends before the next beat."""
    world = chain()
    world["client"].request("bottom")
    world.advance(0.5)
    wire(world).cut_off.add("r")
    world.advance(0.12)
    asked = []
    for _ in range(2):
        asked.append((world.now_s, world["client"].request("bottom")))
        world.advance(0.02)
    for asked_s, body in asked:
        world.advance(asked_s + WINDOW_S + 0.005 - world.now_s)
        assert body.state == "refused"


@pytest.mark.parametrize("phase_s", [0.01, 0.03, 0.05, 0.07])
def test_one_that_is_seen_again_and_stays_silent_is_given_up_in_time_again(phase_s: float) -> None:
    world = chain()
    world["client"].request("bottom")
    world.advance(0.5)
    wire(world).cut_off.add("r")
    world.advance(0.5)
    body = world["client"].request("bottom")
    world.advance(0.1 + phase_s)
    world["client"].happen(lambda core: core.peers.seen(world["r"].peer))
    world.advance(WINDOW_S - 0.005)
    assert body.state == "asking"
    world.advance(0.01)
    assert body.state == "refused"


def test_who_keeps_a_catalog_and_is_known_to_be_gone_is_not_given_up_for_its_silence() -> None:
    world = chain(durable=("r",))
    body = world["client"].request("bottom")
    world.advance(0.5)
    world.kill("r")
    world.advance(CORE_POLICY.reconnect_s - 0.1)
    world.boot("r")
    world.advance(0.5)
    assert body.state == "in" and not body.held[0].is_awaited


def test_who_stood_still_itself_judges_nobody() -> None:
    world = chain()
    body = world["client"].request("top")
    world.advance(0.55)  # no beat is on its way
    world.now_s += 60.0  # a SIGSTOP of the whole machine
    world.advance(1.0)
    assert body.state == "in" and not body.statuses


def test_one_that_stood_still_alone_learns_that_it_was_given_up() -> None:
    world = chain()
    body = world["client"].request("top")
    world.advance(0.5)
    wire(world).cut_off.add("client")  # nothing gets in or out while it stands still
    world.advance(1.0)
    assert not named_or_none(world, "r", "bottom")
    wire(world).cut_off.clear()
    world.advance(2.0)
    assert body.state == "over" and body.statuses[-1].severity is Severity.FATAL
    world.advance(2.0)
    world.check_empty()


def is_a(kind: type[m.Message], **fields: object) -> Callable[[m.Message], bool]:
    return lambda message: (
        isinstance(message, kind) and all(getattr(message, name) == value for name, value in fields.items())
    )


@pytest.mark.parametrize(
    "lost",
    [
        is_a(m.Ask),
        is_a(m.Grant),
        is_a(m.Grant, provisional=True),
        is_a(m.Commit),
        is_a(m.Grant, provisional=False),
    ],
    ids=["ask", "grant", "reservation", "commit", "grant after the commit"],
)
def test_whatever_is_lost_on_the_way_to_a_lease_is_said_again(lost: Callable[[m.Message], bool]) -> None:
    world = World(CHAIN, NODES, beat_s=0.1)
    losing = world.wire = Losing(world, lost)
    body = world["client"].request("bottom", "top", exclusive=True, group=True)
    world.advance(2.0)
    assert losing.lost and body.state == "in"
    world.check_books()
    world.release_all()
    world.advance(3.0)
    world.check_empty()


class LosingReleases(BadWire):
    """Loses each release and the `beats` beats after the first one; `is_forgotten`: none is repeated."""

    def __init__(self, world: World, *, beats: int = 0, is_forgotten: bool = False) -> None:
        super().__init__(world, seed=1, badness=0.0)
        self.beats = beats
        self.is_forgotten = is_forgotten
        self.lost: list[m.Release] = []

    def send(self, sender: str, to: str, message: m.Message) -> None:
        if isinstance(message, m.Release):
            self.lost.append(message)
            return
        if isinstance(message, m.Heartbeat) and sender == "client" and self.lost:
            if self.beats:
                self.beats -= 1
                return
            if self.is_forgotten:
                message = msgspec.structs.replace(message, released=())
        super().send(sender, to, message)


@pytest.mark.parametrize("phase_s", [0.0, 0.03, 0.07, 0.099])
@pytest.mark.parametrize("beats", [0, 1, 2, 5])
def test_a_lost_release_is_noticed_within_one_window(beats: int, phase_s: float) -> None:
    """What moves by it is at rest then, although other leases keep both sides talking."""
    world = chain()
    world["client"].request("top")
    body = world["client"].request("bottom", exclusive=True)
    world.advance(0.5 + phase_s)
    losing = world.wire = LosingReleases(world, beats=beats)
    body.leave()
    world.advance(WINDOW_S + 0.01)
    assert losing.lost and world["r"].safe_stops
    assert body.held[0].id not in world["r"].core.leases


def test_of_several_lost_releases_each_is_said_again() -> None:
    world = chain()
    kept = world["client"].request("top")
    bodies = [world["client"].request("bottom") for _ in range(3)]
    world.advance(0.5)
    world.wire = LosingReleases(world)
    for body in bodies:
        body.leave()
    world.advance(0.15)
    assert kept.state == "in"
    assert not [body for body in bodies if body.held[0].id in world["r"].core.leases]


def test_of_lost_releases_said_again_together_none_is_granted_what_another_gives_back() -> None:
    world = World(CHAIN | {"lamp": Recipe("r")}, NODES, beat_s=0.1)
    kept = world["client"].request("bottom")
    has, waits, next_one = (world["client"].request("lamp", exclusive=True, wait=True) for _ in range(3))
    world.advance(0.5)
    world.wire = LosingReleases(world)
    for body in (has, waits):
        body.leave()
    world.advance(0.15)
    assert kept.state == "in" and next_one.state == "in"
    granted = [each.lease for each in world["r"].records if each.deed is JournalKind.GRANT]
    assert next_one.held[0].id in granted and waits.held[0].id not in granted


def test_a_lost_word_is_said_again_with_the_release() -> None:
    interlock = Interlock()
    world = World(CHAIN, NODES, beat_s=0.1, interlock=interlock)
    world.wire = BadWire(world, seed=1, badness=0.0)
    body = world["client"].request("bottom", exclusive=True, priority=Priority.OPERATOR)
    world.advance(0.5)
    before = interlock.epoch
    world.wire = LosingReleases(world)
    body.leave(by_word=True)
    world.advance(0.5)
    world.check_empty()
    assert interlock.epoch == before, "a hand that was given back by word counts as lost"


def test_a_release_that_is_lost_for_good_is_found_in_the_books() -> None:
    world = chain()
    world["client"].request("bottom")
    body = world["client"].request("bottom")
    world.advance(0.5)
    losing = world.wire = LosingReleases(world, is_forgotten=True)
    body.leave()
    world.advance(1.0)
    assert losing.lost
    world.check_books()
    assert any(record.deed is JournalKind.REAP for record in world["r"].records)


def test_what_fails_on_its_holder_s_own_account_is_at_rest_before_its_body_has_left() -> None:
    world = chain()
    body = world["client"].request("bottom", exclusive=True)
    body.is_stubborn = True
    world.advance(0.5)
    held = body.held[0]
    world["client"].happen(lambda core: core.propagation.server_lost(held, "as if it were gone"))
    world.advance(0.01)
    assert held.phase is ClientPhase.FAILED and body.state == "failed"
    assert world["r"].safe_stops and not world["r"].core.leases
    losing = world.wire = Losing(world, is_a(m.Audit))
    world.advance(1.0)
    assert not losing.lost, "they compare their books"
    body.leave()
    world.advance(1.0)
    world.check_empty()


def test_who_asks_a_silent_provider_again_is_answered_within_one_window_each_time() -> None:
    world = chain()
    body = world["client"].request("bottom")
    world.advance(0.5)
    wire(world).cut_off.add("r")
    while body.state == "in":
        world.advance(0.005)
    for _ in range(4):  # at once, and while the former one is still on its way out of the books
        body = world["client"].request("bottom")
        began_s = world.now_s
        while body.state == "asking":
            world.advance(0.005)
            assert world.now_s < began_s + WINDOW_S + 0.02, "it waits on a dead peer"
        assert body.refusal is not None and "r has been silent" in body.refusal.status.message
        world.advance(0.03)


@pytest.mark.parametrize("durable", [(), ("r",)], ids=["lost", "waited for"])
def test_a_failed_lease_that_is_still_held_does_not_hide_the_next_silence(durable: tuple[str, ...]) -> None:
    world = chain(durable=durable)
    stubborn = world["client"].request("bottom")
    stubborn.is_stubborn = True
    world.advance(0.5)
    wire(world).cut_off.add("r")
    world.advance(0.5)
    asked = world["client"].request("bottom")
    world.advance(WINDOW_S + 0.01)
    assert asked.state == "refused", asked.state
    wire(world).cut_off.clear()
    world.advance(1.0)
    again = world["client"].request("bottom")
    world.advance(0.5)
    assert again.state == "in"
    wire(world).cut_off.add("r")
    world.advance(WINDOW_S + 0.01)
    assert again.statuses[-1].severity is (Severity.WARNING if durable else Severity.FATAL)
    wire(world).cut_off.clear()
    world.advance(1.0)
    world.check_books()


def test_a_lost_refusal_is_said_again_and_nothing_is_granted_behind_its_clients_back() -> None:
    """Had the request a second life, that would number its news from the start: what is old, is not heard."""
    world = chain()
    body = waiting(world)
    world.advance(0.5)
    losing = world.wire = Losing(world, is_a(m.Refusal))
    fail(world["r"], "bottom", "unplugged")
    world.advance(1.0)
    assert losing.lost and not world["r"].core.leases
    assert body.refusal is not None and body.refusal.status.message == "unplugged"
    world.check_empty()


def test_a_lease_whose_confirmation_was_lost_after_a_restart_is_confirmed_all_the_same() -> None:
    world = chain(durable=("r",))
    body = world["client"].request("bottom")
    world.advance(0.5)
    losing = world.wire = Losing(world, is_a(m.Ask))
    world.kill("r")
    world.boot("r")
    world.advance(CORE_POLICY.reconfirm_s - 0.2)
    assert losing.lost and body.state == "in"
    assert not body.held[0].is_awaited and named(world["r"], "bottom").state.is_up
    world.check_books()


def test_a_lost_end_is_told_again_and_told_once() -> None:
    world = chain()
    body = world["client"].request("bottom")
    world.advance(0.5)
    losing = world.wire = Losing(world, is_a(m.Tell, severity=Severity.FATAL))
    fail(world["r"], "bottom", "unplugged")
    world.advance(1.0)
    assert losing.lost
    assert [status.message for status in body.statuses] == ["unplugged"]


@pytest.mark.parametrize("more", [False, True], ids=["nothing after it", "a warning after it"])
def test_a_lost_update_reaches_its_client_all_the_same(more: bool) -> None:
    world = chain()
    body = world["client"].request("bottom")
    world.advance(0.5)
    number = named(world["r"], "bottom").number
    losing = world.wire = Losing(world, is_a(m.Tell, severity=Severity.UPDATE))
    world["r"].happen(lambda core: core.conditions.update(number, "a new handle", "moved"))
    if more:
        world["r"].happen(lambda core: core.conditions.report(number, Severity.WARNING, "warm"))
    world.advance(1.0)
    assert losing.lost
    assert body.held[0].value == "a new handle"
    assert Severity.UPDATE in [status.severity for status in body.statuses]
    world.check_books()


def test_a_lost_change_of_priority_is_made_good() -> None:
    world = chain()
    world["client"].request("top", priority=Priority.BACKGROUND)
    world.advance(0.5)
    world.wire = Losing(world, is_a(m.Reprioritise))
    world["client"].request("top", priority=Priority.OPERATOR)
    world.advance(1.0)
    assert named(world["r"], "bottom").priority is Priority.OPERATOR
    world.check_books()


def test_the_same_change_lost_twice_does_not_hide_itself() -> None:
    recipes = {
        "top": Recipe("p", (Need("left"), Need("right"))),
        "left": Recipe("q"),
        "right": Recipe("q"),
    }
    world = World(recipes, ("client", "p", "q"), beat_s=0.1)
    world.wire = BadWire(world, seed=1, badness=0.0)
    world["client"].request("top", priority=Priority.BACKGROUND)
    world.advance(0.5)
    losing = world.wire = Losing(world, is_a(m.Reprioritise), most=2)
    world["client"].request("top", priority=Priority.OPERATOR)
    world.advance(1.0)
    assert len(losing.lost) == 2
    assert all(named(world["q"], name).priority is Priority.OPERATOR for name in ("left", "right"))
    world.check_books()


def waiting(world: World) -> Body:
    """A client that waits for the bottom, which somebody else holds."""
    world["p"].request("bottom", exclusive=True)
    world.advance(0.5)
    return world["client"].request("bottom", exclusive=True, wait=True)


def test_a_lost_place_in_the_queue_is_told_again_and_told_once() -> None:
    world = chain()
    losing = world.wire = Losing(world, is_a(m.Queued))
    body = waiting(world)
    world.advance(1.0)
    assert losing.lost and body.held[0].phase is ClientPhase.QUEUED
    assert [status.message for status in body.statuses] == ["waiting for p, first in the queue"]
    world.check_books()


def test_the_place_of_what_is_waited_for_below_is_told_again_too() -> None:
    recipes = {"top": Recipe("p", (Need("bottom", exclusive=True, wait=True),)), "bottom": Recipe("r")}
    world = World(recipes, ("client", "other", "p", "r"), beat_s=0.1)
    losing = world.wire = Losing(world, lambda message: isinstance(message, m.Queued), most=2)
    world["other"].request("bottom", exclusive=True)
    world.advance(0.3)
    body = world["client"].request("top", wait=True)
    world.advance(0.8)
    assert len(losing.lost) == 2
    assert body.held[0].phase is ClientPhase.QUEUED
    assert [status.message for status in body.statuses] == ["waiting for other, first in the queue"]
    world.check_books()


def test_who_comes_while_what_is_loaded_waits_is_told_for_whom() -> None:
    recipes = {"top": Recipe("p", (Need("bottom", exclusive=True, wait=True),)), "bottom": Recipe("r")}
    world = World(recipes, ("client", "other", "p", "r"), beat_s=0.1)
    world["other"].request("bottom", exclusive=True)
    world.advance(0.3)
    bodies = [world["client"].request("top", wait=True)]
    world.advance(0.3)
    bodies.append(world["client"].request("top", wait=True))
    world.advance(0.3)
    for body in bodies:
        assert [status.message for status in body.statuses] == ["waiting for other, first in the queue"]
    world.check_books()


def test_who_is_next_for_what_is_loaded_waits_for_what_that_waits_for() -> None:
    recipes = {"top": Recipe("p", (Need("bottom", exclusive=True, wait=True),)), "bottom": Recipe("r")}
    world = World(recipes, ("client", "other", "p", "r"), beat_s=0.1)
    world["other"].request("bottom", exclusive=True)
    world.advance(0.3)
    first = world["client"].request("top", exclusive=True, wait=True)
    second = world["client"].request("top", exclusive=True, wait=True)
    world.advance(0.3)
    assert "waiting for client" in second.statuses[-1].message
    first.leave()
    world.advance(0.3)
    assert second.statuses[-1].message == "waiting for other, first in the queue"


def test_a_place_that_comes_late_does_not_replace_a_newer_one() -> None:
    world = chain()
    body = waiting(world)
    world.advance(0.5)
    held, server = body.held[0], world["r"]
    boot = server.core.boot
    for place, sequence, speaker in (
        (2, held.sequence, boot),
        (3, held.sequence + 1, "an incarnation before"),
    ):
        late = m.Queued(held.id, "somebody", place, sequence, speaker)
        world["client"].happen(lambda core, late=late: core.receive("r", late))  # type: ignore[misc]
    assert held.place == ("p", 1)
    assert [status.message for status in body.statuses] == ["waiting for p, first in the queue"]


def test_the_news_of_a_failed_lease_is_repeated_until_both_sides_agree() -> None:
    """It is over here before its body has left, and asked for no more: the provider repeats by itself."""
    world = chain()
    body = world["client"].request("bottom")
    body.is_stubborn = True
    world.advance(0.5)
    held = body.held[0]
    doubled = held.sent
    assert doubled is not None
    fail(world["r"], "bottom", "unplugged")
    world.advance(0.05)
    assert held.phase is ClientPhase.FAILED
    losing = world.wire = Losing(world, is_a(m.Tell, severity=Severity.FATAL))
    world["r"].happen(lambda core: core.receive("client", doubled))  # it says once more how it ended
    world.advance(0.5)
    assert losing.lost and held.sequence >= losing.lost[0].sequence  # type: ignore[attr-defined]
    later = world.wire = Losing(world, is_a(m.Audit))
    world.advance(0.5)
    assert not later.lost, "they still compare their books"
    assert len(body.statuses) == 1, "a second failure of one lease"
    world.check_books()


def test_a_release_that_overtakes_its_request_is_remembered() -> None:
    world = World(CHAIN, NODES)
    node = world["r"]
    ask = m.Ask("client:x:1", "client", "x", KIND, Thing("bottom"), "client")
    node.happen(lambda core: core.receive("client", m.Release(ask.lease)))
    node.happen(lambda core: core.receive("client", ask))
    assert not node.core.resources and not node.core.leases


def test_a_grant_for_a_lease_that_nobody_knows_is_given_back() -> None:
    world = World(CHAIN, NODES)
    body = world["client"].request("bottom")
    held = body.held[0]
    world.wire.deliver()  # the request has arrived, and is forgotten here: a reborn client
    world["client"].core.holds.clear()
    world["client"].core.timers.clear(("ask", held.id))
    world.settle()
    world.check_empty()


def test_a_reservation_said_twice_does_not_pass_for_the_grant() -> None:
    world = World(CHAIN, NODES)
    client, server = world["client"], world["r"]
    first = client.request("bottom", exclusive=True)
    first.is_stubborn = True
    world.settle()
    body = client.request("bottom", exclusive=True, priority=Priority.OPERATOR, group=True)
    world.settle()
    held = body.held[0]
    doubled = held.sent
    assert doubled is not None
    assert doubled.provisional
    server.happen(lambda core: core.receive("client", doubled))
    world.settle()
    assert held.sequence == 2, "the reservation was not said twice"
    assert held.phase is ClientPhase.RESERVED and body.state == "taking"
    first.leave()
    world.settle()
    assert body.state == "in"


def test_for_whom_something_is_held_is_known_further_on_though_the_news_was_lost() -> None:
    """Same priority, same permit, another person: refusals and queues further on name whom it is held for."""
    world = World(CHAIN, (*NODES, "second"), beat_s=0.1)
    world.wire = Losing(world, lambda message: isinstance(message, m.Reprioritise), most=2)
    bodies = [world[name].request("top") for name in ("client", "second")]
    world.advance(0.5)
    bodies[0].leave()
    world.advance(1.0)
    assert world.wire.lost, "nothing was lost"
    assert [each.who for each in world["r"].core.leases.values()] == ["second"]


def test_a_pause_whose_news_was_lost_is_known_further_on_nevertheless() -> None:
    """The request that is repeated brings it to the next registrar, and from there it goes on as usual."""
    interlock = Interlock()
    world = World(CHAIN, NODES, beat_s=0.1, interlock=interlock)
    world.wire = Losing(world, lambda message: isinstance(message, m.Reprioritise))
    interlock.give_word("plan")
    world["client"].request("top", permit=interlock.permit("plan"))
    world.advance(0.5)
    interlock.suspend("plan", True)
    world.advance(1.0)
    assert world.wire.lost, "nothing was lost"
    permits = [each.permit for each in world["r"].core.leases.values()]
    assert [permit.is_suspended for permit in permits if permit is not None] == [True]


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.OK])
def test_how_it_is_is_known_although_the_word_of_it_was_lost(severity: Severity) -> None:
    """Also to what stands on it, and once."""
    world = World(CHAIN, NODES, beat_s=0.1)
    world.wire = Losing(world, lambda message: isinstance(message, m.Tell) and message.severity is severity)
    body = world["client"].request("top")
    world.advance(0.5)
    bottom = named(world["r"], "bottom")
    for each in (Severity.WARNING, Severity.OK):
        world["r"].core.conditions.report(bottom.number, each, "it is too warm")
        world.advance(0.6)
        said = [status.severity for status in body.statuses if status.severity is not Severity.UPDATE]
        assert said[-1:] == [each] and said.count(Severity.WARNING) == 1, said


def test_a_warning_that_overtakes_its_grant_is_heard() -> None:
    world = World(CHAIN, NODES, beat_s=0.1)
    world["client"].request("bottom")
    world.advance(0.5)
    world["r"].core.conditions.report(named(world["r"], "bottom").number, Severity.WARNING, "it is too warm")
    world.wire = Losing(world, lambda message: isinstance(message, m.Grant))
    body = world["client"].request("bottom")
    world.advance(0.6)
    assert [status.severity for status in body.statuses] == [Severity.WARNING]


class Doubling(BadWire):
    """Delivers these a second time, a little later."""

    def __init__(self, world: World, kind: type[m.Message]) -> None:
        super().__init__(world, seed=1, badness=0.0)
        self.kind = kind
        self.again: list[tuple[float, str, str, m.Message]] = []
        self.is_over = False

    def send(self, sender: str, to: str, message: m.Message) -> None:
        super().send(sender, to, message)
        if isinstance(message, self.kind) and not self.is_over:
            self.again.append((self.world.now_s + 0.05, sender, to, message))
        if self.again and self.again[0][0] <= self.world.now_s:
            super().send(*self.again.pop(0)[1:])


@pytest.mark.parametrize("kind", [m.Ask, m.Reprioritise])
def test_an_older_wish_that_comes_twice_takes_nothing_back(kind: type[m.Message]) -> None:
    world = World(CHAIN, NODES, beat_s=0.1)
    world.wire = doubling = Doubling(world, kind)
    world["client"].request("top", priority=Priority.BACKGROUND)
    world.advance(0.02)
    if kind is m.Reprioritise:
        world["client"].request("top", priority=Priority.AUTONOMY)
        world.advance(0.02)
    doubling.is_over = True
    world["client"].request("top", priority=Priority.OPERATOR)
    world.advance(0.01)
    for _ in range(100):  # beats carry the second copies
        world.advance(0.005)
        assert named(world["r"], "bottom").priority is Priority.OPERATOR
    assert not doubling.again
