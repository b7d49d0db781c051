"""Whole lives of a child, one at a time: what is told, in which order and when.

`test_watch_properties.py` says what never happens; here is what does.
"""

from __future__ import annotations

import math
import random
import signal
from typing import Any

import pytest

from framework.processes import wire
from framework.processes.activity import Activity
from framework.processes.child_events import (
    ChildState,
    Exit,
    Failed,
    LossReason,
    Lost,
    NeedsHuman,
    Ready,
    Retrying,
    Said,
    StopHow,
    Stopped,
    Updated,
)
from framework.processes.escalation import AFTER_KILL_S, Effect, Signal, Spawn, TellToQuit
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.processes.watchdog import GRACES, ChildWatchdog
from framework.status import Severity

STEADY = RestartPolicy(first_s=0.5, jitter=0.0, most=3, within_s=10.0, stable_after_s=4.0)


class Life:
    """A watch, the shell that carries out what it wants, and what was told, with its time."""

    def __init__(self, restart: RestartPolicy | None = STEADY, *, mortal: bool = True, **wishes: Any) -> None:
        self.watch = ChildWatchdog(ProcessSpec(("x",), "x", restart=restart, **wishes), random.Random(0))
        self.now = 50.0
        self.mortal = mortal
        self.is_spawned = True
        self.told: list[tuple[float, Any]] = []
        self.take(self.watch.start(self.now))

    def take(self, effects: list[Effect]) -> None:
        for effect in effects:
            self.told.append((round(self.now - 50.0, 3), effect))
            if isinstance(effect, Spawn) and self.is_spawned:
                self.take(self.watch.spawned(self.now))
            elif isinstance(effect, Spawn):
                self.take(self.watch.spawn_failed("no such file", self.now))
            elif effect == Signal(signal.SIGKILL) and self.mortal:
                self.exits(Exit(signal=signal.SIGKILL))

    def state(self) -> ChildState:
        return self.watch.state

    def passes(self, for_s: float) -> None:
        """Every tick comes when it is wanted."""
        until = self.now + for_s
        idle = 0
        while (at := self.watch.wake_at) is not None and at <= until + 1e-9:
            idle = idle + 1 if at <= self.now else 0
            assert idle < 10, "it wants to be woken again and again, and does nothing then"
            self.now = max(self.now, at)
            self.take(self.watch.tick(self.now))
        self.now = until

    def beats(self, for_s: float, promise_s: float = 0.0) -> None:
        """It lives well."""
        for _ in range(round(for_s / 0.1)):
            self.take(self.watch.received(wire.Beat(None, "", promise_s), self.now))
            self.passes(0.1)

    def ready(self, handle: bytes = b"") -> None:
        self.take(self.watch.received(wire.ReadyReport(handle), self.now))

    def says(self, severity: Severity, words: str = "so") -> None:
        self.take(self.watch.received(wire.StatusReport(severity, words), self.now))

    def exits(self, ended: Exit) -> None:
        self.take(self.watch.exited(ended, self.now))

    def dies(self) -> None:
        self.exits(Exit(code=1))

    def of(self, *kinds: type) -> list[Any]:
        """What was told of these kinds."""
        return [told for _, told in self.told if isinstance(told, kinds)]

    def when(self, kind: type) -> list[float]:
        """The times [s] at which this was told."""
        return [at_s for at_s, told in self.told if isinstance(told, kind)]


# -- a first start that comes to nothing


def test_what_cannot_be_started_fails_and_is_not_tried_again() -> None:
    life = Life()
    life.is_spawned = False
    life.watch = ChildWatchdog(life.watch.spec, random.Random(0))
    life.told.clear()
    life.take(life.watch.start(life.now))
    life.passes(60.0)
    assert life.of(Failed, Retrying, Spawn) == [Spawn(), Failed(LossReason.NOT_STARTED, "no such file")]
    assert life.watch.state is ChildState.FAILED and life.watch.settled


@pytest.mark.parametrize("protocol", [True, False])
def test_what_ends_before_it_is_ready_fails_in_its_own_words_if_it_has_any(protocol: bool) -> None:
    life = Life(protocol=protocol)
    life.passes(0.1)
    life.exits(Exit(code=3, refusal="the camera is in use"))
    (failed,) = life.of(Failed)
    assert failed.reason is LossReason.NEVER_READY
    assert failed.message == (
        "the camera is in use" if protocol else "ended before it was ready: exit code 3"
    )


def test_what_is_not_ready_in_time_fails_then_and_is_ended() -> None:
    life = Life(start_timeout_s=2.0)
    life.passes(60.0)
    assert life.when(Failed) == [2.0] and life.of(Failed)[0].reason is LossReason.NEVER_READY
    assert life.of(TellToQuit, Signal) == [TellToQuit(), Signal(signal.SIGKILL)]
    assert life.watch.settled and not life.of(Retrying)


