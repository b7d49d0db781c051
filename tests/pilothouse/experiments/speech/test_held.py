"""A page's microphone in a real browser, by the audio track and block by block: what of a hold arrives."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pilothouse.experiments.speech.held import WITHOUT_TRACK, Talked, desk, pages, talk
from resources.audio.format import RATE_HZ

pytestmark = pytest.mark.real

TONE_HZ = 400.0
HELD_S = 0.6


def _tone(folder: Path) -> Path:
    times_s = np.arange(4 * RATE_HZ) / RATE_HZ
    file = folder / "tone.wav"
    loudness = 0.3 + 0.2 * np.sin(2 * np.pi * 3 * times_s)  # a steady tone is noise, which browsers take away
    soundfile.write(file, loudness * np.sin(2 * np.pi * TONE_HZ * times_s), RATE_HZ)
    return file


def _is_whole(talked: Talked, first: int) -> bool:
    """first: the number of its first block; of a track's talk 0 is left out (`HeldTrack`)."""
    numbers = [block.sequence for block in talked.blocks]
    return numbers == list(range(first, first + len(numbers))) and talked.blocks[-1].is_last


def _loudest_hz(talked: Talked) -> float:
    sound = np.concatenate([np.frombuffer(block.sound, "<i2") for block in talked.blocks]).astype(float)
    return float(np.argmax(np.abs(np.fft.rfft(sound))) * RATE_HZ / len(sound))


async def _talks(folder: Path) -> None:
    async with asyncio.timeout(240.0), desk() as here, pages(_tone(folder)) as opened:
        async with opened(here, "") as page:
            first, second = [await talk(here, page, HELD_S) for _ in range(2)]
            for talked in (first, second):
                assert _is_whole(talked, first=1) and talked.after.channel == 0
                assert talked.after.track - talked.before.track > HELD_S / 0.02
            assert _loudest_hz(second) == pytest.approx(TONE_HZ, abs=15.0)

            here.begin()
            await page.dispatch_event("button[aria-label='Hold to talk']", "pointerdown", {"pointerId": 1})
            await page.wait_for_function("async () => (await sent()).attached === 1")
            await page.evaluate("dispatchEvent(new Event('blur'))")  # another window
            await here.over.wait()
            assert here.blocks[-1][1].is_broken_off
            await page.wait_for_function("async () => (await sent()).attached === 0")
        async with opened(here, WITHOUT_TRACK) as page:
            talked = await talk(here, page, HELD_S)
            assert _is_whole(talked, first=0) and talked.after.track == 0
            assert talked.after.channel > HELD_S / 0.032
            assert talked.kbit_s > 3 * second.kbit_s


def test_a_hold_arrives_whole_by_either_way_and_the_track_needs_less(tmp_path: Path) -> None:
    asyncio.run(_talks(tmp_path))
