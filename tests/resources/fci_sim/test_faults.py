"""Faults as data: when they act, what they do to packets, and what is refused in words."""

from __future__ import annotations

import math

import pytest

from framework.errors import DescriptionError
from resources.fci_sim import (
    CloseTcp,
    Loss,
    Mute,
    NanState,
    Packets,
    Push,
    Reflex,
    SilentUdp,
    Since,
    Stream,
    UserStop,
    WrongVersion,
)
from resources.fci_sim.faults import AnyFault, FaultPlan, check
from resources.fci_sim.orders import read_fault, read_order, read_script
from resources.fci_sim.wire import Command


def test_a_fault_begins_and_ends_on_the_arms_own_time() -> None:
    plan = FaultPlan([UserStop(at_s=0.010, for_s=0.005)])
    stopped = [plan.is_user_stopped for n in range(20) if plan.advance(n / 1000) is not None]
    assert stopped == [False] * 10 + [True] * 5 + [False] * 5


def test_a_fault_may_wait_for_a_motion() -> None:
    plan = FaultPlan([Reflex(flag="joint_reflex", since=Since.MOTION, at_s=0.002)])
    assert not plan.advance(5.0)
    plan.motion_begins()
    assert not plan.advance(5.001)
    assert [type(fault) for fault in plan.advance(5.002)] == [Reflex]
    assert not plan.advance(5.003), "it happens once"


def test_a_fault_given_during_a_motion_counts_from_its_start() -> None:
    plan = FaultPlan()
    plan.advance(1.0)
    plan.motion_begins()
    plan.advance(1.5)
    plan.give(CloseTcp(since=Since.MOTION, at_s=0.6))
    assert not plan.advance(1.55)
    assert plan.advance(1.6)


def test_packets_are_lost_by_count() -> None:
    plan = FaultPlan([Packets(what=Loss.DROP, of=Stream.COMMANDS, count=2)])
    plan.advance(0.0)
    assert plan.delays(Stream.STATES) == (0,)
    assert [plan.delays(Stream.COMMANDS) for _ in range(3)] == [(), (), (0,)]


def test_packets_are_lost_by_share_and_every_time_the_same() -> None:
    def lost(seed: int) -> list[int]:
        plan = FaultPlan([Packets(what=Loss.DROP, share=0.3, seed=seed)])
        plan.advance(0.0)
        return [n for n in range(1000) if not plan.delays(Stream.STATES)]

    assert lost(1) == lost(1) != lost(2)
    assert 200 < len(lost(1)) < 400


def test_packets_come_late_and_twice() -> None:
    plan = FaultPlan([Packets(what=Loss.LATE, by=7, count=1), Packets(what=Loss.DUPLICATE, count=1)])
    plan.advance(0.0)
    assert [plan.delays(Stream.STATES) for _ in range(3)] == [(7,), (0, 0), (0,)]


def test_silence_goes_both_ways() -> None:
    plan = FaultPlan([SilentUdp(for_s=0.1)])
    plan.advance(0.0)
    assert plan.delays(Stream.STATES) == plan.delays(Stream.COMMANDS) == ()
    plan.advance(0.1)
    assert plan.delays(Stream.STATES) == (0,)


def test_mute_for_one_command_or_all() -> None:
    plan = FaultPlan([Mute(command="set_load")])
    plan.advance(0.0)
    assert plan.is_mute(Command.SET_LOAD)
    assert not plan.is_mute(Command.MOVE)
    plan.give(Mute())
    plan.advance(0.001)
    assert plan.is_mute(Command.MOVE)
    assert plan.clear() == 2
    assert not plan.is_mute(Command.MOVE)


