"""Dependencies that would wait for themselves, over three registrars and from both ends."""

from __future__ import annotations

import pytest

from framework.registrar.circles import MAX_DEPTH
from framework.status import Priority, Reason, ReasonKind
from tests.framework.registrar.simulated import Body, Need, Recipe, World

RING = {
    "A": Recipe("p", (Need("B"),)),
    "B": Recipe("q", (Need("C"),)),
    "C": Recipe("r", (Need("A"),)),
}
NODES = ("p", "q", "r", "client")


def refusal_of(body: Body) -> Reason:
    assert body.refusal is not None, body.state
    return body.refusal.status.reason


@pytest.mark.parametrize("entered", [("A",), ("B",), ("A", "B"), ("C", "A", "B")])
def test_a_ring_over_three_registrars_is_named_wherever_it_is_entered(entered: tuple[str, ...]) -> None:
    world = World(RING, NODES)
    bodies = [world["client"].request(name) for name in entered]
    world.settle()  # no time passes: the error comes at once
    for body in bodies:
        reason = refusal_of(body)
        assert reason.kind is ReasonKind.CIRCLE and reason.circle[0] == reason.circle[-1]
        assert set(reason.circle) == {"p/Thing(name='A')", "q/Thing(name='B')", "r/Thing(name='C')"}
    world.check_empty()


def test_both_ends_at_once_with_their_requests_crossing_on_the_wire() -> None:
    world = World({"A": Recipe("p", (Need("B"),)), "B": Recipe("q", (Need("A"),))}, ("p", "q"))
    bodies = world["p"].request("A"), world["q"].request("B")
    world["p"].work()
    world["q"].work()  # each has asked the other now, neither has heard of it
    world.settle()
    assert all(refusal_of(body).kind is ReasonKind.CIRCLE for body in bodies)
    world.check_empty()


def test_one_that_needs_itself() -> None:
    world = World({"A": Recipe("p", (Need("A"),))}, ("p",))
    body = world["p"].request("A")
    world.settle()
    assert refusal_of(body).circle == ("p/Thing(name='A')",) * 2
    world.check_empty()


def test_the_same_registrar_twice_on_the_way_is_no_circle() -> None:
    recipes = {"A": Recipe("p", (Need("B"),)), "B": Recipe("q", (Need("C"),)), "C": Recipe("p")}
    world = World(recipes, ("p", "q", "client"))
    body = world["client"].request("A")
    world.settle()
    assert body.state == "in"
    world.release_all()
    world.settle()
    world.check_empty()


def test_a_new_edge_of_a_resource_that_is_up_may_close_a_circle() -> None:
    recipes = {"A": Recipe("p", (Need("B"),)), "B": Recipe("q"), "C": Recipe("q")}
    world = World(recipes, ("p", "q"))
    body = world["p"].request("A")
    world.settle()
    (below,) = world["q"].providers.values()
    below.acquire(Need("A", cancels=False), by_provider=False)
    world.settle()
    assert body.state == "in" and not below.held
    world.release_all()
    world.settle()
    world.check_empty()


@pytest.mark.parametrize(("length", "is_fine"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_a_chain_has_an_end(length: int, is_fine: bool) -> None:
    recipes = {f"A{i}": Recipe("pq"[i % 2], (Need(f"A{i + 1}"),)) for i in range(length)}
    recipes[f"A{length}"] = Recipe("p")
    world = World(recipes, ("p", "q", "client"))
    body = world["client"].request("A0", priority=Priority.OPERATOR)
    world.settle()
    if is_fine:
        assert body.state == "in"
        world.release_all()
        world.settle()
    else:
        assert refusal_of(body).kind is ReasonKind.FAILED
        assert body.refusal is not None and len(body.refusal.status.hops) == length + 1
    world.check_empty()


def test_a_resource_that_has_passed_one_probe_passes_that_of_another_request_too() -> None:
    recipes = {
        "A": Recipe("p", (Need("B"),)),
        "B": Recipe("q", (Need("C"),)),
        "C": Recipe("r"),
        "D": Recipe("q", (Need("B"),)),
    }
    world = World(recipes, NODES)
    above = world["client"].request("A")
    world.settle()
    (c,) = world["r"].providers.values()
    beside = world["client"].request("D")  # whose probe goes by B and C, and comes home to nobody
    world.settle()
    c.acquire(Need("A", cancels=False), by_provider=False)
    world.settle()  # no time passes: the circle is found at once
    assert (above.state, beside.state) == ("in", "in") and not c.held
    c.acquire(Need("D", cancels=False), by_provider=False)
    world.settle()
    assert not c.held, "and so is the next one"
    world.release_all()
    world.settle()
    world.check_empty()
