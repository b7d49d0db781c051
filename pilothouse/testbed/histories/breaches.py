"""What has to hold in a history, and that it does not."""

from __future__ import annotations

from framework.scenarios.invariants import Breach


class Broke(Exception):
    """Something that has to hold did not."""

    def __init__(self, breach: Breach, words: str) -> None:
        super().__init__(words)
        self.breach = breach


def must(holds: object, words: str, breach: Breach = Breach.CONTENTION) -> None:
    """Raises Broke unless it holds."""
    if not holds:
        raise Broke(breach, words)
