"""The bridge's end of each kind of link: rclpy on one side, the link's ring on the other.

All of it runs in one thread. Nothing is waited for: `turn` looks after what takes too long. `halt` is an
emergency stop, or a supervisor that is silent: nothing that could move anything is sent, and goals are given
up.
"""

from __future__ import annotations

import math
import time
from typing import Any, Final

import msgspec

from framework.errors import PilothouseError
from framework.status import Severity
from resources.ros.bridging import (
    ActionIn,
    ActionOut,
    AnyLink,
    ServiceIn,
    ServiceOut,
    TopicIn,
    TopicOut,
)
from resources.ros.goal_link import ActionOutEnd
from resources.ros.growing_ring import GrowingRing
from resources.ros.link_end import LinkEnd, Tell, message_of, serialised
from resources.ros.messages import parts_of, type_named
from resources.ros.participant import Participant
from resources.ros.served_links import ActionInEnd, ServiceInEnd
from resources.ros.silence import Silence
from resources.types.ros import STALE_AFTER_S, Qos, Reliability
from resources.types.ros_links import (
    Answered,
    Call,
    LinkOrder,
    Send,
)
from resources.types.streams import SampleMeta, encode_meta

FIRST_WITHIN_S: Final = 5.0
"""Where no message has come for so long, that is told [s]."""

_HAD_WITHIN_S: Final = 5.0
_FITS_WITHIN_S: Final = 10.0


class TopicInEnd(LinkEnd):
    """Messages as they come.

    Without a pace it is told once that none has come for a while, and why; with one each silence is, and a
    long one is the end of it.
    """

    link: TopicIn

    def __init__(self, participant: Participant, link: TopicIn, ring: GrowingRing, tell: Tell) -> None:
        super().__init__(participant, link, ring, tell)
        self._after_ns = link.after_ns
        self._ring = ring
        self._began_s = time.monotonic()
        self._is_missed = self._is_lost = False
        self._fits_until_s = self._began_s + _FITS_WITHIN_S if link.fits else -math.inf
        self._subscribe(link.qos)
        self._lost_after_s = max(STALE_AFTER_S, 5.0 / link.rate_hz) if link.rate_hz else math.inf

    def _subscribe(self, qos: Qos) -> None:
        self._qos = qos
        link = self.link
        self._connection = self.participant.subscribe_raw(link.name, link.type, qos, self._came)
        self._connection.tell(self.tell)
        self._silence = Silence(self._connection, link.rate_hz) if link.rate_hz else None

    def _fit(self, now_s: float) -> None:
        """Take reliably what is sent so: large messages come in pieces, of which others lose some."""
        offers = self._connection.offers() if now_s < self._fits_until_s else []
        if offers and all(each.reliability is Reliability.RELIABLE for each in offers):
            self._fits_until_s = -math.inf
            self._connection.close()
            self._subscribe(msgspec.structs.replace(self._qos, reliability=Reliability.RELIABLE))

    def turn(self, now_s: float, halted: str) -> None:
        """Say that it is silent."""
        self._fit(now_s)
        if self._connection.newest_s is None:
            if not self._is_missed and now_s >= self._began_s + FIRST_WITHIN_S:
                self._is_missed = True
                words = f"no message has come for {FIRST_WITHIN_S:g} s: {self._connection.why_silent()}"
                self.tell(Severity.WARNING, words)
            return
        if self._is_missed:
            self._is_missed = False
            self.tell(Severity.OK, f"{self.link.name} comes")
        if self._silence is None or self._is_lost:
            return
        if told := self._silence.look(now_s):
            self.tell(*told)
        if (silent_s := self._silence.silent_s(now_s)) > self._lost_after_s:
            self._is_lost = True
            self.tell(Severity.FATAL, f"{self.link.name}: no message for {silent_s:.2f} s")

    def close(self) -> None:
        """No more of them."""
        self._connection.close()

    def _came(self, data: bytes, sent_ns: int) -> None:
        # What is kept for those who come later was had before the bridge was started again; but clocks of
        # publishers differ, so that holds for the first moments only.
        if sent_ns <= self._after_ns and time.monotonic() < self._began_s + _HAD_WITHIN_S:
            return
        try:
            meta = encode_meta(SampleMeta(sent_ns / 1e9))
            self._ring.write(data, stamp_s=time.monotonic(), meta=meta)
        except PilothouseError as error:
            self.tell(Severity.ERROR, f"{self.link.name}: {error.why}")


