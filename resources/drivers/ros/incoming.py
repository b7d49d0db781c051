"""The newest message of one topic, each once, with the time when it was made."""

from __future__ import annotations

import time
from typing import Any, Final

from framework.errors import MalformedMessage, StreamError
from resources.children.complaints import Complaints
from resources.ros.participant import Participant
from resources.ros.silence import Silence
from resources.ros.stamps import Stamps
from resources.types.ros import Qos

FIRST_WITHIN_S: Final = 5.0
"""Finding a publisher on this machine takes a fraction of a second, on another one up to several."""

_LOOK_S: Final = 0.05


class Incoming:
    """One reader of one topic, whose messages have a header.

    rate_hz: how often they should come; a silence is told (`Silence`).
    complaints: where what is wrong with them is told; readers of one device share theirs.
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
        complaints: Complaints | None = None,
    ) -> None:
        self._participant = participant
        self._child = participant.child
        self.complaints = complaints or Complaints(self._child.status)
        self._stamps = Stamps(own_clock=own_clock)
        self._newest: Any = None
        self._taken: tuple[Any, float] | None = None
        self._last_wrong = ""
        self.connection = participant.subscribe(topic, type_name, qos, self._came)
        self._silence = Silence(self.connection, rate_hz)

    def first(self, since_s: float | None = None) -> Any:
        """Wait for a message that will do; it is still to be taken. Raises StreamError, with the reason.

        since_s: from when on was waited, CLOCK_MONOTONIC [s]; by default from now on.
        """
        since_s = time.monotonic() if since_s is None else since_s
        until_s = since_s + FIRST_WITHIN_S
        while (now_s := time.monotonic()) < until_s and not self._child.stopping:
            self._taken = self._next(now_s)
            if self._taken is not None:
                return self._taken[0]
            if self.connection.is_refused:
                break
            self._participant.wait(_LOOK_S)
        why = self._last_wrong or self.connection.why_silent()
        raise StreamError(f"{why}; a message was waited for {time.monotonic() - since_s:.1f} s")

    def take(self, now_s: float) -> tuple[Any, float] | None:
        """The newest message that was not taken yet, and when it was made, CLOCK_MONOTONIC [s].

        What is old, or not in order, is left out and told.
        """
        self.complaints.settle(now_s)
        if told := self._silence.look(now_s):
            self._child.status(*told)
        taken, self._taken = self._taken, None
        return taken or self._next(now_s)

    def complain(self, error: MalformedMessage, now_s: float) -> None:
        """What was taken will not do."""
        self._last_wrong = f"{self.connection.topic}: {error}"
        self.complaints.add(self._last_wrong, now_s)

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
