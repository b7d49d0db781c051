"""What sound is like everywhere in the house: one channel, 16 kHz, 16 bits, in blocks of 32 ms.

That is what recognisers and voice detectors take.
"""

from __future__ import annotations

from typing import Final

RATE_HZ: Final = 16_000
BLOCK: Final = 512
"""Samples of a block."""

BLOCK_S: Final = BLOCK / RATE_HZ
BLOCK_BYTES: Final = 2 * BLOCK
BLOCKS_HZ: Final = 1.0 / BLOCK_S

OVER: Final = b"over"
"""The meta of a talk's last block: whoever spoke let go of the button, and all is said."""

HISTORY_BLOCKS: Final = 1000
"""Slots of a microphone's ring: half a minute, so that who is started anew hears what was said meanwhile."""
