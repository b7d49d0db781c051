"""What actions hold for topics, services and actions of ROS 2.

    async for scan in self.scan.messages():                     # RosTopic
        nearest = scan.ranges.min()
    self.lamp.publish(data=True)                                # RosTopic(outward=True)
    answer = await self.reset.call()                            # RosService
    async with self.walk.goal(pose={"header": …}) as goal:      # RosAction
        async for feedback in goal.feedback(): …
        result = await goal.result()

Messages are what `resources.types.ros_messages` makes of them. What comes is read from the link's ring by
polling; what cannot be read is left out, and told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from framework.errors import MalformedMessage, MotionFailed, ResourceUnavailable
from framework.plugins.client import Client
from framework.unreadable import UNREADABLE
from resources.types.ros_links import (
    MOST_SENT_BYTES,
    Answered,
    Asked,
    Call,
    CancelAsked,
    CancelGoal,
    Ended,
    Feedback,
    LinkOrder,
    News,
    Progress,
    Reply,
    Send,
    SetGoal,
    Taken,
    decode_news,
    encode,
    new_number,
)

if TYPE_CHECKING:
    from framework.registrar import Lease
    from framework.transport.every_sample import EverySample
    from framework.transport.ring import RingReader, Sample
    from resources.types.ros_messages import RosMessages

log = logging.getLogger("pilothouse.ros")

LOOK_S: Final = 0.002
"""So often a link's ring is looked at while something is waited for [s]."""

_SLACK_S: Final = 1.0
"""The bridge answers in time; if it does not for so long after that, it is not there."""


TOLD_EVERY_S: Final = 10.0
"""What is left out is told so often at most [s]: whoever sends one such message sends many."""


class Heard(NamedTuple):
    """A message, and when the bridge had it, CLOCK_MONOTONIC [s]."""

    message: Any
    came_s: float


class Question(NamedTuple):
    """What others ask of a service of ours, or a goal that they give an action of ours.

    message: the request or goal; None: that goal is to be given up, because of `why`. came_s: when the bridge
    had it, CLOCK_MONOTONIC [s].
    """

    number: int
    message: Any
    came_s: float
    why: str = ""


class RosClient(Client):
    """Base of them.

    Attributes:
        on_left_out: called, in words, with what came and cannot be read; by default it goes to the log.
    """

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self.on_left_out: Callable[[str], None] = log.warning
        self._left_out = 0
        self._told_s = float("-inf")
        self._messages: tuple[Any, RosMessages] | None = None

    @property
    def messages_of(self) -> RosMessages:
        """The messages of its type. Raises PluginUnavailable without rosbags."""
        definition = self.handle.definition
        if self._messages is None or self._messages[0] != definition:
            from resources.types.ros_messages import RosMessages

            self._messages = definition, RosMessages(definition)
        return self._messages[1]

    def _send(self, order: LinkOrder) -> None:
        payload = encode(order)
        if len(payload) > MOST_SENT_BYTES:
            raise MalformedMessage(
                f"a message of {len(payload)} bytes is to be sent by {self.handle.name}; "
                f"{MOST_SENT_BYTES} are most"
            )
        self.send(payload)

    def _leave_out(self, error: MalformedMessage) -> None:
        """Something that came cannot be read; what comes after it can."""
        self._left_out += 1
        now_s = asyncio.get_running_loop().time()
        if now_s < self._told_s + TOLD_EVERY_S:
            return
        others = f", and {self._left_out - 1} others before it" if self._left_out > 1 else ""
        self._told_s, self._left_out = now_s, 0
        self.on_left_out(f"{self.handle.name}: {error.why}: it is left out{others}")

    def _ring(self) -> EverySample:
        from framework.transport.every_sample import EverySample

        ring = EverySample(Path(self.handle.stream.ring), goes_on=True)
        ring.news()  # what was before is of no interest
        return ring


