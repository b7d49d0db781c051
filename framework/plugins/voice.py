"""What a runner lets others know: state, detail and value to look at, and events to hear. It decides nothing.

Each change is followed by an event, because those above look only when they hear something.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from framework.events import Event, EventKind, Subject
from framework.plugins.events import RunState

log = logging.getLogger("pilothouse.actions")


class Voice:
    """The state of one action, and everybody who is told of it. What listeners raise is logged."""

    def __init__(
        self,
        action: str,
        who: str,
        say: Callable[[Event], None] | None,
        on_change: Callable[[], None] | None,
    ) -> None:
        self.state = RunState.WAITING
        self.detail = ""
        self.value: Any = None
        self.fraction = -1.0
        self.who = who
        self._action = action
        self._say = say
        self._on_change = on_change

    def enter(self, state: RunState, detail: str) -> None:
        """Be in this state; an event has to follow."""
        if (state, detail) == (self.state, self.detail):
            return
        if state is RunState.RUNNING and self.state in (RunState.WAITING, RunState.PAUSED):
            self.fraction = -1.0  # a run begins, perhaps anew: how far the one before came tells nothing
        self.state, self.detail = state, detail
        if self._on_change is not None:
            try:
                self._on_change()
            except Exception:
                log.exception("%s: who was told of a change raised", self.who)

    def say(
        self,
        kind: EventKind,
        text: str,
        subject: Subject = Subject.NONE,
        data: Mapping[str, str | int | float | bool] | None = None,
    ) -> None:
        """One sentence for everyone who listens."""
        if self._say is not None:
            try:
                progress = {"fraction": self.fraction} if self.fraction >= 0.0 else {}
                data = {**progress, **(data or {})}
                self._say(Event(kind, text, action=self._action, data=data, subject=subject))
            except Exception:
                log.exception("%s: who listens to its events raised", self.who)

    def progress(self, fraction: float, text: str) -> None:
        """So much is done, 0 to 1; NaN is not known."""
        self.fraction = min(max(float(fraction), 0.0), 1.0) if fraction == fraction else -1.0
        text = text or (f"{self.fraction:.0%} done" if self.fraction >= 0.0 else "going on")
        self.enter(self.state, text)
        self.say(EventKind.DOING, text)

    def established(
        self,
        text: str,
        value: object,
        subject: Subject = Subject.NONE,
        data: Mapping[str, str | int | float | bool] | None = None,
    ) -> None:
        """A continuous action works."""
        text = text or f"{self._action} is established"
        if value is not None:
            self.value = value
        if self.state is not RunState.READY or text != self.detail:
            self.enter(RunState.READY, text)
            self.say(EventKind.DOING, text, subject, data)

    def waits(self, text: str) -> None:
        """It waits, for what or whom the text says."""
        if text != self.detail:
            self.enter(RunState.WAITING, text)
            self.say(EventKind.WAITING, f"{self.who}: {text}")
