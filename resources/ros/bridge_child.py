"""The bridge: topics, services and actions of the ROS 2 graph as links, in one process under rclpy.

It decodes nothing and decides nothing, but for one thing: while the emergency stop is latched, or the
supervisor's heartbeat is missing, nothing goes out that could move anything, and goals are given up.
"""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import MalformedMessage, PilothouseError, ResourceUnavailable
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.status import Severity
from framework.transport.run_directory import RunDirectory
from framework.unreadable import UNREADABLE
from resources.children.failing import Fail, FailMode, die, hang
from resources.children.safety import Safety
from resources.ros import links
from resources.ros.bridging import (
    MOST_AGE_S,
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
    definition_file,
    encode,
)
from resources.ros.growing_ring import GrowingRing
from resources.ros.link_end import LinkEnd
from resources.ros.messages import definition_of
from resources.ros.participant import Participant
from resources.types.ros_links import Call, Send, SetGoal
from resources.types.streams import StreamFormat, StreamHandle

_TURN_S: Final = 0.02
_REPORTS: Final = 256
_NEWS: Final = 256
_MESSAGES: Final = 16

_MOVING: Final = (Send, Call, SetGoal)
_LONGEST_WORDS: Final = 400

log = logging.getLogger("pilothouse.ros")

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
        self._links: dict[int, LinkEnd] = {}
        self._closing: dict[int, float] = {}
        self._halting: dict[int, float] = {}
        self._lingering: list[LinkEnd] = []

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
        except Exception as error:  # rclpy's, of several kinds: it is this link's, and harms no other
            log.exception("link %s", link)
            words = " ".join(str(error).split())[:_LONGEST_WORDS]
            self._report(Refused(link, f"rclpy will not have it ({type(error).__name__}): {words}"))

    def turn(self, now_s: float) -> None:
        """Look after all links."""
        halted = self._safety.look(now_s).words
        for end in [each for each in self._lingering if each.is_done]:
            self._lingering.remove(end)
            end.close()
        for end in self._lingering:
            end.turn(now_s, halted)
        for number, end in list(self._links.items()):
            end.turn(now_s, halted)
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
        while self._lingering:
            self._lingering.pop().close()

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
        now_s = time.monotonic()
        if isinstance(order.order, _MOVING) and now_s - order.sent_s > MOST_AGE_S:
            late_s = now_s - order.sent_s
            raise MalformedMessage(f"{end.link.name}: an order was {late_s:.2f} s old; it is dropped")
        # Looked at now, not in the last turn: it may have been set since.
        end.obey(order.order, self._safety.look(now_s).words)

    def _open(self, link: AnyLink) -> None:
        number = link.link
        if number in self._links:
            raise MalformedMessage(f"there is a link {number} already")
        for end in self._lingering:
            if end.link.name == link.name and type(end.link) is type(link):
                raise ResourceUnavailable(
                    f"{link.name}: what was begun before has not ended yet, though it was told to; that is "
                    "waited for"
                )
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
        definition_file(self._directory, number).write_bytes(msgspec.json.encode(definition))
        self._report(Opened(number))

    def _close(self, number: int, words: str = "") -> None:
        end = self._links.pop(number)
        self._closing.pop(number, None)
        self._halting.pop(number, None)
        definition_file(self._directory, number).unlink(missing_ok=True)
        if end.is_done:
            end.close()
        else:
            end.is_heard = False
            self._lingering.append(end)  # nobody hears of it any more, and nobody else has it meanwhile
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
