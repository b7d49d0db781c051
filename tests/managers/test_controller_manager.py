"""What moves: who commands it, in which order its loop is told, that it rests in between, what ends it.

The loops are real (`ControlLoopCore` behind a mailbox); what they move goes exactly where it is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from framework.errors import LeaseError, Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar.effects import JournalKind
from framework.status import Priority
from framework.testing.children import Script
from framework.yaml_reader import Place
from managers.controller_manager import ControllerManager
from managers.motion import REST_S
from resources.controllers.loop import MotionStop
from resources.robots.description import RobotDescription
from resources.types.arms import Arm, ArmState, Base, Gripper, Motion
from resources.types.control import Simulation
from resources.types.motion import MoveGripper, MoveJoints, Orders, TrackJoints
from tests.faults.stage import Client, Stage, now_s
from tests.managers.scripted_world import DRIVERS, ROBOT, WORLD, InWorld, PlayedWorld, asking, keep, want

Play = Callable[[Any], None]

FAR = MoveJoints((1.0, 0.2, 0.0, -2.0, 0.0, 1.5, 0.8), 0.2)
"""A motion of more than two seconds."""


def moved(world: PlayedWorld, device: str = "left_arm") -> bool:
    """Whether its loop follows a wish."""
    return not world.state(device).is_at_rest


def held_by(client: Client) -> str:
    """The lease with which the client's arm itself is held."""
    assert client.lease is not None
    return client.lease.id


