"""What ROS sees of us, without ROS: a scripted bridge, a real supervisor, and what others should not say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from framework.status import Severity
from framework.supervisor import EventKind
from managers.ros_face import (
    CONFIRMED_AFTER_S,
    CONFIRMED_WITHIN_S,
    DIAGNOSTICS,
    INSTRUCT,
    MOST_STATUSES,
    MOST_TEXT,
    OLD_S,
    RESET,
    SAY,
    STATUS,
    STOP,
    STOPPABLE_S,
    RosFace,
    in_parts,
)
from resources.ros.bridging import Close, Open, Opened, Report, Told, definition_file
from resources.types import ros_clients
from resources.types.ros import RosBridge, RosOffer, RosTopic
from resources.types.ros_links import Asked, CancelAsked, Feedback, Reply, encode
from resources.types.ros_messages import RosMessages
from tests.faults.stage import Stage
from tests.framework.supervisor.desk import Desk
from tests.managers.test_ros_manager import Bridge

Play = Callable[[Any], None]
Seen = Callable[..., None]

STRING = (("std_msgs/msg/String", "string data"),)
TRIGGER = (
    ("std_srvs/srv/Trigger_Request", ""),
    ("std_srvs/srv/Trigger_Response", "bool success\nstring message"),
)
WALK = (
    ("pilothouse_msgs/action/Instruct_Goal", "string text\nstring who"),
    ("pilothouse_msgs/action/Instruct_Result", "bool succeeded\nstring words"),
    ("pilothouse_msgs/action/Instruct_Feedback", "string kind\nstring words"),
)
ARRAY = (
    ("diagnostic_msgs/msg/DiagnosticArray", "std_msgs/Header header\nDiagnosticStatus[] status"),
    (
        "diagnostic_msgs/msg/DiagnosticStatus",
        "byte level\nstring name\nstring message\nstring hardware_id\nKeyValue[] values",
    ),
    ("diagnostic_msgs/msg/KeyValue", "string key\nstring value"),
    ("std_msgs/msg/Header", "builtin_interfaces/Time stamp\nstring frame_id"),
    ("builtin_interfaces/msg/Time", "int32 sec\nuint32 nanosec"),
)
DEFINITIONS = {SAY.type: STRING, STOP.type: TRIGGER, INSTRUCT.type: WALK, DIAGNOSTICS.type: ARRAY}

OLD = 60.0
"""Age of what has lain in a ring while the main process stood still [s]."""


class Graph(Bridge):
    """The graph by script: links of the face's types, and others who say and ask."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.desk = Desk()
        self._asked = 0

    def tell(self, report: Report) -> None:
        if isinstance(report, Opened):
            link = next(order.link for order in reversed(self.all(Open)) if order.link.link == report.link)
            file = definition_file(self.stage.folder, report.link)
            file.write_bytes(msgspec.json.encode(DEFINITIONS[link.type]))
        super().tell(report)

    def links_of(self, request: RosTopic | RosOffer) -> list[Any]:
        """Those that are open now, the newest last."""
        closed = {order.link for order in self.all(Close)}
        return [
            order.link
            for order in self.all(Open)
            if order.link.name == request.name and order.link.link not in closed
        ]

    def is_open(self, request: RosTopic | RosOffer) -> bool:
        return bool(self.links_of(request))

    def come(self, request: RosTopic | RosOffer, payload: bytes, age_s: float = 0.0) -> None:
        """Something comes from the graph; or came so long ago."""
        ring = self.rings[self.links_of(request)[-1].ring]
        ring.write(payload, stamp_s=self.stage.clock.now_s() - age_s)

    def say(self, text: str, age_s: float = 0.0) -> None:
        self.come(SAY, RosMessages(STRING).encode(SAY.type, {"data": text}), age_s)

    async def ask(self, offer: RosOffer, age_s: float = 0.0) -> tuple[bool, str]:
        """Call one of the services; what it answers."""
        number = self.put(offer, age_s)
        await asyncio.sleep(0.1)
        (reply,) = self.replies(number)
        answer = RosMessages(TRIGGER).decode(f"{STOP.type}_Response", reply.data)
        return answer.success, answer.message

    def put(self, offer: RosOffer, age_s: float = 0.0) -> int:
        """A question, whose answer is not waited for."""
        self._asked += 1
        data = RosMessages(TRIGGER).encode(f"{STOP.type}_Request", {})
        self.come(offer, encode(Asked(self._asked, data)), age_s)
        return self._asked

    def set_goal(self, text: str, number: int, age_s: float = 0.0) -> None:
        goal = RosMessages(WALK).encode(f"{INSTRUCT.type}_Goal", {"text": text, "who": "them"})
        self.come(INSTRUCT, encode(Asked(number, goal)), age_s)

    def replies(self, number: int) -> list[Reply]:
        return [reply for reply in self.all(Reply) if reply.number == number]

    def end_of(self, number: int) -> tuple[str, str]:
        """How a goal has ended, and the words."""
        (reply,) = self.replies(number)
        return reply.outcome, RosMessages(WALK).decode(f"{INSTRUCT.type}_Result", reply.data).words

    def link_number(self, request: RosTopic | RosOffer) -> int:
        number: int = self.links_of(request)[-1].link
        return number


