"""Messages that are not from whom they say, of former lives, doubled or late: they change nothing.

And what is changed in good order reaches everything below.
"""

from __future__ import annotations

import msgspec
import pytest

from framework.interlock import Interlock
from framework.registrar import serving
from framework.registrar.effects import JournalKind
from framework.registrar.marshalling import Marshalling
from framework.registrar.snapshot import take
from framework.status import Priority, ReasonKind
from framework.transport import messages as m
from tests.framework.registrar.simulated import KIND, Body, Need, Recipe, Thing, World, fail, named

RECIPES = {
    "top": Recipe("p", (Need("middle"),)),
    "middle": Recipe("q", (Need("bottom", exclusive=True),)),
    "bottom": Recipe("r", moves=True),
    "lamp": Recipe("r"),
}
NODES = ("client", "other", "p", "q", "r")


def hears(world: World, name: str, sender: str, message: m.Message) -> None:
    world[name].happen(lambda core: core.receive(sender, message))
    world.settle()


def granted(name: str, *, exclusive: bool = False, durable: tuple[str, ...] = ()) -> tuple[World, Body]:
    world = World(RECIPES, NODES, durable=durable)
    body = world["client"].request(name, exclusive=exclusive)
    world.settle()
    assert body.state == "in"
    return world, body


def named_device(world: World) -> str:
    (stop,) = [each for each in world["r"].records if each.deed is JournalKind.SAFE_STOP]
    return str(stop.request)


def sent_by(body: Body) -> m.Ask:
    ask = body.held[0].sent
    assert ask is not None
    return ask


@pytest.mark.parametrize("sender", ["other", "nobody"])
def test_nobody_changes_or_makes_a_request_in_another_one_s_name(sender: str) -> None:
    world, body = granted("lamp")
    before = take(world["r"].core)
    known = msgspec.structs.replace(sent_by(body), priority=Priority.OPERATOR)
    new = m.Ask("client:x:1", "client", "x", KIND, Thing("bottom"), "client", exclusive=True)
    lease = body.held[0].id
    for message in (
        known,
        new,
        m.Commit(lease),
        m.Reprioritise(lease, Priority.OPERATOR, sender, wish=9),
        m.Release(lease),
        m.Command(lease, 0, 1, 0.0, b"go"),
    ):
        hears(world, "r", sender, message)
    assert take(world["r"].core) == before and not world["r"].commands
    assert not world.starts["bottom"], "it was up for somebody who has not asked for it"


def test_a_command_counts_once_in_order_and_under_its_own_grant() -> None:
    world, body = granted("bottom", exclusive=True)
    held = body.held[0]
    for generation, sequence in (
        (held.generation, 1),
        (held.generation, 1),  # doubled
        (held.generation - 1, 2),  # of a former grant
        (held.generation + 1, 2),  # of none yet
        (held.generation, 3),
        (held.generation, 2),  # late
        (held.generation, 4),
    ):
        hears(world, "r", "client", m.Command(held.id, generation, sequence, 0.0, b"%d" % sequence))
    assert [command.payload for command in world["r"].commands] == [b"1", b"3", b"4"]


def test_for_whom_it_is_now_is_told_all_the_way_down() -> None:
    world, body = granted("top")
    assert named(world["r"], "bottom").first_client() == "client"
    hears(world, "p", "client", m.Reprioritise(body.held[0].id, Priority.AUTONOMY, "ada", wish=8))
    assert named(world["r"], "bottom").first_client() == "ada"
    hears(world, "p", "client", m.Reprioritise(body.held[0].id, Priority.OPERATOR, "", wish=9))
    assert named(world["r"], "bottom").first_client() == "ada"
    assert named(world["r"], "bottom").priority is Priority.OPERATOR


def test_what_was_given_back_before_it_could_be_restored_is_not_restored() -> None:
    world, body = granted("lamp", durable=("r",))
    ask = sent_by(body)
    body.leave()
    world.settle()
    world["r"].catalog[ask.lease] = ask  # as a crash left it; the release came before it was read
    world["r"].happen(lambda core: core.serving.restore(ask))
    world.settle()
    assert not world["r"].core.leases and not world["r"].catalog


