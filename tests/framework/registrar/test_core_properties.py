"""Random lives of several registrars, joined by a wire that the test drives.

Three machines. `Ordered`: messages keep their order in each channel but are
delivered when the test likes, time passes when it likes. `Bad`: heartbeats are
on, messages get lost, doubled, late and out of order, nodes stand still or are cut off.
What has to hold at every moment is checked in `simulated`; here is what people
and devices may do, and what has to hold when everything has come to rest.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase, InMemoryExampleDatabase
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from framework.interlock import Permit
from framework.registrar.records import ClientPhase
from framework.registrar.snapshot import take
from framework.status import Priority, Severity
from framework.transport.messages import Release
from tests.framework.registrar.simulated import BadWire, Body, Need, Node, Recipe, World
from tests.framework.registrar.simulated.checks import check_agreement, check_settled

#: A cell of everything: a moving device, shared sub-resources, diamonds, chains over three nodes, circles.
RECIPES = {
    "arm": Recipe("c", moves=True),
    "lamp": Recipe("c"),
    "servo": Recipe("b", (Need("arm", exclusive=True),)),
    "queue": Recipe("a", (Need("arm", exclusive=True, wait=True),)),
    "view": Recipe("b", (Need("lamp"),), moves=True),
    "scene": Recipe("a", (Need("view"), Need("lamp", cancels=False))),
    "diamond": Recipe("a", (Need("view"), Need("scene"))),
    "cell": Recipe("a", (Need("servo"), Need("diamond"))),
    "ring-1": Recipe("a", (Need("lamp"), Need("ring-2"))),
    "ring-2": Recipe("b", (Need("ring-3"),)),
    "ring-3": Recipe("c", (Need("ring-1"),)),
}
NAMES = sorted(RECIPES)
NODES = ("a", "b", "c", "d")

#: After this both sides of each lease think alike: less than the shortest patience with one that may not.
AGREED_S = 1.6

names = st.sampled_from(NAMES)
clients = st.sampled_from(NODES)
priorities = st.sampled_from(list(Priority))
picks = st.integers(0, 1000)


class Registrars(RuleBasedStateMachine):
    """What may happen, whatever the wire is like."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.world = self.make_world()

    def make_world(self) -> World:
        """The nodes and their wire."""
        return World(RECIPES, NODES, durable=("a", "c"))

    def node(self, name: str) -> Node:
        """That node, or whichever is there."""
        return self.world.nodes.get(name) or next(iter(self.world.nodes.values()))

    def body(self, pick: int) -> Body | None:
        """A body that has not left."""
        bodies = [
            body
            for node in self.world.nodes.values()
            for body in node.bodies
            if body.state in ("asking", "taking", "in", "failed")
        ]
        return bodies[pick % len(bodies)] if bodies else None

    # -- clients

    @rule(client=clients, name=names, cancels=st.booleans())
    def request(self, client: str, name: str, cancels: bool) -> None:
        self.node(client).request(name, cancels=cancels)

    @rule(client=clients, name=names, priority=priorities, wait=st.booleans(), stubborn=st.booleans())
    def command(self, client: str, name: str, priority: Priority, wait: bool, stubborn: bool) -> None:
        body = self.node(client).request(name, exclusive=True, priority=priority, wait=wait)
        body.is_stubborn = stubborn

    @rule(rivals=st.lists(st.tuples(clients, priorities, st.booleans()), min_size=2, max_size=4))
    def contend(self, rivals: list[tuple[str, Priority, bool]]) -> None:
        for client, priority, stubborn in rivals:
            body = self.node(client).request("arm", exclusive=True, priority=priority, wait=True)
            body.is_stubborn = stubborn

    @rule(
        client=clients,
        some=st.lists(names, min_size=1, max_size=3, unique=True),
        exclusive=st.booleans(),
        priority=priorities,
        wait=st.booleans(),
        pick=picks,
        exchange=st.booleans(),
    )
    def request_all(
        self,
        client: str,
        some: list[str],
        exclusive: bool,
        priority: Priority,
        wait: bool,
        pick: int,
        exchange: bool,
    ) -> None:
        node = self.node(client)
        old = [body for body in node.bodies if body.state == "in"]
        instead_of = (old[pick % len(old)],) if old and exchange else ()
        node.request(
            *some, exclusive=exclusive, priority=priority, wait=wait, group=True, instead_of=instead_of
        )

    @rule(pick=picks, number=st.integers(1, 9))
    def send(self, pick: int, number: int) -> None:
        body = self.body(pick)
        for held in body.held if body is not None else ():
            assert body is not None
            body.node.happen(lambda core, held=held: core.holding.command(held, number, b"go"))  # type: ignore[misc]

    @rule(pick=picks, epoch=st.integers(0, 3), is_suspended=st.booleans())
    def word_or_pause(self, pick: int, epoch: int, is_suspended: bool) -> None:
        """What an interlock does to the permits of a plan."""
        body = self.body(pick)
        for held in body.held if body is not None else ():
            assert body is not None
            held.permit = Permit("plan", epoch=epoch, is_suspended=is_suspended)
            body.node.happen(lambda core, held=held: core.holding._tell_clients(held))  # type: ignore[misc]

    @rule(pick=picks, twice=st.booleans())
    def leave(self, pick: int, twice: bool) -> None:
        body = self.body(pick)
        if body is not None:
            body.leave()
            if twice:
                body.leave()

    @rule(pick=picks, stranger=clients)
    def release_what_is_not_ones_own(self, pick: int, stranger: str) -> None:
        body = self.body(pick)
        for held in body.held if body is not None else ():
            server = self.world.nodes.get(held.server)
            if server is not None and held.id in server.core.leases and held.id.split(":")[0] != stranger:
                before = take(server.core)
                server.happen(lambda core, held=held: core.receive(stranger, Release(held.id)))  # type: ignore[misc]
                assert take(server.core) == before

    # -- providers

    @rule(name=names, mode=st.sampled_from(["ok", "ok", "raise", "hang"]))
    def change_start(self, name: str, mode: str) -> None:
        self.world.start_mode[name] = mode

    @rule(name=names, mode=st.sampled_from(["ok", "ok", "raise", "hang"]))
    def change_stop(self, name: str, mode: str) -> None:
        self.world.stop_mode[name] = mode

    @rule(name=st.sampled_from(["arm", "view"]), mode=st.sampled_from(["ok", "ok", "raise", "hang"]))
    def change_safe_stop(self, name: str, mode: str) -> None:
        self.world.safe_mode[name] = mode

    @rule(name=names, pick=picks, how=st.sampled_from(["fatal", "ends", "warning", "ok", "update", "again"]))
    def provider_acts(self, name: str, pick: int, how: str) -> None:
        node = self.node(RECIPES[name].at)
        mine = [provider for provider in node.providers.values() if provider.name == name]
        if not mine:
            return
        provider = mine[pick % len(mine)]
        number = provider.resource.number
        if how == "ends":
            provider.stop("it broke")
        elif how == "again":
            needs = [n for n in RECIPES[name].needs if not n.cancels]
            held = {h.request.name for h in provider.held}
            for need in needs:
                if provider.is_up and need.name not in held:
                    provider.acquire(need, by_provider=False)
        elif how == "update":
            node.happen(lambda core: core.conditions.update(number, f"handle {pick}", "moved"))
        else:
            severity = {"fatal": Severity.FATAL, "warning": Severity.WARNING, "ok": Severity.OK}[how]
            node.happen(lambda core: core.conditions.report(number, severity, how))

    # -- presence

    @rule(name=clients, pick=picks)
    def presence_is_told_again(self, name: str, pick: int) -> None:
        """Doubled, late, of a life that is over, of oneself."""
        node, others = self.node(name), list(self.world.nodes.values())
        other = others[pick % len(others)]
        node.happen(lambda core: core.peers.seen(other.peer))
        node.happen(lambda core: core.peers.lost(other.name, "a former life"))

    @rule(name=clients, late=st.booleans())
    def leave_in_order(self, name: str, late: bool) -> None:
        name = self.node(name).name
        self.world.leave(name)
        self.world.boot(name, late=late)

    @rule()
    def all_is_provided(self) -> None:
        for node in self.world.nodes.values():
            if not node.core.provided:
                self.world.furnish(node)

    # -- the end

    def calm(self) -> None:
        """From here on everything works; all deadlines pass."""
        for modes in (self.world.start_mode, self.world.stop_mode, self.world.safe_mode):
            modes.clear()
        for name in NODES:
            if name not in self.world.nodes:
                self.world.boot(name)
        self.all_is_provided()
        # Both sides agree by what they say to each other, not because all waiting has an end. Only a circle
        # whose probe was lost is ended by that; who it is for may go round in it until then.
        if self.comes_to_rest(AGREED_S):
            check_agreement(self.world)
        assert self.comes_to_rest(), "they never stop talking"

    def comes_to_rest(self, after_s: float = 12.0) -> bool:
        """Deadlines pass (after 12 s: all). Whether what the last of them set on its way then arrives."""
        self.world.advance(after_s)
        for _ in range(100):
            if self.world.wire.is_at_rest:
                return True
            self.world.advance(0.001)
        return False

    def teardown(self) -> None:
        if any(node.is_paused for node in self.world.nodes.values()):
            return  # a check failed in the midst of an event: what would be found now comes from that
        self.calm()
        self.world.check_books()
        self.check_settled()
        self.world.release_all()
        assert self.comes_to_rest(), "they never stop talking"
        self.world.check_empty()

    def check_settled(self) -> None:
        """Every wish has been granted, refused, or failed, or waits in a queue."""
        for node in self.world.nodes.values():
            for body in node.bodies:
                for held in body.held:
                    if held.id in node.core.holds and body.state == "asking":
                        assert held.phase in (ClientPhase.QUEUED, ClientPhase.RESERVED), (
                            held.request,
                            held.phase,
                        )
            check_settled(node)


