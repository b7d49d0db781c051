"""The links of one bridge to ROS: opened, kept over its restarts, told of, and closed."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from framework.clock import Clock
from framework.errors import LeaseError, ResourceUnavailable, StreamError
from framework.registrar import Lease
from framework.status import Severity
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from resources.children.starting import handed_over
from resources.ros.bridging import (
    ActionOut,
    AnyLink,
    Close,
    Closed,
    Halt,
    Halted,
    Open,
    Opened,
    Order,
    Pass,
    Refused,
    Report,
    Told,
    TopicIn,
    decode_report,
    definition_file,
    encode,
)
from resources.types.ros import TypeDefinition
from resources.types.ros_links import LinkOrder, SetGoal
from resources.types.streams import StreamHandle, decode_meta

log = logging.getLogger("pilothouse.ros")

LOOK_S: Final = 0.01
"""So often it is looked for what the bridge tells [s]."""

OPENED_WITHIN_S: Final = 10.0
ENDED_WITHIN_S: Final = 4.0
"""The bridge waits for goals to end for a second less."""

_REMEMBERED_GOALS: Final = 64

_ROUNDED_NS: Final = 500
"""A stamp in seconds is no finer."""

OnTold = Callable[[Severity, str], None]


class OpenLink:
    """One link.

    ring: where what comes is; told: called with how it is; reopened: when a new bridge has it.
    """

    def __init__(self, link: AnyLink, ring: Path, told: OnTold, reopened: Callable[[], None]) -> None:
        self.link = link
        self.ring = ring
        self.told = told
        self.reopened = reopened
        self.goals: deque[int] = deque(maxlen=_REMEMBERED_GOALS)
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ends: dict[type[Order], asyncio.Future[str]] = {}
        """What is awaited: a halt, or the link's own end. A bridge that comes anew is told again."""


class RosLinks:
    """Those of the bridge that this lease is of.

    Attributes:
        lives: so often the bridge was started.
    """

    def __init__(self, process: Lease, directory: Path, clock: Clock) -> None:
        self._process = process
        self._directory = directory
        self._clock = clock
        self._links: dict[int, OpenLink] = {}
        self._count = 0
        self._is_anew = False
        self.lives = 1

    def next_number(self) -> int:
        """Of a link that is to be opened."""
        self._count += 1
        return self._count

    async def open(
        self, link: AnyLink, ring: Path, told: OnTold, reopened: Callable[[], None]
    ) -> TypeDefinition:
        """Have it; what its messages are made of. Raises ResourceUnavailable, in the bridge's words."""
        opened = self._links[link.link] = OpenLink(link, ring, told, reopened)
        self._order(Open(link))
        try:
            async with asyncio.timeout(OPENED_WITHIN_S):
                await opened.opened
            return self._definition(link)
        except TimeoutError:
            words = f"the bridge to ROS did not open {link.name} within {OPENED_WITHIN_S:g} s"
            raise ResourceUnavailable(words) from None
        finally:
            if not opened.opened.done() or opened.opened.cancelled() or opened.opened.exception() is not None:
                del self._links[link.link]
                self._order(Close(link.link))

    async def close(self, number: int) -> str:
        """Have it no more; what did not end in time, "" if all did."""
        return await self._ended(number, Close(number))

    async def halt(self, number: int) -> str:
        """Have an end to what goes on by it; what did not end in time, "" if all did."""
        return await self._ended(number, Halt(number))

    async def _ended(self, number: int, order: Close | Halt) -> str:
        link = self._links.get(number)
        if link is None:
            return ""
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        link.ends[type(order)] = ended
        self._order(order)
        try:
            async with asyncio.timeout(ENDED_WITHIN_S):
                return await ended
        except TimeoutError:
            return f"the bridge to ROS says nothing of the end of {link.link.name}"

    def send(self, number: int, order: LinkOrder, sent_s: float) -> None:
        """Something for a link, said then; lost if there is no bridge now: its asker's own clock tells."""
        if isinstance(order, SetGoal) and (link := self._links.get(number)) is not None:
            link.goals.append(order.number)
        self._order(Pass(number, order, sent_s))

    def _definition(self, link: AnyLink) -> TypeDefinition:
        """What its messages are made of. Raises ResourceUnavailable if that cannot be read."""
        file = definition_file(self._directory, link.link)
        try:
            return msgspec.json.decode(file.read_bytes(), type=TypeDefinition)
        except (OSError, *UNREADABLE) as error:
            words = f"what messages of {link.name} are made of cannot be read: {error}"
            raise ResourceUnavailable(words) from None

    async def read(self) -> None:
        """Hear what the bridge tells. Raises StreamError if its ring cannot be read, or was overrun."""
        ring: EverySample | None = None
        try:
            while True:
                stream = handed_over(self._process, StreamHandle)
                if ring is not None and self._is_anew:
                    ring.close()
                    ring = None
                self._is_anew = False
                if ring is None:
                    ring = EverySample(Path(stream.ring), goes_on=True)
                before = ring.sequence
                for sample in ring.news():
                    if sample.sequence != before + 1:
                        raise StreamError(
                            "the bridge to ROS has told more than was heard: its links are not known"
                        )
                    before = sample.sequence
                    self._take(bytes(sample.payload))
                await self._clock.sleep(LOOK_S)
        finally:
            if ring is not None:
                ring.close()

    def again(self) -> None:
        """The bridge was started again: it knows no link."""
        self.lives += 1
        self._is_anew = True
        for open_link in self._links.values():
            self._order(Open(_anew(open_link)))
            for end in open_link.ends:
                assert end in (Halt, Close)
                self._order(end(open_link.link.link))

    def _order(self, order: Order) -> None:
        try:
            self._process.send(encode(order))
        except LeaseError:
            return  # it has ended, and so does everything that stands on it

    def _take(self, payload: bytes) -> None:
        try:
            report = decode_report(payload)
        except UNREADABLE as error:
            log.warning("The bridge to ROS says what is none of its reports: %s", error)
            return
        link = self._links.get(report.link)
        if link is not None:
            self._told(link, report)
        if isinstance(report, Closed):
            self._links.pop(report.link, None)

    def _told(self, link: OpenLink, report: Report) -> None:
        match report:
            case Opened():
                if not link.opened.done():
                    link.opened.set_result(None)
                elif Close not in link.ends:
                    link.reopened()
            case Refused(words=words):
                if link.opened.done():
                    link.told(Severity.WARNING, words)
                else:
                    link.opened.set_exception(ResourceUnavailable(words))
            case Told(severity=severity, words=words):
                link.told(severity, words)
            case Closed(words=words) | Halted(words=words):
                ended = link.ends.pop(Close if isinstance(report, Closed) else Halt, None)
                if ended is not None and not ended.done():
                    ended.set_result(words)


def _anew(open_link: OpenLink) -> AnyLink:
    """The link for another bridge: without messages that were had, and with goals that are left over."""
    link = open_link.link
    if isinstance(link, ActionOut):
        return msgspec.structs.replace(link, orphans=tuple(open_link.goals))
    if isinstance(link, TopicIn):
        with suppress(StreamError), RingReader(open_link.ring) as ring:
            sample = ring.latest()
            if sample is not None:
                sent_ns = int(1e9 * decode_meta(sample.meta).time_s) + _ROUNDED_NS
                return msgspec.structs.replace(link, after_ns=sent_ns)
    return link
