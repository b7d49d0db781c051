"""The fixture itself: how it starts, ends, fails, and what it can be told."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

import pytest

from framework.errors import ProcessDied, ProcessStartFailed
from resources.fci_sim import HOME, Push, Reflex, Scene, SimulatedControlBox, WrongVersion
from resources.fci_sim.simulated_box import free_addresses


def test_boxes_run_side_by_side_on_addresses_of_their_own() -> None:
    with SimulatedControlBox(arms=2) as first, SimulatedControlBox() as second:
        assert len({*first.addresses, *second.addresses}) == 3
        assert first.status(1).address == first.addresses[1]


def test_a_taken_address_is_refused_in_the_words_of_the_child() -> None:
    with SimulatedControlBox() as box:
        with pytest.raises(ProcessStartFailed, match=r"port 1337 of .* cannot be opened.*another box"):
            SimulatedControlBox(addresses=box.addresses).__enter__()
        assert box.status().mode == "idle"


@pytest.mark.parametrize(
    ("box", "words"),
    [
        (SimulatedControlBox(scene=Scene(q=(1.0,) * 3)), "has 3 joints"),
        (SimulatedControlBox(faults=[Reflex(flag="hiccup")]), "no flag 'hiccup'"),
        (SimulatedControlBox(faults=[WrongVersion(arm=1)]), "arms 0 to 0"),
    ],
)
def test_what_cannot_be_does_not_start(box: SimulatedControlBox, words: str) -> None:
    with pytest.raises(ProcessStartFailed, match=words), box:
        pass
    with pytest.raises(ProcessDied, match="inside its `with` block"):
        box.status()


def test_a_look_inside_and_a_helping_hand() -> None:
    elsewhere = (0.5, *HOME[1:])
    with SimulatedControlBox() as box:
        assert box.status().q == pytest.approx(HOME)
        box.place(elsewhere)
        assert box.status().q == pytest.approx(elsewhere)
        box.hold_object(0.02)
        box.guide(True)
        assert box.status().mode == "guiding"
        box.inject(Push(force=(0.0, 10.0, 0.0), for_s=0.3))
        box.pass_time(0.4)
        assert max(abs(a - b) for a, b in zip(box.status().q, elsewhere, strict=True)) > 0.02
        box.guide(False)
        assert [event.number for event in box.events()] == list(range(1, len(box.events()) + 1))
        for problem, words in (
            (lambda: box.place(HOME[:3]), "7 joints, not 3"),
            (lambda: box.place((9.0,) * 7), "outside the limits"),
            (lambda: box.inject(Reflex(flag="x")), "no flag"),
            (lambda: box.status(4), "no arm 4"),
            (lambda: box.sent(), "goes by the clock"),
            (lambda: box.wait_for("never", for_s=0.01), "nothing like 'never'"),
        ):
            with pytest.raises(ValueError, match=words):
                problem()


def test_it_says_so_when_it_was_killed() -> None:
    with SimulatedControlBox() as box:
        os.kill(box.pid, signal.SIGKILL)
        with pytest.raises(ProcessDied, match="has ended with code -9"):
            box.status()


def test_a_stopped_box_is_ended_all_the_same() -> None:
    with SimulatedControlBox() as box:
        pid = box.pid
        os.kill(pid, signal.SIGSTOP)
        box.close(within_s=0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_box_does_not_outlive_whoever_started_it() -> None:
    code = (
        "import os, signal\n"
        "from resources.fci_sim import SimulatedControlBox\n"
        "box = SimulatedControlBox().__enter__()\n"
        "print(box.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False)
    assert run.returncode == -signal.SIGKILL
    pid = int(run.stdout)
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return  # gone already
    try:
        # Becomes readable when the process ends.
        assert select.select([descriptor], [], [], 10.0)[0]
    finally:
        os.close(descriptor)


def test_addresses_are_loopback() -> None:
    addresses = free_addresses(3)
    assert len(set(addresses)) == 3
    assert all(address.startswith("127.") for address in addresses)
