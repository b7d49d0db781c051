"""Driving, everything real but processes: what goes wrong with sessions, their process, arms and people."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from framework.errors import PilothouseError
from framework.status import Severity
from framework.transport.ring import RingReader
from resources.children.failing import FailMode
from resources.types.arms import ControlLoop
from resources.types.motion import BaseSample
from resources.types.operator_client import Seat
from tests.managers.operators_at_work import AtWork, at_work


def test_a_second_operator_is_refused_with_the_first_ones_name_and_told_how_to_get_it(
    tmp_path: Path,
) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("let me drive", "phone 1")
        why = await work.refused("let me drive", "phone 2")
        assert "Phone 1 has the arm" in why
        assert 'says "carry on" first, or hands it over on the console' in why
        assert work.session("phone 2").seat.seat is Seat.WATCHING
        assert work.session("phone 1").seat.seat is Seat.READY
        await work.done("carry on", "phone 1")
        await work.done("let me drive", "phone 2")

    at_work(tmp_path, play)


def test_who_is_meant_is_asked_if_there_are_several_and_nobody_if_there_is_none(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        assert "open its link on a phone, a headset or this computer" in await work.refused("let me drive")
        await work.play("phone 1 comes", "phone 2 comes")
        assert "say it on the one that is to drive" in await work.refused("let me drive")
        await work.done("let phone 2 drive")
        assert work.session("phone 2").seat.seat is Seat.READY

    at_work(tmp_path, play)


def test_before_anybody_was_served_it_is_said_how_to_get_in(tmp_path: Path) -> None:
    """The process is started for a group of leases then, and only reserved when it would be greeted."""

    async def play(work: AtWork) -> None:
        for _ in range(2):
            words = await work.refused("let me drive")
            assert "open its link on a phone, a headset or this computer" in words
            assert "Lease" not in words

    at_work(tmp_path, play, phones=False)


def test_a_session_that_is_sent_away_while_it_drives_lets_go(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        assert work.desk.end_session("phone 1", "console") == "phone 1 was sent away."
        await work.until_said("phone 1 is gone")
        await asyncio.sleep(0.5)
        assert not work.installation.supervisor.plans()
        await work.done("move the arm up 2 cm")

    at_work(tmp_path, play)


def test_a_reflex_while_driving_is_said_with_what_to_do_also_on_the_page(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        await work.play("phone 1 presses the clutch", "phone 1 moves its hand 10 cm left")
        work.managers.faults.fail("arm", FailMode.REFLEX)
        await work.until_said('say "recover the arm"')
        await asyncio.sleep(0.5)
        page = work.session("phone 1").seat
        assert page.seat is Seat.WATCHING
        assert 'say "recover the arm"' in page.words
        assert 'say "recover the arm"' in await work.refused("let me drive", "phone 1")

    at_work(tmp_path, play)


def test_what_the_process_has_noticed_is_said_and_is_no_state_of_it(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        process = work.installation.launcher.life("operator links")
        for _ in range(2):
            process.say(Severity.WARNING, "the certificate will be another one")
            process.say(Severity.OK, "it is served all the same")
            await asyncio.sleep(0.1)
        said = "Operator links: the certificate will be another one."
        assert [event.text for event in work.installation.events.history()].count(said) == 2
        operators = next(each for each in work.managers.registrars if each.name == "operator_manager")
        states = {str(each.request): each.state for each in operators.snapshot().resources}
        assert states["operator links"] == "ready"
        work.installation.processes.kill("operator links")
        await asyncio.sleep(5.0)
        assert not work.was_said("retrying"), "who drives is told what that means for them"

    at_work(tmp_path, play)


def test_an_operator_who_asks_while_the_process_is_just_ending_is_told_so_in_words(tmp_path: Path) -> None:
    """Whoever serves operators has failed for good, and is not gone yet."""

    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        serving = work.desk._manager
        process = serving._process
        assert process is not None
        process.deliver(msgspec.structs.replace(process.status, severity=Severity.FATAL), cancel=False)
        assert not process.is_granted
        with pytest.raises(PilothouseError, match="has just ended: say it again in a moment"):
            work.desk.end_session("phone 1", "console")
        serving.tell_then(())
        serving.ask_to_leave("")
        assert not [each for each in work.installation.events.history() if "lease" in each.text.casefold()]

    at_work(tmp_path, play)


def test_an_emergency_stop_ends_driving_and_lifting_it_gives_nothing_back(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        await work.play("phone 1 presses the clutch", "phone 1 moves its hand 10 cm left")
        work.managers.emergency.latch("a test")
        await asyncio.sleep(0.5)
        page = work.session("phone 1").seat
        assert page.seat is Seat.WATCHING
        assert "emergency stop" in page.words.lower()
        work.managers.emergency.reset(work.managers.emergency.token)
        async with work.watching() as arm:
            before = arm().base_T_tool
            await work.play("phone 1 lets go", "phone 1 presses the clutch", "phone 1 moves its hand 5 cm up")
            await asyncio.sleep(1.0)
            assert arm().base_T_tool == pytest.approx(before)
        await work.done("let me drive", "phone 1")

    at_work(tmp_path, play)


def test_the_process_dies_while_somebody_drives_and_the_next_one_knows_who_drives(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        async with work.watching() as arm:
            await work.play("phone 1 presses the clutch")
            await asyncio.sleep(0.3)
            assert arm().loop.engaged
            work.installation.processes.kill("operator links")
            await work.until_said("phone 1 is silent; the arm is kept for it for 10 s")
            await asyncio.sleep(0.2)
            assert not arm().loop.engaged
            await work.until_said("phone 1 is back: press the clutch to go on")
            before = arm().base_T_tool
            await asyncio.sleep(0.5)
            assert not arm().loop.engaged
            assert work.session("phone 1").seat.seat is Seat.READY
            await work.play("phone 1 presses the clutch")
            await asyncio.sleep(0.3)
            assert arm().base_T_tool == pytest.approx(before)
            await work.play("phone 1 moves its hand 10 cm left")
            await asyncio.sleep(1.2)
            assert arm().base_T_tool[1] - before[1] == pytest.approx(0.1, abs=2e-3)

    at_work(tmp_path, play)


def test_pages_that_do_not_come_back_to_a_new_process_are_gone_after_ten_seconds(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 1 closes its page")
        await work.done("let me drive", "phone 1")
        work.installation.processes.kill("operator links")
        await work.until_said("phone 1 is silent")
        await work.until_said("the arm is given back", within_s=12.0)
        await asyncio.sleep(1.0)
        assert not work.desk.sessions
        assert not work.installation.supervisor.plans()

    at_work(tmp_path, play)


@pytest.mark.parametrize("end", ["carry on", "done", "I'm done", "stop", "stop driving"])
def test_every_way_of_saying_so_ends_driving(tmp_path: Path, end: str) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        await work.done(end, "phone 1")
        assert not work.installation.supervisor.plans()
        await asyncio.sleep(0.1)
        assert work.session("phone 1").seat.seat is Seat.WATCHING
        assert work.session("phone 1").seat.words

    at_work(tmp_path, play)


def test_nobody_elses_carry_on_ends_it(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("let me drive", "phone 1")
        await work.refused("carry on", "phone 2")
        await work.refused("done", "console")
        assert work.session("phone 1").seat.seat is Seat.READY

    at_work(tmp_path, play)


def test_the_tool_goes_where_the_hand_goes_and_what_was_interrupted_goes_on_from_there(
    tmp_path: Path,
) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        async with work.watching() as arm:
            start = arm().base_T_tool
            moving = work.say("move the arm up 20 cm slowly")
            await asyncio.sleep(1.0)
            await work.done("let me drive", "phone 1")
            await asyncio.sleep(0.2)
            taken = arm().base_T_tool
            assert start[2] < taken[2] < start[2] + 0.19
            await work.play("phone 1 presses the clutch")
            await asyncio.sleep(0.3)
            assert arm().base_T_tool == pytest.approx(taken, abs=1e-4)
            await work.play("phone 1 moves its hand 10 cm left")
            await asyncio.sleep(1.2)
            assert arm().base_T_tool[1] - taken[1] == pytest.approx(0.1, abs=2e-3)
            await work.play("phone 1 lets go")
            await work.done("carry on", "phone 1")
            assert await moving.done()
            assert arm().base_T_tool[:3] == pytest.approx((start[0], start[1], start[2] + 0.2), abs=2e-3)

    at_work(tmp_path, play)


def test_a_press_of_the_gripper_button_counts_once_and_only_while_it_drives(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", *["phone 1 presses the gripper button"] * 3)
        await work.done("let me drive", "phone 1")
        await asyncio.sleep(1.0)
        assert not work.was_said("the gripper closes")
        assert work.session("phone 1").seat.driven[0].gripper == "gripper"
        await work.play("phone 1 presses the gripper button")
        await work.until_said("the gripper closes")
        await asyncio.sleep(2.0)
        await work.play("phone 1 falls silent", "phone 1 presses the gripper button")
        await asyncio.sleep(1.0)
        await work.play("phone 1 is back")
        await asyncio.sleep(1.0)
        assert not work.was_said("the gripper opens")
        await work.play("phone 1 presses the gripper button")
        await work.until_said("the gripper opens")

    at_work(tmp_path, play)


def test_without_any_camera_it_drives_on_and_says_what_is_lost(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        work.managers.faults.fail("bench_camera", FailMode.DIE)
        await work.until_said("no camera works: the page shows the robot's model", within_s=15.0)
        assert work.session("phone 1").seat.seat is Seat.READY
        work.managers.faults.restore("bench_camera")
        await work.until_said("bench_camera shows what is around", within_s=60.0)

    at_work(tmp_path, play)


def test_a_headset_drives_both_arms_each_with_its_own_hand(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("headset 1 comes")
        await work.done("let me drive both arms", "headset 1")
        async with work.watching("left") as left, work.watching("right") as right:
            await work.play("headset 1 presses the clutch")
            await asyncio.sleep(0.3)
            before = left().base_T_tool, right().base_T_tool
            await work.play("headset 1 moves its left hand 5 cm up")
            await asyncio.sleep(1.2)
            assert left().base_T_tool[2] - before[0][2] == pytest.approx(0.05, abs=2e-3)
            assert right().base_T_tool == pytest.approx(before[1], abs=1e-4)

    at_work(tmp_path, play, "inspection")


def test_both_arms_or_none_and_a_phone_has_one_hand(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "headset 1 comes")
        assert "Phone 1 has one hand" in await work.refused("let me drive both arms", "phone 1")
        work.managers.faults.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.2)
        assert 'say "recover the left arm"' in await work.refused("let me drive both arms", "headset 1")
        await work.done("let me drive the right arm", "headset 1")

    at_work(tmp_path, play, "inspection")


def test_let_me_drive_on_a_desk_drives_by_the_desk_and_the_keyboard_is_the_desks(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "desk 1 comes")
        await work.done("let me drive the left arm", "desk 1")
        assert work.was_said("desk 1 drives the left arm")
        await work.done("carry on", "desk 1")
        await work.done("let me drive with the keyboard", "phone 1")
        assert work.session("desk 1").seat.seat is Seat.READY
        await work.done("carry on", "desk 1")
        await work.done("let me drive with my phone", "desk 1")
        assert work.session("phone 1").seat.seat is Seat.READY

    at_work(tmp_path, play, "inspection")


def test_the_base_follows_the_stick_only_while_the_clutch_is_pressed(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive the base", "phone 1")
        assert work.session("phone 1").seat.driven[0].base == "base"
        async with work.managers.registrars[0].request(ControlLoop("base")) as lease:
            with RingReader(Path(lease.value.state.ring)) as ring:

                def forward_m() -> float:
                    sample = ring.latest()
                    assert sample is not None
                    return msgspec.msgpack.decode(sample.payload, type=BaseSample).odometry[0]

                await work.play("phone 1 pushes the stick forward", "phone 1 presses the clutch")
                await work.until_said("the stick was pushed when the clutch was pressed")
                assert forward_m() == 0.0
                await work.play("phone 1 lets the stick go", "phone 1 lets go")
                await work.play("phone 1 presses the clutch", "phone 1 pushes the stick forward")
                await asyncio.sleep(1.0)
                assert forward_m() > 0.1
                await work.play("phone 1 lets go")
                await asyncio.sleep(0.3)
                there = forward_m()
                await asyncio.sleep(1.0)
                assert forward_m() == pytest.approx(there)

    at_work(tmp_path, play, "inspection")