@pytest.fixture
def seen(play: Play, monkeypatch: pytest.MonkeyPatch) -> Seen:
    """Run a scene with a face that is wholly offered; by name, what the bridge refuses, and why."""
    monkeypatch.setattr(ros_clients, "LOOK_S", 0.02)  # so many looks cost real time

    def run(
        scene: Callable[[Graph], Coroutine[Any, Any, None]], refuses: dict[str, str] | None = None
    ) -> None:
        async def main(stage: Stage) -> None:
            graph = Graph(stage)
            graph.refuses = refuses or {}
            await graph.open()
            desk = graph.desk
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(desk.supervisor)
                face = await stage.enter(
                    RosFace(
                        stage.transport,
                        desk.supervisor,
                        desk.latch,
                        desk.bus,
                        lambda: [graph.manager.registrar.snapshot()],
                        "turtle",
                        stage.clock,
                        is_instructed=True,
                        monotonic_s=stage.clock.now_s,
                    )
                )

                async def hold() -> None:
                    async with face.registrar.request(RosBridge()) as bridge:
                        await face.serve(bridge)

                holding = asyncio.create_task(hold())
                stack.callback(holding.cancel)
                await asyncio.sleep(STOPPABLE_S + 1.0)
                await scene(graph)
                holding.cancel()
                await asyncio.wait([holding])
            await asyncio.sleep(5.0)
            graph.close()

        play(main)

    return run


