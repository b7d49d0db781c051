"""Which addresses of a page's are tried."""

from __future__ import annotations

import pytest

from framework.errors import MalformedMessage
from resources.operator.candidates import MOST_CANDIDATES, CandidateGate, is_loopback, own_address


def line(address: str, port: int = 40000, protocol: str = "udp") -> str:
    return f"candidate:1 1 {protocol} 2122260223 {address} {port} typ host"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_hosts(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "robot.local", "lan"])
def test_other_hosts(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.2", "127.0.0.2"),
        ("localhost", "127.0.0.1"),
        ("192.168.1.5", "192.168.1.5"),
        ("0.0.0.0", None),
        ("lan", None),
    ],
)
def test_a_link_listens_where_its_server_does(host: str, address: str | None) -> None:
    assert own_address(host) == address


@pytest.mark.parametrize("address", ["192.168.1.5", "10.0.0.1", "fe80::1", "phone.local", "0.0.0.0"])
def test_on_loopback_no_other_address_is_tried(address: str) -> None:
    gate = CandidateGate(loopback_only=True)
    assert gate.candidate(line(address)) is None
    assert gate.dropped == 1
    assert gate.candidate(line("127.0.0.1")) is not None


@pytest.mark.parametrize("address", ["192.168.1.5", "8.8.8.8", "fe80::1", "7c9d-11.local"])
def test_on_a_network_a_page_s_addresses_are_tried(address: str) -> None:
    candidate = CandidateGate(loopback_only=False).candidate(line(address))
    assert candidate is not None
    assert candidate.ip == address


@pytest.mark.parametrize("address", ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])
def test_on_a_network_a_page_does_not_have_us_knock_at_our_own_services(address: str) -> None:
    assert CandidateGate(loopback_only=False).candidate(line(address)) is None


@pytest.mark.parametrize(
    "address",
    ["224.0.0.1", "0.0.0.0", "ff02::1", "::ffff:224.0.0.1", "255.255.255.255", "example.org", "localhost"],
)
def test_what_is_nobody_s_address_is_not_tried(address: str) -> None:
    assert CandidateGate(loopback_only=False).candidate(line(address)) is None


def test_tcp_and_port_0_are_not_tried() -> None:
    gate = CandidateGate(loopback_only=False)
    assert gate.candidate(line("10.0.0.1", protocol="tcp")) is None
    assert gate.candidate(line("10.0.0.1", port=0)) is None


def test_there_are_only_so_many() -> None:
    gate = CandidateGate(loopback_only=False)
    found = [gate.candidate(line("10.0.0.1", port=1000 + number)) for number in range(MOST_CANDIDATES + 5)]
    assert sum(candidate is not None for candidate in found) == MOST_CANDIDATES


@pytest.mark.parametrize(
    "text", ["candidate:", "nonsense", "candidate:1 1 udp x 1.2.3.4 5 typ host", "a b c d e f g"]
)
def test_what_is_no_candidate_is_refused(text: str) -> None:
    with pytest.raises(MalformedMessage):
        CandidateGate(loopback_only=False).candidate(text)


def test_the_end_of_candidates_is_nothing() -> None:
    assert CandidateGate(loopback_only=False).candidate("") is None


def test_an_answer_keeps_only_what_is_tried() -> None:
    sdp = "\r\n".join(
        [
            "v=0",
            "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
            f"a={line('127.0.0.1')}",
            f"a={line('192.168.1.5')}",
            "a=candidate:garbage",
            "a=end-of-candidates",
            "a=mid:0",
        ]
    )
    assert CandidateGate(loopback_only=True).answer(sdp).split("\r\n") == [
        "v=0",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        f"a={line('127.0.0.1')}",
        "a=mid:0",
        "",
    ]