class Ordered(Registrars):
    """Nothing is lost; what is next is up to the test."""

    @rule(picks=st.lists(picks, min_size=1, max_size=8))
    def deliver(self, picks: list[int]) -> None:
        for pick in picks:
            self.world.wire.deliver(pick)

    @rule(client=clients, count=st.integers(1, 5))
    def work(self, client: str, count: int) -> None:
        node = self.node(client)
        for _ in range(count):
            node.work()

    @rule()
    def settle(self) -> None:
        self.world.settle()

    @rule()
    def settle_again(self) -> None:
        self.world.settle()

    @rule(by_s=st.sampled_from([0.1, 0.6, 1.2, 2.5]), settle=st.booleans())
    def advance(self, by_s: float, settle: bool) -> None:
        self.world.advance(by_s, settle=settle)

    @precondition(lambda self: len(self.world.nodes) > 1)
    @rule(name=clients, quietly=st.booleans())
    def kill(self, name: str, quietly: bool) -> None:
        """quietly: the others see its next incarnation only, and speak to nobody until then."""
        self.world.kill(self.node(name).name, quietly=quietly)

    @precondition(lambda self: len(self.world.nodes) < len(NODES))
    @rule(pick=picks, late=st.booleans())
    def restart(self, pick: int, late: bool) -> None:
        gone = [name for name in NODES if name not in self.world.nodes]
        self.world.boot(gone[pick % len(gone)], late=late)


