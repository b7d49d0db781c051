"""Beats, audits and peers as they are when not all goes well: doubled, late, of a former life.

What becomes of leases by it stands in `test_core_heartbeats.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from framework.registrar.effects import JournalKind
from framework.registrar.records import ClientPhase
from framework.status import Priority, Severity
from framework.transport import messages as m
from tests.framework.registrar.simulated import CORE_POLICY, BadWire, Need, Recipe, World, fail, named

CHAIN = {
    "top": Recipe("p", (Need("middle"),)),
    "middle": Recipe("q", (Need("bottom"),)),
    "bottom": Recipe("r", moves=True),
    "lamp": Recipe("r"),
}
NODES = ("client", "other", "p", "q", "r")
WINDOW_S = CORE_POLICY.window_s


class Watched(BadWire):
    """Notes what is sent, and loses what `is_lost` picks."""

    def __init__(self, world: World) -> None:
        super().__init__(world, seed=1, badness=0.0)
        self.sent: list[tuple[float, str, str, m.Message]] = []
        self.is_lost: Callable[[str, str, m.Message], bool] = lambda sender, to, message: False

    def send(self, sender: str, to: str, message: m.Message) -> None:
        self.sent.append((self.world.now_s, sender, to, message))
        if not self.is_lost(sender, to, message):
            super().send(sender, to, message)

    def count(self, kind: type[m.Message], sender: str, to: str) -> int:
        return sum((each[1], each[2]) == (sender, to) and isinstance(each[3], kind) for each in self.sent)

    def last_beat(self, sender: str, to: str) -> m.Heartbeat:
        beats = [each[3] for each in self.sent if (each[1], each[2]) == (sender, to)]
        return next(beat for beat in reversed(beats) if isinstance(beat, m.Heartbeat))


def furnished(durable: tuple[str, ...] = ()) -> tuple[World, Watched]:
    world = World(CHAIN, NODES, beat_s=0.1, durable=durable)
    world.wire = wire = Watched(world)
    return world, wire


def hears(world: World, name: str, sender: str, message: m.Message) -> None:
    world[name].happen(lambda core: core.receive(sender, message))


def beat(like: m.Heartbeat, later: int, *, agrees: bool) -> m.Heartbeat:
    digest = like.digest if agrees else like.digest ^ 1
    return m.Heartbeat(like.boot, like.sequence + later, like.count, digest, {})


# -- whether the books agree


@pytest.mark.parametrize(
    ("beats", "audits"),
    [
        ([(1, False)], 0),  # what is on its way makes for one difference, that is all
        ([(1, False), (1, False), (1, False)], 0),  # the same one, doubled
        ([(2, False), (1, False)], 0),  # an older one, late
        ([(1, False), (2, True), (3, False)], 0),  # two that have nothing to do with each other
        ([(1, False), (2, False)], 1),
        ([(1, False), (2, False), (3, False)], 1),  # the answer to the first is on its way
        ([(1, False), (2, False), (3, False), (4, False)], 2),
    ],
)
def test_books_are_compared_when_two_beats_in_a_row_differ(
    beats: list[tuple[int, bool]], audits: int
) -> None:
    world, wire = furnished()
    world["client"].request("lamp")
    world.advance(0.5)
    last = wire.last_beat("client", "r")
    before = wire.count(m.Audit, "r", "client")
    for later, agrees in beats:
        hears(world, "r", "client", beat(last, later, agrees=agrees))
    assert wire.count(m.Audit, "r", "client") - before == audits


def test_a_beat_of_a_former_life_is_not_heard() -> None:
    world, wire = furnished()
    world["client"].request("lamp")
    world.advance(3.0)
    old = wire.last_beat("client", "r")
    world.kill("client")
    world.boot("client")
    body = world["client"].request("lamp")
    world.advance(0.05)
    hears(world, "r", "client", m.Heartbeat(old.boot, old.sequence + 50, 1, 7, {}))
    world.advance(2.0)
    assert body.state == "in" and not body.statuses, "beats that come now count as older than that"
    assert not wire.count(m.Audit, "r", "client")


def test_who_has_left_everything_is_sent_no_beats_for_ever() -> None:
    world, wire = furnished()
    body = world["client"].request("lamp")
    world.advance(0.5)
    body.leave()
    world.advance(2.0)
    before = len(wire.sent)
    world.advance(10.0)
    assert len(wire.sent) == before


# -- who answers an audit, and what is done about it


def test_a_list_of_leases_says_nothing_about_those_of_others() -> None:
    world, _ = furnished()
    world["client"].request("lamp")
    other = world["other"].request("lamp")
    world.advance(0.5)
    held = other.held[0].id
    hears(world, "r", "client", m.Holding(world["client"].core.boot, (), failed=(held,)))
    assert held in world["r"].core.leases
    world.advance(1.0)
    assert other.state == "in" and not other.statuses


def test_what_is_disowned_stays_so_even_if_its_request_comes_late() -> None:
    world, wire = furnished()
    wire.is_lost = lambda sender, to, message: isinstance(message, m.Ask)
    body = world["client"].request("lamp")
    world.advance(0.05)
    late = body.held[0].sent
    assert late is not None
    hears(world, "r", "client", m.Holding(world["client"].core.boot, (late.lease,)))
    hears(world, "r", "client", late)
    assert not world["r"].core.leases
    wire.is_lost = lambda sender, to, message: False
    world.advance(1.0)
    assert body.refusal is not None
    world.check_empty()


def test_news_that_disowns_is_heard_however_much_was_heard_before() -> None:
    world, _ = furnished()
    body = world["client"].request("lamp")
    world.advance(0.5)
    number = named(world["r"], "lamp").number
    for handle in "abc":
        world["r"].happen(lambda core, handle=handle: core.conditions.update(number, handle, "moved"))  # type: ignore[misc]
    world.advance(0.1)
    held = body.held[0]
    hears(world, "r", "client", m.Holding(world["client"].core.boot, (held.id, "client:x:99")))
    world["r"].happen(lambda core: core.serving.drop(core.leases[held.id], "lost by a mistake"))
    world.advance(1.0)
    assert body.state == "over"


# -- ages


def test_who_left_in_order_leaves_no_age_behind_whoever_was_silent_before() -> None:
    """The one that was reaped was not the last one: what is below goes down in order."""
    world, wire = furnished()
    world["client"].request("top")
    last = world["other"].request("top")
    world.advance(0.5)
    wire.cut_off.add("client")
    world.advance(0.6)
    world.stop_mode["top"] = "hang"
    last.leave()
    world.advance(0.9)  # its own time to stop is 1 s
    assert named(world["q"], "middle").state.is_up, "the middle is taken from a provider that is stopping"
    wire.cut_off.clear()


def test_the_age_of_a_client_that_is_back_is_forgotten_at_once() -> None:
    world, wire = furnished()
    body = world["client"].request("top")
    world.advance(0.5)
    for _ in range(5):  # each gap is noticed, none is too long
        wire.cut_off.add("client")
        world.advance(0.17)
        wire.cut_off.clear()
        world.advance(0.13)
    assert any(isinstance(each[3], m.Heartbeat) and each[3].ages_s for each in wire.sent if each[1] == "p"), (
        "no age was passed on"
    )
    world.advance(1.0)
    assert body.state == "in" and not body.statuses


def test_of_two_clients_the_one_that_lives_counts() -> None:
    world, wire = furnished()
    world["client"].request("top")
    lives = world["other"].request("top")
    world.advance(0.5)
    wire.cut_off.add("client")
    world.advance(2.0)
    assert lives.state == "in" and not lives.statuses
    assert named(world["r"], "bottom").state.is_up
    wire.cut_off.clear()


# -- peers


def test_who_keeps_a_catalog_and_speaks_again_is_asked_at_once() -> None:
    world, wire = furnished(durable=("r",))
    body = world["client"].request("lamp")
    world.advance(0.5)
    wire.is_lost = lambda sender, to, message: sender == "r" and to == "client"
    world.advance(0.5)
    assert body.held[0].is_awaited
    # By the beat itself: that its books differ, too, would be heard a moment later.
    wire.is_lost = lambda sender, to, message: isinstance(message, m.Audit)
    world.advance(0.11)  # one beat, one question, one answer
    assert not body.held[0].is_awaited
    assert [status.severity for status in body.statuses] == [Severity.WARNING, Severity.OK]


def test_who_speaks_again_is_asked_once_more_when_that_was_lost() -> None:
    """Both books are as they were; the histories over wires found it."""
    world, wire = furnished(durable=("r",))
    body = world["client"].request("lamp")
    world.advance(0.5)
    wire.is_lost = lambda sender, to, message: sender == "r" and to == "client"
    world.advance(0.5)
    wire.is_lost = lambda sender, to, message: isinstance(message, m.Ask)
    world.advance(0.11)
    assert body.held[0].is_awaited
    wire.is_lost = lambda sender, to, message: False
    world.advance(0.5)
    assert body.state == "in" and not body.held[0].is_awaited
    assert [status.severity for status in body.statuses] == [Severity.WARNING, Severity.OK]


def test_what_is_wrong_is_so_still_when_who_says_so_is_heard_of_again() -> None:
    """That its manager is back is no news of the thing; the histories over wires found it."""
    world, wire = furnished(durable=("r",))
    body, above = world["client"].request("lamp"), world["client"].request("top")
    world.advance(0.5)
    numbers = [named(world["r"], name).number for name in ("lamp", "bottom")]

    def say(severity: Severity, words: str) -> None:
        for number in numbers:
            world["r"].core.conditions.report(number, severity, words)
        world["r"].drain()

    say(Severity.WARNING, "dusty")
    world.advance(0.5)
    wire.is_lost = lambda sender, to, message: sender == "r"
    world.advance(0.5)
    assert body.held[0].is_awaited
    wire.is_lost = lambda sender, to, message: False
    world.advance(1.0)
    for told in (body.statuses, above.statuses):
        assert [status.message for status in told].count("dusty") == 1
        spoken = [status.severity for status in told if status.severity is not Severity.UPDATE]
        assert spoken == [Severity.WARNING] * 2
    assert body.state == above.state == "in" and not body.held[0].is_awaited
    say(Severity.OK, "clean")
    world.advance(0.5)
    assert body.statuses[-1].message == above.statuses[-1].message == "clean"


def test_who_has_been_silent_and_is_back_has_a_window_to_answer_what_it_is_asked() -> None:
    world, wire = furnished(durable=("r",))
    world["client"].request("lamp")
    world.advance(0.5)
    wire.cut_off.add("r")
    world.advance(1.0)
    body = world["client"].request("bottom")
    wire.cut_off.clear()
    world.advance(0.5)
    assert body.refusal is None or "silent" not in body.refusal.status.message


def test_who_is_waited_for_is_warned_of_once() -> None:
    world, wire = furnished(durable=("r",))
    body = world["client"].request("lamp")
    world.advance(0.5)
    wire.is_lost = lambda sender, to, message: sender == "r" and to == "client"
    world.advance(1.5)
    assert [status.severity for status in body.statuses] == [Severity.WARNING]
    world.advance(CORE_POLICY.reconnect_s)
    assert [status.severity for status in body.statuses] == [Severity.WARNING, Severity.FATAL]


def test_a_late_word_that_a_former_life_is_gone_takes_nothing_from_the_present_one() -> None:
    world, _ = furnished()
    old = world["client"].core.boot
    world.kill("client")
    world.boot("client")
    body = world["client"].request("lamp")
    world.advance(0.5)
    world["r"].happen(lambda core: core.peers.lost("client", old))
    world.advance(1.0)
    assert body.state == "in" and not body.statuses


def test_a_peer_that_shows_itself_again_keeps_what_it_has() -> None:
    """It advertises something new: the same incarnation, so nothing of it is over."""
    world, _ = furnished()
    body = world["client"].request("lamp")
    world.advance(0.5)
    for sender, to in (("client", "r"), ("r", "client"), ("r", "r")):
        world[to].happen(lambda core, sender=sender: core.peers.seen(world[sender].peer))  # type: ignore[misc]
    world.advance(1.0)
    assert body.state == "in" and not body.statuses
    assert "r" not in world["r"].core.peers.known


def test_who_is_gone_is_not_asked_any_more() -> None:
    world, wire = furnished()
    world.kill("r")
    assert "r" not in world["client"].core.peers.known
    assert all("r" not in names for names in world["client"].core.peers.providers.values())
    body = world["client"].request("lamp")
    world.advance(0.1)
    assert body.refusal is not None and "no registrar named 'r'" in body.refusal.status.message
    assert not wire.count(m.Ask, "client", "r")
    world.boot("r")
    assert all(names.count("r") == 1 for names in world["client"].core.peers.providers.values())


@pytest.mark.parametrize("is_unnoticed", [False, True])
def test_what_was_reserved_at_a_registrar_that_was_restarted_is_lost_for_its_group(
    is_unnoticed: bool,
) -> None:
    world, _ = furnished(durable=("r",))
    world["other"].request("lamp", exclusive=True)
    world.advance(0.5)
    body = world["client"].request("lamp", "bottom", exclusive=True, wait=True, group=True)
    world.advance(0.2)
    assert ClientPhase.RESERVED in [held.phase for held in body.held]
    world.kill("r", quietly=is_unnoticed)
    world.boot("r")
    world.advance(0.1)
    assert body.state != "in"
    world.advance(6.0)
    world.release_all()
    world.advance(6.0)
    world.check_empty()


def test_news_that_overtakes_a_lost_grant_does_not_hide_that_it_was_lost() -> None:
    """Both had the same number of the last that was said, so that nobody asked; `make soak` found it."""
    world, wire = furnished()
    wire.is_lost = lambda sender, to, message: isinstance(message, m.Grant) and not message.provisional
    body = world["client"].request("lamp", "bottom", wait=True, group=True)
    world.advance(0.05)
    assert [held.phase for held in body.held] == [ClientPhase.RESERVED] * 2
    wire.is_lost = lambda sender, to, message: isinstance(message, m.Grant | m.Ask)
    lamp, bottom = (named(world["r"], name).number for name in ("lamp", "bottom"))
    world["r"].happen(lambda core: core.conditions.report(lamp, Severity.WARNING, "dusty"))
    world["r"].happen(lambda core: core.conditions.report(bottom, Severity.WARNING, "dusty"))
    world.advance(0.05)
    assert [held.phase for held in body.held] == [ClientPhase.RESERVED] * 2
    wire.is_lost = lambda sender, to, message: False
    world.advance(1.0)
    assert body.state == "in"


def test_a_failed_lease_stays_so_when_its_registrar_comes_back() -> None:
    world, _ = furnished(durable=("r",))
    body = world["client"].request("lamp")
    body.is_stubborn = True
    world.advance(0.5)
    fail(world["r"], "lamp")
    world.advance(0.5)
    world.kill("r")
    world.boot("r")
    world.advance(4.0)
    assert not world["r"].core.resources, "it is loaded for one that has failed long since"
    assert [status.severity for status in body.statuses] == [Severity.FATAL]


def test_a_client_that_is_silent_while_it_has_not_reconfirmed_yet_is_given_its_time() -> None:
    world, wire = furnished(durable=("r",))
    body = world["client"].request("lamp", priority=Priority.OPERATOR)
    world.advance(0.5)
    wire.is_lost = lambda sender, to, message: sender == "client" and not isinstance(message, m.Heartbeat)
    world.kill("r")
    world.boot("r")
    world.advance(0.15)
    wire.cut_off.add("client")
    world.advance(2 * WINDOW_S)
    assert body.held[0].id in world["r"].core.leases
    wire.cut_off.clear()
    wire.is_lost = lambda sender, to, message: False
    world.advance(0.4)
    assert body.state == "in" and not body.held[0].is_awaited


def test_who_reconfirms_late_after_a_restart_is_not_silent_since_the_restart() -> None:
    """Its word is the first that is heard of it, just before its window is over, and no beat yet."""
    world, wire = furnished(durable=("r",))
    body = world["client"].request("lamp")
    world.advance(0.5)
    wire.cut_off.add("client")
    world.kill("r")
    world.boot("r")
    world.advance(WINDOW_S - 0.03)
    wire.cut_off.clear()
    wire.is_lost = lambda sender, to, message: sender == "client" and isinstance(message, m.Heartbeat)
    world.advance(0.2)
    wire.is_lost = lambda sender, to, message: False
    world.advance(1.0)
    assert body.state == "in" and not body.held[0].is_awaited
    assert [status.severity for status in body.statuses].count(Severity.FATAL) == 0


def test_who_waits_and_is_given_up_for_its_silence_is_told_at_once() -> None:
    """Its beats get lost and what is said to it does not: it knows where it stands before any audit."""
    world, wire = furnished()
    world["other"].request("lamp", exclusive=True)
    world.advance(0.3)
    body = world["client"].request("lamp", exclusive=True, wait=True)
    world.advance(0.3)
    assert body.held[0].phase is ClientPhase.QUEUED
    wire.is_lost = lambda sender, to, message: sender == "client"
    world.advance(WINDOW_S + 0.01)
    assert body.refusal is not None and "gave it up" in body.refusal.status.message


def test_who_gives_up_a_silent_provider_says_so_to_it() -> None:
    """What it grants gets lost, and so do its audits: else it would be up for nobody for ever."""
    world, wire = furnished()
    world["client"].request("lamp")
    wire.is_lost = lambda sender, to, message: sender == "r"
    world.advance(2 * WINDOW_S)
    assert not world["client"].core.holds and not world["r"].core.leases
    world.advance(1.0)
    assert not world.running["lamp"]


@pytest.mark.parametrize("end", ["restarted", "restarted unnoticed", "reaped"])
def test_of_what_has_failed_and_is_known_to_nobody_books_are_not_compared_for_ever(end: str) -> None:
    """Its body has not left yet, and need not give back anything."""
    world, wire = furnished(durable=("r",))
    body = world["client"].request("lamp")
    body.is_stubborn = True
    world.advance(0.5)
    if end == "reaped":
        wire.is_lost = lambda sender, to, message: sender == "client"
        world.advance(2 * WINDOW_S)
        wire.is_lost = lambda sender, to, message: False
    else:
        fail(world["r"], "lamp")
        world.advance(0.5)
        world.kill("r", quietly=end == "restarted unnoticed")
        world.boot("r")
    assert body.state == "failed"
    world.advance(1.0)
    before = wire.count(m.Audit, "r", "client")
    world.advance(5.0)
    assert wire.count(m.Audit, "r", "client") == before
    body.leave()
    world.advance(1.0)
    world.check_empty()


def test_a_registrar_that_is_not_ready_yet_does_not_disown_what_it_has_lent() -> None:
    """It beats, and compares its books, before it provides anything and has taken up its catalog."""
    world, wire = furnished(durable=("r",))
    body = world["client"].request("lamp")
    world.advance(0.5)
    world.kill("r")
    late = world.boot("r", late=True)
    world.advance(1.0)
    assert wire.count(m.Audit, "r", "client")
    world.furnish(late)
    world.advance(0.5)
    assert body.state == "in" and not body.held[0].is_awaited
    assert Severity.FATAL not in [status.severity for status in body.statuses]


def test_while_what_is_between_goes_down_slowly_the_silence_of_who_it_was_for_counts() -> None:
    """The beats that said how old that is got lost until its lease was taken away."""
    world, wire = furnished()
    world["client"].request("top")
    world.advance(0.5)
    middle = named(world["q"], "middle")
    wire.is_lost = lambda sender, to, message: (
        isinstance(message, m.Heartbeat) and bool(message.ages_s) and sender == "q" and middle.state.is_up
    )
    wire.cut_off.add("client")
    cut_at_s = world.now_s
    world.stop_mode = {"top": "hang", "middle": "hang"}
    while middle.state.is_up:
        world.advance(0.001)
    world.advance(0.105)  # one beat
    assert not any(each.state.is_up for each in world["r"].core.resources.values())
    assert world.now_s < cut_at_s + WINDOW_S + 0.12
    reaped = [record.why for record in world["r"].records if record.deed is JournalKind.REAP]
    assert reaped == ["the client it is for has gone silent"]
    wire.cut_off.clear()


def test_what_one_client_says_of_silence_says_nothing_about_the_leases_of_others() -> None:
    world, wire = furnished()
    world["client"].request("lamp")
    other = world["other"].request("lamp")
    world.advance(0.5)
    last = wire.last_beat("client", "r")
    ages_s = {other.held[0].id: 9.0, "nobody:s:1": 9.0}
    hears(world, "r", "client", m.Heartbeat(last.boot, last.sequence + 1, last.count, last.digest, ages_s))
    world.advance(0.15)
    assert other.state == "in" and not other.statuses


def test_whose_request_was_lost_and_who_then_vanishes_is_sent_no_beats_for_ever() -> None:
    world, wire = furnished()
    wire.is_lost = lambda sender, to, message: isinstance(message, m.Ask)
    world["client"].request("lamp")
    world.advance(0.11)  # one beat speaks of a lease that nobody knows
    world.kill("client", quietly=True)
    world.advance(2 * WINDOW_S)
    before = len(wire.sent)
    world.advance(5.0)
    assert len(wire.sent) == before


def test_what_a_killed_registrar_had_only_reserved_is_not_waited_for() -> None:
    """It keeps a catalog, in which there are no reservations: the group begins anew, or not at all."""
    recipes = {"far": Recipe("r"), "near": Recipe("p")}
    world = World(recipes, ("client", "other", "p", "r"), beat_s=0.1, durable=("p", "r"))
    world["other"].request("near", exclusive=True)
    world.advance(0.3)
    body = world["client"].request("far", "near", exclusive=True, wait=True, group=True)
    world.advance(0.3)
    assert [held.phase for held in body.held] == [ClientPhase.RESERVED, ClientPhase.QUEUED]
    world.kill("r")
    world.advance(0.1)
    assert body.state == "over", "it waits for what is no more"
