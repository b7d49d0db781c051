"""The ROS manager without ROS: a bridge that is scripted, late orders, restarts, and what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from framework.errors import PluginUnavailable, ResourceHeld
from framework.interlock import Interlock, Loss, LossKind
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import Sink
from framework.status import Priority, ReasonKind, Severity
from framework.testing.children import ScriptedLife
from managers.ros_links import ENDED_WITHIN_S, OPENED_WITHIN_S
from managers.ros_manager import FOUND_WITHIN_S, LINKED_WITHIN_S, RosManager
from resources.robots.description import DeviceDescription, RosDescription
from resources.ros import bridging
from resources.ros.bridging import (
    ActionOut,
    Close,
    Closed,
    Halt,
    Halted,
    Open,
    Opened,
    Pass,
    Refused,
    Told,
    TopicIn,
)
from resources.ros.environment import LOOKED_WITHIN_S, TRIED_WITHIN_S, Candidate, RosInstallation
from resources.ros.growing_ring import GrowingRing
from resources.ros.library import Found
from resources.types.ros import COMMAND, RosAction, RosDomain, RosOffer, RosService, RosTopic
from resources.types.ros_links import CancelGoal, Send, SetGoal, encode
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta
from tests.faults.stage import Stage
from tests.managers.test_sensor_manager import having

Play = Callable[[Any], None]

DEFINITION = (("std_msgs/msg/String", "string data"),)
SCAN = RosTopic("/scan", "std_msgs/msg/String", rate_hz=10.0)
OUT = RosTopic("/out", "std_msgs/msg/String", outward=True)
WALK = RosAction("/walk", "a_msgs/action/Walk")
TWIST = "geometry_msgs/msg/Twist"
DRIVE = RosTopic("/cmd_vel", TWIST, outward=True)

LIDAR = DeviceDescription("front_lidar", "ros_lidar", "scan")
BASE = DeviceDescription("base", "ros_base", "base")
ARM = DeviceDescription("left_arm", "ros_arm", "arm", parameters={"commands": "arm/commands"})
GRIPPER = DeviceDescription("left_gripper", "ros_gripper", "gripper")


class Bridge:
    """A bridge by script: it opens what `refuses` does not name, and remembers orders."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.orders: list[bridging.Order] = []
        self.refuses: dict[str, str] = {}
        self.is_deaf = False
        self.goes_on = False
        self.rings: dict[str, GrowingRing] = {}
        self.manager: RosManager
        begin = stage.launcher._begin

        def born(spec: ProcessSpec, sink: Sink) -> ScriptedLife:
            life = begin(spec, sink)
            if spec.name == "ros_bridge":
                self._born(life)
            return life

        stage.patch.setattr(stage.launcher, "_begin", born)

    async def open(self, *devices: DeviceDescription, interlock: Interlock | None = None) -> RosManager:
        found = RosInstallation(
            Candidate("/usr/bin/python3", "here"), Found("9.1.2", "kilted", "rmw", "3.12")
        )
        self.manager = await self.stage.enter(
            RosManager(
                self.stage.transport,
                RosDescription(domain=3),
                self.stage.folder,
                devices=devices,
                interlock=interlock,
                find=lambda _: found,
                clock=self.stage.clock,
                monotonic_s=self.stage.clock.now_s,
            )
        )
        return self.manager

    @property
    def life(self) -> ScriptedLife:
        return self.stage.launcher.life("ros_bridge")

    def all(self, kind: type[Any]) -> list[Any]:
        """Orders of a kind, and what was passed on to links."""
        found = [order.order if isinstance(order, Pass) else order for order in self.orders]
        return [order for order in found if isinstance(order, kind)]

    def tell(self, report: bridging.Report) -> None:
        self.rings["ros_bridge"].write(bridging.encode(report), stamp_s=self.stage.clock.now_s())

    def close(self) -> None:
        for ring in self.rings.values():
            ring.close()

    def _born(self, life: ScriptedLife) -> None:
        def made() -> bytes:
            ring = self._ring("ros_bridge", 64)
            return msgspec.json.encode(StreamHandle("ros_bridge", str(ring.path), StreamFormat.REPORT))

        life.before_ready = made
        life.on_command = self._obey

    def _ring(self, name: str, slots: int) -> GrowingRing:
        """One that the present life's process has made: readers know a successor by that."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("os.getpid", lambda: self.life.pid)
            self.rings[name] = GrowingRing(self.stage.folder, name, slots=slots, most_bytes=1 << 20)
        return self.rings[name]

    def _obey(self, payload: bytes) -> None:
        order = bridging.decode_order(payload)
        self.orders.append(order)
        if self.is_deaf:
            return
        match order:
            case Open(link=link) if link.name in self.refuses:
                self.tell(Refused(link.link, self.refuses[link.name]))
            case Open(link=link):
                if link.ring:
                    self._ring(link.ring, 8)
                file = bridging.definition_file(self.stage.folder, link.link)
                file.write_bytes(msgspec.json.encode(DEFINITION))
                self.tell(Opened(link.link))
            case Close(link=number):
                self.tell(Closed(number))
            case Halt(link=number) if not self.goes_on:
                self.tell(Halted(number))


def test_links_share_one_bridge_that_is_there_while_they_are(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        scan, out = await having(stage, SCAN), await having(stage, OUT)
        assert scan.value.definition == out.value.definition == DEFINITION
        assert scan.value.stream is not None and out.value.stream is None
        assert len(stage.launcher.lives["ros_bridge"]) == 1
        opened = [order.link for order in bridge.all(Open)]
        assert [type(link).__name__ for link in opened] == ["TopicIn", "TopicOut"]
        await scan.leave()
        await out.leave()
        await asyncio.sleep(2.0)
        assert not bridge.life.is_alive
        bridge.close()

    play(scene)


@pytest.mark.parametrize("request_", [SCAN, WALK, RosService("/s", "a/srv/B"), RosOffer("/o", "a/action/B")])
def test_what_the_bridge_refuses_is_refused_in_its_words(play: Play, request_: Any) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        bridge.refuses[request_.name] = "that type is not installed"
        await bridge.open()
        client = await having(stage, request_)
        assert "that type is not installed" in str(client.error)
        bridge.close()

    play(scene)


def test_a_bridge_that_says_nothing_is_not_waited_for_for_ever(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        bridge.is_deaf = True
        await bridge.open()
        began_s = stage.clock.now_s()
        client = await having(stage, SCAN)
        assert f"did not open /scan within {OPENED_WITHIN_S:g} s" in str(client.error)
        assert stage.clock.now_s() - began_s < OPENED_WITHIN_S + 2.0
        bridge.close()

    play(scene)


def test_without_rclpy_it_is_said_what_to_do(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        def nowhere(_: str) -> RosInstallation:
            raise PluginUnavailable("ROS 2", "no interpreter has rclpy: make ros")

        await stage.enter(
            RosManager(stage.transport, RosDescription(), stage.folder, find=nowhere, clock=stage.clock)
        )
        for request in (RosDomain(), SCAN):
            client = await having(stage, request)
            assert "no interpreter has rclpy: make ros" in str(client.error)

    play(scene)


def test_an_order_is_passed_on_with_its_time_and_what_is_none_is_told(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        (client,) = await stage.come(1)
        client.ask(OUT, exclusive=True)
        await client.answer()
        assert client.lease is not None
        client.lease.send(encode(Send(b"new")))
        said_s = stage.clock.now_s()
        client.lease.send(b"\xc1 voodoo")
        await asyncio.sleep(0.1)
        (passed,) = [order for order in bridge.orders if isinstance(order, Pass)]
        assert (passed.order, passed.sent_s) == (Send(b"new"), said_s)
        words = [told.status.message for told in client.told]
        assert any("an order that is none came" in each for each in words)
        await client.leave()
        await asyncio.sleep(5.0)
        bridge.close()

    play(scene)


def test_who_comes_next_waits_until_what_was_begun_has_ended(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        bridge.goes_on = True
        await bridge.open()
        first, second = await stage.come(2)
        first.ask(WALK, exclusive=True)
        await first.answer()
        second.ask(WALK, exclusive=True, wait=True)
        await asyncio.sleep(0.1)
        await first.leave()
        await asyncio.sleep(1.0)
        (halt,) = bridge.all(Halt)
        assert second.lease is None and second.error is None
        bridge.tell(Halted(halt.link))
        await second.answer()
        assert second.lease is not None
        bridge.goes_on = False
        await second.leave()
        await asyncio.sleep(5.0)
        bridge.close()

    play(scene)


def test_what_does_not_end_is_given_to_nobody(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        bridge.goes_on = True
        await bridge.open()
        first, second = await stage.come(2)
        first.ask(WALK, exclusive=True)
        await first.answer()
        second.ask(WALK, exclusive=True, wait=True)
        await asyncio.sleep(0.1)
        await first.leave()
        await second.answer(60.0)
        assert stage.clock.now_s() >= ENDED_WITHIN_S
        assert second.lease is None and second.error is not None
        bridge.close()

    play(scene)


def test_a_bridge_that_dies_has_its_links_again_without_what_was_had_and_with_goals_given_up(
    play: Play,
) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        (walker,) = await stage.come(1)
        walker.ask(WALK, exclusive=True)
        await walker.answer()
        scan = await having(stage, SCAN)
        bridge.rings["ros_link_2"].write(b"x", stamp_s=0.0, meta=encode_meta(SampleMeta(12.5)))
        assert walker.lease is not None
        walker.lease.send(encode(SetGoal(77, b"", 1.0, 9.0)))
        walker.lease.send(encode(CancelGoal(77)))
        await asyncio.sleep(0.1)
        bridge.orders.clear()
        bridge.life.die()
        await asyncio.sleep(2.0)
        walk, topic = (order.link for order in bridge.all(Open))
        assert isinstance(walk, ActionOut) and walk.orphans == (77,)
        assert isinstance(topic, TopicIn) and 12_500_000_000 <= topic.after_ns < 12_500_001_000
        assert scan.value.lives == walker.value.lives == 2
        assert scan.error is None and walker.error is None
        await walker.leave()
        await scan.leave()
        await asyncio.sleep(5.0)
        bridge.close()

    play(scene)


def test_what_is_told_of_a_link_reaches_who_holds_it_and_nobody_else(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        scan, out = await having(stage, SCAN), await having(stage, OUT)
        link = bridge.all(Open)[0].link.link
        bridge.tell(Told(link, Severity.ERROR, "no message for 0.31 s"))
        await asyncio.sleep(0.2)
        assert scan.severities == ("ERROR",) and out.severities == ()
        bridge.tell(Told(link, Severity.FATAL, "it is lost"))
        await asyncio.sleep(0.2)
        assert scan.error is not None and out.error is None
        await out.leave()
        await asyncio.sleep(5.0)
        bridge.close()

    play(scene)


def test_what_is_given_back_while_the_bridge_is_away_is_given_back_to_the_next_one(play: Play) -> None:
    """Else the next one would have it for good, and what was begun by it would go on."""

    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        (walker,) = await stage.come(1)
        walker.ask(WALK, exclusive=True)
        await walker.answer()
        other = await having(stage, SCAN)
        assert walker.lease is not None
        walker.lease.send(encode(SetGoal(77, b"", 1.0, 9.0)))
        await asyncio.sleep(0.05)
        bridge.life.die()
        await walker.leave()
        bridge.orders.clear()
        await asyncio.sleep(3.0)
        walk = next(order.link.link for order in bridge.all(Open) if isinstance(order.link, ActionOut))
        ends = [type(order).__name__ for order in bridge.orders if getattr(order, "link", None) == walk]
        assert ends[:1] == ["Halt"] and ends[-1] == "Close", ends
        await other.leave()
        await asyncio.sleep(5.0)
        bridge.close()

    play(scene)


def test_a_bridge_that_has_told_more_than_was_heard_is_not_trusted(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        scan = await having(stage, SCAN)
        for _ in range(200):
            bridge.tell(Refused(99, "nonsense"))
        await asyncio.sleep(0.5)
        assert scan.error is not None and "has told more than was heard" in str(scan.error)
        bridge.close()

    play(scene)


def test_it_is_looked_for_rclpy_for_less_than_its_load_may_take() -> None:
    assert LOOKED_WITHIN_S + TRIED_WITHIN_S < FOUND_WITHIN_S


# ---------------------------------------------------------------- who alone sends by a name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DRIVE, msgspec.structs.replace(DRIVE, qos=COMMAND)),
        (DRIVE, msgspec.structs.replace(DRIVE, rate_hz=10.0)),
        (DRIVE, msgspec.structs.replace(DRIVE, name="cmd_vel")),
        (DRIVE, msgspec.structs.replace(DRIVE, type="geometry_msgs/msg/TwistStamped")),
        (WALK, RosAction("walk", "a_msgs/action/Walk")),
        (WALK, RosAction("/walk", "b_msgs/action/Walk")),
    ],
)
def test_by_one_name_one_alone_sends_however_it_is_asked_for(play: Play, one: Any, other: Any) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        first, second, third = await stage.come(3)
        first.ask(one, exclusive=True)
        await first.answer()
        second.ask(other, exclusive=True)
        await second.answer()
        assert isinstance(second.error, ResourceHeld) and f"sending by {one.name}" in str(second.error)
        second.ask(other, exclusive=True, wait=True)
        await asyncio.sleep(1.0)
        assert second.lease is None and second.error is None
        bridge.orders.clear()
        await first.leave()
        await second.answer()
        assert second.value.name == one.name
        kinds = [type(each).__name__ for each in bridge.orders if not isinstance(each, Pass)]
        assert kinds[-2:] == ["Close", "Open"], "the last one's link is closed first"
        third.ask(one, exclusive=True, priority=Priority.OPERATOR)
        await third.answer()
        assert third.lease is not None and second.error is not None, "a person's hand takes it"
        for client in (second, third):
            await client.leave()
        await asyncio.sleep(10.0)
        bridge.close()

    play(scene)


def test_who_waits_for_a_name_does_so_for_longer_than_any_link_takes_to_be_opened(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        first, second = await stage.come(2)
        first.ask(DRIVE, exclusive=True)
        await first.answer()
        second.ask(msgspec.structs.replace(DRIVE, qos=COMMAND), exclusive=True, wait=True)
        await asyncio.sleep(LINKED_WITHIN_S + 1.0)
        assert second.lease is None and second.error is None
        await first.leave()
        await second.answer()
        await second.leave()
        await asyncio.sleep(5.0)
        bridge.close()

    play(scene)


def test_whoever_takes_a_name_waits_until_what_was_begun_by_it_has_ended(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        first, second = await stage.come(2)
        first.ask(WALK, exclusive=True)
        await first.answer()
        bridge.is_deaf = True
        began_s = stage.clock.now_s()
        second.ask(RosAction("walk", "b_msgs/action/Walk"), exclusive=True, priority=Priority.OPERATOR)
        await second.answer(60.0)
        assert first.error is not None
        assert second.error is not None and "says nothing of the end of /walk" in str(second.error)
        assert stage.clock.now_s() - began_s >= ENDED_WITHIN_S
        await asyncio.sleep(10.0)
        bridge.close()

    play(scene)


def test_what_moves_nothing_is_not_sent_beside_what_moves_nor_the_other_way_round(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        told = msgspec.structs.replace(DRIVE, name="cmd_vel", moves=False)
        mover, teller = await stage.come(2)
        mover.ask(DRIVE, exclusive=True)
        await mover.answer()
        teller.ask(told)
        await teller.answer()
        assert "by /cmd_vel something may move" in str(teller.error)
        await mover.leave()
        await asyncio.sleep(10.0)
        teller.ask(told)
        await teller.answer()
        assert teller.lease is not None
        mover.ask(DRIVE, exclusive=True)
        await mover.answer()
        assert "/cmd_vel is sent by with moves=False" in str(mover.error)
        other = await having(stage, OUT)
        assert other.lease is not None
        await teller.leave()
        await other.leave()
        await asyncio.sleep(10.0)
        bridge.close()

    play(scene)


@pytest.mark.parametrize(
    ("request_", "device"),
    [
        (DRIVE, "base"),  # the driver's default
        (msgspec.structs.replace(DRIVE, name="cmd_vel", moves=False), "base"),
        (RosTopic("/arm/commands", "std_msgs/msg/Float64MultiArray", outward=True), "left arm"),
        (RosAction("/gripper_controller/gripper_cmd", "control_msgs/action/GripperCommand"), "left gripper"),
    ],
)
def test_by_what_commands_a_device_of_the_robot_nobody_else_sends(
    play: Play, request_: Any, device: str
) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open(LIDAR, BASE, ARM, GRIPPER)
        (client,) = await stage.come(1)
        client.ask(request_, exclusive=True)
        await client.answer()
        assert f"the robot's {device} is commanded: ask for that device instead" in str(client.error)
        heard = await having(stage, RosTopic("/cmd_vel", TWIST))
        assert heard.lease is not None, "everybody may listen"
        await heard.leave()
        await asyncio.sleep(10.0)
        bridge.close()

    play(scene)


@pytest.mark.parametrize("name", ["~/cmd_vel", "{ns}/cmd_vel"])
def test_names_that_would_be_filled_in_are_not_sent_by(play: Play, name: str) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        await bridge.open()
        client = await having(stage, RosTopic(name, TWIST, outward=True))
        assert "has a part that is filled in" in str(client.error)
        bridge.close()

    play(scene)


# ---------------------------------------------------------------- the motion interlock


def reach(manager: Callable[[], RosManager]) -> Interlock:
    """As an installation has it: a robot whose devices could all hit each other."""
    return Interlock(lambda device: ("base", "left_arm", manager().device))


@pytest.mark.parametrize("devices", [(BASE, ARM), (ARM,), ()])
@pytest.mark.parametrize("request_", [WALK, RosTopic("/walk", TWIST, outward=True)])
def test_what_moves_by_itself_over_ros_needs_a_word_after_a_hand_was_lost(
    play: Play, request_: Any, devices: tuple[DeviceDescription, ...]
) -> None:
    async def scene(stage: Stage) -> None:
        bridge = Bridge(stage)
        interlock = reach(lambda: bridge.manager)
        await bridge.open(*devices, interlock=interlock)
        interlock.give_word("1", by="ann")
        holder, waiting, late, hand = await stage.come(4)
        holder.ask(request_, exclusive=True, permit=interlock.permit("1"))
        await holder.answer()
        waiting.ask(request_, exclusive=True, wait=True, permit=interlock.permit("1"))
        await asyncio.sleep(0.1)
        interlock.raise_for("left_arm", Loss(LossKind.HAND, "ann", "ann's hand was lost"))
        interlock.tell_rise()
        await asyncio.sleep(5.0)
        assert holder.error is not None and "ann's hand was lost" in str(holder.error)
        assert waiting.lease is None and waiting.error is not None
        late.ask(request_, exclusive=True, permit=interlock.permit("1"))
        await late.answer()
        assert late.error is not None
        assert late.error.reason.kind is ReasonKind.NEEDS_WORD  # type: ignore[attr-defined]
        assert interlock.awaited("1") is not None
        interlock.give_word("1", by="ann")
        late.ask(request_, exclusive=True, permit=interlock.permit("1"))
        await late.answer()
        assert late.lease is not None
        await late.leave()
        await asyncio.sleep(5.0)
        hand.ask(request_, exclusive=True, priority=Priority.OPERATOR)
        await hand.answer()
        assert hand.lease is not None, "a person's hand needs no word"
        before = interlock.epoch
        await hand.leave()
        await asyncio.sleep(5.0)
        assert interlock.epoch > before, "that hand is lost, too"
        assert interlock.since("base", interlock.permit("1")) is not None
        assert interlock.since("left_arm", interlock.permit("1")) is not None
        bridge.close()

    play(scene)
