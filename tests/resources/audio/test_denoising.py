"""Noise that stays the same is taken out of an utterance, and what is said stays."""

from __future__ import annotations

import numpy as np
import pytest

from pilothouse.experiments.speech.voices import silence, spoken, with_noise
from resources.audio.blocks import Samples
from resources.audio.denoising import without_noise


def utterance(snr_db: float | None = None) -> Samples:
    return with_noise(np.concatenate([silence(0.4), spoken("open the gripper"), silence(0.3)]), snr_db)


def level(sound: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(sound.astype(np.float64)))))


@pytest.mark.parametrize("snr_db", [20.0, 10.0])
def test_noise_is_made_softer_and_the_voice_is_left(snr_db: float) -> None:
    clean, noisy = utterance(), utterance(snr_db)
    quiet = without_noise(noisy)
    assert quiet.shape == noisy.shape
    assert quiet.dtype == np.int16
    before = slice(2000, 6000)  # nobody speaks yet
    assert level(quiet[before]) < 0.4 * level(noisy[before])
    off = [level(each.astype(np.int32) - clean) for each in (noisy, quiet)]
    assert off[1] < 0.75 * off[0]


def test_what_has_no_noise_stays_as_it_is() -> None:
    clean = utterance()
    off = level(without_noise(clean).astype(np.int32) - clean)
    assert off < 0.02 * level(clean)


@pytest.mark.parametrize("samples", [0, 1, 511, 512, 513, 700])
def test_any_length_and_digital_silence_and_the_loudest(samples: int) -> None:
    random = np.random.default_rng(0)
    for sound in (
        np.zeros(samples, np.int16),
        np.full(samples, -32_768, np.int16),
        random.integers(-32_768, 32_768, samples).astype(np.int16),
    ):
        assert without_noise(sound).shape == sound.shape


def test_other_noise_later_is_left_rather_than_the_voice() -> None:
    """A fan that is switched on in the middle: the quietest frames tell nothing of it."""
    clean = utterance()
    half = len(clean) // 2
    noisy = np.concatenate([clean[:half], with_noise(clean, 15.0)[half:]])
    assert level(without_noise(noisy)[:half].astype(np.int32) - clean[:half]) < 0.05 * level(clean[:half])
