"""The page's clock, mapped to ours: over networks that delay, jitter, drift; and when the clock steps."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.operator.clock_sync import BELIEVED_AFTER, ClockMap

PERIOD_S = 1 / 90


class Network:
    """A page that sends at 90 Hz and hears us at 60 Hz: least delay each way, and jitter."""

    def __init__(
        self,
        *,
        offset_s: float,
        up_s: float,
        down_s: float,
        jitter_s: float,
        drift: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.offset_s, self.up_s, self.down_s, self.jitter_s, self.drift = (
            offset_s,
            up_s,
            down_s,
            jitter_s,
            drift,
        )
        self.random = random.Random(seed)
        self.now_s = 1000.0
        self.received_s = 0.0
        self.clock = ClockMap()

    def page_s(self, ours_s: float) -> float:
        """What the page's clock shows at a moment of ours."""
        return (ours_s - self.offset_s) * (1.0 + self.drift)

    def step(self, *, echo: bool = True) -> tuple[bool, float]:
        """One packet of a hand; whether it agreed, and how wrongly its time of sending is mapped."""
        self.now_s += PERIOD_S
        sent_s = self.page_s(self.now_s)
        came_s = self.now_s + self.up_s + self.random.expovariate(1.0) * self.jitter_s
        self.received_s = max(self.received_s, came_s)
        echo_s = held_s = 0.0
        if echo:
            came_s = self.now_s - self.random.random() / 60
            echo_s = came_s - self.down_s - self.random.expovariate(1.0) * self.jitter_s
            held_s = sent_s - self.page_s(came_s)
        agrees = self.clock.observe(sent_s, self.received_s, echo_s, held_s)
        mapped_s = self.clock.to_monotonic(sent_s, self.received_s)
        assert mapped_s <= self.received_s
        return agrees, mapped_s - self.now_s


networks = st.builds(
    Network,
    offset_s=st.sampled_from([-1e6, -3.0, 0.0, 5.0, 1e6]),
    up_s=st.floats(0.0, 0.06),
    down_s=st.floats(0.0, 0.06),
    jitter_s=st.floats(0.0, 0.02),
    drift=st.floats(-1e-4, 1e-4),
    seed=st.integers(0, 1000),
)


@given(networks)
@settings(max_examples=30, deadline=None)
def test_it_is_right_to_half_the_round_trip(network: Network) -> None:
    for _ in range(500):
        assert network.step()[0]
    error_s = abs(network.step()[1])
    # Of the least jitter of so many packets little is left; drift adds a millisecond over the windows.
    assert error_s <= (network.up_s + network.down_s) / 2 + 0.2 * network.jitter_s + 3e-3
    trips = network.clock.round_trip_s()
    assert trips is not None
    assert trips[0] == pytest.approx(network.up_s + network.down_s, abs=4 * network.jitter_s + 1e-3)
    assert trips[1] >= trips[0]
    assert network.clock.steps == 0


@given(networks)
@settings(max_examples=20, deadline=None)
def test_an_even_network_gives_it_exactly(network: Network) -> None:
    network.down_s = network.up_s
    network.jitter_s = network.drift = 0.0
    for _ in range(200):
        network.step()
    assert network.step()[1] == pytest.approx(0.0, abs=2e-3)


def test_before_the_first_echo_the_fastest_packet_took_no_time() -> None:
    network = Network(offset_s=7.0, up_s=0.02, down_s=0.02, jitter_s=0.0)
    network.step(echo=False)
    assert network.clock.offset_s(network.received_s) == pytest.approx(7.02)
    assert network.clock.round_trip_s() is None


def test_nothing_is_known_before_the_first_packet() -> None:
    clock = ClockMap()
    assert not clock.is_known
    assert clock.to_monotonic(5.0, 1.0) == 1.0


@pytest.mark.parametrize("ahead_s", [-5.0, -0.2, 0.2, 5.0, 3600.0])
def test_a_step_of_the_page_s_clock_is_believed_when_nothing_else_comes(ahead_s: float) -> None:
    network = Network(offset_s=0.0, up_s=0.005, down_s=0.005, jitter_s=0.001)
    for _ in range(300):
        network.step()
    network.offset_s -= ahead_s
    assert [network.step()[0] for _ in range(BELIEVED_AFTER)] == [False] * BELIEVED_AFTER
    assert network.clock.steps == 1
    for _ in range(200):
        agrees, error_s = network.step()
        assert agrees
        assert abs(error_s) < 0.02


@pytest.mark.parametrize("lie_s", [-10.0, -0.1, 0.1, 10.0])
def test_one_packet_that_lies_is_not_believed(lie_s: float) -> None:
    network = Network(offset_s=0.0, up_s=0.005, down_s=0.005, jitter_s=0.0)
    for _ in range(100):
        network.step()
    for _ in range(20):
        network.offset_s -= lie_s
        assert not network.step()[0]
        network.offset_s += lie_s
        agrees, error_s = network.step()
        assert agrees
        assert abs(error_s) < 1e-3
    assert network.clock.steps == 0


def test_a_lag_of_the_network_is_no_step() -> None:
    network = Network(offset_s=0.0, up_s=0.005, down_s=0.005, jitter_s=0.0)
    for _ in range(100):
        network.step()
    network.up_s = 0.3
    for _ in range(300):
        agrees, error_s = network.step()
        assert agrees
        assert abs(error_s) < 3e-3


def test_an_echo_from_the_future_is_not_believed() -> None:
    clock = ClockMap()
    assert clock.observe(1.0, 1.0)
    assert not clock.observe(2.0, 2.0, echo_s=50.0, held_s=0.0)
    assert not math.isinf(clock.offset_s(2.0))
    for number in range(50):
        assert not clock.observe(3.0 + number, 3.0 + number, echo_s=90.0 + number, held_s=0.0)
        assert clock.to_monotonic(3.0 + number, 3.0 + number) <= 3.0 + number


@given(
    st.lists(
        st.tuples(*[st.floats(0, 1e10, allow_nan=False)] * 2, st.floats(0, 60)),
        max_size=60,
    )
)
def test_whatever_comes_no_time_is_later_than_its_packet(observed: list[tuple[float, float, float]]) -> None:
    clock = ClockMap()
    for number, (sent_s, echo_s, held_s) in enumerate(observed):
        received_s = 100.0 + number
        clock.observe(sent_s, received_s, echo_s, held_s)
        mapped_s = clock.to_monotonic(sent_s, received_s)
        assert math.isfinite(mapped_s)
        assert mapped_s <= received_s
