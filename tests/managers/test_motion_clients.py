"""`await arm.move_to(pose)`: what comes of it when all goes well, and when it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from framework.errors import MotionFailed, ResourceFailed
from framework.plugins.client import client_for
from framework.registrar import Lease
from resources.children.failing import FailMode
from resources.controllers.base_guard import BaseGuard, Ruling
from resources.controllers.loop import MotionStop
from resources.types.arms import Arm, ArmState, Base, Gripper
from resources.types.motion import ORDER_LAPSES_S, ORDER_PERIOD_S, TARGET_LAPSES_S, MotionCommand, MoveJoints
from resources.types.motion_clients import ArmClient, ArmStateClient, BaseClient, GripperClient
from tests.faults.stage import Client, Stage, now_s
from tests.managers.scripted_world import InWorld, PlayedWorld, asking
from tests.managers.test_controller_manager import FAR, moved

Play = Callable[[Any], None]


def client_of(holder: Client) -> Any:
    lease = holder.lease
    assert isinstance(lease, Lease), holder.error
    return client_for(type(lease.request).__name__.lower(), lease.request, lease)


async def an_arm(stage: Stage) -> tuple[PlayedWorld, Client, ArmClient]:
    world = PlayedWorld(stage)
    await world.open()
    holder = await asking(stage, Arm("left"))
    return world, holder, client_of(holder)


def test_a_goal_is_reached_and_its_progress_told(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        told: list[float] = []
        began_s = now_s()
        await arm.move_joints(FAR.joints, speed=FAR.speed, progress=told.append)
        assert now_s() - began_s > 2.0
        assert told == sorted(told) and told[0] < 0.05 and told[-1] == 1.0 and len(told) > 50
        assert (await arm.state()).q == pytest.approx(FAR.joints)
        await arm.move_joints(FAR.joints)  # it is there already
        x, y, z, *turn = (await arm.state()).base_T_tool
        qx, qy, qz, qw = turn
        await arm.move_to((x, y, z - 0.1, qx, qy, qz, qw))
        assert (await arm.state()).base_T_tool[2] == pytest.approx(z - 0.1)
        orders = [order for _, order in world.seen["left_arm"] if order.stamp is not None]
        assert len({order.wanted.number for order in orders if order.wanted}) == 3
        arm.end()
        world.end()

    play(scene)


def test_what_is_refused_fails_at_once_in_the_loop_s_words(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        began_s = now_s()
        with pytest.raises(MotionFailed, match="z of the workspace is 9"):
            await arm.move_to((0.3, 0.0, 9.0, 0.0, 0.0, 0.0, 1.0))
        with pytest.raises(MotionFailed, match="joint 4 is nan"):
            await arm.move_joints((0.0, 0.0, 0.0, float("nan"), 0.0, 1.5, 0.0))
        assert now_s() - began_s < 0.1
        await arm.move_joints(FAR.joints, speed=1.0)
        arm.end()
        world.end()

    play(scene)


def test_who_gives_up_waiting_stops_the_arm(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        moving = asyncio.create_task(arm.move_joints(FAR.joints, speed=FAR.speed))
        await asyncio.sleep(0.5)
        moving.cancel()
        with suppress(asyncio.CancelledError):
            await moving
        cancelled_s = now_s()
        while moved(world):
            await asyncio.sleep(0.01)
        assert now_s() - cancelled_s <= ORDER_LAPSES_S + 0.03
        assert world.state("left_arm").outcome == "its orders ceased"
        arm.end()
        world.end()

    play(scene)


def test_what_is_passed_on_ages_from_when_it_was_given(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        mechanism = world.control("left_arm").loop.core.mechanism
        given: list[float] = []
        begin = mechanism.begin

        def noted(command: MotionCommand, given_s: float, at_s: float) -> None:
            given.append(given_s)
            begin(command, given_s, at_s)

        stage.patch.setattr(mechanism, "begin", noted)
        pose = (await arm.state()).base_T_tool
        source_s = stage.clock.now_s()  # then it hung, and whoever relays it does not notice
        for _ in range(20):
            arm.track_pose(pose, (0.1, 0.0, 0.0, 0.0, 0.0, 0.0), given_s=source_s)
            await asyncio.sleep(0.05)
        assert len(given) > 1 and max(given) - min(given) < 0.001, "all of the same moment"
        state = world.state("left_arm")
        assert "s old; 0.2 s are allowed" in state.refusal
        assert not moved(world)
        arm.track_twist((0.0,) * 6, given_s=stage.clock.now_s() - 0.1)
        arm.track_joints(FAR.joints, given_s=stage.clock.now_s() - 0.1)
        await asyncio.sleep(0.02)
        assert now_s() - given[-1] == pytest.approx(0.12, abs=0.02)
        world.end()

    play(scene)


def test_two_goals_at_once_are_told_apart(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        first = asyncio.create_task(arm.move_joints(FAR.joints, speed=FAR.speed))
        await asyncio.sleep(0.5)
        await arm.move_joints((0.5, 0.0, 0.0, -2.0, 0.0, 1.5, 0.8), speed=1.0)
        with pytest.raises(MotionFailed, match=r"another command took its place|ended this command already"):
            await first
        arm.end()
        world.end()

    play(scene)


def test_a_reflex_ends_the_lease_with_the_remedy_before_the_goal_fails_without(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, holder, arm = await an_arm(stage)
        moving = asyncio.create_task(arm.move_joints(FAR.joints, speed=FAR.speed))
        await asyncio.sleep(0.5)
        world.control("left_arm").fail(FailMode.REFLEX, now_s())
        reflex_s = now_s()
        await asyncio.sleep(0.1)
        assert isinstance(holder.error, ResourceFailed) and "recover the left arm" in str(holder.error)
        assert not moving.done(), "an action would have been ended by its lease first"
        with pytest.raises(MotionFailed, match="reflex"):
            await moving
        assert now_s() - reflex_s <= 0.3
        arm.end()
        world.end()

    play(scene)


def test_who_loses_the_arm_hears_so_before_the_goal_fails_also_where_news_take_their_time(play: Play) -> None:
    """The loop's report of a safe stop is in shared memory; the news of the loss may come over a network."""

    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        moving = asyncio.create_task(arm.move_joints(FAR.joints, speed=FAR.speed))
        await asyncio.sleep(0.5)
        mover = world.manager._motions.of("left_arm")
        assert mover is not None
        await mover.come_to_rest()
        await asyncio.sleep(0.1)
        assert not moved(world) and not moving.done(), "an action would have been told of its loss first"
        with pytest.raises(MotionFailed, match="come to rest") as ended:
            await moving
        assert not ended.value.passes
        arm.end()
        world.end()

    play(scene)


