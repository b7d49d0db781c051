"""What all ends of links are, and how messages become bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from framework.errors import MalformedMessage, PilothouseError
from framework.status import Severity
from resources.ros.bridging import AnyLink
from resources.ros.growing_ring import GrowingRing
from resources.types.ros_links import LinkOrder, News, encode

Tell = Callable[[Severity, str], None]


class LinkEnd:
    """Base of them.

    ring: where what comes is written, if anything does. tell: how the link is, by severity and words.
    """

    def __init__(self, participant: Any, link: AnyLink, ring: GrowingRing | None, tell: Tell) -> None:
        self.link = link
        self.participant = participant
        self.ring = ring
        self.tell = tell
        self.is_heard = True
        """Whether anybody waits for what comes; its ring may be gone if nobody does."""

    def obey(self, order: LinkOrder, halted: str) -> None:
        """An order for this link. halted: why nothing may be sent that moves; "" if it may.

        Raises MalformedMessage for an order of another kind of link, or bytes that are none of its type.
        """
        raise MalformedMessage(
            f"{self.link.name} is a {self.link.__struct_config__.tag}: it takes no such order"
        )

    def turn(self, now_s: float, halted: str) -> None:
        """Look after what takes too long."""

    @property
    def is_done(self) -> bool:
        """Whether nothing goes on that is to be given up first."""
        return True

    def give_up(self, words: str) -> None:
        """Have an end to whatever goes on."""

    def close(self) -> None:
        """Leave the graph's name."""

    def news(self, news: News) -> None:
        """Write it into the link's ring."""
        if not self.is_heard:
            return
        assert self.ring is not None, "links that hear anything have one"
        try:
            self.ring.write(encode(news), stamp_s=time.monotonic())
        except PilothouseError as error:
            self.tell(Severity.ERROR, f"{self.link.name}: {error.why}")


def uuid_of(number: int) -> bytes:
    """By which the whole graph knows a goal."""
    return number.to_bytes(16, "big")


def message_of(data: bytes, message_class: Any) -> Any:
    """The message that these bytes are. Raises MalformedMessage if they are none."""
    from rclpy.serialization import deserialize_message

    try:
        return deserialize_message(data, message_class)
    except Exception as error:  # the middleware's own, of no class that is promised
        raise MalformedMessage(f"{len(data)} bytes are no {message_class.__name__}: {error}") from error


def serialised(message: Any) -> bytes:
    """A message as it travels."""
    from rclpy.serialization import serialize_message

    data: bytes = serialize_message(message)
    return data
