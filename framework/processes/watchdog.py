"""The judge of one child: events and time in, effects out. Starts nothing, reads no clock.

The shell (supervise.py) calls one method an event, carries out the effects in order, and calls
`tick` at `wake_at` — after handing over everything that had arrived by then.

             ready                    lost             (restart policy)
STARTING ──────────→ READY ⇄ DEGRADED ────→ RETRYING ─────────────────→ STARTING
   │ first start fails                        │ too many restarts
   ↓                                          ↓                retry now
 FAILED                                  NEEDS_HUMAN ─────────────────→ STARTING
any state, on stop: STOPPING → STOPPED

News goes before tear-down: `Lost` is told while the old process may still be ending, and a
restart waits for its end. How long a process may take to end is a ladder of steps, each with a
time; there are two ladders, one for stopping and one for ending what is lost.
"""

from __future__ import annotations

import math
import random
from typing import Final

from framework.processes import wire
from framework.processes.activity import Activity
from framework.processes.backoff import Backoff
from framework.processes.child_events import (
    ChildEvent,
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
from framework.processes.escalation import AFTER_KILL_S, Effect, Spawn, Step, to_end, to_stop
from framework.processes.report_limits import ReportLimits
from framework.processes.spec import ProcessSpec
from framework.status import Severity

EXIT_FOLLOWS_S: Final = 0.2  # between the end of the channel and the exit of the one who held it
GRACES: Final = 3  # late ticks in a row that are forgiven; then silence is silence
_LATE_BEATS: Final = 0.25  # a tick that comes so late says that we were short of a processor
_OVERDUE: Final = 0.6  # of the silence that counts as hanging: then it is looked at whether it is stopped
_GRACE_BEATS: Final = 1.5  # what is given then: who lives beats within it


class ChildWatchdog:
    """The state of one child and all that follows from it. `now` is monotonic seconds throughout."""

    def __init__(self, spec: ProcessSpec, rng: random.Random) -> None:
        self.spec = spec
        self.state = ChildState.STARTING
        self.alive = False  # a process exists that has not been seen to end
        self.abandoned = False  # … and SIGKILL did not end it
        self.handle = b""
        self.restarts = 0
        self._backoff = Backoff(spec.restart, rng)
        self._effects: list[Effect] = []
        self._was_ready = False
        self._started_at = 0.0
        self._ready_at = 0.0
        self._ready_due: float | None = None
        self._start_until = 0.0
        self._heard_at = 0.0
        self._promise_s = 0.0
        self._closed_until: float | None = None
        self._ladder: tuple[Step, ...] = ()
        self._step = 0
        self._step_until = 0.0
        self._stop_asked_at = 0.0
        self._restart_at: float | None = None
        self._limits = ReportLimits(spec)
        self._last_tick = 0.0
        self._wake_at: float | None = None
        self._graces = 0

    # ------------------------------------------------------------ what the shell asks

    @property
    def wake_at(self) -> float | None:
        """When `tick` is wanted next; None when only an event can change anything."""
        return self._wake_at

    @property
    def settled(self) -> bool:
        """Nothing is left to wait for: no process, or one that nobody can end."""
        return not self.alive or self.abandoned

    # ------------------------------------------------------------ events

    def start(self, now: float) -> list[Effect]:
        """Start it for the first time."""
        self._begin(now)
        return self._done(now)

    def spawned(self, now: float) -> list[Effect]:
        """The process exists."""
        self.alive = True
        return self._done(now)

    def spawn_failed(self, message: str, now: float) -> list[Effect]:
        """The process could not be made."""
        self._start_failed(LossReason.NOT_STARTED, message, now)
        return self._done(now)

    def received(self, report: wire.Report, now: float) -> list[Effect]:
        """A message from the child."""
        if self._is_judged and self._within_rate(now):
            self._limits.was_readable()
            match report:
                case wire.ReadyReport(handle=handle):
                    self._became_ready(handle, now)
                case wire.Beat():
                    self._beat(report, now)
                case wire.StatusReport(severity=severity, message=message):
                    self._status(severity, message, now)
                case wire.Started() if self.state is ChildState.STARTING and not self.spec.protocol:
                    self._ready_due = now + self.spec.ready_after_s
        return self._done(now)

    def unreadable(self, what: str, now: float) -> list[Effect]:
        """A frame of the right shape whose content is no message."""
        if self._is_judged and self._within_rate(now):
            too_many, warning = self._limits.was_unreadable(what)
            if too_many:
                self._ended_for(LossReason.GARBAGE, too_many, now)
            elif warning:
                self._tell(Said(Severity.WARNING, warning))
        return self._done(now)

    def bad_frame(self, what: str, now: float) -> list[Effect]:
        """The channel cannot be read any further."""
        if self._is_judged:
            self._ended_for(LossReason.GARBAGE, f"its channel cannot be read: {what}", now)
        return self._done(now)

    def closed(self, now: float) -> list[Effect]:
        """The child's end of the channel is closed; as a rule its exit follows at once."""
        if self._is_judged and self._closed_until is None:
            self._closed_until = now + EXIT_FOLLOWS_S
        return self._done(now)

    def exited(self, ended: Exit, now: float) -> list[Effect]:
        """The process has ended and been reaped."""
        how = self._ladder[self._step].how if self._ladder else None
        self.alive = self.abandoned = False
        self._ladder = ()
        if self.state is ChildState.STOPPING:
            self._tell_stopped(how or StopHow.WAS_GONE, now)
        elif self.state is ChildState.STARTING:
            why = ended.refusal if self.spec.protocol else ""
            self._start_failed(LossReason.NEVER_READY, why or f"ended before it was ready: {ended}", now)
        elif self.state in (ChildState.READY, ChildState.DEGRADED):
            self._lost(LossReason.DIED, f"died: {ended}", now)
        # In any other state it was on its way out and everybody knows.
        return self._done(now)

    def is_overdue(self, now: float) -> bool:
        """Whether a beat is overdue, so that what its threads do decides: `tick` wants to know."""
        is_watched = self._is_judged and self.state is not ChildState.STARTING and self.spec.protocol
        return is_watched and now >= self._heard_at + _OVERDUE * self.spec.hang_after_s

    def tick(self, now: float, activity: Activity = Activity.SLEEPING) -> list[Effect]:
        """Time has passed; whatever had arrived by `now` was handed over before.

        activity: of the process, where `is_overdue` asks for it.
        """
        if activity is not Activity.STOPPED:  # for which we need not have been watching
            self._forgive_own_absence(now)
        self._last_tick = now
        if self._ladder and now >= self._step_until:
            self._next_step(now)
        if self._is_judged:
            self._judge(now, activity)
        if self._restart_at is not None and now >= self._restart_at and not self.alive:
            self._restart(now)
        return self._done(now)

    def stop(self, now: float) -> list[Effect]:
        """End it for good: SIGINT, SIGTERM, a word over the channel, SIGKILL. Idempotent."""
        is_over = self.state in (ChildState.STOPPING, ChildState.STOPPED)
        if is_over or (self.state is ChildState.FAILED and self.settled):
            return self._done(now)
        self.state = ChildState.STOPPING
        self._stop_asked_at = now
        self._restart_at = None
        if self.settled:
            self._tell_stopped(StopHow.ABANDONED if self.abandoned else StopHow.WAS_GONE, now)
        elif not self._ladder:
            self._climb(to_stop(self.spec), now)
        return self._done(now)

    def retry_now(self, now: float) -> list[Effect]:
        """Somebody said "retry now": attempt at once, and forget how often it failed."""
        if self.state in (ChildState.RETRYING, ChildState.NEEDS_HUMAN):
            if self.abandoned:
                self._tell(NeedsHuman(self._undead))
            else:
                self.state = ChildState.RETRYING
                self._backoff.forget()
                self._restart_at = now
                self._tell(Retrying("retry now was asked for", now, 1))
                if not self.alive:
                    self._restart(now)
        return self._done(now)

    # ------------------------------------------------------------ starting

    def _begin(self, now: float) -> None:
        self.state = ChildState.STARTING
        self._started_at = self._heard_at = self._last_tick = now
        self._limits.began(now)
        self._start_until = now + self.spec.start_timeout_s
        self._ready_due = self._closed_until = self._restart_at = None
        self._graces = 0
        self._effects.append(Spawn())

    def _restart(self, now: float) -> None:
        self._backoff.restarted(now)
        self._begin(now)

    def _became_ready(self, handle: bytes, now: float) -> None:
        self.handle = handle
        if self.state is not ChildState.STARTING:
            self._tell(Updated(handle))
            return
        if self._was_ready:
            self.restarts += 1
        self._was_ready = True
        self._ready_due = None
        self.state = ChildState.READY
        self._ready_at = self._heard_at = now
        self._promise_s = 0.0
        self._tell(Ready(handle, now - self._started_at, self.restarts))

    def _start_failed(self, reason: LossReason, message: str, now: float) -> None:
        """Only what was once ready is started again."""
        if self.state is ChildState.STOPPING:
            self._tell_stopped(StopHow.WAS_GONE, now)
        elif self._was_ready:
            self._plan_restart(reason, message, now)
        else:
            self.state = ChildState.FAILED
            self._tell(Failed(reason, message))

    # ------------------------------------------------------------ judging

    @property
    def _is_judged(self) -> bool:
        """It is alive, wanted, and not already on its way out."""
        wanted = (ChildState.STARTING, ChildState.READY, ChildState.DEGRADED)
        return self.alive and self.state in wanted

    def _judge(self, now: float, activity: Activity) -> None:
        if self._closed_until is not None:  # no heartbeat can follow: its silence says nothing more
            if now >= self._closed_until:
                self._ended_for(LossReason.CLOSED, "it closed its channel and lives on", now)
        elif self.state is ChildState.STARTING:
            if self._ready_due is not None and now >= self._ready_due:
                self._became_ready(b"", now)
            elif now >= self._start_until:
                limit_s = self.spec.start_timeout_s
                self._ended_for(LossReason.NEVER_READY, f"not ready within {limit_s:g} s of its start", now)
        elif self.is_overdue(now):
            self._judge_silence(activity, now)

    def _judge_silence(self, activity: Activity, now: float) -> None:
        """No beat: nobody is stopped by accident, so that is told at once; who sleeps for longer hangs; who
        runs may be short of a processor."""
        silent = f"no beat for {(now - self._heard_at) * 1000:.0f} ms"
        if activity is Activity.STOPPED:
            self._ended_for(LossReason.HUNG, f"hangs: {silent}, its process is stopped", now)
            return
        limit_s = self._limit_s(activity is Activity.RUNNING)
        if now >= self._heard_at + limit_s:  # as the tick was asked for: a difference may be rounded to less
            self._ended_for(LossReason.HUNG, f"hangs: {silent}, {limit_s * 1000:.0f} ms are allowed", now)

    def _limit_s(self, is_at_work: bool) -> float:
        """How long its beats, or the turns of its main loop, may be absent [s]."""
        usual_s = self.spec.slow_after_s if is_at_work else self.spec.hang_after_s
        return max(self.spec.hang_after_s, self.spec.blocks_s, usual_s, self._promise_s)

    def _beat(self, beat: wire.Beat, now: float) -> None:
        self._heard_at = now
        self._graces = 0
        self._promise_s = beat.next_within_s
        is_up = self.state in (ChildState.READY, ChildState.DEGRADED)
        if is_up and beat.loop_age_s > (loop_limit_s := self._limit_s(beat.at_work)):
            age = f"its main loop has not turned for {beat.loop_age_s * 1000:.0f} ms"
            doing = "it computes" if beat.at_work else "nothing goes on in it"
            allowed = f"{loop_limit_s * 1000:.0f} ms are allowed"
            self._ended_for(LossReason.HUNG, f"hangs: {age} and {doing}, {allowed}", now)
            return
        limit_s = self.spec.stale_after_s
        age_s = beat.stream_age_s
        if is_up and limit_s is not None and age_s is not None and age_s > limit_s:
            # A stream is given as long to begin as it may later take between two samples.
            if math.isinf(age_s) and now - self._ready_at <= limit_s:
                return
            age = "has no sample yet" if math.isinf(age_s) else f"is {age_s:.3f} s old"
            which = f"stream {beat.stream!r}" if beat.stream else "its stream"
            self._ended_for(LossReason.STALE, f"{which} {age}, {limit_s:g} s are allowed", now)

    def _status(self, severity: Severity, message: str, now: float) -> None:
        if severity is Severity.FATAL:
            self._ended_for(LossReason.GAVE_UP, f"gave up: {message}", now)
            return
        if self.state is ChildState.READY and severity is Severity.ERROR:
            self.state = ChildState.DEGRADED
        elif self.state is ChildState.DEGRADED and severity is Severity.OK:
            self.state = ChildState.READY
        self._tell(Said(severity, message))

    def _within_rate(self, now: float) -> bool:
        if flood := self._limits.heard(now):
            self._ended_for(LossReason.FLOOD, flood, now)
        return not flood

    def _forgive_own_absence(self, now: float) -> None:
        """A tick that comes late says that we were suspended, blocked or short of a processor, and the child
        perhaps as well: whoever lives gets the time to show it."""
        late_s = 0.0 if self._wake_at is None else now - self._wake_at
        if late_s <= _LATE_BEATS * self.spec.beat_s:
            return
        if self._ladder:
            self._step_until += late_s
        if self._graces < GRACES:
            self._graces += 1
            given_s = _GRACE_BEATS * self.spec.beat_s
            self._heard_at = max(self._heard_at, now + given_s - self.spec.hang_after_s)
            self._start_until += late_s
            if self._closed_until is not None:
                self._closed_until += late_s

    # ------------------------------------------------------------ losing and restarting

    def _ended_for(self, reason: LossReason, message: str, now: float) -> None:
        """It lives but is of no use: say so, then end it."""
        if self.state is ChildState.STARTING:
            self._start_failed(reason, message, now)
        else:
            self._lost(reason, message, now)
        self._climb(to_end(self.spec), now)

    def _lost(self, reason: LossReason, message: str, now: float) -> None:
        self._tell(Lost(reason, message))
        self._backoff.was_ready_for(now - self._ready_at)
        self._plan_restart(reason, message, now)

    def _plan_restart(self, reason: LossReason, why: str, now: float) -> None:
        policy = self.spec.restart
        if policy is None:
            self.state = ChildState.FAILED
            self._tell(Failed(reason, why))
        elif (wait_s := self._backoff.wait_s(now)) is None:
            self.state = ChildState.NEEDS_HUMAN
            often = f"restarted {policy.most} times within {policy.within_s:g} s and lost again"
            self._tell(NeedsHuman(f"{often} ({why}); mend the cause, then say retry now"))
        else:
            self.state = ChildState.RETRYING
            self._restart_at = now + wait_s
            self._tell(Retrying(why, self._restart_at, self._backoff.tries + 1))

    # ------------------------------------------------------------ ending

    def _climb(self, ladder: tuple[Step, ...], now: float) -> None:
        self._ladder = ladder
        self._step = -1
        self._next_step(now)

    def _next_step(self, now: float) -> None:
        if self._step + 1 < len(self._ladder):
            self._step += 1
            step = self._ladder[self._step]
            self._step_until = now + step.wait_s
            self._effects.append(step.effect)
            return
        self.abandoned = True
        self._step_until = math.inf
        if self.state is ChildState.STOPPING:
            self._tell_stopped(StopHow.ABANDONED, now)
        elif self.state is ChildState.FAILED:
            self._tell(Said(Severity.ERROR, self._undead))
        else:
            self.state = ChildState.NEEDS_HUMAN
            self._restart_at = None
            self._tell(NeedsHuman(self._undead))

    @property
    def _undead(self) -> str:
        return (
            f"its process does not end even by SIGKILL within {AFTER_KILL_S:g} s: it sits in a device "
            "driver; unplug the device or restart the machine, then say retry now"
        )

    def _tell_stopped(self, how: StopHow, now: float) -> None:
        self.state = ChildState.STOPPED
        self._tell(Stopped(how, now - self._stop_asked_at))

    # ------------------------------------------------------------ effects and the next tick

    def _tell(self, told: ChildEvent) -> None:
        self._effects.append(told)

    def _done(self, now: float) -> list[Effect]:
        effects, self._effects = self._effects, []
        self._wake_at = self._next_tick(now)
        return effects

    def _next_tick(self, now: float) -> float | None:
        due: list[float] = []
        if self._ladder and not self.abandoned:
            due += [self._step_until, self._last_tick + self.spec.beat_s]
        if self._is_judged and self._closed_until is not None:
            due += [self._closed_until, self._last_tick + self.spec.beat_s]
        elif self._is_judged:
            due += [] if self._ready_due is None else [self._ready_due]
            if self.state is ChildState.STARTING:
                due += [self._start_until, self._last_tick + self.spec.beat_s]
            elif self.spec.protocol and self._promise_s < math.inf:
                # Ticks between two beats tell our own absence from the child's. A promise without an
                # end (a scripted child's) wants none: who gives it is not looked at.
                overdue_s = _OVERDUE * self.spec.hang_after_s
                limits_s = (overdue_s, self._limit_s(False), self._limit_s(True))
                due += [self._heard_at + limit_s for limit_s in limits_s if self._heard_at + limit_s > now]
                due += [self._last_tick + self.spec.beat_s]
        if self._restart_at is not None and not self.alive:
            due.append(self._restart_at)
        due = [at for at in due if at < math.inf]
        return max(now, min(due)) if due else None
