"""What an action uses while it runs (`self.use`), and has to wait for: its needs are held in `claim.py`.

Whoever waits for a use goes on the moment that this is free, as one that waits for a need does. So it shows
the same state.
"""

from __future__ import annotations

from typing import Any

from framework.plugins.events import RunState
from framework.plugins.voice import Voice
from framework.registrar.keys import Key, key_of


class UsesQueue:
    """Of one action."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._taken: set[Key] = set()
        self._before: dict[Key, tuple[RunState, str]] = {}

    def taken(self, request: Any) -> None:
        """It was taken: the next time the action queues for it."""
        self._taken.add(key_of(request))

    def was_taken(self, request: Any) -> bool:
        """Whether that ever happened to this request."""
        return key_of(request) in self._taken

    def waits(self, request: Any, text: str) -> None:
        """It has to be waited for, for whom the text says."""
        voice = self._voice
        self._before.setdefault(key_of(request), (voice.state, voice.detail))
        voice.enter(RunState.WAITING, text)

    def waits_no_more(self, request: Any) -> None:
        """The action has it, or does not want it any more."""
        key = key_of(request)
        before = self._before.pop(key, None)
        if before is not None and not self._before and self._voice.state is RunState.WAITING:
            self._voice.enter(*before)
