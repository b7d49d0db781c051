"""Real voices and the real model: who speaks is heard from beginning to end, and noise is nobody."""

from __future__ import annotations

import numpy as np
import pytest

from framework.errors import SoundError
from pilothouse.experiments.speech.voices import FLITE, Voice, cut, silence, spoken, with_noise
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK, BLOCK_S, RATE_HZ
from resources.audio.reading import Block
from resources.speech.detector import VoiceDetector
from resources.speech.endpoint_child import Listening
from resources.speech.endpointing import Endpointer
from resources.types.speech import Phase, SpeechMark


def heard(blocks: list[Samples], gap_after: int = -1) -> list[SpeechMark]:
    """Marks of blocks, of which the first one begins at the moment 0."""
    listening = Listening(Endpointer(), VoiceDetector())
    marks: list[SpeechMark] = []
    for number, samples in enumerate(blocks, start=1):
        marks += listening.block(Block(number * BLOCK_S, samples, is_after_gap=number - 1 == gap_after))
    return marks


@pytest.mark.parametrize(
    ("shape", "kind"), [((BLOCK - 1,), np.int16), ((BLOCK,), np.float32), ((2, BLOCK), np.int16)]
)
def test_what_is_no_block_is_refused(shape: tuple[int, ...], kind: type) -> None:
    with pytest.raises(SoundError, match=r"\(512,\) of int16 is allowed"):
        VoiceDetector().probability(np.zeros(shape, kind))


@pytest.mark.parametrize("voice", [FLITE, Voice("en-us"), Voice("en-gb+f3", variant="en-gb+f3")], ids=str)
@pytest.mark.parametrize("snr_db", [None, 20.0, 10.0])
def test_an_instruction_is_heard_from_its_beginning_to_its_end(voice: Voice, snr_db: float | None) -> None:
    said = spoken("show the environment", voice)
    whole = np.concatenate([silence(1.0), said, silence(1.5)])
    sound = with_noise(whole, snr_db) if snr_db is not None else whole
    marks = heard(cut(sound))
    assert [mark.phase for mark in marks] == [Phase.BEGAN, Phase.ENDED]
    ended = marks[-1]
    assert ended.utterance == marks[0].utterance == round(ended.began_s * 1e3)
    loud = np.flatnonzero(np.abs(said) > 800) / RATE_HZ
    assert ended.began_s < 1.0 + loud[0] + 0.02
    assert ended.until_s > 1.0 + loud[-1] - 0.02
    assert ended.until_s < 1.0 + loud[-1] + 0.9


def test_two_instructions_are_two() -> None:
    marks = heard(
        cut(silence(1.0), spoken("open the gripper"), silence(1.0), spoken("go home"), silence(1.5))
    )
    assert [mark.phase for mark in marks] == [Phase.BEGAN, Phase.ENDED] * 2
    assert marks[1].until_s <= marks[2].began_s


def test_noise_music_and_knocks_are_nobody() -> None:
    random = np.random.default_rng(0)
    times = np.arange(5 * RATE_HZ) / RATE_HZ
    noise = random.normal(0, 2_000, 5 * RATE_HZ).astype(np.int16)
    chord = sum(np.sin(2 * np.pi * hz * times) for hz in (262, 330, 392))
    music = (3_000 * chord * (1.5 + np.sin(2 * np.pi * 2 * times))).astype(np.int16)
    knocks = np.zeros(5 * RATE_HZ, np.int16)
    for at in range(0, len(knocks), RATE_HZ):
        knocks[at : at + 400] = random.integers(-20_000, 20_000, 400)
    assert heard(cut(noise, music, knocks, silence(1.0))) == []


def test_somebody_too_loud_for_the_microphone_is_told_apart() -> None:
    said = np.clip(spoken("open the gripper").astype(np.int32) * 12, -32_768, 32_767).astype(np.int16)
    ended = heard(cut(silence(1.0), said, silence(1.5)))[-1]
    assert ended.clipped > 0.02
    assert heard(cut(silence(1.0), spoken("open the gripper"), silence(1.5)))[-1].clipped < 0.001


def test_sound_that_is_missing_in_the_middle_is_no_instruction_nor_is_its_rest() -> None:
    """ "Do not …": the rest alone may be the opposite of what was said."""
    said = [silence(1.0), spoken("do not under any circumstances open the gripper"), silence(1.5)]
    marks = heard(cut(*said, spoken("go home"), silence(1.5)), gap_after=60)
    assert [mark.phase for mark in marks] == [Phase.BEGAN, Phase.LOST, Phase.BEGAN, Phase.ENDED]
    assert marks[2].began_s > 1.0 + len(said[1]) / RATE_HZ


def test_progress_says_where_whoever_takes_over_has_to_go_on() -> None:
    listening = Listening(Endpointer(), VoiceDetector())
    assert listening.progress(7.0).began_s == 7.0
    for number, samples in enumerate(cut(silence(1.0), spoken("show the environment")), start=1):
        listening.block(Block(number * BLOCK_S, samples))
        if number * BLOCK_S > 1.8:
            break
    progress = listening.progress(99.0)
    assert progress.phase is Phase.PROGRESS
    assert progress.began_s < 1.1 < 1.7 < progress.until_s
