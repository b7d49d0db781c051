"""Who may command a part, decided on a world that is stepped by hand."""

from __future__ import annotations

import pytest

from framework.errors import CommandRefused
from framework.registrar.fencing import CommandStamp
from resources.children.authority import Authority
from resources.children.orders import Do, Grant, Rest, decode_order, encode_order
from resources.worlds.commands import BaseVelocity, Part
from resources.worlds.world import World


def drive(sequence: int, sent_s: float, lease: str = "a", generation: int = 1, forward: float = 0.2) -> Do:
    return Do(CommandStamp(lease, generation, sequence, sent_s), BaseVelocity(-1.0, forward))


@pytest.fixture
def world() -> World:
    return World.inspection(0)


def test_a_command_counts_from_when_it_was_sent_and_only_from_its_holder(world: World) -> None:
    authority = Authority(world)
    with pytest.raises(CommandRefused, match="nobody holds this"):
        authority.obey(drive(1, 0.0), 0.0)
    authority.obey(Grant(Part.BASE, "a", 1), 0.0)
    authority.obey(drive(1, 0.0), 0.0)
    world.step(50, now_s=0.0)
    assert world.base_velocity()[0] > 0.0
    for order, why in (
        (drive(1, 0.05), "doubled, or out of order"),
        (drive(2, -5.0), "s old"),
        (drive(2, 0.05, lease="b"), "is not the holder"),
        (drive(2, 0.05, generation=2), "is not the holder"),
        (drive(2, 0.05, forward=9.0), "allowed is -1 to 1"),
        (Grant(Part.BASE, "b", 1), "has been here already"),
    ):
        with pytest.raises(CommandRefused, match=why):
            authority.obey(order, 0.05)
    base, *_ = authority.report()
    assert (base.part, base.holder, base.generation, base.at_rest) == ("base", "a", 1, False)


@pytest.mark.parametrize("ending", [Grant(Part.BASE), Grant(Part.BASE, "b", 2), Rest(Part.BASE)])
def test_every_end_of_holding_brings_the_part_to_rest(world: World, ending: Grant | Rest) -> None:
    authority = Authority(world)
    authority.obey(Grant(Part.BASE, "a", 1), 0.0)
    authority.obey(drive(1, 0.0), 0.0)
    world.step(100, now_s=0.0)
    authority.obey(ending, 0.1)
    world.step(400, now_s=0.1)
    base, *_ = authority.report()
    assert base.at_rest
    if isinstance(ending, Grant):
        with pytest.raises(CommandRefused):
            authority.obey(drive(2, 0.5), 0.5)


def test_what_is_stopped_refuses_in_words(world: World) -> None:
    authority = Authority(world)
    authority.obey(Grant(Part.BASE, "a", 1), 0.0)
    authority.stopped = "the supervisor's heartbeat is missing"
    with pytest.raises(CommandRefused, match="base does not move: the supervisor's heartbeat is missing"):
        authority.obey(drive(1, 0.0), 0.0)
    assert world.moving_parts == frozenset()


def test_orders_survive_the_channel() -> None:
    for order in (drive(3, 0.25), Grant(Part.LEFT_ARM, "x", 4), Rest(Part.RIGHT_ARM)):
        assert decode_order(encode_order(order)) == order
