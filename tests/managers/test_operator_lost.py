"""Whoever drives is lost: what they interrupted does not go on by itself, only when somebody says so."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from resources.children.failing import FailMode
from tests.managers.operators_at_work import AtWork, at_work

MOVE = "move the arm left 20 cm slowly, then go home"
MOVE_SAID = "move the arm to the left 20 centimetres slowly, then go home"


async def interrupted(work: AtWork) -> None:
    """The arm is on its way when somebody takes it."""
    await work.play("phone 1 comes")
    work.say(MOVE)
    await work.until_said("moving the arm")
    await asyncio.sleep(0.5)
    await work.done("let me drive", "phone 1")


async def lose(work: AtWork, how: str) -> None:
    match how:
        case "silent":
            await work.play("phone 1 falls silent")
            await work.until_said("the arm is given back", within_s=12.0)
        case "gone with its process":
            await work.play("phone 1 closes its page")
            work.installation.processes.kill("operator links")
            await work.until_said("the arm is given back", within_s=12.0)
        case "sent away":
            work.desk.end_session("phone 1", "console")
            await work.until_said("phone 1 is gone")
        case "the arm fails":
            work.managers.faults.fail("arm", FailMode.REFLEX)
            await work.until_said('say "recover the arm"')


@pytest.mark.parametrize("how", ["silent", "gone with its process", "sent away", "the arm fails"])
def test_nothing_goes_on_by_itself_when_the_driver_is_lost(tmp_path: Path, how: str) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work)
        await lose(work, how)
        async with work.watching() as arm:
            await asyncio.sleep(0.1)
            before = arm().base_T_tool
            await asyncio.sleep(3.0)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-4)
        assert [plan.state for plan in work.installation.supervisor.plans()] == ["paused"]
        assert work.was_said('is paused: say "carry on" to go on')
        if how == "the arm fails":
            await recover(work)
        else:
            assert work.was_said("phone 1 is lost: the arm holds")
        await work.done("carry on", "console")
        async with asyncio.timeout(30.0):
            while work.installation.supervisor.plans():
                await asyncio.sleep(0.1)
        assert work.was_said("the arm has moved 20 cm to the left")

    at_work(tmp_path, play)


async def recover(work: AtWork) -> None:
    """Whoever says "carry on" before is told what is wrong; then it is put right."""
    await work.done("carry on", "console")
    await asyncio.sleep(0.5)
    assert [plan.state for plan in work.installation.supervisor.plans()] == ["paused"]
    said = [event.text for event in work.installation.events.history() if event.kind == "paused"]
    assert said[-1].startswith("arm: ") and 'say "recover the arm"' in said[-1]
    assert said[-1].endswith(f'; "{MOVE_SAID}" is paused: say "carry on" to go on.')
    reply = work.say("recover the arm", "console")
    await work.until_said("Is the way clear?")
    work.say("yes", "console")
    assert await reply.done()


def test_whoever_wants_to_drive_an_arm_with_a_fault_is_told_what_to_say(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        work.managers.faults.fail("arm", FailMode.REFLEX)
        await asyncio.sleep(0.5)
        why = await work.refused("let me drive", "phone 1")
        assert 'say "recover the arm"' in why
        assert why.startswith("That did not work: let me drive. Arm: reflex"), why

    at_work(tmp_path, play)


@pytest.mark.parametrize("by", ["asking for it", "the button", "words"])
def test_one_hand_that_is_given_two_arms_leaves_what_was_interrupted_waiting(tmp_path: Path, by: str) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "headset 1 comes")
        work.say("move the right arm left 20 cm slowly")
        await work.until_said("moving the right arm")
        await asyncio.sleep(0.5)
        if by == "asking for it":
            assert "one hand" in await work.refused("let me drive both arms", "phone 1")
        else:
            await work.done("let me drive both arms", "headset 1")
            if by == "words":
                assert "one hand" in await work.refused("hand over to phone 1")
            else:
                with pytest.raises(PilothouseError, match="one hand"):
                    await work.desk.hand_over("phone 1")
        async with work.watching("right") as arm:
            await asyncio.sleep(0.1)
            before = arm().base_T_tool
            await asyncio.sleep(2.0)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-4)
        assert [plan.state for plan in work.installation.supervisor.plans()] == ["paused"]

    at_work(tmp_path, play, "inspection")


def test_what_waits_stays_where_it_is_between_two_peoples_hands(tmp_path: Path) -> None:
    """Also what was never interrupted, but has come to wait meanwhile."""

    async def play(work: AtWork) -> None:
        await interrupted(work)
        home = work.say("go home")
        await work.play("phone 2 comes")
        async with work.watching() as arm:
            await asyncio.sleep(1.0)
            before = arm().base_T_tool
            await work.desk.hand_over("phone 2")
            await asyncio.sleep(0.5)
            assert arm().base_T_tool == before
            await work.done("hand over to phone 1", "phone 2")
            await asyncio.sleep(0.5)
            assert arm().base_T_tool == before
        assert work.was_said('say "carry on" to go on')
        await work.done("done", "phone 1")
        await asyncio.sleep(2.0)
        assert not work.was_said("has moved")
        await work.done("carry on", "phone 1")
        await work.until_said("the arm has moved 20 cm to the left", within_s=20.0)
        assert await home.done()

    at_work(tmp_path, play)


@pytest.mark.parametrize("by_button", [True, False])
def test_what_does_not_arrive_where_it_is_handed_over_to_moves_for_nobody(
    tmp_path: Path, by_button: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_refused(*_: object) -> None:
        await asyncio.sleep(0.5)
        raise PilothouseError("phone 2 is gone")

    async def play(work: AtWork) -> None:
        await interrupted(work)
        await work.play("phone 2 comes")
        monkeypatch.setattr(work.desk, "_let_drive", is_refused)
        async with work.watching() as arm:
            await asyncio.sleep(1.0)
            before = arm().base_T_tool
            if by_button:
                with pytest.raises(PilothouseError, match="phone 2 is gone"):
                    await work.desk.hand_over("phone 2")
            else:
                assert "phone 2 is gone" in (await work.refused("hand over to phone 2", "phone 1")).lower()
            await asyncio.sleep(2.0)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-4)
        assert [plan.state for plan in work.installation.supervisor.plans()] == ["paused"]
        assert work.was_said(f'handed over to phone 2; "{MOVE_SAID}" is paused: say "carry on" to go on.')
        await work.done("carry on", "console")
        await work.until_said("the arm has moved 20 cm to the left", within_s=20.0)

    at_work(tmp_path, play)


@pytest.mark.parametrize("words", ["carry on", "stop driving"])
def test_it_goes_on_by_itself_when_the_driver_says_so(tmp_path: Path, words: str) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work)
        await work.done(words, "phone 1")
        await work.until_said("the arm has moved 20 cm to the left", within_s=20.0)
        assert not work.was_said("is paused")

    at_work(tmp_path, play)


@pytest.mark.parametrize("words", ["stop driving", "stop let me drive", "pause let me drive"])
def test_who_stops_somebody_elses_driving_starts_nothing_by_it(tmp_path: Path, words: str) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work)
        async with work.watching() as arm:
            await asyncio.sleep(0.5)
            before = arm().base_T_tool
            await work.done(words, "console")
            await asyncio.sleep(2.0)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-4)
        if words.startswith("stop"):
            assert work.session("phone 1").seat.words.endswith("not drive any more: cancelled by console")
        assert "paused" in [plan.state for plan in work.installation.supervisor.plans()]
        assert work.was_said(f'"{MOVE_SAID}" is paused: say "carry on" to go on')

    at_work(tmp_path, play)


def test_only_the_driver_ends_driving_by_these_words(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work)
        for words in ("done", "carry on"):
            why = await work.refused(words, "terminal")
            assert why == 'Phone 1 drives the arm: it says "carry on" there, or hand it over on the console.'
        await work.done("stop", "terminal")
        assert not work.installation.supervisor.plans()

    at_work(tmp_path, play)
