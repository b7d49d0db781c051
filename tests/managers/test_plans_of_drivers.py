"""What a driver's plan has besides driving ("let me drive, then go home") begins when the driver says so.

If the arm goes to somebody else's hand, or to nobody's, the rest waits, paused, and that is said.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from tests.managers.operators_at_work import AtWork, at_work

THEN = "let me drive, then move the arm right 20 cm"
AT_ONCE = "let me drive and move the arm right 20 cm at the same time"
UNTIL = "let me drive until I say enough, then move the arm right 20 cm"
CARRY_ON = 'is paused: say "carry on" to go on.'


async def drives(work: AtWork, plan: str = THEN) -> None:
    """The arm is in phone 1's hand; then it would move. Phone 2 looks on."""
    await work.play("phone 1 comes", "phone 2 comes")
    work.say(plan, "phone 1")
    await work.until_said("phone 1 drives the arm")


@asynccontextmanager
async def nothing_moves(work: AtWork) -> AsyncIterator[None]:
    """At no moment, by no micrometre."""
    async with work.watching() as arm:
        await asyncio.sleep(0.2)
        before = arm().base_T_tool[:3]
        moved_m = 0.0

        async def look() -> None:
            nonlocal moved_m
            while True:
                moved_m = max(moved_m, math.dist(arm().base_T_tool[:3], before))
                await asyncio.sleep(0.005)

        looking = asyncio.create_task(look())
        try:
            yield
            await asyncio.sleep(2.0)
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
        assert moved_m < 1e-6, f"{1000.0 * moved_m:.3f} mm"


def states(work: AtWork) -> list[str]:
    return [plan.state for plan in work.installation.supervisor.plans()]


async def goes_on(work: AtWork) -> None:
    """The rest of it is done."""
    async with work.watching() as arm:
        await asyncio.sleep(0.1)
        await work.until_said("the arm has moved 20 cm to the right", within_s=20.0)
        await asyncio.sleep(0.2)
        assert arm().base_T_tool[1] == pytest.approx(-0.2, abs=2e-3)
    assert not work.installation.supervisor.plans()


@pytest.mark.parametrize("words", ["carry on", "that's it", "stop driving"])
@pytest.mark.parametrize("plan", [THEN, AT_ONCE])
def test_it_begins_when_the_driver_says_so_and_not_before(tmp_path: Path, plan: str, words: str) -> None:
    async def play(work: AtWork) -> None:
        await drives(work, plan)
        async with nothing_moves(work):
            pass
        assert work.desk.shown().sessions[0].driving
        await work.done(words, "phone 1")
        await goes_on(work)
        assert not work.was_said(CARRY_ON)

    at_work(tmp_path, play)


@pytest.mark.parametrize("by", ["the button", "the driver's words"])
@pytest.mark.parametrize("plan", [THEN, AT_ONCE, UNTIL])
def test_it_waits_when_the_arm_goes_to_the_next_hand(tmp_path: Path, plan: str, by: str) -> None:
    async def play(work: AtWork) -> None:
        await drives(work, plan)
        async with nothing_moves(work):
            if by == "the button":
                assert await work.desk.hand_over("phone 2") == "phone 2 drives."
            else:
                await work.done("hand over to phone 2", "phone 1")
            assert states(work) == ["paused", "established"]
        said = [event.text for event in work.installation.events.history() if event.kind == "paused"]
        assert said[-1].startswith("phone 1 does not drive any more: handed over to phone 2; ")
        assert said[-1].endswith(CARRY_ON)
        async with nothing_moves(work):
            await work.done("done", "phone 2")
        assert states(work) == ["paused"]
        await work.done("carry on", "phone 1")
        await goes_on(work)

    at_work(tmp_path, play)


