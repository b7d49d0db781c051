"""A registrar whose whole process stood still (SIGSTOP, a machine with no time for it) and goes on.

Whatever reaches it first afterwards, be it no message and no tick, what it begins then has its
own time, and what it watches is watched as closely as before.
"""

from __future__ import annotations

import pytest

from framework.registrar.records import ClientPhase
from tests.framework.registrar.simulated import CORE_POLICY, BadWire, Recipe, World

STOOD_STILL_S = 60.0
RECIPES = {"arm": Recipe("server", moves=True)}


def world_of(*names: str) -> World:
    world = World(RECIPES, names, beat_s=0.05, durable=("server",))
    world.wire = BadWire(world, seed=1, badness=0.0)
    return world


def test_a_request_that_comes_first_waits_no_longer_than_it_would() -> None:
    world = world_of("server", "client", "holder")
    world["holder"].request("arm", exclusive=True)
    world.advance(0.51)  # no beat is on its way
    world.now_s += STOOD_STILL_S
    body = world["client"].request("arm", exclusive=True, wait=True)
    world.advance(CORE_POLICY.wait_timeout_s - 0.01)
    assert body.held[0].phase is ClientPhase.QUEUED
    world.advance(0.02)
    assert body.refusal is not None, "it waits for as long again as its process stood still"


def test_a_provider_that_is_gone_is_awaited_no_longer_than_it_would_be() -> None:
    world = world_of("server", "client")
    body = world["client"].request("arm")
    world.advance(0.51)  # no beat is on its way
    world.now_s += STOOD_STILL_S
    world.kill("server")  # the first that its client hears of
    world.advance(CORE_POLICY.reconnect_s - 0.01)
    assert body.held[0].is_awaited and body.state == "in"
    world.advance(0.02)
    assert body.held[0].phase is ClientPhase.FAILED and "server is gone" in body.statuses[-1].message


@pytest.mark.parametrize("watched", ["client", "server"])
def test_who_falls_silent_just_then_is_given_up_within_the_window(watched: str) -> None:
    world = world_of("server", "client")
    body = world["client"].request("arm", exclusive=True)
    world.advance(0.51)  # no beat is on its way
    assert body.state == "in"
    world.now_s += STOOD_STILL_S
    watcher = world["server" if watched == "client" else "client"]
    watcher.happen(lambda core: core.peers.seen(world[watched].peer))  # the first that it hears
    assert isinstance(world.wire, BadWire)
    world.wire.cut_off.add(watched)
    world.advance(CORE_POLICY.window_s + 0.05)
    if watched == "client":
        assert not world["server"].core.leases, "a silent client keeps the arm"
    else:
        assert body.held[0].is_awaited, "a silent provider is not missed"


def test_a_judge_that_gets_no_processor_gives_more_time_but_not_for_ever() -> None:
    world = world_of("server", "client")
    world["client"].request("arm", exclusive=True)
    world.advance(0.51)
    assert isinstance(world.wire, BadWire)
    world.wire.cut_off.add("client")
    world.now_s += 0.1  # less than would count as a standstill
    world.advance(CORE_POLICY.window_s - 0.05)
    assert world["server"].core.leases, "its neighbours may be as late as it is itself"
    world.advance(CORE_POLICY.window_s)
    assert not world["server"].core.leases, "a silent client keeps the arm"
