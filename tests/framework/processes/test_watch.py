"""One verdict of the judge at a time; what always holds stands in test_watch_properties.py."""

from __future__ import annotations

import math
import random
import signal
from typing import Any

import pytest

from framework.processes import wire
from framework.processes.activity import Activity
from framework.processes.child_events import ChildState, LossReason, Lost
from framework.processes.escalation import Effect, Signal, Spawn, TellToQuit
from framework.processes.spec import ProcessSpec
from framework.processes.watchdog import GRACES, ChildWatchdog


def started(**wishes: Any) -> ChildWatchdog:
    """A child whose process exists since 0."""
    watch = ChildWatchdog(ProcessSpec(("x",), "x", restart=None, **wishes), random.Random(0))
    assert any(isinstance(effect, Spawn) for effect in watch.start(0.0))
    watch.spawned(0.0)
    return watch


def ready(**wishes: Any) -> ChildWatchdog:
    """A child that is ready since 0."""
    watch = started(**wishes)
    watch.received(wire.ReadyReport(b""), 0.0)
    return watch


def passes(
    watch: ChildWatchdog, until_s: float, activity: Activity = Activity.SLEEPING
) -> list[tuple[float, Effect]]:
    """Time goes by, and every tick comes when it is wanted; what it brought about, and when."""
    effects: list[tuple[float, Effect]] = []
    while (at_s := watch.wake_at) is not None and at_s <= until_s:
        effects += [(at_s, effect) for effect in watch.tick(at_s, activity)]
    return effects


def reasons(effects: list[Effect]) -> list[LossReason]:
    return [told.reason for told in effects if isinstance(told, Lost)]


def after_a_pause(watch: ChildWatchdog) -> tuple[float, list[LossReason]]:
    """The whole machine stood still for a minute when a tick was due: when that came, and what came of it."""
    assert watch.wake_at is not None
    now_s = watch.wake_at + 60.0
    return now_s, reasons(watch.tick(now_s))


def test_a_closed_channel_is_the_cause_although_no_heartbeat_can_follow_it() -> None:
    watch = ready()
    watch.closed(0.1)  # the silence would be over its limit at .25, the grace for its exit at .3
    verdicts = [effect for hundredth in range(11, 35, 2) for effect in watch.tick(hundredth / 100)]
    assert reasons(verdicts) == [LossReason.CLOSED]


def test_who_starts_slowly_was_not_silent_meanwhile() -> None:
    watch = started()
    assert not passes(watch, 5.0)
    watch.received(wire.ReadyReport(b""), 5.0)
    passes(watch, 5.2)
    assert watch.state is ChildState.READY


def test_each_pause_of_the_machine_is_forgiven_if_beats_come_between() -> None:
    watch = ready()
    for _ in range(2 * GRACES):
        now_s, lost = after_a_pause(watch)
        assert not lost
        watch.received(wire.Beat(), now_s)


@pytest.mark.parametrize("beat_at_s", [0.1, 31.9176 - 1e-9 / 3, 31.91760595225283, 1e6 + 0.1])
def test_a_silence_is_judged_in_the_tick_that_was_asked_for_however_it_is_rounded(beat_at_s: float) -> None:
    watch = started()
    watch.received(wire.ReadyReport(b""), beat_at_s - 0.01)
    watch.received(wire.Beat(), beat_at_s)
    now_s, lost = beat_at_s, list[LossReason]()
    while not lost:
        assert watch.wake_at is not None
        now_s = watch.wake_at
        lost = reasons(watch.tick(now_s))
    assert lost == [LossReason.HUNG] and now_s == pytest.approx(beat_at_s + 0.25, abs=1e-6)


def test_pause_after_pause_without_a_beat_is_silence() -> None:
    watch = ready()
    for _ in range(GRACES):
        assert not after_a_pause(watch)[1]
    assert after_a_pause(watch)[1] == [LossReason.HUNG]


def test_a_stream_that_never_begins_is_stale() -> None:
    watch = ready(stale_after_s=0.5)
    for tenth in range(1, 6):
        assert not reasons(watch.received(wire.Beat(math.inf, "color"), tenth / 10))
    assert reasons(watch.received(wire.Beat(math.inf, "color"), 0.6)) == [LossReason.STALE]


def test_who_hangs_is_told_to_make_itself_safe_and_given_the_time_for_it() -> None:
    watch = ready(safe_stop_s=0.3)
    acts = [each for each in passes(watch, 1.0) if isinstance(each[1], Signal | TellToQuit)]
    assert [act for _, act in acts] == [TellToQuit(), Signal(signal.SIGKILL)]
    told_s, killed_s = (at_s for at_s, _ in acts)
    assert killed_s - told_s >= 0.3


def test_who_gets_no_processor_is_not_silent_of_its_own_will() -> None:
    watch = ready()
    assert not passes(watch, 1.99, Activity.RUNNING)
    assert LossReason.HUNG in reasons([effect for _, effect in passes(watch, 2.0, Activity.RUNNING)])


def test_a_stopped_process_is_told_even_by_a_late_tick_and_within_a_promise() -> None:
    watch = ready()
    watch.received(wire.Beat(next_within_s=60.0), 0.1)
    assert not watch.is_overdue(0.24)
    assert watch.is_overdue(0.26)
    assert reasons(watch.tick(7.0, Activity.STOPPED)) == [LossReason.HUNG]


def test_a_stopped_process_is_told_as_soon_as_a_beat_is_overdue_and_no_other() -> None:
    for activity in (Activity.SLEEPING, Activity.RUNNING):
        assert not reasons([effect for _, effect in passes(ready(), 0.24, activity)])
    found = passes(ready(), 0.2, Activity.STOPPED)
    assert reasons([effect for _, effect in found]) == [LossReason.HUNG]
    assert found[0][0] == pytest.approx(0.15)


def test_a_starved_judge_waits_for_one_more_beat() -> None:
    watch = ready()
    for tenth in (1, 2):
        watch.tick(tenth / 10)
    assert not reasons(watch.tick(0.29)), "it came 40 ms too late: who knows who else did"
    assert reasons([effect for _, effect in passes(watch, 0.45)]) == [LossReason.HUNG]


def test_a_main_loop_that_sleeps_hangs_and_one_that_computes_is_given_longer() -> None:
    watch = ready()
    assert not reasons(watch.received(wire.Beat(loop_age_s=0.24), 0.1))
    assert not reasons(watch.received(wire.Beat(loop_age_s=1.9, at_work=True), 0.2))
    assert not reasons(watch.received(wire.Beat(next_within_s=5.0, loop_age_s=4.9), 0.3))
    assert reasons(watch.received(wire.Beat(loop_age_s=0.26), 0.4)) == [LossReason.HUNG]
    watch = ready()
    assert reasons(watch.received(wire.Beat(loop_age_s=2.1, at_work=True), 0.1)) == [LossReason.HUNG]