def test_a_stop_for_want_of_a_heartbeat_fails_the_goal_and_leaves_the_lease(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, holder, arm = await an_arm(stage)
        moving = asyncio.create_task(arm.move_joints(FAR.joints, speed=FAR.speed))
        await asyncio.sleep(0.5)
        world.stop = MotionStop(alone=True)
        with pytest.raises(MotionFailed, match="heartbeat is missing") as ended:
            await moving
        assert ended.value.passes
        world.stop = MotionStop()
        await asyncio.sleep(0.5)
        assert not moved(world) and holder.lease is not None and not holder.told
        await arm.move_joints(FAR.joints, speed=1.0)
        arm.end()
        world.end()

    play(scene)


def test_a_hand_is_followed_on_after_a_stop_that_passes_by_itself_and_not_after_a_reflex(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        following = asyncio.create_task(arm.follow("ring", "me"))
        await asyncio.sleep(0.5)
        was = world.state("left_arm").following
        assert was
        world.stop = MotionStop(alone=True)
        await asyncio.sleep(1.0)
        assert not world.state("left_arm").following
        assert not following.done()
        world.stop = MotionStop()
        await asyncio.sleep(0.5)
        assert world.state("left_arm").following > was
        assert world.state("left_arm").engaged == 0
        world.control("left_arm").fail(FailMode.REFLEX, now_s())
        with pytest.raises(MotionFailed, match="reflex") as ended:
            await following
        assert not ended.value.passes
        arm.end()
        world.end()

    play(scene)


def test_what_goes_on_ends_with_its_reason(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        guiding = asyncio.create_task(arm.guide())
        await asyncio.sleep(2.0)
        assert world.state("left_arm").mode == "guide" and not guiding.done()
        await arm.move_joints(FAR.joints, speed=1.0)
        with pytest.raises(MotionFailed, match=r"another command took its place|ended this command already"):
            await guiding
        holding = asyncio.create_task(arm.hold())
        await asyncio.sleep(0.2)
        world.stop = MotionStop(alone=True)
        with pytest.raises(MotionFailed, match="heartbeat is missing"):
            await holding
        arm.end()
        world.end()

    play(scene)


def test_a_loop_that_takes_nothing_up_is_found_out(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        world.stands_still = True
        with pytest.raises(MotionFailed, match="arm has not taken up the order within 1 s"):
            await arm.move_joints(FAR.joints)
        arm.end()
        world.end()

    play(scene)


def test_streamed_targets_move_it_while_they_come(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        start = (await arm.state()).base_T_tool
        number = 0
        for _ in range(20):
            number = arm.track_twist((0.1, 0.0, 0.0, 0.0, 0.0, 0.0))
            await asyncio.sleep(ORDER_PERIOD_S)
        assert world.state("left_arm").following == number
        await asyncio.sleep(TARGET_LAPSES_S + 0.03)
        state = world.state("left_arm")
        assert state.is_at_rest and (state.done, state.outcome) == (number, "its targets ceased")
        assert (await arm.state()).base_T_tool[0] - start[0] == pytest.approx(0.105, abs=0.01)
        arm.end()
        world.end()

    play(scene)


def test_numbers_of_two_holders_differ(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, holder, arm = await an_arm(stage)
        await arm.move_joints(FAR.joints, speed=1.0)
        arm.end()
        await holder.leave()
        await asyncio.sleep(0.5)
        second = client_of(await asking(stage, Arm("left")))
        began_s = now_s()
        await second.move_joints((0.0, 0.0, 0.0, -2.0, 0.0, 1.5, 0.8), speed=0.5)
        assert now_s() - began_s > 0.3, "it took the former one's report for its own"
        lease = second.lease
        second.put(None)
        second.put(lease)
        assert second.wish(MoveJoints(FAR.joints)) > 0
        second.end()
        world.end()

    play(scene)


def test_a_gripper_and_a_base_have_their_own_words(
    in_world: InWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    # There are no sensors on this stage, and without scans a base drives nowhere.
    monkeypatch.setattr(BaseGuard, "rule", lambda *_: Ruling(1.0))

    async def scene(world: PlayedWorld) -> None:
        gripper: GripperClient = client_of(await world.asking(Gripper()))
        await gripper.open()
        assert (await gripper.state()).width_m == pytest.approx(gripper.max_width_m)
        await gripper.close()
        assert (await gripper.state()).width_m == pytest.approx(0.0)
        await gripper.open(0.05)
        with pytest.raises(MotionFailed, match="nothing between the fingers"):
            await gripper.grasp()
        base: BaseClient = client_of(await world.asking(Base()))
        await base.move_to(0.4, 0.2, 1.0)
        assert (await base.state()).odometry == pytest.approx((0.4, 0.2, 1.0), abs=0.005)
        for _ in range(10):
            base.drive(turn=0.5)
            await asyncio.sleep(ORDER_PERIOD_S)
        assert (await base.state()).odometry[2] == pytest.approx(1.2, abs=0.05)  # it has to get going
        gripper.end()
        base.end()

    in_world(scene)


def test_who_reads_along_sees_what_the_mover_does(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world, _, arm = await an_arm(stage)
        reader: ArmStateClient = client_of(await asking(stage, ArmState("left"), exclusive=False))
        assert (await reader.first()).loop.mode == "hold"
        moving = asyncio.create_task(arm.move_joints(FAR.joints, speed=FAR.speed))
        await asyncio.sleep(0.5)
        sample = reader.latest()
        assert sample is not None and sample.loop.mode == "move"
        await moving
        world.stands_still = True
        world.control("left_arm").fail(FailMode.DIE, now_s())
        world.manager.plug_in("left_arm")
        world.control("left_arm").loop.before(world.stop, now_s())  # a new ring without a sample
        reader.end()
        arm.end()
        world.end()

    play(scene)
