"""An utterance without the noise that stays the same beneath it: fans, hiss, a bad line. Pure.

A Wiener filter, frame by frame and frequency by frequency. How loud the noise is at a frequency is told by
the frames that are quietest there; how much of a frame is voice, by the frame before and by this one
(decision-directed). A third is left of what is noise: what is cut out entirely sounds like voices.
Sources: Y. Ephraim and D. Malah, "Speech enhancement using a minimum mean-square error short-time spectral
amplitude estimator" (1984), equation 51; P. Scalart and J. Vieira Filho, "Speech enhancement based on a
priori signal to noise estimation" (1996).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from resources.audio.blocks import Samples

_FRAME: Final = 512  # samples, 32 ms
_HOP: Final = 128
_WINDOW: Final = np.hanning(_FRAME + 1)[:-1]

_QUIETEST: Final = 20.0
"""That share of frames has no voice at a frequency [%]."""

_OF_MEAN: Final = -math.log(1.0 - _QUIETEST / 100.0)
"""The power of noise below which that share of frames is, compared with its mean (it is exponential)."""

_WIDE: Final = 9  # frequencies next to each other whose noise is the same
_FROM_BEFORE: Final = 0.97
_LEFT: Final = 0.3
_LEAST: Final = 1e-6  # of power: digital silence


def without_noise(sound: Samples) -> Samples:
    """An utterance, (n,) int16 at 16 kHz, with silence before or after it; too short a one as it is."""
    if len(sound) < _FRAME:
        return sound
    around = np.concatenate([sound[:_FRAME][::-1], sound, sound[-_FRAME:][::-1]]).astype(np.float64)
    frames = np.lib.stride_tricks.sliding_window_view(around, _FRAME)[::_HOP]  # (m, 512)
    spectra = np.fft.rfft(frames * _WINDOW, axis=1)  # (m, 257)
    power = np.square(np.abs(spectra))
    noise = np.percentile(power, _QUIETEST, axis=0) / _OF_MEAN
    noise = np.convolve(np.pad(noise, _WIDE // 2, mode="edge"), np.full(_WIDE, 1.0 / _WIDE), "valid")
    louder = power / np.maximum(noise, _LEAST)
    before = np.zeros(power.shape[1])
    for number, row in enumerate(louder):
        voice = _FROM_BEFORE * before + (1.0 - _FROM_BEFORE) * np.maximum(row - 1.0, 0.0)
        gain = np.maximum(voice / (1.0 + voice), _LEFT)
        spectra[number] *= gain
        before = np.square(gain) * row
    heard, weight = np.zeros(len(around)), np.zeros(len(around))
    for number, wave in enumerate(np.fft.irfft(spectra, _FRAME, axis=1)):
        at = slice(number * _HOP, number * _HOP + _FRAME)
        heard[at] += wave * _WINDOW
        weight[at] += np.square(_WINDOW)
    quiet = heard[_FRAME : _FRAME + len(sound)] / np.maximum(weight[_FRAME : _FRAME + len(sound)], 1e-3)
    rounded: Samples = np.clip(np.round(quiet), -32_768, 32_767).astype(np.int16)
    return rounded
