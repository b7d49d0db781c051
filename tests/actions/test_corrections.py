"""Where things end that were corrected, taken back, or said of "it": on the played installation."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from framework.events import EventKind
from framework.testing.runner import run
from framework.tree import PlanState
from pilothouse.settings import Settings
from pilothouse.testbed.virtual_installation import VirtualInstallation
from resources.types.motion import ArmSample, BaseSample, GripperSample

WHO = "somebody"
NEAR_M = 0.012

Place = tuple[float, ...]


class Talk:
    """Says sentences one after the other, and looks where things are."""

    def __init__(self, installation: VirtualInstallation) -> None:
        self._installation = installation
        self.supervisor = installation.supervisor
        self.begins = self.places()

    def places(self) -> dict[str, Place]:
        now_s = asyncio.get_running_loop().time()
        found: dict[str, Place] = {}
        for control, _ in self._installation.launcher.controls:
            match control.truth(now_s):
                case ArmSample(base_T_tool=(x, y, z, *_)):
                    found[control.device] = (x, y, z)
                case BaseSample(odometry=odometry):
                    found[control.device] = tuple(odometry)
                case GripperSample(width_m=width_m):
                    found[control.device] = (width_m,)
        return found

    async def say(self, *texts: str, wait_s: float = 9.0) -> None:
        for text in texts:
            self.supervisor.say(text, who=WHO)
            await asyncio.sleep(wait_s)

    def up_m(self, side: str) -> float:
        return self.places()[f"{side}_arm"][2] - self.begins[f"{side}_arm"][2]

    def read_back(self) -> str:
        events = self.supervisor.events.history(0)
        return [event.text for event in events if event.kind is EventKind.UNDERSTOOD][-1]

    @property
    def asked(self) -> str:
        return " ".join(question.full_text for question in self.supervisor.questions)


def talked(directory: Path, scene: Callable[[Talk], Awaitable[None]]) -> None:
    async def play() -> None:
        installation = VirtualInstallation(Settings(state=directory, seed=0))
        async with installation:
            await asyncio.sleep(6.0)
            await scene(Talk(installation))

    run(play, seed=0)


def test_it_is_the_arm_that_was_named_and_nothing_else_moves(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("arm up", wait_s=2.0)
        assert talk.asked.startswith("Which arm do you mean?")
        assert talk.places() == talk.begins
        await talk.say("no", "move the right arm up 10 cm, then move it down 4 cm")
        assert "the right arm down" in talk.read_back()
        assert talk.up_m("right") == pytest.approx(0.06, abs=NEAR_M)
        assert talk.up_m("left") == pytest.approx(0.0, abs=0.002)
        await talk.say("the same with the other arm")
        assert talk.up_m("left") == pytest.approx(0.06, abs=NEAR_M)
        await talk.say("open the other gripper", wait_s=1.0)
        assert talk.read_back() == "I understand: open the right gripper."

    talked(tmp_path, scene)


def test_a_correction_counts_from_where_it_began_in_motion_and_afterwards(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("raise the left arm 20 cm", wait_s=1.0)
        assert 0.02 < talk.up_m("left") < 0.18
        await talk.say("no, 10")
        assert talk.up_m("left") == pytest.approx(0.10, abs=NEAR_M)
        await talk.say("not so far, 5 are enough")
        assert talk.up_m("left") == pytest.approx(0.05, abs=NEAR_M)
        await talk.say("other way")
        assert talk.up_m("left") == pytest.approx(-0.05, abs=NEAR_M)
        await talk.say("a bit more")
        assert talk.up_m("left") == pytest.approx(-0.07, abs=NEAR_M)
        await talk.say("undo that", "undo that")
        assert talk.up_m("left") == pytest.approx(0.0, abs=NEAR_M)

    talked(tmp_path, scene)


def test_what_is_half_done_is_taken_back_all_the_way(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("raise the right arm 20 cm", wait_s=1.2)
        await talk.say("undo that")
        assert talk.up_m("right") == pytest.approx(0.0, abs=NEAR_M)
        await talk.say("again", "too far")
        assert talk.asked.startswith("How far, then?")
        await talk.say("3 cm")
        assert talk.up_m("right") == pytest.approx(0.03, abs=NEAR_M)
        await talk.say("say hello", "undo that", wait_s=2.0)
        refused = [e.text for e in talk.supervisor.events.history(0) if e.kind is EventKind.REFUSED]
        assert refused[-1].startswith('"say hello" cannot be taken back: it has moved nothing')
        assert talk.up_m("right") == pytest.approx(0.03, abs=NEAR_M)

    talked(tmp_path, scene)


def test_how_much_further_and_how_much_too_far_count_from_where_it_is(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("raise the left arm 6 cm", "2 cm more")
        assert talk.up_m("left") == pytest.approx(0.08, abs=NEAR_M)
        await talk.say("too high by 5")
        assert talk.up_m("left") == pytest.approx(0.03, abs=NEAR_M)
        await talk.say("too far", "3 cm", "not so far", "3 cm")  # how far it is to be in all
        assert talk.up_m("left") == pytest.approx(0.05, abs=NEAR_M)
        await talk.say("raise the left arm 6 cm", "the same with the right")
        assert talk.up_m("right") == pytest.approx(0.06, abs=NEAR_M)
        before = talk.places()["right_arm"]
        await talk.say("the same to the left")
        after = talk.places()["right_arm"]
        assert after[1] - before[1] == pytest.approx(0.06, abs=NEAR_M)
        assert after[2] - before[2] == pytest.approx(0.0, abs=NEAR_M)

    talked(tmp_path, scene)


def test_what_is_still_asked_has_gone_nowhere(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("move half a metre backwards", wait_s=1.0)
        for text in ("too far by 20 cm", "a bit more", "other way"):
            await talk.say(text, wait_s=3.0)
            assert talk.places() == talk.begins, text

    talked(tmp_path, scene)


def test_the_base_ends_where_it_was_meant_to(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("turn 90 degrees to the left", "sorry, to the right I wanted to say", wait_s=14.0)
        turned = talk.places()["base"][2] - talk.begins["base"][2]
        assert turned == pytest.approx(-math.pi / 2, abs=0.05)
        await talk.say("put it back how it was", wait_s=14.0)
        assert talk.places()["base"] == pytest.approx(talk.begins["base"], abs=0.03)

    talked(tmp_path, scene)


def test_what_was_moved_by_others_since_is_not_taken_back(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("raise the left arm 10 cm")
        talk.supervisor.say("move the left arm forward 10 cm", who="another")
        await asyncio.sleep(9.0)
        there = talk.places()["left_arm"]
        await talk.say("undo that")
        assert talk.places()["left_arm"] == pytest.approx(there, abs=0.003)
        failed = [e.text for e in talk.supervisor.events.history(0) if e.kind is EventKind.FAILED]
        assert "was moved by somebody else since" in failed[-1]

    talked(tmp_path, scene)


def test_a_step_is_called_off_by_its_place(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("move the left arm up 10 cm, then lower the right arm 10 cm", wait_s=1.0)
        await talk.say("never mind the second one")
        assert talk.up_m("left") == pytest.approx(0.10, abs=NEAR_M)
        assert talk.places()["right_arm"] == pytest.approx(talk.begins["right_arm"], abs=0.002)

    talked(tmp_path, scene)


def test_a_pause_with_a_reason_can_be_gone_on_with(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> None:
        await talk.say("raise the left arm 20 cm", wait_s=1.0)
        await talk.say("make a short break, I have a telephone call", wait_s=3.0)
        now_m = talk.up_m("left")
        assert now_m < 0.18
        await talk.say("hold on, drive to the xyzzy", wait_s=3.0)
        assert talk.up_m("left") == pytest.approx(now_m, abs=0.002)
        await talk.say("so, I am back, carry on")
        assert talk.up_m("left") == pytest.approx(0.20, abs=NEAR_M)
        # What is more than a reason, or may be a stop, is no pause.
        for text in ("one moment, stop it!", "one moment, drive half a metre back"):
            await talk.say("lower the left arm 20 cm", wait_s=1.0)
            await talk.say(text, wait_s=3.0)
            going = (PlanState.RUNNING, PlanState.PAUSED)
            assert not any(plan.state in going for plan in talk.supervisor.plans()), text
            await talk.say("go home with the left arm")

    talked(tmp_path, scene)
