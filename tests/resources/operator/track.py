"""A page's audio track without a page: a voice as Opus, packet by packet, with the numbers of a browser."""

from __future__ import annotations

import math
from fractions import Fraction

import av
import numpy as np
from numpy.typing import NDArray

from resources.operator.held_track import OPUS
from resources.operator.rtp import TRACK_RATE_HZ, TrackPacket

TICKS = 960
PACKET_S = TICKS / TRACK_RATE_HZ


def tone(length_s: float, hz: float = 440.0) -> NDArray[np.int16]:
    """(n,) int16, 48 kHz, half as loud as can be."""
    times_s = np.arange(round(length_s * TRACK_RATE_HZ)) / TRACK_RATE_HZ
    found: NDArray[np.int16] = np.rint(16_000 * np.sin(2 * math.pi * hz * times_s)).astype(np.int16)
    return found


def encoded(sound: NDArray[np.int16]) -> list[bytes]:
    """Packets of 20 ms."""
    codec = av.CodecContext.create("libopus", "w")
    assert isinstance(codec, av.AudioCodecContext)
    codec.bit_rate, codec.sample_rate, codec.time_base = 20_000, TRACK_RATE_HZ, Fraction(1, TRACK_RATE_HZ)
    codec.format, codec.layout = "s16", "mono"
    packets: list[bytes] = []
    for at in range(0, len(sound) // TICKS * TICKS, TICKS):
        frame = av.AudioFrame.from_ndarray(sound[None, at : at + TICKS], format="s16", layout="mono")
        frame.sample_rate, frame.pts = TRACK_RATE_HZ, at
        packets += [bytes(packet) for packet in codec.encode(frame)]
    return packets


class Sender:
    """Numbers packets as Chromium does: they go on from hold to hold, only the very first is marked.

    first, stamp: with which numbers it begins.
    """

    def __init__(self, first: int = 65_530, stamp: int = (1 << 32) - 5 * TICKS, source: int = 7) -> None:
        self.sent = 0
        self._first, self._stamp, self._source = first, stamp, source

    def packets(self, sound: list[bytes]) -> list[TrackPacket]:
        """The next ones."""
        found = []
        for each in sound:
            found.append(
                TrackPacket(
                    OPUS,
                    (self._first + self.sent) % (1 << 16),
                    (self._stamp + self.sent * TICKS) % (1 << 32),
                    self._source,
                    self.sent == 0,
                    each,
                )
            )
            self.sent += 1
        return found