class Bad(Registrars):
    """Heartbeats over a wire that loses, doubles, delays and reorders."""

    def make_world(self) -> World:
        return World(RECIPES, NODES, beat_s=0.05, durable=("a", "c"))

    @initialize(seed=st.integers(0, 2**32), badness=st.sampled_from([0.05, 0.2, 0.4]))
    def make_it_bad(self, seed: int, badness: float) -> None:
        self.world.wire = BadWire(self.world, seed, badness)

    @property
    def wire(self) -> BadWire:
        """The wire, which is bad."""
        assert isinstance(self.world.wire, BadWire)
        return self.world.wire

    @rule(by_s=st.sampled_from([0.01, 0.04, 0.3, 1.2]))
    def advance(self, by_s: float) -> None:
        self.world.advance(by_s)

    @rule(by_s=st.sampled_from([0.01, 0.04, 0.3, 1.2]))
    def advance_again(self, by_s: float) -> None:
        self.world.advance(by_s)

    @rule(name=clients)
    def cut_off(self, name: str) -> None:
        self.wire.cut_off.add(name)

    @rule()
    def join_again(self) -> None:
        self.wire.cut_off.clear()

    @rule(by_s=st.sampled_from([0.2, 1.0, 5.0]))
    def all_stand_still(self, by_s: float) -> None:
        self.world.now_s += by_s

    @rule(name=clients, late=st.booleans(), quietly=st.booleans())
    def restart(self, name: str, late: bool, quietly: bool) -> None:
        self.world.kill(name, quietly=quietly)
        self.world.advance(0.05)
        self.world.boot(name, late=late)

    def calm(self) -> None:
        self.wire.badness = 0.0
        self.wire.cut_off.clear()
        super().calm()


