"""One talk at a page, from the pressing of its button to the letting go: numbered blocks → samples of a ring.

Pure. What did not come is marked as lost, never joined; what is none of it is refused, and changes nothing.
"""

from __future__ import annotations

from typing import Final

import msgspec

from framework.errors import SoundError
from resources.audio.format import BLOCK, BLOCK_BYTES, BLOCK_S
from resources.audio.sound_clock import NumberedClock

LONGEST_TALK_S: Final = 60.0
"""Whoever talks for longer gives no instruction: the talk ends [s]."""

MOST_BLOCKS: Final = round(LONGEST_TALK_S / BLOCK_S)

_SILENCE: Final = bytes(BLOCK_BYTES)


class Written(msgspec.Struct, frozen=True):
    """A sample for the ring: a whole block, or of no bytes, which says that sound is lost there.

    until_s: where it ends, CLOCK_MONOTONIC [s]. is_last: nothing follows of this talk.
    """

    until_s: float
    sound: bytes
    is_last: bool = False


class Talk:
    """Takes a talk's blocks as they come.

    number: the page's name for it. since_s: where the talk before it ended, CLOCK_MONOTONIC [s], which after
    a burst may be a little ahead.
    """

    def __init__(self, number: int, since_s: float | None = None) -> None:
        self.number = number
        self.is_over = False
        self.until_s = since_s
        self._since_s = since_s
        self._clock = NumberedClock()
        self._next = 0

    def take(self, sequence: int, sound: bytes, arrived_s: float, *, is_last: bool = False) -> list[Written]:
        """What one more block makes of it. sound: int16, little-endian; only the last one may be short.

        Raises SoundError if it is none, or none of this talk, and nothing has changed then.
        """
        if self.is_over:
            raise SoundError(f"talk {self.number} is over; begin another one")
        if len(sound) % 2 or len(sound) > BLOCK_BYTES or (len(sound) < BLOCK_BYTES and not is_last):
            raise SoundError(
                f"a block of {len(sound)} bytes; {BLOCK} samples of 2 bytes are one, fewer only a talk's last"
            )
        if not self._next <= sequence <= MOST_BLOCKS:
            raise SoundError(
                f"block {sequence} of a talk whose next one is {self._next}: numbers rise, to {MOST_BLOCKS}"
            )
        if self._next == 0 and self._since_s is not None:
            arrived_s = max(arrived_s, self._since_s + BLOCK_S)
        until_s, is_lost = self._clock.block(arrived_s, sequence - self._next)
        self._next, self.until_s, self.is_over = sequence + 1, until_s, is_last
        lost = [Written(until_s - BLOCK_S, b"")] if is_lost else []
        return [*lost, Written(until_s, sound.ljust(BLOCK_BYTES, b"\0"), is_last)]

    @property
    def is_too_long(self) -> bool:
        """Whether nothing more of it is taken."""
        return self._next >= MOST_BLOCKS

    def break_off(self, at_s: float) -> list[Written]:
        """It ends at `at_s`, and not because all was said: what was being said is lost. Idempotent."""
        if self.is_over:
            return []
        self.is_over = True
        until_s = at_s if self.until_s is None else max(at_s, self.until_s + BLOCK_S)
        return [Written(until_s - BLOCK_S, b""), Written(until_s, _SILENCE, True)]
