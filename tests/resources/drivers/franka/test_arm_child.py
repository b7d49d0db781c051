"""The process of a real arm with the genuine pylibfranka, before a simulated control box that misbehaves."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import msgspec
import pytest

from framework.errors import ProcessStartFailed
from framework.processes.child_events import Failed, LossReason, Lost
from resources.children.failing import FailMode, fail_command
from resources.drivers.franka.arguments import Realtime
from resources.drivers.franka.connection import PRIORITY, run_in_real_time
from resources.drivers.franka.events import EventKind
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
from resources.twin.obstacles import Wall
from resources.types.motion import Hold, MoveJoints, MovePose, StopCategory, TrackTwist
from tests.resources.drivers.franka.bench import ArmRig, Bench, own_bench
from tests.resources.drivers.franka.rig import TRIES, arm, raised
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = needs_pylibfranka


async def moving(rig: ArmRig, by_m: float = 0.15) -> int:
    """Have it on its way up, slowly; the number of the command."""
    rig.hold("lease")
    up = raised((await rig.sample()).base_T_tool, by_m)
    for _ in range(TRIES):
        number = rig.repeat(MovePose(up.base_T_tool, speed=0.05))
        sample = await rig.until(
            lambda s, number=number: (
                s.loop.done == number  # type: ignore[misc]
                or (s.loop.following == number and s.loop.progress > 0.05)
            )
        )
        if sample.loop.following == number:
            return number
        # A busy machine did not serve it in time, and it came to rest, as it should.
        assert sample.loop.ended.passes, sample.loop.outcome
    raise AssertionError(sample.loop.outcome)


# ---------------------------------------------------------------- all is well


def test_an_arm_goes_where_it_is_told_and_is_let_go_when_nobody_holds_it(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        before = await rig.sample()
        assert before.loop.is_at_rest
        assert bench.box.status().mode == "idle", "nobody has it: the arm holds itself"
        rig.hold("lease")
        goal = raised(before.base_T_tool, 0.05)
        assert await rig.carry_out(goal) == ""
        assert bench.box.status().mode == "move", "its holder may go on"
        after = await rig.until(lambda s: s.loop.is_at_rest)
        assert after.base_T_tool == pytest.approx(goal.base_T_tool, abs=2e-3)
        rig.hold("")
        await bench.told("finished by the client")
        assert (await rig.sample()).loop.holder == ""
        rig.hold("another")
        assert await rig.carry_out(raised(before.base_T_tool, 0.0)) == ""
        events = bench.happened()
        assert not [text for text in events if "reflex" in text]

    bench.play(scene)


def test_what_is_out_of_reach_is_refused_and_begins_nothing_dangerous(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        nan = float("nan")
        assert "finite" in await rig.carry_out(MoveJoints((nan,) * 7))
        assert "beyond where joints may go" in await rig.carry_out(MoveJoints((9.0,) * 7))
        assert not (await rig.sample()).loop.fault

    bench.play(scene)


def test_the_force_on_the_tool_is_told_as_what_the_surroundings_do(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        rig.repeat(Hold())
        await rig.until(lambda s: s.loop.following != 0 or s.loop.mode == "hold")
        await bench.told("motion begins")
        bench.box.inject(Push(force=(0.0, 0.0, -12.0)))
        sample = await rig.until(
            lambda s: (
                s.wrench_measured is not None and s.wrench_measured[2] < -10 and s.wrench_estimated[2] < -10
            )
        )
        assert sample.wrench_measured is not None
        assert sample.wrench_measured[2] == pytest.approx(-12.0, abs=2.0)
        assert sample.wrench_estimated[2] == pytest.approx(-12.0, abs=3.0)

    bench.play(scene)


def test_thresholds_payload_and_end_effector_are_set_and_the_tool_point_follows() -> None:
    longer = (0.0, 0.0, 0.10, 0.0, 0.0, 0.0, 1.0)

    async def scene(rig: ArmRig) -> None:
        tool_z.append((await rig.sample()).base_T_tool[2])

    tool_z: list[float] = []
    with own_bench() as bench:
        bench.play(scene)
        bench.play(
            scene,
            end_effector=longer,
            payload_kg=0.5,
            payload_centre_m=(0.0, 0.0, 0.1),
            collision_force_n=30.0,
        )
    assert tool_z[0] - tool_z[1] == pytest.approx(0.10, abs=1e-3), "the tool points down"


def test_what_the_description_walls_off_is_refused_and_kept(bench: Bench) -> None:
    walls = (Wall((0.6, 0.0, 0.0), (-1.0, 0.0, 0.0), "the glass plate"),)

    async def scene(rig: ArmRig) -> None:
        x, y, z, *rotation = (await rig.sample()).base_T_tool
        qx, qy, qz, qw = rotation
        rig.hold("lease")
        assert "the glass plate" in await rig.carry_out(MovePose((x + 0.4, y, z, qx, qy, qz, qw)))
        assert await rig.carry_out(MovePose((x + 0.05, y, z, qx, qy, qz, qw))) == ""

    bench.play(scene, walls=walls)


def test_a_description_that_does_not_fit_the_arm_is_told(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await rig.until(lambda _: "0.76 kg" in rig.said() and "hand: false" in rig.said())

    bench.play(scene, hand=False)


# ---------------------------------------------------------------- reflexes and recovery


def test_a_reflex_ends_the_motion_in_words_and_a_recovery_lets_it_be_moved_again(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        number = await moving(rig)
        bench.box.inject(Reflex(flag="joint_reflex"))
        sample = await rig.until(lambda s: bool(s.loop.fault))
        rig.cease()
        assert sample.loop.fault == "reflex: a joint met more resistance than it may (joint_reflex)"
        assert (sample.loop.done, sample.loop.holder) == (number, "")
        rig.hold("another")
        refused = await rig.carry_out(Hold())
        assert "reflex" in refused
        assert await rig.recovered() == ""
        at = (await rig.sample()).base_T_tool
        rig.hold("a third")
        assert await rig.carry_out(raised(at, 0.02)) == ""

    bench.play(scene)


def test_every_flag_has_its_words(bench: Bench) -> None:
    words = {
        "cartesian_reflex": "the tool met more resistance",
        "self_collision_avoidance_violation": "too near to itself",
        "power_limit_violation": "more power",
        "communication_constraints_violation": "look at network",
    }

    async def scene(rig: ArmRig) -> None:
        for number, (flag, said) in enumerate(words.items()):
            bench.box.inject(Reflex(flag=flag, since=Since.MOTION, at_s=0.05))
            rig.hold(f"lease {number}")
            rig.repeat(Hold())
            fault = await rig.faulty()
            assert said in fault
            assert flag in fault
            assert await rig.recovered() == ""

    bench.play(scene)


def test_a_collision_is_felt_by_the_thresholds_of_the_description(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        rig.repeat(Hold())
        await rig.sample()
        await bench.told("motion begins")
        bench.box.inject(Push(force=(0.0, 0.0, 40.0)))
        assert "the tool met more resistance" in await rig.faulty()

    bench.play(scene, collision_force_n=30.0)


def test_the_user_stop_is_a_fault_that_stays_until_it_is_released_and_recovered_from(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        bench.box.inject(UserStop())
        assert await rig.faulty() == "the user stop is pressed: release it at the arm, then recover from it"
        assert "user stop is pressed" in await rig.recovered()
        bench.box.clear()
        assert await rig.recovered() == ""
        rig.hold("another")
        assert await rig.carry_out(raised((await rig.sample()).base_T_tool, 0.01)) == ""

    bench.play(scene)


def test_an_arm_that_starts_with_the_user_stop_pressed_says_so_and_is_configured_afterwards() -> None:
    async def scene(rig: ArmRig) -> None:
        assert "user stop" in await rig.faulty()
        bench.box.clear()
        assert await rig.recovered() == ""
        rig.hold("lease")
        rig.repeat(Hold())
        await bench.told("motion begins")
        bench.box.inject(Push(force=(0.0, 0.0, 40.0)))
        assert "the tool met more resistance" in await rig.faulty(), "its threshold is 30 N"

    with own_bench(faults=[UserStop()]) as bench:
        bench.play(scene, collision_force_n=30.0)


def test_an_arm_that_is_guided_by_its_button_takes_no_motion_and_says_why(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await rig.sample()
        bench.box.guide(True)
        await rig.sample()
        await rig.sample()
        rig.hold("lease")
        rig.repeat(Hold())
        assert "guides the arm by its button" in await rig.faulty()
        bench.box.guide(False)
        assert await rig.recovered() == ""

    bench.play(scene)


# ---------------------------------------------------------------- the link


@pytest.mark.parametrize("fault", [SilentUdp(), CloseTcp()], ids=["silent UDP", "closed TCP"])
def test_a_lost_link_is_fatal_in_words(bench: Bench, fault: SilentUdp | CloseTcp) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        bench.box.inject(fault)
        failed = await rig.diary.first(Failed)
        assert "no link to the arm" in failed.message
        assert "look at the cable" in failed.message

    bench.play(scene)


def test_a_link_that_is_lost_while_the_arm_rests_is_fatal_too(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await rig.sample()
        bench.box.inject(SilentUdp())
        assert "no link to the arm" in (await rig.diary.first(Failed)).message

    bench.play(scene)


def test_a_box_that_is_killed_is_a_lost_link_and_a_new_one_is_connected_to_anew() -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        os.kill(bench.box.pid, signal.SIGKILL)
        assert "no link to the arm" in (await rig.diary.first(Failed)).message

    async def again(rig: ArmRig) -> None:
        rig.hold("lease")
        assert await rig.carry_out(raised((await rig.sample()).base_T_tool, 0.01)) == ""

    with own_bench() as bench:
        bench.play(scene)
    with own_bench(addresses=bench.box.addresses) as new:
        new.play(again)


def test_a_few_packets_that_are_lost_late_or_doubled_disturb_nothing(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        way = 0.04
        for what in Loss:
            for of in Stream:
                bench.box.inject(
                    Packets(what=what, of=of, share=0.2, by=3, count=40, seed=7, since=Since.MOTION)
                )
                assert await rig.carry_out(raised((await rig.sample()).base_T_tool, way)) == "", (what, of)
                bench.box.clear()
                way = -way

    bench.play(scene)


def test_too_many_lost_commands_are_a_reflex_that_names_the_network(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        bench.box.inject(Packets(what=Loss.DROP, of=Stream.COMMANDS, count=30))
        assert "look at network and load" in await rig.faulty()

    bench.play(scene)


def test_what_is_no_number_never_reaches_the_law(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        bench.box.inject(NanState(field="dq"))
        assert "a dq that is no number" in await rig.faulty()
        assert bench.box.status().mode == "idle"
        assert "no number" in await rig.recovered(), "as long as it is so"
        bench.box.clear()
        assert await rig.recovered() == ""
        rig.hold("another")
        assert await rig.carry_out(raised((await rig.sample()).base_T_tool, 0.01)) == ""

    bench.play(scene)


def test_a_wrench_that_is_no_number_is_left_out(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        bench.box.inject(NanState(field="O_F_ext_hat_K"))
        up = raised((await rig.sample()).base_T_tool, 0.03)
        number = rig.repeat(up)
        await rig.until(lambda s: s.loop.following == number and s.wrench_measured is None)
        assert await rig.ended(number) == ""

    bench.play(scene)


# ---------------------------------------------------------------- starts that fail


def starts(box_address: str, **changes: object) -> str:
    """Why it does not start."""

    async def run() -> str:
        with pytest.raises(ProcessStartFailed) as caught:
            async with arm(box_address, **changes):
                pass
        return str(caught.value)

    return asyncio.run(run())


def test_a_wrong_version_names_both() -> None:
    with own_bench(faults=[WrongVersion(version=9)]) as bench:
        words = starts(bench.box.address)
    assert "server version: 9, library version: 10" in words


def test_an_address_where_nobody_answers_says_what_to_look_at() -> None:
    words = starts("127.0.0.93")
    assert "arm at 127.0.0.93, TCP port 1337: there is a machine, but nobody listens there" in words
    assert "Activate FCI in Desk" in words


def test_an_enforced_real_time_without_its_kernel_is_refused() -> None:
    if os.path.exists("/sys/kernel/realtime"):
        pytest.fail("this machine has a real-time kernel: run this test on one without")
    with own_bench() as bench:
        assert "no real time here" in starts(bench.box.address, realtime=Realtime.ENFORCE)


def test_a_setter_that_is_never_answered_is_ended_from_outside() -> None:
    with own_bench(faults=[Mute(command="set_load")]) as bench:
        words = starts(bench.box.address, payload_kg=0.5, spec={"start_timeout_s": 2.5})
    assert "setting the payload: the arm has not answered yet" in words


def test_an_arm_that_is_reached_but_mute_says_what_it_was_asked_and_what_to_look_at() -> None:
    with own_bench(faults=[Mute(command="connect")]) as bench:
        words = starts(bench.box.address, spec={"start_timeout_s": 2.5})
    assert f"connecting to arm at {bench.box.address}: it was reached, but has not answered yet" in words
    assert "look at the cable" in words


def test_an_arm_that_another_program_has_says_so(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await rig.sample()
        with pytest.raises(ProcessStartFailed) as caught:
            async with arm(bench.box.address):
                pass
        assert "whether another program has the arm" in str(caught.value)

    bench.play(scene)


# ---------------------------------------------------------------- frozen, killed, stopped


def test_a_recovery_that_is_never_answered_is_noticed_from_outside() -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        rig.repeat(Hold())
        await rig.faulty()
        rig.order(recoveries=1)
        lost = await rig.diary.first(Lost)
        assert lost.reason is LossReason.HUNG

    faults = [
        Reflex(flag="joint_reflex", since=Since.MOTION, at_s=0.05),
        Mute(command="automatic_error_recovery"),
    ]
    with own_bench(faults=faults) as bench:
        bench.play(scene, spec={"hang_after_beats": 5.0})


def test_a_process_killed_in_motion_leaves_an_arm_that_stops_by_itself(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        os.kill(rig.child.pid, signal.SIGKILL)
        assert (await rig.diary.first(Lost)).reason is LossReason.DIED
        await bench.told("the client is gone")
        assert bench.box.status().mode == "idle"

    bench.play(scene)


def test_a_process_stopped_in_motion_is_a_reflex_when_it_comes_back() -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        rig.repeat(raised((await rig.sample()).base_T_tool, 0.15))
        await bench.told("motion begins")
        os.kill(rig.child.pid, signal.SIGSTOP)
        await bench.told("communication_constraints_violation")
        assert max(map(abs, bench.box.status().dq)) < 0.5
        os.kill(rig.child.pid, signal.SIGCONT)
        assert "look at network and load" in await rig.faulty()
        assert await rig.recovered() == ""

    with own_bench(lock_step=False) as bench:
        bench.play(scene, spec={"hang_after_beats": 100.0})


def test_it_fails_as_it_is_told_to(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        rig.child.send(fail_command(FailMode.REFLEX))
        assert "made to have one" in await rig.faulty()
        assert await rig.recovered() == ""
        rig.child.send(b"nonsense")
        rig.child.send(fail_command(FailMode.GARBAGE))
        assert (await rig.diary.first(Lost)).reason is LossReason.GARBAGE

    bench.play(scene)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("how", "reason"), [(FailMode.HANG, LossReason.HUNG), (FailMode.STALE, LossReason.STALE)]
)
def test_it_hangs_and_falls_silent_as_it_is_told_to(bench: Bench, how: FailMode, reason: LossReason) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        rig.child.send(fail_command(how))
        assert (await rig.diary.first(Lost)).reason is reason

    bench.play(scene)


def test_a_process_told_to_end_in_motion_comes_to_rest_first(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)

    bench.play(scene)
    assert "finished by the client" in " ".join(bench.happened())
    assert max(map(abs, bench.box.status().dq)) < 0.01


# ---------------------------------------------------------------- stops


def test_the_emergency_stop_holds_under_control_until_it_is_lifted_which_moves_nothing(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        rig.emergency.latch("a test")
        sample = await rig.until(lambda s: bool(s.loop.stopped) and s.loop.is_at_rest)
        assert sample.loop.stopped == "emergency stop: a test"
        assert sample.loop.mode == "hold"
        assert bench.box.status().mode == "move", "it holds compliantly"
        rig.emergency.reset(rig.emergency.token)
        lifted = await rig.until(lambda s: not s.loop.stopped)
        later = await rig.until(lambda s: s.time_s > lifted.time_s + 0.2)
        assert later.q == pytest.approx(sample.q, abs=2e-3), "whoever goes on commanding"

    bench.play(scene)


def test_the_emergency_stop_of_the_other_category_ends_control(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await moving(rig)
        rig.emergency.latch("a test")
        await rig.until(lambda s: bool(s.loop.stopped) and s.loop.is_at_rest)
        await bench.told("finished by the client")
        rig.cease()
        rig.hold("another")
        assert "emergency stop" in await rig.carry_out(Hold())
        assert bench.box.status().mode == "idle"

    bench.play(scene, stop=StopCategory.BRAKES)


def test_without_the_supervisors_heartbeat_it_comes_to_rest(bench: Bench) -> None:
    """As with the main process stopped by SIGSTOP: nothing else of it is seen here."""

    async def scene(rig: ArmRig) -> None:
        number = await moving(rig)
        rig.beats = False
        sample = await rig.until(lambda s: s.loop.done == number and s.loop.is_at_rest)
        assert sample.loop.outcome == "the supervisor's heartbeat is missing"

    bench.play(scene, heartbeat_timeout_s=0.2)


def test_orders_that_cease_stop_it_and_those_of_a_former_holder_do_nothing(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        number = await moving(rig)
        rig.cease()
        sample = await rig.until(lambda s: s.loop.done == number)
        assert sample.loop.outcome == "its orders ceased"
        former = rig.orders.stamp
        assert former is not None
        wanted = rig.orders.wanted
        rig.hold("another")
        late = msgspec.structs.replace(former, sequence=former.sequence + 1, sent_s=time.monotonic())
        rig.order(stamp=late, wanted=wanted)
        refused = await rig.until(lambda s: s.loop.refused > sample.loop.refused)
        assert refused.loop.following == 0

    bench.play(scene)


def test_the_age_of_streamed_targets_is_told(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        rig.hold("lease")
        ages: list[float] = []
        until_s = time.monotonic() + 0.3
        while time.monotonic() < until_s:
            rig.wish(TrackTwist((0.0, 0.0, 0.02, 0.0, 0.0, 0.0)))
            sample = await rig.sample()
            if sample.loop.mode == "track twist":
                ages.append(sample.loop.target_age_s)
        assert len(ages) > 3
        assert all(0.0 < age < 0.5 for age in ages)
        rested = await rig.until(lambda s: s.loop.following == 0)
        assert rested.loop.done

    bench.play(scene)


def test_the_arms_process_runs_in_real_time_where_it_may(bench: Bench) -> None:
    async def scene(rig: ArmRig) -> None:
        await rig.sample()
        if os.sched_getscheduler(rig.child.pid) == os.SCHED_FIFO:
            assert os.sched_getparam(rig.child.pid).sched_priority == PRIORITY
            assert not rig.said()
        else:
            await rig.until(lambda _: "no real time here" in rig.said())
            assert rig.said().count("no real time here") == 1

    bench.play(scene, realtime=Realtime.IGNORE)


def test_without_the_right_to_real_time_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refused)
    event = run_in_real_time(Realtime.IGNORE)
    assert event is not None
    assert event.kind is EventKind.RT_UNAVAILABLE
    assert "Operation not permitted" in event.words
    assert "docs/hardware.md" in event.words
