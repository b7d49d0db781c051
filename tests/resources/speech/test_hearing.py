"""Where an ear goes on after one that died: no cry falls between two, and none is heard twice."""

from __future__ import annotations

import numpy as np

from pilothouse.experiments.speech.voices import cut, silence, spoken
from resources.audio.format import BLOCK, BLOCK_S
from resources.audio.reading import Block
from resources.speech.detector import VoiceDetector
from resources.speech.ear_child import CRY_S, Hearing
from resources.speech.spotting import EmergencySpotter


def ear(goes_on_s: float = float("-inf")) -> Hearing:
    return Hearing(EmergencySpotter(VoiceDetector()), goes_on_s)


def blocks(*parts: np.ndarray) -> list[Block]:
    return [Block(number * BLOCK_S, samples) for number, samples in enumerate(cut(*parts), start=1)]


CRY = blocks(silence(2.5), spoken("emergency stop"), silence(3.0))


def test_whenever_an_ear_dies_the_next_one_hears_the_cry_and_no_other_one_does() -> None:
    """Killed after each half of a second: one of the two hears it, never both."""
    for dies_after in range(10, len(CRY) - 10, 15):
        first = ear()
        found = [first.block(block) for block in CRY[:dies_after]]
        second = ear()
        found += [second.block(block) for block in CRY if block.until_s - BLOCK_S >= first.goes_on_s]
        assert sum(found) == 1, f"died after {dies_after * BLOCK_S:.2f} s"


def test_it_goes_on_a_cry_before_where_it_is() -> None:
    hearing = ear()
    for block in blocks(silence(4.0)):
        hearing.block(block)
    assert abs(hearing.goes_on_s - (4.0 - CRY_S)) < 2 * BLOCK_S


def test_where_sound_ends_in_a_cry_it_is_decided() -> None:
    hearing = ear()
    last = np.flatnonzero(np.abs(spoken("emergency stop")) > 800)[-1]
    found = [hearing.block(block) for block in blocks(silence(1.0), spoken("emergency stop")[: last + BLOCK])]
    assert any(found) or hearing.silence()
    assert not hearing.silence()


def test_a_gap_decides_too() -> None:
    hearing = ear()
    last = np.flatnonzero(np.abs(spoken("emergency stop")) > 800)[-1]
    found = [hearing.block(block) for block in blocks(silence(1.0), spoken("emergency stop")[: last + BLOCK])]
    after = Block(60.0, np.zeros(BLOCK, np.int16), is_after_gap=True)
    assert any(found) != hearing.block(after)
