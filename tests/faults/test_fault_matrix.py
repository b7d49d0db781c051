"""The fault matrix: every fault × sub-resource, sensor, stream, controller, microphone, recogniser, hands ×
0, 1, n clients.

A test's id is its cell. In every cell: who is affected is told, once; then a substitute within the bar, or
a clear failure in words after which asking again works as soon as the cause is mended; then everybody leaves
and nothing is left: snapshots, processes, tasks, timers. What exactly follows in which column stands in its
`outcomes`.

What the faults mean in the columns sub-resource · sensor · stream · controller:

* start raises: its process ends before it is ready · the preferred device's does · there is no ring ·
  the world's process does
* start hangs: its process never gets ready · the preferred device's does not · no first sample comes ·
  its control loop reports nothing
* dies in use: its process is killed, and restarted · the device's is · the writer ends and closes its ring ·
  its control loop ends
* no heartbeat: its process hangs · the device's does · the writer does: a stream's beats are its samples ·
  the world's process hangs, and its loops with it
* stale stream: its process beats, but samples nothing · the device's does · stamps stand still · the
  world's process beats, but this loop reports nothing any more
* stop raises: the launcher does, once the child has ended · the driver · the ring cannot be unmapped ·
  the driver
* stop hangs: neither SIGINT nor SIGTERM is obeyed · the driver never returns · a read is stuck · the driver
  never returns
* manager killed: the process manager with its children · the sensor manager · the stream manager · the
  controller manager
* dependency fails while its parent starts: the process, and the rig starts · the process, and the device
  starts · the stream, and a view on it starts · the world, and the arm starts
* flapping: dies again and again, 5 restarts, then a human is needed · both devices die again and again,
  each is tried once, then words · samples come and go; each coming and going is told · one reflex after
  the other: the first ends it, with what to say

The same in all columns: *client vanishes*: one falls silent; it is reaped, the others hear nothing.
*duplicate, late, reordered message*, *full queue*: all messages between registrars suffer so while
the resource dies in use. *clock step*: the wall clock goes an hour forth and two back, the providing
process stands still for 5 s: nobody is told anything, and then it dies in use as usual.

0 clients: at the start and at the stop whoever asked gives up before it is up; in use whoever had it
has left. The fault finds nobody: nobody is told, nothing comes up, and the next one to ask is served.
In the columns microphone · recogniser · hands: at the start it is the ear for "emergency stop" of the
preferred microphone · the recogniser · the reader of a page's hands that ends or hangs; in use it is the
microphone itself · again the recogniser · the reader, which is started again in the same place. A
dependency that fails at the start is the microphone beneath its ear · the end-of-speech detector · the page,
which switches its gestures off. What flaps is the ear: its microphone is closed, then the other one's ·
the recogniser: a human is needed · the reader: whoever shows their hands is told that nobody reads them.
In the column controller the first client moves the arm all the while, and the others read along; whatever
happened, no loop follows anybody afterwards, and nothing moves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.testing import VirtualLoop, run_on
from tests.faults.controller import Controller
from tests.faults.hands import HandsShown
from tests.faults.microphone import RobotMicrophone
from tests.faults.recogniser import Recognising
from tests.faults.sensor import Sensor
from tests.faults.stage import WINDOW_S, Client, Network, Stage, now_s
from tests.faults.stream import WatchedStream
from tests.faults.sub_resource import SubResource
from tests.faults.subject import NOTICE_S, Outcome, Subject
from tests.framework.registrar.harness import vanish

SUBJECTS: tuple[type[Subject], ...] = (
    SubResource,
    Sensor,
    WatchedStream,
    Controller,
    RobotMicrophone,
    Recognising,
    HandsShown,
)

OF_SPEECH = (RobotMicrophone, Recognising, HandsShown)
"""One client of these is as many are: tried with none and with many."""

MANY = 3

#: A substitute's first sample comes within this, the substitute being started cold [s].
COLD_S = 3.0

Play = Callable[[Stage, Subject, str, int], Awaitable[None]]


# ---------------------------------------------------------------- at the start


async def at_the_start(stage: Stage, subject: Subject, fault: str, number: int) -> None:
    """The fault lies in wait when they ask."""
    await subject.begin(fault)
    clients = await stage.come(number)
    began_s = now_s()
    if not number:
        await somebody_gives_up(stage, subject)
        return
    for client in clients:
        subject.ask(client)
    for client in clients:
        await client.answer()
    outcome = subject.outcomes[fault]
    await asyncio.sleep(5.0)
    for client in clients:
        check(client, subject, outcome, began_s, before=None)
    if outcome.words:
        assert_nothing_up(stage)
    await ask_again_once_mended(stage, subject, clients)


async def somebody_gives_up(stage: Stage, subject: Subject) -> None:
    (passer_by,) = await stage.come(1)
    subject.ask(passer_by)
    await asyncio.sleep(0.1)
    await passer_by.give_up()
    await asyncio.sleep(16.0)
    assert not passer_by.told
    assert_nothing_up(stage)
    await next_one_is_served(stage, subject)


# ---------------------------------------------------------------- in use


async def in_use(stage: Stage, subject: Subject, fault: str, number: int) -> None:
    """The fault comes while they have it."""
    clients = await all_hold(stage, subject, number)
    befores = [client.value for client in clients]
    began_s = now_s()
    await subject.begin(fault)
    await asyncio.sleep(12.0)
    if not number:
        await nobody_was_there(stage, subject)
        return
    for client, before in zip(clients, befores, strict=True):
        check(client, subject, subject.outcomes[fault], began_s, before)
    subject.check(fault)
    await ask_again_once_mended(stage, subject, clients)


async def manager_killed(stage: Stage, subject: Subject, fault: str, number: int) -> None:
    """The process of the manager is gone at once."""
    clients = await all_hold(stage, subject, number)
    began_s = now_s()
    name = await subject.kill_manager()
    await asyncio.sleep(12.0)
    if not number:
        await nobody_was_there(stage, subject)
        return
    for client in clients:
        check(client, subject, subject.outcomes[fault], began_s, before=None)
        assert isinstance(client.error, ResourceFailed)
        assert client.error.hops[0].registrar == name
    assert_nothing_up(stage)
    await ask_again_once_mended(stage, subject, clients)


async def client_vanishes(stage: Stage, subject: Subject, fault: str, number: int) -> None:
    """One of them falls silent, with no orderly word."""
    clients = await all_hold(stage, subject, max(number - 1, 0))
    (victim,) = await stage.come(1)
    subject.ask(victim)
    await asyncio.sleep(0.2) if not number else await victim.answer()
    await asyncio.sleep(0.1 * stage.lots.random())
    stage.network.cut(victim.registrar.name)
    stage.clients.remove(victim)
    await asyncio.sleep(WINDOW_S + NOTICE_S)
    books = [registrar.snapshot() for registrar in stage.registrars if registrar is not victim.registrar]
    assert not [lease for book in books for lease in book.leases if lease.client == victim.registrar.name]
    # Cut off, but alive, it knows as soon as the others do that it has nothing any more.
    assert victim.error is not None and "silent" in str(victim.error)
    victim.assert_told_once()
    await victim.leave()
    vanish(victim.registrar)
    stage.forget(victim.registrar)
    await asyncio.sleep(3.0)
    for client in clients:
        assert client.lease is not None and not client.told
    if not clients:
        assert_nothing_up(stage)
        await next_one_is_served(stage, subject)


async def over_a_bad_network(stage: Stage, subject: Subject, fault: str, number: int) -> None:
    """It dies in use while messages are doubled, late, out of order, or too many."""
    clients = await all_hold(stage, subject, number)
    befores = [client.value for client in clients]
    stage.network.kind = fault
    await asyncio.sleep(1.0)
    began_s = now_s()
    if fault == "full queue":
        stage.network.jam(WINDOW_S / 2)  # the news itself is lost, but nobody seems dead
    await subject.begin("dies in use")
    await asyncio.sleep(6.0)
    stage.network.kind = ""
    await asyncio.sleep(3.0)
    if fault == "full queue":
        assert stage.network.dropped or not number
    if not number:
        await nobody_was_there(stage, subject)
        return
    usual = subject.outcomes["dies in use"]
    is_exact = fault in ("duplicate message", "late message")
    for client, before in zip(clients, befores, strict=True):
        if is_exact:
            check(client, subject, usual, began_s, before, late_s=0.5 if fault == "late message" else 0.0)
        else:
            assert client.told
            client.assert_told_once()
            assert client.lease is None or subject.is_substitute(before, client.value)
            assert client.lease is not None or client.severities[-1] == "FATAL"
    await ask_again_once_mended(stage, subject, clients)


async def clock_step(stage: Stage, subject: Subject, fault: str, number: int) -> None:
    """Whoever sets the clock, or stops the process for a while, disturbs nobody."""
    clients = await all_hold(stage, subject, number)
    for step_s in (3600.0, -7200.0, 3600.0):
        stage.clock.wall_step_s += step_s
        await asyncio.sleep(1.0)
    for _ in range(2):
        stage.clock.gap_s += 5.0
        await asyncio.sleep(1.0)
    for client in clients:
        assert client.lease is not None and not client.told, client.told
    befores = [client.value for client in clients]
    began_s = now_s()
    await subject.begin("dies in use")
    await asyncio.sleep(5.0)
    if not number:
        await nobody_was_there(stage, subject)
        return
    for client, before in zip(clients, befores, strict=True):
        check(client, subject, subject.outcomes["dies in use"], began_s, before)
    await ask_again_once_mended(stage, subject, clients)


async def nobody_was_there(stage: Stage, subject: Subject) -> None:
    for client in stage.clients:
        assert not client.told
    assert_nothing_up(stage)
    await next_one_is_served(stage, subject)


# ---------------------------------------------------------------- at the stop


async def at_the_stop(stage: Stage, subject: Subject, fault: str, number: int) -> None:
    """The fault comes when the last one has left: nobody's trouble but the next one's, for a while."""
    await subject.begin(fault)
    if not number:
        await somebody_gives_up(stage, subject)
        return
    clients = await all_hold(stage, subject, number)
    await subject.begin(fault)
    for client in clients:
        await client.leave()
    assert not any(client.told or client.error for client in clients)
    left_s = now_s()
    subject.ask(clients[0])  # at once: it waits for the old one to go, and no longer than allowed
    await clients[0].answer()
    assert clients[0].lease is not None, clients[0].error
    stops_s = subject.stops_within_s if fault == "stop hangs" else 0.0
    assert now_s() - left_s <= stops_s + subject.starts_s + NOTICE_S
    if fault == "stop raises":
        assert "stopping raised" in journals(stage)
    elif subject.is_abandoned:
        assert "did not stop" in journals(stage)
    await clients[0].leave()
    await subject.mend()
    await asyncio.sleep(16.0)
    assert_nothing_up(stage)
    await next_one_is_served(stage, subject)


# ---------------------------------------------------------------- what they have in common


async def all_hold(stage: Stage, subject: Subject, number: int) -> list[Client]:
    """So many have it; if it is to be nobody, somebody had it and has left."""
    clients = await stage.come(number or 1)
    for client in clients:
        subject.ask(client)
    for client in clients:
        await client.answer()
        assert client.lease is not None, client.error
    await asyncio.sleep(0.35)
    if not number:
        await clients[0].leave()
        await asyncio.sleep(1.0)
        return []
    return clients


def check(
    client: Client, subject: Subject, outcome: Outcome, began_s: float, before: object, *, late_s: float = 0.0
) -> None:
    """One client was told what the outcome says, in time, and has what it says."""
    client.assert_told_once()
    assert client.severities == outcome.told, client.told
    if client.told:
        assert client.told[0].at_s - began_s <= outcome.within_s + late_s, client.told
    if outcome.words and outcome.told == ():
        assert isinstance(client.error, ResourceUnavailable) and outcome.words in str(client.error)
        assert client.error_at_s - began_s <= outcome.within_s + late_s
    elif outcome.words:
        assert outcome.words in client.told[-1].status.message
        assert (client.error is not None) == (client.severities[-1] == "FATAL")
    else:
        assert client.error is None
    if client.error is not None:
        assert client.error.hops  # type: ignore[attr-defined]
    if outcome.substitute_s is not None:
        assert subject.is_substitute(before, client.value)
        changes = [told.at_s for told in client.told if told.status.severity.name == "UPDATE"]
        at_s = changes[-1] if changes else client.granted_at_s
        assert at_s - began_s <= min(outcome.substitute_s + late_s, COLD_S)


async def ask_again_once_mended(stage: Stage, subject: Subject, clients: list[Client]) -> None:
    """Who was told FATAL, or refused, gets it by asking again; who was not keeps it."""
    await subject.mend()
    await asyncio.sleep(1.0)
    for client in clients:
        if client.lease is None:
            subject.ask(client)
    for client in clients:
        await client.answer()
        assert client.lease is not None, client.error


async def next_one_is_served(stage: Stage, subject: Subject) -> None:
    await subject.mend()
    (visitor,) = await stage.come(1)
    subject.ask(visitor)
    await visitor.answer()
    assert visitor.lease is not None, visitor.error
    assert not visitor.told


def assert_nothing_up(stage: Stage) -> None:
    for registrar in stage.registrars:
        assert registrar.snapshot().is_empty, registrar.snapshot()
    assert not stage.launcher.running


def journals(stage: Stage) -> str:
    """What all registrars did, in words."""
    return "\n".join(str(entry) for registrar in stage.registrars for entry in registrar.journal.entries())


PLAYS: dict[str, Play] = {
    "start raises": at_the_start,
    "start hangs": at_the_start,
    "dies in use": in_use,
    "no heartbeat": in_use,
    "stale stream": in_use,
    "stop raises": at_the_stop,
    "stop hangs": at_the_stop,
    "client vanishes": client_vanishes,
    "manager killed": manager_killed,
    "dependency fails while its parent starts": at_the_start,
    "flapping": in_use,
    **dict.fromkeys(Network.KINDS, over_a_bad_network),
    "clock step": clock_step,
}


@pytest.mark.parametrize(
    ("column", "number"),
    [
        pytest.param(column, number, id=f"{column.name}-{number if number < MANY else 'n'} clients")
        for column in SUBJECTS
        for number in ((0, 1, MANY) if column not in OF_SPEECH else (0, MANY))
    ],
)
@pytest.mark.parametrize("fault", PLAYS)
def test_cell(
    fault: str,
    column: type[Subject],
    number: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("CRITICAL", "pilothouse")  # providers are abandoned here on purpose

    async def main() -> None:
        async with Stage(tmp_path, monkeypatch, seed) as stage:
            subject = column(stage)
            await subject.open()
            await PLAYS[fault](stage, subject, fault, number)
            await subject.mend()
            await stage.everybody_leaves()
            await subject.close()

    loop = VirtualLoop(seed=seed)
    run_on(loop, main)
    assert not loop.leftovers, loop.leftovers
    timers = [handle for _, _, handle in loop._timers if not handle.cancelled()]
    assert not timers, timers


def test_the_matrix_is_whole() -> None:
    """Every fault of facts/registrar.md has its play, and every column says what follows."""
    assert len(PLAYS) == 16
    special = {fault for fault, play in PLAYS.items() if play in (at_the_start, in_use, manager_killed)}
    for column in SUBJECTS:
        assert set(column.outcomes) == special, column.name
