"""Cameras of a machine start one after the other, by serial number."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from resources.drivers.realsense import start_turn
from resources.drivers.realsense.start_turn import STAGGER_S, StartTurn
from tests.resources.drivers.realsense.fake_child import FakeChild

_HOLD = """
import socket, sys
held = socket.socket(socket.AF_UNIX)
held.bind(sys.argv[1].replace("@", chr(0)))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def name() -> str:
    """Of nobody else on this machine."""
    return f"\0pilothouse test {os.getpid()}"


def counting(most: int, then: Callable[[], None]) -> FakeChild:
    """A child that does something once it has waited so often."""
    child = FakeChild()

    def each_wait() -> None:
        if len(child.waits) == most:
            then()

    child.each_wait = each_wait
    return child


def test_the_second_waits_until_the_first_has_its_picture(name: str) -> None:
    first = StartTurn(FakeChild().as_child, 0, name=name)
    child = counting(7, first.pass_on)
    with first, StartTurn(child.as_child, 0, name=name):
        pass
    assert len(child.waits) == 7
    first.pass_on()


def test_a_larger_serial_number_begins_later(name: str) -> None:
    for rank in range(3):
        child = FakeChild()
        with StartTurn(child.as_child, rank, name=name):
            assert child.waits == [rank * STAGGER_S]


def test_whoever_dies_gives_the_turn_back(name: str) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, name.replace("\0", "@")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        def die() -> None:
            holder.kill()
            holder.wait()

        child = counting(3, die)
        with StartTurn(child.as_child, 0, name=name):
            assert len(child.waits) == 3


def test_one_that_does_not_get_on_keeps_nobody_away_for_ever(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_turn, "WAIT_AT_MOST_S", 0.0)
    with StartTurn(FakeChild().as_child, 0, name=name), StartTurn(FakeChild().as_child, 1, name=name):
        pass


def test_whoever_is_told_to_stop_waits_no_longer(name: str) -> None:
    child = FakeChild()
    child.stopping = True
    with StartTurn(FakeChild().as_child, 0, name=name), StartTurn(child.as_child, 0, name=name):
        pass
