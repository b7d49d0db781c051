"""What must hold for every child, whatever it does: a random driver over the pure judge.

`WatchedChild` plays shell, child and time. It keeps its own, simpler, account of what the watch said
and compares. The driver is a seeded random one: 100 000 steps in a few seconds, and the
weights let a child live long enough to have something to lose. A failure names its seed.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable

from framework.processes import wire
from framework.processes.child_events import (
    ChildState,
    Exit,
    Failed,
    Lost,
    NeedsHuman,
    Ready,
    Retrying,
    Said,
    Stopped,
    Updated,
)
from framework.processes.escalation import AFTER_KILL_S, Effect, Signal, Spawn, TellToQuit
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.processes.watchdog import ChildWatchdog
from framework.status import Severity
from tests.effort import seeds

UP = (ChildState.READY, ChildState.DEGRADED)


class WatchedChild:
    """A watch, a child that does anything at any time, and a clock."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.now = 100.0
        self.spec = ProcessSpec(
            ("x",),
            "x",
            restart=self.choose.choice(
                [None, RestartPolicy(), RestartPolicy(), RestartPolicy(most=2, jitter=0.0)]
            ),
            protocol=self.choose.random() < 0.8,
            stale_after_s=0.5,
            max_reports_per_s=50,
            start_timeout_s=2.0,
        )
        mortal = self.choose.random() < 0.9
        self.watch = ChildWatchdog(self.spec, random.Random(seed))
        self.mortal = mortal  # whether SIGKILL ends it
        self.process = False
        self.spawns: list[float] = []
        self.forgiven_until = 0.0
        self.up = False
        self.was_up = False
        self.stop_asked = False
        self.stopped = 0
        self.failed = 0
        self.last_beat = 0.0
        self.silence_s = self.spec.hang_after_s
        self.signals: list[int] = []
        self.words = 0
        self.cries = 0  # for a human, since it last was ready or was told to retry
        self.automatic: list[float] = []
        self.manual = False
        self.take(self.watch.start(self.now))

    # ---------------------------------------------------------------- carrying out, and keeping account

    def take(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Spawn():
                    assert not self.process, "two processes at a time"
                    assert not self.stop_asked, "started after stop"
                    assert not self.spawns or self.was_up, "restarted what was never ready"
                    if self.spawns and not self.manual:
                        self.automatic.append(self.now)
                    self.manual = False
                    self.spawns.append(self.now)
                    self.process = True
                    self.silence_s = self.spec.hang_after_s
                    self.signals, self.words = [], 0
                    self.take(self.watch.spawned(self.now))
                case Signal(number=number):
                    assert self.process, "a signal to nobody"
                    assert number not in self.signals, "the same signal twice"
                    assert signal.SIGKILL not in self.signals, "a signal after SIGKILL"
                    self.signals.append(number)
                    if number == signal.SIGKILL and self.mortal:
                        self.process = False
                        self.take(self.watch.exited(Exit(signal=number), self.now))
                case TellToQuit():
                    assert self.process, "a word to nobody"
                    self.words += 1
                case Ready():
                    self.cries = 0
                    assert not self.up, "ready twice"
                    assert self.process
                    self.up = self.was_up = True
                    self.last_beat = self.now
                    assert not self.stop_asked
                case Updated():
                    assert self.up
                case Lost():
                    assert self.up, "lost without having been ready"
                    self.up = False
                case Retrying(next_attempt_s=at, tries=tries):
                    policy = self.spec.restart
                    assert policy is not None and self.was_up and not self.up
                    if not self.manual:
                        most_s = min(policy.longest_s, policy.first_s * 2 ** (tries - 1))
                        wait_s = at - self.now
                        assert (
                            most_s * (1 - policy.jitter) - 1e-6
                            <= wait_s
                            <= most_s * (1 + policy.jitter) + 1e-6
                        )
                case NeedsHuman():
                    assert not self.up
                    self.cries += 1
                    assert self.cries <= 2, "cries for a human without end"
                case Failed():
                    assert not self.up
                    self.failed += 1
                    assert self.failed == 1, "failed twice"
                case Stopped():
                    assert self.stop_asked
                    self.stopped += 1
                    self.up = False
                    assert self.stopped == 1, "stopped twice"
                case Said():
                    pass

    # ---------------------------------------------------------------- what the child does

    def says_ready(self) -> None:
        self.take(self.watch.received(wire.ReadyReport(b"h"), self.now))

    def beats(self) -> None:
        age = self.choose.choice([None, None, 0.1, 0.1, 0.1, 0.6, float("inf")])
        promise = self.choose.choice([0.0, 0.0, 0.0, 1.0])
        loop_age_s = self.choose.choice([0.0, 0.0, 0.0, 0.2, 0.7, 2.5])
        at_work = self.choose.random() < 0.5
        was_up = self.up
        self.take(self.watch.received(wire.Beat(age, "color", promise, loop_age_s, at_work), self.now))
        allowed_s = max(promise, self.spec.slow_after_s if at_work else self.spec.hang_after_s)
        if was_up and self.process:
            assert not self.up or loop_age_s <= allowed_s, "a hanging main loop went unnoticed"
        if was_up and age == 0.6 and self.process:
            assert not self.up, "a stale stream went unnoticed"
        self.last_beat = self.now
        self.silence_s = max(self.spec.hang_after_s, promise)

    def says_how_it_is(self) -> None:
        severity = self.choose.choice(list(Severity))
        was_up = self.up
        self.take(self.watch.received(wire.StatusReport(severity, "so"), self.now))
        if was_up and severity is Severity.FATAL:
            assert not self.up

    def says_started(self) -> None:
        self.take(self.watch.received(wire.Started(7), self.now))

    def talks_nonsense(self) -> None:
        times = self.choose.choice([1, 3, 17])
        for _ in range(times):
            self.take(self.watch.unreadable("xyz", self.now))
        assert not (times == 17 and self.up)

    def floods(self) -> None:
        for _ in range(60):
            self.take(self.watch.received(wire.StatusReport(Severity.OK, ""), self.now))
        assert not self.up

    def breaks_its_channel(self) -> None:
        self.take(self.watch.bad_frame("a frame of 4 GB", self.now))
        assert not self.up

    def closes_its_channel(self) -> None:
        self.take(self.watch.closed(self.now))

    def exits(self) -> None:
        self.process = False
        self.take(self.watch.exited(Exit(code=1), self.now))
        assert not self.up, "an exit went unnoticed"

    # ---------------------------------------------------------------- what the owner does

    def stop(self) -> None:
        self.stop_asked = True
        self.up = False
        self.take(self.watch.stop(self.now))

    def early_tick(self) -> None:
        """A tick too many harms nobody."""
        self.take(self.watch.tick(self.now))

    def retry_now(self) -> None:
        self.cries = 0
        self.manual = (
            self.watch.state in (ChildState.RETRYING, ChildState.NEEDS_HUMAN) and not self.watch.abandoned
        )
        if self.manual:
            self.automatic.clear()
        self.take(self.watch.retry_now(self.now))

    # ---------------------------------------------------------------- time

    def time_passes(self, seconds: float = 0.0) -> None:
        """Ticks come in time."""
        until = self.now + (seconds or self.choose.choice([0.01, 0.1, 0.2, 0.3, 0.3, 1.0, 3.0, 12.0]))
        for _ in range(10_000):
            at = self.watch.wake_at
            if at is None or at > until:
                break
            assert at >= self.now - 1e-9, "a tick wanted in the past"
            self.now = max(self.now, at)
            self.take(self.watch.tick(self.now))
        else:
            raise AssertionError("ticks without end")
        self.now = until
        if self.spec.protocol and self.up and self.now > self.forgiven_until:
            silent_s = self.now - self.last_beat
            assert silent_s <= self.silence_s + 1e-6, f"silent for {silent_s} s and nobody noticed"

    def lives_well(self) -> None:
        """Beats in time for a while."""
        for _ in range(self.choose.choice([5, 30, 120])):
            if not self.process:
                return
            self.take(self.watch.received(wire.Beat(0.01), self.now))
            self.last_beat, self.silence_s = self.now, self.spec.hang_after_s
            self.time_passes(0.1)

    def owner_was_suspended(self) -> None:
        """The next tick comes far too late: nobody is judged by it."""
        seconds = self.choose.choice([0.5, 5.0, 60.0])
        at = self.watch.wake_at
        if at is None:
            return
        was_up, graces = self.up, self.watch._graces
        closing = self.watch._closed_until is not None
        self.now = max(self.now, at) + seconds
        self.take(self.watch.tick(self.now))
        if was_up and graces < 3 and not closing:
            assert self.up, "judged by a silence that was our own"
            self.forgiven_until = self.now + self.silence_s
            self.last_beat = self.now

    # ---------------------------------------------------------------- always

    def account_agrees(self) -> None:
        assert self.watch.alive == self.process
        assert (self.watch.state in UP) == self.up
        if self.stopped:
            assert self.watch.state is ChildState.STOPPED
            assert self.watch.settled
        if self.watch.state is ChildState.RETRYING:
            assert self.watch.wake_at is not None, "nothing will ever restart it"
        unwanted = (ChildState.RETRYING, ChildState.NEEDS_HUMAN, ChildState.FAILED, ChildState.STOPPING)
        if self.process and self.watch.state in unwanted and not self.watch.abandoned:
            assert self.watch.wake_at is not None, "nothing will ever end it"
            assert self.words or self.signals, "nobody has told it to end"

    def restarts_are_bounded(self) -> None:
        policy = self.spec.restart
        if policy:
            for first, last in zip(self.automatic, self.automatic[policy.most :], strict=False):
                assert last - first >= policy.within_s - 1e-6, (
                    f"over {policy.most} restarts in {policy.within_s} s"
                )

    def end(self) -> None:
        """Stop ends everything, in bounded time, however stubborn the child."""
        if not self.stop_asked:
            self.stop()
        asked_at = self.now
        while (at := self.watch.wake_at) is not None:
            self.now = max(self.now, at)
            self.take(self.watch.tick(self.now))
            assert self.now - asked_at < sum(self.spec.stop_timeouts_s) + 1.0 + AFTER_KILL_S + 0.01
        assert self.watch.settled
        assert self.stopped or self.watch.state is ChildState.FAILED
        assert not (self.process and self.mortal)


def play(seed: int, steps: int) -> None:
    """One life of a watch."""
    it = WatchedChild(seed)
    of_the_child: list[tuple[Callable[[], None], int]] = [
        (it.says_ready, 12),
        (it.beats, 12),
        (it.lives_well, 8),
        (it.says_how_it_is, 3),
        (it.says_started, 3),
        (it.talks_nonsense, 2),
        (it.floods, 1),
        (it.breaks_its_channel, 1),
        (it.closes_its_channel, 1),
        (it.exits, 6),
    ]
    of_others: list[tuple[Callable[[], None], int]] = [
        (it.time_passes, 25),
        (it.owner_was_suspended, 2),
        (it.early_tick, 3),
        (it.retry_now, 1),
    ]
    if it.choose.random() < 0.8:
        it.says_ready()
    for step in range(steps):
        moves = of_others + (of_the_child if it.process else [])
        if step > steps // 2 or it.choose.random() < 0.02:
            moves = [*moves, (it.stop, 1)]
        (move,) = it.choose.choices([move for move, _ in moves], [weight for _, weight in moves])
        move()
        it.account_agrees()
        it.restarts_are_bounded()
        if it.stopped and not it.process:
            break
    it.end()


@seeds("block", 10)
def test_whatever_a_child_does_the_judge_keeps_its_rules(block: int) -> None:
    for seed in range(block * 300, block * 300 + 300):
        try:
            play(seed, 60)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