class RosTopicClient(RosClient):
    """One topic: fields of RosLinkHandle, and its messages."""

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self._reader: RingReader | None = None

    def publish(self, message: Any = None, /, **fields: Any) -> None:
        """Send a message: one of its type, or by fields. Raises MalformedMessage for what does not fit."""
        data = self.messages_of.encode(self.handle.type, fields if message is None else message)
        self._send(Send(data))

    def latest(self) -> Any:
        """The newest message, None if there is none yet."""
        from framework.transport.ring import RingReader

        path = Path(self.handle.stream.ring)
        if self._reader is None:
            self._reader = RingReader(path)
        elif self._reader.replaced():
            self._reader.reopen()
        sample = self._reader.latest()
        return None if sample is None else self._read(sample)

    def end(self) -> None:
        """The run is over: let go of the memory."""
        super().end()
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    async def messages(self) -> AsyncGenerator[Any, None]:
        """Each message that comes from now on, in its order; who reads too slowly misses some."""
        async with aclosing(self.heard()) as all_heard:
            async for heard in all_heard:
                yield heard.message

    async def heard(self) -> AsyncGenerator[Heard, None]:
        """As `messages`, each with when it came."""
        ring = self._ring()
        try:
            while True:
                for sample in ring.news():
                    try:
                        message = self._read(sample)
                    except MalformedMessage as error:
                        self._leave_out(error)
                        continue
                    yield Heard(message, sample.stamp_s)
                self.lease  # noqa: B018  # raises once the run is over
                await asyncio.sleep(LOOK_S)
        finally:
            ring.close()

    def _read(self, sample: Sample) -> Any:
        return self.messages_of.decode(self.handle.type, sample.payload)


class _Answering(RosClient):
    """What is asked has an answer, which is told from others' by its number."""

    async def _news(self, number: int, ring: EverySample, within_s: float) -> AsyncGenerator[News, None]:
        """What is said of it. Raises ResourceUnavailable once nothing more can come."""
        lives = self.handle.lives
        until_s = asyncio.get_running_loop().time() + within_s + _SLACK_S
        while True:
            for sample in ring.news():
                try:
                    news = decode_news(sample.payload)
                except UNREADABLE as error:
                    raise MalformedMessage(f"{self.handle.name}: {error}") from error
                if news.number == number:
                    yield news
            if self.handle.lives != lives:
                words = "the bridge to ROS was started again meanwhile: what was asked of it is lost"
                raise ResourceUnavailable(f"{self.handle.name}: {words}")
            if asyncio.get_running_loop().time() > until_s:
                raise ResourceUnavailable(f"{self.handle.name}: the bridge to ROS says nothing of it")
            await asyncio.sleep(LOOK_S)


class RosServiceClient(_Answering):
    """One service: fields of RosLinkHandle, and its answers."""

    async def call(self, *, within_s: float = 5.0, **fields: Any) -> Any:
        """Ask it, by the fields of the request; the response.

        Raises ResourceUnavailable, in words, if none comes in time [s]; MalformedMessage for wrong fields.
        """
        number = new_number()
        ring = self._ring()
        try:
            self._send(Call(number, self.messages_of.encode(f"{self.handle.type}_Request", fields), within_s))
            async for news in self._news(number, ring, within_s):
                if isinstance(news, Answered):
                    if news.words:
                        raise ResourceUnavailable(f"{self.handle.name}: {news.words}")
                    return self.messages_of.decode(f"{self.handle.type}_Response", news.data)
        finally:
            ring.close()
        raise AssertionError("news go on until they raise")


class RosActionClient(_Answering):
    """One action: fields of RosLinkHandle, and its goals."""

    def decode(self, part: str, data: bytes) -> Any:
        """A message that belongs to a goal. part: "Result" or "Feedback"."""
        return self.messages_of.decode(f"{self.handle.type}_{part}", data)

    @asynccontextmanager
    async def goal(
        self, *, taken_within_s: float = 5.0, within_s: float = 60.0, **fields: Any
    ) -> AsyncIterator[RosGoal]:
        """Have it reach for a goal, by the goal's fields, while the body runs; then it is given up.

        Raises MotionFailed, in words, if it is not taken in time [s]; MalformedMessage for wrong fields.
        """
        number = new_number()
        data = self.messages_of.encode(f"{self.handle.type}_Goal", fields)
        ring = self._ring()
        goal = RosGoal(self, number, self._news(number, ring, taken_within_s + within_s + 2.0))
        try:
            self._send(SetGoal(number, data, taken_within_s, within_s))
            await goal.begin()
            yield goal
        finally:
            if goal.is_open and not self._is_over:
                goal.give_up()
            ring.close()