def test_what_a_former_life_of_its_client_held_is_not_restored() -> None:
    world, body = granted("lamp", durable=("r",))
    ask = sent_by(body)
    world.kill("r")
    world.kill("client")
    world.boot("client")
    world.boot("r")
    world.settle()
    assert not world["r"].core.leases and ask.lease not in world["r"].catalog


def test_a_restored_lease_keeps_others_out_until_its_client_could_have_said_so() -> None:
    world, body = granted("bottom", exclusive=True, durable=("r",))
    ask = sent_by(body)
    world.kill("r")
    world.wire.cut("client")
    node = world.boot("r")
    assert not [each for each in node.records if each.deed is JournalKind.START], (
        "it is loaded for nobody yet"
    )
    rival = world["other"].request("bottom", exclusive=True)
    while world.wire.deliver():
        pass
    world.settle()
    assert rival.refusal is not None and "held by client" in rival.refusal.status.message
    assert body.state == "in" and ask.lease in node.core.leases
    world.release_all()
    world.advance(12.0)
    world.check_empty()


def test_a_client_s_reason_for_leaving_is_the_reason_of_the_stop_and_of_the_loss() -> None:
    interlock = Interlock()
    world = World(RECIPES, NODES, interlock=interlock)
    body = world["client"].request("bottom", exclusive=True, priority=Priority.OPERATOR)
    world.settle()
    body.held[0].why_left = "the phone's battery is empty"
    body.leave()
    world.settle()
    loss = interlock.since(named_device(world), None)
    assert loss is not None and loss.why == "the phone's battery is empty"
    stops = [each.why for each in world["r"].records if each.deed is JournalKind.SAFE_STOP]
    assert stops == ["the phone's battery is empty"]


def test_who_leaves_without_a_word_does_not_take_over_the_word_of_who_left_before() -> None:
    world, body = granted("top")
    other = world["other"].request("top")
    world.settle()
    world.stop_mode["top"] = "hang"
    resource = named(world["p"], "top")
    for leaving, is_word in ((body, True), (other, False)):
        leaving.leave(by_word=is_word)
        world.settle()
        assert resource.ended_by_word is is_word


def test_of_very_many_leases_that_are_over_the_latest_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their requests come late, if at all; the oldest are forgotten first, and the others stay over."""
    monkeypatch.setattr(serving, "MEMORY", 8)
    world = World(RECIPES, NODES)
    for number in range(20):
        hears(world, "r", "client", m.Release(f"client:x:{number}"))
    boot = world["client"].core.boot
    for number in (19, 15, 12):
        late = m.Ask(f"client:x:{number}", "client", boot, KIND, Thing("lamp"), "client")
        hears(world, "r", "client", late)
        assert not world["r"].core.leases and not world.starts["lamp"], number


@pytest.mark.parametrize("how", ["fails", "is not wanted any more"])
def test_a_provider_that_is_going_down_gets_nothing_new(how: str) -> None:
    world, body = granted("top")
    (provider,) = world["p"].providers.values()
    world.stop_mode["top"] = "hang"
    if how == "fails":
        fail(world["p"], "top")
    else:
        body.leave()
    world.settle()
    before = len(provider.held)
    provider.acquire(Need("lamp"), by_provider=True)
    world.settle()
    assert len(provider.held) == before and not world.starts["lamp"]


def test_a_handle_that_nobody_here_can_read_is_given_back_at_once() -> None:
    """Another version of the program granted it: it is not up for one that has been refused."""
    world = World(RECIPES, NODES)
    body = world["client"].request("lamp")
    world.settle()
    held = body.held[0]
    marshalling = Marshalling(world["client"].core)
    unreadable = msgspec.defstruct("Unreadable", [], namespace={"handle_type": int}, frozen=True)
    held.request = unreadable()
    grant = m.Grant(held.id, m.Edge("r", world["r"].core.boot, 1), "no number", 0, held.sequence + 1)
    answer = marshalling.inward("r", grant)
    assert isinstance(answer, m.Refusal) and answer.reason.kind is ReasonKind.MALFORMED
    world["client"].drain()
    world.settle()
    assert not world["r"].core.leases
