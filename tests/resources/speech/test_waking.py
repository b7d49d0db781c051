"""The wake phrase: at the beginning of an utterance, in several voices, and in nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from framework.errors import SoundError
from pilothouse.experiments.speech.voices import VOICES, Voice, silence, spoken, with_noise
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK, RATE_HZ
from resources.speech import waking
from resources.speech.waking import WakePhrase, is_something_said, phones_of_phrase

BEFORE_S = 0.4
"""As much as an utterance is cut out before its voice."""


@pytest.fixture(scope="module")
def wake() -> WakePhrase:
    return WakePhrase("hey pilot house")


def uttered(text: str, voice: Voice = VOICES[0], snr_db: float | None = None) -> Samples:
    """As it is cut out."""
    return with_noise(np.concatenate([silence(BEFORE_S), spoken(text, voice), silence(BEFORE_S)]), snr_db)


@pytest.mark.parametrize("phrase", ["hey", "go on"])
def test_a_phrase_that_is_too_short_is_refused(phrase: str) -> None:
    with pytest.raises(SoundError, match="is too short, and would be heard in whatever people say: 6 sounds"):
        phones_of_phrase(phrase)


def test_a_phrase_that_nobody_can_say_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waking, "pronounced", lambda words: {})  # without espeak-ng
    with pytest.raises(
        SoundError, match="how to say 'zorblatt' of the wake phrase 'hey zorblatt': take words"
    ):
        WakePhrase("hey zorblatt")


def test_a_word_of_no_dictionary_is_said_as_espeak_does() -> None:
    hey, zorblatt = phones_of_phrase("hey zorblatt")
    assert "HH EY" in hey and zorblatt[0].startswith("Z ")
    assert (
        WakePhrase("hey zorblatt").ends_in(uttered("hey zorblatt, open the gripper", Voice("en-us")))
        is not None
    )


@pytest.mark.parametrize("voice", VOICES, ids=str)
def test_it_is_heard_and_what_follows_begins_after_it(wake: WakePhrase, voice: Voice) -> None:
    sound = uttered("hey pilot house, open the gripper", voice, 20.0)
    ends_s = wake.ends_in(sound)
    alone_s = len(spoken("hey pilot house", voice)) / RATE_HZ
    assert ends_s is not None and 0.4 < ends_s - BEFORE_S < alone_s + 0.1
    assert is_something_said(sound, ends_s)


@pytest.mark.parametrize(
    "text",
    [
        "the robot is over there",
        "hey you, drive to the house",
        "do not under any circumstances, hey pilot house, open the gripper",  # its rest is the opposite
    ],
)
def test_what_does_not_begin_with_it_is_for_nobody(wake: WakePhrase, text: str) -> None:
    assert wake.ends_in(uttered(text)) is None


@pytest.mark.parametrize("voice", VOICES, ids=str)
@pytest.mark.parametrize("before", ["don't", "no", "stop"])
def test_a_word_before_it_wakes_nobody_so_what_that_says_is_not_cut_off(
    wake: WakePhrase, before: str, voice: Voice
) -> None:
    assert wake.ends_in(uttered(f"{before}, hey pilot house, go home", voice, 20.0)) is None


def test_noise_music_and_silence_are_not_it(wake: WakePhrase) -> None:
    random, times_s = np.random.default_rng(0), np.arange(2 * RATE_HZ) / RATE_HZ
    chord = sum(np.sin(2 * np.pi * hz * times_s) for hz in (220, 277, 330, 440))
    music = (2_000 * chord * (1.5 + np.sin(2 * np.pi * 2 * times_s))).astype(np.int16)
    for sound in (silence(2.0), random.normal(0, 2_000, 2 * RATE_HZ).astype(np.int16), music):
        assert wake.ends_in(sound) is None


def test_alone_nothing_follows_it(wake: WakePhrase) -> None:
    sound = uttered("hey pilot house")
    ends_s = wake.ends_in(sound)
    assert ends_s is not None and not is_something_said(sound, ends_s)


def test_while_somebody_speaks_it_is_heard_once_it_is_over(wake: WakePhrase) -> None:
    sound = uttered("hey pilot house, move the left arm up ten centimetres")
    wake.begins()
    found = [wake.goes_on(sound[at : at + 3 * BLOCK]) for at in range(0, len(sound), 3 * BLOCK)]
    ends = [each for each in found if each is not None]
    assert ends and abs(ends[0] - (wake.ends_in(sound) or 0.0)) < 0.15
    assert found.index(ends[0]) * 3 * BLOCK / RATE_HZ < 2.7
    wake.begins()
    wake.forgets()
    assert wake.goes_on(sound) is None
