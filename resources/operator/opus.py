"""Opus → samples, by the libopus that aiortc brings along (PyAV)."""

from __future__ import annotations

import av
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage
from resources.operator.rtp import TRACK_RATE_HZ, opus_ticks

_FULL_SCALE = 32_768.0


class OpusDecoder:
    """One stretch of sound, packet by packet: each is decoded with what came before it."""

    def __init__(self) -> None:
        codec = av.CodecContext.create("libopus", "r")
        assert isinstance(codec, av.AudioCodecContext)
        codec.format = "s16"
        codec.layout = "mono"
        codec.sample_rate = TRACK_RATE_HZ
        self._codec = codec

    def decode(self, sound: bytes) -> NDArray[np.float32]:
        """(n,) of −1 … 1, 48 kHz. Raises MalformedMessage if it is no Opus."""
        ticks = opus_ticks(sound)  # never empty: that would end the decoder
        try:
            frames = self._codec.decode(av.Packet(sound))
        except av.FFmpegError as error:
            raise MalformedMessage(f"a packet of {len(sound)} bytes is no Opus: {error}") from error
        found = np.concatenate(
            [frame.to_ndarray().reshape(-1) for frame in frames] or [np.zeros(0, np.int16)]
        )
        if len(found) != ticks:
            raise MalformedMessage(f"a packet of {ticks} samples gave {len(found)}")
        return found.astype(np.float32) / np.float32(_FULL_SCALE)
