"""What waits to be sent to one page. Pure data: no sockets, no tasks.

States (graph, trees, …) and samples are latest-wins: a slow page skips what is old. Events and
replies are told one by one; a page that falls too far behind with them has lost track and is
better off connecting anew, which tells it everything at once.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from resources.console.backend import Topic
from resources.web.protocol import ToPage, encode_message

MOST_WAITING: Final = 1000
"""Events and replies that may wait for one page."""

EVERYTHING: Final = frozenset(Topic)

SPOKEN: Final = frozenset({Topic.EMERGENCY, Topic.QUESTIONS})
"""For programs that speak for somebody and draw nothing: no other states, no samples."""


class Outbox:
    """Everything on its way to one page, the most urgent first.

    topics: whose states it is told; samples only if that is all of them.
    """

    def __init__(self, topics: frozenset[Topic] = EVERYTHING) -> None:
        self.overflowed = False
        self.draws = topics == EVERYTHING
        self._topics = topics
        self._spoken: deque[bytes] = deque()
        self._states: dict[Topic, bytes] = {}
        self._own: dict[type[ToPage], bytes] = {}
        self._samples: dict[str, bytearray] = {}

    def tell(self, message: bytes) -> None:
        """Add a message that must not be lost."""
        if len(self._spoken) >= MOST_WAITING:
            self.overflowed = True
        else:
            self._spoken.append(message)

    def show(self, topic: Topic, message: bytes) -> None:
        """Put the newest state of `topic` in place of one that still waits."""
        if topic in self._topics:
            self._states[topic] = message

    def show_own(self, message: ToPage) -> None:
        """Put the newest of what only this page is told in place of one of its kind that still waits."""
        self._own[type(message)] = encode_message(message)

    def sample(self, view: str, message: bytearray) -> None:
        """Put the newest sample of `view` in place of one that still waits."""
        if self.draws:
            self._samples[view] = message

    def take(self) -> bytes | bytearray | None:
        """The next message, or None. Text messages are `bytes`, samples `bytearray`."""
        if self._spoken:
            return self._spoken.popleft()
        if self._states:
            # The emergency state overtakes; the others leave in the order in which they changed.
            topic = Topic.EMERGENCY if Topic.EMERGENCY in self._states else next(iter(self._states))
            return self._states.pop(topic)
        if self._own:
            return self._own.pop(next(iter(self._own)))
        if self._samples:
            return self._samples.pop(next(iter(self._samples)))
        return None
