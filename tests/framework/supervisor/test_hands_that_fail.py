"""A person takes what something else has, and that comes to nothing: what they interrupted waits for a word.

With real runners and registrars: `take` is anything by which a person's hand takes an arm.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from framework.plugins import Action, ActionCatalogue, OnPreempt, Phrases, Risk, action_spec, needs
from framework.processes.emergency import EmergencyStop
from framework.status import Priority
from framework.supervisor import EventBus, EventKind, Supervisor
from framework.testing import VirtualLoop, run_on
from framework.tree.actions import ActionRunners, CatalogueSignatures
from framework.tree.run import PlanState
from grammars import Language
from tests.framework.plugins.stage import Arm, Sensor, Stage

#: How often each action has begun to move.
begun: list[str] = []


#: So long does what moves need to end [s].
ENDS_S = 0.2


class Move(Action):
    """Moves the left arm for ten seconds, and takes its time to end."""

    risk = Risk.MOVES
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        begun.append("move")
        try:
            await asyncio.sleep(10.0)
        finally:
            await asyncio.sleep(ENDS_S)


class Swing(Action):
    """Moves the right arm."""

    risk = Risk.MOVES
    arm = needs(Arm("right"), exclusive=True)

    async def run(self) -> None:
        begun.append("swing")
        await asyncio.sleep(10.0)


class Take(Action):
    """A person's hand has the left arm, by way of a session."""

    continuous = True
    holds_on = True
    risk = Risk.MOVES
    priority = Priority.OPERATOR
    on_preempt = OnPreempt.GIVE_UP
    if_held = "ask there"

    session = needs(Sensor("good"), exclusive=True)
    arm = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        await self.stay("somebody has the left arm")


class TakeBadly(Take):
    """The same with a hand too few."""

    async def run(self) -> None:
        raise PilothouseError("phone 1 has one hand")


CATALOGUE = ActionCatalogue(
    action_spec(action, phrases=Phrases("phrases.yaml", (say,)))
    for action, say in {Move: "move", Swing: "swing", Take: "take", TakeBadly: "take it badly"}.items()
)


@cache
def spoken() -> Language:
    return Language(CATALOGUE.available)


class House:
    """A supervisor over real managers."""

    def __init__(self, stage: Stage, directory: Path) -> None:
        self.stage = stage
        self.bus = EventBus()
        self.latch = EmergencyStop.create(directory)
        language = spoken()
        self.supervisor = Supervisor(
            signatures=CatalogueSignatures(CATALOGUE),
            runners=ActionRunners(CATALOGUE, stage.registrar),
            parser=language,
            meta=language.meta,
            wording=language.wording,
            events=self.bus,
            emergency=self.latch,
        )

    async def say(self, text: str) -> bool:
        return await self.supervisor.say(text).done()

    async def begin(self, text: str) -> None:
        """Until it moves."""
        self.supervisor.say(text)
        await asyncio.sleep(0.5)
        assert begun[-1] == text

    def was_said(self, words: str) -> bool:
        return any(words in event.text for event in self.bus.history())

    @property
    def states(self) -> dict[str, PlanState]:
        return {plan.words: PlanState(plan.state) for plan in self.supervisor.plans()}

    def texts(self, kind: EventKind) -> list[str]:
        return [event.text for event in self.bus.history() if event.kind is kind]


def play(directory: Path, scene: Callable[[House], Awaitable[None]]) -> None:
    async def main() -> None:
        begun.clear()
        async with Stage() as stage:
            house = House(stage, directory)
            try:
                async with house.supervisor:
                    await scene(house)
            finally:
                house.latch.close()

    run_on(VirtualLoop(), main)


def test_one_that_fails_as_soon_as_it_has_the_arm(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.begin("move")
        assert not await house.say("take it badly")
        await asyncio.sleep(5.0)
        assert (house.states, begun) == ({"move": PlanState.PAUSED}, ["move"])
        assert house.texts(EventKind.PAUSED)[-1] == (
            '"take it badly" has not worked; "move" is paused: say "carry on" to go on.'
        )
        assert await house.say("carry on")
        await asyncio.sleep(0.5)
        assert (house.states, begun) == ({"move": PlanState.RUNNING}, ["move", "move"])

    play(tmp_path, scene)


def test_one_whose_session_goes_at_any_moment_between_asking_and_having(tmp_path: Path) -> None:
    """In every step of the loop: before anybody is asked to let go, while they do, and just after that."""
    interrupted: list[bool] = []

    async def at_a_moment(house: House, after_s: float, steps: int) -> None:
        await house.begin("move")
        house.supervisor.say("take")
        await asyncio.sleep(after_s)
        for _ in range(steps):
            await asyncio.sleep(0.0)
        house.stage.break_("good")
        await asyncio.sleep(2.0)
        interrupted.append(house.was_said("(OPERATOR) takes"))
        expected = PlanState.PAUSED if interrupted[-1] else PlanState.RUNNING
        assert (house.states, begun) == ({"move": expected}, ["move"]), (after_s, steps)

    for after_s, steps in itertools.product((0.0, ENDS_S / 2, ENDS_S), range(0, 40, 2)):
        directory = tmp_path / f"{after_s} {steps}"
        directory.mkdir()
        play(directory, partial(at_a_moment, after_s=after_s, steps=steps))
    assert set(interrupted) == {True, False}


@pytest.mark.parametrize("is_there", [True, False])
def test_one_that_has_interrupted_nothing_pauses_nothing(tmp_path: Path, is_there: bool) -> None:
    async def scene(house: House) -> None:
        await house.begin("move" if not is_there else "swing")
        if not is_there:
            house.stage.break_("good")
        assert not await house.say("take it badly")
        await asyncio.sleep(1.0)
        assert list(house.states.values()) == [PlanState.RUNNING]
        assert len(begun) == 1

    play(tmp_path, scene)


def test_one_that_its_operator_ends_while_it_takes_lets_go_on_what_it_has_interrupted(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.begin("move")
        house.supervisor.say("take")
        await asyncio.sleep(ENDS_S / 2)
        assert await house.say("stop taking")
        await asyncio.sleep(1.0)
        assert (house.states, begun) == ({"move": PlanState.RUNNING}, ["move", "move"])

    play(tmp_path, scene)


def test_what_was_interrupted_waits_for_an_arm_that_has_failed_instead_of_failing(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.begin("move")
        assert await house.say("take")
        house.stage.break_("left arm", "stopped: say “recover the left arm”")
        await asyncio.sleep(1.0)
        assert house.states == {"move": PlanState.PAUSED}
        assert begun == ["move"]
        await house.say("carry on")
        await asyncio.sleep(1.0)
        assert house.states == {"move": PlanState.PAUSED}, "it is still broken"
        said = house.texts(EventKind.PAUSED)
        assert "recover the left arm" in said[-1]
        assert said[-1].endswith('; "move" is paused: say "carry on" to go on.')
        house.stage.mend("left arm")
        await house.say("carry on")
        await asyncio.sleep(1.0)
        assert (house.states, begun) == ({"move": PlanState.RUNNING}, ["move", "move"])

    play(tmp_path, scene)


def test_what_was_not_interrupted_fails_with_the_arm_that_it_waits_for(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        assert await house.say("take")
        waiting = house.supervisor.say("move")
        await asyncio.sleep(0.5)
        house.stage.break_("left arm")
        assert not await waiting.done()
        await asyncio.sleep(0.5)
        assert house.states == {}

    play(tmp_path, scene)
