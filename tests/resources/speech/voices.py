"""Synthetic voices for tests: texts become sound by flite or espeak-ng, which `make setup-tests` installs."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from resources.audio.blocks import Samples
from resources.audio.format import BLOCK, RATE_HZ
from resources.audio.sound_file import blocks_of


@functools.cache
def spoken(text: str, voice: str = "flite") -> Samples:
    """A text as sound, (n,) int16. voice: "flite", or one of espeak-ng's ("en-us+m3")."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "it.wav"
        by_flite = ["flite", "-t", text, "-o", str(file)]
        said = by_flite if voice == "flite" else ["espeak-ng", "-v", voice, "-w", str(file), text]
        subprocess.run(said, check=True, timeout=30, stdin=subprocess.DEVNULL)
        sound = np.concatenate(list(blocks_of(file)))
    sound.setflags(write=False)
    return sound


def silence(seconds: float) -> Samples:
    """Nothing at all, in whole blocks."""
    return np.zeros(round(seconds * RATE_HZ / BLOCK) * BLOCK, np.int16)


def with_noise(sound: Samples, snr_db: float, seed: int = 0) -> Samples:
    """With white noise that many decibels below the sound's own level."""
    wave = sound.astype(np.float64)
    loud = wave[np.abs(wave) > 200]
    power = float(np.mean(np.square(loud))) if len(loud) else 1.0
    noise = np.random.default_rng(seed).normal(0.0, np.sqrt(power / 10 ** (snr_db / 10)), len(wave))
    return np.clip(wave + noise, -32_768, 32_767).astype(np.int16)


def cut(*parts: Samples) -> list[Samples]:
    """Sound one after the other, as blocks."""
    whole = np.concatenate(parts)
    return list(whole[: len(whole) // BLOCK * BLOCK].reshape(-1, BLOCK))
