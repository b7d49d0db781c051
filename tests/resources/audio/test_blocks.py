"""Any sound becomes blocks of one kind: rates, channels, nonsense, ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import SoundError
from resources.audio.blocks import Blocks, clipped_fraction, level_dbfs, whole, with_floor
from resources.audio.format import BLOCK, RATE_HZ


def tone(hz: float, rate_hz: int, seconds: float, channels: int = 1) -> np.ndarray:
    """A sine of half the loudest, (frames, channels)."""
    times = np.arange(round(rate_hz * seconds)) / rate_hz
    return np.repeat(0.5 * np.sin(2 * np.pi * hz * times)[:, None], channels, axis=1).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [0, 100, 1e9, float("nan"), float("inf"), -16_000])
def test_a_rate_that_no_sound_has_is_named_with_what_is_allowed(rate_hz: float) -> None:
    with pytest.raises(SoundError, match=r"samples a second; 4000 to 384000 are allowed"):
        Blocks(rate_hz)


@pytest.mark.parametrize("channels", [0, -1, 1000])
def test_a_number_of_channels_that_no_sound_has(channels: int) -> None:
    with pytest.raises(SoundError, match=f"{channels} channels; 1 to 64"):
        Blocks(RATE_HZ, channels)


@pytest.mark.parametrize(
    ("rate_hz", "channels"), [(8_000, 1), (16_000, 1), (16_000, 2), (44_100, 2), (48_000, 1)]
)
def test_a_tone_stays_what_it_is(rate_hz: int, channels: int) -> None:
    blocks = Blocks(rate_hz, channels)
    sound = tone(1000.0, rate_hz, 1.0, channels)
    cut = [block for part in np.array_split(sound, 7) for block in blocks.add(part)] + blocks.end()
    assert all(block.shape == (BLOCK,) and block.dtype == np.int16 for block in cut)
    heard = np.concatenate(cut)
    assert abs(len(heard) - RATE_HZ) <= BLOCK
    middle = heard[4_000:12_000]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert abs(np.argmax(spectrum) * RATE_HZ / len(middle) - 1000.0) < 3.0
    assert level_dbfs(middle) == pytest.approx(20 * np.log10(0.5), abs=0.3)


def test_one_dead_channel_of_two_is_no_silence() -> None:
    sound = tone(500.0, RATE_HZ, 0.5, 2)
    sound[:, 1] = 0.0
    heard = np.concatenate(Blocks(RATE_HZ, 2).add(sound))
    assert level_dbfs(heard) == pytest.approx(20 * np.log10(0.25), abs=0.3)


def test_what_is_no_number_is_silence_and_what_is_too_loud_is_clipped() -> None:
    sound = np.full(2 * BLOCK, 7.5, np.float32)
    sound[:BLOCK] = np.nan
    silent, loud = Blocks(RATE_HZ).add(sound)
    assert not silent.any()
    assert clipped_fraction(loud) == 1.0
    assert clipped_fraction(silent) == 0.0


@pytest.mark.parametrize("rate_hz", [16_000, 48_000])
def test_what_was_clipped_before_it_came_is_seen_to_be(rate_hz: int) -> None:
    square = np.where(tone(200.0, rate_hz, 1.0)[:, 0] > 0, 32_767, -32_768).astype(np.int16) / 32_768
    heard = np.concatenate(Blocks(rate_hz).add(square.astype(np.float32)))
    assert clipped_fraction(heard[2_000:]) > 0.7
    assert clipped_fraction(np.concatenate(Blocks(rate_hz).add(tone(200.0, rate_hz, 1.0)))) == 0.0


def test_half_a_block_waits_and_is_filled_up_at_the_end() -> None:
    blocks = Blocks(RATE_HZ)
    assert blocks.add(np.full(BLOCK - 1, 0.5, np.float32)) == []
    (last,) = blocks.end()
    assert last[-2] == whole(np.array([0.5]))[0]
    assert last[-1] == 0
    assert blocks.end() == []


@given(st.lists(st.integers(0, 3 * BLOCK), max_size=8))
def test_however_it_comes_nothing_is_lost_or_made_up(sizes: list[int]) -> None:
    """At our own rate the blocks are the sound itself."""
    sound = np.random.default_rng(1).uniform(-1, 1, sum(sizes)).astype(np.float32)
    blocks = Blocks(RATE_HZ)
    cut: list[np.ndarray] = []
    at = 0
    for size in sizes:
        cut += blocks.add(sound[at : at + size])
        at += size
    cut += blocks.end()
    heard = np.concatenate(cut) if cut else np.zeros(0, np.int16)
    assert np.array_equal(heard[: len(sound)], whole(sound))
    assert not heard[len(sound) :].any()


def test_silence_is_endlessly_far_below_the_loudest_and_with_a_rooms_noise_it_is_not() -> None:
    silence = np.zeros(BLOCK, np.int16)
    assert level_dbfs(silence) == float("-inf")
    assert level_dbfs(np.zeros(0, np.int16)) == float("-inf")
    noisy = with_floor(silence, np.random.default_rng(0))
    assert -66.0 < level_dbfs(noisy) < -62.0
    loudest = np.full(BLOCK, 32_767, np.int16)
    assert with_floor(loudest, np.random.default_rng(0)).max() == 32_767
