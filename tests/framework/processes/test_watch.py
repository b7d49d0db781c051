"""One verdict of the judge at a time; what always holds stands in test_watch_properties.py."""

from __future__ import annotations

import random

from framework.processes import wire
from framework.processes.child_events import LossReason, Lost
from framework.processes.escalation import Spawn
from framework.processes.spec import ProcessSpec
from framework.processes.watchdog import ChildWatchdog


def test_a_closed_channel_is_the_cause_although_no_heartbeat_can_follow_it() -> None:
    watch = ChildWatchdog(ProcessSpec(("x",), "x", restart=None), random.Random(0))
    assert any(isinstance(effect, Spawn) for effect in watch.start(0.0))
    watch.spawned(0.0)
    watch.received(wire.ReadyReport(b""), 0.0)
    watch.closed(0.1)  # the silence would be over its limit at .25, the grace for its exit at .3
    verdicts = [effect for hundredth in range(11, 35, 2) for effect in watch.tick(hundredth / 100)]
    assert [told.reason for told in verdicts if isinstance(told, Lost)] == [LossReason.CLOSED]
