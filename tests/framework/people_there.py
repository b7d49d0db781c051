"""Two persons for histories of what is kept for whom."""

from __future__ import annotations

from typing import Final

PERSONS: Final = ("anna", "ben")


class People:
    """Anna and Ben, who may be gone. disposing: whose word is enough for what is theirs; "": nobody's."""

    def __init__(self, *disposing: str) -> None:
        self.there = set(PERSONS)
        self._disposing = disposing

    def keeps(self, person: str) -> bool:
        """Whether they are there."""
        return person in self.there

    def besides(self, person: str) -> tuple[str, ...]:
        """Nothing goes with what they drive."""
        return ()

    def disposes(self, by: str, person: str) -> bool:
        """Whether that word is enough."""
        return by in self._disposing