@pytest.mark.parametrize("reason", [LossReason.FLOOD, LossReason.GARBAGE, LossReason.GAVE_UP])
def test_why_it_was_ended_while_it_started_is_said(reason: LossReason) -> None:
    life = Life(max_reports_per_s=5)
    if reason is LossReason.FLOOD:
        for _ in range(6):
            life.says(Severity.OK)
    elif reason is LossReason.GARBAGE:
        life.take(life.watch.bad_frame("4 GB", life.now))
    else:
        life.says(Severity.FATAL, "I cannot")
    assert [failed.reason for failed in life.of(Failed)] == [reason]


# -- ready, and in between


def test_ready_says_after_which_time_and_which_restart_it_is() -> None:
    life = Life()
    life.passes(0.3)
    life.ready(b"first")
    life.beats(1.0)
    life.dies()
    life.passes(0.5 + 0.2)
    life.ready(b"second")
    first, second = life.of(Ready)
    assert (first.handle, round(first.after_s, 3), first.restarts) == (b"first", 0.3, 0)
    assert (second.handle, round(second.after_s, 3), second.restarts) == (b"second", 0.2, 1)
    assert life.watch.handle == b"second"


def test_another_handle_of_one_that_is_ready_is_an_update() -> None:
    life = Life()
    life.ready(b"first")
    life.ready(b"second")
    assert life.of(Ready, Updated)[1:] == [Updated(b"second")] and life.watch.handle == b"second"


def test_a_program_that_knows_nothing_of_us_is_ready_a_while_after_its_start_and_never_silent() -> None:
    life = Life(protocol=False, ready_after_s=0.4)
    life.passes(0.1)
    life.take(life.watch.received(wire.Started(7), life.now))
    life.passes(60.0)
    life.take(life.watch.tick(life.now))  # one too many harms nobody
    assert life.when(Ready) == [0.5] and not life.of(Lost)


def test_it_says_how_it_is_and_an_error_degrades_it_until_it_is_well() -> None:
    life = Life()
    life.ready()
    states = []
    for severity in (Severity.WARNING, Severity.ERROR, Severity.WARNING, Severity.OK):
        life.says(severity)
        states.append(life.watch.state)
    ready, degraded = ChildState.READY, ChildState.DEGRADED
    assert states == [ready, degraded, degraded, ready]
    assert [said.severity for said in life.of(Said)] == [
        Severity.WARNING,
        Severity.ERROR,
        Severity.WARNING,
        Severity.OK,
    ]


def test_what_cannot_be_read_is_said_ever_more_rarely_and_too_much_in_a_row_ends_it() -> None:
    life = Life()
    life.ready()
    for _ in range(40):
        life.take(life.watch.unreadable("xyz", life.now))
        life.take(life.watch.received(wire.Beat(), life.now))
    assert [said.severity for said in life.of(Said)] == [Severity.WARNING] * 6  # 1, 2, 4, 8, 16, 32
    assert not life.of(Lost)
    for _ in range(life.watch.spec.max_garbage + 1):
        life.take(life.watch.unreadable("xyz", life.now))
    assert [lost.reason for lost in life.of(Lost)] == [LossReason.GARBAGE]


def test_a_promise_to_be_silent_for_longer_holds_until_the_next_beat() -> None:
    life = Life()
    life.ready()
    life.beats(0.1, promise_s=2.0)
    life.passes(1.7)
    assert not life.of(Lost)
    life.beats(0.1)
    began_s = life.now - 50.0 - 0.1
    life.passes(5.0)
    assert life.when(Lost) == [pytest.approx(began_s + life.watch.spec.hang_after_s, abs=1e-3)]


def test_a_stream_that_flows_is_stale_at_its_own_limit_from_the_first_sample() -> None:
    life = Life(stale_after_s=0.5)
    life.ready()
    for age_s, is_lost in ((0.5, False), (0.51, True)):
        life.take(life.watch.received(wire.Beat(age_s, "color"), life.now))
        assert bool(life.of(Lost)) is is_lost
    assert life.of(Lost)[0].reason is LossReason.STALE


def test_a_channel_that_is_closed_twice_gives_no_more_time_than_once() -> None:
    life = Life()
    life.ready()
    life.take(life.watch.closed(life.now))
    life.passes(0.15)
    life.take(life.watch.closed(life.now))
    life.passes(1.0)
    assert life.when(Lost) == [0.2] and life.of(Lost)[0].reason is LossReason.CLOSED


# -- lost, and started again


def test_what_is_not_to_be_restarted_is_lost_and_then_fails_for_the_same_reason() -> None:
    life = Life(restart=None)
    life.ready()
    life.dies()
    assert life.of(Lost, Failed) == [
        Lost(LossReason.DIED, "died: exit code 1"),
        Failed(LossReason.DIED, "died: exit code 1"),
    ]


