"""Actions that move: preempted and resumed, ended by a reflex, stopped, and with two arms at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pilothouse as ph
from framework.plugins import action_spec
from framework.status import Priority
from resources.children.failing import FailMode
from tests.faults.stage import Stage, now_s
from tests.managers.scripted_world import InWorld, PlayedWorld
from tests.managers.test_controller_manager import FAR, moved

Play = Callable[[Any], None]


class Reach(ph.Action):
    """Go far away, slowly."""

    on_preempt = ph.OnPreempt.RESUME

    side: str = "left"

    arm = ph.needs(lambda given: ph.Arm(given.side), exclusive=True)

    async def run(self) -> str:
        await self.arm.move_joints(FAR.joints, speed=FAR.speed)
        return str(self.arm.device)


class Clap(ph.Action):
    """Move both arms."""

    left = ph.needs(ph.Arm("left"), exclusive=True)
    right = ph.needs(ph.Arm("right"), exclusive=True)

    async def run(self) -> None:
        goal = FAR.joints
        await asyncio.gather(self.left.move_joints(goal, speed=0.5), self.right.move_joints(goal, speed=0.5))


async def runner(
    stage: Stage, action: type[ph.Action], said: list[str] | None = None, **parameters: Any
) -> ph.ActionRunner:
    (client,) = await stage.come(1)
    return ph.ActionRunner(
        action_spec(action),
        parameters,
        registrar=client.registrar,
        say=lambda event: said.append(event.text) if said is not None else None,
    )


async def until_it_moves(world: PlayedWorld) -> None:
    async with asyncio.timeout(10.0):
        while world.controls is None or not moved(world):
            await asyncio.sleep(0.05)


async def ended(running: asyncio.Task[ph.Outcome], within_s: float = 30.0) -> ph.Outcome:
    async with asyncio.timeout(within_s):
        return await running


def test_an_action_goes_on_when_the_operator_gives_the_arm_back(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        world.manager.unplug("right_arm")
        for side, taken in (("left", ph.Arm()), ("", ph.Arm("left")), ("", ph.Arm())):
            said: list[str] = []
            run = await runner(world.stage, Reach, said, side=side)
            running = asyncio.create_task(run.run())
            await until_it_moves(world)
            await asyncio.sleep(0.5)
            operator = await world.asking(taken, priority=Priority.OPERATOR, who="ada")
            assert operator.value.device == "left_arm" and not moved(world)
            await asyncio.sleep(32)
            assert run.state is ph.RunState.WAITING and not moved(world)
            assert any("ada" in each for each in said), said
            await operator.leave()
            outcome = await ended(running)
            assert (outcome.state, outcome.value) == (ph.RunState.SUCCEEDED, "left_arm"), outcome
            await asyncio.sleep(1)
            # Away again, for the next round.
            home = await world.asking(ph.Arm("left"))
            mechanism: Any = world.control("left_arm").loop.core.mechanism
            mechanism.q = (0.0, *FAR.joints[1:])
            await home.leave()

    in_world(scene)


def test_a_reflex_in_the_middle_ends_it_with_the_remedy(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        await world.asking(ph.ArmState("left"), exclusive=False)  # the world stays up
        run = await runner(world.stage, Reach)
        running = asyncio.create_task(run.run())
        await until_it_moves(world)
        world.control("left_arm").fail(FailMode.REFLEX, now_s())
        outcome = await ended(running)
        assert outcome.state is ph.RunState.FAILED and 'say "recover the left arm"' in outcome.words
        assert not moved(world)

    in_world(scene)


def test_stopping_it_stops_the_arm_and_releases_everything(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        run = await runner(world.stage, Reach)
        running = asyncio.create_task(run.run())
        await until_it_moves(world)
        stopped_s = now_s()
        run.cancel("enough")
        while moved(world):
            await asyncio.sleep(0.01)
        assert now_s() - stopped_s <= 0.05
        assert (await ended(running)).state is ph.RunState.CANCELLED
        await asyncio.sleep(16)
        assert world.manager.registrar.snapshot().is_empty

    in_world(scene)


def test_two_arms_move_together_once_both_are_free(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        other = await world.asking(ph.Arm("right"))
        run = await runner(world.stage, Clap)
        running = asyncio.create_task(run.run())
        await asyncio.sleep(2)
        assert not moved(world) and run.state is ph.RunState.WAITING
        await other.leave()
        await asyncio.sleep(0.5)
        assert moved(world) and moved(world, "right_arm")
        assert (await ended(running)).state is ph.RunState.SUCCEEDED

    in_world(scene)
