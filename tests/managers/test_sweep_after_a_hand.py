"""A wrist that is swept moves for an action that itself moves nothing: "show the environment".

Who takes the arm interrupts that; it is not swept again by itself, whatever else shows the surroundings.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from resources.children.failing import FailMode
from resources.types.motion import ArmSample
from tests.managers.operators_at_work import AtWork, at_work

SHOW, SHOW_CLOUD = "show the environment", "show the wrist cloud"
WAITS = 'waits with the motion of right_arm: say "carry on" to go on.'
#: A better sensor is tried again this often at the latest, and has to be started [s].
TRIED_AGAIN_S = 12.0

Newest = Callable[[], ArmSample]


async def swept(work: AtWork, what: str = SHOW) -> None:
    """The wrist is."""
    await work.play("phone 1 comes", "phone 2 comes")
    await work.done(what)
    if what == SHOW:
        work.managers.faults.fail("front_camera", FailMode.DIE)
        await work.until_said("showing the environment with wrist_cloud")
    async with work.watching("right") as arm:
        assert await moves(arm, within_s=1.0)


async def swept_then_driven(work: AtWork, what: str = SHOW) -> None:
    """Now phone 1 has the arm in hand."""
    await swept(work, what)
    await work.done("let me drive the right arm", "phone 1")
    await asyncio.sleep(2.0)


async def moves(arm: Newest, within_s: float) -> bool:
    """Whether its wrist does by a millionth of a radian; a sweep goes 3 degrees from one look to the next."""
    before = arm().q[6]
    for _ in range(round(within_s / 0.05)):
        await asyncio.sleep(0.05)
        if abs(arm().q[6] - before) > 1e-6:
            return True
    return False


@asynccontextmanager
async def at_rest(work: AtWork) -> AsyncIterator[Newest]:
    """While the body runs, and for as long afterwards as anything may be tried again."""
    async with work.watching("right") as arm:
        await asyncio.sleep(0.2)
        looking = asyncio.create_task(moves(arm, within_s=60.0))
        try:
            yield arm
            await asyncio.sleep(TRIED_AGAIN_S + 1.0)
            assert not looking.done(), "the wrist has moved, and nobody has said so"
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)


async def ended(work: AtWork, how: str) -> None:
    match how:
        case "silent":
            await work.play("phone 1 falls silent")
            await work.until_said("the right arm is given back", within_s=12.0)
        case "gone with its process":
            await work.play("phone 1 closes its page")
            work.installation.processes.kill("operator links")
            await work.until_said("the right arm is given back", within_s=12.0)
        case "sent away":
            work.desk.end_session("phone 1", "console")
        case "stopped by somebody else":
            await work.done("stop driving", "console")
        case "taken back by somebody else":
            await work.done("take the arm from phone 1", "console")


HOW = (
    "silent",
    "gone with its process",
    "sent away",
    "stopped by somebody else",
    "taken back by somebody else",
)


@pytest.mark.parametrize("how", HOW)
def test_it_is_not_swept_again_before_somebody_says_so(tmp_path: Path, how: str) -> None:
    async def play(work: AtWork) -> None:
        await swept_then_driven(work)
        async with at_rest(work):
            await ended(work, how)
        said = [event.text for event in work.installation.events.history()]
        words = [each for each in said if each.endswith(f'"{SHOW}" {WAITS}')]
        assert len(words) == 1 and words[0].startswith("phone 1 "), said
        shown = [plan.state for plan in work.installation.supervisor.plans() if plan.words == SHOW]
        assert shown == ["established"], "it goes on with another sensor"
        await work.done("carry on", "console")
        async with work.watching("right") as arm:
            assert await moves(arm, TRIED_AGAIN_S)

    at_work(tmp_path, play, "inspection")


def test_what_has_no_other_sensor_waits_for_a_word(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await swept_then_driven(work, SHOW_CLOUD)
        async with at_rest(work):
            await ended(work, "silent")
        assert [plan.state for plan in work.installation.supervisor.plans()] == ["paused"]
        assert work.was_said(f'"{SHOW_CLOUD}" is paused: say "carry on" to go on.')
        await work.done("carry on", "console")
        async with work.watching("right") as arm:
            assert await moves(arm, TRIED_AGAIN_S)

    at_work(tmp_path, play, "inspection")


def test_it_goes_on_by_itself_when_the_driver_says_so(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await swept_then_driven(work)
        await work.done("done", "phone 1")
        async with work.watching("right") as arm:
            assert await moves(arm, TRIED_AGAIN_S)
        assert not work.was_said(WAITS)

    at_work(tmp_path, play, "inspection")


def test_who_asks_for_it_anew_says_so(tmp_path: Path) -> None:
    """Not who asks for something else."""

    async def play(work: AtWork) -> None:
        await swept_then_driven(work)
        async with at_rest(work):
            await ended(work, "silent")
            await work.done("open the left gripper")
        await work.done(SHOW_CLOUD)
        async with work.watching("right") as arm:
            assert await moves(arm, 1.0)

    at_work(tmp_path, play, "inspection")


def test_it_is_not_swept_between_two_peoples_hands(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await swept_then_driven(work)
        async with at_rest(work):
            for _ in range(5):
                await work.desk.hand_over("phone 2")
                await asyncio.sleep(0.7)
                await work.desk.hand_over("phone 1")
                await asyncio.sleep(1.1)
        assert work.was_said(WAITS)
        await work.done("carry on", "phone 1")
        async with work.watching("right") as arm:
            assert await moves(arm, TRIED_AGAIN_S)

    at_work(tmp_path, play, "inspection")


def test_nor_when_it_does_not_arrive_in_the_next_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_refused(*_: object) -> None:
        await asyncio.sleep(TRIED_AGAIN_S)
        raise PilothouseError("phone 2 is gone")

    async def play(work: AtWork) -> None:
        await swept_then_driven(work)
        monkeypatch.setattr(work.desk, "_let_drive", is_refused)
        async with at_rest(work):
            with pytest.raises(PilothouseError, match="phone 2 is gone"):
                await work.desk.hand_over("phone 2")
        assert work.was_said(f'handed over to phone 2; "{SHOW}" {WAITS}')
        await work.done("carry on", "console")
        async with work.watching("right") as arm:
            assert await moves(arm, TRIED_AGAIN_S)

    at_work(tmp_path, play, "inspection")


@pytest.mark.parametrize("what", [SHOW, SHOW_CLOUD])
def test_it_rests_while_who_has_it_swept_is_paused(tmp_path: Path, what: str) -> None:
    async def play(work: AtWork) -> None:
        await swept(work, what)
        for words in ("pause", f"pause {what}"):
            await work.done(words)
            async with at_rest(work):
                pass
            await work.done("carry on")
            async with work.watching("right") as arm:
                assert await moves(arm, 1.0)

    at_work(tmp_path, play, "inspection")


def test_it_ends_with_all_that_moves_when_who_drives_the_other_arm_is_lost(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await swept(work)
        await work.done("let me drive the left arm", "phone 1")
        async with work.watching("right") as arm:
            assert await moves(arm, 1.0)
        work.desk.end_session("phone 1", "console")
        await work.until_said(f'"{SHOW}" {WAITS}', within_s=TRIED_AGAIN_S)
        async with at_rest(work):
            pass
        await work.done("carry on")
        async with work.watching("right") as arm:
            assert await moves(arm, TRIED_AGAIN_S)

    at_work(tmp_path, play, "inspection")


@pytest.mark.parametrize(
    "words",
    [
        "no",
        "stop the right arm",
        "stop the arm",
        "stop the right wrist",
        "stop the left arm",
        "halt, you will hit it",
    ],
)
def test_who_stops_what_moves_stops_it(tmp_path: Path, words: str) -> None:
    async def play(work: AtWork) -> None:
        await swept(work)
        await work.done(words)  # also of the arm that does not move: who is wrong about the side means it
        async with at_rest(work):
            pass
        assert not work.installation.supervisor.plans()

    at_work(tmp_path, play, "inspection")
