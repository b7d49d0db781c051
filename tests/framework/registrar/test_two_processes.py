"""Registrars in real processes, over Zenoh on loopback: killed, stopped, continued, restarted, nothing left.

No test sleeps: each waits for the line in which a process says what happened.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.framework.registrar.distant import FOLLOWING, PARKED, SLOW_STOP_S, Scan
from tests.framework.transport.neighbours import Neighbour

PROGRAM = Path(__file__).with_name("distant.py")

#: Twice the registrar's default, as the machine may be busy [s]; where a silence has to be noticed.
WINDOW_S = 0.5

#: For tests in which nobody may be taken for silent only because the machine is busy [s].
PATIENT_S = 5.0

#: What a busy machine may add before something is said about it [s].
NOISE_S = 0.5

Start = Callable[..., Neighbour]


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[Neighbour] = []

    def start(
        name: str, *, of: Neighbour | None = None, window_s: float = PATIENT_S, catalog: Path | None = None
    ) -> Neighbour:
        connect = (str(of.told[0]["endpoint"]),) if of is not None else ()
        more = (str(window_s), *((str(catalog),) if catalog is not None else ()))
        one = Neighbour(name, "", connect, *more, program=PROGRAM)
        running.append(one)
        one.until("joined")
        return one

    yield start
    for one in running:
        one.end()
    pids = {str(one.process.pid) for one in running}
    assert not [name for name in os.listdir("/dev/shm") if pids & set(re.split(r"\D+", name))]


def hold(client: Neighbour, key: str, *words: str) -> dict[str, Any]:
    """Have a resource requested and held; what the client was granted."""
    client.command("hold", key, *words)
    return client.until("granted", key=key)


def assert_nothing_left(*alive: Neighbour) -> None:
    """No resource or lease; no task, open file or child more than when it had just joined; no socket but
    those to listen, to wake the event loop, and to the others that are alive: one each, and a second one
    where gossip made both connect at the same moment."""
    sockets = 3 + 2 * (len(alive) - 1)
    for one in alive:
        joined = one.told[0]
        one.command("settle", str(sockets), str(joined["files"]), str(joined["tasks"]))
        settled = one.until("settled")
        assert settled["empty"], settled
        assert settled["sockets"] <= sockets, settled
        for name in ("files", "tasks", "python_threads", "children"):
            assert settled[name] <= joined[name], (name, settled, joined)


def told_fatal(client: Neighbour, key: str) -> dict[str, Any]:
    """Once, under its own lease, before the body ended."""
    failed = client.until("failed", key=key)
    fatal = [one for one in client.told if one["event"] == "told" and one["severity"] == "FATAL"]
    assert len(fatal) == 1 and fatal[0]["key"] == key
    return failed


# -- killed


def test_the_providers_process_is_killed_and_its_client_is_told_and_keeps_nothing(start: Start) -> None:
    client = start("client")
    provider = start("provider", of=client)
    provider.command("provide", "arm")
    granted = hold(client, "arm", "arm", "left", "exclusive")
    assert granted["value"] == repr(PARKED)
    provider.signal(signal.SIGKILL)
    failed = told_fatal(client, "arm")
    assert failed["hops"] == ["provider"]
    assert "provider is gone" in failed["text"]
    assert_nothing_left(client)


def test_providers_killed_one_after_the_other_cost_their_client_nothing(start: Start) -> None:
    client = start("client")
    pollers = []
    for _ in range(4):
        provider = start("provider", of=client)
        provider.command("provide", "arm")
        hold(client, "arm", "arm", "left", "exclusive")
        provider.signal(signal.SIGKILL)
        client.until("failed", key="arm")
        assert_nothing_left(client)
        pollers.append(client.told[-1]["pollers"])
    assert pollers[1:] == pollers[:-1]


def test_the_clients_process_is_killed_and_the_provider_reaps_and_stops_safely(start: Start) -> None:
    provider = start("provider")
    provider.command("provide", "arm")
    client = start("client", of=provider)
    hold(client, "arm", "arm", "left", "exclusive")
    client.command("command", "arm", "move")
    provider.until("commanded", text="move")
    client.signal(signal.SIGKILL)
    provider.until("did", deed="reap")
    provider.until("safe_stop", side="left")
    provider.until("down", side="left")
    assert_nothing_left(provider)


def test_who_waited_gets_the_arm_of_a_killed_client_only_after_its_safe_stop(start: Start) -> None:
    provider = start("provider")
    provider.command("provide", "arm")
    first, second = start("first", of=provider), start("second", of=provider)
    generation = hold(first, "arm", "arm", "left", "exclusive")["generation"]
    second.command("hold", "arm", "arm", "left", "exclusive", "wait")
    assert "waiting for" in second.until("told", severity="OK")["text"]
    first.signal(signal.SIGKILL)
    stopped = provider.until("safe_stop", side="left")
    granted = second.until("granted")
    assert granted["at_s"] > stopped["at_s"]
    assert granted["generation"] > generation
    second.command("let-go", "arm")
    provider.until("down")
    assert_nothing_left(second, provider)


# -- stopped, and continued


def test_a_stopped_provider_is_noticed_in_its_window_and_finds_everything_given_back(start: Start) -> None:
    client = start("client", window_s=WINDOW_S)
    provider = start("provider", of=client, window_s=WINDOW_S)
    provider.command("provide", "arm")
    stopped_s = hold(client, "arm", "arm", "left", "exclusive")["at_s"]
    provider.signal(signal.SIGSTOP)
    failed = told_fatal(client, "arm")
    assert "silent" in failed["text"] and failed["hops"] == ["provider"]
    assert failed["at_s"] - stopped_s < WINDOW_S + NOISE_S
    provider.signal(signal.SIGCONT)
    provider.until("safe_stop", side="left")
    provider.until("down", side="left")
    hold(client, "again", "arm", "left", "exclusive")
    client.command("let-go", "again")
    provider.until("down", side="left")
    assert_nothing_left(client, provider)


def test_a_stopped_client_is_reaped_in_its_window_and_told_when_it_goes_on(start: Start) -> None:
    provider = start("provider", window_s=WINDOW_S)
    provider.command("provide", "arm")
    client = start("client", of=provider, window_s=WINDOW_S)
    stopped_s = hold(client, "arm", "arm", "left", "exclusive")["at_s"]
    client.signal(signal.SIGSTOP)
    assert provider.until("safe_stop")["at_s"] - stopped_s < WINDOW_S + NOISE_S
    provider.until("down")
    client.signal(signal.SIGCONT)
    failed = told_fatal(client, "arm")
    assert "gave it up" in failed["text"] and failed["hops"] == ["provider"]
    hold(client, "again", "arm", "left", "exclusive")
    client.command("let-go", "again")
    provider.until("down")
    assert_nothing_left(client, provider)


def test_a_provider_with_a_catalog_may_stand_still_and_its_leases_go_on(start: Start, tmp_path: Path) -> None:
    client = start("client", window_s=WINDOW_S)
    provider = start("provider", of=client, window_s=WINDOW_S, catalog=tmp_path / "catalog")
    provider.command("provide", "arm")
    hold(client, "arm", "arm", "left", "exclusive")
    provider.signal(signal.SIGSTOP)
    assert "waiting for it to come back" in client.until("told", severity="WARNING")["text"]
    provider.signal(signal.SIGCONT)
    client.until("told", severity="OK")
    client.command("command", "arm", "go-on")
    provider.until("commanded", text="go-on")
    client.command("let-go", "arm")
    provider.until("down")
    assert not [one for one in client.told if one.get("severity") == "FATAL"]
    assert_nothing_left(client, provider)


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
def test_through_a_chain_the_far_end_stops_in_one_window_however_slow_the_middle_is(
    start: Start, how: signal.Signals
) -> None:
    far = start("far", window_s=WINDOW_S)
    far.command("provide", "arm")
    middle = start("middle", of=far, window_s=WINDOW_S)
    middle.command("provide", "chain")
    client = start("client", of=far, window_s=WINDOW_S)
    ended_s = hold(client, "chain", "chain", "left")["at_s"]
    client.signal(how)
    took_s = far.until("safe_stop", side="left")["at_s"] - ended_s
    assert took_s < WINDOW_S + NOISE_S < 2 * WINDOW_S + SLOW_STOP_S
    middle.until("stopping slowly")
    if how is signal.SIGSTOP:
        client.signal(signal.SIGCONT)
        told_fatal(client, "chain")
        assert_nothing_left(client, middle, far)
    else:
        assert_nothing_left(middle, far)


# -- killed and restarted


def test_an_exclusive_lease_outlives_kill_9_of_a_provider_with_a_catalog(
    start: Start, tmp_path: Path
) -> None:
    catalog = tmp_path / "catalog"
    client = start("client")
    provider = start("provider", of=client, catalog=catalog)
    provider.command("provide", "arm")
    granted = hold(client, "arm", "arm", "left", "exclusive")
    provider.signal(signal.SIGKILL)
    assert "waiting for it to come back" in client.until("told", severity="WARNING")["text"]
    reborn = start("provider", of=client, catalog=catalog)
    rival = start("rival", of=client)
    reborn.command("provide", "arm")
    update = client.until("told", severity="UPDATE")
    assert update["value"] == repr(PARKED)
    rival.command("hold", "arm", "arm", "left", "exclusive")
    assert "client" in rival.until("refused")["text"]
    client.command("command", "arm", "go-on")
    assert reborn.until("commanded", text="go-on")["generation"] > granted["generation"]
    client.command("let-go", "arm")
    reborn.until("safe_stop", side="left")
    reborn.until("down", side="left")
    assert not [one for one in client.told if one["event"] in ("failed", "refused")]
    assert_nothing_left(client, rival, reborn)


# -- handles


def test_handles_arrive_as_the_types_that_their_requests_name(start: Start) -> None:
    client = start("client")
    provider = start("provider", of=client)
    provider.command("provide", "arm", "sensor")
    assert hold(client, "arm", "arm", "left")["value"] == repr(PARKED)
    assert hold(client, "sensor", "sensor", "front")["value"] == repr(Scan((1, 2)))
    provider.command("follow", "left")
    assert client.until("told", severity="UPDATE")["value"] == repr(FOLLOWING)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("nameless", "name its type on the request, `handle_type"),
        ("wrong", "Wrong.handle_type is Cloud, but its provider yields a Scan"),
        ("huge", "at most 1048576 are sent"),
    ],
)
def test_a_handle_that_cannot_cross_is_refused_in_words(start: Start, kind: str, words: str) -> None:
    client = start("client")
    provider = start("provider", of=client)
    provider.command("provide", kind)
    client.command("hold", "it", kind, "left")
    refused = client.until("refused")
    assert words in refused["text"] and refused["hops"] == ["provider"]
    provider.until("did", deed="refuse")
    assert_nothing_left(client, provider)


def test_an_update_that_cannot_cross_ends_the_lease_in_words(start: Start) -> None:
    client = start("client")
    provider = start("provider", of=client)
    provider.command("provide", "arm")
    hold(client, "arm", "arm", "left", "exclusive")
    provider.command("mislead", "left")
    failed = told_fatal(client, "arm")
    assert "Arm.handle_type is ArmHandle, but its provider yields a Scan" in failed["text"]
    provider.until("safe_stop", side="left")
    assert_nothing_left(client, provider)
