"""Frames and messages, whole and broken."""

from __future__ import annotations

import math
import random

import msgspec
import pytest

from framework.errors import MalformedMessage, ProcessError
from framework.processes import guardian, wire
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.status import Severity

MESSAGES: list[wire.Report] = [
    wire.ReadyReport(b"handle"),
    wire.Beat(),
    wire.Beat(0.25, "color", 3.0),
    wire.Beat(math.inf),
    wire.StatusReport(Severity.ERROR, "blurred"),
    wire.Started(4_000_000),
]


def test_messages_survive_the_wire_in_pieces_of_any_size() -> None:
    stream = b"".join(map(wire.frame, MESSAGES)) * 3
    for seed in range(50):
        choose = random.Random(seed)
        reader, found, at = wire.FrameReader(), list[wire.Report](), 0
        while at < len(stream):
            size = choose.randint(1, 40)
            reader.feed(stream[at : at + size], lambda content: found.append(wire.read_report(content)))  # noqa: B023
            at += size
        assert found == MESSAGES * 3
        assert reader.unfinished_bytes == 0


def test_the_guardian_writes_what_we_read() -> None:
    found: list[wire.Report] = []
    wire.FrameReader().feed(
        guardian._started(123_456), lambda content: found.append(wire.read_report(content))
    )
    assert found == [wire.Started(123_456)]


@pytest.mark.parametrize("size", [0, wire.MAX_FRAME_BYTES + 1, 2**32 - 1])
def test_a_length_that_cannot_be_true_is_refused_after_what_came_before_it(size: int) -> None:
    found: list[bytes] = []
    with pytest.raises(MalformedMessage, match=f"a frame of {size} bytes"):
        wire.FrameReader().feed(wire.frame(wire.Beat()) + size.to_bytes(4, "little") + b"x", found.append)
    assert len(found) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"\xc1",
        b"",
        b"\x81\xa4type\xa5hello",
        msgspec.msgpack.encode({"type": "status", "severity": 99, "message": ""}),
        msgspec.msgpack.encode({"type": "ready", "handle": 3}),
        msgspec.msgpack.encode({"type": "beat", "stream_age_s": math.nan}),
        msgspec.msgpack.encode({"type": "beat", "stream_age_s": -1.0}),
        msgspec.msgpack.encode({"type": "beat", "next_within_s": math.inf}),
        msgspec.msgpack.encode(wire.Quit()),
        b"\x91" * 50_000,
    ],
)
def test_content_that_is_no_report_is_refused(content: bytes) -> None:
    with pytest.raises(MalformedMessage):
        wire.read_report(content)


def test_random_bytes_are_refused_and_nothing_else_happens() -> None:
    choose = random.Random(0)
    for _ in range(5000):
        content = choose.randbytes(choose.randint(0, 60))
        for read in (wire.read_report, wire.read_order):
            try:
                read(content)
            except MalformedMessage:
                continue


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"argv": ()}, "argv is empty"),
        ({"argv": ("a\0b",)}, "NUL"),
        ({"env": (("A=B", "c"),)}, "cannot name environment variables"),
        ({"start_timeout_s": 0.0}, "start_timeout_s is 0.0; it must be above 0"),
        ({"beat_s": math.nan}, "beat_s is nan"),
        ({"stale_after_s": -1.0}, "stale_after_s is -1.0"),
        ({"stop_timeouts_s": (1.0, math.inf)}, r"stop_timeouts_s\[1\] is inf"),
        ({"adopt_grace_s": 5.0, "protocol": False}, "cannot be adopted"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ProcessError, match=words):
        msgspec.structs.replace(ProcessSpec(("true",), "x"), **changes)


@pytest.mark.parametrize("changes", [{"first_s": 0.0}, {"jitter": 1.0}, {"most": -1}, {"within_s": math.nan}])
def test_a_restart_policy_that_makes_no_sense_is_refused(changes: dict[str, float]) -> None:
    with pytest.raises(ProcessError, match="must be"):
        msgspec.structs.replace(RestartPolicy(), **changes)
