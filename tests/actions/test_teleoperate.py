"""Speaking while driving, pointing, poses, and an action that asks for help: on a scripted robot."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import pilothouse as ph
from actions.driven_gripper import Presses
from framework.plan import Do, Understood
from managers.console_backend import InstallationBackend
from resources.children.failing import FailMode
from tests.managers.operators_at_work import AtWork, at_work


def test_a_page_that_may_drive_is_told_how_and_not_that_it_does(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        seats = [work.session("phone 1").seat]
        await work.play("phone 1 falls silent")
        await asyncio.sleep(1.0)
        seats.append(work.session("phone 1").seat)
        await work.play("phone 1 is back")
        await asyncio.sleep(0.5)
        seats.append(work.session("phone 1").seat)
        await work.done("carry on", "phone 1")
        seats.append(work.session("phone 1").seat)
        assert [(each.seat, each.words) for each in seats] == [
            (ph.Seat.READY, "Ready: hold the clutch to move the arm."),
            (ph.Seat.HOLDING, "Nothing was heard of you: the arm is kept for you for 10 s"),
            (ph.Seat.READY, "Ready: hold the clutch to move the arm."),
            (ph.Seat.WATCHING, 'You do not drive any more: "carry on" was said'),
        ]

    at_work(tmp_path, play)


def test_a_driver_who_is_silent_just_now_is_somebody_from_whom_the_arm_can_be_taken(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        await work.play("phone 1 falls silent")
        await work.done("take the arm from phone 1")
        await work.done("who drives?")
        assert work.was_said("Nobody drives.")

    at_work(tmp_path, play)


def test_presses_from_before_and_from_a_gap_count_nothing() -> None:
    presses = Presses()
    assert presses.new(4, 10.0, 10.0) == 0  # whatever was pressed before
    assert presses.new(5, 10.1, 10.1) == 1
    assert presses.new(5, 10.2, 10.2) == 0
    assert presses.new(7, 10.3, 10.3) == 2
    assert presses.new(9, 11.0, 11.0) == 0  # after a gap
    assert presses.new(10, 11.1, 11.1) == 1
    assert presses.new(11, 11.2, 12.0) == 0  # late
    assert presses.new(None, 0.0, 12.1) == 0  # its process has ended
    assert presses.new(1, 12.2, 12.2) == 0  # the next one counts anew
    assert presses.new(0, 12.3, 12.3) == 0
    assert presses.new(1, 12.4, 12.4) == 1


def test_a_pose_is_remembered_while_the_arm_is_in_somebodys_hand_and_found_again(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("move the left arm home")
        await work.done("let me drive the left arm", "phone 1")
        await asyncio.sleep(0.3)
        await work.done("remember this pose as dock", "phone 1")
        assert work.was_said("I remember the pose 'dock'")
        assert "phone 1" in await work.refused("move to dock", "phone 1")
        await work.done("carry on", "phone 1")
        await work.done("move to dock", "phone 1")
        await work.done("go to the pose dock", "phone 1")
        assert work.was_said("the left arm is in the pose 'dock'")

    at_work(tmp_path, play, "inspection")


def test_whose_pose_is_asked_if_nobody_moves_an_arm_and_there_are_two(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        assert "the left arm or the right arm" in await work.refused("remember this pose as dock")
        await work.done("remember the pose of the right arm as dock")

    at_work(tmp_path, play, "inspection", phones=False)


def test_whoever_asked_for_help_goes_on_from_where_the_arm_was_led(tmp_path: Path) -> None:
    class Grasp(ph.Action):
        """Asks for help."""

        arm = ph.needs(ph.Arm, exclusive=True)

        async def run(self) -> str:
            return await self.ask("I cannot grasp the cup: take the arm?")

    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        runner = ph.ActionRunner(ph.action_spec(Grasp), registrar=work.managers.registrars[0])
        life = asyncio.create_task(runner.run())
        await asyncio.sleep(1.0)
        states = [runner.state]
        await work.done("let me drive", "phone 1")
        states.append(runner.state)
        await work.done("carry on", "phone 1")
        await asyncio.sleep(0.2)
        states.append(runner.state)  # it asks whether it may go on from here
        assert states == [ph.RunState.ASKING, ph.RunState.WAITING, ph.RunState.ASKING]
        runner.answer("carry on")
        assert (await life).value == "carry on"

    at_work(tmp_path, play)


def test_other_instructions_are_understood_while_driving(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        for who in ("phone 1", "terminal"):
            said = await work.done("what are you doing?", who)
            assert said == "Phone 1 drives the arm. In use: simulated world bench, operator links."
        await work.done("where is the block?", "phone 1")
        assert work.session("phone 1").seat.seat is ph.Seat.READY

    at_work(tmp_path, play)


def test_the_gripper_of_what_one_drives_is_not_opened_later(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive the left arm")
        for words, or_else in (
            ("open the gripper", ", or say which gripper you mean"),
            ("close the left gripper", ""),
        ):
            why = await work.refused(words, "phone 1")
            assert why == f'You drive it: use the gripper button, or say "carry on" first{or_else}.'
        await work.done("open the right gripper", "phone 1")
        await work.done("carry on", "phone 1")
        await work.done("open the left gripper", "phone 1")

    at_work(tmp_path, play, "inspection")


def test_a_gripper_that_fails_is_said_in_a_sentence_and_the_arm_is_driven_on(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive the left arm")
        work.managers.faults.fail("left_gripper", FailMode.DIE)
        await work.until_said("the left arm is driven without its gripper: ")
        said = [event.text for event in work.installation.events.history() if "without its" in event.text]
        assert "left gripper" in said[0] or "it gives no state any more" in said[0]
        assert not any(mark in words for words in said for mark in ("FATAL", "[", "→", "/", "_"))
        assert work.session("phone 1").seat.seat is ph.Seat.READY

    at_work(tmp_path, play, "inspection")


def test_who_has_it_is_said_without_how_a_program_would_get_it(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("let me drive", "phone 1")
        how = 'who drives says "carry on" first, or hands it over on the console.'
        assert (await work.refused("let me drive", "phone 2")).endswith(f"Phone 1 has the arm: {how}")
        assert await work.refused("let me drive the base", "phone 1") == (
            'Phone 1 drives the arm already: say "carry on" first.'
        )
        assert await work.refused("move up 5 cm", "phone 1") == (
            'That needs the arm, and phone 1 drives the arm: say "carry on" first.'
        )

    at_work(tmp_path, play)


def test_a_way_that_was_interrupted_ends_where_it_was_to_end_at_first(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        async with work.watching() as arm:
            x, y, z = arm().base_T_tool[:3]
            reply = work.say("move the arm left 20 cm slowly")
            await work.until_said("moving the arm 20 cm to the left")
            await asyncio.sleep(0.5)
            await work.done("let me drive", "phone 1")
            await work.play("phone 1 presses the clutch", "phone 1 moves its hand 10 cm down")
            await asyncio.sleep(1.3)
            assert arm().base_T_tool[2] - z == pytest.approx(-0.1, abs=5e-3)
            await work.done("carry on", "phone 1")
            assert await reply.done()
            assert arm().base_T_tool[:3] == pytest.approx((x, y + 0.2, z), abs=2e-3)
        assert work.was_said("on to where it was to end: 20 cm to the left from where it was at first")

    at_work(tmp_path, play)


SAID = {
    "let me drive": "teleoperate_phone",
    "I'll do it myself": "teleoperate_phone",
    "let me take over": "teleoperate_phone",
    "I take the arm": "teleoperate_phone",
    "give me the left arm": "teleoperate_phone",
    "I want to drive with my phone": "teleoperate_phone",
    "let me drive both arms": "teleoperate_phone",
    "give me the arm back": "teleoperate_phone",
    "take over": "teleoperate_phone",
    "let me drive with phone 1": "teleoperate_phone",
    "let me drive with the space mouse": "teleoperate_desk",
    "let me drive with the game pad": "teleoperate_desk",
    "I want to drive the left arm with the keyboard": "teleoperate_desk",
    "let me guide the arm": "hand_guide",
    "drive two metres forward": "drive",
}


def test_the_ways_to_ask_for_the_arm_and_what_is_read_back(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        managers = work.managers
        for said, action in SAID.items():
            result = managers.language.parse(said, managers.world)
            assert isinstance(result, Understood), (said, result)
            plans = [reading.plan for reading in result.readings]
            assert [plan.action for plan in plans if isinstance(plan, Do)] == [action], said
        await work.done("let me drive the left arm")
        assert work.was_said("I understand: let me drive the left arm.")
        await work.done("carry on", "phone 1")
        await work.play("phone 2 comes")
        await work.done("let me drive the left arm", "phone 1")
        assert work.was_said("I understand: let me drive the left arm with phone 1.")

    at_work(tmp_path, play, "inspection")


@pytest.mark.parametrize(("world", "arms"), [("inspection", "left arm and right arm"), ("bench", "arm")])
def test_an_arm_that_there_is_not_is_answered_with_those_there_are(
    tmp_path: Path, world: str, arms: str
) -> None:
    async def play(work: AtWork) -> None:
        for said in ("give me the middle arm", "let me drive the middle arm with the space mouse"):
            result = work.managers.language.parse(said, work.managers.world)
            assert str(result).startswith(f'I know no arm called "middle arm"; I know {arms}.'), said

    at_work(tmp_path, play, world)


def test_that_is_what_the_phone_points_at(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 1 points at 3.6 0.3 1.22")  # the valve
        backend = InstallationBackend(work.managers)

        async def first(text: str, kind: str) -> str:
            async with asyncio.timeout(20.0):
                async for line in backend.say(text, who="phone 1"):
                    if line.kind == kind:
                        return line.text
            raise AssertionError(f"{text}: nothing was {kind}")

        assert "look at the valve" in await first("look at that", "understood")
        await work.done("stop")
        await work.play("phone 1 points at 5 5 9")
        assert "What do you mean" in await first("look at that", "asked")

        # Where they pointed a while ago is not what they point at now.
        await work.play("phone 1 points at 3.6 0.3 1.22")
        await asyncio.sleep(1.1)
        assert "What do you mean" in await first("look at that", "asked")

    at_work(tmp_path, play, "inspection")
