"""The gate before everything that moves: only the present holder's commands, fresh and in order.

Pure; the driver feeds it. Without this fencing neither exclusivity nor
preemption is safe, because a former holder's command may still be on its way.
"""

from __future__ import annotations

import math

import msgspec

from framework.errors import CommandLate, CommandRefused


class CommandStamp(msgspec.Struct, frozen=True, gc=False):
    """What every command carries; `sent_s` is the sender's CLOCK_MONOTONIC, on the same machine ours."""

    lease: str
    generation: int
    sequence: int
    sent_s: float


class CommandGate:
    """Lets through the commands of one holder.

    Args:
        max_age_s: a command older than this is refused [s].
        ahead_s: a command stamped this much in the future is refused [s].
    """

    def __init__(self, *, max_age_s: float = 0.2, ahead_s: float = 0.05) -> None:
        self._max_age_s = max_age_s
        self._ahead_s = ahead_s
        self._lease = ""
        self._generation = 0
        self._sequence = -1
        self._last_s = -math.inf

    @property
    def holder(self) -> str:
        """The lease whose commands pass; empty if none's do."""
        return self._lease

    def open(self, lease: str, generation: int) -> None:
        """A new holder. Raises CommandRefused if its generation is not newer than every earlier one."""
        if generation <= self._generation:
            raise CommandRefused(
                f"lease {lease} has generation {generation}, but {self._generation} has been here already"
            )
        self._lease = lease
        self._generation = generation
        self._sequence = -1
        self._last_s = -math.inf

    def close(self) -> None:
        """Nobody's commands pass until the next holder; earlier generations never do again."""
        self._lease = ""

    def check(self, stamp: CommandStamp, now_s: float) -> None:
        """Raises CommandRefused with the reason; else the command counts as the latest."""
        if not self._lease:
            raise CommandRefused(f"nobody holds this: the command of lease {stamp.lease} is not carried out")
        if stamp.lease != self._lease or stamp.generation != self._generation:
            raise CommandRefused(
                f"lease {stamp.lease}, generation {stamp.generation}, is not the holder; "
                f"{self._lease}, generation {self._generation}, is"
            )
        if stamp.sequence <= self._sequence:
            raise CommandRefused(
                f"command {stamp.sequence} comes after {self._sequence}: doubled, or out of order"
            )
        age_s = now_s - stamp.sent_s
        if not -self._ahead_s <= age_s <= self._max_age_s:
            raise CommandLate(f"the command is {age_s:.3f} s old; {self._max_age_s} s are allowed")
        self._sequence = stamp.sequence
        self._last_s = now_s

    def silence_s(self, now_s: float) -> float:
        """How long ago the last good command came [s]; infinite if none has."""
        return now_s - self._last_s