def test_the_wait_doubles_from_loss_to_loss_and_begins_anew_after_a_stable_time() -> None:
    """Stable is what was ready for long, not what was started long ago."""
    life = Life(restart=RestartPolicy(first_s=0.5, jitter=0.0, most=9, stable_after_s=4.0))
    waits: list[float] = []
    for ready_s in (1.0, 1.0, 3.9, 4.5, 1.0):
        life.passes(2.0)  # it starts slowly
        life.ready()
        life.beats(ready_s)
        life.dies()
        retrying = life.of(Retrying)[-1]
        waits.append(round(retrying.next_attempt_s - life.now, 3))
        life.passes(waits[-1])
        assert life.watch.state is ChildState.STARTING, "it is started at the moment that was said"
    assert waits == [0.5, 1.0, 2.0, 0.5, 1.0]
    assert [retrying.tries for retrying in life.of(Retrying)] == [1, 2, 3, 1, 2]


def test_a_restart_that_comes_to_nothing_counts_as_a_try_and_says_why() -> None:
    life = Life()
    life.ready()
    life.dies()
    life.passes(0.5)
    life.exits(Exit(code=2, refusal="no such port"))
    assert [(each.reason, each.tries) for each in life.of(Retrying)] == [
        ("died: exit code 1", 1),
        ("no such port", 2),
    ]
    assert not life.of(Failed)


def test_each_life_is_judged_by_itself() -> None:
    """Nothing of the former one is left: no closed channel, no time to be ready, no words, no promise."""
    life = Life(max_reports_per_s=20, start_timeout_s=2.0)
    life.ready()
    for _ in range(18):
        life.says(Severity.OK)
    life.beats(0.1, promise_s=60.0)
    life.take(life.watch.closed(life.now))
    life.dies()
    life.passes(0.5)
    for _ in range(18):
        life.says(Severity.OK)
    life.passes(1.5)
    assert life.watch.state is ChildState.STARTING, life.told[-1]
    life.ready()
    life.beats(1.0)
    life.passes(1.0)
    assert [lost.reason for lost in life.of(Lost)] == [LossReason.DIED, LossReason.HUNG]


def test_a_program_s_second_life_is_ready_by_its_own_start() -> None:
    life = Life(protocol=False, ready_after_s=0.4)
    life.take(life.watch.received(wire.Started(7), life.now))
    life.passes(1.0)
    life.dies()
    life.passes(0.5 + 1.0)
    assert life.watch.state is ChildState.STARTING, "it has not said that it runs"
    life.take(life.watch.received(wire.Started(8), life.now))
    life.passes(0.4)
    assert life.when(Ready) == [0.4, pytest.approx(2.9)]


def test_too_many_need_a_human_and_retry_now_tries_at_once_and_counts_anew() -> None:
    life = Life()
    for _ in range(STEADY.most + 1):
        life.ready()
        life.dies()
        life.passes(2.0 if life.watch.state is ChildState.RETRYING else 0.0)
    assert len(life.of(NeedsHuman)) == 1
    began_s = life.now - 50.0
    life.take(life.watch.retry_now(life.now))
    assert life.when(Spawn)[-1] == pytest.approx(began_s) and life.of(Retrying)[-1].tries == 1
    for _ in range(STEADY.most - 1):
        life.ready()
        life.dies()
        assert life.state() is ChildState.RETRYING, "what failed before somebody mended it counts still"
        life.passes(2.0)


def test_retry_now_while_it_is_still_being_ended_waits_for_the_end_and_no_longer() -> None:
    life = Life(mortal=False, safe_stop_s=0.3)
    life.ready()
    life.says(Severity.FATAL, "broken")
    life.passes(0.1)
    life.take(life.watch.retry_now(life.now))
    assert len(life.of(Spawn)) == 1
    life.passes(0.3)
    life.exits(Exit(signal=signal.SIGKILL))
    life.passes(0.05)
    assert len(life.of(Spawn)) == 2


# -- stopping


@pytest.mark.parametrize(
    ("leaves_after_s", "how"),
    [
        (0.1, StopHow.INTERRUPTED),
        (0.7, StopHow.TERMINATED),
        (5.0, StopHow.KILLED),
    ],
)
def test_how_it_was_stopped_and_how_long_that_took(leaves_after_s: float, how: StopHow) -> None:
    life = Life(stop_timeouts_s=(0.5, 0.5), safe_stop_s=0.2)
    life.ready()
    life.take(life.watch.stop(life.now))
    life.passes(0.05)
    life.take(life.watch.stop(life.now))  # twice is once
    life.passes(leaves_after_s - 0.05)
    if how is not StopHow.KILLED:
        life.exits(Exit(code=0))
    (stopped,) = life.of(Stopped)
    assert stopped.how is how
    assert stopped.after_s == pytest.approx(1.2 if how is StopHow.KILLED else leaves_after_s)
    steps = [Signal(signal.SIGINT), Signal(signal.SIGTERM), TellToQuit(), Signal(signal.SIGKILL)]
    asked = life.of(Signal, TellToQuit)
    assert asked == steps[: len(asked)]
    assert not life.of(Lost, Retrying)


