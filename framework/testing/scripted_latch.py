"""An emergency stop without shared memory: `framework.supervisor.EmergencyControl` for the virtual clock."""

from __future__ import annotations


class ScriptedLatch:
    """A latch in this process. As with the real one, a reset names the stop that it takes back."""

    def __init__(self) -> None:
        self._stops = 0
        self._reset = 0
        self._reason = ""

    @property
    def is_latched(self) -> bool:
        """Whether it is set."""
        return self._stops != self._reset

    @property
    def token(self) -> int:
        """Names the stop that is set; 0 if none is."""
        return self._stops if self.is_latched else 0

    @property
    def reason(self) -> str:
        """Why the latest stop was made."""
        return self._reason

    def latch(self, reason: str) -> None:
        """Set it."""
        self._stops += 1
        self._reason = reason

    def reset(self, token: int) -> bool:
        """Take that stop back; False if another one has been made since."""
        if token == self._stops:
            self._reset = token
        return not self.is_latched
