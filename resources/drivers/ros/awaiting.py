"""Waiting for the other end of what is sent, before a device is there: else nothing would move, silently."""

from __future__ import annotations

import time
from typing import Final, Protocol

from framework.errors import StreamError
from resources.ros.participant import Participant

HEARD_WITHIN_S: Final = 5.0
"""As long as a first message is waited for (`incoming.py`)."""

_LOOK_S: Final = 0.02


class Heard(Protocol):
    """A topic's or an action's own end."""

    @property
    def is_heard(self) -> bool:
        """Whether anybody is there."""
        ...

    def why_silent(self) -> str:
        """Why nobody is, in words."""
        ...


def await_heard(participant: Participant, end: Heard) -> None:
    """Wait until somebody is there. Raises StreamError, with the reason, if nobody comes."""
    since_s = time.monotonic()
    while not end.is_heard:
        waited_s = time.monotonic() - since_s
        if waited_s > HEARD_WITHIN_S or participant.child.stopping:
            raise StreamError(f"{end.why_silent()}; it was waited for {waited_s:.1f} s")
        participant.wait(_LOOK_S)
