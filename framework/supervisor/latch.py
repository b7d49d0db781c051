"""The supervisor's side of the emergency stop: setting it, following what others did to it, taking it back.

The stop is enforced in every control process, without the supervisor (`framework.processes.emergency`);
here it ends plans, keeps new ones from starting, and is told about. Setting the latch comes before
everything else, and what is said comes last.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from framework.clock import Clock
from framework.events import EventKind
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply

log = logging.getLogger("pilothouse.supervisor")

_UNTIL_RESET = "Nothing starts until an operator takes it back."
_TAKEN_BACK = "The emergency stop is taken back. Nothing moves by that, and nothing starts again by itself."


class EmergencyControl(Protocol):
    """A latch that anybody may set and only a confirmed operator takes back."""

    @property
    def is_latched(self) -> bool:
        """Whether everything has to stand still."""
        ...

    @property
    def token(self) -> int:
        """Names the stop that is latched; 0 if none is."""
        ...

    @property
    def reason(self) -> str:
        """Why the latest stop was made."""
        ...

    def latch(self, reason: str) -> None:
        """Stop everything, now and until a reset."""
        ...

    def reset(self, token: int) -> bool:
        """Take back the stop of this token. False if another one has been made since."""
        ...


class Tell(Protocol):
    """Says something to everybody, and to the reply of whoever caused it."""

    def __call__(self, reply: Reply | None, kind: EventKind, text: str, *, who: str = "") -> None: ...


class Latch:
    """The latch, as the supervisor uses it. end_all: tells every plan to end, given why."""

    def __init__(
        self, control: EmergencyControl, tell: Tell, end_all: Callable[[str], tuple[PlanRecord, ...]]
    ) -> None:
        self._control = control
        self._tell = tell
        self._end_all = end_all
        self._known_token = 0

    @property
    def is_set(self) -> bool:
        """Whether nothing may start; what another process has just done is noticed here."""
        self.look()
        return self._control.is_latched

    @property
    def token(self) -> int:
        """Names the stop that is set."""
        return self._control.token

    @property
    def because(self) -> str:
        """Why it is set, in brackets and with a space before; empty if nobody said why."""
        return f" ({self._control.reason})" if self._control.reason else ""

    def set(self, reason: str, who: str, reply: Reply) -> tuple[PlanRecord, ...]:
        """Stop everything; returns the plans that are ending."""
        failure = ""
        try:
            self._control.latch(reason)
        except Exception as error:  # the plans are stopped all the same, and the operator is warned
            log.exception("the latch of the emergency stop failed")
            failure = f"THE EMERGENCY STOP COULD NOT BE SET ({error}): use the robot's own."
        ending = self._end_all(f"emergency stop: {reason}")
        self._known_token = self._token_now
        if failure:
            self._tell(reply, EventKind.ERROR, failure, who=who)
        else:
            self._tell(reply, EventKind.EMERGENCY, f"EMERGENCY STOP: {reason}. {_UNTIL_RESET}", who=who)
        return ending

    def reset(self, token: int, confirmed_by: str, reply: Reply) -> bool:
        """Take back the stop of this token. False if it is not set, or another one was made meanwhile."""
        if not self._control.is_latched:
            self._tell(reply, EventKind.REFUSED, "The emergency stop is not set.", who=confirmed_by)
            return False
        if not self._control.reset(token):
            words = f"Another emergency stop was made meanwhile{self.because}; it stays."
            self._tell(reply, EventKind.REFUSED, words, who=confirmed_by)
            self.look()
            return False
        self._known_token = 0
        self._tell(reply, EventKind.RESET, f"{_TAKEN_BACK} Confirmed by {confirmed_by}.", who=confirmed_by)
        return True

    def look(self) -> None:
        """Follow up what another process has done to the latch."""
        token = self._token_now
        if token == self._known_token:
            return
        self._known_token = token
        if token:
            self._end_all(f"emergency stop{self.because}")
            self._tell(None, EventKind.EMERGENCY, f"EMERGENCY STOP{self.because}. {_UNTIL_RESET}")
        else:
            self._tell(None, EventKind.RESET, _TAKEN_BACK)

    async def watch(self, clock: Clock, every_s: float) -> None:
        """Look again and again: shared memory wakes nobody."""
        while True:
            await clock.sleep(every_s)
            try:
                self.look()
            except Exception:  # the watch goes on, whatever a listener or the latch does
                log.exception("looking at the emergency stop failed")

    @property
    def _token_now(self) -> int:
        return self._control.token if self._control.is_latched else 0