QUICK = settings(
    max_examples=25,
    stateful_step_count=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
#: For `make mutants`, where a failure is only counted, never read.
MUTANTS = settings(QUICK, max_examples=100, phases=[Phase.generate], report_multiple_bugs=False)
#: Other histories each time. One that fails is tried first the next time; it also prints the
#: `@reproduce_failure` that makes it fail anywhere: put that over `Ordered` or `Bad`, and run the test.
DEEP = settings(
    QUICK,
    max_examples=10_000,
    stateful_step_count=80,
    derandomize=False,
    database=DirectoryBasedExampleDatabase(Path(__file__).parents[3] / ".hypothesis" / "examples"),
    print_blob=True,
)
PROFILE = {"quick": QUICK, "mutants": MUTANTS}[os.environ.get("PILOTHOUSE_PROPERTY_PROFILE", "quick")]


@pytest.mark.parametrize("machine", [Ordered, Bad])
def test_whatever_happens_the_books_are_right(machine: type[Registrars]) -> None:
    run_state_machine_as_test(machine, settings=PROFILE)


def test_what_was_refused_once_and_waits_when_asked_again_is_given_back() -> None:
    """A provider that was there before it provided anything; `make soak` found it."""
    registrars = Ordered()
    registrars.kill(name="b", quietly=True)
    registrars.command(client="a", name="servo", priority=Priority.BACKGROUND, wait=True, stubborn=False)
    registrars.restart(pick=0, late=True)
    registrars.deliver(picks=[0])
    registrars.command(client="a", name="servo", priority=Priority.BACKGROUND, wait=False, stubborn=False)
    registrars.teardown()


def test_what_ends_by_itself_while_it_waits_to_be_torn_down_is_not_waited_for() -> None:
    """Its deadline outlived it; `make soak` found it."""
    registrars = Ordered()
    registrars.command(client="a", name="view", priority=Priority.BACKGROUND, wait=True, stubborn=True)
    registrars.settle()
    registrars.provider_acts(how="fatal", name="lamp", pick=848)
    registrars.provider_acts(how="ends", name="lamp", pick=293)
    registrars.advance(by_s=0.6, settle=False)
    registrars.teardown()


def test_of_two_lives_that_failed_in_the_same_words_one_may_have_failed_by_itself() -> None:
    """The judge took the one for the other; `make soak` found it."""
    registrars = Ordered()
    registrars.command(client="a", name="diamond", priority=Priority.BACKGROUND, wait=False, stubborn=True)
    registrars.change_stop(name="scene", mode="hang")
    registrars.advance(by_s=0.1, settle=True)
    registrars.provider_acts(how="fatal", name="scene", pick=0)
    registrars.request(client="a", name="diamond", cancels=False)
    registrars.settle_again()
    registrars.provider_acts(how="fatal", name="diamond", pick=0)
    registrars.teardown()


@pytest.mark.soak
@pytest.mark.parametrize("machine", [Ordered, Bad])
def test_whatever_happens_for_long_the_books_are_right(machine: type[Registrars]) -> None:
    run_state_machine_as_test(machine, settings=DEEP)


class Broken(RuleBasedStateMachine):
    """Has a fault that comes up now and then."""

    @rule(number=picks)
    def act(self, number: int) -> None:
        assert number < 500


def test_a_rare_failure_is_kept_and_says_how_to_have_it_again() -> None:
    database = InMemoryExampleDatabase()
    with pytest.raises(AssertionError) as caught:
        run_state_machine_as_test(Broken, settings=settings(DEEP, max_examples=200, database=database))
    assert any("@reproduce_failure(" in note for note in caught.value.__notes__)
    assert database.data