def test_what_cannot_be_read_is_told_and_takes_nothing_else_away(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        graph.set_goal("stays", 77)
        graph.come(SAY, b"\x00\x01\x00\x00\x02\x00\x00\x00\xff\x00")
        graph.come(STOP, b"voodoo")
        graph.come(INSTRUCT, encode(Asked(78, b"voodoo")))
        graph.say("a")
        await asyncio.sleep(0.2)
        assert graph.desk.running == ["a", "stays"]
        assert graph.end_of(78)[0] == "aborted"
        words = [each for each in graph.desk.texts(EventKind.ERROR) if "cannot be read" in each]
        names = {each.partition(" cannot be read: ")[2].partition(":")[0] for each in words}
        assert len(words) == 3 and names == {SAY.name, STOP.name, INSTRUCT.name}
        assert not graph.all(Close)
        assert (await graph.ask(STOP))[0] and graph.desk.latch.is_latched

    seen(scene)


def test_who_sends_much_that_cannot_be_read_is_told_of_at_times(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        for _ in range(120):
            graph.come(SAY, b"voodoo")
            await asyncio.sleep(0.1)
        words = [each for each in graph.desk.texts(EventKind.ERROR) if "cannot be read" in each]
        assert len(words) == 2 and "others before it" in words[1]

    seen(scene)


def test_a_part_that_cannot_be_had_is_told_once_and_the_others_are_there(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        assert all(graph.is_open(each) for each in (STOP, STATUS, SAY, RESET))
        await asyncio.sleep(20.0)
        graph.refuses.clear()
        await asyncio.sleep(90.0)
        assert graph.is_open(DIAGNOSTICS) and graph.is_open(INSTRUCT)
        for part, kind in ((DIAGNOSTICS, EventKind.ERROR), (INSTRUCT, EventKind.DEVICE)):
            (words,) = [each for each in graph.desk.texts(kind) if part.name in each]
            assert "is not offered in ROS" in words and "that type is not installed" in words

    missing = "that type is not installed"
    seen(scene, {DIAGNOSTICS.name: missing, INSTRUCT.name: missing})


def test_what_cannot_be_stopped_from_there_is_not_instructed_from_there(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        graph.set_goal("stays", 77)
        await asyncio.sleep(0.2)
        assert graph.desk.running == ["stays"]
        graph.refuses[STOP.name] = "somebody else serves it"
        graph.tell(Told(graph.link_number(STOP), Severity.FATAL, "somebody else serves it"))
        await asyncio.sleep(1.0)
        assert graph.desk.running == []
        assert not any(graph.is_open(each) for each in (SAY, RESET, INSTRUCT))
        assert graph.is_open(STATUS) and graph.is_open(DIAGNOSTICS)
        (words,) = [each for each in graph.desk.texts(EventKind.ERROR) if STOP.name in each]
        assert "somebody else serves it" in words
        graph.refuses.clear()
        await asyncio.sleep(20.0 + STOPPABLE_S)
        assert all(graph.is_open(each) for each in (STOP, SAY, RESET, INSTRUCT))

    seen(scene)


def test_a_mistake_of_ours_is_told_to_who_asked_and_costs_no_part(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(graph: Graph) -> None:
        def crash() -> str:
            raise ZeroDivisionError("scripted")

        monkeypatch.setattr(graph.desk.supervisor, "what_is_done", crash)
        success, words = await graph.ask(STATUS)
        assert not success and "ZeroDivisionError" in words
        assert not graph.all(Close)

    seen(scene)


def test_what_was_said_long_ago_is_refused_unless_it_is_a_stop(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        graph.say("stays", OLD)
        graph.set_goal("a", 77, OLD)
        graph.say("b", OLD_S - 0.5)
        await asyncio.sleep(0.2)
        assert graph.desk.running == ["b"]
        (words,) = graph.desk.texts(EventKind.REFUSED)
        assert words.startswith('"stays" came from ROS 60.0 s ago') and "say it again" in words
        assert graph.end_of(77)[0] == "aborted" and "60.0 s ago" in graph.end_of(77)[1]
        graph.say("stop", OLD)
        await asyncio.sleep(0.2)
        assert graph.desk.running == []
        number = graph.put(STOP, OLD)
        await asyncio.sleep(0.2)
        assert graph.desk.latch.is_latched and len(graph.replies(number)) == 1

    seen(scene)


def test_a_long_instruction_is_refused_whole(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        graph.say("a" * (MOST_TEXT + 1))
        await asyncio.sleep(0.2)
        assert graph.desk.words.asked == 0
        assert "1000 are allowed" in graph.desk.texts(EventKind.REFUSED)[0]

    seen(scene)


def test_a_reset_is_asked_for_twice_for_the_same_stop(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        latch = graph.desk.latch
        assert await graph.ask(RESET) == (False, "the emergency stop is not set")
        await asyncio.sleep(CONFIRMED_AFTER_S + 1.0)
        await graph.ask(STOP)
        success, words = await graph.ask(RESET)
        assert not success and "the emergency stop is set (stopped from ROS)" in words
        await asyncio.sleep(CONFIRMED_AFTER_S)
        latch.latch("another one")
        success, words = await graph.ask(RESET)
        assert not success and "(another one)" in words and latch.is_latched
        await asyncio.sleep(CONFIRMED_AFTER_S)
        assert (await graph.ask(RESET))[0] and not latch.is_latched

    seen(scene)


def test_who_repeats_at_once_or_much_later_has_looked_at_nothing(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        await graph.ask(STOP)
        for _ in range(20):
            assert not (await graph.ask(RESET))[0]
        assert "so soon nobody has looked" in (await graph.ask(RESET))[1]
        await asyncio.sleep(CONFIRMED_WITHIN_S + 0.1)
        assert "look whether the robot is clear" in (await graph.ask(RESET))[1]
        assert graph.desk.latch.is_latched

    seen(scene)


def test_resets_that_lay_while_we_stood_still_do_not_count(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        await graph.ask(STOP)
        for age_s in (OLD, OLD - CONFIRMED_AFTER_S - 1.0):
            number = graph.put(RESET, age_s)
            await asyncio.sleep(0.1)
            assert len(graph.replies(number)) == 1
        assert graph.desk.latch.is_latched
        assert "is too old" in (await graph.ask(RESET, OLD))[1]
        # Who asks again before there is an answer does not know what is to be looked at.
        graph.put(RESET, 1.9)
        graph.put(RESET, 0.1)
        await asyncio.sleep(0.1)
        assert graph.desk.latch.is_latched
        await asyncio.sleep(CONFIRMED_AFTER_S + 0.5)
        assert not (await graph.ask(RESET, 1.0))[0]
        await asyncio.sleep(CONFIRMED_AFTER_S)
        assert (await graph.ask(RESET))[0]

    seen(scene)


def test_a_goal_is_followed_and_its_plan_ends_with_it(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        graph.set_goal("b", 77)
        await asyncio.sleep(0.2)
        assert graph.desk.running == ["b"] and graph.all(Feedback)
        graph.come(INSTRUCT, encode(CancelAsked(77)))
        await asyncio.sleep(0.5)
        assert graph.desk.running == [] and graph.end_of(77) == ("canceled", "given up in ROS")

    seen(scene)


def test_goals_of_a_bridge_that_died_are_given_up(seen: Seen) -> None:
    async def scene(graph: Graph) -> None:
        graph.set_goal("b", 77)
        await asyncio.sleep(0.2)
        graph.orders.clear()
        graph.life.die()
        await asyncio.sleep(3.0)
        assert graph.desk.running == []
        assert "was started again" in graph.end_of(77)[1]
        graph.set_goal("c", 77)
        await asyncio.sleep(0.2)
        assert graph.desk.running == ["c"]
        assert (await graph.ask(STOP))[0]

    seen(scene)


def test_many_statuses_go_out_in_parts() -> None:
    parts = in_parts([{}] * (2 * MOST_STATUSES + 1))
    assert [len(part) for part in parts] == [MOST_STATUSES, MOST_STATUSES, 1]
    assert in_parts([]) == [[]]