def test_what_is_stopped_while_it_waits_for_its_restart_is_not_started() -> None:
    life = Life()
    life.ready()
    life.dies()
    life.take(life.watch.stop(life.now))
    life.passes(60.0)
    assert [stopped.how for stopped in life.of(Stopped)] == [StopHow.WAS_GONE]
    assert len(life.of(Spawn)) == 1


def test_what_failed_and_still_runs_can_be_stopped() -> None:
    life = Life(restart=None, mortal=False, safe_stop_s=0.3)
    life.ready()
    life.says(Severity.FATAL)
    life.take(life.watch.stop(life.now))
    assert not life.of(Stopped)
    life.passes(0.4)
    life.exits(Exit(signal=signal.SIGKILL))
    assert [stopped.how for stopped in life.of(Stopped)] == [StopHow.KILLED]


@pytest.mark.parametrize("restart", [None, STEADY])
def test_what_outlives_sigkill_is_said_and_left_and_goes_on_once_it_is_gone(
    restart: RestartPolicy | None,
) -> None:
    life = Life(restart=restart, mortal=False, safe_stop_s=0.3)
    life.ready()
    life.says(Severity.FATAL)
    life.passes(0.3 + AFTER_KILL_S + 1.0)
    words = (
        life.of(NeedsHuman)
        if restart
        else [said for said in life.of(Said) if said.severity is Severity.ERROR]
    )
    assert len(words) == 1 and life.watch.settled and life.watch.abandoned
    assert life.watch.wake_at is None or life.watch.wake_at == math.inf
    before = len(life.told)
    life.take(life.watch.tick(life.now))
    assert len(life.told) == before, "it is said again and again"
    life.take(life.watch.retry_now(life.now))
    assert len(life.of(Spawn)) == 1, "two processes on one device"
    if restart:
        assert isinstance(life.told[-1][1], NeedsHuman) and life.watch.state is ChildState.NEEDS_HUMAN
    life.exits(Exit(signal=signal.SIGKILL))
    assert not life.watch.abandoned
    life.passes(60.0)
    assert len(life.of(Spawn)) == 1, "it is started although a human is needed"
    life.take(life.watch.retry_now(life.now))
    assert len(life.of(Spawn)) == (2 if restart else 1)


# -- a pause of the whole machine


@pytest.mark.parametrize("pause_s", [0.15, 0.3, 0.6, 5.0])
@pytest.mark.parametrize("phase_s", [0.0, 0.05, 0.1])
@pytest.mark.parametrize("activity", [Activity.SLEEPING, Activity.RUNNING])
def test_no_silence_is_judged_by_a_pause_of_our_own_however_short(
    pause_s: float, phase_s: float, activity: Activity
) -> None:
    life = Life()
    life.ready()
    life.beats(1.0)
    life.passes(phase_s)
    assert life.watch.wake_at is not None
    life.now = life.watch.wake_at + pause_s
    life.take(life.watch.tick(life.now, activity))
    life.beats(1.0)
    assert not life.of(Lost)


@pytest.mark.parametrize("what", ["starting", "closed", "stopping"])
def test_a_pause_of_the_machine_takes_nothing_from_the_time_that_was_given(what: str) -> None:
    life = Life(start_timeout_s=2.0, stop_timeouts_s=(0.5, 0.5))
    if what != "starting":
        life.ready()
    if what == "closed":
        life.take(life.watch.closed(life.now))
    elif what == "stopping":
        life.take(life.watch.stop(life.now))
    life.passes(0.05)
    before = len(life.told)
    assert life.watch.wake_at is not None
    life.now = life.watch.wake_at + 30.0
    life.take(life.watch.tick(life.now))
    life.passes(0.05)
    assert not [told for _, told in life.told[before:] if not isinstance(told, Said)]


def test_lateness_of_ours_that_a_former_life_was_forgiven_is_not_charged_to_the_next_one() -> None:
    life = Life(start_timeout_s=2.0)
    life.ready()
    for _ in range(GRACES):
        assert life.watch.wake_at is not None
        life.now = life.watch.wake_at + 0.05
        life.take(life.watch.tick(life.now))
    life.dies()
    life.passes(0.5 + 1.5)
    assert life.state() is ChildState.STARTING and life.watch.wake_at is not None
    life.now = life.watch.wake_at + 5.0
    life.take(life.watch.tick(life.now))
    assert life.state() is ChildState.STARTING, "it was given no time to show that it lives"
