"""Registrars' links in real processes on loopback: meeting, dying, coming back, hanging, ending.

No test sleeps: each waits for the line in which a process says what it was told.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator

import pytest

from tests.framework.transport.neighbours import PATIENCE_S, Neighbour

Start = Callable[..., Neighbour]


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[Neighbour] = []

    def start(name: str, listen: str = "", connect: tuple[str, ...] = ()) -> Neighbour:
        running.append(Neighbour(name, listen, connect))
        return running[-1]

    yield start
    for neighbour in running:
        neighbour.end()


def meet(start: Start, *names: str) -> tuple[list[Neighbour], str]:
    """Processes of these names; all connect to the first one only, and all see each other."""
    first = start(names[0])
    endpoint = str(first.until("joined")["endpoint"])
    others = [start(name, connect=(endpoint,)) for name in names[1:]]
    everybody = [first, *others]
    for one in everybody:
        one.until_seen(*(name for name in names if name != one.name))
    return everybody, endpoint


def test_three_that_know_only_one_meet_and_the_one_may_die(start: Start) -> None:
    (first, second, third), _ = meet(start, "first", "second", "third")
    first.signal(signal.SIGKILL)
    second.until("lost", name="first")
    third.until("lost", name="first")
    second.command("send", "third", "hello")
    assert third.until("received")["sender"] == "second"


def test_a_killed_process_is_lost_within_a_second(start: Start) -> None:
    (watcher, victim, other), _ = meet(start, "watcher", "victim", "other")
    killed_s = time.time()
    victim.signal(signal.SIGKILL)
    for witness in (watcher, other):
        assert witness.until("lost", name="victim")["at_s"] - killed_s < 1.0


def test_a_crashed_process_is_restarted_under_its_name(start: Start) -> None:
    (watcher, _, victim), endpoint = meet(start, "watcher", "other", "victim")
    victim.command("crash")
    lost = watcher.until("lost", name="victim")
    reborn = start("victim", connect=(endpoint,))
    boot = reborn.until("joined")["boot"]
    assert boot != lost["boot"]
    watcher.until("seen", name="victim", boot=boot)
    reborn.until_seen("watcher", "other")
    reborn.command("send", "other", "again")
    watcher.command("send", "victim", "welcome")
    assert reborn.until("received")["sender"] == "watcher"


def test_the_well_known_one_is_restarted_and_the_others_find_it_by_themselves(start: Start) -> None:
    (first, second, third), endpoint = meet(start, "first", "second", "third")
    first.signal(signal.SIGKILL)
    second.until("lost", name="first")
    third.until("lost", name="first")
    reborn = start("first", endpoint)
    boot = reborn.until("joined")["boot"]
    second.until("seen", name="first", boot=boot)
    third.until("seen", name="first", boot=boot)
    reborn.until_seen("second", "third")


def test_connecting_before_anybody_listens(start: Start) -> None:
    probe = start("probe")
    endpoint = str(probe.until("joined")["endpoint"])
    probe.end()
    early = start("early", connect=(endpoint,))
    assert early.until("joined")["open_ms"] < 1000
    start("late", endpoint)
    early.until_seen("late")


def test_a_name_in_use_in_another_process_is_refused(start: Start) -> None:
    (first, second), endpoint = meet(start, "first", "second")
    for name in ("first", "second"):
        double = start(name, connect=(endpoint,))
        double.until_refused_or_expelled()
        double.end()
    first.command("send", "second", "undisturbed")
    second.until("received")
    assert all(told["event"] != "lost" for told in first.told + second.told)


def test_a_port_in_use_is_refused_in_words(start: Start) -> None:
    first = start("first")
    endpoint = str(first.until("joined")["endpoint"])
    second = start("second", endpoint)
    assert f"cannot listen on {endpoint}: the address is already in use" in second.until("refused")["reason"]


def test_a_stopped_process_that_reads_nothing_delays_nobody(start: Start) -> None:
    (flooder, stopped, other), _ = meet(start, "flooder", "stopped", "other")
    stopped.signal(signal.SIGSTOP)
    flooder.command("flood", "stopped", "20000")
    flooded = flooder.until("flooded")
    assert flooded["longest_ms"] < 50
    flooder.command("send", "other", "quick")
    assert other.until("received")["at_s"] - flooded["at_s"] < 0.5
    stopped.signal(signal.SIGCONT)
    flooder.command("insist", "stopped")
    flooder.until("answered", sender="stopped")


def test_a_stopped_process_that_never_returns_does_not_prevent_closing(start: Start) -> None:
    (stopped, closer), _ = meet(start, "stopped", "closer")
    stopped.signal(signal.SIGSTOP)
    closer.command("close")
    closer.until("ends")
    assert closer.process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("end", ["close", "forget"])
def test_a_process_ends_whether_it_closes_or_forgets_to(start: Start, end: str) -> None:
    (watcher, ending), _ = meet(start, "watcher", "ending")
    ending.command(end)
    ending.until("ends")
    assert ending.process.wait(PATIENCE_S) == 0
    watcher.until("lost", name="ending")


def test_what_is_provided_reaches_other_processes(start: Start) -> None:
    (first, second), _ = meet(start, "first", "second")
    second.command("provide", "cameras:Camera", "m:f.<locals>.K")
    assert first.until("seen")["provides"] == ["cameras:Camera", "m:f.<locals>.K"]
