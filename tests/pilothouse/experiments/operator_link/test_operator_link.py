"""The experiment on an operator's link: its network, its arithmetic, and one short run of all of it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from framework.transport.ring import RingWriter
from pilothouse.experiments.definition import facts
from pilothouse.experiments.operator_link import LinkRuns
from pilothouse.experiments.operator_link.browser import IWER
from pilothouse.experiments.operator_link.clutch import silences
from pilothouse.experiments.operator_link.drives import Trials
from pilothouse.experiments.operator_link.relay import (
    HOST,
    LOOPBACK,
    MOBILE,
    SLOT_S,
    WIFI,
    Direction,
    Network,
    Pings,
    UdpRelay,
    relayed_offer,
    send,
    without_candidates,
)
from pilothouse.experiments.operator_link.trips import Durations, Measured, Trips, spread
from pilothouse.experiments.operator_link.watch import LinkLog, jump_mm, moved_by, quantile, released
from resources.operator.protocol import Offer
from resources.types.masters import HandSample, encode_hand
from resources.types.motion import ArmSample, LoopState, encode_motion

PERIOD_S = 1.0 / 60.0
OFFER = "\r\n".join(
    (
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "a=candidate:1 1 udp 2130706431 127.0.0.1 40000 typ host",
        "a=candidate:2 1 UDP 1 192.0.2.7 40001 typ srflx raddr 127.0.0.1 rport 40000",
        "a=end-of-candidates",
        "a=ice-ufrag:abcd",
        "",
    )
)


class Silent:
    """Nobody watches."""

    def begin(self, what: str, steps: int) -> None: ...

    def step(self) -> None: ...


def came(network: Network, seed: str, packets: int) -> list[tuple[float, float | None]]:
    """When each of many packets set out, and when it came out."""
    way = Direction(network, seed)
    return [(number * PERIOD_S, way.due_s(number * PERIOD_S)) for number in range(packets)]


def arm(engaged: int, place: float, why: str = "", *, target: float | None = None) -> ArmSample:
    """A report of an arm that is so far along y."""
    at = place if target is None else target
    return ArmSample(
        0.0,
        LoopState(engaged=engaged, disengaged=why),
        base_T_tool=(0.5, place, 0.3, 1.0, 0.0, 0.0, 0.0),
        base_T_target=(0.5, at, 0.3, 1.0, 0.0, 0.0, 0.0),
    )


def hands(received_s: Sequence[float], engagement: int = 3) -> list[HandSample]:
    return [
        HandSample("s", number, at_s, at_s, engagement) for number, at_s in enumerate(received_s, start=1)
    ]


# -- the network


@pytest.mark.parametrize("network", [WIFI, MOBILE])
def test_delays_are_the_papers_and_order_is_kept(network: Network) -> None:
    drawn = random.Random(1)
    round_trips = [1e3 * (network.one_way_s(drawn) + network.one_way_s(drawn)) for _ in range(20_000)]
    assert network.least_ms <= min(round_trips)
    assert max(round_trips) <= network.most_ms
    assert sum(round_trips) / len(round_trips) == pytest.approx(network.mean_ms, rel=0.02)

    packets = came(network, "a", 20_000)
    out = [due_s for _, due_s in packets if due_s is not None]
    assert out == sorted(out)
    assert 1.0 - len(out) / len(packets) == pytest.approx(network.loss, abs=0.003)
    late = [due_s - sent_s for sent_s, due_s in packets if due_s is not None]
    assert 0.5e-3 * network.least_ms <= min(late) + 1e-9
    assert max(late) <= 0.5e-3 * network.most_ms + 1e-9


def test_packets_of_one_moment_find_the_same_network() -> None:
    way = Direction(Network("lossless", 5.0, 20.0, 60.0), "a")
    assert way.due_s(0.0) == way.due_s(0.0)
    first = way.due_s(1.0)
    assert first is not None
    assert way.due_s(1.0 + SLOT_S / 2) == pytest.approx(first + SLOT_S / 2)


def test_the_same_seed_is_the_same_network() -> None:
    assert came(WIFI, "a", 500) == came(WIFI, "a", 500)
    assert came(WIFI, "a", 500) != came(WIFI, "b", 500)


def test_nothing_in_between_delays_and_loses_nothing() -> None:
    assert LOOPBACK.is_direct
    assert all(sent_s == due_s for sent_s, due_s in came(LOOPBACK, "a", 100))


def test_packets_go_through_the_relay_and_back_until_it_is_cut() -> None:
    async def scenario() -> None:
        async with asyncio.timeout(10), UdpRelay(LOOPBACK, 0) as relay:
            heard: list[bytes] = []
            answered = asyncio.Event()

            def take(payload: bytes, _: object) -> None:
                heard.append(payload)
                answered.set()

            far = relay.opened(lambda payload, sender: send(far, payload[::-1], sender))
            near, other = relay.opened(take), relay.opened(take)
            port = relay.way_to(*far.getsockname())
            assert relay.way_to(*far.getsockname()) == port
            for out, words in ((near, b"one"), (other, b"two")):
                answered.clear()
                send(out, words, (HOST, port))
                await answered.wait()
            assert heard == [b"eno", b"owt"]

            relay.is_cut = True
            send(near, b"lost", (HOST, port))
            async with Pings(relay, 500.0, 32) as pings:
                while len(pings._sent_s) < 5:
                    await asyncio.sleep(0.001)
                assert pings.round_trips_ms == []
                relay.is_cut = False
                while not pings.round_trips_ms:
                    await asyncio.sleep(0.001)
            assert b"tsol" not in heard

    asyncio.run(scenario())


def test_a_page_is_told_of_the_relay_only_and_the_process_of_no_page() -> None:
    async def scenario() -> None:
        async with UdpRelay(WIFI, 0) as relay:
            offer = Offer("control", OFFER)
            relayed = relayed_offer(offer, relay)
            port = relay.way_to("127.0.0.1", 40000)
            assert port != 40000
            assert relayed.sdp == OFFER.replace("127.0.0.1 40000 typ host", f"{HOST} {port} typ host")
            assert msgspec.structs.replace(relayed, sdp=OFFER) == offer

    asyncio.run(scenario())
    assert "candidate" not in without_candidates(OFFER)
    assert "a=ice-ufrag:abcd\r\n" in without_candidates(OFFER)


# -- arithmetic


def test_clutch_off_counts_from_the_last_pose_before_it() -> None:
    why = "no pose for 100 ms"
    track = [(0.00, arm(3, 0.0)), (0.05, arm(3, 0.0)), (0.11, arm(3, 0.0)), (0.12, arm(0, 0.0, why))]
    found = released(track, hands([0.0, 0.014, 0.3]), cut_s=0.02)
    assert found is not None
    assert found.off_ms == pytest.approx(106.0)
    assert found.why == why


def test_clutch_off_is_none_if_it_was_off_before_or_stays_on() -> None:
    assert released([(0.0, arm(0, 0.0)), (0.2, arm(0, 0.0))], hands([0.0]), cut_s=0.1) is None
    off_before = [(0.0, arm(3, 0.0)), (0.05, arm(0, 0.0)), (0.2, arm(0, 0.0))]
    assert released(off_before, hands([0.0]), cut_s=0.1) is None
    assert released([(0.0, arm(3, 0.0)), (0.2, arm(3, 0.0))], hands([0.0]), cut_s=0.1) is None
    assert released([(0.0, arm(3, 0.0)), (0.2, arm(0, 0.0))], hands([0.0], engagement=0), cut_s=0.1) is None


def test_a_jump_is_of_the_tool_or_of_its_target() -> None:
    assert jump_mm([]) == 0.0
    assert jump_mm([(0.0, arm(0, 0.1)), (0.1, arm(1, 0.1))]) == 0.0
    assert jump_mm([(0.0, arm(0, 0.1)), (0.1, arm(1, 0.103)), (0.2, arm(1, 0.1))]) == pytest.approx(3.0)
    assert jump_mm([(0.0, arm(0, 0.1)), (0.1, arm(1, 0.1, target=0.105))]) == pytest.approx(5.0)


def test_reports_whose_target_has_moved_along_an_axis_are_counted() -> None:
    track = [(0.0, arm(1, 0.1)), (0.1, arm(1, 0.1004)), (0.2, arm(1, 0.102)), (0.3, arm(1, 0.098))]
    assert moved_by(track, 1, 0.5) == 2
    assert moved_by(track, 2, 0.5) == 0
    assert moved_by([], 1, 0.5) == 0


def test_every_sample_of_several_rings_is_kept_until_it_is_forgotten(tmp_path: Path) -> None:
    with (
        RingWriter(tmp_path, "arm", slot_bytes=4096) as arms,
        RingWriter(tmp_path, "hand", slot_bytes=4096) as poses,
        LinkLog({"arm": arms.path, "hand": poses.path}) as log,
    ):
        assert log.arm_now("arm") is None
        for number, hand in enumerate(hands([1.0, 2.0, 3.0]), start=1):
            arms.write(encode_motion(arm(number, 0.0)), stamp_s=float(number))
            poses.write(encode_hand(hand), stamp_s=float(number))
            while len(log.arm("arm")) < number or len(log.hand("hand")) < number:
                pass
        assert [(stamp_s, sample.loop.engaged) for stamp_s, sample in log.arm("arm")] == [
            (1.0, 1),
            (2.0, 2),
            (3.0, 3),
        ]
        assert [hand.number for hand in log.hand("hand")] == [1, 2, 3]
        newest = log.arm_now("arm")
        assert newest is not None
        assert newest.loop.engaged == 3
        log.begin()
        assert log.arm("arm") == []


def test_quantiles_are_numbers_that_were_measured() -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.0
    assert quantile([1.0, 2.0, 3.0], 0.5) == 2.0
    assert quantile([1.0], 0.99) == 1.0
    assert quantile([float(number) for number in range(1, 101)], 0.99) == 99.0
    assert spread([3.0, 1.0, 2.0]) == {"min": 1.0, "mean": 2.0, "median": 2.0, "p99": 3.0, "max": 3.0}
    assert set(spread([]).values()) == {None}


def test_what_page_and_process_add_is_beyond_the_network_of_the_same_time() -> None:
    made = Trips(
        WIFI,
        page=Measured([24.0, 25.0, 26.0], [20.0, 22.0, 30.0]),
        scripted=Measured([20.0], [19.0]),
        hands_hz=60.0,
    )
    figures = made.figures()
    assert figures["added_ms_wifi"] == 3.0
    assert figures["added_ms_wifi_scripted"] == 1.0
    assert figures["added_ms_wifi_undrawn"] is None
    assert figures["network_ms_max_wifi"] == 30.0
    assert figures["rtt_ms_median_wifi"] == 25.0


def test_without_a_browser_its_figures_are_none() -> None:
    figures = Trips(LOOPBACK, scripted=Measured([0.5]), channel=[0.4]).figures()
    assert figures["rtt_ms_median_loopback"] is None
    assert figures["hands_hz_loopback"] is None
    assert figures["rtt_ms_median_loopback_scripted"] == 0.5
    assert figures["rtt_ms_median_loopback_bare"] == 0.4
    assert figures["added_ms_loopback"] is figures["rtt_ms_median_loopback_bare_page"] is None
    assert not any(name.startswith("network") for name in figures)


def test_on_the_direct_way_it_is_compared_with_a_bare_channel_of_the_same_browser() -> None:
    made = Trips(LOOPBACK, page=Measured([1.5]), undrawn=Measured([1.0]), bare_page=[1.25])
    figures = made.figures()
    assert figures["added_ms_loopback"] == 0.25
    assert figures["added_ms_loopback_undrawn"] == -0.25
    assert figures["rtt_ms_max_loopback_bare_page"] == 1.25


# -- measured


def test_on_the_virtual_clock_silence_opens_the_clutch_and_nothing_jumps() -> None:
    found = silences(3, 3)
    assert len(found.off_ms) == 3
    assert all(100.0 < off_ms <= 101.0 for off_ms in found.off_ms)
    assert found.jump_mm <= 1.0
    assert found == silences(3, 3)


@pytest.mark.soak
def test_all_of_it_shortly() -> None:
    runs = LinkRuns(Durations(1.0, 0.5, 1.0, 0.5), 1, Trials(2, 1, 1, 1, 2, 1))
    figures = asyncio.run(runs.measure(Silent(), 5))
    assert figures["interleaved_commands"] == 0
    assert figures["watched_for_that"]
    for name in ("wall", "paused"):
        off_ms = figures[f"clutch_off_ms_max_{name}"]
        assert off_ms is not None
        assert off_ms > 100.0
    jumps = [figure for name, figure in figures.items() if name.startswith("jump_mm_max")]
    assert len(jumps) == 7
    assert all(jump is not None and jump <= 1.0 for jump in jumps)
    for network in ("loopback", "wifi", "5g"):
        least, median = (figures[f"rtt_ms_{key}_{network}_scripted"] for key in ("min", "median"))
        assert least is not None
        assert median is not None
        assert 0.0 < least <= median
    assert set(facts("operator-link").goals) <= set(figures)


def test_the_emulated_headset_is_among_the_page_s_packages() -> None:
    assert IWER.is_file(), "without it the drawn page is left out of the experiment"
