""" "Emergency stop" is heard, whoever says it and whatever else is said; other words are not it."""

from __future__ import annotations

import numpy as np
import pytest

from pilothouse.experiments.speech.voices import FLITE, Voice, cut, silence, spoken, with_noise
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK_S, RATE_HZ
from resources.speech.detector import VoiceDetector
from resources.speech.spotting import EmergencySpotter

OTHERS = (
    "show the environment",
    "move the left arm up ten centimetres and then open the gripper",
    "the emergency exit is on the left",
    "there is a bus stop around the corner",
    "merchants see the top of the tower",
    "could you stop for a moment please",
)


def found_at_s(spotter: EmergencySpotter, *parts: Samples) -> list[float]:
    return [number * BLOCK_S for number, samples in enumerate(cut(*parts), start=1) if spotter.block(samples)]


@pytest.mark.parametrize(
    "voice",
    [FLITE, Voice("en-us"), Voice("en-gb+f3", variant="en-gb+f3"), Voice("en-us+m3", variant="en-us+m3")],
    ids=str,
)
def test_it_is_heard_within_half_a_second_of_its_end(voice: Voice) -> None:
    said = spoken("emergency stop", voice)
    found = found_at_s(EmergencySpotter(VoiceDetector()), silence(1.0), said, silence(1.5))
    assert len(found) == 1
    end_s = 1.0 + np.flatnonzero(np.abs(said) > 800)[-1] / RATE_HZ
    assert found[0] - end_s < 0.5


def test_it_is_heard_in_noise_and_in_the_middle_of_a_sentence() -> None:
    spotter = EmergencySpotter(VoiceDetector())
    assert found_at_s(
        spotter, with_noise(np.concatenate([silence(1.0), spoken("emergency stop"), silence(1.0)]), 10)
    )
    assert found_at_s(spotter, silence(0.5), spoken("please emergency stop now quickly"), silence(1.0))


@pytest.mark.parametrize("text", OTHERS)
def test_other_words_are_not_it(text: str) -> None:
    assert found_at_s(EmergencySpotter(VoiceDetector()), silence(0.5), spoken(text), silence(1.0)) == []


def test_it_is_heard_at_the_end_of_a_speech_without_a_pause() -> None:
    spotter = EmergencySpotter(VoiceDetector())
    speech = [spoken(text) for text in OTHERS * 2]
    assert len(found_at_s(spotter, silence(0.5), *speech, spoken("emergency stop"), silence(1.0))) == 1


def test_digital_silence_and_noise_are_nothing() -> None:
    noise = np.random.default_rng(0).normal(0, 3_000, 20 * RATE_HZ).astype(np.int16)
    assert found_at_s(EmergencySpotter(VoiceDetector()), silence(20.0), noise) == []


def test_half_of_it_before_a_gap_is_not_it() -> None:
    spotter = EmergencySpotter(VoiceDetector())
    assert found_at_s(spotter, silence(0.5), spoken("emergency")) == []
    spotter.forget()
    assert found_at_s(spotter, spoken("stop"), silence(1.0)) == []


def test_one_cry_is_one_stop_whatever_is_said_after_it() -> None:
    """A person resets it and goes on talking: the cry of before must not stop everything again."""
    spotter = EmergencySpotter(VoiceDetector())
    cry = np.concatenate([silence(1.0), spoken("emergency stop"), silence(0.4)])
    after = np.concatenate([spoken("thanks"), silence(0.5), spoken("go home"), silence(1.0)])
    assert len(found_at_s(spotter, cry, after)) == 1


def test_somebody_who_speaks_for_a_minute_is_survived() -> None:
    """Whatever moment the search is begun anew at."""
    spotter = EmergencySpotter(ScriptedVoice(1.0))
    for number in range(1_400):
        assert not spotter.block(silence(BLOCK_S))
        if number % 700 == 0:
            spotter.forget()
    quiet = EmergencySpotter(ScriptedVoice(*[1.0] * 618, *[0.0] * 40))
    assert not any(quiet.block(silence(BLOCK_S)) for _ in range(658))


def test_a_cry_that_nothing_follows_is_decided_at_the_end() -> None:
    spotter = EmergencySpotter(VoiceDetector())
    said = spoken("emergency stop")
    end = int(np.flatnonzero(np.abs(said) > 800)[-1]) + 400
    found = found_at_s(spotter, silence(0.5), said[:end])
    assert bool(found) or spotter.forget()
    assert not spotter.is_searching


class ScriptedVoice(VoiceDetector):
    """Says what it is told: of each block, how likely it is a voice; the last for ever."""

    def __init__(self, *probabilities: float) -> None:
        super().__init__()
        self._probabilities = list(probabilities)

    def probability(self, block: Samples) -> float:
        return self._probabilities.pop(0) if len(self._probabilities) > 1 else self._probabilities[0]