class TopicOutEnd(LinkEnd):
    """Messages of ours."""

    link: TopicOut

    def __init__(self, participant: Participant, link: TopicOut, tell: Tell) -> None:
        super().__init__(participant, link, None, tell)
        self._withheld = ""
        self._connection = participant.publish(link.name, link.type, link.qos)
        self._connection.tell(tell)

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Publish."""
        if not isinstance(order, Send):
            super().obey(order, halted)
            return
        withheld = "" if self.link.is_told else halted
        if withheld != self._withheld:
            self._withheld = withheld
            words = f"nothing is published: {withheld}" if withheld else "it is published again"
            self.tell(Severity.WARNING if withheld else Severity.OK, f"{self.link.name}: {words}")
        if not withheld:
            self._connection.send(order.data)

    def turn(self, now_s: float, halted: str) -> None:
        """Say that it could be published again."""
        if self._withheld and not halted:
            self._withheld = ""
            self.tell(Severity.OK, f"{self.link.name} may be published again")

    def close(self) -> None:
        """No more of them."""
        self._connection.close()


class _Question:
    """One question to a service of theirs. future: what it will answer; None until it is asked."""

    def __init__(self, number: int, request: Any, within_s: float) -> None:
        self.number = number
        self.request = request
        self.within_s = within_s
        self.until_s = time.monotonic() + within_s
        self.future: Any = None


class ServiceOutEnd(LinkEnd):
    """A service of theirs: every question gets an answer in our ring, in its time."""

    link: ServiceOut

    def __init__(self, participant: Participant, link: ServiceOut, ring: GrowingRing, tell: Tell) -> None:
        super().__init__(participant, link, ring, tell)
        self._type = type_named(link.type, "srv")
        self._client = participant.named(
            participant.node.create_client, self._type, link.name, callback_group=participant.group
        )
        self._open: dict[int, _Question] = {}

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Ask."""
        if not isinstance(order, Call):
            super().obey(order, halted)
            return
        if halted and not self.link.is_told:
            self.news(Answered(order.number, words=f"nothing is asked: {halted}"))
            return
        question = _Question(order.number, message_of(order.data, self._type.Request), order.within_s)
        self._open[order.number] = question
        self._ask(question)

    def turn(self, now_s: float, halted: str) -> None:
        """Ask as soon as somebody offers it; who has waited for long enough is told why."""
        for question in list(self._open.values()):
            if now_s < question.until_s:
                self._ask(question)
                continue
            self._forget(question)
            there = "it is there, but does not answer" if question.future is not None else "nobody offers it"
            words = f"no answer within {question.within_s:g} s: {there}"
            self.news(Answered(question.number, words=words))

    def give_up(self, words: str) -> None:
        """Answers that are not there yet are of no use any more."""
        for question in list(self._open.values()):
            self._forget(question)

    def close(self) -> None:
        """Ask no more."""
        self.participant.node.destroy_client(self._client)

    def _ask(self, question: _Question) -> None:
        """What is asked before the server was found would be lost."""
        if question.future is None and self._client.service_is_ready():
            question.future = self._client.call_async(question.request)
            question.future.add_done_callback(lambda done: self._answered(question, done))

    def _forget(self, question: _Question) -> None:
        del self._open[question.number]
        if question.future is not None:
            self._client.remove_pending_request(question.future)

    def _answered(self, question: _Question, done: Any) -> None:
        if self._open.pop(question.number, None) is None:
            return
        self.participant.has_come()
        error = done.exception()
        if error is not None:
            self.news(Answered(question.number, words=f"it failed: {error}"))
        else:
            self.news(Answered(question.number, serialised(done.result())))


def made(participant: Participant, link: AnyLink, ring: GrowingRing | None, tell: Tell) -> LinkEnd:
    """The end of this link. Raises DescriptionError for names and types that ROS does not take."""
    if isinstance(link, TopicOut):
        return TopicOutEnd(participant, link, tell)
    assert ring is not None, "all others hear something"
    match link:
        case TopicIn():
            return TopicInEnd(participant, link, ring, tell)
        case ServiceOut():
            return ServiceOutEnd(participant, link, ring, tell)
        case ActionOut():
            return ActionOutEnd(participant, link, ring, tell)
        case ServiceIn():
            return ServiceInEnd(participant, link, ring, tell)
        case ActionIn():
            return ActionInEnd(participant, link, ring, tell)


def parts(link: AnyLink) -> tuple[Any, ...]:
    """The message classes that go over it. Raises DescriptionError for a type that is not installed."""
    kinds = {TopicIn: "msg", TopicOut: "msg", ServiceOut: "srv", ServiceIn: "srv"}
    return parts_of(link.type, kinds.get(type(link), "action"))
