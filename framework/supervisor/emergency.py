"""What the supervisor knows of the emergency stop; `framework.processes.emergency` has the real one.

The stop itself is enforced in every control process, without the supervisor;
here it only ends plans, keeps new ones from starting, and is told about.
"""

from __future__ import annotations

from typing import Protocol


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