def test_the_loop_hears_who_commands_before_any_command(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await world.asking(Motion("left_arm"))
        assert client.value.device == "left_arm" and client.value.side == "left"
        await asyncio.sleep(0.05)  # or the loop would see both at once: only the newest orders count
        await keep(client, FAR, 0.5)
        orders: list[Orders] = [each for _, each in world.seen["left_arm"]]
        first = next(each for each in orders if each.holder)
        assert (first.holder, first.wanted) == (held_by(client), None)
        assert client.lease is not None and first.generation == client.lease.generation
        stamps = [each.stamp for each in orders if each.stamp is not None]
        assert {(stamp.lease, stamp.generation) for stamp in stamps} == {(first.holder, first.generation)}
        assert [stamp.sequence for stamp in stamps] == list(range(1, len(stamps) + 1))
        state = world.state("left_arm")
        assert state.following == 1 and not state.is_at_rest and state.refused == 0

    in_world(scene)


def test_a_command_is_passed_on_with_the_time_at_which_it_was_given(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await world.asking()
        world.stage.network.kind = "late message"
        sent_s = now_s()
        want(client, FAR)
        await asyncio.sleep(0.15)
        (stamp,) = {each.stamp for _, each in world.seen["left_arm"] if each.stamp is not None}
        assert stamp.sent_s == pytest.approx(sent_s, abs=1e-6), "its way does not make it younger"
        world.stage.network.kind = ""

    in_world(scene)


def test_it_rests_before_the_next_one_is_granted(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        first = await world.asking()
        (second,) = await world.stage.come(1)
        second.ask(Arm("left"), exclusive=True, wait=True)
        await keep(first, FAR, 0.5)
        assert moved(world)
        left_s = now_s()
        await first.leave()
        await second.answer()
        assert 0.0 < second.granted_at_s - left_s <= 0.1
        assert not moved(world) and world.state("left_arm").outcome == "it was told to come to rest"
        await keep(second, FAR, 0.3, number=2)
        assert moved(world)

    in_world(scene)


def test_one_that_does_not_come_to_rest_fails_and_is_given_to_nobody(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        first = await world.asking(Motion("left_arm"))
        (second,) = await world.stage.come(1)
        second.ask(Motion("left_arm"), exclusive=True, wait=True)
        watcher = await world.asking(Motion("left_arm"), exclusive=False)
        await world.asking(ArmState("left"), exclusive=False)  # the world stays up
        await keep(first, FAR, 0.3)
        mechanism = world.control("left_arm").loop.core.mechanism
        rest, mechanism.rest = mechanism.rest, lambda: None  # type: ignore[method-assign]
        mechanism._duration_s = 1e9  # type: ignore[attr-defined]  # a brake that does not hold
        left_s = now_s()
        await first.leave()
        await second.answer()
        assert isinstance(second.error, ResourceUnavailable) and "safe stop" in str(second.error)
        assert second.error_at_s - left_s == pytest.approx(REST_S, abs=0.05)
        assert second.granted_at_s == 0.0
        assert watcher.severities == ("FATAL",) and isinstance(watcher.error, ResourceFailed)
        assert JournalKind.SAFE_STOP in [entry.deed for entry in world.manager.registrar.journal.entries()]
        await asyncio.sleep(0.1)
        third = await world.asking(Motion("left_arm"))
        assert "does not come to rest within 2 s: nobody is given what moves" in str(third.error)
        mechanism.rest = rest  # type: ignore[method-assign]
        assert (await world.asking(Motion("left_arm"))).lease is not None

    in_world(scene)


@pytest.mark.parametrize(("low", "high"), [(Arm("left"), Arm()), (Arm(), Arm("left")), (Arm(), Arm())])
def test_an_operator_takes_the_device_however_it_was_asked_for(
    in_world: InWorld, low: Arm, high: Arm
) -> None:
    async def scene(world: PlayedWorld) -> None:
        world.manager.unplug("right_arm")
        autonomous = await world.asking(low)
        await keep(autonomous, FAR, 0.5)
        lost = autonomous.lease
        assert moved(world) and lost is not None
        asked_s = now_s()
        operator = await world.asking(high, priority=Priority.OPERATOR)
        assert operator.value.device == "left_arm" and operator.granted_at_s - asked_s <= 0.3
        assert isinstance(autonomous.error, Preempted) and "client" in autonomous.error.by
        assert autonomous.severities == ("FATAL",)
        with pytest.raises(LeaseError):
            lost.send(b"late")
        assert not moved(world)
        await keep(operator, FAR, 0.3, number=7)
        assert world.state("left_arm").following == 7

    in_world(scene)


@pytest.mark.parametrize(("low", "high"), [(Arm("left"), Arm()), (Arm(), Arm("left")), (Arm(), Arm())])
def test_who_was_preempted_waits_is_told_for_whom_and_gets_it_back(
    in_world: InWorld, low: Arm, high: Arm
) -> None:
    async def scene(world: PlayedWorld) -> None:
        world.manager.unplug("right_arm")
        autonomous = await world.asking(low)
        operator = await world.asking(high, priority=Priority.OPERATOR)
        autonomous.ask(low, exclusive=True, wait=True)
        await asyncio.sleep(32)  # longer than any request waits that does not queue
        assert autonomous.lease is None and autonomous.error is None
        assert any(
            f"waiting for {operator.registrar.name}" in each.status.message for each in autonomous.told
        )
        await operator.leave()
        await autonomous.answer()
        assert autonomous.value.device == "left_arm"
        await keep(autonomous, FAR, 0.3)
        assert moved(world)

    in_world(scene)


def test_who_does_not_wait_is_refused_with_the_holder_s_name(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        first = await world.asking(Motion("left_arm"), who="the painter")
        second = await world.asking(Arm("left"))
        assert "motion of left_arm is held by the painter, with the same priority; " in str(second.error)
        assert first.lease is not None and not first.told

    in_world(scene)


def test_a_late_command_of_a_former_holder_reaches_nothing(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        first = await world.asking()
        (second,) = await world.stage.come(1)
        second.ask(Arm("left"), exclusive=True, wait=True)
        await asyncio.sleep(0.1)
        world.stage.network.kind = "late message"
        want(first, FAR, number=11)
        await first.leave()
        await second.answer()
        world.stage.network.kind = ""
        await asyncio.sleep(0.5)
        assert not moved(world) and 11 not in (
            world.state("left_arm").following,
            world.state("left_arm").done,
        )

    in_world(scene)


def test_any_arm_is_the_free_one_and_stays_the_one_it_was(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        left = await world.asking(Arm("left"))
        free = await world.asking(Arm(), priority=Priority.OPERATOR)
        assert free.value.device == "right_arm", "nobody has to be preempted for that"
        assert not left.told
        await left.leave()
        await asyncio.sleep(2)
        assert free.value.device == "right_arm" and not free.told
        await free.leave()
        await asyncio.sleep(1)
        assert (await world.asking(Arm())).value.device == "left_arm"  # the higher priority

    in_world(scene)


def test_one_that_cannot_be_had_is_followed_by_the_next(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        world.manager.unplug("left_arm")
        one = await world.asking(Arm())
        assert one.value.device == "right_arm"
        world.manager.unplug("right_arm", noticed=False)
        await one.leave()
        await asyncio.sleep(1)
        none = await world.asking(Arm())
        assert "left_arm is unplugged; right_arm is unplugged" in str(none.error)
        world.manager.plug_in("left_arm")
        assert (await world.asking(Arm())).value.device == "left_arm"

    in_world(scene)


def test_who_waits_for_any_arm_gets_the_first_that_is_free(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        left, right = await world.asking(Arm("left")), await world.asking(Arm("right"))
        (third,) = await world.stage.come(1)
        third.ask(Arm(), exclusive=True, wait=True)
        await asyncio.sleep(2)
        assert third.lease is None and third.error is None and not left.told and not right.told
        await right.leave()
        await third.answer(1.0)
        assert third.value.device == "right_arm"
        await third.leave()
        await asyncio.sleep(1)
        right.ask(Arm("right"), exclusive=True)
        await right.answer()
        third.ask(Arm(), exclusive=True, wait=True)
        await asyncio.sleep(2)
        await left.leave()
        await third.answer(1.0)
        assert third.value.device == "left_arm"

    in_world(scene)


def test_one_that_is_only_reserved_is_waited_for_in_peace(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        gripper, left = await world.asking(Gripper("left")), await world.asking(Arm("left"))
        (both,) = await world.stage.come(1)

        async def have_both() -> None:
            wish = both.registrar.request_all(Arm("right"), Gripper("left"), exclusive=True, wait=True)
            async with wish:
                await asyncio.sleep(1)

        having = asyncio.create_task(have_both())  # the right arm is reserved until the gripper is free
        await asyncio.sleep(1)
        (third,) = await world.stage.come(1)
        third.ask(Arm(), exclusive=True, wait=True)
        await asyncio.sleep(10)
        assert third.lease is None and third.error is None and not having.done()
        await gripper.leave()
        await having
        await third.answer(5.0)
        assert third.value.device == "right_arm" and not left.told

    in_world(scene)


def test_two_arms_are_taken_together_or_not_at_all(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        (both,) = await world.stage.come(1)
        async with both.registrar.request_all(Arm("left"), Arm("right"), exclusive=True) as leases:
            assert [lease.value.device for lease in leases] == ["left_arm", "right_arm"]
        await asyncio.sleep(1)
        right = await world.asking(Arm("right"))
        seen = len(world.seen["left_arm"])
        with pytest.raises(ResourceUnavailable, match="is held by"):
            async with both.registrar.request_all(Arm("left"), Arm("right"), exclusive=True):
                raise AssertionError("one of them is somebody else's")
        await asyncio.sleep(1)
        assert not right.told
        assert all(not order.holder for _, order in world.seen["left_arm"][seen:]), "it was only reserved"
        assert (await world.asking(Arm("left"))).lease is not None

    in_world(scene)


def test_a_generation_never_comes_again(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        generations: list[int] = []
        for request in (Arm("left"), Arm(), Motion("left_arm"), Arm("left")):
            client = await world.asking(request)
            await keep(client, FAR, 0.1, number=len(generations) + 100)
            state = world.state("left_arm")
            assert state.following == len(generations) + 100, "its loop has taken it for a former one"
            generations.append(state.generation)
            await client.leave()
            await asyncio.sleep(16)
            assert world.manager.registrar.snapshot().is_empty
        assert generations == sorted(set(generations))

    in_world(scene)


def test_what_is_no_command_harms_nobody_and_is_told_once(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await world.asking(Motion("left_arm"))
        assert client.lease is not None
        for payload in (b"", b"\xc1", b"\x93\x01\x02", bytes(60_000), b"\x92\x01\x81\xa4type\xa4jump"):
            client.lease.send(payload)
        await asyncio.sleep(0.2)
        assert client.severities == ("WARNING",) and "is none" in client.told[0].status.message
        want(client, MoveGripper(0.05))
        await asyncio.sleep(0.1)
        state = world.state("left_arm")
        assert (state.refused_number, state.refusal) == (1, "MoveGripper was sent to an arm")
        want(client, TrackJoints((float("nan"), 0.0, 0.0, -2.0, 0.0, 1.5, 0.0)), number=2)
        await asyncio.sleep(0.1)
        assert world.state("left_arm").refused_number == 2 and not moved(world)

    in_world(scene)


@pytest.mark.parametrize("request_", [Motion("left_arm"), Arm("left")])
def test_who_only_watches_moves_nothing(in_world: InWorld, request_: Motion | Arm) -> None:
    async def scene(world: PlayedWorld) -> None:
        watcher = await world.asking(request_, exclusive=False)
        with pytest.raises(LeaseError, match="exclusive=True"):
            want(watcher, FAR)
        await asyncio.sleep(1)
        assert watcher.lease is not None and not moved(world)
        holder = await world.asking(request_)
        want(holder, FAR, number=5)
        with pytest.raises(LeaseError, match="exclusive=True"):
            want(watcher, FAR, number=6)
        await asyncio.sleep(0.1)
        assert world.state("left_arm").following == 5
        assert 6 not in [order.wanted.number for _, order in world.seen["left_arm"] if order.wanted]

    in_world(scene)


def test_a_client_that_is_cut_off_is_stopped_for(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await world.asking()
        await keep(client, FAR, 0.5)
        cut_s = now_s()
        world.stage.network.cut(client.registrar.name)
        while moved(world):
            await asyncio.sleep(0.01)
        assert now_s() - cut_s <= 0.3
        await asyncio.sleep(1)
        assert client.severities == ("FATAL",)
        assert (await world.asking()).lease is not None

    in_world(scene)


def test_the_emergency_stop_ends_every_right_to_move(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await world.asking()
        await keep(client, FAR, 0.3)
        world.stop = MotionStop(emergency=True, reason="a test", token=5)
        await asyncio.sleep(0.1)
        assert isinstance(client.error, ResourceFailed)
        assert "the emergency stop has ended the motion of left_arm: it has to be asked for anew" in str(
            client.error
        )
        refused = await world.asking()
        assert "left_arm does not move: emergency stop: a test" in str(refused.error)
        world.stop = MotionStop(token=5)
        await asyncio.sleep(1)
        assert not moved(world), "lifting it moves nothing"
        again = await world.asking()
        await keep(again, FAR, 0.3, number=9)
        assert moved(world)

    in_world(scene)


def test_a_stop_that_was_lifted_at_once_ends_it_too(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await world.asking()
        await keep(client, FAR, 0.3)
        world.stop = MotionStop(token=5)  # made and lifted between two looks
        await asyncio.sleep(0.1)
        assert isinstance(client.error, ResourceFailed) and "asked for anew" in str(client.error)

    in_world(scene)


def test_everything_fails_with_the_world_and_works_with_the_next(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await world.asking()
        await keep(client, FAR, 0.3)
        died_s = now_s()
        world.die()  # no report will ever say that it stands still
        await asyncio.sleep(0.05)
        assert client.severities == ("FATAL",) and client.told[0].at_s - died_s <= 0.05
        assert isinstance(client.error, ResourceFailed)
        assert [hop.registrar for hop in client.error.hops] == [
            "process_manager",
            *["controller_manager"] * 4,
        ]
        again = await world.asking()
        assert again.granted_at_s - died_s <= 1.0
        await asyncio.sleep(0.3)
        assert not moved(world), "the new loop has found the old one's orders"
        await keep(again, FAR, 0.3, number=3)
        assert world.state("left_arm").following == 3

    in_world(scene)


def test_grippers_and_the_base_are_asked_for_in_the_same_way(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        gripper, base = await world.asking(Gripper()), await world.asking(Base())
        assert gripper.value.max_width_m == pytest.approx(0.08) and base.value.guards == ("front_lidar",)
        await keep(gripper, MoveGripper(0.02), 1.0)
        assert world.state("left_gripper").done == 1 and not world.state("left_gripper").outcome
        right = await world.asking(Gripper("right"))
        assert "there is no right gripper; there is the left gripper" in str(right.error)

    in_world(scene)


def test_a_world_that_hands_over_nonsense_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        stage.launcher.set_script(f"world {WORLD}", Script(0.2, b"nonsense"))
        await stage.enter(ControllerManager(stage.transport, ROBOT, DRIVERS, stage.folder, clock=stage.clock))
        client = await asking(stage, Simulation(WORLD), exclusive=False)
        assert "became ready with b'nonsense', which is no SimulationHandle" in str(client.error)

    play(scene)


def test_what_there_is_not_is_refused_in_words(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        await world.open()
        for request, words in (
            (Simulation("moon"), "the world 'moon' is not simulated here; what is, is 'inspection'"),
            (Arm("third"), "there is no third arm; there are the left arm and the right arm"),
            (Motion("leg"), "tester has no arm, gripper or base 'leg'; it has left_arm, right_arm,"),
        ):
            assert words in str((await asking(stage, request)).error)
        world.end()

    async def on_hardware(stage: Stage) -> None:
        world = PlayedWorld(stage, RobotDescription("bare", ()))
        await world.open()
        for request, words in (
            (Simulation("inspection"), "this installation runs on hardware"),
            (Arm(), "this robot has no arm"),
        ):
            assert words in str((await asking(stage, request)).error)
        world.end()

    play(scene)
    play(on_hardware)


def test_a_device_that_is_described_wrongly_harms_no_other(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        left, *others = ROBOT.devices
        wrong = msgspec.structs.replace(left, parameters={"stop": "perhaps"}, place=Place("robot.yaml", 7))
        world = PlayedWorld(stage, msgspec.structs.replace(ROBOT, devices=(wrong, *others)))
        await world.open()
        refused = await asking(stage, Arm("left"))
        assert "left_arm (robot.yaml:7): simulated_arm: stop = 'perhaps' will not do" in str(refused.error)
        assert (await asking(stage, Arm())).value.device == "right_arm"
        world.end()

    play(scene)