class RosOfferClient(RosClient):
    """A service or an action of ours: fields of RosLinkHandle, and what others ask."""

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self._unanswered: set[int] = set()

    async def asked(self) -> AsyncGenerator[tuple[int, Any], None]:
        """Each question or goal, by its number; the number and None: that goal is to be given up.

        Each has to be answered, by `reply`.
        """
        async with aclosing(self.questions()) as questions:
            async for question in questions:
                yield question.number, question.message

    async def questions(self) -> AsyncGenerator[Question, None]:
        """As `asked`, each with when it came.

        With a bridge that was started again nobody hears any more of the goals of the former one: they are to
        be given up. A question that cannot be read is answered by an empty response, such a goal aborted.
        """
        ring = self._ring()
        try:
            while True:
                news = ring.news()
                if ring.is_anew:
                    for question in self._lost():
                        yield question
                for sample in news:
                    if (read := self._question(sample)) is not None:
                        yield read
                self.lease  # noqa: B018  # raises once the run is over
                await asyncio.sleep(LOOK_S)
        finally:
            ring.close()

    def reply(self, number: int, outcome: str = "succeeded", /, **fields: Any) -> None:
        """Answer, by the fields of the response or result. outcome: of a goal, or "aborted", "canceled"."""
        self._unanswered.discard(number)
        part = "Result" if self._is_action else "Response"
        data = self.messages_of.encode(f"{self.handle.type}_{part}", fields)
        self._send(Reply(number, data, outcome))

    @property
    def _is_action(self) -> bool:
        return "/action/" in self.handle.type

    def _lost(self) -> list[Question]:
        """Goals of a bridge that is no more."""
        unanswered, self._unanswered = self._unanswered, set()
        if not self._is_action:
            return []
        why = "the bridge to ROS was started again: who set it can give it up no more"
        return [Question(number, None, 0.0, why) for number in sorted(unanswered)]

    def _question(self, sample: Sample) -> Question | None:
        """What a piece of news asks, if anything."""
        try:
            news = decode_news(sample.payload)
        except UNREADABLE as error:
            self._leave_out(MalformedMessage(f"{len(sample.payload)} bytes are no news of a link: {error}"))
            return None
        if isinstance(news, CancelAsked):
            return Question(news.number, None, sample.stamp_s, "given up in ROS")
        if not isinstance(news, Asked):
            return None
        part = "Goal" if self._is_action else "Request"
        try:
            message = self.messages_of.decode(f"{self.handle.type}_{part}", news.data)
        except MalformedMessage as error:
            self._leave_out(error)
            self.reply(news.number, "aborted")
            return None
        self._unanswered.add(news.number)
        return Question(news.number, message, sample.stamp_s)

    def feedback(self, number: int, /, **fields: Any) -> None:
        """Say how far a goal is."""
        data = self.messages_of.encode(f"{self.handle.type}_Feedback", fields)
        self._send(Feedback(number, data))


class RosGoal:
    """One goal of an action.

    outcome: "" while it is reached for; then "succeeded", "canceled", "aborted", "refused" or "lost".
    """

    def __init__(self, client: RosActionClient, number: int, news: AsyncGenerator[News, None]) -> None:
        self._client = client
        self._number = number
        self._news = news
        self._ended: Ended | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is still reached for, as far as was heard."""
        return self._ended is None

    @property
    def outcome(self) -> str:
        """How it has ended."""
        return "" if self._ended is None else self._ended.outcome

    def give_up(self) -> None:
        """Have it reach for it no more; its end is still to come."""
        self._client.send(encode(CancelGoal(self._number)))

    async def begin(self) -> None:
        """Wait until it is taken. Raises MotionFailed."""
        async for news in self._news:
            if isinstance(news, Taken):
                return
            if isinstance(news, Ended):
                self._ended = news
                raise self._failed()

    async def feedback(self) -> AsyncGenerator[Any, None]:
        """What it says meanwhile, until it has ended."""
        if self._ended is not None:
            return
        async for news in self._news:
            if isinstance(news, Ended):
                self._ended = news
                return
            if isinstance(news, Progress):
                yield self._client.decode("Feedback", news.data)

    async def result(self) -> Any:
        """Wait for its end; the result. Raises MotionFailed unless it has succeeded."""
        async for _ in self.feedback():
            continue
        assert self._ended is not None
        if self._ended.outcome != "succeeded":
            raise self._failed()
        return self._client.decode("Result", self._ended.data)

    def _failed(self) -> MotionFailed:
        assert self._ended is not None
        words = self._ended.words or "it says no more"
        return MotionFailed(f"{self._client.handle.name}: the goal was {self._ended.outcome}: {words}")
