"""What the console does with sessions: pairing, sending away, handing over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from framework.errors import PilothouseError
from framework.plan.ast import Do, Plan
from framework.supervisor import Reply, Supervisor
from framework.supervisor.plans import PlanView
from framework.testing import run
from framework.tree.run import PlanState
from framework.tree.view import NodeState, TreeView
from managers.operator_desk import OperatorDesk
from managers.operator_manager import OperatorManager
from resources.types.masters import HandSide
from resources.types.operator import AwayLine, CodeEnd, DeviceKind, OperatorLinksHandle, Pairing, SessionLine
from resources.types.operator_client import Driven, Seat
from tests.managers.operators_at_work import AtWork, at_work


def test_a_session_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        with pytest.raises(PilothouseError, match="there is no session 'phone 7'; connected: nobody"):
            await work.desk.hand_over("phone 7")
        await work.play("phone 1 comes")
        with pytest.raises(PilothouseError, match="connected: phone 1"):
            work.desk.end_session("phone 7", "console")

    at_work(tmp_path, play)


def test_handing_over_ends_the_first_ones_driving_in_words_and_gives_the_next_one_the_same_arm(
    tmp_path: Path,
) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("let me drive the right arm", "phone 1")
        async with work.watching("right") as arm:
            await work.play("phone 1 presses the clutch", "phone 2 presses the clutch")
            await asyncio.sleep(0.3)
            before = arm().base_T_tool
            assert await work.desk.hand_over("phone 2") == "phone 2 drives."
            assert work.was_said("phone 2 drives the right arm")
            first, second = work.session("phone 1").seat, work.session("phone 2").seat
            assert (first.seat, second.seat) == (Seat.WATCHING, Seat.READY)
            assert first.words == "You do not drive any more: handed over to phone 2"
            assert work.was_said("phone 1 lets go of the right arm: handed over to phone 2")
            await work.play("phone 2 moves its hand 10 cm up")
            await asyncio.sleep(1.2)
            assert arm().base_T_tool == pytest.approx(before)  # it held the clutch before the arm was its
            await work.play("phone 2 lets go", "phone 2 presses the clutch")
            await asyncio.sleep(0.3)
            assert arm().base_T_tool == pytest.approx(before)
            await work.play("phone 2 moves its hand 10 cm down")
            await asyncio.sleep(1.2)
            assert arm().base_T_tool[2] - before[2] == pytest.approx(-0.1, abs=2e-3)
        assert await work.desk.hand_over("phone 2") == "phone 2 drives already."

    at_work(tmp_path, play, "inspection")


def test_handing_over_to_somebody_while_nobody_drives_lets_them_drive(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        assert await work.desk.hand_over("phone 1") == "phone 1 drives."
        await asyncio.sleep(0.1)
        shown = work.desk.shown()
        assert [(line.name, line.driving) for line in shown.sessions] == [("phone 1", True)]

    at_work(tmp_path, play)


def test_a_code_to_point_a_phone_at_is_asked_for_and_is_another_one_each_time(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        assert await work.desk.open_pairing() == "Point the phone's camera at the code."
        first = work.desk.shown()
        assert first.code
        await work.desk.open_pairing()
        assert work.desk.shown().url != first.url

    at_work(tmp_path, play, phones=False)


class OneWhoServes:
    """As much of the operator manager as the code needs: how the next device gets in."""

    sessions = ()

    def __init__(self, pairing: Pairing | None) -> None:
        self.away: tuple[AwayLine, ...] = ()
        self.links = OperatorLinksHandle("http://127.0.0.1:1/", pairing) if pairing is not None else None


@pytest.mark.parametrize(
    ("pairing", "why"),
    [
        (None, "nobody has asked for one since phones are served"),
        (Pairing(), "nobody has asked for one since phones are served"),
        (Pairing(ended=CodeEnd.USED), "the last one has let a device in, and each lets in one"),
        (Pairing(ended=CodeEnd.EXPIRED), "the last one was open for 120 s, and none is for longer"),
        (Pairing("http://a/#token=b", 9.0), "the last one was open for 120 s, and none is for longer"),
    ],
)
def test_it_is_said_why_no_code_is_open_and_what_to_do(pairing: Pairing | None, why: str) -> None:
    manager = cast(OperatorManager, OneWhoServes(pairing))
    desk = OperatorDesk(manager, lambda: cast(Supervisor, None), lambda: None, lambda: 10.0)
    shown = desk.shown()
    assert (shown.url, shown.code, shown.left_s) == ("", (), 0.0)
    assert shown.no_code == f"No code is open: {why}. Press “New code” to have one."


def test_while_a_code_is_open_the_console_knows_what_to_say_when_its_time_is_over() -> None:
    manager = cast(OperatorManager, OneWhoServes(Pairing("http://127.0.0.1:1/#token=a", 40.0)))
    shown = OperatorDesk(manager, lambda: cast(Supervisor, None), lambda: None, lambda: 10.0).shown()
    assert (shown.url, shown.left_s) == ("http://127.0.0.1:1/#token=a", 30.0)
    assert "the last one was open for 120 s" in shown.no_code


NOTHING = TreeView("0.0", "do", "", NodeState.WAITING, "", 0.0)


class OneWhoDrives:
    """As much of the operator manager as a hand-over needs: phone 1 drives, and leaves when asked to."""

    links = None
    keeper = ""
    driven = (Driven(HandSide.RIGHT, "left_arm", arm_side="left"),)
    sessions = (SessionLine("1", "phone 1", DeviceKind.PHONE), SessionLine("2", "phone 2", DeviceKind.PHONE))

    def __init__(self, left: Callable[[OneWhoDrives], None]) -> None:
        self.driver = "phone 1"
        self._left = left

    def give_back(self) -> None:
        """Nothing is kept for anybody."""

    def ask_to_leave(self, why: str) -> None:
        def leave() -> None:
            self.driver = ""
            self._left(self)

        asyncio.get_running_loop().call_later(0.5, leave)


class Listener:
    """As much of the supervisor: what is said twice joins what it was said of first."""

    stops = 0

    def __init__(self) -> None:
        self.begun: list[tuple[Plan, str]] = []
        self.pending: Reply | None = None
        self.then = True

    def plans(self) -> tuple[PlanView, ...]:
        if self.pending is None:
            return ()
        return (PlanView(self.pending.plan, "", PlanState.RUNNING, "phone 2", "", 0.0, "", NOTHING),)

    def carry_out(self, plan: Plan, who: str) -> Reply:
        self.begun.append((plan, who))
        if self.pending is not None:
            return self.pending
        reply = Reply()
        reply.plan = f"{len(self.begun)}"
        reply.settle(self.then)
        return reply

    def has_asked_before(self) -> Reply:
        self.pending = Reply()
        self.pending.plan = "0"
        return self.pending

    def settle(self, succeeded: bool) -> None:
        assert self.pending is not None
        reply, self.pending = self.pending, None
        reply.settle(succeeded)


def handing_over(listener: Listener, left: Callable[[OneWhoDrives], None]) -> str:
    async def main() -> str:
        manager, supervisor = cast(OperatorManager, OneWhoDrives(left)), cast(Supervisor, listener)
        desk = OperatorDesk(manager, lambda: supervisor, lambda: None, asyncio.get_running_loop().time)
        return await desk.hand_over("phone 2")

    return run(main)


def test_one_who_has_just_asked_for_it_in_vain_gets_what_is_handed_over_to_them() -> None:
    listener = Listener()
    listener.has_asked_before()

    def left(manager: OneWhoDrives) -> None:
        asyncio.get_running_loop().call_later(1.0, listener.settle, False)

    assert handing_over(listener, left) == "phone 2 drives."
    driving = Do("teleoperate_phone", {"session": "phone 2", "side": "left"})
    assert listener.begun == [(driving, "phone 2")] * 2


def test_one_who_has_just_asked_for_it_and_gets_it_by_that_drives() -> None:
    listener = Listener()

    def left(manager: OneWhoDrives) -> None:
        manager.driver = "phone 2"

    assert handing_over(listener, left) == "phone 2 drives."
    assert listener.begun == []


def test_one_who_does_not_get_it_is_told_why_and_one_who_never_hears_is_not_waited_for_for_ever() -> None:
    listener = Listener()
    listener.then = False
    with pytest.raises(PilothouseError, match="phone 2 does not drive"):
        handing_over(listener, lambda manager: None)
    listener.has_asked_before()
    with pytest.raises(PilothouseError, match="not happened within 25 s"):
        handing_over(listener, lambda manager: None)
