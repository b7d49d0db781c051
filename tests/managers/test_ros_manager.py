"""The ROS manager without ROS: a bridge that is scripted, late orders, restarts, and what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from framework.errors import PluginUnavailable
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import Sink
from framework.status import Severity
from framework.testing.children import ScriptedLife
from managers.ros_links import ENDED_WITHIN_S, OPENED_WITHIN_S
from managers.ros_manager import RosManager
from resources.robots.description import RosDescription
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
from resources.ros.environment import Candidate, RosInstallation
from resources.ros.growing_ring import GrowingRing
from resources.ros.library import Found
from resources.types.ros import RosAction, RosDomain, RosOffer, RosService, RosTopic
from resources.types.ros_links import CancelGoal, Send, SetGoal, encode
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta
from tests.faults.stage import Stage
from tests.managers.test_sensor_manager import having

Play = Callable[[Any], None]

DEFINITION = (("std_msgs/msg/String", "string data"),)
SCAN = RosTopic("/scan", "std_msgs/msg/String", rate_hz=10.0)
OUT = RosTopic("/out", "std_msgs/msg/String", outward=True)
WALK = RosAction("/walk", "a_msgs/action/Walk")


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

    async def open(self) -> RosManager:
        found = RosInstallation(
            Candidate("/usr/bin/python3", "here"), Found("9.1.2", "kilted", "rmw", "3.12")
        )
        self.manager = await self.stage.enter(
            RosManager(
                self.stage.transport,
                RosDescription(domain=3),
                self.stage.folder,
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
            ring = self.rings["ros_bridge"] = GrowingRing(
                self.stage.folder, "ros_bridge", slots=64, most_bytes=1 << 20
            )
            return msgspec.json.encode(StreamHandle("ros_bridge", str(ring.path), StreamFormat.REPORT))

        life.before_ready = made
        life.on_command = self._obey

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
                    self.rings[link.ring] = GrowingRing(
                        self.stage.folder, link.ring, slots=8, most_bytes=1 << 20
                    )
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