def test_it_goes_on_while_the_next_one_drives_only_as_far_as_their_hand_lets_it(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await drives(work)
        async with nothing_moves(work):
            await work.desk.hand_over("phone 2")
            await work.done("carry on", "phone 1")
        assert states(work) == ["running", "established"]
        async with nothing_moves(work):
            await work.desk.hand_over("phone 1")
        assert sorted(states(work)) == ["established", "paused"]
        async with nothing_moves(work):
            await work.done("done", "phone 1")
        await work.done("carry on", "phone 1")
        await goes_on(work)

    at_work(tmp_path, play)


HOW = ("taken back", "taken back in words", "stopped", "sent away", "silent", "gone")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("plan", [THEN, AT_ONCE])
def test_it_does_not_begin_when_the_arm_is_in_nobodys_hand(tmp_path: Path, plan: str, how: str) -> None:
    async def play(work: AtWork) -> None:
        await drives(work, plan)
        async with nothing_moves(work):
            await ended(work, how)
            await asyncio.sleep(0.5)
            assert not work.desk.shown().sessions[0].driving
        assert not work.was_said("the arm has moved")
        assert states(work) in (["paused"], [])
        if how in ("taken back", "taken back in words", "stopped"):
            assert states(work) == ["paused"]
            assert work.was_said(CARRY_ON)
            await work.done("carry on", "phone 1" if how == "stopped" else "phone 2")
            await goes_on(work)

    at_work(tmp_path, play)


def pauses_said(work: AtWork) -> list[str]:
    return [event.text for event in work.installation.events.history() if event.kind == "paused"]


@pytest.mark.parametrize("plan", [THEN, AT_ONCE])
def test_of_a_silent_phones_plan_it_is_said_that_it_failed_and_not_that_it_is_paused(
    tmp_path: Path, plan: str
) -> None:
    async def play(work: AtWork) -> None:
        await drives(work, plan)
        await ended(work, "silent")
        await asyncio.sleep(0.5)
        assert states(work) == []
        assert work.was_said("That did not work: let me drive with phone 1")
        assert pauses_said(work) == []

    at_work(tmp_path, play)


@pytest.mark.parametrize("how", ["taken back", "stopped"])
def test_that_the_rest_of_it_is_paused_is_said_in_one_sentence(tmp_path: Path, how: str) -> None:
    async def play(work: AtWork) -> None:
        await drives(work)
        await ended(work, how)
        await asyncio.sleep(0.5)
        (said,) = pauses_said(work)
        assert said.startswith("phone 1 ") and said.endswith(CARRY_ON)

    at_work(tmp_path, play)


async def ended(work: AtWork, how: str) -> None:
    match how:
        case "taken back":
            await work.desk.take_back("console")
        case "taken back in words":
            await work.done("take the arm from phone 1")
        case "stopped":
            await work.done("stop driving", "console")
        case "sent away":
            work.desk.end_session("phone 1", "console")
            await work.until_said("phone 1 is gone")
        case "silent":
            await work.play("phone 1 falls silent")
            await work.until_said("the arm is given back", within_s=12.0)
        case "gone":
            await work.play("phone 1 closes its page")
            work.installation.processes.kill("operator links")
            await work.until_said("the arm is given back", within_s=12.0)


@pytest.mark.parametrize("plan", [THEN, AT_ONCE])
def test_it_waits_when_the_arm_does_not_arrive_in_the_next_hand(
    tmp_path: Path, plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_refused(*_: object) -> None:
        await asyncio.sleep(0.5)
        raise PilothouseError("phone 2 is gone")

    async def play(work: AtWork) -> None:
        await drives(work, plan)
        monkeypatch.setattr(work.desk, "_let_drive", is_refused)
        async with nothing_moves(work):
            with pytest.raises(PilothouseError, match="phone 2 is gone"):
                await work.desk.hand_over("phone 2")
        assert states(work) == ["paused"]
        await work.done("carry on", "phone 1")
        await goes_on(work)

    at_work(tmp_path, play)


@pytest.mark.parametrize("arrives", [True, False])
def test_what_waits_for_the_end_of_driving_does_not_begin_between_two_hands(
    tmp_path: Path, arrives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_refused(*_: object) -> None:
        await asyncio.sleep(0.5)
        raise PilothouseError("phone 2 is gone")

    async def play(work: AtWork) -> None:
        await drives(work, "let me drive")
        work.say("when driving is over, move the arm right 20 cm", "console")
        if not arrives:
            monkeypatch.setattr(work.desk, "_let_drive", is_refused)
        async with nothing_moves(work):
            with nullcontext() if arrives else pytest.raises(PilothouseError, match="phone 2 is gone"):
                await work.desk.hand_over("phone 2")
            if arrives:
                await work.done("done", "phone 2")
        assert states(work) == ["paused"]
        await work.done("carry on")
        await goes_on(work)

    at_work(tmp_path, play)


def test_what_takes_an_arm_as_it_turns_out_which_does_not_move_it_between_two_hands(tmp_path: Path) -> None:
    """ "Go to the dock" knows only when it runs which arm was there."""

    async def play(work: AtWork) -> None:
        await work.done("remember this pose as dock")
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("move the arm left 20 cm")
        going = work.say("go to dock")
        await asyncio.sleep(0.02)
        await work.done("let me drive", "phone 1")
        await asyncio.sleep(0.5)
        assert going.succeeded is None
        await work.desk.hand_over("phone 2")
        await asyncio.sleep(1.0)
        assert going.succeeded is None
        assert not work.was_said("the arm is in the pose")
        await work.done("carry on", "phone 2")
        assert await going.done()

    at_work(tmp_path, play)
