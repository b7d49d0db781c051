"""The newest message of one topic, each once, with the time when it was made."""

from __future__ import annotations

import time
from typing import Any, Final

from framework.errors import MalformedMessage, StreamError
from framework.status import Severity
from resources.children.complaints import Complaints
from resources.ros.participant import Participant
from resources.ros.stamps import Stamps
from resources.types.ros import Qos

FIRST_WITHIN_S: Final = 5.0
"""Finding a publisher on this machine takes a fraction of a second, on another one up to several."""

LEAST_SILENCE_S: Final = 0.3
_PERIODS: Final = 3.0


class Incoming:
    """One reader of one topic, whose messages have a header.

    rate_hz: how often they should come; a silence of three periods, of .3 s at least, is told.
    Raises DescriptionError for a topic or type that ROS does not take.
    """

    def __init__(
        self,
        participant: Participant,
        topic: str,
        type_name: str,
        qos: Qos,
        *,
        rate_hz: float,
        own_clock: bool = False,
    ) -> None:
        self._participant = participant
        self._child = participant.child
        self.complaints = Complaints(self._child.status)
        self._stamps = Stamps(own_clock=own_clock)
        self._newest: Any = None
        self._taken: tuple[Any, float] | None = None
        self._silent_after_s = max(LEAST_SILENCE_S, _PERIODS / rate_hz)
        self._is_silent = False
        self.connection = participant.subscribe(topic, type_name, qos, self._came)

    def first(self, within_s: float = FIRST_WITHIN_S) -> Any:
        """Wait for a message that will do; it is still to be taken. Raises StreamError, with the reason."""
        until_s = time.monotonic() + within_s
        while (now_s := time.monotonic()) < until_s and not self._child.stopping:
            self._taken = self._next(now_s)
            if self._taken is not None:
                return self._taken[0]
            if self.connection.is_refused:
                break
            self._participant.wait(until_s - now_s)
        last = self.complaints.last
        why = last or self.connection.why_silent()
        raise StreamError(f"{why}; a message was waited for {within_s:g} s")

    def take(self, now_s: float) -> tuple[Any, float] | None:
        """The newest message that was not taken yet, and when it was made, CLOCK_MONOTONIC [s].

        What is old, or not in order, is left out and told.
        """
        self.complaints.settle(now_s)
        self._look(now_s)
        taken, self._taken = self._taken, None
        return taken or self._next(now_s)

    def complain(self, error: MalformedMessage, now_s: float) -> None:
        """What was taken will not do."""
        self.complaints.add(f"{self.connection.topic}: {error}", now_s)

    def _next(self, now_s: float) -> tuple[Any, float] | None:
        message, self._newest = self._newest, None
        if message is None:
            return None
        stamp = message.header.stamp
        try:
            stamp_s = stamp.sec + 1e-9 * stamp.nanosec
            return message, self._stamps.taken(stamp_s, self._participant.ros_s(), now_s)
        except MalformedMessage as error:
            self.complain(error, now_s)
            return None

    def _came(self, message: Any) -> None:
        self._newest = message

    def _look(self, now_s: float) -> None:
        """Say that nothing comes, and that it goes on."""
        newest_s = self.connection.newest_s
        silent_s = 0.0 if newest_s is None else now_s - newest_s
        is_silent = silent_s > self._silent_after_s
        if is_silent == self._is_silent:
            return
        self._is_silent = is_silent
        if is_silent:
            words = f"no message for {silent_s:.2f} s: {self.connection.why_silent()}"
            self._child.status(Severity.ERROR, words)
        else:
            self._child.status(Severity.OK, f"{self.connection.topic} goes on")
