"""The played network between registrars: in some seeds there is none; what ails it is mended."""

from __future__ import annotations

import pytest

from framework.errors import ResourceUnavailable
from framework.scenarios.scenario import How
from framework.transport.messages import Release
from pilothouse.testbed.virtual_network import VirtualNetwork

MESSAGE = Release("a:1:1")


def test_in_one_process_there_is_no_network_to_fail() -> None:
    network = VirtualNetwork(0)
    assert not network.is_between and network.transport().disturb is None
    with pytest.raises(ResourceUnavailable):
        network.fail(How.LOSSY)


def test_a_network_takes_its_time_loses_and_is_well_again() -> None:
    network = VirtualNetwork(1)
    transport = network.transport()
    assert network.is_between and transport.beat_s and transport.disturb is not None

    def arrivals() -> list[tuple[float, ...]]:
        assert transport.disturb is not None
        return [transport.disturb("a", "b", MESSAGE) for _ in range(200)]

    (usual,) = set(arrivals())
    assert len(usual) == 1 and usual[0] > 0.0
    network._transport.links["a"] = None  # type: ignore[union-attr,assignment]
    network.fail(How.HANG)
    assert set(arrivals()) == {()}
    network.fail(How.SLOW)
    assert min(arrivals())[0] > usual[0]
    network.fail(How.LOSSY)
    assert {len(each) for each in arrivals()} == {0, 1, 2}
    network.restore()
    assert set(arrivals()) == {usual}