def test_pushes_add_up() -> None:
    plan = FaultPlan([Push(force=(1.0, 0.0, 0.0)), Push(force=(1.0, 2.0, 0.0), torque=(0.0, 0.0, 3.0))])
    assert plan.wrench() is None
    plan.advance(0.0)
    wrench = plan.wrench()
    assert wrench is not None
    assert wrench.tolist() == [2.0, 2.0, 0.0, 0.0, 0.0, 3.0]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Reflex(flag="joint_reflexes"), "no flag 'joint_reflexes'; there are"),
        (NanState(field="Q"), "no numbers 'Q'; they have"),
        (Mute(command="set_lode"), "no command 'set_lode'; there are connect, move"),
        (Push(force=(math.nan, 0.0, 0.0)), "not all its numbers are finite"),
        (Push(force=(0.0, 0.0, 1e6)), "1000"),
        (WrongVersion(arm=2), "fault is for arm 2; there are arms 0 to 1"),
    ],
)
def test_names_that_do_not_exist_are_refused_with_those_that_do(fault: AnyFault, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        check(fault, arms=2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{fault: refle}", "fault is one of reflex, user_stop"),
        ("{fault: push, at_s: -1}", "at_s"),
        ("{fault: push, at: 1}", "no field 'at'; allowed are fault, force, torque"),
        ("{fault: packets, what: drop, share: 0}", "share"),
        ("reflex", "for example"),
        ("{fault: [", "is no YAML: .*faults are reflex"),
        ("", "a mapping with fault, not nothing"),
        ("{fault: push, force: [.nan, 0, 0]}", r"force\[0\] must be a finite number"),
        ("{fault: push, torque: [0, 0, -.inf]}", r"torque\[2\] must be a finite number"),
        ("{fault: push, force: [1e9, 0, 0]}", r"force\[0\] must be .*from -1000 to 1000"),
        ("{fault: push, force: [1, 0]}", "allowed are 3 numbers"),
        ("{fault: packets, what: lose}", "allowed are drop, late, duplicate"),
        ("{fault: user_stop, for_s: .inf}", "for_s must be a finite number"),
    ],
)
def test_text_that_is_no_fault_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        read_fault(text)


def test_a_script_is_a_list_of_faults_or_a_scene_with_them() -> None:
    assert read_script("- {fault: close_tcp, at_s: 1}").faults == (CloseTcp(at_s=1.0),)
    script = read_script("scene: {table_m: 0.3}\nfaults:\n- {fault: wrong_version}")
    assert script.scene.table_m == 0.3
    assert script.faults == (WrongVersion(),)
    assert read_script("") == read_script("{}")
    with pytest.raises(DescriptionError, match=r"box\.yaml:1: .*no field 'tabel_m'; allowed are q, table_m"):
        read_script("scene: {tabel_m: 0.3}", "box.yaml")


def test_a_mistake_in_a_script_is_named_with_its_line_and_what_is_allowed() -> None:
    text = "scene: {table_m: 0.3}\nfaults:\n- {fault: user_stop}\n- {fault: push,\n   at: 3}\n"
    with pytest.raises(DescriptionError, match=r"box\.yaml:5: .*faults\[1\] has no field 'at'"):
        read_script(text, "box.yaml")
    with pytest.raises(DescriptionError, match=r"box\.yaml:2: .*\[1\]\.fault is 'refle'; .*one of reflex"):
        read_script("- {fault: user_stop}\n- {fault: refle}", "box.yaml")
    with pytest.raises(DescriptionError, match=r"box\.yaml:2: .*q\[2\] must be a finite number"):
        read_script("scene: {q: [1, 2,\n .inf]}", "box.yaml")
    with pytest.raises(DescriptionError, match=r"box\.yaml:2: .*no YAML"):
        read_script("scene:\n  [", "box.yaml")


def test_numbers_are_written_as_json_and_people_write_them() -> None:
    assert read_fault("{fault: push, force: [1e2, -5e-05, 2E1]}") == Push(force=(100.0, -5e-05, 20.0))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{do: dance}", "do is one of inject, clear, status"),
        ("dance", "do is one of inject, clear, status"),
        ("{do: pass, for_s: 0}", "above 0 to 60"),
        ("{do: pass, for_s: .nan}", "for_s must be a finite number"),
        (b"\xff\xfe\x00", "orders are inject, clear, status"),
        ("{do: inject, fault: {fault: refle}}", "fault is one of reflex, user_stop"),
        ("{do: inject, fault: {fault: reflex}}", "flag is missing"),
    ],
)
def test_an_order_that_is_none_is_refused_with_those_that_are(text: str | bytes, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        read_order(text)
