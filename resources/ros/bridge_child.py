"""The bridge: topics, services and actions of the ROS 2 graph as links, in one process under rclpy.

It decodes nothing and decides nothing, but for one thing: while the emergency stop is latched, or the
supervisor's heartbeat is missing, nothing goes out that could move anything, and goals are given up.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import MalformedMessage, PilothouseError
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.status import Severity
from framework.transport.run_directory import RunDirectory
from framework.unreadable import UNREADABLE
from resources.children.failing import Fail, FailMode, die, hang
from resources.children.safety import Safety
from resources.ros import links
from resources.ros.bridging import (
    MOST_BYTES,
    AnyLink,
    BridgeArguments,
    Close,
    Closed,
    Halt,
    Halted,
    Open,
    Opened,
    Order,
    Refused,
    Report,
    Told,
    TopicIn,
    decode_order,
    encode,
)
from resources.ros.growing_ring import GrowingRing
from resources.ros.messages import definition_of
from resources.ros.participant import Participant
from resources.types.streams import StreamFormat, StreamHandle

_TURN_S: Final = 0.02
_REPORTS: Final = 256
_NEWS: Final = 256
_MESSAGES: Final = 16

_decode_fail: Final = msgspec.msgpack.Decoder(Fail).decode


def main(child: Child, arguments: BridgeArguments) -> None:
    """Carry links until told to stop. Raises PluginUnavailable, SharedMemoryFull, InstallationError."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        emergency = EmergencyStop.attach(directory.path)
        stack.callback(emergency.close)
        participant = stack.enter_context(Participant(child, "bridge"))
        reports = GrowingRing(directory.path, arguments.stream, slots=_REPORTS, most_bytes=MOST_BYTES)
        stack.callback(reports.close)
        safety = Safety(emergency, heartbeat_timeout_s=arguments.heartbeat_timeout_s)
        bridge = Bridge(participant, directory.path, reports, safety)
        stack.callback(bridge.close)
        stream = StreamHandle(arguments.stream, str(reports.path), StreamFormat.REPORT)
        child.ready(msgspec.json.encode(stream))
        while not participant.spin(_TURN_S):
            for payload in child.commands():
                bridge.take(payload)
            bridge.turn(time.monotonic())
        bridge.leave(participant)


class Bridge:
    """All links of it."""

    def __init__(
        self, participant: Participant, directory: Path, reports: GrowingRing, safety: Safety
    ) -> None:
        self._participant = participant
        self._directory = directory
        self._reports = reports
        self._safety = safety
        self._links: dict[int, links.LinkEnd] = {}
        self._closing: dict[int, float] = {}
        self._halting: dict[int, float] = {}
        self._halted = ""

    def take(self, payload: bytes) -> None:
        """An order, as bytes; what is none is left out, and told."""
        try:
            order = decode_order(payload)
        except UNREADABLE as error:
            self._fail(payload, str(error))
            return
        link = order.link.link if isinstance(order, Open) else order.link
        try:
            self._obey(order)
        except PilothouseError as error:
            self._report(Refused(link, error.why))

    def turn(self, now_s: float) -> None:
        """Look after all links."""
        stop = self._safety.look(now_s)
        self._halted = stop.words
        for number, end in list(self._links.items()):
            end.turn(now_s, self._halted)
            words = "" if end.is_done else f"{end.link.name}: what was begun has not ended in time"
            if number in self._halting and (end.is_done or now_s >= self._halting[number]):
                del self._halting[number]
                self._report(Halted(number, words))
            if number in self._closing and (end.is_done or now_s >= self._closing[number]):
                self._close(number, words)

    def leave(self, participant: Participant) -> None:
        """On the way out: goals are given up, and their ends waited for, shortly."""
        for end in self._links.values():
            end.give_up("the bridge ends")
        until_s = time.monotonic() + 0.5
        while time.monotonic() < until_s and not all(end.is_done for end in self._links.values()):
            participant.turn(_TURN_S)

    def close(self) -> None:
        """Leave all names; idempotent."""
        for number in list(self._links):
            self._close(number)

    def _obey(self, order: Order) -> None:
        if isinstance(order, Open):
            self._open(order.link)
            return
        end = self._links.get(order.link)
        if end is None:
            raise MalformedMessage(f"there is no link {order.link}")
        if isinstance(order, Close | Halt):
            end.give_up("it was given back")
            waiting = self._closing if isinstance(order, Close) else self._halting
            waiting[order.link] = time.monotonic() + order.within_s
            return
        end.obey(order.order, self._halted)

    def _open(self, link: AnyLink) -> None:
        number = link.link
        if number in self._links:
            raise MalformedMessage(f"there is a link {number} already")
        definition = definition_of(*links.parts(link))
        ring = None
        if link.ring:
            slots = _MESSAGES if isinstance(link, TopicIn) else _NEWS
            ring = GrowingRing(self._directory, link.ring, slots=slots, most_bytes=MOST_BYTES)
        try:
            self._links[number] = links.made(
                self._participant,
                link,
                ring,
                lambda severity, words: self._report(Told(number, severity, words)),
            )
        except BaseException:
            if ring is not None:
                ring.close()
            raise
        self._report(Opened(number, definition))

    def _close(self, number: int, words: str = "") -> None:
        end = self._links.pop(number)
        self._closing.pop(number, None)
        self._halting.pop(number, None)
        end.close()
        if end.ring is not None:
            end.ring.close()
        self._report(Closed(number, words))

    def _report(self, report: Report) -> None:
        self._reports.write(encode(report), stamp_s=time.monotonic())

    def _fail(self, payload: bytes, why: str) -> None:
        """To fail is the one order that is no link's."""
        try:
            how = _decode_fail(payload).how
        except UNREADABLE:
            words = f"an order of {len(payload)} bytes is none: {why}"
            self._participant.child.status(Severity.WARNING, words)
            return
        if how is FailMode.DIE:
            die()
        hang()
