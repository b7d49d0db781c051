"""What a control process sees of the emergency stop and of the supervisor."""

from __future__ import annotations

from pathlib import Path

from framework.processes.emergency import EmergencyStop
from resources.children.safety import Safety
from resources.controllers.loop import MotionStop


def test_the_latch_and_the_heartbeat_are_looked_at_every_time(tmp_path: Path) -> None:
    emergency = EmergencyStop.create(tmp_path)
    safety = Safety(emergency, heartbeat_timeout_s=0.2)
    assert safety.look(10.0) == MotionStop(alone=True), "nobody has ever said to be alive"
    assert safety.look(10.0).words == "the supervisor's heartbeat is missing"
    emergency.beat(10.0)
    assert safety.look(10.1) == MotionStop()
    assert safety.look(10.25).alone
    emergency.beat(10.3)
    emergency.latch("smoke")
    stop = safety.look(10.3)
    assert (stop.emergency, stop.alone, stop.token) == (True, False, emergency.token)
    assert stop.words == "emergency stop: smoke"
    emergency.latch("more smoke")
    assert safety.look(10.3).words == "emergency stop: more smoke"
    assert emergency.reset(emergency.token)
    assert (safety.look(10.3).emergency, safety.look(10.3).words) == (False, "")
    emergency.remove()


def test_while_a_plugin_holds_the_supervisor_motion_may_go_on_for_a_moment(tmp_path: Path) -> None:
    emergency = EmergencyStop.create(tmp_path)
    safety = Safety(emergency, heartbeat_timeout_s=0.2)
    emergency.beat(10.0)
    emergency.lend(10.0, 10.5)
    assert safety.look(10.55) == MotionStop(lent=emergency.lent)
    assert safety.look(10.75).alone
    emergency.latch("smoke")  # what others set is obeyed all the same
    assert safety.look(10.55).emergency
    emergency.remove()


def test_a_heartbeat_of_the_future_is_none(tmp_path: Path) -> None:
    emergency = EmergencyStop.create(tmp_path)
    safety = Safety(emergency, heartbeat_timeout_s=0.2)
    emergency.beat(10.02)  # just after the moment that is looked at
    assert not safety.look(10.0).alone
    emergency.beat(1e6)
    assert safety.look(10.0).alone
    assert not safety.look(1e6).alone
    emergency.remove()


def test_a_stop_that_was_lifted_meanwhile_leaves_its_token(tmp_path: Path) -> None:
    emergency = EmergencyStop.create(tmp_path)
    safety = Safety(emergency, heartbeat_timeout_s=0.2)
    before = safety.look(1.0).token
    emergency.latch("a moment")
    emergency.reset(emergency.token)
    after = safety.look(1.0)
    assert after.token != before and not after.emergency
    assert after.token == emergency.latest
    emergency.remove()


def test_a_stop_without_a_reason_says_so(tmp_path: Path) -> None:
    emergency = EmergencyStop.create(tmp_path)
    emergency.latch("")
    assert Safety(emergency, heartbeat_timeout_s=0.2).look(1.0).words == "emergency stop: no reason was given"
    emergency.remove()
