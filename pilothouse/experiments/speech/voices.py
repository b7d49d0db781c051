"""Synthetic voices: texts become sound by flite or espeak-ng, in a room or not, with noise or not.

`make setup-tests` installs both. They are no people: what is measured with them is said so.
"""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from framework.errors import PluginUnavailable
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK, RATE_HZ
from resources.audio.sound_file import blocks_of

_REVERBERATION_S: Final = 0.3
"""Of the room: after so long it is 60 dB less loud; a furnished living room's."""


class Voice(msgspec.Struct, frozen=True):
    """Who speaks. program: "flite", or "espeak-ng" with its variant, words a minute, and pitch (0 … 99).

    is_in_room: some metres from the microphone, with the walls to be heard.
    """

    name: str
    program: str = "espeak-ng"
    variant: str = "en-us"
    words_per_min: int = 175
    pitch: int = 50
    is_in_room: bool = False

    def __str__(self) -> str:
        return self.name


FLITE: Final = Voice("flite", "flite")
VOICES: Final = (
    FLITE,
    Voice("en-us"),
    Voice("en-us+m3, fast", variant="en-us+m3", words_per_min=195, pitch=40),
    Voice("en-us+f2, high", variant="en-us+f2", pitch=65),
    Voice("en-gb+f3", variant="en-gb+f3"),
    Voice("flite, in a room", "flite", is_in_room=True),
)
"""Those that say instructions, in turn."""

CRYING: Final = (
    FLITE,
    *(
        Voice(each, variant=each)
        for each in (
            "en-us", "en-gb+f3", "en-us+m3", "en-us+f2", "en-gb+m5", "en-us+f5", "en-gb-scotland",
        )
    ),
)  # fmt: skip
"""Those that say "emergency stop", each of them everything."""


def spoken(text: str, voice: Voice = FLITE) -> Samples:
    """A text as sound, (n,) int16. Raises PluginUnavailable if the voice's program is not installed."""
    sound = _synthesised(text, voice)
    return _in_room(sound) if voice.is_in_room else sound


@functools.lru_cache(maxsize=512)
def _synthesised(text: str, voice: Voice) -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "it.wav"
        speed, pitch = str(voice.words_per_min), str(voice.pitch)
        of_espeak = ["espeak-ng", "-v", voice.variant, "-s", speed, "-p", pitch, "-w", str(file), text]
        said = ["flite", "-t", text, "-o", str(file)] if voice.program == "flite" else of_espeak
        try:
            subprocess.run(said, check=True, timeout=30, stdin=subprocess.DEVNULL)
        except FileNotFoundError as error:
            raise PluginUnavailable(
                voice.program, f"it is not installed: apt-get install {voice.program}"
            ) from error
        sound = np.concatenate(list(blocks_of(file)))
    sound.setflags(write=False)
    return sound


def _in_room(sound: Samples) -> Samples:
    """With echoes that come at random and fade (a statistical room, as Polack's model has it)."""
    random = np.random.default_rng(1)
    times_s = np.arange(round(_REVERBERATION_S * RATE_HZ)) / RATE_HZ
    echoes = random.normal(0.0, 0.03, len(times_s)) * 10.0 ** (-3.0 * times_s / _REVERBERATION_S)
    echoes[0] = 1.0
    wet = np.convolve(sound.astype(np.float64), echoes)
    return _clipped(wet * (0.9 * 32_767 / max(float(np.abs(wet).max()), 1.0)))


def silence(seconds: float) -> Samples:
    """Nothing at all, in whole blocks."""
    return np.zeros(round(seconds * RATE_HZ / BLOCK) * BLOCK, np.int16)


def with_noise(sound: Samples, snr_db: float | None, seed: int = 0) -> Samples:
    """With white noise that many decibels below the level of what is loud of the sound; None: as it is."""
    if snr_db is None:
        return sound
    wave = sound.astype(np.float64)
    loud = wave[np.abs(wave) > 200]
    power = float(np.mean(np.square(loud))) if len(loud) else 1.0
    noise = np.random.default_rng(seed).normal(0.0, np.sqrt(power / 10 ** (snr_db / 10)), len(wave))
    return _clipped(wave + noise)


def cut(*parts: Samples) -> list[Samples]:
    """Sound one after the other, as blocks."""
    whole = np.concatenate(parts)
    return list(whole[: len(whole) // BLOCK * BLOCK].reshape(-1, BLOCK))


def loud_from_until_s(sound: Samples) -> tuple[float, float]:
    """Where the first and the last of it are that can well be heard [s]."""
    loud = np.flatnonzero(np.abs(sound.astype(np.int32)) > 800)
    return float(loud[0]) / RATE_HZ, float(loud[-1]) / RATE_HZ


def _clipped(wave: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Samples:
    clipped: Samples = np.clip(wave, -32_768, 32_767).astype(np.int16)
    return clipped
